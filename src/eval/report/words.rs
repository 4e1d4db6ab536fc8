//! Numbers and settings as people read them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::figure::Figure;
use crate::eval::score::{Number, Variants};
use crate::eval::table::ORDER;
use crate::stats::Interval;

/// A number with so many digits after the point, without zeros that say nothing.
pub(super) fn number(number: f64, digits: usize) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "∞".to_owned() } else { "−∞".to_owned() };
    }
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// A count with its thousands apart.
pub(super) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Three digits that matter: `0.412`, `5.11`, `1520`.
pub(in crate::eval) fn value(value: Option<Number>) -> String {
    let Some(value) = value.map(Number::get) else { return "undefined".to_owned() };
    let digits = match value.abs() {
        size if size < 10.0 => 3,
        size if size < 1000.0 => 1,
        _ => 0,
    };
    number(value, digits)
}

/// Dollars, with cents that matter.
pub(super) fn dollars(dollars: f64) -> String {
    let digits = if dollars.abs() < 1.0 { 4 } else { 2 };
    format!("${dollars:.digits$}")
}

/// `[0.31, 0.52]`, and beside it how many draws have no score, if any.
pub(super) fn interval(figure: &Figure) -> String {
    let ends = |Interval { low, high }| format!("[{}, {}]", value(Number::new(low)), value(Number::new(high)));
    let interval = figure.interval.map_or_else(|| "–".to_owned(), ends);
    match figure.undefined {
        0 => interval,
        undefined => {
            let [undefined, draws] = [undefined, figure.draws].map(|count| thousands(u64::from(count)));
            format!("{interval} ({undefined} of {draws} draws undefined)")
        }
    }
}

/// `47 of 174`, or nothing where it is no quotient.
pub(super) fn counts(figure: &Figure) -> String {
    match (figure.over, figure.under) {
        (Some(over), Some(under)) => format!("{} of {}", number(over.get(), 3), number(under.get(), 3)),
        _ => String::new(),
    }
}

/// What decided the answers, one text a setting.
pub(super) fn configuration(settings: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    settings.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// What was chosen, one text a choice.
pub(super) fn variants(variants: &Variants) -> Vec<(String, String)> {
    let Ok(Value::Object(chosen)) = serde_json::to_value(variants) else { return Vec::new() };
    configuration(&chosen.into_iter().collect())
}

/// The level of an interval, `95 %` or `99.99 %`, with every digit that was asked for. The point is moved in the text, since
/// a hundred times a fraction may be another number.
pub(super) fn level(level: f64) -> String {
    let text = format!("{level}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let (whole, part) = (format!("{whole}{part:0<2}"), part.get(2..).unwrap_or_default());
    let whole = whole[..whole.len() - part.len()].trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if part.is_empty() { format!("{whole} %") } else { format!("{whole}.{part} %") }
}

/// A tick of an axis from 0 to 1.
pub(super) fn tenths(share: f64) -> String {
    format!("{share:.1}")
}

/// `0.25 (3 of 12)`.
pub(super) fn with_counts(figure: &Figure) -> String {
    let counts = counts(figure);
    if counts.is_empty() { value(figure.value) } else { format!("{} ({counts})", value(figure.value)) }
}

/// `1 comment`, `2 comments`.
pub(super) fn plural(count: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// The name of a protocol as an anchor; one that is none of ours shares one.
pub(super) fn anchor(protocol: &str) -> &'static str {
    crate::eval::find(protocol).map_or("other", |protocol| protocol.name)
}

/// A measure as people call it.
pub(in crate::eval) fn title(measure: &str) -> &str {
    match measure {
        "recall" => "Recall",
        "precision" => "Precision",
        "f1" => "F1",
        "usefulness" => "Usefulness",
        "snr" => "Signal to noise",
        "score" => "Score",
        "score_mean" => "Score, unweighted mean",
        "score_over_languages" => "Score, mean over languages",
        "detection_rate" => "Detection rate, mean",
        "false_positive_rate" => "Fabricated, mean share",
        "coverage" => "Coverage",
        "precision_with_plausible" => "Precision, plausible ones too",
        "alignment" => "Alignment, mean",
        "actionability" => "Actionability, mean",
        "redundancy" => "Redundancy, mean",
        "plausible_penalty" => "Penalty for plausible ones, mean",
        "judge_fallback" => "Judge not readable, share",
        "silence" => "Silence on clean cases",
        "issues" => "Issues raised",
        "bleu_1" => "BLEU-1",
        "rouge_l" => "ROUGE-L",
        other => other,
    }
}

/// Where a measure stands among others: what a protocol is about first.
pub(in crate::eval) fn place(measure: &str) -> usize {
    ORDER.iter().position(|name| *name == measure).unwrap_or(ORDER.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_all_its_digits() {
        for (number, text) in [
            (0.95, "95 %"),
            (0.9, "90 %"),
            (0.5, "50 %"),
            (0.57, "57 %"),
            (0.999, "99.9 %"),
            (0.9999, "99.99 %"),
            (0.999_999_9, "99.99999 %"),
            (1.0 - f64::EPSILON / 2.0, "99.99999999999999 %"),
            (0.05, "5 %"),
            (0.001, "0.1 %"),
            (0.000_02, "0.002 %"),
        ] {
            assert_eq!(level(number), text);
        }
    }
}
