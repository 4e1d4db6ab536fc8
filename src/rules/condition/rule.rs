use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem};
use crate::rules::embedded::is_embedded;
use crate::rules::pattern;
use crate::syntax::{Language, Rule};

pub(super) const CONDITION: Condition =
    Condition { key: "rule", help: "an ast-grep rule object matches a node that starts on the finding's lines", parse };

/// Compiled for each language at first use.
#[derive(Debug)]
struct Matches {
    node: Node,
    rules: BTreeMap<Language, OnceLock<Option<Rule>>>,
}

fn parse(node: &Node, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    if known.languages.is_empty() {
        let problem = Problem::at(&node.at, "this rule does not say for which language it is written");
        problems.push(problem.help("add `lang` beside it"));
        return None;
    }
    pattern::check(node, problems)?;
    if !is_embedded(&node.at) {
        for language in known.languages {
            pattern::compile(*language, node, None, problems);
        }
    }
    let rules = known.languages.iter().map(|language| (*language, OnceLock::new())).collect();
    Some(Box::new(Matches { node: node.clone(), rules }))
}

impl Matches {
    fn rule(&self, language: Language) -> Option<&Rule> {
        let compile = || pattern::compile(language, &self.node, None, &mut Vec::new());
        self.rules.get(&language)?.get_or_init(compile).as_ref()
    }
}

impl Test for Matches {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        let Some(rule) = subject.language.and_then(|language| self.rule(language)) else {
            return Truth::False;
        };
        match subject.parsed {
            None => Truth::Unknown,
            Some(parsed) if rule.holds_at(parsed, subject.lines) => Truth::True,
            Some(parsed) if parsed.has_error(subject.lines) => Truth::Unknown,
            Some(_) => Truth::False,
        }
    }
}
