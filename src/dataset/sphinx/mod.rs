//! Reviews of synthetic mistakes, after Sphinx (section "The Sphinx Data Pipeline", prompts of appendix F): from what a
//! merged change is for, a model writes the change anew; what differs from the merged one is what a reviewer should have
//! said, and the checklist of it is what a review is measured by.
//!
//! Four stages, each asked through any provider and kept in [`super::asking::STAGES`]; each needs the one before.

mod build;
mod checklist;
mod review;
mod words;

use serde_json::{Value, json};

use super::asking::{Asker, Log, Missing, Outcome, Question, ask, object, parsed, shape, text};
use super::{Rejected, page};
use crate::context::{Context, estimate_tokens};
use crate::diff::{Body, Globs};
use crate::git::Env;
use crate::provider::Schema;
use crate::record::{Case, Dataset, Error};
use crate::review::case as source;
use crate::syntax::Language;

pub use build::{Built, build};
pub use checklist::{Lint, VERBS, lint};
pub use review::{NO_COMMENT, Remark, Review, grounded};

/// Most tokens of title, description and original code together, as counted or estimated (Sphinx, "Input Length Constraint").
const MOST_TOKENS: u64 = 32_000;

/// Most characters of one text of an answer; code may have more.
const LONGEST: usize = 4_000;

/// Most characters of code in an answer.
const LONGEST_CODE: usize = 400_000;

/// A step of the way from a merged change to its checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// What the change is for and what it must do (F-1).
    Instruct,
    /// Another solution of the same task (F-2).
    Pseudo,
    /// What the other solution does worse than the merged one (F-3).
    Review,
    /// One item for each thing that a reviewer would have to say.
    Checklist,
}

impl Stage {
    /// In the order in which they are asked.
    pub const ALL: [Self; 4] = [Self::Instruct, Self::Pseudo, Self::Review, Self::Checklist];

    /// As written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instruct => "instruct",
            Self::Pseudo => "pseudo",
            Self::Review => "review",
            Self::Checklist => "checklist",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// As it stands in the log of answers.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Instruct => "sphinx.instruct",
            Self::Pseudo => "sphinx.pseudo",
            Self::Review => "sphinx.review",
            Self::Checklist => "sphinx.checklist",
        }
    }
}

/// The one file of a case, both sides whole, with values hidden that must not leave the machine.
#[derive(Debug)]
pub struct Subject {
    /// Its name.
    pub path: String,
    /// Its language.
    pub language: Option<Language>,
    /// Before.
    pub old: String,
    /// As merged.
    pub new: String,
    /// From one to the other.
    pub diff: String,
}

/// What is needed to look at the cases of a dataset.
pub struct Reader<'a> {
    /// The cases.
    pub dataset: &'a Dataset,
    /// Says what is hidden.
    pub context: &'a Context<'a>,
    /// The caller's environment, for git.
    pub env: Env<'a>,
}

impl Reader<'_> {
    /// The file of a case.
    ///
    /// # Errors
    /// Why the case is none for Sphinx: more than one file, a part of a file, too long, nothing that may be shown.
    pub fn subject(&self, case: &Case) -> Result<Subject, Rejected> {
        let no = |reason: &str, detail: String| Rejected::new(&case.id, reason, detail);
        let files = source::load(self.dataset, case, &Globs::default(), self.env)
            .map_err(|error| no("unreadable", error.to_string()))?;
        let [file] = files.as_slice() else {
            return Err(no("several-files", format!("{} files change; Sphinx takes changes of one", files.len())));
        };
        let file = page::masked(self.context, file)
            .map_err(|why| no("not-shown", format!("{}: {why}", file.path.visible())))?;
        let Body::Text { old, new, .. } = &file.body else {
            return Err(no("not-shown", file.path.visible()));
        };
        if !old.is_whole() || !new.is_whole() {
            let why = "the patch shows only a part of the file, and no repository of the case has the rest";
            return Err(no("not-whole", why.to_owned()));
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| no("not-utf-8", file.path.visible()));
        let (old_text, new_text) = (text(old.bytes())?, text(new.bytes())?);
        let estimate = || -> u64 {
            let texts = [&case.title, &case.description, &old_text];
            texts.map(|text| u64::from(estimate_tokens(text, None))).iter().sum()
        };
        // What `dataset collect --tokenizer` counted is no estimate.
        let counted = case.facts.get("tokens").and_then(Value::as_u64);
        let tokens = counted.unwrap_or_else(estimate);
        if tokens > MOST_TOKENS {
            let about = if counted.is_some() { "" } else { "about " };
            return Err(no("too-long", format!("{about}{tokens} tokens; at most {MOST_TOKENS}")));
        }
        if new_text.trim().is_empty() {
            return Err(no("deleted", "nothing of the file is left".to_owned()));
        }
        Ok(Subject {
            path: String::from_utf8_lossy(file.path.bytes()).into_owned(),
            language: Language::of_path(&file.path, new.bytes().split(|byte| *byte == b'\n').next()),
            old: old_text,
            new: new_text,
            diff: page::of(&file),
        })
    }
}

/// What came of a stage over a dataset.
#[derive(Debug, Default)]
pub struct Done {
    /// Answers.
    pub outcome: Outcome,
    /// Cases that are none for Sphinx.
    pub rejected: Vec<Rejected>,
    /// Cases whose stage before has no answer yet.
    pub too_early: Vec<String>,
    /// Cases of which nothing has to be asked at this stage, because nothing differs or nothing is to be said.
    pub settled: usize,
}

/// Asks one stage of all cases of a dataset.
///
/// # Errors
/// Answers cannot be kept.
pub fn run(reader: &Reader<'_>, asker: &Asker<'_>, log: &mut Log, stage: Stage) -> Result<Done, Error> {
    let mut done = Done::default();
    let mut questions = Vec::new();
    for case in &reader.dataset.cases {
        let subject = match reader.subject(case) {
            Ok(subject) => subject,
            Err(rejected) => {
                done.rejected.push(rejected);
                continue;
            }
        };
        match question(case, &subject, log, stage) {
            Next::Ask(user) => {
                let system = system(stage).to_owned();
                questions.push(Question { case: case.id.clone(), system, user });
            }
            Next::TooEarly => done.too_early.push(case.id.clone()),
            Next::Settled => done.settled += 1,
        }
    }
    let read = |question: &Question, answer: &str, last: bool| read(stage, question, answer, last);
    done.outcome = ask(asker, log, stage.key(), &schema(stage), &questions, &read)?;
    Ok(done)
}

/// Whether there is something to ask of a case.
enum Next {
    Ask(String),
    TooEarly,
    Settled,
}

fn question(case: &Case, subject: &Subject, log: &Log, stage: Stage) -> Next {
    let user = match stage {
        Stage::Instruct => words::instruct(case, subject),
        Stage::Pseudo => match log.answer(Stage::Instruct.key(), &case.id) {
            Some(instruction) => words::pseudo(subject, instruction),
            None => return Next::TooEarly,
        },
        Stage::Review => match pseudo(log, &case.id) {
            Some(pseudo) if pseudo == subject.new => return Next::Settled,
            Some(pseudo) => words::review(subject, pseudo),
            None => return Next::TooEarly,
        },
        Stage::Checklist => match reviewed(log, case, subject) {
            Some(review) if review.remarks.is_empty() => return Next::Settled,
            Some(review) => words::checklist(&review),
            None => return Next::TooEarly,
        },
    };
    Next::Ask(user)
}

/// The other solution of a case.
pub(super) fn pseudo<'l>(log: &'l Log, case: &str) -> Option<&'l str> {
    log.answer(Stage::Pseudo.key(), case)?.get("code")?.as_str()
}

/// The review of a case, once it can be made.
pub(super) fn reviewed(log: &Log, case: &Case, subject: &Subject) -> Option<Review> {
    let pseudo = pseudo(log, &case.id)?;
    if pseudo == subject.new {
        return Some(Review { is_clean: true, ..Review::default() });
    }
    Some(grounded(pseudo, &subject.new, log.answer(Stage::Review.key(), &case.id)?))
}

fn system(stage: Stage) -> &'static str {
    match stage {
        Stage::Instruct => words::INSTRUCT,
        Stage::Pseudo => words::PSEUDO,
        Stage::Review => words::REVIEW,
        Stage::Checklist => words::CHECKLIST,
    }
}

fn schema(stage: Stage) -> Schema {
    let string = || json!({"type": "string"});
    let list = |properties: Value| json!({"type": "array", "items": shape(properties)});
    match stage {
        Stage::Instruct => object(
            "instruction",
            json!({
                "problem_definition": string(),
                "code_editing_requirement":
                    list(json!({"modification_target": string(), "modification_logic": string()})),
            }),
        ),
        Stage::Pseudo => object("solution", json!({"code": string()})),
        Stage::Review => object(
            "comments",
            json!({
                "comments": list(json!({"line": {"type": "integer"}, "quote": string(), "comment": string()})),
                "no_comment": {"type": "boolean"},
            }),
        ),
        Stage::Checklist => object(
            "checklist",
            json!({
                "items": list(json!({
                    "comment": {"type": "integer"}, "verb": string(), "text": string(), "why": string(),
                })),
            }),
        ),
    }
}

fn read(stage: Stage, question: &Question, answer: &str, last: bool) -> Result<Value, String> {
    let value = parsed(answer)?;
    match stage {
        Stage::Instruct => {
            text(&value, "problem_definition", LONGEST)?;
            let edits = list(&value, "code_editing_requirement")?;
            if edits.is_empty() {
                return Err("`code_editing_requirement` is empty".to_owned());
            }
            for edit in edits {
                text(edit, "modification_target", LONGEST)?;
                text(edit, "modification_logic", LONGEST)?;
            }
        }
        Stage::Pseudo => {
            let code = words::unfenced(text(&value, "code", LONGEST_CODE)?);
            return Ok(json!({ "code": code }));
        }
        Stage::Review => {
            let comments = list(&value, "comments")?;
            let none = value.get("no_comment").and_then(Value::as_bool).ok_or("`no_comment` is not true or false")?;
            for comment in comments {
                text(comment, "quote", LONGEST)?;
                text(comment, "comment", LONGEST)?;
                comment.get("line").and_then(Value::as_i64).ok_or("`line` is no whole number")?;
            }
            if none != comments.is_empty() {
                return Err("`no_comment` is true exactly where `comments` is empty".to_owned());
            }
        }
        Stage::Checklist => return checklist::read(&value, words::remarks(&question.user), last),
    }
    Ok(value)
}

/// A list of an answer.
fn list<'v>(value: &'v Value, key: &str) -> Result<&'v [Value], String> {
    match value.get(key) {
        Some(Value::Array(items)) if items.len() <= 200 => Ok(items),
        Some(Value::Array(items)) => Err(format!("`{key}` has {} entries; at most 200", items.len())),
        _ => Err(format!("`{key}` is missing or no list")),
    }
}

/// How many of these are questions that lie in a queue.
pub fn waiting(missing: &[Missing]) -> usize {
    missing.iter().filter(|missing| missing.why == crate::provider::Why::Waiting.name()).count()
}
