//! The measures of the code quality score: matching (section 4), filters (3.3), preference pairs (3.4.1), the judge's
//! accuracy and what people think of it (5).

mod feedback;
mod filter;
mod preference;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::score::{Matching, Measure, Measures, Number};

pub use feedback::{Thumb, accuracy, agreement, dpo_loss, helpfulness};
pub use filter::{Filter, LineMatching, Scored, Validity};
pub use preference::{Graded, Pair, literal_pairs, oriented_pairs};

/// Issues that a reviewer predicts and those that are known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// By the reviewer.
    pub predicted: Vec<Tagged>,
    /// Known.
    pub ground_truth: Vec<Tagged>,
    /// What the judge said of two rationales, under `prediction|known` as indices from 0; without an entry they differ.
    pub rationale_match: BTreeMap<String, bool>,
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tagged {
    /// Compared as an exact string.
    pub tag: String,
    /// What is the matter.
    pub rationale: String,
}

/// What matches what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matched {
    /// Prediction and known issue, as indices.
    pub pairs: Vec<(usize, usize)>,
    /// Predictions that match.
    pub predictions: u64,
    /// Known issues that are matched.
    pub known: u64,
    /// The pairs that a judge is asked about, in their order: equal tags, neither of them matched before.
    pub judge_calls: Vec<(usize, usize)>,
}

impl Input {
    /// Goes through the predictions in their order and gives each the first known issue with the same tag that the judge
    /// calls the same. One to one, a known issue is taken once.
    pub fn matched(&self, matching: Matching) -> Matched {
        let mut matched = Matched::default();
        let mut taken = vec![false; self.ground_truth.len()];
        for (at, prediction) in self.predicted.iter().enumerate() {
            for (known, issue) in self.ground_truth.iter().enumerate() {
                if issue.tag != prediction.tag || (matching == Matching::OneToOne && taken[known]) {
                    continue;
                }
                matched.judge_calls.push((at, known));
                if self.rationale_match.get(&format!("{at}|{known}")) == Some(&true) {
                    taken[known] = true;
                    matched.pairs.push((at, known));
                    break;
                }
            }
        }
        matched.predictions = matched.pairs.len() as u64;
        matched.known = taken.iter().filter(|taken| **taken).count() as u64;
        matched
    }
}

/// What the measures are made of. Counts of several changes add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Predictions.
    pub predicted: u64,
    /// Those that match.
    pub matched: u64,
    /// Known issues.
    pub known: u64,
    /// Those that are matched.
    pub found: u64,
}

impl Counts {
    /// `precision` (undefined without predictions), `recall` (undefined without known issues) and their harmonic mean
    /// `f1`.
    pub fn measures(&self) -> Measures {
        let count = |count: u64| Number::count(count).get();
        let precision = Measure::ratio(count(self.matched), count(self.predicted));
        let recall = Measure::ratio(count(self.found), count(self.known));
        let f1 = match (precision.value.map(Number::get), recall.value.map(Number::get)) {
            (Some(precision), Some(recall)) if precision + recall > 0.0 => {
                Number::new(2.0 * precision * recall / (precision + recall))
            }
            (None, None) => None,
            _ => Some(Number::default()),
        };
        let measures = [("precision", precision), ("recall", recall), ("f1", Measure::plain(f1))];
        measures.map(|(name, measure)| (name.to_owned(), measure)).into()
    }
}
