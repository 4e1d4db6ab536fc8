//! Configuration: found, layered, validated. The user's own file lies beneath the repository's, the command line above
//! both. Everything works with none.

mod model;

use crate::context::Layers;
use crate::diff::Globs;
use crate::document::{Fields, Node, Problem, Value, merge, toml};
use crate::gate::{FailOn, OnIncomplete, Policy};
use crate::review::model::MayBlock;
use crate::review::suppress;
use crate::rules::{self, globs};

pub use model::{Model, Who};

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
    /// The language model.
    pub model: Model,
    /// What it is told beside the diff.
    pub layers: Layers,
    /// Whether it sees the whole function around a hunk.
    pub expand_function: bool,
    /// When its findings may be errors.
    pub may_block: MayBlock,
    /// Whether the detectors alone decide where the key of the model is missing.
    pub without_key: bool,
    /// Whether a strategy that finds more than it can show may stop a merge.
    pub reflexion: bool,
}

/// A configuration file as text.
#[derive(Debug, Clone)]
pub struct File {
    /// As a person would name it.
    pub name: String,
    /// TOML.
    pub text: String,
    /// Whether it is the user's own, which alone may name programs, endpoints and folders.
    pub of_user: bool,
}

impl Config {
    /// Layers files, lowest first, and validates what comes out and each of them. Everything that is wrong in any of
    /// them goes to `problems`, each with its place; what is right is there nevertheless, so that whoever goes on with it
    /// finds the other problems too.
    pub fn of(files: &[File], problems: &mut Vec<Problem>) -> Self {
        let mut found = Vec::new();
        let mut layers: Option<Node> = None;
        let mut ceiling = None;
        for file in files {
            match toml(&file.name, &file.text) {
                Ok(node) => {
                    // Each file alone first: a misfit that a higher layer replaces is still a misfit.
                    let alone = Self::parse(Some(&node), file.of_user, &mut found);
                    if file.of_user && node.get("budget").is_some() {
                        ceiling = Some((alone.model.budget, alone.model.time));
                    }
                    layers = Some(match layers {
                        Some(under) => merge(without_other_model(under, &node), node, &mut found),
                        None => node,
                    });
                }
                Err(problem) => found.push(problem),
            }
        }
        let mut config = Self::parse(layers.as_ref(), true, &mut found);
        // A repository may ask for less than its user pays, not for more.
        if let Some((budget, time)) = ceiling {
            config.model.budget.requests = config.model.budget.requests.min(budget.requests);
            config.model.budget.tokens = config.model.budget.tokens.min(budget.tokens);
            config.model.time = config.model.time.min(time);
        }
        found.sort();
        found.dedup();
        problems.extend(found);
        config
    }

    fn parse(node: Option<&Node>, of_user: bool, problems: &mut Vec<Problem>) -> Self {
        let mut config = Self {
            packs: None,
            tags: None,
            exclude: Globs::default(),
            cap: None,
            gate: Policy { fail_on: FailOn::Level(crate::finding::Level::Error), on_incomplete: OnIncomplete::Fail },
            suppress: suppress::Policy { added_ignores: false, unreasoned: false },
            model: Model::default(),
            layers: Layers::A,
            expand_function: false,
            may_block: MayBlock::default(),
            without_key: false,
            reflexion: false,
        };
        let Some(mut fields) = node.and_then(|node| Fields::of(node, "the configuration", problems)) else {
            return config;
        };
        config.packs = fields.node("packs").cloned();
        config.tags = fields.node("tags").cloned();
        let (review, gate) = (fields.node("review"), fields.node("gate"));
        let (model, budget) = (fields.node("model"), fields.node("budget"));
        fields.finish();
        if let Some(node) = review {
            config.read_review(node, problems);
        }
        if let Some(node) = gate {
            config.read_gate(node, problems);
        }
        if let Some(node) = model {
            config.model.read(node, of_user, problems);
        }
        if let Some(node) = budget {
            config.model.read_budget(node, problems);
        }
        config
    }

    fn read_review(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let Some(mut review) = Fields::of(node, "`[review]`", problems) else { return };
        if let Some(exclude) = review.node("exclude") {
            self.exclude = globs(exclude, review.problems).unwrap_or_default();
        }
        self.cap = review.integer("cap", 1, 100_000).map(|cap| cap as u32);
        self.layers = review.word_by("context", &Layers::NAMES, Layers::find).unwrap_or_default();
        self.expand_function = review.word("expand", &["hunk", "function"]).as_deref() == Some("function");
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
        let may_block = gate.word("model_may_block", &MayBlock::NAMES);
        self.may_block = may_block.and_then(|name| MayBlock::parse(&name)).unwrap_or_default();
        self.without_key = gate.word("on_missing_key", &["incomplete", "detectors"]).as_deref() == Some("detectors");
        self.reflexion = gate.bool("reflexion").unwrap_or(false);
        gate.finish();
    }
}

/// A lower layer without its `[model]` or `[model.validator]` where a higher one names another provider: endpoint, program
/// and name belong to the one they were written for.
fn without_other_model(mut under: Node, over: &Node) -> Node {
    let text = |node: Option<&Node>| node.and_then(|node| node.get("provider")?.text().map(str::to_owned));
    let (lower, upper) = (under.get("model"), over.get("model"));
    let of_model = (text(lower), text(upper));
    let of_validator = (
        // Without a provider of its own a validator has that of its model.
        text(lower.and_then(|model| model.get("validator"))).or_else(|| of_model.0.clone()),
        text(upper.and_then(|model| model.get("validator"))),
    );
    let differ =
        |(lower, upper): &(Option<String>, Option<String>)| upper.is_some() && lower.is_some() && lower != upper;
    let without = |node: &mut Node, key: &str| {
        if let Value::Map(entries) = &mut node.value {
            entries.retain(|entry| entry.key != key);
        }
    };
    if differ(&of_model) {
        without(&mut under, "model");
    } else if differ(&of_validator)
        && let Value::Map(entries) = &mut under.value
        && let Some(model) = entries.iter_mut().find(|entry| entry.key == "model")
    {
        without(&mut model.node, "validator");
    }
    under
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
                    "context": {"enum": Layers::NAMES, "description": "what a model is told beside the diff"},
                    "expand": {"enum": ["hunk", "function"], "description": "what a model sees around a change"},
                },
            },
            "model": model::schema(),
            "budget": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "requests": {"type": "integer", "minimum": 1, "description": "most requests of a review"},
                    "tokens": {"type": "integer", "minimum": 1000, "description": "most tokens of prompts and answers"},
                    "seconds": {"type": "integer", "minimum": 1, "description": "most time that the model takes"},
                },
            },
            "gate": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "fail_on": {"enum": FailOn::NAMES},
                    "on_incomplete": {"enum": OnIncomplete::NAMES},
                    "added_ignores": {"type": "boolean", "description": "an ignore that the change itself adds counts"},
                    "unreasoned_ignores": {"type": "boolean", "description": "an ignore without a reason counts"},
                    "model_may_block": {"enum": MayBlock::NAMES, "description": "when a model's finding may be an error"},
                    "on_missing_key": {"enum": ["incomplete", "detectors"], "description": "what a model without its key means"},
                    "reflexion": {"type": "boolean", "description": "the strategy `reflexion` may stop a merge"},
                },
            },
        },
    })
}
