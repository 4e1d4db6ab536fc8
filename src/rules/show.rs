//! A tag for a person: its settings as YAML, each with the place it comes from.

use std::fmt::Write as _;

use super::tag::Tag;
use crate::document::{Node, Value};
use crate::syntax::Language;

/// Prints a tag. `resolved` adds the origin of every value.
pub fn show(tag: &Tag, language: Option<Language>, resolved: bool) -> String {
    let node = language.and_then(|language| tag.merged_by_language.get(&language)).unwrap_or(&tag.merged);
    let kind: Vec<String> =
        tag.for_language(language).kind.known().map(|(axis, name)| format!("; {axis} {name}")).collect();
    let mut text = format!("{}:  # pack {}{}\n", tag.name, tag.pack, kind.concat());
    children(node, 1, resolved, &mut text);
    text
}

fn children(node: &Node, depth: usize, resolved: bool, out: &mut String) {
    match &node.value {
        Value::Map(entries) => {
            for entry in entries {
                indent(depth, out);
                let _ = write!(out, "{}:", entry.key);
                value(&entry.node, depth, resolved, out);
            }
        }
        Value::List(items) => {
            for item in items {
                indent(depth, out);
                out.push('-');
                value(item, depth, resolved, out);
            }
        }
        _ => {}
    }
}

fn value(node: &Node, depth: usize, resolved: bool, out: &mut String) {
    let scalar = match &node.value {
        Value::Map(entries) if !entries.is_empty() => None,
        Value::List(items) if !items.is_empty() => None,
        Value::Map(_) => Some("{}".to_owned()),
        Value::List(_) => Some("[]".to_owned()),
        Value::Null => Some("null".to_owned()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(digits) => Some(digits.clone()),
        Value::Text(text) => Some(serde_json::Value::from(text.as_str()).to_string()),
    };
    let nested = scalar.is_none();
    if let Some(scalar) = scalar {
        let _ = write!(out, " {scalar}");
        if resolved {
            let _ = write!(out, "  # {}", node.at);
        }
    }
    out.push('\n');
    if nested {
        children(node, depth + 1, resolved, out);
    }
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}
