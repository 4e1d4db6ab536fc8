//! The reward of checklist reward policy optimisation for one review (Sphinx, equation 3): the share of checklist items
//! that it addresses, times a factor for its length. The paper publishes neither the constants of that factor nor the unit
//! of length, so every result says what was chosen and that it was chosen.

pub mod judged;
pub mod request;
mod row;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::judge::lexical::content;
use super::judge::{LEXICAL, is_said};
use super::score::Number;
use super::sphinx::{self, Penalty};
use crate::context::estimate_tokens;

pub use judged::{Decide, Judge};
pub use row::{ROWS, Row, Rows, Told};

/// What every result says about its constants.
pub const SOURCE: &str =
    "chosen by the caller; the paper publishes no constants for its length factor and no unit of length";

/// Most items of one checklist.
pub const ITEMS: usize = 1000;

/// Most bytes of one review and its checklist together.
pub const LONGEST: usize = 4 << 20;

/// What length is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Unicode scalar values.
    #[default]
    Chars,
    /// What white space separates.
    Words,
    /// An estimate without a vocabulary (docs/context.md), rounded up.
    Tokens,
}

impl Unit {
    fn length(self, text: &str) -> u64 {
        match self {
            Self::Chars => text.chars().count() as u64,
            Self::Words => text.split_whitespace().count() as u64,
            Self::Tokens => u64::from(estimate_tokens(text, None)),
        }
    }
}

/// What is rewarded; the ablations of the paper's table 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The share of checklist items addressed, times the factor for length.
    #[default]
    Checklist,
    /// What a general judge scored, 0 to 1, times the factor for length.
    Judge,
    /// The share of checklist items addressed, whatever the length.
    NoLength,
}

/// How reviews are rewarded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Settings {
    /// What is rewarded.
    pub variant: Variant,
    /// What a long review pays; `None`: nothing.
    pub penalty: Option<Penalty>,
    /// What length is counted in.
    pub unit: Unit,
    /// Where a row carries no decision of a judge, that of [`LEXICAL`] counts, which compares words and knows no paraphrase.
    /// It takes the review as one text, where `eval judge` takes comment by comment.
    pub lexical: bool,
}

/// Why a review has no reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing to compare with.
    #[error("its checklist is empty; that of a clean change has the one item `No comment`")]
    NoItems,
    /// More than [`ITEMS`].
    #[error("its checklist has {0} items, and at most {ITEMS} are compared; split it")]
    Items(usize),
    /// More than [`LONGEST`].
    #[error("its review and checklist have {0} bytes together, and at most {LONGEST} are compared; shorten them")]
    Long(usize),
    /// An item without a word.
    #[error("item {0} of its checklist is blank")]
    Blank(usize),
    /// Nobody decided.
    #[error("nobody judged it: give one of `coverage`, `verdicts`, `count`, or choose a judge, `lexical` or `model`")]
    Unjudged,
    /// Several decisions.
    #[error("it has more than one of `coverage`, `verdicts`, `count`; give one")]
    Several,
    /// Another number of decisions than of items.
    #[error("it has {verdicts} verdicts for {items} items")]
    Verdicts {
        /// How many.
        verdicts: usize,
        /// For how many.
        items: usize,
    },
    /// A share that is none.
    #[error("`{0}` is no number from 0 to 1")]
    Share(&'static str),
    /// The variant that needs one.
    #[error("it has no score of a `judge`, which this variant rewards")]
    NoJudge,
    /// A count in no known form.
    #[error("`count` is neither a number nor a text")]
    Count,
    /// A review in no known form.
    #[error("`completion` is neither a text nor a list of messages with `content`")]
    Completion,
    /// An item in no known form.
    #[error("item {0} of its checklist is neither a text nor an object with `text`")]
    Item(usize),
}

/// The reward of one review, and how it came to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reward {
    /// As the row has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// From 0 to 1.
    pub reward: Number,
    /// What is rewarded, before length: coverage, or what the judge scored.
    pub base: Number,
    /// For length, 0 to 1; 1 where nothing is paid for it, and for a change that needs no comment.
    pub factor: Number,
    /// Who says so: `clean`, `silence` (a review without a suggestion addresses nothing), `coverage`, `verdicts`, `count`,
    /// `judge`, `lexical` or `model`.
    pub by: &'static str,
    /// Which model gave the verdicts, and by which words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<String>,
    /// Whether each item is addressed, as a model or silence decided it: given with the same row, they give the same reward.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Vec<bool>>,
    /// Items on the checklist.
    pub items: usize,
    /// Items addressed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addressed: Option<u64>,
    /// Of the review.
    pub length: u64,
    /// Of all items of the checklist together.
    pub reference: u64,
    /// What was chosen.
    pub constants: Constants,
}

/// What was chosen where the paper is silent. A constant that is not used is null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Constants {
    /// What is rewarded.
    pub variant: Variant,
    /// `off`, `ramp` (reading A) or `literal` (reading B).
    pub penalty: &'static str,
    /// M: up to so many times the reference nothing is paid.
    pub m: Option<Number>,
    /// N: where a ramp ends, or the fall of reading B begins.
    pub n: Option<Number>,
    /// Most that a ramp takes away.
    pub cap: Option<Number>,
    /// What reading B leaves at least.
    pub least: Option<Number>,
    /// What length is counted in.
    pub unit: Unit,
    /// [`SOURCE`].
    pub source: &'static str,
}

impl Settings {
    /// What is chosen, as every result says it.
    pub fn constants(&self) -> Constants {
        let none = Constants {
            variant: self.variant,
            penalty: "off",
            m: None,
            n: None,
            cap: None,
            least: None,
            unit: self.unit,
            source: SOURCE,
        };
        match self.paid() {
            None => none,
            Some(Penalty::Ramp { start, end, cap }) => {
                Constants { penalty: "ramp", m: Number::new(start), n: Number::new(end), cap: Number::new(cap), ..none }
            }
            Some(Penalty::Literal { end, least }) => {
                Constants { penalty: "literal", n: Number::new(end), least: Number::new(least), ..none }
            }
        }
    }

    fn paid(&self) -> Option<Penalty> {
        self.penalty.filter(|_| self.variant != Variant::NoLength)
    }

    /// The reward of one review. The constants of the penalty were checked ([`Penalty::check`]).
    pub fn reward(&self, row: &Row) -> Result<Reward, Error> {
        match self.begin(row)? {
            Begun::Rewarded(reward) => Ok(reward),
            Begun::Open(_) => Err(Error::Unjudged),
        }
    }

    /// The reward of one review, or what a judge has to say for it.
    pub fn begin(&self, row: &Row) -> Result<Begun, Error> {
        let (review, items) = (row.review()?, row.items()?);
        let bytes = items.iter().map(String::len).fold(review.len(), usize::saturating_add);
        if bytes > LONGEST {
            return Err(Error::Long(bytes));
        }
        let review = review.trim();
        let length = self.unit.length(review);
        let reference = items.iter().map(|item| self.unit.length(item)).sum();
        let is_clean = matches!(items.as_slice(), [only] if sphinx::is_no_comment(only));
        let decided = self.decide(row, review, &items, is_clean)?;
        // One short marker is no measure for the length of a review, and whoever says more about it gets nothing anyway.
        let factor = if is_clean { 1.0 } else { self.paid().map_or(1.0, |penalty| penalty.factor(length, reference)) };
        let measured = Measured { id: row.id.clone(), factor, length, reference, constants: self.constants() };
        let judged_by = row.judged_by.clone();
        Ok(match decided {
            Some(decided) => Begun::Rewarded(measured.reward(Decided { judged_by, ..decided }, items.len())),
            None => Begun::Open(Open { measured, review: review.to_owned(), items }),
        })
    }

    /// `None` where nothing in the row, nor in the words, decides.
    fn decide(&self, row: &Row, review: &str, items: &[String], is_clean: bool) -> Result<Option<Decided>, Error> {
        let given = [row.coverage.is_some(), row.verdicts.is_some(), row.count.is_some()];
        if given.iter().filter(|is| **is).count() > 1 {
            return Err(Error::Several);
        }
        let shared = |base: f64, by| Decided { base, by, ..Decided::default() };
        let counted =
            |addressed: u64, by| Decided { addressed: Some(addressed), ..shared(share(addressed, items.len()), by) };
        Ok(Some(if self.variant == Variant::Judge {
            shared(checked(row.judge.ok_or(Error::NoJudge)?, "judge")?, "judge")
        } else if is_clean {
            counted(u64::from(sphinx::is_no_comment(review)), "clean")
        } else if let Some(coverage) = row.coverage {
            shared(checked(coverage, "coverage")?, "coverage")
        } else if let Some(verdicts) = &row.verdicts {
            if verdicts.len() != items.len() {
                return Err(Error::Verdicts { verdicts: verdicts.len(), items: items.len() });
            }
            counted(verdicts.iter().filter(|holds| **holds).count() as u64, "verdicts")
        } else if let Some(answer) = &row.count {
            counted(count(answer, items.len() as u64)?, "count")
        } else if self.lexical {
            let said = if sphinx::is_no_comment(review) { BTreeSet::new() } else { content(review) };
            counted(items.iter().filter(|item| is_said(item, &said)).count() as u64, LEXICAL)
        } else {
            return Ok(None);
        }))
    }
}

/// How far one row alone leads.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// To its reward.
    Rewarded(Reward),
    /// To a question.
    Open(Open),
}

/// A review that somebody has to hold against its checklist.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    measured: Measured,
    review: String,
    items: Vec<String>,
}

/// What a row says of its reward without a decision.
#[derive(Debug, Clone, PartialEq)]
struct Measured {
    id: Option<String>,
    factor: f64,
    length: u64,
    reference: u64,
    constants: Constants,
}

impl Measured {
    fn reward(self, decided: Decided, items: usize) -> Reward {
        Reward {
            id: self.id,
            reward: Number::new(sphinx::reward(decided.base, self.factor)).unwrap_or_default(),
            base: Number::new(decided.base).unwrap_or_default(),
            factor: Number::new(self.factor).unwrap_or_default(),
            by: decided.by,
            judged_by: decided.judged_by,
            verdicts: decided.verdicts,
            items,
            addressed: decided.addressed,
            length: self.length,
            reference: self.reference,
            constants: self.constants,
        }
    }
}

/// What is rewarded, and who says so.
#[derive(Default)]
struct Decided {
    base: f64,
    by: &'static str,
    addressed: Option<u64>,
    judged_by: Option<String>,
    verdicts: Option<Vec<bool>>,
}

/// What a judge counted, at most `items`. Only a text is searched for its first integer: `1e-7` as a number is no 1.
fn count(answer: &Value, items: u64) -> Result<u64, Error> {
    match answer {
        Value::String(text) => Ok(sphinx::parse_count(text, items)),
        // Part of an item is no item, and less than nothing is nothing: the conversion cuts both.
        Value::Number(number) => Ok((number.as_f64().ok_or(Error::Count)? as u64).min(items)),
        _ => Err(Error::Count),
    }
}

fn share(of: u64, all: usize) -> f64 {
    Number::count(of).get() / Number::count(all as u64).get()
}

fn checked(share: f64, name: &'static str) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err(Error::Share(name)) }
}
