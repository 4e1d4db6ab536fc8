//! Lines that test, fill, walk or index what they name. Generous: what a line shows is not read, only that it is about
//! the name. It makes a doubt, never a proof.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::place::mentions;
use crate::finding::Line;
use crate::syntax::{Language, Parsed};

/// Most names that are followed from one assignment to another.
const MOST_ALIASES: usize = 8;

/// Longest stretch that is read for one place, so that many places in one function stay cheap.
const MOST_BYTES: usize = 16_000;

/// Whether anything from the start of the function's body to the end of the statement may show something of the name, or
/// of what it was made from or went into, or catches the failure.
pub(super) fn speaks_for(parsed: &Parsed, place: &Range<usize>, name: &str) -> bool {
    let (first, last) = parsed.lines_of(place.clone());
    let function = parsed.enclosing_function(first);
    // The head of a function names its parameters and shows nothing of them.
    let start = function.map_or(0, |function| function.bytes.start.max(function.body_bytes.start)).min(place.start);
    // The rest of the statement may hold the condition: `… if xs else 0`.
    let end = (last.get()..last.get().saturating_add(3))
        .filter_map(Line::new)
        .map(|line| parsed.line_range(line).end)
        .max()
        .unwrap_or(place.end)
        .min(function.map_or(usize::MAX, |function| function.bytes.end));
    let before = parsed.source().get(start..end).filter(|before| before.len() <= MOST_BYTES);
    // Of a longer function it is not known.
    let Some(before) = before else { return true };
    let shown = |name: &str| before.lines().any(|line| shows(parsed.language(), line, name));
    shown(name)
        || aliases(before, name).into_iter().any(shown)
        || before.contains("ZeroDivisionError")
        || (before.contains("except") && before.contains("try:"))
        || before.contains("recover()")
}

/// The names that a name is assigned from, and those that are assigned from it.
fn aliases<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let mut aliases = Vec::new();
    for line in text.lines().filter(|line| mentions(line, name).next().is_some()) {
        let Some((target, value)) = line.split_once('=').filter(|(_, value)| !value.starts_with('=')) else { continue };
        let is_target = mentions(target, name).next().is_some();
        for alias in if is_target { names(value) } else { names(target) } {
            if alias != name && !aliases.contains(&alias) {
                aliases.push(alias);
            }
        }
        if aliases.len() >= MOST_ALIASES {
            break;
        }
    }
    aliases.truncate(MOST_ALIASES);
    aliases
}

/// The words of a text that are names and no usual function.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() < 100);
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !KNOWN.contains(word))
}

/// Words beside a name in an assignment that say nothing of it.
const KNOWN: [&str; 24] = [
    "len", "sum", "float", "int", "abs", "round", "self", "this", "size", "count", "length", "double", "let", "var",
    "const", "auto", "final", "long", "mut", "range", "list", "str", "sorted", "set",
];

/// Words in a line that tests, fills, walks or indexes what it names.
static SHOWS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:if|elif|else|elsif|unless|while|assert|for|foreach|switch|match|case|not|and|or|when|raise|in)\b",
        // Neither arrows nor shifts.
        r"|(?:^|[^-=<>])[<>](?:[^<>-]|$)|==|!=|&&|\|\||\?\?|\s\?\s",
        r"|(?i:check|valid|ensure|requir|expect|must|nonempty|non_empty|not_empty)\w*!?\(",
        r"|\b(?:min|max|next|choice|choices|mean|median)\("
    ))
    .expect("the pattern is a constant that compiles")
});

/// Whether one line does.
pub(super) fn shows(language: Language, line: &str, name: &str) -> bool {
    if mentions(line, name).next().is_none() {
        return false;
    }
    let code = line.trim_start();
    // The head of a function names its parameters and shows nothing of them.
    if code.starts_with("def ") || code.starts_with("async def ") || code.starts_with("func ") {
        return false;
    }
    let assigned = code.strip_prefix(name).map(str::trim_start).filter(|rest| {
        (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with(":=") || rest.starts_with(": ")
    });
    // What is made of a literal, a split, or as many items as counted, is rarely empty by accident.
    let filled = assigned.is_some_and(|rest| {
        let value = rest.trim_start_matches([':', '=']).trim();
        (value.starts_with(['[', '(', '{', '"', '\'']) && !matches!(value, "[]" | "()" | "{}" | "[" | "(" | "{"))
            || value.contains(".split(")
            || value.contains("make(")
            || (language == Language::Go && value.starts_with("[]") && !value.ends_with("{}"))
            || value.contains(" + ")
            || value.contains(" * ")
    });
    let indexed = code.contains(&format!("{name}[0]")) || code.contains(&format!("{name}[-1]"));
    let grown = ["append", "extend", "add", "insert", "push"].iter().any(|m| code.contains(&format!("{name}.{m}(")));
    SHOWS.is_match(code) || filled || indexed || grown
}
