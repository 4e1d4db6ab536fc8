//! Whose lines stand in a function that a later fix changes: the lines that a fix changes need not be the wrong ones.

use std::collections::BTreeSet;

use super::clean::Owner;
use super::{code, origin};
use crate::diff::{Hunk, Text};
use crate::finding::Line;
use crate::syntax::{Language, Limits, Parsed};

/// The owners of lines of the old side in the functions of which the hunks remove a line of code. The innermost function
/// counts; code outside of functions, and a file that cannot be parsed, name nobody.
pub(super) fn owners(
    language: Language,
    (old, new): (&Text, &Text),
    owners: &[Owner],
    hunks: &[Hunk],
) -> BTreeSet<usize> {
    // Most files hold no line that is followed, and parsing is what costs time here.
    if owners.iter().all(Option::is_none) {
        return BTreeSet::new();
    }
    let changed: Vec<u32> = hunks.iter().flat_map(|hunk| origin::telling(hunk, old, new)).collect();
    if changed.is_empty() {
        return BTreeSet::new();
    }
    let Ok(parsed) = Parsed::parse(language, old.bytes(), &Limits::default()) else { return BTreeSet::new() };
    let functions: BTreeSet<(Line, Line)> = changed
        .into_iter()
        .filter_map(Line::new)
        .filter(|line| code::has_code(&parsed, *line))
        .filter_map(|line| parsed.enclosing_function(line))
        .map(|function| (function.first_line, function.end_line))
        .collect();
    let of = |(first, last): (Line, Line)| owners.get(first.index()..=last.index()).unwrap_or_default();
    functions.into_iter().flat_map(of).flatten().copied().collect()
}
