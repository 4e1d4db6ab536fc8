//! How far raters agree: people among themselves, a judge with people, two judges. Labels by κ; numbers by their mean
//! (mean opinion score) and intraclass correlations, as Sphinx (appendix E) and SWE-PRBench (section 5.4) report them.

mod form;
mod measure;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use super::score::Number;
use crate::escape::visible;
use crate::record;
use crate::stats::{Bootstrap, Icc, Interval, Spread};

pub use form::{STATEMENTS, Statement, form};
pub use measure::measure;
pub use table::{DESCRIBING, Table};

/// The format of [`Agreement`].
pub const FORMAT: &str = "diffsieve.agreement/v1";

/// Why ratings cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error(transparent)]
    Records(#[from] record::Error),
    /// A column that somebody named.
    #[error("there is no column `{}`; there are: {}", visible(name), visible(known))]
    NoColumn {
        /// Its name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// Fewer or more raters than can be compared.
    #[error(
        "{count} columns hold ratings, and 2 to {} can be compared; the columns are: {} (name raters with --raters)",
        table::MOST_RATERS,
        visible(known)
    )]
    Raters {
        /// How many.
        count: usize,
        /// All columns.
        known: String,
    },
    /// A label where numbers are expected.
    #[error("`{}` of rater `{}` is no number; with --scale nominal, ratings are labels", visible(cell), visible(rater))]
    NoNumber {
        /// What is there.
        cell: String,
        /// Whose.
        rater: String,
    },
    /// A number that no scale of ratings has.
    #[error(
        "row {row}, column `{}`: `{}` is no rating, which is a number from -{} to {}; with --scale nominal, ratings are \
         labels, and an empty cell is a missing one",
        visible(rater),
        visible(cell),
        measure::MOST,
        measure::MOST
    )]
    NoRating {
        /// What is there.
        cell: String,
        /// Whose.
        rater: String,
        /// Which item, from 1.
        row: usize,
    },
}

/// What kind of ratings these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Labels without order.
    Nominal,
    /// Numbers whose distances mean something.
    Numeric,
}

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Columns of raters; none: all columns but [`DESCRIBING`] and [`Self::by`].
    pub raters: Vec<String>,
    /// Also compare within each value of this column.
    pub by: Option<String>,
    /// `None`: numeric where every rating is a number.
    pub scale: Option<Scale>,
    /// How intervals are drawn: whole items, with all their ratings.
    pub bootstrap: Bootstrap,
}

/// How far raters agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// [`FORMAT`].
    pub format: &'static str,
    /// What the ratings were taken for.
    pub scale: Scale,
    /// Draws of the bootstrap.
    pub resamples: u32,
    /// What they began with.
    pub seed: u64,
    /// Of every interval, 0 to 1.
    pub level: Number,
    /// Over all items.
    pub all: Measured,
    /// Over the items of each group.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<String, Measured>,
}

/// What some items give.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Rows.
    pub items: usize,
    /// Rows that every rater rated.
    pub complete: usize,
    /// Cells that hold a rating.
    pub ratings: usize,
    /// One by one.
    pub raters: Vec<Rater>,
    /// Every two raters of labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// All raters of labels together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleiss: Option<Fleiss>,
    /// The mean of all numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mos: Option<Mos>,
    /// Intraclass correlations over the complete rows, with intervals from F distributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icc: Option<Icc>,
    /// ICC(2,k) over complete rows drawn again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icc_average_spread: Option<Spread>,
}

/// What one rater gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rater {
    /// The column.
    pub name: String,
    /// How many.
    pub ratings: usize,
    /// Of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<Number>,
    /// Of numbers, divided by `n - 1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Number>,
    /// How often which label.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, u64>,
}

/// Two raters of labels, over the items that both rated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// One.
    pub a: String,
    /// The other.
    pub b: String,
    /// Items that both rated.
    pub items: u64,
    /// Of these, items with the same label.
    pub agreed: u64,
    /// Their share.
    pub agreement: Option<Number>,
    /// Wilson's interval of it.
    pub agreement_interval: Option<Interval>,
    /// Cohen's κ.
    pub kappa: Option<Number>,
    /// Items drawn again; not there for more than ten raters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kappa_spread: Option<Spread>,
}

/// Fleiss' κ over the complete rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fleiss {
    /// Rows.
    pub items: usize,
    /// From below 0 to 1.
    pub kappa: Option<Number>,
    /// Items drawn again.
    pub spread: Spread,
}

/// The mean opinion score: the mean of all ratings, each counted once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mos {
    /// On the scale of the ratings.
    pub value: Option<Number>,
    /// Of all ratings, divided by `n - 1`.
    pub deviation: Option<Number>,
    /// Items drawn again. The raters stay the same, so it says nothing about other raters.
    pub spread: Spread,
}
