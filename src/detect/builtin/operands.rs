//! An operator with the same thing on both sides.

use super::walk::{bare, parts, same_tokens, text, within};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Language, Node, Parsed};

pub(super) const DUPLICATE: Builtin = Builtin {
    name: "duplicate_operand",
    help: "`a && a`, `a - a`: an operand twice; `{operand}` and `{operator}`",
    captures: &["operand", "operator"],
    reads_comments: false,
    run: Run::Node(duplicate),
};

pub(super) const COMPARISON: Builtin = Builtin {
    name: "self_comparison",
    help: "a comparison of something with itself; `{operand}` and `{operator}`",
    captures: &["operand", "operator"],
    reads_comments: false,
    run: Run::Node(comparison),
};

const LOGICAL: [&str; 4] = ["&&", "||", "and", "or"];
const ARITHMETIC: [&str; 4] = ["-", "/", "%", "^"];
// `!=` is how code asks for NaN.
const COMPARING: [&str; 7] = ["==", "===", "<", ">", "<=", ">=", "is"];

fn duplicate<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    let Some((left, operator, right)) = binary(parsed, node) else { return };
    let twin = if LOGICAL.contains(&operator) {
        // Each operator of a chain looks at the operands to its left, so a pair is reported once.
        let mut operands = Vec::new();
        chain(parsed, &left, operator, &mut operands);
        // `a && a.b && a` is worth `a`: where the value counts, the last operand of a chain is the result.
        if value_counts(parsed.language()) && matches!(operator, "&&" | "and") {
            operands = operands.pop().into_iter().collect();
        }
        operands.iter().any(|operand| same(parsed, operand, &right))
            && operands.iter().all(|operand| is_pure(parsed, operand))
    } else {
        ARITHMETIC.contains(&operator) && same(parsed, &left, &right)
    };
    let known = twin && is_pure(parsed, &right) && !is_literal(&right) && !is_macro(parsed, &right);
    if known && !may_be_template(parsed, node, operator) && !makes_nan(parsed, &right, operator) {
        hits.push(hit(parsed, node, operator, &right));
    }
}

fn comparison<'p>(_: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    let Some((left, operator, right)) = binary(parsed, node) else { return };
    let wanted = COMPARING.contains(&operator) && same(parsed, &left, &right) && is_pure(parsed, &right);
    let known = wanted && !is_literal(&right) && !is_macro(parsed, &right);
    if known && !may_be_template(parsed, node, operator) && !asks_for_nan(parsed, &right, operator) {
        hits.push(hit(parsed, node, operator, &right));
    }
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

/// Whether `&&` gives one of its operands, not a truth value.
const fn value_counts(language: Language) -> bool {
    matches!(language, Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Ruby)
}

/// `zero / zero` and `inf - inf` make a NaN on purpose.
fn makes_nan(parsed: &Parsed, operand: &Node<'_>, operator: &str) -> bool {
    let name = text(parsed, operand).to_ascii_lowercase();
    matches!(operator, "/" | "-" | "%") && (name.contains("zero") || name.contains("inf") || name.contains("nan"))
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
    same_tokens(parsed, &bare(a), &bare(b))
}

/// C++ cannot be parsed without knowing its templates: `a<b> - a<c>` looks like four operands. A `.h` may hold C++ too.
fn may_be_template(parsed: &Parsed, node: &Node<'_>, operator: &str) -> bool {
    let source = parsed.source();
    let after = source.get(node.range().end..).unwrap_or_default().trim_start();
    let before = source.get(..node.range().start).unwrap_or_default().trim_end();
    matches!(parsed.language(), Language::C | Language::Cpp)
        && (matches!(operator, "<" | ">") || after.starts_with('<') || before.ends_with("::") || before.ends_with('>'))
}

/// `x === x` is how JavaScript asks whether a value is not NaN.
fn asks_for_nan(parsed: &Parsed, operand: &Node<'_>, operator: &str) -> bool {
    let script = matches!(parsed.language(), Language::JavaScript | Language::TypeScript | Language::Tsx);
    script && matches!(operator, "==" | "===") && bare(operand).kind() == "identifier"
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
