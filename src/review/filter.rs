//! Filter: the drops of the rule packs, and tags that only watch.

use super::ground::Grounded;
use super::subject::with_subject;
use crate::detect::FileView;
use crate::finding::{Finding, Stage};
use crate::rules::{Rules, TagLevel, Truth};

/// Applies every named drop of a finding's tag. What cannot be decided does not drop.
pub(super) fn filter(findings: Vec<Grounded>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for mut grounded in findings {
        let Some((_, spec)) = rules.spec(&grounded.finding.claim.tag, view.language) else { continue };
        let hit = with_subject(&grounded, view, rules, |subject| {
            spec.drop.iter().find(|drop| drop.when.holds(subject) == Truth::True)
        });
        if let Some(drop) = hit {
            grounded.finding.drop_at(Stage::Filter, format!("drop:{}", drop.id), drop.why.clone());
        } else if spec.level == TagLevel::Shadow {
            grounded.finding.drop_at(Stage::Filter, "shadow", "the tag only watches: recorded, never shown");
        }
        if grounded.finding.dropped.is_some() {
            dropped.push(grounded.finding);
        } else {
            kept.push(grounded);
        }
    }
    (kept, dropped)
}
