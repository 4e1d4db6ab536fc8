//! What the loader of packs cannot know: whether built-ins exist, and whether a message names captures its detector has.

use std::collections::BTreeSet;

use super::DETECTORS;
use super::engine::find;
use crate::document::{Problem, nearest};
use crate::rules::{Detector, How, Rules, Spec, TagLevel};

/// Detectors that name a built-in that does not exist.
pub fn check(rules: &Rules) -> Vec<Problem> {
    let mut problems = Vec::new();
    for detector in rules.detectors() {
        if let How::Builtin(name) = &detector.how
            && find(name).is_none()
        {
            let names: Vec<_> = DETECTORS.iter().map(|builtin| builtin.name).collect();
            problems
                .push(Problem::at(&detector.at, format!("there is no built-in `{name}`")).help(nearest(name, &names)));
        }
    }
    tidy(problems)
}

/// Everything that is wrong or doubtful in the loaded packs.
pub fn lint(rules: &Rules) -> Vec<Problem> {
    let mut problems = check(rules);
    for detector in rules.detectors() {
        detector.check(&mut problems);
        captures(detector, &mut problems);
    }
    for tag in rules.tags.values() {
        let looks = |spec: &Spec| spec.level != TagLevel::Skip && !spec.detect.is_empty();
        let detects = looks(&tag.spec) || tag.by_language.values().any(looks);
        if detects && tag.examples.is_empty() {
            let problem = Problem::at(&tag.merged.at, format!("the tag `{}` has detectors but no examples", tag.name));
            problems.push(problem.help("examples are its tests"));
        }
    }
    tidy(problems)
}

fn captures(detector: &Detector, problems: &mut Vec<Problem>) {
    let known: BTreeSet<String> = match &detector.how {
        How::Regex { pattern, .. } => {
            let Some(regex) = pattern.get() else { return };
            let named = regex.capture_names().flatten().map(str::to_owned);
            named.chain((0..regex.captures_len()).map(|index| index.to_string())).collect()
        }
        How::Builtin(name) => {
            let Some(builtin) = find(name) else { return };
            builtin.captures.iter().map(|name| (*name).to_owned()).chain(["0".to_owned()]).collect()
        }
        // Which metavariables a rule binds depends on the branch that matched.
        How::Rule(node) => {
            let text = node.to_json().to_string();
            metavariables(&text).chain(["0".to_owned()]).collect()
        }
    };
    for template in std::iter::once(&detector.message).chain(&detector.fix) {
        for name in template.captures().filter(|name| !known.contains(*name)) {
            let names: Vec<_> = known.iter().map(String::as_str).collect();
            let problem = Problem::at(&detector.at, format!("`{{{name}}}` is no capture of this detector"));
            problems.push(problem.help(nearest(name, &names)));
        }
    }
}

fn metavariables(text: &str) -> impl Iterator<Item = String> {
    text.split('$')
        .skip(1)
        .map(|part| {
            part.chars()
                .take_while(|character| character.is_ascii_alphanumeric() || *character == '_')
                .collect::<String>()
        })
        .filter(|name| !name.is_empty())
}

fn tidy(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort();
    problems.dedup();
    problems
}
