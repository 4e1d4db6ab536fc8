//! Named path sets, usable as `class:` in any condition.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::diff::PathClass;
use crate::document::{Node, Problem, Value};
use crate::finding::RepoPath;

/// The path sets of all packs.
#[derive(Debug, Default)]
pub struct Classes(BTreeMap<String, GlobSet>);

/// Classes that the attributes of the base tip and well-known names give a file, whatever the packs say.
const FROM_ATTRIBUTES: [&str; 3] = ["generated", "vendored", "lock"];

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
        names.extend(FROM_ATTRIBUTES.iter().filter(|name| !self.0.contains_key(**name)).map(|name| (*name).to_owned()));
        names
    }

    /// Whether a path belongs to a class.
    pub fn contains(&self, name: &str, path: &RepoPath, attributes: PathClass) -> bool {
        let given = match name {
            "generated" => attributes.generated,
            "vendored" => attributes.vendored,
            "lock" => attributes.lock,
            _ => false,
        };
        given || self.0.get(name).is_some_and(|set| set.is_match(as_path(path).as_ref()))
    }
}

/// A repository path as the glob engine wants it; bytes that are not UTF-8 become U+FFFD.
pub fn as_path(path: &RepoPath) -> Cow<'_, Path> {
    match String::from_utf8_lossy(path.bytes()) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}

/// One glob or a list of them. `*` does not cross `/`; a glob without `/` matches the file name in any folder.
pub fn globs(node: &Node, problems: &mut Vec<Problem>) -> Option<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for item in node.items() {
        let Value::Text(text) = &item.value else {
            problems.push(Problem::at(&item.at, format!("a glob is a text, not {}", item.value.kind())));
            continue;
        };
        let pattern = if text.contains('/') { text.trim_start_matches('/').to_owned() } else { format!("**/{text}") };
        match GlobBuilder::new(&pattern).literal_separator(true).build() {
            Ok(glob) => {
                builder.add(glob);
            }
            Err(error) => problems.push(Problem::at(&item.at, format!("this is no glob: {}", error.kind()))),
        }
    }
    match builder.build() {
        Ok(set) => Some(set),
        Err(error) => {
            problems.push(Problem::at(&node.at, format!("these globs are too large together: {}", error.kind())));
            None
        }
    }
}
