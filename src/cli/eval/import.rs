//! `diffsieve eval import`: the answers of another reviewer as a run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;
use diffsieve::escape::visible;
use diffsieve::eval::import::{self, Filter};
use diffsieve::record::{Answer, Dataset};

use super::folder::{self, Folder};
use super::run::told;
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, output, shown};

#[derive(Debug, Args)]
pub(in crate::cli) struct ImportArgs {
    /// The folder of the dataset
    dataset: PathBuf,
    /// Who reviewed, with whatever decides its answers, such as `semgrep 1.144 p/default`
    #[arg(long)]
    name: String,
    /// Write the run into this new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A folder with what the tool wrote about each case: SARIF 2.1.0, named CASE.sarif
    #[arg(long, value_name = "DIR", required_unless_present = "answers")]
    sarif: Option<PathBuf>,
    /// Answers, one a line (`diffsieve schema answer`)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sarif", "filter"])]
    answers: Option<PathBuf>,
    /// Which results of SARIF count as comments on the change: those on lines it adds, on lines a forge shows with it (three
    /// around each hunk), in its files, or all; the others are kept as taken back
    #[arg(long, value_name = "LINES", default_value = Filter::DiffContext.name(),
        value_parser = PossibleValuesParser::new(Filter::ALL.map(Filter::name)))]
    filter: String,
}

pub(super) fn run(args: &ImportArgs) -> Result<Exit, Failure> {
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    if std::fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(anyhow!("`{}` is not empty: name another --out, or remove that folder", shown(&args.out)).into());
    }
    let mut configuration = BTreeMap::from([("agent".to_owned(), args.name.clone().into())]);
    let answers = match (&args.answers, &args.sarif) {
        (Some(file), _) => {
            configuration.insert("imported".to_owned(), "answers".into());
            import::of_answers(&dataset, file)
        }
        (None, Some(folder)) => {
            let filter = Filter::ALL.into_iter().find(|filter| filter.name() == args.filter);
            configuration.insert("imported".to_owned(), "sarif".into());
            configuration.insert("filter".to_owned(), args.filter.clone().into());
            import::of_sarif(&dataset, folder, filter.unwrap_or(Filter::DiffContext), &env::var)
        }
        (None, None) => return Err(anyhow!("name --sarif or --answers").into()),
    };
    let answers = answers.map_err(anyhow::Error::from)?;
    let (folder, _) = Folder::begin(&args.out, &folder::about(&dataset, &args.dataset, configuration))?;
    folder.replace(folder::ANSWERS, &answers)?;
    let mut reasons = BTreeMap::<&str, usize>::new();
    for removed in answers.iter().flat_map(|answer| &answer.removed) {
        *reasons.entry(&removed.reason).or_default() += 1;
    }
    for (reason, count) in reasons {
        output::say(&format!("{count} taken back: {}", visible(reason)));
    }
    let is_elsewhere = |answer: &Answer| {
        answer.comments.is_empty() && answer.removed.iter().any(|removed| removed.reason == import::ELSEWHERE)
    };
    let lost = answers.iter().filter(|answer| is_elsewhere(answer)).count();
    if lost > 0 && answers.iter().all(|answer| answer.comments.is_empty()) {
        output::say("no result stands in a file of its change: relative paths start at the root of the repository");
    }
    Ok(told(&answers, "import again, into another folder, when the rest is there"))
}
