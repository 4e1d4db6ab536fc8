//! What the CI services say of the change under review. Everything here comes from variables and an event file that
//! may quote a stranger's branch names: names are only looked up as refs, ids only as ids.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::{Ends, Error, How, Scope, since_parted};
use crate::escape;
use crate::git::{Env, Oid, Repository};

/// GitHub's own limit for a payload is 25 MB.
const EVENT_BYTES: u64 = 32 << 20;

/// What a job says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Job {
    /// It runs for a pull request, a merge request or a merge queue.
    pub(super) pull_request: bool,
    /// HEAD may be a merge that the service made of target and source: the ref says so.
    merge_ref: bool,
    /// The commit that was checked out, as far as the service knows.
    commit: Option<String>,
    /// The target branch, short name.
    target: Option<String>,
    /// Commits that the service names as the tip of the target, best first.
    target_commits: Vec<String>,
    /// The merge base, as the service computed it.
    merge_base: Option<String>,
    /// The head of the pull request.
    source_commit: Option<String>,
    /// For a push, the commit before it.
    before: Option<String>,
    /// The branch that was pushed, short name.
    branch: Option<String>,
    /// The repository's default branch, short name.
    pub(super) default_branch: Option<String>,
    /// It is a job of some service at all.
    pub(super) ci: bool,
    /// The service, for people.
    pub(super) service: &'static str,
    /// The pull request comes from another repository, so the job has no secrets and no token that may write.
    pub(super) fork: bool,
}

/// Reads the variables of the service that runs this process, if one does.
pub(super) fn detect(env: Env<'_>) -> Job {
    let get = |name: &str| env(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty());
    let job = of_service(&get);
    let is_set = |name: &&str| get(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false"));
    let other = OTHER_SERVICES.into_iter().find(|name| is_set(name)).map(|_| "a CI service");
    let ci = job.is_some() || other.is_some();
    let job = job.unwrap_or_default();
    let service = if job.service.is_empty() { other.unwrap_or_default() } else { job.service };
    Job { ci, service, ..job }
}

/// Variables that say that a service runs this process; most services set the first.
const OTHER_SERVICES: [&str; 5] = ["CI", "JENKINS_URL", "TEAMCITY_VERSION", "BUILDKITE", "CODEBUILD_BUILD_ID"];

fn of_service(get: &dyn Fn(&str) -> Option<String>) -> Option<Job> {
    if get("GITHUB_ACTIONS").as_deref() == Some("true") {
        return Some(github(get));
    }
    if get("GITLAB_CI").is_some() {
        return Some(gitlab(get));
    }
    if get("TF_BUILD").is_some() {
        let target = get("SYSTEM_PULLREQUEST_TARGETBRANCH");
        return Some(Job {
            service: "Azure Pipelines",
            fork: get("SYSTEM_PULLREQUEST_ISFORK").is_some_and(|fork| fork.eq_ignore_ascii_case("true")),
            pull_request: target.is_some(),
            merge_ref: get("BUILD_SOURCEBRANCH").is_some_and(|name| is_merge_ref(&name)),
            commit: get("BUILD_SOURCEVERSION"),
            target: target.map(|name| short(&name)),
            ..Job::default()
        });
    }
    if get("BITBUCKET_BUILD_NUMBER").is_some() || get("BITBUCKET_COMMIT").is_some() {
        let target = get("BITBUCKET_PR_DESTINATION_BRANCH");
        return Some(Job {
            service: "Bitbucket Pipelines",
            pull_request: target.is_some() || get("BITBUCKET_PR_ID").is_some(),
            target,
            target_commits: get("BITBUCKET_PR_DESTINATION_COMMIT").into_iter().collect(),
            ..Job::default()
        });
    }
    None
}

fn github(get: &dyn Fn(&str) -> Option<String>) -> Job {
    let name = get("GITHUB_EVENT_NAME").unwrap_or_default();
    let event = get("GITHUB_EVENT_PATH").and_then(|path| read_event(Path::new(&path))).unwrap_or_default();
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let commit = get("GITHUB_SHA");
    let default_branch = text("/repository/default_branch");
    let branch = get("GITHUB_REF").and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned));
    let repository = text("/repository/full_name");
    let fork = text("/pull_request/head/repo/full_name").is_some_and(|head| Some(head) != repository);
    let job = Job { service: "GitHub Actions", default_branch, branch, fork, ..Job::default() };
    match name.as_str() {
        "merge_group" => Job {
            pull_request: true,
            commit,
            target: text("/merge_group/base_ref").map(|name| short(&name)),
            target_commits: text("/merge_group/base_sha").into_iter().collect(),
            ..job
        },
        "push" => Job { before: text("/before"), commit, ..job },
        _ if name.starts_with("pull_request") => Job {
            pull_request: true,
            merge_ref: name != "pull_request_target" && get("GITHUB_REF").is_some_and(|name| is_merge_ref(&name)),
            commit,
            target: get("GITHUB_BASE_REF").or_else(|| text("/pull_request/base/ref")),
            // Frozen when the event was sent, so only where the branch itself is not in the clone.
            target_commits: text("/pull_request/base/sha").into_iter().collect(),
            source_commit: text("/pull_request/head/sha"),
            ..job
        },
        _ => job,
    }
}

fn gitlab(get: &dyn Fn(&str) -> Option<String>) -> Job {
    let Some(target) = get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") else {
        return Job {
            service: "GitLab CI",
            pull_request: get("CI_MERGE_REQUEST_IID").is_some(),
            before: get("CI_COMMIT_BEFORE_SHA"),
            branch: get("CI_COMMIT_BRANCH"),
            default_branch: get("CI_DEFAULT_BRANCH"),
            ..Job::default()
        };
    };
    let project = |name| get(name).unwrap_or_default();
    Job {
        service: "GitLab CI",
        fork: project("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != project("CI_MERGE_REQUEST_PROJECT_ID"),
        pull_request: true,
        commit: get("CI_COMMIT_SHA"),
        target: Some(target),
        // Set only in merged-results pipelines.
        target_commits: get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA").into_iter().collect(),
        merge_base: get("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        source_commit: get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"),
        ..Job::default()
    }
}

/// The event as JSON; nothing where it is missing, no file, too large, or no JSON: the other rules still apply.
fn read_event(path: &Path) -> Option<Value> {
    // Opening a pipe would wait for its writer.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(EVENT_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > EVENT_BYTES {
        return None;
    }
    serde_json::from_slice(&bytes).ok()
}

fn is_merge_ref(name: &str) -> bool {
    name.starts_with("refs/pull/") && name.ends_with("/merge")
}

fn short(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

/// The scope that the job implies, if it implies one.
pub(super) fn scope(repo: &Repository, job: &Job, head: Oid) -> Result<Option<Scope>, Error> {
    if job.pull_request {
        return pull_request(repo, job, head).map(Some);
    }
    match &job.before {
        Some(before) if is_of_default_branch(repo, job, head)? => push(repo, before, head),
        _ => Ok(None),
    }
}

/// Whether the push was to the default branch. To any other it may be one of several: what the last of them brought is
/// not what merging the branch would bring.
fn is_of_default_branch(repo: &Repository, job: &Job, head: Oid) -> Result<bool, Error> {
    if let (Some(branch), Some(default)) = (&job.branch, &job.default_branch) {
        return Ok(branch == default);
    }
    let Some(default) = repo.upstream_default() else { return Ok(false) };
    Ok(default.id == head || repo.merge_bases(default.id, head)?.contains(&head))
}

fn pull_request(repo: &Repository, job: &Job, head: Oid) -> Result<Scope, Error> {
    let target_name = job.target.as_deref().map(escape::visible);
    if job.merge_ref
        && let Some(scope) = merge_commit(repo, job, head)?
    {
        return Ok(scope);
    }
    let mut notes = Vec::new();
    // In the pipeline of a GitLab fork `origin` is the fork: its branches are the author's, what the service names is not.
    let is_foreign = job.fork && job.merge_base.is_some();
    let branch = job.target.as_deref().filter(|_| !is_foreign);
    let branch = branch.and_then(|name| repo.find_ref(&format!("refs/remotes/origin/{name}")));
    let named = || job.target_commits.iter().find_map(|id| present(repo, id));
    let merge_base = job.merge_base.as_deref().and_then(|id| present(repo, id));
    let (base, base_name) = match (branch.or_else(named), merge_base) {
        (Some(tip), _) if branch.is_some() => (tip, format!("origin/{}", target_name.as_deref().unwrap_or_default())),
        (Some(tip), _) => (tip, tip.short()),
        (None, Some(merge_base)) => {
            notes.push(
                "the target branch is not in this clone: the configuration is read from the merge base".to_owned(),
            );
            (merge_base, merge_base.short())
        }
        (None, None) => {
            let branch = target_name.unwrap_or_else(|| "(unknown)".to_owned());
            return Err(Error::TargetMissing { branch });
        }
    };
    let (head, head_name) = source(repo, job, base, head)?;
    let ends = Ends { base, base_name, head, head_name };
    let mut scope = since_parted(repo, ends, How::PullRequest)?;
    if scope.merge_base == Some(head) {
        return Err(Error::NotCheckedOut(head));
    }
    notes.append(&mut scope.notes);
    scope.notes = notes;
    Ok(scope)
}

/// The head of the pull request: HEAD, unless that is only the target (`pull_request_target`) and the service names a
/// head that is in the clone.
fn source(repo: &Repository, job: &Job, base: Oid, head: Oid) -> Result<(Oid, String), Error> {
    if head != base {
        return Ok((head, "HEAD".to_owned()));
    }
    match job.source_commit.as_deref().and_then(|id| present(repo, id)) {
        Some(source) => Ok((source, source.short())),
        None => Err(Error::NotCheckedOut(head)),
    }
}

/// The merge that the service made of target and source: its first parent is the tip of the target at that time, and
/// the difference to it is exactly what merging would change.
fn merge_commit(repo: &Repository, job: &Job, head: Oid) -> Result<Option<Scope>, Error> {
    let commit = repo.commit(head)?;
    let is_checked_out = job.commit.as_deref().is_none_or(|id| id == head.hex());
    let [target, _source] = commit.parents[..] else { return Ok(None) };
    if !is_checked_out {
        return Ok(None);
    }
    if !repo.has(target) {
        return Err(Error::CommitMissing { commit: head, parent: target, role: "first parent" });
    }
    let name = job.target.as_deref().map_or_else(|| target.short(), escape::visible);
    let ends = Ends { base: target, base_name: name, head, head_name: "HEAD".to_owned() };
    since_parted(repo, ends, How::MergeCommit).map(Some)
}

fn push(repo: &Repository, before: &str, head: Oid) -> Result<Option<Scope>, Error> {
    let Some(before) = Oid::from_hex(before).filter(|id| !id.is_null()) else {
        // A new branch: nothing was there before, so it is compared with the default branch.
        return Ok(None);
    };
    if before == head {
        return Ok(None);
    }
    if !repo.has(before) {
        let is_parent = repo.commit(head)?.parents.contains(&before);
        if repo.is_shallow() {
            let role = if is_parent { "first parent" } else { "state before the push" };
            return Err(Error::CommitMissing { commit: head, parent: before, role });
        }
        // A forced push whose old commits nobody has any more.
        return Ok(None);
    }
    let ends = Ends { base: before, base_name: before.short(), head, head_name: "HEAD".to_owned() };
    let scope = since_parted(repo, ends, How::Push)?;
    // Pushing an older commit back takes away; there is nothing new, so the next rule answers.
    Ok((scope.merge_base != Some(head)).then_some(scope))
}

/// An id of the service, if it is one and its object is there. Bitbucket shortens to 12 digits.
fn present(repo: &Repository, id: &str) -> Option<Oid> {
    if !id.bytes().all(|byte| byte.is_ascii_hexdigit()) || id.len() < 7 {
        return None;
    }
    match Oid::from_hex(id) {
        Some(id) => repo.has(id).then_some(id),
        None => repo.resolve(id).ok(),
    }
}
