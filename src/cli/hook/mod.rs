//! `diffsieve hook`: reviews for git. All prose and all findings go to standard error, which git shows.

pub(super) mod manage;
mod push;

use std::time::{Duration, Instant};

use diffsieve::escape;
use diffsieve::gate::{self, FailOn, OnIncomplete, Verdict};
use diffsieve::git::Repository;
use diffsieve::scope::Request;

use super::args::{HookArgs, HookCommand};
use super::exit::Exit;
use super::review::Told;
use super::setup::{self, Asking};
use super::{Failure, env, output, policy};

pub(super) fn run(command: HookCommand) -> Result<Exit, Failure> {
    match command {
        HookCommand::PrePush(args) => push::run(&args),
        HookCommand::PreCommit(args) => pre_commit(args),
        HookCommand::Install { hooks, print, config_based, directory } => {
            manage::install(&hooks, print, config_based, directory)
        }
        HookCommand::Uninstall { hooks, directory } => manage::uninstall(&hooks, directory),
        HookCommand::Status { directory } => manage::status(directory),
    }
}

/// Whether the user wants no review this time.
fn is_skipped() -> bool {
    let skipped = env::var("DIFFSIEVE_SKIP").is_some_and(|value| value == "1");
    if skipped {
        output::say("skipped (DIFFSIEVE_SKIP=1)");
    }
    skipped
}

/// What is staged. A commit is made often, so a model reads along only where the command line names one.
fn pre_commit(mut args: HookArgs) -> Result<Exit, Failure> {
    if is_skipped() {
        return Ok(Exit::Passed);
    }
    args.model.no_model = args.model.model.is_none() && args.model.replay.is_none();
    let repo = Repository::open(super::start(args.place.tree.directory.as_deref()), &env::var)?;
    let mut session = Session::begin(&repo, &args, "commit");
    if repo.find_ref("MERGE_HEAD").is_some() {
        session.note("what is staged", "this commit is a merge, so what it brings in is reviewed too");
    }
    session.review("what is staged", &Request::Staged, None);
    Ok(session.end())
}

/// So many refs without a review are named, of each kind; of the others there is only the number.
const MOST_NAMED: usize = 10;

/// The reviews of one call.
struct Session<'a> {
    repo: &'a Repository,
    args: &'a HookArgs,
    /// What git is about to do, as it calls it.
    what: &'static str,
    deadline: Instant,
    fail_on: Option<FailOn>,
    on_incomplete: OnIncomplete,
    is_stopped: bool,
    is_incomplete: bool,
    /// How many were not reviewed, and for how many there was nothing to review.
    not_reviewed: usize,
    nothing: usize,
}

impl<'a> Session<'a> {
    fn begin(repo: &'a Repository, args: &'a HookArgs, what: &'static str) -> Self {
        // What a repository's file says is meant for CI, where nobody waits and nobody can go on.
        let asked = args.on_incomplete.as_deref().and_then(OnIncomplete::parse);
        Self {
            repo,
            args,
            what,
            deadline: Instant::now() + Duration::from_secs(args.seconds),
            fail_on: args.fail_on.as_deref().and_then(FailOn::parse),
            on_incomplete: asked
                .or_else(|| policy::users_on_incomplete(&args.place.tree))
                .unwrap_or(OnIncomplete::Warn),
            is_stopped: false,
            is_incomplete: false,
            not_reviewed: 0,
            nothing: 0,
        }
    }

    /// Reviews one change. `left_out` is why older commits are not part of it.
    fn review(&mut self, name: &str, request: &Request, left_out: Option<&str>) {
        let asking = Asking {
            model: &self.args.model,
            quiet: self.args.quiet,
            fail_on: self.fail_on,
            deadline: Some(self.deadline),
            shard: None,
            keep_diff: false,
        };
        let reviewed = setup::with_request(self.repo, request, &self.args.place, asking).and_then(|reviewed| reviewed);
        let decision = reviewed.and_then(|reviewed| {
            let fail_on = self.fail_on.unwrap_or(reviewed.loadout.config.gate.fail_on);
            let policy = gate::Policy { fail_on, on_incomplete: self.on_incomplete };
            let style = output::style_of_stderr(self.args.color, self.args.quiet);
            Ok(Told::of(reviewed).decided(policy, style, |report| output::text_to_stderr(&report))?)
        });
        let decision = match decision {
            Ok(decision) => decision,
            Err(failure) => {
                if self.not_reviewed < MOST_NAMED {
                    failure.report();
                }
                return self.not_reviewed(name, "see above");
            }
        };
        if let Some(why) = left_out {
            output::say(&format!("{name}: {why}"));
        }
        if decision.verdict == Verdict::Fail {
            self.is_stopped = true;
            let what = self.what;
            output::say(&format!(
                "{name}: the gate failed, so the {what} is stopped (`DIFFSIEVE_SKIP=1 git {what}` goes on without a review)"
            ));
        } else if !decision.complete || left_out.is_some() {
            self.is_incomplete = true;
            output::say(&format!("{name}: NOT FULLY REVIEWED, see above; {}", self.goes_on()));
        }
    }

    /// Says that there was no review, and why.
    fn not_reviewed(&mut self, name: &str, why: &str) {
        self.is_incomplete = true;
        self.not_reviewed += 1;
        if self.not_reviewed <= MOST_NAMED {
            output::say(&format!("{name}: NOT REVIEWED, {why}; {}", self.goes_on()));
        }
    }

    /// Says that there is nothing to review, and why.
    fn nothing(&mut self, name: &str, why: &str) {
        self.nothing += 1;
        if self.nothing <= MOST_NAMED {
            self.note(name, &format!("nothing to review, {why}"));
        }
    }

    fn goes_on(&self) -> String {
        match self.on_incomplete {
            OnIncomplete::Warn => format!("the {} goes on", self.what),
            OnIncomplete::Fail => format!("the {} is stopped, as on_incomplete = \"fail\" says", self.what),
        }
    }

    fn end(&self) -> Exit {
        if let Some(more @ 1..) = self.nothing.checked_sub(MOST_NAMED) {
            self.note(&format!("{more} more refs"), "nothing to review");
        }
        if let Some(more @ 1..) = self.not_reviewed.checked_sub(MOST_NAMED) {
            output::say(&format!("{more} more refs: NOT REVIEWED; {}", self.goes_on()));
        }
        if self.is_stopped {
            Exit::Failed
        } else if self.is_incomplete && self.on_incomplete == OnIncomplete::Fail {
            Exit::Incomplete
        } else {
            Exit::Passed
        }
    }

    /// Something about a ref that is no trouble.
    fn note(&self, name: &str, what: &str) {
        if !self.args.quiet {
            output::say(&format!("{}: {what}", escape::visible(name)));
        }
    }
}
