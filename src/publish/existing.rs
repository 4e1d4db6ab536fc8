//! What earlier runs said. Only comments of our own author count, and only by the mark in their first line: anybody can
//! write a mark.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::body;

/// A comment of an earlier run on a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Own {
    /// Its number.
    pub(super) id: u64,
    /// Its name in GraphQL.
    pub(super) node: String,
    /// The finding.
    pub(super) fingerprint: String,
    /// It is on a file, not on lines.
    pub(super) on_file: bool,
    /// Somebody else wrote in its thread.
    pub(super) has_reply: bool,
    /// What GraphQL says of it, where that could be asked.
    pub(super) thread: Option<Thread>,
}

/// The state of a comment and its thread that only GraphQL tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thread {
    /// The thread's name in GraphQL.
    pub(super) node: Option<String>,
    /// It is resolved.
    pub(super) is_resolved: bool,
    /// The comment is hidden.
    pub(super) is_hidden: bool,
    /// It is hidden as outdated, as this program hides what is fixed.
    pub(super) is_outdated: bool,
}

/// What earlier runs said.
#[derive(Debug, Clone, Default)]
pub(super) struct Existing {
    /// Comments on findings, oldest first.
    pub(super) own: Vec<Own>,
}

impl Existing {
    /// From all review comments of the pull request, by this author (`login`).
    pub(super) fn of(comments: &[Value], author: &str) -> Self {
        let answered: BTreeSet<u64> = comments
            .iter()
            .filter(|comment| !is_by(comment, author))
            .filter_map(|comment| comment.get("in_reply_to_id")?.as_u64())
            .collect();
        let own = comments.iter().filter(|comment| is_by(comment, author)).filter_map(|comment| {
            // A reply of our author's is not a finding's comment.
            if comment.get("in_reply_to_id").is_some_and(|id| !id.is_null()) {
                return None;
            }
            let id = comment.get("id")?.as_u64()?;
            Some(Own {
                id,
                node: comment.get("node_id")?.as_str()?.to_owned(),
                fingerprint: body::marked(comment.get("body")?.as_str()?)?.to_owned(),
                on_file: comment.get("subject_type").and_then(Value::as_str) == Some("file"),
                has_reply: answered.contains(&id),
                thread: None,
            })
        });
        Self { own: own.collect() }
    }

    /// Adds what GraphQL says of the threads, by the number of their first comment.
    pub(super) fn add(&mut self, threads: &BTreeMap<u64, Thread>) {
        for own in &mut self.own {
            if let Some(thread) = threads.get(&own.id) {
                own.thread = Some(thread.clone());
            }
        }
    }

    /// The findings that a reader can see. One hidden as outdated came back if the report has it again; whatever else
    /// somebody hid stays as that person wants it.
    pub(super) fn told(&self) -> impl Iterator<Item = &Own> {
        self.own.iter().filter(|own| own.thread.as_ref().is_none_or(|thread| !thread.is_outdated))
    }
}

/// Whether a comment is by this author. `login` of an app ends with `[bot]`, which no person's can.
pub(super) fn is_by(comment: &Value, author: &str) -> bool {
    comment.pointer("/user/login").and_then(Value::as_str).is_some_and(|login| login.eq_ignore_ascii_case(author))
}

/// Threads of a page of `reviewThreads`, by the number of their first comment.
pub(super) fn threads(page: &Value, into: &mut BTreeMap<u64, Thread>) {
    for thread in page.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice) {
        let Some(first) = thread.pointer("/comments/nodes/0") else { continue };
        let Some(id) = first.get("databaseId").or_else(|| first.get("fullDatabaseId")).and_then(Value::as_u64) else {
            continue;
        };
        let flag = |value: &Value, name: &str| value.get(name).and_then(Value::as_bool).unwrap_or(false);
        let reason = first.get("minimizedReason").and_then(Value::as_str).unwrap_or_default();
        let is_hidden = flag(first, "isMinimized");
        into.insert(
            id,
            Thread {
                node: thread.get("id").and_then(Value::as_str).map(str::to_owned),
                is_resolved: flag(thread, "isResolved"),
                is_hidden,
                is_outdated: is_hidden && reason.eq_ignore_ascii_case("outdated"),
            },
        );
    }
}
