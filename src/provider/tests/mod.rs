//! Providers against a server of our own on loopback, programs of our own, and folders of our own.

mod behaviours;
mod faults;
mod keys;
mod kinds;
#[cfg(unix)]
mod programs;
mod server;
mod stores;
mod wire;

use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

pub(crate) use behaviours::{Expected, Row, Wire, table};
pub(crate) use server::Server;

use super::preset::Preset;
use super::service::Service;
use super::settings::{Clock, Settings};
use super::{Answer, NoAnswer, Prompt, Provider, Schema, Usage};

/// What models are asked for here.
fn prompt(user: &str) -> Prompt {
    Prompt {
        system: "You review a change.".to_owned(),
        user: user.to_owned(),
        schema: Schema {
            name: "review",
            json: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["no_comment"],
                "properties": {"no_comment": {"type": "boolean"}},
            }),
        },
        answer_tokens: 1000,
    }
}

const ANSWER: &str = r#"{"no_comment": true}"#;

/// A clock that tells the real time and what was slept, without sleeping.
struct Time {
    slept: Arc<Mutex<Vec<Duration>>>,
    clock: Clock,
}

/// The date that every test has.
const TODAY: Duration = Duration::from_secs(784_111_777);

fn time() -> Time {
    let slept = Arc::new(Mutex::new(Vec::new()));
    let ahead = Arc::new(AtomicU64::new(0));
    let (log, skipped) = (slept.clone(), ahead.clone());
    let clock = Clock::new(
        move || Instant::now() + Duration::from_millis(ahead.load(Ordering::SeqCst)),
        || SystemTime::UNIX_EPOCH + TODAY,
        move |wait: Duration| {
            skipped.fetch_add(u64::try_from(wait.as_millis()).expect("a short wait"), Ordering::SeqCst);
            log.lock().expect("nobody panics here").push(wait);
        },
    );
    Time { slept, clock }
}

fn settings(url: &str, time: &Time, seconds: f64) -> Settings {
    let deadline = Instant::now() + Duration::from_secs_f64(seconds);
    let mut settings = Settings::new("m-1", deadline, time.clock.clone());
    settings.base_url = Some(url.to_owned());
    settings
}

/// An environment in which only the key of every service is set.
fn only_keys(name: &str) -> Option<OsString> {
    (name.ends_with("_API_KEY") || name == "AWS_BEARER_TOKEN_BEDROCK").then(|| OsString::from(KEY))
}

const KEY: &str = "sk-geheim-4711-abcdefgh";

fn service(preset: &'static Preset, settings: &Settings) -> Service {
    Service::open(preset, settings, &only_keys).expect("the settings are right")
}

/// A server that behaves as a row says, and a provider that asks it.
pub(crate) fn serving(row: &Row, wire: Wire) -> (Server, impl Provider + use<>) {
    let server = Server::start((row.acts)(wire));
    let mut settings = settings(&server.url(), &time(), row.seconds);
    settings.temperature = Some(0.2);
    let provider = service(wire.preset(), &settings);
    (server, provider)
}

/// A provider that says what it is told and counts how often it is asked.
struct Scripted {
    answers: Mutex<Vec<Result<&'static str, NoAnswer>>>,
    asked: AtomicU64,
}

impl Scripted {
    fn new(mut answers: Vec<Result<&'static str, NoAnswer>>) -> Self {
        answers.reverse();
        Self { answers: Mutex::new(answers), asked: AtomicU64::new(0) }
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Provider for Arc<Scripted> {
    fn ask(&self, _: &Prompt) -> Result<Answer, NoAnswer> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let next = self.answers.lock().expect("nobody panics here").pop().expect("the script is long enough");
        let usage = Usage { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 0 };
        next.map(|text| Answer { text: text.to_owned(), usage, attempts: 1 })
    }

    fn identity(&self) -> String {
        "scripted".to_owned()
    }

    fn caches_prefixes(&self) -> bool {
        true
    }
}
