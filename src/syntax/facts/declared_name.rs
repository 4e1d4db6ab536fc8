//! Variables that the change declares.

use super::place::{assigns, bytes, field, parts, scope, visit};
use super::{Fact, FactInput, FactKind, FactValue, with_outline};
use crate::syntax::shapes::{Raw, text};
use crate::syntax::{Language, Parsed};

pub(super) const DECLARES_NAME: Fact = Fact {
    name: "declares_name",
    help: "Whether the change declares a variable or a parameter on the lines, outside the heads of loops, handlers and \
           `with`. Where assigning declares, only the first assignment of the function does. Unknown in broken code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match input.sound() {
        Some(new) => declared(new, input).map_or(FactValue::Unknown, |names| FactValue::Bool(!names.is_empty())),
        None => FactValue::Unknown,
    },
};

pub(super) const NAME_LENGTH: Fact = Fact {
    name: "name_length",
    help: "Characters of the shortest name for which `declares_name` holds. Unknown where it does not.",
    kind: FactKind::Number,
    applies: with_outline,
    compute: |input| {
        let names = input.sound().and_then(|new| declared(new, input)).unwrap_or_default();
        let lengths = names.iter().map(|name| name.trim_start_matches('$').chars().count());
        lengths.min().map_or(FactValue::Unknown, |length| FactValue::Number(length as f64))
    },
};

/// More declarations than this on the lines of one claim are not read, nor more names.
const MOST: usize = 64;

/// The names; `None` if there are too many.
fn declared<'s>(new: &'s Parsed, input: &FactInput<'_>) -> Option<Vec<&'s str>> {
    let source = new.source();
    let place = bytes(input, new);
    let mut names: Vec<Raw<'_>> = Vec::new();
    let mut read = 0;
    visit(new, &place, |node, around| {
        let targets = if read < MOST { targets(node) } else { Vec::new() };
        if targets.is_empty() {
            return;
        }
        read += 1;
        if !is_header(node, around) {
            targets.into_iter().for_each(|target| in_pattern(target, &mut names));
        }
    });
    if read >= MOST || names.len() >= MOST {
        return None;
    }
    let assigning = matches!(new.language(), Language::Python | Language::Ruby | Language::Php);
    let scope = scope(new, input.lines.0);
    names.retain(|name| {
        let (start, written) = (name.start_byte(), text(*name, source));
        let is_here = place.start <= start && start < place.end && (input.is_added)(new.line_of(start));
        let before = source.get(scope.start..start).unwrap_or_default();
        let is_name = written.trim_start_matches('$').chars().any(|c| c != '_');
        is_here && is_name && !(assigning && assigns(before, written))
    });
    Some(names.into_iter().map(|name| text(name, source)).collect())
}

/// What a node declares: names, or patterns of names.
fn targets(node: Raw<'_>) -> Vec<Raw<'_>> {
    let only = |name: &str| field(node, &[name]).into_iter().collect();
    match node.kind() {
        "assignment" | "assignment_expression" | "short_var_declaration" => only("left"),
        "named_expression"
        | "variable_declarator"
        | "var_spec"
        | "typed_default_parameter"
        | "default_parameter"
        | "formal_parameter"
        | "simple_parameter"
        | "optional_parameter_name"
        | "keyword_parameter" => only("name"),
        "parameter" => field(node, &["pattern", "name"]).into_iter().collect(),
        "required_parameter" | "optional_parameter" => field(node, &["pattern", "name"]).into_iter().collect(),
        "let_declaration" => only("pattern"),
        "init_declarator" => only("declarator"),
        "declaration" | "parameter_declaration" => {
            let mut cursor = node.walk();
            let go = node.children_by_field_name("name", &mut cursor).collect::<Vec<_>>();
            let declarators = node.children_by_field_name("declarator", &mut cursor);
            // A prototype declares no variable; what has a value is an `init_declarator`.
            let plain = declarators.filter(|part| !matches!(part.kind(), "function_declarator" | "init_declarator"));
            plain.collect::<Vec<_>>().into_iter().chain(go).collect()
        }
        "parameters"
        | "lambda_parameters"
        | "formal_parameters"
        | "inferred_parameters"
        | "closure_parameters"
        | "method_parameters" => parts(node)
            .into_iter()
            .flat_map(|part| match part.kind() {
                "typed_parameter" => parts(part).into_iter().next(),
                "assignment_pattern" => field(part, &["left"]),
                _ => Some(part),
            })
            .filter(|part| part.kind() == "identifier" || part.kind().ends_with("_pattern"))
            .collect(),
        _ => Vec::new(),
    }
}

/// Every name of a pattern. What names a field or a type is none of its own.
fn in_pattern<'t>(target: Raw<'t>, names: &mut Vec<Raw<'t>>) {
    let mut open = vec![target];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "variable_name" => names.push(node),
            "pair_pattern" => open.extend(field(node, &["value"])),
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "expression_list"
            | "array_pattern"
            | "object_pattern"
            | "left_assignment_list"
            | "pointer_declarator"
            | "reference_declarator"
            | "array_declarator"
            | "mut_pattern"
            | "ref_pattern"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "rest_pattern" => {
                open.extend(match node.kind() {
                    "array_declarator" => field(node, &["declarator"]).into_iter().collect(),
                    _ => parts(node),
                });
            }
            _ => {}
        }
        if names.len() >= MOST {
            return;
        }
    }
}

/// Whether a node stands in the head of a loop, a handler, a `with`, or names the receiver of a method.
fn is_header(node: Raw<'_>, around: &[Raw<'_>]) -> bool {
    around.iter().rev().take(8).any(|outer| {
        let kind = outer.kind();
        let is_loop = kind.starts_with("for") || kind.starts_with("enhanced_for") || kind.ends_with("comprehension");
        let has_head = is_loop || matches!(kind, "catch_clause" | "except_clause" | "rescue" | "with_statement");
        let is_receiver = || {
            field(*outer, &["receiver"]).is_some_and(|receiver| {
                kind == "method_declaration"
                    && receiver.start_byte() <= node.start_byte()
                    && node.end_byte() <= receiver.end_byte()
            })
        };
        let before_body = || {
            let body = field(*outer, &["body"]).or_else(|| parts(*outer).pop());
            body.is_some_and(|body| node.end_byte() <= body.start_byte())
        };
        // A list of parameters is called `formal_parameters`, which starts like a loop.
        (has_head && !kind.starts_with("formal") && before_body()) || is_receiver()
    })
}
