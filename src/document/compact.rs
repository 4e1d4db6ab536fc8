//! Nodes as JSON with their places, so that what is embedded is parsed once, when the program is built, and not at every
//! start. A node is `[line, column, value]`; a list is `{"list": [node…]}`, a map `{"map": [[key, line, column, node]…]}`,
//! a number `{"number": "1.10"}`.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{At, Entry, Node, Value};

/// Writes a node.
pub fn to_compact(node: &Node) -> Json {
    let value = match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(digits) => json!({"number": digits}),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => json!({"list": items.iter().map(to_compact).collect::<Vec<_>>()}),
        Value::Map(entries) => {
            let entry = |entry: &Entry| json!([entry.key, entry.at.line, entry.at.column, to_compact(&entry.node)]);
            json!({"map": entries.iter().map(entry).collect::<Vec<_>>()})
        }
    };
    json!([node.at.line, node.at.column, value])
}

/// Reads what [`to_compact`] wrote; `None` of anything else.
pub fn from_compact(source: &Arc<str>, json: Json) -> Option<Node> {
    let Json::Array(parts) = json else { return None };
    let [line, column, value] = <[Json; 3]>::try_from(parts).ok()?;
    let value = match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::String(text) => Value::Text(text),
        Json::Object(object) => match object.into_iter().next()? {
            (kind, Json::String(digits)) if kind == "number" => Value::Number(digits),
            (kind, Json::Array(items)) if kind == "list" => {
                Value::List(items.into_iter().map(|item| from_compact(source, item)).collect::<Option<_>>()?)
            }
            (kind, Json::Array(items)) if kind == "map" => {
                Value::Map(items.into_iter().map(|item| entry(source, item)).collect::<Option<_>>()?)
            }
            _ => return None,
        },
        Json::Number(_) | Json::Array(_) => return None,
    };
    Some(Node { at: at(source, &line, &column)?, value })
}

fn entry(source: &Arc<str>, json: Json) -> Option<Entry> {
    let Json::Array(parts) = json else { return None };
    let [key, line, column, node] = <[Json; 4]>::try_from(parts).ok()?;
    let Json::String(key) = key else { return None };
    Some(Entry { key, at: at(source, &line, &column)?, node: from_compact(source, node)? })
}

fn at(source: &Arc<str>, line: &Json, column: &Json) -> Option<At> {
    let number = |json: &Json| json.as_u64().and_then(|number| u32::try_from(number).ok());
    Some(At { source: source.clone(), line: number(line)?, column: number(column)? })
}
