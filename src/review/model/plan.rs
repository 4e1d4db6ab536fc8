//! What a review will ask and what that can cost at most, known before the first request.

use super::collect::Job;
use super::talk::size;
use super::{Model, Strategy};

/// The plan of a review. Repairs of unusable answers and retries are not in it; the budget bounds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plan {
    /// Chunks of the change.
    pub chunks: u64,
    /// Questions about them, over all passes.
    pub questions: u64,
    /// Second opinions, if every chunk brings claims.
    pub opinions: u64,
    /// Tokens of the questions, as estimated.
    pub prompt_tokens: u64,
    /// Tokens that the second opinions read at most.
    pub opinion_tokens: u64,
    /// Tokens that all answers have at most.
    pub answer_tokens: u64,
}

impl Plan {
    pub(super) fn of(jobs: &[Job<'_>], model: &Model<'_>) -> Self {
        let rounds = match model.strategy {
            Strategy::Single => 1,
            Strategy::Reflexion => 2,
        };
        let chunks = jobs.iter().filter(|job| job.pass == 1).count() as u64;
        let asked = jobs.len() as u64 * rounds;
        let prompt_tokens: u64 = jobs.iter().map(|job| size(&job.prompt)).sum();
        let opinions = if model.validator.is_some() { chunks } else { 0 };
        let shown: u64 = jobs.iter().filter(|job| job.pass == 1).map(|job| u64::from(job.chunk.tokens)).sum();
        Self {
            chunks,
            questions: asked,
            opinions,
            prompt_tokens: prompt_tokens * rounds,
            opinion_tokens: if opinions > 0 { shown * 2 } else { 0 },
            answer_tokens: (asked + opinions) * u64::from(model.answer_tokens),
        }
    }

    /// Requests, retries and repairs apart.
    pub const fn requests(&self) -> u64 {
        self.questions + self.opinions
    }

    /// Tokens at most.
    pub const fn ceiling(&self) -> u64 {
        self.prompt_tokens + self.opinion_tokens + self.answer_tokens
    }
}
