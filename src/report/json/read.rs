//! From saved JSON back to a review. What is read may come from an artifact of an untrusted job, so every value is
//! checked on its way in.

use std::sync::Arc;

use super::wire;
use crate::baseline::{Baseline, Date, Entry};
use crate::diff::{Lines, PathClass, Status};
use crate::escape;
use crate::finding::{
    Anchored, Claim, Columns, Cut, Dropped, Evidence, EvidenceStatus, Finding, Fingerprint, Frame, Level, Line,
    Location, RepoPath, Since, Source, Stage, Step, Suggestion, Untrusted,
};
use crate::gate::{Decision, FailOn, OnIncomplete, Policy, Verdict};
use crate::report::{Origin, Provenance, TagInfo};
use crate::review::model::{Health, Names, Part, Steered, Tally};
use crate::review::shard::{Division, Shard, Share};
use crate::review::since::{Comparison, Fate, Gone};
use crate::review::{Caps, Change, Coverage, FileSummary, Funnel, ReadBy, Review, Skip};
use crate::syntax::Language;
use crate::taxonomy::{self, CATEGORIES, IMPACTS, Kind, SEVERITIES, Term};

/// A report read back.
#[derive(Debug)]
pub struct Saved {
    /// The version of diffsieve that wrote it.
    pub version: String,
    /// What was found.
    pub review: Review,
    /// What the gate said.
    pub decision: Decision,
    /// Where the configuration and the packs came from.
    pub origin: Origin,
    /// All tags; only a share of a review has them.
    pub tags: Vec<TagInfo>,
    /// The repository; only a share of a review has it.
    pub provenance: Provenance,
}

/// Why a saved report cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no JSON, or not of the report's shape.
    #[error("the file is no diffsieve report")]
    Shape(#[source] serde_json::Error),
    /// It is a report of another version.
    #[error("the report's format is {:?}, this version reads {expected}", brief(found), expected = super::SCHEMA)]
    Schema {
        /// What the file says.
        found: String,
    },
    /// A value is none that the key can have.
    #[error("{key} cannot be {:?}", brief(value))]
    Value {
        /// The key.
        key: &'static str,
        /// What the file says.
        value: String,
    },
}

/// The beginning of what a file says, which may be of any length.
fn brief(value: &str) -> String {
    value.chars().take(200).collect()
}

const VERDICTS: [Verdict; 3] = [Verdict::Pass, Verdict::Fail, Verdict::Incomplete];

const STATUSES: [EvidenceStatus; 4] =
    [EvidenceStatus::NotNeeded, EvidenceStatus::Proved, EvidenceStatus::Refuted, EvidenceStatus::Unknown];

const STAGES: [Stage; 8] = [
    Stage::Collect,
    Stage::Ground,
    Stage::Evidence,
    Stage::Validate,
    Stage::Filter,
    Stage::Suppress,
    Stage::Merge,
    Stage::Rank,
];

/// The verdicts of trail steps, which a review keeps as static text. Another one is read as [`OTHER_VERDICT`] and stays
/// readable at the head of the step's sentence.
const STEP_VERDICTS: [&str; 15] = [
    "raised",
    "kept",
    "lowered",
    "raised_level",
    "moved",
    "corrected",
    "dropped",
    "proved",
    "scored",
    "unscored",
    "suppressed",
    "merged",
    "related",
    "capped",
    "shown",
];

const OTHER_VERDICT: &str = "noted";

/// Reads what the format `json` wrote. Keys of a later v1 are passed over.
pub fn read(bytes: &[u8]) -> Result<Saved, Error> {
    /// Enough to know whether the rest can be understood at all.
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head = serde_json::from_slice(bytes).map_err(Error::Shape)?;
    if head.schema != super::SCHEMA {
        return Err(Error::Schema { found: head.schema });
    }
    let report: wire::Report = serde_json::from_slice(bytes).map_err(Error::Shape)?;
    let decision = decision(report.gate)?;
    let (share, tags, provenance) = match report.shard {
        Some(of) => shard(of).map(|(share, tags, provenance)| (Some(Box::new(share)), tags, provenance))?,
        None => (None, Vec::new(), Provenance::default()),
    };
    Ok(Saved {
        version: report.tool.version,
        review: Review {
            change: change(report.change)?,
            coverage: Coverage {
                added_lines: report.coverage.added_lines,
                reviewed_lines: report.coverage.reviewed_lines,
                skipped: report.coverage.skipped.into_iter().map(skip).collect::<Result<_, _>>()?,
            },
            findings: report.findings.into_iter().map(shown).collect::<Result<_, _>>()?,
            dropped: report.dropped.into_iter().map(gone_astray).collect::<Result<_, _>>()?,
            funnel: Funnel { raised: report.funnel.raised, shown: report.funnel.shown, removed: report.funnel.removed },
            notes: report.notes,
            model: model(report.model, &report.usage, &report.run)?,
            since: report.since.map(since).transpose()?,
            share,
        },
        decision,
        origin: Origin { config: report.config.origin, packs: report.config.packs },
        tags,
        provenance,
    })
}

fn since(of: wire::Since) -> Result<Comparison, Error> {
    let gone = |gone: wire::Gone| {
        Ok(Gone {
            fingerprint: fingerprint("since.gone.fingerprint", gone.fingerprint)?,
            tag: gone.tag,
            title: gone.title,
            level: named("since.gone.level", &gone.level, &Level::ALL, Level::name)?,
            path: path("since.gone.file", gone.file, gone.file_bytes)?,
            line: line("since.gone.line", gone.line)?,
            fate: named("since.gone.fate", &gone.fate, &Fate::ALL, Fate::name)?,
            why: gone.why,
        })
    };
    Ok(Comparison { head: of.head, gone: of.gone.into_iter().map(gone).collect::<Result<_, Error>>()? })
}

fn shard(of: wire::Shard) -> Result<(Share, Vec<TagInfo>, Provenance), Error> {
    let shard = Shard::new(of.index, of.count)
        .ok_or_else(|| Error::Value { key: "shard.index", value: format!("{}/{}", of.index, of.count) })?;
    let owned = |owned: wire::Owned| Ok((path("shard.files.path", owned.path, owned.path_bytes)?, owned.shard));
    let share = Share {
        division: Division {
            shard,
            files: of.files.into_iter().map(owned).collect::<Result<_, Error>>()?,
            identity: of.identity,
        },
        kept: of.kept.into_iter().map(shown).collect::<Result<_, _>>()?,
        notes: of.notes,
        skipped: of.skipped.into_iter().map(skip).collect::<Result<_, _>>()?,
        steered: of.steered.into_iter().map(steered).collect::<Result<_, _>>()?,
        baseline: Baseline { entries: of.baseline.into_iter().map(accepted).collect::<Result<_, Error>>()? },
        caps: Caps {
            review: of.cap,
            tags: of.caps.into_iter().map(|cap| ((Arc::from(cap.tag), cap.language), cap.most)).collect(),
        },
    };
    let tags = of.tags.into_iter().map(tag).collect::<Result<_, _>>()?;
    let wire::Provenance { repository_uri, revision, branch, category } = of.provenance;
    Ok((share, tags, Provenance { repository_uri, revision, branch, category }))
}

fn accepted(of: wire::Accepted) -> Result<Entry, Error> {
    let day = |text: String| Date::parse(&text).ok_or(Error::Value { key: "shard.baseline.until", value: text });
    Ok(Entry {
        path: of.path,
        tag: of.tag,
        fingerprint: fingerprint("shard.baseline.fingerprint", of.fingerprint)?,
        window: fingerprint("shard.baseline.window", of.window)?,
        reason: of.reason,
        until: of.until.map(day).transpose()?,
    })
}

fn steered(steered: wire::Steered) -> Result<Steered, Error> {
    let named = |encoded: String| path("shard.steered", String::new(), Some(encoded));
    let attempt = |(path, number): (String, Option<u32>)| {
        Ok((named(path)?, number.map(|number| line("shard.steered.attempts", number)).transpose()?))
    };
    let covered = |(path, added): (String, Vec<(u32, u32)>)| {
        let added = added.into_iter().map(|(first, count)| Lines { first, count: count.min(u32::MAX - first) });
        Ok((named(path)?, added.collect()))
    };
    Ok(Steered {
        attempts: steered.attempts.into_iter().map(attempt).collect::<Result<_, Error>>()?,
        covered: steered.covered.into_iter().map(covered).collect::<Result<_, Error>>()?,
        why: steered.why,
    })
}

fn tag(tag: wire::TagInfo) -> Result<TagInfo, Error> {
    let level = tag.level.map(|level| named("shard.tags.level", &level, &Level::ALL, Level::name)).transpose()?;
    let wire::TagInfo { name, title, help, level: _, cwe, category, impact, severity, security_severity, pack } = tag;
    let kind = kind([category, impact, severity])?;
    Ok(TagInfo { name, title, help, level, cwe, kind, security_severity, pack })
}

/// Category, impact and severity, each of which may be missing.
fn kind([category, impact, severity]: [Option<String>; 3]) -> Result<Kind, Error> {
    let term = |key, terms: &'static [Term], value: Option<String>| {
        let Some(value) = value else { return Ok(None) };
        let found = taxonomy::find(terms, &value).map(|term| term.name);
        found.map(Some).ok_or(Error::Value { key, value })
    };
    Ok(Kind {
        category: term("category", &CATEGORIES, category)?,
        impact: term("impact", &IMPACTS, impact)?,
        severity: term("severity", &SEVERITIES, severity)?,
    })
}

fn decision(gate: wire::Gate) -> Result<Decision, Error> {
    let verdict = named("gate.verdict", &gate.verdict, &VERDICTS, Verdict::name)?;
    let wrong = |key, value: &str| Error::Value { key, value: value.to_owned() };
    Ok(Decision {
        verdict,
        complete: gate.complete,
        reason: gate.reason,
        policy: Policy {
            fail_on: FailOn::parse(&gate.fail_on).ok_or_else(|| wrong("gate.fail_on", &gate.fail_on))?,
            on_incomplete: OnIncomplete::parse(&gate.on_incomplete)
                .ok_or_else(|| wrong("gate.on_incomplete", &gate.on_incomplete))?,
        },
    })
}

fn model(model: wire::Model, usage: &wire::Usage, run: &wire::Run) -> Result<Option<Part>, Error> {
    if model.provider == "none" {
        return Ok(None);
    }
    Ok(Some(Part {
        health: named("model.health", &model.health, &Health::ALL, Health::name)?,
        names: Names { provider: model.provider, name: model.name, validator: model.validator },
        tally: Tally {
            requests: run.requests,
            cached: run.cached,
            usage: crate::provider::Usage {
                prompt_tokens: run.prompt_tokens,
                completion_tokens: run.completion_tokens,
                cached_tokens: run.cached_tokens,
            },
            answers: usage.requests,
            estimated: (usage.prompt_tokens, usage.completion_tokens),
        },
        // A report counts them among what nobody answered.
        unreadable: 0,
        chunks: model.chunks,
        scored: (model.to_score, model.scored),
        cost: run.cost,
        seconds: run.seconds,
    }))
}

fn change(change: wire::Change) -> Result<Change, Error> {
    Ok(Change {
        description: change.description,
        base_tip: change.base,
        merge_base: change.merge_base,
        head: change.head,
        notes: change.notes,
        files: change.files.into_iter().map(file).collect::<Result<_, _>>()?,
    })
}

fn file(file: wire::File) -> Result<FileSummary, Error> {
    let status = match (file.status.as_str(), file.similarity) {
        ("added", _) => Status::Added,
        ("deleted", _) => Status::Deleted,
        ("modified", _) => Status::Modified,
        ("renamed", Some(similarity)) => Status::Renamed { similarity },
        _ => return Err(Error::Value { key: "change.files.status", value: file.status }),
    };
    Ok(FileSummary {
        path: path("change.files.path", file.path, file.path_bytes)?,
        old_path: file.old_path.map(|old| path("change.files.old_path", old, file.old_path_bytes)).transpose()?,
        status,
        added: file.added,
        removed: file.removed,
        language: file.language.as_deref().and_then(Language::parse_name).map(Language::name),
        class: PathClass {
            generated: file.generated,
            vendored: file.vendored,
            lock: file.lock,
            diff_off: file.diff_off,
        },
        read_by: ReadBy { text: file.read_by.text, parser: file.read_by.parser, model: file.read_by.model },
        excerpt: None,
    })
}

fn skip(skip: wire::Skip) -> Result<Skip, Error> {
    Ok(Skip {
        path: path("coverage.skipped.path", skip.path, skip.path_bytes)?,
        lines: skip.lines,
        unread: skip.unread,
        why: skip.why,
    })
}

/// One that is shown has nothing that dropped it.
fn shown(of: wire::Finding) -> Result<Finding, Error> {
    match &of.dropped {
        Some(dropped) => Err(Error::Value { key: "findings.dropped", value: dropped.reason.clone() }),
        None => finding(of),
    }
}

/// One that is not shown says why.
fn gone_astray(of: wire::Finding) -> Result<Finding, Error> {
    match of.dropped {
        Some(_) => finding(of),
        None => Err(Error::Value { key: "dropped.dropped", value: "null".to_owned() }),
    }
}

fn finding(finding: wire::Finding) -> Result<Finding, Error> {
    Ok(Finding {
        claim: Claim {
            tag: Arc::from(finding.tag),
            location: Location {
                path: path("findings.file", finding.file, finding.file_bytes)?,
                line: line("findings.line", finding.line)?,
                end_line: line("findings.end_line", finding.end_line.max(finding.line))?,
                columns: finding.columns.map(columns),
            },
            quote: Untrusted::new(finding.quote),
            rationale: Untrusted::new(finding.rationale),
            suggestion: finding.suggestion.map(suggestion).transpose()?,
            // What a detector asked for has become the finding's level.
            level: None,
            source: source(finding.source)?,
        },
        title: Arc::from(finding.title),
        kind: kind([finding.category, finding.impact, finding.severity])?,
        level: named("findings.level", &finding.level, &Level::ALL, Level::name)?,
        fingerprint: fingerprint("findings.fingerprint", finding.fingerprint)?,
        window: fingerprint("findings.window", finding.window)?,
        function: finding.function.map(Untrusted::new),
        anchor: finding.anchor.map(anchor).transpose()?,
        evidence: evidence(finding.evidence)?,
        score: finding.score,
        votes: finding.votes,
        related: finding.related.into_iter().map(place).collect::<Result<_, _>>()?,
        frame: finding.frame.map(frame).transpose()?,
        line_hash: finding.line_hash,
        trail: finding.trail.into_iter().map(step).collect::<Result<_, _>>()?,
        since: finding.since.map(|name| named("findings.since", &name, &Since::ALL, Since::name)).transpose()?,
        dropped: finding.dropped.map(dropped).transpose()?,
    })
}

fn suggestion(suggestion: wire::Suggestion) -> Result<Suggestion, Error> {
    Ok(Suggestion {
        line: line("findings.suggestion.line", suggestion.line)?,
        end_line: line("findings.suggestion.end_line", suggestion.end_line.max(suggestion.line))?,
        text: Untrusted::new(suggestion.text),
    })
}

fn source(source: wire::Source) -> Result<Source, Error> {
    match (source.kind.as_str(), source.id, source.pass) {
        ("detector", Some(id), _) => Ok(Source::Detector(Arc::from(id))),
        ("model", _, Some(pass)) => Ok(Source::Model { pass }),
        _ => Err(Error::Value { key: "findings.source.kind", value: source.kind }),
    }
}

fn evidence(evidence: wire::Evidence) -> Result<Evidence, Error> {
    Ok(Evidence {
        status: named("findings.evidence.status", &evidence.status, &STATUSES, EvidenceStatus::name)?,
        facts: evidence.facts.into_iter().map(|fact| (fact.name, fact.value)).collect(),
    })
}

fn anchor(anchor: wire::Anchor) -> Result<Anchored, Error> {
    match anchor.how.as_str() {
        "exact" => Ok(Anchored::Exact),
        "moved" => Ok(Anchored::Moved(anchor.moved)),
        "beside_deletion" => Ok(Anchored::BesideDeletion),
        "quoted" => Ok(Anchored::Quoted),
        _ => Err(Error::Value { key: "findings.anchor.how", value: anchor.how }),
    }
}

fn place(place: wire::Place) -> Result<Location, Error> {
    Ok(Location {
        path: path("findings.related.file", place.file, place.file_bytes)?,
        line: line("findings.related.line", place.line)?,
        end_line: line("findings.related.end_line", place.end_line.max(place.line))?,
        columns: place.columns.map(columns),
    })
}

fn frame(frame: wire::Frame) -> Result<Frame, Error> {
    let frame_lines = frame.lines.len();
    let lines = frame.lines.into_iter().map(Untrusted::new).collect();
    let cut = |cut: wire::Cut| {
        let wire::Cut { line: number, bytes, chars, units, width } = cut;
        Ok(Cut { line: line("findings.frame.cuts.line", number)?, bytes, chars, units, width })
    };
    let cuts = frame.cuts.into_iter().map(cut).collect::<Result<_, Error>>()?;
    let first = line("findings.frame.first", frame.first)?;
    // All of its lines have numbers.
    let last = u32::try_from(frame_lines).ok().and_then(|count| frame.first.checked_add(count));
    last.ok_or_else(|| Error::Value { key: "findings.frame.first", value: frame.first.to_string() })?;
    Ok(Frame { first, lines, cuts })
}

fn step(step: wire::Step) -> Result<Step, Error> {
    let (verdict, why) = match known(&STEP_VERDICTS, &step.verdict) {
        Some(verdict) => (verdict, step.why),
        None if step.verdict == OTHER_VERDICT => (OTHER_VERDICT, step.why),
        None => (OTHER_VERDICT, format!("{}: {}", step.verdict, step.why)),
    };
    let stage = named("findings.trail.stage", &step.stage, &STAGES, Stage::name)?;
    Ok(Step { stage, rule: step.rule, verdict, why: Untrusted::new(why) })
}

fn dropped(dropped: wire::Dropped) -> Result<Dropped, Error> {
    let stage = named("findings.dropped.stage", &dropped.stage, &STAGES, Stage::name)?;
    Ok(Dropped { stage, reason: dropped.reason, why: Untrusted::new(dropped.why) })
}

const fn columns(columns: wire::Columns) -> Columns {
    Columns { start: columns.start, end: columns.end }
}

fn line(key: &'static str, number: u32) -> Result<Line, Error> {
    Line::new(number).ok_or_else(|| Error::Value { key, value: number.to_string() })
}

/// Fingerprints go to command lines and markers of comments, so nothing but their digits gets in.
fn fingerprint(key: &'static str, digits: String) -> Result<Fingerprint, Error> {
    let plain = digits.len() == 32 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if plain { Ok(Fingerprint::new(digits)) } else { Err(Error::Value { key, value: digits }) }
}

/// A path from an artifact may become a file to comment on or to change, so it must stay inside the repository.
fn path(key: &'static str, text: String, bytes: Option<String>) -> Result<RepoPath, Error> {
    let path = match &bytes {
        None => Some(RepoPath::new(&text)),
        Some(encoded) => escape::percent_decoded(encoded).map(RepoPath::new),
    };
    path.filter(RepoPath::is_inside).ok_or_else(|| Error::Value { key, value: bytes.unwrap_or(text) })
}

/// The value of this name.
fn named<T: Copy>(key: &'static str, name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, Error> {
    all.iter()
        .copied()
        .find(|value| name_of(*value) == name)
        .ok_or_else(|| Error::Value { key, value: name.to_owned() })
}

fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().copied().find(|known| *known == name)
}
