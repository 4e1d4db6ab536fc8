//! Reads of a map by a key.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::place::{
    MOST_MENTIONS, bare, bytes, call, field, holds_sign, mentions, operation, parts, rest_of_line, start_of_line,
    visit, words,
};
use super::{Fact, FactKind, FactValue};
use crate::syntax::shapes::{Raw, text};
use crate::syntax::{Language, Parsed};

pub(super) const IS_MAP_READ: Fact = Fact {
    name: "is_map_read",
    help: "Whether the lines read a map by a key that could be missing: `d[k]`, Java's `m.get(k)` where its result is \
           used at once, C++'s `m.at(k)`, Ruby's `h.fetch(k)`. Writes, slices, positions and types are no reads. \
           Unknown where a name does not tell a map from a list, inside a macro, in broken code, and in C, Go and \
           JavaScript, where reading a missing key does not fail or there are no maps.",
    kind: FactKind::Bool,
    applies: with_maps,
    compute: |input| {
        let Some(new) = input.sound() else { return FactValue::Unknown };
        let reads = reads(new, &bytes(input, new));
        if reads.found.iter().any(|read| read.sure) {
            FactValue::Bool(true)
        } else if reads.hidden || !reads.found.is_empty() {
            FactValue::Unknown
        } else {
            FactValue::Bool(false)
        }
    },
};

/// Languages in which a key that is not there fails.
pub(super) fn with_maps(language: Language) -> bool {
    use Language::{CSharp, Cpp, Java, Php, Python, Ruby, Rust};
    matches!(language, Python | Ruby | CSharp | Java | Cpp | Rust | Php)
}

/// More reads than this on the lines of one claim are not weighed, and more than [`MOST_READ`] not read: the declaration
/// of a map has to be looked for in the whole file.
pub(super) const MOST: usize = 16;
const MOST_READ: usize = 64;

/// A read, or what may be one.
pub(super) struct Read<'t> {
    pub(super) node: Raw<'t>,
    pub(super) map: Raw<'t>,
    pub(super) key: Raw<'t>,
    pub(super) sure: bool,
}

/// The reads of a place, and whether there may be another: in a macro, or past what is read.
#[derive(Default)]
pub(super) struct Reads<'t> {
    pub(super) found: Vec<Read<'t>>,
    pub(super) hidden: bool,
}

pub(super) fn reads<'t>(new: &'t Parsed, place: &Range<usize>) -> Reads<'t> {
    let mut reads = Reads::default();
    let mut read = 0;
    visit(new, place, |node, around| {
        reads.hidden |= holds_sign(new, node, around, place, &['[']);
        let Some((map, key)) = access(new, node) else { return };
        // The key stands elsewhere: the lines hold another part of the statement.
        if key.end_byte() <= place.start || key.start_byte() >= place.end || is_written(node, around, new.source()) {
            return;
        }
        read += 1;
        if read > MOST_READ {
            reads.hidden = true;
            return;
        }
        if let Some(sure) = is_keyed(new, node, map, key, around.last().copied()) {
            reads.found.push(Read { node, map, key, sure });
        }
    });
    reads
}

/// The map and the key of a node that reads by subscript or by the language's own method.
fn access<'t>(new: &Parsed, node: Raw<'t>) -> Option<(Raw<'t>, Raw<'t>)> {
    let source = new.source();
    match node.kind() {
        "subscript"
        | "element_reference"
        | "subscript_expression"
        | "element_access_expression"
        | "index_expression" => {
            let parts = parts(node);
            let [map, key] = parts[..] else { return None };
            let is_list = matches!(key.kind(), "bracketed_argument_list" | "subscript_argument_list");
            let key = if is_list { only(key)? } else { key };
            let key = if key.kind() == "argument" { only(key)? } else { key };
            Some((map, key))
        }
        _ => {
            let call = call(node, source)?;
            let [key] = call.arguments[..] else { return None };
            let named = match new.language() {
                Language::Java => call.name == "get",
                Language::Cpp => call.name == "at",
                Language::Ruby => call.name == "fetch" && field(node, &["block"]).is_none(),
                Language::Python => call.name == "pop",
                _ => false,
            };
            Some((call.receiver.filter(|_| named)?, key))
        }
    }
}

fn only(node: Raw<'_>) -> Option<Raw<'_>> {
    let parts = parts(node);
    if let [only] = parts[..] { Some(only) } else { None }
}

/// Whether the node is what an assignment writes, or names a type.
fn is_written(node: Raw<'_>, around: &[Raw<'_>], source: &str) -> bool {
    let mut inner = node;
    for outer in around.iter().rev().take(4) {
        match outer.kind() {
            "assignment" | "assignment_expression" => {
                let is_left = field(*outer, &["left"]).is_some_and(|left| left == inner);
                // C# writes `+=` as an assignment too, and that reads.
                return is_left && operation(*outer, source).is_none_or(|(_, operator, _)| operator == "=");
            }
            "type" | "unset_statement" | "decorator" | "type_parameter" => return true,
            "tuple_pattern" | "pattern_list" | "list_pattern" | "left_assignment_list" => inner = *outer,
            _ => return false,
        }
    }
    false
}

/// What a key looks like.
enum Key {
    Text,
    Position,
    Range,
    Other,
}

fn key_of(key: Raw<'_>, source: &str) -> Key {
    let kind = key.kind();
    let written = text(key, source);
    if kind.contains("range") || kind == "slice" {
        Key::Range
    } else if kind.contains("string") || kind.contains("symbol") {
        Key::Text
    } else if written.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
        Key::Position
    } else {
        Key::Other
    }
}

/// Whether it reads by a key: surely, perhaps, or, `None`, not.
fn is_keyed(new: &Parsed, node: Raw<'_>, map: Raw<'_>, key: Raw<'_>, outer: Option<Raw<'_>>) -> Option<bool> {
    let source = new.source();
    let name = words(map, source);
    let declared = is_declared_map(source, &name);
    let kind = key_of(key, source);
    match (&kind, declared) {
        (Key::Range, _) | (Key::Position, None | Some(false)) => return None,
        (Key::Other, Some(false)) => return None,
        _ => {}
    }
    let text = matches!(kind, Key::Text);
    Some(match new.language() {
        Language::Python => {
            // `Color["RED"]` is a class; a table of pandas is asked for columns.
            let is_class = name.rsplit('.').next().is_some_and(|last| {
                last.starts_with(|c: char| c.is_uppercase()) && last.contains(|c: char| c.is_lowercase())
            });
            let known = declared == Some(true) || name.ends_with("environ");
            known
                || (text && declared.is_none() && !is_class && !source.contains("pandas") && !source.contains("polars"))
        }
        Language::Java => {
            let used_at_once = outer.is_some_and(|outer| {
                let object = field(outer, &["object", "array"]);
                object == Some(node) && outer.kind() != "argument_list"
            });
            declared == Some(true) && used_at_once
        }
        Language::Cpp => node.kind() == "call_expression" && (declared == Some(true) || text),
        Language::CSharp => declared == Some(true),
        Language::Rust => text || key.kind() == "reference_expression" || declared == Some(true),
        Language::Ruby | Language::Php => text || declared == Some(true) || name == "ENV",
        _ => false,
    })
}

/// A type in front of a name.
static TYPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[\s(,;&])(?:const\s+)?[\w:.]*(?:(?P<map>(?:Map|Dictionary|map|Hashtable|Properties)\b\w*)|",
        r"(?:List|[vV]ector|[aA]rray|deque|Deque|Queue|span|Span|Collection|Optional|Future|Supplier|string|String|string_view|\w+\[\]))",
        r"(?:<[^;(){}]*>)?(?P<square>\[\])?\s*[&*]*\s*$"
    ))
    .expect("the pattern is a constant that compiles")
});

/// A type or a value behind a name.
static MADE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?::\s*(?:&\s*(?:mut\s+)?)?(?:(?P<typed>(?:[\w.:]*\.)?(?:[dD]ict|DefaultDict|Counter|\w*Mapping|(?:Hash|BTree|Index)Map)\b)|",
        r"(?P<untyped>(?:[\w.]*\.)?(?:[lL]ist|[tT]uple|Sequence|str|bytes|ndarray|Vec|\[|String))\b?)[^=\n]*(?:=|$)|",
        r":?=\s*(?:(?P<made>\{\s*(?:$|\}|[^},]*(?::|=>)|\*\*)|(?:dict|defaultdict|collections\.defaultdict|Counter|OrderedDict)\(|",
        r"new\s+\w*(?:Map|Dictionary)\b|(?:Hash|BTree|Index)Map::|Hash\.new|\[[^\]]*=>|array\([^)]*=>)|",
        r"(?P<listed>\[|list\(|sorted\(|tuple\(|vec!|Vec::|new\s+\w*List\b|.*\.split\()))"
    ))
    .expect("the pattern is a constant that compiles")
});

/// Whether the file declares the name as a map, or as something else with `[]`; `None` where it does not tell.
fn is_declared_map(source: &str, name: &str) -> Option<bool> {
    let last = name.rsplit(['.', '>', ':', '@']).next().unwrap_or(name);
    let name = if last.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') { last } else { return None };
    let mut declared = None;
    for at in mentions(source, name).take(MOST_MENTIONS) {
        let (before, after) = (start_of_line(source, at), rest_of_line(source, at + name.len()));
        let is_map = match (TYPED.captures(before), MADE.captures(after)) {
            (Some(typed), _) => Some(typed.name("map").is_some() && typed.name("square").is_none()),
            (None, Some(made)) => Some(made.name("typed").or_else(|| made.name("made")).is_some()),
            (None, None) => None,
        };
        match (declared, is_map) {
            (Some(one), Some(other)) if one != other => return None,
            (None, found) => declared = found,
            _ => {}
        }
    }
    declared
}

/// What a key is compared by: its source without white space and without what Rust borrows it with.
pub(super) fn key_words(key: Raw<'_>, source: &str) -> String {
    words(bare(key), source).trim_start_matches('&').to_owned()
}
