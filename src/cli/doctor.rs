//! `diffsieve doctor`: everything that keeps a review from its end, looked at before it does. Each line says what is found and,
//! where something is wrong, what to do.

use std::path::PathBuf;

use diffsieve::detect;
use diffsieve::diff::{Globs, Plan, Planned};
use diffsieve::git::{Content, EntryKind, Repository};
use diffsieve::provider::{Prompt, Schema};
use diffsieve::scope::{self, Request, Scope};
use diffsieve::{baseline, escape};

use super::args::{DoctorArgs, ModelArgs};
use super::exit::Exit;
use super::hook::manage;
use super::model::{self, Found};
use super::policy::{self, Loadout};
use super::{Failure, env, output};

/// Largest workflow that is looked at.
const WORKFLOW_BYTES: u64 = 1 << 20;

/// How a matter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
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
    let mut is_asked = false;
    if let Some(loadout) = &loadout {
        policy(loadout, &mut found);
        is_asked = model(args, loadout, &mut found);
    }
    cache(&args.model, is_asked, &mut found);
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
    let event = env::var("GITHUB_EVENT_PATH").filter(|value| !value.is_empty()).map(PathBuf::from);
    if job.service == "GitHub Actions" && !event.is_some_and(|path| path.is_file()) {
        let what = "GITHUB_EVENT_PATH names no file: in a container give the job's variables and folders to it (docker run -e \
                    GITHUB_EVENT_PATH -v …), or name the commits with --base and --head";
        found.remark("job", what);
    }
}

/// The repository, the range, and the policy for it.
fn repository(args: &DoctorArgs, found: &mut Findings) -> Option<Loadout> {
    let repo = match Repository::open(super::start(args.place.tree.directory.as_deref()), &env::var) {
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
    let plan = range(&repo, &scope, found);
    workflow(&repo, found);
    match manage::lines(&repo) {
        Ok(lines) => lines.into_iter().for_each(|(state, line)| found.add(state, "hooks", line)),
        Err(failure) => found.broken("hooks", &failure),
    }
    let loadout = match policy::of_scope(&repo, &scope, [].into_iter(), &args.place) {
        Ok(loadout) => Some(loadout),
        Err(failure) => {
            found.broken("policy", &failure);
            None
        }
    };
    if let Some(plan) = plan {
        let exclude = loadout.as_ref().map(|loadout| loadout.config.exclude.clone()).unwrap_or_default();
        contents(&repo, &scope, &plan, &exclude, found);
    }
    loadout
}

/// Whether the workflow that `init` wrote names an Action that is there.
fn workflow(repo: &Repository, found: &mut Findings) {
    let Some(path) = repo.root().map(|root| root.join(super::init::WORKFLOW)) else { return };
    let text = policy::read_file(&path, WORKFLOW_BYTES).ok().flatten().unwrap_or_default();
    if String::from_utf8_lossy(&text).contains("OWNER/diffsieve@") {
        let what = "the workflow names no real Action yet: write its repository and commit for OWNER/diffsieve@0000…";
        found.add(State::Broken, "workflow", format!("{}: {what}", super::init::WORKFLOW));
    }
}

/// Whether all that a review reads of the change is there.
fn contents(repo: &Repository, scope: &Scope, plan: &Plan, exclude: &Globs, found: &mut Findings) {
    let missing = plan.files.iter().filter(|file| !exclude.is_match(&file.path) && is_missing(repo, file)).count();
    if missing == 0 {
        return;
    }
    let range = scope.merge_base.zip(scope.head).map(|(old, new)| format!(" {} {}", old.hex(), new.hex()));
    let remedy = if repo.is_partial_clone() {
        format!("run `git diff --stat{}` once, which fetches it, or clone without --filter", range.unwrap_or_default())
    } else {
        "`git fsck` may tell more".to_owned()
    };
    let what = format!(
        "{missing} of {} changed files have content that is not in this clone, so a review leaves them unread: {remedy}",
        plan.files.len()
    );
    found.add(State::Broken, "contents", what);
}

/// Whether a review would look for content of a file that is not there.
fn is_missing(repo: &Repository, file: &Planned) -> bool {
    let change = &file.change;
    let sides = || change.old.iter().chain(&change.new);
    // Of these a review reads the entries alone.
    if sides().any(|entry| matches!(entry.kind, EntryKind::Submodule | EntryKind::Symlink)) {
        return false;
    }
    let old_path = change.similarity.and(change.old.as_ref()).map(|old| &old.path);
    let is_same = sides().count() == 2
        && change.old.as_ref().map(|entry| entry.content.id()) == change.new.as_ref().map(|entry| entry.content.id());
    if is_same && !detect::limits(&file.path, file.class, old_path).all_is_new {
        return false;
    }
    sides().any(|entry| matches!(entry.content, Content::Blob(id) if !repo.has(id)))
}

/// The changed files, where they can be told.
fn range(repo: &Repository, scope: &Scope, found: &mut Findings) -> Option<Plan> {
    let attributes = scope.base_tip.map(|tip| repo.tree_of(tip)).transpose();
    let plan = attributes.and_then(|attributes| Plan::between(repo, &scope.old, &scope.new, attributes));
    let plan = match plan {
        Ok(plan) => {
            let shallow = if repo.is_shallow() { ", in a shallow clone" } else { "" };
            found.good("range", format!("{}: {} changed files{shallow}", scope.description, plan.files.len()));
            Some(plan)
        }
        Err(error) => {
            found.broken("range", &error.into());
            None
        }
    };
    for note in &scope.notes {
        found.remark("range", note.as_str());
    }
    plan
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

/// The model, and with --online whether it answers. Says whether a review asks one.
fn model(args: &DoctorArgs, loadout: &Loadout, found: &mut Findings) -> bool {
    let ready = match model::find(&args.model, &loadout.config, None) {
        Ok(Found::Ready(ready)) => ready,
        Ok(Found::Nobody) => {
            found.good("model", "none: the detectors decide");
            return false;
        }
        Ok(Found::WithoutKey(why)) => {
            found.remark("model", why);
            return false;
        }
        Err(failure) => {
            found.broken("model", &failure);
            return true;
        }
    };
    if let Some(name) = ready.missing_key() {
        let what = format!(
            "{} needs a key and {name} is not set: give it to this step by a secret, or let the detectors decide alone \
             where there is none (gate.on_missing_key = \"detectors\")",
            ready.name()
        );
        found.add(State::Broken, "model", what);
    } else if !args.online {
        found.good("model", format!("{} is ready to be asked; --online asks it one short question", ready.name()));
    } else {
        match ready.collector().ask(&greeting()) {
            Ok(answer) => found.good("model", format!("{} answers: {}", ready.name(), escape::visible(&answer.text))),
            Err(none) => {
                let what = format!("{} does not answer ({}): {}", ready.name(), none.why, none.message);
                found.add(State::Broken, "model", what);
            }
        }
    }
    true
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

/// Where answers are kept. Without a model there are none.
fn cache(args: &ModelArgs, is_asked: bool, found: &mut Findings) {
    let Some(folder) = model::cache_folder(args) else {
        return found.remark("cache", "off: every review asks again, and its verdict may differ");
    };
    let shown = super::shown(&folder);
    match model::cache(args).and_then(|(_, cache)| cache.stats().map_err(|error| anyhow::Error::from(error).into())) {
        Ok(stats) => found.good("cache", format!("{} answers in {shown}", stats.entries)),
        Err(failure) if is_asked => found.broken("cache", &failure),
        Err(failure) => failure.lines().into_iter().for_each(|line| found.remark("cache", line)),
    }
}
