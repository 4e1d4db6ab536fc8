//! Anthropic's Messages.

use serde_json::{Value, json};

use super::outcome::{Again, Fault};
use super::retry::Reading;
use super::service::{Dialect, Request};
use super::{Usage, Why, envelope};

/// The version of 2023 is the one that every server of this dialect speaks; the request is valid under the next one too.
pub(super) static DIALECT: Dialect = Dialect {
    path: "/v1/messages",
    two_token_fields: false,
    headers: &[("anthropic-version", "2023-06-01")],
    body,
    read,
};

fn body(request: &Request<'_>) -> Value {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.answer_tokens,
        "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": request.user}],
    });
    if request.structure.carries_schema() {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": request.schema.json}});
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    body
}

fn read(envelope: &Value) -> Result<Reading, Fault> {
    let cached = envelope::count(envelope, "/usage/cache_read_input_tokens");
    let written = envelope::count(envelope, "/usage/cache_creation_input_tokens");
    let usage = Usage {
        prompt_tokens: envelope::count(envelope, "/usage/input_tokens").saturating_add(cached).saturating_add(written),
        completion_tokens: envelope::count(envelope, "/usage/output_tokens"),
        cached_tokens: cached,
    };
    text(envelope).map(|text| Reading { text, usage }).map_err(|fault| fault.with_usage(usage))
}

fn text(envelope: &Value) -> Result<String, Fault> {
    let malfunction = |what: &str| Fault::new(Why::Malfunction, Again::Once, what);
    match envelope::text(envelope, "/stop_reason") {
        Some("end_turn") => {}
        Some("max_tokens") => {
            return Err(Fault::new(Why::Truncated, Again::Larger, "the answer stopped at its token limit"));
        }
        Some(reason @ ("model_context_window_exceeded" | "pause_turn")) => {
            let what = format!("the answer is not whole: `{reason}`");
            return Err(Fault::new(Why::Truncated, Again::Never, what));
        }
        Some("refusal") => {
            let category = envelope::text(envelope, "/stop_details/category").unwrap_or("no category");
            let what = format!("the model declined ({category})");
            return Err(Fault::new(Why::Refused, Again::Never, what));
        }
        Some("tool_use") => return Err(malfunction("the model called a tool that it was not given")),
        Some(reason) => {
            let what = format!("the answer ended with `{reason}`, which is not known");
            return Err(Fault::new(Why::UnknownOutcome, Again::Never, what));
        }
        None if envelope.get("content").is_none() => return Err(malfunction("the answer has no content")),
        None => {
            return Err(Fault::new(Why::UnknownOutcome, Again::Never, "the answer does not say why it ended"));
        }
    }
    let Some(Value::Array(blocks)) = envelope.get("content") else {
        return Err(malfunction("the answer has no content"));
    };
    let text: String = blocks
        .iter()
        .filter(|block| envelope::text(block, "/type") == Some("text"))
        .filter_map(|block| envelope::text(block, "/text"))
        .collect();
    if text.trim().is_empty() { Err(malfunction("the answer is empty")) } else { Ok(text) }
}
