//! What can go wrong with a repository. Texts from the repository are escaped before they come here.

use std::path::Path;

use super::Oid;
use crate::escape;

/// An error of this module. Messages are fragments that say where, what, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No repository at or above the folder.
    #[error("no git repository in `{0}` or above it; start in a work tree, or review a patch with --patch")]
    NotARepository(String),
    /// Another user owns it, and no `safe.directory` names it.
    #[error(
        "the repository `{0}` is owned by another user and is not read; if you trust it, run: git config --global --add \
         safe.directory '{0}'"
    )]
    Untrusted(String),
    /// `extensions.refStorage = reftable`.
    #[error(
        "the repository `{0}` stores its refs as reftable, which is not supported; run: git refs migrate --ref-format=files"
    )]
    Reftable(String),
    /// The repository was found but cannot be opened.
    #[error("the repository `{dir}` cannot be opened: {why}; `git fsck` may tell more")]
    Open {
        /// Where.
        dir: String,
        /// The chain of causes.
        why: String,
    },
    /// A revision that names nothing.
    #[error("`{rev}` is not a revision of this repository: {why}")]
    BadRevision {
        /// As written.
        rev: String,
        /// The chain of causes.
        why: String,
    },
    /// An abbreviated id that fits several objects.
    #[error("`{0}` fits several objects; write more digits of it")]
    AmbiguousRevision(String),
    /// A revision that probably lies behind the cut of a shallow clone.
    #[error(
        "`{0}` is not in this shallow clone; fetch the history (`fetch-depth: 0` in actions/checkout, or `git fetch \
         --unshallow`)"
    )]
    ShallowRevision(String),
    /// The history that connects two commits is cut off.
    #[error(
        "{one} and {other} have no common ancestor in this shallow clone; fetch the history (`fetch-depth: 0` in \
         actions/checkout, or `git fetch --unshallow`)"
    )]
    ShallowMergeBase {
        /// First commit.
        one: Oid,
        /// Second commit.
        other: Oid,
    },
    /// Two commits without a common ancestor.
    #[error(
        "{one} and {other} have no common ancestor: these are unrelated histories; name both ends with --range A..B"
    )]
    Unrelated {
        /// First commit.
        one: Oid,
        /// Second commit.
        other: Oid,
    },
    /// An object that is referred to but not there.
    #[error("object {id} is not in the repository{}", why.remedy())]
    MissingObject {
        /// Which.
        id: Oid,
        /// The likely reason.
        why: Missing,
    },
    /// An object that cannot be decoded or is of the wrong kind.
    #[error("object {id} is corrupt: {why}; `git fsck` may tell more")]
    CorruptObject {
        /// Which.
        id: Oid,
        /// The chain of causes.
        why: String,
    },
    /// An object over the caller's limit; nothing of it was read.
    #[error("object {id} has {bytes} bytes, more than {limit}")]
    TooLarge {
        /// Which.
        id: Oid,
        /// Its size in bytes.
        bytes: u64,
        /// The caller's limit in bytes.
        limit: u64,
    },
    /// A path of a tree that is asked for as a file.
    #[error("`{0}` is no file in this commit but a link, a folder or a submodule; put a file there")]
    NotAFile(String),
    /// A comparison or a tree over the fixed bounds that stop repository bombs.
    #[error("more than {limit} {what}: too much to review")]
    TooMany {
        /// Files, folder levels.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// A walk through history did not come to its end in the time that it had.
    #[error("no time is left to look at what it adds")]
    OutOfTime,
    /// The index or the work tree was asked for where there is none.
    #[error("this repository is bare: it has no index and no work tree; name a range of commits")]
    Bare,
    /// The index cannot be read.
    #[error("the index `{path}` cannot be read: {why}")]
    Index {
        /// Where.
        path: String,
        /// The chain of causes.
        why: String,
    },
    /// The work tree cannot be read.
    #[error("the work tree cannot be read{}: {why}", at.as_deref().map(|at| format!(" at `{at}`")).unwrap_or_default())]
    Worktree {
        /// The path inside, if one is known.
        at: Option<String>,
        /// The chain of causes.
        why: String,
    },
    /// The refs cannot be read.
    #[error("the refs cannot be read: {0}")]
    Refs(String),
    /// A `core.hooksPath` that only git itself can resolve.
    #[error("core.hooksPath is `{0}`, which cannot be resolved here; set it to a path without `~user` and `%(prefix)`")]
    HooksPath(String),
    /// The repository's settings cannot be changed.
    #[error("the settings `{path}` cannot be changed: {why}; `git config` may tell more")]
    Settings {
        /// Which file.
        path: String,
        /// The chain of causes.
        why: String,
    },
}

/// Why an object is probably not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A partial clone: `git` would fetch it, this program never connects.
    Partial,
    /// Behind the cut of a shallow clone.
    Shallow,
    /// Neither: the repository is damaged.
    Damaged,
}

impl Missing {
    const fn remedy(self) -> &'static str {
        match self {
            Self::Partial => {
                ": this is a partial clone and nothing is fetched; clone without --filter, or run `git diff` of the same \
                 range once, which fetches what is missing"
            }
            Self::Shallow => {
                ": this is a shallow clone; fetch the history (`fetch-depth: 0` in actions/checkout, or `git fetch \
                 --unshallow`)"
            }
            Self::Damaged => "; `git fsck` may tell more",
        }
    }
}

impl Error {
    /// Whether history or objects are missing that a fuller clone would have: a review is *incomplete*, not wrongly
    /// asked for.
    pub const fn is_missing_history(&self) -> bool {
        matches!(self, Self::ShallowRevision(_) | Self::ShallowMergeBase { .. } | Self::MissingObject { .. })
    }

    /// Whether the repository as such, or its size, stops the review, as opposed to a wrong argument.
    pub const fn is_incomplete(&self) -> bool {
        self.is_missing_history()
            || matches!(self, Self::CorruptObject { .. } | Self::TooLarge { .. } | Self::TooMany { .. })
    }
}

/// The whole chain of an error of gix on one line, escaped: its messages quote refs and paths.
pub(super) fn chain(error: &gix::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.iter_errors() {
        let text = escape::visible(&cause.to_string());
        if !text.is_empty() && parts.last() != Some(&text) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

/// A path of this machine for a message.
pub(super) fn shown(path: &Path) -> String {
    escape::visible(&path.to_string_lossy())
}
