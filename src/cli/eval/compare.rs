//! `diffsieve eval compare`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;
use diffsieve::escape::visible;
use diffsieve::eval::PROTOCOLS;
use diffsieve::eval::compare::{self, Comparison, Test};
use diffsieve::eval::score::Scores;
use diffsieve::eval::scoring::{self, Records};
use diffsieve::eval::table;
use diffsieve::record;

use super::draws::{DrawArgs, Form, drawn, shown};
use super::folder::{self, Folder};
use super::variants::VariantArgs;
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, print, shown as path_shown};

/// Faults that the text names before it counts the rest.
const NAMED: usize = 20;

#[derive(Debug, Args)]
pub(in crate::cli) struct CompareArgs {
    /// The first run: its folder, or what `eval score --format json` wrote of it
    a: PathBuf,
    /// The second run, which is measured against the first
    b: PathBuf,
    /// By which protocol; needed for folders
    #[arg(long, value_name = "PROTOCOL", value_parser = PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: Option<String>,
    /// The folder of the dataset [default: where it was when each run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    #[command(flatten)]
    variants: VariantArgs,
    #[command(flatten)]
    draws: DrawArgs,
    /// How the result is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    format: Form,
}

pub(super) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let dataset = args.dataset.as_ref().map(|_| "--dataset");
    if let Some(option) = args.variants.first().or(dataset).filter(|_| !args.a.is_dir() && !args.b.is_dir()) {
        let why =
            "says how the folder of a run is scored, and these are scores already: name the folders, or score with it";
        return Err(anyhow!("{option} {why}").into());
    }
    let (Some(a), Some(b)) = (scores(args, &args.a)?, scores(args, &args.b)?) else { return Ok(Exit::Incomplete) };
    let comparison = compare::compare(&a, &b, args.draws.bootstrap()).map_err(anyhow::Error::from)?;
    match args.format {
        Form::Text => print(&text(&comparison)),
        Form::Json => super::print_json(&comparison),
    }
}

/// The scores of a run; `None` where something is missing, which was then said.
fn scores(args: &CompareArgs, path: &Path) -> Result<Option<Scores>, Failure> {
    if !path.is_dir() {
        let scores: Scores = record::read_json(path).map_err(anyhow::Error::from)?;
        if let Some(protocol) = args.protocol.as_ref().filter(|protocol| **protocol != scores.protocol) {
            let written = visible(&scores.protocol);
            return Err(anyhow!("`{}` has scores of {written}, not of {protocol}", path_shown(path)).into());
        }
        return Ok(Some(scores));
    }
    let Some(protocol) = &args.protocol else {
        return Err(anyhow!("`{}` is the folder of a run: name a --protocol to score it by", path_shown(path)).into());
    };
    args.variants.check(protocol)?;
    let dataset = folder::spoken(Folder::open(path)?.dataset(args.dataset.as_deref())?);
    let records = Records::open(path).map_err(anyhow::Error::from)?;
    match scoring::scores(protocol, &dataset, &records, &args.variants.choice()) {
        Ok(scores) => Ok(Some(scores)),
        Err(error) if error.is_incomplete() => {
            output::say(&format!("`{}`: {error}", path_shown(path)));
            Ok(None)
        }
        Err(error) => Err(anyhow::Error::from(error).context(format!("`{}`", path_shown(path))).into()),
    }
}

/// Writing to a string cannot fail.
fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let Comparison { protocol, variants, cases, only_a, only_b, measures, faults, alarms, .. } = comparison;
    let _ = writeln!(
        out,
        "{}: {cases} cases that both answered; A alone {}, B alone {}",
        visible(protocol),
        only_a.len(),
        only_b.len()
    );
    let _ = writeln!(out, "{}", table::chosen(variants));
    for (name, (a, b)) in &comparison.configuration {
        let _ =
            writeln!(out, "  {}: {} in A, {} in B", visible(name), visible(&a.to_string()), visible(&b.to_string()));
    }
    let width = measures.keys().map(String::len).max().unwrap_or(0);
    let _ = writeln!(out, "\n{:width$}  {:>9}  {:>9}  {:>9}  interval of B - A", "", "A", "B", "B - A");
    for (name, it) in measures {
        let (a, b, difference) = (shown(it.a), shown(it.b), shown(it.difference));
        let name = visible(name);
        let _ = writeln!(out, "{name:width$}  {a:>9}  {b:>9}  {difference:>9}  {}", drawn(&it.spread));
    }
    let _ = writeln!(out, "\nknown faults: {}", test(&faults.test, "found"));
    for (who, names) in [("A", &faults.only_a), ("B", &faults.only_b)] {
        for (case, fault) in names.iter().take(NAMED) {
            let _ = writeln!(out, "  only {who}: {} {}", visible(case), visible(fault));
        }
        if let Some(more @ 1..) = names.len().checked_sub(NAMED) {
            let _ = writeln!(out, "  only {who}: {more} more");
        }
    }
    let _ = writeln!(out, "clean cases: {}", test(alarms, "commented on"));
    let Comparison { level, resamples, seed, .. } = comparison;
    let _ = writeln!(out, "\nintervals: level {level}; cases drawn again {resamples} times from seed {seed}");
    out
}

fn test(test: &Test, what: &str) -> String {
    let counts = test.counts;
    format!(
        "{what} by both {}, by A alone {}, by B alone {}, by none {}; McNemar exact p {}, mid-p {}",
        counts.both,
        counts.only_a,
        counts.only_b,
        counts.neither,
        shown(test.exact),
        shown(test.mid)
    )
}
