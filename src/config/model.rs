//! `[model]` and `[budget]`: who reviews beside the detectors, how, and for how much.

use std::path::PathBuf;
use std::time::Duration;

use crate::document::{Fields, Node, Problem};
use crate::provider::{self, KINDS};
use crate::review::model::{Budget, Strategy, Tone};

/// Somebody who answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Who {
    /// A kind of provider; `None` is nobody.
    pub provider: Option<&'static str>,
    /// The model, as the provider calls it.
    pub name: String,
    /// Another endpoint than the provider's own.
    pub base_url: Option<String>,
    /// Certificates in place of the system's.
    pub ca_file: Option<PathBuf>,
    /// The program of `command`, or another place of a preset's.
    pub program: Option<PathBuf>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Names of further variables that it sees.
    pub variables: Vec<String>,
    /// Where `replay` reads and `queue` writes.
    pub folder: Option<PathBuf>,
    /// Sent only where it is set.
    pub temperature: Option<f32>,
    /// What `ollama` makes room for.
    pub context_tokens: Option<u32>,
    /// US dollars for a million tokens read and written.
    pub prices: Option<(f64, f64)>,
}

/// The model of a review.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Who reviews.
    pub who: Who,
    /// Who gives the second opinion; `None` is the same.
    pub validator: Option<Who>,
    /// How often each chunk is reviewed.
    pub passes: u32,
    /// How.
    pub strategy: Strategy,
    /// How findings are worded.
    pub tone: Tone,
    /// Most tokens of a chunk.
    pub chunk_tokens: u32,
    /// Most tokens of an answer.
    pub answer_tokens: u32,
    /// Requests under way at once.
    pub concurrency: u32,
    /// Requests and tokens that a review may take.
    pub budget: Budget,
    /// Time that it may take.
    pub time: Duration,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            who: Who::default(),
            validator: None,
            passes: 1,
            strategy: Strategy::Single,
            tone: Tone::Question,
            chunk_tokens: 8_000,
            answer_tokens: 16_000,
            concurrency: 4,
            budget: Budget { requests: 40, tokens: 200_000 },
            time: Duration::from_secs(120),
        }
    }
}

impl Model {
    /// Reads `[model]`. `of_user`: the file is the user's own, the only one that may name programs, endpoints and folders.
    pub(super) fn read(&mut self, node: &Node, of_user: bool, problems: &mut Vec<Problem>) {
        let Some(mut fields) = Fields::of(node, "`[model]`", problems) else { return };
        self.who = who(&mut fields, of_user);
        self.passes = fields.integer("passes", 1, 9).map_or(self.passes, |passes| passes as u32);
        if let Some(strategy) = fields.word("strategy", &Strategy::NAMES).and_then(|name| Strategy::parse(&name)) {
            self.strategy = strategy;
        }
        if let Some(tone) = fields.word("tone", &Tone::NAMES).and_then(|name| Tone::parse(&name)) {
            self.tone = tone;
        }
        let least = u64::from(crate::context::Budget::LEAST);
        let tokens = |number: Option<u64>, default: u32| number.map_or(default, |number| number as u32);
        self.chunk_tokens = tokens(fields.integer("chunk_tokens", least, 1_000_000), self.chunk_tokens);
        self.answer_tokens = tokens(fields.integer("answer_tokens", 100, 1_000_000), self.answer_tokens);
        self.concurrency = tokens(fields.integer("concurrency", 1, 64), self.concurrency);
        let validator = fields.node("validator");
        fields.finish();
        if let Some(mut fields) = validator.and_then(|node| Fields::of(node, "`[model.validator]`", problems)) {
            let own = fields.node("provider").is_some();
            let mut validator = who(&mut fields, of_user);
            fields.finish();
            // Only the name differs: another model of the same service.
            if !own {
                let name = std::mem::take(&mut validator.name);
                validator = self.who.clone();
                if !name.is_empty() {
                    validator.name = name;
                }
            }
            self.validator = Some(validator);
        }
    }

    /// Reads `[budget]`.
    pub(super) fn read_budget(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        let Some(mut fields) = Fields::of(node, "`[budget]`", problems) else { return };
        self.budget.requests = fields.integer("requests", 1, 100_000).unwrap_or(self.budget.requests);
        self.budget.tokens = fields.integer("tokens", 1_000, 1_000_000_000).unwrap_or(self.budget.tokens);
        if let Some(seconds) = fields.integer("seconds", 1, 86_400) {
            self.time = Duration::from_secs(seconds);
        }
        fields.finish();
    }
}

fn who(fields: &mut Fields<'_, '_>, of_user: bool) -> Who {
    let names: Vec<&str> = std::iter::once("none").chain(KINDS.iter().map(|kind| kind.name)).collect();
    let at = fields.node("provider").map(|node| node.at.clone());
    let kind = fields.word("provider", &names).and_then(|name| provider::find(&name).ok());
    if let (Some(kind), Some(at), false) = (kind, at, of_user)
        && !kind.is_service
    {
        let what = format!("a repository cannot choose `{}`: it runs a program or uses a folder", kind.name);
        fields
            .problems
            .push(Problem::at(&at, what).help("name it with --model, DIFFSIEVE_MODEL or in your own configuration"));
    }
    let mut own = |key: &'static str| {
        let node = fields.node(key)?;
        if !of_user {
            let what = format!("a repository cannot set `{key}`");
            fields.problems.push(Problem::at(&node.at, what).help("it belongs into your own configuration"));
            return None;
        }
        Some(())
    };
    let is_own = ["base_url", "ca_file", "program", "arguments", "variables", "folder"].map(|key| own(key).is_some());
    let mut text = |index: usize, key: &'static str| is_own[index].then(|| fields.text(key)).flatten();
    let (base_url, ca_file, program, folder) =
        (text(0, "base_url"), text(1, "ca_file"), text(2, "program"), text(5, "folder"));
    let mut texts =
        |index: usize, key: &'static str| is_own[index].then(|| fields.texts(key)).flatten().unwrap_or_default();
    let (arguments, variables) = (texts(3, "arguments"), texts(4, "variables"));
    Who {
        provider: kind.map(|kind| kind.name),
        name: fields.text("name").unwrap_or_default(),
        base_url,
        ca_file: ca_file.map(PathBuf::from),
        program: program.map(PathBuf::from),
        arguments,
        variables,
        folder: folder.map(PathBuf::from),
        temperature: fields.number("temperature", 0.0, 2.0).map(|number| number as f32),
        context_tokens: fields.integer("context_tokens", 1_024, 100_000_000).map(|number| number as u32),
        prices: prices(fields),
    }
}

/// `prices = {input = 3.0, output = 15.0}`.
fn prices(fields: &mut Fields<'_, '_>) -> Option<(f64, f64)> {
    let node = fields.node("prices")?;
    let mut prices = Fields::of(node, "`prices`", fields.problems)?;
    let (input, output) = (prices.number("input", 0.0, 1e6), prices.number("output", 0.0, 1e6));
    prices.finish();
    Some((input?, output?))
}

/// The JSON schema of `[model]`.
pub(super) fn schema() -> serde_json::Value {
    use serde_json::json;
    let names: Vec<&str> = std::iter::once("none").chain(KINDS.iter().map(|kind| kind.name)).collect();
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let who = json!({
        "provider": {"enum": names, "description": "who answers; a repository's file can name services only"},
        "name": {"type": "string", "description": "the model, as the provider calls it"},
        "base_url": {"type": "string", "description": "another endpoint; in the user's own file only"},
        "ca_file": {"type": "string", "description": "certificates (PEM); in the user's own file only"},
        "program": {"type": "string", "description": "the program of `command`; in the user's own file only"},
        "arguments": texts(),
        "variables": texts(),
        "folder": {"type": "string", "description": "of `replay` and `queue`; in the user's own file only"},
        "temperature": {"type": "number", "minimum": 0, "maximum": 2, "description": "sent only where it is set"},
        "context_tokens": {"type": "integer", "description": "what `ollama` makes room for"},
        "prices": {
            "type": "object",
            "additionalProperties": false,
            "required": ["input", "output"],
            "properties": {"input": {"type": "number"}, "output": {"type": "number"}},
            "description": "US dollars for a million tokens",
        },
    });
    let mut model = who.clone();
    let more = json!({
        "passes": {"type": "integer", "minimum": 1, "maximum": 9, "description": "reviews of each chunk; a claim needs the votes of more than half"},
        "strategy": {"enum": Strategy::NAMES},
        "tone": {"enum": Tone::NAMES, "description": "how findings are worded: as suggestions and questions, or as statements"},
        "chunk_tokens": {"type": "integer", "minimum": 800},
        "answer_tokens": {"type": "integer", "minimum": 100},
        "concurrency": {"type": "integer", "minimum": 1, "maximum": 64},
        "validator": {"type": "object", "additionalProperties": false, "properties": who},
    });
    if let (Some(model), serde_json::Value::Object(more)) = (model.as_object_mut(), more) {
        model.extend(more);
    }
    json!({"type": "object", "additionalProperties": false, "properties": model})
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, File};
    use crate::review::model::Tone;

    fn read(of_user: bool, text: &str) -> (Config, Vec<String>) {
        let mut problems = Vec::new();
        let file = File { name: "diffsieve.toml".to_owned(), text: text.to_owned(), of_user };
        let config = Config::of(&[file], &mut problems);
        (config, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_model_with_its_validator() {
        let (config, problems) = read(
            false,
            "[model]\nprovider = 'openai'\nname = 'a'\npasses = 3\ntone = 'plain'\nprices = {input = 1.5, output = 6}\n\
             [model.validator]\nname = 'b'\n[budget]\nrequests = 7\nseconds = 9\n",
        );
        assert_eq!(problems, Vec::<String>::new());
        let model = config.model;
        assert_eq!((model.who.provider, model.passes, model.budget.requests), (Some("openai"), 3, 7));
        assert_eq!((model.tone, super::Model::default().tone), (Tone::Plain, Tone::Question));
        let validator = model.validator.expect("one");
        assert_eq!((validator.provider, validator.name.as_str()), (Some("openai"), "b"));
        assert_eq!((model.who.prices, model.time.as_secs()), (Some((1.5, 6.0)), 9));
    }

    #[test]
    fn a_repository_names_services_and_nothing_else() {
        for text in [
            "[model]\nprovider = 'command'\n",
            "[model]\nprovider = 'claude'\n",
            "[model]\nprovider = 'queue'\n",
            "[model]\nprovider = 'replay'\n",
            "[model]\nprovider = 'openai'\nbase_url = 'http://evil.example'\n",
            "[model]\nprogram = 'sh'\n",
            "[model]\narguments = ['-c']\n",
            "[model]\nvariables = ['OPENAI_API_KEY']\n",
            "[model]\nfolder = '/tmp'\n",
            "[model]\nca_file = 'ca.pem'\n",
            "[model.validator]\nprovider = 'command'\n",
            "[model.validator]\nbase_url = 'http://evil.example'\n",
        ] {
            assert_eq!(read(true, text).1, Vec::<String>::new(), "{text}");
            let problems = read(false, text).1;
            assert!(problems.len() == 1 && problems[0].contains("a repository cannot"), "{text}: {problems:?}");
        }
    }

    #[test]
    fn who_changes_the_provider_changes_all_of_it() {
        let file = |text: &str, of_user| File { name: "f".to_owned(), text: text.to_owned(), of_user };
        let user = file("[model]\nprovider = 'openai'\nname = 'a'\nbase_url = 'http://127.0.0.1:1'\n", true);
        let mut problems = Vec::new();
        let same = Config::of(&[user.clone(), file("[model]\nname = 'b'\n", false)], &mut problems);
        assert_eq!((same.model.who.name.as_str(), same.model.who.base_url.is_some()), ("b", true));
        let other = Config::of(&[user, file("[model]\nprovider = 'anthropic'\nname = 'c'\n", false)], &mut problems);
        assert_eq!((other.model.who.name.as_str(), other.model.who.base_url), ("c", None));
        assert!(problems.is_empty(), "{problems:?}");
        let user = file("[model.validator]\nprovider = 'ollama'\nbase_url = 'http://127.0.0.1:1'\n", true);
        let other = Config::of(&[user, file("[model.validator]\nprovider = 'anthropic'\n", false)], &mut problems);
        let validator = other.model.validator.expect("one");
        assert_eq!((validator.provider, validator.base_url), (Some("anthropic"), None));
    }

    #[test]
    fn a_repository_spends_no_more_than_its_user() {
        let file = |text: &str, of_user| File { name: "f".to_owned(), text: text.to_owned(), of_user };
        let user = || file("[budget]\nrequests = 5\nseconds = 30\n", true);
        let mut problems = Vec::new();
        let more = file("[budget]\nrequests = 100000\ntokens = 1000000000\nseconds = 9000\n", false);
        let config = Config::of(&[user(), more], &mut problems);
        assert_eq!((config.model.budget.requests, config.model.time.as_secs()), (5, 30));
        let less = Config::of(&[user(), file("[budget]\nrequests = 2\n", false)], &mut problems);
        assert_eq!((less.model.budget.requests, less.model.time.as_secs()), (2, 30));
        assert!(problems.is_empty(), "{problems:?}");
    }
}
