//! Strings that are put together: which values that are no constants go into one, in any of the languages.

use std::sync::LazyLock;

use regex::Regex;

use super::walk::{bare, parts, text};
use crate::syntax::{Node, Parsed};

/// A string expression taken apart.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// The literal text, pieces joined by a blank.
    pub(super) literal: String,
    /// Source of each inserted value.
    pub(super) inserted: Vec<String>,
}

/// Values that cannot carry text of others: constants by the convention of their name, numbers, and what was quoted.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?s)^(?:[\w.:$>\-]*\b[A-Z][A-Z0-9_]+|-?[\d._]+|true|false|True|False|None|null|nil",
        r"|(?:[\w.\\:]*[._:])?(?:int|float|len|intval|count|parseInt|Number|getpid|Itoa|FormatInt|to_i|length|size|hash)\(.*\)",
        r"|[\w.$>\-]+\.(?:length|size|to_i|Length|Count|pid)",
        r"|sys\.executable|__dirname|__DIR__|__FILE__|process\.(?:execPath|pid)|Process\.pid|\$\$",
        r"|.*(?i:quote|escape|shellarg|shelljoin|shellwords|shlex|sanitiz)\w*\(?.*)$"
    ))
    .expect("the pattern is a constant that compiles")
});

/// Takes an expression apart if it is a string with values in it. `None` for anything else, such as a plain literal, a
/// name, or a string whose values are all harmless.
pub(super) fn built(parsed: &Parsed, node: &Node<'_>) -> Option<Built> {
    let mut built = Built::default();
    collect(parsed, node, &mut built, 0);
    built.inserted.retain(|value| !HARMLESS.is_match(value.trim()));
    (!built.literal.trim().is_empty() && !built.inserted.is_empty()).then_some(built)
}

/// Whether a node is a string without values in it; its content.
pub(super) fn literal(parsed: &Parsed, node: &Node<'_>) -> Option<String> {
    let node = bare(node);
    let mut built = Built::default();
    if !is_string(&node) {
        return None;
    }
    string(parsed, &node, &mut built, 0);
    built.inserted.is_empty().then(|| built.literal.trim().to_owned())
}

/// Deepest nesting of a concatenation that is followed.
const DEPTH: usize = 200;

fn is_string(node: &Node<'_>) -> bool {
    matches!(
        &*node.kind(),
        "string"
            | "concatenated_string"
            | "template_string"
            | "string_literal"
            | "encapsed_string"
            | "heredoc"
            | "heredoc_body"
            | "nowdoc"
            | "interpolated_string_expression"
            | "verbatim_string_literal"
            | "raw_string_literal"
            | "interpreted_string_literal"
            | "subshell"
            | "shell_command_expression"
    )
}

fn collect(parsed: &Parsed, node: &Node<'_>, built: &mut Built, depth: usize) {
    let node = bare(node);
    if depth > DEPTH {
        return;
    }
    if is_string(&node) {
        return string(parsed, &node, built, depth);
    }
    match &*node.kind() {
        "binary_operator" | "binary_expression" | "binary" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else { return };
            match operator(parsed, &left, &right).as_str() {
                "+" | "." => {
                    collect(parsed, &left, built, depth + 1);
                    collect(parsed, &right, built, depth + 1);
                }
                "%" => {
                    collect(parsed, &left, built, depth + 1);
                    let right = bare(&right);
                    if matches!(&*right.kind(), "tuple" | "array") {
                        built.inserted.extend(parts(&right).iter().map(|part| text(parsed, part).to_owned()));
                    } else {
                        built.inserted.push(text(parsed, &right).to_owned());
                    }
                }
                _ => built.inserted.push(text(parsed, &node).to_owned()),
            }
        }
        "call" | "call_expression" | "method_invocation" | "invocation_expression" | "function_call_expression" => {
            if !formatted(parsed, &node, built, depth) {
                built.inserted.push(text(parsed, &node).to_owned());
            }
        }
        // Either value may go in.
        "conditional_expression" | "ternary_expression" => {
            let branches = [node.field("body").or_else(|| node.field("consequence")), node.field("alternative")];
            match branches {
                [Some(then), Some(other)] => {
                    collect(parsed, &then, built, depth + 1);
                    collect(parsed, &other, built, depth + 1);
                }
                _ => built.inserted.push(text(parsed, &node).to_owned()),
            }
        }
        "argument" => parts(&node).last().into_iter().for_each(|part| collect(parsed, part, built, depth + 1)),
        "integer" | "number" | "int_literal" | "decimal_integer_literal" | "number_literal" | "integer_literal" => {}
        _ => built.inserted.push(text(parsed, &node).to_owned()),
    }
}

fn string(parsed: &Parsed, node: &Node<'_>, built: &mut Built, depth: usize) {
    let before = built.inserted.len();
    for child in node.children() {
        match &*child.kind() {
            "string" if depth < DEPTH => string(parsed, &child, built, depth + 1),
            "heredoc_body" if depth < DEPTH => string(parsed, &child, built, depth + 1),
            "interpolation" | "template_substitution" => {
                // C# counts its braces among the parts.
                if let Some(inner) = parts(&child).iter().find(|part| part.kind() != "interpolation_brace") {
                    collect(parsed, inner, built, depth + 1);
                }
            }
            "variable_name" | "member_access_expression" | "subscript_expression" | "dynamic_variable_name" => {
                built.inserted.push(text(parsed, &child).to_owned());
            }
            _ => {}
        }
    }
    if built.inserted.len() == before || !node.kind().contains("concatenated") {
        built.literal.push(' ');
        let quotes = ['"', '\'', '`'];
        let text = text(parsed, node);
        // Before the quotes stand at most two letters or signs that say how to read what is between them.
        let start = text.find(quotes).filter(|start| *start <= 3).unwrap_or(0);
        built.literal.push_str(text[start..].trim_matches(quotes));
    }
}

/// The text between two operands.
fn operator(parsed: &Parsed, left: &Node<'_>, right: &Node<'_>) -> String {
    parsed.source().get(left.range().end..right.range().start).unwrap_or_default().trim().to_owned()
}

static FORMAT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:fmt\.Sprintf|sprintf|format|Kernel\.format|vsprintf|util\.format|[Ss]tring\.[Ff]ormat)$")
        .expect("the pattern is a constant that compiles")
});

/// A call that fills a format: `"…".format(x)`, `fmt.Sprintf("…", x)`.
fn formatted(parsed: &Parsed, call: &Node<'_>, built: &mut Built, depth: usize) -> bool {
    let Some(arguments) = call.field("arguments") else { return false };
    let arguments = parts(&arguments);
    let head = parsed.source().get(call.range().start..arguments.first().map_or(call.range().end, |a| a.range().start));
    let head = head.unwrap_or_default().trim_end().trim_end_matches('(').trim_end();
    if FORMAT.is_match(head) {
        let Some((format, values)) = arguments.split_first() else { return false };
        collect(parsed, format, built, depth + 1);
        built.inserted.extend(values.iter().map(|value| text(parsed, value).to_owned()));
        return true;
    }
    let receiver =
        call.field("function").and_then(|function| function.field("object")).or_else(|| call.field("object"));
    let is_format = head.ends_with(".format") || head.ends_with(".formatted");
    match receiver.filter(|receiver| is_format && is_string(&bare(receiver))) {
        Some(receiver) => {
            collect(parsed, &receiver, built, depth + 1);
            let value = |argument: &Node<'_>| {
                let text = text(parsed, argument);
                text.split_once('=').map_or(text, |(_, value)| value).trim().to_owned()
            };
            built.inserted.extend(arguments.iter().map(value));
            true
        }
        None => false,
    }
}
