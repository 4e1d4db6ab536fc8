//! What changed in each symbol, said in its signatures: deterministic, where the paper asks a model (SWE-PRBench,
//! section 4.3, "key changes summary").

use crate::diff::{FileChange, Lines, Status};
use crate::syntax::{Parsed, Symbol, delta};

/// A change of a symbol.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) text: String,
    /// Its lines on the old side.
    pub(super) old: Option<Lines>,
    /// Its lines on the new side.
    pub(super) new: Option<Lines>,
    /// Signatures first, then removals, additions, bodies.
    pub(super) order: u8,
}

/// The changes of a file. `clean` makes a text of the file fit to be shown.
pub(super) fn entries(
    old: Option<&Parsed>,
    new: Option<&Parsed>,
    change: &FileChange,
    clean: &mut dyn FnMut(&str) -> String,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |order: u8, text: String, before: Option<&Symbol>, after: Option<&Symbol>| {
        entries.push(Entry { text, old: before.map(span), new: after.map(span), order });
    };
    match (old, new) {
        (Some(old), Some(new)) if !old.has_any_error() && !new.has_any_error() => {
            let delta = delta(old, new);
            for (before, after, changed) in delta.changed {
                let (before, after) = (&old.symbols()[before], &new.symbols()[after]);
                if changed.signature {
                    let text = format!("~ {} -> {}", clean(&before.signature), clean(&after.signature));
                    add(0, text, Some(before), Some(after));
                } else {
                    add(3, format!("~ body of {}", clean(&named(after))), Some(before), Some(after));
                }
            }
            for symbol in delta.removed.iter().map(|index| &old.symbols()[*index]) {
                add(1, format!("- {}", clean(&signed(symbol))), Some(symbol), None);
            }
            for symbol in delta.added.iter().map(|index| &new.symbols()[*index]) {
                add(2, format!("+ {}", clean(&signed(symbol))), None, Some(symbol));
            }
        }
        (None, Some(new)) if change.status == Status::Added && !new.has_any_error() => {
            for symbol in new.symbols() {
                add(2, format!("+ {}", clean(&signed(symbol))), None, Some(symbol));
            }
        }
        (Some(old), None) if change.status == Status::Deleted && !old.has_any_error() => {
            for symbol in old.symbols() {
                add(1, format!("- {}", clean(&signed(symbol))), Some(symbol), None);
            }
        }
        _ => {}
    }
    entries.sort_by_key(|entry| entry.order);
    entries
}

fn span(symbol: &Symbol) -> Lines {
    Lines { first: symbol.first_line.get(), count: symbol.end_line.get() + 1 - symbol.first_line.get() }
}

fn named(symbol: &Symbol) -> String {
    format!("{} {}", symbol.kind.name(), symbol.path)
}

/// The signature, with its owner where it has one.
fn signed(symbol: &Symbol) -> String {
    match symbol.path.rsplit_once('.') {
        Some((owner, _)) => format!("{owner}: {}", symbol.signature),
        None => symbol.signature.clone(),
    }
}
