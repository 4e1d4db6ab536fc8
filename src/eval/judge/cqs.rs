//! Code Quality Score's judge: tags are compared as text, and only where they are equal is it asked whether two rationales
//! speak of one thing (section 4).

use serde_json::{Value, json};

use super::{Matter, Question, lexical, prompt};
use crate::record::{Comment, Issue, Verdict};

const TASK: &str = "\
Two reviewers each describe an issue of the same kind in the same change. Do they mean the same issue? They may use other \
words; they do not mean the same issue where one could be settled and the other left.";

/// Pairs with one tag, as comment and index of the issue.
fn pairs<'m>(matter: &Matter<'m>) -> Vec<(&'m Comment, usize, &'m Issue)> {
    let case = matter.case;
    let of = |comment: &&'m Comment| {
        let comment = *comment;
        let issues = case.issues.iter().enumerate();
        let same = issues.filter(move |(_, issue)| comment.tag.as_deref() == Some(issue.tag.as_str()));
        same.map(move |(index, issue)| (comment, index, issue)).collect::<Vec<_>>()
    };
    matter.comments.iter().flat_map(of).collect()
}

fn about(comment: &Comment, index: usize) -> Vec<String> {
    vec![comment.id.clone(), index.to_string()]
}

pub(super) fn asks(matter: &Matter<'_>) -> Vec<Vec<String>> {
    pairs(matter).into_iter().map(|(comment, index, _)| about(comment, index)).collect()
}

pub(super) fn questions(matter: &Matter<'_>) -> Vec<Question> {
    let one = |(comment, index, issue): (&Comment, usize, &Issue)| {
        let user = json!({"one": comment.body, "other": issue.rationale});
        Question {
            about: vec![about(comment, index)],
            prompt: prompt(TASK, &user, "same", json!({"same": {"type": "boolean"}})),
            read: Box::new(|answer| {
                let same = super::json(answer)?.get("same").and_then(Value::as_bool).ok_or("it has no `same`")?;
                Ok(vec![Verdict { holds: Some(same), ..Verdict::default() }])
            }),
        }
    };
    pairs(matter).into_iter().map(one).collect()
}

/// Of one tag and at one place, or of one tag and one vocabulary.
pub(super) fn by_words(matter: &Matter<'_>, about: &[String]) -> Verdict {
    let pair = pairs(matter).into_iter().find(|(comment, index, _)| *self::about(comment, *index) == *about);
    let holds = pair.is_some_and(|(comment, _, issue)| {
        lexical::is_at(comment, issue.file.as_deref(), issue.line, None)
            || lexical::speaks_of(&comment.body, &issue.rationale)
    });
    Verdict { holds: Some(holds), reason: "by place and words".to_owned(), ..Verdict::default() }
}
