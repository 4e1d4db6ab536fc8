//! The filters behind the validator. The paper's thresholds are unpublished; these come from the caller.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What the validator said of an issue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// The tag.
    pub tag: String,
    /// -1 to 10.
    pub score: f64,
    /// Whether it is one.
    pub status: Validity,
    /// Whether its line is the right one.
    pub line_matching: LineMatching,
}

/// Whether an issue is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// It is.
    Valid,
    /// It is not.
    Invalid,
}

/// Whether the line of an issue is the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineMatching {
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// Least scores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Filter {
    /// Of an issue whose tag has none of its own.
    pub threshold: f64,
    /// Of issues with these tags.
    #[serde(default)]
    pub per_tag_threshold: BTreeMap<String, f64>,
}

impl Filter {
    /// Whether an issue stays: valid, on the right line, and its score reaches the threshold.
    pub fn keeps(&self, issue: &Scored) -> bool {
        let least = self.per_tag_threshold.get(&issue.tag).copied().unwrap_or(self.threshold);
        issue.status == Validity::Valid && issue.line_matching == LineMatching::Yes && issue.score >= least
    }
}
