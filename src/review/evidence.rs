//! Evidence: the tag's needs against the parser's facts. False drops, unknown caps the level at `note`.

use super::ground::Grounded;
use super::subject::with_subject;
use crate::detect::FileView;
use crate::finding::{Evidence, EvidenceStatus, Finding, Level, Stage, is_novel};
use crate::rules::{Rules, Spec, TagLevel, Truth};

/// Sets every finding's level and checks its tag's needs.
pub(super) fn weigh(findings: Vec<Grounded>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for mut grounded in findings {
        let tag = grounded.finding.claim.tag.clone();
        if is_novel(&tag) {
            grounded.finding.step(Stage::Evidence, "novel", "lowered", "no pack knows this tag: a note at most");
            kept.push(grounded);
            continue;
        }
        let Some((_, spec)) = rules.spec(&tag, view.language) else {
            grounded.finding.drop_at(Stage::Evidence, "unknown_tag", "no loaded pack has this tag");
            dropped.push(grounded.finding);
            continue;
        };
        if spec.level == TagLevel::Skip {
            grounded.finding.drop_at(Stage::Evidence, "skip", "the packs do not ask for this tag here");
            dropped.push(grounded.finding);
            continue;
        }
        grounded.finding.level = level(&grounded, spec);
        let (truth, failed, facts) = needs(&grounded, view, rules, spec);
        let status = match truth {
            None => EvidenceStatus::NotNeeded,
            Some(Truth::True) => EvidenceStatus::Proved,
            Some(Truth::False) => EvidenceStatus::Refuted,
            Some(Truth::Unknown) => EvidenceStatus::Unknown,
        };
        let list = facts.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
        grounded.finding.evidence = Evidence { status, facts };
        match status {
            EvidenceStatus::NotNeeded => kept.push(grounded),
            EvidenceStatus::Proved => {
                grounded.finding.step(Stage::Evidence, "needs", "proved", list);
                kept.push(grounded);
            }
            EvidenceStatus::Unknown => {
                grounded.finding.level = grounded.finding.level.min(Level::Note);
                grounded.finding.step(Stage::Evidence, "needs", "lowered", format!("not decidable: {list}"));
                kept.push(grounded);
            }
            EvidenceStatus::Refuted => {
                grounded.finding.drop_at(Stage::Evidence, format!("refuted:{failed}"), list);
                dropped.push(grounded.finding);
            }
        }
    }
    (kept, dropped)
}

/// The detector's own level, else the tag's.
fn level(grounded: &Grounded, spec: &Spec) -> Level {
    match (grounded.finding.claim.level, spec.level) {
        (Some(level), _) | (None, TagLevel::Show(level)) => level,
        (None, TagLevel::Shadow | TagLevel::Skip) => Level::Note,
    }
}

type Needs = (Option<Truth>, String, Vec<(String, String)>);

fn needs(grounded: &Grounded, view: &FileView<'_>, rules: &Rules, spec: &Spec) -> Needs {
    if spec.needs.is_empty() {
        return (None, String::new(), Vec::new());
    }
    with_subject(grounded, view, rules, |subject| {
        let mut all = Truth::True;
        let mut failed = String::from("need");
        for need in &spec.needs {
            match need.holds(subject) {
                Truth::False => {
                    // The fact asked last is the one that decided.
                    if let Some((name, _)) = subject.facts.borrow().last() {
                        failed.clone_from(name);
                    }
                    all = Truth::False;
                    break;
                }
                Truth::Unknown => all = Truth::Unknown,
                Truth::True => {}
            }
        }
        (Some(all), failed, subject.facts.take())
    })
}
