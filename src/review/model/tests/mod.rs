//! Reviews with a model that says what it is told.

mod faults;
mod flow;
mod liar;

use std::sync::LazyLock;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::{Budget, MayBlock, Model, Names, Progress, Strategy, Tone};
use crate::context::{Context, Form, Options};
use crate::diff::{FileChange, Limits, patch};
use crate::finding::Level;
use crate::provider::{Answer, NoAnswer, Prompt, Provider, Usage, Why};
use crate::review::{Change, Loaded, Review, Settings, review, suppress};
use crate::rules::{Examples, Rules};

static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::load(Examples::Skip, &[], None, None).expect("the embedded packs are sound"));

static CONTEXT: LazyLock<Context<'static>> =
    LazyLock::new(|| Context::new(&RULES, Options::default()).expect("the options are sound"));

/// What the gate, a floor above, makes of a review under its default policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Pass,
    Fail,
    Incomplete,
}

struct Decision {
    verdict: Verdict,
    complete: bool,
}

type Say<'s> = Box<dyn Fn(&Prompt) -> Result<String, Why> + Send + Sync + 's>;

/// A model that answers by a function and remembers what it was asked.
struct Scripted<'s> {
    say: Say<'s>,
    asked: Mutex<Vec<Prompt>>,
    forgotten: Mutex<Vec<String>>,
}

impl<'s> Scripted<'s> {
    fn new(say: impl Fn(&Prompt) -> Result<String, Why> + Send + Sync + 's) -> Self {
        Self { say: Box::new(say), asked: Mutex::default(), forgotten: Mutex::default() }
    }

    fn asked(&self) -> Vec<Prompt> {
        self.asked.lock().expect("nobody panics here").clone()
    }

    fn forgotten(&self) -> usize {
        self.forgotten.lock().expect("nobody panics here").len()
    }
}

impl Provider for Scripted<'_> {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        self.asked.lock().expect("nobody panics here").push(prompt.clone());
        let usage = Usage { prompt_tokens: 100, completion_tokens: 10, cached_tokens: 0 };
        match (self.say)(prompt) {
            Ok(text) => Ok(Answer { text, usage, attempts: 1 }),
            Err(why) => Err(NoAnswer { why, message: "so it was told".to_owned(), attempts: 1, usage }),
        }
    }

    fn identity(&self) -> String {
        "scripted".to_owned()
    }

    fn caches_prefixes(&self) -> bool {
        true
    }

    fn forget(&self, prompt: &Prompt) {
        self.forgotten.lock().expect("nobody panics here").push(prompt.user.clone());
    }
}

fn is_collect(prompt: &Prompt) -> bool {
    prompt.schema.name == "review"
}

const CLEAN: &str = r#"{"findings":[],"no_comment":true}"#;

fn claims(claims: &[Value]) -> String {
    json!({"findings": claims, "no_comment": claims.is_empty()}).to_string()
}

fn claim(file: &str, line: i64, quote: &str, tag: &str) -> Value {
    json!({"file": file, "line": line, "quote": quote, "tag": tag, "rationale": "It goes wrong for 0.", "suggestion": ""})
}

/// The same score for every claim that is asked about.
fn scores(prompt: &Prompt, score: u32) -> String {
    let ids = prompt.user.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let scores: Vec<Value> = ids
        .map(|claim| {
            json!({"id": claim["id"], "motivation": "checked", "status": "valid", "line_matching": true,
                   "sentiment": "negative", "score": score})
        })
        .collect();
    json!({ "scores": scores }).to_string()
}

/// A reviewer with a fixed answer and a validator with a fixed score.
fn says(answer: String, score: u32) -> Scripted<'static> {
    Scripted::new(move |prompt| Ok(if is_collect(prompt) { answer.clone() } else { scores(prompt, score) }))
}

fn model<'m>(provider: &'m dyn Provider) -> Model<'m> {
    fn nothing(_: Progress) {}
    Model {
        names: Names { provider: "scripted".to_owned(), ..Names::default() },
        context: &CONTEXT,
        collector: provider,
        validator: Some(provider),
        passes: 1,
        strategy: Strategy::Single,
        tone: Tone::Question,
        form: Form::Marked,
        chunk_tokens: 8_000,
        answer_tokens: 1_000,
        concurrency: 2,
        budget: Budget { requests: 1_000, tokens: 10_000_000 },
        may_block: MayBlock::Validated,
        tell: &nothing,
    }
}

fn files(text: &str) -> Vec<FileChange> {
    patch::parse(text.as_bytes(), &Limits::default()).expect("a patch")
}

/// Files that the change adds.
fn added(files: &[(&str, &str)]) -> Vec<FileChange> {
    files.iter().map(|(path, text)| FileChange::new_file((*path).into(), (*text).into())).collect()
}

fn reviewed(files: Vec<FileChange>, model: &Model<'_>) -> (Review, Decision) {
    let settings = Settings {
        model: Some(model),
        ..Settings::plain(suppress::Policy { added_ignores: false, unreasoned: false })
    };
    let review = review(&Loaded::new(files), Change::default(), &RULES, &settings);
    let fails = review.findings.iter().any(|finding| finding.level == Level::Error);
    let complete = review.coverage.is_complete();
    let verdict = match (fails, complete) {
        (true, _) => Verdict::Fail,
        (false, true) => Verdict::Pass,
        (false, false) => Verdict::Incomplete,
    };
    (review, Decision { verdict, complete })
}
