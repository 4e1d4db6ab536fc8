//! Totals over rows. Whoever draws samples of rows gets the measures of the sample from the same function.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::score::{Hits, Measure, Measures, Number, Row, Variants};
use crate::eval::{cqs, cr_bench, sphinx, swe_prbench};

/// The measures of a protocol over rows, repeated ones counted as often as they are there; none of an unknown protocol.
pub fn measures(protocol: &str, variants: &Variants, rows: &[&Row]) -> Measures {
    match protocol {
        "cr-bench" => of_cr_bench(rows, variants.hits.unwrap_or_default()),
        "swe-prbench" => of_swe_prbench(rows),
        "sphinx" => of_sphinx(rows, variants.lambda.unwrap_or(sphinx::LAMBDA)),
        "cqs" => of_cqs(rows),
        _ => Measures::new(),
    }
}

fn sum(rows: &[&Row], name: &str) -> f64 {
    rows.iter().map(|row| row.get(name)).sum()
}

/// A sum of counts.
fn count(rows: &[&Row], name: &str) -> u64 {
    sum(rows, name) as u64
}

fn of_cr_bench(rows: &[&Row], hits: Hits) -> Measures {
    let counts = cr_bench::Counts {
        bugs: count(rows, "known"),
        comments: count(rows, "comments"),
        hit_comments: count(rows, "hit_comments"),
        hit_bugs: count(rows, "found"),
        valid: count(rows, "valid"),
        noise: count(rows, "noise"),
    };
    counts.measures(hits)
}

/// Over changes with comments of people.
fn of_swe_prbench(rows: &[&Row]) -> Measures {
    let rows: Vec<&Row> = rows.iter().copied().filter(|row| !row.clean).collect();
    let mean = |name: &str| Measure::mean(rows.iter().filter_map(|row| row.values.get(name)).map(|value| value.get()));
    let ratio =
        |over: &[&str], under: &str| Measure::ratio(over.iter().map(|name| sum(&rows, name)).sum(), sum(&rows, under));
    let changes: Vec<(f64, u64)> = rows.iter().map(|row| (row.get("score"), count(&[row], "known"))).collect();
    let weights: f64 = changes.iter().map(|(_, humans)| swe_prbench::weight(*humans)).sum();
    let weighted: f64 = changes.iter().map(|(score, humans)| score * swe_prbench::weight(*humans)).sum();
    let score =
        Measure { value: swe_prbench::aggregate(&changes), over: Number::new(weighted), under: Number::new(weights) };
    let caught = rows.iter().map(|row| if row.get("found") > 0.0 { 1.0 } else { 0.0 });
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
fn of_sphinx(rows: &[&Row], lambda: f64) -> Measures {
    let of = |rows: &[&Row]| {
        let share = |row: &&Row| (row.get("found") / row.get("known"), 1);
        let buggy = rows.iter().copied().filter(|row| !row.clean);
        let bug_free = rows.iter().copied().filter(|row| row.clean);
        sphinx::measures(lambda, buggy.map(|row| share(&row)), bug_free.map(|row| (row.get("silent"), 1)))
    };
    let mut measures = of(rows);
    let languages: BTreeSet<Option<&String>> = rows.iter().map(|row| row.language.as_ref()).collect();
    let scores = languages.iter().map(|language| {
        let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.language.as_ref() == *language).collect();
        of(&rows).get("score").and_then(|score| score.value).map(Number::get)
    });
    let scores: Option<Vec<f64>> = scores.collect();
    measures.insert("score_over_languages".to_owned(), scores.map(Measure::mean).unwrap_or_default());
    for name in ["bleu_1", "rouge_l"] {
        let mut values = rows.iter().filter_map(|row| row.values.get(name)).map(|value| value.get()).peekable();
        if values.peek().is_some() {
            measures.insert(name.to_owned(), Measure::mean(values));
        }
    }
    measures
}

/// Over changes with tagged issues; `issues` is how many the reviewer raised.
fn of_cqs(rows: &[&Row]) -> Measures {
    let rows: Vec<&Row> = rows.iter().copied().filter(|row| !row.clean).collect();
    let counts = cqs::Counts {
        predicted: count(&rows, "comments"),
        matched: count(&rows, "matched"),
        known: count(&rows, "known"),
        found: count(&rows, "found"),
    };
    let mut measures: BTreeMap<String, Measure> = counts.measures();
    measures.insert("issues".to_owned(), Measure::plain(Some(Number::count(counts.predicted))));
    measures
}
