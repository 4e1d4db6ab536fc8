//! Markup of a page that is one file.

use sha2::{Digest as _, Sha256};

use crate::escape::{html, html_lines, html_prose};

/// Markup in the making. [`Page::raw`] takes only what is written in this program, so a name or a line of code can reach a
/// page through the escapers and no other way. Should that ever fail, [`Page::policy`] lets nothing run and nothing load.
#[derive(Default)]
pub(crate) struct Page(String);

impl Page {
    /// Markup of ours.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A text from anywhere, in an element or a quoted attribute.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&html(text));
        self
    }

    /// A text of several lines.
    pub(crate) fn lines(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&html_lines(text));
        self
    }

    /// Prose in which code stands in backticks.
    pub(crate) fn prose(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&html_prose(text.trim()));
        self
    }

    /// A drawing that a library wrote and that escapes what comes from outside.
    pub(crate) fn drawn(&mut self, svg: &str) -> &mut Self {
        self.0.push_str(svg);
        self
    }

    /// A count.
    pub(crate) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// The page's own policy (CSP level 3), to stand first in its head: nothing runs or is styled but by the script and the
    /// style whose hashes it names, and nothing loads at all.
    pub(crate) fn policy(&mut self, style: &str, script: &str) -> &mut Self {
        self.raw("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'sha256-");
        self.text(&hash(style)).raw("'; script-src 'sha256-").text(&hash(script));
        self.raw("'; base-uri 'none'; form-action 'none'\">\n")
    }

    /// What was written.
    pub(crate) fn markup(&self) -> &str {
        &self.0
    }
}

/// The base64 of a text's SHA-256, as a content security policy names what it lets in.
pub(super) fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for bytes in Sha256::digest(text).chunks(3) {
        let number = (0..3).fold(0, |number, at| number << 8 | u32::from(bytes.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= bytes.len() { digit as char } else { '=' });
        }
    }
    out
}
