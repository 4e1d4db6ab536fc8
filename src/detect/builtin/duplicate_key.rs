//! A literal key twice in one literal map: the later value silently wins.

use std::collections::BTreeMap;

use super::walk::{parts, text};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Node, Parsed};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "duplicate_key",
    help: "a key that stands twice in a map literal; `{key}` and `{first}`, the line of the earlier one",
    captures: &["key", "first"],
    reads_comments: false,
    run: Run::Node(run),
};

fn run<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    if !matches!(&*node.kind(), "dictionary" | "object" | "array_creation_expression" | "hash") {
        return;
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for item in node.children() {
        if item.kind().contains("splat") || item.kind().contains("spread") || text(parsed, &item).starts_with("...") {
            // What stands after a spread is there to override it.
            seen.clear();
            continue;
        }
        let Some((name, key)) = key(parsed, &item) else { continue };
        let line = parsed.line_of(key.range().start).get();
        if let Some(first) = seen.insert(name, line) {
            let hit = Hit::in_source(parsed, key.range());
            hits.push(hit.with("key", text(parsed, &key)).with("first", first.to_string()));
            // One is enough to look at the literal; a table may hold hundreds.
            break;
        }
    }
}

/// A key that is the same at every run, in a form in which equal keys are equal.
fn key<'p>(parsed: &'p Parsed, item: &Node<'p>) -> Option<(String, Node<'p>)> {
    let key = match &*item.kind() {
        "pair" => item.field("key")?,
        // A PHP element without a key has one part.
        "array_element_initializer" => {
            let [key, _] = <[Node<'p>; 2]>::try_from(parts(item)).ok()?;
            key
        }
        _ => return None,
    };
    let source = text(parsed, &key);
    let plain = || !source.contains(['\\', '{', '#', '$']);
    let name = match &*key.kind() {
        "string" | "encapsed_string" if plain() => {
            // `b"a"` and `"a"` are two keys.
            let body = source.trim_start_matches(['r', 'R', 'u', 'U']);
            if body.starts_with(['b', 'B']) { format!("bytes {body}") } else { format!("text {}", quoted(body)?) }
        }
        // In JavaScript `a` and `"a"` are one key; in Ruby `a:` is a symbol, `"a" =>` is not.
        "property_identifier" if source != "__proto__" => format!("text {source}"),
        "hash_key_symbol" | "simple_symbol" => format!("symbol {}", source.trim_matches(':')),
        "integer" | "number" => format!("number {source}"),
        _ => return None,
    };
    Some((name, key))
}

fn quoted(body: &str) -> Option<&str> {
    let quote = body.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    body.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote))
}
