//! Questions about many cases: asked side by side, answers kept as they come, so that a run that was interrupted, or
//! whose answers lie in a queue, goes on where it stopped.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Hash;
use crate::provider::{Prompt, Schema};
use crate::record::{self, Appender, Error};
use crate::review::model::{Talk, Unanswered, repaired};
use crate::review::pool;

/// Where the answers of a dataset are kept, in its folder.
pub const STAGES: &str = "stages.jsonl";

/// One line of [`STAGES`]: what was answered about a case at one stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The case.
    pub case: String,
    /// The stage, such as `sphinx.pseudo`.
    pub stage: String,
    /// Digest of what was asked: an answer to another question is not taken for one to this.
    pub prompt: String,
    /// Who answered, as the provider names itself.
    pub by: String,
    /// The answer, in the shape of its stage.
    pub answer: Value,
}

/// All answers that a dataset has. The last one about a case and a stage counts.
pub struct Log {
    path: PathBuf,
    file: Appender,
    kept: BTreeMap<(String, String), Kept>,
}

impl Log {
    /// Opens the log in a dataset's folder; it is made where it is missing.
    ///
    /// # Errors
    /// The file cannot be read or has a line that is no answer.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(STAGES);
        let file = Appender::open(&path)?;
        let lines: Vec<Kept> = record::read(&path)?;
        let kept = lines.into_iter().map(|line| ((line.stage.clone(), line.case.clone()), line)).collect();
        Ok(Self { path, file, kept })
    }

    /// What was answered about a case at a stage.
    pub fn answer(&self, stage: &str, case: &str) -> Option<&Value> {
        self.kept.get(&(stage.to_owned(), case.to_owned())).map(|kept| &kept.answer)
    }

    /// Puts the answers into an order of their own, so that the file does not tell which came first.
    fn settle(&self) -> Result<(), Error> {
        let all: Vec<&Kept> = self.kept.values().collect();
        record::write(&self.path, &all)
    }
}

/// One question about one case.
pub struct Question {
    /// The case.
    pub case: String,
    /// What is the same for all cases.
    pub system: String,
    /// What is the case's own.
    pub user: String,
}

/// Makes a stage's value of an answer. The flag says that this is the second and last answer.
pub type Read<'r> = &'r (dyn Fn(&Question, &str, bool) -> Result<Value, String> + Sync);

/// Who is asked, and how.
pub struct Asker<'a> {
    /// The conversation.
    pub talk: &'a Talk<'a>,
    /// The provider's name of itself, kept beside each answer.
    pub by: String,
    /// Questions under way at once.
    pub threads: usize,
    /// Most tokens of an answer.
    pub answer_tokens: u32,
    /// Is told how many of how many questions are done.
    pub tell: &'a (dyn Fn(usize, usize) + Sync),
}

/// A question that has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The case.
    pub case: String,
    /// Why, as the conversation names it; `waiting` is a queue that nobody answered yet.
    pub why: &'static str,
    /// One line.
    pub message: String,
}

/// What came of a stage.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Questions that had their answer before.
    pub known: usize,
    /// Questions that have one since.
    pub answered: usize,
    /// The others, by case.
    pub missing: Vec<Missing>,
}

/// Asks what is not answered yet and keeps every answer at once.
///
/// # Errors
/// An answer cannot be kept. What is not answered is no error: see [`Outcome::missing`].
pub fn ask(
    asker: &Asker<'_>,
    log: &mut Log,
    stage: &str,
    schema: &Schema,
    questions: &[Question],
    read: Read<'_>,
) -> Result<Outcome, Error> {
    let digests: Vec<String> = questions.iter().map(|question| digest(question, schema)).collect();
    let is_known = |index: &usize| {
        let key = (stage.to_owned(), questions[*index].case.clone());
        log.kept.get(&key).is_some_and(|kept| kept.prompt == digests[*index])
    };
    let open: Vec<usize> = (0..questions.len()).filter(|index| !is_known(index)).collect();
    let done = AtomicUsize::new(0);
    (asker.tell)(0, open.len());
    let work = |_: &mut (), at: usize| {
        let question = &questions[open[at]];
        let answer = one(asker, schema, question, read).map(|answer| Kept {
            case: question.case.clone(),
            stage: stage.to_owned(),
            prompt: digests[open[at]].clone(),
            by: asker.by.clone(),
            answer,
        });
        let kept = answer.map(|kept| log.file.append(&kept).map(|()| kept));
        (asker.tell)(done.fetch_add(1, Ordering::Relaxed) + 1, open.len());
        kept
    };
    let answers = pool::map(open.len(), asker.threads, || (), work);
    let mut outcome = Outcome { known: questions.len() - open.len(), ..Outcome::default() };
    for (index, answer) in open.iter().zip(answers) {
        match answer {
            Ok(kept) => {
                let kept = kept?;
                outcome.answered += 1;
                log.kept.insert((kept.stage.clone(), kept.case.clone()), kept);
            }
            Err(Unanswered { why, message }) => {
                // An earlier answer was one to another question.
                log.kept.remove(&(stage.to_owned(), questions[*index].case.clone()));
                outcome.missing.push(Missing { case: questions[*index].case.clone(), why, message });
            }
        }
    }
    log.settle()?;
    Ok(outcome)
}

fn one(asker: &Asker<'_>, schema: &Schema, question: &Question, read: Read<'_>) -> Result<Value, Unanswered> {
    let prompt = Prompt {
        system: question.system.clone(),
        user: question.user.clone(),
        schema: schema.clone(),
        answer_tokens: asker.answer_tokens,
    };
    let last = Cell::new(false);
    let again = |text: &str, why: &str| {
        last.set(true);
        repaired(&prompt, text, why)
    };
    asker.talk.ask(&prompt, |text| read(question, text, last.get()), again).map(|heard| heard.read)
}

fn digest(question: &Question, schema: &Schema) -> String {
    let mut hash = Hash::new();
    for part in [&question.system, &question.user, schema.name, &schema.json.to_string()] {
        hash.part(part.as_bytes());
    }
    hash.digits()
}

/// The shape of an answer: an object whose properties are all required, as every strict dialect takes it.
pub(super) fn object(name: &'static str, properties: Value) -> Schema {
    Schema { name, json: shape(properties) }
}

/// The same as a part of another shape.
pub(super) fn shape(properties: Value) -> Value {
    let mut required: Vec<String> =
        properties.as_object().map(|properties| properties.keys().cloned().collect()).unwrap_or_default();
    required.sort();
    serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

/// A string of an answer.
///
/// # Errors
/// It is missing, no text, blank or longer than so many characters.
pub(super) fn text<'v>(value: &'v Value, key: &str, most: usize) -> Result<&'v str, String> {
    let text = value.get(key).and_then(Value::as_str).ok_or_else(|| format!("`{key}` is missing or no text"))?;
    match text.trim() {
        "" => Err(format!("`{key}` is empty")),
        text if text.chars().count() > most => Err(format!("`{key}` has more than {most} characters")),
        text => Ok(text),
    }
}

/// The one JSON object of an answer.
///
/// # Errors
/// It is none.
pub(super) fn parsed(answer: &str) -> Result<Value, String> {
    match serde_json::from_str(answer) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("it is no JSON object".to_owned()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}
