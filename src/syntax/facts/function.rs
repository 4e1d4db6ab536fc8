//! Facts of the innermost function around a place.

use super::{Fact, FactInput, FactKind, FactValue, Unsound, with_outline};
use crate::syntax::Symbol;

pub(super) const LINES: Fact = Fact {
    name: "function_lines",
    help: "Lines of the innermost function around the place, from its declaration to its end, decorators not counted. \
           Unknown outside a function and in broken code.",
    kind: FactKind::Number,
    applies: with_outline,
    compute: |input| match lengths(input) {
        Ok(Some((_, after))) => FactValue::Number(after),
        _ => FactValue::Unknown,
    },
};

pub(super) const LINES_BEFORE: Fact = Fact {
    name: "function_lines_before",
    help: "Lines of the same function at the base, 0 if the change made it. Unknown where `function_lines` is, and \
           where the old side is broken.",
    kind: FactKind::Number,
    applies: with_outline,
    compute: |input| match lengths(input) {
        Ok(Some((Some(before), _))) => FactValue::Number(before),
        _ => FactValue::Unknown,
    },
};

pub(super) const CROSSED: Fact = Fact {
    name: "function_crossed",
    help: "`function_crossed: 50` holds if the change carried the function across 50 lines: at most 50 before (0 if it \
           is new), more now. Unknown where `function_lines_before` is.",
    kind: FactKind::Crossing,
    applies: with_outline,
    compute: |input| match lengths(input) {
        Ok(Some((Some(before), after))) => FactValue::Crossing { before, after },
        _ => FactValue::Unknown,
    },
};

pub(super) const IN_FUNCTION: Fact = Fact {
    name: "in_function",
    help: "Name of the innermost function around the place, without its class; empty outside a function. Unknown in \
           broken code.",
    kind: FactKind::Text,
    applies: with_outline,
    compute: |input| match input.symbol(is_function) {
        Ok(Some((new, index))) => FactValue::Text(new.symbols()[index].name.clone()),
        Ok(None) => FactValue::Text(String::new()),
        Err(Unsound) => FactValue::Unknown,
    },
};

fn is_function(symbol: &Symbol) -> bool {
    symbol.kind.is_function()
}

/// Lines before, if they can be told, and after.
fn lengths(input: &FactInput<'_>) -> Result<Option<(Option<f64>, f64)>, Unsound> {
    let Some((new, index)) = input.symbol(is_function)? else { return Ok(None) };
    let count = |symbol: &Symbol| f64::from(symbol.line_count());
    let before = input.before(new, index).ok().map(|before| before.map_or(0.0, count));
    Ok(Some((before, count(&new.symbols()[index]))))
}
