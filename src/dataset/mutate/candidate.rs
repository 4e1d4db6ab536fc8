//! Every place of a change at which an operator has something to do.

use std::ops::Range;

use super::site::{Edit, Site};
use super::table::Operator;
use crate::diff::{Body, FileChange};
use crate::finding::Line;
use crate::rules::Classes;
use crate::syntax::{Language, Limits, Node, Parsed, Region};

/// An edit that may become a fault.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) operator: &'static Operator,
    /// Index of the file in its change.
    pub(super) file: usize,
    /// The line on which the edit begins.
    pub(super) line: Line,
    pub(super) edit: Edit,
    /// The function it is in, by its dotted path.
    pub(super) function: Option<String>,
}

/// Why a change, a file or a place is no place for a fault. The names are those of the funnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The file's language is not asked for, not parsed, or unknown.
    Language,
    /// The file is generated, vendored, a lock file, or has no text.
    NotSource,
    /// The file has a syntax error before anything is done to it, or cannot be parsed.
    Broken,
    /// The change adds more lines than wanted.
    TooLarge,
    /// The file or the function is a test or an example.
    Test,
    /// The edit would not begin and end on added lines.
    NotAdded,
    /// The edit stands in a string, or in a comment that its operator does not read.
    NotCode,
    /// A detector already says something of the line.
    Noticed,
    /// The mutant is the original.
    Same,
    /// The mutant has a syntax error, or cannot be parsed.
    Unparsable,
    /// The edit is not one hunk of lines.
    Scattered,
    /// The fault shows on no line that the change adds.
    Unlabelled,
    /// Another fault is already put into these lines.
    Taken,
}

impl Reason {
    /// All of them, in the order of the funnel.
    pub const ALL: [Self; 13] = [
        Self::Language,
        Self::NotSource,
        Self::Broken,
        Self::TooLarge,
        Self::Test,
        Self::NotAdded,
        Self::NotCode,
        Self::Noticed,
        Self::Same,
        Self::Unparsable,
        Self::Scattered,
        Self::Unlabelled,
        Self::Taken,
    ];

    /// The name in the manifest and in `rejected.jsonl`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::NotSource => "not-source",
            Self::Broken => "broken",
            Self::TooLarge => "too-large",
            Self::Test => "test",
            Self::NotAdded => "not-added",
            Self::NotCode => "not-code",
            Self::Noticed => "noticed",
            Self::Same => "same",
            Self::Unparsable => "unparsable",
            Self::Scattered => "scattered",
            Self::Unlabelled => "unlabelled",
            Self::Taken => "taken",
        }
    }
}

/// What is looked for.
pub(super) struct Wanted<'w> {
    pub(super) languages: &'w [Language],
    pub(super) operators: &'w [&'static Operator],
    pub(super) classes: &'w Classes,
}

/// The language of a file in which faults can be put, with its text.
pub(super) fn readable(file: &FileChange, wanted: &Wanted<'_>) -> Result<(Language, Parsed), Reason> {
    let Body::Text { new, .. } = &file.body else { return Err(Reason::NotSource) };
    if file.class.generated || file.class.vendored || file.class.lock || new.is_empty() {
        return Err(Reason::NotSource);
    }
    let language = Language::of_path(&file.path, new.line(Line::from_index(0)));
    let language = language.filter(|language| wanted.languages.contains(language)).ok_or(Reason::Language)?;
    let is = |class| wanted.classes.contains(class, &file.path, file.class);
    if is("test") || is("example") || is("docs") {
        return Err(Reason::Test);
    }
    // Bytes that are not UTF-8 would not come out as they went in.
    let text = std::str::from_utf8(new.bytes()).map_err(|_| Reason::NotSource)?;
    let parsed = Parsed::parse(language, text.as_bytes(), &Limits::default()).map_err(|_| Reason::Broken)?;
    if parsed.has_any_error() { Err(Reason::Broken) } else { Ok((language, parsed)) }
}

/// Every candidate of one file; what is no candidate is counted by its reason.
pub(super) fn of_file(
    index: usize,
    file: &FileChange,
    parsed: &Parsed,
    wanted: &Wanted<'_>,
    mut rejected: impl FnMut(&'static Operator, Line, Reason),
) -> Vec<Candidate> {
    let operators: Vec<&'static Operator> =
        wanted.operators.iter().copied().filter(|operator| operator.languages.contains(&parsed.language())).collect();
    let mut found: Vec<Candidate> = Vec::new();
    visit(parsed, &|line| file.is_added(line), &mut |site| {
        for operator in &operators {
            let Some(edit) = (operator.apply)(site) else { continue };
            let lines = parsed.lines_of(edit.range.clone());
            let reason = refusal(file, parsed, operator, &edit);
            if let Some(reason) = reason {
                rejected(operator, lines.0, reason);
                continue;
            }
            // A statement and the expression that is all of it are one place.
            let known = |other: &&Candidate| std::ptr::eq(other.operator, *operator) && other.edit.range == edit.range;
            if !found.iter().rev().take(40).any(|other| known(&other)) {
                let function = parsed.enclosing_function(lines.0).map(|symbol| symbol.path.clone());
                found.push(Candidate { operator, file: index, line: lines.0, edit, function });
            }
        }
    });
    found
}

/// Calls for every node that touches a wanted line, with the nodes around it.
pub(super) fn visit<'p>(parsed: &'p Parsed, wanted: &dyn Fn(Line) -> bool, each: &mut dyn FnMut(&Site<'_, 'p>)) {
    let mut above: Vec<Node<'p>> = Vec::new();
    parsed.visit(wanted, |node| {
        let range = node.range();
        while above.last().is_some_and(|last| !holds(&last.range(), &range)) {
            above.pop();
        }
        if node.is_named() {
            each(&Site { parsed, node, above: &above });
        }
        above.push(node.clone());
    });
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Why an edit is no candidate.
fn refusal(file: &FileChange, parsed: &Parsed, operator: &Operator, edit: &Edit) -> Option<Reason> {
    let (first, last) = parsed.lines_of(edit.range.clone());
    let mut lines = (first.get()..=last.get()).filter_map(Line::new);
    if !lines.all(|line| file.is_added(line)) {
        return Some(Reason::NotAdded);
    }
    // A function that was there before is no new one to document.
    let documented = if parsed.language() == Language::Python { first } else { parsed.line_of(edit.range.end) };
    let declares = || parsed.enclosing_function(documented).is_some_and(|function| file.is_added(function.line));
    if operator.tag == "Documentation" && !declares() {
        return Some(Reason::NotAdded);
    }
    if in_test(parsed, first) {
        return Some(Reason::Test);
    }
    let reads_comments = operator.tag == "Typo" || operator.tag == "Documentation";
    let is_code = parsed.region(edit.range.start) == Region::Code || reads_comments;
    // A literal that is compared is a string, too.
    let whole = |range: &Range<usize>| range.start == edit.range.start;
    let literal = parsed.regions().iter().any(|(range, region)| *region == Region::String && whole(range));
    (!is_code && !literal).then_some(Reason::NotCode)
}

/// Whether a line belongs to a test inside of a file of code.
fn in_test(parsed: &Parsed, line: Line) -> bool {
    let mut next = parsed.enclosing(line);
    while let Some(symbol) = next {
        let attributes = parsed.line_range(symbol.first_line).start..parsed.line_range(symbol.line).start;
        let attributes = parsed.source().get(attributes).unwrap_or_default();
        let name = symbol.name.to_ascii_lowercase();
        let named = name == "tests" || name.starts_with("test_") || name.ends_with("_test");
        if named || attributes.contains("cfg(test)") || attributes.contains("test]") || attributes.contains("@Test") {
            return true;
        }
        next = symbol.parent.and_then(|parent| parsed.symbols().get(parent));
    }
    false
}
