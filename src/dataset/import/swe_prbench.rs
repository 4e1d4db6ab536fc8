//! SWE-PRBench: `prs.jsonl`, `annotations/{task_id}_human.json`, `contexts/config_{A,B,C}/{task_id}.json` (appendix A and
//! the loader of the released harness, v0.4.1).

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::{Folders, Imported, Record, Refused, language, locate, patch};
use crate::dataset::transfer::plain;
use crate::dataset::{Files, Rejected};
use crate::record::{self, Case, Difficulty, Error, HumanComment, Origin};

/// Most comments of an easy pull request, and of one of medium difficulty (released harness, `_difficulty_tag`).
const EASY: usize = 8;
const MEDIUM: usize = 15;

/// What of a record is kept as facts.
const FACTS: [&str; 7] = ["pr_number", "pr_type", "difficulty", "rvs_score", "base_commit", "head_commit", "merged_at"];

pub(super) fn read(path: &Path, folders: &Folders, files: &mut Files) -> Result<Imported, Error> {
    let prs = locate(path, &["prs.jsonl", "dataset/prs.jsonl"])?;
    let root = prs.parent().unwrap_or(path).to_owned();
    let values: Vec<Value> = record::read(&prs)?;
    let (mut cases, mut rejected) = (Vec::new(), Vec::new());
    for (value, number) in values.iter().zip(1..) {
        let record = Record { path: &prs, number, value };
        match one(record, &root, folders, files) {
            Ok(case) => cases.push(case),
            Err(Refused::Case(why)) => rejected.push(why),
            Err(Refused::All(error)) => return Err(error),
        }
    }
    Ok(Imported { cases, rejected, licence: "CC-BY-4.0", source: "SWE-PRBench" })
}

fn one(record: Record<'_>, root: &Path, folders: &Folders, files: &mut Files) -> Result<Case, Refused> {
    let task = record.text("task_id").map_err(Refused::All)?;
    let id = plain(task);
    let repository = record.text("repo").map_err(Refused::All)?;
    // A task's name is part of a path.
    if id != task {
        return Err(Refused::Case(Rejected::new(&id, "bad-id", "`task_id` has signs that no file name should have")));
    }
    let annotation = root.join("annotations").join(format!("{task}_human.json"));
    if !annotation.exists() {
        return Err(Refused::Case(Rejected::new(&id, "no-annotation", format!("annotations/{task}_human.json"))));
    }
    let value: Value = record::read_json(&annotation).map_err(Refused::All)?;
    let comments = truth(Record { path: &annotation, number: 1, value: &value }).map_err(Refused::All)?;
    let mut case = Case {
        difficulty: Some(difficulty(comments.len())),
        id,
        title: record.optional("title").to_owned(),
        description: record.optional("description").to_owned(),
        language: language(record.optional("language")),
        comments,
        origin: Some(Origin {
            repository: repository.to_owned(),
            commit: Some(record.optional("head_commit").to_owned()).filter(|commit| !commit.is_empty()),
            how: Some("swe-prbench".to_owned()),
            ..Origin::default()
        }),
        ..Case::default()
    };
    for key in FACTS {
        if let Some(value) = record.value.get(key).filter(|value| !value.is_null()) {
            case.facts.insert(key.to_owned(), value.clone());
        }
    }
    contexts(&mut case, root, files).map_err(Refused::All)?;
    let diff = record.optional("diff_patch");
    let changed = patch(&mut case, folders.repository(repository), diff.as_bytes(), files)?;
    for comment in &mut case.comments {
        if comment.evidence.is_none() {
            let is_changed = comment.file.as_ref().is_some_and(|file| changed.contains(file));
            comment.evidence = Some(if is_changed { "type2" } else { "type3" }.to_owned());
        }
    }
    Ok(case)
}

fn difficulty(comments: usize) -> Difficulty {
    if comments > MEDIUM {
        Difficulty::Hard
    } else if comments > EASY {
        Difficulty::Medium
    } else {
        Difficulty::Easy
    }
}

/// The comments that count: the substantive ones, else those that begin a thread. Those that stand on the diff have their
/// evidence, by the released rubric (section 3); of the others it depends on the changed files.
fn truth(annotation: Record<'_>) -> Result<Vec<HumanComment>, Error> {
    let ids = annotation.value.get("substantive_comment_ids").and_then(Value::as_array);
    let ids: BTreeSet<String> = ids.into_iter().flatten().filter_map(name).collect();
    let mut truth = Vec::new();
    for (comment, number) in annotation.list("comments")?.zip(1..) {
        let comment = Record { number, ..comment };
        let id = comment.value.get("comment_id").and_then(name);
        let id = id.ok_or_else(|| comment.fault("`comment_id` is missing"))?;
        let begins = comment.value.get("is_initiating_comment").and_then(Value::as_bool).unwrap_or(false);
        let counts = if ids.is_empty() { begins } else { ids.contains(&id) };
        let body = comment.optional("body");
        if !counts || body.trim().is_empty() {
            continue;
        }
        let file = Some(comment.optional("file")).filter(|file| !file.is_empty());
        let in_diff = comment.value.get("is_in_diff").and_then(Value::as_bool).unwrap_or(false);
        truth.push(HumanComment {
            id,
            file: file.map(str::to_owned),
            line: comment.line("line"),
            body: body.to_owned(),
            evidence: in_diff.then(|| "type1".to_owned()),
        });
    }
    Ok(truth)
}

/// An id, which some records have as a number.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The rendered contexts of a case go along; the fact `contexts` names them.
fn contexts(case: &mut Case, root: &Path, files: &mut Files) -> Result<(), Error> {
    let mut found = serde_json::Map::new();
    for config in ["A", "B", "C"] {
        let path = root.join("contexts").join(format!("config_{config}")).join(format!("{}.json", case.id));
        if path.exists() {
            let content = std::fs::read(&path).map_err(|error| Error::io(&path, error))?;
            let name = format!("contexts/config_{config}/{}.json", case.id);
            files.write(&name, &content)?;
            found.insert(config.to_owned(), json!(name));
        }
    }
    if !found.is_empty() {
        case.facts.insert("contexts".to_owned(), Value::Object(found));
    }
    Ok(())
}
