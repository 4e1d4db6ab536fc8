//! CR-Bench's judge: one comment at a time against the known bugs (listing 6).

use serde_json::{Value, json};

use super::{Matter, Question, label, lexical, prompt, text};
use crate::record::{Bug, Comment, Verdict};

const LABELS: [&str; 3] = ["BUG_HIT", "VALID_SUGGESTION", "NOISE"];

const TASK: &str = "\
You grade one comment of a code review. You know the bugs that the reviewed change is known to bring and which files the \
fix of each had to change. Choose one classification:
BUG_HIT: the comment names one of these bugs, its cause or its effect; say which bug.
VALID_SUGGESTION: it is about something else, and what it says is right, concerns this change and is worth acting on.
NOISE: it is wrong, has nothing to do with the change, or leaves nothing to act on.
`bug` is the id of the bug for a BUG_HIT, otherwise an empty string. `reason` is one sentence.";

pub(super) fn asks(matter: &Matter<'_>) -> Vec<Vec<String>> {
    matter.comments.iter().map(|comment| vec![comment.id.clone()]).collect()
}

pub(super) fn questions(matter: &Matter<'_>) -> Vec<Question> {
    let bugs: Vec<Value> = matter.case.bugs.iter().map(known).collect();
    let one = |comment: &&Comment| {
        let user = json!({
            "known_bugs": bugs,
            "comment": {"file": comment.file, "line": comment.line, "text": comment.body},
        });
        let properties = json!({
            "classification": {"type": "string", "enum": LABELS},
            "bug": {"type": "string"},
            "reason": {"type": "string"},
        });
        let ids: Vec<String> = matter.case.bugs.iter().map(|bug| bug.id.clone()).collect();
        Question {
            about: vec![vec![comment.id.clone()]],
            prompt: prompt(TASK, &user, "classification", properties),
            read: Box::new(move |answer| read(answer, &ids).map(|verdict| vec![verdict])),
        }
    };
    matter.comments.iter().map(one).collect()
}

fn known(bug: &Bug) -> Value {
    json!({
        "id": bug.id,
        "description": bug.description,
        "files_of_the_fix": if bug.fixed_files.is_empty() { bug.file.iter().cloned().collect() } else { bug.fixed_files.clone() },
    })
}

fn read(answer: &str, bugs: &[String]) -> Result<Verdict, String> {
    let answer = super::json(answer)?;
    let label = label(&answer, "classification", &LABELS)?;
    let bug = text(&answer, "bug");
    let matched = match (label.as_str(), bugs) {
        ("BUG_HIT", []) => return Err("no bug is known, so nothing can be a BUG_HIT".to_owned()),
        ("BUG_HIT", [only]) => Some(only.clone()),
        ("BUG_HIT", _) if bugs.contains(&bug) => Some(bug),
        ("BUG_HIT", _) => return Err("`bug` names none of the known bugs".to_owned()),
        _ => None,
    };
    Ok(Verdict { label: Some(label), matched, reason: text(&answer, "reason"), ..Verdict::default() })
}

/// A hit stands at the bug and speaks its words. Whether another comment is useful no words tell: it counts as noise.
pub(super) fn by_words(matter: &Matter<'_>, about: &[String]) -> Verdict {
    let Some(comment) = lexical::comment(matter, about) else { return Verdict::default() };
    let is_hit = |bug: &&Bug| {
        lexical::is_at(comment, bug.file.as_deref(), bug.line, bug.end_line)
            && (lexical::speaks_of(&comment.body, &bug.description) || lexical::is_tagged(matter, comment))
    };
    let hit = matter.case.bugs.iter().find(is_hit);
    Verdict {
        label: Some(if hit.is_some() { "BUG_HIT" } else { "NOISE" }.to_owned()),
        matched: hit.map(|bug| bug.id.clone()),
        reason: "by place and words".to_owned(),
        ..Verdict::default()
    }
}
