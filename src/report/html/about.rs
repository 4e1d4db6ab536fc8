//! Everything around the diff: the verdict above it; the funnel, the coverage, what was dropped and where the rules came
//! from below it.

use std::collections::BTreeMap;

use super::super::sentence::{self, ACCEPT, WAYS_OUT, plural};
use super::super::{Report, TagInfo};
use super::files::status;
use super::{Page, class, link, word};
use crate::finding::{Finding, RepoPath};
use crate::gate::Verdict;
use crate::review::{FileSummary, Skip};

/// The verdict and why, the range, and what was not read.
pub(super) fn summary(page: &mut Page, report: &Report<'_>) {
    let (review, decision) = (report.review, report.decision);
    page.raw("<section class=\"summary ").raw(decision.verdict.name()).raw("\">\n<h1>").raw(word(decision.verdict));
    page.raw(": ")
        .text(&sentence::counts(&review.findings))
        .raw("</h1>\n<p class=reason>")
        .prose(&decision.reason)
        .raw("</p>\n");
    if !review.change.description.is_empty() {
        page.raw("<p>Reviewed ").text(&review.change.description).raw("</p>\n");
    }
    if let Some(share) = sentence::share(review) {
        page.raw("<p>").text(&share).raw("</p>\n");
    }
    page.raw("<p>").text(&sentence::read(review)).raw("</p>\n");
    // A cap must not look like an end.
    let capped = review.dropped.iter().filter(|finding| finding.is_capped()).count() as u64;
    if capped > 0 {
        page.raw("<p><a href=#dropped>").number(capped).raw(" more</a> below error, over a cap and not shown</p>\n");
    }
    if decision.verdict == Verdict::Fail {
        page.raw("<details><summary>").text(ACCEPT.trim_end_matches(':')).raw("</summary><ul>");
        for way in WAYS_OUT {
            page.raw("<li>").prose(way);
        }
        page.raw("</ul></details>\n");
    }
    if let Some(since) = &review.since {
        page.raw("<details><summary>Since ").text(&sentence::since(since, review)).raw("</summary><ul>");
        for gone in &since.gone {
            page.raw("<li>").text(&sentence::gone(gone));
        }
        page.raw("</ul></details>\n");
    }
    page.raw("</section>\n");
    unread(page, report);
    let mut notes = review.change.notes.iter().chain(&review.notes).peekable();
    if notes.peek().is_some() {
        page.raw("<section class=notes aria-label=Notes><h2>Notes</h2><ul>");
        for note in notes {
            page.raw("<li>").prose(note);
        }
        page.raw("</ul></section>\n");
    }
}

/// What should have been read and was not: nobody should have to look for it.
fn unread(page: &mut Page, report: &Report<'_>) {
    let unread: Vec<&Skip> = report.review.coverage.skipped.iter().filter(|skip| skip.unread).collect();
    if unread.is_empty() {
        return;
    }
    page.raw("<section class=unread aria-labelledby=unread><h2 id=unread>Not read, so the review is incomplete (");
    page.number(unread.len() as u64).raw(")</h2><ul>");
    for skip in unread {
        page.raw("<li>").path(&skip.path).raw(": ").text(&skip.why);
        if let Some(lines) = skip.lines.filter(|lines| *lines > 0) {
            page.raw(", ").text(&plural(lines, "added line"));
        }
    }
    page.raw("</ul></section>\n");
}

/// What stands below the diff.
pub(super) fn rest(page: &mut Page, report: &Report<'_>) {
    funnel(page, report);
    coverage(page, report);
    dropped(page, report);
    tags(page, report);
    about(page, report);
}

fn funnel(page: &mut Page, report: &Report<'_>) {
    let funnel = &report.review.funnel;
    page.raw(
        "<section class=panel id=funnel><h2>Funnel</h2>\n<p>Claims in, findings out: whatever was raised is shown or ",
    );
    page.raw("removed for a reason.</p>\n<table class=funnel>\n");
    let mut bar = |name: &dyn Fn(&mut Page), kind: &'static str, count: u64| {
        page.raw("<tr class=").raw(kind).raw("><th scope=row>");
        name(page);
        page.raw("<td>").number(count).raw("<td><svg viewBox=\"0 0 100 8\" preserveAspectRatio=none aria-hidden=true>");
        let width = count.saturating_mul(100).checked_div(funnel.raised).unwrap_or(0).min(100);
        page.raw("<rect height=8 width=").number(width.max(u64::from(count > 0))).raw(" /></svg>\n");
    };
    bar(&|page| _ = page.raw("raised"), "raised", funnel.raised);
    for (stage, reason, count) in sentence::removed(report.review) {
        let name = |page: &mut Page| {
            page.raw("<span class=dim>").raw(stage.map_or("", |stage| stage.name())).raw("</span> ").text(reason);
        };
        bar(&name, "removed", count);
    }
    bar(&|page| _ = page.raw("shown"), "shown", funnel.shown);
    page.raw("</table></section>\n");
}

/// A line of the table of coverage: what is unread first, then what nobody but the text detectors read, then the rest.
struct Read<'a> {
    path: &'a RepoPath,
    file: Option<&'a FileSummary>,
    skips: Vec<&'a Skip>,
}

impl Read<'_> {
    fn order(&self) -> u8 {
        let any = |unread| self.skips.iter().any(|skip| skip.unread == unread);
        if any(true) { 0 } else { 1 + u8::from(any(false)) }
    }
}

fn coverage(page: &mut Page, report: &Report<'_>) {
    let review = report.review;
    let mut skips: BTreeMap<&RepoPath, Vec<&Skip>> = BTreeMap::new();
    for skip in &review.coverage.skipped {
        skips.entry(&skip.path).or_default().push(skip);
    }
    let mut reads: Vec<Read<'_>> = Vec::new();
    for file in &review.change.files {
        let skips = skips.remove(&file.path).unwrap_or_default();
        reads.push(Read { path: &file.path, file: Some(file), skips });
    }
    reads.extend(skips.into_iter().map(|(path, skips)| Read { path, file: None, skips }));
    reads.sort_by_key(Read::order);
    page.raw(
        "<section class=panel id=coverage><h2>Coverage</h2>\n<p>What read the added lines of each file; what was ",
    );
    page.raw(
        "not read comes first.</p>\n<div class=wide role=region tabindex=0 aria-label=Coverage>\n<table class=grid>",
    );
    page.raw("<thead><tr><th scope=col>File<th scope=col>Change<th scope=col>Language<th scope=col>Text<th scope=col>");
    page.raw("Parser<th scope=col>Model<th scope=col>Not read</thead>\n");
    for read in &reads {
        let by = read.file.map(|file| file.read_by).unwrap_or_default();
        page.raw(if read.order() == 0 { "<tr class=missed><th scope=row>" } else { "<tr><th scope=row>" });
        page.path(read.path).raw("<td>");
        if let Some(file) = read.file {
            page.raw(status(file.status))
                .raw(" <span class=plus>+")
                .number(file.added)
                .raw("</span> <span class=minus>−");
            page.number(file.removed).raw("</span><td>").raw(file.language.unwrap_or_default());
            let kind = file.class;
            for (is, name) in [(kind.generated, " generated"), (kind.vendored, " vendored"), (kind.lock, " lock file")]
            {
                page.raw(if is { name } else { "" });
            }
        } else {
            page.raw("<td>");
        }
        for by in [by.text, by.parser, by.model] {
            page.raw(if by { "<td class=yes>✓ <span class=sr>read</span>" } else { "<td class=dim>–" });
        }
        page.raw("<td>");
        for (index, skip) in read.skips.iter().enumerate() {
            page.raw(if index > 0 { "; " } else { "" }).raw(if skip.unread { "<b>unread</b>: " } else { "" });
            page.text(&skip.why);
        }
        page.raw("\n");
    }
    page.raw("</table></div></section>\n");
}

fn dropped(page: &mut Page, report: &Report<'_>) {
    let dropped = &report.review.dropped;
    page.raw("<section class=panel id=dropped><h2>Dropped</h2>\n");
    if dropped.is_empty() {
        page.raw("<p>No claim was dropped.</p></section>\n");
        return;
    }
    page.raw("<details><summary>").text(&plural(dropped.len() as u64, "claim")).raw(" not shown, each with its reason");
    page.raw("</summary>\n<div class=wide role=region tabindex=0 aria-label=Dropped>\n<table class=grid><thead><tr>");
    page.raw("<th scope=col>Claim<th scope=col>Place<th scope=col>Stage and reason<th scope=col>Why<th scope=col>");
    page.raw("Fingerprint</thead>\n");
    for finding in dropped {
        drop_row(page, finding);
    }
    page.raw("</table></div></details></section>\n");
}

fn drop_row(page: &mut Page, finding: &Finding) {
    page.raw("<tr><th scope=row><span class=\"level ").raw(class(finding.level)).raw("\">").raw(class(finding.level));
    page.raw("</span> <b>").text(&finding.claim.tag).raw("</b> <span class=dim>").prose(finding.claim.rationale.raw());
    page.raw("</span><td>").place(&finding.claim.location).raw("<td>");
    if let Some(dropped) = &finding.dropped {
        page.raw("<span class=dim>").raw(dropped.stage.name()).raw("</span> ").text(&dropped.reason).raw("<td>");
        page.prose(dropped.why.raw());
    } else {
        page.raw("<td>");
    }
    page.raw("<td><code>").text(finding.fingerprint.as_str()).raw("</code>\n");
}

/// The tags that findings carry, each once, however many findings there are.
fn tags(page: &mut Page, report: &Report<'_>) {
    let fired = |tag: &TagInfo| report.review.findings.iter().any(|finding| *finding.claim.tag == tag.name);
    let mut fired = report.tags.iter().enumerate().filter(|(_, tag)| fired(tag)).peekable();
    if fired.peek().is_none() {
        return;
    }
    page.raw("<section class=panel id=tags><h2>Tags of these findings</h2>\n");
    for (index, tag) in fired {
        page.raw("<details class=about id=");
        link(page, "tag-", index);
        page.raw("><summary><h3>").text(&tag.name).raw("</h3> <span class=dim>").text(&tag.title);
        page.raw("</span></summary>\n<p class=say>");
        page.prose(&tag.help).raw("</p>\n<ul class=facts><li>pack ").text(&tag.pack);
        for text in &tag.cwe {
            page.raw("<li>").text(text);
        }
        for (axis, name) in tag.kind.known() {
            page.raw("<li>").raw(axis).raw(" ").text(name);
        }
        if let Some(severity) = tag.security_severity {
            page.raw("<li>security severity ").text(&format!("{severity:.1}"));
        }
        page.raw("</ul></details>\n");
    }
    page.raw("</section>\n");
}

fn about(page: &mut Page, report: &Report<'_>) {
    let (review, provenance, policy) = (report.review, &report.provenance, report.decision.policy);
    page.raw("<section class=panel id=about><h2>About this review</h2>\n<dl>\n");
    let mut row = |name: &'static str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            page.raw("<dt>").raw(name).raw("<dd>").text(value).raw("\n");
        }
    };
    row("Made by", Some(&format!("diffsieve {}", report.version)));
    row("Repository", provenance.repository_uri.as_deref());
    row("Revision", provenance.revision.as_deref());
    row("Branch", provenance.branch.as_deref());
    row("Analysis", provenance.category.as_deref());
    row("Base tip", review.change.base_tip.as_deref());
    row("Merge base", review.change.merge_base.as_deref());
    row("Head", review.change.head.as_deref());
    row("Fails on", Some(policy.fail_on.name()));
    row(
        "An incomplete review",
        Some(if policy.on_incomplete.name() == "fail" { "fails" } else { "passes with a warning" }),
    );
    row("Configuration", Some(&report.origin.config));
    match &review.model {
        None => row("Model", Some("off: the findings are those of the detectors")),
        Some(part) => {
            let (names, usage) = (&part.names, part.tally.estimated);
            let name = names
                .name
                .as_deref()
                .map_or_else(|| names.provider.clone(), |name| format!("{}/{name}", names.provider));
            row("Model", Some(&name));
            let validator = names.validator.as_deref().unwrap_or("none");
            row("Validator", Some(&format!("{validator}, {}", part.health.name())));
            row("Scored", Some(&format!("{} of {}", part.scored.1, plural(part.scored.0, "claim"))));
            let (answers, chunks) = (plural(part.tally.answers, "prompt"), plural(part.chunks, "chunk"));
            row("Usage", Some(&format!("{answers} for {chunks}; about {} tokens read, {} written", usage.0, usage.1)));
        }
    }
    page.raw("<dt>Packs<dd><ul>");
    for pack in &report.origin.packs {
        page.raw("<li>").text(pack);
    }
    page.raw("</ul></dl></section>\n");
}

/// What the keys do.
pub(super) fn keys(page: &mut Page) {
    page.raw("<dialog id=keys aria-labelledby=keys-title><h2 id=keys-title>Keyboard</h2><dl>\n");
    for (key, what) in [
        ("j k", "next, previous finding"),
        ("n p", "next, previous file"),
        ("o", "open or close the file"),
        ("/", "filter by text; Esc leaves"),
        ("x", "clear the filter"),
        ("t", "light or dark"),
        ("?", "this help"),
    ] {
        page.raw("<dt><kbd>").raw(key).raw("</kbd><dd>").raw(what).raw("\n");
    }
    page.raw("</dl><form method=dialog><button>Close</button></form></dialog>\n");
}
