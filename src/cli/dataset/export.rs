//! `diffsieve dataset export`.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use diffsieve::dataset::export::{Exporter, Kind};
use diffsieve::dataset::reasons;
use diffsieve::record::Dataset;

use super::asking::{self, new_folder};
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, print};

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The dataset; for dpo the folder of a run with several samples
    #[arg(value_name = "DATASET|RUN")]
    source: PathBuf,
    /// Format of TRL
    #[arg(long, value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(Kind::NAMES))]
    trl: String,
    /// The dataset that the run answers, for dpo
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Points between the scores of a pair, for dpo
    #[arg(long, value_name = "POINTS", default_value_t = 3, value_parser = clap::value_parser!(i64).range(1..=10))]
    delta: i64,
    /// Write train.jsonl and recipe.toml into this new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    new_folder(&args.out)?;
    let kind = Kind::parse(&args.trl).ok_or_else(|| anyhow!("there is no such kind"))?;
    let folder = match (kind, &args.dataset) {
        (Kind::Dpo, None) => return Err(anyhow!("dpo needs --dataset, whose cases the run answers").into()),
        (Kind::Dpo, Some(dataset)) => dataset,
        (_, Some(_)) => return Err(anyhow!("--dataset belongs to dpo; name the dataset itself").into()),
        (_, None) => &args.source,
    };
    let dataset = Dataset::open(folder).map_err(anyhow::Error::from)?;
    let rules = asking::rules()?;
    let context = asking::context(&rules)?;
    let exporter = Exporter { dataset: &dataset, context: &context, env: &env::var };
    let exported = match kind {
        Kind::Sft => exporter.sft(&args.out),
        Kind::Grpo => exporter.grpo(&args.out),
        Kind::Dpo => exporter.dpo(&args.source, args.delta, &args.out),
    };
    let exported = exported.map_err(anyhow::Error::from)?;
    let mut text = format!("{} rows; {} cases give none", exported.rows, exported.rejected.len());
    if !exported.rejected.is_empty() {
        text.push_str(&format!(" ({})", reasons(&exported.rejected)));
    }
    text.push('\n');
    print(&text)?;
    Ok(asking::made(exported.rows, Exit::Passed))
}
