//! Blocks that a change moves and leaves as they are, within a file or from one to another: what reads as removed here and
//! added there is said to be the same (SWE-PRBench, section 4.3, "key changes summary").

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::mask;
use super::part::FilePart;
use super::summary::{Entry, order};
use crate::diff::{Hunk, Lines};
use crate::syntax::{Parsed, Symbol};

/// What of a removed or added symbol tells whether it is the same as another. A hash that nobody can aim at: who reviews is
/// told that the two are equal.
pub(super) type Body = [u8; 32];

/// Where a symbol goes that is removed or added.
#[derive(Debug, Clone)]
pub(super) struct Moving {
    /// All of its text but for its indentation.
    pub(super) body: Body,
    /// Its signature as it may be shown.
    pub(super) signed: String,
    /// What holds it, as it may be shown; empty at the top level.
    pub(super) owner: String,
}

/// The text of a symbol with its decorators, without the indentation that all of its lines share; with it, where a text of
/// several lines may stand in it.
pub(super) fn body(parsed: &Parsed, symbol: &Symbol) -> Body {
    let bytes = parsed.line_range(symbol.first_line).start..parsed.line_range(symbol.end_line).end;
    let text = parsed.source().get(bytes).unwrap_or("");
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    // In a text of several lines blanks say something.
    let may_hold_text = ["\"\"\"", "'''", "`", "<<", "R\"", "@\"", "r#\""].iter().any(|opens| text.contains(opens));
    let common = if may_hold_text {
        0
    } else {
        text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0)
    };
    let mut hash = Sha256::new();
    for line in text.lines() {
        hash.update(line.get(common..).unwrap_or(""));
        hash.update("\n");
    }
    hash.finalize().into()
}

/// Whether a symbol of both sides goes from one hunk to another as a whole.
pub(super) fn is_moved(old: Lines, new: Lines, hunks: &[Hunk]) -> bool {
    let around = |side: fn(&Hunk) -> Lines, lines: Lines| {
        let at = hunks.partition_point(|hunk| side(hunk).end() < lines.end());
        hunks.get(at).filter(|hunk| side(hunk).first <= lines.first).map(|_| at)
    };
    let (from, to) = (around(|hunk| hunk.old, old), around(|hunk| hunk.new, new));
    from.zip(to).is_some_and(|(from, to)| from != to)
}

/// An entry by the number of its part and its own.
type At = (usize, usize);

/// What is told of the symbols of each part: where exactly one symbol is removed and exactly one added with the same body,
/// it is told as moved, and nothing of what is inside it.
pub(super) fn told(parts: &[FilePart]) -> Vec<Vec<Entry>> {
    let mut told: Vec<Vec<Entry>> = parts.iter().map(|part| part.summary.clone()).collect();
    let mut alike: BTreeMap<Body, (Vec<At>, Vec<At>)> = BTreeMap::new();
    for (file, entries) in told.iter().enumerate() {
        for (index, entry) in entries.iter().enumerate() {
            let Some(moving) = &entry.moving else { continue };
            let (removed, added) = alike.entry(moving.body).or_default();
            if entry.new.is_none() { removed.push((file, index)) } else { added.push((file, index)) }
        }
    }
    for (removed, added) in alike.into_values() {
        if let ([from], [to]) = (&removed[..], &added[..]) {
            link(&mut told, parts, *from, *to);
        }
    }
    for entries in &mut told {
        let moved = |side: fn(&Entry) -> Option<Lines>| {
            outermost(entries.iter().filter(|entry| entry.order == order::MOVED).filter_map(side).collect())
        };
        let (old, new) = (moved(|entry| entry.old), moved(|entry| entry.new));
        entries.retain(|entry| {
            let inside = |lines: Option<Lines>, outer: &[Lines]| lines.is_some_and(|lines| is_inside(lines, outer));
            let is_told = entry.moving.is_some() && (inside(entry.old, &old) || inside(entry.new, &new));
            !is_told && !entry.text.is_empty()
        });
        entries.sort_by_key(|entry| entry.order);
    }
    told
}

/// Says of two entries that one symbol went from the first to the second.
fn link(told: &mut [Vec<Entry>], parts: &[FilePart], from: At, to: At) {
    let Some((source, target)) = told[from.0][from.1].moving.clone().zip(told[to.0][to.1].moving.clone()) else {
        return;
    };
    let old = told[from.0][from.1].old;
    let (first, second) = if from.0 == to.0 {
        let place = |owner: String| if owner.is_empty() { "the top level".to_owned() } else { owner };
        told[to.0][to.1].old = old;
        let text =
            format!("= {} moved from {} to {}, unchanged", target.signed, place(source.owner), place(target.owner));
        (String::new(), text)
    } else {
        // Hidden values in a path are numbered for its own file alone.
        let path = |file: usize| match parts[file].shown_path.contains(mask::is_reserved) {
            true => "another file",
            false => parts[file].shown_path.as_str(),
        };
        let full = |Moving { signed, owner, .. }| if owner.is_empty() { signed } else { format!("{owner}: {signed}") };
        (
            format!("= {} moved to {}, unchanged", full(source), path(to.0)),
            format!("= {} moved here from {}, unchanged", full(target), path(from.0)),
        )
    };
    for ((file, index), text) in [(from, first), (to, second)] {
        let entry = &mut told[file][index];
        (entry.text, entry.order) = (text, order::MOVED);
    }
}

/// Of ranges that stand in or beside each other those that stand in no other, in order.
fn outermost(mut ranges: Vec<Lines>) -> Vec<Lines> {
    ranges.sort_by_key(|lines| (lines.first, std::cmp::Reverse(lines.count)));
    let mut outer: Vec<Lines> = Vec::new();
    for lines in ranges {
        if outer.last().is_none_or(|last| lines.end() > last.end()) {
            outer.push(lines);
        }
    }
    outer
}

/// Whether a range stands in one of these and is less than it.
fn is_inside(lines: Lines, outer: &[Lines]) -> bool {
    let before = outer.partition_point(|other| other.first <= lines.first);
    let other = before.checked_sub(1).and_then(|index| outer.get(index));
    other.is_some_and(|other| lines.end() <= other.end() && lines.count < other.count)
}
