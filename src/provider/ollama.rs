//! Ollama's own `/api/chat`. Its Chat Completions cannot forbid that messages which do not fit are dropped silently.

use serde_json::{Value, json};

use super::outcome::{Again, Fault};
use super::preset::Structure;
use super::retry::Reading;
use super::service::{Dialect, Request};
use super::{Usage, Why, envelope};

pub(super) static DIALECT: Dialect = Dialect { path: "/api/chat", two_token_fields: false, headers: &[], body, read };

/// Room for prompt and answer unless set. One size for all requests: another one loads the model anew.
const CONTEXT: u32 = 32_768;

fn body(request: &Request<'_>) -> Value {
    let mut options = json!({
        "num_ctx": request.context_tokens.unwrap_or_else(|| room(request)),
        "num_predict": request.answer_tokens,
    });
    if let Some(temperature) = request.temperature {
        options["temperature"] = temperature.into();
    }
    let mut body = json!({
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "stream": false,
        "truncate": false,
        "shift": false,
        "options": options,
    });
    match request.structure {
        Structure::Strict | Structure::Schema | Structure::ObjectWithSchema => {
            body["format"] = request.schema.json.clone();
        }
        Structure::Object => body["format"] = "json".into(),
        Structure::Prompt => {}
    }
    body
}

/// The usual room, doubled until the request fits at two bytes a token (dense code has about three).
fn room(request: &Request<'_>) -> u32 {
    let bytes = request.system.len() + request.user.len();
    let needed = u32::try_from(bytes / 2).unwrap_or(u32::MAX).saturating_add(request.answer_tokens);
    let mut room = CONTEXT;
    while room < needed && room < 1 << 20 {
        room *= 2;
    }
    room
}

fn read(envelope: &Value) -> Result<Reading, Fault> {
    let usage = Usage {
        prompt_tokens: envelope::count(envelope, "/prompt_eval_count"),
        completion_tokens: envelope::count(envelope, "/eval_count"),
        cached_tokens: 0,
    };
    text(envelope).map(|text| Reading { text, usage }).map_err(|fault| fault.with_usage(usage))
}

fn text(envelope: &Value) -> Result<String, Fault> {
    let malfunction = |what: &str| Fault::new(Why::Malfunction, Again::Once, what);
    if envelope.get("done") != Some(&Value::Bool(true)) {
        return Err(malfunction("the answer is not finished"));
    }
    match envelope::text(envelope, "/done_reason") {
        Some("stop") => {}
        Some("length") => {
            return Err(Fault::new(Why::Truncated, Again::Larger, "the answer stopped at its token limit"));
        }
        Some(reason) => {
            let what = format!("the answer ended with `{reason}`, which is not known");
            return Err(Fault::new(Why::UnknownOutcome, Again::Never, what));
        }
        None => {
            return Err(Fault::new(Why::UnknownOutcome, Again::Never, "the answer does not say why it ended"));
        }
    }
    match envelope::text(envelope, "/message/content") {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        Some(_) => Err(malfunction("the answer is empty")),
        None => Err(malfunction("the answer has no content")),
    }
}
