//! Totals over rows. Whoever draws samples of rows gets the measures of the sample from the same function.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::eval::score::{Measure, Measures, Number, Row, Variants};
use crate::eval::{cqs, cr_bench, sphinx, swe_prbench};

/// The measures of a protocol over rows; none of an unknown protocol.
pub fn measures(protocol: &str, variants: &Variants, rows: &[&Row]) -> Measures {
    Table::new(protocol, variants, [rows]).measures(&[0])
}

/// Cases with all their rows, by column: who measures thousands of samples of them looks nothing up by name.
pub struct Table<'r> {
    protocol: &'r str,
    variants: &'r Variants,
    /// The rows of each case.
    cases: Vec<Range<usize>>,
    clean: Vec<bool>,
    /// Of each row the place of its language among all of them.
    languages: Vec<usize>,
    columns: BTreeMap<&'r str, Vec<Option<f64>>>,
}

impl<'r> Table<'r> {
    /// The rows of one protocol, case by case.
    pub fn new<'c>(protocol: &'r str, variants: &'r Variants, of_cases: impl IntoIterator<Item = &'c [&'r Row]>) -> Self
    where
        'r: 'c,
    {
        let (mut rows, mut cases) = (Vec::<&Row>::new(), Vec::new());
        for case in of_cases {
            cases.push(rows.len()..rows.len() + case.len());
            rows.extend(case);
        }
        let mut columns = BTreeMap::<&str, Vec<Option<f64>>>::new();
        for (at, row) in rows.iter().enumerate() {
            for (name, value) in &row.values {
                let column = columns.entry(name).or_default();
                column.resize(at, None);
                column.push(Some(value.get()));
            }
        }
        let names: BTreeSet<Option<&String>> = rows.iter().map(|row| row.language.as_ref()).collect();
        let places: BTreeMap<Option<&String>, usize> = names.into_iter().zip(0..).collect();
        let place = |row: &&Row| places.get(&row.language.as_ref()).copied().unwrap_or_default();
        Self {
            protocol,
            variants,
            cases,
            clean: rows.iter().map(|row| row.clean).collect(),
            languages: rows.iter().map(place).collect(),
            columns,
        }
    }

    /// The measures over the cases at these places, each as often as it is named; a place beyond them is none.
    pub fn measures(&self, cases: &[usize]) -> Measures {
        let rows: Vec<usize> = cases.iter().filter_map(|case| self.cases.get(*case).cloned()).flatten().collect();
        let rows = &rows[..];
        match self.protocol {
            "cr-bench" => self.cr_bench(rows),
            "swe-prbench" => self.swe_prbench(rows),
            "sphinx" => self.sphinx(rows),
            "cqs" => self.cqs(rows),
            _ => Measures::new(),
        }
    }

    /// The values of this name, `None` of a row that has none.
    fn column(&self, rows: &[usize], name: &str) -> impl Iterator<Item = Option<f64>> {
        let column = self.columns.get(name).map_or(&[][..], Vec::as_slice);
        rows.iter().map(move |row| column.get(*row).copied().flatten())
    }

    fn sum(&self, rows: &[usize], name: &str) -> f64 {
        self.column(rows, name).map(Option::unwrap_or_default).sum()
    }

    /// A sum of counts.
    fn count(&self, rows: &[usize], name: &str) -> u64 {
        self.sum(rows, name) as u64
    }

    /// Over the rows that have a value.
    fn mean(&self, rows: &[usize], name: &str) -> Measure {
        Measure::mean(self.column(rows, name).flatten())
    }

    fn clean(&self, rows: &[usize], is_clean: bool) -> Vec<usize> {
        rows.iter().copied().filter(|row| self.clean.get(*row) == Some(&is_clean)).collect()
    }

    fn cr_bench(&self, rows: &[usize]) -> Measures {
        let count = |name| self.count(rows, name);
        let counts = cr_bench::Counts {
            bugs: count("known"),
            comments: count("comments"),
            hit_comments: count("hit_comments"),
            hit_bugs: count("found"),
            valid: count("valid"),
            noise: count("noise"),
        };
        counts.measures(self.variants.hits.unwrap_or_default())
    }

    /// Over changes with comments of people.
    fn swe_prbench(&self, rows: &[usize]) -> Measures {
        let rows = &self.clean(rows, false)[..];
        let mean = |name: &str| self.mean(rows, name);
        let ratio = |over: &[&str], under: &str| {
            Measure::ratio(over.iter().map(|name| self.sum(rows, name)).sum(), self.sum(rows, under))
        };
        let scores = self.column(rows, "score").map(Option::unwrap_or_default);
        let humans = self.column(rows, "known").map(|known| known.unwrap_or_default() as u64);
        let changes: Vec<(f64, u64)> = scores.zip(humans).collect();
        let weights: f64 = changes.iter().map(|(_, humans)| swe_prbench::weight(*humans)).sum();
        let weighted: f64 = changes.iter().map(|(score, humans)| score * swe_prbench::weight(*humans)).sum();
        let score = Measure {
            value: swe_prbench::aggregate(&changes),
            over: Number::new(weighted),
            under: Number::new(weights),
        };
        let caught = self.column(rows, "found").map(|found| if found > Some(0.0) { 1.0 } else { 0.0 });
        let measures = [
            ("score", score),
            ("score_mean", mean("score")),
            ("detection_rate", mean("recall")),
            ("false_positive_rate", mean("false_positive_rate")),
            ("coverage", Measure::mean(caught)),
            ("recall", ratio(&["found"], "known")),
            ("precision", ratio(&["confirmed"], "comments")),
            ("precision_with_plausible", ratio(&["confirmed", "plausible"], "comments")),
            ("alignment", mean("alignment")),
            ("actionability", mean("actionability")),
            ("redundancy", mean("redundancy")),
            ("plausible_penalty", mean("plausible_penalty")),
            ("judge_fallback", mean("judge_fallback")),
        ];
        measures.map(|(name, measure)| (name.to_owned(), measure)).into()
    }

    /// Equation 1, and `score_over_languages`: the mean of the scores of the languages, as the paper's tables have it.
    fn sphinx(&self, rows: &[usize]) -> Measures {
        let mut measures = self.checklists(rows);
        let mut languages = BTreeMap::<usize, Vec<usize>>::new();
        for row in rows {
            if let Some(language) = self.languages.get(*row) {
                languages.entry(*language).or_default().push(*row);
            }
        }
        let score = |rows: &Vec<usize>| self.checklists(rows).get("score")?.value.map(Number::get);
        let scores: Option<Vec<f64>> = languages.values().map(score).collect();
        measures.insert("score_over_languages".to_owned(), scores.map(Measure::mean).unwrap_or_default());
        for name in ["bleu_1", "rouge_l"] {
            if self.column(rows, name).any(|value| value.is_some()) {
                measures.insert(name.to_owned(), self.mean(rows, name));
            }
        }
        measures
    }

    fn checklists(&self, rows: &[usize]) -> Measures {
        let (buggy, bug_free) = (self.clean(rows, false), self.clean(rows, true));
        let of = |rows, name| self.column(rows, name).map(Option::unwrap_or_default);
        let covered = of(&buggy, "found").zip(of(&buggy, "known")).map(|(found, known)| (found / known, 1));
        let silent = of(&bug_free, "silent").map(|silent| (silent, 1));
        sphinx::measures(self.variants.lambda.unwrap_or(sphinx::LAMBDA), covered, silent)
    }

    /// Over changes with tagged issues; `issues` is how many the reviewer raised.
    fn cqs(&self, rows: &[usize]) -> Measures {
        let rows = &self.clean(rows, false)[..];
        let count = |name| self.count(rows, name);
        let counts = cqs::Counts {
            predicted: count("comments"),
            matched: count("matched"),
            known: count("known"),
            found: count("found"),
        };
        let mut measures: BTreeMap<String, Measure> = counts.measures();
        measures.insert("issues".to_owned(), Measure::plain(Some(Number::count(counts.predicted))));
        measures
    }
}
