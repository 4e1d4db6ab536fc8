//! `diffsieve dataset cr-bench`.

use std::path::PathBuf;

use clap::Args;
use diffsieve::dataset::history::{CrBenchOptions, Export, Past, cr_bench, fixes_in, range};
use serde_json::json;

use super::history::{PastArgs, Steps, commits_of, failure};
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, output};

#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct CrBenchArgs {
    #[command(flatten)]
    past: PastArgs,
    /// A commit that mends a bug; repeatable
    #[arg(long, value_name = "REV")]
    fix: Vec<String>,
    /// The commits of A..B (or everything up to B) whose subject reads as a fix
    #[arg(long, value_name = "RANGE")]
    fixes: Option<String>,
    /// The commits that this file names, one a line
    #[arg(long, value_name = "FILE")]
    fixes_file: Option<PathBuf>,
    /// Of --fixes, only those whose message names an issue
    #[arg(long, requires = "fixes")]
    need_issue: bool,
    /// Of --fixes, only the newest so many
    #[arg(long, value_name = "NUMBER", requires = "fixes")]
    newest: Option<usize>,
    /// Pull requests as the forge's API exports them: their texts take the place of commit messages
    #[arg(long, value_name = "FILE")]
    meta: Option<PathBuf>,
    /// Leave out bugs that came with a commit which is no merge and names no pull request, as `(#n)`
    #[arg(long)]
    pull_requests: bool,
    /// Pull requests are looked for on the way to this revision
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    until: String,
    /// Leave out a fix with more files of code than this
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    fix_files: usize,
    /// Leave out a fix that removes more lines of code than this
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    fix_lines: usize,
    /// Leave out a change that touches more files than this
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    change_files: usize,
    /// Leave out a change that adds more lines than this
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    change_lines: u64,
    /// Leave out a change that is more days older than its fix; 0 for none. What was right for years became wrong by
    /// something else more often than not
    #[arg(long, value_name = "NUMBER", default_value_t = 1095)]
    most_days: u32,
}

pub(super) fn run(args: &CrBenchArgs) -> Result<Exit, Failure> {
    if args.fix.is_empty() && args.fixes.is_none() && args.fixes_file.is_none() {
        return Err(anyhow::anyhow!("name the fixes: --fix REV, --fixes A..B or --fixes-file FILE").into());
    }
    let repo = args.past.open()?;
    let export = args.meta.as_deref().map(Export::read).transpose().map_err(failure)?;
    let past = Past::read(&repo, repo.resolve(&args.until)?).map_err(failure)?;
    let mut fixes = args.fix.iter().map(|name| Ok(repo.resolve(name)?)).collect::<Result<Vec<_>, Failure>>()?;
    if let Some(file) = &args.fixes_file {
        fixes.extend(commits_of(file, &repo)?);
    }
    let named = fixes.len();
    let (mut from, mut until) = (None, None);
    if let Some(text) = &args.fixes {
        let (base, head) = range(&repo, text).map_err(failure)?;
        let of_range = if head == past.tip { None } else { Some(Past::read(&repo, head).map_err(failure)?) };
        let (found, all) = fixes_in(of_range.as_ref().unwrap_or(&past), base, args.need_issue).map_err(failure)?;
        output::say(&format!("{} of {all} commits read as fixes", found.len()));
        let skip = args.newest.map_or(0, |newest| found.len().saturating_sub(newest));
        fixes.extend(&found[skip..]);
        (from, until) = (base, Some(head));
    }
    let options = CrBenchOptions {
        name: args.past.name(&repo),
        repository: args.past.repository(&repo),
        licence: args.past.licence(),
        pull_requests: args.pull_requests,
        fix_files: args.fix_files,
        fix_lines: args.fix_lines,
        change_files: args.change_files,
        change_lines: args.change_lines,
        most_days: Some(args.most_days).filter(|most| *most > 0),
        threads: args.past.threads(),
        path: env::var("PATH"),
    };
    let steps = Steps::new("fixes", fixes.len());
    let mut built = cr_bench(&past, &fixes, export.as_ref(), &options, &|| steps.step()).map_err(failure)?;
    drop(steps);
    let chosen = json!({
        "named": named,
        "range_until": until.map(|until| until.hex()),
        "need_issue": args.need_issue,
        "newest": args.newest,
    });
    built.built.insert("fixes".to_owned(), chosen);
    args.past.finish(&past, built, "cr-bench", from)
}
