//! Intervals of scores that are no shares, and of shares where there are several answers about a case: cases are drawn again.
//! Answers about one case are drawn together, since they are no independent evidence.

use std::collections::BTreeMap;

use super::figure::Figure;
use crate::eval::score::{Measure, Number, Row, Scores};
use crate::eval::scoring::{Part, Table};
use crate::stats::{Bootstrap, Spread};

/// The cases of a run, to be drawn.
pub(super) struct Draws<'s> {
    scores: &'s Scores,
    /// The rows of each case, by its name.
    cases: Vec<Vec<&'s Row>>,
    table: Table<'s>,
    /// The measures of each case alone.
    alone: Vec<BTreeMap<String, Measure>>,
}

impl<'s> Draws<'s> {
    pub(super) fn new(scores: &'s Scores) -> Self {
        let mut cases = BTreeMap::<&str, Vec<&Row>>::new();
        for row in &scores.rows {
            cases.entry(&row.case).or_default().push(row);
        }
        let cases: Vec<Vec<&Row>> = cases.into_values().collect();
        let table = Table::new(&scores.protocol, &scores.variants, cases.iter().map(Vec::as_slice));
        let alone = (0..cases.len()).map(|case| table.measures(&[case])).collect();
        Self { scores, cases, table, alone }
    }

    /// Whether there are several answers about a case.
    pub(super) fn are_repeated(&self) -> bool {
        self.cases.iter().any(|rows| rows.len() > 1)
    }

    /// A share to which rows add so much above and below the line: Wilson's interval of single answers, else cases are drawn.
    pub(super) fn share<'r>(
        &self,
        measure: &Measure,
        parts: impl IntoIterator<Item = Part<'r>>,
        bootstrap: &Bootstrap,
    ) -> Figure {
        if !self.are_repeated() {
            return Figure::share(measure, bootstrap.level);
        }
        let parts = by_case(parts);
        Figure::of_cases(measure, sums(&parts, bootstrap), parts.len() as u64, bootstrap.level)
    }

    /// A share among the measures, with what came of its draws.
    pub(super) fn share_drawn(&self, name: &str, measure: &Measure, drawn: Option<Spread>, level: f64) -> Figure {
        let adds = |alone: &&BTreeMap<String, Measure>| {
            alone.get(name).and_then(|measure| measure.under).is_some_and(|under| under.get() > 0.0)
        };
        Figure::of_cases(measure, drawn, self.alone.iter().filter(adds).count() as u64, level)
    }

    /// A mean to which rows add so much above and below the line.
    pub(super) fn mean<'r>(
        measure: &Measure,
        parts: impl IntoIterator<Item = Part<'r>>,
        bootstrap: &Bootstrap,
    ) -> Figure {
        Figure::drawn(measure, sums(&by_case(parts), bootstrap))
    }

    /// What came of the draws of these measures, of those that could be drawn.
    pub(super) fn spreads(&self, names: &[&String], bootstrap: &Bootstrap) -> BTreeMap<String, Spread> {
        let (mut found, mut others) = (BTreeMap::new(), Vec::new());
        for name in names {
            match self.parts(name) {
                Some(parts) => found.extend(sums(&parts, bootstrap).map(|spread| ((*name).clone(), spread))),
                None => others.push(*name),
            }
        }
        found.extend(self.again(&others, bootstrap));
        found
    }

    /// What each case adds above and below the line of a measure; `None` where it is more than a quotient of two sums.
    fn parts(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let part = |measure: &Measure| Some((measure.over?.get(), measure.under?.get()));
        let parts: Vec<(f64, f64)> = self.alone.iter().map(|alone| part(alone.get(name)?)).collect::<Option<_>>()?;
        let whole = self.scores.measures.get(name)?;
        let (over, under) = part(whole)?;
        let sum = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let is_near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(1.0);
        // A score that falls back on another rule, where its weights are zero, is no such quotient.
        let value = Measure::quotient(over, under).value.map(Number::get);
        let is_quotient = match (value, whole.value.map(Number::get)) {
            (Some(one), Some(other)) => one == other || is_near(one, other),
            (None, None) => true,
            _ => false,
        };
        (is_near(sum.0, over) && is_near(sum.1, under) && is_quotient).then_some(parts)
    }

    /// The whole formula over every draw.
    fn again(&self, names: &[&String], bootstrap: &Bootstrap) -> BTreeMap<String, Spread> {
        let mut values: BTreeMap<&str, Vec<f64>> = names.iter().map(|name| (name.as_str(), Vec::new())).collect();
        let faulty = self.cases.iter().filter(|rows| rows.iter().any(|row| !row.clean)).count();
        if names.is_empty() || faulty < 2 {
            return BTreeMap::new();
        }
        let mut draws = 0;
        bootstrap.each(self.cases.len(), |places| {
            draws += 1;
            let measures = self.table.measures(places);
            for (name, values) in &mut values {
                values.extend(measures.get(*name).and_then(|measure| measure.value).map(Number::get));
            }
        });
        values.into_iter().map(|(name, values)| (name.to_owned(), bootstrap.spread(values, draws))).collect()
    }
}

/// What each case adds, of those that add anything.
fn by_case<'r>(parts: impl IntoIterator<Item = Part<'r>>) -> Vec<(f64, f64)> {
    let mut cases = BTreeMap::<&str, (f64, f64)>::new();
    for (row, (over, under)) in parts {
        let case = cases.entry(&row.case).or_default();
        *case = (case.0 + over, case.1 + under);
    }
    cases.into_values().filter(|part| *part != (0.0, 0.0)).collect()
}

/// The draws of a quotient of two sums; none where fewer than two cases add anything to it.
fn sums(parts: &[(f64, f64)], bootstrap: &Bootstrap) -> Option<Spread> {
    if parts.iter().filter(|part| **part != (0.0, 0.0)).count() < 2 {
        return None;
    }
    let score = |places: &[usize]| {
        let drawn = places.iter().filter_map(|at| parts.get(*at));
        let (over, under) = drawn.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        Measure::quotient(over, under).value.map(Number::get)
    };
    Some(bootstrap.of(parts.len(), score))
}
