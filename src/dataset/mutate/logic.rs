//! Operators on conditions: comparisons, connectives, negations.

use super::site::{Edit, Site, bare, is, is_primary, parts};
use crate::syntax::Language;

/// Expressions of two operands and an operator.
pub(super) const BINARY: [&str; 5] =
    ["binary_expression", "binary_operator", "comparison_operator", "boolean_operator", "binary"];

/// An edit of a binary expression's operator.
fn operator(site: &Site<'_, '_>, table: &[(&str, &'static str)]) -> Option<Edit> {
    if !site.is(&BINARY) || site.is_in(&["type", "type_annotation", "template_argument_list", "type_arguments"]) {
        return None;
    }
    site.exchange(table)
}

pub(super) fn boundary(site: &Site<'_, '_>) -> Option<Edit> {
    operator(site, &[("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")])
}

pub(super) fn direction(site: &Site<'_, '_>) -> Option<Edit> {
    operator(site, &[("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")])
}

pub(super) fn equality(site: &Site<'_, '_>) -> Option<Edit> {
    let table = [
        ("==", "!="),
        ("!=", "=="),
        ("===", "!=="),
        ("!==", "==="),
        ("is", "is not"),
        ("is not", "is"),
        ("in", "not in"),
        ("not in", "in"),
    ];
    operator(site, if site.language() == Language::Python { &table } else { &table[..4] })
}

pub(super) fn connective(site: &Site<'_, '_>) -> Option<Edit> {
    operator(site, &[("&&", "||"), ("||", "&&"), ("and", "or"), ("or", "and")])
}

pub(super) fn bits(site: &Site<'_, '_>) -> Option<Edit> {
    let (token, other) = site.token(&[("&", "|"), ("|", "&"), ("<<", ">>"), (">>", "<<")])?;
    // A shift of something unknown may be a stream or an append.
    let is_shift = other.contains(['<', '>']);
    let of_number = parts(site.node).iter().any(|part| site.text(part).starts_with(|c: char| c.is_ascii_digit()));
    let is_number = if is_shift { of_number } else { site.language() != Language::Python || of_number };
    let quoted = site.own().contains(['"', '\'']);
    if !site.is(&BINARY) || !is_number || quoted || site.is_in(&["type", "type_annotation", "generic_type"]) {
        return None;
    }
    site.inside(token.range(), other)
}

/// One part of a conjunction is gone.
pub(super) fn conjunct(site: &Site<'_, '_>) -> Option<Edit> {
    site.token(&[("&&", ""), ("and", "")])?;
    let (left, right) = (site.node.field("left")?, site.node.field("right")?);
    // What may not be evaluated stands on the right, what guards it on the left.
    let guard = site.text(&left).to_ascii_lowercase();
    let guards = ["null", "none", "nil", "undefined", "len", "size", "empty", "count", "defined"];
    let kept = if guards.iter().any(|word| guard.contains(word)) { &right } else { &left };
    if !site.is(&BINARY) || is(&right, &["let_condition"]) || is(&left, &["let_condition"]) {
        return None;
    }
    site.replace(site.text(kept))
}

const DECISIONS: [&str; 9] = [
    "if_statement",
    "if_expression",
    "while_statement",
    "while_expression",
    "if",
    "unless",
    "while",
    "if_modifier",
    "unless_modifier",
];

pub(super) fn negated(site: &Site<'_, '_>) -> Option<Edit> {
    let condition = site.is(&DECISIONS).then(|| site.condition())??;
    let truth = ["true", "false", "True", "False"];
    if !is_primary(&condition) || truth.contains(&site.text(&condition)) {
        return None;
    }
    let not = if site.language() == Language::Python { "not " } else { "!" };
    site.within(&condition, condition.range(), format!("{not}{}", site.text(&condition)))
}

pub(super) fn negation_dropped(site: &Site<'_, '_>) -> Option<Edit> {
    const NOT: [&str; 5] =
        ["unary_expression", "not_operator", "unary", "unary_op_expression", "prefix_unary_expression"];
    if !site.is(&NOT) || site.is_child_of(&NOT) {
        return None;
    }
    let first = site.node.child(0)?;
    let operand = parts(site.node).pop()?;
    if !matches!(site.text(&first), "!" | "not") || is(&bare(&operand), &NOT) {
        return None;
    }
    site.replace(site.text(&operand))
}

pub(super) fn ternary(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&["conditional_expression", "ternary_expression", "conditional"]) {
        return None;
    }
    let fields = site.node.field("consequence").or_else(|| site.node.field("body")).zip(site.node.field("alternative"));
    let (one, other) = match (site.language(), fields) {
        (Language::Python, _) => {
            let [one, _, other] = <[_; 3]>::try_from(parts(site.node)).ok()?;
            (one, other)
        }
        (_, fields) => fields?,
    };
    let (first, second) = (one.range(), other.range());
    let between = site.parsed.source().get(first.end..second.start)?;
    if site.text(&one) == site.text(&other) {
        return None;
    }
    site.inside(first.start..second.end, [site.text(&other), between, site.text(&one)].concat())
}
