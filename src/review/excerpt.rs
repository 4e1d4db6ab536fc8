//! What a page shows of a changed file: its hunks with a few unchanged lines around them, every value masked that nobody
//! should read, bounded in bytes. Made only where somebody wants to show the diff, while the file's text is in memory.

use std::collections::BTreeSet;

use super::ground::Grounded;
use super::mask::{Mask, masked};
use super::{FileSummary, Review};
use crate::context::{Context, Reason, Values};
use crate::detect::{FileView, cut};
use crate::diff::Hunk;
use crate::finding::{Line, RepoPath, Untrusted};

/// Unchanged lines around a hunk.
const AROUND: u32 = 3;
/// Most bytes of lines that are kept of one file.
const FILE_BYTES: usize = 128 << 10;
/// Most bytes that are kept of all files.
const BYTES: usize = 4 << 20;
/// Files from this one on are not kept: what files beyond the bound in bytes bring is held until all are read.
const FILES: usize = 2_000;

/// The shown part of a file's diff.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Removed, added and unchanged lines in the order of a diff. Where a number jumps, lines are left out.
    pub rows: Vec<Row>,
    /// Changed lines that are not among the rows, and why.
    pub left_out: Option<(u64, String)>,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number on the old side; `None` for an added line.
    pub old: Option<Line>,
    /// Its number on the new side; `None` for a removed line.
    pub new: Option<Line>,
    /// Its text without the line ending, with what is masked at its length in bytes.
    pub text: Untrusted,
    /// Whether only its beginning is kept.
    pub is_cut: bool,
}

/// The excerpt of the file with this index. `secrets` are the findings of the file that mask something.
pub(super) fn of(context: &Context<'_>, index: usize, view: &FileView<'_>, secrets: &[Grounded]) -> Excerpt {
    let mut kept = Excerpt::default();
    let changed = view.change.added_count() + view.change.removed_count();
    if index >= FILES {
        kept.left_out = Some((changed, format!("the page holds the first {FILES} files")));
        return kept;
    }
    let values = match context.values(view.change) {
        Ok(values) => values,
        Err(reason) => {
            kept.left_out = Some((changed, not_shown(reason).to_owned()));
            return kept;
        }
    };
    let mask = (!secrets.is_empty()).then(|| Mask::of(secrets, view));
    let mut sides = Sides { values, mask, rows: Vec::new(), left: FILE_BYTES, changed: 0 };
    sides.draw(view.change.hunks());
    kept.rows = sides.rows;
    if sides.changed < changed {
        kept.left_out = Some((changed - sides.changed, format!("the page holds {} KiB of a file", FILE_BYTES >> 10)));
    }
    kept
}

/// Takes excerpts away until the rest fits: last those of files that have findings, and the last files first.
pub(super) fn bound(review: &mut Review) {
    let found: BTreeSet<&RepoPath> = review.findings.iter().map(|finding| &finding.claim.location.path).collect();
    let size = |file: &FileSummary| {
        let rows = file.excerpt.iter().flat_map(|excerpt| &excerpt.rows);
        rows.map(|row| row.text.raw().len()).sum::<usize>()
    };
    let mut sizes: Vec<(bool, usize, usize)> = Vec::new();
    for (index, file) in review.change.files.iter().enumerate() {
        match size(file) {
            0 => {}
            bytes => sizes.push((!found.contains(&file.path), index, bytes)),
        }
    }
    sizes.sort_unstable();
    let mut left = BYTES;
    for (_, index, bytes) in sizes {
        if let Some(rest) = left.checked_sub(bytes) {
            left = rest;
            continue;
        }
        let file = &mut review.change.files[index];
        let why = format!("the page holds {} MiB of the change", BYTES >> 20);
        file.excerpt = Some(Excerpt { rows: Vec::new(), left_out: Some((file.added + file.removed, why)) });
    }
}

const fn not_shown(reason: Reason) -> &'static str {
    match reason {
        Reason::Denied => "by its name it holds secrets",
        Reason::Generated => "generated",
        Reason::Vendored => "vendored",
        Reason::Lock => "a lock file",
        Reason::LongLine | Reason::NotCode(_) | Reason::Unread(_) => "it has no text to show",
    }
}

/// The rows of one file as they are drawn.
struct Sides<'v> {
    /// Of the old and of the new side.
    values: [Values; 2],
    mask: Option<Mask<'v>>,
    rows: Vec<Row>,
    /// Bytes that still fit.
    left: usize,
    /// Changed lines among the rows.
    changed: u64,
}

impl Sides<'_> {
    fn draw(&mut self, hunks: &[Hunk]) {
        for (index, hunk) in hunks.iter().enumerate() {
            // Unchanged lines before the hunk that no hunk before it has shown.
            let before = index.checked_sub(1).and_then(|before| hunks.get(before));
            let from = before.map_or(1, |before| before.new.end().saturating_add(AROUND));
            let first = hunk.new.first.saturating_sub(AROUND).max(from);
            let shift = i64::from(hunk.old.first) - i64::from(hunk.new.first);
            let next = hunks.get(index + 1).map_or(u32::MAX, |next| next.new.first);
            let last = hunk.new.end().saturating_add(AROUND).min(next);
            let after = i64::from(hunk.old.end()) - i64::from(hunk.new.end());
            let fits = (first..hunk.new.first).all(|line| self.unchanged(line, shift))
                && (hunk.old.first..hunk.old.end()).all(|line| self.push(Line::new(line), None))
                && (hunk.new.first..hunk.new.end()).all(|line| self.push(None, Line::new(line)))
                && (hunk.new.end()..last).all(|line| self.unchanged(line, after));
            if !fits {
                return;
            }
        }
    }

    fn unchanged(&mut self, line: u32, shift: i64) -> bool {
        let old = u32::try_from(i64::from(line) + shift).ok().and_then(Line::new);
        old.is_none() || self.push(old, Line::new(line))
    }

    /// Adds a line, if it is known; says whether it fitted.
    fn push(&mut self, old: Option<Line>, new: Option<Line>) -> bool {
        let is_changed = old.is_none() || new.is_none();
        let side = usize::from(new.is_some());
        let Some((line, (text, mut ranges))) = new.or(old).and_then(|line| Some((line, self.values[side].line(line)?)))
        else {
            return true;
        };
        if let Some(mask) = &self.mask {
            ranges.extend(if new.is_some() { mask.ranges(text, line.get(), 0) } else { mask.secrets(text) });
            ranges.sort_by_key(|range| range.start);
        }
        // Masked before it is cut: what is left of a value at the end would be none any more.
        let text = masked(text, ranges);
        let shown = cut(&text);
        // A line costs more than its bytes.
        let Some(left) = self.left.checked_sub(shown.len() + 16) else { return false };
        self.left = left;
        self.changed += u64::from(is_changed);
        self.rows.push(Row { old, new, text: Untrusted::new(shown), is_cut: shown.len() < text.len() });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Options;
    use crate::detect::Engine;
    use crate::diff::{Body, FileChange, Lines, Text};
    use crate::review::ground::ground;
    use crate::rules::{Examples, Rules};

    fn change(path: &str, old: &str, new: &str, hunks: &[(u32, u32, u32, u32)]) -> FileChange {
        let mut file = FileChange::new_file(RepoPath::from(path), Vec::new());
        let hunk = |(first, count, new_first, new_count): &(u32, u32, u32, u32)| Hunk {
            old: Lines { first: *first, count: *count },
            new: Lines { first: *new_first, count: *new_count },
        };
        file.body = Body::Text {
            hunks: hunks.iter().map(hunk).collect(),
            old: Text::whole(old.into()),
            new: Text::whole(new.into()),
        };
        file
    }

    fn kept(file: &FileChange) -> Excerpt {
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load");
        let context = Context::new(&rules, Options::default()).expect("the options are sound");
        let view = FileView::of(file).expect("a text");
        let (mut kept, _) = ground(Engine::new(&rules).run(&view), &view, &rules);
        kept.retain(|grounded| !grounded.raised.secrets.is_empty());
        of(&context, 0, &view, &kept)
    }

    fn drawn(excerpt: &Excerpt) -> Vec<String> {
        let number = |line: Option<Line>| line.map_or("-".to_owned(), |line| line.to_string());
        let row = |row: &Row| format!("{} {} {}", number(row.old), number(row.new), row.text.raw());
        excerpt.rows.iter().map(row).collect()
    }

    #[test]
    fn hunks_with_three_lines_around_them_and_none_twice() {
        let old: String = (1..=30).map(|line| format!("a{line}\n")).collect();
        // Line 5 changes, lines 8 and 9 go, one line comes after line 20.
        let new = old.replace("a5\n", "b5\n").replace("a8\na9\n", "").replace("a20\n", "a20\nnew\n");
        let file = change("x.txt", &old, &new, &[(5, 1, 5, 1), (8, 2, 8, 0), (21, 0, 19, 1)]);
        let excerpt = kept(&file);
        let wanted = "2 2 a2|3 3 a3|4 4 a4|5 - a5|- 5 b5|6 6 a6|7 7 a7|8 - a8|9 - a9|10 8 a10|11 9 a11|12 10 a12|\
                      18 16 a18|19 17 a19|20 18 a20|- 19 new|21 20 a21|22 21 a22|23 22 a23";
        assert_eq!(drawn(&excerpt).join("|"), wanted);
        assert_eq!(excerpt.left_out, None);
    }

    #[test]
    fn a_deleted_file_and_a_gap_that_just_closes() {
        let gone = change("x.txt", "a\nb\n", "", &[(1, 2, 1, 0)]);
        assert_eq!(drawn(&kept(&gone)), ["1 - a", "2 - b"]);
        let old: String = (1..=12).map(|line| format!("a{line}\n")).collect();
        let new = old.replace("a2\n", "b2\n").replace("a9\n", "b9\n");
        let excerpt = kept(&change("x.txt", &old, &new, &[(2, 1, 2, 1), (9, 1, 9, 1)]));
        assert_eq!(excerpt.rows.iter().filter(|row| row.old.is_some() && row.new.is_some()).count(), 1 + 6 + 3);
    }

    #[test]
    fn secrets_are_masked_on_both_sides_and_also_where_no_finding_stands() {
        // Made up, and in two pieces so that no scanner takes this file for a leak.
        let token = |number: u32| format!("{}{number:08}9Xk2LmQ7vR4tY8wZ1aBcD3eFgH5j", ["gh", "p_"].concat());
        let old = format!("import os\ntoken = '{}'\n\nx = 1\n", token(1));
        let new = format!("import os\ntoken = '{}'\n# was {}\nx = 1\n", token(2), token(1));
        let excerpt = kept(&change("a.py", &old, &new, &[(2, 2, 2, 2)]));
        let shown = drawn(&excerpt).join("\n");
        assert!(shown.contains("import os") && shown.contains("token = '") && shown.contains("x = 1"), "{shown}");
        assert!(!shown.contains("9Xk2"), "{shown}");
        let length = |text: &str| text.lines().map(str::len).sum::<usize>();
        let texts: usize = excerpt.rows.iter().map(|row| row.text.raw().len()).sum();
        assert_eq!(texts, length(&old) + length(&new) - "import osx = 1".len(), "columns stay where they were");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let line = "x".repeat(990);
        let new: String = (0..500).map(|_| format!("{line}\n")).collect();
        let excerpt = kept(&FileChange::new_file("x.txt".into(), new.into()));
        let (lines, why) = excerpt.left_out.expect("something is left out");
        assert_eq!(lines as usize + excerpt.rows.len(), 500);
        assert!(excerpt.rows.len() > 100 && why.contains("KiB"));
        let long = kept(&FileChange::new_file("x.txt".into(), "y".repeat(5_000).into()));
        assert!(long.rows.iter().all(|row| row.is_cut && row.text.raw().len() == 2_000));
        let lock = kept(&FileChange {
            class: crate::diff::PathClass { lock: true, ..Default::default() },
            ..FileChange::new_file("a.lock".into(), "x\ny\n".into())
        });
        assert_eq!(lock, Excerpt { rows: vec![], left_out: Some((2, "a lock file".to_owned())) });
    }

    #[test]
    fn files_with_findings_are_kept_longest() {
        let row = Row { old: None, new: Line::new(1), text: Untrusted::new("x".repeat(BYTES / 3)), is_cut: false };
        let mut fixture = Review::default();
        for name in ["a", "b", "c", "d"] {
            let mut summary = super::super::run::summary(&FileChange::new_file(name.into(), "x".into()));
            summary.excerpt = Some(Excerpt { rows: vec![row.clone()], left_out: None });
            fixture.change.files.push(summary);
        }
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load");
        let text = "if mode is 'x':\n    pass\n";
        let file = FileChange::new_file("d".into(), text.into());
        let named = FileChange { path: "d.py".into(), ..file };
        let view = FileView::of(&named).expect("a text");
        let (found, _) = ground(Engine::new(&rules).run(&view), &view, &rules);
        fixture.findings = found.into_iter().map(|grounded| grounded.finding).collect();
        assert!(!fixture.findings.is_empty());
        fixture.change.files[3].path = "d.py".into();
        bound(&mut fixture);
        let rows: Vec<usize> = fixture
            .change
            .files
            .iter()
            .map(|file| file.excerpt.as_ref().map_or(0, |excerpt| excerpt.rows.len()))
            .collect();
        assert_eq!(rows, [1, 1, 0, 1]);
    }
}
