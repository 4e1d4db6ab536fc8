//! Intervals of a share: so many hits of so many trials.

use serde::{Deserialize, Serialize};

use super::distribution::{beta_quantile, normal_upper, tail};

/// From where to where a number may well lie. Written as `{"low": …, "high": …}` with at most ten decimals, an infinite end
/// as the string `inf` or `-inf`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The lower end.
    #[serde(with = "end")]
    pub low: f64,
    /// The upper end.
    #[serde(with = "end")]
    pub high: f64,
}

/// How an end is written.
mod end {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(end: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        match *end {
            f64::INFINITY => serializer.serialize_str("inf"),
            f64::NEG_INFINITY => serializer.serialize_str("-inf"),
            end => serializer.serialize_f64(crate::stats::rounded(end)),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        match value.as_str() {
            Some("inf") => Some(f64::INFINITY),
            Some("-inf") => Some(f64::NEG_INFINITY),
            _ => value.as_f64(),
        }
        .ok_or_else(|| D::Error::custom("neither a number nor `inf`"))
    }
}

/// Wilson's score interval without correction for continuity (Wilson 1927): near its level on the average, for small
/// numbers too. `None` without trials, with more hits than trials, or a level outside of 0 to 1.
pub fn wilson(hits: u64, of: u64, level: f64) -> Option<Interval> {
    let tail = tail(level).filter(|_| hits <= of && of > 0)?;
    let z = normal_upper(tail);
    let (k, n) = (hits as f64, of as f64);
    let middle = (k + z * z / 2.0) / (n + z * z);
    let half = z / (n + z * z) * (k * (n - k) / n + z * z / 4.0).sqrt();
    // The ends are exact where all or none hit; rounding must not move them past the share itself.
    let low = if hits == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if hits == of { 1.0 } else { (middle + half).min(1.0) };
    Some(Interval { low, high })
}

/// The exact interval of Clopper and Pearson (1934): never below its level, hence wider than [`wilson`]. `None` as there.
pub fn clopper_pearson(hits: u64, of: u64, level: f64) -> Option<Interval> {
    let tail = tail(level).filter(|_| hits <= of && of > 0)?;
    let (k, n) = (hits as f64, of as f64);
    let low = if hits == 0 { 0.0 } else { beta_quantile(tail, k, n - k + 1.0)? };
    // The upper end by symmetry: the same quantile of the misses.
    let high = if hits == of { 1.0 } else { 1.0 - beta_quantile(tail, n - k, k + 1.0)? };
    Some(Interval { low, high })
}
