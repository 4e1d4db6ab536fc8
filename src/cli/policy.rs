//! Configuration, packs and baseline: where they may be read from, and what they say together.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use diffsieve::baseline::{self, Baseline};
use diffsieve::config::{self, Config};
use diffsieve::detect;
use diffsieve::diff::FileChange;
use diffsieve::digest::Hash;
use diffsieve::document::Problem;
use diffsieve::finding::RepoPath;
use diffsieve::gate::OnIncomplete;
use diffsieve::git::{self, Oid, Repository};
use diffsieve::report::Origin;
use diffsieve::rules::{Examples, Rules, Source};
use diffsieve::scope::{self, Request, Scope};

use super::Failure;
use super::args::{ConfigFrom, PlaceArgs, TreeArgs};
use super::env;

/// Largest configuration or pack that is read.
const POLICY_BYTES: u64 = 4 << 20;

/// Largest file of the policy that is read from this path.
fn most_bytes(path: &Path) -> u64 {
    if path.ends_with(baseline::PATH) { baseline::MAX_BYTES } else { POLICY_BYTES }
}

/// Configuration, packs and baseline, and where they came from.
pub(super) struct Loadout {
    pub(super) config: Config,
    pub(super) rules: Rules,
    pub(super) baseline: Baseline,
    pub(super) origin: Origin,
    /// Names all that decides, text by text.
    pub(super) identity: String,
    /// Sentences for the report.
    pub(super) notes: Vec<String>,
}

/// Where files of the policy are read from.
enum Root<'a> {
    Disk(PathBuf),
    Commit { repo: &'a Repository, tree: Oid, name: String },
    Nowhere,
}

impl<'a> Root<'a> {
    fn of_commit(repo: &'a Repository, commit: Oid, what: &str) -> Result<Self, Failure> {
        let tree = repo.tree_of(commit)?;
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
            Self::Commit { repo, tree, .. } => {
                match repo.file_at(*tree, &RepoPath::new(path), most_bytes(Path::new(path))) {
                    Ok(bytes) => Ok(bytes.map(|bytes| utf8(bytes, &name)).transpose()?),
                    Err(error @ (git::Error::TooLarge { .. } | git::Error::NotAFile(_))) => {
                        Err(Failure::Config(vec![Problem::of(&name, error.to_string())]))
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// The packs of the project, in the order of their names.
    fn packs(&self, problems: &mut Vec<Problem>) -> Result<Vec<Source>, Failure> {
        let mut paths: Vec<RepoPath> = match self {
            Self::Nowhere => Vec::new(),
            Self::Disk(root) => list_disk(&root.join(config::RULES))?,
            Self::Commit { repo, tree, .. } => repo.list_at(*tree, &RepoPath::new(config::RULES))?,
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
    match read_file(path, most_bytes(path)) {
        Ok(bytes) => bytes.map(|bytes| utf8(bytes, name)).transpose(),
        Err(error) => Err(vec![Problem::of(name, format!("{error:#}"))]),
    }
}

/// A file, `None` where there is none.
pub(super) fn read_file(path: &Path, limit: u64) -> anyhow::Result<Option<Vec<u8>>> {
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
    tree: &TreeArgs,
    root: &Root<'_>,
    problems: &mut Vec<Problem>,
) -> Result<(Vec<config::File>, String), Failure> {
    let mut files = Vec::new();
    if !tree.no_config {
        if let Some(path) = env::user_config() {
            let name = super::shown(&path);
            let text = gather(read_policy(&path, &name).map_err(Failure::Config), problems)?.flatten();
            files.extend(text.map(|text| config::File { name, text, of_user: true }));
        }
        let named =
            tree.config.clone().or_else(|| env::var("DIFFSIEVE_CONFIG").filter(|v| !v.is_empty()).map(PathBuf::from));
        if let Some(path) = named {
            let name = super::shown(&path);
            match gather(read_policy(&path, &name).map_err(Failure::Config), problems)? {
                Some(Some(text)) => files.push(config::File { name, text, of_user: false }),
                Some(None) => return Err(anyhow!("there is no file `{name}`").into()),
                None => {}
            }
        } else {
            for path in config::FILES {
                match gather(root.read(path), problems)? {
                    Some(Some(text)) => files.push(config::File { name: root.name(path), text, of_user: false }),
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

/// What the user's own configuration says of incomplete reviews, where it says anything. What is wrong with the file is
/// told where all of it is read.
pub(super) fn users_on_incomplete(tree: &TreeArgs) -> Option<OnIncomplete> {
    let path = env::user_config().filter(|_| !tree.no_config)?;
    let text = read_policy(&path, "").ok()??;
    let node = diffsieve::document::toml("", &text).ok()?;
    OnIncomplete::parse(node.get("gate")?.get("on_incomplete")?.text()?)
}

fn load(tree: &TreeArgs, root: &Root<'_>, examples: Examples) -> Result<Loadout, Failure> {
    let mut problems = Vec::new();
    let (files, config_origin) = config_files(tree, root, &mut problems)?;
    let packs = if tree.no_config { Vec::new() } else { root.packs(&mut problems)? };
    let config = Config::of(&files, &mut problems);
    let rules = Rules::load(examples, &packs, config.packs.as_ref(), config.tags.as_ref())
        .map_err(|found| problems.extend(found))
        .ok()
        .inspect(|rules| problems.extend(detect::check(rules)));
    let mut identity = Hash::new();
    for text in files.iter().map(|file| &file.text).chain(packs.iter().map(|pack| &pack.text)) {
        identity.part(text.as_bytes());
    }
    let accepted = gather(root.read(baseline::PATH), &mut problems)?.flatten();
    identity.part(accepted.as_deref().unwrap_or_default().as_bytes());
    let baseline = match accepted {
        Some(text) => Baseline::parse(&root.name(baseline::PATH), &text).map_err(|found| problems.extend(found)).ok(),
        None => Some(Baseline::default()),
    };
    let (Some(rules), Some(baseline), true) = (rules, baseline, problems.is_empty()) else {
        return Err(Failure::Config(problems));
    };
    let packs = rules.packs.iter().map(|pack| format!("{} {} ({})", pack.name, pack.version, pack.source)).collect();
    let origin = Origin { config: config_origin, packs };
    Ok(Loadout { config, rules, baseline, origin, identity: identity.digits(), notes: Vec::new() })
}

/// Packs and configuration where no change is reviewed: of the work tree, if there is one.
pub(super) fn of_work_tree(tree: &TreeArgs, examples: Examples) -> Result<Loadout, Failure> {
    let dir = super::start(tree.directory.as_deref());
    let repo = Repository::open(dir, &env::var).ok();
    let root = match repo.as_ref().and_then(Repository::root) {
        Some(root) => Root::Disk(root.to_owned()),
        None => Root::Disk(dir.to_owned()),
    };
    load(tree, &root, examples)
}

/// The root of the work tree, where a baseline is written.
pub(super) fn work_tree(tree: &TreeArgs) -> Result<PathBuf, Failure> {
    let dir = super::start(tree.directory.as_deref());
    let repo = Repository::open(dir, &env::var).map_err(anyhow::Error::from)?;
    let root = repo.root().ok_or_else(|| anyhow!("this repository is bare: there is no work tree to write to"))?;
    Ok(root.to_owned())
}

/// Reads the policy from where it may be trusted. A broken one at the base does not stop the change that mends it.
/// `paths` are those of both sides: taking a policy file away, also under another name, decides as much as editing it.
pub(super) fn of_scope<'p>(
    repo: &Repository,
    scope: &Scope,
    paths: impl Iterator<Item = &'p RepoPath>,
    place: &PlaceArgs,
) -> Result<Loadout, Failure> {
    let mut edited: Vec<_> = paths.filter(|path| config::is_policy_file(path.bytes())).collect();
    edited.dedup();
    let from = place.config_from.unwrap_or(if scope.guarded { ConfigFrom::Base } else { ConfigFrom::Worktree });
    let root = match (from, scope.base_tip, scope.head, repo.root()) {
        (ConfigFrom::Base, Some(tip), _, _) => Root::of_commit(repo, tip, "base tip")?,
        (ConfigFrom::Base, None, _, _) => Root::Nowhere,
        (ConfigFrom::Worktree, _, _, Some(root)) => Root::Disk(root.to_owned()),
        (ConfigFrom::Head | ConfigFrom::Worktree, _, Some(head), _) => Root::of_commit(repo, head, "head")?,
        (ConfigFrom::Head | ConfigFrom::Worktree, ..) => Root::Nowhere,
    };
    let mends = |problems: &[Problem]| {
        let is_broken = |path: &&RepoPath| {
            let name = root.name(&path.visible());
            problems.iter().any(|problem| problem.at.as_ref().is_some_and(|at| *at.source == *name))
        };
        from == ConfigFrom::Base && edited.iter().any(is_broken)
    };
    let mut loadout = match load(&place.tree, &root, Examples::Skip) {
        Err(Failure::Config(problems)) if mends(&problems) => {
            let mut loadout = load(&place.tree, &Root::Nowhere, Examples::Skip)?;
            loadout.notes.push(
                "the policy at the base is broken and this change edits it: reviewed without the repository's policy"
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

/// Packs and configuration for a patch: those of the base where the head is not merged yet, else those on disk.
pub(super) fn of_patch(files: &[FileChange], place: &PlaceArgs) -> Result<Loadout, Failure> {
    match place.config_from {
        Some(ConfigFrom::Worktree) => return of_work_tree(&place.tree, Examples::Skip),
        None if !scope::is_ci(&env::var) => return of_work_tree(&place.tree, Examples::Skip),
        Some(ConfigFrom::Base) if scope::is_ci(&env::var) => {}
        None => {}
        Some(ConfigFrom::Base | ConfigFrom::Head) => {
            return Err(anyhow!(
                "a patch has neither base nor head to read the configuration from; name it with --config"
            )
            .into());
        }
    }
    let dir = super::start(place.tree.directory.as_deref());
    let repo = Repository::open(dir, &env::var);
    // A job that knows of no pull request may stand anywhere.
    let (repo, scope) = match repo.map(|repo| (scope::find(&repo, &Request::Default, &env::var, false), repo)) {
        Ok((Ok(scope), repo)) => (repo, scope),
        _ if place.config_from.is_none() && !scope::is_pull_request(&env::var) => {
            return of_work_tree(&place.tree, Examples::Skip);
        }
        Ok((Err(error), _)) => return Err(error.into()),
        Err(error) => return Err(error.into()),
    };
    of_scope(&repo, &scope, files.iter().flat_map(|file| file.old_path.iter().chain([&file.path])), place)
}
