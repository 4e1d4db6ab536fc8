//! Who answers questions about a dataset: any provider, without a review around it.

use std::path::{Path, PathBuf};

use clap::Args;
use diffsieve::config::Who;
use diffsieve::context::{Context, Options};
use diffsieve::dataset::asking::{Asker, Missing};
use diffsieve::review::model::{Budget, Purse, Talk};
use diffsieve::rules::{Examples, Rules};

use crate::cli::args::{ModelArgs, TreeArgs};
use crate::cli::exit::Exit;
use crate::cli::model::{self, Found, Ready};
use crate::cli::progress::Bar;
use crate::cli::{Failure, output, policy};

/// Who is asked about each case.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// Ask this model, such as openai/NAME or claude [env: DIFFSIEVE_MODEL]
    #[arg(long, value_name = "PROVIDER/NAME")]
    model: Option<String>,
    /// Write each question as a file into DIR, and take the answers that lie there
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "replay"])]
    queue: Option<PathBuf>,
    /// Take every answer from DIR and ask nobody
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "record"])]
    replay: Option<PathBuf>,
    /// Also write every answer into DIR, for --replay
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Where answers are kept, or off [default: the user's cache folder] [env: DIFFSIEVE_CACHE]
    #[arg(long, value_name = "DIR|off")]
    cache: Option<PathBuf>,
    /// Most requests of this run
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    requests: u64,
    /// Most tokens of this run, read and written
    #[arg(long, value_name = "NUMBER", default_value_t = 5_000_000, value_parser = clap::value_parser!(u64).range(1_000..=10_000_000_000))]
    tokens: u64,
    /// Most minutes of this run
    #[arg(long, value_name = "NUMBER", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_080))]
    minutes: u32,
}

/// The packs that say what must not leave the machine: those of the folder we are in, over the shipped ones.
pub(super) fn rules() -> Result<Rules, Failure> {
    Ok(policy::of_work_tree(&TreeArgs::default(), Examples::Skip)?.rules)
}

/// What is shown of cases.
pub(super) fn context(rules: &Rules) -> Result<Context<'_>, Failure> {
    Ok(Context::new(rules, Options::default()).map_err(anyhow::Error::from)?)
}

/// Opens whom the arguments name and does something with it.
pub(super) fn with<T>(args: &AskArgs, work: impl FnOnce(&Asker<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
    let mut config = policy::of_work_tree(&TreeArgs::default(), Examples::Skip)?.config;
    config.model.budget = Budget { requests: args.requests, tokens: args.tokens };
    config.model.time = std::time::Duration::from_secs(u64::from(args.minutes) * 60);
    config.without_key = false;
    // Nobody gives a second opinion here.
    config.model.validator = Some(Who::default());
    let mut named = args.model.clone();
    if let Some(folder) = &args.queue {
        config.model.who = Who { provider: Some("queue"), folder: Some(folder.clone()), ..Who::default() };
        named = Some("queue".to_owned());
    }
    let model = ModelArgs {
        model: named,
        validator: None,
        no_model: false,
        cache: args.cache.clone(),
        record: args.record.clone(),
        replay: args.replay.clone(),
    };
    match model::find(&model, &config, None)? {
        Found::Ready(ready) => asked(&ready, config.model.budget, work),
        Found::Nobody | Found::WithoutKey(_) => {
            Err(anyhow::anyhow!("nobody is named who answers: use --model, --queue or --replay").into())
        }
    }
}

fn asked<T>(ready: &Ready, budget: Budget, work: impl FnOnce(&Asker<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
    let purse = Purse::new(budget);
    let talk = Talk::new(ready.collector(), &purse);
    let bar = Bar::new(false);
    let tell = |done: usize, all: usize| bar.step(done, all, "questions answered");
    let (threads, answer_tokens) = ready.pace();
    let asker = Asker { talk: &talk, by: ready.collector().identity(), threads, answer_tokens, tell: &tell };
    let done = work(&asker);
    bar.finish();
    let tally = talk.tally();
    if tally.requests > 0 {
        let spent = tally.usage.prompt_tokens.saturating_add(tally.usage.completion_tokens);
        output::say(&format!("{} requests, {spent} tokens", tally.requests));
    }
    done
}

/// Says what was not answered and gives the exit code.
pub(super) fn told(missing: &[Missing], too_early: &[String]) -> Exit {
    const SHOWN: usize = 5;
    let (waiting, failed): (Vec<&Missing>, Vec<&Missing>) = missing.iter().partition(|one| one.why == "waiting");
    if !waiting.is_empty() {
        output::say(&format!("{} questions wait in the queue: answer them there and run this again", waiting.len()));
    }
    for one in failed.iter().take(SHOWN) {
        output::say(&format!("{} ({}): {}", one.case, one.why, one.message));
    }
    if failed.len() > SHOWN {
        output::say(&format!("and {} more without an answer", failed.len() - SHOWN));
    }
    if !too_early.is_empty() {
        output::say(&format!("{} cases have no answer at the stage before", too_early.len()));
    }
    if missing.is_empty() && too_early.is_empty() { Exit::Passed } else { Exit::Incomplete }
}

/// The one rule for a builder that ran to its end and made nothing: what it wrote stays, and is no success.
pub(super) fn made(count: usize, exit: Exit) -> Exit {
    if count > 0 {
        return exit;
    }
    output::say("nothing is kept: no case and no row is written; rejected.jsonl says why, where anything was left out");
    Exit::Incomplete
}

/// A folder that is to hold something new.
///
/// # Errors
/// Something is in it.
pub(super) fn new_folder(path: &Path) -> Result<(), Failure> {
    let is_taken = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken || path.is_file() {
        let what = format!("`{}` is not empty: name a new folder", crate::cli::shown(path));
        return Err(anyhow::Error::msg(what).into());
    }
    Ok(())
}
