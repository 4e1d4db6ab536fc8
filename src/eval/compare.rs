//! Two runs over the same cases. Whole cases are drawn again, with everything that both runs said of them, so that what
//! makes a case easy or hard for both cancels out; known faults are compared one by one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use super::score::{Number, Row, Scores, Variants};
use super::scoring::Table;
use super::table::chosen;
use super::{PROTOCOLS, find};
use crate::stats::{Bootstrap, Paired, Spread};

/// The format of [`Comparison`].
pub const FORMAT: &str = "diffsieve.comparison/v1";

/// How the second run differs from the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`FORMAT`].
    pub format: &'static str,
    /// Name of the protocol.
    pub protocol: String,
    /// What was chosen, the same for both.
    pub variants: Variants,
    /// Name of the dataset.
    pub dataset: String,
    /// Digest of its cases, the same for both.
    pub digest: String,
    /// What the runs differ in, of all that decides their answers, as first and second; null where one has no such setting.
    pub configuration: BTreeMap<String, (Value, Value)>,
    /// Cases that both runs answered; all numbers below are about these.
    pub cases: usize,
    /// Cases that the first run alone answered.
    pub only_a: Vec<String>,
    /// Cases that the second run alone answered.
    pub only_b: Vec<String>,
    /// Draws of the bootstrap.
    pub resamples: u32,
    /// What they began with.
    pub seed: u64,
    /// Of the intervals, 0 to 1.
    pub level: Number,
    /// By name.
    pub measures: BTreeMap<String, Difference>,
    /// Known faults, found by whom.
    pub faults: Faults,
    /// Clean cases, commented on by whom.
    pub alarms: Test,
}

/// A measure of both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Of the first.
    pub a: Option<Number>,
    /// Of the second.
    pub b: Option<Number>,
    /// `b - a`; undefined where one of them is, or both are infinite.
    pub difference: Option<Number>,
    /// Of `b - a`, cases drawn again.
    pub spread: Spread,
}

/// Things that each run did or did not do, by McNemar's test. It takes them for independent, which faults of one case may
/// not be; the intervals of [`Comparison::measures`] do not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Test {
    /// How many.
    pub counts: Paired,
    /// The exact test, two-sided; undefined where the runs never differ.
    pub exact: Option<Number>,
    /// Its mid-p.
    pub mid: Option<Number>,
}

/// Known faults one by one, in the first answer about each case that both runs gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Faults {
    /// The test.
    pub test: Test,
    /// Found by the first run alone, as case and fault.
    pub only_a: Vec<(String, String)>,
    /// Found by the second run alone.
    pub only_b: Vec<(String, String)>,
}

impl Test {
    fn of(counts: Paired) -> Self {
        Self { counts, exact: counts.exact().and_then(Number::new), mid: counts.mid().and_then(Number::new) }
    }
}

/// Rows of a case, of the first and of the second run.
type Rows<'s> = (Vec<&'s Row>, Vec<&'s Row>);

/// Compares the scores of two runs.
pub fn compare(a: &Scores, b: &Scores, bootstrap: Bootstrap) -> Result<Comparison, Error> {
    check(a, b)?;
    let mut rows = BTreeMap::<&str, Rows<'_>>::new();
    for row in &a.rows {
        rows.entry(&row.case).or_default().0.push(row);
    }
    for row in &b.rows {
        rows.entry(&row.case).or_default().1.push(row);
    }
    let names = |is: fn(&Rows<'_>) -> bool| -> Vec<String> {
        rows.iter().filter(|(_, rows)| is(rows)).map(|(case, _)| (*case).to_owned()).collect()
    };
    let (only_a, only_b) = (names(|rows| rows.1.is_empty()), names(|rows| rows.0.is_empty()));
    let cases: Vec<Rows<'_>> = rows.into_values().filter(|rows| !rows.0.is_empty() && !rows.1.is_empty()).collect();
    if cases.is_empty() {
        return Err(Error::input("the two runs", "they answered no case in common"));
    }
    Ok(Comparison {
        format: FORMAT,
        protocol: a.protocol.clone(),
        variants: a.variants.clone(),
        dataset: a.dataset.clone(),
        digest: a.digest.clone(),
        configuration: settings(a, b),
        cases: cases.len(),
        only_a,
        only_b,
        resamples: bootstrap.resamples,
        seed: bootstrap.seed,
        level: Number::new(bootstrap.level).unwrap_or_default(),
        measures: differences(a, &cases, bootstrap),
        faults: faults(&cases),
        alarms: alarms(&cases),
    })
}

/// Numbers of another protocol, of other cases or of another judge are no numbers of the same thing.
fn check(a: &Scores, b: &Scores) -> Result<(), Error> {
    for scores in [a, b] {
        if scores.format != super::score::FORMAT {
            return Err(Error::input("the scores", format!("their format is not {}", super::score::FORMAT)));
        }
    }
    for scores in [a, b] {
        if find(&scores.protocol).is_none() {
            let known: Vec<&str> = PROTOCOLS.iter().map(|protocol| protocol.name).collect();
            let what = format!("`{}` is no protocol; the protocols are {}", scores.protocol, known.join(", "));
            return Err(Error::input("the scores", what));
        }
    }
    if a.protocol != b.protocol {
        let what = format!("one is of {}, the other of {}; score both by one protocol", a.protocol, b.protocol);
        return Err(Error::input("the scores", what));
    }
    if a.digest != b.digest {
        let what = "the runs answered other cases (the digests of their datasets differ)";
        return Err(Error::input("the scores", what));
    }
    if a.variants != b.variants {
        let (one, other) = (chosen(&a.variants), chosen(&b.variants));
        let what = format!("they were scored in different ways: {one}; and {other}: score, or judge, both in one way");
        return Err(Error::input("the scores", what));
    }
    Ok(())
}

fn settings(a: &Scores, b: &Scores) -> BTreeMap<String, (Value, Value)> {
    let names: BTreeSet<&String> = a.configuration.keys().chain(b.configuration.keys()).collect();
    let of = |scores: &Scores, name: &String| scores.configuration.get(name).cloned().unwrap_or_default();
    let both = names.into_iter().map(|name| (name.clone(), (of(a, name), of(b, name))));
    both.filter(|(_, (one, other))| one != other).collect()
}

fn differences(a: &Scores, cases: &[Rows<'_>], bootstrap: Bootstrap) -> BTreeMap<String, Difference> {
    let one = Table::new(&a.protocol, &a.variants, cases.iter().map(|(of_a, _)| &of_a[..]));
    let other = Table::new(&a.protocol, &a.variants, cases.iter().map(|(_, of_b)| &of_b[..]));
    let both = |places: &[usize]| (one.measures(places), other.measures(places));
    let (of_a, of_b) = both(&(0..cases.len()).collect::<Vec<_>>());
    let names: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    let mut drawn: BTreeMap<&str, Vec<f64>> = names.iter().map(|name| (name.as_str(), Vec::new())).collect();
    let mut draws = 0;
    bootstrap.each(cases.len(), |places| {
        draws += 1;
        let (of_a, of_b) = both(places);
        for (name, found) in &mut drawn {
            let value = |measures: &super::score::Measures| measures.get(*name)?.value;
            found.extend(value(&of_a).zip(value(&of_b)).and_then(|(one, other)| minus(other, one)).map(Number::get));
        }
    });
    let difference = |(name, found): (&str, Vec<f64>)| {
        let value = |measures: &super::score::Measures| measures.get(name)?.value;
        let (one, other) = (value(&of_a), value(&of_b));
        let difference = one.zip(other).and_then(|(one, other)| minus(other, one));
        (name.to_owned(), Difference { a: one, b: other, difference, spread: bootstrap.spread(found, draws) })
    };
    drawn.into_iter().map(difference).collect()
}

fn minus(one: Number, other: Number) -> Option<Number> {
    Number::new(one.get() - other.get())
}

/// The first answers about a case that carry the same number.
fn first<'s>((of_a, of_b): &Rows<'s>) -> Option<(&'s Row, &'s Row)> {
    let twin = |row: &&'s Row| of_b.iter().copied().find(|other| other.sample == row.sample);
    of_a.iter().copied().find_map(|row| Some((row, twin(&row)?)))
}

fn faults(cases: &[Rows<'_>]) -> Faults {
    let (mut all, mut only_a, mut only_b) = (Vec::new(), Vec::new(), Vec::new());
    for (one, other) in cases.iter().filter_map(first) {
        let found: BTreeMap<&str, bool> = other.known.iter().map(|known| (known.id.as_str(), known.found)).collect();
        for known in &one.known {
            let Some(by_b) = found.get(known.id.as_str()) else { continue };
            all.push((known.found, *by_b));
            let name = (one.case.clone(), known.id.clone());
            match (known.found, *by_b) {
                (true, false) => only_a.push(name),
                (false, true) => only_b.push(name),
                _ => {}
            }
        }
    }
    Faults { test: Test::of(all.into_iter().collect()), only_a, only_b }
}

fn alarms(cases: &[Rows<'_>]) -> Test {
    let clean = cases.iter().filter_map(first).filter(|(one, _)| one.clean);
    let spoke = |row: &Row| row.get("comments") > 0.0;
    Test::of(clean.map(|(one, other)| (spoke(one), spoke(other))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score::{Hits, Known};
    use crate::stats::Interval;

    const FEW: Bootstrap = Bootstrap { resamples: 300, seed: 1, level: 0.95 };

    /// A row of CR-Bench with one known bug, or a clean one.
    fn row(case: usize, clean: bool, found: bool, comments: u32) -> Row {
        let number = |value: f64| Number::new(value).expect("it is one");
        let of = |is: bool| number(if is { 1.0 } else { 0.0 });
        let known = Known { id: "bug".to_owned(), found, ..Known::default() };
        let values = [
            ("comments", number(f64::from(comments))),
            ("known", of(!clean)),
            ("found", of(found)),
            ("hit_comments", of(found)),
            ("valid", number(0.0)),
            ("noise", number(f64::from(comments) - if found { 1.0 } else { 0.0 })),
        ];
        Row {
            case: format!("case-{case:02}"),
            clean,
            values: values.map(|(name, value)| (name.to_owned(), value)).into(),
            known: if clean { Vec::new() } else { vec![known] },
            ..Row::default()
        }
    }

    fn scores(rows: Vec<Row>) -> Scores {
        Scores {
            format: crate::eval::score::FORMAT.to_owned(),
            protocol: "cr-bench".to_owned(),
            digest: "d".to_owned(),
            variants: Variants { hits: Some(Hits::PerBug), ..Variants::default() },
            rows,
            ..Scores::default()
        }
    }

    /// 20 bugs, of which the first finds 5 and the second these and 10 more; 10 clean cases, 4 alarms of the first.
    fn two() -> (Scores, Scores) {
        let bugs = |most: usize| (0..20).map(move |at| row(at, false, at < most, 2));
        let clean = |alarms: usize| (20..30).map(move |at| row(at, true, false, u32::from(at < 20 + alarms)));
        (scores(bugs(5).chain(clean(4)).collect()), scores(bugs(15).chain(clean(0)).collect()))
    }

    #[test]
    fn the_better_run_is_better_beyond_chance() {
        let (a, b) = two();
        let found = compare(&a, &b, FEW).expect("they can be compared");
        assert_eq!(found.cases, 30);
        let recall = &found.measures["recall"];
        assert_eq!((recall.a, recall.b, recall.difference), (Number::new(0.25), Number::new(0.75), Number::new(0.5)));
        let Interval { low, high } = recall.spread.interval.expect("it was drawn");
        assert!(0.2 < low && low < 0.4 && 0.6 < high && high < 0.8, "{low} {high}");
        assert_eq!(found.faults.test.counts, Paired { both: 5, only_a: 0, only_b: 10, neither: 5 });
        assert_eq!(found.faults.test.exact.map(Number::rounded), Some(0.001953125));
        assert_eq!(found.faults.only_b[0], ("case-05".to_owned(), "bug".to_owned()));
        assert_eq!(found.alarms.counts, Paired { both: 0, only_a: 4, only_b: 0, neither: 6 });
        assert_eq!(found.alarms.exact.map(Number::rounded), Some(0.125));
    }

    #[test]
    fn a_run_is_no_better_than_itself() {
        let (a, _) = two();
        let found = compare(&a, &a, FEW).expect("they can be compared");
        for (name, difference) in &found.measures {
            assert_eq!(difference.difference, Number::new(0.0), "{name}");
            assert_eq!(difference.spread.interval, Some(Interval { low: 0.0, high: 0.0 }), "{name}");
        }
        assert_eq!((found.faults.test.exact, found.faults.only_a.len()), (None, 0));
        assert!(found.configuration.is_empty());
    }

    #[test]
    fn swapping_the_runs_turns_the_difference_round() {
        let (a, b) = two();
        let (there, back) = (compare(&a, &b, FEW), compare(&b, &a, FEW));
        let (there, back) = (there.expect("they can"), back.expect("they can"));
        let of = |found: &Comparison| found.measures["f1"].spread.interval.expect("it was drawn");
        assert!((of(&there).low + of(&back).high).abs() < 1e-12);
        assert_eq!(there.faults.test.exact, back.faults.test.exact);
    }

    #[test]
    fn what_one_run_answered_alone_is_named_and_left_out() {
        let (mut a, mut b) = two();
        a.rows.remove(0);
        b.rows.remove(29);
        b.configuration.insert("strategy".to_owned(), "votes".into());
        let found = compare(&a, &b, FEW).expect("they can be compared");
        assert_eq!(
            (found.cases, found.only_a, found.only_b),
            (28, vec!["case-29".to_owned()], vec!["case-00".to_owned()])
        );
        assert_eq!(found.configuration["strategy"], (Value::Null, "votes".into()));
        a.rows.clear();
        assert!(compare(&a, &b, FEW).is_err());
    }

    /// The second sample is drawn with its case and enters the measures, but not the test.
    #[test]
    fn samples_of_a_case_stay_together() {
        let (mut a, b) = two();
        let more: Vec<Row> = a.rows.iter().map(|row| Row { sample: 1, ..row.clone() }).collect();
        a.rows.extend(more);
        let found = compare(&a, &b, FEW).expect("they can be compared");
        assert_eq!((found.cases, found.measures["recall"].a), (30, Number::new(0.25)));
        assert_eq!(found.faults.test.counts.only_b, 10);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let (a, b) = two();
        let other = |change: fn(&mut Scores)| {
            let mut b = b.clone();
            change(&mut b);
            compare(&a, &b, FEW).expect_err("they differ").to_string()
        };
        assert!(other(|it| it.protocol = "cqs".to_owned()).contains("one is of cr-bench, the other of cqs"));
        assert!(other(|it| it.digest = "e".to_owned()).contains("other cases"));
        assert!(
            other(|it| it.variants.hits = Some(Hits::PerComment))
                .contains("hits per bug, judge not needed; and hits per comment")
        );
        assert!(other(|it| it.format.clear()).contains("their format is not diffsieve.scores/v1"));
    }
}
