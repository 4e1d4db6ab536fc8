//! Packs as written: the files, what they extend, what they require.

use super::embedded::Pack;
use super::tag::TagLevel;
use crate::document::{At, Fields, Node, Problem, from_compact, merge, nearest, yaml};

/// A pack as written, with what it extends laid beneath it.
#[derive(Debug, Clone)]
pub struct RawPack {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub about: Option<String>,
    /// The file it was read from.
    pub source: String,
    /// Values for the tags it introduces.
    pub defaults: Option<Node>,
    /// Named path sets.
    pub classes: Option<Node>,
    /// Its tags.
    pub tags: Option<Node>,
    extends: Vec<(String, At)>,
}

/// Parts of a pack that `extends: [name#part]` can import.
const PARTS: [&str; 3] = ["defaults", "classes", "tags"];

impl RawPack {
    /// Reads one file. `None` where it is no pack at all, which is then reported.
    pub fn parse(source: &str, text: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        match yaml(source, text) {
            Ok(node) => Self::of(source, node, problems),
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    /// An embedded pack from the tree it was parsed to when the program was built.
    pub(super) fn compiled(pack: &Pack, problems: &mut Vec<Problem>) -> Option<Self> {
        let tree = serde_json::from_str(pack.tree).ok().and_then(|tree| from_compact(&pack.name.into(), tree));
        Self::of(pack.name, tree.expect("the build script wrote it"), problems)
    }

    fn of(source: &str, mut node: Node, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut fields = Fields::of(&node, "a rule pack", problems)?;
        let name = fields.required("pack").and_then(|node| match node.text() {
            Some(name) if !name.trim().is_empty() => Some(name.to_owned()),
            _ => {
                fields.problems.push(Problem::at(&node.at, "the name of a pack is a text"));
                None
            }
        });
        let version = fields.text("version").unwrap_or_else(|| "0".to_owned());
        let about = fields.text("about");
        if let Some(requires) = fields.text("requires")
            && !satisfied(&requires, env!("CARGO_PKG_VERSION"))
        {
            let at = fields.at().clone();
            let problem = format!("this pack requires diffsieve {requires}, this is {}", env!("CARGO_PKG_VERSION"));
            fields.problems.push(Problem::at(&at, problem));
        }
        let extends = match fields.node("extends") {
            Some(node) => extended(node, fields.problems),
            None => Vec::new(),
        };
        for key in PARTS {
            fields.node(key);
        }
        fields.finish();
        let pack = Self {
            name: name.unwrap_or_default(),
            version,
            about,
            source: source.to_owned(),
            defaults: node.take("defaults"),
            classes: node.take("classes"),
            tags: node.take("tags"),
            extends,
        };
        check_levels(&pack, problems);
        (!pack.name.is_empty()).then_some(pack)
    }

    fn part(&self, name: &str) -> Option<&Node> {
        match name {
            "defaults" => self.defaults.as_ref(),
            "classes" => self.classes.as_ref(),
            "tags" => self.tags.as_ref(),
            _ => None,
        }
    }

    fn lay_over(&mut self, under: &Self, part: Option<&str>, problems: &mut Vec<Problem>) {
        for name in PARTS.into_iter().filter(|name| part.is_none_or(|part| part == *name)) {
            let Some(below) = under.part(name) else { continue };
            let slot = match name {
                "defaults" => &mut self.defaults,
                "classes" => &mut self.classes,
                _ => &mut self.tags,
            };
            *slot = Some(match slot.take() {
                Some(over) => merge(below.clone(), over, problems),
                None => below.clone(),
            });
        }
    }
}

/// The packs, or parts of packs, that a pack names under `extends`.
fn extended(node: &Node, problems: &mut Vec<Problem>) -> Vec<(String, At)> {
    let mut named = Vec::new();
    for item in node.items() {
        match item.text() {
            Some(name) => named.push((name.to_owned(), item.at.clone())),
            None => {
                let problem = format!("what a pack extends is the name of a pack, not {}", item.value.kind());
                problems.push(Problem::at(&item.at, problem));
            }
        }
    }
    named
}

/// Lays every pack over what it extends. A cycle or an unknown name is a problem.
pub(super) fn extend(packs: Vec<RawPack>, problems: &mut Vec<Problem>) -> Vec<RawPack> {
    let mut done: Vec<Option<RawPack>> = vec![None; packs.len()];
    for index in 0..packs.len() {
        resolve(index, &packs, &mut done, &mut Vec::new(), problems);
    }
    done.into_iter().flatten().collect()
}

fn resolve(
    index: usize,
    packs: &[RawPack],
    done: &mut Vec<Option<RawPack>>,
    path: &mut Vec<usize>,
    problems: &mut Vec<Problem>,
) {
    if done[index].is_some() {
        return;
    }
    let mut pack = packs[index].clone();
    path.push(index);
    let extends = std::mem::take(&mut pack.extends);
    // The rightmost wins among those extended, so it is laid beneath the pack first.
    for (target, at) in extends.iter().rev() {
        let (name, part) = target.split_once('#').map_or((target.as_str(), None), |(name, part)| (name, Some(part)));
        if let Some(part) = part.filter(|part| !PARTS.contains(part)) {
            problems.push(Problem::at(at, format!("a pack has no part `{part}`")).help(nearest(part, &PARTS)));
            continue;
        }
        let Some(other) = packs.iter().position(|other| other.name == name) else {
            let names: Vec<_> = packs.iter().map(|pack| pack.name.as_str()).collect();
            problems.push(Problem::at(at, format!("there is no pack `{name}`")).help(nearest(name, &names)));
            continue;
        };
        if path.contains(&other) {
            let cycle: Vec<_> = path.iter().chain([&other]).map(|index| packs[*index].name.as_str()).collect();
            problems.push(Problem::at(at, format!("`extends` goes in a circle: {}", cycle.join(" → "))));
            continue;
        }
        resolve(other, packs, done, path, problems);
        if let Some(under) = done[other].clone() {
            pack.lay_over(&under, part, problems);
        }
    }
    path.pop();
    done[index] = Some(pack);
}

/// A boolean where a level is meant is what YAML 1.1 made of `off` and `no`; say so before anything else does.
fn check_levels(pack: &RawPack, problems: &mut Vec<Problem>) {
    use crate::document::Value;
    for entry in pack.tags.iter().flat_map(Node::entries) {
        if let Some(level) = entry.node.get("level")
            && matches!(level.value, Value::Bool(_) | Value::Null)
        {
            let problem = Problem::at(&level.at, format!("the level of `{}` is {}", entry.key, level.value.kind()));
            problems.push(problem.help(nearest("", &TagLevel::NAMES)));
        }
    }
}

/// Whether a version meets `>=X.Y[.Z]`.
fn satisfied(requires: &str, version: &str) -> bool {
    let wanted = requires.trim().trim_start_matches(">=").trim();
    let numbers = |text: &str| -> Option<Vec<u64>> {
        let mut numbers = text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>()?;
        numbers.resize(3, 0);
        Some(numbers)
    };
    match (numbers(wanted), numbers(version)) {
        (Some(wanted), Some(version)) => version >= wanted,
        _ => false,
    }
}
