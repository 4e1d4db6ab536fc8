//! Chat Completions, the dialect that most services speak.

use serde_json::{Value, json};

use super::outcome::{self, Again, Fault};
use super::preset::{Structure, TokensField};
use super::retry::Reading;
use super::service::{Dialect, Request, extra_fields};
use super::{Usage, Why, envelope};

pub(super) static DIALECT: Dialect =
    Dialect { path: "/chat/completions", two_token_fields: true, headers: &[], body, read };

fn body(request: &Request<'_>) -> Value {
    let mut body = json!({
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
    });
    let tokens = match request.tokens {
        TokensField::MaxTokens => "max_tokens",
        TokensField::MaxCompletionTokens => "max_completion_tokens",
    };
    body[tokens] = request.answer_tokens.into();
    if request.store {
        body["store"] = false.into();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    let (name, schema) = (request.schema.name, &request.schema.json);
    let format = match request.structure {
        Structure::Strict => {
            Some(json!({"type": "json_schema", "json_schema": {"name": name, "strict": true, "schema": schema}}))
        }
        Structure::Schema => Some(json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema}})),
        Structure::ObjectWithSchema => Some(json!({"type": "json_object", "schema": schema})),
        Structure::Object => Some(json!({"type": "json_object"})),
        Structure::Prompt => None,
    };
    if let Some(format) = format {
        body["response_format"] = format;
    }
    for (key, value) in extra_fields(request.extra) {
        body[key.as_str()] = value;
    }
    body
}

fn read(envelope: &Value) -> Result<Reading, Fault> {
    let usage = Usage {
        prompt_tokens: envelope::count(envelope, "/usage/prompt_tokens"),
        completion_tokens: envelope::count(envelope, "/usage/completion_tokens"),
        cached_tokens: envelope::count(envelope, "/usage/prompt_tokens_details/cached_tokens")
            .max(envelope::count(envelope, "/usage/prompt_cache_hit_tokens")),
    };
    choice(envelope).map(|text| Reading { text, usage }).map_err(|fault| fault.with_usage(usage))
}

fn choice(envelope: &Value) -> Result<String, Fault> {
    let malfunction = |what: &str| Fault::new(Why::Malfunction, Again::Once, what);
    let choice = envelope.pointer("/choices/0").ok_or_else(|| malfunction("the answer has no choices"))?;
    if choice.get("error").is_some_and(|error| !error.is_null()) {
        return Err(outcome::of_success(choice));
    }
    if let Some(refusal) = envelope::text(choice, "/message/refusal").filter(|text| !text.is_empty()) {
        return Err(Fault::new(Why::Refused, Again::Never, format!("the model declined: {refusal}")));
    }
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("stop") => {}
        Some("length" | "model_length") => {
            return Err(Fault::new(Why::Truncated, Again::Larger, "the answer stopped at its token limit"));
        }
        Some("content_filter") => {
            return Err(Fault::new(Why::Refused, Again::Never, "a content filter stopped the answer"));
        }
        Some(reason @ ("tool_calls" | "function_call" | "error" | "insufficient_system_resource")) => {
            return Err(malfunction(&format!("the answer ended with `{reason}`")));
        }
        Some(reason) => {
            let what = format!("the answer ended with `{reason}`, which is not known");
            return Err(Fault::new(Why::UnknownOutcome, Again::Never, what));
        }
        None => {
            return Err(Fault::new(Why::UnknownOutcome, Again::Never, "the answer does not say why it ended"));
        }
    }
    let text = match choice.pointer("/message/content") {
        Some(Value::String(text)) => text.clone(),
        // Mistral's reasoning models: parts, of which only the text is the answer.
        Some(Value::Array(parts)) => parts
            .iter()
            .filter(|part| envelope::text(part, "/type") == Some("text"))
            .filter_map(|part| envelope::text(part, "/text"))
            .collect(),
        _ => return Err(malfunction("the answer has no content")),
    };
    if text.trim().is_empty() { Err(malfunction("the answer is empty")) } else { Ok(text) }
}
