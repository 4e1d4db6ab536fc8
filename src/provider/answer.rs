//! What comes back from a provider, and why nothing may.

use std::fmt;
use std::iter::Sum;
use std::ops::AddAssign;

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text of exactly one JSON object, without duplicate keys; fences, prose and reasoning around it are gone. Not
    /// yet checked against the schema: servers that accept a schema may ignore it.
    pub text: String,
    /// What it cost, failed attempts included. Zero for a cached, recorded or queued answer.
    pub usage: Usage,
    /// Requests sent; 0 where none was.
    pub attempts: u32,
}

/// Tokens as the server counted them; zero where it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens read, the cached ones included.
    pub prompt_tokens: u64,
    /// Tokens written, reasoning included.
    pub completion_tokens: u64,
    /// Of the prompt tokens, those the server had cached.
    pub cached_tokens: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

/// A request that brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}: {message}")]
pub struct NoAnswer {
    /// The reason, as far as the caller has to act on it.
    pub why: Why,
    /// One line, at most 300 characters. It may quote the server: invisible characters are spelt out, keys replaced.
    pub message: String,
    /// Requests sent.
    pub attempts: u32,
    /// What they cost nevertheless.
    pub usage: Usage,
}

/// Why there is no answer. None of them is a verdict on the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The answer stopped at a limit; it counts as none, even if its JSON parses.
    Truncated,
    /// The model or a filter declined.
    Refused,
    /// Something came, and it is no answer: a broken envelope, an error inside a success.
    Malfunction,
    /// The model answered, and not with one JSON object: prose, a list, several objects, a torn one.
    NoObject,
    /// The server ended the answer for a reason this version does not know.
    UnknownOutcome,
    /// The prompt exceeds what the model or the service takes; a smaller one may fit.
    TooLarge,
    /// The key is wrong or not allowed to do this.
    Unauthorised,
    /// No key is set; nothing was sent.
    NoKey,
    /// Quota, credit or spending limit is used up.
    Exhausted,
    /// The service does not take such requests: a wrong model, address, program or parameter.
    Rejected,
    /// Network, overload or rate limit, after all retries.
    Unavailable,
    /// The time is up.
    Deadline,
    /// The recorded folder has no answer to this prompt.
    NotRecorded,
    /// The request lies in the queue and nobody has answered yet.
    Waiting,
}

impl Why {
    /// Every reason.
    pub const ALL: [Self; 14] = [
        Self::Truncated,
        Self::Refused,
        Self::Malfunction,
        Self::NoObject,
        Self::UnknownOutcome,
        Self::TooLarge,
        Self::Unauthorised,
        Self::NoKey,
        Self::Exhausted,
        Self::Rejected,
        Self::Unavailable,
        Self::Deadline,
        Self::NotRecorded,
        Self::Waiting,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Refused => "refused",
            Self::Malfunction => "malfunction",
            Self::NoObject => "no_object",
            Self::UnknownOutcome => "unknown_outcome",
            Self::TooLarge => "too_large",
            Self::Unauthorised => "unauthorised",
            Self::NoKey => "no_key",
            Self::Exhausted => "exhausted",
            Self::Rejected => "rejected",
            Self::Unavailable => "unavailable",
            Self::Deadline => "deadline",
            Self::NotRecorded => "not_recorded",
            Self::Waiting => "waiting",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
