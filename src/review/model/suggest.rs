//! What a model would put in place of the lines it quotes.

use crate::detect::{FileView, offered};
use crate::finding::{Line, Suggestion};

/// The model's lines as a suggestion, if they apply: in place of added lines alone, parsing no worse, and without a
/// hidden value, which nobody could put back.
pub(super) fn suggestion(view: &FileView<'_>, lines: (Line, Line), text: &str) -> Option<Suggestion> {
    if text.trim().is_empty() || text.contains("‹secret") {
        return None;
    }
    let old = view.text.line_text(lines.0)?;
    let ending =
        if view.text.range(crate::diff::Lines { first: lines.0.get(), count: 1 }).any(|line| line.ends_with(b"\r\n")) {
            "\r\n"
        } else {
            "\n"
        };
    let indent: &str = &old[..old.len() - old.trim_start().len()];
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    // A model that leaves the indentation of the first line out leaves it out of all.
    let indent = if first.starts_with([' ', '\t']) { "" } else { indent };
    let lines_of = |line: &str| match line.trim_end() {
        "" => ending.to_owned(),
        line => format!("{indent}{line}{ending}"),
    };
    let text: String = text.trim_matches(['\n', '\r']).lines().map(lines_of).collect();
    offered(view, lines, text)
}
