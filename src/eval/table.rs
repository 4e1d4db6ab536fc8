//! Scores as text for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::score::{Answers, Compat, Hits, Matching, Measure, Measures, Number, Pairing, Scores, Variants};
use crate::escape::visible;

/// In which order measures are shown; others follow by name.
pub(super) const ORDER: &[&str] = &[
    "score",
    "score_mean",
    "score_over_languages",
    "detection_rate",
    "coverage",
    "silence",
    "recall",
    "precision",
    "precision_with_plausible",
    "f1",
    "usefulness",
    "snr",
    "false_positive_rate",
];

/// How many names are listed before the rest is counted.
const LISTED: usize = 10;

/// The page of a run's scores.
pub fn scores(scores: &Scores) -> String {
    let mut page = head(scores);
    let location = &scores.location;
    let place = |measure: Measure, what: &str, nothing: &str| match measure.value {
        Some(_) => format!("location: {} {what}", counts(measure)),
        None => format!("location: {nothing}"),
    };
    let reached = "known faults with a line have a comment there";
    line(&mut page, &place(location.reached, reached, "no known fault has a line"));
    let matched = "matched comments stand where the fault is";
    line(&mut page, &place(location.matched, matched, "no comment is matched with a fault that has a line"));
    for (axis, cells) in &scores.by {
        let _ = write!(page, "\nfound by {}\n", visible(axis));
        by(&mut page, cells);
    }
    gaps(&mut page, &scores.answers);
    let unjudged: f64 = scores.rows.iter().map(|row| row.get("noise_unjudged")).sum();
    if unjudged > 0.0 {
        let _ = write!(page, "\ncomments about clean changes that count as noise without a judgement: {unjudged}\n");
    }
    page
}

/// What a run's scores come to: the measures, and what was said of clean changes.
pub fn head(scores: &Scores) -> String {
    let mut page = String::new();
    let Scores { protocol, dataset, answers, variants, .. } = scores;
    line(&mut page, &format!("{} over {}: {} answers scored", visible(protocol), visible(dataset), answers.scored));
    line(&mut page, &chosen(variants));
    page.push('\n');
    measures(&mut page, scores);
    page.push('\n');
    let clean = &scores.clean;
    match clean.alarms.value {
        Some(_) => line(
            &mut page,
            &format!(
                "clean changes: false alarms in {} answers ({}), with {} comments",
                counts(clean.alarms),
                number(clean.alarms.value),
                plain(clean.comments.over)
            ),
        ),
        None => line(&mut page, "clean changes: none, so false alarms on them are unknown"),
    }
    page
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

/// What was chosen, in words, on one line.
pub fn chosen(variants: &Variants) -> String {
    let mut parts = Vec::new();
    match variants.hits {
        Some(Hits::PerBug) => parts.push("hits per bug".to_owned()),
        Some(Hits::PerComment) => parts.push("hits per comment".to_owned()),
        None => {}
    }
    if let Some(compat) = variants.compat {
        parts
            .push(format!("rules of the {}", if compat == Compat::Paper { "paper" } else { "released scorer v0.4.1" }));
        match variants.pairing {
            Some(Pairing::Greedy) => parts.push("greedy pairs".to_owned()),
            Some(Pairing::Optimal) => parts.push("optimal pairs".to_owned()),
            None => {}
        }
        parts.push(format!("similarity {}", visible(variants.similarity.as_deref().unwrap_or("not needed"))));
    }
    if let Some(lambda) = variants.lambda {
        parts.push(format!("lambda {lambda}"));
    }
    match variants.matching {
        Some(Matching::OneToOne) => parts.push("matched one to one".to_owned()),
        Some(Matching::ManyToOne) => parts.push("matched many to one".to_owned()),
        None => {}
    }
    parts.push(format!("judge {}", visible(variants.judge.as_deref().unwrap_or("not needed"))));
    parts.join(", ")
}

fn measures(page: &mut String, scores: &Scores) {
    let mean = if scores.mean.is_empty() { String::new() } else { format!("mean of {}", scores.samples.len()) };
    let mut names: Vec<&String> = scores.measures.keys().collect();
    let rank = |name: &str| ORDER.iter().position(|other| *other == name).unwrap_or(ORDER.len());
    names.sort_by_key(|name| (rank(name), *name));
    let value = |measures: &Measures, name: &str| measures.get(name).map_or(String::new(), |one| number(one.value));
    let mut table = vec![["", "value", "from", mean.as_str(), "if silent"].map(str::to_owned)];
    for name in names {
        let measure = scores.measures.get(name).copied().unwrap_or_default();
        let (mean, silent) = (value(&scores.mean, name), value(&scores.silent, name));
        table.push([visible(name), number(measure.value), counts(measure), mean, silent]);
    }
    columns(page, "", [26, 8, 14, 10, 12], &table);
}

fn by(page: &mut String, cells: &BTreeMap<String, Measure>) {
    let row = |(cell, measure): (&String, &Measure)| [visible(cell), number(measure.value), counts(*measure)];
    columns(page, "  ", [36, 6, 10], &cells.iter().map(row).collect::<Vec<_>>());
}

/// Cells below each other, two spaces apart: the first column to the left, the others to the right, each at least so wide.
fn columns<const N: usize>(page: &mut String, indent: &str, least: [usize; N], table: &[[String; N]]) {
    let mut wide = least;
    for row in table {
        for (wide, cell) in wide.iter_mut().zip(row) {
            *wide = (*wide).max(cell.chars().count());
        }
    }
    for row in table {
        page.push_str(indent);
        for (at, (cell, wide)) in row.iter().zip(wide).enumerate() {
            let _ = if at == 0 { write!(page, "{cell:<wide$}") } else { write!(page, "  {cell:>wide$}") };
        }
        page.truncate(page.trim_end_matches(' ').len());
        page.push('\n');
    }
}

/// What is not in the numbers.
fn gaps(page: &mut String, answers: &Answers) {
    let Answers { incomplete, unparsable, failed, missing, .. } = answers;
    if incomplete + unparsable > 0 {
        let _ =
            write!(page, "\nanswers about a part of the change: {incomplete}, that nobody could read: {unparsable}\n");
    }
    for (what, names) in [("no review", failed), ("no answer", missing)] {
        if !names.is_empty() {
            let listed: Vec<String> = names.iter().take(LISTED).map(|name| visible(name)).collect();
            let more = names.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = write!(page, "\nnot scored, {what}: {}: {}{more}\n", names.len(), listed.join(", "));
        }
    }
}

/// Four decimals; `-` where it is undefined.
fn number(value: Option<Number>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
}

/// As many decimals as it has, at most three.
fn plain(value: Option<Number>) -> String {
    let Some(value) = value.map(Number::get) else { return "-".to_owned() };
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") }
}

fn counts(measure: Measure) -> String {
    match (measure.over, measure.under) {
        (Some(over), Some(under)) => format!("{} of {}", plain(Some(over)), plain(Some(under))),
        _ => String::new(),
    }
}

/// The scores of a bare input, one a line.
pub fn bare(scores: &Value) -> String {
    let mut page = String::new();
    rows(&mut page, "", scores);
    page
}

fn rows(page: &mut String, path: &str, value: &Value) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let dot = if path.is_empty() { "" } else { "." };
            map.iter().for_each(|(key, value)| rows(page, &format!("{path}{dot}{key}"), value));
        }
        other => {
            let text = match other {
                Value::Null => "-".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let _ = writeln!(page, "{:<34} {}", visible(path), visible(&text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_cells_do_not_touch() {
        let wide = Measure::quotient(17.032, 22.874);
        let scores = Scores {
            measures: [("score", wide), ("recall", Measure::mean([]))].map(|(name, one)| (name.to_owned(), one)).into(),
            by: [("severity".to_owned(), [("s".repeat(60), wide)].map(|(name, one)| (name, one)).into())].into(),
            ..Scores::default()
        };
        let page = super::scores(&scores);
        let cells = |begin: &str| {
            let line = page.lines().find(|line| line.trim_start().starts_with(begin)).unwrap_or_default();
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(cells("score"), ["score", "0.7446", "17.032 of 22.874"]);
        assert_eq!(cells("recall"), ["recall", "-", "0 of 0"]);
        assert_eq!(cells("ssss"), [&"s".repeat(60), "0.7446", "17.032 of 22.874"]);
        let ends = |end: &str| page.lines().filter_map(|line| Some(line.find(end)? + end.len())).collect::<Vec<_>>();
        assert_eq!(ends("from")[0], ends("22.874")[0], "{page}");
    }
}
