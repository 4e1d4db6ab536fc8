//! Rank: what matters most comes first; caps hide the rest of a flood, never an error.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Caps;
use crate::finding::{EvidenceStatus, Finding, Level, NOVEL, Source, Stage, is_novel};

/// Most findings of tags that no pack knows, together.
const NOVEL_CAP: u32 = 3;

/// Sorts by level, detectors before models, evidence, votes, score, then place, and applies the caps of the tags and of the review.
pub(super) fn rank(mut findings: Vec<Finding>, caps: &Caps) -> (Vec<Finding>, Vec<Finding>) {
    findings.sort_by(|a, b| {
        let is_models = |finding: &Finding| matches!(finding.claim.source, Source::Model { .. });
        let key = |finding: &Finding| {
            (Reverse(finding.level), is_models(finding), proof(finding.evidence.status), Reverse(finding.votes))
        };
        let score = |finding: &Finding| finding.score.unwrap_or(10.0);
        key(a)
            .cmp(&key(b))
            .then_with(|| score(b).total_cmp(&score(a)))
            .then_with(|| a.claim.location.cmp(&b.claim.location))
            .then_with(|| a.claim.tag.cmp(&b.claim.tag))
            .then_with(|| a.fingerprint.cmp(&b.fingerprint))
    });
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    let mut shown: BTreeMap<std::sync::Arc<str>, u32> = BTreeMap::new();
    let mut counted = 0;
    for mut finding in findings {
        if finding.level < Level::Error {
            let (tag, limit) = match is_novel(&finding.claim.tag) {
                true => (std::sync::Arc::from(NOVEL), Some(NOVEL_CAP)),
                false => (finding.claim.tag.clone(), caps.tag(&finding)),
            };
            let of_tag = shown.entry(tag).or_default();
            if limit.is_some_and(|limit| *of_tag >= limit) {
                finding.drop_at(Stage::Rank, "cap:tag", format!("{} findings of this tag are shown", *of_tag));
            } else if caps.review.is_some_and(|cap| counted >= cap) {
                finding.drop_at(Stage::Rank, "cap:review", format!("{counted} findings below error are shown"));
            }
            if finding.dropped.is_some() {
                dropped.push(finding);
                continue;
            }
            *of_tag += 1;
            counted += 1;
        }
        kept.push(finding);
    }
    (kept, dropped)
}

const fn proof(status: EvidenceStatus) -> u8 {
    match status {
        EvidenceStatus::Proved => 0,
        EvidenceStatus::NotNeeded => 1,
        EvidenceStatus::Unknown => 2,
        EvidenceStatus::Refuted => 3,
    }
}
