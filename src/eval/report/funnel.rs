//! What became of the comments between raising and showing, and what all of it cost.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{count, len};
use crate::eval::score::{Measure, Number};
use crate::finding::Stage;
use crate::record::Answer;

/// Raised, removed by each stage, shown. The counts balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Funnel {
    /// Comments raised.
    pub raised: u64,
    /// What took some of them away: the stages of a review in their order, then any others by name.
    pub removed: Vec<Removal>,
    /// Comments that people would have seen.
    pub shown: u64,
}

/// What one stage took away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// The stage.
    pub stage: String,
    /// How many.
    pub count: u64,
    /// The same by reason.
    pub reasons: BTreeMap<String, u64>,
}

/// The stages of a review that remove anything, in their order.
pub(in crate::eval) const STAGES: [Stage; 7] =
    [Stage::Ground, Stage::Evidence, Stage::Validate, Stage::Filter, Stage::Suppress, Stage::Merge, Stage::Rank];

/// The place of a stage by its name; one that is no stage of ours comes after all.
pub(in crate::eval) fn place(stage: &str) -> usize {
    STAGES.iter().position(|known| known.name() == stage).unwrap_or(STAGES.len())
}

impl Funnel {
    /// Of all these answers together, but for those that were given again. Every stage of ours is there once anything was removed, also with nothing.
    pub(super) fn of(answers: &[Answer]) -> Self {
        // Of two answers about one thing the later one counts.
        let latest: BTreeMap<(&str, u32), &Answer> =
            answers.iter().map(|answer| ((answer.case.as_str(), answer.sample), answer)).collect();
        let answers: Vec<&Answer> = latest.into_values().collect();
        let shown = answers.iter().map(|answer| len(&answer.comments)).sum();
        let mut stages = BTreeMap::<(usize, &str), BTreeMap<String, u64>>::new();
        for removed in answers.iter().flat_map(|answer| &answer.removed) {
            let reasons = stages.entry((place(&removed.stage), &removed.stage)).or_default();
            *reasons.entry(removed.reason.clone()).or_default() += 1;
        }
        if !stages.is_empty() {
            for (at, stage) in STAGES.iter().enumerate() {
                stages.entry((at, stage.name())).or_default();
            }
        }
        let removed: Vec<Removal> = stages
            .into_iter()
            .map(|((_, stage), reasons)| Removal { stage: stage.to_owned(), count: reasons.values().sum(), reasons })
            .collect();
        Self { raised: shown + removed.iter().map(|removal| removal.count).sum::<u64>(), removed, shown }
    }
}

/// What answers took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Answers, with those that failed or were given again: they were paid for.
    pub answers: u64,
    /// Requests sent.
    pub requests: u64,
    /// Tokens that the model read.
    pub prompt_tokens: u64,
    /// Tokens that it wrote.
    pub completion_tokens: u64,
    /// US dollars; `None`: a price is unknown.
    pub dollars: Option<f64>,
    /// Answers that sent something at an unknown price.
    pub unpriced: u64,
    /// Wall clock of all answers, one after the other.
    pub seconds: f64,
}

impl Cost {
    /// Of all these answers together.
    pub(super) fn of(answers: &[Answer]) -> Self {
        let sum = |of: fn(&Answer) -> u64| answers.iter().map(of).fold(0, u64::saturating_add);
        let unpriced = answers.iter().filter(|answer| {
            // Recorded answers took no request now, and cost something then.
            answer.spent.requests + answer.spent.prompt_tokens > 0 && answer.spent.dollars.is_none()
        });
        let unpriced = unpriced.count() as u64;
        let dollars = answers.iter().filter_map(|answer| answer.spent.dollars).filter(|dollars| dollars.is_finite());
        let seconds = answers.iter().map(|answer| answer.spent.seconds).filter(|seconds| seconds.is_finite());
        Self {
            answers: len(answers),
            requests: sum(|answer| answer.spent.requests),
            prompt_tokens: sum(|answer| answer.spent.prompt_tokens),
            completion_tokens: sum(|answer| answer.spent.completion_tokens),
            // Adding to zero: an empty sum of floats is minus zero.
            dollars: (unpriced == 0).then(|| dollars.fold(0.0, |sum, part| sum + part)),
            unpriced,
            seconds: seconds.fold(0.0, |sum, part| sum + part),
        }
    }

    /// Tokens read and written.
    pub const fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    /// Tokens for each fault found; undefined where none was.
    pub(super) fn tokens_each(&self, found: f64) -> Option<Number> {
        Measure::ratio(count(self.tokens()), found).value
    }

    /// Dollars for each fault found; undefined where none was or a price is unknown.
    pub(super) fn dollars_each(&self, found: f64) -> Option<Number> {
        Measure::ratio(self.dollars?, found).value
    }
}
