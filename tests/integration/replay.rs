//! The recorded review of `tests/replay`: its answers were given to the prompts alone, and it comes out the same every time.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::program::{Place, Reviewed};

const CATEGORIES: [&str; 8] =
    ["requirements", "structural", "data", "coding", "interface", "memory", "concurrency", "security"];

fn replayed() -> Reviewed {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
    for file in ["diffsieve.toml", ".diffsieve/rules/replay.yml", "change.patch"] {
        place.write(file, std::fs::read(recorded.join(file)).expect("a file of the recording"));
    }
    place.program(["review", "--patch", "change.patch", "--replay"]).arg(recorded.join("answers")).review()
}

/// The report without what says how long this very run took.
fn settled(review: &Reviewed) -> Value {
    let mut report = review.report.clone();
    report["run"].take();
    report
}

#[test]
fn a_recorded_review_comes_out_as_it_did() {
    let (one, two) = (replayed(), replayed());
    assert_eq!(one.code, 1, "{}", one.stderr);
    assert_eq!(settled(&one), settled(&two));
    assert_eq!(one.report["coverage"]["skipped"], Value::Array(Vec::new()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/report.json");
    let text = format!("{:#}\n", settled(&one));
    if std::env::var_os("DIFFSIEVE_GENERATE").is_some() {
        std::fs::write(&path, &text).expect("the report can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == text,
        "tests/replay/report.json differs: DIFFSIEVE_GENERATE=1 cargo test --test integration replay"
    );
}

#[test]
fn one_fault_of_each_category_stops_the_merge() {
    let review = replayed();
    let errors = review.findings().iter().filter(|finding| finding["level"] == "error");
    let found: BTreeSet<&str> = errors.map(|finding| finding["category"].as_str().expect("a category")).collect();
    assert_eq!(found, BTreeSet::from(CATEGORIES));
    // What the pack leaves open follows from the category.
    for finding in review.findings().iter().filter(|finding| finding["category"] == "concurrency") {
        assert_eq!((&finding["impact"], &finding["severity"]), (&"reliability".into(), &"high".into()));
    }
}
