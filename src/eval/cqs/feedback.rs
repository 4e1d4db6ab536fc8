//! What people think of issues, and how well a judge foresees it.

use serde::{Deserialize, Serialize};

use crate::eval::score::Number;

/// What a person thinks of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thumb {
    /// Helpful.
    Up,
    /// Not.
    Down,
}

/// The share of a judge's decisions that people agree with: true positives and true negatives of all votes. `None`
/// without votes.
pub fn accuracy(true_positive: u64, true_negative: u64, votes: u64) -> Option<Number> {
    ratio(true_positive.saturating_add(true_negative), votes)
}

/// [`accuracy`] from the score that the judge gave each issue, and the vote on it: a positive score calls it valid, 0 and
/// -1 do not (appendix C).
pub fn agreement(votes: &[(f64, Thumb)]) -> Option<Number> {
    let agreed = votes.iter().filter(|(score, thumb)| (*score > 0.0) == (*thumb == Thumb::Up)).count() as u64;
    ratio(agreed, votes.len() as u64)
}

/// Votes up of all votes; `None` without votes.
pub fn helpfulness(up: u64, down: u64) -> Option<Number> {
    ratio(up, up.saturating_add(down))
}

fn ratio(of: u64, all: u64) -> Option<Number> {
    if all == 0 { None } else { Number::new(Number::count(of).get() / Number::count(all).get()) }
}

/// The loss of direct preference optimisation for one pair, in nats: `-ln sigmoid(beta ((w - ref w) - (l - ref l)))` with
/// log probabilities of the chosen and the rejected text under model and reference.
pub fn dpo_loss(beta: f64, chosen: f64, reference_chosen: f64, rejected: f64, reference_rejected: f64) -> f64 {
    let margin = beta * ((chosen - reference_chosen) - (rejected - reference_rejected));
    // ln(1 + e^-x), in the form that overflows for no x.
    (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
}
