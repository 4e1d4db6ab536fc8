//! `diffsieve dataset import`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::import::{FORMATS, Folders, find, import};
use diffsieve::dataset::reasons;
use diffsieve::record::Dataset;

use super::asking::{made, new_folder};
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[arg(help = formats(), value_parser = clap::builder::PossibleValuesParser::new(FORMATS.iter().map(|format| format.name)), hide_possible_values = true)]
    format: String,
    /// The file or folder
    path: PathBuf,
    /// Write the dataset into this new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where clones are, as OWNER/NAME, OWNER__NAME or NAME
    #[arg(long, value_name = "DIR")]
    repositories: Option<PathBuf>,
    /// Where diffs of pull requests are, as OWNER__NAME__NUMBER.diff
    #[arg(long, value_name = "DIR")]
    patches: Option<PathBuf>,
}

fn formats() -> String {
    let lines = FORMATS.iter().map(|format| format!("\n{}: {}", format.name, format.help));
    format!("What it is:{}", lines.collect::<String>())
}

pub(super) fn run(args: &ImportArgs) -> Result<Exit, Failure> {
    new_folder(&args.out)?;
    let format = find(&args.format).ok_or_else(|| anyhow::anyhow!("there is no such format"))?;
    let folders = Folders { repositories: args.repositories.clone(), patches: args.patches.clone() };
    let (Dataset { cases, .. }, rejected) =
        import(format, &args.path, &folders, &args.out).map_err(anyhow::Error::from)?;
    let comments: usize = cases.iter().map(|case| case.comments.len()).sum();
    let bugs: usize = cases.iter().map(|case| case.bugs.len()).sum();
    let mut text = format!("{} cases, {comments} comments, {bugs} bugs; {} left out", cases.len(), rejected.len());
    if !rejected.is_empty() {
        text.push_str(&format!(" ({}), see rejected.jsonl", reasons(&rejected)));
    }
    text.push('\n');
    print(&text)?;
    Ok(made(cases.len(), Exit::Passed))
}
