//! Whether a divisor may be zero.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::divisor::{MOST, divisions, identifiers, is_constant};
use super::guard::{Effect, Guard, Subject, Told, guard};
use super::place::{
    MOST_MENTIONS, around, assigns, bare, bytes, call, field, is_nonzero, mentions, operation, parts, rest_of_line,
    squeezed, start_of_line, words,
};
use super::{Fact, FactInput, FactKind, FactValue, hints, with_outline};
use crate::syntax::shapes::{Raw, text};
use crate::syntax::{Language, Parsed};

pub(super) const DIVISOR_GUARDED: Fact = Fact {
    name: "divisor_guarded",
    help: "Whether every divisor on the lines is other than zero: by construction (`max(x, 1)`, `x or 1`), or by a \
           test, an early return, an assertion or a handler of the error before it in the function. Unknown where \
           something tests the divisor in another way, where only a call, a field or a table knows its value, without a \
           division and in broken code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match input.sound() {
        Some(new) => guarded(new, input),
        None => FactValue::Unknown,
    },
};

fn guarded(new: &Parsed, input: &FactInput<'_>) -> FactValue {
    let divisions = divisions(new, &bytes(input, new));
    if divisions.found.is_empty() || divisions.hidden || divisions.found.len() > MOST {
        return FactValue::Unknown;
    }
    let weakest = divisions.found.iter().map(|division| {
        let guard = of_divisor(new, division.divisor);
        if division.sure { guard } else { guard.max(Guard::Perhaps) }
    });
    match weakest.min() {
        Some(Guard::Sure) => FactValue::Bool(true),
        Some(Guard::None) => FactValue::Bool(false),
        _ => FactValue::Unknown,
    }
}

/// How well the divisor at these bytes is guarded.
pub fn divisor_guard(parsed: &Parsed, divisor: &Range<usize>) -> Guard {
    around(parsed, divisor).last().map_or(Guard::Perhaps, |node| of_divisor(parsed, *node))
}

fn of_divisor(new: &Parsed, divisor: Raw<'_>) -> Guard {
    let source = new.source();
    let node = converted(divisor, source);
    if is_safe(node, source) {
        return Guard::Sure;
    }
    if is_constant(node, source) == Some(false) {
        return Guard::None;
    }
    if let Some((left, "*", right)) = operation(node, source) {
        return of_divisor(new, left).min(of_divisor(new, right));
    }
    if matches!(node.kind(), "conditional_expression" | "ternary_expression" | "conditional") {
        let condition = field(node, &["condition"]).or_else(|| parts(node).get(1).copied());
        let branches = parts(node).into_iter().filter(|part| Some(*part) != condition);
        return branches.map(|branch| of_divisor(new, branch)).min().unwrap_or(Guard::Perhaps);
    }
    let form = Form::of(node, source);
    let subject = Subject {
        condition: &|condition| form.told(new, condition),
        statement: &|statement| form.effect(statement, source),
        spoils: &|text| form.names.iter().any(|name| assigns(text, name)),
        walks: &|_| false,
        failures: &["ZeroDivision", "ArithmeticException", "ArithmeticError", "DivideByZero", "DivisionByZero"],
    };
    let found = guard(new, &node.byte_range(), &subject);
    if found == Guard::Sure {
        return found;
    }
    found.max(form.elsewhere(new, node))
}

/// What is left of a divisor without conversions, which keep a zero a zero.
fn converted<'t>(node: Raw<'t>, source: &str) -> Raw<'t> {
    let mut node = bare(node);
    loop {
        let inner = match node.kind() {
            "cast_expression" | "type_cast_expression" => field(node, &["value"]).or_else(|| parts(node).pop()),
            "as_expression" | "non_null_expression" => parts(node).first().copied(),
            _ => call(node, source).and_then(|call| match (call.name, &call.arguments[..]) {
                (
                    "float" | "int" | "float32" | "float64" | "int32" | "int64" | "uint64" | "Number" | "Float" | "abs"
                    | "double" | "static_cast" | "Decimal" | "floatval" | "intval",
                    [only],
                ) => Some(*only),
                ("to_f" | "to_i" | "abs" | "doubleValue" | "intValue" | "longValue" | "toDouble", []) => call.receiver,
                _ => None,
            }),
        };
        match inner {
            Some(inner) => node = bare(inner),
            None => return node,
        }
    }
}

/// Whether an expression is other than zero, whatever its names hold.
fn is_safe(node: Raw<'_>, source: &str) -> bool {
    let node = bare(node);
    if is_constant(node, source) == Some(true) || node.kind() == "sizeof_expression" {
        return true;
    }
    let literal = |node: Raw<'_>| is_constant(node, source) == Some(true);
    let positive = |node: Raw<'_>| literal(node) && !words(node, source).starts_with('-');
    if let Some((left, operator, right)) = operation(node, source) {
        let small = |node: Raw<'_>| {
            let name = words(node, source).to_ascii_lowercase();
            name.contains("eps") || (positive(node) && (name.contains("e-") || name.starts_with("0.0")))
        };
        return match operator {
            "or" => literal(right),
            // Ruby's `||` and the like replace nothing but a missing value.
            "||" => literal(right) && node.kind() != "binary",
            "+" => small(left) || small(right) || (positive(right) && length_of(left, source).is_some()),
            "*" => is_safe(left, source) && is_safe(right, source),
            _ => false,
        };
    }
    call(node, source).is_some_and(|call| {
        let of_max = matches!(call.name, "max" | "fmax" | "Max" | "maximum");
        let list = call.receiver.filter(|list| matches!(list.kind(), "array" | "list")).map(parts).unwrap_or_default();
        of_max && call.arguments.iter().chain(&list).any(|argument| positive(*argument))
    })
}

/// The collection whose length an expression is.
fn length_of<'t>(node: Raw<'t>, source: &str) -> Option<Raw<'t>> {
    const LENGTHS: [&str; 9] = ["len", "length", "size", "count", "Count", "Length", "strlen", "sizeof", "ssize"];
    let node = bare(node);
    if let Some(call) = call(node, source) {
        let only = || call.arguments.first().copied().filter(|_| call.arguments.len() == 1);
        return LENGTHS.contains(&call.name).then(|| call.receiver.or_else(only)).flatten();
    }
    let name = field(node, &["property", "field", "attribute", "name"])?;
    let whole = field(node, &["object", "argument", "expression", "operand", "value"])?;
    LENGTHS.contains(&text(name, source)).then_some(whole)
}

/// How a divisor is written.
struct Form {
    /// Without white space.
    whole: String,
    /// The collection whose length it is, without white space.
    collection: Option<String>,
    /// Names a line that tests it would mention.
    names: Vec<String>,
}

impl Form {
    fn of(node: Raw<'_>, source: &str) -> Self {
        let whole = words(node, source);
        let collection = length_of(node, source).map(|collection| words(collection, source));
        let simple = operation(node, source).is_none() && call(node, source).is_none();
        let names = match &collection {
            Some(collection) => vec![collection.clone()],
            None if simple => vec![whole.clone()],
            None => identifiers(node, source).into_iter().map(str::to_owned).collect(),
        };
        Self { whole, collection, names }
    }

    fn is(&self, words: &str) -> bool {
        words == self.whole
    }

    /// What a condition without `and`, `or`, `not` tells of the divisor.
    fn told(&self, new: &Parsed, condition: Raw<'_>) -> Told {
        let source = new.source();
        let whole = words(condition, source);
        let zero_is_false = matches!(
            new.language(),
            Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Tsx
                | Language::C
                | Language::Cpp
                | Language::Php
        );
        let empty_is_false = matches!(new.language(), Language::Python | Language::Php);
        if self.is(&whole) && zero_is_false || self.collection.as_ref() == Some(&whole) && empty_is_false {
            return Told::safe_where(true);
        }
        if let Some((left, operator, right)) = operation(condition, source) {
            let (left, right) = (converted(left, source), converted(right, source));
            let told = match (self.is(&words(left, source)), self.is(&words(right, source))) {
                (true, _) => compared(operator, &words(right, source)),
                (_, true) => compared(mirrored(operator), &words(left, source)),
                _ => None,
            };
            if let Some(side) = told {
                return Told::safe_where(side);
            }
        }
        if let Some(call) = call(condition, source) {
            let about = call.receiver.or_else(|| call.arguments.first().copied()).map(|node| words(node, source));
            let known = about.is_some_and(|about| self.is(&about) || self.collection.as_ref() == Some(&about));
            match call.name {
                "empty" | "empty?" | "is_empty" | "isEmpty" | "zero?" | "is_zero" | "none?" if known => {
                    return Told::safe_where(false);
                }
                "any?" | "present?" | "positive?" | "nonzero?" | "Any" if known => return Told::safe_where(true),
                _ => {}
            }
        }
        let about = text(condition, source);
        Told { mentions: self.names.iter().any(|name| mentions(about, name).next().is_some()), ..Told::default() }
    }

    fn effect(&self, statement: Raw<'_>, source: &str) -> Effect {
        let whole = text(statement, source);
        if !self.names.iter().any(|name| mentions(whole, name).next().is_some()) {
            return Effect::None;
        }
        let asserts = || {
            let head = squeezed(whole.get(..whole.len().min(200)).unwrap_or_default());
            let rest = ASSERTED.find(&head).and_then(|found| head.get(found.end()..)?.strip_prefix(&*self.whole));
            rest.is_some_and(|rest| [">0", "!=0", ">=1", ",0"].iter().any(|sign| rest.starts_with(sign)))
        };
        if (statement.kind().contains("macro") || statement.kind().contains("call")) && asserts() {
            return Effect::Safe;
        }
        if !self.names.iter().any(|name| assigns(whole, name)) {
            return Effect::None;
        }
        let value = field(statement, &["right", "value"]).or_else(|| assigned(statement)).map(bare);
        let own = |value: Raw<'_>| {
            let head = source.get(statement.start_byte()..value.start_byte()).unwrap_or_default();
            let target = head.split([':', '=']).next().and_then(|left| left.split_whitespace().next_back());
            target == Some(self.whole.as_str())
        };
        match value {
            Some(value) if self.collection.is_none() && own(value) && is_made_safe(value, source) => Effect::Safe,
            _ => Effect::Spoilt,
        }
    }

    /// What is not in front of the division but may still tell something of the divisor.
    fn elsewhere(&self, new: &Parsed, node: Raw<'_>) -> Guard {
        let source = new.source();
        if self.names.iter().any(|name| hints::speaks_for(new, &node.byte_range(), name)) {
            return Guard::Perhaps;
        }
        // What a call gives or a table holds is known elsewhere.
        let named = ["identifier", "attribute", "member", "field", "selector", "variable", "constant"];
        let plain = self.collection.is_some()
            || operation(node, source).is_some()
            || (call(node, source).is_none() && named.iter().any(|kind| node.kind().contains(kind)));
        if !plain || (new.language() == Language::Rust && source.contains("NonZero")) {
            return Guard::Perhaps;
        }
        let last = self.whole.rsplit(['.', '>', ':', '@']).next().unwrap_or(&self.whole);
        if is_constant_name(last) {
            return constant_guard(source, last);
        }
        // What a field holds is known where it is set.
        if last != self.whole && self.collection.is_none() { Guard::Perhaps } else { Guard::None }
    }
}

/// The head of an assertion macro.
static ASSERTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:debug_)?assert(?:_ne)?!|ensure!|(?:D?CHECK|EXPECT|ASSERT)(?:_GT|_NE)?)\(")
        .expect("the pattern is a constant that compiles")
});

/// The value a declaration gives: the one child of a kind that holds it.
fn assigned(statement: Raw<'_>) -> Option<Raw<'_>> {
    let mut node = statement;
    // A declaration, its declarator, its value.
    for _ in 0..3 {
        if let Some(value) = field(node, &["value", "right"]) {
            return Some(value);
        }
        node = field(node, &["declarator"]).or_else(|| parts(node).pop())?;
        if node.kind().ends_with("identifier") {
            return None;
        }
    }
    (node.kind() != "block").then_some(node)
}

/// [`is_safe`], of a list of one too.
fn is_made_safe(value: Raw<'_>, source: &str) -> bool {
    let only = if value.kind() == "expression_list" { parts(value).pop().unwrap_or(value) } else { value };
    is_safe(converted(only, source), source)
}

/// On which side of `divisor operator number` the divisor is other than zero.
fn compared(operator: &str, number: &str) -> Option<bool> {
    let number = number.trim();
    let (negative, digits) = number.strip_prefix('-').map_or((false, number), |digits| (true, digits));
    let nonzero = is_nonzero(digits)?;
    let positive = nonzero && !negative;
    match operator {
        "!=" | "!==" | "<>" | "is not" if !nonzero => Some(true),
        "==" | "===" | "is" if !nonzero => Some(false),
        "==" | "===" => Some(true),
        ">" if !negative => Some(true),
        ">=" if positive => Some(true),
        "<=" if !negative => Some(false),
        "<" if positive => Some(false),
        "<" if !nonzero => Some(true),
        _ => None,
    }
}

fn mirrored(operator: &str) -> &str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

fn is_constant_name(name: &str) -> bool {
    name.len() > 1
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// The value the file gives a name in capitals.
fn constant_guard(source: &str, name: &str) -> Guard {
    let values = mentions(source, name).take(MOST_MENTIONS).filter_map(|at| {
        let before = start_of_line(source, at).trim_start();
        let line = rest_of_line(source, at + name.len());
        let line = if before.starts_with('#') { line } else { line.split_once('=')?.1 };
        is_nonzero(line.trim())
    });
    match values.min() {
        Some(true) => Guard::Sure,
        Some(false) => Guard::None,
        None => Guard::Perhaps,
    }
}
