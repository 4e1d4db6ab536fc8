//! ast-grep rule objects inside packs: their keys are checked here, because the engine lets some misspelt ones pass.

use crate::document::{Node, Problem, Value, nearest};
use crate::syntax::{Language, Rule};

const RULE: [&str; 14] = [
    "pattern",
    "kind",
    "regex",
    "nthChild",
    "range",
    "inside",
    "has",
    "precedes",
    "follows",
    "all",
    "any",
    "not",
    "matches",
    "constraints",
];
const RELATION: [&str; 15] = [
    "pattern", "kind", "regex", "nthChild", "range", "inside", "has", "precedes", "follows", "all", "any", "not",
    "matches", "stopBy", "field",
];
const PATTERN: [&str; 3] = ["context", "selector", "strictness"];
const NTH_CHILD: [&str; 3] = ["position", "reverse", "ofRule"];
const RANGE: [&str; 2] = ["start", "end"];

/// Checks every key of a rule object. `None` where something is wrong, which is then reported.
pub(super) fn check(node: &Node, problems: &mut Vec<Problem>) -> Option<()> {
    let before = problems.len();
    rule(node, &RULE, problems);
    (problems.len() == before).then_some(())
}

/// Compiles a rule object for one language. `constraints` may stand inside the object or beside it.
pub(super) fn compile(
    language: Language,
    node: &Node,
    constraints: Option<&Node>,
    problems: &mut Vec<Problem>,
) -> Option<Rule> {
    let mut object = node.to_json();
    let inner = object.as_object_mut().and_then(|object| object.remove("constraints"));
    let mut core = serde_json::Map::new();
    core.insert("rule".to_owned(), object);
    if let Some(constraints) = constraints.map(Node::to_json).or(inner) {
        core.insert("constraints".to_owned(), constraints);
    }
    match Rule::compile(language, &core.into()) {
        Ok(rule) => Some(rule),
        Err(error) => {
            problems.push(Problem::at(&node.at, format!("this rule does not fit {}: {error}", language.name())));
            None
        }
    }
}

fn rule(node: &Node, valid: &[&str], problems: &mut Vec<Problem>) {
    let Value::Map(entries) = &node.value else {
        problems.push(Problem::at(&node.at, format!("an ast-grep rule is a map, not {}", node.value.kind())));
        return;
    };
    for entry in entries {
        if !valid.contains(&entry.key.as_str()) {
            let problem = Problem::at(&entry.at, format!("an ast-grep rule has no key `{}`", entry.key));
            problems.push(problem.help(nearest(&entry.key, valid)));
            continue;
        }
        match entry.key.as_str() {
            "inside" | "has" | "precedes" | "follows" => rule(&entry.node, &RELATION, problems),
            "all" | "any" => entry.node.items().iter().for_each(|item| rule(item, &RULE[..13], problems)),
            "not" => rule(&entry.node, &RULE[..13], problems),
            "constraints" => {
                for constraint in entry.node.entries() {
                    rule(&constraint.node, &RULE[..13], problems);
                }
            }
            "stopBy" if matches!(entry.node.value, Value::Map(_)) => rule(&entry.node, &RULE[..13], problems),
            "pattern" => object(&entry.node, &PATTERN, problems),
            "nthChild" => object(&entry.node, &NTH_CHILD, problems),
            "range" => object(&entry.node, &RANGE, problems),
            _ => {}
        }
    }
}

fn object(node: &Node, valid: &[&str], problems: &mut Vec<Problem>) {
    for entry in node.entries() {
        if !valid.contains(&entry.key.as_str()) {
            let problem = Problem::at(&entry.at, format!("there is no key `{}` here", entry.key));
            problems.push(problem.help(nearest(&entry.key, valid)));
        }
    }
}
