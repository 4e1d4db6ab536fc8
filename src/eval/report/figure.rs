//! A number with its interval.

use serde::Serialize;

use crate::eval::score::{Measure, Number};
use crate::stats::{Interval, Spread, wilson};

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Of a share: so many of so many (Wilson's score interval).
    Wilson,
    /// Of any score: cases drawn again, percentiles of what they give.
    Bootstrap,
}

/// Of the draws of an interval, the share that may have no score. The interval is of the other draws alone: whatever leaves
/// a draw without a score, such as a language of which only clean cases were drawn, is missing from it. One in twenty is
/// what an interval of the usual level leaves out anyway; with more, nobody can say what it holds.
const MOST_UNDEFINED: f64 = 0.05;

/// A measure and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Figure {
    /// `None`: undefined.
    pub value: Option<Number>,
    /// What stands above the line of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Number>,
    /// What stands below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<Number>,
    /// Where it may well lie; `None` where nobody can say.
    pub interval: Option<Interval>,
    /// How the interval was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Draws of cases that have no score, where an interval was drawn; with more than one in twenty there is none.
    #[serde(skip_serializing_if = "is_zero")]
    pub undefined: u32,
    /// Draws taken. Written once, in [`super::Intervals`].
    #[serde(skip)]
    pub(super) draws: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Figure {
    /// A share of things that are each one or the other. Where it is none, such as more hits than things, there is no
    /// interval.
    pub fn share(measure: &Measure, level: f64) -> Self {
        let whole = |number: Option<Number>| {
            let number = number?.get();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: whole and in range")]
            (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
        };
        let interval = match (whole(measure.over), whole(measure.under)) {
            (Some(hits), Some(of)) => wilson(hits, of, level),
            _ => None,
        };
        Self::wilson(measure, interval)
    }

    /// A share of things in several answers about each of so many cases, with what the draws of cases give. Where these have no
    /// width, because every case says the same or there is but one, that is no certainty: then, and where too many draws
    /// are undefined, it is Wilson's interval of the share of so many cases, rounded to a whole case.
    pub fn of_cases(measure: &Measure, spread: Option<Spread>, cases: u64, level: f64) -> Self {
        let drawn = Self::drawn(measure, spread);
        if drawn.interval.is_some_and(|interval| interval.low < interval.high) {
            return drawn;
        }
        let share = measure.value.map(Number::get).filter(|share| (0.0..=1.0).contains(share));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count of cases")]
        let hits = share.map(|share| (share * super::count(cases)).round() as u64);
        Self::wilson(measure, hits.and_then(|hits| wilson(hits, cases, level)))
    }

    /// So many of so many.
    pub fn counts(hits: u64, of: u64, level: f64) -> Self {
        Self::share(&Measure::ratio(super::count(hits), super::count(of)), level)
    }

    /// Without an interval.
    pub const fn plain(measure: &Measure) -> Self {
        let Measure { value, over, under } = *measure;
        Self { value, over, under, interval: None, method: None, undefined: 0, draws: 0 }
    }

    /// With the interval of a bootstrap, where nearly all draws have a score.
    pub fn drawn(measure: &Measure, spread: Option<Spread>) -> Self {
        let Some(Spread { interval, resamples: draws, undefined }) = spread else { return Self::plain(measure) };
        let interval = interval.filter(|_| f64::from(undefined) <= MOST_UNDEFINED * f64::from(draws));
        Self { interval, method: interval.map(|_| Method::Bootstrap), undefined, draws, ..Self::plain(measure) }
    }

    fn wilson(measure: &Measure, interval: Option<Interval>) -> Self {
        Self { interval, method: interval.map(|_| Method::Wilson), ..Self::plain(measure) }
    }

    /// The number, where there is one.
    pub fn get(&self) -> Option<f64> {
        self.value.map(Number::get)
    }
}
