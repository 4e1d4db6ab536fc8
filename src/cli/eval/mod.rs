//! `diffsieve eval`: what is this reviewer worth on our code?

mod agreement;
mod compare;
mod draws;
mod embed;
mod folder;
mod run;
mod score;
mod study;
mod tone;

use clap::Subcommand;
use diffsieve::eval::PROTOCOLS;

use super::Failure;
use super::exit::Exit;

#[derive(Debug, Subcommand)]
pub(super) enum EvalCommand {
    /// Review every case of a dataset and keep the answers
    Run(Box<run::RunArgs>),
    /// Let a judge decide about the answers of a run and keep the decisions
    Judge(Box<run::JudgeArgs>),
    /// Score a run from its saved answers and decisions, or a bare input
    Score(Box<score::ScoreArgs>),
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
        EvalCommand::Judge(args) => run::judge(&args),
        EvalCommand::Score(args) => score::run(&args),
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
