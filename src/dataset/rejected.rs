//! What did not become a case, and why.

use serde::{Deserialize, Serialize};

/// The file beside `cases.jsonl` that names what was left out.
pub const REJECTED: &str = "rejected.jsonl";

/// One line of [`REJECTED`]: something that did not become a case, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rejected {
    /// The case, or what would have been one.
    pub case: String,
    /// A short name of the reason, such as `several-files`.
    pub reason: String,
    /// One sentence. It may quote what was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Rejected {
    /// A case that was left out.
    pub fn new(case: &str, reason: &str, detail: impl Into<String>) -> Self {
        Self { case: case.to_owned(), reason: reason.to_owned(), detail: detail.into() }
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
