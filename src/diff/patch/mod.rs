//! Unified diffs as text: read from untrusted bytes, written for laws and exports.
//!
//! Read are git's format (`diff --git`, quoted names, renames, modes, binaries), plain `diff -u`, mails of `git
//! format-patch` (prose is passed over), patches with CRLF line ends, any amount of context. Counts and positions must
//! add up, because findings are placed by them: a patch edited by hand is an error, not a guess.

mod complete;
mod header;
mod name;
mod read;
mod write;

pub use complete::complete;
pub use read::parse;
pub use write::to_patch;

/// A patch that cannot be read. Every variant names the line of the patch, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `diff --cc` or `@@@`.
    #[error("line {0}: this is a combined diff of a merge; make one against a single parent (`git diff A B`)")]
    Combined(u64),
    /// `@@` without a file before it.
    #[error("line {0}: a hunk stands before any file header (`---`, `+++`)")]
    NoFile(u64),
    /// An `@@` line that is none.
    #[error("line {0}: the hunk header is malformed; it is `@@ -first,count +first,count @@`")]
    HunkHeader(u64),
    /// A hunk has fewer or more lines than its header says.
    #[error("line {0}: the hunk does not have the lines that its header counts")]
    Count(u64),
    /// A hunk does not stand where the hunks before it put it.
    #[error("line {0}: the line numbers of the hunk do not follow from the hunks before it")]
    Position(u64),
    /// A name that cannot be read, or that leads out of the repository.
    #[error("line {line}: the name `{name}` {why}")]
    Name {
        /// The line.
        line: u64,
        /// As written, escaped.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Headers that contradict each other or cannot be understood.
    #[error("line {line}: {why}")]
    Header {
        /// The line.
        line: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// More than the parser accepts.
    #[error("line {line}: more than {limit} {what} in one patch")]
    TooMany {
        /// The line.
        line: u64,
        /// Files or lines.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
}
