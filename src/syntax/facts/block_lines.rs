//! How long the block is that a place is about.

use super::place::around;
use super::{Fact, FactInput, FactKind, FactValue, Unsound, with_outline};
use crate::syntax::Parsed;

pub(super) const BLOCK_LINES: Fact = Fact {
    name: "block_lines",
    help: "Lines of the block that a place may be about: as many as the place has, or as there are from its first line \
           to the end of the innermost block or of the statement that starts there, whichever is more. Unknown outside \
           a function and in broken code.",
    kind: FactKind::Number,
    applies: with_outline,
    compute: |input| match input.symbol(|symbol| symbol.kind.is_function()) {
        Ok(Some((new, index))) => FactValue::Number(f64::from(longest(input, new, index))),
        Ok(None) | Err(Unsound) => FactValue::Unknown,
    },
};

fn longest(input: &FactInput<'_>, new: &Parsed, index: usize) -> u32 {
    let function = &new.symbols()[index];
    let first = input.lines.0;
    let line = new.line_range(first);
    let text = new.source().get(line.clone()).unwrap_or_default();
    let start = line.start + text.len() - text.trim_start().len();
    let is_block = |kind: &str| {
        ["block", "compound_statement", "body", "statement_list"].iter().any(|end| kind.ends_with(end))
            || matches!(kind, "body_statement" | "then" | "do" | "else" | "ensure")
    };
    let path = around(new, &(start..start + 1));
    let inside = path.iter().filter(|node| function.bytes.start <= node.start_byte());
    let block = inside.clone().rfind(|node| is_block(node.kind()) && node.start_byte() < start);
    let statement = inside.clone().find(|node| node.start_byte() == start);
    let ends = [block, statement].into_iter().flatten().map(|node| new.line_of(node.end_byte().saturating_sub(1)));
    // The function itself where the place is its head.
    let end = ends.max().unwrap_or(function.end_line).min(function.end_line);
    end.max(input.lines.1).get().saturating_sub(first.get()) + 1
}
