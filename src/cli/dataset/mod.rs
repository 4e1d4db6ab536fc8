//! `diffsieve dataset`: changes with known faults, to measure reviewers by.

mod asking;
mod bench;
mod check;
mod clean;
mod collect;
mod cqs_sft;
mod cr_bench;
mod describe;
mod export;
mod freeze;
mod history;
mod import;
mod label;
mod mutate;
mod screen;
mod sphinx;

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
    /// Copy a dataset without what must not be handed on: credentials, code without a licence, harmful content
    Screen(Box<screen::ScreenArgs>),
    /// Put one known fault each into real changes; the change without it is the clean twin
    Mutate(Box<mutate::MutateArgs>),
    /// Write count and digest of a dataset's cases into its manifest, after they were edited on purpose
    Seal {
        /// Its folder
        dataset: PathBuf,
    },
    /// Make reviews of synthetic mistakes from merged changes, stage by stage (Sphinx)
    Sphinx(sphinx::SphinxArgs),
    /// Say of known bugs whether a review could have prevented them, what they are, and how bad (CR-Bench)
    Describe(describe::DescribeArgs),
    /// Let people label what is known of cases, and keep what they agree on
    Label(label::LabelArgs),
    /// Draw a benchmark with so many faulty and clean changes of each language
    Bench(bench::BenchArgs),
    /// Copy the files of each change into the dataset, so that it needs no repository any more
    Freeze(freeze::FreezeArgs),
    /// Take in a dataset that others published
    Import(import::ImportArgs),
    /// Write training data in the formats of TRL, with the recipes of the papers
    Export(export::ExportArgs),
    /// Make training data for an issue collector of people's review comments (Code Quality Score)
    CqsSft(cqs_sft::CqsSftArgs),
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
        DatasetCommand::Screen(args) => screen::run(&args),
        DatasetCommand::Mutate(args) => mutate::run(&args),
        DatasetCommand::Seal { dataset } => check::seal(&dataset),
        DatasetCommand::Sphinx(args) => sphinx::run(&args),
        DatasetCommand::Describe(args) => describe::run(&args),
        DatasetCommand::Label(args) => label::run(&args),
        DatasetCommand::Bench(args) => bench::run(&args),
        DatasetCommand::Freeze(args) => freeze::run(&args),
        DatasetCommand::Import(args) => import::run(&args),
        DatasetCommand::Export(args) => export::run(&args),
        DatasetCommand::CqsSft(args) => cqs_sft::run(&args),
        DatasetCommand::CrBench(args) => cr_bench::run(&args),
        DatasetCommand::Collect(args) => collect::run(&args),
        DatasetCommand::Clean(args) => clean::run(&args),
    }
}
