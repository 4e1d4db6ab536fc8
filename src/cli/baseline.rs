//! `diffsieve baseline`.

use std::fs;

use anyhow::{Context as _, anyhow};
use diffsieve::baseline::{Baseline, Date, Entry, PATH};
use diffsieve::finding::Finding;

use super::args::{AcceptArgs, BaselineCommand, PlaceArgs};
use super::exit::Exit;
use super::policy;
use super::setup::{self, Reviewed};
use super::{Failure, env, output};

pub(super) fn run(command: BaselineCommand) -> Result<Exit, Failure> {
    match command {
        BaselineCommand::Create(args) => accept(&args, false),
        BaselineCommand::Update(args) => accept(&args, true),
        BaselineCommand::Prune(place) => prune(&place),
    }
}

fn accept(args: &AcceptArgs, update: bool) -> Result<Exit, Failure> {
    if args.reason.trim().is_empty() {
        return Err(anyhow!("an acceptance needs a reason").into());
    }
    let until = args
        .until
        .as_deref()
        .map(|text| Date::parse(text).ok_or_else(|| anyhow!("`{text}` is no day; write one such as 2026-12-31")))
        .transpose()?;
    let path = policy::work_tree(&args.place)?.join(PATH);
    let mut baseline = match (policy::read_policy(&path, PATH)?, update) {
        (Some(_), false) => {
            return Err(anyhow!("`{}` is there already; `baseline update` adds to it", super::shown(&path)).into());
        }
        (Some(text), true) => Baseline::parse(PATH, &text)?,
        (None, _) => Baseline::default(),
    };
    let Reviewed { review, .. } = setup::reviewed(&args.scope, &args.place)?;
    let chosen: Vec<&Finding> = review
        .findings
        .iter()
        .filter(|finding| {
            args.only.is_empty()
                || args.only.iter().any(|wanted| finding.fingerprint.as_str().starts_with(wanted.as_str()))
        })
        .collect();
    if !args.only.is_empty() && chosen.is_empty() {
        return Err(anyhow!("no shown finding has one of these fingerprints").into());
    }
    let before = baseline.entries.len();
    for finding in &chosen {
        baseline.entries.retain(|entry| entry.fingerprint != finding.fingerprint);
        baseline.entries.push(entry(finding, args.reason.trim(), until));
    }
    write(&path, &baseline)?;
    output::say(&format!(
        "{} accepted in {PATH}, which now has {} (before: {before}); commit it to make it count",
        chosen.len(),
        baseline.entries.len()
    ));
    Ok(Exit::Passed)
}

fn entry(finding: &Finding, reason: &str, until: Option<Date>) -> Entry {
    Entry {
        path: finding.claim.location.path.to_text().raw().to_owned(),
        tag: finding.claim.tag.to_string(),
        fingerprint: finding.fingerprint.clone(),
        window: finding.window.clone(),
        reason: reason.to_owned(),
        until,
    }
}

fn prune(place: &PlaceArgs) -> Result<Exit, Failure> {
    let root = policy::work_tree(place)?;
    let path = root.join(PATH);
    let text =
        policy::read_policy(&path, PATH)?.ok_or_else(|| anyhow!("there is no file `{}`", super::shown(&path)))?;
    let mut baseline = Baseline::parse(PATH, &text)?;
    let today = env::today();
    let mut gone = Vec::new();
    baseline.entries.retain(|entry| {
        let why = if entry.is_expired(today) {
            Some("expired")
        } else if !root.join(&entry.path).exists() {
            Some("its file is gone")
        } else {
            None
        };
        gone.extend(why.map(|why| format!("{} {} in {}: {why}", entry.fingerprint, entry.tag, entry.path)));
        why.is_none()
    });
    write(&path, &baseline)?;
    for line in &gone {
        output::say(&format!("removed {line}"));
    }
    output::say(&format!("{} removed, {} kept", gone.len(), baseline.entries.len()));
    Ok(Exit::Passed)
}

/// Writes beside the file first: an interrupted write loses no acceptance.
fn write(path: &std::path::Path, baseline: &Baseline) -> anyhow::Result<()> {
    let named = || format!("`{}` cannot be written", super::shown(path));
    let folder = path.parent().ok_or_else(|| anyhow!("it has no folder")).with_context(named)?;
    fs::create_dir_all(folder).with_context(named)?;
    let draft = path.with_extension("json.new");
    fs::write(&draft, baseline.render()).with_context(named)?;
    fs::rename(&draft, path).with_context(named)
}
