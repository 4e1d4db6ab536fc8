//! `diffsieve eval score`: numbers from saved records, or from a bare input.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use diffsieve::escape;
use diffsieve::eval::score::{Compat, Hits, Matching, Pairing, Variants};
use diffsieve::eval::scoring::{self, Choice, Records};
use diffsieve::eval::{PROTOCOLS, Protocol, input, table};
use diffsieve::record::Dataset;

use super::folder::Folder;
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, print, shown};

/// Largest input that is read.
const LARGEST: u64 = 1 << 28;

#[derive(Debug, Args)]
pub(in crate::cli) struct ScoreArgs {
    /// The folder of a run
    #[arg(required_unless_present = "input", conflicts_with = "input")]
    run: Option<PathBuf>,
    /// By which protocol
    #[arg(long, value_name = "PROTOCOL", value_parser = PossibleValuesParser::new(PROTOCOLS.iter().map(|protocol| protocol.name)))]
    protocol: String,
    /// Score the protocol's bare input in FILE, or - for standard input, instead of a run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "judge", "similarity", "by", "allow_failed", "text_metrics"])]
    input: Option<PathBuf>,
    /// The folder of the dataset [default: where it was when the run was made]
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// How to write the scores [default: text of a run, json of an input]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormName>,
    /// cr-bench: count a hit bug once, or every comment that hits one [default: per-bug]
    #[arg(long, value_enum, value_name = "WAY")]
    hits: Option<HitsName>,
    /// swe-prbench: the rules of a released scorer, where they differ from the paper
    #[arg(long, value_enum, value_name = "VERSION")]
    compat: Option<CompatName>,
    /// swe-prbench: how comments that the judge left over are matched by their likeness [default: greedy]
    #[arg(long, value_enum, value_name = "WAY")]
    pairing: Option<PairingName>,
    /// sphinx: weight of the cases with a checklist, 0 to 1 [default: 0.9, or what the input says]
    #[arg(long, value_name = "NUMBER")]
    lambda: Option<f64>,
    /// cqs: whether a known issue is matched once, or by any number of comments [default: one-to-one]
    #[arg(long = "match", value_enum, value_name = "WAY")]
    matching: Option<MatchName>,
    /// Whose decisions count, where several judges decided
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// swe-prbench: whose similarities count, where there are several: a program's (`program NAME`), or what needs none:
    /// lexical (words, the default) or chars (characters, with a cut of its own)
    #[arg(long, value_name = "NAME")]
    similarity: Option<String>,
    /// Cross these axes too, such as category,severity; repeatable: category, impact, severity, language, difficulty, operator
    #[arg(long, value_name = "AXIS,AXIS")]
    by: Vec<String>,
    /// Score the other cases where some have no review
    #[arg(long)]
    allow_failed: bool,
    /// Keep the document in the folder of the run, where `eval report` looks for it
    #[arg(long, requires = "run")]
    keep: bool,
    /// sphinx: BLEU-1 and ROUGE-L against the checklist too
    #[arg(long)]
    text_metrics: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormName {
    /// A table for people
    Text,
    /// The whole document
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HitsName {
    /// A bug once
    PerBug,
    /// Every comment
    PerComment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompatName {
    /// SWE-PRBench v0.4.1
    #[value(name = "v0.4.1")]
    V041,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PairingName {
    /// The most alike pair first
    Greedy,
    /// The pairs that are most alike together
    Optimal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MatchName {
    /// Once
    OneToOne,
    /// By any number
    ManyToOne,
}

pub(super) fn run(args: &ScoreArgs) -> Result<Exit, Failure> {
    for (option, is_given, protocol) in [
        ("--hits", args.hits.is_some(), "cr-bench"),
        ("--compat", args.compat.is_some(), "swe-prbench"),
        ("--pairing", args.pairing.is_some(), "swe-prbench"),
        ("--similarity", args.similarity.is_some(), "swe-prbench"),
        ("--lambda", args.lambda.is_some(), "sphinx"),
        ("--text-metrics", args.text_metrics, "sphinx"),
        ("--match", args.matching.is_some(), "cqs"),
    ] {
        if is_given && args.protocol != protocol {
            return Err(anyhow!("{option} is about {protocol} and changes no score of {}", args.protocol).into());
        }
    }
    match (&args.input, &args.run) {
        (Some(file), _) => bare(args, file),
        (None, Some(folder)) => of_run(args, folder),
        // Arguments without both are refused before.
        (None, None) => Err(anyhow!("name the folder of a run, or --input").into()),
    }
}

fn of_run(args: &ScoreArgs, folder: &Path) -> Result<Exit, Failure> {
    let run = Folder::open(folder)?;
    let dataset = run.dataset(args.dataset.as_deref())?;
    let records = Records::open(folder);
    let records = records.map_err(anyhow::Error::from)?;
    let scores = match scoring::scores(&args.protocol, &dataset, &records, &choice(args)) {
        Ok(scores) => scores,
        Err(error) if error.is_incomplete() => {
            output::say(&error.to_string());
            return Ok(Exit::Incomplete);
        }
        Err(error) => return Err(anyhow::Error::from(error).into()),
    };
    if args.keep {
        run.keep_scores(&args.protocol, &scores)?;
    }
    match args.format {
        Some(FormName::Json) => print_json(&scores),
        Some(FormName::Text) | None => print(&table::scores(&scores)),
    }
}

/// Scores a run by protocols, keeps the documents in its folder and prints their measures.
pub(super) fn keep(
    folder: &Folder,
    dataset: &Dataset,
    protocols: &[&Protocol],
    choice: &Choice,
) -> Result<Exit, Failure> {
    let records = Records::open(&folder.path).map_err(anyhow::Error::from)?;
    let mut exit = Exit::Passed;
    for protocol in protocols {
        match scoring::scores(protocol.name, dataset, &records, choice) {
            Ok(scores) => {
                folder.keep_scores(protocol.name, &scores)?;
                print(&format!("{}\n", table::head(&scores)))?;
            }
            Err(error) if error.is_incomplete() => {
                output::say(&format!("{}: {error}", protocol.name));
                exit = Exit::Incomplete;
            }
            Err(error) => return Err(anyhow::Error::from(error).into()),
        }
    }
    Ok(exit)
}

fn choice(args: &ScoreArgs) -> Choice {
    Choice {
        hits: hits(args),
        compat: compat(args),
        pairing: pairing(args),
        lambda: args.lambda,
        matching: matching(args),
        judge: args.judge.clone(),
        similarity: args.similarity.clone(),
        allow_failed: args.allow_failed,
        text_metrics: args.text_metrics,
        crossed: args.by.iter().map(|axes| axes.split(',').map(str::to_owned).collect()).collect(),
    }
}

fn bare(args: &ScoreArgs, file: &Path) -> Result<Exit, Failure> {
    let is_stdin = file.as_os_str() == "-";
    let name = if is_stdin { "standard input".to_owned() } else { format!("`{}`", shown(file)) };
    let cannot = || format!("{name} cannot be read");
    let mut bytes = Vec::new();
    let read = if is_stdin {
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.with_context(cannot)?;
    if bytes.len() as u64 > LARGEST {
        return Err(anyhow!("{name} has more than {LARGEST} bytes, which is most that is read").into());
    }
    let variants = Variants {
        hits: Some(hits(args)),
        compat: Some(compat(args)),
        pairing: Some(pairing(args)),
        lambda: args.lambda,
        matching: Some(matching(args)),
        ..Variants::default()
    };
    let scores = input::score(&args.protocol, &bytes, &variants).map_err(anyhow::Error::from).context(name)?;
    match args.format {
        Some(FormName::Text) => print(&table::bare(&scores)),
        Some(FormName::Json) | None => print_json(&scores),
    }
}

const fn hits(args: &ScoreArgs) -> Hits {
    match args.hits {
        Some(HitsName::PerComment) => Hits::PerComment,
        Some(HitsName::PerBug) | None => Hits::PerBug,
    }
}

const fn compat(args: &ScoreArgs) -> Compat {
    match args.compat {
        Some(CompatName::V041) => Compat::V041,
        None => Compat::Paper,
    }
}

const fn pairing(args: &ScoreArgs) -> Pairing {
    match args.pairing {
        Some(PairingName::Optimal) => Pairing::Optimal,
        Some(PairingName::Greedy) | None => Pairing::Greedy,
    }
}

const fn matching(args: &ScoreArgs) -> Matching {
    match args.matching {
        Some(MatchName::ManyToOne) => Matching::ManyToOne,
        Some(MatchName::OneToOne) | None => Matching::OneToOne,
    }
}

fn print_json(document: &impl serde::Serialize) -> Result<Exit, Failure> {
    let mut text = serde_json::to_string_pretty(document).map_err(anyhow::Error::from)?;
    text.push('\n');
    print(&escape::json(&text))
}
