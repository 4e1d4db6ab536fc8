//! The model of `diffsieve reward --judge model`: named, opened and paid as that of `diffsieve eval judge`.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use clap::Args;
use diffsieve::config::{Config, Who};
use diffsieve::eval::judge;
use diffsieve::eval::reward::judged::{self, Question};
use diffsieve::eval::reward::{Decide, Judge};
use diffsieve::provider::{Answer, NoAnswer, Prompt, Provider, Why};
use diffsieve::review::model::{Budget, Purse, Talk, Unanswered};
use diffsieve::rules::Examples;

use crate::cli::args::{ModelArgs, TreeArgs};
use crate::cli::model::{self, Found, Ready};
use crate::cli::{Failure, output, policy};

/// Seconds for all of a file, as for `eval judge`, and for each request that is served.
const SECONDS: (u32, u32) = (86_400, 600);

/// Most requests, as for `eval judge`.
const REQUESTS: u64 = 10_000;

#[derive(Debug, Args)]
pub(super) struct ModelJudgeArgs {
    /// The model of `--judge model`, such as openai/NAME or claude [default: that of the configuration] [env: DIFFSIEVE_MODEL]
    #[arg(long, value_name = "PROVIDER/NAME", conflicts_with = "replay")]
    model: Option<String>,
    /// Where its answers are kept, or off [default: the user's cache folder] [env: DIFFSIEVE_CACHE]
    #[arg(long, value_name = "DIR|off")]
    cache: Option<PathBuf>,
    /// Also write every answer into DIR, for --replay
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Take every answer from DIR and ask nobody
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,
    /// Most seconds for the model: for all of a file [default: 86400], or for each request served [default: 600]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=604_800))]
    seconds: Option<u32>,
    /// Most requests to the model: for all of a file, or for as long as it is served [default: 10000]
    #[arg(long, value_name = "NUMBER")]
    judge_requests: Option<u64>,
    /// Use this configuration file instead of the repository's
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long)]
    no_config: bool,
}

impl ModelJudgeArgs {
    /// What is said of a model where none judges is a mistake, and no wish to be passed over.
    pub(super) fn check_unused(&self) -> anyhow::Result<()> {
        let Self { model, cache, record, replay, seconds, judge_requests, config, no_config } = self;
        let given = [
            ("--model", model.is_some()),
            ("--cache", cache.is_some()),
            ("--record", record.is_some()),
            ("--replay", replay.is_some()),
            ("--seconds", seconds.is_some()),
            ("--judge-requests", judge_requests.is_some()),
            ("--config", config.is_some()),
            ("--no-config", *no_config),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => bail!("{name} is about a model that judges: add `--judge model`, or leave it out"),
            None => Ok(()),
        }
    }
}

/// A model that judges, as often as it is asked for.
pub(super) struct Bench {
    config: Config,
    model: ModelArgs,
    name: String,
    jobs: usize,
    purse: Purse,
    turns: Turns,
}

impl Bench {
    /// Opens it once, so that what is missing is said before anything is read.
    pub(super) fn new(args: &ModelJudgeArgs, is_served: bool) -> Result<Self, Failure> {
        let place = TreeArgs { config: args.config.clone(), no_config: args.no_config, ..TreeArgs::default() };
        let mut config = policy::of_work_tree(&place, Examples::Skip)?.config;
        let default = if is_served { SECONDS.1 } else { SECONDS.0 };
        config.model.time = Duration::from_secs(args.seconds.unwrap_or(default).into());
        // Nobody gives a second opinion, and the detectors are no judges.
        config.model.validator = Some(Who::default());
        config.without_key = false;
        let model = ModelArgs {
            model: args.model.clone(),
            cache: args.cache.clone(),
            record: args.record.clone(),
            replay: args.replay.clone(),
            ..ModelArgs::default()
        };
        let ready = opened(&model, &config)?;
        let (jobs, _) = ready.pace();
        let requests = args.judge_requests.unwrap_or(REQUESTS);
        Ok(Self {
            name: judge::named(&ready.name()),
            jobs,
            purse: Purse::new(Budget { requests, tokens: u64::MAX / 4 }),
            turns: Turns { free: Mutex::new(jobs), freed: Condvar::new() },
            config,
            model,
        })
    }

    /// A judge that decides in this way.
    pub(super) fn judge<'d>(&self, decide: Decide<'d>) -> Judge<'d> {
        Judge { name: self.name.clone(), decide }
    }

    /// Opens the model and lends it; its time begins now.
    pub(super) fn sit<T>(&self, work: impl FnOnce(Decide<'_>) -> T) -> Result<(T, Spent), Failure> {
        let latest = Instant::now() + self.config.model.time;
        let ready = opened(&self.model, &self.config)?;
        let provider = InTurn { inner: ready.collector(), turns: &self.turns, latest };
        let talk = Talk::new(&provider, &self.purse);
        let done = work(&|questions: &[Question<'_>]| {
            let decisions = judged::decisions(&talk, questions, self.jobs);
            decisions.into_iter().map(|decision| decision.map_err(in_our_words)).collect()
        });
        let tally = talk.tally();
        let tokens = tally.usage.prompt_tokens.saturating_add(tally.usage.completion_tokens);
        Ok((done, Spent { requests: tally.requests, tokens }))
    }

    /// Decides with a model that is opened for these questions alone, so that each request that is served has its own time,
    /// and what one service refused once is asked for again.
    pub(super) fn decide(&self, questions: &[Question<'_>]) -> Vec<Result<Vec<bool>, Unanswered>> {
        match self.sit(|decide| decide(questions)) {
            Ok((decisions, _)) => decisions,
            Err(failure) => {
                let none = Unanswered { why: Why::Rejected.name(), message: failure.lines().join("; ") };
                vec![Err(none); questions.len()]
            }
        }
    }
}

/// What was asked.
pub(super) struct Spent {
    requests: u64,
    tokens: u64,
}

impl Spent {
    pub(super) fn say(&self) {
        if self.requests > 0 {
            output::say(&format!("{} requests, {} tokens", self.requests, self.tokens));
        }
    }
}

/// The purse names the key of a configuration that does not count here.
fn in_our_words(none: Unanswered) -> Unanswered {
    let message =
        if none.why == "budget" { "the requests of --judge-requests are used up".to_owned() } else { none.message };
    Unanswered { why: none.why, message }
}

fn opened(model: &ModelArgs, config: &Config) -> Result<Box<Ready>, Failure> {
    match model::find(model, config, None)? {
        Found::Ready(ready) => match ready.missing_key() {
            Some(variable) => Err(Failure::Incomplete(anyhow!("the judge's key is missing: set {variable}"))),
            None => Ok(ready),
        },
        Found::Nobody | Found::WithoutKey(_) => Err(anyhow!(
            "no model is configured that could judge: name one with --model, or take answers with --replay"
        )
        .into()),
    }
}

/// How many questions may still be under way, of all requests together.
struct Turns {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A provider that is asked when it is its turn. A turn that does not come in time is taken nevertheless: the provider then
/// says that the time is up.
struct InTurn<'t> {
    inner: &'t dyn Provider,
    turns: &'t Turns,
    latest: Instant,
}

/// A turn, until it is dropped.
struct Turn<'t>(&'t Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

impl Turns {
    fn take(&self, latest: Instant) -> Option<Turn<'_>> {
        let left = latest.saturating_duration_since(Instant::now());
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut free, _) =
            self.freed.wait_timeout_while(free, left, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        (*free > 0).then(|| {
            *free -= 1;
            Turn(self)
        })
    }
}

impl Provider for InTurn<'_> {
    fn ask(&self, prompt: &Prompt) -> Result<Answer, NoAnswer> {
        let _turn = self.turns.take(self.latest);
        self.inner.ask(prompt)
    }

    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn caches_prefixes(&self) -> bool {
        self.inner.caches_prefixes()
    }

    fn forget(&self, prompt: &Prompt) {
        self.inner.forget(prompt);
    }
}
