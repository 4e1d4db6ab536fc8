//! SWE-PRBench's judge: all comments of an answer against those of people, with the diff (appendix C).

use serde_json::{Value, json};

use super::{Matter, Question, label, lexical, prompt, text};
use crate::record::Verdict;

const LABELS: [&str; 3] = ["CONFIRMED", "PLAUSIBLE", "FABRICATED"];

const TASK: &str = "\
You compare the comments of a reviewer with what people said about the same change. Give one decision for each comment of \
the reviewer, in the given order:
CONFIRMED: a person raised the same problem, in the same file or area, and acting on either would change the code alike; \
`human` is the id of that person's comment.
PLAUSIBLE: no person said it, but it is true of code that the diff shows.
FABRICATED: it speaks of code that the diff does not have, or what it claims is wrong. That no person said it is no reason.
`human` is an empty string unless CONFIRMED. `actionability` says how easily an author can act on the comment, from 1 (not at \
all) to 5 (at once). `reason` is one sentence.";

pub(super) fn asks(matter: &Matter<'_>) -> Vec<Vec<String>> {
    matter.comments.iter().map(|comment| vec![comment.id.clone()]).collect()
}

pub(super) fn questions(matter: &Matter<'_>) -> Vec<Question> {
    if matter.comments.is_empty() {
        return Vec::new();
    }
    let people = matter.case.comments.iter();
    let people: Vec<Value> = people
        .map(|human| json!({"id": human.id, "file": human.file, "line": human.line, "text": human.body}))
        .collect();
    let said = matter.comments.iter();
    let said: Vec<Value> = said
        .map(|comment| {
            let mut said = json!({"id": comment.id, "file": comment.file, "line": comment.line, "text": comment.body});
            // What makes a comment fabricated can be looked up in part, also beyond what the judge is shown. Whether the
            // code is made up or asked for is the judge's to say.
            if matter.unseen.contains(&comment.id) {
                said["looked_up"] = "no changed file has any of the code that this comment quotes".into();
            }
            said
        })
        .collect();
    let user = json!({"diff": matter.diff, "comments_of_people": people, "comments_of_the_reviewer": said});
    let properties = json!({"decisions": {"type": "array", "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "label", "human", "actionability", "reason"],
        "properties": {
            "id": {"type": "string"},
            "label": {"type": "string", "enum": LABELS},
            "human": {"type": "string"},
            "actionability": {"type": "integer"},
            "reason": {"type": "string"},
        },
    }}});
    let ids: Vec<String> = matter.comments.iter().map(|comment| comment.id.clone()).collect();
    let humans: Vec<String> = matter.case.comments.iter().map(|human| human.id.clone()).collect();
    vec![Question {
        about: asks(matter),
        prompt: prompt(TASK, &user, "decisions", properties),
        read: Box::new(move |answer| read(answer, &ids, &humans)),
    }]
}

fn read(answer: &str, ids: &[String], humans: &[String]) -> Result<Vec<Verdict>, String> {
    let answer = super::json(answer)?;
    let list = answer.get("decisions").and_then(Value::as_array).ok_or("it has no list `decisions`")?;
    let one = |id: &String| {
        let item = list.iter().find(|item| item.get("id").and_then(Value::as_str) == Some(id));
        let item = item.ok_or_else(|| format!("it has no decision on {id}"))?;
        let label = label(item, "label", &LABELS)?;
        // An unknown person is nobody: the comment is then matched by its likeness alone, as the paper's second stage has it.
        let matched = Some(text(item, "human")).filter(|human| label == "CONFIRMED" && humans.contains(human));
        let number = item.get("actionability").and_then(Value::as_f64).filter(|number| (1.0..=5.0).contains(number));
        Ok(Verdict { label: Some(label), matched, number, reason: text(item, "reason"), ..Verdict::default() })
    };
    ids.iter().map(one).collect()
}

/// Confirmed is what stands where a person's comment stands and speaks its words; fabricated is what quotes code that the
/// diff does not have.
pub(super) fn by_words(matter: &Matter<'_>, about: &[String]) -> Verdict {
    let Some(comment) = lexical::comment(matter, about) else { return Verdict::default() };
    let human = matter.case.comments.iter().find(|human| {
        lexical::is_at(comment, human.file.as_deref(), human.line, None)
            && (lexical::speaks_of(&comment.body, &human.body) || lexical::is_tagged(matter, comment))
    });
    let label = match human {
        Some(_) => "CONFIRMED",
        None if lexical::quotes_nothing_of(&comment.body, &matter.diff) => "FABRICATED",
        None => "PLAUSIBLE",
    };
    Verdict {
        label: Some(label.to_owned()),
        matched: human.map(|human| human.id.clone()),
        reason: "by place and words".to_owned(),
        ..Verdict::default()
    }
}
