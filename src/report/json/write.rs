//! From a report to its JSON.

use std::sync::Arc;

use super::wire;
use crate::baseline::Entry;
use crate::diff::{Lines, Status};
use crate::escape::uri_path;
use crate::finding::{self, Anchored, Line, RepoPath, Source};
use crate::report::{Report, TagInfo};
use crate::review;
use crate::review::model::{Part, Steered};
use crate::review::shard::Share;
use crate::review::since::{Comparison, Gone};

impl From<&Report<'_>> for wire::Report {
    fn from(report: &Report<'_>) -> Self {
        let review = report.review;
        let decision = report.decision;
        Self {
            schema: super::SCHEMA.to_owned(),
            tool: wire::Tool { name: "diffsieve".to_owned(), version: report.version.to_owned() },
            change: change(&review.change),
            coverage: wire::Coverage {
                added_lines: review.coverage.added_lines,
                reviewed_lines: review.coverage.reviewed_lines,
                skipped: review.coverage.skipped.iter().map(skip).collect(),
            },
            findings: review.findings.iter().map(finding).collect(),
            dropped: review.dropped.iter().map(finding).collect(),
            funnel: wire::Funnel {
                raised: review.funnel.raised,
                shown: review.funnel.shown,
                removed: review.funnel.removed.clone(),
            },
            gate: wire::Gate {
                verdict: decision.verdict.name().to_owned(),
                complete: decision.complete,
                reason: decision.reason.clone(),
                fail_on: decision.policy.fail_on.name().to_owned(),
                on_incomplete: decision.policy.on_incomplete.name().to_owned(),
            },
            model: model(review.model.as_ref()),
            usage: usage(review.model.as_ref()),
            run: run(review.model.as_ref()),
            config: wire::Config { origin: report.origin.config.clone(), packs: report.origin.packs.clone() },
            notes: review.notes.clone(),
            since: review.since.as_ref().map(since),
            shard: review.share.as_deref().map(|share| shard(share, report)),
        }
    }
}

fn since(since: &Comparison) -> wire::Since {
    let gone = |gone: &Gone| wire::Gone {
        fingerprint: gone.fingerprint.as_str().to_owned(),
        tag: gone.tag.clone(),
        title: gone.title.clone(),
        level: gone.level.name().to_owned(),
        file: text(&gone.path),
        file_bytes: bytes(&gone.path),
        line: gone.line.get(),
        fate: gone.fate.name().to_owned(),
        why: gone.why.clone(),
    };
    wire::Since { head: since.head.clone(), gone: since.gone.iter().map(gone).collect() }
}

fn shard(share: &Share, report: &Report<'_>) -> wire::Shard {
    let owned =
        |(path, shard): &(RepoPath, u32)| wire::Owned { path: text(path), path_bytes: bytes(path), shard: *shard };
    let cap = |((tag, language), most): (&(Arc<str>, String), &u32)| wire::Cap {
        tag: tag.to_string(),
        language: language.clone(),
        most: *most,
    };
    let provenance = report.provenance.clone();
    wire::Shard {
        index: share.division.shard.index,
        count: share.division.shard.count,
        files: share.division.files.iter().map(owned).collect(),
        identity: share.division.identity.clone(),
        kept: share.kept.iter().map(finding).collect(),
        notes: share.notes.clone(),
        skipped: share.skipped.iter().map(skip).collect(),
        steered: share.steered.iter().map(steered).collect(),
        baseline: share.baseline.entries.iter().map(accepted).collect(),
        cap: share.caps.review,
        caps: share.caps.tags.iter().map(cap).collect(),
        tags: report.tags.iter().map(tag).collect(),
        provenance: wire::Provenance {
            repository_uri: provenance.repository_uri,
            revision: provenance.revision,
            branch: provenance.branch,
            category: provenance.category,
        },
    }
}

fn accepted(entry: &Entry) -> wire::Accepted {
    wire::Accepted {
        path: entry.path.clone(),
        tag: entry.tag.clone(),
        fingerprint: entry.fingerprint.as_str().to_owned(),
        window: entry.window.as_str().to_owned(),
        reason: entry.reason.clone(),
        until: entry.until.map(|until| until.to_string()),
    }
}

fn steered(steered: &Steered) -> wire::Steered {
    let place = |(path, line): &(RepoPath, Option<Line>)| (uri_path(path.bytes()), line.map(Line::get));
    let lines = |lines: &Lines| (lines.first, lines.count);
    let covered = |(path, added): &(RepoPath, Vec<Lines>)| (uri_path(path.bytes()), added.iter().map(lines).collect());
    wire::Steered {
        attempts: steered.attempts.iter().map(place).collect(),
        covered: steered.covered.iter().map(covered).collect(),
        why: steered.why.clone(),
    }
}

fn tag(tag: &TagInfo) -> wire::TagInfo {
    wire::TagInfo {
        name: tag.name.clone(),
        title: tag.title.clone(),
        help: tag.help.clone(),
        level: tag.level.map(|level| level.name().to_owned()),
        cwe: tag.cwe.clone(),
        category: tag.kind.category.map(str::to_owned),
        impact: tag.kind.impact.map(str::to_owned),
        severity: tag.kind.severity.map(str::to_owned),
        security_severity: tag.security_severity,
        pack: tag.pack.clone(),
    }
}

fn model(part: Option<&Part>) -> wire::Model {
    let Some(part) = part else {
        return wire::Model { provider: "none".to_owned(), health: "off".to_owned(), ..wire::Model::default() };
    };
    wire::Model {
        provider: part.names.provider.clone(),
        name: part.names.name.clone(),
        validator: part.names.validator.clone(),
        health: part.health.name().to_owned(),
        chunks: part.chunks,
        to_score: part.scored.0,
        scored: part.scored.1,
    }
}

fn usage(part: Option<&Part>) -> wire::Usage {
    let Some(tally) = part.map(|part| part.tally) else { return wire::Usage::default() };
    wire::Usage {
        requests: tally.answers,
        prompt_tokens: tally.estimated.0,
        completion_tokens: tally.estimated.1,
        estimated: true,
    }
}

fn run(part: Option<&Part>) -> wire::Run {
    let Some(part) = part else { return wire::Run::default() };
    wire::Run {
        requests: part.tally.requests,
        cached: part.tally.cached,
        prompt_tokens: part.tally.usage.prompt_tokens,
        completion_tokens: part.tally.usage.completion_tokens,
        cached_tokens: part.tally.usage.cached_tokens,
        cost: part.cost.filter(|cost| cost.is_finite()),
        seconds: if part.seconds.is_finite() { part.seconds } else { 0.0 },
    }
}

fn change(change: &review::Change) -> wire::Change {
    let range = change.merge_base.as_ref().zip(change.head.as_ref()).map(|(from, to)| format!("{from}..{to}"));
    wire::Change {
        base: change.base_tip.clone(),
        merge_base: change.merge_base.clone(),
        head: change.head.clone(),
        range,
        description: change.description.clone(),
        notes: change.notes.clone(),
        files: change.files.iter().map(file).collect(),
    }
}

fn file(file: &review::FileSummary) -> wire::File {
    let (status, similarity) = match file.status {
        Status::Added => ("added", None),
        Status::Deleted => ("deleted", None),
        Status::Modified => ("modified", None),
        Status::Renamed { similarity } => ("renamed", Some(similarity)),
    };
    wire::File {
        path: text(&file.path),
        path_bytes: bytes(&file.path),
        old_path: file.old_path.as_ref().map(text),
        old_path_bytes: file.old_path.as_ref().and_then(bytes),
        status: status.to_owned(),
        similarity,
        added: file.added,
        removed: file.removed,
        language: file.language.map(str::to_owned),
        generated: file.class.generated,
        vendored: file.class.vendored,
        lock: file.class.lock,
        diff_off: file.class.diff_off,
        read_by: wire::ReadBy { text: file.read_by.text, parser: file.read_by.parser, model: file.read_by.model },
    }
}

fn skip(skip: &review::Skip) -> wire::Skip {
    wire::Skip {
        path: text(&skip.path),
        path_bytes: bytes(&skip.path),
        lines: skip.lines,
        unread: skip.unread,
        why: skip.why.clone(),
    }
}

fn finding(finding: &finding::Finding) -> wire::Finding {
    let claim = &finding.claim;
    wire::Finding {
        fingerprint: finding.fingerprint.as_str().to_owned(),
        key: finding.fingerprint.as_str().to_owned(),
        window: finding.window.as_str().to_owned(),
        line_hash: finding.line_hash.clone(),
        tag: claim.tag.to_string(),
        title: finding.title.to_string(),
        level: finding.level.name().to_owned(),
        category: finding.kind.category.map(str::to_owned),
        impact: finding.kind.impact.map(str::to_owned),
        severity: finding.kind.severity.map(str::to_owned),
        file: text(&claim.location.path),
        file_bytes: bytes(&claim.location.path),
        line: claim.location.line.get(),
        end_line: claim.location.end_line.get(),
        columns: claim.location.columns.map(columns),
        function: finding.function.as_ref().map(|name| name.raw().to_owned()),
        quote: claim.quote.raw().to_owned(),
        rationale: claim.rationale.raw().to_owned(),
        suggestion: claim.suggestion.as_ref().map(suggestion),
        source: source(&claim.source),
        // JSON has no other numbers.
        score: finding.score.filter(|score| score.is_finite()),
        votes: finding.votes,
        evidence: evidence(&finding.evidence),
        anchor: finding.anchor.map(anchor),
        related: finding.related.iter().map(place).collect(),
        frame: finding.frame.as_ref().map(frame),
        trail: finding.trail.iter().map(step).collect(),
        since: finding.since.map(|since| since.name().to_owned()),
        dropped: finding.dropped.as_ref().map(|dropped| wire::Dropped {
            stage: dropped.stage.name().to_owned(),
            reason: dropped.reason.clone(),
            why: dropped.why.raw().to_owned(),
        }),
    }
}

fn suggestion(suggestion: &finding::Suggestion) -> wire::Suggestion {
    wire::Suggestion {
        line: suggestion.line.get(),
        end_line: suggestion.end_line.get(),
        text: suggestion.text.raw().to_owned(),
    }
}

fn source(source: &Source) -> wire::Source {
    match source {
        Source::Detector(id) => wire::Source { kind: "detector".to_owned(), id: Some(id.to_string()), pass: None },
        Source::Model { pass } => wire::Source { kind: "model".to_owned(), id: None, pass: Some(*pass) },
    }
}

fn evidence(evidence: &finding::Evidence) -> wire::Evidence {
    let fact = |(name, value): &(String, String)| wire::Fact { name: name.clone(), value: value.clone() };
    wire::Evidence { status: evidence.status.name().to_owned(), facts: evidence.facts.iter().map(fact).collect() }
}

fn anchor(anchor: Anchored) -> wire::Anchor {
    let moved = match anchor {
        Anchored::Moved(lines) => lines,
        Anchored::Exact | Anchored::BesideDeletion | Anchored::Quoted => 0,
    };
    wire::Anchor { how: anchor.name().to_owned(), moved }
}

fn place(location: &finding::Location) -> wire::Place {
    wire::Place {
        file: text(&location.path),
        file_bytes: bytes(&location.path),
        line: location.line.get(),
        end_line: location.end_line.get(),
        columns: location.columns.map(columns),
    }
}

const fn columns(columns: finding::Columns) -> wire::Columns {
    wire::Columns { start: columns.start, end: columns.end }
}

fn frame(frame: &finding::Frame) -> wire::Frame {
    let cut = |cut: &finding::Cut| {
        let finding::Cut { line, bytes, chars, units, width } = *cut;
        wire::Cut { line: line.get(), bytes, chars, units, width }
    };
    wire::Frame {
        first: frame.first.get(),
        lines: frame.lines.iter().map(|line| line.raw().to_owned()).collect(),
        cuts: frame.cuts.iter().map(cut).collect(),
    }
}

fn step(step: &finding::Step) -> wire::Step {
    wire::Step {
        stage: step.stage.name().to_owned(),
        rule: step.rule.clone(),
        verdict: step.verdict.to_owned(),
        why: step.why.raw().to_owned(),
    }
}

/// JSON's own escaping is this sink's escaper, so the text goes in as it is.
fn text(path: &RepoPath) -> String {
    path.to_text().raw().to_owned()
}

fn bytes(path: &RepoPath) -> Option<String> {
    std::str::from_utf8(path.bytes()).is_err().then(|| uri_path(path.bytes()))
}
