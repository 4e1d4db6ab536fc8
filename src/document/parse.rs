//! YAML and TOML into [`Node`]s.

use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::{Location, Spanned};

use super::{At, Entry, Node, Problem, Value};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 32;
/// Most values in one file, aliases counted where they are used.
const MAX_NODES: usize = 50_000;
/// Most aliases in one file.
const MAX_ALIASES: usize = 100;
/// Largest file, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Reads YAML 1.2: duplicate keys, YAML 1.1 booleans, merge keys, custom tags and several documents are refused, and so
/// is whatever would make a small file large.
pub fn yaml(source: &str, text: &str) -> Result<Node, Problem> {
    let name: Arc<str> = source.into();
    check_size(source, text)?;
    let options = serde_yaml::options! {
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
        merge_keys: serde_yaml::MergeKeyPolicy::AsOrdinary,
        budget: serde_yaml::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES, max_aliases: MAX_ALIASES },
    };
    match serde_yaml::from_str_with_options::<Spanned<Raw>>(text, options) {
        Ok(raw) => Ok(Builder { name, text }.node(raw)),
        Err(error) => {
            let location = error.location().unwrap_or(Location::UNKNOWN);
            let at = At { source: name, line: number(location.line()), column: number(location.column()) };
            Err(Problem::at(&at, first_sentence(&error.to_string())))
        }
    }
}

/// Reads TOML 1.0.
pub fn toml(source: &str, text: &str) -> Result<Node, Problem> {
    let name: Arc<str> = source.into();
    check_size(source, text)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = LineStarts::of(text);
    match toml::de::DeTable::parse(text) {
        Ok(table) => {
            let at = lines.at(&name, table.span().start);
            Ok(Node { at, value: toml_table(table.into_inner(), &name, &lines) })
        }
        Err(error) => {
            let at = lines.at(&name, error.span().map_or(0, |span| span.start));
            Err(Problem::at(&at, error.message().to_owned()))
        }
    }
}

fn check_size(source: &str, text: &str) -> Result<(), Problem> {
    if text.len() > MAX_BYTES {
        return Err(Problem::of(source, format!("the file has {} bytes, more than {MAX_BYTES}", text.len())));
    }
    Ok(())
}

/// The parser's message without its own location and without the snippet, which we print ourselves.
fn first_sentence(message: &str) -> String {
    let line = message.lines().next().unwrap_or(message);
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = match line.strip_prefix("line ") {
        Some(rest) => rest.split_once(": ").map_or(line, |(_, what)| what),
        None => line,
    };
    line.split(" at line ").next().unwrap_or(line).to_owned()
}

fn number(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX).max(1)
}

/// What the YAML parser gives, before plain scalars are read back from the source in their own spelling.
enum Raw {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Spanned<Self>>),
    Map(Vec<(Spanned<String>, Spanned<Self>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

struct Builder<'a> {
    name: Arc<str>,
    text: &'a str,
}

impl Builder<'_> {
    fn at(&self, location: Location) -> At {
        At { source: self.name.clone(), line: number(location.line()), column: number(location.column()) }
    }

    fn node(&self, raw: Spanned<Raw>) -> Node {
        let value = match raw.value {
            Raw::Null => Value::Null,
            Raw::Bool(value) => Value::Bool(value),
            Raw::Number(digits) => Value::Number(self.spelling(raw.defined).unwrap_or(digits)),
            Raw::Text(text) => Value::Text(text),
            Raw::List(items) => Value::List(items.into_iter().map(|item| self.node(item)).collect()),
            Raw::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| Entry { at: self.at(key.referenced), key: key.value, node: self.node(value) })
                    .collect(),
            ),
        };
        Node { at: self.at(raw.referenced), value }
    }

    /// The scalar as written, so that `1.10` stays `1.10`.
    fn spelling(&self, location: Location) -> Option<String> {
        let span = location.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let len = usize::try_from(span.byte_len()?).ok()?;
        let text = self.text.get(start..start.checked_add(len)?)?.trim();
        text.parse::<f64>().is_ok().then(|| text.to_owned())
    }
}

struct LineStarts<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineStarts<'a> {
    fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        Self { text, starts }
    }

    fn at(&self, name: &Arc<str>, offset: usize) -> At {
        let index = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let column = self.text.get(self.starts[index]..offset).map_or(0, |before| before.chars().count());
        At { source: name.clone(), line: index as u32 + 1, column: column as u32 + 1 }
    }
}

fn toml_table(table: toml::de::DeTable<'_>, name: &Arc<str>, lines: &LineStarts<'_>) -> Value {
    let mut entries: Vec<_> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    Value::Map(
        entries
            .into_iter()
            .map(|(key, value)| Entry {
                at: lines.at(name, key.span().start),
                key: key.into_inner().into_owned(),
                node: toml_node(value, name, lines),
            })
            .collect(),
    )
}

fn toml_node(value: toml::Spanned<toml::de::DeValue<'_>>, name: &Arc<str>, lines: &LineStarts<'_>) -> Node {
    use toml::de::DeValue;
    let at = lines.at(name, value.span().start);
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(digits) if digits.radix() == 10 => Value::Number(digits.as_str().replace('_', "")),
        DeValue::Integer(digits) => match i64::from_str_radix(&digits.as_str().replace('_', ""), digits.radix()) {
            Ok(number) => Value::Number(number.to_string()),
            Err(_) => Value::Text(digits.as_str().to_owned()),
        },
        DeValue::Float(digits) => Value::Number(digits.as_str().replace('_', "")),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(|item| toml_node(item, name, lines)).collect()),
        DeValue::Table(table) => toml_table(table, name, lines),
    };
    Node { at, value }
}
