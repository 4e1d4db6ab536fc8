//! How far a number can be trusted: intervals of shares and scores, comparison of two runs over the same cases, agreement
//! of judges and raters. Pure functions of numbers; a seed stands for every random draw.

mod agreement;
mod bootstrap;
mod distribution;
mod icc;
mod interval;
mod paired;
#[cfg(test)]
mod tests;

pub use agreement::{cohen_kappa, fleiss_kappa};
pub use bootstrap::{Bootstrap, Spread};
pub use icc::{Icc, icc};
pub use interval::{Interval, clopper_pearson, wilson};
pub use paired::Paired;

/// The mean; `None` of nothing. The sum is taken in the order given.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of a sample (divided by `n - 1`); `None` of fewer than two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Rounded to ten decimals, so that the last bits of a machine's logarithm change no byte of what is written.
pub fn rounded(number: f64) -> f64 {
    const SCALE: f64 = 1e10;
    let scaled = number * SCALE;
    // From 2^53 on a scaled number has no fraction left to round. Adding zero makes `-0` plain.
    if scaled.abs() < 9e15 { scaled.round() / SCALE + 0.0 } else { number }
}
