//! Line differences, with the differ that gix brings.

use std::ops::Range;

use gix::diff::blob::{Algorithm, Diff, InternedInput, Token};

/// Up to so many lines on both sides together, common ends not counted, the differ gives what git gives. Its worst case
/// is quadratic (random lines of two kinds: 0.3 s at this size, 15 s at ten times as many).
const EXACT: usize = 100_000;
/// In a larger diff, a stretch of at most so many lines between two anchors is compared exactly.
const STRETCH: usize = 20_000;

/// Lines `old` became lines `new`; both count from 0, one of them may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// Removed lines.
    pub old: Range<u32>,
    /// Added lines.
    pub new: Range<u32>,
}

/// What changed between two contents, in order, never touching. The bytes of a line decide, its ending included, so a
/// change of line endings or of the final newline is a change.
///
/// Equal to `git diff` (Myers with the indent heuristic) where at most 100,000 lines lie between the first and the last
/// difference. Beyond that, lines that occur once on each side are anchors (patience), stretches between them are
/// compared exactly, and a stretch of more than 20,000 lines without an anchor counts as replaced: still a valid diff, in
/// time that is nearly linear.
pub fn line_changes(old: &[u8], new: &[u8]) -> Vec<LineChange> {
    let input = InternedInput::new(old, new);
    let whole = Stretch { old: 0..input.before.len(), new: 0..input.after.len() }.trimmed(&input);
    if whole.len() > EXACT {
        return by_anchors(&input, whole, STRETCH);
    }
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    diff.hunks().map(|hunk| LineChange { old: hunk.before, new: hunk.after }).collect()
}

/// Whether git takes the content for binary: a NUL in its first 8000 bytes.
pub fn is_binary(content: &[u8]) -> bool {
    super::similarity::is_binary(content)
}

type Input<'a> = InternedInput<&'a [u8]>;

/// A run of lines on each side.
#[derive(Debug, Clone)]
struct Stretch {
    old: Range<usize>,
    new: Range<usize>,
}

impl Stretch {
    const fn len(&self) -> usize {
        (self.old.end - self.old.start) + (self.new.end - self.new.start)
    }

    /// Without the lines that both sides begin and end with.
    fn trimmed(self, input: &Input<'_>) -> Self {
        let (old, new) = (&input.before[self.old.clone()], &input.after[self.new.clone()]);
        let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let (old, new) = (&old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
        Self { old: self.old.start + head..self.old.end - tail, new: self.new.start + head..self.new.end - tail }
    }
}

fn by_anchors(input: &Input<'_>, whole: Stretch, exact: usize) -> Vec<LineChange> {
    let mut found = Vec::new();
    let mut rest = whole.clone();
    let end = (whole.old.end, whole.new.end);
    for (old, new) in anchors(input, &whole).into_iter().chain([end]) {
        let stretch = Stretch { old: rest.old.start..old, new: rest.new.start..new };
        compare(input, stretch, exact, &mut found);
        rest = Stretch { old: old + 1..end.0, new: new + 1..end.1 };
    }
    found
}

fn compare(input: &Input<'_>, stretch: Stretch, exact: usize, found: &mut Vec<LineChange>) {
    let stretch = stretch.trimmed(input);
    let shifted = |range: Range<usize>| range.start as u32..range.end as u32;
    if stretch.len() == 0 {
        return;
    }
    if stretch.old.is_empty() || stretch.new.is_empty() || stretch.len() > exact {
        found.push(LineChange { old: shifted(stretch.old), new: shifted(stretch.new) });
        return;
    }
    let mut diff = Diff::default();
    let (old, new) = (&input.before[stretch.old.clone()], &input.after[stretch.new.clone()]);
    diff.compute_with(Algorithm::Myers, old, new, input.interner.num_tokens());
    found.extend(diff.hunks().map(|hunk| {
        let old = hunk.before.start as usize + stretch.old.start..hunk.before.end as usize + stretch.old.start;
        let new = hunk.after.start as usize + stretch.new.start..hunk.after.end as usize + stretch.new.start;
        LineChange { old: shifted(old), new: shifted(new) }
    }));
}

/// Lines that occur once on each side, in an order that both sides have: the longest such list.
fn anchors(input: &Input<'_>, within: &Stretch) -> Vec<(usize, usize)> {
    const NONE: usize = usize::MAX;
    const SEVERAL: usize = usize::MAX - 1;
    let places = |tokens: &[Token], range: &Range<usize>| {
        let mut places = vec![NONE; input.interner.num_tokens() as usize];
        for at in range.clone() {
            let place = &mut places[tokens[at].0 as usize];
            *place = if *place == NONE { at } else { SEVERAL };
        }
        places
    };
    let (olds, news) = (places(&input.before, &within.old), places(&input.after, &within.new));
    let pairs: Vec<(usize, usize)> = within
        .old
        .clone()
        .filter_map(|old| {
            let token = input.before[old].0 as usize;
            (olds[token] == old && news[token] < SEVERAL).then(|| (old, news[token]))
        })
        .collect();
    longest_rising(&pairs)
}

/// The longest subsequence whose second members rise; the first ones rise already.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends the best list of it, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut list = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        list.push(pairs[index]);
        next = before[index];
    }
    list.reverse();
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts that unchanged lines pair up and are equal.
    fn is_valid(old: &[&str], new: &[&str], changes: &[LineChange]) {
        let (mut old_at, mut new_at) = (0, 0);
        let ends = LineChange { old: old.len() as u32..old.len() as u32, new: new.len() as u32..new.len() as u32 };
        for change in changes.iter().chain([&ends]) {
            let (old_start, new_start) = (change.old.start as usize, change.new.start as usize);
            assert_eq!(old[old_at..old_start], new[new_at..new_start]);
            (old_at, new_at) = (change.old.end as usize, change.new.end as usize);
        }
    }

    fn coarse(old: &[&str], new: &[&str], exact: usize) -> Vec<LineChange> {
        let (old, new) = (old.concat(), new.concat());
        let input = InternedInput::new(old.as_bytes(), new.as_bytes());
        let whole = Stretch { old: 0..input.before.len(), new: 0..input.after.len() };
        by_anchors(&input, whole, exact)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn anchored_diffs_are_valid(
            old in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "g\n"]), 0..30),
            new in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "c\n", "d\n", "x\n", "y\n", "z\n"]), 0..30),
            exact in 0usize..40,
        ) {
            let changes = coarse(&old, &new, exact);
            is_valid(&old, &new, &changes);
            for pair in changes.windows(2) {
                prop_assert!(pair[0].old.end < pair[1].old.start && pair[0].new.end < pair[1].new.start);
            }
        }
    }

    #[test]
    fn anchors_keep_what_did_not_move() {
        let changes = coarse(&["a\n", "b\n", "c\n", "d\n"], &["a\n", "c\n", "b\n", "d\n", "e\n"], 0);
        assert_eq!(changes.len(), 3, "{changes:?}");
        assert_eq!(coarse(&["a\n"], &["a\n"], 0), []);
    }

    #[test]
    fn a_million_lines_end() {
        let lines = |shift: u64| -> String {
            let mut state = 88_172_645_463_325_252 + shift;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            (0..500_000).map(|_| if next() % 2 == 0 { "a\n" } else { "b\n" }).collect()
        };
        let changes = line_changes(lines(0).as_bytes(), lines(9).as_bytes());
        assert_eq!(changes.len(), 1);
    }
}
