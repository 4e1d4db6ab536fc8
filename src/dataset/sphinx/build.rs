//! The dataset that comes of all four stages: the other solutions as changes to review, with their checklists.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::{NO_COMMENT, Reader, Review, Stage, Subject, pseudo, reviewed};
use crate::dataset::asking::Log;
use crate::dataset::{Files, Rejected};
use crate::record::{self, Case, Dataset, Error, Item, Manifest, Origin, Source};

/// A built dataset, and what did not get into it.
#[derive(Debug)]
pub struct Built {
    /// As written.
    pub dataset: Dataset,
    /// Cases that are not in it, by id.
    pub rejected: Vec<Rejected>,
}

/// Writes the cases that have passed all stages into a new folder: each is the change from the code before to the other
/// solution. Where nothing is to be said of it, the case is clean and its checklist the one item [`NO_COMMENT`].
///
/// # Errors
/// Files cannot be written.
pub fn build(reader: &Reader<'_>, log: &Log, out: &Path) -> Result<Built, Error> {
    let mut files = Files::new(out);
    let (mut cases, mut rejected) = (Vec::new(), Vec::new());
    for case in &reader.dataset.cases {
        let made = reader.subject(case).and_then(|subject| made(case, &subject, log));
        match made {
            Ok(Made { case, old, new, path }) => {
                let Source::Files { folder } = &case.source else { continue };
                if !old.is_empty() {
                    files.write(&format!("{folder}/old/{path}"), old.as_bytes())?;
                }
                files.write(&format!("{folder}/new/{path}"), new.as_bytes())?;
                cases.push(case);
            }
            Err(why) => rejected.push(why),
        }
    }
    rejected.sort();
    let manifest = Manifest {
        name: format!("{}-sphinx", reader.dataset.manifest.name),
        description: "Other solutions of merged changes, with checklists (Sphinx)".to_owned(),
        licences: reader.dataset.manifest.licences.clone(),
        built: BTreeMap::from([
            ("command".to_owned(), json!("dataset sphinx")),
            ("dataset".to_owned(), json!(reader.dataset.manifest.name)),
            ("digest".to_owned(), json!(reader.dataset.manifest.digest)),
        ]),
        ..Manifest::default()
    };
    let dataset = Dataset::write(out, manifest, cases)?;
    record::write(&out.join(crate::dataset::REJECTED), &rejected)?;
    Ok(Built { dataset, rejected })
}

struct Made {
    case: Case,
    old: String,
    new: String,
    path: String,
}

fn made(case: &Case, subject: &Subject, log: &Log) -> Result<Made, Rejected> {
    let no = |reason: &str, detail: &str| Rejected::new(&case.id, reason, detail);
    let written = pseudo(log, &case.id).ok_or_else(|| no("unanswered", "the stage `pseudo` has no answer"))?;
    let review = reviewed(log, case, subject).ok_or_else(|| no("unanswered", "the stage `review` has no answer"))?;
    if written == subject.old {
        return Err(no("nothing-done", "the other solution changes nothing"));
    }
    let checklist = if review.remarks.is_empty() {
        if !review.is_clean {
            return Err(no("ungrounded", "no comment of the review stands where the two solutions differ"));
        }
        vec![Item { id: "i1".to_owned(), text: NO_COMMENT.to_owned(), file: None, line: None }]
    } else {
        let answer = log.answer(Stage::Checklist.key(), &case.id);
        items(answer.ok_or_else(|| no("unanswered", "the stage `checklist` has no answer"))?, &review, subject)
    };
    let mut facts = BTreeMap::from([
        ("sphinx_remarks".to_owned(), json!(review.remarks.iter().map(remark).collect::<Vec<_>>())),
        ("sphinx_dropped".to_owned(), json!(review.dropped.len())),
    ]);
    if let Some(instruction) = log.answer(Stage::Instruct.key(), &case.id) {
        facts.insert("sphinx_instruction".to_owned(), instruction.clone());
    }
    let case = Case {
        id: case.id.clone(),
        source: Source::Files { folder: format!("files/{}", case.id) },
        title: case.title.clone(),
        description: case.description.clone(),
        language: subject.language.map(|language| language.name().to_owned()).or_else(|| case.language.clone()),
        clean: review.remarks.is_empty(),
        checklist,
        origin: case.origin.clone().map(|origin| Origin { how: Some("sphinx-pseudo".to_owned()), ..origin }),
        facts,
        ..Case::default()
    };
    Ok(Made { case, old: subject.old.clone(), new: written.to_owned(), path: subject.path.clone() })
}

fn remark(remark: &super::Remark) -> Value {
    json!({"line": remark.line, "text": remark.text})
}

fn items(answer: &Value, review: &Review, subject: &Subject) -> Vec<Item> {
    let items = answer.get("items").and_then(Value::as_array).into_iter().flatten().zip(1..);
    let item = |(item, number): (&Value, u32)| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        let comment = item.get("comment").and_then(Value::as_u64).unwrap_or(0) as usize;
        let anchor = comment.checked_sub(1).and_then(|index| review.remarks.get(index));
        Item {
            id: format!("i{number}"),
            text: format!("{} {} ({})", text("verb"), text("text"), text("why")),
            file: anchor.map(|_| subject.path.clone()),
            line: anchor.map(|remark| remark.line),
        }
    };
    items.map(item).collect()
}
