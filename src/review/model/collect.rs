//! Collect: each chunk is shown to the model in every pass, several at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::answer::{self, Worded};
use super::question::Questions;
use super::talk::{self, Talk, Unanswered};
use super::{Model, Progress, Strategy};
use crate::context::Chunk;
use crate::provider::Prompt;
use crate::review::pool;

/// A chunk in a pass.
pub(super) struct Job<'c> {
    pub(super) chunk: &'c Chunk,
    /// From 1.
    pub(super) pass: u32,
    /// The question about it.
    pub(super) prompt: Prompt,
}

/// What came of each job. Where the service keeps prefixes, the first question goes ahead of the others.
pub(super) fn collect(
    jobs: &[Job<'_>],
    questions: &Questions<'_>,
    talk: &Talk<'_>,
    model: &Model<'_>,
) -> Vec<Result<Vec<Worded>, Unanswered>> {
    let done = AtomicUsize::new(0);
    let ask = |job: &Job<'_>| {
        let answer = one(job, questions, talk, model.strategy);
        (model.tell)(Progress::Collected(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len()));
        answer
    };
    let ahead = usize::from(talk.caches_prefixes() && jobs.len() > 1);
    let (first, rest) = jobs.split_at(ahead);
    let mut answers: Vec<_> = first.iter().map(ask).collect();
    answers.extend(pool::map(rest.len(), model.concurrency, || (), |(), index| ask(&rest[index])));
    answers
}

fn one(
    job: &Job<'_>,
    questions: &Questions<'_>,
    talk: &Talk<'_>,
    strategy: Strategy,
) -> Result<Vec<Worded>, Unanswered> {
    let prompt = &job.prompt;
    let first = talk.ask(prompt, answer::read, |text, why| talk::repaired(prompt, text, why))?;
    match strategy {
        Strategy::Single => Ok(first.read),
        Strategy::Reflexion => {
            let again = questions.reflected(prompt, &first.text);
            let second = talk.ask(&again, answer::read, |text, why| talk::repaired(&again, text, why))?;
            Ok(second.read)
        }
    }
}
