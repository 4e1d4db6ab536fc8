use serde_json::Value;

use super::{FORMAT, SCHEMA_TEXT, read, wire};
use crate::finding::Cut;
use crate::report::fixture::{self, Fixture};
use crate::report::{Report, Style};

fn written(fixture: &Fixture) -> Vec<u8> {
    let mut out = Vec::new();
    (FORMAT.write)(&fixture.report(), &mut out).expect("a vector takes everything");
    out
}

fn parsed(fixture: &Fixture) -> Value {
    serde_json::from_slice(&written(fixture)).expect("valid JSON")
}

fn fixtures() -> [Fixture; 5] {
    [fixture::plain(), fixture::empty(), fixture::incomplete(), fixture::hostile(), fixture::many(20)]
}

/// The published schema is made from the types that write reports.
#[test]
fn the_schema_is_that_of_the_types() {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<wire::Report>();
    schema.insert("$id".to_owned(), "urn:diffsieve:report:v1".into());
    schema.insert("title".to_owned(), "A report of diffsieve, version 1".into());
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
    if std::env::var_os("DIFFSIEVE_GENERATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas/report.json");
        std::fs::write(path, &text).expect("the schema can be written");
        return;
    }
    assert!(text == SCHEMA_TEXT, "docs/schemas/report.json differs: DIFFSIEVE_GENERATE=1 cargo test --lib the_schema");
}

#[test]
fn every_report_follows_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA_TEXT).expect("JSON");
    jsonschema::meta::validate(&schema).expect("a valid schema");
    let validator = jsonschema::validator_for(&schema).expect("a usable schema");
    for fixture in fixtures() {
        let errors: Vec<String> = validator.iter_errors(&parsed(&fixture)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let mut wrong = parsed(&fixture::plain());
    wrong["findings"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&wrong), "the schema accepts anything");
}

#[test]
fn the_schema_says_what_every_key_is() {
    fn undescribed(at: &str, value: &Value, found: &mut Vec<String>) {
        let Some(object) = value.as_object() else { return };
        for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if !property.get("description").is_some_and(Value::is_string) {
                found.push(format!("{at}.{name}"));
            }
        }
        for (name, inner) in object.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            undescribed(name, inner, found);
        }
    }
    let schema: Value = serde_json::from_str(SCHEMA_TEXT).expect("JSON");
    assert_eq!(schema["$id"], "urn:diffsieve:report:v1");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["schema"]["const"], "diffsieve.report/v1");
    let mut found = Vec::new();
    undescribed("report", &schema, &mut found);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_is_cut_is_read_back() {
    let mut fixture = fixture::plain();
    let finding = &mut fixture.review.findings[0];
    let frame = finding.frame.as_mut().expect("a frame");
    frame.cuts = vec![Cut { line: frame.first, bytes: 4, chars: 3, units: 2, width: 99 }];
    let expected = frame.clone();
    assert!(
        jsonschema::validator_for(&serde_json::from_str(SCHEMA_TEXT).expect("JSON"))
            .expect("a usable schema")
            .is_valid(&parsed(&fixture))
    );
    let read = read(&written(&fixture)).expect("it reads what it wrote");
    assert_eq!(read.review.findings[0].frame, Some(expected));
}

/// The keys that the product promises (design: product, Report JSON). More may be added, none may go.
#[test]
fn the_promised_keys_are_there() {
    let report = parsed(&fixture::plain());
    let has = |pointer: &str, keys: &str| {
        let object = report.pointer(pointer).expect("the object");
        for key in keys.split(' ') {
            assert!(object.get(key).is_some(), "{pointer} has no {key}");
        }
    };
    has("", "schema tool change coverage findings dropped funnel gate model usage run config notes");
    has("/tool", "name version");
    has("/change", "base merge_base head range description files");
    has("/coverage", "added_lines reviewed_lines skipped");
    has("/coverage/skipped/0", "path lines unread why");
    has("/funnel", "raised shown removed");
    has("/gate", "verdict complete reason fail_on on_incomplete");
    has("/model", "provider name validator health");
    has("/usage", "requests prompt_tokens completion_tokens estimated");
    has("/run", "requests cached prompt_tokens completion_tokens cached_tokens cost seconds");
    has("/config", "origin packs");
    let finding = "fingerprint key tag level file line end_line function quote rationale suggestion source score votes \
                   evidence anchor related trail";
    has("/findings/0", finding);
    has("/findings/0/source", "kind id");
    has("/findings/1/source", "kind pass");
    has("/findings/0/evidence", "status facts");
    has("/findings/0/anchor", "how moved");
    has("/findings/0/trail/0", "stage rule verdict why");
    has("/dropped/0", finding);
    has("/dropped/0/dropped", "stage reason why");
}

#[test]
fn text_stays_as_it_came() {
    let report = parsed(&fixture::hostile());
    assert_eq!(report["findings"][0]["rationale"], fixture::HOSTILE.concat());
    let novel = &report["findings"][3];
    assert_eq!(novel["file"], "src/\u{fffd}\u{fffd},line=3::x.py");
    assert_eq!(novel["file_bytes"], "src/%FF%FE%2Cline%3D3%3A%3Ax.py");
    assert_eq!(report["findings"][0].get("file_bytes"), None);
}

#[test]
fn what_was_written_reads_back_the_same() {
    for fixture in fixtures() {
        let bytes = written(&fixture);
        let saved = read(&bytes).expect("our own report");
        assert_eq!(saved.review.findings, fixture.review.findings);
        assert_eq!(saved.review.dropped, fixture.review.dropped);
        let again = Report {
            version: "0.1.0",
            review: &saved.review,
            decision: &saved.decision,
            tags: &[],
            origin: &saved.origin,
            provenance: fixture.provenance.clone(),
            style: Style::default(),
            sarif_suppressed: false,
        };
        let mut out = Vec::new();
        (FORMAT.write)(&again, &mut out).expect("a vector takes everything");
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&bytes));
    }
}

fn changed(pointer: &str, value: Value) -> String {
    let mut report = parsed(&fixture::plain());
    *report.pointer_mut(pointer).expect("the value") = value;
    read(report.to_string().as_bytes()).expect_err("a wrong value").to_string()
}

fn related_outside() -> Value {
    serde_json::json!([{ "file": "x", "file_bytes": "%2Fetc/passwd", "line": 1, "end_line": 1, "columns": null }])
}

#[test]
fn a_wrong_value_is_named() {
    assert_eq!(changed("/findings/0/level", "fatal".into()), r#"findings.level cannot be "fatal""#);
    assert_eq!(changed("/findings/0/impact", "beauty".into()), r#"impact cannot be "beauty""#);
    assert_eq!(changed("/findings/0/line", 0.into()), r#"findings.line cannot be "0""#);
    assert_eq!(changed("/findings/0/fingerprint", "$(id)".into()), r#"findings.fingerprint cannot be "$(id)""#);
    assert_eq!(changed("/findings/0/file", "../x".into()), r#"findings.file cannot be "../x""#);
    assert_eq!(changed("/findings/1/related", related_outside()), r#"findings.related.file cannot be "%2Fetc/passwd""#);
    assert_eq!(changed("/gate/fail_on", "never ever".into()), r#"gate.fail_on cannot be "never ever""#);
    assert_eq!(
        changed("/schema", "diffsieve.report/v2".into()),
        r#"the report's format is "diffsieve.report/v2", this version reads diffsieve.report/v1"#
    );
    assert_eq!(read(b"{").expect_err("no JSON").to_string(), "the file is no diffsieve report");
}

#[test]
fn keys_and_verdicts_of_a_later_v1_are_no_error() {
    let mut report = parsed(&fixture::plain());
    report["novelty"] = true.into();
    report["findings"][0]["trail"][0]["verdict"] = "blessed".into();
    let saved = read(report.to_string().as_bytes()).expect("still v1");
    let step = saved.review.findings.first().and_then(|finding| finding.trail.first()).expect("a step");
    assert_eq!((step.verdict, step.why.raw()), ("noted", "blessed: the pattern matched"));
}
