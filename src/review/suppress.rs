//! Suppress: reasoned ignores in the code and the baseline of accepted findings. Before merging and caps, so that an
//! accepted finding takes no other's place.

use std::sync::LazyLock;

use regex::Regex;

use super::ground::Grounded;
use crate::baseline::{Baseline, Date, Entry};
use crate::detect::FileView;
use crate::document::nearest;
use crate::escape;
use crate::finding::{Finding, Line, Stage};
use crate::rules::Rules;
use crate::syntax::{Parsed, Region};

/// `diffsieve: ignore[Tag, Tag] reason`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// The byte at which it stands in its line.
    pub at: usize,
    /// The tags it names.
    pub tags: Vec<String>,
    /// Why; may be empty.
    pub reason: String,
}

static IGNORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"diffsieve:\s*ignore\[([A-Za-z0-9_\-:,\s]{1,400})\]").expect("the pattern is a constant that compiles")
});

/// Finds the ignores in a line, in any comment syntax.
pub fn ignores(line: &str) -> Vec<Ignore> {
    if !line.contains("diffsieve:") {
        return Vec::new();
    }
    let mut found = IGNORE.captures_iter(line).peekable();
    let mut ignores = Vec::new();
    while let Some(marker) = found.next() {
        let whole = marker.get(0).expect("group 0 is the whole match");
        let end = found.peek().and_then(|next| next.get(0)).map_or(line.len(), |next| next.start());
        let reason = line[whole.end()..end].lines().next().unwrap_or_default();
        let tags = marker[1].split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned);
        ignores.push(Ignore { at: whole.start(), tags: tags.collect(), reason: tidy(reason) });
    }
    ignores.retain(|ignore| !ignore.tags.is_empty());
    ignores
}

/// The reason without what closes the comment.
fn tidy(text: &str) -> String {
    let mut text = text.trim();
    for end in ["*/", "-->", "--%>", "%>", "#}", "}}", "*)", "=#", "--]]", "]]"] {
        text = text.strip_suffix(end).unwrap_or(text).trim_end();
    }
    text.trim_start_matches([':', '-', ' ']).to_owned()
}

/// What the policy says of ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// An ignore that this very change adds counts too.
    pub added_ignores: bool,
    /// An ignore without a reason counts too.
    pub unreasoned: bool,
}

/// An ignore in a file and whether a finding used it.
struct Placed {
    line: Line,
    ignore: Ignore,
    /// It stands behind code, so it speaks of that line only.
    trailing: bool,
    /// The change wrote it; one that stood on a line which the change rewrote was there before.
    added: bool,
    used: bool,
}

impl Placed {
    fn counts(&self, policy: Policy) -> bool {
        (policy.unreasoned || !self.ignore.reason.is_empty()) && (policy.added_ignores || !self.added)
    }
}

/// Drops findings that an ignore on their line, or on a line of its own above, accepts. Says which ignores do not count and which
/// match nothing.
pub(super) fn inline(
    findings: Vec<Grounded>,
    view: &FileView<'_>,
    rules: &Rules,
    policy: Policy,
    notes: &mut Vec<String>,
) -> (Vec<Grounded>, Vec<Finding>) {
    let mut placed = placed(view);
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for mut grounded in findings {
        let finding = &mut grounded.finding;
        let line = finding.claim.location.line;
        let tag = finding.claim.tag.clone();
        let matching = |placed: &&mut Placed| {
            (placed.line == line || (!placed.trailing && placed.line.get() + 1 == line.get()))
                && placed.ignore.tags.iter().any(|name| **name == *tag)
        };
        // Of several the one that counts, or else the first, which is told why it does not.
        let found = placed.iter_mut().filter(matching).min_by_key(|placed| !placed.counts(policy));
        let Some(found) = found else {
            kept.push(grounded);
            continue;
        };
        found.used = true;
        let at = format!("{}:{}", view.change.path.visible(), found.line);
        if !found.counts(policy) {
            let why = if found.ignore.reason.is_empty() && !policy.unreasoned {
                notes.push(format!("the ignore at {at} gives no reason and does not count"));
                format!("the ignore at {at} gives no reason")
            } else {
                notes.push(format!(
                    "the ignore at {at} is added by this very change and does not count (`gate.added_ignores` lets it)"
                ));
                format!("the ignore at {at} is added by this change")
            };
            finding.step(Stage::Suppress, "inline", "kept", why);
            kept.push(grounded);
        } else {
            if found.added {
                notes.push(format!(
                    "the ignore at {at} is added by this very change and counts: {}",
                    escape::visible(&found.ignore.reason)
                ));
            }
            let reason = found.ignore.reason.clone();
            finding.drop_at(Stage::Suppress, "suppressed:inline", format!("{reason} ({at})"));
            dropped.push(grounded.finding);
        }
    }
    for placed in placed.iter().filter(|placed| !placed.used && targets_added(view, placed)) {
        let at = format!("{}:{}", view.change.path.visible(), placed.line);
        let tags = escape::visible(&placed.ignore.tags.join(", "));
        let unknown = placed.ignore.tags.iter().find(|tag| rules.spec(tag, None).is_none());
        let why = match unknown {
            Some(tag) => {
                let known: Vec<&str> = rules.tags.keys().map(String::as_str).collect();
                let near = Some(nearest(tag, &known)).filter(|near| near.starts_with("did"));
                format!(
                    "names a tag that no loaded pack has{}",
                    near.map(|near| format!("; {near}")).unwrap_or_default()
                )
            }
            None => "matches no finding".to_owned(),
        };
        notes.push(format!("the ignore[{tags}] at {at} {why}"));
    }
    for line in view.change.added() {
        let Some(text) = view.text.line(line) else { continue };
        if memchr::memmem::find(text, b"diffsieve: ignore").is_some()
            && ignores(&String::from_utf8_lossy(text)).is_empty()
        {
            let at = format!("{}:{line}", view.change.path.visible());
            notes.push(format!("the ignore at {at} names no tag: write `diffsieve: ignore[Tag] reason`"));
        }
    }
    (kept, dropped)
}

/// Only where a line it speaks of was added can an ignore have anything to match.
fn targets_added(view: &FileView<'_>, placed: &Placed) -> bool {
    let next = Line::new(placed.line.get() + 1).filter(|_| !placed.trailing);
    view.is_added(placed.line) || next.is_some_and(|next| view.is_added(next))
}

fn placed(view: &FileView<'_>) -> Vec<Placed> {
    if memchr::memmem::find(view.text.bytes(), b"diffsieve:").is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, bytes) in view.text.lines() {
        if memchr::memmem::find(bytes, b"diffsieve:").is_none() {
            continue;
        }
        let comments = in_comments(view.parsed(), line, bytes);
        found.extend(comments.into_iter().map(|ignore| Placed {
            line,
            trailing: stands_behind_code(view, line, ignore.at),
            ignore,
            added: view.is_added(line),
            used: false,
        }));
    }
    carry_over(view, &mut found);
    found
}

/// The ignores of a line. In a file we parse, one inside a string literal is data; elsewhere the marker alone decides.
fn in_comments(parsed: Option<&Parsed>, line: Line, bytes: &[u8]) -> Vec<Ignore> {
    let Some(parsed) = parsed else { return ignores(&String::from_utf8_lossy(bytes)) };
    let range = parsed.line_range(line);
    let mut found = ignores(parsed.source().get(range.clone()).unwrap_or_default());
    found.retain(|ignore| parsed.region(range.start + ignore.at) == Region::Comment);
    found
}

/// Whether code precedes a comment on its line. In a file we do not parse, all but the start of a comment counts as code.
fn stands_behind_code(view: &FileView<'_>, line: Line, at: usize) -> bool {
    let Some(parsed) = view.parsed() else {
        let text = view.text.line_text(line).unwrap_or_default();
        let before = text.get(..at).unwrap_or_default().trim();
        let is_word = ["rem", "REM", "Rem", "dnl", "::"].contains(&before);
        return !is_word && before.chars().any(|c| !"#/*<!-;%({'\"".contains(c));
    };
    let start = parsed.line_range(line).start;
    let before = parsed.source().get(start..start + at).unwrap_or_default();
    before
        .bytes()
        .enumerate()
        .any(|(offset, byte)| !byte.is_ascii_whitespace() && parsed.region(start + offset) != Region::Comment)
}

/// Tells ignores that the change took along from those that it added: each one on the removed lines of a hunk excuses
/// one like it on the hunk's added lines.
fn carry_over(view: &FileView<'_>, placed: &mut [Placed]) {
    if placed.iter().all(|placed| !placed.added) {
        return;
    }
    for hunk in view.change.hunks() {
        let lines = (hunk.old.first..hunk.old.end()).filter_map(Line::new);
        let removed = lines.filter_map(|line| Some((line, view.old_text.line(line)?)));
        let marked = removed.filter(|(_, bytes)| memchr::memmem::find(bytes, b"diffsieve:").is_some());
        for old in marked.flat_map(|(line, bytes)| in_comments(view.parsed_old(), line, bytes)) {
            let same = |placed: &&mut Placed| {
                placed.added
                    && hunk.new.contains(placed.line)
                    && placed.ignore.tags == old.tags
                    && placed.ignore.reason == old.reason
            };
            if let Some(kept) = placed.iter_mut().find(same) {
                kept.added = false;
            }
        }
    }
}

/// The reason of what the baseline accepts.
pub(super) const BASELINE: &str = "suppressed:baseline";

/// Drops findings that the baseline accepts; an expired entry is named and does not count.
pub(super) fn baseline(
    findings: Vec<Finding>,
    baseline: &Baseline,
    may: impl Fn(&Finding, &Entry) -> bool,
    today: Option<Date>,
    notes: &mut Vec<String>,
) -> (Vec<Finding>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    let entries = baseline.entries_for(&findings, may);
    for (mut finding, entry) in findings.into_iter().zip(entries) {
        match entry {
            None => kept.push(finding),
            Some(entry) if entry.is_expired(today) => {
                let until = entry.until.map(|date| date.to_string()).unwrap_or_default();
                let tag = &finding.claim.tag;
                notes.push(format!("the baseline entry for {tag} ({}) expired on {until}", finding.fingerprint));
                finding.step(Stage::Suppress, "baseline", "kept", format!("its baseline entry expired on {until}"));
                kept.push(finding);
            }
            Some(entry) => {
                finding.drop_at(Stage::Suppress, BASELINE, entry.reason.clone());
                dropped.push(finding);
            }
        }
    }
    (kept, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> (Vec<String>, String) {
        let mut found = ignores(line);
        assert_eq!(found.len(), 1, "{line}");
        let ignore = found.remove(0);
        (ignore.tags, ignore.reason)
    }

    #[test]
    fn every_comment_syntax_gives_the_same_reason() {
        for line in [
            "x = 1  # diffsieve: ignore[A] vendored code",
            "x = 1; // diffsieve: ignore[A] vendored code",
            "/* diffsieve: ignore[A] vendored code */",
            "<!-- diffsieve: ignore[A] vendored code -->",
            "-- diffsieve:ignore[A] vendored code",
            "; diffsieve: ignore[ A ]: vendored code",
            "{# diffsieve: ignore[A] - vendored code #}",
            "(* diffsieve: ignore[A] vendored code *)\r",
        ] {
            assert_eq!(one(line), (vec!["A".to_owned()], "vendored code".to_owned()), "{line}");
        }
    }

    #[test]
    fn several_tags_and_no_reason() {
        assert_eq!(one("# diffsieve: ignore[A, b-C,]").0, ["A", "b-C"]);
        assert_eq!(one("# diffsieve: ignore[A]").1, "");
    }

    #[test]
    fn near_misses_are_no_ignores() {
        for line in [
            "# diffsieve: ignore A",
            "# diffsieve: ignore[]",
            "# diffsieve ignore[A]",
            "# ignore[A]",
            "# diffsieve: ignore[*]",
        ] {
            assert!(ignores(line).is_empty(), "{line}");
        }
    }
}
