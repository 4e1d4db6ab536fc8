//! Where a change is cut. A stretch that fits is a chunk; one that does not is cut at its best border, and so are its two
//! sides. Which border is best depends on the text beside it alone, not on how much stands before it: an edit changes the
//! chunk it stands in, and the others stay. (The borders are a treap, and chunks are its largest subtrees that fit.)

use std::ops::Range;

use super::rows::Border;
use super::tokens::Milli;

/// Cuts `borders.len()` rows. `cost` is that of a stretch as a chunk of its own; no less than that of any part of it.
pub(super) fn stretches(borders: &[Border], limit: Milli, cost: impl Fn(&Range<usize>) -> Milli) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<Range<usize>> = Vec::new();
    if !borders.is_empty() {
        open.push(0..borders.len());
    }
    while let Some(range) = open.pop() {
        if range.len() == 1 || cost(&range) <= limit {
            found.push(range);
            continue;
        }
        let at = best(borders, &range);
        open.push(at..range.end);
        open.push(range.start..at);
    }
    found
}

/// The best border inside a stretch; among equals the one in the middle, so that a file of equal lines is halved.
fn best(borders: &[Border], range: &Range<usize>) -> usize {
    let inside = range.start + 1..range.end;
    let best = borders[inside.clone()].iter().max().copied();
    let equals: Vec<usize> = inside.filter(|at| Some(borders[*at]) == best).collect();
    equals.get(equals.len() / 2).copied().unwrap_or(range.start + 1)
}
