//! What a person wrote, as a tree in which every value knows where it stands: packs (YAML), configuration (TOML),
//! baselines (JSON). Reading is tolerant of nothing and reports everything at once; [`Fields`] turns nodes into types.

mod compact;
mod fields;
mod json;
mod merge;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use compact::{from_compact, to_compact};
pub use fields::Fields;
pub use json::json;
pub use merge::merge;
pub use parse::{toml, yaml};

use crate::escape;

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The file, as a person would name it.
    pub source: Arc<str>,
    /// Line from 1.
    pub line: u32,
    /// Column in characters from 1.
    pub column: u32,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", escape::visible(&self.source), self.line, self.column)
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where.
    pub at: At,
    /// What.
    pub value: Value,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`, never YAML 1.1's other words.
    Bool(bool),
    /// A number, in the digits it was written with.
    Number(String),
    /// A text.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping in the order written, keys unique.
    Map(Vec<Entry>),
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub at: At,
    /// Its value.
    pub node: Node,
}

impl Value {
    /// What it is, for messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

impl Node {
    /// The value of a key, where the node is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Takes the value of a key out of a map.
    pub fn take(&mut self, key: &str) -> Option<Self> {
        let Value::Map(entries) = &mut self.value else { return None };
        let index = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(index).node)
    }

    /// The items of a list; a single value counts as a list of one.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// The text, where the node is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as JSON; numbers keep their value, not their spelling.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(digits) => digits
                .parse::<i64>()
                .map(serde_json::Value::from)
                .or_else(|_| digits.parse::<f64>().map(serde_json::Value::from))
                .unwrap_or_else(|_| digits.clone().into()),
            Value::Text(text) => text.clone().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect(),
        }
    }
}

/// Something wrong with what a person wrote: where, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where, if it has a place.
    pub at: Option<At>,
    /// What is wrong, a lower-case fragment.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn at(at: &At, what: impl Into<String>) -> Self {
        Self { at: Some(at.clone()), what: what.into(), help: None }
    }

    /// A problem of a whole file.
    pub fn of(source: &str, what: impl Into<String>) -> Self {
        Self { at: Some(At { source: source.into(), line: 1, column: 1 }), what: what.into(), help: None }
    }

    /// With advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        f.write_str(&escape::visible(&self.what))?;
        if let Some(help) = &self.help {
            write!(f, "; {}", escape::visible(help))?;
        }
        Ok(())
    }
}

/// Advice that names the nearest of the valid words, or all of them where none is near.
pub fn nearest(word: &str, valid: &[&str]) -> String {
    let best = valid
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), *candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count() / 3);
    match best {
        Some((_, candidate)) => format!("did you mean `{candidate}`?"),
        None => format!("valid are {}", valid.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")),
    }
}
