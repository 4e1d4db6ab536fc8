//! Where GitHub lets a comment stand: on the lines that a pull request's patch shows, within one hunk.

use serde_json::Value;

use crate::finding::{Cut, Finding, Frame};

/// A changed file of the pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    /// Its name on the new side.
    pub(super) path: String,
    /// Runs of lines of the new side that the patch shows; none where GitHub gives no patch.
    pub(super) hunks: Vec<Hunk>,
}

/// The lines of the new side in one hunk: added and unchanged ones, numbered without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The number of the first line.
    pub(super) first: u32,
    /// The lines without their line feed.
    pub(super) lines: Vec<String>,
    /// The last line ends the file without a line feed.
    pub(super) is_open: bool,
}

/// Lines of one hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// First line.
    pub(super) first: u32,
    /// Last line.
    pub(super) last: u32,
    /// How far the lines are from those of the report, whose commit may be a merge with a newer base.
    pub(super) offset: i64,
}

impl File {
    /// A file of GitHub's list, if a comment can be on it at all.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let path = value.get("filename")?.as_str()?.to_owned();
        if value.get("status").and_then(Value::as_str) == Some("removed") {
            return Some(Self { path, hunks: Vec::new() });
        }
        let patch = value.get("patch").and_then(Value::as_str).unwrap_or_default();
        Some(Self { path, hunks: hunks(patch) })
    }

    /// The hunk that holds all lines of a range.
    pub(super) fn hunk(&self, first: u32, last: u32) -> Option<&Hunk> {
        self.hunks.iter().find(|hunk| hunk.first <= first && first <= last && last <= hunk.last())
    }

    /// Where a comment on the finding can stand. With `is_same` the report is of the very commit that the patch leads
    /// to; else the lines are looked for by their text.
    pub(super) fn place(&self, finding: &Finding, is_same: bool) -> Option<Anchor> {
        let location = &finding.claim.location;
        let offset = if is_same { 0 } else { self.offset(finding)? };
        let moved = |line: u32| u32::try_from(i64::from(line) + offset).ok();
        let (first, last) = (moved(location.line.get())?, moved(location.end_line.get())?);
        // What reaches beyond the hunk is cut off; the comment names all lines.
        let hunk = self.hunks.iter().find(|hunk| hunk.first <= last && first <= hunk.last())?;
        Some(Anchor { first: first.max(hunk.first), last: last.min(hunk.last()), offset })
    }

    /// How far the finding's code is from where the report has it. `None` where the patch does not show it, or in several
    /// places that fit equally well.
    fn offset(&self, finding: &Finding) -> Option<i64> {
        let frame = finding.frame.as_ref()?;
        let line = finding.claim.location.line.get();
        let at = line.checked_sub(frame.first.get())? as usize;
        let own = &finding.claim.location;
        let length = (own.end_line.get() - own.line.get().min(own.end_line.get())) as usize + 1;
        // Of a long finding the frame holds only the beginning.
        let wanted = at..frame.lines.len().min(at.checked_add(length)?);
        let shown: usize = self.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        // A report and a patch made for it could keep this busy for hours.
        if wanted.is_empty() || shown.saturating_mul(frame.lines.len()) > STEPS {
            return None;
        }
        let mut best: Option<(usize, i64, bool)> = None;
        for hunk in &self.hunks {
            for index in 0..hunk.lines.len() {
                let Some(score) = score(frame, hunk, index, at, &wanted) else { continue };
                let offset = i64::from(hunk.first) + index as i64 - i64::from(line);
                best = match best {
                    Some((most, ..)) if most > score => best,
                    Some((most, _, _)) if most == score && offset != 0 => {
                        best.map(|(most, old, _)| (most, old, old != 0))
                    }
                    _ => Some((score, offset, false)),
                };
            }
        }
        best.filter(|(_, _, is_unclear)| !is_unclear).map(|(_, offset, _)| offset)
    }
}

/// How many lines of the frame a hunk shows where line `at` of the frame is line `index` of the hunk; `None` where one of
/// the finding's own lines is not there.
fn score(frame: &Frame, hunk: &Hunk, index: usize, at: usize, wanted: &std::ops::Range<usize>) -> Option<usize> {
    let cut =
        |number: usize| frame.cuts.iter().find(|cut| cut.line.get() as usize == frame.first.get() as usize + number);
    let fits = |number: usize| {
        let shown = (index + number).checked_sub(at).and_then(|index| hunk.lines.get(index));
        shown.zip(frame.lines.get(number)).is_some_and(|(shown, line)| is_line(line.raw(), cut(number), shown))
    };
    if !wanted.clone().all(fits) {
        return None;
    }
    Some((0..frame.lines.len()).filter(|number| fits(*number)).count())
}

/// Whether a line of a frame is this line. A report masks secrets by `*` at their length and keeps a part of a line that is
/// too long.
fn is_line(kept: &str, cut: Option<&Cut>, shown: &str) -> bool {
    let shown = shown.strip_suffix('\r').unwrap_or(shown).as_bytes();
    let kept = kept.strip_suffix('\r').unwrap_or(kept).as_bytes();
    let part = match cut {
        None => Some(shown).filter(|shown| shown.len() == kept.len()),
        Some(cut) => shown.get(cut.bytes as usize..).and_then(|rest| rest.get(..kept.len())),
    };
    part.is_some_and(|part| part.iter().zip(kept).all(|(shown, kept)| shown == kept || *kept == b'*'))
}

impl Hunk {
    pub(super) fn last(&self) -> u32 {
        // Counted by the reader of the header, which fits.
        self.first + (self.lines.len() as u32).saturating_sub(1)
    }

    /// The line of this number.
    pub(super) fn line(&self, number: u32) -> Option<&str> {
        self.lines.get(number.checked_sub(self.first)? as usize).map(String::as_str)
    }
}

/// Most comparisons that the search for a finding's lines takes.
const STEPS: usize = 1_000_000;

/// The hunks of a file's `patch`: hunk after hunk, without names. What does not add up shows no line at all.
fn hunks(patch: &str) -> Vec<Hunk> {
    let mut found = Vec::new();
    let mut lines = patch.split('\n').peekable();
    while let Some(header) = lines.next() {
        let Some((mut old, first, mut new)) = header_of(header) else {
            return if header.is_empty() && lines.peek().is_none() { found } else { Vec::new() };
        };
        let mut hunk = Hunk { first, lines: Vec::new(), is_open: false };
        while old > 0 || new > 0 || lines.peek().is_some_and(|line| line.starts_with('\\')) {
            let Some(line) = lines.next() else { return Vec::new() };
            let (in_old, in_new) = match line.as_bytes().first() {
                Some(b'+') => (false, true),
                Some(b'-') => (true, false),
                Some(b' ') => (true, true),
                // An empty unchanged line without its mark; after the last line feed there is no line.
                None if lines.peek().is_some() => (true, true),
                Some(b'\\') => {
                    // It speaks of the line before it; of both sides only where that is the last one.
                    hunk.is_open = new == 0;
                    continue;
                }
                Some(_) | None => return Vec::new(),
            };
            let (Some(less_old), Some(less_new)) =
                (old.checked_sub(u32::from(in_old)), new.checked_sub(u32::from(in_new)))
            else {
                return Vec::new();
            };
            (old, new) = (less_old, less_new);
            if in_new {
                hunk.is_open = false;
                hunk.lines.push(line.get(1..).unwrap_or_default().to_owned());
            }
        }
        if !hunk.lines.is_empty() {
            found.push(hunk);
        }
    }
    found
}

/// The counts of an `@@` line: old lines, first new line, new lines.
fn header_of(line: &str) -> Option<(u32, u32, u32)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((_, old), (first, new)) = (range(old)?, range(new)?);
    let fits = first.checked_add(new)? < u32::MAX && (first > 0 || new == 0);
    fits.then_some((old, first, new))
}
