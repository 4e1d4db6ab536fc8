//! What a reviewer said of the cases of a dataset.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Hash;

/// `run.json`: which reviewer answered about which dataset. Answers of different runs are never mixed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// `diffsieve.run/v1`.
    pub format: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Digest of its cases.
    pub digest: String,
    /// Digest of the files that the cases name, as the manifest has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Version of the program.
    pub version: String,
    /// Everything that decides what is answered: strategy, context, packs, model, prompts, samples.
    pub configuration: BTreeMap<String, serde_json::Value>,
}

/// One line of `answers.jsonl`: what came of one case, once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The case.
    pub case: String,
    /// Which of several answers about the same case, from 0.
    #[serde(default)]
    pub sample: u32,
    /// Whether it can be counted.
    pub status: Status,
    /// Why not, where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the reviewer says, in the order it says it.
    pub comments: Vec<Comment>,
    /// What it raised and took back, with the stage that did so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Removed>,
    /// What it took.
    #[serde(default)]
    pub spent: Spent,
}

impl Answer {
    /// Names what was said and taken back, in 16 hexadecimal digits: what judges decide about.
    pub fn digest(&self) -> String {
        let mut hash = Hash::new();
        for comment in self.comments.iter().chain(self.removed.iter().map(|removed| &removed.comment)) {
            for text in [Some(&comment.id), comment.file.as_ref(), Some(&comment.body), comment.tag.as_ref()] {
                hash.part(text.map_or("", String::as_str).as_bytes());
            }
            for line in [comment.line, comment.end_line] {
                hash.part(&line.unwrap_or(0).to_le_bytes());
            }
        }
        hash.digits()[..16].to_owned()
    }
}

/// What became of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All of the change was reviewed.
    #[default]
    Complete,
    /// A part of it was.
    Incomplete,
    /// What the model wrote could not be read, twice. Scored as the protocol says, never left out.
    Unparsable,
    /// There is no review: the case could not be read or nobody answered. Never scored as silence.
    Failed,
}

/// One comment of a review.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// One of its kind in the answer.
    pub id: String,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// First line, on the new side, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: Option<u32>,
    /// Last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub end_line: Option<u32>,
    /// What it says.
    pub body: String,
    /// The tag of the finding, or the reviewer's own word for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// `error`, `warning` or `note`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning", "note", null])))]
    pub level: Option<String>,
    /// One of CR-Bench's nine categories: that of the tag, as its rule pack has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = crate::taxonomy::names(&crate::taxonomy::CATEGORIES))))]
    pub category: Option<String>,
    /// A characteristic of ISO 25010: that of the tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = crate::taxonomy::names(&crate::taxonomy::IMPACTS))))]
    pub impact: Option<String>,
    /// `low`, `medium`, `high` or `critical`: that of the tag, or the reviewer's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = crate::taxonomy::names(&crate::taxonomy::SEVERITIES))))]
    pub severity: Option<String>,
    /// The function it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The validator's score, 0 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i64>,
    /// Who raised it: `detector` or `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raised_by: Option<String>,
}

/// A comment that the reviewer took back before anybody saw it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Removed {
    /// What it would have said.
    pub comment: Comment,
    /// The stage that removed it, as the report's funnel names it.
    pub stage: String,
    /// Why.
    pub reason: String,
}

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// Requests sent.
    pub requests: u64,
    /// Tokens read by the model, as it counted or as estimated.
    pub prompt_tokens: u64,
    /// Tokens written by it.
    pub completion_tokens: u64,
    /// US dollars, where prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// Wall clock.
    pub seconds: f64,
}
