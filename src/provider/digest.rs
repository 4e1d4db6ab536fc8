//! The identity of a prompt.

use serde_json::Value;

use super::Prompt;
use crate::digest::Hash;

/// SHA-256 over length-prefixed parts, in hexadecimal digits: no two lists of parts run into each other.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut hash = Hash::new();
    parts.iter().for_each(|part| hash.part(part.as_bytes()));
    hash.digits()
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
