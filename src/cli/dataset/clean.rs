//! `diffsieve dataset clean`.

use clap::Args;
use diffsieve::dataset::history::{CleanOptions, Past, Survive, clean, range};

use super::history::{PastArgs, Steps, failure};
use crate::cli::Failure;
use crate::cli::exit::Exit;

#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct CleanArgs {
    #[command(flatten)]
    past: PastArgs,
    /// The changes that landed in A..B (or everything up to B)
    #[arg(long, value_name = "RANGE", default_value = "HEAD")]
    range: String,
    /// How long all added lines stand: so many later changes (200), days (90d) or months (6m)
    #[arg(long, value_name = "LENGTH", default_value = "6m")]
    survive: String,
    /// Where history ends
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    until: String,
    /// Leave out a change that adds fewer lines of code than this
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    least_lines: u64,
    /// Leave out a change that adds more lines than this
    #[arg(long, value_name = "NUMBER", default_value_t = 400)]
    most_lines: u64,
    /// Leave out a change that touches more files than this
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    most_files: usize,
}

pub(super) fn run(args: &CleanArgs) -> Result<Exit, Failure> {
    let survive = Survive::parse(&args.survive).map_err(failure)?;
    let repo = args.past.open()?;
    let (from, to) = range(&repo, &args.range).map_err(failure)?;
    let past = Past::read(&repo, repo.resolve(&args.until)?).map_err(failure)?;
    let options = CleanOptions {
        name: args.past.name(&repo),
        repository: args.past.repository(&repo),
        licence: args.past.licence(),
        survive,
        least_lines: args.least_lines,
        most_lines: args.most_lines,
        most_files: args.most_files,
    };
    let steps = Steps::new("changes", past.changes_since(from).map_err(failure)?);
    let built = clean(&past, from, to, &options, &|| steps.step()).map_err(failure)?;
    drop(steps);
    args.past.finish(&past, built, "clean", from)
}
