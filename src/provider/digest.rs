//! The identity of a prompt.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Prompt;

/// SHA-256 over length-prefixed parts, in hexadecimal digits: no two lists of parts run into each other.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// What a prompt is known by, whoever answers it: system, user and schema, not the size of the answer.
pub(super) fn of_prompt(prompt: &Prompt) -> String {
    let schema = canonical(&prompt.schema.json);
    digest(&["diffsieve/prompt/v1", &prompt.system, &prompt.user, prompt.schema.name, &schema])
}

/// JSON with sorted keys and no spaces, so that the order in which a schema was built does not matter.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            let entries: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        scalar => scalar.to_string(),
    }
}
