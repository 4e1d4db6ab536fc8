//! The texts of comments. Whatever comes from the report goes through the escapers of Markdown; each text begins with a
//! mark of our own, and none is longer than GitHub takes.

use std::fmt::Write as _;

use super::anchor::{Anchor, File};
use crate::escape::{code_block, code_span, markdown, uri_path, visible_lines};
use crate::finding::{Finding, RepoPath, Suggestion};
use crate::report::json::Saved;
use crate::report::sentence;

/// GitHub's message speaks of 65,536 characters; bytes are never fewer.
pub(super) const LONGEST: usize = 60_000;
/// Most bytes of the rows of the summary, so that there is room for what has no comment of its own.
const ROWS: usize = 36_000;
/// Most characters of a rationale or a quote; a text that is too long with one is made with the next.
const CUTS: [usize; 4] = [4_000, 1_200, 300, 60];
/// Most bytes of a suggestion; half of one would be wrong.
const SUGGESTION: usize = 20_000;
/// Most files that the summary names as not read, and most bytes of that.
const SKIPPED: usize = 20;
const TAIL: usize = 6_000;

/// The first line of the summary.
pub(super) const SUMMARY: &str = "<!-- diffsieve:v1 summary -->";
/// The first line of a review.
const REVIEW: &str = "<!-- diffsieve:v1 review -->";

/// The first line of the comment on a finding.
fn mark(finding: &Finding) -> String {
    format!("<!-- diffsieve:v1 fp={} -->", finding.fingerprint)
}

/// The fingerprint in a comment's first line. Anywhere else it is only quoted.
pub(super) fn marked(body: &str) -> Option<&str> {
    let line = body.lines().next()?.trim_end();
    let digits = line.strip_prefix("<!-- diffsieve:v1 fp=")?.strip_suffix(" -->")?;
    let plain = digits.len() == 32 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    plain.then_some(digits)
}

/// Whether it is a summary.
pub(super) fn is_summary(body: &str) -> bool {
    body.lines().next().is_some_and(|line| line.trim_end() == SUMMARY)
}

/// Where the pull request's code can be looked at.
#[derive(Debug, Clone)]
pub(super) struct Links {
    /// Such as `https://github.com/acme/shop`.
    pub(super) repository: String,
    /// The commit that the report is of: a merge has its own lines.
    pub(super) commit: String,
}

impl Links {
    fn lines(&self, path: &RepoPath, first: u32, last: u32) -> String {
        let end = if last > first { format!("-L{last}") } else { String::new() };
        format!("{}/blob/{}/{}#L{first}{end}", self.repository, self.commit, uri_path(path.bytes()))
    }
}

/// The comment on lines.
pub(super) fn of_lines(finding: &Finding, anchor: Anchor, file: &File) -> String {
    let (first, last) = lines(finding, anchor.offset);
    let cut = (anchor.first, anchor.last) != (first, last) && !has_suggestion(finding, anchor, file);
    let place = if cut { format!("This is about {}.\n\n", span(first, last)) } else { String::new() };
    let suggestion = suggestion(finding, anchor, file);
    fitted(|longest| {
        let suggestion = suggestion.clone().unwrap_or_else(|| fix(finding, longest));
        format!(
            "{}\n{}\n\n{}\n\n{place}{suggestion}{}",
            mark(finding),
            title(finding),
            prose(finding.claim.rationale.raw(), longest),
            acceptance(finding)
        )
    })
}

/// The comment on a file, for lines that the patch does not show.
pub(super) fn of_file(finding: &Finding, links: Option<&Links>) -> String {
    fitted(|longest| {
        format!(
            "{}\n{}\n\n{}\n\n{}\n\n{}{}{}",
            mark(finding),
            title(finding),
            place(finding, links),
            prose(finding.claim.rationale.raw(), longest),
            quote(finding, longest),
            fix(finding, longest),
            acceptance(finding)
        )
    })
}

/// The text of a review, which has a comment for each finding it brings.
pub(super) fn of_review(count: usize, head: &str) -> String {
    let findings = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
    let short = head.get(..12).unwrap_or(head);
    format!("{REVIEW}\ndiffsieve has {findings} that it has not told before, on the changes up to {short}.")
}

/// Lines of the finding in the pull request's head.
fn lines(finding: &Finding, offset: i64) -> (u32, u32) {
    let location = &finding.claim.location;
    let moved = |line: u32| u32::try_from(i64::from(line) + offset).unwrap_or(line);
    (moved(location.line.get()), moved(location.end_line.get()))
}

fn span(first: u32, last: u32) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

fn title(finding: &Finding) -> String {
    format!("**{}: {}** ({})", finding.level, markdown(&short(&finding.title, 200)), tag(finding))
}

fn tag(finding: &Finding) -> String {
    code_span(&short(&finding.claim.tag, 100))
}

fn acceptance(finding: &Finding) -> String {
    let ignore = code_span(&format!("diffsieve: ignore[{}] reason", short(&finding.claim.tag, 100)));
    format!("<sub>Accept it in the baseline, or by {ignore} where policy counts it. {}</sub>\n", finding.fingerprint)
}

/// The place of a finding, with a link where there is one.
fn place(finding: &Finding, links: Option<&Links>) -> String {
    let location = &finding.claim.location;
    let (first, last) = lines(finding, 0);
    let end = if last > first { format!("-{last}") } else { String::new() };
    let text = code_span(&format!("{}:{first}{end}", short(location.path.to_text().raw(), 300)));
    match links.filter(|_| location.path.bytes().len() <= 300) {
        Some(links) => format!("[{text}]({})", links.lines(&location.path, first, last)),
        None => text,
    }
}

fn quote(finding: &Finding, longest: usize) -> String {
    let quote = finding.claim.quote.raw();
    if quote.trim().is_empty() {
        String::new()
    } else {
        format!("{}\n\n", code_block(&sentence::cut(quote, longest), ""))
    }
}

/// The fix where GitHub cannot be offered it to apply: for people, by the numbers of the report.
fn fix(finding: &Finding, longest: usize) -> String {
    let Some(Suggestion { line, end_line, text }) = &finding.claim.suggestion else { return String::new() };
    let lines = span(line.get(), end_line.get());
    if text.raw().is_empty() {
        return format!("Fix: delete {lines}.\n\n");
    }
    format!("Fix, in the place of {lines}:\n\n{}\n\n", code_block(&sentence::cut(text.raw(), longest), ""))
}

fn prose(text: &str, longest: usize) -> String {
    markdown(&sentence::cut(text.trim(), longest))
}

/// One line, cut.
fn short(text: &str, longest: usize) -> String {
    sentence::cut(&sentence::one_line(text), longest)
}

/// The longest of the texts that GitHub takes.
fn fitted(build: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for longest in CUTS {
        text = build(longest);
        if text.len() <= LONGEST {
            break;
        }
    }
    text
}

/// The range that a suggestion of the finding replaces, as an anchor, if GitHub would do with it exactly what the finding
/// means: put whole lines in the place of whole lines that one hunk shows.
pub(super) fn suggested(finding: &Finding, file: &File, offset: i64) -> Option<Anchor> {
    let Suggestion { line, end_line, text } = finding.claim.suggestion.as_ref()?;
    let text = text.raw();
    // A line without its ending would be joined with the next one, and GitHub writes endings of its own; what cannot be
    // seen must not be put into a file by a click.
    let is_plain = (text.is_empty() || text.ends_with('\n')) && text.len() <= SUGGESTION && visible_lines(text) == text;
    let moved = |line: u32| u32::try_from(i64::from(line) + offset).ok();
    let (first, last) = (moved(line.get())?, moved(end_line.get())?);
    let (from, to) = lines(finding, offset);
    let hunk = file.hunk(first, last).filter(|_| is_plain && first <= from && to <= last)?;
    let is_last = last == hunk.last() && hunk.is_open;
    let returns = (first..=last).any(|line| hunk.line(line).is_none_or(|line| line.ends_with('\r')));
    (!is_last && !returns).then_some(Anchor { first, last, offset })
}

fn has_suggestion(finding: &Finding, anchor: Anchor, file: &File) -> bool {
    suggested(finding, file, anchor.offset) == Some(anchor)
}

/// The block that GitHub offers to apply; its range is the comment's.
fn suggestion(finding: &Finding, anchor: Anchor, file: &File) -> Option<String> {
    if !has_suggestion(finding, anchor, file) {
        return None;
    }
    let text = finding.claim.suggestion.as_ref()?.text.raw();
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    Some(format!("{fence}suggestion\n{text}{fence}\n\n"))
}

/// Where a finding is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// In a comment on its lines.
    Lines,
    /// In a comment on its file.
    File,
    /// In a comment of an earlier run.
    Before,
    /// Nowhere but in the summary.
    Here,
}

/// The summary, and those findings that are nowhere else and do not fit into it.
pub(super) fn of_summary(
    saved: &Saved,
    order: &[usize],
    told: &[Told],
    head: &str,
    links: Option<&Links>,
) -> (String, Vec<usize>) {
    let findings = &saved.review.findings;
    let is_here = |index: &usize| told.get(*index).is_none_or(|told| *told == Told::Here);
    let (opening, tail) = (opening(saved), tail(saved, head));
    let mut room = ROWS;
    let mut rows: Vec<(usize, String)> = Vec::new();
    // Those without a comment first: they are in no other place.
    let (here, elsewhere): (Vec<usize>, Vec<usize>) = order.iter().copied().partition(is_here);
    for index in here.iter().chain(&elsewhere) {
        let Some(finding) = findings.get(*index) else { continue };
        let told = told.get(*index).copied().unwrap_or(Told::Here);
        let row = row(finding, told, links);
        if row.len() > room {
            continue;
        }
        room -= row.len();
        rows.push((*index, row));
    }
    let is_shown = |index: &usize| rows.iter().any(|(shown, _)| shown == index);
    let left_out: Vec<usize> = here.iter().copied().filter(|index| !is_shown(index)).collect();
    let mut details = String::new();
    let rest = LONGEST.saturating_sub(opening.len() + tail.len() + (ROWS - room) + 1_000);
    for index in here.iter().filter(|index| is_shown(index)) {
        let Some(finding) = findings.get(*index) else { continue };
        let detail = detail(finding, links);
        if details.len() + detail.len() <= rest {
            details.push_str(&detail);
        }
    }
    let rank = |index: usize| order.iter().position(|other| *other == index);
    rows.sort_by_key(|(index, _)| rank(*index));
    let mut text = opening;
    if !rows.is_empty() {
        text.push_str("| level | place | finding | told |\n|---|---|---|---|\n");
        text.extend(rows.iter().map(|(_, row)| row.as_str()));
        text.push('\n');
    }
    let missing = findings.len().saturating_sub(rows.len());
    if missing > 0 {
        let _ = writeln!(text, "{missing} more do not fit; the report and the job's log have all.\n");
    }
    if !details.is_empty() {
        let _ = writeln!(
            text,
            "<details><summary>Findings without a comment of their own</summary>\n\n{details}</details>\n"
        );
    }
    text.push_str(&tail);
    (text, left_out)
}

fn opening(saved: &Saved) -> String {
    let decision = &saved.decision;
    let (verdict, counts) = (sentence::verdict(decision.verdict), sentence::counts(&saved.review.findings));
    format!("{SUMMARY}\n### diffsieve: {verdict}\n\n{}: {counts}.\n\n", markdown(&short(&decision.reason, 300)))
}

fn row(finding: &Finding, told: Told, links: Option<&Links>) -> String {
    // The same words in a later run, so that a summary is rewritten only for a reason.
    let where_told = if told == Told::Here { "only here" } else { "in a comment" };
    // A cell ends at a bar even inside of code.
    let code = |text: String| text.replace('|', "\\|");
    let title = markdown(&short(&finding.title, 120).replace('`', "'"));
    format!(
        "| {} | {} | {title} ({}) | {where_told} |\n",
        finding.level,
        code(place(finding, links)),
        code(tag(finding))
    )
}

/// A finding in full, as far as there is room.
pub(super) fn detail(finding: &Finding, links: Option<&Links>) -> String {
    format!(
        "{}, {}\n\n{}\n\n{}{}{}\n",
        title(finding),
        place(finding, links),
        prose(finding.claim.rationale.raw(), 1_200),
        quote(finding, 600),
        fix(finding, 600),
        acceptance(finding)
    )
}

fn tail(saved: &Saved, head: &str) -> String {
    let coverage = &saved.review.coverage;
    let mut text = format!("{}.", sentence::read(&saved.review));
    let unread: Vec<_> = coverage.skipped.iter().filter(|skip| skip.unread).collect();
    if !unread.is_empty() {
        let _ = write!(text, " Not read, although it should have been:\n\n");
        let mut named = 0;
        for skip in unread.iter().take(SKIPPED) {
            let path = code_span(&short(skip.path.to_text().raw(), 200));
            let line = format!("* {path}: {}\n", markdown(&short(&skip.why, 200)));
            if text.len() + line.len() > TAIL {
                break;
            }
            text.push_str(&line);
            named += 1;
        }
        if unread.len() > named {
            let _ = writeln!(text, "* and {} more", unread.len() - named);
        }
    }
    let change = &saved.review.change;
    let id = |id: &Option<String>| code_span(&short(id.as_deref().unwrap_or("?"), 64));
    let (from, to) = (id(&change.merge_base), id(&change.head));
    let _ = write!(text, "\n\n<sub>From {from} to {to}, published for {}.</sub>\n", code_span(head));
    text
}
