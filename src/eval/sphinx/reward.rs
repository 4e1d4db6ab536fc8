//! The reward of checklist reward policy optimisation (Sphinx, equation 3). The paper gives neither its constants nor the
//! unit of length and contradicts itself between M and N, so nothing here is "the paper's": a caller chooses and says so.

use crate::eval::error::Error;

/// What a text pays for being longer than its reference: a factor on the reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// Reading A: 1 up to `start` times the reference, then falling with the square of the excess to `1 - cap` at `end`
    /// times, and no further.
    Ramp {
        /// M, at least 0.
        start: f64,
        /// N, more than M.
        end: f64,
        /// Most that is taken away, 0 to 1.
        cap: f64,
    },
    /// Reading B: 1 up to `end` times the reference, then falling with the square of the excess, down to `least`.
    Literal {
        /// N, more than 0.
        end: f64,
        /// What is left at least, 0 to 1.
        least: f64,
    },
}

impl Penalty {
    /// Whether the constants make sense.
    pub fn check(&self) -> Result<(), Error> {
        let is_sound = match *self {
            Self::Ramp { start, end, cap } => {
                start >= 0.0 && end > start && end.is_finite() && (0.0..=1.0).contains(&cap)
            }
            Self::Literal { end, least } => end > 0.0 && end.is_finite() && (0.0..=1.0).contains(&least),
        };
        let what = "M is at least 0, N more than M, cap and the least factor from 0 to 1";
        if is_sound { Ok(()) } else { Err(Error::input("the length penalty", what)) }
    }

    /// The factor, 0 to 1, for a text and a reference of these lengths in the same unit. It never rises with the length. A
    /// reference without length allows no text.
    pub fn factor(&self, length: u64, reference: u64) -> f64 {
        let count = |count: u64| crate::eval::score::Number::count(count).get();
        let ratio = match (length, reference) {
            (0, _) => 0.0,
            (_, 0) => f64::INFINITY,
            _ => count(length) / count(reference),
        };
        match *self {
            Self::Ramp { start, end, cap } => {
                let excess = ((ratio - start) / (end - start)).clamp(0.0, 1.0);
                1.0 - cap * excess * excess
            }
            Self::Literal { end, least } => {
                let excess = ((ratio - end) / end).max(0.0);
                (1.0 - excess * excess).max(least)
            }
        }
    }
}

/// The reward: the share of checklist items addressed, 0 to 1, times the factor for length.
pub fn reward(coverage: f64, factor: f64) -> f64 {
    coverage * factor
}
