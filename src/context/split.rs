//! Where a change is cut. A stretch that fits is a chunk; one that does not is cut at its best border, and so are its two
//! sides. Which border is best depends on the text beside it alone, not on how much stands before it: an edit changes the
//! chunk it stands in, and the others stay. (The borders are a treap, and stretches are its largest subtrees that fit.)
//! What is left small on the way is put together again where neighbours fit, the weakest border first.

use std::collections::BTreeMap;
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
    joined(borders, limit, &cost, found)
}

/// Takes borders away, the weakest first, where what stands on both sides fits together. Stretches only grow, so that a
/// border which had to stay stays.
fn joined(
    borders: &[Border],
    limit: Milli,
    cost: &impl Fn(&Range<usize>) -> Milli,
    found: Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let mut between: Vec<usize> = found.iter().skip(1).map(|range| range.start).collect();
    between.sort_by_key(|at| (borders[*at], *at));
    let mut ends: BTreeMap<usize, usize> = found.into_iter().map(|range| (range.start, range.end)).collect();
    for at in between {
        let left = ends.range(..at).next_back().map(|(start, _)| *start);
        if let (Some(start), Some(end)) = (left, ends.get(&at).copied())
            && cost(&(start..end)) <= limit
        {
            ends.remove(&at);
            ends.insert(start, end);
        }
    }
    ends.into_iter().map(|(start, end)| start..end).collect()
}

/// The best border inside a stretch; among equals the one in the middle, so that a file of equal lines is halved.
fn best(borders: &[Border], range: &Range<usize>) -> usize {
    let inside = range.start + 1..range.end;
    let best = borders[inside.clone()].iter().max().copied();
    let equals: Vec<usize> = inside.filter(|at| Some(borders[*at]) == best).collect();
    equals.get(equals.len() / 2).copied().unwrap_or(range.start + 1)
}
