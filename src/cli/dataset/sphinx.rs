//! `diffsieve dataset sphinx`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::asking::Log;
use diffsieve::dataset::reasons;
use diffsieve::dataset::sphinx::{Reader, Stage, build, run as stage};
use diffsieve::record::{self, Dataset};

use super::asking::{self, AskArgs};
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, print};

#[derive(Debug, Args)]
pub(crate) struct SphinxArgs {
    /// A dataset whose cases are merged changes of one file
    dataset: PathBuf,
    /// What is asked; each stage needs the one before
    #[arg(long, value_name = "STAGE", value_parser = clap::builder::PossibleValuesParser::new(Stage::ALL.map(Stage::name)))]
    stage: String,
    /// With the stage checklist, once all answers are there: write the other solutions with their checklists as a dataset
    /// into this new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    ask: AskArgs,
}

pub(super) fn run(args: &SphinxArgs) -> Result<Exit, Failure> {
    let asked = Stage::parse(&args.stage).ok_or_else(|| anyhow::anyhow!("there is no such stage"))?;
    if args.out.is_some() && asked != Stage::Checklist {
        return Err(anyhow::anyhow!("--out belongs to --stage checklist, the last one").into());
    }
    args.out.as_deref().map_or(Ok(()), asking::new_folder)?;
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    let rules = asking::rules()?;
    let context = asking::context(&rules)?;
    let mut log = Log::open(&args.dataset).map_err(anyhow::Error::from)?;
    let reader = Reader { dataset: &dataset, context: &context, env: &env::var };
    let done =
        asking::with(&args.ask, |asker| Ok(stage(&reader, asker, &mut log, asked).map_err(anyhow::Error::from)?))?;
    record::write(&args.dataset.join("sphinx-rejected.jsonl"), &done.rejected).map_err(anyhow::Error::from)?;
    let mut text = format!(
        "{}: {} answered now, {} before, {} without an answer, {} with nothing to ask, {} left out",
        asked.name(),
        done.outcome.answered,
        done.outcome.known,
        done.outcome.missing.len() + done.too_early.len(),
        done.settled,
        done.rejected.len(),
    );
    if !done.rejected.is_empty() {
        text.push_str(&format!(" ({})", reasons(&done.rejected)));
    }
    text.push('\n');
    let mut exit = asking::told(&done.outcome.missing, &done.too_early);
    // A folder that looks whole and is not would be taken for the benchmark, and would be in the way of it.
    if args.out.is_some() && exit != Exit::Passed {
        text.push_str("nothing is written yet\n");
    }
    if let Some(out) = args.out.as_ref().filter(|_| exit == Exit::Passed) {
        let built = build(&reader, &log, out).map_err(anyhow::Error::from)?;
        let clean = built.dataset.cases.iter().filter(|case| case.clean).count();
        let of = built.dataset.cases.len();
        text.push_str(&format!("{of} cases written, {clean} of them clean; {} left out", built.rejected.len()));
        if !built.rejected.is_empty() {
            text.push_str(&format!(" ({})", reasons(&built.rejected)));
        }
        text.push('\n');
        exit = asking::made(of, exit);
    }
    print(&text)?;
    Ok(exit)
}
