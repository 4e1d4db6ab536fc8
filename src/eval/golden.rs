//! Detection of golden comments, as the withmartian code review benchmark counts it.

use super::score::{Measure, Measures, Number};

/// Totals over the changes that a tool reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detection {
    /// Golden comments that a comment of the tool makes too.
    pub true_positives: u64,
    /// Comments of the tool that make none.
    pub false_positives: u64,
    /// Golden comments that nobody made.
    pub false_negatives: u64,
}

impl Detection {
    /// `precision` = TP / (TP + FP), `recall` = TP / (TP + FN), `f1` = 2 TP / (2 TP + FP + FN); each undefined where its
    /// lower part is zero.
    pub fn measures(&self) -> Measures {
        let count = |count: u64| Number::count(count).get();
        let (hits, alarms, missed) =
            (count(self.true_positives), count(self.false_positives), count(self.false_negatives));
        let measures = [
            ("precision", Measure::ratio(hits, hits + alarms)),
            ("recall", Measure::ratio(hits, hits + missed)),
            ("f1", Measure::ratio(2.0 * hits, 2.0 * hits + alarms + missed)),
        ];
        measures.map(|(name, measure)| (name.to_owned(), measure)).into()
    }
}
