//! `diffsieve merge`: the shares of a review as one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use diffsieve::escape;
use diffsieve::report::json::Saved;
use diffsieve::review::shard::{self, Shard};

use super::args::MergeArgs;
use super::exit::Exit;
use super::review::{self, Told};
use super::{Failure, env, output, setup};

/// Most bytes of all reports together.
const MOST_BYTES: u64 = 512 << 20;

/// Folders in folders that are looked into.
const DEPTH: usize = 8;

pub(super) fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let outputs = output::outputs(&args.report)?;
    let earlier = review::earlier(&args.report)?;
    let mut paths = Vec::new();
    for path in &args.reports {
        find(path, DEPTH, &mut paths)?;
    }
    if paths.is_empty() {
        let why = anyhow!("there is no report to join: none of the shares has left one, so nothing was reviewed");
        return Err(Failure::Incomplete(why));
    }
    let mut all = Vec::with_capacity(paths.len());
    let mut bytes = 0_u64;
    for path in &paths {
        bytes = bytes.saturating_add(fs::metadata(path).map_or(0, |meta| meta.len()));
        if bytes > MOST_BYTES || all.len() >= Shard::MOST as usize {
            let most = MOST_BYTES >> 20;
            return Err(anyhow!("the shares are more than {} files or {most} MiB together", Shard::MOST).into());
        }
        let saved = setup::saved(path)?;
        if saved.review.share.is_none() {
            return Err(anyhow::Error::from(shard::Error::Whole).context(super::shown(path)).into());
        }
        all.push(saved);
    }
    // The lowest share speaks for all: a report is the same in whatever order its shares are named.
    all.sort_by_key(|saved| saved.review.share.as_ref().map(|share| share.division.shard));
    let (first, others) = all.split_first_mut().expect("there is at least one");
    agree(first, others)?;
    let (tags, origin, policy) = (std::mem::take(&mut first.tags), first.origin.clone(), first.decision.policy);
    let mut provenance = std::mem::take(&mut first.provenance);
    if args.report.category.is_some() {
        provenance.category.clone_from(&args.report.category);
    }
    let reviews = all.into_iter().map(|saved| saved.review).collect();
    let review = shard::join(reviews, env::today()).map_err(anyhow::Error::from)?;
    let told = Told { review, tags, origin, provenance };
    review::tell(told, policy, earlier.as_ref(), &args.report, &outputs)
}

/// Reports that were made by different rules decide nothing together.
fn agree(first: &Saved, others: &[Saved]) -> anyhow::Result<()> {
    if first.version != env!("CARGO_PKG_VERSION") {
        let (theirs, own) = (escape::visible(&first.version), env!("CARGO_PKG_VERSION"));
        return Err(anyhow!("the reports are of diffsieve {theirs}, and this is {own}: join them with the same"));
    }
    for other in others {
        let what = if first.version != other.version {
            "the version of diffsieve"
        } else if (&first.origin.config, &first.origin.packs) != (&other.origin.config, &other.origin.packs) {
            "their configuration or packs"
        } else if first.decision.policy != other.decision.policy {
            "the policy of the gate"
        } else {
            continue;
        };
        return Err(anyhow!("the reports are not of one review: they differ in {what}"));
    }
    Ok(())
}

/// A file, or the reports in a folder. Links are not followed in folders: what lies there may come from anybody.
fn find(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let shown = || super::shown(path);
    if !fs::metadata(path).with_context(|| format!("`{}` cannot be read", shown()))?.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.with_context(|| format!("the folder `{}` cannot be read", shown()))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().with_context(|| format!("`{}` cannot be read", shown()))?;
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            find(&path, depth - 1, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    Ok(())
}
