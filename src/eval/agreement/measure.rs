//! From a table to numbers.

use std::collections::BTreeMap;

use super::table::{MOST_RATERS, Table};
use super::{Agreement, Error, FORMAT, Fleiss, Measured, Mos, Options, Pair, Rater, Scale};
use crate::eval::score::Number;
use crate::stats::{Bootstrap, cohen_kappa, deviation, fleiss_kappa, icc, mean, wilson};

/// Up to this many raters every two of them get an interval; drawing is what takes time.
const DRAWN: usize = 10;

/// The largest rating, and without its sign the smallest: beyond it doubles have no halves, and squares lose the rest.
pub(super) const MOST: f64 = 1e15;

/// Compares the raters of a table.
pub fn measure(table: &Table, options: &Options) -> Result<Agreement, Error> {
    let by = options.by.as_ref().map(|name| table.column(name)).transpose()?;
    let places = table.raters(&options.raters, by)?;
    let raters: Vec<&str> = places.iter().map(|at| table.columns[*at].as_str()).collect();
    let rows: Vec<Vec<&str>> =
        table.rows.iter().map(|row| places.iter().map(|at| row[*at].as_str()).collect()).collect();
    let scale = options.scale.unwrap_or_else(|| {
        // `nan` and `inf` are numbers here, so that one of them among ratings is refused and does not make them labels.
        let is_number = |cell: &&str| cell.is_empty() || cell.parse::<f64>().is_ok();
        if rows.iter().flatten().all(is_number) { Scale::Numeric } else { Scale::Nominal }
    });
    if scale == Scale::Numeric {
        in_range(&raters, &rows)?;
    }
    let measured = |rows: &[&[&str]]| match scale {
        Scale::Numeric => numeric(&raters, rows, options.bootstrap),
        Scale::Nominal => Ok(nominal(&raters, rows, options.bootstrap)),
    };
    let mut groups = BTreeMap::<&str, Vec<&[&str]>>::new();
    for (row, cells) in table.rows.iter().zip(&rows).filter(|_| by.is_some()) {
        groups.entry(by.and_then(|at| row.get(at)).map_or("", String::as_str)).or_default().push(cells);
    }
    let all: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    Ok(Agreement {
        format: FORMAT,
        scale,
        resamples: options.bootstrap.resamples,
        seed: options.bootstrap.seed,
        level: Number::new(options.bootstrap.level).unwrap_or_default(),
        all: measured(&all)?,
        by: groups
            .into_iter()
            .map(|(name, rows)| Ok((name.to_owned(), measured(&rows)?)))
            .collect::<Result<_, Error>>()?,
    })
}

impl Table {
    fn known(&self) -> String {
        self.columns.join(", ")
    }

    fn column(&self, name: &str) -> Result<usize, Error> {
        let place = self.columns.iter().position(|column| column == name);
        place.ok_or_else(|| Error::NoColumn { name: name.to_owned(), known: self.known() })
    }

    /// The places of the raters' columns in their order: those named, or all that do not describe the item.
    fn raters(&self, named: &[String], by: Option<usize>) -> Result<Vec<usize>, Error> {
        let mut raters = if named.is_empty() {
            let describes = |name: &str| super::DESCRIBING.iter().any(|known| known.eq_ignore_ascii_case(name));
            let columns = self.columns.iter().enumerate();
            columns.filter(|(at, name)| !describes(name) && Some(*at) != by).map(|(at, _)| at).collect()
        } else {
            named.iter().map(|name| self.column(name)).collect::<Result<Vec<_>, _>>()?
        };
        raters.sort_unstable();
        raters.dedup();
        match raters.len() {
            2..=MOST_RATERS => Ok(raters),
            count => Err(Error::Raters { count, known: self.known() }),
        }
    }
}

/// Whether every number is one that a scale of ratings can have.
fn in_range(raters: &[&str], rows: &[Vec<&str>]) -> Result<(), Error> {
    let is_none = |cell: &str| cell.parse().is_ok_and(|number: f64| number.is_nan() || number.abs() > MOST);
    for (row, number) in rows.iter().zip(1..) {
        if let Some((cell, rater)) = row.iter().zip(raters).find(|(cell, _)| is_none(cell)) {
            return Err(Error::NoRating { cell: (*cell).to_owned(), rater: (*rater).to_owned(), row: number });
        }
    }
    Ok(())
}

fn numeric(raters: &[&str], rows: &[&[&str]], bootstrap: Bootstrap) -> Result<Measured, Error> {
    let mut by_rater = vec![Vec::new(); raters.len()];
    let (mut table, mut complete) = (Vec::new(), Vec::new());
    for row in rows {
        let mut given = Vec::new();
        for ((cell, rater), theirs) in
            row.iter().zip(raters).zip(&mut by_rater).filter(|((cell, _), _)| !cell.is_empty())
        {
            let no_number = || Error::NoNumber { cell: (*cell).to_owned(), rater: (*rater).to_owned() };
            let value = cell.parse().map_err(|_| no_number())?;
            given.push(value);
            theirs.push(value);
        }
        if given.len() == raters.len() {
            complete.push(given.clone());
        }
        table.push(given);
    }
    let ratings: Vec<f64> = table.iter().flatten().copied().collect();
    let of_all = |drawn: &[usize]| {
        let drawn: Vec<f64> = drawn.iter().flat_map(|at| &table[*at]).copied().collect();
        mean(&drawn)
    };
    let average = |drawn: &[usize]| {
        let drawn: Vec<&[f64]> = drawn.iter().map(|at| complete[*at].as_slice()).collect();
        icc(&drawn, bootstrap.level).and_then(|icc| icc.average)
    };
    let correlation = icc(&complete, bootstrap.level);
    let rater = |(name, theirs): (&&str, &Vec<f64>)| Rater {
        name: (*name).to_owned(),
        ratings: theirs.len(),
        mean: mean(theirs).and_then(Number::new),
        deviation: deviation(theirs).and_then(Number::new),
        labels: BTreeMap::new(),
    };
    Ok(Measured {
        items: rows.len(),
        complete: complete.len(),
        ratings: ratings.len(),
        raters: raters.iter().zip(&by_rater).map(rater).collect(),
        pairs: Vec::new(),
        fleiss: None,
        mos: Some(Mos {
            value: mean(&ratings).and_then(Number::new),
            deviation: deviation(&ratings).and_then(Number::new),
            spread: bootstrap.of(table.len(), of_all),
        }),
        icc: correlation,
        icc_average_spread: correlation.map(|_| bootstrap.of(complete.len(), average)),
    })
}

fn nominal(raters: &[&str], rows: &[&[&str]], bootstrap: Bootstrap) -> Measured {
    let mut counts = vec![BTreeMap::<String, u64>::new(); raters.len()];
    let mut complete = Vec::new();
    for row in rows {
        for (cell, theirs) in row.iter().zip(&mut counts).filter(|(cell, _)| !cell.is_empty()) {
            *theirs.entry((*cell).to_owned()).or_default() += 1;
        }
        if row.iter().all(|cell| !cell.is_empty()) {
            complete.push(*row);
        }
    }
    let pairs = (0..raters.len()).flat_map(|a| (a + 1..raters.len()).map(move |b| (a, b)));
    let labels: BTreeMap<&str, usize> = {
        let all: std::collections::BTreeSet<&str> = complete.iter().copied().flatten().copied().collect();
        all.into_iter().zip(0..).collect()
    };
    let table: Vec<Vec<u64>> = complete.iter().map(|row| row_of_counts(row, &labels)).collect();
    let together = |drawn: &[usize]| {
        let drawn: Vec<&[u64]> = drawn.iter().map(|at| table[*at].as_slice()).collect();
        fleiss_kappa(&drawn)
    };
    let rater = |(name, labels): (&&str, &BTreeMap<String, u64>)| Rater {
        name: (*name).to_owned(),
        ratings: labels.values().sum::<u64>() as usize,
        mean: None,
        deviation: None,
        labels: labels.clone(),
    };
    let of_raters: Vec<Rater> = raters.iter().zip(&counts).map(rater).collect();
    Measured {
        items: rows.len(),
        complete: complete.len(),
        ratings: of_raters.iter().map(|rater| rater.ratings).sum(),
        raters: of_raters,
        pairs: pairs.map(|(a, b)| pair(raters, rows, (a, b), bootstrap)).collect(),
        fleiss: Some(Fleiss {
            items: complete.len(),
            kappa: fleiss_kappa(&table).and_then(Number::new),
            spread: bootstrap.of(table.len(), together),
        }),
        mos: None,
        icc: None,
        icc_average_spread: None,
    }
}

fn row_of_counts(row: &[&str], labels: &BTreeMap<&str, usize>) -> Vec<u64> {
    let mut counts = vec![0; labels.len()];
    for cell in row {
        if let Some(count) = labels.get(cell).and_then(|at| counts.get_mut(*at)) {
            *count += 1;
        }
    }
    counts
}

fn pair(raters: &[&str], rows: &[&[&str]], (a, b): (usize, usize), bootstrap: Bootstrap) -> Pair {
    let both: Vec<(&str, &str)> =
        rows.iter().map(|row| (row[a], row[b])).filter(|(one, other)| !one.is_empty() && !other.is_empty()).collect();
    let agreed = both.iter().filter(|(one, other)| one == other).count() as u64;
    let items = both.len() as u64;
    let kappa_of = |drawn: &[usize]| cohen_kappa(drawn.iter().map(|at| both[*at]));
    Pair {
        a: raters[a].to_owned(),
        b: raters[b].to_owned(),
        items,
        agreed,
        agreement: Number::new(agreed as f64 / items as f64),
        agreement_interval: wilson(agreed, items, bootstrap.level),
        kappa: cohen_kappa(both.iter().copied()).and_then(Number::new),
        kappa_spread: (raters.len() <= DRAWN).then(|| bootstrap.of(both.len(), kappa_of)),
    }
}
