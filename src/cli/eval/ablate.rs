//! `diffsieve eval ablate`: what each stage of the reviewer is worth.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use diffsieve::escape::visible;
use diffsieve::eval::ablate::Ablation;
use diffsieve::eval::score::Scores;
use diffsieve::eval::scoring::{self, Choice, Records};
use diffsieve::eval::{Error, PROTOCOLS};
use diffsieve::record;

use super::folder::Folder;
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct AblateArgs {
    /// The folder of a run whose removed comments were judged too (`eval judge --removed`)
    run: PathBuf,
    /// By which protocol; sphinx judges a review as a whole and cannot take one apart
    #[arg(long, value_name = "PROTOCOL", value_parser = PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: String,
    /// The folder of the dataset [default: where it was when the run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Whose decisions count, where several judges decided [default: as in the run's saved scores]
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// Print the document, which is also saved in the run's folder, instead of a table
    #[arg(long)]
    json: bool,
}
