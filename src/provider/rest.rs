//! A web API that is no model's: the same connections, proxies and certificates, and the same care with keys. One
//! request, one reply; who asks again, and when, is the caller's business.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;
use ureq::http;

use super::http::{Base, Client, Reply};
use super::outcome::{self, Again};
use super::preset::Auth;
use super::secret::{Secret, scrub};
use super::settings::{Clock, Env, Settings};
use super::{Error, Why, wait};

/// Largest answer that is read: a hundred comments of a quarter of a megabyte each, escaped.
const LARGEST_BODY: u64 = 64 << 20;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Makes something new.
    Post,
    /// Changes something.
    Patch,
}

impl Method {
    /// As in the request line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
        }
    }
}

/// A web API.
pub struct Rest {
    client: Client,
    clock: Clock,
}

/// What it answered, whatever the status. The key it was sent is not in it.
#[derive(Debug)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The body, if it is JSON.
    pub json: Option<Value>,
    /// How long the server asks to wait (`Retry-After`, or a limit that is used up and its reset).
    pub wait: Option<Duration>,
    /// Whether the `Link` header names a next page; `None` without the header.
    pub more: Option<bool>,
}

impl Answered {
    /// Whether it is a success.
    pub const fn is_success(&self) -> bool {
        self.status >= 200 && self.status < 300
    }

    /// The server's reason, on one escaped line.
    pub fn message(&self) -> String {
        let Some(json) = &self.json else { return format!("status {}", self.status) };
        let text = json.get("message").and_then(Value::as_str).unwrap_or_default();
        let errors = json.get("errors").filter(|errors| !errors.is_null()).map(Value::to_string).unwrap_or_default();
        outcome::message(&format!("status {}: {text} {errors}", self.status))
    }
}

/// There was no answer.
#[derive(Debug)]
pub struct Silence {
    /// Why, on one escaped line.
    pub message: String,
    /// Whether another try may help.
    pub again: bool,
}

impl Rest {
    /// Opens it; nothing is asked yet. The token goes into a header and nowhere else.
    ///
    /// # Errors
    /// The address is none, a header cannot carry the token, or a variable of the environment cannot be used.
    pub fn open(
        base: &str,
        token: Option<(&'static str, &str)>,
        headers: &[(&'static str, &str)],
        clock: Clock,
        env: Env<'_>,
    ) -> Result<Self, Error> {
        let key = match token {
            Some((variable, token)) => Some((Auth::Bearer, Secret::new(token).ok_or(Error::BadKey { variable })?)),
            None => None,
        };
        let headers = headers.iter().map(|(name, value)| (*name, Secret::any(value))).collect();
        let settings = Settings::new("", clock.now(), clock.clone());
        Ok(Self { client: Client::open(&Base::parse(base)?, "", key, headers, &settings, env)?, clock })
    }

    /// Asks once.
    ///
    /// # Errors
    /// There is no answer: no connection, no time left, or what came is too large.
    pub fn send(&self, method: Method, path: &str, body: Option<&Value>, left: Duration) -> Result<Answered, Silence> {
        let body = body.map(Value::to_string);
        let method = match method {
            Method::Get => http::Method::GET,
            Method::Post => http::Method::POST,
            Method::Patch => http::Method::PATCH,
        };
        match self.client.send(method, path, body.as_deref(), LARGEST_BODY, left) {
            Ok(reply) => Ok(self.read(&reply)),
            Err(fault) => {
                let message = outcome::message(&scrub(fault.message, self.client.secrets()));
                // One request that took too long may be one of many.
                Err(Silence { message, again: fault.again != Again::Never || fault.why == Why::Deadline })
            }
        }
    }

    fn read(&self, reply: &Reply) -> Answered {
        let asked = wait::asked(|name| reply.header(name), None, self.clock.date());
        Answered {
            status: reply.status,
            json: serde_json::from_slice(&reply.body).ok(),
            wait: asked.or_else(|| self.until_reset(reply)),
            more: reply.header("link").map(|link| link.contains("rel=\"next\"")),
        }
    }

    /// Where a limit is used up, how long until it is renewed.
    fn until_reset(&self, reply: &Reply) -> Option<Duration> {
        reply.header("x-ratelimit-remaining").filter(|left| left.trim() == "0")?;
        let reset = reply.header("x-ratelimit-reset")?.trim().parse().ok()?;
        let reset = UNIX_EPOCH.checked_add(Duration::from_secs(reset))?;
        Some(reset.duration_since(self.clock.date()).unwrap_or_default() + Duration::from_secs(1))
    }
}
