//! `diffsieve doctor`: everything that keeps a review from its end, looked at before it does. Each line says what is found and,
//! where something is wrong, what to do.

use std::path::PathBuf;

use diffsieve::diff::Plan;
use diffsieve::git::Repository;
use diffsieve::provider::{Prompt, Schema};
use diffsieve::scope::{self, Request, Scope};
use diffsieve::{baseline, escape};

use super::args::{DoctorArgs, ModelArgs};
use super::exit::Exit;
use super::hook::manage;
use super::model::{self, Found};
use super::policy::{self, Loadout};
use super::{Failure, env, output};

/// How a matter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// As it should be.
    Good,
    /// Worth knowing; a review comes to its end.
    Remark,
    /// A review would fail, or not be complete.
    Broken,
}

/// What was found, line by line.
#[derive(Default)]
struct Findings {
    lines: Vec<(State, &'static str, String)>,
}

impl Findings {
    fn add(&mut self, state: State, matter: &'static str, what: impl Into<String>) {
        self.lines.push((state, matter, what.into()));
    }

    fn good(&mut self, matter: &'static str, what: impl Into<String>) {
        self.add(State::Good, matter, what);
    }

    fn remark(&mut self, matter: &'static str, what: impl Into<String>) {
        self.add(State::Remark, matter, what);
    }

    fn broken(&mut self, matter: &'static str, failure: &Failure) {
        for line in failure.lines() {
            self.add(State::Broken, matter, line);
        }
    }
}

pub(super) fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    let mut found = Findings::default();
    found.good("program", format!("diffsieve {}", env!("CARGO_PKG_VERSION")));
    job(&mut found);
    let loadout = repository(args, &mut found);
    if let Some(loadout) = &loadout {
        policy(loadout, &mut found);
        model(args, loadout, &mut found);
    }
    cache(&args.model, &mut found);
    let worst = found.lines.iter().map(|(state, ..)| *state).max();
    let mut text = String::new();
    for (state, matter, what) in &found.lines {
        let word = match state {
            State::Good => "ok",
            State::Remark => "note",
            State::Broken => "BROKEN",
        };
        let what = escape::log_line(what);
        text.push_str(&format!("{word:<6}  {matter:<10}  {what}\n"));
    }
    output::quiet_pipe(output::to_stdout(|out| out.write_all(text.as_bytes()))).map_err(anyhow::Error::from)?;
    Ok(if worst == Some(State::Broken) { Exit::Incomplete } else { Exit::Passed })
}

/// The CI job, if it is one.
fn job(found: &mut Findings) {
    let Some(job) = scope::job(&env::var) else {
        found.good("job", "no CI job: this is somebody's own machine");
        return;
    };
    match (job.pull_request, job.fork) {
        (true, true) => found.remark(
            "job",
            format!(
                "{}, for a pull request from a fork: no secrets and no token that may write, so no model that needs a key; \
                 post comments from a second workflow (docs: GitHub Actions, forks)",
                job.service
            ),
        ),
        (true, false) => found.good("job", format!("{}, for a pull request", job.service)),
        (false, _) => found.good("job", format!("{}, for no pull request", job.service)),
    }
    let set = |name: &str| env::var(name).is_some_and(|value| !value.is_empty());
    if job.service == "GitHub Actions" && !set("GITHUB_EVENT_PATH") {
        let what = "GITHUB_EVENT_PATH is not set: in a container give the job's variables and folders to it (docker run -e \
                    GITHUB_EVENT_PATH -v …), or name the commits with --base and --head";
        found.remark("job", what);
    }
}

/// The repository, the range, and the policy for it.
fn repository(args: &DoctorArgs, found: &mut Findings) -> Option<Loadout> {
    let dir = args.place.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let repo = match Repository::open(&dir, &env::var) {
        Ok(repo) => repo,
        Err(error) => {
            found.broken("repository", &error.into());
            return None;
        }
    };
    match repo.root() {
        Some(root) => found.good("repository", super::shown(root)),
        None => found.remark("repository", "bare: --staged and --worktree have nothing to look at"),
    }
    if repo.is_partial_clone() {
        let what = "a partial clone: files whose content was not fetched are unread; fetch them (git fetch --refetch \
                    --no-filter), or clone without --filter";
        found.remark("repository", what);
    }
    let scope = match scope::find(&repo, &Request::Default, &env::var, true) {
        Ok(scope) => scope,
        Err(error) => {
            found.broken("range", &error.into());
            return None;
        }
    };
    range(&repo, &scope, found);
    match manage::lines(&repo) {
        Ok(lines) => lines.iter().for_each(|line| found.good("hooks", line.as_str())),
        Err(failure) => found.broken("hooks", &failure),
    }
    match policy::of_scope(&repo, &scope, [].into_iter(), &args.place) {
        Ok(loadout) => Some(loadout),
        Err(failure) => {
            found.broken("policy", &failure);
            None
        }
    }
}

fn range(repo: &Repository, scope: &Scope, found: &mut Findings) {
    let attributes = scope.base_tip.map(|tip| repo.tree_of(tip)).transpose();
    let plan = attributes.and_then(|attributes| Plan::between(repo, &scope.old, &scope.new, attributes));
    match plan {
        Ok(plan) => {
            let shallow = if repo.is_shallow() { ", in a shallow clone" } else { "" };
            found.good("range", format!("{}: {} changed files{shallow}", scope.description, plan.files.len()));
        }
        Err(error) => found.broken("range", &error.into()),
    }
    for note in &scope.notes {
        found.remark("range", note.as_str());
    }
}

/// Configuration, packs, baseline.
fn policy(loadout: &Loadout, found: &mut Findings) {
    let gate = loadout.config.gate;
    let what = format!(
        "{}: fails on {}, an incomplete review means {}",
        loadout.origin.config,
        gate.fail_on.name(),
        gate.on_incomplete.name()
    );
    found.good("policy", what);
    let own = loadout.rules.packs.iter().filter(|pack| pack.source.starts_with(diffsieve::config::RULES)).count();
    found.good("packs", format!("{} packs, {own} of them the project's own", loadout.rules.packs.len()));
    for note in &loadout.notes {
        found.remark("policy", note.as_str());
    }
    let today = env::today();
    let entries = &loadout.baseline.entries;
    let expired = entries.iter().filter(|entry| entry.is_expired(today)).count();
    if expired > 0 {
        let what = format!("{expired} of {} accepted findings have expired: `diffsieve baseline prune`", entries.len());
        found.remark("baseline", what);
    } else if !entries.is_empty() {
        found.good("baseline", format!("{} accepted findings in {}", entries.len(), baseline::PATH));
    }
}

/// The model, and with --online whether it answers.
fn model(args: &DoctorArgs, loadout: &Loadout, found: &mut Findings) {
    let ready = match model::find(&args.model, &loadout.config, None) {
        Ok(Found::Ready(ready)) => ready,
        Ok(Found::Nobody) => return found.good("model", "none: the detectors decide"),
        Ok(Found::WithoutKey(why)) => return found.remark("model", why),
        Err(failure) => return found.broken("model", &failure),
    };
    if let Some(name) = ready.missing_key() {
        let what = format!(
            "{} needs a key and {name} is not set: give it to this step by a secret, or let the detectors decide alone \
             where there is none (gate.on_missing_key = \"detectors\")",
            ready.name()
        );
        return found.add(State::Broken, "model", what);
    }
    if !args.online {
        return found
            .good("model", format!("{} is ready to be asked; --online asks it one short question", ready.name()));
    }
    match ready.collector().ask(&greeting()) {
        Ok(answer) => found.good("model", format!("{} answers: {}", ready.name(), escape::visible(&answer.text))),
        Err(none) => found.add(
            State::Broken,
            "model",
            format!("{} does not answer ({}): {}", ready.name(), none.why, none.message),
        ),
    }
}

/// The shortest question that shows whether key, endpoint and answers in the asked form work.
fn greeting() -> Prompt {
    Prompt {
        system: "Answer with one JSON object.".to_owned(),
        user: "Set `ready` to true.".to_owned(),
        schema: Schema {
            name: "ready",
            json: serde_json::json!({
                "type": "object",
                "properties": {"ready": {"type": "boolean"}},
                "required": ["ready"],
                "additionalProperties": false,
            }),
        },
        answer_tokens: 2_000,
    }
}

/// Where answers are kept.
fn cache(args: &ModelArgs, found: &mut Findings) {
    let Some(folder) = model::cache_folder(args) else {
        return found.remark("cache", "off: every review asks again, and its verdict may differ");
    };
    let shown = super::shown(&folder);
    match model::cache(args).and_then(|(_, cache)| cache.stats().map_err(|error| anyhow::Error::from(error).into())) {
        Ok(stats) => found.good("cache", format!("{} answers in {shown}", stats.entries)),
        Err(failure) => found.broken("cache", &failure),
    }
}
