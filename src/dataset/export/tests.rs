#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

use proptest::prelude::*;

use super::*;
use crate::context::Options;
use crate::record::{Bug, Item, Manifest, Removed, Source, Status};
use crate::rules::Rules;

const PATCH: &str = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 1 / y\n";

fn dataset(folder: &Path, case: Case) -> Dataset {
    std::fs::write(folder.join("a.patch"), PATCH).unwrap();
    let source = Source::Patch { file: "a.patch".to_owned(), repository: None };
    let case = Case { id: "a".to_owned(), source, ..case };
    Dataset::write(folder, Manifest::default(), vec![case]).unwrap()
}

fn exported(
    dataset: &Dataset,
    export: impl Fn(&Exporter<'_>, &Path) -> Result<Exported, Error>,
) -> (Vec<Value>, Exported) {
    let rules = Rules::of_secrets();
    let context = Context::new(&rules, Options::default()).unwrap();
    let out = tempfile::tempdir().unwrap();
    let exporter = Exporter { dataset, context: &context, env: &|_| None };
    let exported = export(&exporter, out.path()).unwrap();
    let rows = record::read(&out.path().join("train.jsonl")).unwrap();
    (rows, exported)
}

#[test]
fn a_truth_becomes_a_completion_and_a_clean_case_the_marker() {
    let folder = tempfile::tempdir().unwrap();
    let bug = Bug { id: "b".to_owned(), description: "it divides by zero".to_owned(), line: Some(1), ..Bug::default() };
    let (rows, _) = exported(&dataset(folder.path(), Case { bugs: vec![bug], ..Case::default() }), |exporter, out| {
        exporter.sft(out)
    });
    let completion: Value = serde_json::from_str(rows[0]["completion"][0]["content"].as_str().unwrap()).unwrap();
    assert_eq!(completion, json!([{"file": null, "line": 1, "comment": "it divides by zero"}]));
    assert!(rows[0]["prompt"][1]["content"].as_str().unwrap().contains("+x = 1 / y"));
    let (rows, _) =
        exported(&dataset(folder.path(), Case { clean: true, ..Case::default() }), |exporter, out| exporter.sft(out));
    assert_eq!(rows[0]["completion"][0]["content"], "No comment.");
    let (rows, told) = exported(&dataset(folder.path(), Case::default()), |exporter, out| exporter.sft(out));
    assert!(rows.is_empty());
    assert_eq!(told.rejected[0].reason, "no-truth");
}

#[test]
fn a_checklist_is_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let item = |text: &str| Item { id: text.to_owned(), text: text.to_owned(), ..Item::default() };
    let case = Case { checklist: vec![item("Add a (b)"), item("Use c (d)")], ..Case::default() };
    let (rows, _) = exported(&dataset(folder.path(), case), |exporter, out| exporter.grpo(out));
    assert_eq!(rows[0]["checklist"], json!(["Add a (b)", "Use c (d)"]));
    let (rows, _) =
        exported(&dataset(folder.path(), Case { clean: true, ..Case::default() }), |exporter, out| exporter.grpo(out));
    assert_eq!(rows[0]["checklist"], json!(["No comment"]));
}

#[test]
fn pairs_are_made_of_several_answers_and_of_what_was_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(folder.path(), Case::default());
    let comment = |body: &str, score: i64| Comment {
        id: body.to_owned(),
        body: body.to_owned(),
        tag: Some("Typo".to_owned()),
        score: Some(score),
        ..Comment::default()
    };
    let answer = |sample: u32, comments: Vec<Comment>, removed: Vec<Comment>| Answer {
        case: "a".to_owned(),
        sample,
        status: Status::Complete,
        comments,
        removed: removed
            .into_iter()
            .map(|comment| Removed { comment, stage: "judge".to_owned(), reason: "score".to_owned() })
            .collect(),
        ..Answer::default()
    };
    let run = tempfile::tempdir().unwrap();
    let about = Run { digest: dataset.manifest.digest.clone(), ..Run::default() };
    record::write_json(&run.path().join("run.json"), &about).unwrap();
    let answers = [answer(0, vec![comment("good", 8)], vec![]), answer(1, vec![], vec![comment("bad", 2)])];
    record::write(&run.path().join("answers.jsonl"), &answers).unwrap();
    let (rows, _) = exported(&dataset, |exporter, out| exporter.dpo(run.path(), 3, out));
    assert_eq!(rows.len(), 1);
    assert!(rows[0]["chosen"][0]["content"].as_str().unwrap().contains("good"));
    assert!(rows[0]["rejected"][0]["content"].as_str().unwrap().contains("bad"));
    let (rows, told) = exported(&dataset, |exporter, out| exporter.dpo(run.path(), 7, out));
    assert!(rows.is_empty());
    assert_eq!(told.rejected[0].reason, "no-pair");
    record::write_json(&run.path().join("run.json"), &Run::default()).unwrap();
    let rules = Rules::of_secrets();
    let context = Context::new(&rules, Options::default()).unwrap();
    let exporter = Exporter { dataset: &dataset, context: &context, env: &|_| None };
    assert!(exporter.dpo(run.path(), 3, folder.path()).unwrap_err().to_string().contains("digest"));
}

/// The published example (CQS, Algorithm 1), with its expected pairs.
#[test]
fn preference_pairs_are_those_of_the_vectors() {
    let vectors: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    for vector in vectors.as_array().unwrap() {
        let input = &vector["input"];
        let reviews: Vec<Vec<&Value>> = input["reviews"]
            .as_array()
            .unwrap()
            .iter()
            .map(|review| review.as_array().unwrap().iter().collect())
            .collect();
        let found = pairs(
            &reviews,
            |issue| issue["tag"].as_str().unwrap(),
            |issue| issue["score"].as_i64().unwrap(),
            input["delta"].as_i64().unwrap(),
        );
        let found: Vec<Value> =
            found.iter().map(|(one, other)| json!({"chosen": one["id"], "rejected": other["id"]})).collect();
        assert_eq!(Value::Array(found), vector["expected_oriented"]);
    }
    assert_eq!(vectors.as_array().unwrap().len(), 3);
}

#[test]
fn every_value_of_a_recipe_has_its_source() {
    for recipe in [recipe::SFT, recipe::DPO, recipe::GRPO] {
        let recipe: toml::Table = recipe.parse().unwrap();
        for (paper, values) in &recipe {
            for (name, value) in values.as_table().unwrap() {
                if name == "unpublished" {
                    assert!(!value.as_array().unwrap().is_empty());
                    continue;
                }
                let source = value["source"].as_str().unwrap();
                let paper = if paper.starts_with("cqs") { "CQS" } else { "Sphinx" };
                assert!(source.starts_with(paper) && value.get("value").is_some(), "{name}");
            }
        }
    }
}

type Reviews = Vec<Vec<(&'static str, i64)>>;

fn reviews() -> impl Strategy<Value = Reviews> {
    let issue = (prop_oneof![Just("A"), Just("B")], 0_i64..=10);
    prop::collection::vec(prop::collection::vec(issue, 0..4), 0..5)
}

proptest! {
    #[test]
    fn the_chosen_is_better_by_delta_and_more_delta_means_fewer_pairs(reviews in reviews(), delta in 0_i64..=10) {
        let found = pairs(&reviews, |one| one.0, |one| one.1, delta);
        for (chosen, rejected) in &found {
            prop_assert!(chosen.0 == rejected.0 && chosen.1 > rejected.1 && chosen.1 - rejected.1 >= delta);
        }
        prop_assert!(pairs(&reviews, |one| one.0, |one| one.1, delta + 1).len() <= found.len());
        // In which order the reviews were sampled does not matter.
        let mut turned = reviews.clone();
        turned.reverse();
        let sorted = |reviews: &Reviews| {
            let mut found = pairs(reviews, |one| one.0, |one| one.1, delta)
                .into_iter()
                .map(|(chosen, rejected)| (*chosen, *rejected))
                .collect::<Vec<_>>();
            found.sort_unstable();
            found
        };
        prop_assert_eq!(sorted(&reviews), sorted(&turned));
    }
}
