//! What changed in each symbol, said in its signatures: deterministic, where the paper asks a model (SWE-PRBench,
//! section 4.3, "key changes summary").

use super::moves::{self, Moving};
use crate::diff::{FileChange, Lines, Status};
use crate::syntax::{Parsed, Symbol, delta};

/// The order in which changes are told.
pub(super) mod order {
    pub(in crate::context) const SIGNATURE: u8 = 0;
    pub(in crate::context) const REMOVED: u8 = 1;
    pub(in crate::context) const ADDED: u8 = 2;
    pub(in crate::context) const MOVED: u8 = 3;
    pub(in crate::context) const BODY: u8 = 4;
}

/// A change of a symbol.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) text: String,
    /// Its lines on the old side.
    pub(super) old: Option<Lines>,
    /// Its lines on the new side.
    pub(super) new: Option<Lines>,
    /// One of [`order`].
    pub(super) order: u8,
    /// Set where it is removed or added, and may be found elsewhere.
    pub(super) moving: Option<Moving>,
}

/// The changes of a file. `clean` makes a text of the file fit to be shown.
pub(super) fn entries(
    old: Option<&Parsed>,
    new: Option<&Parsed>,
    change: &FileChange,
    clean: &mut dyn FnMut(&str) -> String,
) -> Vec<Entry> {
    let mut teller = Teller { entries: Vec::new(), clean };
    match (old, new) {
        (Some(old), Some(new)) if !old.has_any_error() && !new.has_any_error() => teller.compare(old, new, change),
        (None, Some(new)) if change.status == Status::Added && !new.has_any_error() => {
            new.symbols().iter().for_each(|symbol| teller.alone(order::ADDED, new, symbol));
        }
        (Some(old), None) if change.status == Status::Deleted && !old.has_any_error() => {
            old.symbols().iter().for_each(|symbol| teller.alone(order::REMOVED, old, symbol));
        }
        _ => {}
    }
    let mut entries = teller.entries;
    entries.sort_by_key(|entry| entry.order);
    entries
}

struct Teller<'c> {
    entries: Vec<Entry>,
    clean: &'c mut dyn FnMut(&str) -> String,
}

impl Teller<'_> {
    fn compare(&mut self, old: &Parsed, new: &Parsed, change: &FileChange) {
        let delta = delta(old, new);
        let mut is_changed = vec![false; new.symbols().len()];
        for (before, after, changed) in delta.changed {
            is_changed[after] = true;
            let (before, after) = (&old.symbols()[before], &new.symbols()[after]);
            let (order, text) = if changed.signature {
                let (before, after) = ((self.clean)(&before.signature), (self.clean)(&after.signature));
                (order::SIGNATURE, format!("~ {before} -> {after}"))
            } else {
                (order::BODY, format!("~ body of {}", (self.clean)(&named(after))))
            };
            self.add(order, text, Some(before), Some(after));
        }
        delta.removed.iter().for_each(|index| self.alone(order::REMOVED, old, &old.symbols()[*index]));
        delta.added.iter().for_each(|index| self.alone(order::ADDED, new, &new.symbols()[*index]));
        for (index, before) in delta.pairs.iter().enumerate().filter(|(index, _)| !is_changed[*index]) {
            let Some(before) = before.map(|before| &old.symbols()[before]) else { continue };
            let after = &new.symbols()[index];
            // What stands in a symbol that is moved is moved with it.
            let is_told = self.entries.last().is_some_and(|last| {
                last.order == order::MOVED && last.new.is_some_and(|lines| lines.contains(after.end_line))
            });
            if !is_told
                && moves::is_moved(span(before), span(after), change.hunks())
                && moves::body(old, before) == moves::body(new, after)
            {
                let text = format!("= {} moved within the file, unchanged", (self.clean)(&signed(after)));
                self.add(order::MOVED, text, Some(before), Some(after));
            }
        }
    }

    fn add(&mut self, order: u8, text: String, before: Option<&Symbol>, after: Option<&Symbol>) {
        let (old, new) = (before.map(span), after.map(span));
        self.entries.push(Entry { text, old, new, order, moving: None });
    }

    /// A symbol of one side alone.
    fn alone(&mut self, order: u8, parsed: &Parsed, symbol: &Symbol) {
        let (sign, sides) = match order {
            order::REMOVED => ('-', (Some(symbol), None)),
            _ => ('+', (None, Some(symbol))),
        };
        let text = format!("{sign} {}", (self.clean)(&signed(symbol)));
        self.add(order, text, sides.0, sides.1);
        let owner = symbol.path.rsplit_once('.').map_or("", |(owner, _)| owner);
        let (signed, owner) = ((self.clean)(&symbol.signature), (self.clean)(owner));
        if let Some(entry) = self.entries.last_mut() {
            entry.moving = Some(Moving { body: moves::body(parsed, symbol), signed, owner });
        }
    }
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
