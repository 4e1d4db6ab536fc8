//! `diffsieve dataset freeze`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::freeze::freeze;
use diffsieve::dataset::{REJECTED, reasons};
use diffsieve::record::{self, Dataset};

use super::asking::{made, new_folder};
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct FreezeArgs {
    /// The folder of a dataset
    dataset: PathBuf,
    /// Write the dataset that needs no repository into this new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn run(args: &FreezeArgs) -> Result<Exit, Failure> {
    new_folder(&args.out)?;
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    let frozen = freeze(&dataset, &args.out, &env::var).map_err(anyhow::Error::from)?;
    let mut text = format!("{} cases, digest {}\n", frozen.dataset.cases.len(), frozen.dataset.manifest.digest);
    if !frozen.rejected.is_empty() {
        record::write(&args.out.join(REJECTED), &frozen.rejected).map_err(anyhow::Error::from)?;
        text.push_str(&format!(
            "{} cannot be kept as whole files ({}), see {REJECTED}\n",
            frozen.rejected.len(),
            reasons(&frozen.rejected)
        ));
    }
    print(&text)?;
    Ok(made(frozen.dataset.cases.len(), Exit::Passed))
}
