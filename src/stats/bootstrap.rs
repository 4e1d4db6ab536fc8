//! Intervals of a score by drawing its cases again (Efron 1979; SWE-PRBench draws 10,000 times).

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;
use serde::{Deserialize, Serialize};

use super::distribution::tail;
use super::interval::Interval;
use super::mean;

/// How cases are drawn again. The same settings give the same draws on every machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// How often all cases are drawn.
    pub resamples: u32,
    /// What the draws begin with.
    pub seed: u64,
    /// Share of the draws that the interval holds, between 0 and 1.
    pub level: f64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { resamples: 10_000, seed: 1, level: 0.95 }
    }
}

/// What came of the draws.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// The percentile interval over the draws whose score is defined; `None` for fewer than two cases or where no draw has a
    /// score.
    pub interval: Option<Interval>,
    /// Draws taken.
    pub resamples: u32,
    /// Those of them without a score.
    pub undefined: u32,
}

impl Bootstrap {
    /// Of any score of `cases` cases. The score is given the places of the drawn cases, as many as there are cases, each
    /// from 0 to `cases - 1`; it says `None` where it is undefined.
    pub fn of(&self, cases: usize, mut score: impl FnMut(&[usize]) -> Option<f64>) -> Spread {
        let (mut scores, mut taken) = (Vec::new(), 0);
        self.each(cases, |drawn| {
            taken += 1;
            scores.extend(score(drawn));
        });
        self.spread(scores, taken)
    }

    /// Visits every draw, for whoever computes many scores of each; none for fewer than two cases.
    pub fn each(&self, cases: usize, mut visit: impl FnMut(&[usize])) {
        let mut random = Pcg64::new(u128::from(self.seed), STREAM);
        let mut drawn = vec![0; cases];
        for _ in 0..if cases < 2 { 0 } else { self.resamples } {
            drawn.fill_with(|| below(cases as u64, &mut random) as usize);
            visit(&drawn);
        }
    }

    /// The spread of the scores of so many draws; a draw without a score, or with one that is no number, counts as undefined.
    pub fn spread(&self, mut scores: Vec<f64>, draws: u32) -> Spread {
        scores.retain(|score| !score.is_nan());
        scores.sort_by(f64::total_cmp);
        let ends =
            |tail: f64| Some(Interval { low: percentile(&scores, tail)?, high: percentile(&scores, 1.0 - tail)? });
        let undefined = draws.saturating_sub(scores.len() as u32);
        Spread { interval: tail(self.level).and_then(ends), resamples: draws, undefined }
    }

    /// Of the mean of one number a case.
    pub fn mean(&self, values: &[f64]) -> Spread {
        self.of(values.len(), |drawn| mean_of(values, drawn))
    }

    /// Of the mean difference `a - b` of two numbers a case: both runs are drawn together, so what makes a case easy or hard
    /// for both cancels out.
    pub fn difference(&self, pairs: &[(f64, f64)]) -> Spread {
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
        self.mean(&differences)
    }
}

/// Which of the generator's sequences is used; any would do, but never another.
const STREAM: u128 = 0x5eed;

fn mean_of(values: &[f64], drawn: &[usize]) -> Option<f64> {
    let drawn: Vec<f64> = drawn.iter().filter_map(|at| values.get(*at).copied()).collect();
    mean(&drawn)
}

/// A number from 0 to `bound - 1`, each equally likely (Lemire 2019, "Fast random integer generation in an interval").
fn below(bound: u64, random: &mut Pcg64) -> u64 {
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(random.next_u64()) * u128::from(bound);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

/// The value below which a share of sorted values lies, between two neighbours in proportion (type 7 of Hyndman and Fan
/// 1996, the default of R and NumPy).
pub(super) fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(place.floor() as usize)?;
    let above = *sorted.get(place.ceil() as usize)?;
    let part = place - place.floor();
    // Infinite scores have no difference.
    Some(if below == above || part == 0.0 { below } else { below + (above - below) * part })
}
