//! Merge: two findings of one tag that overlap are one finding, the other is named in it. Different tags never merge.

use crate::finding::{Finding, Line, RepoPath, Source, Stage};

/// Merges; the finding of the higher level survives, the earlier one among equals. Sorted by place, so that each one has
/// to be compared with its neighbour only.
pub(super) fn merge(mut findings: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
    findings.sort_by(|a, b| place(a).cmp(&place(b)));
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut dropped = Vec::new();
    for mut finding in findings {
        match kept.last_mut().filter(|other| overlap(other, &finding)) {
            None => kept.push(finding),
            Some(other) => {
                if finding.level > other.level || (is_models(other) && !is_models(&finding)) {
                    std::mem::swap(other, &mut finding);
                }
                other.related.push(finding.claim.location.clone());
                let into = other.fingerprint.clone();
                other.step(Stage::Merge, "overlap", "kept", format!("stands for {} too", finding.fingerprint));
                finding.drop_at(Stage::Merge, "duplicate", format!("the same tag on the same lines as {into}"));
                dropped.push(finding);
            }
        }
    }
    (kept, dropped)
}

fn place(finding: &Finding) -> (&RepoPath, &str, Line) {
    (&finding.claim.location.path, &finding.claim.tag, finding.claim.location.line)
}

fn overlap(one: &Finding, other: &Finding) -> bool {
    let (a, b) = (&one.claim.location, &other.claim.location);
    let louder = |one: &Finding, other: &Finding| is_models(one) && !is_models(other) && one.level > other.level;
    a.path == b.path
        && one.claim.tag == other.claim.tag
        && a.shares_lines(b)
        && !louder(one, other)
        && !louder(other, one)
}

/// A model takes nothing away that a detector found: the detector's finding stands for both, unless the model's is louder.
fn is_models(finding: &Finding) -> bool {
    matches!(finding.claim.source, Source::Model { .. })
}
