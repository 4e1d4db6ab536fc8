//! How often a literal is repeated.

use std::collections::BTreeMap;

use super::place::{bytes, field, visit};
use super::{Fact, FactKind, FactValue, with_outline};
use crate::syntax::Parsed;
use crate::syntax::shapes::{Raw, text};

pub(super) const LITERAL_REPEATS: Fact = Fact {
    name: "literal_repeats",
    help: "How often the most frequent literal of the lines stands in expressions of the file, at most 100; 0 without \
           one. Not counted are definitions of constants, entries of collections, docstrings, imports, annotations and \
           types; 0, 1, -1, 2, 10, 100 and the empty text are no literals. Unknown where the only texts on the lines \
           hold code, and in broken code.",
    kind: FactKind::Number,
    applies: with_outline,
    compute: |input| match input.sound() {
        Some(new) => {
            let (mut counts, holds_code) = literals(new, input);
            count(new, &mut counts);
            match counts.values().max() {
                None if holds_code => FactValue::Unknown,
                most => FactValue::Number(f64::from(most.copied().unwrap_or(0))),
            }
        }
        None => FactValue::Unknown,
    },
};

/// As often as a literal is counted, and as many places as are looked at.
const MOST: u32 = 100;
const MOST_PLACES: u32 = 10_000;

/// The literals of a place, none counted yet, and whether there is a text with code in it.
fn literals(new: &Parsed, input: &super::FactInput<'_>) -> (BTreeMap<String, u32>, bool) {
    let (mut counts, mut holds_code) = (BTreeMap::new(), false);
    visit(new, &bytes(input, new), |node, _| match literal(new, node) {
        Some(Literal::Plain(written)) => _ = counts.insert(written, 0),
        Some(Literal::HoldsCode) => holds_code = true,
        None => {}
    });
    (counts, holds_code)
}

fn count(new: &Parsed, counts: &mut BTreeMap<String, u32>) {
    if counts.is_empty() {
        return;
    }
    let mut places = 0;
    visit(new, &(0..new.source().len()), |node, around| {
        let Some(Literal::Plain(written)) = literal(new, node) else { return };
        let Some(count) = counts.get_mut(&written).filter(|count| **count < MOST) else { return };
        places += 1;
        if places < MOST_PLACES && is_expression(new, node, around) {
            *count += 1;
        }
    });
}

enum Literal {
    /// A number, or a text without its quotes behind a quote.
    Plain(String),
    HoldsCode,
}

fn literal(new: &Parsed, node: Raw<'_>) -> Option<Literal> {
    let (row, kind) = (new.language().row(), node.kind());
    let written = text(node, new.source());
    if row.strings.contains(&kind) {
        if matches!(kind, "jsx_text" | "system_lib_string" | "template_literal_type" | "shell_command_expression") {
            return None;
        }
        let mut cursor = node.walk();
        if node.named_children(&mut cursor).any(|child| row.interpolations.contains(&child.kind())) {
            return Some(Literal::HoldsCode);
        }
        let quotes = ['"', '\'', '`'];
        let inner = written.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '#' | '@' | '$'));
        let inner = inner.trim_end_matches('#').trim_matches(quotes);
        return (!inner.is_empty()).then(|| Literal::Plain(format!("\"{inner}")));
    }
    let is_number = matches!(kind, "integer" | "float" | "number")
        || (kind.ends_with("_literal") && written.starts_with(|c: char| c.is_ascii_digit() || c == '.'));
    if !is_number || node.named_child_count() > 0 {
        return None;
    }
    let plain: String = written.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    let digits = plain.trim_end_matches(['l', 'u', 'f', 'd', 'm']);
    let trivial = digits.parse::<f64>().is_ok_and(|value| [0.0, 1.0, 2.0, 10.0, 100.0].contains(&value));
    (!trivial).then_some(Literal::Plain(plain))
}

/// Whether a literal stands in an expression, and not where it is defined, listed, imported or part of a type.
fn is_expression(new: &Parsed, node: Raw<'_>, around: &[Raw<'_>]) -> bool {
    let source = new.source();
    let row = new.language().row();
    let mut inner = node;
    for outer in around.iter().rev() {
        let kind = outer.kind();
        let elsewhere = TABLES.contains(&kind)
            || row.annotations.contains(&kind)
            || [
                "const_",
                "static_item",
                "preproc_",
                "enumerator",
                "enum_",
                "import",
                "include",
                "use_declaration",
                "literal_type",
            ]
            .iter()
            .any(|start| kind.starts_with(start));
        let is_docstring = kind == "expression_statement" && inner == node;
        if elsewhere || is_docstring || is_constant(*outer, inner, source) {
            return false;
        }
        inner = *outer;
    }
    true
}

const TABLES: [&str; 19] = [
    "list",
    "tuple",
    "dictionary",
    "set",
    "array",
    "object",
    "array_initializer",
    "initializer_list",
    "initializer_expression",
    "literal_value",
    "array_expression",
    "array_creation_expression",
    "hash",
    "string_array",
    "symbol_array",
    "collection_expression",
    "array_creation",
    "element_value_array_initializer",
    "attribute_item",
];

/// Whether a node gives a constant the value `inner`.
fn is_constant(outer: Raw<'_>, inner: Raw<'_>, source: &str) -> bool {
    let target = match outer.kind() {
        "assignment" | "assignment_expression" => field(outer, &["left"]),
        "variable_declarator" => field(outer, &["name"]),
        "init_declarator" => field(outer, &["declarator"]),
        _ => None,
    };
    if let Some(target) = target.filter(|target| *target != inner) {
        let name = text(target, source).trim_start_matches(['$', '*']);
        let upper = name.chars().any(|c| c.is_uppercase()) && !name.chars().any(|c| c.is_lowercase());
        if upper {
            return true;
        }
    }
    let declares = matches!(
        outer.kind(),
        "declaration"
            | "field_declaration"
            | "lexical_declaration"
            | "local_declaration_statement"
            | "local_variable_declaration"
            | "property_declaration"
    );
    let head = || source.get(outer.start_byte()..inner.start_byte().min(outer.start_byte() + 80)).unwrap_or_default();
    let is_const = || {
        head()
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| matches!(word, "const" | "constexpr" | "final" | "readonly"))
    };
    let defines = || source.get(outer.start_byte()..).is_some_and(|text| text.starts_with("define("));
    (declares && is_const()) || (outer.kind() == "function_call_expression" && defines())
}
