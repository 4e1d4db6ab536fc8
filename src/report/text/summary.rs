//! The end of the page: what was reviewed, what was not, and the verdict.

use std::collections::BTreeMap;

use super::page::{Ink, Page};
use super::place;
use crate::escape::visible;
use crate::gate::Verdict;
use crate::report::Report;
use crate::report::words::{ACCEPT, WAYS_OUT, counts, lines_read, plural, removed};
use crate::review::{ReadBy, Review, Skip};

/// More unread parts than this are counted; JSON and SARIF name all of them.
const UNREAD: usize = 50;

pub(super) fn summary(page: &mut Page, report: &Report<'_>) {
    let review = report.review;
    capped(page, review);
    unread(page, review);
    reviewed(page, review);
    not_code(page, review);
    if report.style.funnel {
        page.prose("Funnel: ", &funnel(review));
    }
    for note in review.change.notes.iter().chain(&review.notes) {
        page.prose("Note: ", &visible(note));
    }
    page.blank();
    verdict(page, report);
    match report.decision.verdict {
        Verdict::Pass => {}
        Verdict::Fail => ways_out(page),
        Verdict::Incomplete => {
            let or = if review.model.is_some() { ", or mend what kept the model from answering" } else { "" };
            let what = "What was not read may hold findings, so this is no pass. Fetch, split or exclude it";
            page.prose("", &format!("{what}{or}; a maintainer can also set gate.on_incomplete = \"warn\"."));
        }
    }
}

/// The last line, and the only one of a quiet report.
pub(super) fn verdict(page: &mut Page, report: &Report<'_>) {
    let (word, ink) = match report.decision.verdict {
        Verdict::Pass if report.decision.complete => ("passed", Ink::Good),
        Verdict::Pass => ("passed", Ink::Warning),
        Verdict::Fail => ("failed", Ink::Error),
        Verdict::Incomplete => ("incomplete", Ink::Error),
    };
    let counts = counts(report.review);
    let reason = match (report.decision.verdict, report.decision.complete) {
        // That no finding failed the gate goes without saying where there is none.
        (Verdict::Pass, true) if report.review.findings.is_empty() => String::new(),
        _ => format!("; {}", visible(&report.decision.reason)),
    };
    let word = page.paint(ink, word);
    page.line(&format!("diffsieve {word}: {counts}{reason}"));
}

/// A cap must not look like an end.
fn capped(page: &mut Page, review: &Review) {
    let hidden = review.dropped.iter().filter(|finding| finding.is_capped());
    let mut tags: BTreeMap<&str, u64> = BTreeMap::new();
    hidden.for_each(|finding| *tags.entry(&finding.claim.tag).or_default() += 1);
    if tags.is_empty() {
        return;
    }
    let all: u64 = tags.values().sum();
    let parts: Vec<String> = tags.iter().map(|(tag, count)| format!("{} {count}", visible(tag))).collect();
    page.prose("", &format!("{all} more below error, over a cap and not shown: {}", parts.join(", ")));
    page.blank();
}

fn unread(page: &mut Page, review: &Review) {
    let unread: Vec<&Skip> = review.coverage.skipped.iter().filter(|skip| skip.unread).collect();
    if unread.is_empty() {
        return;
    }
    let head = page.paint(Ink::Error, &format!("Not read, so the review is incomplete ({}):", unread.len()));
    page.line(&head);
    // What keeps one file unread often keeps many.
    let mut by_reason: Vec<(&str, Vec<String>)> = Vec::new();
    for skip in unread.iter().take(UNREAD) {
        let lines = skip.lines.filter(|lines| *lines > 0);
        let lines = lines.map(|lines| format!(" ({})", plural(lines, "added line"))).unwrap_or_default();
        let place = format!("{}{lines}", place(&skip.path));
        match by_reason.iter_mut().find(|(why, _)| *why == skip.why) {
            Some((_, places)) => places.push(place),
            None => by_reason.push((&skip.why, vec![place])),
        }
    }
    for (why, places) in by_reason {
        page.prose("  ", &format!("{}: {}", places.join(", "), visible(why)));
    }
    if unread.len() > UNREAD {
        page.line(&format!("  and {} more, all named in --format json", unread.len() - UNREAD));
    }
    page.blank();
}

fn reviewed(page: &mut Page, review: &Review) {
    let change = &review.change;
    if !change.description.is_empty() {
        page.prose("Reviewed ", &visible(&change.description));
    }
    let coverage = &review.coverage;
    let files = plural(change.files.len() as u64, "file");
    let lines = lines_read(coverage);
    let read_by = |reads: fn(&ReadBy) -> bool| change.files.iter().filter(|file| reads(&file.read_by)).count();
    let model = match &review.model {
        None => "model off".to_owned(),
        Some(_) => format!("model {}", read_by(|by| by.model)),
    };
    let text = plural(read_by(|by| by.text) as u64, "file");
    let parser = read_by(|by| by.parser);
    page.prose("", &format!("{files}, {lines}. Read by: text detectors {text}, parser {parser}, {model}"));
}

/// What is no code, or nothing for a model, is only counted, by reason.
fn not_code(page: &mut Page, review: &Review) {
    let (mut code, mut shown): (BTreeMap<&str, u64>, BTreeMap<&str, u64>) = Default::default();
    for skip in review.coverage.skipped.iter().filter(|skip| !skip.unread) {
        let count = match skip.why.strip_prefix("not shown to the model: ") {
            Some(why) => shown.entry(why).or_default(),
            None => code.entry(&skip.why).or_default(),
        };
        *count += 1;
    }
    for (head, reasons) in [("Not code: ", code), ("Not shown to the model: ", shown)] {
        let parts: Vec<String> = reasons.iter().map(|(why, count)| format!("{count} {}", visible(why))).collect();
        if !parts.is_empty() {
            page.prose(head, &parts.join(", "));
        }
    }
}

/// `raised 31 → ungrounded 6 → … → shown 3`, in the order of the stages.
pub(super) fn funnel(review: &Review) -> String {
    let mut parts = vec![format!("raised {}", review.funnel.raised)];
    parts.extend(removed(review).iter().map(|(_, reason, count)| format!("{} {count}", visible(reason))));
    parts.push(format!("shown {}", review.funnel.shown));
    parts.join(" → ")
}

fn ways_out(page: &mut Page) {
    page.blank();
    page.prose("", ACCEPT);
    for way in WAYS_OUT {
        page.prose("  - ", way);
    }
    page.prose("", "`diffsieve explain FINGERPRINT` tells how a finding came about.");
}
