//! `diffsieve dataset screen`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use diffsieve::context::{Context, Options};
use diffsieve::dataset::screen::{Screen, Screened, VERSION};
use diffsieve::dataset::{Files, REJECTED, Rejected};
use diffsieve::escape::visible;
use diffsieve::record::{self, Dataset};
use diffsieve::review::model::{Budget, Purse, Talk};
use diffsieve::rules::Examples;
use serde_json::json;

use super::asking::{made, new_folder};
use crate::cli::args::{ModelArgs, TreeArgs};
use crate::cli::exit::Exit;
use crate::cli::model::{self, Found};
use crate::cli::{Failure, env, output, policy, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct ScreenArgs {
    /// The folder of the dataset
    dataset: PathBuf,
    /// Write what may be handed on into this new folder; the rest is named in its rejected.jsonl, and stays behind
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A licence that may be handed on, as an SPDX expression; repeatable [default: whichever a case names]
    #[arg(long, value_name = "LICENCE")]
    licence: Vec<String>,
    /// Most requests to the model
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    requests: u64,
    /// Most seconds for all of it
    #[arg(long, value_name = "NUMBER", default_value_t = 86_400)]
    seconds: u32,
    #[command(flatten)]
    place: TreeArgs,
    #[command(flatten)]
    model: ModelArgs,
}

pub(super) fn run(args: &ScreenArgs) -> Result<Exit, Failure> {
    new_folder(&args.out)?;
    let dataset = Dataset::open(&args.dataset).map_err(anyhow::Error::from)?;
    let mut loadout = policy::of_work_tree(&args.place, Examples::Skip)?;
    loadout.config.model.time = Duration::from_secs(args.seconds.into());
    let ready = match model::find(&args.model, &loadout.config, None)? {
        Found::Ready(ready) => Some(ready),
        Found::Nobody => None,
        Found::WithoutKey(why) => return Err(Failure::Incomplete(anyhow::anyhow!(why))),
    };
    let context = Context::new(&loadout.rules, Options::default()).map_err(anyhow::Error::from)?;
    let purse = Purse::new(Budget { requests: args.requests, tokens: u64::MAX / 4 });
    let talk = ready.as_ref().map(|ready| Talk::new(ready.collector(), &purse));
    let screen =
        Screen { rules: &loadout.rules, licences: &args.licence, model: talk.as_ref().map(|talk| (talk, &context)) };
    let mut files = Files::new(&args.out);
    let (mut kept, mut rejected) = (Vec::new(), Vec::new());
    let mut funnel = BTreeMap::<&str, usize>::new();
    for case in &dataset.cases {
        let screened = screen.look(&dataset, case, &env::var);
        *funnel.entry(screened.name()).or_default() += 1;
        match &screened {
            Screened::Rejected { code, why } => {
                rejected.push(Rejected::new(&case.id, code, why.as_str()));
                continue;
            }
            Screened::Open(why) => output::say(&format!("{}: not screened: {}", case.id, visible(why))),
            Screened::Safe | Screened::Unscreened => {}
        }
        let mut case = files.bring(&dataset, case).map_err(anyhow::Error::from)?;
        screened.note(&mut case);
        kept.push(case);
    }
    let mut manifest = dataset.manifest.clone();
    let by = ready.map(|ready| format!("{} {VERSION}", ready.name()));
    manifest.built.insert("screened".to_owned(), json!({"model": by, "licences": args.licence}));
    if !rejected.is_empty() {
        record::write(&args.out.join(REJECTED), &rejected).map_err(anyhow::Error::from)?;
    }
    let count = kept.len();
    Dataset::write(&args.out, manifest, kept).map_err(anyhow::Error::from)?;
    let lines: Vec<String> = funnel.iter().map(|(name, count)| format!("{name:<11} {count}\n")).collect();
    print(&lines.concat())?;
    Ok(made(count, if funnel.contains_key("open") { Exit::Incomplete } else { Exit::Passed }))
}
