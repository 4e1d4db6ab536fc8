//! One finding's whole story, shown or dropped.

use std::io;

use super::frame;
use super::page::{Ink, Page};
use crate::escape::{visible, visible_lines};
use crate::finding::{Anchored, Finding, Source, Step};
use crate::report::{Report, sentence};

/// Prints everything that is known of a finding: where it is, who raised it, what every stage decided, how it ended.
pub fn explain(report: &Report<'_>, finding: &Finding, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(report.style);
    let name = page.paint(Ink::of(finding.level), &format!("{}[{}]", finding.level, visible(&finding.claim.tag)));
    let title = page.paint(Ink::Bold, &visible(&finding.title));
    page.line(&format!("{name}: {title}"));
    frame::code(&mut page, finding);
    frame::suggestion(&mut page, finding);
    page.blank();
    facts(&mut page, report, finding);
    page.blank();
    trail(&mut page, &finding.trail);
    outcome(&mut page, finding);
    page.print(out)
}

fn facts(page: &mut Page, report: &Report<'_>, finding: &Finding) {
    let mut row = |name: &str, value: &str| page.prose(&format!("{name:<13}"), value);
    row("fingerprint", &format!("{} (window {})", finding.fingerprint, finding.window));
    if let Some(function) = finding.function.as_ref().filter(|name| !name.raw().is_empty()) {
        row("function", &function.visible());
    }
    let kind: Vec<String> = finding.kind.known().map(|(axis, name)| format!("{axis} {name}")).collect();
    if !kind.is_empty() {
        row("kind", &kind.join(", "));
    }
    row("raised by", &raised_by(finding));
    row("anchor", &anchor(finding.anchor));
    let facts: Vec<String> =
        finding.evidence.facts.iter().map(|(name, value)| format!("{} = {}", visible(name), visible(value))).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
    row("evidence", &format!("{}{facts}", finding.evidence.status.name().replace('_', " ")));
    row("score", &finding.score.map_or("not scored".to_owned(), |score| format!("{score:.1} of 10")));
    for place in &finding.related {
        row("merged with", &format!("{}:{}", sentence::place(&place.path), place.line));
    }
    if let Some(tag) = report.tags.iter().find(|tag| tag.name == *finding.claim.tag) {
        row("pack", &visible(&tag.pack));
        row("about", &visible_lines(&tag.help));
    }
    row("in", &visible(&report.review.change.description));
    if report.style.funnel {
        row("funnel", &sentence::funnel(report.review));
    }
}

fn raised_by(finding: &Finding) -> String {
    match &finding.claim.source {
        Source::Detector(id) => format!("detector {}", visible(id)),
        Source::Model { pass } => {
            let votes = if finding.votes == 1 { "1 vote".to_owned() } else { format!("{} votes", finding.votes) };
            format!("model, pass {pass}, {votes}")
        }
    }
}

fn anchor(anchor: Option<Anchored>) -> String {
    match anchor {
        None => "none: it could not be tied to the change".to_owned(),
        Some(Anchored::Exact) => "exact: line and quote agree".to_owned(),
        Some(Anchored::Moved(lines)) => {
            let count = lines.unsigned_abs();
            let direction = if lines < 0 { "above" } else { "below" };
            format!("moved: the quote stands {count} line{} {direction}", if count == 1 { "" } else { "s" })
        }
        Some(Anchored::BesideDeletion) => "beside a deletion".to_owned(),
        Some(Anchored::Quoted) => "by the quote alone, the claimed line is elsewhere".to_owned(),
    }
}

fn trail(page: &mut Page, trail: &[Step]) {
    if trail.is_empty() {
        page.line("No stage left a word on it.");
    }
    for step in trail {
        let head = format!("{:<9} {:<8} ", step.stage.name(), step.verdict);
        page.prose(&head, &format!("{}: {}", visible(&step.rule), visible_lines(step.why.raw().trim())));
    }
}

fn outcome(page: &mut Page, finding: &Finding) {
    let (word, ink, rest) = match &finding.dropped {
        None => ("Shown", Ink::of(finding.level), format!(" as {}.", finding.level)),
        Some(dropped) => (
            "Dropped",
            Ink::Bold,
            format!(" at {} as {}: {}", dropped.stage.name(), visible(&dropped.reason), visible(dropped.why.raw())),
        ),
    };
    let word = page.paint(ink, word);
    page.line(&format!("{word}{rest}"));
}
