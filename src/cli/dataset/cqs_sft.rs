//! `diffsieve dataset cqs-sft`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::asking::Log;
use diffsieve::dataset::{cqs_sft, reasons};

use super::asking::{self, AskArgs};
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct CqsSftArgs {
    /// Review comments, as `gh api --paginate repos/OWNER/NAME/pulls/comments` prints them
    #[arg(long, value_name = "FILE")]
    comments: PathBuf,
    /// Pull requests, as `gh api --paginate 'repos/OWNER/NAME/pulls?state=all'` prints them: tells changes of bots and trials
    #[arg(long, value_name = "FILE")]
    pulls: Option<PathBuf>,
    /// Let a model grade and rewrite what the rules let through
    #[arg(long, value_name = "STAGE", value_parser = ["grade"])]
    stage: Option<String>,
    /// Write train.jsonl into this folder; answers of earlier runs in it are used
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    ask: AskArgs,
}

pub(super) fn run(args: &CqsSftArgs) -> Result<Exit, Failure> {
    let comments = cqs_sft::read(&args.comments).map_err(anyhow::Error::from)?;
    let pulls = args.pulls.as_deref().map(cqs_sft::read).transpose().map_err(anyhow::Error::from)?;
    let mut filtered =
        cqs_sft::filter(&args.comments, &comments, &pulls.unwrap_or_default()).map_err(anyhow::Error::from)?;
    let rules = asking::rules()?;
    let context = asking::context(&rules)?;
    let mut text = format!("{} of {} comments pass the rules", filtered.candidates.len(), comments.len());
    if !filtered.rejected.is_empty() {
        text.push_str(&format!(" ({})", reasons(&filtered.rejected)));
    }
    text.push('\n');
    let mut exit = Exit::Passed;
    let mut log = None;
    if args.stage.is_some() {
        let mut own = Log::open(&args.out).map_err(anyhow::Error::from)?;
        let (outcome, _) = asking::with(&args.ask, |asker| {
            Ok(cqs_sft::grade(&filtered.candidates, &context, asker, &mut own).map_err(anyhow::Error::from)?)
        })?;
        text.push_str(&format!(
            "{} graded now, {} before, {} without an answer\n",
            outcome.answered,
            outcome.known,
            outcome.missing.len()
        ));
        exit = asking::told(&outcome.missing, &[]);
        log = Some(own);
    }
    filtered.candidates.sort_by(|one, other| (one.pull, &one.id).cmp(&(other.pull, &other.id)));
    let rows = cqs_sft::write(&filtered, &context, log.as_ref(), &args.out).map_err(anyhow::Error::from)?;
    text.push_str(&format!("{rows} rows, one for each pull request\n"));
    print(&text)?;
    // While answers are missing, no row says nothing.
    Ok(if exit == Exit::Passed { asking::made(rows, exit) } else { exit })
}
