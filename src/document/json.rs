//! JSON into [`Node`]s (RFC 8259): for a file that a program writes, which may have a hundred thousand entries, so it is
//! read in one pass and not held to the limits of what a person writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{At, Entry, Node, Problem, Value};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 32;

/// Reads one JSON value. A key that stands twice in a map is refused.
pub fn json(source: &str, text: &str) -> Result<Node, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { name: source.into(), text, at: 0, placed: 0, line: 1, column: 1 };
    let node = reader.value(0)?;
    match reader.next() {
        None => Ok(node),
        Some(_) => Err(reader.problem("something stands behind the value")),
    }
}

struct Reader<'t> {
    name: Arc<str>,
    text: &'t str,
    /// Up to where the text is read.
    at: usize,
    /// A byte at or before `at`, and its line and column: places are asked for from left to right.
    placed: usize,
    line: u32,
    column: u32,
}

impl<'t> Reader<'t> {
    fn place(&mut self) -> At {
        for character in self.text[self.placed..self.at].chars() {
            (self.line, self.column) =
                if character == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.placed = self.at;
        At { source: self.name.clone(), line: self.line, column: self.column }
    }

    fn problem(&mut self, what: impl Into<String>) -> Problem {
        let at = self.place();
        Problem::at(&at, what)
    }

    /// The next byte that is not white space, not yet taken.
    fn next(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the next byte if it is this one.
    fn take(&mut self, byte: u8) -> bool {
        let is_it = self.next() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        let next = self.next();
        let at = self.place();
        if depth > MAX_DEPTH {
            return Err(Problem::at(&at, format!("more than {MAX_DEPTH} values stand in each other")));
        }
        let value = match next {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(Problem::at(&at, "the file ends where a value is expected")),
        };
        Ok(Node { at, value })
    }

    fn map(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let (mut entries, mut known) = (Vec::new(), BTreeSet::new());
        if self.take(b'}') {
            return Ok(Value::Map(entries));
        }
        loop {
            if self.next() != Some(b'"') {
                return Err(self.problem("a key in quotes is expected"));
            }
            let at = self.place();
            let key = self.string()?;
            if !known.insert(key.clone()) {
                return Err(Problem::at(&at, format!("the key `{key}` is a duplicate")));
            }
            if !self.take(b':') {
                return Err(self.problem("a `:` is expected"));
            }
            entries.push(Entry { key, at, node: self.value(depth + 1)? });
            if self.take(b'}') {
                return Ok(Value::Map(entries));
            }
            if !self.take(b',') {
                return Err(self.problem("a `,` or `}` is expected"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.problem("a `,` or `]` is expected"));
            }
        }
    }

    /// A string from its quote on; serde_json knows the escapes.
    fn string(&mut self) -> Result<String, Problem> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()) {
            end += found;
            if bytes[end] == b'"' {
                let read = serde_json::from_str(&self.text[self.at..=end]);
                let text = read.map_err(|_| self.problem("this text has a bad escape or a control character"))?;
                self.at = end + 1;
                return Ok(text);
            }
            end += 2;
        }
        Err(self.problem("this text does not end"))
    }

    /// `true`, `false`, `null` or a number in the digits it was written with.
    fn word(&mut self) -> Result<Value, Problem> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = &rest[..end];
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            digits if serde_json::from_str::<serde_json::Number>(digits).is_ok() => Value::Number(digits.to_owned()),
            _ => return Err(self.problem("this is no JSON value")),
        };
        self.at += end;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> String {
        json("t.json", text).expect_err("this must be refused").to_string()
    }

    #[test]
    fn values_know_their_places() {
        let node = json("t.json", "\u{feff}{\"a\": 1.10,\n \"é\": [true, null, \"x\\u00e9\"]}\n").expect("it is JSON");
        let list = node.get("é").expect("it is there").items();
        assert_eq!(node.get("a").map(|node| &node.value), Some(&Value::Number("1.10".to_owned())));
        let places: Vec<_> = list.iter().map(|node| (node.at.line, node.at.column)).collect();
        assert_eq!(places, [(2, 8), (2, 14), (2, 20)]);
        assert_eq!((list[2].text(), node.entries()[1].at.column), (Some("xé"), 2));
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_stands() {
        for (text, what) in [
            ("", "1:1: the file ends where a value is expected"),
            ("{\"a\": 1,\n\"a\": 2}", "2:1: the key `a` is a duplicate"),
            ("{\"a\" 1}", "1:6: a `:` is expected"),
            ("{\"a\": 1 \"b\": 2}", "1:9: a `,` or `}` is expected"),
            ("{a: 1}", "1:2: a key in quotes is expected"),
            ("{\"a\": 1,}", "1:9: a key in quotes is expected"),
            ("[1 2]", "1:4: a `,` or `]` is expected"),
            ("[1] []", "1:5: something stands behind the value"),
            ("[é]", "1:2: this is no JSON value"),
            ("[01]", "1:2: this is no JSON value"),
            ("[NaN]", "1:2: this is no JSON value"),
            ("[\"a\\q\"]", "1:2: this text has a bad escape or a control character"),
            ("[\"a\n\"]", "1:2: this text has a bad escape or a control character"),
            ("[\"a\\\"", "1:2: this text does not end"),
            ("[\"a\\", "1:2: this text does not end"),
        ] {
            assert_eq!(refused(text), format!("t.json:{what}"), "{text}");
        }
        assert!(refused(&"[".repeat(100_000)).ends_with("values stand in each other"));
    }

    proptest! {
        /// The oracle is serde_json: the same texts are refused, and the same values are read.
        #[test]
        fn it_reads_what_serde_json_reads(text in r#"([\[\]{}:,"\\ae1. \n-]|"a"|"b":|true|null|1e5|\\u0041|é){0,12}"#) {
            let ours = json("t", &text);
            match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(value) => match ours {
                    Ok(node) => prop_assert_eq!(node.to_json(), value),
                    Err(problem) => prop_assert!(problem.what.contains("duplicate"), "{}: {}", text, problem),
                },
                Err(error) => prop_assert!(ours.is_err(), "{}: {}", text, error),
            }
        }
    }
}
