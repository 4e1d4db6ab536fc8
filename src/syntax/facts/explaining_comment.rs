//! Whether someone gave a reason.

use std::ops::Range;

use super::{Fact, FactInput, FactKind, FactValue, anywhere};
use crate::finding::Line;
use crate::syntax::Parsed;

pub(super) const HAS_EXPLAINING_COMMENT: Fact = Fact {
    name: "has_explaining_comment",
    help: "Whether a comment with words of its own stands on the lines, directly above them, or inside the match. \
           Comments that only steer a tool (`noqa`, `eslint-disable`, `type: ignore`) and commented-out marks do not \
           count. Unknown in broken code and without a parser.",
    kind: FactKind::Bool,
    applies: anywhere,
    compute: |input| match input.sound() {
        Some(new) => FactValue::Bool(is_explained(new, input)),
        None => FactValue::Unknown,
    },
};

/// First words of comments that speak to a tool.
const DIRECTIVES: [&str; 26] = [
    "noqa",
    "type:",
    "pylint:",
    "pyright:",
    "mypy:",
    "flake8:",
    "ruff:",
    "nosec",
    "pragma:",
    "fmt:",
    "isort:",
    "yapf:",
    "eslint",
    "@ts-",
    "tslint:",
    "prettier-",
    "istanbul",
    "c8",
    "biome-",
    "jshint",
    "nolint",
    "go:",
    "clang-format",
    "phpcs:",
    "rubocop:",
    "@phpstan-",
];

fn is_explained(new: &Parsed, input: &FactInput<'_>) -> bool {
    let (mut first, mut last) = input.lines;
    if let Some(bytes) = &input.bytes {
        let lines = new.lines_of(bytes.clone());
        (first, last) = (first.min(lines.0), last.max(lines.1));
    }
    new.comments((first, last)).any(|comment| explains(new, comment)) || is_explained_above(new, first)
}

/// A comment that ends on the line above and has that line for itself; of several lines the whole run counts.
fn is_explained_above(new: &Parsed, line: Line) -> bool {
    let mut line = line;
    while let Some(above) = Line::new(line.get() - 1) {
        let range = new.line_range(above);
        let code_only = new.outside_comments(range.clone()).filter_map(|part| new.source().get(part));
        let Some(comment) = new.comments((above, above)).next() else { return false };
        if code_only.map(str::trim).any(|text| !text.is_empty()) {
            return false;
        }
        if explains(new, comment.clone()) {
            return true;
        }
        line = new.line_of(comment.start).min(above);
    }
    false
}

fn explains(new: &Parsed, comment: Range<usize>) -> bool {
    let text = new.source().get(comment).unwrap_or("");
    text.lines().any(|line| {
        let line =
            line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '*' | '#' | '!' | '<' | '-'));
        let lower = line.to_ascii_lowercase();
        let speaks_to_tool = DIRECTIVES.iter().any(|directive| lower.starts_with(directive));
        // One word of three letters: `x`, `1` and rulers are no reasons.
        let has_word = lower.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() >= 3);
        has_word && !speaks_to_tool
    })
}
