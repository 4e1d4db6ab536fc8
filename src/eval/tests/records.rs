//! Scores of runs from records that are made by hand.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::eval::Error;
use crate::eval::score::{Compat, FORMAT, Hits, SCHEMA, Scores};
use crate::eval::scoring::{Choice, Records, scores};
use crate::record::schemas::tests::{is_published, takes};
use crate::record::{Answer, Dataset, Judgement, Manifest, Run};

/// Cases, answers and judgements as JSON, without the fields that every record has.
fn scored(protocol: &str, cases: Value, answers: Value, judgements: Value, choice: &Choice) -> Result<Scores, Error> {
    let (dataset, records) = set(protocol, cases, answers, judgements);
    let scores = scores(protocol, &dataset, &records, choice)?;
    let document = serde_json::to_value(&scores).unwrap();
    assert!(takes(SCHEMA, &document), "not by the schema: {document:#}");
    Ok(scores)
}

#[test]
fn the_schemas_are_those_of_the_scores() {
    is_published::<Scores>("scores", "The scores of a run by one protocol, of diffsieve, version 1", SCHEMA);
    assert!(!takes(SCHEMA, &json!({"format": FORMAT})), "the schema accepts anything");
}

fn set(protocol: &str, mut cases: Value, mut answers: Value, mut judgements: Value) -> (Dataset, Records) {
    for case in cases.as_array_mut().unwrap() {
        case["source"] = json!({"files": {"folder": "files"}});
    }
    for answer in answers.as_array_mut().unwrap() {
        if answer["status"].is_null() {
            answer["status"] = "complete".into();
        }
        if answer["comments"].is_null() {
            answer["comments"] = json!([]);
        }
        for comment in answer["comments"].as_array_mut().unwrap() {
            if comment["body"].is_null() {
                comment["body"] = "something".into();
            }
        }
    }
    for judgement in judgements.as_array_mut().unwrap() {
        for (name, value) in [("protocol", json!(protocol)), ("judge", json!("j"))] {
            if judgement[name].is_null() {
                judgement[name] = value;
            }
        }
    }
    let manifest = Manifest { name: "hand".to_owned(), digest: "d".to_owned(), ..Manifest::default() };
    let cases = serde_json::from_value(cases).unwrap();
    let dataset = Dataset { folder: PathBuf::new(), manifest, cases };
    let run = Run { dataset: "hand".to_owned(), digest: "d".to_owned(), ..Run::default() };
    let answers: Vec<Answer> = serde_json::from_value(answers).unwrap();
    let judgements: Vec<Judgement> = serde_json::from_value(judgements).unwrap();
    (dataset, Records { run, answers, judgements })
}

fn value(scores: &Scores, measure: &str) -> Value {
    serde_json::to_value(scores.measures[measure].value).unwrap()
}

/// A case with one bug, one with two, a clean one.
fn bugs() -> Value {
    json!([
        {"id": "one", "language": "go", "bugs": [
            {"id": "b", "description": "", "file": "a", "line": 10, "end_line": 12, "severity": "high", "category": "Data"},
        ]},
        {"id": "two", "bugs": [
            {"id": "b1", "description": "", "file": "a", "line": 5, "severity": "low"},
            {"id": "b2", "description": "", "severity": "high"},
        ]},
        {"id": "clean", "clean": true, "language": "go"},
    ])
}

fn bug_answers() -> Value {
    json!([
        {"case": "one", "comments": [{"id": "c1", "file": "a", "line": 13}, {"id": "c2"}, {"id": "c3", "body": "No comment."}]},
        {"case": "two", "comments": [{"id": "c1", "file": "a", "line": 7}, {"id": "c2"}, {"id": "c3"}]},
        {"case": "clean", "comments": [{"id": "c1"}]},
    ])
}

fn bug_judgements() -> Value {
    json!([
        {"case": "one", "about": ["c1"], "verdict": {"label": "BUG_HIT"}},
        {"case": "one", "about": ["c2"], "verdict": {"label": "NOISE"}},
        {"case": "two", "about": ["c1"], "verdict": {"label": "BUG_HIT", "matched": "b1"}},
        {"case": "two", "about": ["c2"], "verdict": {"label": "BUG_HIT", "matched": "b1"}},
        {"case": "two", "about": ["c3"], "verdict": {"label": "VALID_SUGGESTION"}},
    ])
}

#[test]
fn bugs_hits_places_and_false_alarms() {
    let scores = scored("cr-bench", bugs(), bug_answers(), bug_judgements(), &Choice::default()).unwrap();
    // Two of three bugs, six comments (the marker is none), five judged useful or not and one alarm on the clean change.
    let expected = [("recall", 2.0 / 3.0), ("precision", 2.0 / 6.0), ("usefulness", 4.0 / 6.0), ("snr", 2.0)];
    for (name, expected) in expected {
        let real = scores.measures[name].value.unwrap().get();
        assert!((real - expected).abs() < 1e-12, "{name}: {real}");
    }
    assert_eq!(scores.silent["recall"].value.unwrap().get(), 0.0);
    assert_eq!(scores.silent["precision"].value, None);
    assert_eq!(scores.clean.alarms.value.unwrap().get(), 1.0);
    let counts = |measure: crate::eval::score::Measure| (measure.over.unwrap().get(), measure.under.unwrap().get());
    // Of the two bugs with a line one has a comment a line after its end; the other comment is two lines off.
    assert_eq!(counts(scores.location.reached), (1.0, 2.0));
    assert_eq!(counts(scores.location.matched), (1.0, 2.0));
    assert_eq!(counts(scores.by["severity"]["high"]), (1.0, 2.0));
    assert_eq!(counts(scores.by["severity"]["low"]), (1.0, 1.0));
    assert_eq!(counts(scores.by["category"]["unknown"]), (1.0, 2.0));
    assert_eq!(counts(scores.by["language"]["go"]), (1.0, 1.0));
    assert!(!scores.by.contains_key("impact") && !scores.by.contains_key("operator"));
    assert_eq!(scores.rows[0].case, "clean", "rows are ordered by case");
    assert_eq!(scores.rows[0].values["noise_unjudged"].get(), 1.0);
    assert_eq!(scores.variants.judge.as_deref(), Some("j"));
    assert!(scores.samples.is_empty());

    let choice = Choice {
        hits: Hits::PerComment,
        crossed: vec![vec!["severity".to_owned(), "language".to_owned()]],
        ..Choice::default()
    };
    let scores = scored("cr-bench", bugs(), bug_answers(), bug_judgements(), &choice).unwrap();
    assert_eq!(value(&scores, "recall"), 1.0);
    assert_eq!(counts(scores.by["severity x language"]["high x go"]), (1.0, 1.0));
    let wrong = Choice { crossed: vec![vec!["colour".to_owned()]], ..Choice::default() };
    let error = scored("cr-bench", bugs(), bug_answers(), bug_judgements(), &wrong).unwrap_err();
    assert!(error.to_string().contains("the axes are category"), "{error}");
}

#[test]
fn a_judgement_about_a_clean_change_counts_as_it_is() {
    let mut judgements = bug_judgements();
    let valid = json!({"case": "clean", "about": ["c1"], "verdict": {"label": "VALID_SUGGESTION"}});
    judgements.as_array_mut().unwrap().push(valid);
    let scores = scored("cr-bench", bugs(), bug_answers(), judgements, &Choice::default()).unwrap();
    assert_eq!(value(&scores, "snr"), 5.0);
    assert_eq!(scores.clean.alarms.value.unwrap().get(), 1.0, "a false alarm is a comment, whatever it says");
}

#[test]
fn judgements_that_are_missing_are_counted_and_listed() {
    let mut judgements = bug_judgements();
    judgements.as_array_mut().unwrap().drain(1..3);
    let error = scored("cr-bench", bugs(), bug_answers(), judgements, &Choice::default()).unwrap_err();
    assert!(
        error.is_incomplete()
            && error.to_string().starts_with("judgements that are missing: 2, in the answers one, two;")
    );
}

#[test]
fn judgements_that_cannot_be_are_named() {
    for (verdict, what) in [
        (json!({"label": "GREAT"}), "none of BUG_HIT"),
        (json!({}), "none of BUG_HIT"),
        (json!({"label": "BUG_HIT", "matched": "b9"}), "names a bug of the case"),
    ] {
        let mut judgements = bug_judgements();
        judgements[4]["verdict"] = verdict;
        let error = scored("cr-bench", bugs(), bug_answers(), judgements, &Choice::default()).unwrap_err();
        let error = (error.is_incomplete(), error.to_string());
        assert!(!error.0 && error.1.contains(what) && error.1.contains("two, comment `c3`"), "{}", error.1);
    }
}

#[test]
fn judges_are_not_mixed() {
    let mut judgements = bug_judgements();
    let other = json!({"case": "one", "about": ["c2"], "judge": "k", "verdict": {"label": "BUG_HIT"}});
    judgements.as_array_mut().unwrap().push(other);
    let error = scored("cr-bench", bugs(), bug_answers(), judgements.clone(), &Choice::default()).unwrap_err();
    assert_eq!(error.to_string(), "2 judges decided: j, k; choose one with --judge");
    let of = |judge: &str| Choice { judge: Some(judge.to_owned()), ..Choice::default() };
    let scores = scored("cr-bench", bugs(), bug_answers(), judgements.clone(), &of("j")).unwrap();
    assert_eq!(value(&scores, "snr"), 2.0);
    // The other one decided once alone.
    let error = scored("cr-bench", bugs(), bug_answers(), judgements, &of("k")).unwrap_err();
    assert!(error.to_string().starts_with("judgements that are missing: 4"), "{error}");
}

#[test]
fn what_failed_is_named_and_in_no_number() {
    let mut answers = bug_answers();
    answers[1] = json!({"case": "two", "status": "failed", "why": "no"});
    answers.as_array_mut().unwrap().remove(2);
    let error = scored("cr-bench", bugs(), answers.clone(), bug_judgements(), &Choice::default()).unwrap_err();
    assert!(
        error.is_incomplete() && error.to_string().starts_with("cases without a review: 2: two, clean;"),
        "{error}"
    );
    let choice = Choice { allow_failed: true, ..Choice::default() };
    let scores = scored("cr-bench", bugs(), answers.clone(), bug_judgements(), &choice).unwrap();
    assert_eq!((scores.answers.failed, scores.answers.missing), (vec!["two".to_owned()], vec!["clean".to_owned()]));
    assert_eq!((scores.answers.scored, scores.rows.len()), (1, 1));
    assert_eq!(scores.measures["recall"].under.unwrap().get(), 1.0);
    // Asked again, it is there.
    answers.as_array_mut().unwrap().push(json!({"case": "two"}));
    answers.as_array_mut().unwrap().push(json!({"case": "clean"}));
    let scores = scored("cr-bench", bugs(), answers, bug_judgements(), &Choice::default()).unwrap();
    assert_eq!((scores.answers.failed.len(), scores.measures["recall"].under.unwrap().get()), (0, 3.0));
}

#[test]
fn samples_stand_beside_their_mean() {
    let cases = json!([{"id": "one", "bugs": [{"id": "b", "description": ""}]}]);
    let answers = json!([
        {"case": "one", "sample": 0, "comments": [{"id": "c"}]},
        {"case": "one", "sample": 1, "comments": [{"id": "c"}]},
        {"case": "one", "sample": 2},
    ]);
    let judgements = json!([
        {"case": "one", "sample": 0, "about": ["c"], "verdict": {"label": "BUG_HIT"}},
        {"case": "one", "sample": 1, "about": ["c"], "verdict": {"label": "NOISE"}},
    ]);
    let scores = scored("cr-bench", cases, answers, judgements, &Choice::default()).unwrap();
    assert_eq!(scores.samples.len(), 3);
    assert_eq!(scores.mean["recall"].value.unwrap().get(), 1.0 / 3.0);
    // The silent sample has no precision, which the mean says by what it is a mean of.
    assert_eq!(
        serde_json::to_value(scores.mean["precision"]).unwrap(),
        json!({"value": 0.5, "over": 1.0, "under": 2.0})
    );
    // An infinite ratio of signal to noise stays one in the mean.
    assert_eq!(serde_json::to_value(scores.mean["snr"].value).unwrap(), json!("inf"));
}

fn humans() -> Value {
    json!([{"id": "pr", "comments": [
        {"id": "h1", "file": "a.py", "line": 10, "body": "check the divisor"},
        {"id": "h2", "file": "b.py", "line": 50, "body": "close the file"},
    ]}, {"id": "clean", "clean": true}])
}

fn human_answers() -> Value {
    json!([
        {"case": "pr", "comments": [
            {"id": "c1", "file": "a.py", "line": 11, "body": "the divisor may be zero"},
            {"id": "c2", "file": "z.py", "line": 5, "body": "magic"},
        ]},
        {"case": "clean"},
    ])
}

fn human_judgements() -> Value {
    let mut all = vec![
        json!({"case": "pr", "about": ["c1"], "verdict": {"label": "CONFIRMED", "matched": "h1", "number": 4}}),
        json!({"case": "pr", "about": ["c2"], "verdict": {"label": "FABRICATED", "number": 2}}),
    ];
    let alike = |one: &str, other: &str, number: f64| json!({"case": "pr", "about": [one, other], "protocol": "similarity", "judge": "e", "verdict": {"number": number}});
    all.extend([alike("c1", "h1", 0.62), alike("c1", "h2", 0.0), alike("h1", "c2", 0.0), alike("c2", "h2", 0.0)]);
    all.push(alike("c2", "c1", 0.1));
    Value::Array(all)
}

#[test]
fn comments_of_people() {
    let scores = scored("swe-prbench", humans(), human_answers(), human_judgements(), &Choice::default()).unwrap();
    // r 1/2, p and e 1/2, a .62, q (3 - 1)/4, h 1/2.
    let expected = 0.40 * 0.5 + 0.25 * 0.5 + 0.15 * 0.62 + 0.10 * 0.5 + 0.05 * 0.5 - 0.25 * 0.5;
    assert!((scores.measures["score"].value.unwrap().get() - expected).abs() < 1e-12);
    for (name, expected) in
        [("detection_rate", 0.5), ("false_positive_rate", 0.5), ("coverage", 1.0), ("precision", 0.5)]
    {
        assert_eq!(value(&scores, name), expected, "{name}");
    }
    assert_eq!(scores.variants.similarity.as_deref(), Some("e"));
    assert_eq!(scores.rows[1].pairs, [("c1".to_owned(), "h1".to_owned())]);
    assert_eq!(scores.location.matched.value.unwrap().get(), 1.0);
    assert_eq!(scores.silent["score"].value.unwrap().get(), 0.0);
    assert_eq!((scores.clean.alarms.over.unwrap().get(), scores.clean.alarms.under.unwrap().get()), (0.0, 1.0));
}

#[test]
fn similarities_are_needed_or_computed_by_their_name() {
    let mut judgements = human_judgements();
    judgements.as_array_mut().unwrap().truncate(2);
    let by = |name: Option<&str>| Choice { similarity: name.map(str::to_owned), ..Choice::default() };
    let error = scored("swe-prbench", humans(), human_answers(), judgements.clone(), &by(Some("e"))).unwrap_err();
    assert!(error.to_string().starts_with("nobody called `e` decided anything"), "{error}");
    // Where nobody saved any and nobody is named, words are compared.
    for choice in [by(None), by(Some("lexical"))] {
        let scores = scored("swe-prbench", humans(), human_answers(), judgements.clone(), &choice).unwrap();
        assert_eq!(scores.variants.similarity.as_deref(), Some("lexical"));
        // the, divisor of check, the, divisor, may, be, zero.
        assert_eq!(value(&scores, "alignment"), 0.3333333333);
    }
    let scores = scored("swe-prbench", humans(), human_answers(), judgements.clone(), &by(Some("chars"))).unwrap();
    assert_eq!(scores.variants.similarity.as_deref(), Some("chars"));
    let alignment = scores.measures["alignment"].value.unwrap().get();
    assert!(alignment > 0.4 && alignment < 1.0, "{alignment}");
    let mut wrong = human_judgements();
    wrong[2]["verdict"]["number"] = json!(1.5);
    let error = scored("swe-prbench", humans(), human_answers(), wrong, &Choice::default()).unwrap_err();
    assert!(error.to_string().contains("no number from -1 to 1"), "{error}");
}

#[test]
fn a_judge_nobody_can_read_halves_the_score() {
    let mut judgements = human_judgements();
    judgements[0]["verdict"] = json!({"unparsable": true});
    let scores = scored("swe-prbench", humans(), human_answers(), judgements, &Choice::default()).unwrap();
    // c1 is found again by its affinity, c2 is plausible now: q is 3 for both.
    let expected = (0.40 * 0.5 + 0.25 * 0.5 + 0.15 * 0.62 + 0.10 * 0.5 + 0.05 * 0.5) / 2.0;
    assert!((scores.measures["score"].value.unwrap().get() - expected).abs() < 1e-12);
    assert_eq!(value(&scores, "judge_fallback"), 1.0);
}

#[test]
fn an_answer_nobody_can_read_is_zero_and_flatters_no_rate_of_the_paper() {
    let answers = json!([
        {"case": "pr", "status": "unparsable", "comments": [{"id": "c1"}]},
        {"case": "clean", "status": "unparsable"},
    ]);
    let scored = |compat| {
        let choice = Choice { compat, ..Choice::default() };
        scored("swe-prbench", humans(), answers.clone(), json!([]), &choice).unwrap()
    };
    let (paper, released) = (scored(Compat::Paper), scored(Compat::V041));
    assert_eq!((value(&paper, "score"), value(&released, "score")), (json!(0.0), json!(0.0)));
    assert_eq!(value(&paper, "false_positive_rate"), Value::Null);
    assert_eq!(value(&released, "false_positive_rate"), 0.0);
    assert_eq!(paper.answers.unparsable, 2);
}

fn checklists() -> Value {
    json!([
        {"id": "a", "language": "go", "checklist": [{"id": "i", "text": "Check the divisor (it may be zero)"}, {"id": "k", "text": "Close it"}]},
        {"id": "b", "language": "go", "checklist": [{"id": "i", "text": "Rename x"}]},
        {"id": "c", "language": "go", "clean": true, "checklist": [{"id": "i", "text": "No comment."}]},
        {"id": "d", "language": "go", "clean": true},
    ])
}

#[test]
fn checklists_by_item_and_by_count() {
    let answers = json!([
        {"case": "a", "comments": [{"id": "c", "body": "check the divisor"}]},
        {"case": "b"},
        {"case": "c", "comments": [{"id": "c", "body": "No comment."}]},
        {"case": "d", "comments": [{"id": "c", "body": "rename y"}]},
    ]);
    let items = json!([
        {"case": "a", "about": ["i"], "verdict": {"holds": true}},
        {"case": "a", "about": ["k"], "verdict": {"holds": false}},
    ]);
    let choice = Choice { text_metrics: true, ..Choice::default() };
    let by_item = scored("sphinx", checklists(), answers.clone(), items, &choice).unwrap();
    // .9 (1/2 + 0)/2 + .1 (1 + 0)/2
    assert_eq!(value(&by_item, "score"), 0.275);
    assert_eq!(value(&by_item, "score_over_languages"), 0.275);
    assert!((by_item.silent["score"].value.unwrap().get() - 0.1).abs() < 1e-12, "the floor of the silent");
    assert_eq!((value(&by_item, "coverage"), value(&by_item, "silence")), (json!(0.25), json!(0.5)));
    assert!(by_item.measures["bleu_1"].value.unwrap().get() > 0.0);
    let count = |number: f64| json!([{"case": "a", "about": [], "verdict": {"number": number}}]);
    let by_count = scored("sphinx", checklists(), answers.clone(), count(1.0), &Choice::default()).unwrap();
    assert_eq!(value(&by_count, "score"), 0.275);
    assert!(by_count.rows[0].known.is_empty() && !by_item.rows[0].known.is_empty());
    assert_eq!(by_count.by["language"], by_item.by["language"]);
    let clamped = scored("sphinx", checklists(), answers.clone(), count(9.0), &Choice::default()).unwrap();
    assert_eq!(value(&clamped, "coverage"), 0.5);
    let error = scored("sphinx", checklists(), answers.clone(), count(0.5), &Choice::default()).unwrap_err();
    assert!(error.to_string().contains("no whole number"), "{error}");
    let error = scored("sphinx", checklists(), answers.clone(), json!([]), &Choice::default()).unwrap_err();
    assert!(error.to_string().starts_with("judgements that are missing: 2, in the answers a;"), "{error}");
    let choice = Choice { lambda: Some(1.5), ..Choice::default() };
    assert!(scored("sphinx", checklists(), answers, count(1.0), &choice).is_err());
}

#[test]
fn what_nobody_can_read_is_no_silence() {
    let answers = json!([
        {"case": "a", "status": "unparsable"}, {"case": "b"}, {"case": "c", "status": "unparsable"}, {"case": "d"},
    ]);
    let scores = scored("sphinx", checklists(), answers, json!([]), &Choice::default()).unwrap();
    assert_eq!((value(&scores, "coverage"), value(&scores, "silence")), (json!(0.0), json!(0.5)));
}

#[test]
fn a_dataset_without_clean_changes_has_no_sphinx_score() {
    let cases = json!([{"id": "b", "checklist": [{"id": "i", "text": "Rename x"}]}]);
    let scores = scored("sphinx", cases.clone(), json!([{"case": "b"}]), json!([]), &Choice::default()).unwrap();
    assert_eq!((value(&scores, "score"), value(&scores, "coverage")), (Value::Null, json!(0.0)));
    let whole = Choice { lambda: Some(1.0), ..Choice::default() };
    let scores = scored("sphinx", cases, json!([{"case": "b"}]), json!([]), &whole).unwrap();
    assert_eq!(value(&scores, "score"), 0.0);
}

#[test]
fn tagged_issues() {
    let cases = json!([{"id": "a", "issues": [
        {"tag": "Typo", "rationale": "g0", "file": "f", "line": 3}, {"tag": "Typo", "rationale": "g1"},
    ]}]);
    let answers = json!([{"case": "a", "comments": [
        {"id": "x", "tag": "Typo", "file": "f", "line": 4}, {"id": "y", "tag": "typo"}, {"id": "z"},
    ]}]);
    let asked = |judgements: Value| scored("cqs", cases.clone(), answers.clone(), judgements, &Choice::default());
    // Only the pairs of equal tags are asked about, and the second only once the first is known.
    assert!(asked(json!([])).unwrap_err().to_string().starts_with("judgements that are missing: 2"));
    let first = json!([{"case": "a", "about": ["x", "0"], "verdict": {"holds": true}}]);
    let scores = asked(first).unwrap();
    assert_eq!((value(&scores, "precision"), value(&scores, "recall")), (json!(0.3333333333), json!(0.5)));
    assert_eq!(value(&scores, "issues"), 3.0);
    assert_eq!(scores.location.matched.value.unwrap().get(), 1.0);
    assert_eq!(scores.by["category"]["Typo"].over.unwrap().get(), 1.0);
}

#[test]
fn records_that_do_not_fit_are_refused() {
    let (dataset, mut records) = set("cr-bench", bugs(), bug_answers(), bug_judgements());
    records.run.digest = "other".to_owned();
    let error = scores("cr-bench", &dataset, &records, &Choice::default()).unwrap_err();
    assert!(error.to_string().contains("give the dataset that was run"), "{error}");
    let error = scored("cqs", bugs(), bug_answers(), json!([]), &Choice::default()).unwrap_err();
    assert_eq!(error.to_string(), "no case of the dataset has a tagged issue, which cqs compares with");
    let error = scored("cr-bench", bugs(), json!([{"case": "who\u{1b}"}]), json!([]), &Choice::default()).unwrap_err();
    assert_eq!(error.to_string(), "answers.jsonl: `who␛` is no case of the dataset");
    let twice = json!([{"case": "one", "comments": [{"id": "c"}, {"id": "c"}]}]);
    let error = scored("cr-bench", bugs(), twice, json!([]), &Choice::default()).unwrap_err();
    assert!(error.to_string().contains("have the id `c`"), "{error}");
    assert!(scored("bingo", bugs(), bug_answers(), json!([]), &Choice::default()).is_err());
}

/// The same records in another order, the same bytes; and the document comes back from its JSON.
#[test]
fn the_order_of_records_changes_nothing() {
    let turned = |mut value: Value| {
        value.as_array_mut().unwrap().reverse();
        value
    };
    let one = scored("cr-bench", bugs(), bug_answers(), bug_judgements(), &Choice::default()).unwrap();
    let cases = turned(bugs());
    let other = scored("cr-bench", cases, turned(bug_answers()), turned(bug_judgements()), &Choice::default()).unwrap();
    let written = serde_json::to_string(&one).unwrap();
    assert_eq!(written, serde_json::to_string(&other).unwrap());
    let read: Scores = serde_json::from_str(&written).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), written);
}

/// Whoever draws rows gets from them what the document has.
#[test]
fn measures_come_from_rows() {
    for (protocol, cases, answers, judgements) in [
        ("cr-bench", bugs(), bug_answers(), bug_judgements()),
        ("swe-prbench", humans(), human_answers(), human_judgements()),
    ] {
        let scores = scored(protocol, cases, answers, judgements, &Choice::default()).unwrap();
        let rows: Vec<_> = scores.rows.iter().collect();
        assert_eq!(crate::eval::scoring::measures(protocol, &scores.variants, &rows), scores.measures);
        let twice = [rows.clone(), rows].concat();
        let doubled = crate::eval::scoring::measures(protocol, &scores.variants, &twice);
        for (name, measure) in &scores.measures {
            assert_eq!(doubled[name].value.map(|value| value.rounded()), measure.value.map(|value| value.rounded()));
        }
    }
}
