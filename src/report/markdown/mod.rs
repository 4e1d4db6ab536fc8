//! A page in GitHub Flavored Markdown: a job's summary, or a note on a pull or merge request. Nothing from outside is live
//! in it, and no line of it is a command to an agent that reads along.
//!
//! Services refuse what is too long (GitHub a summary above 1 MiB, without a word on the page), so the page shrinks in
//! steps until it fits: first the code goes, then the rationales, then the end of the lists, counted. Verdict and counts
//! always stay.

use std::io;

use super::sentence::{self, ACCEPT, WAYS_OUT, counts, cut, one_line, plural};
use super::{Format, Report, region};
use crate::escape::{code_block, code_span, markdown, neutral_line, visible};
use crate::finding::{Finding, Level, RepoPath, Untrusted};
use crate::gate::Verdict;
use crate::review::Skip;

/// The format.
pub(super) const FORMAT: Format =
    Format { name: "markdown", help: "A page for a job summary or a merge request", write };

/// GitHub takes a summary of 1 MiB from a step; a step may write more than this page.
pub const SUMMARY_LIMIT: usize = (1 << 20) - (1 << 16);

/// What fits into the body of a comment or review on GitHub, whose limit is 65,536 characters.
pub const COMMENT_LIMIT: usize = 65_000;

/// Lines of code or of a suggestion.
const CODE_LINES: usize = 20;

/// Lines of code around the located ones.
const CONTEXT: u32 = 2;

/// Characters of a line of code, a path, a paragraph: longer ones are cut.
const LINE_CHARS: usize = 200;
const PATH_CHARS: usize = 300;
const PROSE_CHARS: usize = 4_000;

/// Unread parts that are named.
const UNREAD: usize = 50;

/// Notes that are shown.
const NOTES: usize = 20;

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(page(report, SUMMARY_LIMIT).as_bytes())
}

/// The page, in at most `limit` bytes as long as the verdict and the counts fit into them (about 4 KiB at the worst).
pub fn page(report: &Report<'_>, limit: usize) -> String {
    let head = inert(&head(report));
    let unread = unread(report);
    let count = report.review.coverage.skipped.iter().filter(|skip| skip.unread).count();
    let found = report.review.findings.len();
    let tail = tail(report);
    let whole = |blocks: &[String]| {
        let unread = fitting(&unread, count, usize::MAX, "more unread part");
        ended([head.clone(), unread, blocks.concat(), tail.concat()].concat())
    };
    for (code, rationales) in [(true, true), (false, true), (false, false)] {
        let page = whole(&findings(report, |finding| block(report, finding, code, rationales)));
        if page.len() <= limit {
            return page;
        }
    }
    // A quarter each for what was not read and for the end; the findings have the rest.
    let room = limit.saturating_sub(head.len());
    let unread = fitting(&unread, count, room / 4, "more unread part");
    let tail = fitting(&tail, tail.len(), room / 4, "more paragraph");
    let room = room.saturating_sub(unread.len() + tail.len());
    let findings = fitting(&findings(report, line), found, room, "more finding");
    ended([head, unread, findings, tail].concat())
}

/// As many of the blocks as have room, and how many of all are missing.
fn fitting(blocks: &[String], all: usize, room: usize, noun: &str) -> String {
    let missing = |shown: usize| match (all - shown) as u64 {
        0 => String::new(),
        left => format!("\n{}, all of which `--format json` has.\n\n", plural(left, noun)),
    };
    let mut out = String::new();
    let mut shown = 0;
    // The sentence that counts the rest must have room too.
    while let Some(block) = blocks.get(shown)
        && out.len() + block.len() + missing(shown + 1).len() <= room
    {
        out.push_str(block);
        shown += 1;
    }
    let missing = missing(shown);
    if out.len() + missing.len() <= room {
        out.push_str(&missing);
    }
    out
}

/// The page with one line feed at its end.
fn ended(mut page: String) -> String {
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// The text with no line that an agent could take for a command.
fn inert(text: &str) -> String {
    text.lines().map(|line| neutral_line(line) + "\n").collect()
}

/// The verdict, what decided it, and the counts.
fn head(report: &Report<'_>) -> String {
    let decision = report.decision;
    let found = &report.review.findings;
    let mut text = format!("## diffsieve {}: {}\n\n", sentence::verdict(decision.verdict), counts(found));
    let reason = markdown(&one_line(&cut(&decision.reason, PATH_CHARS)));
    text.push_str(&format!("{} (the gate fails on `{}`).\n\n", reason, decision.policy.fail_on.name()));
    if !found.is_empty() {
        text.push_str("| level | findings |\n|---|---:|\n");
        for level in Level::ALL.into_iter().rev() {
            let count = found.iter().filter(|finding| finding.level == level).count();
            text.push_str(&format!("| {level} | {count} |\n"));
        }
        text.push('\n');
    }
    text
}

/// What was not read, under a heading of its own.
fn unread(report: &Report<'_>) -> Vec<String> {
    let unread: Vec<&Skip> = report.review.coverage.skipped.iter().filter(|skip| skip.unread).collect();
    if unread.is_empty() {
        return vec![];
    }
    let heading = format!("### Not read, so the review is incomplete ({})\n\n", unread.len());
    let item = |skip: &&Skip| {
        let lines = skip.lines.filter(|lines| *lines > 0).map(|lines| format!(" ({})", plural(lines, "added line")));
        let why = markdown(&one_line(&cut(&skip.why, PATH_CHARS)));
        inert(&format!("- {}{}: {why}\n", path(&skip.path, ""), lines.unwrap_or_default()))
    };
    let mut blocks: Vec<String> = unread.iter().take(UNREAD).map(item).collect();
    if let Some(first) = blocks.first_mut() {
        first.insert_str(0, &heading);
    }
    if let Some(last) = blocks.last_mut() {
        last.push('\n');
    }
    blocks
}

/// Every finding as a block, under a heading for its level.
fn findings(report: &Report<'_>, block: impl Fn(&Finding) -> String) -> Vec<String> {
    let mut blocks = Vec::new();
    for level in Level::ALL.into_iter().rev() {
        let of_level = report.review.findings.iter().filter(|finding| finding.level == level);
        let first = blocks.len();
        blocks.extend(of_level.map(|finding| inert(&block(finding))));
        if let Some(block) = blocks.get_mut(first) {
            let heading = match level {
                Level::Error => "Errors",
                Level::Warning => "Warnings",
                Level::Note => "Notes",
            };
            *block = format!("### {heading}\n\n{block}");
        }
        if let Some(block) = blocks.get_mut(first..).and_then(<[String]>::last_mut)
            && !block.ends_with("\n\n")
        {
            block.push('\n');
        }
    }
    blocks
}

/// A finding on one line.
fn line(finding: &Finding) -> String {
    format!("- {} {} ({})\n", place(finding), title(finding), finding.fingerprint)
}

/// A finding with its reason and its code.
fn block(report: &Report<'_>, finding: &Finding, code: bool, rationale: bool) -> String {
    let mut text = format!("**{}** ({}) at {}\n\n", title(finding), code_span(&finding.claim.tag), place(finding));
    let reason = finding.claim.rationale.raw().trim();
    if rationale && !reason.is_empty() {
        text.push_str(&format!("{}\n\n", markdown(&cut(reason, PROSE_CHARS))));
    }
    if code {
        if let Some(frame) = frame(finding) {
            text.push_str(&format!("{frame}\n\n"));
        }
        if let Some(suggestion) = suggestion(finding) {
            text.push_str(&format!("{suggestion}\n\n"));
        }
    }
    let facts = cut(&sentence::facts(finding).join(" · "), 3 * PATH_CHARS);
    let pack = report.tags.iter().find(|tag| tag.name == *finding.claim.tag).map(|tag| one_line(&tag.pack));
    let pack = pack.map(|pack| format!(" · pack {}", markdown(&pack))).unwrap_or_default();
    text.push_str(&format!("{}{pack}\n\n", markdown(&facts)));
    text
}

fn title(finding: &Finding) -> String {
    markdown(&one_line(&cut(&finding.title, PATH_CHARS)))
}

/// Path and lines as code.
fn place(finding: &Finding) -> String {
    let location = &finding.claim.location;
    let lines = match (location.line, location.end_line) {
        (first, last) if first < last => format!(":{first}-{last}"),
        (first, _) => format!(":{first}"),
    };
    path(&location.path, &lines)
}

fn path(path: &RepoPath, lines: &str) -> String {
    code_span(&format!("{}{lines}", cut(path.to_text().raw(), PATH_CHARS)).replace('\t', "␉"))
}

/// A line of code, short enough and without tabs, which hosts show eight columns wide.
fn code_line(raw: &str) -> String {
    visible(&cut(raw, LINE_CHARS)).replace('\t', "    ")
}

/// The code around a finding, with numbers and a mark on what it speaks of.
fn frame(finding: &Finding) -> Option<String> {
    let frame = finding.frame.as_ref()?;
    let location = &finding.claim.location;
    let (first, last) = (location.line.get(), location.end_line.get());
    let from = first.saturating_sub(CONTEXT).max(frame.first.get());
    let numbered = (frame.first.get()..).zip(&frame.lines);
    let shown: Vec<(u32, &Untrusted)> = numbered
        .filter(|(number, _)| (from..=last.saturating_add(CONTEXT)).contains(number))
        .take(CODE_LINES)
        .collect();
    let digits = shown.last()?.0.to_string().len();
    let lines: Vec<String> = shown
        .into_iter()
        .map(|(number, line)| {
            let mark = if (first..=last).contains(&number) { '>' } else { ' ' };
            format!("{mark} {number:digits$} | {}", code_line(line.raw())).trim_end().to_owned()
        })
        .collect();
    Some(code_block(&lines.join("\n"), "text"))
}

/// What goes and what comes.
fn suggestion(finding: &Finding) -> Option<String> {
    let suggestion = finding.claim.suggestion.as_ref()?;
    let removed = region::framed(finding, suggestion.line, suggestion.end_line).unwrap_or_default();
    let added: Vec<&str> = suggestion.text.raw().lines().collect();
    let what = if added.is_empty() { "delete" } else { "replace" };
    let lines = match (suggestion.line, suggestion.end_line) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first} to {last}"),
    };
    let mut diff = Vec::new();
    for (mark, lines) in [('-', removed), ('+', added)] {
        diff.extend(lines.iter().take(CODE_LINES).map(|line| format!("{mark}{}", code_line(line))));
        if lines.len() > CODE_LINES {
            diff.push(format!("{mark}… {} more lines", lines.len() - CODE_LINES));
        }
    }
    let diff = if diff.is_empty() { String::new() } else { format!("\n\n{}", code_block(&diff.join("\n"), "diff")) };
    Some(format!("Suggestion: {what} {lines}.{diff}"))
}

/// What was reviewed, how claims became findings, and how a finding is accepted.
fn tail(report: &Report<'_>) -> Vec<String> {
    let review = report.review;
    let mut blocks = Vec::new();
    let prose = |text: &str| inert(&format!("{}\n\n", markdown(&one_line(&cut(text, PROSE_CHARS)))));
    if let Some(capped) = sentence::capped(review) {
        blocks.push(prose(&sentence::sentence(&capped)));
    }
    if report.decision.verdict == Verdict::Fail {
        blocks.push(prose(ACCEPT));
        let ways = WAYS_OUT.map(|way| format!("- {}\n", markdown(way)));
        blocks.push(format!("{}\n", ways.concat()));
    }
    if !review.change.description.is_empty() {
        blocks.push(prose(&format!("Reviewed {}", visible(&review.change.description))));
    }
    blocks.extend(sentence::share(review).map(|share| prose(&sentence::sentence(&share))));
    blocks.push(prose(&sentence::sentence(&sentence::read(review))));
    for (head, reasons) in sentence::not_code(review) {
        blocks.push(prose(&sentence::sentence(&format!("{head}{reasons}"))));
    }
    blocks.push(prose(&format!("Funnel: {}", sentence::funnel(review))));
    if let Some(since) = &review.since {
        blocks.push(prose(&format!("Since {}.", sentence::since(since, review))));
        let gone: String = since
            .gone
            .iter()
            .take(NOTES)
            .map(|gone| inert(&format!("- {}\n", markdown(&sentence::gone(gone)))))
            .collect();
        blocks.extend((!gone.is_empty()).then(|| gone + "\n"));
    }
    let notes: Vec<&String> = review.change.notes.iter().chain(&review.notes).collect();
    blocks.extend(notes.iter().take(NOTES).map(|note| prose(&format!("Note: {}", visible(note)))));
    if notes.len() > NOTES {
        blocks.push(prose(&format!("{} more notes, all in --format json.", notes.len() - NOTES)));
    }
    blocks
}

#[cfg(test)]
mod tests;
