//! Which two sides a review compares, by which rule, in one sentence. The merge base is the old side, never the tip of
//! the base branch; the base tip is where configuration and attributes come from.

mod ci;

use crate::escape;
use crate::git::{self, Env, Head, Oid, Repository, Side, UpstreamDefault};

/// What the user asked to review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Request {
    /// Nothing in particular: what a pull request or this branch adds.
    #[default]
    Default,
    /// What `head` adds to `base` since they parted.
    BaseHead {
        /// A revision.
        base: String,
        /// A revision; HEAD if there is none.
        head: Option<String>,
    },
    /// `A..B` compares two commits, `A...B` what B adds since they parted. An end left out is HEAD.
    Range(String),
    /// One commit against its first parent.
    Commit(String),
    /// The index against HEAD.
    Staged,
    /// The work tree against HEAD, untracked files included.
    Worktree,
    /// A commit that is pushed.
    Pushed(Pushed),
}

/// A commit that is pushed, and what it is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// Counted from where the commit left this one, which is named for a person, escaped; `None` is from nothing.
    pub base: Option<(Oid, String)>,
    /// The commit.
    pub head: Oid,
    /// The ref it is pushed to, for a person, escaped.
    pub name: String,
}

/// The rule that chose the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The command line.
    Asked,
    /// The merge commit that a pull-request job has checked out: its first parent is the base tip.
    MergeCommit,
    /// The target branch of a pull request.
    PullRequest,
    /// The commit before a push.
    Push,
    /// The upstream default branch.
    DefaultBranch,
    /// HEAD is its own base, so its last commit.
    LastCommit,
}

impl How {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::MergeCommit => "merge_commit",
            Self::PullRequest => "pull_request",
            Self::Push => "push",
            Self::DefaultBranch => "default_branch",
            Self::LastCommit => "last_commit",
        }
    }
}

/// What is compared with what, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Old side.
    pub old: Side,
    /// New side.
    pub new: Side,
    /// The commit whose configuration and attributes count; `None` where there is no older commit.
    pub base_tip: Option<Oid>,
    /// The commit of the old side, where it is one.
    pub merge_base: Option<Oid>,
    /// The commit of the new side, or HEAD for the index and the work tree.
    pub head: Option<Oid>,
    /// The rule.
    pub how: How,
    /// Such as `origin/main...HEAD (merge base 1234567)`; escaped.
    pub description: String,
    /// What the reader should know, one sentence each; escaped.
    pub notes: Vec<String>,
    /// Whether the author of the head must not choose the rules: in a job for a pull request or a merge queue, and in
    /// any CI job whose head is not merged yet.
    pub guarded: bool,
}

/// Why no scope could be chosen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// HEAD has no commit.
    #[error("HEAD (`{0}`) has no commit yet; review what is staged with --staged, or the work tree with --worktree")]
    Unborn(String),
    /// Neither `A..B` nor `A...B`.
    #[error("`{0}` is not a range; write A..B or A...B")]
    NotARange(String),
    /// No default branch to compare with.
    #[error(
        "there is no branch to compare with: neither origin/HEAD, origin/main, origin/master nor a local main or master \
         exists; name one with --base"
    )]
    NoDefaultBranch,
    /// The target branch of a pull request, or the default branch, is not in this clone.
    #[error(
        "the branch `{branch}` that this one is to be merged into is not in this clone; fetch it (`fetch-depth: 0` in \
         actions/checkout, `GIT_DEPTH: 0` in GitLab, `fetchDepth: 0` in Azure, `clone: depth: full` in Bitbucket, or `git \
         fetch origin {branch}`), or name a commit with --base"
    )]
    TargetMissing {
        /// The branch, escaped.
        branch: String,
    },
    /// One commit is missing, and it is known which.
    #[error(
        "commit {parent}, the {role} of {commit}, is not in this shallow clone; fetch it (`git fetch --depth=1 origin \
         {parent}`) or all history (`fetch-depth: 0` in actions/checkout, or `git fetch --unshallow`)"
    )]
    CommitMissing {
        /// The commit that refers to it.
        commit: Oid,
        /// The missing one.
        parent: Oid,
        /// `first parent`, `push base`, …
        role: &'static str,
    },
    /// A pull-request job that has checked out its base.
    #[error(
        "this job runs for a pull request, but HEAD ({0}) adds nothing to the target branch: the pull request is not \
         checked out; check out its head or merge commit, or name the commits with --base and --head"
    )]
    NotCheckedOut(Oid),
}

impl Error {
    /// Whether history is missing, so that the review is incomplete, as opposed to a wrong request.
    pub const fn is_incomplete(&self) -> bool {
        match self {
            Self::Git(error) => error.is_incomplete(),
            Self::TargetMissing { .. } | Self::CommitMissing { .. } => true,
            Self::Unborn(_) | Self::NotARange(_) | Self::NoDefaultBranch | Self::NotCheckedOut(_) => false,
        }
    }
}

/// Whether the environment is a job for a pull request (or a merge queue), whatever is asked for.
pub fn is_pull_request(env: Env<'_>) -> bool {
    ci::detect(env).pull_request
}

/// The job that the environment is, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The service, such as `GitHub Actions`.
    pub service: &'static str,
    /// It runs for a pull request, a merge request or a merge queue.
    pub pull_request: bool,
    /// The pull request comes from another repository, so the job has no secrets and no token that may write.
    pub fork: bool,
}

/// The CI job that the environment is, if it is one.
pub fn job(env: Env<'_>) -> Option<Job> {
    let ci::Job { ci, service, pull_request, fork, .. } = ci::detect(env);
    ci.then_some(Job { service, pull_request, fork })
}

/// Whether the environment is a job of any CI service.
pub fn is_ci(env: Env<'_>) -> bool {
    ci::detect(env).ci
}

/// Chooses the sides. `env` gives the variables of the CI services; on GitHub the event file they name is read, up to 32
/// MiB and as hostile text. `look_for_uncommitted` adds a note where changes that are not committed are left out; it
/// costs one look at every tracked file.
///
/// # Errors
/// A wrong request, or history that this clone lacks ([`Error::is_incomplete`]).
pub fn find(repo: &Repository, request: &Request, env: Env<'_>, look_for_uncommitted: bool) -> Result<Scope, Error> {
    let job = ci::detect(env);
    let mut scope = match request {
        Request::Default => default(repo, &job)?,
        Request::BaseHead { base, head } => {
            let head_name = head.as_deref().unwrap_or("HEAD");
            let ends = Ends {
                base: repo.resolve(base)?,
                base_name: escape::visible(base),
                head: commit_of(repo, head_name)?,
                head_name: escape::visible(head_name),
            };
            since_parted(repo, ends, How::Asked)?
        }
        Request::Range(range) => of_range(repo, range)?,
        Request::Commit(rev) => {
            let id = commit_of(repo, rev)?;
            one_commit(repo, id, &escape::visible(rev), How::Asked)?
        }
        Request::Staged => against_head(repo, Side::Index, "the index")?,
        Request::Worktree => against_head(repo, Side::Worktree, "the work tree")?,
        Request::Pushed(Pushed { base: Some((base, base_name)), head, name }) => {
            let ends = Ends { base: *base, base_name: base_name.clone(), head: *head, head_name: name.clone() };
            since_parted(repo, ends, How::Asked)?
        }
        Request::Pushed(Pushed { base: None, head, name }) => all_of(repo, *head, name)?,
    };
    scope.guarded = job.pull_request
        || job.ci
            && match request {
                Request::Default => scope.how == How::DefaultBranch,
                Request::BaseHead { .. } | Request::Pushed(_) => true,
                _ => default(repo, &job).is_ok_and(|scope| scope.how == How::DefaultBranch),
            };
    if look_for_uncommitted
        && matches!(scope.new, Side::Tree(_))
        && Some(scope.head) == repo.head().ok().map(|head| head.id())
        && repo.has_uncommitted()
    {
        scope.notes.push("changes that are not committed are left out; review them with --worktree".to_owned());
    }
    Ok(scope)
}

fn default(repo: &Repository, job: &ci::Job) -> Result<Scope, Error> {
    let head = match repo.head()? {
        Head::Unborn { name } => return Err(Error::Unborn(escape::visible(&name))),
        Head::Branch { id, .. } | Head::Detached { id } => id,
    };
    if let Some(scope) = ci::scope(repo, job, head)? {
        return Ok(scope);
    }
    let base = match &job.default_branch {
        Some(name) => named_default(repo, name)?,
        None => repo.upstream_default().ok_or(Error::NoDefaultBranch)?,
    };
    let ends = Ends { base: base.id, base_name: escape::visible(&base.name), head, head_name: "HEAD".to_owned() };
    let scope = since_parted(repo, ends, How::DefaultBranch)?;
    if scope.merge_base != Some(head) {
        return Ok(scope);
    }
    let mut last = one_commit(repo, head, "HEAD", How::LastCommit)?;
    last.notes
        .insert(0, format!("HEAD adds nothing to {}, so its last commit is reviewed", escape::visible(&base.name)));
    Ok(last)
}

/// The default branch that the CI service names: no other may stand in for it.
fn named_default(repo: &Repository, name: &str) -> Result<UpstreamDefault, Error> {
    let shown = |id, prefix: &str| UpstreamDefault { name: format!("{prefix}{name}"), id };
    let remote = repo.find_ref(&format!("refs/remotes/origin/{name}")).map(|id| shown(id, "origin/"));
    let found = remote.or_else(|| repo.find_ref(&format!("refs/heads/{name}")).map(|id| shown(id, "")));
    found.ok_or_else(|| Error::TargetMissing { branch: escape::visible(name) })
}

/// Two commits and how to call them.
struct Ends {
    base: Oid,
    base_name: String,
    head: Oid,
    head_name: String,
}

/// What the head adds since it parted from the base.
fn since_parted(repo: &Repository, ends: Ends, how: How) -> Result<Scope, Error> {
    let Ends { base, base_name, head, head_name } = ends;
    let head_commit = repo.commit(head)?;
    // In a shallow clone this is known even where the history behind it is not.
    let is_parent = head_commit.parents.contains(&base);
    let bases = if is_parent { vec![base] } else { repo.merge_bases(base, head)? };
    let merge_base = bases.first().copied().unwrap_or(base);
    let mut notes = Vec::new();
    if !is_parent && merge_base != base && repo.is_shallow() {
        notes.push(format!(
            "history is cut off: {} is the merge base as far as this shallow clone knows, and a later one may exist",
            merge_base.short()
        ));
    }
    if bases.len() > 1 {
        notes.push(format!(
            "{base_name} and {head_name} have {} merge bases; {} is used",
            bases.len(),
            merge_base.short()
        ));
    }
    if merge_base == head && how == How::Asked {
        notes.push(format!("{head_name} adds nothing to {base_name}: there is nothing to review"));
    }
    Ok(Scope {
        old: Side::Tree(repo.tree_of(merge_base)?),
        new: Side::Tree(head_commit.tree),
        base_tip: Some(base),
        merge_base: Some(merge_base),
        head: Some(head),
        how,
        description: format!("{base_name}...{head_name} (merge base {})", merge_base.short()),
        notes,
        guarded: false,
    })
}

fn of_range(repo: &Repository, range: &str) -> Result<Scope, Error> {
    let end = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
    let ends = |base: &str, head: &str| -> Result<Ends, Error> {
        let (base, head) = (end(base), end(head));
        Ok(Ends {
            base: commit_of(repo, &base)?,
            base_name: escape::visible(&base),
            head: commit_of(repo, &head)?,
            head_name: escape::visible(&head),
        })
    };
    if let Some((base, head)) = range.split_once("...") {
        return since_parted(repo, ends(base, head)?, How::Asked);
    }
    let Some((base, head)) = range.split_once("..") else { return Err(Error::NotARange(escape::visible(range))) };
    let Ends { base, base_name, head, head_name } = ends(base, head)?;
    Ok(Scope {
        old: Side::Tree(repo.tree_of(base)?),
        new: Side::Tree(repo.tree_of(head)?),
        base_tip: Some(base),
        merge_base: Some(base),
        head: Some(head),
        how: How::Asked,
        description: format!("{base_name}..{head_name} ({}..{})", base.short(), head.short()),
        notes: if base == head { vec!["both ends are the same commit".to_owned()] } else { Vec::new() },
        guarded: false,
    })
}

/// A commit with everything behind it.
fn all_of(repo: &Repository, head: Oid, name: &str) -> Result<Scope, Error> {
    Ok(Scope {
        old: Side::Empty,
        new: Side::Tree(repo.tree_of(head)?),
        base_tip: None,
        merge_base: None,
        head: Some(head),
        how: How::Asked,
        description: format!("all of {name} ({})", head.short()),
        notes: vec![format!("no branch of a remote is known that {name} left: all of it is new")],
        guarded: false,
    })
}

/// One commit against its first parent, or against nothing.
fn one_commit(repo: &Repository, id: Oid, name: &str, how: How) -> Result<Scope, Error> {
    let commit = repo.commit(id)?;
    let mut notes = Vec::new();
    let (old, parent) = match commit.parents.first() {
        None => {
            notes.push(format!("{name} is a root commit: all of it is new"));
            (Side::Empty, None)
        }
        Some(parent) if !repo.has(*parent) && repo.is_shallow() => {
            return Err(Error::CommitMissing { commit: id, parent: *parent, role: "first parent" });
        }
        Some(parent) => (Side::Tree(repo.tree_of(*parent)?), Some(*parent)),
    };
    if commit.parents.len() > 1 {
        notes.push(format!("{name} is a merge: it is compared with its first parent"));
    }
    let short = id.short();
    Ok(Scope {
        old,
        new: Side::Tree(commit.tree),
        base_tip: parent,
        merge_base: parent,
        head: Some(id),
        how,
        description: match parent {
            Some(parent) => format!("commit {short} ({}..{short})", parent.short()),
            None => format!("root commit {short}"),
        },
        notes,
        guarded: false,
    })
}

fn against_head(repo: &Repository, new: Side, what: &str) -> Result<Scope, Error> {
    if repo.root().is_none() {
        return Err(git::Error::Bare.into());
    }
    let head = repo.head()?.id();
    let (old, description) = match head {
        Some(id) => (Side::Tree(repo.tree_of(id)?), format!("{what} against HEAD ({})", id.short())),
        None => (Side::Empty, format!("{what}, before the first commit")),
    };
    Ok(Scope {
        old,
        new,
        base_tip: head,
        merge_base: head,
        head,
        how: How::Asked,
        description,
        notes: Vec::new(),
        guarded: false,
    })
}

/// Resolves a revision, with a better word for an unborn HEAD.
fn commit_of(repo: &Repository, rev: &str) -> Result<Oid, Error> {
    repo.resolve(rev).map_err(|error| match repo.head() {
        Ok(Head::Unborn { name }) if rev == "HEAD" => Error::Unborn(escape::visible(&name)),
        _ => error.into(),
    })
}
