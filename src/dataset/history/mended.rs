//! Whose lines stand in a function that a later fix changes: the lines that a fix changes need not be the wrong ones.

use std::collections::BTreeSet;

use super::clean::Owner;
use crate::diff::{Lines, Text};
use crate::finding::Line;
use crate::syntax::{Language, Limits, Parsed};

/// The owners of lines in the functions that hold one of the `changed` lines, all of one side of a file. The innermost
/// function counts; code outside of functions, and a file that cannot be parsed, name nobody.
pub(super) fn owners(
    language: Language,
    text: &Text,
    owners: &[Owner],
    changed: impl Iterator<Item = Lines>,
) -> BTreeSet<usize> {
    let changed: Vec<Line> = changed.flat_map(|lines| lines.first..lines.end()).filter_map(Line::new).collect();
    if changed.is_empty() || owners.iter().all(Option::is_none) {
        return BTreeSet::new();
    }
    let Ok(parsed) = Parsed::parse(language, text.bytes(), &Limits::default()) else { return BTreeSet::new() };
    let functions: BTreeSet<(Line, Line)> = changed
        .into_iter()
        .filter_map(|line| parsed.enclosing_function(line))
        .map(|function| (function.first_line, function.end_line))
        .collect();
    let of = |(first, last): (Line, Line)| owners.get(first.index()..=last.index()).unwrap_or_default();
    functions.into_iter().flat_map(of).flatten().copied().collect()
}
