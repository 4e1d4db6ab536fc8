//! Asking, so that nothing is spent twice and nothing is asked in vain: money is set aside first, an answer of another
//! shape is asked for once more, and after a refusal that no further request can change nobody is asked again.

use std::sync::{Mutex, PoisonError};

use super::purse::Purse;
use crate::context::estimate_tokens;
use crate::provider::{NoAnswer, Prompt, Provider, Usage, Why};

/// What was asked and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Requests sent, retries included.
    pub requests: u64,
    /// Answers that took no request: cached, recorded, queued.
    pub cached: u64,
    /// Tokens as the servers counted them.
    pub usage: Usage,
    /// Prompts that were answered, by whomever.
    pub answers: u64,
    /// Tokens of those prompts and of their answers, as estimated: the same for the same answers.
    pub estimated: (u64, u64),
}

impl Unanswered {
    /// Whether somebody answered, and nothing could be made of it.
    pub fn is_unreadable(&self) -> bool {
        self.why == OFF_SCHEMA || self.why == Why::NoObject.name()
    }
}

impl Tally {
    /// Both together.
    pub(super) fn and(mut self, other: Self) -> Self {
        // A saved report may name any number.
        self.requests = self.requests.saturating_add(other.requests);
        self.cached = self.cached.saturating_add(other.cached);
        self.usage += other.usage;
        self.answers = self.answers.saturating_add(other.answers);
        self.estimated.0 = self.estimated.0.saturating_add(other.estimated.0);
        self.estimated.1 = self.estimated.1.saturating_add(other.estimated.1);
        self
    }
}

/// [`Unanswered::why`] where two answers could not be read.
const OFF_SCHEMA: &str = "off_schema";

/// Why there is nothing to go by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// As [`Why::name`] has it, `budget` or `off_schema`.
    pub why: &'static str,
    /// One line.
    pub message: String,
}

/// A conversation with one provider, shared by threads.
pub struct Talk<'m> {
    provider: &'m dyn Provider,
    purse: &'m Purse,
    over: Mutex<Option<Unanswered>>,
    tally: Mutex<Tally>,
}

/// A usable answer, as read and as written.
pub struct Heard<T> {
    /// What was made of it.
    pub read: T,
    /// Its text.
    pub text: String,
}

impl<'m> Talk<'m> {
    /// Begins one; what it costs is taken from the purse.
    pub const fn new(provider: &'m dyn Provider, purse: &'m Purse) -> Self {
        let tally = Tally {
            requests: 0,
            cached: 0,
            usage: Usage { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 },
            answers: 0,
            estimated: (0, 0),
        };
        Self { provider, purse, over: Mutex::new(None), tally: Mutex::new(tally) }
    }

    /// What it cost so far.
    pub fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn caches_prefixes(&self) -> bool {
        self.provider.caches_prefixes()
    }

    /// Asks, and once more with `repaired` where `read` can make nothing of the answer.
    ///
    /// # Errors
    /// Nobody answered, the purse is empty, or nothing could be made of two answers.
    pub fn ask<T>(
        &self,
        prompt: &Prompt,
        read: impl Fn(&str) -> Result<T, String>,
        repaired: impl Fn(&str, &str) -> Prompt,
    ) -> Result<Heard<T>, Unanswered> {
        let text = self.answer(prompt)?;
        let fault = match read(&text) {
            Ok(read) => return Ok(Heard { read, text }),
            Err(fault) => fault,
        };
        let again = repaired(&text, &fault);
        let second = self.answer(&again);
        match &second {
            Ok(text) => {
                if let Ok(read) = read(text) {
                    return Ok(Heard { read, text: text.clone() });
                }
            }
            // Whoever answers the queue has only now got the second question.
            Err(none) if none.why == Why::Waiting.name() => return Err(none.clone()),
            Err(_) => {}
        }
        // A cache would give the next run the same two answers.
        self.provider.forget(prompt);
        if second.is_ok() {
            self.provider.forget(&again);
        }
        Err(Unanswered { why: OFF_SCHEMA, message: format!("two answers could not be used: {fault}") })
    }

    fn answer(&self, prompt: &Prompt) -> Result<String, Unanswered> {
        if let Some(over) = &*self.over.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(over.clone());
        }
        let size = size(prompt);
        let short = |over: super::purse::Over| Unanswered { why: "budget", message: over.why().to_owned() };
        let reserved = self.purse.reserve(size + u64::from(prompt.answer_tokens)).map_err(short)?;
        let answer = self.provider.ask(prompt);
        let (attempts, usage) = match &answer {
            Ok(answer) => (answer.attempts, answer.usage),
            Err(none) => (none.attempts, none.usage),
        };
        reserved.settle(attempts, usage);
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.requests += u64::from(attempts);
        tally.usage += usage;
        if let Ok(answer) = &answer {
            tally.cached += u64::from(attempts == 0);
            tally.answers += 1;
            tally.estimated.0 += size;
            tally.estimated.1 += u64::from(estimate_tokens(&answer.text, None));
        }
        drop(tally);
        answer.map(|answer| answer.text).map_err(|none| self.unanswered(none))
    }

    fn unanswered(&self, none: NoAnswer) -> Unanswered {
        let unanswered = Unanswered { why: none.why.name(), message: none.message };
        let is_final = match none.why {
            Why::Unauthorised | Why::NoKey | Why::Exhausted | Why::Rejected | Why::Deadline => true,
            Why::Truncated
            | Why::Refused
            | Why::Malfunction
            | Why::NoObject
            | Why::UnknownOutcome
            | Why::TooLarge
            | Why::Unavailable
            | Why::NotRecorded
            | Why::Waiting => false,
        };
        if is_final {
            let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            over.get_or_insert_with(|| unanswered.clone());
        }
        unanswered
    }
}

/// Most characters of an unusable answer that are shown to who gave it.
const SHOWN: usize = 2_000;

/// Asks again where nothing could be made of an answer.
pub fn repaired(prompt: &Prompt, answer: &str, why: &str) -> Prompt {
    let shown: String = answer.chars().take(SHOWN).collect();
    let user = format!(
        "{}\nYour last answer cannot be used: {why}. As a JSON string it was {}\nAnswer again, in the given shape.\n",
        prompt.user,
        serde_json::Value::from(shown)
    );
    Prompt { user, ..prompt.clone() }
}

/// What a prompt costs, as estimated: its two texts and the shape of the answer.
pub(super) fn size(prompt: &Prompt) -> u64 {
    const SHAPE: u64 = 150;
    let tokens = |text: &str| u64::from(estimate_tokens(text, None));
    tokens(&prompt.system) + tokens(&prompt.user) + SHAPE
}
