//! Pull requests as an export of a forge's API has them. Names of REST (`merged_at`), of GraphQL and `gh` (`mergedAt`) and
//! lists with and without `nodes` are read; whatever else stands there is passed over.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::Error;
use crate::record;

/// An export: what the forge knows of a project.
#[derive(Debug, Clone, Default)]
pub struct Export {
    /// `owner/name`, where it says so.
    pub repository: Option<String>,
    /// How many like it.
    pub stars: Option<u64>,
    /// The pull requests by number.
    pub pull_requests: HashMap<u64, PullRequest>,
}

/// A pull request.
#[derive(Debug, Clone, Default)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// What its author called it.
    pub title: String,
    /// What its author said of it.
    pub body: String,
    /// Who that is.
    pub author: String,
    /// Whether it was merged; where the export does not say, the history does.
    pub merged: bool,
    /// The commit that brought it to its branch, in hexadecimal digits.
    pub merge_commit: Option<String>,
    /// When, in seconds since 1970.
    pub merged_at: Option<i64>,
    /// Names of its labels.
    pub labels: Vec<String>,
    /// Issues that it closes.
    pub issues: Vec<u64>,
    /// All comments, of the diff and beside it, in the order of the export.
    pub notes: Vec<Note>,
    /// How many reviews asked for changes.
    pub change_requests: usize,
}

/// A comment.
#[derive(Debug, Clone, Default)]
pub struct Note {
    /// Its id, or its place in the list.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub body: String,
    /// The file it stands in; none for one that stands beside the diff.
    pub file: Option<String>,
    /// The line there, on the new side.
    pub line: Option<u32>,
    /// It answers another.
    pub is_reply: bool,
}

impl Export {
    /// Reads a file: an array of pull requests, `{"repository": …, "pull_requests": […]}`, or the answer of GraphQL as it
    /// came (`{"data": {"repository": {"pullRequests": {"nodes": […]}}}}`).
    ///
    /// # Errors
    /// It cannot be read, or holds no pull requests.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let value: Value = record::read_json(path)?;
        let root = value.get("data").unwrap_or(&value);
        let project = root.get("repository").filter(|project| project.is_object()).unwrap_or(root);
        let list = match root {
            Value::Array(list) => list.iter().collect(),
            _ => list(root, &["pull_requests", "pullRequests"])
                .or_else(|| list(project, &["pull_requests", "pullRequests"]))
                .ok_or_else(|| Error::Export("neither an array nor `pull_requests` is there".to_owned()))?,
        };
        let all = list.len();
        let pull_requests: HashMap<u64, PullRequest> =
            list.into_iter().filter_map(pull_request).map(|pull| (pull.number, pull)).collect();
        if pull_requests.is_empty() && all > 0 {
            return Err(Error::Export(format!("none of {all} entries has a `number`")));
        }
        let repository = text(project, &["full_name", "nameWithOwner"]).map(str::to_owned);
        let stars = first(project, &["stargazers_count", "stargazerCount"]).and_then(Value::as_u64);
        Ok(Self { repository, stars, pull_requests })
    }
}

fn pull_request(value: &Value) -> Option<PullRequest> {
    let merged_at = text(value, &["merged_at", "mergedAt"]);
    let state = text(value, &["state"]).unwrap_or_default();
    let labels = list(value, &["labels"]).unwrap_or_default();
    let issues = list(value, &["linked_issues", "closingIssuesReferences", "closing_issues"]).unwrap_or_default();
    let reviews = list(value, &["reviews"]).unwrap_or_default();
    let asks = |review: &&&Value| {
        text(review, &["state"]).is_some_and(|state| state.eq_ignore_ascii_case("CHANGES_REQUESTED"))
    };
    let mut notes = Vec::new();
    for comment in list(value, &["review_comments", "reviewComments"]).unwrap_or_default() {
        notes.push(note(comment, comment, notes.len()));
    }
    for thread in list(value, &["reviewThreads", "review_threads"]).unwrap_or_default() {
        for (place, comment) in list(thread, &["comments"]).unwrap_or_default().into_iter().enumerate() {
            let mut said = note(comment, thread, notes.len());
            said.is_reply |= place > 0;
            notes.push(said);
        }
    }
    let beside = [list(value, &["comments", "issue_comments"]), Some(reviews.clone())];
    for comment in beside.into_iter().flatten().flatten() {
        let said = note(comment, comment, notes.len());
        if !said.body.trim().is_empty() {
            notes.push(said);
        }
    }
    Some(PullRequest {
        number: first(value, &["number"])?.as_u64()?,
        title: text(value, &["title"]).unwrap_or_default().to_owned(),
        body: text(value, &["body"]).unwrap_or_default().to_owned(),
        author: author(value),
        merged: merged_at.is_some()
            || state.eq_ignore_ascii_case("MERGED")
            || value.get("merged").and_then(Value::as_bool) == Some(true),
        merge_commit: text(value, &["merge_commit_sha"])
            .or_else(|| text(value.get("mergeCommit")?, &["oid"]))
            .map(str::to_owned),
        merged_at: merged_at.and_then(seconds),
        labels: labels
            .iter()
            .filter_map(|label| text(label, &["name"]).or(label.as_str()))
            .map(str::to_owned)
            .collect(),
        issues: issues.iter().filter_map(|issue| issue.as_u64().or_else(|| issue.get("number")?.as_u64())).collect(),
        notes,
        change_requests: reviews.iter().filter(asks).count(),
    })
}

/// A comment; what it does not say of its place, `around` does.
fn note(comment: &Value, around: &Value, place: usize) -> Note {
    // GraphQL's own `id` is another than that of REST, which it calls by other names.
    let id = first(comment, &["databaseId", "fullDatabaseId", "id"]);
    let id = id.and_then(|id| id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string())));
    let line = |value| first(value, &["line", "original_line", "originalLine"]).and_then(Value::as_u64);
    let file = text(comment, &["path"]).or_else(|| text(around, &["path"]));
    // A comment on the old side has no line of the new one.
    let is_old = |value| text(value, &["side", "diffSide"]).is_some_and(|side| side.eq_ignore_ascii_case("LEFT"));
    let line = line(comment).or_else(|| line(around)).filter(|_| !is_old(comment) && !is_old(around));
    Note {
        id: id.unwrap_or_else(|| format!("note-{place}")),
        author: author(comment),
        body: text(comment, &["body"]).unwrap_or_default().to_owned(),
        file: file.map(str::to_owned),
        line: line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0),
        is_reply: first(comment, &["in_reply_to_id", "replyTo"]).is_some(),
    }
}

fn author(value: &Value) -> String {
    let user = first(value, &["user", "author"]);
    user.and_then(|user| text(user, &["login"]).or(user.as_str())).unwrap_or_default().to_owned()
}

/// The first of these fields that is there and not null.
fn first<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| value.get(name).filter(|value| !value.is_null()))
}

fn text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(name)?.as_str())
}

/// A list, bare or below `nodes`.
fn list<'v>(value: &'v Value, names: &[&str]) -> Option<Vec<&'v Value>> {
    let found = first(value, names)?;
    Some(found.get("nodes").unwrap_or(found).as_array()?.iter().collect())
}

/// Seconds since 1970 of `2024-05-01T12:00:00Z`, the one form that forges write.
pub(super) fn seconds(time: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| time.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    // Days of the civil calendar, with years that begin in March.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Export, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.json");
        std::fs::write(&path, value.to_string()).unwrap();
        Export::read(&path)
    }

    #[test]
    fn three_shapes_say_the_same() {
        let rest = json!({"number": 7, "title": "T", "user": {"login": "ann"}, "merged_at": "2020-01-01T00:00:00Z",
            "labels": [{"name": "bug"}], "linked_issues": [3],
            "review_comments": [{"id": 1, "user": {"login": "bob"}, "body": "why?", "path": "a.py", "line": 4},
                                {"id": 2, "user": {"login": "ann"}, "body": "so", "path": "a.py", "line": 4, "in_reply_to_id": 1}],
            "reviews": [{"state": "CHANGES_REQUESTED", "body": "", "user": {"login": "bob"}}]});
        let graph = json!({"number": 7, "title": "T", "author": {"login": "ann"}, "mergedAt": "2020-01-01T00:00:00Z",
            "labels": {"nodes": [{"name": "bug"}]}, "closingIssuesReferences": {"nodes": [{"number": 3}]},
            "reviewThreads": {"nodes": [{"path": "a.py", "line": 4, "diffSide": "RIGHT", "comments": {"nodes": [
                {"id": "PRRC_kwA", "databaseId": 1, "author": {"login": "bob"}, "body": "why?"}, {"fullDatabaseId": "2", "author": {"login": "ann"}, "body": "so"}]}}]},
            "reviews": {"nodes": [{"state": "CHANGES_REQUESTED", "body": "", "author": {"login": "bob"}}]}});
        let shapes = [
            json!([rest]),
            json!({"repository": {"full_name": "o/n", "stargazers_count": 5}, "pull_requests": [rest]}),
            json!({"data": {"repository": {"stargazerCount": 5, "pullRequests": {"nodes": [graph]}}}}),
        ];
        let told: Vec<String> =
            shapes.iter().map(|shape| format!("{:?}", read(shape).unwrap().pull_requests[&7])).collect();
        assert_eq!(told[0], told[1]);
        assert_eq!(told[0], told[2]);
        assert!(told[0].contains("change_requests: 1") && told[0].contains("is_reply: true"), "{}", told[0]);
        assert_eq!(read(&shapes[2]).unwrap().stars, Some(5));
        for bad in [json!({"a": 1}), json!([{"title": "no number"}]), json!("x")] {
            assert!(read(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_of_forges() {
        for (time, at) in
            [("1970-01-01T00:00:00Z", Some(0)), ("2000-02-29T12:00:01Z", Some(951_825_601)), ("soon", None)]
        {
            assert_eq!(seconds(time), at, "{time}");
        }
    }
}
