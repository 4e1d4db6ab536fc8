//! Where comments and faults stand.

use crate::record::Comment;

/// Lines of a file on the new side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    file: &'p str,
    first: u32,
    last: u32,
}

impl<'p> Place<'p> {
    /// `None` without a file or a line.
    pub(super) fn new(file: Option<&'p str>, first: Option<u32>, last: Option<u32>) -> Option<Self> {
        let (file, first) = (file.filter(|file| !file.is_empty())?, first?);
        Some(Self { file, first, last: last.unwrap_or(first).max(first) })
    }

    pub(super) fn of(comment: &'p Comment) -> Option<Self> {
        Self::new(comment.file.as_deref(), comment.line, comment.end_line)
    }

    /// The rule of AACR-Bench: the ranges overlap or are at most one line apart.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let is_before = |one: &Self, other: &Self| one.last.saturating_add(1) < other.first;
        self.file == other.file && !is_before(self, other) && !is_before(other, self)
    }
}
