//! Everything that is read before anything is written: the pull request, its files, and what earlier runs said.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::anchor::File;
use super::api::{Api, Kind, Trouble};
use super::event::is_commit;
use super::existing::{self, Existing};
use super::{Error, Job, body};

/// Who comments from a job with GitHub's own token.
const ACTIONS: &str = "github-actions[bot]";
/// Pages of a hundred threads.
const PAGES: u32 = 60;

const VIEWER: &str = "query { viewer { login } }";
const THREADS: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) { \
     repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
     reviewThreads(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { id isResolved \
     comments(first: 1) { nodes { databaseId isMinimized minimizedReason } } } } } } }";

/// What stands there.
pub(super) struct Look {
    /// The pull request's head.
    pub(super) head: String,
    /// The report is of that very commit, not of a merge with it.
    pub(super) is_same: bool,
    /// The changed files.
    pub(super) files: Vec<File>,
    /// Comments on findings.
    pub(super) existing: Existing,
    /// The summary: its number and its text.
    pub(super) summary: Option<(u64, String)>,
    /// Whose comments are ours.
    pub(super) author: String,
    /// Sentences for the reader.
    pub(super) notes: Vec<String>,
}

/// Why nothing is written.
pub(super) enum Stop {
    Wrong(Error),
    Outdated,
    Trouble(Trouble),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl Look {
    /// Looks. `report` is the commit that the report is of.
    pub(super) fn at(api: &Api, job: &Job<'_>, report: &str) -> Result<Self, Stop> {
        let target = &job.target;
        let pull = api.get(&pull_path(job))?;
        let text = |pointer: &str| pull.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let current = text("/head/sha").to_owned();
        if !is_commit(&current) {
            let message = "the pull request's head is not said".to_owned();
            return Err(Stop::Trouble(Trouble { kind: Kind::Stuck, message }));
        }
        let home = pull.pointer("/head/repo/id").and_then(Value::as_u64);
        if target.head_repository.is_some() && target.head_repository != home {
            return Err(Stop::Wrong(Error::OtherHead(target.number)));
        }
        let head = target.head.clone().unwrap_or_else(|| current.clone());
        let is_same = report == head;
        if !is_same && !is_merge(api, job, report, &head, text("/merge_commit_sha"))? {
            return Err(Stop::Wrong(Error::OtherCommit { report: report.to_owned(), head }));
        }
        // A newer push has its own run, and the lines of this report are no longer those of the pull request.
        if current != head {
            return Err(Stop::Outdated);
        }
        let files = api.list(&format!("{}/files", pull_path(job)))?;
        let mut notes = Vec::new();
        let author = author(api, job)?;
        let mut existing = own_comments(api, job, &author)?;
        if !existing.own.is_empty() {
            match threads(api, job) {
                Ok(threads) => existing.add(&threads),
                Err(trouble) => {
                    notes.push(format!("threads cannot be read, so nothing is marked as fixed: {}", trouble.message))
                }
            }
        }
        let summary = summary(api, job, &author)?;
        let files = files.iter().filter_map(File::read).collect();
        Ok(Self { head, is_same, files, existing, summary, author, notes })
    }
}

/// The pull request's place in the API.
pub(super) fn pull_path(job: &Job<'_>) -> String {
    format!("/repos/{}/pulls/{}", job.target.repository, job.target.number)
}

/// The place of its conversation, which is an issue's.
pub(super) fn conversation_path(job: &Job<'_>) -> String {
    format!("/repos/{}/issues/{}/comments", job.target.repository, job.target.number)
}

/// Whether a commit is a merge of the base with this head, as a job for a pull request checks out: this event's own, the
/// one GitHub has at hand, or any whose second parent is the head.
fn is_merge(api: &Api, job: &Job<'_>, commit: &str, head: &str, at_hand: &str) -> Result<bool, Trouble> {
    if job.target.merge.as_deref() == Some(commit) || at_hand == commit {
        return Ok(true);
    }
    let found = match api.find(&format!("/repos/{}/git/commits/{commit}", job.target.repository)) {
        Ok(Some(found)) => found,
        // Not there: then nothing says that it is one. What this token may not see may be one.
        Ok(None) => return Ok(false),
        Err(trouble) if trouble.kind == Kind::Refused => return Ok(false),
        Err(trouble) => return Err(trouble),
    };
    let parents = found.get("parents").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    Ok(parents.len() == 2 && parents.get(1).and_then(|parent| parent.get("sha")?.as_str()) == Some(head))
}

/// Whose comments are ours: `GET /user` is not for the tokens of jobs, GraphQL's `viewer` is.
/// A guess would tell everything once more under another name, so only a definite refusal leaves the name that jobs have.
fn author(api: &Api, job: &Job<'_>) -> Result<String, Trouble> {
    if let Some(author) = job.author {
        return Ok(author.to_owned());
    }
    let viewer = match api.graphql(VIEWER, &json!({}), false) {
        Ok(viewer) => viewer,
        Err(trouble) if matches!(trouble.kind, Kind::Denied | Kind::Refused) => return Ok(ACTIONS.to_owned()),
        Err(trouble) => return Err(trouble),
    };
    let login = viewer.pointer("/viewer/login").and_then(Value::as_str).filter(|login| !login.is_empty());
    Ok(login.unwrap_or(ACTIONS).to_owned())
}

/// The comments on findings that stand there now.
pub(super) fn own_comments(api: &Api, job: &Job<'_>, author: &str) -> Result<Existing, Trouble> {
    Ok(Existing::of(&api.list(&format!("{}/comments", pull_path(job)))?, author))
}

/// The summary that stands there now.
pub(super) fn summary(api: &Api, job: &Job<'_>, author: &str) -> Result<Option<(u64, String)>, Trouble> {
    let comments = api.list(&conversation_path(job))?;
    let mut own = comments.iter().filter(|comment| existing::is_by(comment, author)).filter_map(|comment| {
        let text = comment.get("body")?.as_str().filter(|text| body::is_summary(text))?;
        Some((comment.get("id")?.as_u64()?, text.to_owned()))
    });
    Ok(own.next())
}

fn threads(api: &Api, job: &Job<'_>) -> Result<BTreeMap<u64, existing::Thread>, Trouble> {
    let (owner, name) = job.target.repository.split_once('/').unwrap_or_default();
    let mut found = BTreeMap::new();
    let mut after = Value::Null;
    for _ in 0..PAGES {
        let variables = json!({"owner": owner, "name": name, "number": job.target.number, "after": after});
        let data = api.graphql(THREADS, &variables, false)?;
        let page = data.pointer("/repository/pullRequest/reviewThreads").unwrap_or(&Value::Null);
        existing::threads(page, &mut found);
        if page.pointer("/pageInfo/hasNextPage").and_then(Value::as_bool) != Some(true) {
            break;
        }
        after = page.pointer("/pageInfo/endCursor").cloned().unwrap_or_default();
    }
    Ok(found)
}
