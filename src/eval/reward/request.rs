//! Rewards over HTTP/1.1, for a trainer on the same machine: one POST a connection, JSON in and out. Strict on purpose: what
//! a trainer's client does not send is refused, and so is whatever a page in a browser of this machine could send.

use std::fmt;
use std::net::SocketAddr;

use serde::Serialize;

use super::{Begun, Error, Judge, Reward, Row, Rows, Settings};
use crate::eval::score::Number;
use crate::review::model::Unanswered;

/// Most bytes of request line and headers.
pub const HEAD: usize = 16 << 10;

/// Most bytes of a body.
pub const BODY: u64 = 16 << 20;

/// The one path.
pub const PATH: &str = "/reward";

/// Why a request gets no rewards, and how a client is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {what}")]
pub struct Refusal {
    /// Status code of HTTP.
    pub status: Status,
    /// What is wrong and what would be right.
    pub what: String,
}

/// The statuses that are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of RFC 9110")]
pub enum Status {
    Ok = 200,
    BadRequest = 400,
    Unauthorized = 401,
    Forbidden = 403,
    NotFound = 404,
    MethodNotAllowed = 405,
    RequestTimeout = 408,
    LengthRequired = 411,
    ContentTooLarge = 413,
    UnsupportedMediaType = 415,
    MisdirectedRequest = 421,
    RequestHeaderFieldsTooLarge = 431,
    ServiceUnavailable = 503,
    HttpVersionNotSupported = 505,
}

impl fmt::Display for Status {
    /// Code and words: `431 Request Header Fields Too Large`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", *self as u16)?;
        for (at, letter) in format!("{self:?}").char_indices() {
            // OK is the one that is written in capitals.
            match letter {
                'k' if *self == Self::Ok => f.write_str("K")?,
                letter if letter.is_ascii_uppercase() || at == 0 => write!(f, " {letter}")?,
                letter => write!(f, "{letter}")?,
            }
        }
        Ok(())
    }
}

impl Refusal {
    /// A refusal.
    pub fn new(status: Status, what: impl Into<String>) -> Self {
        Self { status, what: what.into() }
    }

    /// As a whole response.
    pub fn response(&self) -> Vec<u8> {
        let body = serde_json::json!({ "error": self.what }).to_string();
        response(self.status, &body)
    }
}

/// A whole response; the connection ends after it.
pub fn response(status: Status, body: &str) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// Request line and headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    method: String,
    target: String,
    /// Names in lower case.
    fields: Vec<(String, String)>,
    /// Bytes of it all, with the blank line.
    pub length: usize,
}

impl Head {
    /// Reads a head from the beginning of what has arrived; `None` while it is not all there.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, Refusal> {
        let end = bytes.windows(4).take(HEAD).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else {
            let what = || format!("request line and headers have more than {HEAD} bytes");
            let is_long = bytes.len() > HEAD;
            return if is_long { Err(Refusal::new(Status::RequestHeaderFieldsTooLarge, what())) } else { Ok(None) };
        };
        let bad = |what: &str| Refusal::new(Status::BadRequest, what);
        let text = bytes.get(..end).and_then(|head| std::str::from_utf8(head).ok());
        let text = text.ok_or_else(|| bad("the head is no UTF-8"))?;
        let mut lines = text.split("\r\n");
        let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, target, version] = first.as_slice() else {
            return Err(bad("the request line is not `METHOD TARGET VERSION`"));
        };
        if !matches!(*version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Refusal::new(Status::HttpVersionNotSupported, "speak HTTP/1.1"));
        }
        let fields = lines.map(|line| field(line).ok_or_else(|| bad("a header is not `name: value`")));
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token(method) || !is_token(target) {
            return Err(bad("the request line has characters that it may not have"));
        }
        Ok(Some(Self { method: (*method).to_owned(), target: (*target).to_owned(), fields, length: end + 4 }))
    }

    /// The one value of a header; two of it are a fault.
    fn value(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.fields.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Refusal::new(Status::BadRequest, format!("there are two headers `{name}`"))),
        }
    }

    /// Whether the client waits for a word before it sends the body.
    pub fn expects_word(&self) -> bool {
        matches!(self.value("expect"), Ok(Some(value)) if value.eq_ignore_ascii_case("100-continue"))
    }
}

/// A header: a token, a colon at once, a value of visible characters and blanks.
fn field(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_text = |byte: u8| byte == b'\t' || byte == b' ' || byte.is_ascii_graphic() || byte >= 0x80;
    let value = value.trim_matches([' ', '\t']);
    let is_sound = !name.is_empty() && name.bytes().all(is_token) && value.bytes().all(is_text);
    is_sound.then(|| (name.to_ascii_lowercase(), value.to_owned()))
}

/// Who may ask.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Where the server listens, with its real port.
    pub address: SocketAddr,
    /// What a client must send as `Authorization: Bearer …`, if anything.
    pub token: Option<String>,
}

impl Guard {
    /// How many bytes of body a request has that may be answered.
    pub fn admit(&self, head: &Head) -> Result<usize, Refusal> {
        let refuse = |status: Status, what: &str| Err(Refusal::new(status, what));
        // A page in a browser names itself, and a name that somebody points at this machine is no name of it.
        let host = head.value("host")?.unwrap_or_default();
        if !self.is_own_name(host) {
            return refuse(
                Status::MisdirectedRequest,
                "the header `Host` does not name this server's loopback address",
            );
        }
        if head.fields.iter().any(|(name, _)| name == "origin" || name.starts_with("sec-fetch-")) {
            return refuse(Status::Forbidden, "requests of web pages are not answered");
        }
        if let Some(token) = &self.token {
            let given =
                head.value("authorization")?.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
            if !is_same(given.as_bytes(), token.as_bytes()) {
                return refuse(Status::Unauthorized, "send the token as `Authorization: Bearer TOKEN`");
            }
        }
        if head.target != PATH {
            return refuse(Status::NotFound, "the one path is /reward");
        }
        if head.method != "POST" {
            return refuse(Status::MethodNotAllowed, "the one method is POST");
        }
        let kind = head.value("content-type")?.unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return refuse(Status::UnsupportedMediaType, "send `Content-Type: application/json`");
        }
        body_length(head)
    }

    fn is_own_name(&self, host: &str) -> bool {
        let (address, port) = (self.address, self.address.port());
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let own = |name: &String| host == format!("{name}:{port}") || (port == 80 && host == name);
        host == address.to_string() || names.iter().any(own)
    }
}

fn body_length(head: &Head) -> Result<usize, Refusal> {
    if head.value("transfer-encoding")?.is_some() || head.value("content-encoding")?.is_some() {
        return Err(Refusal::new(Status::LengthRequired, "send the body as it is, with `Content-Length`"));
    }
    let Some(length) = head.value("content-length")? else {
        return Err(Refusal::new(Status::LengthRequired, "send `Content-Length`"));
    };
    if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Refusal::new(Status::BadRequest, "`Content-Length` is no number"));
    }
    // More digits than a number has are more than is read.
    match length.parse::<u64>().ok().filter(|length| *length <= BODY).and_then(|length| usize::try_from(length).ok()) {
        Some(length) => Ok(length),
        None => Err(Refusal::new(Status::ContentTooLarge, format!("a body has at most {BODY} bytes"))),
    }
}

/// Looks at all of both, so that the time tells nothing of where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(differ) == 0 && one.len() == other.len()
}

/// What is answered: a reward for each completion, in their order, and how each came to be.
#[derive(Debug, Serialize)]
struct Rewards {
    rewards: Vec<Number>,
    details: Vec<Reward>,
}

/// The answer to the body of a request. What its rows leave open the judge decides; one that it does not decide about, or
/// that has no reward, leaves the batch without any.
pub fn answer(settings: &Settings, judge: Option<&Judge<'_>>, body: &[u8]) -> Result<String, Refusal> {
    let bad = |what: String| Refusal::new(Status::BadRequest, what);
    let rows: Rows = serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    let rows = rows.split().map_err(bad)?;
    let details = match judge {
        None => each(&rows, |row| settings.reward(row))?,
        Some(judge) => decided(judge, each(&rows, |row| settings.begin(row))?)?,
    };
    let rewards = Rewards { rewards: details.iter().map(|reward| reward.reward).collect(), details };
    serde_json::to_string(&rewards).map_err(|error| bad(error.to_string()))
}

/// What becomes of each row, or the first that is wrong.
fn each<T>(rows: &[Row], of: impl Fn(&Row) -> Result<T, Error>) -> Result<Vec<T>, Refusal> {
    let named =
        |(at, row)| of(row).map_err(|error| Refusal::new(Status::BadRequest, format!("completions[{at}]: {error}")));
    rows.iter().enumerate().map(named).collect()
}

fn decided(judge: &Judge<'_>, begun: Vec<Begun>) -> Result<Vec<Reward>, Refusal> {
    let outcomes = judge.rewards(begun);
    let missing = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    let named = |(at, outcome): (usize, Result<Reward, Unanswered>)| {
        outcome.map_err(|none| {
            let more = if missing > 1 { format!(" (and {} more)", missing - 1) } else { String::new() };
            let what = format!("completions[{at}]: the judge did not decide: {}: {}{more}", none.why, none.message);
            Refusal::new(Status::ServiceUnavailable, what)
        })
    };
    outcomes.into_iter().enumerate().map(named).collect()
}
