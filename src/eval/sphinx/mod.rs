//! The checklist coverage of Sphinx (equation 1) and its reward (equation 3).

mod reward;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::score::{Measure, Measures, Number};

pub use reward::{Penalty, reward};

/// The paper's weight of cases with a checklist.
pub const LAMBDA: f64 = 0.9;

/// What was addressed of every case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Cases with a checklist.
    pub buggy: Vec<Buggy>,
    /// Cases that need no comment.
    pub bug_free: Vec<BugFree>,
    /// The weight of the former, 0 to 1.
    #[serde(default = "lambda")]
    pub lambda_: f64,
}

const fn lambda() -> f64 {
    LAMBDA
}

const fn once() -> u64 {
    1
}

/// A case with a checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buggy {
    /// Items that the review addresses.
    pub matched: u64,
    /// Items, at least one.
    pub items: u64,
    /// How many cases are like this.
    #[serde(default = "once")]
    pub repeat: u64,
}

/// A case that needs no comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugFree {
    /// 1: the review suggests nothing. 0: it does.
    pub no_comment: u64,
    /// Always 1: "No comment" is the one item of its checklist.
    #[serde(default = "once")]
    pub items: u64,
    /// How many cases are like this.
    #[serde(default = "once")]
    pub repeat: u64,
}

impl Input {
    /// The measures of these cases, see [`measures`].
    pub fn measures(&self) -> Result<Measures, Error> {
        self.check()?;
        let part = |of: u64, all: u64, repeat: u64| (Number::count(of).get() / Number::count(all).get(), repeat);
        Ok(measures(
            self.lambda_,
            self.buggy.iter().map(|case| part(case.matched, case.items, case.repeat)),
            self.bug_free.iter().map(|case| part(case.no_comment, case.items, case.repeat)),
        ))
    }

    fn check(&self) -> Result<(), Error> {
        check_lambda(self.lambda_)?;
        if let Some(at) = self.buggy.iter().position(|case| case.items == 0 || case.matched > case.items) {
            let what = "`items` is at least 1 and `matched` at most `items`";
            return Err(Error::input(format!("buggy[{at}]"), what));
        }
        match self.bug_free.iter().position(|case| case.items != 1 || case.no_comment > 1) {
            Some(at) => Err(Error::input(format!("bug_free[{at}]"), "`no_comment` is 0 or 1 and `items` is 1")),
            None => Ok(()),
        }
    }
}

/// Whether a weight is one.
pub fn check_lambda(lambda: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&lambda) { Ok(()) } else { Err(Error::input("lambda", "it is a number from 0 to 1")) }
}

/// `score` (equation 1, 0 to 1), `coverage` (mean share of checklist items addressed) and `silence` (share of clean cases
/// without a comment), from the share of each case and how many cases are like it. Means of ratios, no ratio of sums.
/// The score is undefined where a part of it that has weight is.
pub fn measures(
    lambda: f64,
    buggy: impl IntoIterator<Item = (f64, u64)>,
    bug_free: impl IntoIterator<Item = (f64, u64)>,
) -> Measures {
    let mean = |cases: &mut dyn Iterator<Item = (f64, u64)>| {
        let (sum, count) = cases.fold((0.0, 0.0), |(sum, count), (share, repeat)| {
            let repeat = Number::count(repeat).get();
            (share.mul_add(repeat, sum), count + repeat)
        });
        Measure::ratio(sum, count)
    };
    let coverage = mean(&mut buggy.into_iter());
    let silence = mean(&mut bug_free.into_iter());
    let score = Measure::plain(score(lambda, coverage, silence));
    let measures = [("score", score), ("coverage", coverage), ("silence", silence)];
    measures.map(|(name, measure)| (name.to_owned(), measure)).into()
}

/// Equation 1; undefined where a part of it that has weight is.
pub fn score(lambda: f64, coverage: Measure, silence: Measure) -> Option<Number> {
    let part = |weight: f64, measure: Measure| match measure.value {
        _ if weight == 0.0 => Some(0.0),
        value => value.map(|value| weight * value.get()),
    };
    let parts = part(lambda, coverage).zip(part(1.0 - lambda, silence));
    parts.and_then(|(one, other)| Number::new(one + other))
}

/// The score over languages: the plain mean of the score of each. `None` without languages.
pub fn average(languages: impl IntoIterator<Item = f64>) -> Option<Number> {
    Measure::mean(languages).value
}

/// How many items a judge counted: the first integer of its answer, clamped to 0 up to `items`; 0 where there is none.
pub fn parse_count(answer: &str, items: u64) -> u64 {
    let Some(start) = answer.find(|character: char| character.is_ascii_digit()) else { return 0 };
    if answer[..start].ends_with('-') {
        return 0;
    }
    let digits = &answer[start..];
    let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
    // More digits than a number has are more than there are items.
    digits[..end].parse().unwrap_or(u64::MAX).min(items)
}

/// Whether a comment suggests nothing: blank, or one of the markers of the paper's prompts for that.
pub fn is_no_comment(body: &str) -> bool {
    let plain = body.trim_matches(|character: char| character.is_whitespace() || "\"'`*.!".contains(character));
    ["", "no comment", "no comments", "no checklist"].iter().any(|marker| plain.eq_ignore_ascii_case(marker))
}
