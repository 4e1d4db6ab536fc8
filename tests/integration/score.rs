//! `diffsieve eval score`: the published vectors through the program, and a run from its records to its scores.

use std::fs;

use serde_json::{Value, json};

use super::measure::dataset;
use super::program::{Place, Ran};

fn vectors(name: &str) -> Value {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Every expected key is there; numbers are equal to ten decimals.
fn assert_equal(real: &Value, expected: &Value, at: &str) {
    match (real, expected) {
        (Value::Number(real), Value::Number(expected)) => {
            let (real, expected) = (real.as_f64().unwrap(), expected.as_f64().unwrap());
            assert!((real - expected).abs() < 1e-10, "{at}: {real} is not {expected}");
        }
        (Value::Object(real), Value::Object(expected)) => {
            for (key, expected) in expected {
                assert_equal(&real[key], expected, &format!("{at}.{key}"));
            }
        }
        _ => assert_eq!(real, expected, "{at}"),
    }
}

fn json_of(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap()
}

fn score(place: &Place, protocol: &str, input: &Value, args: &[&str]) -> Value {
    let args = [&["eval", "score", "--protocol", protocol, "--input", "-"], args].concat();
    json_of(&place.program(args).fed(input.to_string()).run())
}

#[test]
fn the_vectors_are_scored_as_they_stand() {
    let place = Place::new();
    let all = |vectors: &Value, part: &str| vectors[part].as_array().unwrap().clone();
    for case in all(&vectors("crbench_metrics.json"), "cases") {
        place.write("input.json", case["input"].to_string());
        let ran = place.run(["eval", "score", "--protocol", "cr-bench", "--input", "input.json"]);
        assert_equal(&json_of(&ran), &case["expected"], &case["name"].to_string());
    }
    for case in all(&vectors("sweprbench_score.json"), "end_to_end") {
        let paper = score(&place, "swe-prbench", &case["input"], &[]);
        assert_equal(&paper, &case["expected_paper"], &case["name"].to_string());
        let released = score(&place, "swe-prbench", &case["input"], &["--compat", "v0.4.1"]);
        assert_equal(&released, &case["expected_repo"], &case["name"].to_string());
    }
    for case in all(&vectors("sphinx_checklist.json"), "coverage") {
        let scores = score(&place, "sphinx", &case["input"], &[]);
        assert_equal(&scores["score"], &case["expected"], &case["name"].to_string());
        let scores = score(&place, "sphinx", &case["input"], &["--lambda", "1"]);
        assert_equal(&scores["score"], &scores["coverage"], &case["name"].to_string());
    }
    for case in all(&vectors("cqs.json"), "matching") {
        let one = score(&place, "cqs", &case["input"], &[]);
        assert_equal(&one, &case["expected_one_to_one"], &case["name"].to_string());
        let many = score(&place, "cqs", &case["input"], &["--match", "many-to-one"]);
        assert_equal(&many, &case["expected_many_to_one"], &case["name"].to_string());
    }
}

#[test]
fn inputs_that_cannot_be_are_refused_with_their_place() {
    let place = Place::new();
    let bug = |label: &str| json!({"total_bugs": 1, "reviews": [{"label": label}]}).to_string();
    let agent = |fields: Value| json!({"agent_comments": [fields], "human_comments": []}).to_string();
    for (protocol, input, part) in [
        ("cr-bench", bug("GREAT"), "standard input: line 1, column "),
        ("cr-bench", "{\n\"total_bugs\": -1, \"reviews\": []}".to_owned(), "line 2, column 16: invalid value"),
        ("cr-bench", r#"{"total_bugs": 1}"#.to_owned(), "missing field `reviews`"),
        ("cr-bench", r#"{"total_bugs": 1, "reviews": [], "bugs": 3}"#.to_owned(), "unknown field `bugs`"),
        ("cr-bench", "[".to_owned(), "line 1, column 1"),
        ("cr-bench", String::new(), "EOF"),
        ("swe-prbench", agent(json!({"id": "a", "label": "PLAUSIBLE", "action": 9})), "agent_comments[0]: an action"),
        ("sphinx", r#"{"buggy": [{"matched": 3, "items": 2}], "bug_free": []}"#.to_owned(), "buggy[0]"),
        ("sphinx", r#"{"buggy": [], "bug_free": [], "lambda_": 2}"#.to_owned(), "from 0 to 1"),
        (
            "cqs",
            r#"{"predicted": [{"tag": 1}], "ground_truth": [], "rationale_match": {}}"#.to_owned(),
            "expected a string",
        ),
    ] {
        let args = ["eval", "score", "--protocol", protocol, "--input", "-"];
        place.program(args).fed(input).run().fails(2, &["standard input: ", part]);
    }
    place
        .run(["eval", "score", "--protocol", "cr-bench", "--input", "nowhere"])
        .fails(2, &["`nowhere` cannot be read"]);
    place.run(["eval", "score", "--protocol", "cr-bench"]).fails(2, &["<RUN>"]);
    place.run(["eval", "score", "r", "--protocol", "cr-bench", "--input", "x"]).fails(2, &["cannot be used with"]);
    place.run(["eval", "score", "r", "--protocol", "bench"]).fails(2, &["possible values"]);
    let args = ["eval", "score", "r", "--protocol", "cr-bench", "--lambda", "1"];
    place.run(args).fails(2, &["--lambda is about sphinx"]);
    place.run(["eval", "score", "nowhere", "--protocol", "cr-bench"]).fails(2, &["run.json"]);
}

#[test]
fn a_run_is_scored_by_every_protocol_from_what_it_saved() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]).code, 0);
    let scored =
        |protocol: &str| json_of(&place.run(["eval", "score", "r", "--protocol", protocol, "--format", "json"]));
    let value = |scores: &Value, measure: &str| scores["measures"][measure]["value"].clone();
    let bugs = scored("cr-bench");
    assert_eq!(
        (value(&bugs, "recall"), value(&bugs, "precision"), value(&bugs, "snr")),
        (json!(0.5), json!(1.0), json!("inf"))
    );
    assert_eq!(
        (&bugs["silent"]["recall"]["value"], &bugs["silent"]["precision"]["value"]),
        (&json!(0.0), &Value::Null)
    );
    assert_eq!(bugs["variants"], json!({"hits": "per-bug", "judge": "lexical"}));
    assert_eq!(bugs["clean"]["alarms"], json!({"value": 0.0, "over": 0.0, "under": 1.0}));
    let humans = scored("swe-prbench");
    let variants = json!({"compat": "paper", "pairing": "greedy", "similarity": "lexical", "judge": "lexical"});
    assert_eq!(humans["variants"], variants);
    assert_eq!(value(&humans, "detection_rate"), 1.0);
    let items = scored("sphinx");
    assert_eq!((value(&items, "score"), value(&items, "coverage")), (json!(1.0), json!(1.0)));
    assert_eq!(items["silent"]["score"]["value"], 0.1);
    assert_eq!(value(&scored("cqs"), "f1"), 1.0);
    // The same records give the same bytes, wherever the dataset has gone.
    fs::rename(place.path("ds"), place.path("elsewhere")).unwrap();
    let moved =
        place.run(["eval", "score", "r", "--protocol", "cr-bench", "--dataset", "elsewhere", "--format", "json"]);
    assert_eq!(json_of(&moved), bugs);
    place.run(["eval", "score", "r", "--protocol", "cr-bench"]).fails(2, &["dataset.json"]);
}

#[test]
fn the_table_shows_counts_variants_and_the_floor() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]).code, 0);
    let ran = place.run(["eval", "score", "r", "--protocol", "cr-bench", "--by", "severity,language"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = ran.text();
    for part in [
        "cr-bench over three: 3 answers scored",
        "hits per bug, judge lexical",
        "1 of 2",
        "inf",
        "if silent",
        "clean changes: false alarms in 0 of 1 answers (0.0000), with 0 comments",
        "location: 1 of 2 known faults with a line have a comment there",
        "location: 1 of 1 matched comments stand where the fault is",
        "found by severity x language",
        "unknown x python",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

/// Columns of a table stay apart, however wide their cells are, and nothing at all is no `-0`.
#[test]
fn the_table_is_readable_in_every_cell() {
    let place = dataset();
    let digest: Value = serde_json::from_str(&place.read("ds/dataset.json")).unwrap();
    let run = json!({"format": "diffsieve.run/v1", "dataset": "three", "digest": digest["digest"], "version": "0",
                     "configuration": {}, "folder": "ds"});
    place.write("r/run.json", run.to_string());
    place.write("r/answers.jsonl", "");
    for protocol in ["cr-bench", "swe-prbench", "sphinx", "cqs"] {
        let ran = place.run(["eval", "score", "r", "--protocol", protocol, "--allow-failed"]);
        ran.prints(&["0 answers scored", "0 of 0"]);
        assert!(!ran.text().contains("-0"), "{}", ran.text());
        let ran = place.run(["eval", "score", "r", "--protocol", protocol, "--allow-failed", "--format", "json"]);
        assert!(!ran.text().contains("-0"), "{}", ran.text());
    }
}

#[test]
fn what_is_missing_is_no_score() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0);
    let score = |args: &[&str]| place.run([&["eval", "score", "r", "--protocol", "cr-bench"], args].concat());
    score(&[]).fails(3, &["judgements that are missing: 1, in the answers marked"]);
    assert_eq!(place.run(["eval", "judge", "r", "--judge", "lexical"]).code, 0);
    assert_eq!(score(&[]).code, 0);
    score(&["--judge", "some\x1bbody"])
        .fails(2, &["nobody called `some␛body` decided anything; name one of those who did with --judge: lexical"]);
    let judgement = place.read("r/judgements.jsonl");
    let other = judgement.lines().next().unwrap().replace("lexical", "m");
    place.write("r/judgements.jsonl", format!("{judgement}{other}\n"));
    let one: Value = serde_json::from_str(&other).unwrap();
    let args = ["eval", "score", "r", "--protocol", one["protocol"].as_str().unwrap()];
    place.run(args).fails(2, &["2 judges decided: lexical, m; choose one with --judge"]);
    let likeness = ["eval", "score", "r", "--protocol", "swe-prbench", "--similarity"];
    place.run([&likeness[..], &["prog"]].concat()).fails(2, &["nobody called `prog`", "lexical, chars"]);
    assert_eq!(place.run([&likeness[..], &["lexical"]].concat()).code, 0);
    assert_eq!(place.run([&args[..], &["--judge", "lexical"]].concat()).code, 0);

    let failed = place.read("r/answers.jsonl").replacen("\"complete\"", "\"failed\"", 1);
    place.write("r/answers.jsonl", failed);
    score(&["--judge", "lexical"]).fails(3, &["cases without a review: 1: marked", "--allow-failed"]);
    let ran = score(&["--judge", "lexical", "--allow-failed"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.text().contains("not scored, no review: 1: marked"), "{}", ran.text());
    place.write("r/answers.jsonl", "{\"case\":\n");
    score(&[]).fails(2, &["answers.jsonl`, line 1"]);
}
