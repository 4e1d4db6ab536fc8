//! The formulas of SWE-PRBench by themselves.

use serde::{Deserialize, Serialize};

use super::Label;
use crate::eval::score::Number;

/// Weight of each term of equation 2.
const RECALL: f64 = 0.40;
const PRECISION: f64 = 0.25;
const ALIGNMENT: f64 = 0.15;
const ACTIONABILITY: f64 = 0.10;
const EFFICIENCY: f64 = 0.05;
const HALLUCINATION: f64 = 0.25;
const REDUNDANCY: f64 = 0.15;
const EXCESS: f64 = 0.10;
/// What is left of actionability where nothing is confirmed.
const UNCONFIRMED: f64 = 0.2;
/// What is left of a score where the judge could not be read.
const FALLBACK: f64 = 0.5;

/// The terms of equation 2, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Recall.
    pub r: f64,
    /// Precision.
    pub p: f64,
    /// Semantic alignment: mean similarity of the matched pairs.
    pub a: f64,
    /// Actionability of all comments, before its discount.
    pub q: f64,
    /// Efficiency.
    pub e: f64,
    /// Share of fabricated comments.
    pub h: f64,
    /// Share of redundant comments.
    pub rho: f64,
    /// What exceeds the tolerated share of plausible comments.
    pub phi: f64,
    /// How many comments are confirmed.
    pub confirmed: u64,
    /// The judge's answer could not be read.
    pub judge_fallback: bool,
}

impl Terms {
    /// The score of one change (equation 2), 0 to 0.95: the credits sum to 0.95, not to 1.
    pub fn overall(&self) -> f64 {
        let discount = if self.confirmed == 0 { UNCONFIRMED } else { 1.0 };
        let credit = RECALL * self.r
            + PRECISION * self.p
            + ALIGNMENT * self.a
            + ACTIONABILITY * discount * self.q
            + EFFICIENCY * self.e;
        let value = credit - HALLUCINATION * self.h - REDUNDANCY * self.rho - EXCESS * self.phi;
        let value = if self.judge_fallback { value * FALLBACK } else { value };
        value.clamp(0.0, 1.0)
    }
}

/// The weight of a change among others: ln(human comments + 1).
pub fn weight(human_comments: u64) -> f64 {
    Number::count(human_comments).get().ln_1p()
}

/// The score of many changes, from the score and the human comments of each: the mean weighted by [`weight`]; the plain
/// mean where all weights are zero; `None` without changes.
pub fn aggregate(changes: &[(f64, u64)]) -> Option<Number> {
    let (sum, weights) = changes.iter().fold((0.0, 0.0), |(sum, weights), (score, humans)| {
        (score.mul_add(weight(*humans), sum), weights + weight(*humans))
    });
    if weights > 0.0 { Number::new(sum / weights) } else { mean(changes.iter().map(|(score, _)| *score)) }
}

/// The plain mean; the false positive rate of a configuration is that of the rates of its changes.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<Number> {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    Number::new(sum / count)
}

/// The parts of the review value score (equation 1), each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewValue {
    /// Substantive comments, threads, requests for changes.
    pub depth: f64,
    /// Files, lines, folders.
    pub complexity: f64,
    /// Replies, reviewers.
    pub discussion: f64,
    /// Whether tests change.
    pub test: f64,
    /// Whether it fixes a bug.
    pub bug: f64,
}

impl ReviewValue {
    /// The review value score, 0 to 1.
    pub fn score(&self) -> f64 {
        0.25 * self.depth + 0.20 * self.complexity + 0.20 * self.discussion + 0.15 * self.test + 0.20 * self.bug
    }
}

/// What two judges are compared by where no ground truth is at hand (section 5.5): 0.40 of the confirmed share less 0.25
/// of the fabricated one. `None` without labels.
pub fn cross_judge_proxy(labels: &[Label]) -> Option<Number> {
    let share = |label: Label| labels.iter().filter(|other| **other == label).count() as u64;
    let value = RECALL.mul_add(
        Number::count(share(Label::Confirmed)).get(),
        -HALLUCINATION * Number::count(share(Label::Fabricated)).get(),
    );
    Number::new(value / Number::count(labels.len() as u64).get())
}
