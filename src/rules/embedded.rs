//! The packs of `rules/`, embedded when the program is built (`build.rs`), in the order of their names.

use crate::document::At;

/// An embedded pack.
#[derive(Debug)]
pub struct Pack {
    /// Its file, for messages.
    pub name: &'static str,
    /// The file as written.
    pub text: &'static str,
    /// What the file parses to, without its examples, as [`crate::document::from_compact`] reads it.
    pub tree: &'static str,
}

/// Every embedded pack.
pub static EMBEDDED: &[Pack] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// Whether a place lies in an embedded pack. What stands there was checked by the tests, so it is compiled at first use.
pub(super) fn is_embedded(at: &At) -> bool {
    EMBEDDED.iter().any(|pack| *pack.name == *at.source)
}
