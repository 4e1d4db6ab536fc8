//! Whether the change that wrote a line last also wrote what a fix takes out of it. Blame knows whole lines: a line that was
//! touched at one end and mended at the other is blamed on whoever touched it.

use std::ops::Range;

use super::origin::{sides, tokens};
use crate::diff::{FileChange, Hunk, Lines, Text};
use crate::finding::Line;
use crate::git::line_changes;

/// A shorter run of words and signs, such as `);`, stands on both sides of most changes by chance.
const RUN: usize = 3;

/// Whether all that the fix takes out of a line was there before the change that wrote the line last: each word and sign of
/// it stands in a run of at least three that the hunk of this change has on both sides. `false` where the fix takes nothing
/// out of the line but puts something in, which tells nothing.
///
/// `fixed` is the line on the old side of `fix`, `written` the same line on the new side of `change`.
pub(super) fn is_older(fix: &FileChange, fixed: Line, change: &FileChange, written: Line) -> bool {
    let fix = Edit::of(fix, |hunk| hunk.old.contains(fixed));
    let change = Edit::of(change, |hunk| hunk.new.contains(written));
    fix.zip(change).is_some_and(|(fix, change)| {
        let (taken, kept) = (fix.taken(fixed), change.kept(written));
        !taken.is_empty() && taken.iter().all(|place| kept.contains(place))
    })
}

/// A hunk with its texts.
struct Edit<'c> {
    hunk: &'c Hunk,
    old: &'c Text,
    new: &'c Text,
}

impl<'c> Edit<'c> {
    fn of(file: &'c FileChange, is_it: impl Fn(&Hunk) -> bool) -> Option<Self> {
        let (old, new) = sides(file)?;
        let hunk = file.hunks().iter().find(|hunk| is_it(hunk))?;
        Some(Self { hunk, old, new })
    }

    /// What the edit takes out of a line of its old side: places in the line, counted in words and signs.
    fn taken(&self, line: Line) -> Vec<usize> {
        let own = place(self.old, self.hunk.old, line);
        let runs = self.runs();
        let is_left = |at: &usize| runs.iter().any(|(old, _)| old.contains(at));
        own.clone().filter(|at| !is_left(at)).map(|at| at - own.start).collect()
    }

    /// What the edit found there of a line of its new side.
    fn kept(&self, line: Line) -> Vec<usize> {
        let own = place(self.new, self.hunk.new, line);
        let runs = self.runs();
        let was_there = |at: &usize| runs.iter().any(|(_, new)| new.len() >= RUN && new.contains(at));
        own.clone().filter(was_there).map(|at| at - own.start).collect()
    }

    /// Runs of words and signs that both sides have, by their places on each.
    fn runs(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let (before, after) = (one_a_line(self.old, self.hunk.old), one_a_line(self.new, self.hunk.new));
        let (mut runs, mut from) = (Vec::new(), (0, 0));
        for change in line_changes(&before, &after) {
            runs.push((from.0..change.old.start as usize, from.1..change.new.start as usize));
            from = (change.old.end as usize, change.new.end as usize);
        }
        let count = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        runs.push((from.0..count(&before), from.1..count(&after)));
        runs
    }
}

/// Which words and signs of a hunk are those of a line.
fn place(text: &Text, hunk: Lines, line: Line) -> Range<usize> {
    let count = |lines: Lines| -> usize { text.range(lines).map(|line| tokens(line).len()).sum() };
    let start = count(Lines { first: hunk.first, count: line.get() - hunk.first });
    start..start + count(Lines { first: line.get(), count: 1 })
}

/// No word and no sign has a line feed in it.
fn one_a_line(text: &Text, lines: Lines) -> Vec<u8> {
    let mut out = Vec::new();
    for token in text.range(lines).flat_map(tokens) {
        out.extend_from_slice(token);
        out.push(b'\n');
    }
    out
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;
    use crate::diff::Body;
    use crate::finding::RepoPath;

    /// A change of whole texts in one hunk.
    fn change(old: &str, new: &str) -> FileChange {
        let lines = |text: &str| Lines { first: 1, count: text.lines().count() as u32 };
        let hunks = vec![Hunk { old: lines(old), new: lines(new) }];
        let text = |text: &str| Text::whole(text.as_bytes().to_vec());
        let body = Body::Text { old: text(old), new: text(new), hunks };
        FileChange { body, ..FileChange::new_file(RepoPath::new("a"), Vec::new()) }
    }

    #[test]
    fn only_what_the_change_wrote_is_its_fault() {
        for (old, line, mended, expected) in [
            // Touched at one end, mended at the other.
            ("m = re.match(r'^on (a)')\n", "m = re.match(r'on (a)')\n", "m = re.search(r'on (a)')\n", true),
            ("m = re.search(r'on (a)')\n", "m = re.match(r'on (a)')\n", "m = re.search(r'on (a)')\n", false),
            // The same words in another order.
            ("write(method, color, reset)\n", "write(color, method, reset)\n", "write(method, reset)\n", false),
            // What a fix puts in says nothing of who left it out.
            ("get(old)\n", "get(key)\n", "get(key, 0)\n", false),
            // New code has no older fault, however usual its signs are.
            ("\n", "close();\n", "close(true);\n", false),
            ("a();\n", "close(x);\n", "close(x)\n", false),
        ] {
            let first = Line::new(1).unwrap();
            let found = is_older(&change(line, mended), first, &change(old, line), first);
            assert_eq!(found, expected, "{old}{line}{mended}");
        }
    }

    #[test]
    fn a_line_is_found_among_those_of_its_hunk() {
        let old = "first(1)\nif trusted and load(header(name)):\n    pass\n";
        let line = "first(2)\nother()\nif trusted and engine.load(header(name)):\n    pass\n";
        let mended = "first(2)\nother()\nif trusted and engine.load(joined):\n    pass\n";
        let of = |fixed: u32, mended: &str| {
            let at = Line::new(fixed).unwrap();
            is_older(&change(line, mended), at, &change(old, line), at)
        };
        assert!(of(3, mended));
        assert!(!of(1, mended), "this line is left as it is");
        assert!(!of(3, &mended.replace("engine.load(joined)", "load(header(name))")));
        assert!(!of(9, mended), "no hunk has it");
    }
}
