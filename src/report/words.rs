//! Sentences about a review that more than one format says, in plain text.

use crate::finding::{Level, Stage};
use crate::review::{Coverage, Review};

/// How a finding can be accepted by those who may (design: product, exit codes).
pub(super) const WAYS_OUT: [&str; 2] = [
    "a maintainer adds the fingerprint to the baseline on the base branch (diffsieve baseline update)",
    "a comment `diffsieve: ignore[Tag] reason` on the line, where policy counts ignores that a change brings along",
];

/// What stands above [`WAYS_OUT`].
pub(super) const ACCEPT: &str =
    "Fix the findings, or accept them in one of these ways, each of which stays visible in the report:";

/// A count with its noun.
pub(super) fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// How many findings of each level are shown, worst first.
pub(super) fn counts(review: &Review) -> String {
    let count = |level| review.findings.iter().filter(|finding| finding.level == level).count() as u64;
    let counts = Level::ALL.into_iter().rev().map(|level| (count(level), level.name()));
    let parts: Vec<String> = counts.filter(|(count, _)| *count > 0).map(|(count, name)| plural(count, name)).collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

/// How many of the added lines were read.
pub(super) fn lines_read(coverage: &Coverage) -> String {
    let uncounted = coverage.skipped.iter().any(|skip| skip.unread && skip.lines.is_none());
    if uncounted {
        let known = plural(coverage.added_lines, "added line");
        format!("{} of {known} read, and more that could not be counted", coverage.reviewed_lines)
    } else if coverage.reviewed_lines == coverage.added_lines {
        match coverage.added_lines {
            0 => "no added lines".to_owned(),
            1 => "its one added line read".to_owned(),
            all => format!("all {all} added lines read"),
        }
    } else {
        format!("{} of {} read", coverage.reviewed_lines, plural(coverage.added_lines, "added line"))
    }
}

/// What was removed on the way, in the order of the stages: stage, reason, count. A reason that no dropped finding
/// carries has no stage and stands last.
pub(super) fn removed(review: &Review) -> Vec<(Option<Stage>, &str, u64)> {
    let stage_of = |reason: &str| {
        let dropped = review.dropped.iter().filter_map(|finding| finding.dropped.as_ref());
        dropped.filter(|dropped| dropped.reason == reason).map(|dropped| dropped.stage).min()
    };
    let mut removed: Vec<_> =
        review.funnel.removed.iter().map(|(reason, count)| (stage_of(reason), reason.as_str(), *count)).collect();
    removed.sort_by_key(|(stage, reason, _)| (stage.is_none(), *stage, *reason));
    removed
}
