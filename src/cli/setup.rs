//! Prepares a review: the change that the arguments name and the policy for it, then the two together.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use diffsieve::context::{Context, Options};
use diffsieve::detect;
use diffsieve::diff::{self, FileChange, Globs, Plan, Planned, patch};
use diffsieve::finding::RepoPath;
use diffsieve::gate::FailOn;
use diffsieve::git::{Entry, Reader, Repository, Side};
use diffsieve::report::Provenance;
use diffsieve::report::json::{self, Saved};
use diffsieve::review::model::{Part, Strategy};
use diffsieve::review::shard::{Peek, Shard};
use diffsieve::review::{Change, Changes, Loaded, Review, Settings, Skip, review};
use diffsieve::scope::{self, Request, Scope};

use super::Failure;
use super::args::{ConfigFrom, ModelArgs, PlaceArgs, ScopeArgs};
use super::model::{self, Found};
use super::policy::{self, Loadout};
use super::progress::Teller;
use super::{env, output};

/// Largest patch or saved report that is read.
const PATCH_BYTES: u64 = 256 << 20;

/// What a file costs beside its bytes, in bytes.
const FILE_COST: u64 = 2_000;

/// A finished review with what a report says around it.
pub(super) struct Reviewed {
    pub(super) review: Review,
    pub(super) loadout: Loadout,
    pub(super) provenance: Provenance,
}

/// A saved report.
pub(super) fn saved(path: &Path) -> anyhow::Result<Saved> {
    let bytes = policy::read_file(path, PATCH_BYTES)?;
    let bytes = bytes.ok_or_else(|| anyhow!("there is no file `{}`", super::shown(path)))?;
    json::read(&bytes).map_err(|error| anyhow::Error::from(error).context(super::shown(path)))
}

/// What is done with a change, once it and the policy for it are known.
pub(super) trait Task {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<C: Changes>(self, files: &C, change: Change, loadout: Loadout, provenance: Provenance) -> Self::Output;
}

/// Reviews what the arguments ask for.
pub(super) fn reviewed(scope: &ScopeArgs, place: &PlaceArgs, asking: Asking<'_>) -> Result<Reviewed, Failure> {
    with_change(scope, place, asking)?
}

/// Does something with the change that the arguments ask for.
pub(super) fn with_change<T: Task>(scope: &ScopeArgs, place: &PlaceArgs, task: T) -> Result<T::Output, Failure> {
    match &scope.patch {
        Some(path) => with_patch(path, place, task),
        None => with_repository(scope, place, task),
    }
}

fn with_repository<T: Task>(args: &ScopeArgs, place: &PlaceArgs, task: T) -> Result<T::Output, Failure> {
    let repo = Repository::open(super::start(place.tree.directory.as_deref()), &env::var)?;
    with_request(&repo, &request(args), place, task)
}

/// As [`with_change`], of a repository that is open.
pub(super) fn with_request<T: Task>(
    repo: &Repository,
    request: &Request,
    place: &PlaceArgs,
    task: T,
) -> Result<T::Output, Failure> {
    let mut scope = scope::find(repo, request, &env::var, *request == Request::Default)?;
    // The commits that a range names may be the author's own; a base that the workflow names is not.
    let is_chosen = matches!(request, Request::Default | Request::BaseHead { .. } | Request::Pushed(_));
    if scope.guarded && !is_chosen && matches!(place.config_from, None | Some(ConfigFrom::Base)) {
        scope.base_tip = scope::find(repo, &Request::Default, &env::var, false)?.base_tip;
    }
    let plan = Plan::between(repo, &scope.old, &scope.new, scope.base_tip.map(|tip| repo.tree_of(tip)).transpose()?)?;
    let paths = plan.files.iter().flat_map(|file| file.change.old.iter().chain(&file.change.new));
    let loadout = policy::of_scope(repo, &scope, paths.map(|entry| &entry.path), place)?;
    let change = change(&scope, &plan);
    let provenance = Provenance {
        repository_uri: repo.remote_url("origin"),
        revision: scope.head.map(|head| head.hex()),
        branch: None,
        category: None,
    };
    let files = PlannedFiles { repo, plan: &plan, exclude: loadout.config.exclude.clone() };
    Ok(task.run(&files, change, loadout, provenance))
}

fn with_patch<T: Task>(path: &Path, place: &PlaceArgs, task: T) -> Result<T::Output, Failure> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { super::shown(path) };
    // Not only files: shells hand over pipes here.
    let source: Box<dyn std::io::Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(fs::File::open(path).with_context(|| format!("`{name}` cannot be read"))?)
    };
    let mut bytes = Vec::new();
    source.take(PATCH_BYTES + 1).read_to_end(&mut bytes).with_context(|| format!("{name} cannot be read"))?;
    if bytes.len() as u64 > PATCH_BYTES {
        return Err(anyhow!("the patch in {name} has more than {PATCH_BYTES} bytes").into());
    }
    let mut files = patch::parse(&bytes, &diff::Limits::default().text_only())
        .map_err(|error| anyhow!("the patch in {name} cannot be read: {error}"))?;
    if bytes.trim_ascii().is_empty() {
        let why = anyhow!("{name} is empty, as it is too where `git diff` failed: nothing was reviewed");
        return Err(Failure::Incomplete(why));
    }
    if files.is_empty() {
        return Err(
            anyhow!("{name} is no patch: a unified diff is needed, as `git diff` and `diff -u` write it").into()
        );
    }
    completed(&mut files, place);
    let loadout = policy::of_patch(&files, place)?;
    for file in files.iter_mut().filter(|file| loadout.config.exclude.is_match(&file.path)) {
        file.body = diff::Body::NotCode(diff::NotCode::Excluded);
    }
    let in_parts =
        files.iter().filter(|file| matches!(&file.body, diff::Body::Text { new, .. } if !new.is_whole())).count();
    let mut notes = Vec::new();
    if in_parts > 0 {
        notes.push(format!(
            "of {in_parts} changed files the patch shows only parts and no repository here has the rest: those were read \
             by the text detectors alone"
        ));
    }
    let change = Change { description: format!("the patch in {name}"), notes, ..Change::default() };
    Ok(task.run(&Loaded::new(files), change, loadout, Provenance::default()))
}

/// Completes the files of a patch from the repository it was made in, where we are in it.
fn completed(files: &mut Vec<FileChange>, place: &PlaceArgs) {
    let Ok(repo) = Repository::open(super::start(place.tree.directory.as_deref()), &env::var) else { return };
    let reader = repo.reader();
    let complete = |file: FileChange| {
        let limits = detect::limits(&file.path, file.class, None);
        match file.old_id.as_ref().and_then(|id| reader.blob_of_prefix(id, limits.file_bytes)) {
            Some(old) => patch::complete(file, old, &limits),
            None => file,
        }
    };
    *files = std::mem::take(files).into_iter().map(complete).collect();
}

/// All stages.
pub(super) struct Asking<'a> {
    /// Who is asked.
    pub(super) model: &'a ModelArgs,
    /// Nothing is told on the way.
    pub(super) quiet: bool,
    /// The level of the gate, where the arguments name one.
    pub(super) fail_on: Option<FailOn>,
    /// When the model has to be done, whatever the configuration grants it.
    pub(super) deadline: Option<Instant>,
    /// Which share of the change, where several runs share it.
    pub(super) shard: Option<Shard>,
    /// Whether a report shows the diff.
    pub(super) keep_diff: bool,
}

impl<'a> Asking<'a> {
    /// The whole change, for a command that decides nothing and tells nothing on the way.
    pub(super) const fn quietly(model: &'a ModelArgs) -> Self {
        Self { model, quiet: true, fail_on: Some(FailOn::Never), deadline: None, shard: None, keep_diff: false }
    }
}

impl Task for Asking<'_> {
    type Output = Result<Reviewed, Failure>;

    fn run<C: Changes>(self, files: &C, change: Change, loadout: Loadout, provenance: Provenance) -> Self::Output {
        let found = model::find(self.model, &loadout.config, self.deadline)?;
        let ready = match &found {
            Found::Ready(ready) => Some(ready),
            Found::Nobody | Found::WithoutKey(_) => None,
        };
        let fail_on = self.fail_on.unwrap_or(loadout.config.gate.fail_on);
        if ready.is_some_and(|ready| ready.strategy() == Strategy::Reflexion)
            && fail_on != FailOn::Never
            && !loadout.config.reflexion
        {
            let why = "the strategy `reflexion` adds more noise than faults (CR-Bench measured 1.95 useful findings for each \
                       useless one, against 5.11), so it gates nothing: `gate.reflexion = true` lets it, and `--fail-on \
                       never` shows what it finds";
            return Err(anyhow!(why).into());
        }
        let teller = Teller::new(ready.map(|ready| ready.name()).unwrap_or_default(), self.quiet);
        let tell = |progress| teller.tell(progress);
        let context = ready.map(|ready| ready.context(&loadout.rules)).transpose()?;
        let asked = ready.zip(context.as_ref()).map(|(ready, context)| ready.model(context, &tell));
        let mut notes = loadout.notes.clone();
        if let Found::WithoutKey(why) = &found {
            notes.push(why.clone());
        }
        let shown = self.keep_diff.then(|| Context::new(&loadout.rules, Options::default()));
        let shown = shown.transpose().map_err(anyhow::Error::from)?;
        let settings = Settings {
            baseline: loadout.baseline.clone(),
            today: env::today(),
            suppress: loadout.config.suppress,
            cap: loadout.config.cap,
            threads: env::threads(),
            model: asked.as_ref(),
            shard: self.shard,
            policy: loadout.identity.clone(),
            notes,
            keep_diff: shown.as_ref(),
        };
        let (mut review, time) = model::timed(|| review(files, change, &loadout.rules, &settings));
        teller.finish();
        if let (Some(part), Some(ready)) = (&mut review.model, ready) {
            part.seconds = time.as_secs_f64();
            part.cost = ready.cost(part.tally.usage.prompt_tokens, part.tally.usage.completion_tokens);
            if !self.quiet {
                output::say(&spent(&ready.name(), part));
            }
        }
        drop((context, shown));
        Ok(Reviewed { review, loadout, provenance })
    }
}

/// What the model took, in one line.
fn spent(name: &str, part: &Part) -> String {
    let tally = &part.tally;
    let judged = match part.scored {
        (0, _) => String::new(),
        (all, scored) => format!("; {scored} of {all} claims scored, validator {}", part.health.name()),
    };
    let cost = part.cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    format!(
        "{name}: {} requests, {} answers at hand, {} tokens read and {} written{cost}, {:.1} s{judged}",
        tally.requests, tally.cached, tally.usage.prompt_tokens, tally.usage.completion_tokens, part.seconds
    )
}

/// The changed files of a repository, read one by one.
struct PlannedFiles<'a> {
    repo: &'a Repository,
    plan: &'a Plan,
    exclude: Globs,
}

impl Changes for PlannedFiles<'_> {
    type Worker = Reader;

    fn len(&self) -> usize {
        self.plan.files.len()
    }

    fn worker(&self) -> Reader {
        self.repo.reader()
    }

    fn peek(&self, reader: &mut Reader, index: usize) -> Peek {
        let Planned { change, path, .. } = &self.plan.files[index];
        let sides = [&change.old, &change.new];
        let entry = change.new.as_ref().or(change.old.as_ref());
        // What cannot be read costs no time.
        let bytes = entry.and_then(|entry| reader.size(entry).ok()).unwrap_or_default();
        let name = |side: &Option<Entry>| {
            side.as_ref().map(|entry| format!("{} {:?} {}", entry.content.id().hex(), entry.kind, entry.path.visible()))
        };
        let identity = format!("{:?}", sides.map(name));
        Peek { path: path.clone(), cost: FILE_COST + bytes, identity }
    }

    fn load(&self, reader: &mut Reader, index: usize) -> FileChange {
        let planned: &Planned = &self.plan.files[index];
        let change = &planned.change;
        let old_path = change.similarity.and(change.old.as_ref()).map(|old| &old.path);
        diff::load(planned, reader, &detect::limits(&planned.path, planned.class, old_path), &self.exclude)
    }

    fn skipped(&self) -> Vec<Skip> {
        let skip =
            |path: &RepoPath, unread, why: &str| Skip { path: path.clone(), lines: None, unread, why: why.to_owned() };
        let unmerged = self.plan.unmerged.iter().map(|path| skip(path, true, "in conflict: resolve and add it first"));
        let special = self
            .plan
            .special
            .iter()
            .map(|path| skip(path, false, "not a file (socket, pipe, device or nested repository)"));
        unmerged.chain(special).collect()
    }
}

fn change(scope: &Scope, plan: &Plan) -> Change {
    let mut notes = scope.notes.clone();
    if plan.files.is_empty() {
        notes.push("no file differs".to_owned());
    }
    if plan.renames_cut_short {
        notes.push("too many files came and went to pair all renames: some are listed as deleted and added".to_owned());
    }
    Change {
        description: scope.description.clone(),
        base_tip: scope.base_tip.map(|id| id.hex()),
        merge_base: scope.merge_base.map(|id| id.hex()),
        head: matches!(scope.new, Side::Tree(_)).then(|| scope.head.map(|id| id.hex())).flatten(),
        notes,
        files: Vec::new(),
    }
}

fn request(args: &ScopeArgs) -> Request {
    if let Some(base) = &args.base {
        return Request::BaseHead { base: base.clone(), head: args.head.clone() };
    }
    if let Some(range) = &args.range {
        return Request::Range(range.clone());
    }
    if let Some(commit) = &args.commit {
        return Request::Commit(commit.clone());
    }
    if args.staged {
        return Request::Staged;
    }
    if args.worktree {
        return Request::Worktree;
    }
    Request::Default
}
