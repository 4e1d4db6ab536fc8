//! `diffsieve eval score`: numbers from saved records, or from a bare input.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use diffsieve::eval::scoring::{self, Choice, Records};
use diffsieve::eval::{PROTOCOLS, Protocol, input, table};
use diffsieve::record::Dataset;

use super::folder::{self, Folder};
use super::print_json;
use super::variants::VariantArgs;
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, print, shown};

/// Largest input that is read.
const LARGEST: u64 = 1 << 28;

#[derive(Debug, Args)]
pub(in crate::cli) struct ScoreArgs {
    /// The folder of a run
    #[arg(required_unless_present = "input", conflicts_with = "input")]
    run: Option<PathBuf>,
    /// By which protocol
    #[arg(long, value_name = "PROTOCOL", value_parser = PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: String,
    /// Score the protocol's bare input in FILE, or - for standard input, instead of a run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "judge", "similarity", "by", "allow_failed", "text_metrics"])]
    input: Option<PathBuf>,
    /// The folder of the dataset [default: where it was when the run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// How to write the scores [default: text of a run, json of an input]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormName>,
    #[command(flatten)]
    variants: VariantArgs,
    /// Cross these axes too, such as category,severity; repeatable: category, impact, severity, language, difficulty, operator
    #[arg(long, value_name = "AXIS,AXIS")]
    by: Vec<String>,
    /// Keep the document in the folder of the run, where `eval report` looks for it
    #[arg(long, requires = "run")]
    keep: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// A table for people
    Text,
    /// The whole document
    Json,
}

pub(super) fn run(args: &ScoreArgs) -> Result<Exit, Failure> {
    args.variants.check(&args.protocol)?;
    match (&args.input, &args.run) {
        (Some(file), _) => bare(args, file),
        (None, Some(folder)) => of_run(args, folder),
        // Arguments without both are refused before.
        (None, None) => Err(anyhow!("name the folder of a run, or --input").into()),
    }
}

fn of_run(args: &ScoreArgs, folder: &Path) -> Result<Exit, Failure> {
    let run = Folder::open(folder)?;
    let dataset = folder::spoken(run.dataset(args.dataset.as_deref())?);
    let records = Records::open(folder);
    let records = records.map_err(anyhow::Error::from)?;
    let crossed = args.by.iter().map(|axes| axes.split(',').map(str::to_owned).collect()).collect();
    let choice = Choice { crossed, ..args.variants.choice() };
    let scores = match scoring::scores(&args.protocol, &dataset, &records, &choice) {
        Ok(scores) => scores,
        Err(error) if error.is_incomplete() => {
            output::say(&error.to_string());
            return Ok(Exit::Incomplete);
        }
        Err(error) => return Err(anyhow::Error::from(error).into()),
    };
    if args.keep {
        run.keep_scores(&args.protocol, &scores)?;
    }
    match args.format {
        Some(FormName::Json) => print_json(&scores),
        Some(FormName::Text) | None => print(&table::scores(&scores)),
    }
}

/// Scores a run by protocols, keeps the documents in its folder and prints their measures.
pub(super) fn keep(
    folder: &Folder,
    dataset: &Dataset,
    protocols: &[&Protocol],
    choice: &Choice,
) -> Result<Exit, Failure> {
    let records = Records::open(&folder.path).map_err(anyhow::Error::from)?;
    let dataset = &folder::spoken(dataset.clone());
    let mut exit = Exit::Passed;
    for protocol in protocols {
        match scoring::scores(protocol.name, dataset, &records, choice) {
            Ok(scores) => {
                folder.keep_scores(protocol.name, &scores)?;
                print(&format!("{}\n", table::head(&scores)))?;
            }
            Err(error) if error.is_incomplete() => {
                output::say(&format!("{}: {error}", protocol.name));
                exit = Exit::Incomplete;
            }
            Err(error) => return Err(anyhow::Error::from(error).into()),
        }
    }
    Ok(exit)
}

fn bare(args: &ScoreArgs, file: &Path) -> Result<Exit, Failure> {
    let is_stdin = file.as_os_str() == "-";
    let name = if is_stdin { "standard input".to_owned() } else { format!("`{}`", shown(file)) };
    let cannot = || format!("{name} cannot be read");
    let mut bytes = Vec::new();
    let read = if is_stdin {
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.with_context(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(anyhow!("{name} has more than {LARGEST} bytes, which is most that is read").into());
    }
    let scores =
        input::score(&args.protocol, &bytes, &args.variants.variants()).map_err(anyhow::Error::from).context(name)?;
    match args.format {
        Some(FormName::Text) => print(&table::bare(&scores)),
        Some(FormName::Json) | None => print_json(&scores),
    }
}
