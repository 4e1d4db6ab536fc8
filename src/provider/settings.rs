//! What a provider is opened with.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The environment as the caller passes it in; only `cli` reads the real one.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Everything that is not in the environment. It holds no key.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The model (for Azure the deployment). Required by every kind that asks a service.
    pub model: String,
    /// Another endpoint than the kind's own, up to but without the dialect's path (`/chat/completions`, `/v1/messages`,
    /// `/api/chat`); no user, query or fragment.
    pub base_url: Option<String>,
    /// Sent only where set: reasoning models refuse it.
    pub temperature: Option<f32>,
    /// Tokens of prompt and answer together that `ollama` makes room for (`num_ctx`); `None` takes 32,768, or more where
    /// a prompt needs it. No other service lets a request choose.
    pub context_tokens: Option<u32>,
    /// The end of all waiting, for every request of the run.
    pub deadline: Instant,
    /// Certificates (PEM) that replace the system's; else those of `DIFFSIEVE_CA` or `SSL_CERT_FILE`.
    pub ca_file: Option<PathBuf>,
    /// Where `replay` reads and `queue` writes.
    pub folder: Option<PathBuf>,
    /// The program of `command`; for a preset, another place of the same program.
    pub program: Option<PathBuf>,
    /// Arguments of `command`; for a preset, added at the end.
    pub arguments: Vec<OsString>,
    /// Names of further variables a program sees; the others are withheld.
    pub variables: Vec<String>,
    /// How time passes.
    pub clock: Clock,
}

impl Settings {
    /// A model, a deadline and a clock; everything else as the kind has it.
    pub fn new(model: impl Into<String>, deadline: Instant, clock: Clock) -> Self {
        Self {
            model: model.into(),
            base_url: None,
            temperature: None,
            context_tokens: None,
            deadline,
            ca_file: None,
            folder: None,
            program: None,
            arguments: Vec::new(),
            variables: Vec::new(),
            clock,
        }
    }
}

/// The caller's time: `Clock::new(Instant::now, SystemTime::now, std::thread::sleep)`, or what a test wants.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Instant + Send + Sync>,
    date: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    sleep: Arc<dyn Fn(Duration) + Send + Sync>,
}

impl Clock {
    /// From three functions: a steady clock, the date (for `Retry-After`), and a way to wait.
    pub fn new(
        now: impl Fn() -> Instant + Send + Sync + 'static,
        date: impl Fn() -> SystemTime + Send + Sync + 'static,
        sleep: impl Fn(Duration) + Send + Sync + 'static,
    ) -> Self {
        Self { now: Arc::new(now), date: Arc::new(date), sleep: Arc::new(sleep) }
    }

    /// The steady clock.
    pub fn now(&self) -> Instant {
        (self.now)()
    }

    /// The date.
    pub fn date(&self) -> SystemTime {
        (self.date)()
    }

    /// Waits.
    pub fn sleep(&self, time: Duration) {
        (self.sleep)(time);
    }

    /// What is left until then, or `None` where it is over.
    pub fn left(&self, deadline: Instant) -> Option<Duration> {
        deadline.checked_duration_since((self.now)()).filter(|left| !left.is_zero())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
