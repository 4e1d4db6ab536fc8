//! The pipeline: a change goes in, a [`Review`] comes out. One file per stage; each takes a list of findings and returns
//! what it kept and what it removed. After collecting nothing may add a claim, and the counts must balance.

pub mod case;
mod conclude;
mod evidence;
pub mod examples;
mod excerpt;
mod filter;
mod ground;
pub mod identity;
mod mask;
mod merge;
pub mod model;
pub(crate) mod pool;
mod rank;
mod run;
pub mod shard;
pub mod since;
mod subject;
pub mod suppress;

use std::collections::BTreeMap;

pub use conclude::Caps;
pub use excerpt::{Excerpt, Row};
pub use run::{Changes, Loaded, Settings, review, shown};

use crate::diff::{PathClass, Status};
use crate::finding::{Finding, RepoPath};

/// What a review found, what it dropped and what it read.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// The reviewed range and its files.
    pub change: Change,
    /// What was read of it.
    pub coverage: Coverage,
    /// Shown findings, best first.
    pub findings: Vec<Finding>,
    /// Everything removed on the way, by place.
    pub dropped: Vec<Finding>,
    /// Claims in, findings out.
    pub funnel: Funnel,
    /// Sentences for the reader that belong to no finding: unused ignores, expired baseline entries, rule changes.
    pub notes: Vec<String>,
    /// What a language model did, if one took part.
    pub model: Option<model::Part>,
    /// What became of the findings of an earlier review, where there is one to compare with.
    pub since: Option<since::Comparison>,
    /// Set where this is one of several runs that share the review.
    pub share: Option<Box<shard::Share>>,
}

/// What was compared with what.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// One sentence, such as `origin/main...HEAD (merge base 1234567)`.
    pub description: String,
    /// Commit at the tip of the base, in hexadecimal.
    pub base_tip: Option<String>,
    /// Commit the diff starts from.
    pub merge_base: Option<String>,
    /// Commit the diff ends at; none for the index, the worktree or a patch.
    pub head: Option<String>,
    /// Things the reader should know about the range.
    pub notes: Vec<String>,
    /// Every changed file in path order.
    pub files: Vec<FileSummary>,
}

/// One changed file as the report lists it.
#[derive(Debug, Clone)]
pub struct FileSummary {
    /// Its name (the former one for a deletion).
    pub path: RepoPath,
    /// The name it was renamed from.
    pub old_path: Option<RepoPath>,
    /// What happened to it.
    pub status: Status,
    /// Added lines.
    pub added: u64,
    /// Removed lines.
    pub removed: u64,
    /// Its language, if it is one we parse.
    pub language: Option<&'static str>,
    /// Generated, vendored, lock file.
    pub class: PathClass,
    /// Who read it.
    pub read_by: ReadBy,
    /// Its diff, where a report wants to show it.
    pub excerpt: Option<Excerpt>,
}

/// Who read a file's added lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadBy {
    /// The text detectors.
    pub text: bool,
    /// The detectors that need a parse. They are not asked where only comments and blank lines changed.
    pub parser: bool,
    /// A model.
    pub model: bool,
}

/// How much of the change was reviewed.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// Added lines in all changed text files that could be counted.
    pub added_lines: u64,
    /// Added lines that at least the text detectors read.
    pub reviewed_lines: u64,
    /// Whatever was not read, each with its reason.
    pub skipped: Vec<Skip>,
}

impl Coverage {
    /// Whether nothing that should have been read was left unread.
    pub fn is_complete(&self) -> bool {
        self.skipped.iter().all(|skip| !skip.unread)
    }
}

/// A part of the change that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The file.
    pub path: RepoPath,
    /// How many added lines it holds, where they could be counted.
    pub lines: Option<u64>,
    /// `true`: it should have been read, the review is incomplete. `false`: not code.
    pub unread: bool,
    /// The reason, such as `binary` or `over 1 MiB`.
    pub why: String,
}

/// Claims in, findings out: `raised = shown + Σ removed`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Funnel {
    /// Claims raised.
    pub raised: u64,
    /// Findings shown.
    pub shown: u64,
    /// Removed, by reason.
    pub removed: BTreeMap<String, u64>,
}

impl Funnel {
    /// Whether every raised claim is accounted for.
    pub fn balances(&self) -> bool {
        self.raised == self.shown + self.removed.values().sum::<u64>()
    }
}
