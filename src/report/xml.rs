//! A strict reader of the XML that the formats write: one root, elements that close in order, attributes that are there
//! once, and no character or entity that XML 1.0 forbids. The oracle of the tests; outside parsers read the same files in
//! `tests/conformance`.

use std::collections::BTreeMap;

/// An element, its text, and what is inside.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) text: String,
    pub(super) children: Vec<Self>,
}

impl Element {
    /// The element and everything inside, in the order of the document.
    pub(super) fn all(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.children.iter().flat_map(Self::all)).collect()
    }
}

/// Reads a document, or says what is wrong with it.
pub(super) fn parse(document: &str) -> Result<Element, String> {
    if let Some(bad) = document.chars().find(|character| !allowed(*character)) {
        return Err(format!("the character {bad:?}"));
    }
    let rest = document.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").ok_or("no declaration")?;
    let (root, rest) = element(rest)?;
    if rest.trim().is_empty() { Ok(root) } else { Err(format!("after the root: {rest}")) }
}

fn allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn element(text: &str) -> Result<(Element, &str), String> {
    let rest = text.strip_prefix('<').ok_or_else(|| format!("no element: {text}"))?;
    let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '-');
    let (name, mut rest) = rest.split_at(end.ok_or("no end of a tag")?);
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    while let Some(attribute) = rest.strip_prefix(' ') {
        let (key, after) = attribute.split_once("=\"").ok_or("no value")?;
        let (value, after) = after.split_once('"').ok_or("no end of a value")?;
        if !key.bytes().all(|byte| byte.is_ascii_lowercase()) || value.contains(['<', '\n', '\t']) {
            return Err(format!("{key}={value:?}"));
        }
        if element.attributes.insert(key.to_owned(), decoded(value)?).is_some() {
            return Err(format!("{key} twice"));
        }
        rest = after;
    }
    if let Some(rest) = rest.strip_prefix("/>") {
        return Ok((element, rest));
    }
    rest = rest.strip_prefix('>').ok_or_else(|| format!("no end of a tag: {rest}"))?;
    loop {
        let (text, after) = rest.split_at(rest.find('<').ok_or("an open element")?);
        element.text.push_str(&decoded(text)?);
        if let Some(after) = after.strip_prefix("</") {
            let rest = after.strip_prefix(name).and_then(|after| after.strip_prefix('>'));
            return Ok((element, rest.ok_or_else(|| format!("{name} is closed by {after}"))?));
        }
        let (child, after) = self::element(after)?;
        element.children.push(child);
        rest = after;
    }
}

fn decoded(text: &str) -> Result<String, String> {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (entity, after) = part.split_once(';').ok_or("a bare `&`")?;
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            _ => {
                let number = entity.strip_prefix('#').and_then(|digits| digits.parse().ok());
                let character = number.and_then(char::from_u32).filter(|character| allowed(*character));
                character.ok_or_else(|| format!("the entity {entity}"))?
            }
        });
        out.push_str(after);
    }
    Ok(out)
}

#[test]
fn the_oracle_refuses_what_parsers_refuse() {
    let document = |body: &str| parse(&format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}\n"));
    let read = document("<a b=\"1&#10;&lt;\"><c/>x&amp;y</a>").expect("XML");
    assert_eq!((read.attributes["b"].as_str(), read.text.as_str(), read.all().len()), ("1\n<", "x&y", 2));
    for bad in [
        "",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a b=\"<\"/>",
        "<a>&</a>",
        "<a>&#1;</a>",
        "<a>\u{1}</a>",
        "<a b=\"1\" b=\"2\"/>",
    ] {
        assert!(document(bad).is_err(), "{bad}");
    }
}
