//! Who reviews beside the detectors: from arguments, environment and configuration to open providers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, anyhow};
use diffsieve::config::{self, Config, Who};
use diffsieve::context::{Context, Form, Options};
use diffsieve::provider::{self, Cache, Cached, Clock, Kind, Provider, Recorded};
use diffsieve::review::model::{Model, Names, PROMPTS, Progress, Strategy};
use diffsieve::rules::Rules;

use super::args::ModelArgs;
use super::{Failure, env};

/// Most bytes of kept answers.
const CACHE_BYTES: u64 = 256 << 20;

/// A model that is ready to be asked.
pub(super) struct Ready {
    settings: config::Model,
    names: Names,
    collector: Box<dyn Provider>,
    validator: Validator,
    prices: [Option<(f64, f64)>; 2],
    options: Options,
    missing_key: Option<&'static str>,
    may_block: diffsieve::review::model::MayBlock,
}

/// Who gives the second opinion.
enum Validator {
    Nobody,
    /// Whoever gave the first.
    Same,
    Other(Box<dyn Provider>),
}

/// What became of the model that was asked for.
pub(super) enum Found {
    /// None was.
    Nobody,
    /// Its key is missing, and the policy lets the detectors decide alone. The sentence says so.
    WithoutKey(String),
    /// This one.
    Ready(Box<Ready>),
}

/// Opens what arguments, environment and configuration ask for, in this order. No request is sent. After `latest` there
/// are only the answers at hand.
pub(super) fn find(args: &ModelArgs, config: &Config, latest: Option<Instant>) -> Result<Found, Failure> {
    if args.no_model {
        return Ok(Found::Nobody);
    }
    let mut settings = config.model.clone();
    let mut other_validator = None;
    let variable =
        |name: &str| env::var(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned());
    if let Some(named) = args.model.clone().or_else(|| variable("DIFFSIEVE_MODEL")) {
        let who = who(&named, &settings.who)?;
        // Whoever names a model means it for both opinions.
        if settings.validator.as_ref().is_some_and(|own| own.provider.is_some() && own.provider != who.provider) {
            other_validator = settings.validator.take();
        }
        settings.who = who;
    }
    if let Some(named) = args.validator.clone().or_else(|| variable("DIFFSIEVE_VALIDATOR")) {
        let under = settings.validator.take().or(other_validator);
        settings.validator = Some(who(&named, under.as_ref().unwrap_or(&settings.who))?);
    }
    if let Some(folder) = &args.replay {
        let replay = Who { provider: Some("replay"), folder: Some(folder.clone()), ..settings.who.clone() };
        let off = settings.validator.as_ref().is_some_and(|who| who.provider.is_none());
        settings.validator = off.then(Who::default);
        settings.who = replay;
    }
    let Some(kind) = kind(&settings.who)? else {
        if args.validator.is_some() || args.record.is_some() {
            return Err(anyhow!("--validator and --record need a model: name one with --model").into());
        }
        return Ok(Found::Nobody);
    };
    if config.without_key
        && let Some(missing) = missing_key(kind)
    {
        return Ok(Found::WithoutKey(format!(
            "no model: {missing} is not set, and gate.on_missing_key lets the detectors decide alone"
        )));
    }
    let granted = Instant::now() + settings.time;
    let deadline = latest.map_or(granted, |latest| latest.min(granted));
    let validator_who = settings.validator.clone().unwrap_or_else(|| settings.who.clone());
    let collector = open(kind, &settings.who, args, deadline)?;
    let validator = match self::kind(&validator_who)? {
        None => Validator::Nobody,
        Some(_) if validator_who == settings.who => Validator::Same,
        Some(kind) => Validator::Other(open(kind, &validator_who, args, deadline)?),
    };
    let shown = |who: &Who| Some(who.name.clone()).filter(|name| !name.is_empty());
    let names = Names {
        provider: kind.name.to_owned(),
        name: shown(&settings.who),
        validator: validator_who.provider.map(|provider| match shown(&validator_who) {
            Some(name) => format!("{provider}/{name}"),
            None => provider.to_owned(),
        }),
    };
    let prices = [settings.who.prices, validator_who.prices];
    let options = Options { layers: config.layers, expand_function: config.expand_function, ..Options::default() };
    Ok(Found::Ready(Box::new(Ready {
        settings,
        names,
        collector,
        validator,
        prices,
        options,
        missing_key: missing_key(kind).or_else(|| self::kind(&validator_who).ok().flatten().and_then(missing_key)),
        may_block: config.may_block,
    })))
}

impl Ready {
    /// What it is shown of changes.
    pub(super) fn context<'r>(&self, rules: &'r Rules) -> Result<Context<'r>, Failure> {
        Ok(Context::new(rules, self.options.clone()).map_err(anyhow::Error::from)?)
    }

    /// The model of a review with this context.
    pub(super) fn model<'m>(&'m self, context: &'m Context<'m>, tell: &'m (dyn Fn(Progress) + Sync)) -> Model<'m> {
        let settings = &self.settings;
        Model {
            names: self.names.clone(),
            context,
            collector: &*self.collector,
            validator: match &self.validator {
                Validator::Nobody => None,
                Validator::Same => Some(&*self.collector),
                Validator::Other(other) => Some(&**other),
            },
            passes: settings.passes,
            strategy: settings.strategy,
            tone: settings.tone,
            form: Form::Marked,
            chunk_tokens: settings.chunk_tokens,
            answer_tokens: settings.answer_tokens,
            concurrency: settings.concurrency as usize,
            budget: settings.budget,
            may_block: self.may_block,
            tell,
        }
    }

    /// The variable that a key would be in that is needed and not set.
    pub(super) const fn missing_key(&self) -> Option<&'static str> {
        self.missing_key
    }

    /// Who reviews.
    pub(super) fn collector(&self) -> &dyn Provider {
        &*self.collector
    }

    /// Questions under way at once, and most tokens of an answer.
    pub(super) const fn pace(&self) -> (usize, u32) {
        (self.settings.concurrency as usize, self.settings.answer_tokens)
    }

    /// Who is asked, for a person.
    pub(super) fn name(&self) -> String {
        match &self.names.name {
            Some(name) => format!("{}/{}", self.names.provider, diffsieve::escape::visible(name)),
            None => self.names.provider.clone(),
        }
    }

    /// How the model reviews.
    pub(super) const fn strategy(&self) -> Strategy {
        self.settings.strategy
    }

    /// What so many tokens read and written cost at most, in US dollars.
    pub(super) fn cost(&self, read: u64, written: u64) -> Option<f64> {
        let [own, other] = self.prices;
        let price = match (own, other) {
            (Some(one), Some(two)) => (one.0.max(two.0), one.1.max(two.1)),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return None,
        };
        Some((read as f64 * price.0 + written as f64 * price.1) / 1e6)
    }
}

/// `PROVIDER/NAME`. What the configuration says of the same provider goes along.
fn who(named: &str, under: &Who) -> Result<Who, Failure> {
    let (provider, name) = named.split_once('/').unwrap_or((named, ""));
    let provider = match provider {
        "none" => None,
        provider => Some(provider::find(provider).map_err(anyhow::Error::from)?.name),
    };
    let is_other = under.provider.is_some_and(|own| Some(own) != provider);
    let under = if is_other { Who::default() } else { under.clone() };
    let name = if name.is_empty() { under.name.clone() } else { name.to_owned() };
    Ok(Who { provider, name, ..under })
}

fn kind(who: &Who) -> Result<Option<&'static Kind>, Failure> {
    let kind = who.provider.map(provider::find).transpose();
    Ok(kind.map_err(anyhow::Error::from)?)
}

/// The variable that the key of a service would be in, where none of its variables is set.
fn missing_key(kind: &Kind) -> Option<&'static str> {
    let is_set = |name: &&str| env::var(name).is_some_and(|value| !value.is_empty());
    if !kind.needs_key || kind.key_variables.iter().any(is_set) {
        return None;
    }
    kind.key_variables.first().copied()
}

fn open(kind: &Kind, who: &Who, args: &ModelArgs, deadline: Instant) -> Result<Box<dyn Provider>, Failure> {
    let clock = Clock::new(Instant::now, SystemTime::now, std::thread::sleep);
    let settings = provider::Settings {
        base_url: who.base_url.clone(),
        temperature: who.temperature,
        context_tokens: who.context_tokens,
        ca_file: who.ca_file.clone(),
        folder: who.folder.clone(),
        program: who.program.clone(),
        arguments: who.arguments.iter().map(Into::into).collect(),
        variables: who.variables.clone(),
        ..provider::Settings::new(who.name.as_str(), deadline, clock)
    };
    let mut provider = (kind.open)(&settings, &env::var).map_err(anyhow::Error::from)?;
    // What lies in a folder already is no faster from another.
    if !matches!(kind.name, "replay" | "queue")
        && let Some(folder) = cache_folder(args)
    {
        match Cache::open(&folder, CACHE_BYTES) {
            Ok(cache) => provider = Box::new(Cached::new(provider, Arc::new(cache), PROMPTS.join(" "))),
            Err(error) => super::output::say(&format!("no answers are kept: {error}")),
        }
    }
    Ok(match &args.record {
        Some(folder) => Box::new(Recorded::new(provider, folder).map_err(anyhow::Error::from)?),
        None => provider,
    })
}

/// Where answers are kept; `None` where they are not.
pub(super) fn cache_folder(args: &ModelArgs) -> Option<PathBuf> {
    let named =
        args.cache.clone().or_else(|| env::var("DIFFSIEVE_CACHE").filter(|value| !value.is_empty()).map(PathBuf::from));
    match named {
        Some(folder) if folder == Path::new("off") => None,
        Some(folder) => Some(folder),
        None => env::user_cache(),
    }
}

/// A folder of answers for `diffsieve cache`.
pub(super) fn cache(args: &ModelArgs) -> Result<(PathBuf, Cache), Failure> {
    let folder = cache_folder(args)
        .ok_or_else(|| anyhow!("the cache is off, or neither XDG_CACHE_HOME nor HOME says where it is"))?;
    let cache =
        Cache::open(&folder, CACHE_BYTES).with_context(|| format!("the cache in `{}`", super::shown(&folder)))?;
    Ok((folder, cache))
}

/// How long something took.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
