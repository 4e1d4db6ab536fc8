//! Arguments, wiring, exit codes, human errors. The only place that prints, exits, reads the environment or the clock.

mod args;
mod baseline;
mod cache;
mod context;
mod dataset;
mod doctor;
mod env;
mod eval;
mod exit;
mod explain;
mod hook;
mod init;
mod merge;
mod model;
mod output;
mod plan;
mod policy;
mod program;
mod progress;
mod publish;
mod review;
mod reward;
mod rules;
mod schema;
mod setup;

use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use diffsieve::document::Problem;
use diffsieve::{escape, git, scope};

use args::{Cli, Command, PublishCommand};
use exit::Exit;

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    // A panic is a bug; its message belongs to the report of the bug, not into somebody's log format.
    std::panic::set_hook(Box::new(|_| {}));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Passed };
            // Help for a closed pipe is help nobody reads.
            let _ = error.print();
            return ExitCode::from(code.code());
        }
    };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(cli)));
    let exit = match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => failure.report(),
        Err(panic) => {
            let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
            output::say(&format!("this is a bug in diffsieve: {}", what.unwrap_or("it panicked without a message")));
            Exit::Incomplete
        }
    };
    ExitCode::from(exit.code())
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    match cli.command {
        None => review::run(&cli.review),
        Some(Command::Review(args)) => review::run(&args),
        Some(Command::Merge(args)) => merge::run(&args),
        Some(Command::Context(args)) => context::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Rules(command)) => rules::run(command),
        Some(Command::Baseline(command)) => baseline::run(command),
        Some(Command::Publish(PublishCommand::Github(args))) => publish::github(&args),
        Some(Command::Hook(command)) => hook::run(command),
        Some(Command::Cache(command)) => cache::run(command),
        Some(Command::Eval(command)) => eval::run(command),
        Some(Command::Dataset(command)) => dataset::run(command),
        Some(Command::Reward(args)) => reward::run(&args),
        Some(Command::Init(args)) => init::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Schema { name }) => print(&schema::text(name)),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "diffsieve", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Some(Command::Man) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(anyhow::Error::from)?;
            print(&String::from_utf8_lossy(&page))
        }
    }
}

/// Prints data on standard output.
fn print(text: &str) -> Result<Exit, Failure> {
    output::quiet_pipe(output::to_stdout(|out| out.write_all(text.as_bytes()))).map_err(anyhow::Error::from)?;
    Ok(Exit::Passed)
}

/// Why there is no report.
#[derive(Debug)]
enum Failure {
    /// Wrong arguments, or something outside failed.
    Usage(anyhow::Error),
    /// Wrong packs, configuration or baseline: every problem with its place.
    Config(Vec<Problem>),
    /// History or objects that are not here.
    Incomplete(anyhow::Error),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Usage(error)
    }
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        if error.is_incomplete() { Self::Incomplete(error.into()) } else { Self::Usage(error.into()) }
    }
}

impl From<scope::Error> for Failure {
    fn from(error: scope::Error) -> Self {
        if error.is_incomplete() { Self::Incomplete(error.into()) } else { Self::Usage(error.into()) }
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Config(problems)
    }
}

impl Failure {
    fn report(&self) -> Exit {
        self.lines().iter().for_each(|line| output::say(line));
        match self {
            Self::Usage(_) | Self::Config(_) => Exit::Usage,
            Self::Incomplete(_) => Exit::Incomplete,
        }
    }

    /// What to say of it.
    fn lines(&self) -> Vec<String> {
        match self {
            Self::Usage(error) => vec![format!("{error:#}")],
            Self::Config(problems) => problems.iter().map(ToString::to_string).collect(),
            Self::Incomplete(error) => vec![format!("the review is incomplete: {error:#}")],
        }
    }
}

/// Where the search for a repository starts.
fn start(directory: Option<&Path>) -> &Path {
    directory.unwrap_or(Path::new("."))
}

/// A path for a person.
fn shown(path: &Path) -> String {
    escape::visible(&path.to_string_lossy())
}
