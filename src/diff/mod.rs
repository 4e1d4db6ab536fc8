//! What changed: files, their two sides as lines, and the hunks between them. From blobs ([`ChangeSet::between`], or file
//! by file with [`Plan`] and [`load()`]) or from the text of a patch ([`patch`]). Knows nothing of code.

mod class;
mod globs;
mod load;
pub mod patch;
mod text;

pub use class::{classify, is_workflow};
pub use globs::{BadGlob, Globs, check_glob};
pub use load::{ChangeSet, Limits, Plan, Planned, load, pair, status};
pub use text::{Text, trim_ending};

use crate::finding::{Line, RepoPath};
pub use crate::git::EntryKind;

/// A run of lines on one side: `first` counts from 1. Where `count` is 0 the run is empty and stands *after* line
/// `first - 1`, that is before line `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// First line, from 1; for an empty run the line it stands before.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Lines {
    /// Whether the line is one of these.
    pub const fn contains(self, line: Line) -> bool {
        line.get() >= self.first && line.get() - self.first < self.count
    }

    /// One past the last line number.
    pub const fn end(self) -> u32 {
        self.first + self.count
    }
}

/// One contiguous change without context: these old lines became these new lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hunk {
    /// Removed lines, numbered on the old side.
    pub old: Lines,
    /// Added lines, numbered on the new side.
    pub new: Lines,
}

/// How a file changed, in git's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// `A`
    Added,
    /// `D`
    Deleted,
    /// `M`: content, mode, or both.
    Modified,
    /// `R`: under another name, with git's similarity in percent.
    Renamed {
        /// 50 to 100.
        similarity: u8,
    },
}

/// Why a changed file has no lines to review although nothing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotCode {
    /// A NUL byte in the first 8,000 bytes.
    Binary,
    /// A symbolic link.
    Symlink,
    /// A submodule.
    Submodule,
    /// A Git LFS pointer.
    LfsPointer,
    /// Only the mode or the name changed.
    NoLines,
    /// A deleted file over the limits.
    LargeDeletion,
    /// Left out by `review.exclude`.
    Excluded,
}

/// Why a changed file could not be read: the review is incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unread {
    /// Over the size limit, in bytes.
    TooLarge {
        /// The size of the larger side.
        bytes: u64,
    },
    /// A line over the length limit.
    LongLine,
    /// No text, under the name of source code.
    BinarySource,
    /// A Git LFS pointer under the name of source code.
    SourceElsewhere,
    /// More lines than the differ accepts.
    TooManyLines,
    /// An object is not in the repository (partial clone, corruption).
    MissingObject,
}

/// What there is to read of a changed file.
#[derive(Debug)]
pub enum Body {
    /// Text with at least one hunk.
    Text {
        /// In order, never touching.
        hunks: Vec<Hunk>,
        /// The old side; empty for an added file.
        old: Text,
        /// The new side; empty for a deleted file.
        new: Text,
    },
    /// Nothing to read, by nature.
    NotCode(NotCode),
    /// Something to read that could not be read.
    Unread(Unread),
}

/// What the attributes of the base tip and the path say of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathClass {
    /// `linguist-generated`, or a well-known generated name.
    pub generated: bool,
    /// `linguist-vendored`, or below a vendored folder.
    pub vendored: bool,
    /// A dependency lock file.
    pub lock: bool,
    /// `-diff` or `binary` in the attributes; the content decides what is read, this is only reported.
    pub diff_off: bool,
}

/// One changed file.
#[derive(Debug)]
pub struct FileChange {
    /// Its name on the new side; on the old side for a deletion.
    pub path: RepoPath,
    /// Its former name, for a rename.
    pub old_path: Option<RepoPath>,
    /// What happened to it.
    pub status: Status,
    /// Kind of the old entry.
    pub old_kind: Option<EntryKind>,
    /// Kind of the new entry.
    pub new_kind: Option<EntryKind>,
    /// Attributes and path classes.
    pub class: PathClass,
    /// Its lines.
    pub body: Body,
    /// The old blob as a patch names it, perhaps cut short; none where the file does not come from a patch.
    pub old_id: Option<String>,
}

impl FileChange {
    /// A file that the change brings, all of its lines added.
    pub fn new_file(path: RepoPath, content: Vec<u8>) -> Self {
        let new = Text::whole(content);
        let hunks = vec![Hunk { old: Lines { first: 1, count: 0 }, new: Lines { first: 1, count: new.len() as u32 } }];
        Self {
            path,
            old_path: None,
            status: Status::Added,
            old_kind: None,
            new_kind: Some(EntryKind::File),
            class: PathClass::default(),
            body: Body::Text { hunks, old: Text::default(), new },
            old_id: None,
        }
    }

    /// The hunks; none where the body is not text.
    pub fn hunks(&self) -> &[Hunk] {
        match &self.body {
            Body::Text { hunks, .. } => hunks,
            Body::NotCode(_) | Body::Unread(_) => &[],
        }
    }

    /// Whether the line of the new side was added or changed.
    pub fn is_added(&self, line: Line) -> bool {
        let hunks = self.hunks();
        let after = hunks.partition_point(|hunk| hunk.new.end() <= line.get());
        hunks.get(after).is_some_and(|hunk| hunk.new.contains(line))
    }

    /// Whether the line of the new side is unchanged and directly above or below removed lines.
    pub fn is_beside_deletion(&self, line: Line) -> bool {
        self.hunks().iter().any(|hunk| {
            hunk.old.count > 0
                && hunk.new.count == 0
                && (line.get() == hunk.new.first || line.get() + 1 == hunk.new.first)
        })
    }

    /// All added lines in order.
    pub fn added(&self) -> impl Iterator<Item = Line> + '_ {
        self.hunks().iter().flat_map(|hunk| (hunk.new.first..hunk.new.end()).filter_map(Line::new))
    }

    /// How many lines were added.
    pub fn added_count(&self) -> u64 {
        self.hunks().iter().map(|hunk| u64::from(hunk.new.count)).sum()
    }

    /// How many lines were removed.
    pub fn removed_count(&self) -> u64 {
        self.hunks().iter().map(|hunk| u64::from(hunk.old.count)).sum()
    }
}
