//! `diffsieve eval run` and `judge`: answers and decisions, kept so that scores can be computed from them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use diffsieve::context::{Context, Options};
use diffsieve::escape::visible;
use diffsieve::eval::agent::{self, Agent};
use diffsieve::eval::judge::{self, Docket, Embed, Judge};
use diffsieve::eval::run::{Extent, Lent, Reviewer};
use diffsieve::eval::{PROTOCOLS, Protocol, find};
use diffsieve::record::{Answer, Appender, Dataset, Judgement, Run, Status};
use diffsieve::review::model::{Budget, Model, PROMPTS, Progress, Purse, Strategy, Talk};
use diffsieve::rules::Examples;

use super::folder::{self, Folder};
use crate::cli::args::{LayersName, ModelArgs, PlaceArgs};
use crate::cli::exit::Exit;
use crate::cli::model::{self, Found, Ready};
use crate::cli::policy::{self, Loadout};
use crate::cli::progress::Bar;
use crate::cli::{Failure, env, output};

/// Passes of the strategy `votes`.
const VOTES: u32 = 3;

#[derive(Debug, Args)]
pub(in crate::cli) struct RunArgs {
    /// The folder of the dataset
    dataset: PathBuf,
    /// The folder that keeps run, answers and decisions; a run that was interrupted goes on there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How the model reviews [default: what the configuration says]
    #[arg(long, value_enum, value_name = "STRATEGY")]
    strategy: Option<StrategyName>,
    /// A paper's plain agent instead of diffsieve's own review; needs a model
    #[arg(long, value_name = "PAPER", value_parser = clap::builder::PossibleValuesParser::new(Agent::ALL.map(Agent::name)))]
    agent: Option<String>,
    /// What the model is told beside the diff [default: what the configuration says]
    #[arg(long, value_enum, value_name = "LAYERS", ignore_case = true)]
    context: Option<LayersName>,
    /// Answers to each case
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    samples: u32,
    /// Cases under way at once [default: 4 with a model, else one for each core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Most seconds for all of it; what is missing then is answered by the next run
    #[arg(long, value_name = "NUMBER", default_value_t = 86_400)]
    seconds: u32,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    judging: JudgingArgs,
    /// Only say what would be run
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct JudgeArgs {
    /// The folder of a run
    run: PathBuf,
    /// The folder of the dataset [default: where it was when the run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Also judge what the reviewer took back, for `eval ablate`
    #[arg(long)]
    removed: bool,
    /// Where the judge's answers are kept, or off [default: the user's cache folder] [env: DIFFSIEVE_CACHE]
    #[arg(long, value_name = "DIR|off")]
    cache: Option<PathBuf>,
    /// Also write every answer into DIR, for --replay
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Take the answers of `--judge replay` from DIR
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,
    /// Most seconds for all of it
    #[arg(long, value_name = "NUMBER", default_value_t = 86_400)]
    seconds: u32,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    judging: JudgingArgs,
}

#[derive(Debug, Args)]
struct JudgingArgs {
    /// Who judges: lexical (by words, without a model), replay, or PROVIDER/NAME; another model than the reviewer's
    #[arg(long, value_name = "JUDGE")]
    judge: Option<String>,
    /// Judge by this protocol; repeatable [default: every one that the dataset has known faults for]
    #[arg(long, value_name = "PROTOCOL", value_parser = clap::builder::PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: Vec<String>,
    /// Measure similarity with this program: it reads {"texts": [...]} and writes {"vectors": [[...]]} [default: by words]
    #[arg(long, value_name = "PROGRAM")]
    embed: Option<PathBuf>,
    /// Most requests to the judge
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    judge_requests: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrategyName {
    /// One question a chunk, no second opinion
    Single,
    /// One question a chunk, and a second opinion on each claim
    CollectValidate,
    /// The model is shown its answer and looks again, no second opinion
    Reflexion,
    /// Three readings, of which two must agree, and a second opinion
    Votes,
}

impl StrategyName {
    const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::CollectValidate => "collect-validate",
            Self::Reflexion => "reflexion",
            Self::Votes => "votes",
        }
    }

    fn apply(self, model: &mut Model<'_>) {
        model.passes = if self == Self::Votes { VOTES } else { 1 };
        model.strategy = if self == Self::Reflexion { Strategy::Reflexion } else { Strategy::Single };
        if matches!(self, Self::Single | Self::Reflexion) {
            model.validator = None;
            model.names.validator = None;
        }
    }
}

pub(super) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    let mut loadout = policy::of_work_tree(&args.place, Examples::Skip)?;
    if let Some(layers) = args.context {
        loadout.config.layers = layers.layers();
    }
    loadout.config.model.time = Duration::from_secs(args.seconds.into());
    let ready = match model::find(&args.model, &loadout.config, None)? {
        Found::Ready(ready) => Some(ready),
        Found::Nobody => None,
        Found::WithoutKey(why) => return Err(Failure::Incomplete(anyhow!(why))),
    };
    if ready.is_none() && (args.agent.is_some() || args.strategy.is_some()) {
        return Err(anyhow!("--agent and --strategy are about a model: name one with --model or --replay").into());
    }
    let agent = args.agent.as_deref().and_then(|name| Agent::ALL.into_iter().find(|agent| agent.name() == name));
    if agent.is_some() && matches!(args.strategy, Some(StrategyName::CollectValidate | StrategyName::Votes)) {
        return Err(anyhow!("an agent of a paper has no second opinion and no votes: single or reflexion").into());
    }
    let context = ready.as_ref().map(|ready| ready.context(&loadout.rules)).transpose()?;
    let tell = |_: Progress| {};
    let mut model = ready.as_ref().zip(context.as_ref()).map(|(ready, context)| ready.model(context, &tell));
    if let (Some(model), Some(strategy)) = (&mut model, args.strategy) {
        strategy.apply(model);
    }
    if let (Some(model), true) = (&mut model, agent.is_some()) {
        model.validator = None;
        model.names.validator = None;
    }
    let run = described(args, &dataset, &loadout, model.as_ref());
    let jobs = args.jobs.map_or_else(|| if model.is_some() { 4 } else { env::threads() }, usize::from);
    output::say(&format!(
        "{} cases of {}, {} answers each, {}",
        dataset.cases.len(),
        visible(&dataset.manifest.name),
        args.samples,
        ready.as_ref().map_or_else(|| "the detectors alone".to_owned(), |ready| ready.name())
    ));
    if args.dry_run {
        return crate::cli::print(&format!("{}\n", serde_json::to_string_pretty(&run).map_err(anyhow::Error::from)?));
    }
    let (folder, already) = Folder::begin(&args.out, &run)?;
    let reviewer = Reviewer {
        rules: &loadout.rules,
        exclude: &loadout.config.exclude,
        suppress: loadout.config.suppress,
        cap: loadout.config.cap,
        model: model.as_ref(),
        agent,
        price: &|read, written| ready.as_ref().and_then(|ready| ready.cost(read, written)),
    };
    let extent = Extent { samples: args.samples, jobs };
    let bar = Bar::new(false);
    let answers = with_lent(&bar, "cases reviewed", |lent| {
        diffsieve::eval::run::run(&dataset, &reviewer, extent, already, &folder.appender(folder::ANSWERS)?, lent)
    });
    bar.finish();
    let answers = answers.map_err(anyhow::Error::from)?;
    folder.replace(folder::ANSWERS, &answers)?;
    let whole = told(&answers);
    if args.judging.judge.is_some() {
        let judge_model = ModelArgs {
            cache: args.model.cache.clone(),
            record: args.model.record.clone(),
            replay: args.model.replay.clone(),
            ..ModelArgs::default()
        };
        let judged = judging(
            &args.judging,
            &folder,
            &dataset,
            &answers,
            &loadout,
            judge_model,
            Judging { jobs, removed: false },
        )?;
        return Ok(if whole == Exit::Passed { judged } else { whole });
    }
    Ok(whole)
}

pub(super) fn judge(args: &JudgeArgs) -> Result<Exit, Failure> {
    let folder = Folder::open(&args.run)?;
    let dataset = folder.dataset(args.dataset.as_deref())?;
    let answers = folder.answers()?;
    let mut loadout = policy::of_work_tree(&args.place, Examples::Skip)?;
    loadout.config.model.time = Duration::from_secs(args.seconds.into());
    let model = ModelArgs {
        cache: args.cache.clone(),
        record: args.record.clone(),
        replay: args.replay.clone(),
        ..ModelArgs::default()
    };
    if args.judging.judge.is_none() {
        return Err(anyhow!("--judge says who judges: lexical, replay or PROVIDER/NAME").into());
    }
    judging(&args.judging, &folder, &dataset, &answers, &loadout, model, Judging { jobs: 4, removed: args.removed })
}

/// How it is judged.
#[derive(Clone, Copy)]
struct Judging {
    jobs: usize,
    removed: bool,
}

fn judging(
    args: &JudgingArgs,
    folder: &Folder,
    dataset: &Dataset,
    answers: &[Answer],
    loadout: &Loadout,
    model: ModelArgs,
    how: Judging,
) -> Result<Exit, Failure> {
    let named = args.judge.as_deref().unwrap_or(judge::LEXICAL);
    let opened = opened(named, model, loadout)?;
    let context = Context::new(&loadout.rules, Options::default()).map_err(anyhow::Error::from)?;
    let purse = Purse::new(Budget { requests: args.judge_requests, tokens: u64::MAX / 4 });
    let judge = match &opened {
        None => Judge::Lexical,
        Some(ready) => {
            Judge::Model { talk: Talk::new(ready.collector(), &purse), context: &context, name: ready.name() }
        }
    };
    let all = folder.judgements()?;
    let keep = folder.appender(folder::JUDGEMENTS).map_err(anyhow::Error::from)?;
    let mut undecided = Vec::new();
    let docket = Docket { dataset, answers, removed: how.removed };
    for protocol in protocols(args, dataset) {
        let bar = Bar::new(false);
        let judged = with_lent(&bar, "answers judged", |lent| {
            judge::judge(protocol, docket, &judge, all.clone(), how.jobs, &keep, lent)
        });
        bar.finish();
        undecided.extend(judged.map_err(anyhow::Error::from)?.undecided);
        if protocol.name == "swe-prbench" {
            likeness(args, dataset, answers, &all, &keep)?;
        }
    }
    drop(keep);
    folder.tidy_judgements()?;
    undecided.sort();
    undecided.dedup();
    for line in undecided.iter().take(10) {
        output::say(&format!("not judged: {}", visible(line)));
    }
    if undecided.is_empty() {
        return Ok(Exit::Passed);
    }
    output::say(&format!(
        "{} decisions are missing; run `diffsieve eval judge` again, which asks only for those",
        undecided.len()
    ));
    Ok(Exit::Incomplete)
}

/// The judge's model, none where words judge.
fn opened(named: &str, model: ModelArgs, loadout: &Loadout) -> Result<Option<Box<Ready>>, Failure> {
    if named == judge::LEXICAL {
        return Ok(None);
    }
    let args = match named {
        "replay" if model.replay.is_none() => {
            return Err(anyhow!("--judge replay needs --replay DIR").into());
        }
        "replay" => model,
        _ => ModelArgs { model: Some(named.to_owned()), validator: Some("none".to_owned()), replay: None, ..model },
    };
    match model::find(&args, &loadout.config, None)? {
        Found::Ready(ready) => match ready.missing_key() {
            Some(variable) => Err(Failure::Incomplete(anyhow!("the judge's key is missing: set {variable}"))),
            None => Ok(Some(ready)),
        },
        Found::Nobody => Err(anyhow!("`none` is no judge: write lexical, replay or PROVIDER/NAME").into()),
        Found::WithoutKey(why) => Err(Failure::Incomplete(anyhow!(why))),
    }
}

fn likeness(
    args: &JudgingArgs,
    dataset: &Dataset,
    answers: &[Answer],
    already: &[Judgement],
    keep: &Appender,
) -> Result<(), Failure> {
    let vectors;
    let embed = match &args.embed {
        None => Embed::Lexical,
        Some(program) => {
            vectors = |texts: &[&str]| super::embed::vectors(program, texts);
            Embed::Program { name: format!("program {}", program.display()), vectors: &vectors }
        }
    };
    let found = judge::similarities(dataset, answers, &embed, already).map_err(|why| anyhow!("similarity: {why}"))?;
    found.iter().try_for_each(|record| keep.append(record)).map_err(anyhow::Error::from)?;
    Ok(())
}

/// The protocols that were asked for, or those that the dataset knows faults for.
fn protocols(args: &JudgingArgs, dataset: &Dataset) -> Vec<&'static Protocol> {
    if !args.protocol.is_empty() {
        return args.protocol.iter().filter_map(|name| find(name)).collect();
    }
    PROTOCOLS.iter().filter(|protocol| dataset.cases.iter().any(|case| (protocol.knows)(case))).collect()
}

/// Lends environment, clock and bar.
fn with_lent<T>(bar: &Bar, what: &'static str, work: impl FnOnce(&Lent<'_>) -> T) -> T {
    let tell = |done, all| bar.step(done, all, what);
    work(&Lent { env: &env::var, now: &Instant::now, tell: &tell })
}

/// What decides the answers of this run.
fn described(args: &RunArgs, dataset: &Dataset, loadout: &Loadout, model: Option<&Model<'_>>) -> Run {
    let mut configuration = BTreeMap::from([
        ("config".to_owned(), loadout.origin.config.clone().into()),
        ("packs".to_owned(), loadout.origin.packs.clone().into()),
        ("policy".to_owned(), loadout.identity.clone().into()),
        ("samples".to_owned(), args.samples.into()),
        ("model".to_owned(), "none".into()),
    ]);
    if let Some(model) = model {
        let name = model.names.name.as_deref().map(|name| format!("/{name}")).unwrap_or_default();
        configuration.insert("model".to_owned(), format!("{}{name}", model.names.provider).into());
        configuration.insert("validator".to_owned(), model.names.validator.clone().into());
        configuration.insert("passes".to_owned(), model.passes.into());
        let strategy = if model.strategy == Strategy::Single { "single" } else { "reflexion" };
        configuration
            .insert("strategy".to_owned(), args.strategy.map_or(strategy, StrategyName::name).to_owned().into());
        configuration.insert("context".to_owned(), format!("{:?}", loadout.config.layers).into());
        configuration.insert("agent".to_owned(), args.agent.as_deref().unwrap_or("diffsieve").into());
        let prompts = if args.agent.is_some() { agent::VERSION.to_owned() } else { PROMPTS.join(" ") };
        configuration.insert("prompts".to_owned(), prompts.into());
        configuration.insert("chunk_tokens".to_owned(), model.chunk_tokens.into());
    }
    Run {
        dataset: dataset.manifest.name.clone(),
        digest: dataset.manifest.digest.clone(),
        folder: std::path::absolute(&args.dataset).ok().map(|path| path.to_string_lossy().into_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        configuration,
        ..Run::default()
    }
}

/// Says what came of it.
fn told(answers: &[Answer]) -> Exit {
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    let (failed, unparsable) = (count(Status::Failed), count(Status::Unparsable));
    let comments: usize = answers.iter().map(|answer| answer.comments.len()).sum();
    output::say(&format!(
        "{} answers with {comments} comments: {} complete, {} incomplete, {unparsable} unparsable, {failed} failed",
        answers.len(),
        count(Status::Complete),
        count(Status::Incomplete),
    ));
    for answer in answers.iter().filter(|answer| answer.status == Status::Failed).take(10) {
        output::say(&format!("{}: {}", answer.case, visible(answer.why.as_deref().unwrap_or("no reason is known"))));
    }
    if failed == 0 {
        return Exit::Passed;
    }
    output::say("run it again to ask for the failed ones alone");
    Exit::Incomplete
}
