//! From a saved report to one review of a pull request, in a job that may write and runs no model.
//!
//! The report is data from a stranger: which pull request and which commit it is for comes from the job's own event, and
//! every text of it goes through an escaper. Every finding ends in exactly one place: a comment on its lines, a comment on
//! its file, or a row of the one summary that each run rewrites. What none of them took is handed back, so that the caller
//! can put it where it is read. Nothing is ever deleted.

mod anchor;
mod api;
mod body;
mod event;
mod existing;
pub mod fallback;
mod github;
mod look;
mod plan;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::Value;

pub use event::{Given, Target};
pub use github::publish;

use crate::provider::{self, Clock, Env};

/// Most findings of a report. Each is at least a line of a log.
pub const MOST_FINDINGS: usize = 20_000;

/// Everything but the report.
pub struct Job<'a> {
    /// The pull request.
    pub target: Target,
    /// The address of the REST API, such as `https://api.github.com`.
    pub api: &'a str,
    /// The address that people use, such as `https://github.com`.
    pub server: &'a str,
    /// The token and the variable it comes from. Reading a public repository needs none.
    pub token: Option<(&'static str, &'a str)>,
    /// Whose earlier comments are ours; else GraphQL's `viewer` says it.
    pub author: Option<&'a str>,
    /// Most comments on lines that stand at one time.
    pub max_comments: usize,
    /// Only say what would be written.
    pub dry_run: bool,
    /// For everything, waits included.
    pub time: Duration,
    /// How time passes.
    pub clock: Clock,
    /// For proxies and certificates.
    pub env: Env<'a>,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Outcome {
    /// New comments on lines.
    pub on_lines: usize,
    /// New comments on files.
    pub on_files: usize,
    /// Findings that a comment of an earlier run tells.
    pub before: usize,
    /// Findings that only the summary tells.
    pub in_summary: usize,
    /// Earlier comments that were hidden because their finding is gone.
    pub fixed: usize,
    /// Whether the summary was written.
    pub summary: bool,
    /// Findings of the report, by their number, that no place took.
    pub untold: Vec<usize>,
    /// What kept the work from being completed, on one escaped line.
    pub problem: Option<String>,
    /// The pull request has a newer head than the event, so nothing was written.
    pub is_outdated: bool,
    /// Sentences for the reader.
    pub notes: Vec<String>,
    /// With `dry_run` what would have been written, in order: `method`, `path`, `body`.
    pub writes: Vec<Value>,
}

/// What is wrong with the call or with the report. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something that no event and no variable says.
    #[error("neither the event nor the environment names {what}; name it with {how}")]
    Missing {
        /// What.
        what: &'static str,
        /// The option.
        how: &'static str,
    },
    /// No repository.
    #[error("`{0}` is no repository; write OWNER/NAME")]
    Repository(String),
    /// The event is of another repository.
    #[error("the event is of {event}, not of {repository}; leave out --repo, or name another --event")]
    OtherRepository {
        /// What was named.
        repository: String,
        /// What the event says.
        event: String,
    },
    /// The event is of another pull request.
    #[error("the event is of pull request {event}, and --pr says {given}; leave out one of them")]
    OtherPull {
        /// What was named.
        given: u64,
        /// What the event says.
        event: u64,
    },
    /// The pull request's head is not in the repository that the event is of.
    #[error("pull request {0} is not the one of this event: its head is in another repository; correct --pr")]
    OtherHead(u64),
    /// The report is not of a commit.
    #[error("the report is of no commit; publish the report of a review whose head is the pull request's")]
    NoCommit,
    /// The report is a part of a review.
    #[error("the report is one share of a review; join all of them with `diffsieve merge` and publish that")]
    Share,
    /// The report is of another commit.
    #[error("this report is of commit {report}, the pull request's head is {head}; nothing was written")]
    OtherCommit {
        /// The report's.
        report: String,
        /// The event's, or the pull request's own.
        head: String,
    },
    /// More than anybody reads.
    #[error("the report has {0} findings, more than {MOST_FINDINGS}; nothing was written")]
    TooMany(usize),
    /// The address or the token.
    #[error("the API of GitHub cannot be asked")]
    Api(#[source] provider::Error),
}
