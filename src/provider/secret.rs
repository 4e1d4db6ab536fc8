//! Keys: they go into a header and nowhere else.

use std::fmt;

use serde_json::Value;

use super::envelope;

/// Shorter values are not looked for in texts: replacing every `a` would only make them unreadable.
const SHORTEST: usize = 4;

/// A key or password. No `Display`, and its `Debug` shows nothing.
#[derive(Clone)]
pub(super) struct Secret(String);

impl Secret {
    /// A value that a header can carry. Line ends around it are cut: secrets of a CI often end with one.
    pub(super) fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        let fits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(value.to_owned()))
    }

    /// Any text that must not be repeated, such as a password in the address of a proxy.
    pub(super) fn any(value: &str) -> Self {
        Self(value.to_owned())
    }

    /// The value, for the header.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The text with every secret in it replaced: a server may send back what it was sent.
pub(super) fn scrub(text: String, secrets: &[Secret]) -> String {
    let long = || secrets.iter().filter(|secret| secret.0.len() >= SHORTEST);
    if !long().any(|secret| text.contains(&secret.0)) {
        return text;
    }
    long().fold(text, |text, secret| text.replace(&secret.0, "‹key›"))
}

/// As [`scrub`] for the text of a JSON value, in which a key may be spelt with escapes (`\/`, `\u002d`).
pub(super) fn scrub_json(text: String, secrets: &[Secret]) -> String {
    let text = scrub(text, secrets);
    if !text.contains('\\') {
        return text;
    }
    let Ok(mut value) = envelope::parse(text.as_bytes()) else { return text };
    if scrub_strings(&mut value, secrets) { value.to_string() } else { text }
}

/// Whether anything had to be replaced.
fn scrub_strings(value: &mut Value, secrets: &[Secret]) -> bool {
    let clean = |text: &str| Some(scrub(text.to_owned(), secrets)).filter(|clean| clean != text);
    match value {
        Value::String(text) => clean(text).map(|clean| *text = clean).is_some(),
        // All of them, not only up to the first.
        Value::Array(items) => {
            items.iter_mut().filter_map(|item| scrub_strings(item, secrets).then_some(())).count() > 0
        }
        Value::Object(map) => {
            let mut any = false;
            let entries = std::mem::take(map);
            for (key, mut value) in entries {
                any |= scrub_strings(&mut value, secrets);
                let cleaned = clean(&key);
                any |= cleaned.is_some();
                map.insert(cleaned.unwrap_or(key), value);
            }
            any
        }
        _ => false,
    }
}
