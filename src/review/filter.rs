//! Filter: the drops of the rule packs, and tags that only watch.

use super::ground::Grounded;
use super::subject::with_subject;
use crate::detect::FileView;
use crate::finding::{Finding, Stage};
use crate::rules::{Rules, TagLevel, Truth};

/// Applies the drops of the packs, then takes out what only watches.
pub(super) fn filter(findings: Vec<Grounded>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    let (kept, mut dropped) = drops(findings, view, rules);
    let (kept, watched) = watchers(kept, view, rules);
    dropped.extend(watched);
    (kept, dropped)
}

/// Applies every named drop of a finding's tag. What cannot be decided does not drop.
pub(super) fn drops(findings: Vec<Grounded>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    part(findings, |grounded| {
        let (_, spec) = rules.spec(&grounded.finding.claim.tag, view.language)?;
        let hit = with_subject(grounded, view, rules, |subject| {
            spec.drop.iter().find(|drop| drop.when.holds(subject) == Truth::True)
        })?;
        Some((format!("drop:{}", hit.id), hit.why.clone()))
    })
}

/// Takes out the findings of tags that only watch.
pub(super) fn watchers(findings: Vec<Grounded>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    part(findings, |grounded| {
        let (_, spec) = rules.spec(&grounded.finding.claim.tag, view.language)?;
        let why = "the tag only watches: recorded, never shown";
        (spec.level == TagLevel::Shadow).then(|| ("shadow".to_owned(), why.to_owned()))
    })
}

/// Drops what has a reason to be.
pub(super) fn part(
    findings: Vec<Grounded>,
    reason: impl Fn(&Grounded) -> Option<(String, String)>,
) -> (Vec<Grounded>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for mut grounded in findings {
        match reason(&grounded) {
            Some((reason, why)) => {
                grounded.finding.drop_at(Stage::Filter, reason, why);
                dropped.push(grounded.finding);
            }
            None => kept.push(grounded),
        }
    }
    (kept, dropped)
}
