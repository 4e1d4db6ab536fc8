//! `diffsieve publish`.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, anyhow};
use diffsieve::escape;
use diffsieve::provider::Clock;
use diffsieve::publish::{self, Given, Job, Outcome, Target, fallback};
use diffsieve::report::json::{self, Saved};
use serde_json::Value;

use super::args::GithubArgs;
use super::exit::Exit;
use super::{Failure, env, output, policy};

/// A report that anybody reads is a hundredth of it.
const REPORT_BYTES: u64 = 64 << 20;
/// GitHub's own limit for a payload is 25 MB.
const EVENT_BYTES: u64 = 32 << 20;

pub(super) fn github(args: &GithubArgs) -> Result<Exit, Failure> {
    let bytes = policy::read_file(&args.report, REPORT_BYTES)?;
    let bytes = bytes.ok_or_else(|| anyhow!("there is no file `{}`", super::shown(&args.report)))?;
    let saved = json::read(&bytes).map_err(|error| anyhow::Error::from(error).context(super::shown(&args.report)))?;
    let event = event(args)?;
    let given = Given { repository: args.repo.clone(), number: args.pr };
    let target = Target::find(&given, event.as_ref(), &env::var).map_err(anyhow::Error::from)?;
    let variable = |name: &str| env::var(name).and_then(|value| value.into_string().ok()).filter(|v| !v.is_empty());
    let token = ["GITHUB_TOKEN", "GH_TOKEN"].into_iter().find_map(|name| Some((name, variable(name)?)));
    if token.is_none() && !args.dry_run {
        return Err(anyhow!("there is no token; set GITHUB_TOKEN, in a workflow to `${{{{ github.token }}}}`").into());
    }
    let job = Job {
        target,
        api: &variable("GITHUB_API_URL").unwrap_or_else(|| "https://api.github.com".to_owned()),
        server: &variable("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".to_owned()),
        token: token.as_ref().map(|(name, token)| (*name, token.as_str())),
        author: args.author.as_deref(),
        max_comments: usize::from(args.max_comments),
        dry_run: args.dry_run,
        time: Duration::from_secs(u64::from(args.timeout)),
        clock: Clock::new(Instant::now, SystemTime::now, std::thread::sleep),
        env: &env::var,
    };
    let outcome = publish::publish(&saved, &job).map_err(anyhow::Error::from)?;
    if args.dry_run {
        print(&outcome.writes).map_err(anyhow::Error::from)?;
    }
    fall_back(&saved, &outcome, args.dry_run)?;
    Ok(say(&job, &outcome))
}

/// The event: the file that is named, else that of the job.
fn event(args: &GithubArgs) -> Result<Option<Value>, Failure> {
    let variable = || env::var("GITHUB_EVENT_PATH").filter(|value| !value.is_empty()).map(PathBuf::from);
    let Some(path) = args.event.clone().or_else(variable) else { return Ok(None) };
    let bytes = policy::read_file(&path, EVENT_BYTES)?;
    let bytes = bytes.ok_or_else(|| anyhow!("there is no file `{}`", super::shown(&path)))?;
    let event = serde_json::from_slice(&bytes).with_context(|| format!("`{}` is no event", super::shown(&path)))?;
    Ok(Some(event))
}

fn print(writes: &[Value]) -> io::Result<()> {
    output::quiet_pipe(output::to_stdout(|out| writes.iter().try_for_each(|write| writeln!(out, "{write}"))))
}

/// What no place of the pull request took goes to the log and to the summary of the job.
fn fall_back(saved: &Saved, outcome: &Outcome, dry_run: bool) -> anyhow::Result<()> {
    if outcome.untold.is_empty() {
        return Ok(());
    }
    let findings = || outcome.untold.iter().filter_map(|index| saved.review.findings.get(*index));
    if dry_run {
        // Standard output has JSON alone.
        findings().for_each(|finding| output::say(&fallback::line(finding)));
        return Ok(());
    }
    output::quiet_pipe(output::to_stdout(|out| {
        findings().try_for_each(|finding| writeln!(out, "{}", escape::log_line(&fallback::line(finding))))
    }))?;
    let Some(path) = env::var("GITHUB_STEP_SUMMARY").filter(|value| !value.is_empty()) else { return Ok(()) };
    let path = Path::new(&path);
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(fallback::markdown(saved, &outcome.untold).as_bytes()));
    if let Err(error) = written {
        output::say(&format!("the job's summary cannot be written to `{}`: {error}", super::shown(path)));
    }
    Ok(())
}

/// Tells what was done; the exit code.
fn say(job: &Job<'_>, outcome: &Outcome) -> Exit {
    for note in &outcome.notes {
        output::say(note);
    }
    if outcome.is_outdated {
        output::say(
            "the pull request has a newer head than this event, so nothing was written; that push has its own run",
        );
        return Exit::Passed;
    }
    let Outcome { on_lines, on_files, before, in_summary, fixed, untold, .. } = outcome;
    let summary = if outcome.summary { "the summary is up to date" } else { "no summary" };
    let would = if job.dry_run { " (only shown, not written)" } else { "" };
    output::say(&format!(
        "pull request {} of {}{would}: {on_lines} new comments on lines, {on_files} on files, {before} told before, \
         {in_summary} in the summary alone, {fixed} hidden as fixed; {summary}",
        job.target.number, job.target.repository
    ));
    if !untold.is_empty() {
        output::say(&format!("{} findings are only in this log and in the job's summary", untold.len()));
    }
    match &outcome.problem {
        Some(problem) => {
            output::say(&format!("publishing could not be completed: {problem}"));
            Exit::Incomplete
        }
        None if untold.is_empty() => Exit::Passed,
        None => Exit::Incomplete,
    }
}
