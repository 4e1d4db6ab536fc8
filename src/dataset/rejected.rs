//! What did not become a case, and why.

use serde::Serialize;

/// The file beside `cases.jsonl` that names what was left out.
pub const REJECTED: &str = "rejected.jsonl";

/// One line of [`REJECTED`]: something that did not become a case, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Rejected {
    /// The case, or what would have been one; empty where a place says what it was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub case: String,
    /// Where it stands in a history.
    #[serde(flatten)]
    pub place: Option<Box<Place>>,
    /// A short name of the reason, such as `several-files`, which does not change.
    pub reason: String,
    /// One sentence. It may quote what was read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// A place in a history; its keys stand among those of [`Rejected`], but for what is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Place {
    /// The commit that was considered.
    pub commit: String,
    /// Its subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// A file of it, where it is about that one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A line of the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What was tried there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<&'static str>,
}

impl Rejected {
    /// A case that was left out.
    pub fn new(case: &str, reason: &str, detail: impl Into<String>) -> Self {
        Self { case: case.to_owned(), place: None, reason: reason.to_owned(), detail: detail.into() }
    }

    /// A commit that was left out, or something in it.
    pub fn at(place: Place, reason: &str, detail: impl Into<String>) -> Self {
        Self { place: Some(Box::new(place)), ..Self::new("", reason, detail) }
    }

    /// A commit that was left out as a whole.
    pub fn commit(commit: &str, subject: &str, reason: &str, detail: impl Into<String>) -> Self {
        let place = Place { commit: commit.to_owned(), subject: subject.to_owned(), ..Place::default() };
        Self::at(place, reason, detail)
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
