//! Facts of the innermost symbol around a place: a function, a type, a module or a macro.

use super::{Fact, FactInput, FactKind, FactValue, Unsound, with_outline};
use crate::syntax::{Parsed, Symbol};

pub(super) const IS_NEW: Fact = Fact {
    name: "is_new_symbol",
    help: "Whether the change declared the innermost function or type around the place: its declaration is an added \
           line and the base has none of its path and kind left. A renamed one is new. Unknown outside of any and in \
           broken code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match is_new(input) {
        Ok(Some(is_new)) => FactValue::Bool(is_new),
        _ => FactValue::Unknown,
    },
};

pub(super) const IS_PUBLIC: Fact = Fact {
    name: "is_public",
    help: "Whether code elsewhere can name the innermost function or type around the place, by the rules of the \
           language: `pub`, `export`, upper case, no underscore. What is inside a function or a private type is not. \
           Unknown where the file alone does not tell, outside of any symbol and in broken code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match input.symbol(|_| true) {
        Ok(Some((new, index))) => new.symbols()[index].public.map_or(FactValue::Unknown, FactValue::Bool),
        _ => FactValue::Unknown,
    },
};

pub(super) const HAS_DOCSTRING: Fact = Fact {
    name: "has_docstring",
    help: "Whether the innermost function or type around the place is documented in any form: a docstring, a comment \
           directly above, on the line of the declaration, or first in the body. Unknown outside of any and in broken \
           code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match input.symbol(|_| true) {
        Ok(Some((new, index))) => FactValue::Bool(is_documented(new, &new.symbols()[index])),
        _ => FactValue::Unknown,
    },
};

fn is_new(input: &FactInput<'_>) -> Result<Option<bool>, Unsound> {
    let Some((new, index)) = input.symbol(|_| true)? else { return Ok(None) };
    if !(input.is_added)(new.symbols()[index].line) {
        return Ok(Some(false));
    }
    input.before(new, index).map(|before| Some(before.is_none()))
}

fn is_documented(new: &Parsed, symbol: &Symbol) -> bool {
    if symbol.doc.is_some() {
        return true;
    }
    // From the declaration to the first code of the body: past its opening line and blank lines.
    let head = symbol.bytes.start..symbol.body_bytes.start.max(symbol.bytes.start);
    let opening = symbol.body.map_or(symbol.end_line, |(first, _)| first);
    new.comments((symbol.line, symbol.end_line)).any(|comment| {
        let between = head.end..comment.start.max(head.end);
        let only_opens = |text: &str| text.trim_start_matches(['{', ':', '=', '>']).trim().is_empty();
        new.line_of(comment.start) <= opening || new.source().get(between).is_some_and(only_opens)
    })
}
