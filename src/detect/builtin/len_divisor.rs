//! A division by the length of something that nothing has shown to be non-empty.
//!
//! The search for a guard is generous: whatever mentions the name in a condition before the division counts, because a
//! missed fault is cheaper here than a wrong one.

use std::sync::LazyLock;

use regex::Regex;

use super::walk::{bare, parts, text};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Language, Node, Parsed};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "unguarded_len_divisor",
    help: "Python, Go: `/ len(x)` without a test on `x` before it in the function; `{divisor}` and `{name}`",
    captures: &["divisor", "name"],
    reads_comments: false,
    run: Run::Node(run),
};

static LENGTH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:float(?:32|64)?\(|int(?:32|64)?\()?len\((?P<name>[A-Za-z_]\w*)\)\)?$")
        .expect("the pattern is a constant that compiles")
});

fn run<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    if let Some((divisor, name)) = divisor(parsed, node)
        && !is_guarded(parsed, node, name)
    {
        hits.push(Hit::in_source(parsed, node.range()).with("divisor", divisor).with("name", name));
    }
}

/// The divisor `len(x)` of a division, and `x`.
fn divisor<'p>(parsed: &'p Parsed, node: &Node<'p>) -> Option<(&'p str, &'p str)> {
    if !matches!(&*node.kind(), "binary_operator" | "binary_expression") {
        return None;
    }
    let (left, right) = (node.field("left")?, node.field("right")?);
    let operator = parsed.source().get(left.range().end..right.range().start)?.trim();
    // A left side that is text joins paths or formats.
    let is_text = left.kind().contains("string") || parts(&left).iter().any(|part| part.kind().contains("string"));
    if is_text || !matches!(operator, "/" | "//") {
        return None;
    }
    let divisor = text(parsed, &bare(&right));
    let name = LENGTH.captures(divisor)?.name("name")?.as_str();
    let constant = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    (!constant).then_some((divisor, name))
}

/// Whether anything from the start of the function to the end of the statement shows that the name is not empty, or
/// catches the error.
fn is_guarded(parsed: &Parsed, node: &Node<'_>, name: &str) -> bool {
    let (first, last) = parsed.lines_of(node.range());
    let function = parsed.enclosing_function(first);
    let start = function.map_or(0, |function| function.bytes.start);
    // The rest of the statement may hold the condition: `… if xs else 0`.
    let end = (last.get()..last.get() + 3)
        .filter_map(crate::finding::Line::new)
        .map(|line| parsed.line_range(line).end)
        .max()
        .unwrap_or(node.range().end)
        .min(function.map_or(usize::MAX, |function| function.bytes.end));
    let Some(before) = parsed.source().get(start..end) else { return true };
    before.lines().any(|line| mentions(line, name) && shows(parsed.language(), line, name))
        || before.contains("ZeroDivisionError")
        || (before.contains("except") && before.contains("try:"))
        || before.contains("recover()")
}

fn mentions(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let word = |character: char| character.is_alphanumeric() || character == '_';
        !line[..at].ends_with(word) && !line[at + name.len()..].starts_with(word)
    })
}

/// Words in a line that tests, fills, walks or indexes what it names.
static SHOWS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:if|elif|else|while|assert|for|switch|case|not|and|or|when|raise|in)\b|[<>]|==|!=|&&|\|\|",
        r"|(?i:check|valid|ensure|requir|expect|must|nonempty|non_empty|not_empty)\w*\(",
        r"|\b(?:min|max|next|choice|choices|mean|median)\("
    ))
    .expect("the pattern is a constant that compiles")
});

fn shows(language: Language, line: &str, name: &str) -> bool {
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
