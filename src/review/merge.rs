//! Merge: two findings of one tag that overlap are one finding, the other is named in it. Different tags never merge.

use crate::finding::{Finding, Stage};

/// Merges; the finding of the higher level survives, the earlier one among equals.
pub(super) fn merge(findings: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    let mut dropped = Vec::new();
    for mut finding in findings {
        let twin =
            kept.iter_mut().rev().take_while(|other| same_file(other, &finding)).find(|other| overlap(other, &finding));
        match twin {
            None => kept.push(finding),
            Some(other) => {
                if finding.level > other.level {
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

fn same_file(one: &Finding, other: &Finding) -> bool {
    one.claim.location.path == other.claim.location.path
}

fn overlap(one: &Finding, other: &Finding) -> bool {
    let (a, b) = (&one.claim.location, &other.claim.location);
    one.claim.tag == other.claim.tag && a.line <= b.end_line && b.line <= a.end_line
}
