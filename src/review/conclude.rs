//! The end of a review: what can only be decided when all findings are there. Everything before it happens file by file.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{self, Health, Part, Steered};
use super::{Change, Coverage, Funnel, Review, Skip};
use super::{merge, rank, suppress};
use crate::baseline::{Baseline, Date, Entry};
use crate::finding::{Dropped, Finding, Stage};
use crate::rules::Rules;
use crate::syntax::Language;

/// What the stages leave behind that look at one file after the other.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) change: Change,
    pub(super) coverage: Coverage,
    pub(super) raised: u64,
    pub(super) kept: Vec<Finding>,
    pub(super) dropped: Vec<Finding>,
    pub(super) notes: Vec<String>,
    pub(super) model: Option<Part>,
    /// Chunks that do not count as clean unless what is in them was accepted.
    pub(super) steered: Vec<Steered>,
}

/// How many findings are shown, errors not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caps {
    /// Of all tags together.
    pub review: Option<u32>,
    /// Of a tag in files of a language, by the names of both; `""` where no language is known.
    pub tags: BTreeMap<(Arc<str>, String), u32>,
}

impl Caps {
    /// The caps that the rules set for the tags of these findings.
    pub(super) fn of(rules: &Rules, review: Option<u32>, findings: &[Finding]) -> Self {
        let cap = |finding: &Finding| {
            let language = Language::of_path(&finding.claim.location.path, None);
            let cap = rules.spec(&finding.claim.tag, language).and_then(|(_, spec)| spec.cap)?;
            Some((key(finding), cap))
        };
        Self { review, tags: findings.iter().filter_map(cap).collect() }
    }

    /// The cap of a finding's tag.
    pub(super) fn tag(&self, finding: &Finding) -> Option<u32> {
        self.tags.get(&key(finding)).copied()
    }
}

pub(super) fn key(finding: &Finding) -> (Arc<str>, String) {
    let language = Language::of_path(&finding.claim.location.path, None);
    (finding.claim.tag.clone(), language.map_or_else(String::new, |language| language.name().to_owned()))
}

/// Decides what is shown of what was gathered: accepted findings, a validator that does not judge, twins, order and caps.
/// `may` tells which accepted findings may speak of which.
pub(super) fn conclude(
    gathered: Gathered,
    baseline: &Baseline,
    may: impl Fn(&Finding, &Entry) -> bool,
    today: Option<Date>,
    caps: &Caps,
) -> Review {
    let Gathered { mut change, mut coverage, raised, kept, mut dropped, mut notes, model, steered } = gathered;
    let (mut findings, accepted) = suppress::baseline(kept, baseline, may, today, &mut notes);
    dropped.extend(accepted);
    let model = model.map(|part| judged(part, &mut findings, &dropped, &mut coverage.skipped));
    coverage.skipped.extend(model::steered(steered, &dropped, |path| {
        change.files.iter_mut().filter(|file| file.path == *path).for_each(|file| file.read_by.model = false);
    }));
    let (findings, twins) = merge::merge(findings);
    dropped.extend(twins);
    let (findings, capped) = rank::rank(findings, caps);
    dropped.extend(capped);
    // The order in which files were looked at must not show.
    dropped.sort_by(|a, b| order(a).cmp(&order(b)));
    coverage.skipped.sort_by(|a, b| (&a.path, !a.unread, &a.why, a.lines).cmp(&(&b.path, !b.unread, &b.why, b.lines)));
    coverage.skipped.dedup();
    notes.sort();
    notes.dedup();
    let mut review = Review { change, coverage, findings, dropped, notes, model, ..Review::default() };
    review.funnel = funnel(raised, &review);
    review
}

fn order(finding: &Finding) -> impl Ord {
    let reason = finding.dropped.as_ref().map(|dropped| dropped.reason.as_str());
    (&finding.claim.location, &finding.claim, finding.fingerprint.as_str(), reason)
}

/// Whether it is this stage that removes findings for such a reason.
pub(super) fn is_concluded(dropped: &Dropped) -> bool {
    matches!(dropped.stage, Stage::Merge | Stage::Rank) || dropped.reason == suppress::BASELINE
}

/// Says how the validator worked. One that does not judge must not let anything through that would have stopped the merge.
fn judged(mut part: Part, findings: &mut [Finding], dropped: &[Finding], skipped: &mut Vec<Skip>) -> Part {
    if part.health == Health::Off {
        return part;
    }
    let scores = findings.iter().chain(dropped).filter_map(|finding| finding.score);
    part.health = Health::of(part.scored, scores);
    if part.health != Health::Constant {
        return part;
    }
    for path in model::lower_unjudged(findings) {
        let why =
            format!("errors of the model stand without a judgement: the validator's state is {}", part.health.name());
        skipped.push(Skip { path, lines: Some(0), unread: true, why });
    }
    part
}

/// Counts what went where. A claim that is neither shown nor dropped would be a bug that no reader could see.
fn funnel(raised: u64, review: &Review) -> Funnel {
    let mut removed = BTreeMap::new();
    for finding in &review.dropped {
        let reason = finding.dropped.as_ref().map_or("unnamed", |dropped| dropped.reason.as_str());
        *removed.entry(reason.to_owned()).or_default() += 1;
    }
    let funnel = Funnel { raised, shown: review.findings.len() as u64, removed };
    assert!(funnel.balances(), "a claim was lost or invented: {funnel:?}");
    funnel
}
