//! `diffsieve baseline`.

use std::fs;

use anyhow::{Context as _, anyhow};
use diffsieve::baseline::{Baseline, Date, Entry, MAX_BYTES, PATH};
use diffsieve::finding::Finding;
use diffsieve::review::Review;

use super::args::{AcceptArgs, BaselineCommand, TreeArgs};
use super::exit::Exit;
use super::policy;
use super::setup::{self, Asking, Reviewed};
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
    if until.is_some_and(|until| env::today().is_some_and(|today| until < today)) {
        return Err(anyhow!("the day of --until is past: the acceptance would not count").into());
    }
    let path = policy::work_tree(&args.place.tree)?.join(PATH);
    let mut baseline = match (policy::read_policy(&path, PATH)?, update) {
        (Some(_), false) => {
            return Err(anyhow!("`{}` is there already; `baseline update` adds to it", super::shown(&path)).into());
        }
        (Some(text), true) => Baseline::parse(PATH, &text)?,
        (None, _) => Baseline::default(),
    };
    let Reviewed { review, .. } = setup::reviewed(&args.scope, &args.place, Asking::quietly(&args.model))?;
    let chosen = chosen(&review, &args.only)?;
    let before = baseline.entries.len();
    baseline.accept(chosen.iter().map(|finding| entry(finding, args.reason.trim(), until)));
    write(&path, &baseline)?;
    output::say(&format!(
        "{} accepted in {PATH}, which now has {} (before: {before}); pull requests read it from the base branch, so it counts \
         there once it is merged",
        chosen.len(),
        baseline.entries.len()
    ));
    Ok(Exit::Passed)
}

/// The findings to accept: those that are shown, or hidden by a cap alone or behind one of the same tag and place; all
/// of them or the ones asked for.
fn chosen<'r>(review: &'r Review, only: &[String]) -> anyhow::Result<Vec<&'r Finding>> {
    let all = || review.findings.iter().chain(review.dropped.iter().filter(|finding| finding.is_hidden()));
    if only.is_empty() {
        return Ok(all().collect());
    }
    let mut chosen: Vec<&Finding> = Vec::new();
    for wanted in only {
        let is_it = |finding: &&Finding| finding.fingerprint.as_str().starts_with(wanted.as_str());
        let mut found = all().filter(is_it);
        match (found.next(), found.next()) {
            (Some(finding), None) => {
                let place = |other: &Finding| {
                    (other.claim.tag.clone(), other.claim.location.path.clone(), other.claim.location.line)
                };
                chosen.extend(all().filter(|other| place(other) == place(finding)));
            }
            (Some(_), Some(_)) => {
                return Err(anyhow!("several findings have a fingerprint that starts with `{wanted}`"));
            }
            (None, _) if review.dropped.iter().any(|finding| is_it(&finding)) => {
                return Err(anyhow!("the finding `{wanted}` is not shown: `diffsieve explain {wanted}` says why"));
            }
            (None, _) => return Err(anyhow!("no finding has the fingerprint `{wanted}`")),
        }
    }
    Ok(chosen)
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

fn prune(place: &TreeArgs) -> Result<Exit, Failure> {
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
    let text = baseline.render();
    if text.len() as u64 > MAX_BYTES {
        return Err(anyhow!("it would have more than {MAX_BYTES} bytes, which no review reads")).with_context(named);
    }
    let draft = path.with_extension("json.new");
    fs::write(&draft, text).with_context(named)?;
    fs::rename(&draft, path).with_context(named)
}
