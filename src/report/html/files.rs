//! The changed files: the list at the side, and the diff of each with its findings under their lines.

use std::collections::BTreeMap;

use super::super::{Report, region};
use super::card::card;
use super::code::{Drawn, Table};
use super::{Files, Page, class, link};
use crate::diff::Status;
use crate::finding::{Finding, Level, Line, RepoPath};
use crate::review::{Excerpt, FileSummary, Review, Row};

/// A file of the page.
pub(super) struct File<'a> {
    path: &'a RepoPath,
    /// `None` for a path that is not among the changed files.
    summary: Option<&'a FileSummary>,
    /// With their ranks from 1, in the order of their lines.
    findings: Vec<(usize, &'a Finding)>,
}

/// Every changed file, each finding in its own. A finding in no changed file brings one along: none may be lost here.
pub(super) fn files(review: &Review) -> Files<'_> {
    let mut found: BTreeMap<&RepoPath, Vec<(usize, &Finding)>> = BTreeMap::new();
    for (index, finding) in review.findings.iter().enumerate() {
        found.entry(&finding.claim.location.path).or_default().push((index + 1, finding));
    }
    for findings in found.values_mut() {
        findings.sort_by_key(|(rank, finding)| (finding.claim.location.end_line, *rank));
    }
    let mut files: Files<'_> = Vec::new();
    for summary in &review.change.files {
        let findings = found.remove(&summary.path).unwrap_or_default();
        files.push(File { path: &summary.path, summary: Some(summary), findings });
    }
    files.extend(found.into_iter().map(|(path, findings)| File { path, summary: None, findings }));
    files
}

/// The list at the side.
pub(super) fn list(page: &mut Page, files: &Files<'_>) {
    page.raw("<nav class=side aria-label=\"Files and findings\">\n<details open><summary>Files <span class=dim>");
    page.number(files.len() as u64).raw("</span></summary>\n");
    if files.iter().any(|file| !file.findings.is_empty()) {
        page.raw("<label class=\"only js\"><input type=checkbox name=only form=filter>only with findings</label>\n");
    }
    page.raw("<ol class=tree>\n");
    for (number, file) in files.iter().enumerate() {
        page.raw("<li data-file=").number(number as u64).raw("><a href=");
        link(page, "#file-", number);
        page.raw(">").path(file.path).raw("</a>");
        if !file.findings.is_empty() {
            page.raw("<ol>");
        }
        for (rank, finding) in &file.findings {
            page.raw("<li data-finding=").number(*rank as u64).raw("><a href=");
            link(page, "#finding-", *rank);
            page.raw("><span class=\"dot ").raw(class(finding.level)).raw("\">").raw(class(finding.level));
            page.raw("</span><span class=dim>").number(finding.claim.location.line.get()).raw("</span> ");
            page.text(&finding.title).raw("</a>");
        }
        if !file.findings.is_empty() {
            page.raw("</ol>");
        }
        page.raw("\n");
    }
    page.raw("</ol>\n<ul class=more><li><a href=#funnel>Funnel</a><li><a href=#coverage>Coverage</a>");
    page.raw("<li><a href=#dropped>Dropped</a><li><a href=#about>About this review</a></ul>\n</details>\n</nav>\n");
}

/// All files with their diffs.
pub(super) fn diff(page: &mut Page, report: &Report<'_>, files: &Files<'_>) {
    page.raw("<section id=diff aria-label=Diff>\n<p class=\"none\" hidden>No finding matches the filter.</p>\n");
    for (number, file) in files.iter().enumerate() {
        page.raw("<section class=file id=");
        link(page, "file-", number);
        page.raw(" data-file=").number(number as u64).raw(" tabindex=-1 aria-labelledby=");
        link(page, "path-", number);
        page.raw(">\n<details open><summary><h2 id=");
        link(page, "path-", number);
        page.raw(">").path(file.path).raw("</h2>");
        facts(page, file);
        page.raw("</summary>\n");
        body(page, report, file);
        page.raw("</details>\n</section>\n");
    }
    page.raw("</section>\n");
}

/// What happened to a file, and who read it.
fn facts(page: &mut Page, file: &File<'_>) {
    let Some(summary) = file.summary else { return };
    if let Some(old) = &summary.old_path {
        page.raw(" <span class=dim>from ").path(old).raw("</span>");
    }
    page.raw(" <span class=dim>").raw(status(summary.status)).raw("</span>");
    page.raw(" <span class=plus>+").number(summary.added).raw("</span> <span class=minus>−").number(summary.removed);
    page.raw("</span>");
    for level in Level::ALL.into_iter().rev() {
        let count = file.findings.iter().filter(|(_, finding)| finding.level == level).count();
        if count > 0 {
            page.raw(" <span class=\"level ").raw(class(level)).raw("\">").number(count as u64).raw(" ");
            page.raw(class(level)).raw(if count == 1 { "" } else { "s" }).raw("</span>");
        }
    }
}

/// What happened to a file, in a word.
pub(super) const fn status(status: Status) -> &'static str {
    match status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified => "modified",
        Status::Renamed { .. } => "renamed",
    }
}

fn body(page: &mut Page, report: &Report<'_>, file: &File<'_>) {
    let excerpt = file.summary.and_then(|summary| summary.excerpt.as_ref());
    let rows = excerpt.map(|excerpt| excerpt.rows.as_slice()).unwrap_or_default();
    let is_old = file.summary.is_some_and(|summary| summary.status == Status::Deleted);
    let line_of = |row: &Row| if is_old { row.old } else { row.new };
    let covers = |finding: &Finding, row: &Row| {
        let place = &finding.claim.location;
        line_of(row).is_some_and(|line| (place.line..=place.end_line).contains(&line))
    };
    // Each finding stands under the last of its lines that is shown. Where its first is not, it brings its own.
    let mut under: BTreeMap<usize, Vec<(usize, &Finding, bool)>> = BTreeMap::new();
    let mut marks: Vec<Vec<&Finding>> = vec![Vec::new(); rows.len()];
    let mut elsewhere = Vec::new();
    for (rank, finding) in &file.findings {
        let (mut last, mut whole) = (None, false);
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| covers(finding, row)) {
            last = Some(index);
            whole |= line_of(row) == Some(finding.claim.location.line) && !row.is_cut;
            marks[index].push(finding);
        }
        match last {
            Some(index) => under.entry(index).or_default().push((*rank, *finding, !whole)),
            None => elsewhere.push((*rank, *finding)),
        }
    }
    let mut start = 0;
    while start < rows.len() {
        let end = hunk_end(rows, start);
        gap(page, &rows[start..end]);
        page.raw("<div class=hunk>");
        let mut table = Table::default();
        for index in start..end {
            let (row, marks) = (&rows[index], &marks[index]);
            let line = Drawn { old: row.old, new: row.new, text: row.text.raw(), shift: 0, is_cut: row.is_cut };
            table.row(page, &line, marks);
            for (rank, finding, with_frame) in under.remove(&index).unwrap_or_default() {
                table.close(page);
                card(page, report, rank, finding, with_frame);
            }
        }
        table.close(page);
        page.raw("</div>\n");
        start = end;
    }
    left_out(page, excerpt);
    for (rank, finding) in elsewhere {
        card(page, report, rank, finding, true);
    }
    if rows.is_empty() && file.findings.is_empty() && excerpt.is_none_or(|excerpt| excerpt.left_out.is_none()) {
        nothing(page, report, file);
    }
}

/// Where the hunk that begins here ends: where a number jumps.
fn hunk_end(rows: &[Row], start: usize) -> usize {
    let number = |line: Option<Line>| line.map(|line| line.get());
    let (mut old, mut new) = (None, None);
    for (index, row) in rows.iter().enumerate().skip(start) {
        let follows = |line: Option<u32>, last: Option<u32>| match (line, last) {
            (Some(line), Some(last)) => line == last.saturating_add(1),
            _ => true,
        };
        if !follows(number(row.old), old) || !follows(number(row.new), new) {
            return index;
        }
        (old, new) = (number(row.old).or(old), number(row.new).or(new));
    }
    rows.len()
}

/// The head of a hunk, as diffs write it.
fn gap(page: &mut Page, rows: &[Row]) {
    page.raw("<p class=gap>@@");
    let mut side = |sign, lines: Vec<Line>| {
        let first = lines.first().map_or(0, |line| line.get());
        page.raw(sign).number(first).raw(",").number(lines.len() as u64);
    };
    side(" −", rows.iter().filter_map(|row| row.old).collect());
    side(" +", rows.iter().filter_map(|row| row.new).collect());
    page.raw(" @@</p>\n");
}

fn left_out(page: &mut Page, excerpt: Option<&Excerpt>) {
    if let Some((lines, why)) = excerpt.and_then(|excerpt| excerpt.left_out.as_ref()) {
        page.raw("<p class=left>").number(*lines).raw(if *lines == 1 {
            " changed line is"
        } else {
            " changed lines are"
        });
        page.raw(" not on this page: ").text(why).raw(".</p>\n");
    }
}

/// Why there is nothing to see of a file.
fn nothing(page: &mut Page, report: &Report<'_>, file: &File<'_>) {
    let mut reasons = report.review.coverage.skipped.iter().filter(|skip| skip.path == *file.path);
    page.raw("<p class=left>");
    match reasons.next() {
        Some(skip) => page.raw(if skip.unread { "Not read: " } else { "" }).text(&skip.why).raw("."),
        None => page.raw("No finding. This report was made without the diff."),
    };
    page.raw("</p>\n");
}

/// The frame of a finding whose lines the diff does not show.
pub(super) fn frame(page: &mut Page, finding: &Finding) {
    let Some(frame) = finding.frame.as_ref().filter(|frame| !frame.lines.is_empty()) else {
        return quote(page, finding);
    };
    page.raw("<div class=\"hunk own\">");
    let mut table = Table::default();
    let place = &finding.claim.location;
    for (number, text) in (frame.first.get()..).map_while(Line::new).zip(&frame.lines) {
        let cut = frame.cut(number);
        let shift = cut.map_or(0, |cut| cut.bytes as usize);
        let line = Drawn { old: None, new: Some(number), text: text.raw(), shift, is_cut: cut.is_some() };
        let marks: &[&Finding] = if (place.line..=place.end_line).contains(&number) { &[finding] } else { &[] };
        table.plain(page, &line, marks);
    }
    table.close(page);
    page.raw("</div>");
}

fn quote(page: &mut Page, finding: &Finding) {
    let quote = finding.claim.quote.raw();
    if !quote.is_empty() {
        page.raw("<div class=\"hunk own\"><pre>\n").lines(quote).raw("</pre></div>");
    }
}

/// A suggestion: what goes and what comes.
pub(super) fn suggestion(page: &mut Page, finding: &Finding) {
    let Some(suggestion) = &finding.claim.suggestion else { return };
    let removed = region::framed(finding, suggestion.line, suggestion.end_line).unwrap_or_default();
    let text = suggestion.text.raw();
    page.raw("<p class=say>Suggestion: ").raw(if text.is_empty() { "delete line" } else { "replace line" });
    if suggestion.end_line > suggestion.line {
        page.raw("s ").number(suggestion.line.get()).raw(" to ").number(suggestion.end_line.get());
    } else {
        page.raw(" ").number(suggestion.line.get());
    }
    page.raw("</p><div class=\"hunk own\">");
    let mut table = Table::default();
    for (number, text) in (suggestion.line.get()..).zip(removed) {
        let old = Line::new(number);
        table.row(page, &Drawn { old, new: None, text, shift: 0, is_cut: false }, &[]);
    }
    for (number, text) in (suggestion.line.get()..).zip(text.lines()) {
        let new = Line::new(number);
        table.row(page, &Drawn { old: None, new, text, shift: 0, is_cut: false }, &[]);
    }
    table.close(page);
    page.raw("</div>");
}
