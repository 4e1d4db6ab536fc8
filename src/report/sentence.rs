//! What more than one format says in words, and the tools to set it on a line. All texts from outside are visible here
//! already; whatever else a sink needs it does itself.

use std::collections::BTreeMap;

use super::Report;
use crate::escape::visible;
use crate::finding::{Finding, Level, RepoPath, Since, Source, Stage};
use crate::gate::Verdict;
use crate::review::since::{Comparison, Fate, Gone};
use crate::review::{ReadBy, Review};

/// Unread parts that one message names.
const NAMED: usize = 10;

/// The text with a full stop, unless it ends in one or in something as final.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '…', '`']) { text.to_owned() } else { format!("{text}.") }
}

/// At most this many characters, with a mark where some were cut off.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters).and_then(|_| text.char_indices().nth(characters.saturating_sub(1))) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A text on one line, without white space that only sets it.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number and its noun.
pub(super) fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A path on one line, tabs included.
pub(super) fn place(path: &RepoPath) -> String {
    path.visible().replace('\t', "␉")
}

/// `passed`, `failed` or `incomplete`.
pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed",
        Verdict::Incomplete => "incomplete",
    }
}

/// Which part of a shared review this is.
pub(super) fn share(review: &Review) -> Option<String> {
    let share = &review.share.as_ref()?.division;
    let all = plural(share.files.len() as u64, "changed file");
    Some(format!("Share {} of {all}: only `diffsieve merge` sees the whole review", share.shard))
}

/// `1234567: 2 new, 3 unchanged, 1 fixed`: the comparison with an earlier review.
pub(super) fn since(since: &Comparison, review: &Review) -> String {
    let new = review.findings.iter().filter(|finding| finding.since == Some(Since::New)).count();
    let name = since.head.as_deref().map_or("the earlier review", |head| head.get(..7).unwrap_or(head));
    let mut text = format!("{}: {new} new, {} unchanged", visible(name), review.findings.len() - new);
    for fate in Fate::ALL {
        if let count @ 1.. = since.gone.iter().filter(|gone| gone.fate == fate).count() {
            text.push_str(&format!(", {count} {}", fate.name()));
        }
    }
    text
}

/// What became of a finding of an earlier review.
pub(super) fn gone(gone: &Gone) -> String {
    let at = format!("{}:{}", place(&gone.path), gone.line);
    format!("{}: {} {at}: {}", gone.fate.name(), visible(&gone.tag), visible(&gone.why))
}

/// `1 error, 2 notes`.
pub(crate) fn counts(findings: &[Finding]) -> String {
    let parts: Vec<String> = Level::ALL
        .into_iter()
        .rev()
        .map(|level| (level, findings.iter().filter(|finding| finding.level == level).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(level, count)| plural(count as u64, level.name()))
        .collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

/// Who says a finding, where else it is, and how sure that is.
pub(super) fn facts(finding: &Finding) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(function) = finding.function.as_ref().filter(|name| !name.raw().is_empty()) {
        parts.push(format!("in {}", function.visible()));
    }
    parts.push(finding.fingerprint.to_string());
    if let Source::Model { .. } = finding.claim.source {
        parts.push("by the model".to_owned());
        if let Some(score) = finding.score {
            parts.push(format!("score {score:.1} of 10"));
        }
        if finding.votes > 1 {
            parts.push(format!("{} votes", finding.votes));
        }
    }
    if let count @ 1.. = finding.related.len() {
        let first: Vec<String> = finding
            .related
            .iter()
            .take(3)
            .map(|place| format!("{}:{}", self::place(&place.path), place.line))
            .collect();
        let more = if count > first.len() { format!(" and {} more", count - first.len()) } else { String::new() };
        parts.push(format!("also {}{more}", first.join(", ")));
    }
    parts
}

/// Tag and fingerprint of a finding, and how it is accepted.
pub(super) fn accept(finding: &Finding) -> String {
    let tag = &finding.claim.tag;
    format!(
        "{tag} {}; accept it in the baseline, or by diffsieve: ignore[{tag}] reason where policy counts it",
        finding.fingerprint
    )
}

/// That the review is incomplete, with the first parts that were not read, one a line.
pub(super) fn incomplete(report: &Report<'_>) -> String {
    let unread = report.review.coverage.skipped.iter().filter(|skip| skip.unread).count() as u64;
    let mut text = format!("The review is incomplete: {} of the change could not be read.", plural(unread, "part"));
    for skip in report.review.coverage.skipped.iter().filter(|skip| skip.unread).take(NAMED) {
        text.push_str(&format!("\nnot read: {} ({})", skip.path.visible(), visible(&skip.why)));
    }
    text
}

/// What a cap keeps from being shown, which must not look like an end.
pub(super) fn capped(review: &Review) -> Option<String> {
    let hidden = review.dropped.iter().filter(|finding| finding.is_capped());
    let mut tags: BTreeMap<&str, u64> = BTreeMap::new();
    hidden.for_each(|finding| *tags.entry(&finding.claim.tag).or_default() += 1);
    let all: u64 = tags.values().sum();
    let parts: Vec<String> = tags.iter().map(|(tag, count)| format!("{} {count}", visible(tag))).collect();
    (all > 0).then(|| format!("{all} more below error, over a cap and not shown: {}", parts.join(", ")))
}

/// How much of the change was read, and by whom.
pub(crate) fn read(review: &Review) -> String {
    let (change, coverage) = (&review.change, &review.coverage);
    let files = plural(change.files.len() as u64, "file");
    let uncounted = coverage.skipped.iter().any(|skip| skip.unread && skip.lines.is_none());
    let lines = if uncounted {
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
    };
    let read_by = |reads: fn(&ReadBy) -> bool| change.files.iter().filter(|file| reads(&file.read_by)).count();
    let model = match &review.model {
        None => "model off".to_owned(),
        Some(_) => format!("model {}", read_by(|by| by.model)),
    };
    let text = plural(read_by(|by| by.text) as u64, "file");
    let parser = read_by(|by| by.parser);
    format!("{files}, {lines}. Read by: text detectors {text}, parser {parser}, {model}")
}

/// What is no code, or nothing for a model: only counted, by reason, after a word on which of the two it is.
pub(super) fn not_code(review: &Review) -> Vec<(&'static str, String)> {
    let (mut code, mut shown): (BTreeMap<&str, u64>, BTreeMap<&str, u64>) = Default::default();
    for skip in review.coverage.skipped.iter().filter(|skip| !skip.unread) {
        let count = match skip.why.strip_prefix("not shown to the model: ") {
            Some(why) => shown.entry(why).or_default(),
            None => code.entry(&skip.why).or_default(),
        };
        *count += 1;
    }
    let counted = |(head, reasons): (&'static str, BTreeMap<&str, u64>)| {
        let parts: Vec<String> = reasons.iter().map(|(why, count)| format!("{count} {}", visible(why))).collect();
        (!parts.is_empty()).then(|| (head, parts.join(", ")))
    };
    [("Not code: ", code), ("Not shown to the model: ", shown)].into_iter().filter_map(counted).collect()
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

/// `raised 31 → ungrounded 6 → … → shown 3`.
pub(super) fn funnel(review: &Review) -> String {
    let mut parts = vec![format!("raised {}", review.funnel.raised)];
    parts.extend(removed(review).iter().map(|(_, reason, count)| format!("{} {count}", visible(reason))));
    parts.push(format!("shown {}", review.funnel.shown));
    parts.join(" → ")
}

/// What stands above [`WAYS_OUT`].
pub(super) const ACCEPT: &str =
    "Fix the findings, or accept them in one of these ways, each of which stays visible in the report:";

/// How a finding can be accepted by those who may (design: product, exit codes).
pub(super) const WAYS_OUT: [&str; 2] = [
    "a maintainer adds the fingerprint to the baseline on the base branch (diffsieve baseline update)",
    "a comment `diffsieve: ignore[Tag] reason` on the line, where policy counts ignores that a change brings along",
];
