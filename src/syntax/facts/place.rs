//! The nodes at a place, always read from the root downwards: asking a node for its parent costs a walk of its own.

use std::ops::Range;

use super::FactInput;
use crate::finding::Line;
use crate::syntax::shapes::{Raw, child_of_kind, text};
use crate::syntax::{Parsed, Region};

/// The bytes a fact is asked about: the exact match, else the lines.
pub(super) fn bytes(input: &FactInput<'_>, new: &Parsed) -> Range<usize> {
    input.bytes.clone().unwrap_or_else(|| new.line_range(input.lines.0).start..new.line_range(input.lines.1).end)
}

/// The function around a line, from its start to its end; the whole file outside of any.
pub(super) fn scope(parsed: &Parsed, line: Line) -> Range<usize> {
    parsed.enclosing_function(line).map_or(0..parsed.source().len(), |function| function.bytes.clone())
}

fn root(parsed: &Parsed) -> Raw<'_> {
    parsed.grep().root().get_inner_node()
}

/// The nodes from the root to the smallest one around the bytes.
pub(super) fn around<'t>(parsed: &'t Parsed, bytes: &Range<usize>) -> Vec<Raw<'t>> {
    let mut cursor = root(parsed).walk();
    let mut path = vec![cursor.node()];
    while cursor.goto_first_child_for_byte(bytes.start).is_some() {
        let node = cursor.node();
        if node.start_byte() > bytes.start || node.end_byte() < bytes.end {
            break;
        }
        path.push(node);
    }
    path
}

/// Visits every node that touches the bytes, outer before inner, with the nodes around it.
pub(super) fn visit<'t>(parsed: &'t Parsed, bytes: &Range<usize>, mut each: impl FnMut(Raw<'t>, &[Raw<'t>])) {
    let mut cursor = root(parsed).walk();
    let mut path = Vec::new();
    loop {
        let node = cursor.node();
        if node.start_byte() < bytes.end && bytes.start < node.end_byte() {
            each(node, &path);
            if cursor.goto_first_child() {
                path.push(node);
                continue;
            }
        }
        loop {
            // What follows a node behind the place lies behind it too.
            let behind = cursor.node().start_byte() >= bytes.end;
            if !behind && cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
            path.pop();
        }
    }
}

/// Whether a node is a macro's text, which has no tree, and holds one of these signs as code within the place.
pub(super) fn holds_sign(
    parsed: &Parsed,
    node: Raw<'_>,
    around: &[Raw<'_>],
    place: &Range<usize>,
    signs: &[char],
) -> bool {
    let is_text = |node: &Raw<'_>| matches!(node.kind(), "token_tree" | "preproc_arg");
    // What lies inside another was read with it.
    if !is_text(&node) || around.last().is_some_and(is_text) {
        return false;
    }
    let within = node.start_byte().max(place.start)..node.end_byte().min(place.end);
    let text = parsed.source().get(within.clone()).unwrap_or_default();
    text.match_indices(signs).any(|(at, _)| parsed.region(within.start + at) == Region::Code)
}

/// Children that are neither punctuation nor comments.
pub(super) fn parts<'t>(node: Raw<'t>) -> Vec<Raw<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.kind().contains("comment")).collect()
}

/// The first of some fields that a node has.
pub(super) fn field<'t>(node: Raw<'t>, names: &[&str]) -> Option<Raw<'t>> {
    names.iter().find_map(|name| node.child_by_field_name(name))
}

/// The expression inside any number of parentheses.
pub(super) fn bare(node: Raw<'_>) -> Raw<'_> {
    let mut node = node;
    while matches!(node.kind(), "parenthesized_expression" | "parenthesized_statements") {
        match parts(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// Left side, operator and right side of an operation or a compound assignment.
pub(super) fn operation<'t, 's>(node: Raw<'t>, source: &'s str) -> Option<(Raw<'t>, &'s str, Raw<'t>)> {
    let (left, right) = match node.kind() {
        "binary_operator"
        | "binary_expression"
        | "boolean_operator"
        | "binary"
        | "augmented_assignment"
        | "augmented_assignment_expression"
        | "assignment_expression"
        | "assignment_statement"
        | "operator_assignment"
        | "compound_assignment_expr" => (field(node, &["left"])?, field(node, &["right"])?),
        "comparison_operator" => <[Raw<'t>; 2]>::try_from(parts(node)).ok().map(|[left, right]| (left, right))?,
        _ => return None,
    };
    // Go writes lists on both sides of an assignment.
    let single = |side: Raw<'t>| match (side.kind(), side.named_child(0)) {
        ("expression_list", Some(only)) if side.named_child_count() == 1 => only,
        _ => side,
    };
    Some((single(left), source.get(left.end_byte()..right.start_byte())?.trim(), single(right)))
}

/// Longest source of what is called that is read.
const MOST_OF_PATH: usize = 400;

/// A call or a construction.
pub(super) struct Call<'t, 's> {
    /// What is called, without white space: `os.open`, `newSocket`, `std::make_unique<A>`.
    pub(super) path: String,
    /// Its last word: `open`.
    pub(super) name: &'s str,
    pub(super) receiver: Option<Raw<'t>>,
    pub(super) arguments: Vec<Raw<'t>>,
}

/// Reads a node as a call, in any language.
pub(super) fn call<'t, 's>(node: Raw<'t>, source: &'s str) -> Option<Call<'t, 's>> {
    let kind = node.kind();
    let is_call = kind == "call"
        || matches!(kind, "call_expression" | "new_expression" | "object_creation_expression")
        || kind.ends_with("_call_expression")
        || kind.ends_with("invocation")
        || kind == "invocation_expression";
    if !is_call || kind == "macro_invocation" {
        return None;
    }
    let callee = field(node, &["function", "constructor", "type"]);
    let list = field(node, &["arguments"]).or_else(|| child_of_kind(node, &["arguments", "argument_list"]));
    let receiver = field(node, &["object", "receiver", "scope"])
        .or_else(|| callee.and_then(|callee| field(callee, &["object", "argument", "expression", "operand", "value"])));
    let named = field(node, &["name", "method"])
        .or_else(|| callee.and_then(|callee| field(callee, &["attribute", "property", "field", "name"])))
        .or(callee);
    let end = list.or_else(|| field(node, &["block"])).map_or(node.end_byte(), |list| list.start_byte());
    // A chain of calls is as long as all of it, at every link.
    let start = node.start_byte().max(end.saturating_sub(MOST_OF_PATH));
    let path = squeezed((start..=end).find_map(|start| source.get(start..end))?);
    // C# and PHP wrap each argument.
    let argument = |node: Raw<'t>| if node.kind() == "argument" { parts(node).pop().unwrap_or(node) } else { node };
    let arguments = list.map(parts).unwrap_or_default().into_iter().map(argument).collect();
    let name = named.map_or("", |named| text(named, source));
    let name = name.split(['<', '(']).next().unwrap_or(name);
    let name = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    Some(Call { path, name, receiver, arguments })
}

/// A text without white space.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The folded source of a node, parentheses around it not counted.
pub(super) fn words(node: Raw<'_>, source: &str) -> String {
    squeezed(text(bare(node), source))
}

/// Where a name stands as a whole word.
pub(super) fn mentions<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    let places = text.match_indices(if name.is_empty() { "\0" } else { name });
    places.map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&text[..*at], &text[at + name.len()..]);
        let goes_on = |inner: bool, outer: bool| inner && outer;
        !goes_on(name.starts_with(inside), before.ends_with(inside))
            && !goes_on(name.ends_with(inside), after.starts_with(inside))
    })
}

/// Whether a text gives a name a new value; `name[…] = …` and `name.field = …` do not.
pub(super) fn assigns(text: &str, name: &str) -> bool {
    mentions(text, name).any(|at| is_assigned(&text[..at], &text[at + name.len()..]))
}

/// Whether what stands between two texts is given a new value there.
pub(super) fn is_assigned(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let sign = after.trim_start_matches(['+', '-', '*', '/', '%', ':', '|', '&', '?', '^', '<', '>']);
    let plain = sign.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>', '~']));
    let compares = after.starts_with("<=") || after.starts_with(">=");
    let steps = ["++", "--"].iter().any(|step| after.starts_with(step) || before.ends_with(step));
    (plain && !compares) || steps
}

/// Whether a literal number is other than zero; `None` for what is no number.
pub(super) fn is_nonzero(number: &str) -> Option<bool> {
    let lower = number.trim().to_ascii_lowercase();
    if !lower.starts_with(|c: char| c.is_ascii_digit() || c == '.') || lower == "." {
        return None;
    }
    let digits = match lower.strip_prefix("0x") {
        Some(hex) => return Some(hex.bytes().any(|byte| byte.is_ascii_hexdigit() && byte != b'0')),
        None => lower.split(|c: char| c.is_ascii_alphabetic()).next().unwrap_or(&lower),
    };
    // `0b1` and `0o7` lose their digits to the split.
    let other_base = lower.strip_prefix("0b").or_else(|| lower.strip_prefix("0o"));
    Some(other_base.unwrap_or(digits).bytes().any(|byte| matches!(byte, b'1'..=b'9')))
}

/// Most places of a name in a file that are looked at, and how much of their lines: a line may be as long as the file.
pub(super) const MOST_MENTIONS: usize = 200;
const MOST_OF_LINE: usize = 200;

/// The rest of a line, from a byte on.
pub(super) fn rest_of_line(text: &str, from: usize) -> &str {
    let end = (from + MOST_OF_LINE).min(text.len());
    let rest = (from..=end).rev().find_map(|end| text.get(from..end)).unwrap_or_default();
    rest.lines().next().unwrap_or_default()
}

/// The start of a line, up to a byte.
pub(super) fn start_of_line(text: &str, to: usize) -> &str {
    let start = to.saturating_sub(MOST_OF_LINE);
    let head = (start..=to).find_map(|start| text.get(start..to)).unwrap_or_default();
    head.rfind('\n').map_or(head, |line| &head[line + 1..])
}
