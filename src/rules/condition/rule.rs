use std::collections::BTreeMap;

use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem};
use crate::rules::pattern;
use crate::syntax::{Language, Rule};

pub(super) const CONDITION: Condition =
    Condition { key: "rule", help: "an ast-grep rule object matches a node that starts on the finding's lines", parse };

#[derive(Debug)]
struct Matches(BTreeMap<Language, Rule>);

fn parse(node: &Node, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    if known.languages.is_empty() {
        let problem = Problem::at(&node.at, "this rule does not say for which language it is written");
        problems.push(problem.help("add `lang` beside it"));
        return None;
    }
    pattern::check(node, problems)?;
    let rules = known
        .languages
        .iter()
        .filter_map(|language| pattern::compile(*language, node, None, problems).map(|rule| (*language, rule)));
    Some(Box::new(Matches(rules.collect())))
}

impl Test for Matches {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        let Some(rule) = subject.language.and_then(|language| self.0.get(&language)) else {
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
