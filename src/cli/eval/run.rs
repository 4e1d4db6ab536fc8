//! `diffsieve eval run`: answers, kept so that they can be judged, and more at once where a judge is named.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use diffsieve::context::{Form, Layers};
use diffsieve::escape::visible;
use diffsieve::eval::agent::{self, Agent};
use diffsieve::eval::run::{Extent, Reviewer};
use diffsieve::record::{Answer, Dataset, Run, Status};
use diffsieve::review::model::{Model, PROMPTS, Progress, Strategy, Tone};
use diffsieve::rules::Examples;

use super::folder::{self, Folder};
use super::judge::{Judging, JudgingArgs, judging, with_lent};
use super::report;
use crate::cli::args::{FormName, LayersName, ModelArgs, TreeArgs};
use crate::cli::exit::Exit;
use crate::cli::model::{self, Found};
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
    /// What the model is told beside the diff [default: what the configuration says; an agent: none]
    #[arg(long, value_enum, value_name = "LAYERS", ignore_case = true)]
    context: Option<LayersName>,
    /// How the diff is written for the model; `cqs` and `plain` are there to be compared with `marked`
    #[arg(long, value_enum, value_name = "FORM", default_value = "marked", conflicts_with = "agent")]
    diff_format: FormName,
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
    place: TreeArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    judging: JudgingArgs,
    /// With --judge: write a report as FORMAT, to PATH or standard output; repeatable (see `eval report`)
    #[arg(long, value_name = "FORMAT[=PATH]", requires = "judge")]
    report: Vec<OsString>,
    /// Only say what would be run
    #[arg(long)]
    dry_run: bool,
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
    match args.context {
        Some(layers) => loadout.config.layers = layers.layers(),
        // The papers' agents see the diff alone unless a run is about what else they could be told.
        None if args.agent.is_some() => loadout.config.layers = Layers::None,
        None => {}
    }
    loadout.config.model.time = Duration::from_secs(args.seconds.into());
    let ready = match model::find(&args.model, &loadout.config, None)? {
        Found::Ready(ready) => Some(ready),
        Found::Nobody => None,
        Found::WithoutKey(why) => return Err(Failure::Incomplete(anyhow!(why))),
    };
    let is_about_a_model = args.agent.is_some()
        || args.strategy.is_some()
        || args.context.is_some()
        || args.diff_format != FormName::Marked;
    if ready.is_none() && is_about_a_model {
        let why =
            "--agent, --strategy, --context and --diff-format are about a model: name one with --model or --replay";
        return Err(anyhow!(why).into());
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
    if let Some(model) = &mut model {
        model.form = args.diff_format.form();
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
    let whole = told(&answers, "run it again to ask for these alone");
    if args.judging.judge.is_none() {
        return Ok(whole);
    }
    let judge_model = ModelArgs {
        cache: args.model.cache.clone(),
        record: args.model.record.clone(),
        replay: args.model.replay.clone(),
        ..ModelArgs::default()
    };
    let how = Judging { jobs, removed: false };
    let judged = judging(&args.judging, &folder, &dataset, &answers, &loadout, judge_model, how)?;
    if judged == Exit::Passed && !args.report.is_empty() {
        report::of_run(&args.out, &args.dataset, &args.report)?;
    }
    Ok(if whole == Exit::Passed { judged } else { whole })
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
        configuration.insert("context".to_owned(), loadout.config.layers.name().into());
        configuration.insert("agent".to_owned(), args.agent.as_deref().unwrap_or("diffsieve").into());
        let prompts = if args.agent.is_some() { agent::VERSION.to_owned() } else { PROMPTS.join(" ") };
        configuration.insert("prompts".to_owned(), prompts.into());
        // The usual one is not named: runs that were made before there was another go on, and compare.
        if args.agent.is_none() && model.tone != Tone::default() {
            configuration.insert("tone".to_owned(), model.tone.name().into());
        }
        if model.form != Form::Marked {
            configuration.insert("diff_format".to_owned(), model.form.name().into());
        }
        configuration.insert("chunk_tokens".to_owned(), model.chunk_tokens.into());
    }
    folder::about(dataset, &args.dataset, configuration)
}

/// Says what came of it, and where something is open, how to `go_on`.
pub(super) fn told(answers: &[Answer], go_on: &str) -> Exit {
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    let (failed, unparsable, incomplete) =
        (count(Status::Failed), count(Status::Unparsable), count(Status::Incomplete));
    let comments: usize = answers.iter().map(|answer| answer.comments.len()).sum();
    output::say(&format!(
        "{} answers with {comments} comments: {} complete, {incomplete} incomplete, {unparsable} unparsable, {failed} failed",
        answers.len(),
        count(Status::Complete),
    ));
    let is_open = |answer: &&Answer| matches!(answer.status, Status::Failed | Status::Incomplete);
    for answer in answers.iter().filter(is_open).take(10) {
        output::say(&format!("{}: {}", answer.case, visible(answer.why.as_deref().unwrap_or("no reason is known"))));
    }
    if failed + incomplete == 0 {
        return Exit::Passed;
    }
    output::say(go_on);
    Exit::Incomplete
}
