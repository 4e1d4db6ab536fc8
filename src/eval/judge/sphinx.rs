//! Sphinx's judge: which items of the checklist a review addresses. The paper asks for their number; one decision an item
//! gives the same number and can be checked.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::lexical::content;
use super::{Matter, Question, prompt};
use crate::eval::sphinx::is_no_comment;
use crate::record::Verdict;

const TASK: &str = "\
You are given a checklist for a code change and a review of it. Decide for each item, in the given order, whether the review \
addresses it: it asks for the same thing, or names the problem that the item would mend. Other wording is fine; a remark on \
something else in the same place is not enough.";

pub(super) fn asks(matter: &Matter<'_>) -> Vec<Vec<String>> {
    matter.case.checklist.iter().map(|item| vec![item.id.clone()]).collect()
}

pub(super) fn questions(matter: &Matter<'_>) -> Vec<Question> {
    let items: Vec<Value> =
        matter.case.checklist.iter().map(|item| json!({"id": item.id, "text": item.text})).collect();
    if items.is_empty() {
        return Vec::new();
    }
    let said = matter.comments.iter();
    let review: Vec<Value> =
        said.map(|comment| json!({"file": comment.file, "line": comment.line, "text": comment.body})).collect();
    let properties = json!({"items": {"type": "array", "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "addressed"],
        "properties": {"id": {"type": "string"}, "addressed": {"type": "boolean"}},
    }}});
    let ids: Vec<String> = matter.case.checklist.iter().map(|item| item.id.clone()).collect();
    vec![Question {
        about: asks(matter),
        prompt: prompt(TASK, &json!({"checklist": items, "review": review}), "coverage", properties),
        read: Box::new(move |answer| read(answer, &ids)),
    }]
}

fn read(answer: &str, ids: &[String]) -> Result<Vec<Verdict>, String> {
    let answer = super::json(answer)?;
    let list = answer.get("items").and_then(Value::as_array).ok_or("it has no list `items`")?;
    // Two decisions on one item contradict each other or say too much, and the first is no truer than the second.
    if list.len() > ids.len() {
        return Err(format!("it has {} decisions on {} items", list.len(), ids.len()));
    }
    let one = |id: &String| {
        let item = list.iter().find(|item| item.get("id").and_then(Value::as_str) == Some(id));
        let holds = item.and_then(|item| item.get("addressed")).and_then(Value::as_bool);
        Ok(Verdict { holds: Some(holds.ok_or_else(|| format!("it has no decision on {id}"))?), ..Verdict::default() })
    };
    ids.iter().map(one).collect()
}

/// Addressed is an item whose words, reason aside, mostly stand in one comment.
pub(super) fn by_words(matter: &Matter<'_>, about: &[String]) -> Verdict {
    let item = matter.case.checklist.iter().find(|item| about.first() == Some(&item.id));
    let says =
        |item: &str| matter.comments.iter().any(|one| !is_no_comment(&one.body) && is_said(item, &content(&one.body)));
    let holds = item.is_some_and(|item| says(&item.text));
    Verdict { holds: Some(holds), reason: "by words".to_owned(), ..Verdict::default() }
}

/// Whether a text, by its words ([`content`]), says at least half of those of an item, its reason aside. The caller splits
/// the text, since it asks this of many items.
pub(in crate::eval) fn is_said(item: &str, said: &BTreeSet<String>) -> bool {
    let wanted = content(item.split(" (").next().unwrap_or_default());
    // Looked up word by word: a walk through both sets reads all of a long text for each short item.
    !wanted.is_empty() && wanted.iter().filter(|word| said.contains(*word)).count() * 2 >= wanted.len()
}
