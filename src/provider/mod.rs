//! One request, one answer: models over HTTP, programs, recorded answers and a queue, behind one [`Provider`].
//!
//! Wrappers are written once: retries and the deadline (`retry`), what a server's words mean (`outcome`), the [`Cache`]
//! and [`Recorded`]. Nothing a server says becomes an [`Answer`] unless the server itself called it complete and it is
//! one JSON object. Programs and endpoints come from the caller's [`Settings`] and the passed-in environment, never from
//! a file of the repository.

mod agent;
mod answer;
mod anthropic;
mod cache;
mod digest;
mod envelope;
mod error;
mod extract;
mod http;
mod kind;
mod ollama;
mod openai;
mod outcome;
mod preset;
pub mod process;
mod proxy;
mod queue;
mod record;
pub mod rest;
mod retry;
mod secret;
mod service;
mod settings;
mod store;
#[cfg(test)]
pub(crate) mod tests;
mod transcript;
mod wait;

pub use answer::{Answer, NoAnswer, Usage, Why};
pub use cache::{Cache, Cached, Stats};
pub use error::Error;
pub use kind::{KINDS, Kind, Open, find};
pub use record::Recorded;
pub use settings::{Clock, Env, Settings};

/// What is asked. Its text leaves the machine, so the caller has masked what must not.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What stays the same from request to request, so that servers can keep it cached.
    pub system: String,
    /// The one user message.
    pub user: String,
    /// The shape of the answer.
    pub schema: Schema,
    /// Most tokens an answer may have, reasoning included. No part of the prompt's identity: only complete answers count.
    pub answer_tokens: u32,
}

/// The JSON schema of an answer. It must stay inside the subset every strict dialect accepts: objects with all properties
/// required and `additionalProperties: false`, arrays, strings, integers, booleans, enums; no bounds, unions or
/// references; at most five levels and 100 properties.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: &'static str,
    /// The schema itself.
    pub json: serde_json::Value,
}

/// A source of answers. Shared by the threads of a review; what one request teaches (a field the server refuses) the
/// others know.
pub trait Provider: Send + Sync {
    /// Asks once, retries and all, within the deadline of its [`Settings`].
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer>;

    /// What answers: kind, endpoint, model and parameters. Equal identities may share cached answers; it holds no key.
    fn identity(&self) -> String;

    /// Whether the service keeps a common prefix of prompts, so that one request sent ahead makes the others cheaper.
    fn caches_prefixes(&self) -> bool;

    /// Nothing could be made of the answer to a prompt, complete as it was: who keeps answers must not give it again.
    fn forget(&self, _: &Prompt) {}
}

impl<P: Provider + ?Sized> Provider for Box<P> {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        (**self).ask(prompt)
    }

    fn identity(&self) -> String {
        (**self).identity()
    }

    fn caches_prefixes(&self) -> bool {
        (**self).caches_prefixes()
    }

    fn forget(&self, prompt: &Prompt) {
        (**self).forget(prompt);
    }
}
