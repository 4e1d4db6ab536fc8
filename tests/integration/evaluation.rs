//! `diffsieve eval report` and `ablate`: from the records of a run to a page, tables and the worth of each stage.

use std::fs;

use serde_json::{Value, json};

use super::measure::dataset;
use super::program::Place;

/// A judged run over three cases, in `r`.
fn judged() -> Place {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]).code, 0);
    place
}

#[test]
fn a_run_becomes_a_page_tables_and_numbers() {
    let place = judged();
    let formats = ["--format", "html=out/r.html", "--format", "json=out/r.json", "--format", "markdown"];
    let ran = place.run([&["eval", "report", "r"], &formats[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.text().contains("# Measurement of a reviewer") && ran.text().contains("| raised |"), "{}", ran.text());
    let report: Value = serde_json::from_str(&place.read("out/r.json")).unwrap();
    let protocols = report["runs"][0]["protocols"].as_array().unwrap();
    let names: Vec<&str> = protocols.iter().map(|one| one["protocol"].as_str().unwrap()).collect();
    assert_eq!(names, ["cr-bench", "swe-prbench", "sphinx", "cqs"]);
    // The same numbers as those of `eval score`.
    let ran = place.run(["eval", "score", "r", "--protocol", "cr-bench", "--format", "json"]);
    let scores: Value = serde_json::from_slice(&ran.stdout).unwrap();
    for name in ["recall", "precision", "f1", "snr"] {
        assert_eq!(protocols[0]["measures"][name]["value"], scores["measures"][name]["value"], "{name}");
    }
    assert_eq!(protocols[0]["variants"]["judge"], "lexical");
    let page = place.read("out/r.html");
    assert!(page.contains("the marker MARK-one must not stay"), "the dataset says what the fault is");
    // Byte for byte the same again, also from saved scores.
    fs::create_dir_all(place.path("r/scores")).unwrap();
    for protocol in names {
        let ran = place.run(["eval", "score", "r", "--protocol", protocol, "--format", "json"]);
        place.write(&format!("r/scores/{protocol}.json"), &ran.stdout);
    }
    assert_eq!(place.run(["eval", "report", "r", "--format", "html=again.html"]).code, 0);
    assert_eq!(place.read("again.html"), page);
    // Scores alone, and two of one name side by side.
    let alone = place.run(["eval", "report", "r/scores/cqs.json", "r/scores/cqs.json"]);
    assert!(alone.text().contains("## cqs (1)") && alone.text().contains("## cqs (2)"), "{}", alone.text());
}

#[test]
fn a_report_that_cannot_be_says_why() {
    let place = judged();
    let report = |args: &[&str]| place.run([&["eval", "report"], args].concat());
    report(&["r", "--format", "pdf"]).fails(2, &["no format `pdf`", "html"]);
    report(&["r", "--format", "html", "--format", "json"]).fails(2, &["standard output"]);
    report(&["r", "--format", "html=a", "--format", "json=a"]).fails(2, &["two reports would go to `a`"]);
    report(&["nowhere"]).fails(2, &["nowhere"]);
    report(&["r", "--bootstrap", "0"]).fails(2, &["--bootstrap"]);
    place.write("scores.json", r#"{"format": "diffsieve.run/v1"}"#);
    report(&["scores.json"]).fails(2, &["scores.json", "missing field"]);
    // Another dataset than the one that was run.
    place.write("other/cases.jsonl", "{\"id\":\"a\",\"source\":{\"files\":{\"folder\":\"a\"}},\"clean\":true}\n");
    place.write("other/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"x","cases":0,"digest":""}"#);
    assert_eq!(place.run(["dataset", "seal", "other"]).code, 0);
    report(&["r", "--dataset", "other"]).fails(2, &["not the dataset of `r`"]);
    // Without its scores and its decisions a run is not scored, and that is no pass.
    fs::remove_dir_all(place.path("r/scores")).unwrap();
    fs::remove_file(place.path("r/judgements.jsonl")).unwrap();
    report(&["r"]).fails(3, &["missing"]);
    fs::rename(place.path("ds"), place.path("moved")).unwrap();
    report(&["r"]).fails(2, &["--dataset"]);
}

#[test]
fn stages_are_scored_once_what_was_removed_is_judged() {
    let place = judged();
    let answers = place.read("r/answers.jsonl");
    let mut answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let subtle = answers.iter_mut().find(|answer| answer["case"] == "subtle").unwrap();
    let comment =
        json!({"id": "r1", "file": "m.py", "line": 2, "body": "divides by zero for an empty list", "score": 3});
    subtle["removed"] = json!([{"comment": comment, "stage": "validate", "reason": "low_score"}]);
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    place.write("r/answers.jsonl", lines.join("\n") + "\n");
    let ablate = |args: &[&str]| place.run([&["eval", "ablate", "r", "--protocol"], args].concat());
    ablate(&["cr-bench"]).fails(3, &["missing: 1", "subtle", "--removed"]);
    assert!(!place.path("r/ablation").exists(), "nothing is kept of what is not whole");
    assert_eq!(place.run(["eval", "judge", "r", "--judge", "lexical", "--removed"]).code, 0);
    let ran = ablate(&["cr-bench", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ablation: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(ablation, serde_json::from_str::<Value>(&place.read("r/ablation/cr-bench.json")).unwrap());
    let recall = |stage: usize| ablation["stages"][stage]["measures"]["recall"]["over"].clone();
    assert_eq!((recall(0), recall(2), recall(3), recall(7)), (json!(2.0), json!(2.0), json!(1.0), json!(1.0)));
    assert!(ablate(&["cr-bench"]).text().contains("\nvalidate "), "a table for people");
    ablate(&["sphinx"]).fails(2, &["as a whole"]);
    assert_eq!(place.run(["eval", "report", "r", "--format", "html=r.html"]).code, 0);
    assert!(place.read("r.html").contains("What each stage is worth"));
}

/// Scores that were saved stand beside no other answers than their own.
#[test]
fn scores_of_earlier_answers_are_not_shown_beside_new_ones() {
    let place = judged();
    assert_eq!(place.run(["eval", "ablate", "r", "--protocol", "cr-bench"]).code, 0);
    assert_eq!(place.run(["eval", "report", "r"]).code, 0);
    place.write("r/answers.jsonl", place.read("r/answers.jsonl").replace("\"seconds\":", "\"seconds\":1"));
    assert_eq!(place.run(["eval", "report", "r"]).code, 0, "what it took is in no score");
    place.write("r/answers.jsonl", place.read("r/answers.jsonl").replacen("\"complete\"", "\"incomplete\"", 1));
    let said = ["scores of cr-bench", "stages of cr-bench", "other answers or decisions", "score again"];
    place.run(["eval", "report", "r"]).fails(2, &said);
    place.run(["eval", "ablate", "r", "--protocol", "cr-bench"]).fails(2, &["r/scores/cr-bench.json", "score again"]);
    for protocol in ["cr-bench", "swe-prbench", "sphinx", "cqs"] {
        assert_eq!(place.run(["eval", "score", "r", "--protocol", protocol, "--keep"]).code, 0);
    }
    place.run(["eval", "report", "r"]).fails(2, &["stages of cr-bench"]);
    assert_eq!(place.run(["eval", "ablate", "r", "--protocol", "cr-bench"]).code, 0);
    assert_eq!(place.run(["eval", "report", "r"]).code, 0);
}

/// Where several judges decided, one is named, as for `eval score`.
#[test]
fn a_report_and_its_stages_are_those_of_one_judge() {
    let place = judged();
    let by_words = place.read("r/judgements.jsonl");
    let other = by_words.replace("\"lexical\"", "\"m\"").replace("BUG_HIT", "NOISE");
    let alike = json!({"protocol": "similarity", "case": "marked", "about": ["c1", "h"], "judge": "m", "verdict": {"number": 0.5}});
    place.write("r/judgements.jsonl", format!("{by_words}{other}{alike}\n"));
    let report = |args: &[&str]| place.run([&["eval", "report", "r", "--format", "json"], args].concat());
    let protocols = |args: &[&str]| -> Vec<Value> {
        let ran = report(args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
        report["runs"][0]["protocols"].as_array().unwrap().clone()
    };
    let of = |args: &[&str]| {
        let scored = protocols(args);
        assert_eq!(scored.len(), 4);
        let judges: Vec<String> = scored.iter().map(|one| one["variants"]["judge"].to_string()).collect();
        assert!(judges.iter().all(|judge| *judge == judges[0]), "{judges:?}");
        (judges[0].clone(), scored[0]["measures"]["recall"]["value"].clone())
    };
    let (lexical, m) = (("\"lexical\"".to_owned(), json!(0.5)), ("\"m\"".to_owned(), json!(0.0)));
    let both = ["--judge", "m", "--similarity", "m"];
    assert_eq!((of(&[]), of(&both), of(&["--judge", "lexical"])), (lexical.clone(), m.clone(), lexical));
    assert_eq!(protocols(&both)[1]["variants"]["similarity"], "m");
    report(&["--judge", "x"]).fails(2, &["nobody called `x`", "lexical, m"]);
    let alone = ["eval", "report", "r/scores/cr-bench.json", "--judge", "m"];
    place.run(alone).fails(2, &["another judge", "name a run's folder"]);
    let ablate = |args: &[&str]| place.run([&["eval", "ablate", "r", "--json", "--protocol"], args].concat());
    let stages: Value =
        serde_json::from_slice(&ablate(&["swe-prbench", "--judge", "m", "--similarity", "m"]).stdout).unwrap();
    assert_eq!((&stages["variants"]["judge"], &stages["variants"]["similarity"]), (&json!("m"), &json!("m")));
    ablate(&["cr-bench", "--similarity", "m"]).fails(2, &["--similarity is about swe-prbench"]);
    ablate(&["cr-bench", "--judge", "x"]).fails(2, &["nobody called `x`"]);
    // Without saved scores nobody is chosen yet.
    fs::remove_dir_all(place.path("r/scores")).unwrap();
    fs::remove_dir_all(place.path("r/ablation")).unwrap();
    report(&[]).fails(2, &["2 judges decided: lexical, m"]);
    assert_eq!(of(&both), m);
}

/// A result at a place, as a scanner writes it.
fn result(uri: &str, line: u32, text: &str) -> Value {
    let place = json!({"artifactLocation": {"uri": uri}, "region": {"startLine": line}});
    json!({"ruleId": "r", "message": {"text": text}, "locations": [{"physicalLocation": place}]})
}

fn sarif(place: &Place, case: &str, results: &[Value]) {
    let log = json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": results}]});
    place.write(&format!("scans/{case}.sarif"), log.to_string());
}

#[test]
fn another_tool_is_measured_like_any_reviewer() {
    let place = dataset();
    let import = |out: &str, more: &[&str]| {
        place.run([&["eval", "import", "ds", "--name", "scanner 1", "--sarif", "scans", "--out", out], more].concat())
    };
    import("none", &[]).fails(2, &["scans"]);
    let far = "file:///elsewhere/marked/new/m.py";
    // The root is one for all: what lies below another folder is another file.
    let below = "file:///elsewhere/marked/new/tests/m.py";
    let other = result(below, 2, "elsewhere");
    sarif(&place, "marked", &[result(far, 2, "the marker MARK-one must go"), other, result("x/m.py", 2, "as well")]);
    sarif(&place, "plain", &[]);
    let missing = import("part", &[]);
    missing.fails(3, &["subtle: there is no `subtle.sarif`", "into another folder"]);
    sarif(&place, "subtle", &[result("m.py", 9, "far away")]);
    import("part", &[]).fails(2, &["is not empty"]);
    let imported = import("r", &[]);
    assert_eq!(imported.code, 0);
    assert!(imported.stderr.contains("2 taken back: it stands in no file of the change"), "{}", imported.stderr);
    let answers: Vec<Value> =
        place.read("r/answers.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said = |answer: &Value, of: &str| answer[of].as_array().map_or(0, Vec::len);
    let counts: Vec<_> = answers.iter().map(|answer| (said(answer, "comments"), said(answer, "removed"))).collect();
    assert_eq!(counts, [(1, 2), (0, 0), (0, 1)]);
    assert_eq!((&answers[0]["comments"][0]["file"], &answers[0]["comments"][0]["tag"]), (&json!("m.py"), &json!("r")));
    assert_eq!(place.run(["eval", "judge", "r", "--judge", "lexical"]).code, 0);
    let ran = place.run(["eval", "score", "r", "--protocol", "cr-bench", "--format", "json"]);
    let scores: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(scores["measures"]["recall"], json!({"value": 0.5, "over": 1.0, "under": 2.0}));
    assert_eq!(scores["configuration"]["agent"], "scanner 1");
    let page = place.run(["eval", "report", "r"]);
    assert!(page.code == 0 && page.text().contains("scanner 1"), "{}", page.stderr);
    // Wider and narrower.
    let comments = |out: &str, filter: &str| {
        assert_eq!(import(out, &["--filter", filter]).code, 0);
        place
            .read(&format!("{out}/answers.jsonl"))
            .lines()
            .map(|line| said(&serde_json::from_str(line).unwrap(), "comments"))
            .sum::<usize>()
    };
    assert_eq!(["added", "file", "nofilter"].map(|filter| comments(filter, filter)), [1, 2, 4]);
    // What is no log, or of a tool that did not succeed, is no silence.
    place.write("scans/plain.sarif", "{}");
    import("broken", &[]).fails(2, &["plain.sarif", "2.1.0"]);
    place.write("scans/plain.sarif", r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}}]}"#);
    import("unscanned", &[]).fails(3, &["plain: ", "nothing was scanned"]);
    place.write("scans/plain.sarif", r#"{"version": "2.1.0", "runs": []}"#);
    import("empty", &[]).fails(3, &["plain: ", "it has no run"]);
    // A byte order mark is no fault; results that all stand elsewhere are said to.
    for case in ["plain", "marked", "subtle"] {
        sarif(&place, case, &[result("m/m.py", 1, "t")]);
        place.write(&format!("scans/{case}.sarif"), format!("\u{feff}{}", place.read(&format!("scans/{case}.sarif"))));
    }
    let lost = import("lost", &[]);
    assert!(lost.code == 0 && lost.stderr.contains("root of the repository"), "{}", lost.stderr);
    // An unknown similarity is a slip, not something to wait for.
    let scored = place.run(["eval", "score", "r", "--protocol", "swe-prbench", "--similarity", "char"]);
    scored.fails(2, &["char", "lexical", "chars"]);
}

#[test]
fn answers_of_others_are_taken_as_they_are() {
    let place = dataset();
    let import = |out: &str, lines: &[Value]| {
        place.write("said.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        place.run(["eval", "import", "ds", "--name", "people", "--answers", "said.jsonl", "--out", out])
    };
    let answer = |case: &str, comments: Value| json!({"case": case, "status": "complete", "comments": comments});
    let comment = json!({"id": "c1", "file": "m.py", "line": 2, "body": "an empty list divides by zero"});
    let whole = [answer("subtle", json!([comment])), answer("marked", json!([])), answer("plain", json!([]))];
    let ran = import("r", &whole);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let cases: Vec<Value> =
        place.read("r/answers.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        cases.iter().map(|answer| answer["case"].as_str().unwrap()).collect::<Vec<_>>(),
        ["marked", "plain", "subtle"]
    );
    import("a", &whole[..2]).fails(3, &["plain: nobody answered it"]);
    import("b", &[answer("unknown", json!([]))]).fails(2, &["`unknown`", "no such case"]);
    import("c", &[whole[1].clone(), whole[1].clone()]).fails(2, &["`marked`", "twice"]);
    import("d", &[answer("plain", json!([comment, comment]))]).fails(2, &["`plain`", "one id"]);
    let zero = json!([{"id": "c", "body": "b", "line": 0}]);
    import("e", &[answer("plain", zero)]).fails(2, &["line 0"]);
    import("f", &[json!({"case": "plain", "said": 1})]).fails(2, &["said.jsonl`, line 1"]);
}
