//! `diffsieve eval report`: what came of runs, for people.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use diffsieve::escape::visible;
use diffsieve::eval::report::{Evaluation, FORMATS, Format, Source};
use diffsieve::eval::scoring::Choice;
use diffsieve::record::Dataset;

use super::draws::DrawArgs;
use super::folder;
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, shown};

#[derive(Debug, Args)]
pub(in crate::cli) struct ReportArgs {
    /// Folders of runs, or documents of scores; several are put side by side
    #[arg(required = true, value_name = "RUN|SCORES.json")]
    runs: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT[=PATH]", default_value = "markdown", help = format_help())]
    format: Vec<OsString>,
    /// The folder of the dataset, for titles and what is known of each fault [default: where it was when the run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Whose decisions count, where several judges decided [default: as in the run's saved scores]
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// swe-prbench: whose similarities count, where there are several [default: as in the run's saved scores]
    #[arg(long, value_name = "NAME")]
    similarity: Option<String>,
    /// Score the other cases where some have no review; for a run that has no saved scores
    #[arg(long)]
    allow_failed: bool,
    #[command(flatten)]
    draws: DrawArgs,
}

fn format_help() -> String {
    let formats: Vec<String> = FORMATS.iter().map(|format| format!("{} ({})", format.name, format.help)).collect();
    format!("Write it as FORMAT, to PATH or standard output; repeatable: {}", formats.join(", "))
}

pub(super) fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let outputs = outputs(&args.format)?;
    let mut sources = args.runs.iter().map(|path| source(path, args)).collect::<Result<Vec<_>, Failure>>()?;
    tell_apart(&mut sources);
    let evaluation = Evaluation::new(env!("CARGO_PKG_VERSION"), &sources, &args.draws.bootstrap());
    for (format, path) in outputs {
        write(format, path.as_deref(), &evaluation)?;
    }
    Ok(Exit::Passed)
}

/// Reports on the run in a folder, with the settings of a report where nobody names any.
pub(super) fn of_run(folder: &Path, dataset: &Path, formats: &[OsString]) -> Result<Exit, Failure> {
    run(&ReportArgs {
        runs: vec![folder.to_owned()],
        format: formats.to_vec(),
        dataset: Some(dataset.to_owned()),
        judge: None,
        similarity: None,
        allow_failed: false,
        draws: DrawArgs::default(),
    })
}

fn source(path: &Path, args: &ReportArgs) -> Result<Source, Failure> {
    let mut source = Source::read(path).map_err(anyhow::Error::from)?;
    if source.digests().len() > 1 {
        return Err(anyhow!("`{}` holds scores of other cases than it answers: score it again", shown(path)).into());
    }
    let stale = source.stale();
    if !stale.is_empty() {
        let why = "which were computed from other answers or decisions than are there now: score again, with --keep";
        return Err(anyhow!("`{}` holds {}, {why}", shown(path), visible(&stale.join(", "))).into());
    }
    let dataset = dataset(&source, path, args)?;
    let (judge, similarity) = (args.judge.as_deref(), args.similarity.as_deref());
    let is_scored = !source.scores.is_empty();
    if !is_scored || source.is_by_others(judge, similarity) {
        if source.run.is_none() {
            let why =
                "holds scores by another judge or similarity, and no decisions to score again: name a run's folder";
            return Err(anyhow!("`{}` {why}", shown(path)).into());
        }
        let Some(dataset) = dataset.clone().map(folder::spoken) else {
            let why = "has no such scores, and its dataset, with which they could be computed, is not where it was: name \
                       it with --dataset";
            return Err(anyhow!("`{}` {why}", shown(path)).into());
        };
        let choice = Choice {
            judge: args.judge.clone(),
            similarity: args.similarity.clone(),
            allow_failed: args.allow_failed,
            ..Choice::default()
        };
        let scored =
            if is_scored { source.score_by(&dataset, judge, similarity) } else { source.score(&dataset, &choice) };
        scored.map_err(|error| match error.is_incomplete() {
            true => Failure::Incomplete(error.into()),
            false => Failure::Usage(error.into()),
        })?;
        if source.scores.is_empty() {
            return Err(anyhow!("no case of the dataset of `{}` has anything to compare with", shown(path)).into());
        }
    }
    source.cases = dataset.map(|dataset| dataset.cases).unwrap_or_default();
    Ok(source)
}

/// The dataset that a run is about. Asked for, it must be the right one; else it is an extra that may have moved.
fn dataset(source: &Source, path: &Path, args: &ReportArgs) -> anyhow::Result<Option<Dataset>> {
    let was = source.run.as_ref().and_then(|run| run.folder.as_ref()).map(PathBuf::from);
    let dataset = match (&args.dataset, was) {
        (Some(folder), _) => Some(Dataset::open(folder)?),
        (None, Some(folder)) => Dataset::open(&folder).ok(),
        (None, None) => None,
    };
    let is_same = |dataset: &Dataset| source.digests().contains(dataset.manifest.digest.as_str());
    if let (Some(folder), Some(dataset)) = (&args.dataset, &dataset)
        && !is_same(dataset)
    {
        bail!("`{}` is not the dataset of `{}`: its digest is another", shown(folder), shown(path));
    }
    Ok(dataset.filter(is_same))
}

/// Two runs of one name get numbers.
fn tell_apart(sources: &mut [Source]) {
    let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    for (at, source) in sources.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == source.name).count() > 1 {
            source.name = format!("{} ({})", source.name, at + 1);
        }
    }
}

type Output = (&'static Format, Option<PathBuf>);

fn outputs(written: &[OsString]) -> anyhow::Result<Vec<Output>> {
    let formats = || FORMATS.iter().map(|format| (format.name, format));
    let outputs = written.iter().map(|written| output::format_and_place(written, formats()));
    let outputs = outputs.collect::<anyhow::Result<Vec<Output>>>()?;
    output::places_differ(outputs.iter().map(|(_, path)| path.as_deref()))?;
    Ok(outputs)
}

fn write(format: &Format, path: Option<&Path>, evaluation: &Evaluation) -> anyhow::Result<()> {
    let Some(path) = path else {
        let written = output::to_stdout(|out| (format.write)(evaluation, out));
        return output::quiet_pipe(written).context("standard output cannot be written");
    };
    let mut text = Vec::new();
    let named = || format!("the {} report cannot be written to `{}`", format.name, shown(path));
    (format.write)(evaluation, &mut text).with_context(named)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(named)?;
    }
    std::fs::write(path, text).with_context(named)
}
