//! Scores of a bare input: labels and counts without cases, as somebody else's tool may write them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::error::Error;
use super::score::{Hits, Measures, Variants};
use super::{cqs, cr_bench, sphinx, swe_prbench};

/// Scores the JSON of a protocol's input, under variants of which the protocol reads its own. What comes back names the
/// variant that was used.
pub fn score(protocol: &str, json: &[u8], variants: &Variants) -> Result<Value, Error> {
    match protocol {
        "cr-bench" => Ok(cr_bench_scores(&read(json)?, variants.hits.unwrap_or_default())),
        "swe-prbench" => {
            let compat = variants.compat.unwrap_or_default();
            let pairing = variants.pairing.unwrap_or_default();
            let score = read::<swe_prbench::Input>(json)?.score(compat, pairing)?;
            Ok(with(with(value(&score), "compat", value(&compat)), "pairing", value(&pairing)))
        }
        "sphinx" => sphinx_scores(read(json)?, variants.lambda),
        "cqs" => {
            let matching = variants.matching.unwrap_or_default();
            let matched = read::<cqs::Input>(json)?;
            Ok(with(cqs_scores(&matched, matching), "match", value(&matching)))
        }
        other => Err(Error::input(other, "there is no such protocol")),
    }
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(|error| {
        let what = error.to_string();
        // What serde says of the place stands at the end, in words of its own.
        let what = what.split(" at line ").next().unwrap_or_default();
        Error::input(format!("line {}, column {}", error.line(), error.column()), what)
    })
}

fn value(of: &impl Serialize) -> Value {
    // Only a map whose keys are no strings cannot become a value.
    serde_json::to_value(of).unwrap_or_default()
}

fn with(mut object: Value, name: &str, value: Value) -> Value {
    if let Value::Object(map) = &mut object {
        map.insert(name.to_owned(), value);
    }
    object
}

fn plain(measures: &Measures) -> Map<String, Value> {
    measures.iter().map(|(name, measure)| (name.clone(), value(&measure.value))).collect()
}

fn cr_bench_scores(input: &cr_bench::Input, chosen: Hits) -> Value {
    let counts = input.counts();
    let of = |hits: Hits| {
        let mut measures = plain(&counts.measures(hits));
        measures.insert("bug_hits".to_owned(), counts.hits(hits).into());
        measures
    };
    json!({"per_comment": of(Hits::PerComment), "per_bug": of(Hits::PerBug), "hits": chosen})
}

fn sphinx_scores(mut input: sphinx::Input, lambda: Option<f64>) -> Result<Value, Error> {
    input.lambda_ = lambda.unwrap_or(input.lambda_);
    let measures = input.measures()?;
    let percent = measures.get("score").and_then(|score| score.value).map(|score| score.rounded() * 100.0);
    let scores = with(Value::Object(plain(&measures)), "lambda", input.lambda_.into());
    Ok(with(scores, "percent", value(&percent.and_then(super::score::Number::new))))
}

fn cqs_scores(input: &cqs::Input, matching: super::score::Matching) -> Value {
    let matched = input.matched(matching);
    let counts = cqs::Counts {
        predicted: input.predicted.len() as u64,
        matched: matched.predictions,
        known: input.ground_truth.len() as u64,
        found: matched.known,
    };
    let scores = Value::Object(plain(&counts.measures()));
    let scores = with(scores, "matched_pred", matched.predictions.into());
    let scores = with(scores, "matched_gt", matched.known.into());
    with(scores, "judge_calls", value(&matched.judge_calls))
}
