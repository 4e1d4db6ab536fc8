//! Reviews every case of a dataset and keeps the answers, so that an interrupted run goes on where it was.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

use super::agent::{self, Agent};
use crate::diff::{FileChange, Globs};
use crate::finding::{Finding, Source};
use crate::git::Env;
use crate::provider::{Answer as Said, NoAnswer, Prompt, Provider};
use crate::record::{self, Answer, Appender, Case, Comment, Dataset, Removed, Spent, Status};
use crate::review::case;
use crate::review::model::Model;
use crate::review::{Change, Loaded, Review, Settings, pool, review, suppress};
use crate::rules::Rules;

/// Who is measured.
pub struct Reviewer<'r> {
    /// The rule packs.
    pub rules: &'r Rules,
    /// What is not reviewed.
    pub exclude: &'r Globs,
    /// Which ignores in the code count.
    pub suppress: suppress::Policy,
    /// Most findings shown.
    pub cap: Option<u32>,
    /// The language model.
    pub model: Option<&'r Model<'r>>,
    /// A paper's agent that takes the place of the pipeline; it needs a model.
    pub agent: Option<Agent>,
    /// US dollars for tokens read and written.
    pub price: &'r (dyn Fn(u64, u64) -> Option<f64> + Sync),
}

/// What the caller lends: its environment and its clock.
pub struct Lent<'l> {
    /// For repositories.
    pub env: &'l (dyn Fn(&str) -> Option<std::ffi::OsString> + Sync),
    /// For the figures in [`Spent`].
    pub now: &'l (dyn Fn() -> Instant + Sync),
    /// Is told of each answer: how many there are of how many.
    pub tell: &'l (dyn Fn(usize, usize) + Sync),
}

/// How much is asked, and how much of it at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Answers to each case.
    pub samples: u32,
    /// Cases under way at once.
    pub jobs: usize,
}

/// Answers every case so often, but for what is answered `already`; each new answer goes to `keep` as soon as it is there.
/// What failed or stayed incomplete is asked again. All answers in the order of the dataset.
///
/// # Errors
/// An answer cannot be kept. A case that cannot be reviewed is an answer that says so.
pub fn run(
    dataset: &Dataset,
    reviewer: &Reviewer<'_>,
    extent: Extent,
    already: Vec<Answer>,
    keep: &Appender,
    lent: &Lent<'_>,
) -> Result<Vec<Answer>, record::Error> {
    let mut answers: HashMap<(String, u32), Answer> = already
        .into_iter()
        .filter(|answer| matches!(answer.status, Status::Complete | Status::Unparsable))
        .map(|answer| ((answer.case.clone(), answer.sample), answer))
        .collect();
    let all: Vec<(&Case, u32)> =
        dataset.cases.iter().flat_map(|case| (0..extent.samples).map(move |sample| (case, sample))).collect();
    let missing: Vec<(&Case, u32)> =
        all.iter().copied().filter(|(case, sample)| !answers.contains_key(&(case.id.clone(), *sample))).collect();
    let done = Mutex::new(all.len() - missing.len());
    let answer = |(): &mut (), index: usize| {
        let (case, sample) = missing[index];
        let begin = (lent.now)();
        let mut answer = match case::load(dataset, case, reviewer.exclude, lent.env as Env<'_>) {
            Ok(files) => reviewed(files, reviewer, sample, extent.jobs == 1),
            Err(error) => Answer { status: Status::Failed, why: Some(error.to_string()), ..Answer::default() },
        };
        answer.case.clone_from(&case.id);
        answer.sample = sample;
        answer.spent.seconds = (lent.now)().saturating_duration_since(begin).as_secs_f64();
        let kept = keep.append(&answer);
        let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *done += 1;
        (lent.tell)(*done, all.len());
        kept.map(|()| answer)
    };
    for answer in pool::map(missing.len(), extent.jobs, || (), answer) {
        let answer = answer?;
        answers.insert((answer.case.clone(), answer.sample), answer);
    }
    Ok(all.iter().filter_map(|(case, sample)| answers.remove(&(case.id.clone(), *sample))).collect())
}

/// One answer about changed files.
fn reviewed(files: Vec<FileChange>, reviewer: &Reviewer<'_>, sample: u32, is_alone: bool) -> Answer {
    let Some(model) = reviewer.model else { return piped(files, reviewer, None, is_alone) };
    let collector = Sampled { inner: model.collector, sample };
    let validator = model.validator.map(|inner| Sampled { inner, sample });
    let model = Model {
        collector: &collector,
        validator: validator.as_ref().map(|validator| validator as &dyn Provider),
        ..model.clone()
    };
    match reviewer.agent {
        Some(agent) => agent::answer(&files, agent, &model, reviewer.price),
        None => piped(files, reviewer, Some(&model), is_alone),
    }
}

/// What the pipeline says, as in any review.
fn piped(files: Vec<FileChange>, reviewer: &Reviewer<'_>, model: Option<&Model<'_>>, is_alone: bool) -> Answer {
    let settings = Settings {
        cap: reviewer.cap,
        threads: if is_alone { 4 } else { 1 },
        model,
        ..Settings::plain(reviewer.suppress)
    };
    let review = review(&Loaded::new(files), Change::default(), reviewer.rules, &settings);
    of_review(&review, reviewer.price)
}

/// A review as an answer.
fn of_review(review: &Review, price: &dyn Fn(u64, u64) -> Option<f64>) -> Answer {
    let part = review.model.as_ref();
    let is_silent = part.is_some_and(|part| part.chunks > 0 && part.tally.answers == 0);
    let is_unreadable = part.is_some_and(|part| part.unreadable > 0 && part.unreadable >= part.chunks);
    let status = match review.coverage.is_complete() {
        true => Status::Complete,
        false if is_unreadable => Status::Unparsable,
        false if is_silent => Status::Failed,
        false => Status::Incomplete,
    };
    let why = review.coverage.skipped.iter().find(|skip| skip.unread);
    let comments = review.findings.iter().zip(1..).map(|(finding, number)| comment(finding, format!("c{number}")));
    let removed = review.dropped.iter().zip(1..).filter_map(|(finding, number)| {
        let dropped = finding.dropped.as_ref()?;
        Some(Removed {
            comment: comment(finding, format!("r{number}")),
            stage: dropped.stage.name().to_owned(),
            reason: dropped.reason.clone(),
        })
    });
    Answer {
        status,
        why: why.map(|skip| format!("{}: {}", skip.path.visible(), skip.why)),
        comments: comments.collect(),
        removed: removed.collect(),
        spent: part.map(|part| spent(part.tally, price)).unwrap_or_default(),
        ..Answer::default()
    }
}

/// What a conversation took; tokens as estimated where nobody counted them.
pub(super) fn spent(tally: crate::review::model::Tally, price: &dyn Fn(u64, u64) -> Option<f64>) -> Spent {
    let counted = (tally.usage.prompt_tokens, tally.usage.completion_tokens);
    let (read, written) = if counted == (0, 0) { tally.estimated } else { counted };
    Spent {
        requests: tally.requests,
        prompt_tokens: read,
        completion_tokens: written,
        dollars: price(read, written),
        seconds: 0.0,
    }
}

fn comment(finding: &Finding, id: String) -> Comment {
    let claim = &finding.claim;
    let mut body = claim.rationale.raw().to_owned();
    if let Some(suggestion) = &claim.suggestion {
        body.push_str("\n\nSuggestion:\n");
        body.push_str(suggestion.text.raw());
    }
    Comment {
        id,
        file: Some(String::from_utf8_lossy(claim.location.path.bytes()).into_owned()),
        line: Some(claim.location.line.get()),
        end_line: Some(claim.location.end_line.get()),
        body,
        tag: Some(claim.tag.to_string()),
        level: Some(finding.level.name().to_owned()),
        category: finding.kind.category.map(str::to_owned),
        impact: finding.kind.impact.map(str::to_owned),
        severity: finding.kind.severity.map(str::to_owned),
        function: finding.function.as_ref().map(|name| name.raw().to_owned()),
        score: finding.score.map(|score| score.round() as i64),
        raised_by: Some(if matches!(claim.source, Source::Detector(_)) { "detector" } else { "model" }.to_owned()),
    }
}

/// A provider that is asked the same several times: each further time in other words, so that nobody who keeps answers
/// gives the first one again.
struct Sampled<'p> {
    inner: &'p dyn Provider,
    sample: u32,
}

impl Sampled<'_> {
    fn worded(&self, prompt: &Prompt) -> Prompt {
        let mut prompt = prompt.clone();
        if self.sample > 0 {
            prompt.system.push_str(&format!("\nThis is reading {} of the same text.\n", self.sample + 1));
        }
        prompt
    }
}

impl Provider for Sampled<'_> {
    fn ask(&self, prompt: &Prompt) -> Result<Said, NoAnswer> {
        self.inner.ask(&self.worded(prompt))
    }

    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn caches_prefixes(&self) -> bool {
        self.inner.caches_prefixes()
    }

    fn forget(&self, prompt: &Prompt) {
        self.inner.forget(&self.worded(prompt));
    }
}
