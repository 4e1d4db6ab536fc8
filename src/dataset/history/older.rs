//! Whether the change that wrote a line last also wrote what a fix takes out of it. Blame knows whole lines: a line that was
//! touched at one end and mended at the other is blamed on whoever touched it.

use std::ops::Range;

use super::origin::{is_name, sides, tokens};
use crate::diff::{FileChange, Hunk, Lines, Text};
use crate::finding::Line;
use crate::git::line_changes;

/// A shorter run of words and signs, such as `);`, stands on both sides of most changes by chance.
const RUN: usize = 3;
/// What the change wrote so near to a word may have made it wrong: `log.print` is no `out.print`.
const NEAR: usize = 2;

/// Whether all that the fix takes out of a line was there before the change that wrote the line last. It was if
///
/// * it is in runs of at least three words and signs that come from one line of the hunk's old side, which stands once in
///   its file: the new line has four fifths of it or more, and two thirds of the new line are from it;
/// * none of it stands beside, or beside the neighbour of, what the change put into the line;
/// * a name is among it.
///
/// `false` where the fix takes nothing out of the line but puts something in, which tells nothing. `fixed` is the line on
/// the old side of `fix`, `written` the same line on the new side of `change`.
pub(super) fn is_older(fix: &FileChange, fixed: Line, change: &FileChange, written: Line) -> bool {
    let fix = Edit::of(fix, |hunk| hunk.old.contains(fixed));
    let change = Edit::of(change, |hunk| hunk.new.contains(written));
    let Some((fix, change)) = fix.zip(change) else { return false };
    let words = fix.old.line(fixed).map(tokens).unwrap_or_default();
    // A line that was shaped since is not the same word by word.
    if change.new.line(written).map(tokens).unwrap_or_default() != words {
        return false;
    }
    let (taken, kept) = (fix.taken(fixed), change.kept(written));
    let is_kept = |place: &usize| {
        let near = place.saturating_sub(NEAR)..words.len().min(place + NEAR + 1);
        kept.contains(place) && near.into_iter().all(|other| kept.contains(&other))
    };
    taken.iter().any(|place| words.get(*place).is_some_and(|word| is_name(word))) && taken.iter().all(is_kept)
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

    /// What a line of its new side has of the one line of the old side that it was.
    fn kept(&self, line: Line) -> Vec<usize> {
        let own = place(self.new, self.hunk.new, line);
        let runs: Vec<_> = self.runs().into_iter().filter(|(_, new)| new.len() >= RUN).collect();
        let before = |at: usize| {
            let (old, new) = runs.iter().find(|(_, new)| new.contains(&at))?;
            Some(old.start + (at - new.start))
        };
        let pairs: Vec<(usize, usize)> = own.clone().filter_map(|at| Some((at - own.start, before(at)?))).collect();
        let (mut best, mut start) = (Vec::new(), 0);
        for line in (self.hunk.old.first..self.hunk.old.end()).filter_map(Line::new) {
            let count = self.old.line(line).map_or(0, |text| tokens(text).len());
            let was = |(at, old): &(usize, usize)| (start..start + count).contains(old).then_some(*at);
            let kept: Vec<usize> = pairs.iter().filter_map(was).collect();
            let is_that = kept.len() * 5 >= count * 4 && kept.len() * 3 >= own.len() * 2;
            if kept.len() > best.len() && is_that && self.stands_once(line) {
                best = kept;
            }
            start += count;
        }
        best
    }

    /// Whether no other line of the old side says the same.
    fn stands_once(&self, line: Line) -> bool {
        let Some(wanted) = self.old.line(line).map(tokens) else { return false };
        self.old.lines().filter(|(_, text)| tokens(text) == wanted).count() == 1
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
            // What stands beside it is new, and made it wrong.
            ("log.print('[a] ' + b, c)\n", "out.print('[a] ' + b, c)\n", "out.write('[a] ' + b, c)\n", false),
            (
                "end(head ? null : body, 1)\n",
                "if (head) end()\nend(body, 1)\n",
                "if (head) end()\nsend(body, 1)\n",
                false,
            ),
            // It stands there twice: nobody knows which of them this was.
            ("if err != nil {\na()\nif err != nil {\n", "if err != nil { b()\n", "if ok { b()\n", false),
            // No name is in it.
            ("f(a, b, c) > 1\n", "f(d, a, b, c) > 1\n", "f(d, a, b, c) >= 1\n", false),
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
