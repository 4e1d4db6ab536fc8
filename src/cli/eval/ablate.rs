//! `diffsieve eval ablate`: what each stage of the reviewer is worth.

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use diffsieve::escape;
use diffsieve::eval::PROTOCOLS;
use diffsieve::eval::ablate::Ablation;
use diffsieve::eval::score::Scores;
use diffsieve::eval::scoring::{self, Choice, Extent, Records};
use diffsieve::record;

use super::folder::Folder;
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, print, shown};

#[derive(Debug, Args)]
pub(in crate::cli) struct AblateArgs {
    /// The folder of a run whose removed comments were judged too (`eval judge --removed`)
    run: PathBuf,
    /// By which protocol; sphinx judges a review as a whole and cannot take one apart
    #[arg(long, value_name = "PROTOCOL", value_parser = PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: String,
    /// The folder of the dataset [default: where it was when the run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Whose decisions count, where several judges decided [default: as in the run's saved scores]
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// swe-prbench: whose similarities count, where there are several [default: as in the run's saved scores]
    #[arg(long, value_name = "NAME")]
    similarity: Option<String>,
    /// Score the other cases where some have no review [default: as in the run's saved scores]
    #[arg(long)]
    allow_failed: bool,
    /// Print the document, which is also saved in the run's folder, instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AblateArgs) -> Result<Exit, Failure> {
    if args.similarity.is_some() && args.protocol != "swe-prbench" {
        return Err(anyhow!("--similarity is about swe-prbench and changes no score of {}", args.protocol).into());
    }
    let dataset = Folder::open(&args.run)?.dataset(args.dataset.as_deref())?;
    let records = Records::open(&args.run).map_err(anyhow::Error::from)?;
    let ablation = match Ablation::of_run(&args.protocol, &dataset, &records, &choice(args, &records)?) {
        Ok(ablation) => ablation,
        Err(error) if error.is_incomplete() => {
            output::say(&format!("{error} (`eval judge --removed` asks about removed comments too)"));
            return Ok(Exit::Incomplete);
        }
        Err(error) => return Err(anyhow::Error::from(error).into()),
    };
    let path = args.run.join("ablation").join(format!("{}.json", args.protocol));
    record::write_json(&path, &ablation).map_err(anyhow::Error::from)?;
    if args.json {
        let mut text = serde_json::to_string_pretty(&ablation).map_err(anyhow::Error::from)?;
        text.push('\n');
        return print(&escape::json(&text));
    }
    print(&format!("{}\nsaved in `{}`, where `eval report` finds it\n", ablation.text(), shown(&path)))
}

/// What was chosen for the scores of this run, so that the last stage is what they say.
fn choice(args: &AblateArgs, records: &Records) -> anyhow::Result<Choice> {
    let path = args.run.join("scores").join(format!("{}.json", args.protocol));
    let saved: Option<Scores> = if path.is_file() { Some(record::read_json(&path)?) } else { None };
    let now = |saved: &Scores| {
        scoring::digest(&args.protocol, &saved.variants, &records.answers, &records.judgements, Extent::Shown)
    };
    if saved.as_ref().is_some_and(|saved| saved.records.as_ref() != Some(&now(saved))) {
        let why = "was computed from other answers or decisions than are there now: score again, with --keep";
        bail!("`{}` {why}", shown(&path));
    }
    let saved = saved.as_ref().map(Choice::of).unwrap_or_default();
    Ok(Choice {
        judge: args.judge.clone().or(saved.judge),
        similarity: args.similarity.clone().or(saved.similarity),
        allow_failed: args.allow_failed || saved.allow_failed,
        ..saved
    })
}
