//! An operator with the same thing on both sides.

use super::walk::{added, bare, parts, text, within};
use crate::detect::{Builtin, FileView, Hit};
use crate::syntax::{Language, Node, Parsed};

pub(super) const DUPLICATE: Builtin = Builtin {
    name: "duplicate_operand",
    help: "`a && a`, `a - a`: an operand twice; `{operand}` and `{operator}`",
    captures: &["operand", "operator"],
    run: duplicate,
};

pub(super) const COMPARISON: Builtin = Builtin {
    name: "self_comparison",
    help: "a comparison of something with itself; `{operand}` and `{operator}`",
    captures: &["operand", "operator"],
    run: comparison,
};

const LOGICAL: [&str; 4] = ["&&", "||", "and", "or"];
const ARITHMETIC: [&str; 4] = ["-", "/", "%", "^"];
// `!=` is how code asks for NaN.
const COMPARING: [&str; 7] = ["==", "===", "<", ">", "<=", ">=", "is"];

fn duplicate(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = view.parsed() else { return Vec::new() };
    let mut hits = Vec::new();
    added(view, parsed, |node| {
        let Some((left, operator, right)) = binary(parsed, node) else { return };
        let twin = if LOGICAL.contains(&operator) {
            // Each operator of a chain looks at the operands to its left, so a pair is reported once.
            let mut operands = Vec::new();
            chain(parsed, &left, operator, &mut operands);
            operands.iter().any(|operand| same(parsed, operand, &right))
                && operands.iter().all(|operand| is_pure(parsed, operand))
        } else {
            ARITHMETIC.contains(&operator) && same(parsed, &left, &right)
        };
        if twin && is_pure(parsed, &right) && !is_literal(&right) && !is_macro(parsed, &right) {
            hits.push(hit(parsed, node, operator, &right));
        }
    });
    hits
}

fn comparison(view: &FileView<'_>) -> Vec<Hit> {
    let Some(parsed) = view.parsed() else { return Vec::new() };
    let mut hits = Vec::new();
    added(view, parsed, |node| {
        let Some((left, operator, right)) = binary(parsed, node) else { return };
        let wanted = COMPARING.contains(&operator) && same(parsed, &left, &right) && is_pure(parsed, &right);
        if wanted && !is_literal(&right) && !is_macro(parsed, &right) {
            hits.push(hit(parsed, node, operator, &right));
        }
    });
    hits
}

fn hit(parsed: &Parsed, node: &Node<'_>, operator: &str, operand: &Node<'_>) -> Hit {
    Hit::in_source(parsed, node.range()).with("operand", text(parsed, operand)).with("operator", operator)
}

/// The sides of a binary expression and what stands between them.
fn binary<'p>(parsed: &'p Parsed, node: &Node<'p>) -> Option<(Node<'p>, &'p str, Node<'p>)> {
    let (left, right) = match &*node.kind() {
        "binary_expression" | "binary_operator" | "boolean_operator" | "binary" => {
            (node.field("left")?, node.field("right")?)
        }
        "comparison_operator" => {
            let [left, right] = <[Node<'p>; 2]>::try_from(parts(node)).ok()?;
            (left, right)
        }
        _ => return None,
    };
    let operator = parsed.source().get(left.range().end..right.range().start)?.trim();
    Some((left, operator, right))
}

/// The operands of `a && b && c`, in order.
fn chain<'p>(parsed: &'p Parsed, node: &Node<'p>, operator: &str, operands: &mut Vec<Node<'p>>) {
    let mut rest = vec![node.clone()];
    while let Some(node) = rest.pop() {
        match binary(parsed, &node) {
            Some((left, inner, right)) if inner == operator => rest.extend([right, left]),
            _ => operands.push(node),
        }
    }
}

/// Equal but for white space and parentheses.
fn same(parsed: &Parsed, a: &Node<'_>, b: &Node<'_>) -> bool {
    let fold = |node: &Node<'_>| text(parsed, &bare(node)).split_whitespace().collect::<Vec<_>>().join(" ");
    fold(a) == fold(b)
}

/// Whether reading it twice gives the same: no call, no assignment, no macro, no read through a raw pointer.
fn is_pure(parsed: &Parsed, node: &Node<'_>) -> bool {
    let mut pure = true;
    within(node, |node| {
        let kind = node.kind();
        pure &= !(kind.contains("call")
            || kind.contains("invocation")
            || kind.contains("assignment")
            || kind.contains("update")
            || kind.contains("increment")
            || kind.contains("await")
            || kind.contains("yield")
            || kind.contains("creation")
            || kind.contains("comment")
            || kind.contains("ERROR")
            || matches!(
                &*kind,
                "new_expression"
                    | "try_expression"
                    | "subshell"
                    | "pointer_expression"
                    | "shell_command_expression"
                    | "receive_expression"
                    | "named_expression"
                    | "regex"
            )
            || (kind == "unary_expression" && text(parsed, node).starts_with("<-")));
        // A method without arguments looks like a field in Ruby.
        if parsed.language() == Language::Ruby && kind == "identifier" {
            pure = false;
        }
        pure
    });
    pure
}

fn is_literal(node: &Node<'_>) -> bool {
    let node = bare(node);
    let kind = node.kind();
    kind.contains("literal")
        || kind.contains("integer")
        || kind.contains("float")
        || kind.contains("string")
        || matches!(&*kind, "number" | "true" | "false" | "null" | "nil" | "none" | "undefined" | "character" | "char")
}

/// A name in capitals may be a macro or a build-time constant, equal by accident of the configuration.
fn is_macro(parsed: &Parsed, node: &Node<'_>) -> bool {
    let name = text(parsed, &bare(node));
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
