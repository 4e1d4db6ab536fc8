//! Agreement of raters who give numbers.

use serde::{Serialize, Serializer};

use super::distribution::{f_quantile, tail};
use super::interval::Interval;
use super::rounded;

/// Intraclass correlations where every rater rates every item and both are samples of more (two-way random effects,
/// absolute agreement; Shrout and Fleiss 1979, case 2; McGraw and Wong 1996). `None`: the quotient is undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Icc {
    /// Items rated by all.
    pub items: usize,
    /// Raters.
    pub raters: usize,
    /// ICC(2,1): how far one rater can be relied on.
    #[serde(serialize_with = "written")]
    pub single: Option<f64>,
    /// Its interval, from F distributions.
    pub single_interval: Option<Interval>,
    /// ICC(2,k): how far the mean of these raters can be.
    #[serde(serialize_with = "written")]
    pub average: Option<f64>,
    /// Its interval.
    pub average_interval: Option<Interval>,
}

fn written<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(rounded).serialize(serializer)
}

/// What is left of terms of size 1 that cancel out: dividing by less gives a number made of rounding alone.
const TINY: f64 = 1e-9;

/// Mean squares of a two-way table.
struct Squares {
    items: f64,
    raters: f64,
    between_items: f64,
    between_raters: f64,
    error: f64,
}

/// Both correlations of a table with a row an item and a column a rater. `None` for fewer than two rows or columns, rows of
/// different length, numbers that are not finite, or where all numbers are the same.
pub fn icc<R: AsRef<[f64]>>(rows: &[R], level: f64) -> Option<Icc> {
    let rows: Vec<&[f64]> = rows.iter().map(AsRef::as_ref).collect();
    let squares = Squares::of(&rows)?;
    let Squares { items: n, raters: k, between_items, between_raters, error } = squares;
    let scale = between_items + (k * between_raters + k * error) / n + error;
    let quotient = |below: f64| Some((between_items - error) / below).filter(|_| below > TINY * scale);
    let single = quotient(between_items + (k - 1.0) * error + k * (between_raters - error) / n);
    let average = quotient(between_items + (between_raters - error) / n);
    let single_interval = single.and_then(|single| squares.interval(single, level));
    // Spearman and Brown's step from one rater to the mean of k, for each end.
    let step = |end: f64| Some(k * end / (1.0 + (k - 1.0) * end)).filter(|_| 1.0 + (k - 1.0) * end > TINY);
    let average_interval = single_interval
        .and_then(|interval| Some(Interval { low: step(interval.low)?, high: step(interval.high)? }))
        .filter(|_| average.is_some());
    Some(Icc { items: rows.len(), raters: rows.first()?.len(), single, single_interval, average, average_interval })
}

impl Squares {
    fn of(rows: &[&[f64]]) -> Option<Self> {
        let raters = rows.first()?.len();
        let all = || rows.iter().copied().flatten().copied();
        let first = all().next()?;
        let is_table = rows.len() > 1 && raters > 1 && rows.iter().all(|row| row.len() == raters);
        if !is_table || !all().all(f64::is_finite) || all().all(|value| value == first) {
            return None;
        }
        let (n, k) = (rows.len() as f64, raters as f64);
        let grand = all().sum::<f64>() / (n * k);
        let of_row: Vec<f64> = rows.iter().map(|row| row.iter().sum::<f64>() / k).collect();
        let of_column: Vec<f64> = (0..raters).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / n).collect();
        let spread = |means: &[f64]| means.iter().map(|mean| (mean - grand).powi(2)).sum::<f64>();
        let rest: f64 = rows
            .iter()
            .zip(&of_row)
            .flat_map(|(row, of_row)| row.iter().zip(&of_column).map(move |(value, column)| value - of_row - column))
            .map(|rest| (rest + grand).powi(2))
            .sum();
        let squares = Self {
            items: n,
            raters: k,
            between_items: k * spread(&of_row) / (n - 1.0),
            between_raters: n * spread(&of_column) / (k - 1.0),
            error: rest / ((n - 1.0) * (k - 1.0)),
        };
        // Ratings of which the squares overflow have no correlation that can be told.
        let ends = [squares.between_items, squares.between_raters, squares.error];
        ends.iter().all(|value| value.is_finite()).then_some(squares)
    }

    /// Of ICC(2,1), by Satterthwaite's degrees of freedom (Shrout and Fleiss 1979; McGraw and Wong 1996, table 7).
    fn interval(&self, icc: f64, level: f64) -> Option<Interval> {
        let tail = tail(level)?;
        let Self { items: n, raters: k, between_items, between_raters, error } = *self;
        let ratio = between_raters / error;
        let weight = n * (1.0 + (k - 1.0) * icc) - k * icc;
        let above = (k - 1.0) * (n - 1.0) * (k * icc * ratio + weight).powi(2);
        let below = (n - 1.0) * k.powi(2) * icc.powi(2) * ratio.powi(2) + weight.powi(2);
        let degrees = Some(above / below).filter(|degrees| degrees.is_finite() && *degrees > 0.0)?;
        let upper = f_quantile(1.0 - tail, n - 1.0, degrees)?;
        let lower = f_quantile(1.0 - tail, degrees, n - 1.0)?;
        let rest = k * between_raters + (k * n - k - n) * error;
        let below = upper * rest + n * between_items;
        let is_defined = below > TINY * (upper * (k * between_raters + k * n * error) + n * between_items);
        let low = n * (between_items - upper * error) / below;
        let high = n * (lower * between_items - error) / (rest + n * lower * between_items);
        (is_defined && low.is_finite() && high.is_finite()).then_some(Interval { low, high })
    }
}
