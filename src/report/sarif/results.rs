//! Findings as SARIF's results.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use serde_sarif::sarif::{Location, Message, PropertyBag, Result, ResultKind, ResultLevel, Suppression};

use super::place;
use super::rules::{Rules, rule_id};
use crate::escape::{code_span, markdown, sarif_markdown, sarif_text, visible};
use crate::finding::{Dropped, EvidenceStatus, Finding, Level, Source, Stage};
use crate::report::Report;
use crate::report::sentence::{cut, one_line, sentence};

/// GitHub refuses a file with more results in a run (and shows the 5,000 most severe).
pub(super) const LIMIT: usize = 25_000;

/// GitHub keeps this many locations of a result.
const RELATED: usize = 100;

/// How long the part of a message may be that the rationale fills.
const MESSAGE_CHARS: usize = 600;

/// Which findings become results, and how many could not.
pub(super) struct Selection<'a> {
    kept: Vec<&'a Finding>,
    /// Whether suppressed findings are among the results.
    suppressed: bool,
    /// Beyond the limit.
    pub(super) over_limit: usize,
    /// With a path that is no path inside the repository.
    pub(super) outside: usize,
}

impl<'a> Selection<'a> {
    /// The shown findings best first, then the suppressed ones if they are wanted, up to a limit.
    pub(super) fn new(report: &Report<'a>, limit: usize) -> Self {
        let suppressed =
            report.review.dropped.iter().filter(|finding| report.sarif_suppressed && is_suppressed(finding));
        let all: Vec<&Finding> = report.review.findings.iter().chain(suppressed).collect();
        let count = all.len();
        let mut kept: Vec<&Finding> =
            all.into_iter().filter(|finding| finding.claim.location.path.is_inside()).collect();
        let outside = count - kept.len();
        let over_limit = kept.len().saturating_sub(limit);
        kept.truncate(limit);
        Self { kept, suppressed: report.sarif_suppressed, over_limit, outside }
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = &'a Finding> + '_ {
        self.kept.iter().copied()
    }
}

fn is_suppressed(finding: &Finding) -> bool {
    finding.dropped.as_ref().is_some_and(|dropped| dropped.stage == Stage::Suppress)
}

pub(super) fn results(selection: &Selection<'_>, rules: &Rules) -> Vec<Result> {
    selection
        .findings()
        .map(|finding| {
            let mut result = result(finding, rules);
            // Again all or none (3.27.24).
            result.baseline_state = finding.since.map(|since| json!(since.name()));
            // All results carry the array or none does; an empty one says "not suppressed" (3.27.23).
            if selection.suppressed {
                result.suppressions = Some(finding.dropped.iter().map(suppression).collect());
            }
            result
        })
        .collect()
}

fn result(finding: &Finding, rules: &Rules) -> Result {
    let id = rule_id(&finding.claim.tag);
    let related: Vec<Location> = finding
        .related
        .iter()
        .take(RELATED)
        .zip(1..)
        .filter_map(|(place, id)| place::related(place, finding, id))
        .collect();
    let mut result = Result::builder()
        .kind(ResultKind::Fail)
        .level(level(finding.level))
        .message(message(finding, &related))
        .partial_fingerprints(fingerprints(finding))
        .rank(rank(finding))
        .properties(properties(finding))
        .build();
    result.rule_index = rules.index(&id);
    result.rule_id = Some(id);
    result.locations = place::of_finding(finding).map(|location| vec![location]);
    result.related_locations = (!related.is_empty()).then_some(related);
    result.fixes =
        finding.claim.suggestion.as_ref().and_then(|suggestion| place::fix(finding, suggestion)).map(|fix| vec![fix]);
    result
}

const fn level(level: Level) -> ResultLevel {
    match level {
        Level::Error => ResultLevel::Error,
        Level::Warning => ResultLevel::Warning,
        Level::Note => ResultLevel::Note,
    }
}

/// The title first, because narrow lists show the first sentence only; then what is wrong here.
fn message(finding: &Finding, related: &[Location]) -> Message {
    let title = sentence(&one_line(&finding.title));
    let rationale = one_line(finding.claim.rationale.raw());
    let why = sentence(&cut(first_sentence(&rationale), MESSAGE_CHARS));
    // Detectors say why in a fragment or in sentences; both read on from the title.
    let mut text = match rationale.chars().next() {
        None => sarif_text(&title),
        Some(first) if first.is_lowercase() => sarif_text(&format!("{}: {why}", title.trim_end_matches('.'))),
        Some(_) => sarif_text(&format!("{title} {why}")),
    };
    if !related.is_empty() {
        let links: Vec<String> =
            related.iter().filter_map(|place| place.id).map(|id| format!("[here]({id})")).collect();
        text.push_str(&format!(" The same: {}.", links.join(", ")));
    }
    let mut long = format!("**{}**\n\n{}", markdown(&title), markdown(finding.claim.rationale.raw()));
    if let Some(function) = &finding.function {
        long.push_str(&format!("\n\nIn {}.", code_span(function.raw())));
    }
    let ignore = format!("diffsieve: ignore[{}] reason", finding.claim.tag);
    long.push_str(&format!(
        "\n\nA baseline entry accepts it, or a comment {} on its line where policy counts it.",
        code_span(&ignore)
    ));
    Message::builder().text(text).markdown(sarif_markdown(&long)).build()
}

fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(['.', '!', '?']).map(|(index, mark)| index + mark.len()).find(|end| {
        let rest = text.get(*end..).unwrap_or_default();
        // `e.g. this` and `a.b` go on.
        rest.starts_with(' ') && rest.trim_start().starts_with(|next: char| !next.is_lowercase())
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn fingerprints(finding: &Finding) -> BTreeMap<String, String> {
    let mut prints = BTreeMap::from([
        ("diffsieve/key/v1".to_owned(), finding.fingerprint.as_str().to_owned()),
        ("diffsieve/window/v1".to_owned(), finding.window.as_str().to_owned()),
    ]);
    // Without it `upload-sarif` computes its own, which needs a checkout.
    if let Some(hash) = &finding.line_hash {
        prints.insert("primaryLocationLineHash".to_owned(), hash.clone());
    }
    prints
}

/// How sure it is, 0 to 100 (3.27.25; the SDK's AI profile reads it as confidence).
fn rank(finding: &Finding) -> f64 {
    match (finding.score.filter(|score| score.is_finite()), &finding.claim.source, finding.evidence.status) {
        (Some(score), ..) => f64::from((score.clamp(0.0, 10.0) * 10.0).round()),
        (None, Source::Detector(_), EvidenceStatus::Proved) => 90.0,
        (None, Source::Detector(_), EvidenceStatus::NotNeeded) => 80.0,
        (None, _, EvidenceStatus::Proved) => 60.0,
        (None, Source::Detector(_), EvidenceStatus::Unknown | EvidenceStatus::Refuted) => 30.0,
        (None, Source::Model { .. }, _) => 20.0,
    }
}

fn properties(finding: &Finding) -> PropertyBag {
    let source = match &finding.claim.source {
        Source::Detector(id) => visible(id),
        Source::Model { pass } => format!("model pass {pass}"),
    };
    let mut bag = BTreeMap::from([
        ("diffsieve/source".to_owned(), Value::from(source)),
        ("diffsieve/evidence".to_owned(), Value::from(finding.evidence.status.name())),
        ("diffsieve/votes".to_owned(), Value::from(finding.votes)),
    ]);
    if let Some(score) = finding.score.filter(|score| score.is_finite()) {
        bag.insert("diffsieve/score".to_owned(), json!(score));
    }
    if let Some(anchor) = finding.anchor {
        bag.insert("diffsieve/anchor".to_owned(), Value::from(anchor.name()));
    }
    PropertyBag::builder().additional_properties(bag).build()
}

/// The baseline lies outside the file; every other acceptance is a comment in it.
fn suppression(dropped: &Dropped) -> Suppression {
    let kind = if dropped.reason.contains("baseline") { "external" } else { "inSource" };
    Suppression::builder().kind(json!(kind)).status(json!("accepted")).justification(visible(dropped.why.raw())).build()
}
