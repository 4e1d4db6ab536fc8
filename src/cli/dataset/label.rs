//! `diffsieve dataset label`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use diffsieve::dataset::label::{self, Agreement, Row};
use diffsieve::escape::visible;
use diffsieve::record::{self, Dataset};

use super::asking::{made, new_folder};
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct LabelArgs {
    /// The dataset whose bugs, comments, checklist items and issues are labelled
    dataset: PathBuf,
    /// Write a form with every item: label is valid, invalid or unsure, by is who says so; CSV or JSON Lines by its name
    #[arg(long, value_name = "FILE", conflicts_with_all = ["next", "import", "out"])]
    form: Option<PathBuf>,
    /// Print the next item to label, as one line of JSON
    #[arg(long, requires = "by", conflicts_with_all = ["import", "out"])]
    next: bool,
    /// Who labels
    #[arg(long, value_name = "NAME", requires = "next")]
    by: Option<String>,
    /// Take the labels of a filled form
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,
    /// Labels that an item needs, each of another person
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=20))]
    require: u8,
    /// Write the dataset with the items that all agree to be valid into this new folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &LabelArgs) -> Result<Exit, Failure> {
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    let require = usize::from(args.require);
    if let Some(path) = &args.form {
        // Labels that somebody filled in are not written over.
        if path.exists() {
            return Err(anyhow::anyhow!("`{}` is there already: name another file", crate::cli::shown(path)).into());
        }
        let rows = label::items(&dataset);
        if is_csv(path) {
            let text = label::to_csv(&rows);
            std::fs::write(path, text).with_context(|| format!("`{}` cannot be written", crate::cli::shown(path)))?;
        } else {
            record::write(path, &rows).map_err(anyhow::Error::from)?;
        }
        return print(&format!("{} items\n", rows.len()));
    }
    if let (true, Some(by)) = (args.next, &args.by) {
        let labels = label::read(&dataset).map_err(anyhow::Error::from)?;
        return match label::next(&dataset, &labels, by, require) {
            Some(row) => {
                let line = serde_json::to_string(&row).map_err(anyhow::Error::from)?;
                print(&format!("{}\n", diffsieve::escape::json(&line)))
            }
            None => print("nothing is left to label\n"),
        };
    }
    args.out.as_deref().map_or(Ok(()), new_folder)?;
    let mut text = String::new();
    if let Some(path) = &args.import {
        let rows = filled(path)?;
        let taken = label::import(&dataset, path, &rows).map_err(anyhow::Error::from)?;
        text.push_str(&format!("{taken} labels taken\n"));
    }
    let labels = label::read(&dataset).map_err(anyhow::Error::from)?;
    let agreement = label::agreement(&dataset, &labels, require);
    text.push_str(&summary(&agreement));
    if let Some(out) = &args.out {
        let kept = label::keep(&dataset, &agreement, require, out).map_err(anyhow::Error::from)?;
        text.push_str(&format!("{} cases written\n", kept.cases.len()));
        print(&text)?;
        return Ok(made(kept.cases.len(), Exit::Passed));
    }
    print(&text)
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"))
}

fn filled(path: &Path) -> Result<Vec<Row>, Failure> {
    if !is_csv(path) {
        return Ok(record::read(path).map_err(anyhow::Error::from)?);
    }
    let text =
        std::fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", crate::cli::shown(path)))?;
    Ok(label::from_csv(path, &text).map_err(anyhow::Error::from)?)
}

fn summary(agreement: &Agreement) -> String {
    let Agreement { open, valid, refused, disputed, pairs, .. } = agreement;
    let same = pairs.iter().filter(|(one, other)| one == other).count();
    let mut text = format!(
        "{} items agreed to be valid, {} agreed to be something else, {} disputed, {} with too few labels\n",
        valid.len(),
        refused.len(),
        disputed.len(),
        open.len()
    );
    let kappa = match agreement.kappa() {
        Some((name, kappa)) => format!("{name}'s kappa {kappa:.4}"),
        None => "no kappa without pairs".to_owned(),
    };
    text.push_str(&format!("{same} of {} pairs of labels are the same, {kappa}\n", pairs.len()));
    for (item, labels) in disputed {
        let labels: Vec<String> = labels.iter().map(|(by, label)| format!("{} {label}", visible(by))).collect();
        text.push_str(&format!("disputed: {} ({})\n", visible(item), labels.join(", ")));
    }
    text
}
