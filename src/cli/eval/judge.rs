//! `diffsieve eval judge`: decisions about the answers of a run, kept so that scores can be computed from them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use diffsieve::context::{Context, Options};
use diffsieve::escape::visible;
use diffsieve::eval::judge::{self, Docket, Embed, Judge};
use diffsieve::eval::run::Lent;
use diffsieve::eval::scoring::Choice;
use diffsieve::eval::{PROTOCOLS, Protocol, find};
use diffsieve::record::{self, Answer, Appender, Dataset, Judgement};
use diffsieve::review::model::{Budget, Purse, Talk};
use diffsieve::rules::Examples;

use super::folder::{self, Folder};
use super::score;
use crate::cli::args::{ModelArgs, TreeArgs};
use crate::cli::exit::Exit;
use crate::cli::model::{self, Found, Ready};
use crate::cli::policy::{self, Loadout};
use crate::cli::progress::Bar;
use crate::cli::{Failure, env, output};

/// The judge whose decisions were recorded.
const REPLAY: &str = "replay";

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
    place: TreeArgs,
    #[command(flatten)]
    judging: JudgingArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct JudgingArgs {
    /// Who judges: lexical (by words, without a model), replay, or PROVIDER/NAME; another model than the reviewer's
    #[arg(long, value_name = "JUDGE")]
    pub(super) judge: Option<String>,
    /// Judge by this protocol; repeatable [default: every one that the dataset has known faults for]
    #[arg(long, value_name = "PROTOCOL", value_parser = clap::builder::PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: Vec<String>,
    /// Measure similarity with this program: it reads {"texts": [...]} and writes {"vectors": [[...]]} [default: by words]
    #[arg(long, value_name = "PROGRAM")]
    embed: Option<PathBuf>,
    /// Most characters of a diff that a judge is shown, where the protocol shows one; whole parts, the rest is named
    #[arg(long, value_name = "NUMBER", default_value_t = judge::DIFF_CHARS)]
    judge_diff: usize,
    /// Most requests to the judge
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    judge_requests: u64,
}

pub(super) fn run(args: &JudgeArgs) -> Result<Exit, Failure> {
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
pub(super) struct Judging {
    pub(super) jobs: usize,
    pub(super) removed: bool,
}

/// Judges by every protocol that is asked for, and scores what is judged whole.
pub(super) fn judging(
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
    let reviewer = folder.run.configuration.get("model").and_then(serde_json::Value::as_str);
    // Who gave recorded answers is not known here.
    let is_known = named != REPLAY;
    if let Some(ready) = opened.as_ref().filter(|ready| is_known && reviewer == Some(ready.name().as_str())) {
        output::say(&format!(
            "{} judges its own answers: a judge should be another model than the reviewer",
            ready.name()
        ));
    }
    let context = Context::new(&loadout.rules, Options::default()).map_err(anyhow::Error::from)?;
    let purse = Purse::new(Budget { requests: args.judge_requests, tokens: u64::MAX / 4 });
    let judge = match &opened {
        None => Judge::Lexical,
        Some(ready) => Judge::Model {
            talk: Talk::new(ready.collector(), &purse),
            context: &context,
            name: ready.name(),
            diff_chars: args.judge_diff,
        },
    };
    let latest = Instant::now() + loadout.config.model.time;
    let all = record::standing(folder.judgements()?, answers);
    let keep = folder.appender(folder::JUDGEMENTS).map_err(anyhow::Error::from)?;
    let mut undecided = Vec::new();
    let docket = Docket { dataset, answers, removed: how.removed };
    let protocols = protocols(args, dataset);
    for protocol in &protocols {
        let bar = Bar::new(false);
        let judged = with_lent(&bar, "answers judged", |lent| {
            judge::judge(protocol, docket, &judge, all.clone(), how.jobs, &keep, lent)
        });
        bar.finish();
        undecided.extend(judged.map_err(anyhow::Error::from)?.undecided);
        if protocol.name == "swe-prbench" {
            likeness(args, docket, &all, &keep, latest)?;
        }
    }
    drop(keep);
    folder.tidy_judgements(answers)?;
    undecided.sort();
    undecided.dedup();
    for line in undecided.iter().take(10) {
        output::say(&format!("not judged: {}", visible(line)));
    }
    if undecided.is_empty() {
        let choice = Choice { judge: Some(judge.name()), similarity: Some(similarity(args)), ..Choice::default() };
        return score::keep(folder, dataset, &protocols, &choice);
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
        REPLAY if model.replay.is_none() => {
            return Err(anyhow!("--judge replay needs --replay DIR").into());
        }
        REPLAY => model,
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

/// Asks the program of `--embed`, if there is one.
fn likeness(
    args: &JudgingArgs,
    docket: Docket<'_>,
    already: &[Judgement],
    keep: &Appender,
    latest: Instant,
) -> Result<(), Failure> {
    let Some(program) = &args.embed else { return Ok(()) };
    let vectors = |texts: &[&str]| super::embed::vectors(program, texts, latest);
    let embed = Embed { name: similarity(args), vectors: &vectors };
    let found = judge::similarities(docket, &embed, already).map_err(|why| anyhow!("similarity: {why}"))?;
    found.iter().try_for_each(|record| keep.append(record)).map_err(anyhow::Error::from)?;
    Ok(())
}

/// Who measures similarity.
fn similarity(args: &JudgingArgs) -> String {
    args.embed.as_ref().map_or_else(|| judge::LEXICAL.to_owned(), |program| format!("program {}", program.display()))
}

/// The protocols that were asked for, or those that the dataset knows faults for.
fn protocols(args: &JudgingArgs, dataset: &Dataset) -> Vec<&'static Protocol> {
    if !args.protocol.is_empty() {
        return args.protocol.iter().filter_map(|name| find(name)).collect();
    }
    PROTOCOLS.iter().filter(|protocol| dataset.cases.iter().any(|case| (protocol.knows)(case))).collect()
}

/// Lends environment, clock and bar.
pub(super) fn with_lent<T>(bar: &Bar, what: &'static str, work: impl FnOnce(&Lent<'_>) -> T) -> T {
    let tell = |done, all| bar.step(done, all, what);
    work(&Lent { env: &env::var, now: &Instant::now, tell: &tell })
}
