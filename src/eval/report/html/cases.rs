//! The cases one by one: what was found, what was missed, and what else was said.

use super::super::case::{CaseReport, CommentReport, Fault};
use super::super::protocol::ProtocolReport;
use super::super::words::plural;
use crate::record::{Difficulty, Status};
use crate::report::html::Page;

pub(super) fn cases(page: &mut Page, report: &ProtocolReport, (run, place): (u64, u64)) {
    page.raw("<section class=panel><h4>Cases</h4>\n");
    if report.cases.iter().all(|case| case.comments.is_empty()) && report.cases.iter().any(|case| case.worth.hits > 0.0)
    {
        page.raw("<p>What the comments say is not at hand: the page was made from scores alone.</p>\n");
    }
    page.raw("<form class=\"pick js\" role=search aria-label=\"Filter the cases\"><input type=search name=text ");
    page.raw("placeholder=Filter aria-label=Text autocomplete=off spellcheck=false><select name=kind aria-label=Kind>");
    for kind in [Kind::Missed, Kind::Partly, Kind::Found, Kind::Alarm, Kind::Quiet] {
        let count = report.cases.iter().filter(|case| Kind::of(case) == kind).count() as u64;
        if kind == Kind::Missed {
            page.raw("<option value=\"\">All cases (").number(report.cases.len() as u64).raw(")");
        }
        if count > 0 {
            page.raw("<option value=").raw(kind.class()).raw(">").raw(kind.name()).raw(" (").number(count).raw(")");
        }
    }
    page.raw("</select><output aria-live=polite></output></form>\n<div class=cases id=cases-").number(run).raw("-");
    page.number(place).raw(">\n");
    report.cases.iter().for_each(|case| one(page, case));
    page.raw("</div></section>\n");
}

/// What came of a case, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missed,
    Partly,
    Found,
    Alarm,
    Quiet,
}

impl Kind {
    fn of(case: &CaseReport) -> Self {
        let (found, known) = (case.faults.iter().filter(|fault| fault.found).count(), case.faults.len());
        // A judge may give a count alone.
        let hits = found > 0 || case.worth.hits > 0.0;
        match (case.clean, hits) {
            (true, _) if case.worth.noise > 0.0 => Self::Alarm,
            (true, _) => Self::Quiet,
            (false, false) => Self::Missed,
            (false, true) if found < known => Self::Partly,
            (false, true) => Self::Found,
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Missed => "missed",
            Self::Partly => "partly",
            Self::Found => "found",
            Self::Alarm => "alarm",
            Self::Quiet => "quiet",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Missed => "Nothing found",
            Self::Partly => "Found in part",
            Self::Found => "Found",
            Self::Alarm => "False alarm",
            Self::Quiet => "Rightly quiet",
        }
    }
}

fn one(page: &mut Page, case: &CaseReport) {
    let kind = Kind::of(case);
    page.raw("<details class=case data-kind=").raw(kind.class()).raw("><summary><span class=\"kind ").raw(kind.class());
    page.raw("\">").raw(kind.name()).raw("</span> <b>").text(&case.case).raw("</b>");
    if case.sample > 0 {
        page.raw(" <span class=dim>sample ").number(case.sample).raw("</span>");
    }
    page.raw(" <span class=dim>");
    let difficulty = case.difficulty.map(|difficulty| match difficulty {
        Difficulty::Easy => "easy",
        Difficulty::Medium => "medium",
        Difficulty::Hard => "hard",
    });
    let status = match case.status {
        Status::Complete => None,
        Status::Incomplete => Some("incomplete"),
        Status::Unparsable => Some("unparsable"),
        Status::Failed => Some("failed"),
    };
    for fact in [case.language.as_deref(), difficulty, case.operator.as_deref(), status].into_iter().flatten() {
        page.text(fact).raw(" · ");
    }
    if !case.faults.is_empty() {
        let found = case.faults.iter().filter(|fault| fault.found).count() as u64;
        page.number(found).raw(" of ").text(&plural(case.faults.len() as u64, "fault")).raw(" found · ");
    }
    page.text(&plural(case.comments.len() as u64, "comment")).raw("</span></summary>\n");
    if !case.title.is_empty() {
        page.raw("<p class=say>").text(&case.title).raw("</p>");
    }
    if !case.faults.is_empty() {
        page.raw("<ul class=faults>");
        case.faults.iter().for_each(|known| fault(page, known));
        page.raw("</ul>\n");
    }
    if !case.comments.is_empty() {
        page.raw("<ol class=said>");
        case.comments.iter().for_each(|said| comment(page, said));
        page.raw("</ol>\n");
    }
    page.raw("</details>\n");
}

fn fault(page: &mut Page, fault: &Fault) {
    page.raw(if fault.found { "<li class=found>✓ " } else { "<li class=missed>✗ " });
    page.raw(if fault.found { "<span class=sr>found</span>" } else { "<span class=sr>missed</span>" });
    page.raw("<code>").text(&fault.id).raw("</code>");
    let stands = match fault.reached {
        Some(true) => Some("a comment stands there"),
        Some(false) => Some("no comment stands there"),
        None => None,
    };
    let facts: Vec<&str> = fault.kinds.iter().map(String::as_str).chain(stands).collect();
    page.raw(" <span class=dim>").text(&facts.join(" · ")).raw("</span>");
    if !fault.by.is_empty() {
        page.raw(" <span class=dim>· by</span> ").text(&fault.by.join(", "));
    }
    if !fault.text.is_empty() {
        page.raw("<div class=say>").prose(&fault.text).raw("</div>");
    }
}

fn comment(page: &mut Page, said: &CommentReport) {
    page.raw("<li><code>").text(&said.id).raw("</code>");
    if !said.place.is_empty() {
        page.raw(" <span class=path>").text(&said.place).raw("</span>");
    }
    if let Some(tag) = &said.tag {
        page.raw(" <span class=tag>").text(tag).raw("</span>");
    }
    if !said.names.is_empty() {
        page.raw(" <span class=\"kind found\">names ").text(&said.names.join(", ")).raw("</span>");
    }
    if let Some(label) = &said.label {
        page.raw(" <span class=kind>").text(label).raw("</span>");
    }
    page.raw("<div class=say>").prose(&said.text).raw("</div>");
    if !said.reason.is_empty() {
        page.raw("<div class=\"say dim\">Judge: ").prose(&said.reason).raw("</div>");
    }
}
