//! Attempts, waits and the deadline, once for every kind of provider.

use std::time::{Duration, Instant};

use super::digest;
use super::outcome::{self, Again, Fault};
use super::secret::{Secret, scrub, scrub_json};
use super::settings::Clock;
use super::{Answer, NoAnswer, Prompt, Usage, Why, extract};

/// Attempts that failed for reasons that pass: two retries, as the services' own libraries do.
const MOST_WAITS: u32 = 2;
/// A server that asks for more is not waited for: the run has other requests.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// What one attempt may do differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) answer_tokens: u32,
    /// Put the schema into the prompt whether or not the request carries it.
    pub(super) explain: bool,
}

/// What an attempt brought: the model's text, not yet looked at.
pub(super) struct Reading {
    pub(super) text: String,
    pub(super) usage: Usage,
}

/// The run's time, and what must not be repeated.
pub(super) struct Limits<'a> {
    pub(super) clock: &'a Clock,
    pub(super) deadline: Instant,
    /// The largest answer that a request may ask for.
    pub(super) largest_answer: u32,
    pub(super) secrets: &'a [Secret],
}

/// Attempts until there is an answer, no reason to hope for one, or no time. `attempt` gets what is left of the time.
pub(super) fn run(
    limits: &Limits<'_>,
    prompt: &Prompt,
    mut attempt: impl FnMut(Turn, Duration) -> Result<Reading, Fault>,
) -> Result<Answer, NoAnswer> {
    let mut turn = Turn { answer_tokens: prompt.answer_tokens.min(limits.largest_answer), explain: false };
    let (mut attempts, mut waits, mut repeated, mut usage) = (0, 0, false, Usage::default());
    let mut last: Option<Fault> = None;
    loop {
        let Some(left) = limits.clock.left(limits.deadline) else {
            let message = last.map_or_else(|| "no time is left".to_owned(), |fault| fault.message);
            return Err(no_answer(limits, Why::Deadline, &message, attempts, usage));
        };
        attempts += 1;
        let fault = match attempt(turn, left).and_then(complete) {
            Ok(reading) => {
                usage += reading.usage;
                return Ok(Answer { text: scrub_json(reading.text, limits.secrets), usage, attempts });
            }
            Err(fault) => fault,
        };
        usage += fault.usage;
        let mut pause = None;
        let worth_it = match fault.again {
            Again::Never => false,
            Again::Later(asked) => {
                let wait = asked.unwrap_or_else(|| backoff(waits, prompt));
                pause = Some(wait);
                waits += 1;
                waits <= MOST_WAITS && wait <= LONGEST_WAIT
            }
            // Bounded by the caller: each field is dropped once.
            Again::Without(_) => true,
            Again::Once => !std::mem::replace(&mut repeated, true),
            Again::Explained => {
                turn.explain = true;
                !std::mem::replace(&mut repeated, true)
            }
            Again::Larger => {
                let larger = turn.answer_tokens.saturating_mul(2).min(limits.largest_answer);
                let grows = larger > std::mem::replace(&mut turn.answer_tokens, larger);
                grows && !std::mem::replace(&mut repeated, true)
            }
        };
        if !worth_it {
            let asks = pause.filter(|pause| *pause > LONGEST_WAIT);
            let asks =
                asks.map(|pause| format!(" (the server asks to wait {} s)", pause.as_secs())).unwrap_or_default();
            return Err(no_answer(limits, fault.why, &format!("{}{asks}", fault.message), attempts, usage));
        }
        if let Some(pause) = pause {
            if limits.clock.left(limits.deadline).is_none_or(|left| left <= pause) {
                let message =
                    format!("{} (no time is left to wait {} ms and ask again)", fault.message, pause.as_millis());
                return Err(no_answer(limits, fault.why, &message, attempts, usage));
            }
            limits.clock.sleep(pause);
        }
        last = Some(fault);
    }
}

/// The one object in what the model wrote.
fn complete(reading: Reading) -> Result<Reading, Fault> {
    match extract::object(&reading.text) {
        Ok(object) => Ok(Reading { text: object.to_owned(), usage: reading.usage }),
        Err(why) => Err(Fault::new(Why::NoObject, Again::Explained, why).with_usage(reading.usage)),
    }
}

fn no_answer(limits: &Limits<'_>, why: Why, text: &str, attempts: u32, usage: Usage) -> NoAnswer {
    let message = outcome::message(&scrub(text.to_owned(), limits.secrets));
    NoAnswer { why, message, attempts, usage }
}

/// Half a second, doubled each time up to eight, less up to a quarter. The part that differs between requests comes from
/// the prompt, so that a run can be repeated and parallel requests still spread.
fn backoff(waits: u32, prompt: &Prompt) -> Duration {
    let longest = 0.5 * f64::from(1_u32 << waits.min(4));
    let seed = digest::digest(&["backoff", &waits.to_string(), &digest::of_prompt(prompt)]);
    let part = u32::from_str_radix(&seed[..8], 16).map_or(0.5, |value| f64::from(value) / f64::from(u32::MAX));
    Duration::from_secs_f64(longest.min(8.0) * (1.0 - 0.25 * part))
}
