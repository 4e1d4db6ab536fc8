//! `diffsieve eval`: what is this reviewer worth on our code?

use clap::Subcommand;
use diffsieve::eval::PROTOCOLS;

use super::Failure;
use super::exit::Exit;

#[derive(Debug, Subcommand)]
pub(super) enum EvalCommand {
    /// List the protocols
    Protocols,
}

pub(super) fn run(command: EvalCommand) -> Result<Exit, Failure> {
    match command {
        EvalCommand::Protocols => {
            let lines = PROTOCOLS.iter().map(|protocol| format!("{:<12} {}\n", protocol.name, protocol.help));
            super::print(&lines.collect::<String>())
        }
    }
}
