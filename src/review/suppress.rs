//! Suppress: reasoned ignores in the code and the baseline of accepted findings. Before merging and caps, so that an
//! accepted finding takes no other's place.

use std::sync::LazyLock;

use regex::Regex;

use super::ground::Grounded;
use crate::baseline::{Baseline, Date};
use crate::detect::FileView;
use crate::finding::{Finding, Line, Stage};
use crate::syntax::Region;

/// `diffsieve: ignore[Tag, Tag] reason`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// The tags it names.
    pub tags: Vec<String>,
    /// Why; may be empty.
    pub reason: String,
}

static IGNORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"diffsieve:\s*ignore\[([A-Za-z0-9_\-,\s]{1,400})\]([^\r\n]*)")
        .expect("the pattern is a constant that compiles")
});

/// Finds the ignores in a line, in any comment syntax.
pub fn ignores(line: &str) -> Vec<Ignore> {
    if !line.contains("diffsieve:") {
        return Vec::new();
    }
    IGNORE
        .captures_iter(line)
        .map(|found| Ignore {
            tags: found[1].split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect(),
            reason: tidy(&found[2]),
        })
        .filter(|ignore| !ignore.tags.is_empty())
        .collect()
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
    used: bool,
}

/// Drops findings that an ignore on their line or on the line above accepts. Says which ignores do not count and which
/// match nothing.
pub(super) fn inline(
    findings: Vec<Grounded>,
    view: &FileView<'_>,
    policy: Policy,
    notes: &mut Vec<String>,
) -> (Vec<Grounded>, Vec<Finding>) {
    let mut placed = placed(view);
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for mut grounded in findings {
        let finding = &mut grounded.finding;
        let line = finding.claim.location.line;
        let tag = finding.claim.tag.clone();
        let found = placed.iter_mut().find(|placed| {
            (placed.line == line || placed.line.get() + 1 == line.get())
                && placed.ignore.tags.iter().any(|name| **name == *tag)
        });
        let Some(found) = found else {
            kept.push(grounded);
            continue;
        };
        found.used = true;
        let at = format!("{}:{}", view.change.path.visible(), found.line);
        if found.ignore.reason.is_empty() && !policy.unreasoned {
            notes.push(format!("the ignore at {at} gives no reason and does not count"));
            finding.step(Stage::Suppress, "inline", "kept", format!("the ignore at {at} gives no reason"));
            kept.push(grounded);
        } else if view.is_added(found.line) && !policy.added_ignores {
            notes.push(format!(
                "the ignore at {at} is added by this very change and does not count (`gate.added_ignores` lets it)"
            ));
            finding.step(Stage::Suppress, "inline", "kept", format!("the ignore at {at} is added by this change"));
            kept.push(grounded);
        } else {
            if view.is_added(found.line) {
                notes.push(format!(
                    "the ignore at {at} is added by this very change and counts: {}",
                    found.ignore.reason
                ));
            }
            let reason = found.ignore.reason.clone();
            finding.drop_at(Stage::Suppress, "suppressed:inline", format!("{reason} ({at})"));
            dropped.push(grounded.finding);
        }
    }
    for placed in placed.iter().filter(|placed| !placed.used && targets_added(view, placed.line)) {
        let at = format!("{}:{}", view.change.path.visible(), placed.line);
        notes.push(format!("the ignore[{}] at {at} matches no finding", placed.ignore.tags.join(", ")));
    }
    (kept, dropped)
}

/// Only where its own or the next line was added can an ignore have anything to match.
fn targets_added(view: &FileView<'_>, line: Line) -> bool {
    view.is_added(line) || Line::new(line.get() + 1).is_some_and(|next| view.is_added(next))
}

fn placed(view: &FileView<'_>) -> Vec<Placed> {
    if memchr::memmem::find(view.text.bytes(), b"diffsieve:").is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, bytes) in view.text.lines() {
        if memchr::memmem::find(bytes, b"diffsieve:").is_none() || !in_comment(view, line) {
            continue;
        }
        let text = String::from_utf8_lossy(bytes);
        found.extend(ignores(&text).into_iter().map(|ignore| Placed { line, ignore, used: false }));
    }
    found
}

/// In a file we parse, an ignore inside a string literal is data; elsewhere the marker alone decides.
fn in_comment(view: &FileView<'_>, line: Line) -> bool {
    let Some(parsed) = view.parsed() else { return true };
    let range = parsed.line_range(line);
    let source = parsed.source().get(range.clone()).unwrap_or_default();
    let Some(at) = source.find("diffsieve:") else { return true };
    parsed.region(range.start + at) == Region::Comment
}

/// Drops findings that the baseline accepts; an expired entry is named and does not count.
pub(super) fn baseline(
    findings: Vec<Finding>,
    baseline: &Baseline,
    today: Option<Date>,
    notes: &mut Vec<String>,
) -> (Vec<Finding>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for mut finding in findings {
        match baseline.entry_for(&finding) {
            None => kept.push(finding),
            Some(entry) if entry.is_expired(today) => {
                let until = entry.until.map(|date| date.to_string()).unwrap_or_default();
                let tag = &finding.claim.tag;
                notes.push(format!("the baseline entry for {tag} ({}) expired on {until}", finding.fingerprint));
                finding.step(Stage::Suppress, "baseline", "kept", format!("its baseline entry expired on {until}"));
                kept.push(finding);
            }
            Some(entry) => {
                finding.drop_at(Stage::Suppress, "suppressed:baseline", entry.reason.clone());
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
