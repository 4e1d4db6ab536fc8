//! What a server's refusal means: which [`Why`] it is, and whether asking again can help.

use std::time::Duration;

use serde_json::Value;

use super::envelope;
use super::{Usage, Why};
use crate::escape;

/// Most characters of a message.
const LONGEST_MESSAGE: usize = 300;

/// One failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) why: Why,
    /// As it came: escaped and cut where it becomes a [`super::NoAnswer`].
    pub(super) message: String,
    pub(super) again: Again,
    pub(super) usage: Usage,
}

/// What the next attempt would have to do to be worth making.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Again {
    Never,
    /// Wait, as long as the server says or longer each time.
    Later(Option<Duration>),
    /// Once more, the same.
    Once,
    /// Once more, with the schema spelt out in the prompt.
    Explained,
    /// Once more, with room for a longer answer.
    Larger,
    /// Without a field of the request, remembered for the run.
    Without(Field),
}

/// A field that some services refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// `response_format`, `output_config`, `format`: a step down the ladder.
    Structure,
    Temperature,
    /// `max_tokens` for `max_completion_tokens` or the other way round.
    AnswerTokens,
    Store,
}

impl Fault {
    pub(super) fn new(why: Why, again: Again, message: impl Into<String>) -> Self {
        Self { why, message: message.into(), again, usage: Usage::default() }
    }

    pub(super) fn with_usage(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }
}

/// One escaped line of at most 300 characters.
pub(super) fn message(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = escape::visible(&words);
    match shown.char_indices().nth(LONGEST_MESSAGE) {
        Some(_) => shown.chars().take(LONGEST_MESSAGE - 1).chain(['…']).collect(),
        None => shown,
    }
}

/// An error as services write it: `error` an object or a text, in a list of one, or none of that.
pub(super) struct Complaint {
    /// Everything that names a reason (`code`, `type`, `status`, `details`), in lower case.
    codes: String,
    /// For people.
    message: String,
    /// The request field it complains of.
    field: String,
    /// A status inside the body.
    pub(super) status: Option<u16>,
    /// How long to wait, where the body says it (Gemini's `RetryInfo`).
    pub(super) delay: Option<String>,
}

impl Complaint {
    /// Reads the body of an error. Anything at all is a complaint.
    pub(super) fn of(body: &[u8]) -> Self {
        match envelope::parse(body) {
            Ok(value) => Self::of_value(&value),
            Err(_) => Self::of_text(&String::from_utf8_lossy(body)),
        }
    }

    fn of_text(text: &str) -> Self {
        Self { codes: String::new(), message: text.to_owned(), field: String::new(), status: None, delay: None }
    }

    /// Reads an envelope that holds an error.
    pub(super) fn of_value(value: &Value) -> Self {
        let value = match value {
            Value::Array(items) if items.len() == 1 => &items[0],
            value => value,
        };
        let error = match value.get("error") {
            Some(error) if !error.is_null() => error,
            _ => value,
        };
        let Value::Object(map) = error else { return Self::of_text(&scalar(error)) };
        let mut codes: Vec<String> = Vec::new();
        for pointer in ["/code", "/type", "/status", "/innererror/code", "/details/error_code", "/reason"] {
            codes.extend(error.pointer(pointer).map(|code| scalar(code).to_lowercase()));
        }
        let details = error.get("details").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        codes.extend(details.iter().filter_map(|detail| Some(detail.get("reason")?.as_str()?.to_lowercase())));
        let message = ["message", "detail", "msg"].iter().find_map(|key| map.get(*key)).map_or_else(
            || error.to_string(),
            |message| match envelope::text(error, "/metadata/raw") {
                // OpenRouter: the words of the service behind it.
                Some(raw) => format!("{}: {raw}", scalar(message)),
                None => scalar(message),
            },
        );
        Self {
            codes: codes.join(" "),
            message,
            field: error.get("param").map(scalar).unwrap_or_default(),
            status: error.get("code").map(scalar).and_then(|code| code.parse().ok()),
            delay: details.iter().find_map(|detail| envelope::text(detail, "/retryDelay")).map(str::to_owned),
        }
    }

    /// Whether any of these phrases is in its codes or its message.
    fn says(&self, phrases: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        phrases.iter().any(|phrase| self.codes.contains(phrase) || message.contains(phrase))
    }

    fn is_one_of(&self, codes: &[&str]) -> bool {
        self.codes.split_whitespace().any(|code| codes.contains(&code))
    }

    /// The field of the request that it does not take. A schema that is wrong in itself is no such case: it would be
    /// wrong again.
    fn refused_field(&self) -> Option<Field> {
        const BAD_SCHEMA: &[&str] = &["invalid schema", "invalid json schema", "schema is too complex"];
        const NOT_TAKEN: &[&str] = &[
            "unsupported",
            "not support",
            "unrecognized",
            "unknown",
            "unexpected",
            "extra",
            "not permitted",
            "not allowed",
            "deprecated",
            "cannot find",
            "instead",
        ];
        let names = |fields: &[&str]| fields.iter().any(|field| self.names(field));
        if names(&["max_tokens", "max_completion_tokens"]) {
            return self.says(NOT_TAKEN).then_some(Field::AnswerTokens);
        }
        if names(&["temperature"]) {
            return Some(Field::Temperature);
        }
        if self.field == "store" || (self.quotes("store") && self.says(NOT_TAKEN)) {
            return Some(Field::Store);
        }
        let structure = names(&["response_format", "output_config", "json_schema", "json_object"])
            || (self.says(&["format"]) && self.says(&["structured output", "invalid format"]));
        (structure && !self.says(BAD_SCHEMA)).then_some(Field::Structure)
    }

    /// Whether it speaks of a field by its whole name.
    fn names(&self, field: &str) -> bool {
        let whole = |text: &str| {
            text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
                .any(|word| word == field)
        };
        whole(&self.field) || whole(&self.message)
    }

    /// As [`Self::names`] for a name that is also an English word.
    fn quotes(&self, field: &str) -> bool {
        ["\"", "'", "`"].iter().any(|mark| self.message.contains(&format!("{mark}{field}{mark}")))
            || self.message.trim_end().ends_with(&format!(": {field}"))
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

const EXHAUSTED: &[&str] = &[
    "insufficient_quota",
    "enforced_spend_limit_reached",
    "billing_error",
    "billing_hard_limit_reached",
    "credit balance",
    "spend limit",
    "spending limit",
    "spending cap",
    "budget_exceeded",
    "budget has been exceeded",
    "exceeded budget",
    "insufficient balance",
    "insufficient credits",
];
const TOO_LARGE: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "request_too_large",
    "prompt is too long",
    "context length",
    "context window",
    "input is too long",
    "input length exceeds",
    "exceeds the available context size",
    "prompt too long",
    "input token count",
    "request too large",
];
const REFUSED: &[&str] = &["content_filter", "responsibleaipolicyviolation", "content_policy_violation", "was flagged"];
/// The model wrote what its server's own parser cannot read: Groq with a 400, llama.cpp with a 500.
const MALFORMED: &[&str] = &["json_validate_failed", "the model produced output that does not match"];
const NO_ACCESS: &[&str] = &["invalid_api_key", "api_key_invalid", "api key not valid", "no_db_connection"];

/// What an error inside a success means: the same as outside, but asked again once at most.
pub(super) fn of_success(envelope: &Value) -> Fault {
    let complaint = Complaint::of_value(envelope);
    let status = complaint.status.filter(|status| (400..600).contains(status));
    let overload = complaint.is_one_of(&["overloaded_error", "rate_limit_error", "rate_limit_exceeded"]);
    let mut fault = match status {
        Some(status) => of_status(status, &complaint, None),
        None => known(&complaint)
            .unwrap_or_else(|| Fault::new(if overload { Why::Unavailable } else { Why::Malfunction }, Again::Once, "")),
    };
    if matches!(fault.again, Again::Later(_)) {
        fault.again = Again::Once;
    }
    fault.message = format!("an error inside a success: {}", complaint.message);
    fault
}

/// What an error of this status means. `wait` is what the server asks for.
pub(super) fn of_status(status: u16, complaint: &Complaint, wait: Option<Duration>) -> Fault {
    let (why, again) = match (known(complaint), status) {
        (Some(fault), _) => (fault.why, fault.again),
        (None, 401 | 403) => (Why::Unauthorised, Again::Never),
        (None, 402) => (Why::Exhausted, Again::Never),
        (None, 413) => (Why::TooLarge, Again::Never),
        (None, 408 | 409 | 429) => (Why::Unavailable, Again::Later(wait)),
        (None, 424) => (Why::Malfunction, Again::Once),
        (None, 400 | 422 | 500) if complaint.refused_field().is_some() => {
            let field = complaint.refused_field().map_or(Again::Never, Again::Without);
            (Why::Rejected, field)
        }
        (None, 500..) => (Why::Unavailable, Again::Later(wait)),
        (None, _) => (Why::Rejected, Again::Never),
    };
    let words = complaint.message.trim();
    let message = if words.is_empty() { format!("status {status}") } else { format!("status {status}: {words}") };
    Fault::new(why, again, message)
}

/// Reasons that a body names, whatever the status.
fn known(complaint: &Complaint) -> Option<Fault> {
    let (why, again) = if complaint.says(EXHAUSTED) {
        (Why::Exhausted, Again::Never)
    } else if complaint.says(TOO_LARGE) {
        (Why::TooLarge, Again::Never)
    } else if complaint.says(REFUSED) {
        (Why::Refused, Again::Never)
    } else if complaint.says(NO_ACCESS) || complaint.is_one_of(&["authentication_error", "permission_error"]) {
        (Why::Unauthorised, Again::Never)
    } else if complaint.says(MALFORMED) {
        (Why::Malfunction, Again::Once)
    } else {
        return None;
    };
    Some(Fault::new(why, again, ""))
}
