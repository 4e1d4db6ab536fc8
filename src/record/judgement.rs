//! What a judge decided about comments. Every decision is a record: scores are computed from these alone.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Answer;

/// One line of `judgements.jsonl`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The protocol that asked, or `similarity`.
    pub protocol: String,
    /// The case.
    pub case: String,
    /// Which of several answers about it.
    #[serde(default)]
    pub sample: u32,
    /// What was judged: the ids of a comment, of a checklist item, of a pair.
    pub about: Vec<String>,
    /// Digest of what was judged, 16 hexadecimal digits. A decision about an answer that has been given anew counts no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Who judged, such as `openai/NAME` or `lexical`, and by which words.
    pub judge: String,
    /// What it said.
    pub verdict: Verdict,
}

/// The decisions that are about these answers and not about earlier ones in their place.
pub fn standing(judgements: Vec<Judgement>, answers: &[Answer]) -> Vec<Judgement> {
    let digests: HashMap<(&str, u32), String> =
        answers.iter().map(|answer| ((answer.case.as_str(), answer.sample), answer.digest())).collect();
    let stands = |one: &Judgement| {
        let now = digests.get(&(one.case.as_str(), one.sample));
        one.answer.as_ref().zip(now).is_none_or(|(then, now)| then == now)
    };
    judgements.into_iter().filter(stands).collect()
}

/// What a judge said; each protocol uses its own part.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// A label of the protocol, such as `BUG_HIT` or `CONFIRMED`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The bug or human comment that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// Yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// Actionability, similarity, count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// Why, in the judge's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The judge's answer could not be read, twice; the protocol says what then counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unparsable: bool,
}
