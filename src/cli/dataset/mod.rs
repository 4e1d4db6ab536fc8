//! `diffsieve dataset`: changes with known faults, to measure reviewers by.

mod check;
mod clean;
mod collect;
mod cr_bench;
mod history;

use std::path::PathBuf;

use clap::Subcommand;

use super::Failure;
use super::exit::Exit;

#[derive(Debug, Subcommand)]
pub(super) enum DatasetCommand {
    /// Read a dataset whole and say what it holds
    Check {
        /// Its folder
        dataset: PathBuf,
    },
    /// Write count and digest of a dataset's cases into its manifest, after they were edited on purpose
    Seal {
        /// Its folder
        dataset: PathBuf,
    },
    /// Find the changes that brought the bugs which later commits of a clone mend (CR-Bench, Algorithm 1)
    CrBench(Box<cr_bench::CrBenchArgs>),
    /// Collect merged changes of a clone, by the filters of Sphinx or SWE-PRBench
    Collect(Box<collect::CollectArgs>),
    /// Find changes of a clone whose lines all stand to this day: cases without a known fault
    Clean(Box<clean::CleanArgs>),
}

pub(super) fn run(command: DatasetCommand) -> Result<Exit, Failure> {
    match command {
        DatasetCommand::Check { dataset } => check::check(&dataset),
        DatasetCommand::Seal { dataset } => check::seal(&dataset),
        DatasetCommand::CrBench(args) => cr_bench::run(&args),
        DatasetCommand::Collect(args) => collect::run(&args),
        DatasetCommand::Clean(args) => clean::run(&args),
    }
}
