//! A page in GitHub Flavored Markdown: a job's summary, or a note on a pull or merge request. Nothing from outside is live
//! in it, and no line of it is a command to an agent that reads along.
//!
//! Services refuse what is too long (GitHub a summary above 1 MiB, without a word on the page), so the page shrinks in
//! steps until it fits: first the code goes, then the rationales, then the end of the lists, counted. Verdict and counts
//! always stay.

use std::io;

use super::sentence::{self, WAYS_OUT, counts, cut, one_line, plural};
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
        blocks.push(prose(
            "Fix the findings, or accept them in one of these ways, each of which stays visible in the report:",
        ));
        let ways = WAYS_OUT.map(|way| format!("- {}\n", markdown(way)));
        blocks.push(format!("{}\n", ways.concat()));
    }
    if !review.change.description.is_empty() {
        blocks.push(prose(&format!("Reviewed {}", visible(&review.change.description))));
    }
    blocks.push(prose(&sentence::sentence(&sentence::read(review))));
    for (head, reasons) in sentence::not_code(review) {
        blocks.push(prose(&sentence::sentence(&format!("{head}{reasons}"))));
    }
    blocks.push(prose(&format!("Funnel: {}", sentence::funnel(review))));
    let notes: Vec<&String> = review.change.notes.iter().chain(&review.notes).collect();
    blocks.extend(notes.iter().take(NOTES).map(|note| prose(&format!("Note: {}", visible(note)))));
    if notes.len() > NOTES {
        blocks.push(prose(&format!("{} more notes, all in --format json.", notes.len() - NOTES)));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::{self, Fixture};

    fn written(fixture: &Fixture) -> String {
        page(&fixture.report(), SUMMARY_LIMIT)
    }

    #[test]
    fn a_report_reads_like_this() {
        let expected = r#"## diffsieve failed: 1 error, 1 warning, 1 note

1 finding at or above error (the gate fails on `error`).

| level | findings |
|---|---:|
| error | 1 |
| warning | 1 |
| note | 1 |

### Errors

**Mutable default argument** (`MutableDefault`) at `shop/basket.py:12`

The default list is created once and shared by every call of `add`.

```text
  11 |
> 12 | def add(item, cache=[]):
  13 |     cache.append(item)
  14 |     return cache
```

Suggestion: replace line 12.

```diff
-def add(item, cache=[]):
+def add(item, cache=None):
```

in add · 000000000000000000000000000a11da · also shop/über uns.py:3 · pack cqs-core

### Warnings

**A resource is not released** (`ResourceLeak`) at `src/io.c:41-43`

`f` is opened in line 40 and parsed, but no path closes it. Each call leaves one descriptor open, and a service that runs for a day will meet its limit.
Close it after the parse, also where the parse fails.

```text
  40 |     FILE *f = fopen(path, "r");
> 41 |     if (!f)
> 42 |         return -1;
> 43 |     return parse(f);
  44 | }
```

in read\_config · 000000000000000000000000000a11f7 · by the model · score 8.5 of 10 · 2 votes · pack cqs-core

### Notes

**Something to look at** (`LongFunction`) at `shop/basket.py:30`

The function grew from 40 to 95 lines in this change.

```text
  29 |
> 30 | def checkout(cart):
  31 |     ...
```

000000000000000000000000000a11ec · pack cqs-core

Fix the findings, or accept them in one of these ways, each of which stays visible in the report:

- a maintainer adds the fingerprint to the baseline on the base branch (diffsieve baseline update)
- a comment `diffsieve: ignore[Tag] reason` on the line, where policy counts ignores that a change brings along

Reviewed origin/main...HEAD (merge base 0123456)

2 files, all 42 added lines read. Read by: text detectors 2 files, parser 2, model 2.

Not code: 2 binary, 1 lock file.

Funnel: raised 5 → refuted:is\_closed 1 → baseline 1 → shown 3

Note: an ignore of ResourceLeak in src/io.c:9 matches nothing
"#;
        assert_eq!(written(&fixture::plain()), expected);
    }

    #[test]
    fn nothing_found_reads_well_too() {
        assert_eq!(
            written(&fixture::empty()),
            "## diffsieve passed: no findings\n\nno finding at or above error (the gate fails on `error`).\n\n\
             Reviewed origin/main...HEAD (merge base 0123456)\n\n\
             2 files, all 42 added lines read. Read by: text detectors 2 files, parser 2, model off.\n\n\
             Funnel: raised 0 → shown 0\n"
        );
    }

    #[test]
    fn what_was_not_read_comes_first() {
        let text = written(&fixture::incomplete());
        let wanted = "## diffsieve incomplete: no findings\n\n2 parts of the change could not be read (the gate fails on \
                      `error`).\n\n### Not read, so the review is incomplete (2)\n\n\
                      - `assets/data.js` (2 added lines): over 1 MiB\n- `src/lost.rs`: an object is missing\n\n";
        assert!(text.starts_with(wanted), "{text}");
    }

    /// As many findings as fit, in steps.
    #[test]
    fn a_page_shrinks_in_steps() {
        let fixture = fixture::many(60);
        let report = fixture.report();
        let (whole, code, reason) = (page(&report, SUMMARY_LIMIT), "> 12 | ", "shared by every call");
        assert!(whole.contains(code) && whole.contains(reason), "{whole}");
        let bare = page(&report, whole.len() - 1);
        assert!(!bare.contains(code) && bare.contains(reason), "{bare}");
        let short = page(&report, bare.len() - 1);
        assert!(!short.contains(reason) && short.matches("LongFunction").count() == 60, "{short}");
        let list = page(&report, short.len() - 1);
        assert!(!list.contains("LongFunction") && list.matches("shop/basket.py:").count() == 60, "{list}");
        let cut = page(&report, 2_000);
        assert!(cut.len() <= 2_000 && cut.len() > 1_700, "{} {cut}", cut.len());
        let shown = cut.matches("shop/basket.py:").count();
        assert!(shown > 0 && cut.contains(&format!("\n{} more findings, all of which", 60 - shown)), "{cut}");
        assert!(cut.contains("| error | 3 |\n| warning | 57 |"), "{cut}");
    }

    #[test]
    fn the_verdict_and_the_counts_are_never_cut() {
        for fixture in [fixture::plain(), fixture::incomplete(), fixture::hostile(), fixture::many(60)] {
            let report = fixture.report();
            let head = inert(&head(&report));
            for limit in [0, 1, 500, 1_000, 5_000, COMMENT_LIMIT] {
                let text = page(&report, limit);
                assert!(text.starts_with(head.trim_end()), "{text}");
                assert!(text.len() <= limit.max(head.len()), "{} of {limit}", text.len());
            }
        }
    }

    #[test]
    fn a_flood_stays_below_what_services_take() {
        let mut fixture = fixture::many(1_000);
        for finding in &mut fixture.review.findings {
            finding.claim.location.path = "\u{e0041}".repeat(1_000).as_str().into();
        }
        let skip = Skip {
            path: "\u{202e}".repeat(4_000).as_str().into(),
            lines: None,
            unread: true,
            why: "\u{1b}".repeat(4_000),
        };
        fixture.review.coverage.skipped = vec![skip; 200];
        fixture.review.notes = vec!["*".repeat(9_000); 200];
        for limit in [SUMMARY_LIMIT, COMMENT_LIMIT] {
            let text = page(&fixture.report(), limit);
            assert!(text.len() <= limit && text.len() > limit / 2, "{}", text.len());
            assert!(text.contains(" more findings, all of which"), "what is missing is counted");
        }
    }

    /// Fences and nothing else may begin a line with three backticks, and each that opens is closed.
    #[test]
    fn no_code_leaves_its_fence() {
        for text in fixture::HOSTILE {
            let mut fixture = fixture::with_text(text);
            fixture.review.findings.truncate(1);
            let page = written(&fixture);
            let mut open: Option<usize> = None;
            for line in page.lines() {
                let ticks = line.len() - line.trim_start_matches('`').len();
                match open {
                    Some(fence) if ticks >= fence && line.len() == ticks => open = None,
                    None if ticks >= 3 && line[ticks..].bytes().all(|byte| byte.is_ascii_lowercase()) => {
                        open = Some(ticks)
                    }
                    None => assert!(!line.contains("<img") || line.contains("\\<img") || line.contains('`'), "{line}"),
                    Some(_) => {}
                }
            }
            assert_eq!(open, None, "{page}");
        }
    }
}
