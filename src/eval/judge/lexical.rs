//! What can be said of two texts without understanding them.

use std::collections::BTreeSet;

use super::Matter;
use crate::diff::{Body, FileChange};
use crate::record::{Comment, Issue};

/// Words that say nothing about which fault is meant.
const EMPTY: &[&str] = &[
    "about", "after", "also", "and", "any", "are", "because", "been", "before", "being", "but", "can", "could", "does",
    "each", "else", "every", "for", "from", "has", "have", "here", "how", "into", "its", "may", "more", "most", "must",
    "nor", "not", "now", "one", "only", "other", "our", "out", "over", "should", "some", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "was", "were", "what", "when", "where",
    "which", "while", "who", "why", "will", "with", "would", "you", "your", "code", "line", "change", "here",
];

/// The lower-cased runs of `A-Z a-z 0-9 _` of a text.
pub(super) fn tokens(text: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.split(|character| !is_part(character)).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// The words of a text that say something.
pub(in crate::eval) fn content(text: &str) -> BTreeSet<String> {
    tokens(text).into_iter().filter(|word| word.len() > 2 && !EMPTY.contains(&word.as_str())).collect()
}

/// Whether a text has at least two words of content of the other, or all it has.
pub(super) fn speaks_of(said: &str, known: &str) -> bool {
    let (said, known) = (content(said), content(known));
    let shared = said.intersection(&known).count();
    shared >= 2 || (shared > 0 && shared == known.len())
}

/// Whether a comment stands at a place: the same file, and lines that overlap or are one apart. A place without line is its
/// whole file.
pub(in crate::eval) fn is_at(comment: &Comment, file: Option<&str>, line: Option<u32>, end: Option<u32>) -> bool {
    if comment.file.is_none() || comment.file.as_deref() != file {
        return false;
    }
    let (Some(own), Some(first)) = (comment.line, line) else { return line.is_none() };
    let (own_end, last) = (comment.end_line.unwrap_or(own).max(own), end.unwrap_or(first).max(first));
    own <= last.saturating_add(1) && first <= own_end.saturating_add(1)
}

/// Whether the case has an issue of the comment's own tag at its place: the same fault in other words.
pub(super) fn is_tagged(matter: &Matter<'_>, comment: &Comment) -> bool {
    let is_same = |issue: &Issue| {
        comment.tag.as_ref() == Some(&issue.tag)
            && issue.line.is_some()
            && is_at(comment, issue.file.as_deref(), issue.line, None)
    };
    matter.case.issues.iter().any(is_same)
}

/// The code that a comment quotes between backticks, one line each.
fn quotes(body: &str) -> impl Iterator<Item = &str> {
    body.split('`').skip(1).step_by(2).flat_map(str::lines).map(str::trim).filter(|code| code.len() > 2)
}

/// Whether a comment quotes code, and none of what it quotes stands in the diff.
pub(super) fn quotes_nothing_of(body: &str, diff: &str) -> bool {
    quotes(body).next().is_some() && !quotes(body).any(|code| diff.contains(code))
}

/// Whether a comment quotes code, and no side of a changed file has any of it: it is made up, or what the comment asks for.
/// No where a file is not known whole.
pub(super) fn quotes_nothing_in(body: &str, files: &[FileChange]) -> bool {
    let may_have = |file: &FileChange, code: &str| match &file.body {
        Body::Text { old, new, .. } => [old, new]
            .into_iter()
            .any(|text| !text.is_whole() || memchr::memmem::find(text.bytes(), code.as_bytes()).is_some()),
        Body::NotCode(_) | Body::Unread(_) => true,
    };
    quotes(body).next().is_some() && !quotes(body).any(|code| files.iter().any(|file| may_have(file, code)))
}

/// The comment that a decision is about.
pub(super) fn comment<'m>(matter: &Matter<'m>, about: &[String]) -> Option<&'m Comment> {
    matter.comments.iter().copied().find(|comment| about.first() == Some(&comment.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{Text, Unread};
    use crate::finding::{Line, RepoPath};

    #[test]
    fn places_touch_when_they_are_a_line_apart() {
        let comment = Comment { file: Some("a".to_owned()), line: Some(5), end_line: Some(6), ..Comment::default() };
        for (line, end, touches) in [(3, 3, false), (4, 4, true), (7, 9, true), (8, 8, false), (1, 9, true)] {
            assert_eq!(is_at(&comment, Some("a"), Some(line), Some(end)), touches, "{line}");
        }
        assert!(is_at(&comment, Some("a"), None, None) && !is_at(&comment, Some("b"), None, None));
        assert!(!is_at(&Comment::default(), None, None, None));
    }

    #[test]
    fn quotes_are_looked_up_beyond_the_diff() {
        let file = |body| FileChange { body, ..FileChange::new_file(RepoPath::new("a"), Vec::new()) };
        let whole = || [FileChange::new_file(RepoPath::new("a"), b"x = one()\ny\n".to_vec())];
        assert!(quotes_nothing_in("`two()` and\n```\nthree()\n```", &whole()));
        assert!(!quotes_nothing_in("`x = one()` is not `two()`", &whole()));
        assert!(!quotes_nothing_in("nothing is quoted", &whole()));
        assert!(!quotes_nothing_in("`two()`", &[file(Body::Unread(Unread::LongLine))]), "it may be there");
        let part = Text::parts([(Line::from_index(4), &b"x\n"[..])]);
        assert!(!quotes_nothing_in("`two()`", &[file(Body::Text { hunks: vec![], old: Text::default(), new: part })]));
    }

    #[test]
    fn quotes_are_looked_up() {
        assert!(quotes_nothing_of("use `frobnicate()` here", "+ other()"));
        assert!(!quotes_nothing_of("use `other()` here", "+ other()"));
        assert!(!quotes_nothing_of("no quote", "+ other()"));
    }
}
