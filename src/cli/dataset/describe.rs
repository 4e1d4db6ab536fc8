//! `diffsieve dataset describe`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::asking::Log;
use diffsieve::dataset::describe::describe;
use diffsieve::dataset::reasons;
use diffsieve::record::Dataset;

use super::asking::{self, AskArgs};
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, print};

#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    /// A dataset whose cases have a bug and, as the fact `fix`, the commit that mended it
    dataset: PathBuf,
    /// Write the described cases into this new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    ask: AskArgs,
}

pub(super) fn run(args: &DescribeArgs) -> Result<Exit, Failure> {
    asking::new_folder(&args.out)?;
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    let rules = asking::rules()?;
    let context = asking::context(&rules)?;
    let mut log = Log::open(&args.dataset).map_err(anyhow::Error::from)?;
    let done = asking::with(&args.ask, |asker| {
        Ok(describe(&dataset, &context, &env::var, asker, &mut log, &args.out).map_err(anyhow::Error::from)?)
    })?;
    let mut text = match &done.dataset {
        Some(written) => format!("{} cases described", written.cases.len()),
        None => "nothing is written yet".to_owned(),
    };
    text.push_str(&format!(
        ", {} left out, {} without an answer; {} answers are new\n",
        done.rejected.len(),
        done.missing.len(),
        done.answered
    ));
    if !done.rejected.is_empty() {
        text.push_str(&format!("left out: {}\n", reasons(&done.rejected)));
    }
    print(&text)?;
    let exit = asking::told(&done.missing, &[]);
    Ok(done.dataset.map_or(exit, |written| asking::made(written.cases.len(), exit)))
}
