//! Where a line comes from when whoever wrote it last only broke it otherwise or moved it. `git blame -w -M` sees through
//! blanks inside a line and through moves inside a file; this sees through lines that were wrapped, joined or quoted
//! otherwise, through moves between files of one commit, and through names that a commit changes in many lines.

use std::collections::{BTreeMap, BTreeSet};

use super::funnel::No;
use super::{Error, Past};
use crate::dataset::blame::Git;
use crate::diff::{Body, ChangeSet, FileChange, Hunk, Text};
use crate::finding::{Line, RepoPath};
use crate::git::Oid;

/// So many commits that only shaped a line are passed over.
const HOPS: usize = 8;
/// A line that is found elsewhere among the removed ones was moved if it has so many letters and digits; git asks for as
/// many of what it takes for moved inside a file (`-M`).
const TELLING: usize = 20;
/// A name that one commit replaces by one other in so many lines was changed for its own sake.
const RENAMED: usize = 4;
/// Names of which a change is one of meaning, however often it is made.
const MEANINGS: [&str; 24] = [
    "int", "long", "short", "char", "unsigned", "signed", "size_t", "ssize_t", "float", "double", "bool", "true",
    "false", "True", "False", "null", "None", "nil", "NULL", "and", "or", "not", "min", "max",
];
/// A commit that changes more files than this is not searched for moved lines.
const SEARCHED: usize = 400;

/// Whoever wrote a removed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Traced {
    /// The file before the fix.
    pub(super) file: RepoPath,
    /// The line there, from 1.
    pub(super) line: u32,
    /// The commit.
    pub(super) commit: Oid,
    /// The file as that commit calls it.
    pub(super) origin: RepoPath,
    /// The line there.
    pub(super) origin_line: u32,
    /// Commits that only shaped or moved it, the newest first, with file and line of each.
    pub(super) passed: Vec<(Oid, RepoPath, u32)>,
}

impl Traced {
    /// Where the line is, or was for a time: commit, file, line; the oldest first.
    pub(super) fn places(&self) -> impl Iterator<Item = (Oid, RepoPath, u32)> + '_ {
        let first = (self.commit, self.origin.clone(), self.origin_line);
        std::iter::once(first).chain(self.passed.iter().rev().cloned())
    }
}

/// Who wrote these lines of a file.
pub(super) fn trace(
    past: &Past<'_>,
    git: &Git,
    at: Oid,
    file: &RepoPath,
    lines: &[u32],
) -> Result<Result<Vec<Traced>, No>, Error> {
    let mut found = Vec::with_capacity(lines.len());
    let mut seen: Option<(Oid, ChangeSet)> = None;
    for blamed in git.blame(at, None, file, lines)? {
        let mut traced = Traced {
            file: file.clone(),
            line: blamed.line,
            commit: blamed.commit,
            origin: blamed.file,
            origin_line: blamed.original,
            passed: Vec::new(),
        };
        while let [parent] = past.ancestry.parents(traced.commit) {
            let (parent, commit) = (*parent, traced.commit);
            if seen.as_ref().is_none_or(|(of, _)| *of != commit) {
                seen = Some((commit, past.diff(Some(parent), commit)?));
            }
            let changes = seen.as_ref().map(|(_, changes)| changes);
            let Some((before, line)) = changes.and_then(|changes| before(changes, &traced)) else { break };
            if traced.passed.len() == HOPS {
                let what = format!("{}:{} was shaped by more than {HOPS} commits", file.visible(), traced.line);
                return Ok(Err(No("introducer-reformats", what)));
            }
            traced.passed.push((commit, traced.origin.clone(), traced.origin_line));
            let Some(older) = git.blame(parent, None, &before, &[line])?.into_iter().next() else { break };
            (traced.commit, traced.origin, traced.origin_line) = (older.commit, older.file, older.original);
        }
        found.push(traced);
    }
    Ok(Ok(found))
}

/// Where the line stood before the commit that seems to have written it, if all that this did was to shape or move it.
fn before(changes: &ChangeSet, traced: &Traced) -> Option<(RepoPath, u32)> {
    let change = changes.files.iter().find(|change| change.path == traced.origin)?;
    let line = Line::new(traced.origin_line)?;
    let hunk = change.hunks().iter().find(|hunk| hunk.new.contains(line))?;
    let (old, new) = sides(change)?;
    if let Some(old_line) = shaped(hunk, old, new, line).or_else(|| renamed(changes, (hunk, old, new), line)) {
        return Some((name_before(change), old_line));
    }
    let wanted = bare(new.line(line)?);
    if wanted.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() < TELLING || changes.files.len() > SEARCHED {
        return None;
    }
    let others = changes.files.iter().filter(|other| other.path != change.path);
    std::iter::once(change).chain(others).find_map(|file| {
        let (old, _) = sides(file)?;
        let removed = file.hunks().iter().flat_map(|hunk| hunk.old.first..hunk.old.end());
        let found = removed
            .filter_map(Line::new)
            .find(|number| old.line(*number).is_some_and(|text| text.len() >= wanted.len() && bare(text) == wanted))?;
        Some((name_before(file), found.get()))
    })
}

fn sides(change: &FileChange) -> Option<(&Text, &Text)> {
    match &change.body {
        Body::Text { old, new, .. } => Some((old, new)),
        Body::NotCode(_) | Body::Unread(_) => None,
    }
}

fn name_before(change: &FileChange) -> RepoPath {
    change.old_path.clone().unwrap_or_else(|| change.path.clone())
}

/// The old line where the new one begins, if the hunk says the same on both sides.
fn shaped(hunk: &Hunk, old: &Text, new: &Text, line: Line) -> Option<u32> {
    let before: Vec<Vec<u8>> = old.range(hunk.old).map(bare).collect();
    let after: Vec<Vec<u8>> = new.range(hunk.new).map(bare).collect();
    let text = before.concat();
    if text.is_empty() || text != after.concat() {
        return None;
    }
    let index = (line.get() - hunk.new.first) as usize;
    let offset: usize = after.iter().take(index).map(Vec::len).sum();
    let mut end = 0;
    for (number, old) in (hunk.old.first..).zip(&before) {
        end += old.len();
        if offset < end {
            return Some(number);
        }
    }
    None
}

/// The old line, if all that the commit did to it was to change names that it changes in many lines.
fn renamed(changes: &ChangeSet, (hunk, old, new): (&Hunk, &Text, &Text), line: Line) -> Option<u32> {
    let wanted = swaps(hunk, old, new, line.get() - hunk.new.first)?;
    let mut counts: BTreeMap<Swap, usize> = wanted.into_iter().map(|swap| (swap, 0)).collect();
    for file in &changes.files {
        let Some((old, new)) = sides(file) else { continue };
        for hunk in file.hunks() {
            for index in 0..hunk.new.count {
                for swap in swaps(hunk, old, new, index).unwrap_or_default() {
                    counts.entry(swap).and_modify(|count| *count += 1);
                }
            }
        }
    }
    counts.values().all(|count| *count >= RENAMED).then_some(hunk.old.first + (line.get() - hunk.new.first))
}

/// A name and what took its place.
type Swap = (Vec<u8>, Vec<u8>);

/// The names in which a line of the hunk differs from the one that it replaces; none where they differ in anything else,
/// or in nothing.
fn swaps(hunk: &Hunk, old: &Text, new: &Text, index: u32) -> Option<BTreeSet<Swap>> {
    if hunk.old.count != hunk.new.count {
        return None;
    }
    let before = old.line(Line::new(hunk.old.first.checked_add(index)?)?)?;
    let after = new.line(Line::new(hunk.new.first.checked_add(index)?)?)?;
    let (before, after) = (tokens(before), tokens(after));
    if before.len() != after.len() {
        return None;
    }
    let mut found = BTreeSet::new();
    for (one, other) in before.into_iter().zip(after) {
        if one != other {
            if !is_name(one) || !is_name(other) {
                return None;
            }
            found.insert((one.to_vec(), other.to_vec()));
        }
    }
    (!found.is_empty()).then_some(found)
}

/// A word that somebody chose.
fn is_name(token: &[u8]) -> bool {
    token.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && !MEANINGS.iter().any(|known| known.as_bytes() == token)
}

/// Words and single signs, blanks left out.
fn tokens(line: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(byte) = rest.first() {
        let length = if is_word(byte) { rest.iter().take_while(|byte| is_word(byte)).count() } else { 1 };
        let (token, after) = rest.split_at(length);
        if !byte.is_ascii_whitespace() {
            found.push(token);
        }
        rest = after;
    }
    found
}

/// A line without what formatters add, drop and swap: blanks, commas, semicolons, the kind of quotes.
fn bare(line: &[u8]) -> Vec<u8> {
    let kept = line.iter().filter(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b',' | b';'));
    kept.map(|byte| if matches!(byte, b'\'' | b'`') { b'"' } else { *byte }).collect()
}

/// Whether both sides of a hunk say the same but for blanks and the kind of quotes, which an include writes as `<…>` too, and
/// for semicolons that lines end with since.
pub(super) fn is_alike(hunk: &Hunk, old: &Text, new: &Text) -> bool {
    let lines = |text: &Text, lines| -> Vec<Vec<u8>> {
        let is_include = |line: &[u8]| String::from_utf8_lossy(line).to_ascii_lowercase().contains("include");
        let signs = |line: &[u8]| -> Vec<u8> {
            let bracket = is_include(line);
            let kept = line.iter().filter(|byte| !byte.is_ascii_whitespace());
            kept.map(|byte| match byte {
                b'\'' | b'`' => b'"',
                b'<' | b'>' if bracket => b'"',
                byte => *byte,
            })
            .collect()
        };
        text.range(lines).map(signs).collect()
    };
    let (before, after) = (lines(old, hunk.old), lines(new, hunk.new));
    let is_ended = |(one, other): (&Vec<u8>, &Vec<u8>)| one == other || other.strip_suffix(b";") == Some(one);
    let text = before.concat();
    let are_ended = || before.len() == after.len() && before.iter().zip(&after).all(is_ended);
    !text.is_empty() && (text == after.concat() || are_ended())
}

/// The removed lines of a hunk that say something else than its added ones: what stands on the other side as well, but for
/// blanks, was only indented. Lines without a letter or digit say nothing.
pub(super) fn telling(hunk: &Hunk, old: &Text, new: &Text) -> Vec<u32> {
    let blank = |line: &[u8]| -> Vec<u8> { line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect() };
    let mut added: Vec<Vec<u8>> = new.range(hunk.new).map(blank).collect();
    let mut found = Vec::new();
    for number in hunk.old.first..hunk.old.end() {
        let Some(text) = Line::new(number).and_then(|line| old.line(line)).map(blank) else { continue };
        if let Some(at) = added.iter().position(|other| *other == text) {
            added.swap_remove(at);
        } else if text.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80) {
            found.push(number);
        }
    }
    found
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;
    use crate::diff::Lines;

    fn text(lines: &[&str]) -> Text {
        Text::whole(lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect())
    }

    fn hunk(old: u32, new: u32) -> Hunk {
        Hunk { old: Lines { first: 1, count: old }, new: Lines { first: 1, count: new } }
    }

    #[test]
    fn a_wrapped_call_is_the_call() {
        let (old, new) = (text(&["x()", "call('a', b)"]), text(&["x();", "call(", "  \"a\",", "  b,", ")"]));
        for (line, before) in [(1, Some(1)), (2, Some(2)), (4, Some(2)), (5, Some(2))] {
            assert_eq!(shaped(&hunk(2, 5), &old, &new, Line::new(line).unwrap()), before, "{line}");
        }
        let other = text(&["x();", "call(", "  \"a\",", "  c,", ")"]);
        assert_eq!(shaped(&hunk(2, 5), &old, &other, Line::new(1).unwrap()), None);
    }

    #[test]
    fn a_name_is_swapped_in_place() {
        let (old, new) = (text(&["check(a, 1)", "x = 1"]), text(&["verify(a,  1)", "x = 2"]));
        let swap = (b"check".to_vec(), b"verify".to_vec());
        assert_eq!(swaps(&hunk(2, 2), &old, &new, 0), Some([swap].into()));
        assert_eq!(swaps(&hunk(2, 2), &old, &new, 1), None);
        let (old, new) = (text(&["int a;"]), text(&["long a;"]));
        assert_eq!(swaps(&hunk(1, 1), &old, &new, 0), None);
    }

    #[test]
    fn blanks_and_quotes_make_no_difference() {
        let hunk = hunk(1, 1);
        for (old, new, expected) in [
            ("say( 'a' )", "say(\"a\")", true),
            ("#elif HAS_INCLUDE(<a / b>)", "#elif HAS_INCLUDE(\"a/b\")", true),
            ("if a < b", "if a > b", false),
            ("call(a b)", "call(a, b)", false),
            ("", "a", false),
            ("call(a)", "call(a);", true),
            ("if (a);", "if (a)", false),
            ("call(a)", "call(a),", false),
        ] {
            assert_eq!(is_alike(&hunk, &text(&[old]), &text(&[new])), expected, "{old}");
        }
    }

    #[test]
    fn what_was_only_indented_is_not_removed() {
        let (old, new) = (text(&["a = 1", "}", "b = 2"]), text(&["if x:", "    a = 1", "    b = 3"]));
        assert_eq!(telling(&hunk(3, 3), &old, &new), [3]);
    }
}
