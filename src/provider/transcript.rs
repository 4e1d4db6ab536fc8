//! What the known programs write: the model's text in it, or why there is none.

use serde_json::Value;

use super::outcome::{Again, Fault};
use super::retry::Reading;
use super::{Usage, Why, envelope};

fn malfunction(what: impl Into<String>) -> Fault {
    Fault::new(Why::Malfunction, Again::Once, what)
}

/// The output is the answer.
pub(super) fn plain(output: &str) -> Result<Reading, Fault> {
    if output.trim().is_empty() {
        return Err(malfunction("the program wrote nothing"));
    }
    Ok(Reading { text: output.to_owned(), usage: Usage::default() })
}

/// One object with `result` or, where the model kept to the schema, `structured_output`.
pub(super) fn claude(output: &str) -> Result<Reading, Fault> {
    let value = envelope::parse(output.as_bytes()).map_err(|_| malfunction("claude wrote no JSON"))?;
    let cached = envelope::count(&value, "/usage/cache_read_input_tokens");
    let written = envelope::count(&value, "/usage/cache_creation_input_tokens");
    let usage = Usage {
        prompt_tokens: envelope::count(&value, "/usage/input_tokens").saturating_add(cached).saturating_add(written),
        completion_tokens: envelope::count(&value, "/usage/output_tokens"),
        cached_tokens: cached,
    };
    let result = envelope::text(&value, "/result").unwrap_or_default();
    let fault = |why, again, what: &str| Err(Fault::new(why, again, what).with_usage(usage));
    match envelope::text(&value, "/stop_reason") {
        Some("refusal") => return fault(Why::Refused, Again::Never, "the model declined"),
        Some("max_tokens" | "model_context_window_exceeded") => {
            return fault(Why::Truncated, Again::Never, "the answer stopped at its token limit");
        }
        _ => {}
    }
    if value.get("is_error") != Some(&Value::Bool(false)) {
        let why = match envelope::count(&value, "/api_error_status") {
            401 | 403 => Why::Unauthorised,
            400 | 404 => Why::Rejected,
            402 => Why::Exhausted,
            413 => Why::TooLarge,
            _ => Why::Unavailable,
        };
        return fault(why, Again::Never, if result.is_empty() { "claude failed" } else { result });
    }
    match value.get("structured_output") {
        Some(Value::Object(object)) => Ok(Reading { text: Value::Object(object.clone()).to_string(), usage }),
        _ if result.trim().is_empty() => fault(Why::Malfunction, Again::Once, "claude gave no result"),
        _ => Ok(Reading { text: result.to_owned(), usage }),
    }
}

/// Events, a line each. The answer is the last message of a turn that was completed.
pub(super) fn codex(output: &str) -> Result<Reading, Fault> {
    let mut text = None;
    for event in events(output, "codex")? {
        match envelope::text(&event, "/type") {
            Some("item.completed") if envelope::text(&event, "/item/type") == Some("agent_message") => {
                text = envelope::text(&event, "/item/text").map(str::to_owned);
            }
            Some("turn.completed") => {
                let usage = Usage {
                    prompt_tokens: envelope::count(&event, "/usage/input_tokens"),
                    completion_tokens: envelope::count(&event, "/usage/output_tokens"),
                    cached_tokens: envelope::count(&event, "/usage/cached_input_tokens"),
                };
                // Codex ends a refusal like a success.
                let text = text.filter(|text| !text.trim().is_empty());
                return text
                    .map(|text| Reading { text, usage })
                    .ok_or_else(|| malfunction("codex gave no message").with_usage(usage));
            }
            Some("turn.failed") => {
                let what = envelope::text(&event, "/error/message").unwrap_or("the turn failed");
                return Err(Fault::new(Why::Unavailable, Again::Never, what));
            }
            _ => {}
        }
    }
    Err(malfunction("codex ended in the middle of its turn"))
}

/// One object with `response`, and with `error` where there is none.
pub(super) fn gemini(output: &str) -> Result<Reading, Fault> {
    let value = envelope::parse(output.as_bytes()).map_err(|_| malfunction("gemini wrote no JSON"))?;
    let count = |name: &str| match value.pointer("/stats/models") {
        Some(Value::Object(models)) => {
            models.values().map(|model| envelope::count(model, &format!("/tokens/{name}"))).fold(0, u64::saturating_add)
        }
        _ => 0,
    };
    let usage = Usage {
        prompt_tokens: count("prompt"),
        completion_tokens: count("candidates").saturating_add(count("thoughts")),
        cached_tokens: count("cached"),
    };
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        let kind = envelope::text(error, "/type").unwrap_or("an error");
        return Err(malfunction(format!("gemini reports {kind}")).with_usage(usage));
    }
    match envelope::text(&value, "/response") {
        Some(text) if !text.trim().is_empty() => Ok(Reading { text: text.to_owned(), usage }),
        _ => Err(malfunction("gemini gave no response").with_usage(usage)),
    }
}

/// Events, a line each. The answer is the last message before a result that says it went well.
pub(super) fn copilot(output: &str) -> Result<Reading, Fault> {
    let mut text = None;
    for event in events(output, "copilot")? {
        match envelope::text(&event, "/type") {
            Some("assistant.message") => text = envelope::text(&event, "/data/content").map(str::to_owned),
            Some("result") if event.get("exitCode").and_then(Value::as_i64) == Some(0) => {
                let text = text.filter(|text| !text.trim().is_empty());
                let usage = Usage::default();
                return text.map(|text| Reading { text, usage }).ok_or_else(|| malfunction("copilot gave no message"));
            }
            Some("result") => return Err(Fault::new(Why::Unavailable, Again::Never, "copilot failed")),
            _ => {}
        }
    }
    Err(malfunction("copilot ended without a result"))
}

fn events(output: &str, name: &str) -> Result<Vec<Value>, Fault> {
    let lines = output.lines().filter(|line| !line.trim().is_empty());
    let events: Result<Vec<_>, _> = lines.map(|line| envelope::parse(line.as_bytes())).collect();
    events.map_err(|_| malfunction(format!("{name} wrote a line that is no JSON")))
}
