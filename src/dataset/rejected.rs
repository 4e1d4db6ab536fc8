//! What did not become a case, and why.

use serde::{Deserialize, Serialize};

/// The file beside `cases.jsonl` that names what was left out.
pub const REJECTED: &str = "rejected.jsonl";

/// One line of [`REJECTED`]: something that did not become a case, and why. What it was is said by the case's name, or by
/// where it stands in a history; what is not known is not written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rejected {
    /// The case, or what would have been one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub case: String,
    /// The commit that was considered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The commit's subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// A file of the commit, where it is about that one alone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// A line of the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What was tried there, such as an operator's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// A short name of the reason, such as `several-files`, which does not change.
    pub reason: String,
    /// One sentence. It may quote what was read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Rejected {
    /// A case that was left out.
    pub fn new(case: &str, reason: &str, detail: impl Into<String>) -> Self {
        Self { case: case.to_owned(), reason: reason.to_owned(), detail: detail.into(), ..Self::default() }
    }

    /// A commit that was left out; its subject may be empty.
    pub fn commit(commit: &str, subject: &str, reason: &str, detail: impl Into<String>) -> Self {
        Self { commit: commit.to_owned(), subject: subject.to_owned(), ..Self::new("", reason, detail) }
    }
}

/// How many of a list have each reason, most frequent first, such as `several-files 3, unread 1`.
pub fn reasons(rejected: &[Rejected]) -> String {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for one in rejected {
        *counts.entry(&one.reason).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    let counts: Vec<String> = counts.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    counts.join(", ")
}
