//! The end of the page: what was reviewed, what was not, and the verdict.

use super::page::{Ink, Page};
use crate::escape::visible;
use crate::gate::Verdict;
use crate::report::Report;
use crate::report::sentence::{self, ACCEPT, WAYS_OUT, place, plural};
use crate::review::{Review, Skip};

/// More unread parts than this are counted; JSON and SARIF name all of them.
const UNREAD: usize = 50;

/// More findings of an earlier review that are gone than this are counted.
const GONE: usize = 20;

pub(super) fn summary(page: &mut Page, report: &Report<'_>) {
    let review = report.review;
    if let Some(capped) = sentence::capped(review) {
        page.prose("", &capped);
        page.blank();
    }
    unread(page, review);
    if !review.change.description.is_empty() {
        page.prose("Reviewed ", &visible(&review.change.description));
    }
    if let Some(share) = sentence::share(review) {
        page.prose("", &share);
    }
    page.prose("", &sentence::read(review));
    for (head, reasons) in sentence::not_code(review) {
        page.prose(head, &reasons);
    }
    if report.style.funnel {
        page.prose("Funnel: ", &sentence::funnel(review));
    }
    if let Some(since) = &review.since {
        page.prose("Since ", &sentence::since(since, review));
        for gone in since.gone.iter().take(GONE) {
            page.prose("  ", &sentence::gone(gone));
        }
        if since.gone.len() > GONE {
            page.line(&format!("  and {} more, all named in --format json", since.gone.len() - GONE));
        }
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
    let ink = match report.decision.verdict {
        Verdict::Pass if report.decision.complete => Ink::Good,
        Verdict::Pass => Ink::Warning,
        Verdict::Fail | Verdict::Incomplete => Ink::Error,
    };
    let counts = sentence::counts(&report.review.findings);
    let reason = match (report.decision.verdict, report.decision.complete) {
        // That no finding failed the gate goes without saying where there is none.
        (Verdict::Pass, true) if report.review.findings.is_empty() => String::new(),
        _ => format!("; {}", visible(&report.decision.reason)),
    };
    let word = page.paint(ink, sentence::verdict(report.decision.verdict));
    page.line(&format!("diffsieve {word}: {counts}{reason}"));
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

fn ways_out(page: &mut Page) {
    page.blank();
    page.prose("", ACCEPT);
    for way in WAYS_OUT {
        page.prose("  - ", way);
    }
    page.prose("", "`diffsieve explain FINGERPRINT` tells how a finding came about.");
}
