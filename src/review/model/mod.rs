//! What a language model adds to a review. It is asked about chunks, its claims are tied to the lines it was shown or
//! dropped, a second opinion scores what stands, and whatever was not answered is unread. It can add findings and lower
//! them; nothing that it says takes away what a detector found.

mod answer;
mod collect;
mod hide;
mod judge;
mod locate;
mod names;
mod plan;
mod purse;
mod question;
mod stand;
mod suggest;
mod talk;
#[cfg(test)]
mod tests;
mod unread;
mod validate;

pub(super) use judge::lower_unjudged;
pub use plan::Plan;
pub use purse::{Budget, Purse};
pub use talk::{Heard, Talk, Tally, Unanswered, repaired};
pub use unread::Steered;
pub(super) use unread::steered;

use super::Skip;
use super::ground::Grounded;
use crate::context::{self, Chunks, Context, FilePart, Form};
use crate::detect::FileView;
use crate::finding::Finding;
use crate::provider::Provider;
use crate::rules::Rules;

/// Names the words of all prompts, for caches: an answer to other words is another answer.
pub const PROMPTS: &[&str] = &[question::VERSION, validate::VERSION];

/// How a chunk is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// One question, one answer.
    #[default]
    Single,
    /// The model is shown its answer and looks again (CR-Bench, listing 5). It finds more, and more that is wrong.
    Reflexion,
}

impl Strategy {
    /// The values as written.
    pub const NAMES: [&'static str; 2] = ["single", "reflexion"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "single" => Some(Self::Single),
            "reflexion" => Some(Self::Reflexion),
            _ => None,
        }
    }
}

/// How a model is asked to word what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As a suggestion or a question (Code Quality Score, A.1).
    #[default]
    Question,
    /// As a statement.
    Plain,
}

impl Tone {
    /// The values as written.
    pub const NAMES: [&'static str; 2] = ["question", "plain"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "question" => Some(Self::Question),
            "plain" => Some(Self::Plain),
            _ => None,
        }
    }

    /// The value as written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Plain => "plain",
        }
    }
}

/// When a model's finding may be an error. Otherwise it is a warning at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MayBlock {
    /// Anchored exactly, its evidence not refuted, and scored at the tag's block score or above by a validator that works.
    #[default]
    Validated,
    /// As validated, and its evidence proved.
    Certified,
    /// Never.
    Never,
}

impl MayBlock {
    /// The values as written.
    pub const NAMES: [&'static str; 3] = ["validated", "certified", "never"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "validated" => Some(Self::Validated),
            "certified" => Some(Self::Certified),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

/// What a review tells while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// What will be asked, before anything is.
    Planned(Plan),
    /// So many of the chunks are answered.
    Collected(usize, usize),
    /// So many of the second opinions are there.
    Validated(usize, usize),
}

/// The model of a review.
#[derive(Clone)]
pub struct Model<'m> {
    /// Who it is, for the report.
    pub names: Names,
    /// What is shown.
    pub context: &'m Context<'m>,
    /// Who reviews.
    pub collector: &'m dyn Provider,
    /// Who gives the second opinion; without one no finding has a score and none may block.
    pub validator: Option<&'m dyn Provider>,
    /// How often each chunk is reviewed. A claim needs the votes of more than half of them.
    pub passes: u32,
    /// How.
    pub strategy: Strategy,
    /// In which words.
    pub tone: Tone,
    /// How the diff is written that is shown.
    pub form: Form,
    /// Most tokens of a chunk.
    pub chunk_tokens: u32,
    /// Most tokens of an answer, reasoning included.
    pub answer_tokens: u32,
    /// Requests under way at once.
    pub concurrency: usize,
    /// What it may cost.
    pub budget: Budget,
    /// When its findings may be errors.
    pub may_block: MayBlock,
    /// Is told how it goes.
    pub tell: &'m (dyn Fn(Progress) + Sync),
}

/// How well the validator worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Health {
    /// There is none.
    #[default]
    Off,
    /// It scored every claim, or there was none to score.
    Ok,
    /// It left claims without a score.
    Degraded,
    /// It gave no score at all.
    Failed,
    /// It gave many claims one and the same score, which is no judgement.
    Constant,
}

impl Health {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Off, Self::Ok, Self::Degraded, Self::Failed, Self::Constant];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Failed => "failed",
            Self::Constant => "constant",
        }
    }
}

/// Who took part, as a report names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The kind of provider, such as `openai`.
    pub provider: String,
    /// The model.
    pub name: Option<String>,
    /// Who gave the second opinion, as `provider/name`.
    pub validator: Option<String>,
}

/// What the model did, for the report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// Who it was.
    pub names: Names,
    /// How the validator worked.
    pub health: Health,
    /// What was asked and what it cost.
    pub tally: Tally,
    /// Chunks of the change.
    pub chunks: u64,
    /// Questions whose answers could not be read, twice.
    pub unreadable: u64,
    /// Claims that were to be scored, and those that were.
    pub scored: (u64, u64),
    /// US dollars, where the caller knows the prices.
    pub cost: Option<f64>,
    /// How long the caller waited for the review.
    pub seconds: f64,
}

impl Part {
    /// Two parts of one review as one. How the validator worked is for whoever sees all scores to say.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            tally: self.tally.and(other.tally),
            chunks: self.chunks.saturating_add(other.chunks),
            unreadable: self.unreadable.saturating_add(other.unreadable),
            scored: (self.scored.0.saturating_add(other.scored.0), self.scored.1.saturating_add(other.scored.1)),
            cost: self.cost.zip(other.cost).map(|(one, other)| one + other),
            // They ran beside each other.
            seconds: self.seconds.max(other.seconds),
            ..self
        }
    }
}

/// What the detectors leave behind of each file.
pub(super) struct Looked<'f> {
    /// The files that have a text.
    pub(super) views: Vec<Option<FileView<'f>>>,
    /// The findings that a report must not show in the clear, also where they were dropped since.
    pub(super) secrets: Vec<Vec<Grounded>>,
}

/// What came of asking.
pub(super) struct Asked<'f> {
    pub(super) part: Part,
    pub(super) raised: u64,
    /// The files as the detectors left them.
    pub(super) views: Vec<Option<FileView<'f>>>,
    /// What stands, by file.
    pub(super) kept: Vec<Vec<Grounded>>,
    pub(super) dropped: Vec<Finding>,
    pub(super) skipped: Vec<Skip>,
    /// By file, whether the model read all that was to be shown of it.
    pub(super) read: Vec<bool>,
    /// What does not count as read until it is known what was accepted.
    pub(super) steered: Vec<Steered>,
}

/// Asks about the files of a change, and does something else in the meantime.
pub(super) fn ask<'f>(
    passes: &[Chunks],
    parts: &[FilePart],
    rules: &Rules,
    model: &Model<'_>,
    meanwhile: impl FnOnce() -> Looked<'f>,
) -> Asked<'f> {
    let purse = Purse::new(model.budget);
    let collector = Talk::new(model.collector, &purse);
    let questions = question::Questions::new(rules, model);
    let jobs = jobs(passes, &questions);
    (model.tell)(Progress::Planned(Plan::of(&jobs, model)));
    let (answers, looked) = std::thread::scope(|scope| {
        let asking = scope.spawn(|| collect::collect(&jobs, &questions, &collector, model));
        let looked = meanwhile();
        (asking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), looked)
    });
    let Looked { views, secrets } = looked;
    let mut read: Vec<bool> = parts.iter().map(FilePart::is_shown).collect();
    let mut unread = unread::Unread::default();
    unread.skipped(passes, parts, &mut read);
    let (mut claims, mut dropped) = (Vec::new(), Vec::new());
    let mut unreadable = 0;
    for ((job, answer), index) in jobs.iter().zip(answers).zip(0..) {
        match answer {
            Ok(worded) => claims.extend(worded.into_iter().map(|worded| (index, worded))),
            Err(none) => {
                unreadable += u64::from(none.is_unreadable());
                let why = format!("the model gave no answer ({}): {}", none.why, none.message);
                unread.chunk(job.chunk, parts, &why, &mut read);
            }
        }
    }
    let raised = claims.len() as u64;
    let stage = stand::Stage { jobs: &jobs, parts, views: &views, secrets: &secrets, rules, passes: model.passes };
    let held = stand::stand(claims, &stage, &mut dropped);
    let mut held = judge::voted(held, rules, &views, model.passes, &mut dropped);
    let validator = model.validator.map(|validator| Talk::new(validator, &purse));
    let opinion = judge::judge(&mut held, &jobs, parts, rules, &views, validator.as_ref(), model);
    for (file, count, why) in opinion.unscored {
        let claims = if count == 1 { "a claim of the model has" } else { "claims of the model have" };
        unread.add(&parts[file].path, &[], format!("{claims} no score: {why}"));
    }
    let part = Part {
        names: model.names.clone(),
        health: if model.validator.is_some() { Health::Ok } else { Health::Off },
        tally: collector.tally().and(validator.map(|talk| talk.tally()).unwrap_or_default()),
        chunks: passes.first().map_or(0, |chunks| chunks.chunks.len() as u64),
        unreadable,
        scored: opinion.scored,
        ..Part::default()
    };
    let kept = judge::bar(held, rules, &views, model, &mut dropped);
    let steered = jobs.iter().filter(|job| job.pass == 1).filter_map(|job| Steered::of(job.chunk, parts)).collect();
    Asked { part, raised, views, kept, dropped, skipped: unread.into_skips(), read, steered }
}

/// What a review would ask about these files, and what that can cost at most.
pub fn plan(parts: &[FilePart], rules: &Rules, model: &Model<'_>) -> Plan {
    Plan::of(&jobs(&passes(parts, model), &question::Questions::new(rules, model)), model)
}

/// The chunks of each pass.
pub(super) fn passes(parts: &[FilePart], model: &Model<'_>) -> Vec<Chunks> {
    let budget = context::Budget::of(model.chunk_tokens);
    (1..=model.passes.max(1)).map(|pass| context::chunks(parts, &budget, model.form, pass)).collect()
}

/// All questions, each written once.
fn jobs<'c>(passes: &'c [Chunks], questions: &question::Questions<'_>) -> Vec<collect::Job<'c>> {
    let chunks = passes.iter().zip(1..).flat_map(|(chunks, pass)| chunks.chunks.iter().map(move |chunk| (chunk, pass)));
    chunks.map(|(chunk, pass)| collect::Job { chunk, pass, prompt: questions.of(chunk, pass) }).collect()
}
