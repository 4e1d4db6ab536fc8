//! The published schemas against real files: what the program accepts they accept, what it refuses as a key they refuse.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::program::{HOUSE, Place};

fn schema(name: &str) -> Validator {
    let text = Place::new().run(["schema", name]).text();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "the schema of {name} is itself no schema");
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn valid(schema: &Validator, what: &str, value: &Value) {
    let errors: Vec<_> = schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
}

/// Reads YAML or TOML as the program does.
fn read(name: &str, text: &str) -> Value {
    let node = if name.ends_with(".toml") {
        diffsieve::document::toml(name, text)
    } else {
        diffsieve::document::yaml(name, text)
    };
    node.unwrap_or_else(|problem| panic!("{problem}")).to_json()
}

#[test]
fn every_shipped_pack_fits_the_schema_of_packs() {
    let schema = schema("pack");
    assert!(diffsieve::rules::EMBEDDED.len() >= 3);
    for diffsieve::rules::Pack { name, text, .. } in diffsieve::rules::EMBEDDED {
        valid(&schema, name, &read(name, text));
    }
    valid(&schema, "house", &read("house.yml", HOUSE));
}

#[test]
fn reports_fit_the_schema_of_reports() {
    let schema = schema("report");
    let place = Place::house(&[("a.py", "x = 1\n"), ("gone.txt", "x\n"), ("old.txt", "1\n2\n3\n4\n5\n")]);
    valid(&schema, "empty", &place.review(["--range", "HEAD..HEAD"]).report);
    place.write("a.py", "x = 1\ndef f():\n    # diffsieve: ignore[Marker] mine\n    return 'MARK-1 MARK-2'\n");
    place.write("b.bin", [0, 1, 2]);
    place.write("long.txt", "x".repeat(30_000));
    place.write("names\n\u{202e}\u{1b}.txt", "MARK-3 \u{1b}[31m\u{202e}\n");
    std::fs::remove_file(place.path("gone.txt")).unwrap();
    place.git(["mv", "old.txt", "new.txt"]);
    place.commit("topic");
    let full = place.review(["--on-incomplete", "warn"]);
    assert!(full.findings().len() >= 2 && !full.dropped().is_empty() && full.skipped().len() >= 2);
    valid(&schema, "full", &full.report);
    for args in [&["--worktree"][..], &["--staged"], &["--commit", "HEAD"], &["--no-config"]] {
        valid(&schema, "scope", &place.review(args).report);
    }
    let patch = place.git(["diff", "--text", "main", "topic"]) + "\n";
    valid(&schema, "patch", &place.program(["--patch", "-"]).fed(patch).review().report);
    let mut wrong = full.report;
    wrong["findings"][0]["level"] = json!("fatal");
    assert!(!schema.is_valid(&wrong), "a schema that accepts everything proves nothing");
}

#[test]
fn baselines_fit_the_schema_of_baselines() {
    let schema = schema("baseline");
    let place = Place::house(&[]);
    place.write("a.txt", "MARK-1\n");
    place.commit("topic");
    place.run(["baseline", "create", "--reason", "legacy", "--until", "2099-12-31"]).fails(0, &["1 accepted"]);
    let good = read("baseline.json", &place.read(".diffsieve/baseline.json"));
    assert_eq!(good["findings"].as_array().map(Vec::len), Some(1));
    valid(&schema, "baseline", &good);
    for (pointer, value) in [
        ("/findings/0/fingerprint", json!("short")),
        ("/findings/0/window", json!("Z".repeat(32))),
        ("/findings/0/reason", json!("")),
        ("/findings/0/until", json!("soon")),
        ("/findings/0/note", json!("x")),
        ("/findings/0/path", Value::Null),
        ("/schema", json!("diffsieve.baseline/v2")),
        ("/finding", json!([])),
    ] {
        let mut wrong = good.clone();
        set(&mut wrong, pointer, value);
        assert!(!schema.is_valid(&wrong), "the schema accepts {pointer} in {wrong:#}");
        place.write(".diffsieve/baseline.json", wrong.to_string());
        place.run::<&str>([]).fails(2, &["baseline.json:1:"]);
    }
}

/// Sets a value in a document; `null` removes it.
fn set(document: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer has a slash");
    let parent = document.pointer_mut(parent).expect("the parent is there").as_object_mut().expect("it is a map");
    if value.is_null() {
        parent.remove(key);
    } else {
        parent.insert(key.to_owned(), value);
    }
}

const CONFIG: &str = r#"packs = ["text", "house"]
[review]
exclude = ["**/generated/**"]
cap = 10
context = "B"
expand = "function"
[model]
provider = "openai"
name = "m"
passes = 3
strategy = "single"
tone = "plain"
chunk_tokens = 4000
answer_tokens = 2000
concurrency = 2
temperature = 0.5
prices = {input = 1.5, output = 6}
[model.validator]
provider = "anthropic"
name = "n"
[budget]
requests = 10
tokens = 100000
seconds = 60
[gate]
fail_on = "warning"
on_incomplete = "warn"
model_may_block = "certified"
on_missing_key = "detectors"
reflexion = false
added_ignores = true
unreasoned_ignores = false
[tags.Marker]
level = "note"
score = 7.5
"#;

#[test]
fn configurations_fit_the_schema_of_configurations() {
    let schema = schema("config");
    let place = Place::with(&[(".diffsieve/rules/house.yml", HOUSE)]);
    place.write("diffsieve.toml", CONFIG);
    place.run(["rules", "list"]).prints(&["note            Marker"]);
    let good = read("diffsieve.toml", CONFIG);
    valid(&schema, "configuration", &good);
    for (pointer, value) in [
        ("/pakcs", json!([])),
        ("/review/exlude", json!([])),
        ("/review/cap", json!(0)),
        ("/model/provider", json!("opnai")),
        ("/model/key", json!("secret")),
        ("/model/passes", json!(0)),
        ("/model/strategy", json!("guess")),
        ("/model/tone", json!("loud")),
        ("/model/chunk_tokens", json!(100)),
        ("/model/prices/input", json!("free")),
        ("/model/validator/nmae", json!("b")),
        ("/budget/requests", json!(0)),
        ("/budget/money", json!(1)),
        ("/review/context", json!("D")),
        ("/review/expand", json!("all")),
        ("/gate/model_may_block", json!("always")),
        ("/gate/on_missing_key", json!("pass")),
        ("/gate/fail_on", json!("fatal")),
        ("/gate/on_incomplete", json!("ignore")),
        ("/gate/added_ignores", json!("yes")),
        ("/gate/faill_on", json!("note")),
        ("/tags/Marker/levle", json!("note")),
        ("/tags/Marker/level", json!("off")),
        ("/tags/Marker/score", json!(11)),
    ] {
        let mut wrong = good.clone();
        set(&mut wrong, pointer, value);
        assert!(!schema.is_valid(&wrong), "the schema accepts {pointer}");
        place.write("diffsieve.toml", toml::to_string(&wrong).unwrap());
        let ran = place.run(["rules", "list"]);
        assert_eq!(ran.code, 2, "the loader accepts {pointer}");
        ran.fails(2, &["diffsieve.toml:"]);
    }
}

const PACK: &str = r"
pack: own
version: 1.0.0
about: All keys there are.
requires: '>=0.1'
extends: ['text#classes']
defaults: {level: warning, score: 7, cap: 2}
classes:
  odd: ['odd/**']
  test: {add: ['more/**']}
tags:
  T:
    title: A title
    about: More
    ask: What?
    judge: How?
    level: error
    anchor: deletion
    category: coding
    impact: reliability
    severity: critical
    cwe: [CWE-772]
    security-severity: 9.1
    score: 8
    block-score: 9
    votes: 2
    cap: 3
    needs:
      - fact: {function_lines: '>=15', is_public: true}
    drop:
      - id: one
        why: w
        when:
          any: [{line: x}, {near: {regex: y, lines: 2}}, {path: 'a/*'}, {class: odd}]
          not: {source: model}
          all: {rationale: z}
          function: main
    detect:
      - {id: a, in: any, regex: MARK, level: note, message: 'm {0|mask}', unless: {class: [test]}}
      - {id: b, lang: [python], rule: {pattern: old($A), not: {inside: {kind: call, stopBy: end}}}, message: m, fix: 'new({A})'}
      - {id: c, builtin: private_key, message: '{kind}'}
    lang:
      rust: {level: skip}
    examples:
      - {lang: python, path: a.py, bad: 'old(1) #!', good: 'x', fixed: 'new(1)'}
      - {lang: cpp, code: 'x', claim: {line: 1, quote: x, rationale: r}, expect: 'drop:one'}
";

#[test]
fn packs_with_every_key_fit_and_misspelt_ones_do_not() {
    let schema = schema("pack");
    let place = Place::new();
    place.write(".diffsieve/rules/own.yml", PACK);
    place.run(["rules", "list"]).prints(&["own 1.0.0"]);
    let good = read("own.yml", PACK);
    valid(&schema, "own", &good);
    for (pointer, value) in [
        ("/pakc", json!("x")),
        ("/pack", Value::Null),
        ("/requires", json!("soon")),
        ("/extends", json!({"a": 1})),
        ("/defaults/levle", json!("note")),
        ("/defaults/level", json!("off")),
        ("/tags/T/levle", json!("note")),
        ("/tags/T/level", json!(true)),
        ("/tags/T/anchor", json!("below")),
        ("/tags/T/category", json!("speed")),
        ("/tags/T/impact", json!("beauty")),
        ("/tags/T/severity", json!("Critical")),
        ("/tags/T/cwe", json!(["772"])),
        ("/tags/T/security-severity", json!(0)),
        ("/tags/T/score", json!(11)),
        ("/tags/T/votes", json!(0)),
        ("/tags/T/needs/0/fcat", json!({})),
        ("/tags/T/needs/0/fact/no_such_fact", json!(true)),
        ("/tags/T/drop/0/whne", json!({})),
        ("/tags/T/drop/0/when/lin", json!("x")),
        ("/tags/T/drop/0/when/not/sorce", json!("x")),
        ("/tags/T/detect/0/regx", json!("x")),
        ("/tags/T/detect/0/in", json!("anywhere")),
        ("/tags/T/detect/0/level", json!("shadow")),
        ("/tags/T/detect/0/regex", json!("a".repeat(5_000))),
        ("/tags/T/detect/0/unless/clas", json!("x")),
        ("/tags/T/detect/1/lang", json!(["cobol"])),
        ("/tags/T/lang/rsut", json!({})),
        ("/tags/T/lang/rust/levle", json!("skip")),
        ("/tags/T/lang/rust/lang", json!({"go": {}})),
        ("/tags/T/lang/rust/examples", json!([])),
        ("/defaults/lang", json!({"go": {}})),
        ("/tags/T/examples/0/bda", json!("x")),
        ("/tags/T/examples/1/expect", json!("gone")),
        ("/tags/T/examples/1/claim/lin", json!(1)),
        ("/tags/T/examples/1/claim/line", json!(0)),
    ] {
        let mut wrong = good.clone();
        set(&mut wrong, pointer, value);
        assert!(!schema.is_valid(&wrong), "the schema accepts {pointer}");
        place.write(".diffsieve/rules/own.yml", wrong.to_string());
        let ran = place.run(["rules", "list"]);
        assert_eq!(ran.code, 2, "the loader accepts {pointer}");
        ran.fails(2, &["own.yml:1:"]);
    }
}

#[test]
fn a_measurement_fits_the_schemas_of_its_records() {
    let place = super::measure::dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]).code, 0);
    assert_eq!(place.run(["eval", "score", "r", "--protocol", "sphinx", "--keep"]).code, 0);
    let files = [
        ("dataset", "ds/dataset.json"),
        ("case", "ds/cases.jsonl"),
        ("run", "r/run.json"),
        ("answer", "r/answers.jsonl"),
        ("judgement", "r/judgements.jsonl"),
        ("scores", "r/scores/sphinx.json"),
    ];
    for (name, file) in files {
        let (schema, text) = (schema(name), place.read(file));
        let documents: Vec<&str> = if file.ends_with('l') { text.lines().collect() } else { vec![&text] };
        assert!(!documents.is_empty(), "{file}");
        for document in documents {
            let mut value: Value = serde_json::from_str(document).unwrap();
            valid(&schema, file, &value);
            value["misspelt"] = json!(1);
            assert!(!schema.is_valid(&value), "{name} accepts any key");
        }
    }
}
