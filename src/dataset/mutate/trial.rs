//! Whether a candidate makes a fault whose place is known.

use super::candidate::{Candidate, Reason};
use crate::diff::Body;
use crate::diff::FileChange;
use crate::finding::Line;
use crate::git;
use crate::syntax::{Language, Limits, Parsed};

/// A file with its fault.
pub(super) struct Mutant {
    pub(super) content: Vec<u8>,
    /// The lines of the new side on which the fault shows; all of them are added by the change.
    pub(super) lines: (Line, Line),
}

/// Puts the fault in and looks at the result as if somebody else had written it.
pub(super) fn trial(file: &FileChange, language: Language, candidate: &Candidate) -> Result<Mutant, Reason> {
    let Body::Text { old, new, .. } = &file.body else { return Err(Reason::NotSource) };
    let edit = &candidate.edit;
    let (Some(before), Some(after)) = (new.bytes().get(..edit.range.start), new.bytes().get(edit.range.end..)) else {
        return Err(Reason::NotCode);
    };
    let content = [before, edit.with.as_bytes(), after].concat();
    if words(&content).eq(words(new.bytes())) {
        return Err(Reason::Same);
    }
    let parsed = Parsed::parse(language, &content, &Limits::default()).map_err(|_| Reason::Unparsable)?;
    if parsed.has_any_error() {
        return Err(Reason::Unparsable);
    }
    let [hunk] =
        <[git::LineChange; 1]>::try_from(git::line_changes(new.bytes(), &content)).map_err(|_| Reason::Scattered)?;
    let added: Vec<_> = git::line_changes(old.bytes(), &content).into_iter().map(|change| change.new).collect();
    let is_added = |index: &u32| added.iter().any(|lines| lines.contains(index));
    let lines = if hunk.new.is_empty() {
        // Something is missing: the lines between which it is missing.
        let beside = [hunk.new.start.checked_sub(1), Some(hunk.new.start)];
        let beside: Vec<u32> = beside.into_iter().flatten().filter(is_added).collect();
        beside.first().copied().zip(beside.last().copied())
    } else {
        let all = hunk.new.clone().all(|index| is_added(&index));
        all.then_some((hunk.new.start, hunk.new.end - 1))
    };
    let (mut first, mut last) = lines.ok_or(Reason::Unlabelled)?;
    if candidate.operator.tag == "Documentation" {
        // What is missing is missing of the declaration, which need not be the line beside it.
        let beside = if language == Language::Python { first } else { last };
        let declared = parsed.enclosing_function(Line::from_index(beside)).map(|function| function.line.get() - 1);
        let declared = declared.ok_or(Reason::Unlabelled)?;
        (first, last) = (first.min(declared), last.max(declared));
        if !(first..=last).all(|index| is_added(&index)) {
            return Err(Reason::Unlabelled);
        }
    }
    Ok(Mutant { content, lines: (Line::from_index(first), Line::from_index(last)) })
}

/// The text without white space at the ends of its lines and without blank lines.
fn words(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty())
}
