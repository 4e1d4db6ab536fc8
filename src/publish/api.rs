//! Requests to GitHub: at most one write a second, waits as long as the service asks, one deadline for everything.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::provider::Clock;
use crate::provider::rest::{Answered, Method, Rest};

/// Between two writes, as GitHub asks.
const BETWEEN_WRITES: Duration = Duration::from_secs(1);
/// Where GitHub limits without saying for how long: a minute at least, longer each time.
const LIMITED: Duration = Duration::from_secs(60);
/// Longest single wait.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Tries of one request.
const TRIES: u32 = 4;
/// One request; the deadline is for all.
const REQUEST: Duration = Duration::from_secs(60);
/// Pages of a hundred. GitHub lists 3,000 files at most; more comments than this nobody reads.
const PAGES: u32 = 60;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    /// What kind.
    pub(super) kind: Kind,
    /// What the service says, on one escaped line.
    pub(super) message: String,
}

/// What can be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The token may not do this, or what it is about is not there.
    Denied,
    /// The service understood the request and does not want it.
    Refused,
    /// No time is left, or the service does not work.
    Stuck,
    /// A write of which nobody knows whether it was done.
    Unclear,
}

/// A write, so that it can be shown instead of sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Write {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Value,
}

/// The service, and the time there is.
pub(super) struct Api {
    rest: Rest,
    clock: Clock,
    deadline: Instant,
    /// What stands in front of every REST path.
    prefix: String,
    graphql: String,
    last_write: Cell<Option<Instant>>,
}

impl Api {
    /// `prefix` is the path of the REST API: empty, or `/api/v3` of an own server, which has GraphQL beside it.
    pub(super) fn new(rest: Rest, clock: Clock, deadline: Instant, prefix: &str) -> Self {
        let graphql = prefix.strip_suffix("/v3").unwrap_or(prefix);
        Self {
            rest,
            clock,
            deadline,
            prefix: prefix.to_owned(),
            graphql: format!("{graphql}/graphql"),
            last_write: Cell::new(None),
        }
    }

    /// Reads, several times if need be.
    pub(super) fn get(&self, path: &str) -> Result<Value, Trouble> {
        let answer = self.persist(Method::Get, &format!("{}{path}", self.prefix), None, false)?;
        self.json(answer)
    }

    /// Reads one object that may not be there.
    pub(super) fn find(&self, path: &str) -> Result<Option<Value>, Trouble> {
        let answer = self.persist(Method::Get, &format!("{}{path}", self.prefix), None, false)?;
        if answer.status == 404 { Ok(None) } else { self.json(answer).map(Some) }
    }

    /// Reads every page of a list.
    pub(super) fn list(&self, path: &str) -> Result<Vec<Value>, Trouble> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let path = format!("{}{path}?per_page=100&page={page}", self.prefix);
            let answer = self.persist(Method::Get, &path, None, false)?;
            let more = answer.more;
            let Value::Array(mut items) = self.json(answer)? else { return Err(no_shape()) };
            let is_full = items.len() >= 100;
            all.append(&mut items);
            if !more.unwrap_or(is_full) {
                return Ok(all);
            }
        }
        Err(Trouble { kind: Kind::Stuck, message: format!("a list has more than {PAGES} pages of 100") })
    }

    /// Reads or changes by GraphQL; what is asked must bear to be asked twice. `write` keeps the distance of writes.
    pub(super) fn graphql(&self, query: &str, variables: &Value, write: bool) -> Result<Value, Trouble> {
        let body = graphql_body(query, variables);
        let answer = self.persist(Method::Post, &self.graphql, Some(&body), write)?;
        let json = self.json(answer)?;
        let Some(error) = json.pointer("/errors/0") else {
            return json.get("data").cloned().ok_or_else(no_shape);
        };
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let denied = matches!(text("type"), "FORBIDDEN" | "NOT_FOUND" | "INSUFFICIENT_SCOPES");
        let kind = if denied { Kind::Denied } else { Kind::Refused };
        Err(Trouble { kind, message: crate::escape::visible(&text("message").chars().take(300).collect::<String>()) })
    }

    /// The write of a GraphQL mutation, to be shown.
    pub(super) fn mutation(&self, query: &str, variables: &Value) -> Write {
        Write { method: Method::Post, path: self.graphql.clone(), body: graphql_body(query, variables) }
    }

    /// Writes something new, once. Only a refusal because of a limit is tried again: then nothing was done.
    pub(super) fn create(&self, write: &Write) -> Result<Value, Trouble> {
        let path = format!("{}{}", self.prefix, write.path);
        for turn in 0..TRIES {
            self.pace();
            let answer = match self.rest.send(write.method, &path, Some(&write.body), self.left()?) {
                Ok(answer) => answer,
                Err(silence) => return Err(Trouble { kind: Kind::Unclear, message: silence.message }),
            };
            if is_limited(&answer) {
                self.wait(answer.wait.unwrap_or(LIMITED * 2_u32.pow(turn)), &answer.message())?;
                continue;
            }
            if answer.status >= 500 {
                return Err(Trouble { kind: Kind::Unclear, message: answer.message() });
            }
            return self.json(answer);
        }
        Err(Trouble { kind: Kind::Stuck, message: "the service limits its use and did not stop".to_owned() })
    }

    /// Writes over something, again where it is unclear whether that was done: the result is the same.
    pub(super) fn change(&self, write: &Write) -> Result<Value, Trouble> {
        let path = format!("{}{}", self.prefix, write.path);
        let answer = self.persist(write.method, &path, Some(&write.body), true)?;
        self.json(answer)
    }

    /// Lets time pass before somebody looks whether an unclear write was done.
    pub(super) fn settle(&self, turn: u32) -> Result<(), Trouble> {
        self.wait(Duration::from_secs(2 << turn.min(4)), "it is unclear whether a comment was made")
    }

    /// Asks until there is an answer that is none of the passing kind.
    fn persist(&self, method: Method, path: &str, body: Option<&Value>, write: bool) -> Result<Answered, Trouble> {
        let mut last = String::new();
        for turn in 0..TRIES {
            if write {
                self.pace();
            }
            let pause = match self.rest.send(method, path, body, self.left()?) {
                Ok(answer) if is_limited(&answer) => {
                    last = answer.message();
                    answer.wait.unwrap_or(LIMITED * 2_u32.pow(turn))
                }
                Ok(answer) if answer.status >= 500 => {
                    last = answer.message();
                    answer.wait.unwrap_or(Duration::from_secs(1 << turn))
                }
                Ok(answer) => return Ok(answer),
                Err(silence) if silence.again => {
                    last = silence.message;
                    Duration::from_secs(1 << turn)
                }
                Err(silence) => return Err(Trouble { kind: Kind::Stuck, message: silence.message }),
            };
            if turn + 1 < TRIES {
                self.wait(pause, &last)?;
            }
        }
        Err(Trouble { kind: Kind::Stuck, message: last })
    }

    fn json(&self, answer: Answered) -> Result<Value, Trouble> {
        let kind = match answer.status {
            200..=299 => return answer.json.ok_or_else(no_shape),
            // Moved: another repository than the one that was named is not followed.
            301 | 302 | 307 | 308 | 401 | 403 | 404 | 410 => Kind::Denied,
            _ => Kind::Refused,
        };
        Err(Trouble { kind, message: answer.message() })
    }

    fn left(&self) -> Result<Duration, Trouble> {
        let left = self.clock.left(self.deadline).ok_or_else(|| stuck("no time is left"))?;
        Ok(left.min(REQUEST))
    }

    fn pace(&self) {
        let now = self.clock.now();
        if let Some(wait) = self.last_write.get().and_then(|last| (last + BETWEEN_WRITES).checked_duration_since(now)) {
            self.clock.sleep(wait);
        }
        self.last_write.set(Some(self.clock.now()));
    }

    fn wait(&self, wait: Duration, why: &str) -> Result<(), Trouble> {
        if wait > LONGEST_WAIT || self.clock.left(self.deadline).is_none_or(|left| left <= wait) {
            return Err(stuck(&format!("{why} (no time is left to wait {} s)", wait.as_secs())));
        }
        self.clock.sleep(wait);
        Ok(())
    }
}

fn graphql_body(query: &str, variables: &Value) -> Value {
    json!({"query": query, "variables": variables})
}

fn stuck(message: &str) -> Trouble {
    Trouble { kind: Kind::Stuck, message: message.to_owned() }
}

fn no_shape() -> Trouble {
    stuck("the answer is not of the shape that the service documents")
}

/// Whether a refusal is because of a limit: a 403 can be either.
fn is_limited(answer: &Answered) -> bool {
    let says = |words: &str| answer.message().to_lowercase().contains(words);
    answer.status == 429
        || answer.status == 403 && (answer.wait.is_some() || says("rate limit") || says("abuse detection"))
}
