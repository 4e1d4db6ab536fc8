//! One self-contained page for a review: the diff with its findings in place, what was read, what was dropped and why.
//!
//! Whatever comes from outside is text, see [`Page`].

mod about;
mod card;
mod code;
mod files;
mod page;

use std::collections::BTreeMap;
use std::io;

use self::files::{File, files};
pub(crate) use self::page::Page;
use super::sentence::counts;
use super::{Format, Report};
use crate::finding::{Level, Location, RepoPath, Source};
use crate::gate::Verdict;

/// The format.
pub(super) const FORMAT: Format = Format { name: "html", help: "One page: the diff with the findings in place", write };

/// The style, also of the page of a measurement.
pub(crate) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::default();
    let files = files(report.review);
    head(&mut page, report);
    page.raw("<body id=top>\n<a class=skip href=#diff>Skip to the diff</a>\n");
    bar(&mut page, report);
    page.raw("<div class=layout>\n");
    files::list(&mut page, &files);
    page.raw("<main>\n");
    about::summary(&mut page, report);
    files::diff(&mut page, report, &files);
    about::rest(&mut page, report);
    page.raw("</main>\n</div>\n");
    about::keys(&mut page);
    page.raw("<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    out.write_all(page.markup().as_bytes())
}

impl Page {
    /// A path with its name set apart from its folders.
    fn path(&mut self, path: &RepoPath) -> &mut Self {
        let text = path.to_text();
        let (folders, name) = match text.raw().rsplit_once('/') {
            Some((folders, name)) => (format!("{folders}/"), name),
            None => (String::new(), text.raw()),
        };
        self.raw("<span class=path><span>").text(&folders.replace('\t', "␉")).raw("</span><b>");
        self.text(&name.replace('\t', "␉")).raw("</b></span>")
    }

    /// `line 7` or `lines 7–9`.
    fn lines_of(&mut self, place: &Location) -> &mut Self {
        self.raw(if place.end_line > place.line { "lines " } else { "line " }).number(place.line.get());
        if place.end_line > place.line {
            self.raw("–").number(place.end_line.get());
        }
        self
    }

    /// `path:line` or `path:line–line`.
    fn place(&mut self, place: &Location) -> &mut Self {
        self.path(&place.path).raw(":").number(place.line.get());
        if place.end_line > place.line {
            self.raw("–").number(place.end_line.get());
        }
        self
    }
}

/// The class of a level, which is also its name.
const fn class(level: Level) -> &'static str {
    level.name()
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "Passed",
        Verdict::Fail => "Failed",
        Verdict::Incomplete => "Incomplete",
    }
}

const fn source(source: &Source) -> &'static str {
    match source {
        Source::Detector(_) => "detector",
        Source::Model { .. } => "model",
    }
}

fn head(page: &mut Page, report: &Report<'_>) {
    page.raw("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    page.policy(STYLE, SCRIPT);
    page.raw("<meta name=viewport content=\"width=device-width, initial-scale=1\">\n");
    page.raw("<meta name=color-scheme content=\"light dark\">\n<meta name=referrer content=no-referrer>\n");
    page.raw("<meta name=robots content=noindex>\n<meta name=generator content=\"diffsieve ");
    page.text(report.version).raw("\">\n<title>").raw(word(report.decision.verdict)).raw(": ");
    page.text(&counts(&report.review.findings)).raw(" · diffsieve</title>\n");
    page.raw("<style>").raw(STYLE).raw("</style>\n</head>\n");
}

/// The bar that stays: the verdict, and the counts, which are also the filter.
fn bar(page: &mut Page, report: &Report<'_>) {
    let review = report.review;
    page.raw("<header class=bar>\n<a class=brand href=#top><svg viewBox=\"0 0 16 16\" aria-hidden=true>");
    page.raw("<path d=\"M1 2h14L9.5 8.5V14l-3-1.800V8.500z\"/></svg>diffsieve</a>\n<strong class=\"verdict ");
    page.raw(report.decision.verdict.name()).raw("\">").raw(word(report.decision.verdict)).raw("</strong>\n");
    page.raw("<form id=filter role=search aria-label=\"Filter the findings\">\n<fieldset><legend>Levels</legend>");
    for level in Level::ALL.into_iter().rev() {
        let count = review.findings.iter().filter(|finding| finding.level == level).count() as u64;
        page.raw("<label class=\"chip ").raw(class(level)).raw(if count == 0 { " zero\">" } else { "\">" });
        page.raw("<input type=checkbox name=level checked disabled value=");
        page.raw(level.name()).raw("><b>").number(count).raw("</b> ").raw(level.name());
        page.raw(if count == 1 { "" } else { "s" }).raw("</label>");
    }
    page.raw("</fieldset>\n");
    if !review.findings.is_empty() {
        choices(page, report);
    }
    page.raw("</form>\n<div class=\"tools js\"><button type=button id=theme aria-label=\"Light or dark\" ");
    page.raw("title=\"Light or dark (t)\">◐</button><button type=button id=help aria-label=Keyboard ");
    page.raw("title=\"Keyboard (?)\">?</button></div>\n</header>\n");
}

/// What else the findings are filtered by; without the script it would do nothing, and is not shown.
fn choices(page: &mut Page, report: &Report<'_>) {
    let (mut tags, mut sources) = (BTreeMap::new(), BTreeMap::new());
    for finding in &report.review.findings {
        *tags.entry(&*finding.claim.tag).or_insert(0_u64) += 1;
        *sources.entry(source(&finding.claim.source)).or_insert(0_u64) += 1;
    }
    page.raw("<div class=\"choices js\"><input type=search name=text placeholder=\"Filter (/)\" aria-label=\"Text\" ");
    page.raw("autocomplete=off spellcheck=false><select name=tag aria-label=Tag><option value=\"\">All tags");
    for (tag, count) in tags {
        page.raw("<option value=\"").text(tag).raw("\">").text(tag).raw(" (").number(count).raw(")");
    }
    page.raw("</select><select name=source aria-label=Source><option value=\"\">All sources");
    for (name, count) in sources {
        page.raw("<option value=").raw(name).raw(">").raw(if name == "model" { "model" } else { "detectors" });
        page.raw(" (").number(count).raw(")");
    }
    page.raw("</select><output name=seen aria-live=polite></output></div>\n");
}

/// Files and findings by their numbers, for what links to them.
fn link(page: &mut Page, what: &'static str, number: usize) {
    page.raw(what).number(number as u64);
}

/// The files as the page shows them, and the findings that stand in each.
type Files<'a> = Vec<File<'a>>;

#[cfg(test)]
mod tests;
