use std::collections::BTreeSet;

use proptest::prelude::proptest;
use proptest::prop_assert;
use serde_json::Value;

use super::{FORMAT, repository_uri};
use crate::finding::{Columns, Level, Line, Untrusted};
use crate::report::Report;
use crate::report::fixture::{self, Fixture};

fn written(report: &Report<'_>) -> Value {
    let mut out = Vec::new();
    (FORMAT.write)(report, &mut out).expect("a vector takes everything");
    serde_json::from_slice(&out).expect("valid JSON")
}

fn run(fixture: &Fixture) -> Value {
    written(&fixture.report())["runs"][0].take()
}

fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn fixtures() -> Vec<Fixture> {
    let mut all =
        vec![fixture::plain(), fixture::empty(), fixture::incomplete(), fixture::hostile(), fixture::many(20)];
    let mut outside = fixture::plain();
    for (finding, path) in outside.review.findings.iter_mut().zip(["../../etc/passwd", "/etc/passwd"]) {
        finding.claim.location.path = path.into();
        finding.related = vec![finding.claim.location.clone()];
    }
    all.push(outside);
    all.extend(fixture::HOSTILE.iter().map(|text| fixture::with_text(text)));
    all
}

/// Every value of a key, wherever it stands.
fn each<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get(key));
            object.values().for_each(|inner| each(inner, key, found));
        }
        Value::Array(array) => array.iter().for_each(|inner| each(inner, key, found)),
        _ => {}
    }
}

#[test]
fn the_head_is_what_consumers_look_for() {
    let log = written(&fixture::plain().report());
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    assert_eq!(items(&log, "/runs").len(), 1);
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "diffsieve");
    assert_eq!(run["tool"]["driver"]["semanticVersion"], "0.1.0");
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["automationDetails"]["id"], "diffsieve/linux/");
    assert_eq!(run["automationDetails"]["guid"].as_str().map(str::len), Some(36));
    assert_eq!(run["versionControlProvenance"][0]["repositoryUri"], "https://example.org/acme/shop");
    assert_eq!(run["properties"]["ai/origin"], "generated");
    let empty = self::run(&fixture::empty());
    assert_eq!(empty["results"], Value::Array(vec![]), "results are required, also when there are none");
    assert_eq!(empty["properties"].get("ai/origin"), None);
    assert_eq!(empty["automationDetails"]["id"], "diffsieve/");
}

#[test]
fn a_result_carries_what_github_reads() {
    let run = run(&fixture::plain());
    let first = &run["results"][0];
    assert_eq!(first["ruleId"], "MutableDefault");
    assert_eq!(first["level"], "error");
    assert_eq!(first["kind"], "fail");
    assert_eq!(
        first["message"]["text"],
        "Mutable default argument. The default list is created once and shared by every call of `add`. \
         The same: [here](1)."
    );
    let physical = &first["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "shop/basket.py");
    let region = &physical["region"];
    let corner = |name: &str| region[name].as_u64();
    assert_eq!(
        [corner("startLine"), corner("startColumn"), corner("endLine"), corner("endColumn")],
        [Some(12), Some(15), Some(12), Some(23)]
    );
    assert_eq!(region["snippet"]["text"], "cache=[]");
    assert_eq!(physical["contextRegion"]["startLine"], 11);
    assert_eq!(first["partialFingerprints"]["primaryLocationLineHash"], "c129715d7a2bc9a3:1");
    assert_eq!(first["partialFingerprints"]["diffsieve/key/v1"], "000000000000000000000000000a11da");
    assert_eq!(first["partialFingerprints"]["diffsieve/window/v1"], "00000000000000000000000000000b17");
    assert_eq!(first["rank"], 90.0);
    assert_eq!(run["results"][1]["rank"], 85.0);
    assert_eq!(first["relatedLocations"][0]["id"], 1);
    let change = &first["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "def add(item, cache=None):");
    assert_eq!(change["replacements"][0]["deletedRegion"]["endColumn"], 25);
}

#[test]
fn a_message_reads_on_from_the_title() {
    let mut fixture = fixture::empty();
    for (rationale, expected) in [
        ("a marker was left. More.", "Something to look at: a marker was left."),
        ("It leaks", "Something to look at. It leaks."),
        ("see a.b e.g. this one! And more", "Something to look at: see a.b e.g. this one!"),
        ("`x{0}` is wrong", "Something to look at. `x{{0}}` is wrong."),
        ("", "Something to look at."),
    ] {
        let mut found = fixture::finding("LongFunction", Level::Note, "a.py", 2, &["", "x"]);
        found.claim.rationale = Untrusted::new(rationale);
        fixture.review.findings = vec![found];
        assert_eq!(run(&fixture)["results"][0]["message"]["text"], expected);
    }
}

#[test]
fn a_rule_carries_what_github_reads() {
    let run = run(&fixture::plain());
    let rules = items(&run, "/tool/driver/rules");
    let ids: Vec<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids, ["LongFunction", "MutableDefault", "ResourceLeak", "Shadowed"]);
    let leak = &rules[2];
    assert_eq!(leak["shortDescription"]["text"], "A resource is not released.");
    assert_eq!(leak["defaultConfiguration"]["level"], "warning");
    assert_eq!(leak["properties"]["security-severity"], "5.5");
    assert_eq!(leak["properties"].get("problem.severity"), None);
    let tags: Vec<&str> = items(leak, "/properties/tags").iter().filter_map(Value::as_str).collect();
    assert_eq!(
        tags,
        ["security", "structural", "impact/maintainability", "severity/low", "external/cwe/cwe-772", "pack/cqs-core"]
    );
    assert_eq!(rules[1]["properties"]["problem.severity"], "error");
    assert_eq!(rules[3]["defaultConfiguration"]["enabled"], false);
}

#[test]
fn every_result_finds_its_rule_and_its_links() {
    for fixture in fixtures() {
        let run = run(&fixture);
        let rules = items(&run, "/tool/driver/rules");
        let ids: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
        assert_eq!(ids.len(), rules.len(), "ids are unique");
        for rule in rules {
            for text in ["shortDescription", "fullDescription", "help"] {
                let text = rule[text]["text"].as_str().expect("required");
                assert!(!text.trim().is_empty() && (text.chars().count() <= 1024 || text.contains("To accept")));
            }
            assert!(items(rule, "/properties/tags").len() <= 10);
        }
        for result in items(&run, "/results") {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(result["ruleId"], rules[index]["id"]);
            assert!(!result["ruleId"].as_str().expect("an id").contains('/'));
            let text = result["message"]["text"].as_str().expect("a text");
            let links = text.matches("](").count();
            assert_eq!(links, items(result, "/relatedLocations").len(), "{text}");
        }
    }
}

/// A placeholder is a single brace (3.11.5); what is left after taking out the doubled ones must have none.
#[test]
fn no_message_has_a_placeholder() {
    for fixture in fixtures() {
        let run = run(&fixture);
        let mut messages = Vec::new();
        each(&run, "message", &mut messages);
        each(&run, "help", &mut messages);
        each(&run, "shortDescription", &mut messages);
        for text in messages.iter().flat_map(|message| [&message["text"], &message["markdown"]]) {
            let text = text.as_str().unwrap_or_default();
            let single = text.replace("{{", "").replace("}}", "");
            assert!(!single.contains(['{', '}']), "{text}");
        }
    }
}

#[test]
fn every_uri_is_relative_and_stays_inside() {
    for fixture in fixtures() {
        let run = run(&fixture);
        let mut uris = Vec::new();
        each(&run, "uri", &mut uris);
        for uri in uris {
            let uri = uri.as_str().expect("text");
            assert!(!uri.is_empty() && !uri.starts_with('/') && !uri.contains(':'), "{uri}");
            assert!(!uri.split('/').any(|part| part == ".."), "{uri}");
            assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)), "{uri}");
        }
        let mut regions = Vec::new();
        each(&run, "region", &mut regions);
        each(&run, "contextRegion", &mut regions);
        for region in regions {
            let corner = |name: &str| region[name].as_u64().expect("all four");
            let (start, end) = ((corner("startLine"), corner("startColumn")), (corner("endLine"), corner("endColumn")));
            assert!(start.0 >= 1 && start.1 >= 1 && start <= end, "{region}");
        }
    }
}

#[test]
fn findings_in_are_results_out_or_are_named() {
    for fixture in fixtures() {
        let run = run(&fixture);
        let results = items(&run, "/results").len();
        let outside = fixture.review.findings.iter().filter(|finding| !finding.claim.location.path.is_inside()).count();
        assert_eq!(results + outside, fixture.review.findings.len());
        let notifications = items(&run, "/invocations/0/toolExecutionNotifications");
        let left_out = notifications.iter().any(|one| one["descriptor"]["id"] == "diffsieve/left-out");
        assert_eq!(left_out, outside > 0);
        for one in notifications {
            let index = one["descriptor"]["index"].as_u64().expect("an index");
            let descriptor = &items(&run, "/tool/driver/notifications")[index as usize];
            assert_eq!(descriptor["id"], one["descriptor"]["id"]);
        }
    }
}

fn notified(run: &Value) -> Vec<&str> {
    let notifications = items(run, "/invocations/0/toolExecutionNotifications");
    notifications.iter().filter_map(|one| one["message"]["text"].as_str()).collect()
}

#[test]
fn too_many_results_are_cut_and_counted() {
    assert_eq!(super::results::LIMIT, 25_000);
    let fixture = fixture::many(13);
    let run = serde_json::to_value(super::run(&fixture.report(), 10)).expect("JSON");
    assert_eq!(items(&run, "/results").len(), 10);
    assert_eq!(run["results"][0]["level"], "error", "the best-ranked stay");
    assert_eq!(
        notified(&run),
        ["3 findings were left out: code scanning takes no more results; the best-ranked are here."]
    );
}

#[test]
fn what_github_will_not_show_is_said() {
    let run = run(&fixture::many(5001));
    assert_eq!(items(&run, "/results").len(), 5001);
    assert_eq!(notified(&run), ["GitHub shows the 5,000 most severe results of a run."]);
}

#[test]
fn an_incomplete_review_did_not_succeed() {
    let run = run(&fixture::incomplete());
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let notifications = items(&run, "/invocations/0/toolExecutionNotifications");
    assert_eq!(notifications.len(), 2);
    assert_eq!(notifications[0]["level"], "error");
    assert_eq!(notifications[0]["message"]["text"], "'assets/data.js' was not read: over 1 MiB (2 added lines).");
    let uri = notifications[0].pointer("/locations/0/physicalLocation/artifactLocation/uri");
    assert_eq!(uri.and_then(Value::as_str), Some("assets/data.js"));
}

/// Either all results have the array or none (3.27.23).
#[test]
fn suppressions_are_on_all_results_or_on_none() {
    let fixture = fixture::plain();
    assert!(items(&run(&fixture), "/results").iter().all(|result| result.get("suppressions").is_none()));
    let log = written(&Report { sarif_suppressed: true, ..fixture.report() });
    let counts: Vec<usize> = items(&log, "/runs/0/results")
        .iter()
        .map(|result| result["suppressions"].as_array().expect("an array").len())
        .collect();
    assert_eq!(counts, [0, 0, 0, 1]);
    let suppression = &log["runs"][0]["results"][3]["suppressions"][0];
    assert_eq!(suppression["kind"], "external");
    assert_eq!(suppression["justification"], "accepted on 2026-01-01: legacy module");
}

#[test]
fn addresses_are_uris_without_credentials() {
    assert_eq!(repository_uri("https://u:p@example.org/a"), Some("https://example.org/a".to_owned()));
    assert_eq!(repository_uri("https://token@example.org/a"), Some("https://example.org/a".to_owned()));
    assert_eq!(repository_uri("ssh://git@example.org/a"), Some("ssh://git@example.org/a".to_owned()));
    assert_eq!(repository_uri("ssh://git:pw@example.org/a"), Some("ssh://example.org/a".to_owned()));
    for none in ["git@example.org:a", "file:///home/x", "https://", "https://a b", "https://a/{x}", "", "https:///x"] {
        assert_eq!(repository_uri(none), None, "{none}");
    }
}

#[test]
fn the_guid_follows_from_the_content() {
    let guid = |fixture: &Fixture| run(fixture)["automationDetails"]["guid"].clone();
    assert_eq!(guid(&fixture::plain()), guid(&fixture::plain()));
    assert_ne!(guid(&fixture::plain()), guid(&fixture::empty()));
    let text = guid(&fixture::empty());
    let parts: Vec<&str> = text.as_str().expect("text").split('-').collect();
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert!(parts[2].starts_with('5') && parts[3].starts_with(['8', '9', 'a', 'b']), "{text}");
}

proptest! {
    /// The law that a snapshot cannot check: the text at the region is the snippet.
    #[test]
    fn the_text_at_the_region_is_the_snippet(
        lines in proptest::collection::vec("[ a日é😀\t]{0,12}", 4..9),
        first in 1_u32..3,
        span in (0_u32..4, 0_u32..4),
        columns in proptest::option::of((0_u32..40, 0_u32..40)),
    ) {
        let mut fixture = fixture::plain();
        fixture.review.findings.truncate(1);
        for finding in &mut fixture.review.findings {
            let location = &mut finding.claim.location;
            location.line = Line::new(first + span.0).expect("a line");
            location.end_line = Line::new(first + span.0 + span.1).expect("a line");
            location.columns = columns.map(|(start, end)| Columns { start, end });
            if let Some(frame) = &mut finding.frame {
                frame.first = Line::new(first).expect("a line");
                frame.lines = lines.iter().map(Untrusted::new).collect();
            }
        }
        let run = run(&fixture);
        // The file as a viewer has it: lines before the frame are unknown but there.
        let file: Vec<Vec<u16>> = (1..first).map(|_| Vec::new())
            .chain(lines.iter().map(|line| line.encode_utf16().collect()))
            .collect();
        let physical = &run["results"][0]["locations"][0]["physicalLocation"];
        for region in [&physical["region"], &physical["contextRegion"]] {
            let Some(snippet) = region.pointer("/snippet/text").and_then(Value::as_str) else { continue };
            let corner = |name: &str| region[name].as_u64().expect("all four") as usize;
            let mut text = Vec::new();
            for line in corner("startLine")..=corner("endLine") {
                let units = &file[line - 1];
                let from = if line == corner("startLine") { corner("startColumn") - 1 } else { 0 };
                let to = if line == corner("endLine") { corner("endColumn") - 1 } else { units.len() };
                text.extend_from_slice(&units[from..to]);
                if line < corner("endLine") {
                    text.push(u16::from(b'\n'));
                }
            }
            prop_assert!(String::from_utf16(&text).is_ok_and(|text| text == snippet), "{}", region);
        }
    }
}
