//! A finding under its line.

use super::super::Report;
use super::files::{frame, suggestion};
use super::{Page, class, link, source};
use crate::finding::{Anchored, EvidenceStatus, Finding, Source};

/// Draws a finding; `with_frame` where the diff does not show its first line.
pub(super) fn card(page: &mut Page, report: &Report<'_>, rank: usize, finding: &Finding, with_frame: bool) {
    let claim = &finding.claim;
    page.raw("<article class=\"finding ").raw(class(finding.level)).raw("\" tabindex=-1 id=");
    link(page, "finding-", rank);
    page.raw(" aria-labelledby=");
    link(page, "title-", rank);
    page.raw(" data-level=").raw(class(finding.level)).raw(" data-source=").raw(source(&claim.source));
    page.raw(" data-tag=\"").text(&claim.tag).raw("\">\n<header><span class=\"level ").raw(class(finding.level));
    page.raw("\">").raw(class(finding.level)).raw("</span> <h3 id=");
    link(page, "title-", rank);
    page.raw(">").text(&finding.title).raw("</h3> ");
    match report.tags.binary_search_by(|tag| tag.name.as_str().cmp(&claim.tag)) {
        Ok(index) => {
            page.raw("<a class=tag href=");
            link(page, "#tag-", index);
            page.raw(">").text(&claim.tag).raw("</a>");
        }
        Err(_) => {
            page.raw("<span class=tag>").text(&claim.tag).raw("</span>");
        }
    }
    page.raw(" <a class=self href=");
    link(page, "#finding-", rank);
    page.raw(">").lines_of(&claim.location).raw("</a></header>\n");
    if with_frame {
        frame(page, finding);
    }
    let rationale = claim.rationale.raw();
    if !rationale.trim().is_empty() {
        page.raw("<p class=say>").prose(rationale).raw("</p>\n");
    }
    suggestion(page, finding);
    facts(page, finding);
    trail(page, finding);
    page.raw("</article>\n");
}

/// Who says so, how sure that is, where else.
fn facts(page: &mut Page, finding: &Finding) {
    let claim = &finding.claim;
    page.raw("<ul class=facts>");
    if let Some(since) = finding.since {
        page.raw("<li>").raw(since.name());
    }
    if let Some(function) = finding.function.as_ref().filter(|name| !name.raw().is_empty()) {
        page.raw("<li>in <code>").text(function.raw()).raw("</code>");
    }
    match &claim.source {
        Source::Detector(id) => page.raw("<li>detector <code>").text(id).raw("</code>"),
        Source::Model { pass } => page.raw("<li>model, pass ").number(*pass),
    };
    if let Some(score) = finding.score {
        page.raw("<li>score ").text(&format!("{score:.1}")).raw(" of 10");
    }
    if finding.votes > 1 {
        page.raw("<li>").number(finding.votes).raw(" votes");
    }
    match finding.evidence.status {
        EvidenceStatus::NotNeeded => {}
        EvidenceStatus::Proved => _ = page.raw("<li>proved by the parser"),
        EvidenceStatus::Refuted => _ = page.raw("<li>refuted by the parser"),
        EvidenceStatus::Unknown => _ = page.raw("<li>evidence could not be decided"),
    }
    for (name, value) in &finding.evidence.facts {
        page.raw("<li><code>").text(name).raw("</code> is ").text(value);
    }
    match finding.anchor {
        Some(Anchored::Moved(by)) => _ = page.raw("<li>found ").text(&format!("{by:+}")).raw(" lines from its claim"),
        Some(Anchored::BesideDeletion) => _ = page.raw("<li>beside a deletion"),
        Some(Anchored::Quoted) => _ = page.raw("<li>found by its quote"),
        Some(Anchored::Exact) | None => {}
    }
    for place in &finding.related {
        page.raw("<li>also ").place(place);
    }
    page.raw("<li class=print>fingerprint <code>").text(finding.fingerprint.as_str()).raw("</code></ul>\n");
}

fn trail(page: &mut Page, finding: &Finding) {
    if finding.trail.is_empty() {
        return;
    }
    page.raw("<details class=trail><summary>How it came about</summary><ol>");
    for step in &finding.trail {
        page.raw("<li><b>").raw(step.stage.name()).raw("</b> ").raw(step.verdict).raw(" <code>").text(&step.rule);
        page.raw("</code> ").prose(step.why.raw());
    }
    page.raw("</ol></details>\n");
}
