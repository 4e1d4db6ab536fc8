//! What a case says of its fault, once for each protocol.

use super::candidate::Candidate;
use super::trial::Mutant;
use crate::record::{Bug, HumanComment, Issue, Item};

/// Most characters of code that a sentence quotes.
const MOST: usize = 100;

/// Code as a sentence quotes it: on one line, and not all of it.
fn quoted(code: &str) -> String {
    let folded = code.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &folded[..end]),
        None => format!("`{folded}`"),
    }
}

/// The truth of a case in the words of the four protocols.
pub(super) struct Truth {
    pub(super) bug: Bug,
    pub(super) comment: HumanComment,
    pub(super) item: Item,
    pub(super) issue: Issue,
}

/// Says what is wrong, why, and what is right instead.
pub(super) fn truth(candidate: &Candidate, file: &str, mutant: &Mutant) -> Truth {
    let operator = candidate.operator;
    let (was, now, why) = (quoted(&candidate.edit.was), quoted(&candidate.edit.now), operator.why);
    let place = candidate.function.as_ref().map(|path| format!(" in `{path}`")).unwrap_or_default();
    let (fault, action, question) = match (candidate.edit.was.is_empty(), candidate.edit.now.is_empty()) {
        (true, _) => (
            format!("{now} should not be there{place}"),
            format!("Remove {now} ({why})"),
            format!("Could {now} be left out? With it, {why}."),
        ),
        (_, true) => (
            format!("{was} is missing{place}"),
            format!("Add {was} ({why})"),
            format!("Is {was} not needed here? Without it, {why}."),
        ),
        _ => (
            format!("{now} stands where {was} is right{place}"),
            format!("Replace {now} by {was} ({why})"),
            format!("Should {now} be {was}? As it stands, {why}."),
        ),
    };
    let (line, end_line) = (mutant.lines.0.get(), mutant.lines.1.get());
    let (file, line) = (Some(file.to_owned()), Some(line));
    let id = || "1".to_owned();
    let bug = Bug {
        id: id(),
        description: format!("{fault}: {why}."),
        file: file.clone(),
        line,
        end_line: Some(end_line),
        category: Some(operator.category.to_owned()),
        impact: Some(operator.impact.to_owned()),
        severity: Some(operator.severity.to_owned()),
        fixed_files: file.clone().into_iter().collect(),
    };
    let comment = HumanComment {
        id: id(),
        file: file.clone(),
        line,
        body: question.clone(),
        // It is about a line of the diff.
        evidence: Some("type1".to_owned()),
    };
    let item = Item { id: id(), text: action, file: file.clone(), line };
    let function = candidate.function.clone();
    Truth {
        bug,
        comment,
        item,
        issue: Issue { tag: operator.tag.to_owned(), function, rationale: question, file, line },
    }
}
