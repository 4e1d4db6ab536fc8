//! What a change did to each symbol.

use std::collections::BTreeMap;

use super::Parsed;
use super::outline::{Symbol, SymbolKind};

/// What differs between the two sides of one symbol. White space alone is no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Changed {
    /// Name, parameters, types or modifiers.
    pub signature: bool,
    /// The body; for a type or module what does not belong to a symbol inside it.
    pub body: bool,
}

/// What a change did, by index into [`Parsed::symbols`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delta {
    /// Symbols of the new side without an old one.
    pub added: Vec<usize>,
    /// Symbols of the old side without a new one.
    pub removed: Vec<usize>,
    /// Pairs of old and new index that differ.
    pub changed: Vec<(usize, usize, Changed)>,
    /// The old symbol of each new one, in the order of the new side, whether or not it changed.
    pub pairs: Vec<Option<usize>>,
}

/// Compares two outlines. Symbols are matched by path and kind; among several of one path (overloads, two `impl`s) by
/// the scope they stand in, then by equal signature, then by order.
pub fn delta(old: &Parsed, new: &Parsed) -> Delta {
    let (pairs, removed) = pairs(old, new);
    let added = pairs.iter().enumerate().filter(|(_, old)| old.is_none()).map(|(index, _)| index).collect();
    let inner = (children(old), children(new));
    let changed = pairs.iter().enumerate().filter_map(|(index, before)| {
        let before = (*before)?;
        let changed = Changed {
            signature: !same_words(&old.symbols()[before].signature, &new.symbols()[index].signature),
            body: !body_words(old, before, &inner.0[before]).eq(body_words(new, index, &inner.1[index])),
        };
        (changed != Changed::default()).then_some((before, index, changed))
    });
    let changed = changed.collect();
    Delta { added, removed, changed, pairs }
}

/// The old symbol of each new one, and the old ones left over.
fn pairs(old: &Parsed, new: &Parsed) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut groups: BTreeMap<_, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (index, symbol) in old.symbols().iter().enumerate() {
        groups.entry((symbol.path.as_str(), symbol.kind)).or_default().0.push(index);
    }
    for (index, symbol) in new.symbols().iter().enumerate() {
        groups.entry((symbol.path.as_str(), symbol.kind)).or_default().1.push(index);
    }
    let mut pairs = vec![None; new.symbols().len()];
    let mut removed = Vec::new();
    for (before, after) in groups.into_values() {
        removed.append(&mut pair(old, new, before, after, |old, new| pairs[new] = Some(old)));
    }
    removed.sort_unstable();
    (pairs, removed)
}

/// The old symbol of one new one: what [`delta`] says, for the price of its own group.
pub(super) fn former(old: &Parsed, new: &Parsed, index: usize) -> Option<usize> {
    let wanted = new.symbols().get(index)?;
    let group = |parsed: &Parsed| -> Vec<usize> {
        let symbols = parsed.symbols().iter().enumerate();
        let alike = symbols.filter(|(_, symbol)| symbol.kind == wanted.kind && symbol.path == wanted.path);
        alike.map(|(index, _)| index).collect()
    };
    let mut found = None;
    pair(old, new, group(old), group(new), |old, new| {
        if new == index {
            found = Some(old);
        }
    });
    found
}

/// Pairs the symbols of one path, the most alike first, and returns the old ones left over. Linear in the usual case of
/// one symbol a path; in a file that repeats one name the search looks only so far ahead, so that it stays cheap.
fn pair(
    old: &Parsed,
    new: &Parsed,
    mut before: Vec<usize>,
    mut after: Vec<usize>,
    mut each: impl FnMut(usize, usize),
) -> Vec<usize> {
    const LOOKAHEAD: usize = 64;
    for same in [same_declaration, same_signature, same_scope, any] {
        after.retain(|new_index| {
            let wanted = &new.symbols()[*new_index];
            let found = before.iter().take(LOOKAHEAD).position(|index| same(&old.symbols()[*index], wanted));
            if let Some(position) = found {
                each(before.remove(position), *new_index);
            }
            found.is_none()
        });
    }
    before
}

fn same_declaration(old: &Symbol, new: &Symbol) -> bool {
    same_scope(old, new) && same_signature(old, new)
}

fn same_signature(old: &Symbol, new: &Symbol) -> bool {
    old.body.is_some() == new.body.is_some() && same_words(&old.signature, &new.signature)
}

fn same_scope(old: &Symbol, new: &Symbol) -> bool {
    old.body.is_some() == new.body.is_some() && old.scope == new.scope
}

fn any(_: &Symbol, _: &Symbol) -> bool {
    true
}

fn same_words(old: &str, new: &str) -> bool {
    old.split_whitespace().eq(new.split_whitespace())
}

/// The symbols directly inside each symbol.
fn children(parsed: &Parsed) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); parsed.symbols().len()];
    for (index, symbol) in parsed.symbols().iter().enumerate() {
        if let Some(list) = symbol.parent.and_then(|parent| children.get_mut(parent)) {
            list.push(index);
        }
    }
    children
}

/// The words of a body; those of a type or module without its symbols, which have their own entry.
fn body_words<'p>(parsed: &'p Parsed, index: usize, inner: &[usize]) -> impl Iterator<Item = &'p str> + use<'p> {
    let symbol = &parsed.symbols()[index];
    let mut pieces = Vec::new();
    let mut at = symbol.body_bytes.start;
    if matches!(symbol.kind, SymbolKind::Type | SymbolKind::Module) {
        for child in inner.iter().map(|child| &parsed.symbols()[*child].bytes) {
            if child.start >= at && child.end <= symbol.body_bytes.end {
                pieces.push(at..child.start);
                at = child.end;
            }
        }
    }
    pieces.push(at..symbol.body_bytes.end.max(at));
    pieces.into_iter().flat_map(|piece| parsed.source().get(piece).unwrap_or("").split_whitespace())
}
