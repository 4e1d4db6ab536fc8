//! `diffsieve dataset bench`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::bench::{Quota, bench};
use diffsieve::escape::visible;
use diffsieve::record::Dataset;

use super::asking::{made, new_folder};
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Datasets to draw from
    #[arg(required = true, value_name = "DATASET")]
    datasets: Vec<PathBuf>,
    /// How many faulty and clean changes of each language
    #[arg(long, value_name = "BUGGY:CLEAN", default_value = "450:50", value_parser = quota)]
    per_lang: Quota,
    /// Only these languages
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    languages: Vec<String>,
    /// Another seed draws other cases
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Write the benchmark into this new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn quota(text: &str) -> Result<Quota, String> {
    Quota::parse(text).ok_or_else(|| "write two numbers, such as 450:50".to_owned())
}

pub(super) fn run(args: &BenchArgs) -> Result<Exit, Failure> {
    new_folder(&args.out)?;
    let sources: Result<Vec<Dataset>, _> = args.datasets.iter().map(|folder| Dataset::open(folder)).collect();
    let sources = sources.map_err(anyhow::Error::from)?;
    let drawn = bench(&sources, &args.languages, args.per_lang, args.seed, &args.out).map_err(anyhow::Error::from)?;
    let mut text = format!("{} cases, digest {}\n", drawn.dataset.cases.len(), drawn.dataset.manifest.digest);
    for row in &drawn.rows {
        let short = if row.taken < row.wanted { format!(", {} short", row.wanted - row.taken) } else { String::new() };
        let (language, kind) = (visible(&row.language), row.kind);
        text.push_str(&format!("{language:<12} {kind:<5} {} of {} there{short}\n", row.taken, row.there));
    }
    if drawn.unlabelled > 0 {
        text.push_str(&format!("{} cases are neither known to be faulty nor clean: not drawn\n", drawn.unlabelled));
    }
    print(&text)?;
    Ok(made(drawn.dataset.cases.len(), Exit::Passed))
}
