//! `diffsieve dataset`: changes with known faults, to measure reviewers by.

mod check;
mod mutate;
mod screen;

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
    /// Take out of a dataset what must not be handed on: credentials, code without a licence, harmful content
    Screen(Box<screen::ScreenArgs>),
    /// Put one known fault each into real changes; the change without it is the clean twin
    Mutate(Box<mutate::MutateArgs>),
    /// Write count and digest of a dataset's cases into its manifest, after they were edited on purpose
    Seal {
        /// Its folder
        dataset: PathBuf,
    },
}

pub(super) fn run(command: DatasetCommand) -> Result<Exit, Failure> {
    match command {
        DatasetCommand::Check { dataset } => check::check(&dataset),
        DatasetCommand::Screen(args) => screen::run(&args),
        DatasetCommand::Mutate(args) => mutate::run(&args),
        DatasetCommand::Seal { dataset } => check::seal(&dataset),
    }
}
