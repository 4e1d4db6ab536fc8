//! Which of the lines that a change removes are code that can be wrong.

use std::sync::LazyLock;

use regex::Regex;

use super::origin;
use crate::diff::{Hunk, Text};
use crate::finding::Line;
use crate::syntax::{Language, Limits, Parsed, Region};

/// A name in Go's list of imports; nothing else is a string alone on its line there.
static LISTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*"[^"]+"\s*$"#).expect("the pattern is a constant that compiles"));
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:import\b|from \S+ import\b|#\s*include\b|(?:pub )?use [\w:]+|using [\w.]+;|(?:var|let|const) [^=]*= require\()")
        .expect("the pattern is a constant that compiles")
});
/// What a change removes from a file.
pub(super) struct Removed {
    /// The lines that are more than comments and imports, from 1, and not put back but for blanks and quotes.
    pub(super) lines: Vec<u32>,
    /// Whether some were put back so.
    pub(super) alike: bool,
}

/// The lines of code that hunks remove.
pub(super) fn removed(hunks: &[Hunk], (old, new): (&Text, &Text), language: Language) -> Removed {
    let (alike, others): (Vec<&Hunk>, Vec<&Hunk>) = hunks.iter().partition(|hunk| origin::is_alike(hunk, old, new));
    let mut lines: Vec<u32> = others.into_iter().flat_map(|hunk| origin::telling(hunk, old, new)).collect();
    // What a line that only brings names in lacks is wrong elsewhere.
    lines.retain(|line| {
        let text = Line::new(*line).and_then(|line| old.line_text(line));
        text.is_some_and(|text| !(IMPORT.is_match(&text) || language == Language::Go && LISTED.is_match(&text)))
    });
    if let Ok(parsed) = Parsed::parse(language, old.bytes(), &Limits::default()) {
        lines.retain(|line| Line::new(*line).is_some_and(|line| has_code(&parsed, line)));
    }
    Removed { lines, alike: !alike.is_empty() }
}

/// Whether the line says anything outside of comments and documentation.
pub(super) fn has_code(parsed: &Parsed, line: Line) -> bool {
    let source = parsed.source();
    let mut pieces = parsed.outside_comments(parsed.line_range(line));
    let says = |text: &str| text.contains(|c: char| c.is_alphanumeric());
    !is_docstring(parsed, line) && pieces.any(|piece| source.get(piece).is_some_and(says))
}

/// Whether the line belongs to a string over several lines that begins a line, as documentation does in Python.
fn is_docstring(parsed: &Parsed, line: Line) -> bool {
    let source = parsed.source();
    let bytes = parsed.line_range(line);
    let text = source.get(bytes.clone()).unwrap_or_default();
    let at = bytes.start + (text.len() - text.trim_start().len());
    let mut regions = parsed.regions_in((line, line));
    let string = regions.find(|(range, region)| *region == Region::String && range.contains(&at));
    string.is_some_and(|(range, _)| {
        let before = source.get(..range.start).unwrap_or_default();
        let alone = before.rsplit('\n').next().unwrap_or_default().trim().is_empty();
        alone && source.get(range.clone()).is_some_and(|text| text.contains('\n'))
    })
}
