//! What a finding is, whoever finds it and wherever it moved: hashes over tag, place and text, never over a line number,
//! prose or anything ambient.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::detect::FileView;
use crate::finding::{Fingerprint, Line, RepoPath};

/// Neighbouring lines with text, above and below, that the window looks at.
const WINDOW: usize = 2;

/// The two identities of a line under a tag.
pub struct Identity {
    /// Tag, path, enclosing symbol, normalised line, occurrence.
    pub key: Fingerprint,
    /// Tag and the normalised neighbouring lines, without the path.
    pub window: Fingerprint,
}

/// Identifies a line of the new side. `ordinal` tells findings of one tag on one line apart, from 0.
pub fn of_line(view: &FileView<'_>, tag: &str, line: Line, ordinal: u32) -> Identity {
    let text = normalised(view, line);
    let symbol = view.parsed().and_then(|parsed| parsed.enclosing(line));
    let (name, first) = symbol.map_or(("", 1), |symbol| (symbol.path.as_str(), symbol.line.get()));
    let occurrence = (first..line.get()).filter_map(Line::new).filter(|other| normalised(view, *other) == text).count();
    // A rename inside the range keeps the identity that the file's findings had before.
    let path = view.change.old_path.as_ref().unwrap_or(&view.change.path);
    let key = hash(
        "diffsieve/key/v1",
        &[
            tag.as_bytes(),
            path.bytes(),
            name.as_bytes(),
            text.as_bytes(),
            &number(occurrence),
            &number(ordinal as usize),
        ],
    );
    let above = (1..line.get()).rev().filter_map(Line::new);
    let below = (line.get() + 1..=view.text.len() as u32).filter_map(Line::new);
    let near = |lines: &mut dyn Iterator<Item = Line>| -> Vec<String> {
        lines.map(|line| normalised(view, line)).filter(|text| !text.is_empty()).take(WINDOW).collect()
    };
    let (above, below) = (near(&mut above.into_iter()).join("\n"), near(&mut below.into_iter()).join("\n"));
    let window = hash(
        "diffsieve/window/v1",
        &[tag.as_bytes(), above.as_bytes(), text.as_bytes(), below.as_bytes(), &number(ordinal as usize)],
    );
    Identity { key, window }
}

/// Identifies a claim that is tied to no line, by what it quotes.
pub fn of_claim(tag: &str, path: &RepoPath, quote: &str, ordinal: u32) -> Identity {
    let text = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: [&[u8]; 4] = [tag.as_bytes(), path.bytes(), text.as_bytes(), &number(ordinal as usize)];
    Identity { key: hash("diffsieve/claim/v1", &parts), window: hash("diffsieve/claim-window/v1", &parts[..1]) }
}

/// A line with its white space folded, so that re-indentation does not change it.
fn normalised(view: &FileView<'_>, line: Line) -> String {
    let text = view.text.line_text(line).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn number(value: usize) -> [u8; 8] {
    (value as u64).to_be_bytes()
}

/// SHA-256 over the length-prefixed parts, cut to 128 bits.
fn hash(domain: &str, parts: &[&[u8]]) -> Fingerprint {
    let mut hasher = Sha256::new();
    for part in std::iter::once(&domain.as_bytes()).chain(parts) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    let mut digits = String::with_capacity(32);
    for byte in digest.iter().take(16) {
        let _ = write!(digits, "{byte:02x}");
    }
    Fingerprint::new(digits)
}
