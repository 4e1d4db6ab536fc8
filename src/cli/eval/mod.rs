//! `diffsieve eval`: what is this reviewer worth on our code?

mod ablate;
mod agreement;
mod compare;
mod draws;
mod embed;
mod folder;
mod import;
mod judge;
mod report;
mod run;
mod score;
mod study;
mod tone;
mod variants;

use clap::Subcommand;
use diffsieve::eval::PROTOCOLS;

use super::Failure;
use super::exit::Exit;

#[derive(Debug, Subcommand)]
pub(super) enum EvalCommand {
    /// Review every case of a dataset and keep the answers
    Run(Box<run::RunArgs>),
    /// Take in the answers of another reviewer, from SARIF or as records, to measure it in the same way
    Import(import::ImportArgs),
    /// Let a judge decide about the answers of a run and keep the decisions
    Judge(Box<judge::JudgeArgs>),
    /// Score a run from its saved answers and decisions, or a bare input
    Score(Box<score::ScoreArgs>),
    /// Put together what came of one or several runs, with intervals and plots
    Report(report::ReportArgs),
    /// Score a run as if the later stages of the review were off, stage by stage
    Ablate(ablate::AblateArgs),
    /// Count how the comments of a run speak, and name those that order or praise
    Tone(tone::ToneArgs),
    /// List the protocols
    Protocols,
    /// How far raters agree: kappa of labels; mean opinion score and intraclass correlation of numbers
    Agreement(Box<agreement::AgreementArgs>),
    /// Compare two runs over the same cases: paired intervals of every measure, known faults one by one
    Compare(Box<compare::CompareArgs>),
    /// How well the scores of a judge foresee thumbs up and down (Code Quality Score)
    JudgeStudy(study::StudyArgs),
}

pub(super) fn run(command: EvalCommand) -> Result<Exit, Failure> {
    match command {
        EvalCommand::Run(args) => run::run(&args),
        EvalCommand::Import(args) => import::run(&args),
        EvalCommand::Judge(args) => judge::run(&args),
        EvalCommand::Score(args) => score::run(&args),
        EvalCommand::Report(args) => report::run(&args),
        EvalCommand::Ablate(args) => ablate::run(&args),
        EvalCommand::Tone(args) => tone::run(&args),
        EvalCommand::Agreement(args) => agreement::run(&args),
        EvalCommand::Compare(args) => compare::run(&args),
        EvalCommand::JudgeStudy(args) => study::run(&args),
        EvalCommand::Protocols => {
            let lines = PROTOCOLS.iter().map(|protocol| format!("{:<12} {}\n", protocol.name, protocol.help));
            super::print(&lines.collect::<String>())
        }
    }
}

/// Prints a document for programs.
fn print_json(document: &impl serde::Serialize) -> Result<Exit, Failure> {
    let mut text = serde_json::to_string_pretty(document).map_err(anyhow::Error::from)?;
    text.push('\n');
    super::print(&diffsieve::escape::json(&text))
}
