//! Agreement of raters who choose labels, beyond what chance alone gives.

use std::collections::BTreeMap;

/// Cohen's κ (1960) of two raters who each labelled the same items: `(observed - expected) / (1 - expected)` with what is
/// expected by chance from how often each uses each label. From -1 to 1. `None` without items. Where both use one same
/// label alone the quotient is 0/0; it counts as 1, as in the released scorer of SWE-PRBench.
pub fn cohen_kappa<L: Ord + Copy>(pairs: impl IntoIterator<Item = (L, L)>) -> Option<f64> {
    let mut uses = BTreeMap::<L, (u64, u64)>::new();
    let (mut items, mut agreed) = (0_u64, 0_u64);
    for (a, b) in pairs {
        items += 1;
        agreed += u64::from(a == b);
        uses.entry(a).or_default().0 += 1;
        uses.entry(b).or_default().1 += 1;
    }
    // In whole numbers, multiplied by the square of the items: no order of the items can change it.
    let items = u128::from(items);
    let all = items * items;
    let by_chance: u128 = uses.values().map(|(a, b)| u128::from(*a) * u128::from(*b)).sum();
    match items {
        0 => None,
        _ if by_chance == all => Some(1.0),
        _ => Some(((items * u128::from(agreed)) as f64 - by_chance as f64) / (all - by_chance) as f64),
    }
}

/// Fleiss' κ (1971) of any number of raters: `counts` has a row an item with how many raters chose each label, and every
/// row has the same sum of at least 2. `None` without items or where the rows differ in sum or length. One label alone
/// counts as 1, as in [`cohen_kappa`].
pub fn fleiss_kappa<R: AsRef<[u64]>>(counts: &[R]) -> Option<f64> {
    let counts: Vec<&[u64]> = counts.iter().map(AsRef::as_ref).collect();
    let first = *counts.first()?;
    let raters: u64 = first.iter().sum();
    if raters < 2 || counts.iter().any(|row| row.len() != first.len() || row.iter().sum::<u64>() != raters) {
        return None;
    }
    let items = counts.len() as u128;
    let raters = u128::from(raters);
    let square = |count: u64| u128::from(count) * u128::from(count);
    let pairs: u128 = counts.iter().copied().flatten().map(|count| square(*count)).sum::<u128>() - items * raters;
    let observed = pairs as f64 / (items * raters * (raters - 1)) as f64;
    let total = |label: usize| counts.iter().filter_map(|row| row.get(label)).sum::<u64>();
    let by_chance: u128 = (0..first.len()).map(|label| square(total(label))).sum();
    let all = (items * raters) * (items * raters);
    if by_chance == all {
        return Some(1.0);
    }
    let expected = by_chance as f64 / all as f64;
    Some((observed - expected) / (1.0 - expected))
}
