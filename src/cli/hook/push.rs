//! `diffsieve hook pre-push`: who tells what is pushed, and a review for each ref.

use std::cell::Cell;
use std::io::{IsTerminal as _, Read as _};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use diffsieve::escape;
use diffsieve::finding::Untrusted;
use diffsieve::git::{Oid, Repository};
use diffsieve::hook::{self, Remote, Time, Turn, Update};
use diffsieve::scope::Request;

use super::{Session, is_skipped};
use crate::cli::args::PrePushArgs;
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, output};

/// A push of a hundred thousand refs has less.
const MOST_BYTES: u64 = 64 << 20;

/// So many lines that are no protocol are shown; of others there is only the number.
const MOST_STRANGE: usize = 3;

/// Whoever waits longer is told what for.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn run(args: &PrePushArgs) -> Result<Exit, Failure> {
    if is_skipped() {
        return Ok(Exit::Passed);
    }
    if env::var("PRE_COMMIT").is_some_and(|value| value == "1") {
        return under_framework(args);
    }
    let input = listen()?;
    let repo = Repository::open(crate::cli::start(args.hook.place.tree.directory.as_deref()), &env::var)?;
    let mut session = Session::begin(&repo, &args.hook, "push");
    let mut updates = Vec::new();
    let mut strange = 0_usize;
    for line in hook::parse(&input) {
        match line {
            Ok(update) => updates.push(update),
            Err(line) => {
                strange += 1;
                if strange <= MOST_STRANGE {
                    session.not_reviewed(&line.visible(), "this is no line of git's pre-push protocol");
                }
            }
        }
    }
    if let Some(more @ 1..) = strange.checked_sub(MOST_STRANGE) {
        session.not_reviewed("standard input", &format!("{more} more lines are none of git's pre-push protocol"));
    }
    // So git itself calls the hook where the remote has everything; other programs do where they lost git's words.
    if updates.is_empty() && strange == 0 && !args.hook.quiet {
        output::say("no ref was named on standard input: nothing reviewed");
    }
    let remote = args.remote.to_string_lossy();
    let is_address = args.url.as_ref() == Some(&args.remote);
    review(&mut session, Remote { name: &remote, is_address }, &updates)?;
    Ok(session.end())
}

fn review(session: &mut Session<'_>, remote: Remote<'_>, updates: &[Update]) -> Result<(), Failure> {
    let start = Instant::now();
    let most = Duration::from_secs(session.args.seconds);
    // To find out what a push adds takes no longer than a model, whatever the reviews between take.
    let reviews = Cell::new(Duration::ZERO);
    let is_told = Cell::new(session.args.quiet);
    let is_over = || {
        let planning = start.elapsed().saturating_sub(reviews.get());
        if planning > PATIENCE && !is_told.replace(true) {
            output::say("looking through the history for what this push adds");
        }
        planning > most
    };
    // What branches bring is read by the detectors at least. Tags come by the hundred.
    let deadline = session.deadline;
    let is_over_for_tags = || Instant::now() > deadline;
    let time = Time { is_over: &is_over, is_over_for_tags: &is_over_for_tags };
    for turn in hook::plan(session.repo, remote, updates, time)? {
        match turn {
            Turn::Review { name, request, left_out } => {
                let start = Instant::now();
                session.review(&name.visible(), &request, left_out.as_deref());
                reviews.set(reviews.get() + start.elapsed());
            }
            Turn::Nothing { name, why } => session.nothing(name.raw(), &why),
            Turn::Unknown { name, error } => session.not_reviewed(&name.visible(), &error.to_string()),
        }
    }
    Ok(())
}

/// What git says of the push.
fn listen() -> Result<Vec<u8>, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(anyhow!(
            "a terminal is not what git says of a push: git calls this hook and writes the pushed refs to its standard \
             input; lefthook passes them with `use_stdin: true`; `diffsieve hook install` installs the hook, and \
             `diffsieve` alone reviews this branch"
        )
        .into());
    }
    // The reader blocks, so another thread explains.
    let (done, waiting) = mpsc::channel::<()>();
    let explainer = std::thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            output::say(
                "waiting for git to say on standard input which refs are pushed; lefthook passes that with `use_stdin: \
                 true`, other programs must not keep the hook's standard input for themselves",
            );
        }
    });
    let mut input = Vec::new();
    let read = stdin.lock().take(MOST_BYTES + 1).read_to_end(&mut input);
    drop(done);
    // It has nothing to say that is worth more than the review.
    let _ = explainer.join();
    read.context("standard input cannot be read")?;
    if input.len() as u64 > MOST_BYTES {
        return Err(anyhow!("standard input has more than {MOST_BYTES} bytes: that is no push").into());
    }
    Ok(input)
}

/// Under pre-commit or prek, which keep git's words for themselves and hand over the first ref in variables.
fn under_framework(args: &PrePushArgs) -> Result<Exit, Failure> {
    let repo = Repository::open(crate::cli::start(args.hook.place.tree.directory.as_deref()), &env::var)?;
    let mut session = Session::begin(&repo, &args.hook, "push");
    session.note(
        "pre-commit",
        "it shows a hook the first ref of a push only; the git hook that `diffsieve hook install pre-push` writes sees all",
    );
    let text = |name: &str| {
        let value = env::var(name).filter(|value| !value.is_empty())?;
        Some(value.to_string_lossy().into_owned())
    };
    let name = text("PRE_COMMIT_REMOTE_BRANCH").unwrap_or_else(|| "refs/heads/HEAD".to_owned());
    let remote = text("PRE_COMMIT_REMOTE_NAME");
    let address = text("PRE_COMMIT_REMOTE_URL");
    let refs = text("PRE_COMMIT_FROM_REF").zip(text("PRE_COMMIT_TO_REF"));
    let (old, new) = match (refs, &remote) {
        (Some((from, to)), _) => (Some(resolved(&repo, &from)?), resolved(&repo, &to)?),
        // Its words for a push that brings the root commit along.
        (None, Some(_)) => {
            let local = text("PRE_COMMIT_LOCAL_BRANCH").unwrap_or_else(|| "HEAD".to_owned());
            (None, resolved(&repo, &local)?)
        }
        // Run by hand.
        (None, None) => {
            session.review("HEAD", &Request::Default, None);
            return Ok(session.end());
        }
    };
    let is_address = remote.is_some() && remote == address;
    let remote = remote.unwrap_or_else(|| "origin".to_owned());
    let update = Update { new: Some(new), name: Untrusted::new(name), old };
    review(&mut session, Remote { name: &remote, is_address }, &[update])?;
    Ok(session.end())
}

fn resolved(repo: &Repository, rev: &str) -> Result<Oid, Failure> {
    repo.resolve(rev).map_err(|error| {
        let failure = Failure::from(error);
        match failure {
            Failure::Usage(error) => {
                Failure::Usage(error.context(format!("pre-commit names `{}`", escape::visible(rev))))
            }
            other => other,
        }
    })
}
