//! Quantiles and tails of the distributions that intervals and tests need, over the regularised incomplete beta function.

use statrs::function::beta::checked_beta_reg;
use statrs::function::erf::erfc_inv;
use statrs::function::gamma::ln_gamma;

/// What a two-sided interval of this level leaves out on each side; `None` unless the level lies between 0 and 1.
pub(super) fn tail(level: f64) -> Option<f64> {
    (level > 0.0 && level < 1.0).then(|| (1.0 - level) / 2.0)
}

/// The point of the standard normal distribution above which `tail` lies.
pub(super) fn normal_upper(tail: f64) -> f64 {
    std::f64::consts::SQRT_2 * erfc_inv(2.0 * tail)
}

/// The point of the beta distribution below which `share` lies. Found by halving, so it is as good as the function itself
/// and always ends.
pub(super) fn beta_quantile(share: f64, a: f64, b: f64) -> Option<f64> {
    let (mut low, mut high) = (0.0, 1.0);
    // A double between 0 and 1 is pinned down by far fewer.
    for _ in 0..1_100 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if checked_beta_reg(a, b, middle).ok()? < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low + (high - low) / 2.0)
}

/// The point of the F distribution with these degrees of freedom, whole or not, below which `share` lies.
pub(super) fn f_quantile(share: f64, above: f64, below: f64) -> Option<f64> {
    // From the nearer end: the quotient loses nothing there.
    let (x, rest) = if share > 0.5 {
        let rest = beta_quantile(1.0 - share, below / 2.0, above / 2.0)?;
        (1.0 - rest, rest)
    } else {
        let x = beta_quantile(share, above / 2.0, below / 2.0)?;
        (x, 1.0 - x)
    };
    Some(below * x / (above * rest)).filter(|value| value.is_finite())
}

/// The chance of exactly, and of at most, `hits` heads in `of` throws of a fair coin.
pub(super) fn coin(hits: u64, of: u64) -> Option<(f64, f64)> {
    let (k, n) = (hits as f64, of as f64);
    let exactly = (ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0) - n * std::f64::consts::LN_2).exp();
    let at_most = if hits >= of { 1.0 } else { checked_beta_reg(n - k, k + 1.0, 0.5).ok()? };
    Some((exactly, at_most))
}
