//! Configuration: found, layered, validated. The user's own file lies beneath the repository's, the command line above
//! both. Everything works with none.

use crate::diff::Globs;
use crate::document::{Fields, Node, Problem, merge, toml};
use crate::gate::{FailOn, OnIncomplete, Policy};
use crate::review::suppress;
use crate::rules::{self, globs};

/// The files a repository may keep its configuration in; the first that exists counts.
pub const FILES: [&str; 3] = ["diffsieve.toml", ".diffsieve.toml", ".github/diffsieve.toml"];
/// Where a repository keeps rule packs of its own.
pub const RULES: &str = ".diffsieve/rules";

/// A configuration ready to use.
#[derive(Debug)]
pub struct Config {
    /// Packs by glob in layer order, as `packs` says.
    pub packs: Option<Node>,
    /// Changes to tags, as `[tags]` says.
    pub tags: Option<Node>,
    /// Paths that are not reviewed.
    pub exclude: Globs,
    /// Most findings shown, errors not counted.
    pub cap: Option<u32>,
    /// From which level findings fail, and what an incomplete review means.
    pub gate: Policy,
    /// Which ignores in the code count.
    pub suppress: suppress::Policy,
}

/// A configuration file as text.
#[derive(Debug, Clone)]
pub struct File {
    /// As a person would name it.
    pub name: String,
    /// TOML.
    pub text: String,
}

impl Config {
    /// Layers files, lowest first, and validates what comes out and each of them. Everything that is wrong in any of
    /// them goes to `problems`, each with its place; what is right is there nevertheless, so that whoever goes on with it
    /// finds the other problems too.
    pub fn of(files: &[File], problems: &mut Vec<Problem>) -> Self {
        let mut found = Vec::new();
        let mut layers: Option<Node> = None;
        for file in files {
            match toml(&file.name, &file.text) {
                Ok(node) => {
                    // Each file alone first: a misfit that a higher layer replaces is still a misfit.
                    Self::parse(Some(&node), &mut found);
                    layers = Some(match layers {
                        Some(under) => merge(under, node, &mut found),
                        None => node,
                    });
                }
                Err(problem) => found.push(problem),
            }
        }
        let config = Self::parse(layers.as_ref(), &mut found);
        found.sort();
        found.dedup();
        problems.extend(found);
        config
    }

    fn parse(node: Option<&Node>, problems: &mut Vec<Problem>) -> Self {
        let mut config = Self {
            packs: None,
            tags: None,
            exclude: Globs::default(),
            cap: None,
            gate: Policy { fail_on: FailOn::Level(crate::finding::Level::Error), on_incomplete: OnIncomplete::Fail },
            suppress: suppress::Policy { added_ignores: false, unreasoned: false },
        };
        let Some(mut fields) = node.and_then(|node| Fields::of(node, "the configuration", problems)) else {
            return config;
        };
        config.packs = fields.node("packs").cloned();
        config.tags = fields.node("tags").cloned();
        let (review, gate, model) = (fields.node("review"), fields.node("gate"), fields.node("model"));
        fields.finish();
        if let Some(node) = review {
            config.read_review(node, problems);
        }
        if let Some(node) = gate {
            config.read_gate(node, problems);
        }
        if let Some(mut model) = model.and_then(|node| Fields::of(node, "`[model]`", problems)) {
            model.word("provider", &["none"]);
            model.finish();
        }
        config
    }

    fn read_review(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let Some(mut review) = Fields::of(node, "`[review]`", problems) else { return };
        if let Some(exclude) = review.node("exclude") {
            self.exclude = globs(exclude, review.problems).unwrap_or_default();
        }
        self.cap = review.integer("cap", 1, 100_000).map(|cap| cap as u32);
        review.finish();
    }

    fn read_gate(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let Some(mut gate) = Fields::of(node, "`[gate]`", problems) else { return };
        if let Some(fail_on) = gate.word("fail_on", &FailOn::NAMES).and_then(|name| FailOn::parse(&name)) {
            self.gate.fail_on = fail_on;
        }
        let on_incomplete = gate.word("on_incomplete", &OnIncomplete::NAMES);
        if let Some(on_incomplete) = on_incomplete.and_then(|name| OnIncomplete::parse(&name)) {
            self.gate.on_incomplete = on_incomplete;
        }
        self.suppress.added_ignores = gate.bool("added_ignores").unwrap_or(false);
        self.suppress.unreasoned = gate.bool("unreasoned_ignores").unwrap_or(false);
        gate.finish();
    }
}

/// Whether a changed path is one of the files that decide reviews.
pub fn is_policy_file(path: &[u8]) -> bool {
    FILES.iter().any(|file| file.as_bytes() == path)
        || path.starts_with(b".diffsieve/")
        || path == b".gitattributes"
        || path.ends_with(b"/.gitattributes")
}

/// The JSON schema of the configuration, for editors.
pub fn schema() -> serde_json::Value {
    use serde_json::json;
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:diffsieve:config:v1",
        "title": "diffsieve.toml",
        "$defs": rules::schema()["$defs"],
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "packs": {"type": "array", "items": {"type": "string"}, "description": "packs by glob, in layer order"},
            "tags": {
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/tag"},
                "description": "changes to tags, with the keys of a pack's tags",
            },
            "review": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "exclude": {"type": "array", "items": {"type": "string"}, "description": "globs that are not reviewed"},
                    "cap": {"type": "integer", "minimum": 1, "description": "most findings shown, errors not counted"},
                },
            },
            "model": {
                "type": "object",
                "additionalProperties": false,
                "properties": {"provider": {"enum": ["none"]}},
            },
            "gate": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "fail_on": {"enum": FailOn::NAMES},
                    "on_incomplete": {"enum": OnIncomplete::NAMES},
                    "added_ignores": {"type": "boolean", "description": "an ignore that the change itself adds counts"},
                    "unreasoned_ignores": {"type": "boolean", "description": "an ignore without a reason counts"},
                },
            },
        },
    })
}
