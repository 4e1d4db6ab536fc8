//! Two runs over the same items, each found or missed by each run.

use serde::Serialize;

use super::distribution::coin;

/// How many items were found by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Paired {
    /// By both runs.
    pub both: u64,
    /// By the first alone.
    pub only_a: u64,
    /// By the second alone.
    pub only_b: u64,
    /// By none.
    pub neither: u64,
}

impl FromIterator<(bool, bool)> for Paired {
    fn from_iter<T: IntoIterator<Item = (bool, bool)>>(items: T) -> Self {
        let mut counts = Self::default();
        for (a, b) in items {
            *match (a, b) {
                (true, true) => &mut counts.both,
                (true, false) => &mut counts.only_a,
                (false, true) => &mut counts.only_b,
                (false, false) => &mut counts.neither,
            } += 1;
        }
        counts
    }
}

impl Paired {
    /// McNemar's test in its exact form: the two-sided chance that a fair coin splits the items found by one run alone at
    /// least as unevenly (McNemar 1947). Between 0 and 1; `None` where no item was found by one run alone.
    pub fn exact(&self) -> Option<f64> {
        let (_, at_most) = self.split()?;
        Some((2.0 * at_most).min(1.0))
    }

    /// The same with half of the chance of the split itself (mid-p), less cautious and still near its level (Fagerland,
    /// Lydersen, Laake 2013). `None` as [`Self::exact`].
    pub fn mid(&self) -> Option<f64> {
        let (exactly, at_most) = self.split()?;
        Some(if self.only_a == self.only_b { 1.0 - exactly / 2.0 } else { (2.0 * at_most - exactly).max(0.0) })
    }

    fn split(&self) -> Option<(f64, f64)> {
        let alone = self.only_a.checked_add(self.only_b).filter(|alone| *alone > 0)?;
        coin(self.only_a.min(self.only_b), alone)
    }
}
