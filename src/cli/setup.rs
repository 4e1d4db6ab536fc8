//! Prepares a review: repository, scope, configuration, packs, baseline, and the two together.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use diffsieve::baseline::{self, Baseline};
use diffsieve::config::{self, Config};
use diffsieve::detect;
use diffsieve::diff::{self, FileChange, Globs, Plan, Planned, patch};
use diffsieve::document::Problem;
use diffsieve::finding::RepoPath;
use diffsieve::git::{self, Oid, Reader, Repository, Side};
use diffsieve::report::{Origin, Provenance};
use diffsieve::review::{Change, Changes, Loaded, Review, Settings, Skip, review};
use diffsieve::rules::{Examples, Rules, Source};
use diffsieve::scope::{self, Request, Scope};

use super::Failure;
use super::args::{ConfigFrom, PlaceArgs, ScopeArgs};
use super::env;

/// Largest configuration, pack or baseline that is read.
const POLICY_BYTES: u64 = 4 << 20;
/// Largest patch that is read.
const PATCH_BYTES: u64 = 256 << 20;

/// Configuration, packs and baseline, and where they came from.
pub(super) struct Loadout {
    pub(super) config: Config,
    pub(super) rules: Rules,
    pub(super) baseline: Baseline,
    pub(super) origin: Origin,
    /// Sentences for the report.
    pub(super) notes: Vec<String>,
}

/// A finished review with what a report says around it.
pub(super) struct Reviewed {
    pub(super) review: Review,
    pub(super) loadout: Loadout,
    pub(super) provenance: Provenance,
}

/// A saved report.
pub(super) fn read_report(path: &Path) -> anyhow::Result<Vec<u8>> {
    read_file(path, PATCH_BYTES)?.ok_or_else(|| anyhow!("there is no file `{}`", super::shown(path)))
}

/// Where files of the policy are read from.
enum Root<'a> {
    Disk(PathBuf),
    Commit { repo: &'a Repository, tree: Oid, name: String },
    Nowhere,
}

impl<'a> Root<'a> {
    fn of_commit(repo: &'a Repository, commit: Oid, what: &str) -> Result<Self, Failure> {
        let tree = repo.tree_of(commit).map_err(git_failure)?;
        let name = format!("{what} {}", commit.short());
        Ok(Self::Commit { repo, tree, name })
    }

    /// How a person would name a file of it.
    fn name(&self, path: &str) -> String {
        match self {
            Self::Disk(_) | Self::Nowhere => path.to_owned(),
            Self::Commit { name, .. } => format!("{path} ({name})"),
        }
    }

    /// A file of the policy, `None` where there is none.
    fn read(&self, path: &str) -> Result<Option<String>, Failure> {
        let name = self.name(path);
        match self {
            Self::Nowhere => Ok(None),
            Self::Disk(root) => Ok(read_policy(&root.join(path), &name)?),
            Self::Commit { repo, tree, .. } => match repo.file_at(*tree, &RepoPath::new(path), POLICY_BYTES) {
                Ok(bytes) => Ok(bytes.map(|bytes| utf8(bytes, &name)).transpose()?),
                Err(error @ (git::Error::TooLarge { .. } | git::Error::NotAFile(_))) => {
                    Err(Failure::Config(vec![Problem::of(&name, error.to_string())]))
                }
                Err(error) => Err(git_failure(error)),
            },
        }
    }

    /// The packs of the project, in the order of their names.
    fn packs(&self, problems: &mut Vec<Problem>) -> Result<Vec<Source>, Failure> {
        let mut paths: Vec<RepoPath> = match self {
            Self::Nowhere => Vec::new(),
            Self::Disk(root) => list_disk(&root.join(config::RULES))?,
            Self::Commit { repo, tree, .. } => {
                repo.list_at(*tree, &RepoPath::new(config::RULES)).map_err(git_failure)?
            }
        };
        paths.retain(|path| path.bytes().ends_with(b".yml") || path.bytes().ends_with(b".yaml"));
        paths.sort();
        let mut packs = Vec::new();
        for path in paths {
            let Ok(path) = std::str::from_utf8(path.bytes()) else {
                problems.push(Problem::of(&self.name(&path.visible()), "the name of this pack is not UTF-8"));
                continue;
            };
            match gather(self.read(path), problems)? {
                Some(Some(text)) => packs.push(Source { name: self.name(path), text }),
                Some(None) => problems.push(Problem::of(&self.name(path), "this pack links to nothing")),
                None => {}
            }
        }
        Ok(packs)
    }
}

/// Keeps what can be used and puts problems with the others, so that all are told at once.
fn gather<T>(result: Result<T, Failure>, problems: &mut Vec<Problem>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Config(found)) => {
            problems.extend(found);
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

fn list_disk(folder: &Path) -> anyhow::Result<Vec<RepoPath>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("`{}` cannot be read", super::shown(folder))),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("`{}` cannot be read", super::shown(folder)))?;
        names.push(RepoPath::new([config::RULES.as_bytes(), entry.file_name().as_encoded_bytes()].join(&b'/')));
    }
    Ok(names)
}

/// A file of the policy on disk. What keeps it from being read is a problem of the configuration like any other.
pub(super) fn read_policy(path: &Path, name: &str) -> Result<Option<String>, Vec<Problem>> {
    match read_file(path, POLICY_BYTES) {
        Ok(bytes) => bytes.map(|bytes| utf8(bytes, name)).transpose(),
        Err(error) => Err(vec![Problem::of(name, format!("{error:#}"))]),
    }
}

/// A file, `None` where there is none.
fn read_file(path: &Path, limit: u64) -> anyhow::Result<Option<Vec<u8>>> {
    let named = || format!("`{}` cannot be read", super::shown(path));
    let missing = |error: &std::io::Error| {
        matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
    };
    // Opening a pipe would wait for its writer.
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Err(anyhow!("it is not a file")).with_context(named),
        Err(error) if missing(&error) => return Ok(None),
        Err(error) => return Err(error).with_context(named),
    }
    let file = fs::File::open(path).with_context(named)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).with_context(named)?;
    if bytes.len() as u64 > limit {
        return Err(anyhow!("it has more than {limit} bytes")).with_context(named);
    }
    Ok(Some(bytes))
}

fn utf8(bytes: Vec<u8>, name: &str) -> Result<String, Vec<Problem>> {
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        vec![Problem::of(name, format!("the file is not UTF-8, from line {} on", line + 1))]
    })
}

/// The configuration files, lowest layer first.
fn config_files(
    place: &PlaceArgs,
    root: &Root<'_>,
    problems: &mut Vec<Problem>,
) -> Result<(Vec<config::File>, String), Failure> {
    let mut files = Vec::new();
    if !place.no_config {
        if let Some(path) = env::user_config() {
            let name = super::shown(&path);
            let text = gather(read_policy(&path, &name).map_err(Failure::Config), problems)?.flatten();
            files.extend(text.map(|text| config::File { name, text }));
        }
        let named =
            place.config.clone().or_else(|| env::var("DIFFSIEVE_CONFIG").filter(|v| !v.is_empty()).map(PathBuf::from));
        if let Some(path) = named {
            let name = super::shown(&path);
            match gather(read_policy(&path, &name).map_err(Failure::Config), problems)? {
                Some(Some(text)) => files.push(config::File { name, text }),
                Some(None) => return Err(anyhow!("there is no file `{name}`").into()),
                None => {}
            }
        } else {
            for path in config::FILES {
                match gather(root.read(path), problems)? {
                    Some(Some(text)) => files.push(config::File { name: root.name(path), text }),
                    Some(None) => continue,
                    None => {}
                }
                break;
            }
        }
    }
    let origin: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let origin = if origin.is_empty() { "built-in defaults".to_owned() } else { origin.join(" over ") };
    Ok((files, origin))
}

fn load(place: &PlaceArgs, root: &Root<'_>, examples: Examples) -> Result<Loadout, Failure> {
    let mut problems = Vec::new();
    let (files, config_origin) = config_files(place, root, &mut problems)?;
    let packs = if place.no_config { Vec::new() } else { root.packs(&mut problems)? };
    let config = Config::of(&files, &mut problems);
    let rules = Rules::load(examples, &packs, config.packs.as_ref(), config.tags.as_ref())
        .map_err(|found| problems.extend(found))
        .ok()
        .inspect(|rules| problems.extend(detect::check(rules)));
    let baseline = match gather(root.read(baseline::PATH), &mut problems)?.flatten() {
        Some(text) => Baseline::parse(&root.name(baseline::PATH), &text).map_err(|found| problems.extend(found)).ok(),
        None => Some(Baseline::default()),
    };
    let (Some(rules), Some(baseline), true) = (rules, baseline, problems.is_empty()) else {
        return Err(Failure::Config(problems));
    };
    let packs = rules.packs.iter().map(|pack| format!("{} {} ({})", pack.name, pack.version, pack.source)).collect();
    let origin = Origin { config: config_origin, packs };
    Ok(Loadout { config, rules, baseline, origin, notes: Vec::new() })
}

/// Packs and configuration where no change is reviewed: of the work tree, if there is one.
pub(super) fn rules_only(place: &PlaceArgs, examples: Examples) -> Result<Loadout, Failure> {
    let dir = place.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let repo = Repository::open(&dir, &env::var).ok();
    let root = match repo.as_ref().and_then(Repository::root) {
        Some(root) => Root::Disk(root.to_owned()),
        None => Root::Disk(dir),
    };
    load(place, &root, examples)
}

/// The root of the work tree, where a baseline is written.
pub(super) fn work_tree(place: &PlaceArgs) -> Result<PathBuf, Failure> {
    let dir = place.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let repo = Repository::open(&dir, &env::var).map_err(anyhow::Error::from)?;
    let root = repo.root().ok_or_else(|| anyhow!("this repository is bare: there is no work tree to write to"))?;
    Ok(root.to_owned())
}

/// Reviews what the arguments ask for.
pub(super) fn reviewed(scope: &ScopeArgs, place: &PlaceArgs) -> Result<Reviewed, Failure> {
    match &scope.patch {
        Some(path) => patch_reviewed(path, place),
        None => repository_reviewed(scope, place),
    }
}

fn repository_reviewed(args: &ScopeArgs, place: &PlaceArgs) -> Result<Reviewed, Failure> {
    let dir = place.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let repo = Repository::open(&dir, &env::var).map_err(git_failure)?;
    let request = request(args);
    let mut scope = scope::find(&repo, &request, &env::var, request == Request::Default).map_err(scope_failure)?;
    // The commits that a range names may be the author's own; a base that the workflow names is not.
    let is_chosen = matches!(request, Request::Default | Request::BaseHead { .. });
    if scope.pull_request && !is_chosen && matches!(place.config_from, None | Some(ConfigFrom::Base)) {
        scope.base_tip = scope::find(&repo, &Request::Default, &env::var, false).map_err(scope_failure)?.base_tip;
    }
    let plan = Plan::between(
        &repo,
        &scope.old,
        &scope.new,
        scope.base_tip.map(|tip| repo.tree_of(tip)).transpose().map_err(git_failure)?,
    )
    .map_err(git_failure)?;
    let paths = plan.files.iter().flat_map(|file| file.change.old.iter().chain(&file.change.new));
    let loadout = policy(&repo, &scope, paths.map(|entry| &entry.path), place)?;
    let change = change(&scope, &plan);
    let provenance = Provenance {
        repository_uri: repo.remote_url("origin"),
        revision: scope.head.map(|head| head.hex()),
        branch: None,
        category: None,
    };
    let files = PlannedFiles { repo: &repo, plan: &plan, exclude: loadout.config.exclude.clone() };
    Ok(finish(&files, change, loadout, provenance))
}

/// Reads the policy from where it may be trusted. A broken one at the base does not stop the change that mends it.
/// `paths` are those of both sides: taking a policy file away, also under another name, decides as much as editing it.
fn policy<'p>(
    repo: &Repository,
    scope: &Scope,
    paths: impl Iterator<Item = &'p RepoPath>,
    place: &PlaceArgs,
) -> Result<Loadout, Failure> {
    let mut edited: Vec<_> = paths.filter(|path| config::is_policy_file(path.bytes())).collect();
    edited.dedup();
    let from = place.config_from.unwrap_or(if scope.pull_request { ConfigFrom::Base } else { ConfigFrom::Worktree });
    let root = match (from, scope.base_tip, scope.head, repo.root()) {
        (ConfigFrom::Base, Some(tip), _, _) => Root::of_commit(repo, tip, "base tip")?,
        (ConfigFrom::Base, None, _, _) => Root::Nowhere,
        (ConfigFrom::Worktree, _, _, Some(root)) => Root::Disk(root.to_owned()),
        (ConfigFrom::Head | ConfigFrom::Worktree, _, Some(head), _) => Root::of_commit(repo, head, "head")?,
        (ConfigFrom::Head | ConfigFrom::Worktree, ..) => Root::Nowhere,
    };
    let mut loadout = match load(place, &root, Examples::Skip) {
        Err(Failure::Config(problems)) if from == ConfigFrom::Base && !edited.is_empty() => {
            let mut loadout =
                load(&PlaceArgs { no_config: true, ..PlaceArgs::default() }, &Root::Nowhere, Examples::Skip)?;
            loadout.notes.push(
                "the configuration at the base is broken and this change edits it: reviewed with built-in defaults"
                    .to_owned(),
            );
            loadout.notes.extend(problems.iter().map(Problem::to_string));
            loadout
        }
        other => other?,
    };
    let which = match from {
        ConfigFrom::Base => "the version at the base tip decided this review",
        ConfigFrom::Head => "the version of the reviewed commit decided this review",
        ConfigFrom::Worktree => "the version in the work tree decided this review",
    };
    loadout.notes.extend(
        edited.iter().map(|path| format!("this change edits {}, which decides reviews; {which}", path.visible())),
    );
    Ok(loadout)
}

fn patch_reviewed(path: &Path, place: &PlaceArgs) -> Result<Reviewed, Failure> {
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
    let mut files = patch::parse(&bytes, &diff::Limits::default())
        .map_err(|error| anyhow!("the patch in {name} cannot be read: {error}"))?;
    if files.is_empty() && !bytes.trim_ascii().is_empty() {
        return Err(
            anyhow!("{name} is no patch: a unified diff is needed, as `git diff` and `diff -u` write it").into()
        );
    }
    let loadout = patch_policy(&files, place)?;
    for file in files.iter_mut().filter(|file| loadout.config.exclude.is_match(&file.path)) {
        file.body = diff::Body::NotCode(diff::NotCode::Excluded);
    }
    let mut notes = Vec::new();
    if files.is_empty() {
        notes.push("the patch changes no file".to_owned());
    }
    if files.iter().any(|file| matches!(&file.body, diff::Body::Text { new, .. } if !new.is_whole())) {
        notes.push("a patch shows only parts of a changed file: those are read by the text detectors alone".to_owned());
    }
    let change = Change { description: format!("the patch in {name}"), notes, ..Change::default() };
    Ok(finish(&Loaded::new(files), change, loadout, Provenance::default()))
}

/// Packs and configuration for a patch: those of the base in a pull-request job, else those on disk.
fn patch_policy(files: &[FileChange], place: &PlaceArgs) -> Result<Loadout, Failure> {
    match place.config_from {
        Some(ConfigFrom::Worktree) => return rules_only(place, Examples::Skip),
        None if !scope::is_pull_request(&env::var) => return rules_only(place, Examples::Skip),
        Some(ConfigFrom::Base) if scope::is_pull_request(&env::var) => {}
        None => {}
        Some(ConfigFrom::Base | ConfigFrom::Head) => {
            return Err(anyhow!(
                "a patch has neither base nor head to read the configuration from; name it with --config"
            )
            .into());
        }
    }
    let dir = place.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let repo = Repository::open(&dir, &env::var).map_err(git_failure)?;
    let scope = scope::find(&repo, &Request::Default, &env::var, false).map_err(scope_failure)?;
    policy(&repo, &scope, files.iter().flat_map(|file| file.old_path.iter().chain([&file.path])), place)
}

fn finish<C: Changes>(files: &C, change: Change, loadout: Loadout, provenance: Provenance) -> Reviewed {
    let settings = Settings {
        baseline: loadout.baseline.clone(),
        today: env::today(),
        suppress: loadout.config.suppress,
        cap: loadout.config.cap,
        threads: env::threads(),
    };
    let mut review = review(files, change, &loadout.rules, &settings);
    review.notes.extend(loadout.notes.iter().cloned());
    Reviewed { review, loadout, provenance }
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

    fn load(&self, reader: &mut Reader, index: usize) -> FileChange {
        let planned: &Planned = &self.plan.files[index];
        diff::load(planned, reader, &detect::limits(&planned.path, planned.class), &self.exclude)
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

fn git_failure(error: git::Error) -> Failure {
    if error.is_incomplete() { Failure::Incomplete(error.into()) } else { Failure::Usage(error.into()) }
}

fn scope_failure(error: scope::Error) -> Failure {
    if error.is_incomplete() { Failure::Incomplete(error.into()) } else { Failure::Usage(error.into()) }
}
