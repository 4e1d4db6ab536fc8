//! Named path sets, usable as `class:` in any condition.

use std::collections::BTreeMap;

use super::embedded::is_embedded;
use crate::diff::{Globs, PathClass, check_glob, is_workflow};
use crate::document::{Node, Problem, Value};
use crate::finding::RepoPath;

/// The path sets of all packs.
#[derive(Debug, Default)]
pub struct Classes(BTreeMap<String, Globs>);

/// Classes that the attributes of the base tip and well-known names give a file, whatever the packs say.
const GIVEN: [&str; 4] = ["generated", "vendored", "lock", "workflow"];

impl Classes {
    /// Reads `classes:`, a map of name to globs.
    pub fn parse(node: Option<&Node>, problems: &mut Vec<Problem>) -> Self {
        let mut classes = BTreeMap::new();
        match node.map(|node| &node.value) {
            Some(Value::Map(entries)) => {
                for entry in entries {
                    classes.extend(globs(&entry.node, problems).map(|set| (entry.key.clone(), set)));
                }
            }
            Some(other) => {
                let at = &node.expect("matched above").at;
                problems.push(Problem::at(at, format!("`classes` is a map, not {}", other.kind())));
            }
            None => {}
        }
        Self(classes)
    }

    /// All names.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.0.keys().cloned().collect();
        names.extend(GIVEN.iter().filter(|name| !self.0.contains_key(**name)).map(|name| (*name).to_owned()));
        names
    }

    /// Whether a path belongs to a class.
    pub fn contains(&self, name: &str, path: &RepoPath, attributes: PathClass) -> bool {
        let given = match name {
            "generated" => attributes.generated,
            "vendored" => attributes.vendored,
            "lock" => attributes.lock,
            "workflow" => is_workflow(path),
            _ => false,
        };
        given || self.0.get(name).is_some_and(|set| set.is_match(path))
    }
}

/// One glob or a list of them.
pub fn globs(node: &Node, problems: &mut Vec<Problem>) -> Option<Globs> {
    let mut patterns = Vec::new();
    for item in node.items() {
        match &item.value {
            Value::Text(text) => match check_glob(text) {
                Ok(()) => patterns.push(text.as_str()),
                Err(error) => problems.push(Problem::at(&item.at, error.to_string())),
            },
            other => problems.push(Problem::at(&item.at, format!("a glob is a text, not {}", other.kind()))),
        }
    }
    let globs = Globs::new(patterns);
    let globs = globs.and_then(|globs| if is_embedded(&node.at) { Ok(globs) } else { globs.check().map(|()| globs) });
    globs.map_err(|error| problems.push(Problem::at(&node.at, error.to_string()))).ok()
}
