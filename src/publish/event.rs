//! Which pull request, and which commit of it. From the command line, the variables of the job and its event; never from
//! the report, which may come from a stranger's job.

use serde_json::Value;

use super::Error;
use crate::escape;
use crate::provider::Env;

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// `OWNER/NAME`.
    pub repository: Option<String>,
    /// The number of the pull request.
    pub number: Option<u64>,
}

/// A pull request and what the event says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `OWNER/NAME`, safe in a path.
    pub repository: String,
    /// The number of the pull request.
    pub number: u64,
    /// Its head when the event was sent; `None` where no event says it.
    pub head: Option<String>,
    /// The repository that the head is in, where the event names it but not the pull request.
    pub head_repository: Option<u64>,
    /// The merge of head and base that this job checks out by default.
    pub merge: Option<String>,
    /// Whether the head is in another repository, as far as the event says.
    pub is_fork: bool,
}

impl Target {
    /// Puts together what is given, the event and the variables `GITHUB_REPOSITORY`, `GITHUB_EVENT_NAME` and `GITHUB_SHA`.
    ///
    /// # Errors
    /// Something is missing or does not fit together.
    pub fn find(given: &Given, event: Option<&Value>, env: Env<'_>) -> Result<Self, Error> {
        let variable = |name: &str| env(name).and_then(|value| value.into_string().ok()).filter(|v| !v.is_empty());
        let event = event.unwrap_or(&Value::Null);
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let of_event = text("/repository/full_name");
        let named = given.repository.clone().or_else(|| variable("GITHUB_REPOSITORY")).or_else(|| of_event.clone());
        let repository = named.ok_or(Error::Missing { what: "the repository", how: "--repo OWNER/NAME" })?;
        if !is_repository(&repository) {
            return Err(Error::Repository(escape::visible(&repository)));
        }
        if let Some(other) = of_event.filter(|other| !other.eq_ignore_ascii_case(&repository)) {
            return Err(Error::OtherRepository { repository, event: escape::visible(&other) });
        }
        let found = if event.get("pull_request").is_some_and(Value::is_object) {
            of_pull_request(event)
        } else if event.get("workflow_run").is_some_and(Value::is_object) {
            of_workflow_run(event)
        } else {
            Found::default()
        };
        let number = match (given.number, found.number) {
            (Some(given), Some(event)) if given != event => return Err(Error::OtherPull { given, event }),
            (given, event) => given.or(event),
        };
        let number = number.filter(|number| *number > 0);
        let number = number.ok_or(Error::Missing { what: "the pull request", how: "--pr NUMBER" })?;
        let is_merge = variable("GITHUB_EVENT_NAME").as_deref() == Some("pull_request");
        Ok(Self {
            repository,
            number,
            head: found.head.filter(|head| is_commit(head)),
            head_repository: found.head_repository,
            merge: variable("GITHUB_SHA").filter(|commit| is_merge && is_commit(commit)),
            is_fork: found.is_fork,
        })
    }
}

/// What an event says.
#[derive(Default)]
struct Found {
    number: Option<u64>,
    head: Option<String>,
    head_repository: Option<u64>,
    is_fork: bool,
}

fn of_pull_request(event: &Value) -> Found {
    let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64);
    let head = number("/pull_request/head/repo/id");
    let base = number("/pull_request/base/repo/id");
    Found {
        number: number("/pull_request/number"),
        head: event.pointer("/pull_request/head/sha").and_then(Value::as_str).map(str::to_owned),
        head_repository: None,
        is_fork: head.is_some() && base.is_some() && head != base,
    }
}

/// A run's `pull_requests` are those whose branch has its name, and none of a fork: only one whose head was run counts.
fn of_workflow_run(event: &Value) -> Found {
    let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64);
    let head = event.pointer("/workflow_run/head_sha").and_then(Value::as_str);
    let pulls = event.pointer("/workflow_run/pull_requests").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut of_head = pulls.iter().filter(|pull| pull.pointer("/head/sha").and_then(Value::as_str) == head);
    let only = of_head.next().filter(|_| of_head.next().is_none());
    let (from, to) = (number("/workflow_run/head_repository/id"), number("/workflow_run/repository/id"));
    Found {
        number: only.and_then(|pull| pull.get("number")?.as_u64()),
        head: head.map(str::to_owned),
        head_repository: from,
        is_fork: from.is_some() && to.is_some() && from != to,
    }
}

/// Whether it is `OWNER/NAME` in GitHub's alphabet; anything else could change the path it is put into.
fn is_repository(text: &str) -> bool {
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..")
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    text.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

/// Whether it is a commit's whole id.
pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use serde_json::json;

    use super::*;

    const HEAD: &str = "89abcdef0123456789abcdef0123456789abcdef";

    fn find(given: &Given, event: &Value) -> Result<Target, String> {
        let env = |name: &str| match name {
            "GITHUB_REPOSITORY" => Some(OsString::from("acme/shop")),
            "GITHUB_EVENT_NAME" => Some(OsString::from("workflow_run")),
            "GITHUB_SHA" => Some(OsString::from(HEAD)),
            _ => None,
        };
        Target::find(given, Some(event), &env).map_err(|error| error.to_string())
    }

    fn run(pulls: &Value) -> Value {
        json!({"repository": {"full_name": "Acme/Shop"}, "workflow_run": {
            "head_sha": HEAD, "head_repository": {"id": 2}, "repository": {"id": 1}, "pull_requests": pulls}})
    }

    #[test]
    fn a_pull_request_event_says_everything() {
        let event = json!({"pull_request": {"number": 7, "head": {"sha": HEAD, "repo": {"id": 2}},
                                            "base": {"repo": {"id": 1}}}});
        let target = find(&Given::default(), &event).expect("all is there");
        assert_eq!((target.number, target.head.as_deref(), target.is_fork), (7, Some(HEAD), true));
        assert_eq!(target.merge, None, "GITHUB_SHA is the pull request's merge only in its own event");
        let given = Given { number: Some(8), ..Given::default() };
        assert!(find(&given, &event).expect_err("two pull requests").contains("--pr"));
    }

    #[test]
    fn a_run_names_its_pull_request_only_where_one_alone_has_its_head() {
        let pull = |number: u64, sha: &str| json!({"number": number, "head": {"sha": sha}});
        let only = find(&Given::default(), &run(&json!([pull(3, "00"), pull(4, HEAD)]))).expect("one fits");
        assert_eq!((only.number, only.is_fork, only.head_repository), (4, true, Some(2)));
        for pulls in [json!([]), json!([pull(3, "00")]), json!([pull(3, HEAD), pull(4, HEAD)]), json!(null)] {
            assert!(
                find(&Given::default(), &run(&pulls)).expect_err("none is meant").contains("--pr NUMBER"),
                "{pulls}"
            );
        }
        let given = Given { number: Some(9), ..Given::default() };
        assert_eq!(find(&given, &run(&json!([]))).expect("a number is given").number, 9);
    }

    #[test]
    fn a_repository_cannot_change_the_path_it_is_put_into() {
        for name in ["", "a", "a/b/c", "a/..", "../b", "a/b?x", "a/b#", "a b/c", "a/b\n", "/b", "a/%2e"] {
            let given = Given { repository: Some(name.to_owned()), number: Some(1) };
            assert!(find(&given, &Value::Null).is_err(), "{name:?}");
        }
        let given = Given { repository: Some("other/repo".to_owned()), number: Some(1) };
        assert!(find(&given, &run(&json!([]))).expect_err("another repository").contains("Acme/Shop"));
        assert!(find(&given, &Value::Null).is_ok());
    }
}
