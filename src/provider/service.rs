//! A service over HTTP: a preset, a dialect and what the run has learnt of both.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::http::{Base, Client, Reply};
use super::outcome::{self, Again, Complaint, Fault, Field};
use super::preset::{Auth, Preset, Structure, TokensField};
use super::retry::{self, Limits, Reading, Turn};
use super::secret::Secret;
use super::settings::{Clock, Env, Settings};
use super::{Answer, Error, NoAnswer, Prompt, Provider, Schema, Usage, Why, envelope, wait};

/// A wire format.
pub(super) struct Dialect {
    /// What follows the base URL.
    pub(super) path: &'static str,
    /// Whether the field that limits the answer has two names.
    pub(super) two_token_fields: bool,
    /// Headers besides the key.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// The body of a request.
    pub(super) body: fn(&Request<'_>) -> Value,
    /// The model's text in the envelope of a success.
    pub(super) read: fn(&Value) -> Result<Reading, Fault>,
}

/// What a dialect writes down.
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    /// With the schema spelt out where the request cannot carry it.
    pub(super) system: &'a str,
    pub(super) user: &'a str,
    pub(super) schema: &'a Schema,
    pub(super) structure: Structure,
    pub(super) answer_tokens: u32,
    pub(super) tokens: TokensField,
    pub(super) temperature: Option<f64>,
    pub(super) context_tokens: Option<u32>,
    pub(super) store: bool,
    pub(super) extra: Option<&'static str>,
}

/// What the server has refused so far. It only grows, so that threads cannot undo each other's lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Learnt {
    rung: usize,
    no_temperature: bool,
    other_tokens_field: bool,
    no_store: bool,
}

pub(super) struct Service {
    preset: &'static Preset,
    /// `None` without a key: nothing can be asked.
    client: Option<Client>,
    identity: String,
    model: String,
    temperature: Option<f32>,
    context_tokens: Option<u32>,
    deadline: Instant,
    clock: Clock,
    learnt: Mutex<Learnt>,
}

impl Service {
    /// Checks everything that can be checked without a request. A missing key is no error: the provider then says so for
    /// each prompt.
    pub(super) fn open(preset: &'static Preset, settings: &Settings, env: Env<'_>) -> Result<Self, Error> {
        if settings.model.trim().is_empty() {
            return Err(Error::Missing { kind: preset.name, what: "the name of a model".to_owned() });
        }
        if let Some(temperature) = settings.temperature.filter(|value| !(0.0..=2.0).contains(value)) {
            return Err(Error::BadTemperature(temperature));
        }
        let base = address(preset, settings, env)?;
        let key = key(preset, env)?;
        let mut headers: Vec<(&'static str, Secret)> =
            preset.dialect.headers.iter().map(|(name, value)| (*name, Secret::any(value))).collect();
        for (variable, name) in preset.header_variables {
            let value = env(variable).and_then(|value| Secret::new(&value.to_string_lossy()));
            headers.extend(value.map(|value| (*name, value)));
        }
        let client = match (&key, preset.needs_key) {
            (None, true) => None,
            _ => Some(Client::open(&base, preset.dialect.path, key, headers, settings, env)?),
        };
        let temperature = settings.temperature.map(|value| format!(" temperature={value}")).unwrap_or_default();
        let context = settings.context_tokens.map(|value| format!(" context={value}")).unwrap_or_default();
        Ok(Self {
            preset,
            client,
            identity: format!("{} {} {}{temperature}{context}", preset.name, base.as_str(), settings.model),
            model: settings.model.clone(),
            temperature: settings.temperature,
            context_tokens: settings.context_tokens,
            deadline: settings.deadline,
            clock: settings.clock.clone(),
            learnt: Mutex::default(),
        })
    }

    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        // Plain values: a thread that panicked cannot have left them half written.
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt(&self, client: &Client, prompt: &Prompt, turn: Turn, left: Duration) -> Result<Reading, Fault> {
        let learnt = *self.learnt();
        let structure = self.preset.ladder[learnt.rung.min(self.preset.ladder.len() - 1)];
        let explained;
        let system = if turn.explain || !structure.carries_schema() {
            explained = with_schema(&prompt.system, &prompt.schema);
            &explained
        } else {
            &prompt.system
        };
        let body = (self.preset.dialect.body)(&Request {
            model: &self.model,
            system,
            user: &prompt.user,
            schema: &prompt.schema,
            structure,
            answer_tokens: turn.answer_tokens,
            tokens: learnt.tokens(self.preset.tokens),
            // By its digits: as a wider float 0.2 would become 0.20000000298023224.
            temperature: self.temperature.filter(|_| !learnt.no_temperature).and_then(|t| t.to_string().parse().ok()),
            context_tokens: self.context_tokens,
            store: self.preset.store && !learnt.no_store,
            extra: self.preset.extra,
        });
        let reply = client.post(&body.to_string(), left)?;
        let mut fault = match self.read(&reply) {
            Ok(reading) => return Ok(reading),
            Err(fault) => fault,
        };
        if let Again::Without(field) = fault.again
            && !self.learn(learnt, field)
        {
            fault.again = if reply.status >= 500 { Again::Later(None) } else { Again::Never };
        }
        Err(fault)
    }

    fn read(&self, reply: &Reply) -> Result<Reading, Fault> {
        if (200..300).contains(&reply.status) {
            let value = envelope::parse(&reply.body).map_err(|error| {
                Fault::new(Why::Malfunction, Again::Once, format!("the answer is no JSON: {error}"))
            })?;
            if is_error(&value) {
                return Err(outcome::of_success(&value));
            }
            return (self.preset.dialect.read)(&value);
        }
        if (300..400).contains(&reply.status) {
            let advice = "redirects are not followed, since they would carry the key; set the final base URL";
            let why = format!("status {}: {advice}", reply.status);
            return Err(Fault::new(Why::Rejected, Again::Never, why));
        }
        let complaint = Complaint::of(&reply.body);
        let asked = wait::asked(|name| reply.header(name), complaint.delay.as_deref(), self.clock.date());
        let mut fault = outcome::of_status(reply.status, &complaint, asked);
        let changes = matches!(fault.again, Again::Without(_));
        match reply.header("x-should-retry") {
            Some("false") if !changes => fault.again = Again::Never,
            Some("true") if !changes && matches!(fault.why, Why::Rejected | Why::Malfunction | Why::Unavailable) => {
                fault.again = Again::Later(asked);
            }
            _ => {}
        }
        Err(fault)
    }

    /// Whether the next request differs from the one sent with `used`.
    fn learn(&self, used: Learnt, field: Field) -> bool {
        let mut next = used;
        match field {
            Field::Structure if used.rung + 1 < self.preset.ladder.len() => next.rung += 1,
            Field::Temperature if self.temperature.is_some() => next.no_temperature = true,
            Field::AnswerTokens if self.preset.dialect.two_token_fields => next.other_tokens_field = true,
            Field::Store if self.preset.store => next.no_store = true,
            _ => {}
        }
        let mut learnt = self.learnt();
        learnt.merge(next);
        next != used
    }
}

impl Learnt {
    fn tokens(self, first: TokensField) -> TokensField {
        match (self.other_tokens_field, first) {
            (false, field) => field,
            (true, TokensField::MaxTokens) => TokensField::MaxCompletionTokens,
            (true, TokensField::MaxCompletionTokens) => TokensField::MaxTokens,
        }
    }

    fn merge(&mut self, other: Self) {
        self.rung = self.rung.max(other.rung);
        self.no_temperature |= other.no_temperature;
        self.other_tokens_field |= other.other_tokens_field;
        self.no_store |= other.no_store;
    }
}

impl Provider for Service {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let Some(client) = &self.client else {
            let message = format!("no key: set {}", self.preset.key_variables.join(" or "));
            return Err(NoAnswer { why: Why::NoKey, message, attempts: 0, usage: Usage::default() });
        };
        let limits = Limits {
            clock: &self.clock,
            deadline: self.deadline,
            largest_answer: self.preset.largest_answer,
            secrets: client.secrets(),
        };
        retry::run(&limits, prompt, |turn, left| self.attempt(client, prompt, turn, left))
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn caches_prefixes(&self) -> bool {
        self.preset.caches_prefixes
    }
}

/// Whether the envelope of a success holds an error instead.
fn is_error(value: &Value) -> bool {
    let value = match value {
        Value::Array(items) if items.len() == 1 => &items[0],
        value => value,
    };
    value.get("error").is_some_and(|error| !error.is_null())
        || matches!(value.get("type").or_else(|| value.get("object")).and_then(Value::as_str), Some("error"))
}

/// The system text with the shape of the answer in words; some services demand the word JSON.
pub(super) fn with_schema(system: &str, schema: &Schema) -> String {
    format!(
        "{system}\n\nAnswer with exactly one JSON object and nothing else: no prose, no code fence. It has this JSON \
         schema:\n{}\n",
        schema.json
    )
}

fn address(preset: &Preset, settings: &Settings, env: Env<'_>) -> Result<Base, Error> {
    if let Some(url) = &settings.base_url {
        return Base::parse(url);
    }
    let set = |name: &str| env(name).map(|value| value.to_string_lossy().trim().to_owned()).filter(|v| !v.is_empty());
    if let Some((url, suffix)) = preset.address.variable.and_then(|(name, suffix)| Some((set(name)?, suffix))) {
        // Ollama's variable is also the server's own: a host with or without a port, or what to listen on.
        let url = if preset.name == "ollama" { ollama_host(&url) } else { url };
        let url = url.trim_end_matches('/');
        return Base::parse(&if url.ends_with(suffix) { url.to_owned() } else { format!("{url}{suffix}") });
    }
    let missing = |what: String| Error::Missing { kind: preset.name, what };
    let Some(url) = preset.address.default else {
        let name = preset.address.variable.map_or("", |(name, _)| name);
        return Err(missing(format!("its address; set {name} or the base URL")));
    };
    if !url.contains("{region}") {
        return Base::parse(url);
    }
    let region = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION"));
    let region = region.ok_or_else(|| missing("a region; set AWS_REGION or the base URL".to_owned()))?;
    if !region.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        let why = "it is no name of a region, such as eu-central-1";
        return Err(Error::BadVariable { variable: "AWS_REGION".to_owned(), why });
    }
    Base::parse(&url.replace("{region}", &region))
}

fn ollama_host(value: &str) -> String {
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let rest = rest.replacen("0.0.0.0", "127.0.0.1", 1);
    let rest = if rest.starts_with(':') { format!("127.0.0.1{rest}") } else { rest };
    let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let plain = scheme == "http" && !has_port && !rest.contains('/');
    format!("{scheme}://{rest}{}", if plain { ":11434" } else { "" })
}

/// The key and how it is sent.
fn key(preset: &Preset, env: Env<'_>) -> Result<Option<(Auth, Secret)>, Error> {
    for (index, variable) in preset.key_variables.iter().enumerate() {
        let Some(value) = env(variable).filter(|value| !value.is_empty()) else { continue };
        let secret = value.to_str().and_then(Secret::new).ok_or(Error::BadKey { variable })?;
        return Ok(Some((if index == 0 { preset.auth } else { Auth::Bearer }, secret)));
    }
    Ok(None)
}

/// The fields every request of a preset carries.
pub(super) fn extra_fields(extra: Option<&str>) -> BTreeMap<String, Value> {
    extra.map(|json| serde_json::from_str(json).expect("a preset's own JSON; a test reads each")).unwrap_or_default()
}
