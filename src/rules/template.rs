//! Messages and fixes with captures: `{name}`, `{0}`, `{0|mask}`, `{0|codepoint}`; `{{` and `}}` are braces.

use std::collections::BTreeMap;

use crate::document::{Node, Problem, Value, nearest};

/// A text with places for captures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Capture(String, Show),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Show {
    Plain,
    /// The first four characters, then how many more: enough to find a secret, not enough to use it.
    Mask,
    /// `U+202E` for each character.
    Codepoint,
}

/// Longest capture that a message shows, in characters.
const MAX_CAPTURE: usize = 120;

impl Template {
    /// Reads a template.
    pub fn parse(node: &Node, problems: &mut Vec<Problem>) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            problems.push(Problem::at(&node.at, format!("this is a text, not {}", node.value.kind())));
            return None;
        };
        match parts(text) {
            Ok(parts) => Some(Self(parts)),
            Err(what) => {
                problems.push(Problem::at(&node.at, what));
                None
            }
        }
    }

    /// The text with every capture in its place. With `whole`, captures are not shortened, as a fix needs them.
    pub fn render(&self, captures: &BTreeMap<String, String>, whole: bool) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Capture(name, show) => {
                    let value = captures.get(name).map_or("", String::as_str);
                    match show {
                        Show::Plain if whole || value.chars().count() <= MAX_CAPTURE => out.push_str(value),
                        Show::Plain => {
                            out.extend(value.chars().take(MAX_CAPTURE));
                            out.push('…');
                        }
                        Show::Mask => out.push_str(&mask(value)),
                        Show::Codepoint => out.push_str(&codepoints(value)),
                    }
                }
            }
        }
        out
    }

    /// The captures it masks: what a message keeps to itself, a report must not print beside it.
    pub fn masked<'c>(&self, captures: &'c BTreeMap<String, String>) -> Vec<&'c str> {
        let masked = self.0.iter().filter_map(|part| match part {
            Part::Capture(name, Show::Mask) => captures.get(name).map(String::as_str),
            Part::Capture(..) | Part::Text(_) => None,
        });
        masked.filter(|value| !value.is_empty()).collect()
    }

    /// Whether it masks anything: what it finds must not be repeated elsewhere either.
    pub fn masks(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Capture(_, Show::Mask)))
    }

    /// The names it uses.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Capture(name, _) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }
}

fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let tail = &rest[at..];
        if let Some(after) = tail.strip_prefix("{{").or_else(|| tail.strip_prefix("}}")) {
            literal.push_str(&tail[..1]);
            rest = after;
            continue;
        }
        let inner = tail.strip_prefix('{').ok_or("a `}` without its `{`; write `}}` for a brace")?;
        let (inner, after) = inner.split_once('}').ok_or("a `{` without its `}`; write `{{` for a brace")?;
        if !literal.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut literal)));
        }
        parts.push(capture(inner)?);
        rest = after;
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    Ok(parts)
}

fn capture(text: &str) -> Result<Part, String> {
    let (name, show) = text.split_once('|').unwrap_or((text, ""));
    let show = match show {
        "" => Show::Plain,
        "mask" => Show::Mask,
        "codepoint" => Show::Codepoint,
        other => {
            return Err(format!(
                "there is no way `{other}` to show a capture; {}",
                nearest(other, &["mask", "codepoint"])
            ));
        }
    };
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(format!("`{name}` is no capture name; write `{{{{` for a brace"));
    }
    Ok(Part::Capture(name.to_owned(), show))
}

fn mask(value: &str) -> String {
    let count = value.chars().count();
    if count <= 8 {
        return "*".repeat(count);
    }
    let head: String = value.chars().take(4).collect();
    format!("{head}… ({count} characters)")
}

fn codepoints(value: &str) -> String {
    value.chars().take(8).map(|character| format!("U+{:04X}", character as u32)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str, whole: bool) -> Result<String, String> {
        let captures = [("name", "token"), ("0", "AKIAQYLPMN5HFIQR7XYA"), ("b", "\u{202e}")];
        let captures = captures.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        parts(text).map(|parts| Template(parts).render(&captures, whole))
    }

    #[test]
    fn captures_are_put_in_their_places() {
        assert_eq!(render("`{name}` holds {0|mask}", false).as_deref(), Ok("`token` holds AKIA… (20 characters)"));
        assert_eq!(render("{b|codepoint} here", false).as_deref(), Ok("U+202E here"));
        assert_eq!(render("a {{literal}} {missing}.", false).as_deref(), Ok("a {literal} ."));
    }

    #[test]
    fn what_is_no_template_is_refused() {
        for text in ["{", "}", "{a", "a}", "{a b}", "{}", "{name|shout}"] {
            assert!(render(text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn a_message_shortens_long_captures_and_a_fix_does_not() {
        let captures = BTreeMap::from([("a".to_owned(), "x".repeat(500))]);
        let template = Template(parts("{a}").expect("a capture"));
        assert_eq!(template.render(&captures, false).chars().count(), MAX_CAPTURE + 1);
        assert_eq!(template.render(&captures, true).len(), 500);
    }
}
