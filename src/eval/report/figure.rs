//! A number with its interval.

use serde::Serialize;

use crate::eval::score::{Measure, Number};
use crate::stats::{Interval, wilson};

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Of a share: so many of so many (Wilson's score interval).
    Wilson,
    /// Of any score: cases drawn again, percentiles of what they give.
    Bootstrap,
}

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
        Self { interval, method: interval.map(|_| Method::Wilson), ..Self::plain(measure) }
    }

    /// A share of things in several answers about each of so many cases, with what the draws of cases give. Where these have no
    /// width, because every case says the same or there is but one, that is no certainty: then it is Wilson's interval of
    /// the share of so many cases, rounded to a whole case.
    pub fn of_cases(measure: &Measure, drawn: Option<Interval>, cases: u64, level: f64) -> Self {
        if drawn.is_some_and(|drawn| drawn.low < drawn.high) {
            return Self::drawn(measure, drawn);
        }
        let share = measure.value.map(Number::get).filter(|share| (0.0..=1.0).contains(share));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count of cases")]
        let hits = share.map(|share| (share * super::count(cases)).round() as u64);
        let interval = hits.and_then(|hits| wilson(hits, cases, level));
        Self { interval, method: interval.map(|_| Method::Wilson), ..Self::plain(measure) }
    }

    /// So many of so many.
    pub fn counts(hits: u64, of: u64, level: f64) -> Self {
        Self::share(&Measure::ratio(super::count(hits), super::count(of)), level)
    }

    /// Without an interval.
    pub const fn plain(measure: &Measure) -> Self {
        let Measure { value, over, under } = *measure;
        Self { value, over, under, interval: None, method: None }
    }

    /// With the interval of a bootstrap.
    pub fn drawn(measure: &Measure, interval: Option<Interval>) -> Self {
        Self { interval, method: interval.map(|_| Method::Bootstrap), ..Self::plain(measure) }
    }

    /// The number, where there is one.
    pub fn get(&self) -> Option<f64> {
        self.value.map(Number::get)
    }
}
