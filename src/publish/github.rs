//! The doing: one review, a few comments on files, the summary, and the marks on what is fixed. Whatever is refused falls
//! to the next place; whatever is unclear is looked for before it is written again.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::anchor::{Anchor, File};
use super::api::{Api, Kind, Trouble, Write};
use super::body::{self, Links, Told};
use super::existing::Own;
use super::look::{self, Look, Stop};
use super::plan::{self, Limits, Place, Plan};
use super::{Error, Job, MOST_FINDINGS, Outcome};
use crate::finding::Finding;
use crate::gate::Verdict;
use crate::provider::rest::{Method, Rest};
use crate::report::json::Saved;

/// Most reviews of one run. More than one is needed only where GitHub refuses a comment and does not say which.
const REVIEWS: u32 = 12;
/// Looks for a write that is unclear.
const LOOKS: u32 = 3;

const HIDE: &str = "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { \
     minimizedComment { isMinimized } } }";
const RESOLVE: &str = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }";

/// Publishes a saved report as one review of a pull request.
///
/// # Errors
/// The report or the call does not fit; then nothing was written. Whatever the service does is in the [`Outcome`].
pub fn publish(saved: &Saved, job: &Job<'_>) -> Result<Outcome, Error> {
    let findings = &saved.review.findings;
    if findings.len() > MOST_FINDINGS {
        return Err(Error::TooMany(findings.len()));
    }
    // What the other shares found would look fixed.
    if saved.review.share.is_some() {
        return Err(Error::Share);
    }
    let report =
        saved.review.change.head.as_deref().filter(|head| super::event::is_commit(head)).ok_or(Error::NoCommit)?;
    let api = open(job)?;
    let all = || (0..findings.len()).collect();
    let look = match Look::at(&api, job, report) {
        Ok(look) => look,
        Err(Stop::Wrong(error)) => return Err(error),
        Err(Stop::Outdated) => return Ok(Outcome { is_outdated: true, untold: all(), ..Outcome::default() }),
        Err(Stop::Trouble(trouble)) => {
            let problem = Some(problem(&trouble, job));
            return Ok(Outcome { problem, untold: all(), ..Outcome::default() });
        }
    };
    // What a fork's own job says hides nothing.
    let is_complete = saved.decision.complete && !job.target.is_fork;
    let limits = Limits { on_lines: job.max_comments, is_same: look.is_same, is_complete };
    let plan = plan::plan(&saved.review, &look.files, &look.existing, limits);
    let mut doing = Doing {
        api: &api,
        job,
        saved,
        links: Links {
            repository: format!("{}/{}", job.server.trim_end_matches('/'), job.target.repository),
            commit: report.to_owned(),
        },
        told: vec![Told::Here; findings.len()],
        reviews: REVIEWS,
        trouble: None,
        outcome: Outcome { notes: look.notes.clone(), ..Outcome::default() },
        look,
    };
    doing.run(&plan);
    Ok(doing.finish())
}

fn open(job: &Job<'_>) -> Result<Api, Error> {
    // GraphQL is beside the REST API's path, not below it.
    let base = job.api.trim().trim_end_matches('/');
    let start = base.find("://").map_or(0, |at| at + 3);
    let end = base.get(start..).and_then(|rest| rest.find('/')).map_or(base.len(), |at| start + at);
    let (origin, prefix) = base.split_at(end);
    let headers = [("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")];
    let rest = Rest::open(origin, job.token, &headers, job.clock.clone(), job.env).map_err(Error::Api)?;
    Ok(Api::new(rest, job.clock.clone(), job.clock.now() + job.time, prefix))
}

/// What to tell of a trouble.
fn problem(trouble: &Trouble, job: &Job<'_>) -> String {
    let advice = match trouble.kind {
        Kind::Denied if job.target.is_fork => {
            "; this needs `pull-requests: write`, which a job on `pull_request` never has for a fork: publish from a job \
             on `workflow_run`"
        }
        Kind::Denied => "; the job needs `permissions: pull-requests: write`, and a token for this repository",
        Kind::Refused | Kind::Stuck | Kind::Unclear => "",
    };
    format!("{}{advice}", trouble.message)
}

/// A comment on lines that is to be made.
struct Comment<'f> {
    index: usize,
    finding: &'f Finding,
    anchor: Anchor,
    file: &'f File,
}

struct Doing<'a> {
    api: &'a Api,
    job: &'a Job<'a>,
    saved: &'a Saved,
    look: Look,
    links: Links,
    /// Where each finding is told by now.
    told: Vec<Told>,
    /// Reviews that may still be written.
    reviews: u32,
    trouble: Option<Trouble>,
    outcome: Outcome,
}

impl Doing<'_> {
    fn run(&mut self, plan: &Plan) {
        let files = std::mem::take(&mut self.look.files);
        let findings = &self.saved.review.findings;
        let mut comments = Vec::new();
        let mut on_files = Vec::new();
        for index in plan.order.iter().copied() {
            let (Some(finding), Some(place)) = (findings.get(index), plan.places.get(index)) else { continue };
            let file = files.iter().find(|file| file.path.as_bytes() == finding.claim.location.path.bytes());
            match (place, file) {
                (Place::Lines(anchor), Some(file)) => comments.push(Comment { index, finding, anchor: *anchor, file }),
                (Place::File, Some(_)) => on_files.push(index),
                (Place::Before, _) => self.tell(index, Told::Before),
                _ => {}
            }
        }
        if !comments.is_empty() {
            let refused = self.review(&comments);
            on_files.extend(refused);
        }
        for index in on_files.into_iter().take(plan.on_files) {
            self.on_file(index);
        }
        self.summary(plan);
        self.mark(&plan.fixed);
    }

    fn finish(mut self) -> Outcome {
        let count = |told: Told| self.told.iter().filter(|other| **other == told).count();
        (self.outcome.on_lines, self.outcome.on_files) = (count(Told::Lines), count(Told::File));
        self.outcome.before = count(Told::Before);
        self.outcome.in_summary = count(Told::Here).saturating_sub(self.outcome.untold.len());
        self.outcome.problem = self.trouble.as_ref().map(|trouble| problem(trouble, self.job));
        self.outcome
    }

    fn tell(&mut self, index: usize, told: Told) {
        if let Some(place) = self.told.get_mut(index) {
            *place = told;
        }
    }

    /// Whether there is still hope for a write.
    fn may_write(&self) -> bool {
        self.trouble.is_none()
    }

    /// Makes something new, or shows it.
    fn create(&mut self, write: &Write) -> Result<Value, Trouble> {
        if self.job.dry_run {
            self.show(write);
            return Ok(Value::Null);
        }
        self.api.create(write)
    }

    fn show(&mut self, write: &Write) {
        let shown = json!({"method": write.method.name(), "path": write.path, "body": write.body});
        self.outcome.writes.push(shown);
    }

    /// Writes a review with these comments, in several parts where one of them is refused. What is refused.
    fn review(&mut self, comments: &[Comment<'_>]) -> Vec<usize> {
        let all = || comments.iter().map(|comment| comment.index).collect::<Vec<_>>();
        let mut waiting: Vec<&Comment<'_>> = comments.iter().collect();
        for turn in 0..LOOKS {
            if waiting.is_empty() || !self.may_write() {
                break;
            }
            let Some(left) = self.reviews.checked_sub(1) else { return all() };
            self.reviews = left;
            let write = self.review_of(&waiting);
            match self.create(&write) {
                Ok(review) => {
                    let lost = self.lost(&review, &waiting);
                    waiting
                        .iter()
                        .filter(|comment| !lost.contains(&comment.index))
                        .for_each(|comment| self.tell(comment.index, Told::Lines));
                    return lost;
                }
                Err(trouble) if trouble.kind == Kind::Refused => {
                    let waiting: Vec<Comment<'_>> = waiting.into_iter().map(Comment::again).collect();
                    return self.parts(&waiting, &trouble);
                }
                Err(trouble) if trouble.kind == Kind::Unclear => match self.arrived(turn) {
                    Ok(arrived) => {
                        let is_there = |comment: &Comment<'_>| arrived.contains(comment.finding.fingerprint.as_str());
                        waiting
                            .iter()
                            .filter(|comment| is_there(comment))
                            .for_each(|comment| self.tell(comment.index, Told::Lines));
                        waiting.retain(|comment| !is_there(comment));
                        if turn + 1 == LOOKS && !waiting.is_empty() {
                            self.trouble = Some(trouble);
                        }
                    }
                    Err(trouble) => self.trouble = Some(trouble),
                },
                Err(trouble) => self.trouble = Some(trouble),
            }
        }
        Vec::new()
    }

    /// After a refusal: GitHub takes all comments of a review or none, and seldom says which it does not like.
    fn parts(&mut self, comments: &[Comment<'_>], refusal: &Trouble) -> Vec<usize> {
        if let [only] = comments {
            return vec![only.index];
        }
        let is_named = |comment: &Comment<'_>| {
            let words = || {
                refusal
                    .message
                    .split(|character: char| character.is_whitespace() || matches!(character, '"' | '\'' | '`' | ','))
            };
            words().any(|word| word == comment.file.path)
        };
        let (named, others): (Vec<_>, Vec<_>) = comments.iter().partition(|comment| is_named(comment));
        if !named.is_empty() && !others.is_empty() {
            let mut refused: Vec<usize> = named.iter().map(|comment| comment.index).collect();
            let others: Vec<Comment<'_>> = others.into_iter().map(Comment::again).collect();
            refused.extend(self.review(&others));
            return refused;
        }
        let (first, second) = comments.split_at(comments.len().div_ceil(2));
        let mut refused = self.review(first);
        refused.extend(self.review(second));
        refused
    }

    fn review_of(&self, comments: &[&Comment<'_>]) -> Write {
        let items: Vec<Value> = comments.iter().map(|comment| comment.json()).collect();
        let body = json!({
            "commit_id": self.look.head,
            "event": "COMMENT",
            "body": body::of_review(items.len(), &self.look.head),
            "comments": items,
        });
        Write { method: Method::Post, path: format!("{}/reviews", look::pull_path(self.job)), body }
    }

    /// The comments that GitHub took and does not show. Where that cannot be asked, none.
    fn lost(&self, review: &Value, comments: &[&Comment<'_>]) -> Vec<usize> {
        let Some(id) = review.get("id").and_then(Value::as_u64) else { return Vec::new() };
        let path = format!("{}/reviews/{id}/comments", look::pull_path(self.job));
        let mut lost = Vec::new();
        for turn in 0..LOOKS {
            let Ok(shown) = self.api.list(&path) else { return Vec::new() };
            let shown: BTreeSet<&str> =
                shown.iter().filter_map(|comment| body::marked(comment.get("body")?.as_str()?)).collect();
            let is_lost = |comment: &&&Comment<'_>| !shown.contains(comment.finding.fingerprint.as_str());
            lost = comments.iter().filter(is_lost).map(|comment| comment.index).collect();
            // What was just written is not at once on every machine of the service.
            if lost.is_empty() || turn + 1 < LOOKS && self.api.settle(turn).is_err() {
                break;
            }
        }
        lost
    }

    /// The findings that our comments tell by now.
    fn arrived(&self, turn: u32) -> Result<BTreeSet<String>, Trouble> {
        self.api.settle(turn)?;
        let existing = look::own_comments(self.api, self.job, &self.look.author)?;
        let known: BTreeSet<u64> = self.look.existing.own.iter().map(|own| own.id).collect();
        Ok(existing.own.into_iter().filter(|own| !known.contains(&own.id)).map(|own| own.fingerprint).collect())
    }

    /// A comment on the file of a finding.
    fn on_file(&mut self, index: usize) {
        let Some(finding) = self.saved.review.findings.get(index) else { return };
        let body = json!({
            "commit_id": self.look.head,
            "path": finding.claim.location.path.to_text().raw(),
            "subject_type": "file",
            "body": body::of_file(finding, Some(&self.links)),
        });
        let write = Write { method: Method::Post, path: format!("{}/comments", look::pull_path(self.job)), body };
        for turn in 0..LOOKS {
            if !self.may_write() {
                return;
            }
            match self.create(&write) {
                Ok(_) => return self.tell(index, Told::File),
                // The summary has it.
                Err(trouble) if trouble.kind == Kind::Refused => return,
                Err(trouble) if trouble.kind == Kind::Unclear => match self.arrived(turn) {
                    Ok(arrived) if arrived.contains(finding.fingerprint.as_str()) => {
                        return self.tell(index, Told::File);
                    }
                    Ok(_) if turn + 1 < LOOKS => {}
                    Ok(_) => self.trouble = Some(trouble),
                    Err(trouble) => self.trouble = Some(trouble),
                },
                Err(trouble) => self.trouble = Some(trouble),
            }
        }
    }

    /// Writes the one summary or writes over it. A change without findings gets none, unless there is one already.
    fn summary(&mut self, plan: &Plan) {
        let (text, left_out) =
            body::of_summary(self.saved, &plan.order, &self.told, &self.look.head, Some(&self.links));
        let is_worth_it = !self.saved.review.findings.is_empty() || self.saved.decision.verdict != Verdict::Pass;
        let stands = self.look.summary.take();
        if stands.is_none() && !is_worth_it {
            return;
        }
        let done = match stands {
            Some((_, old)) if old.replace("\r\n", "\n").trim_end() == text.trim_end() => Ok(()),
            Some((id, _)) => self.rewrite(id, &text),
            None => self.first_summary(&text),
        };
        match done {
            Ok(()) => {
                self.outcome.summary = true;
                self.outcome.untold = left_out;
            }
            Err(trouble) => {
                self.outcome.untold =
                    plan.order.iter().copied().filter(|index| self.told.get(*index) == Some(&Told::Here)).collect();
                // What came first says more of the cause.
                self.trouble.get_or_insert(trouble);
            }
        }
    }

    fn rewrite(&mut self, id: u64, text: &str) -> Result<(), Trouble> {
        let path = format!("/repos/{}/issues/comments/{id}", self.job.target.repository);
        let write = Write { method: Method::Patch, path, body: json!({"body": text}) };
        if self.job.dry_run {
            self.show(&write);
            return Ok(());
        }
        self.api.change(&write).map(drop)
    }

    fn first_summary(&mut self, text: &str) -> Result<(), Trouble> {
        let write =
            Write { method: Method::Post, path: look::conversation_path(self.job), body: json!({"body": text}) };
        let mut turn = 0;
        loop {
            match self.create(&write) {
                Err(trouble) if trouble.kind == Kind::Unclear && turn < LOOKS => {
                    self.api.settle(turn)?;
                    if let Some((id, old)) = look::summary(self.api, self.job, &self.look.author)? {
                        return if old == text { Ok(()) } else { self.rewrite(id, text) };
                    }
                    turn += 1;
                }
                other => return other.map(drop),
            }
        }
    }

    /// Hides the comments on what is fixed, and resolves their threads where the token may.
    fn mark(&mut self, fixed: &[Own]) {
        let mut may_resolve = true;
        for own in fixed {
            if !self.may_write() {
                return;
            }
            match self.mutate(HIDE, &own.node) {
                Ok(()) => self.outcome.fixed += 1,
                Err(trouble) => {
                    self.outcome.notes.push(format!("what is fixed cannot be hidden: {}", trouble.message));
                    return;
                }
            }
            let thread =
                own.thread.as_ref().filter(|thread| !thread.is_resolved).and_then(|thread| thread.node.as_deref());
            if let Some(node) = thread.filter(|_| may_resolve) {
                // It takes `contents: write`, which no job should have for this; hidden is enough.
                may_resolve = self.mutate(RESOLVE, node).is_ok();
            }
        }
    }

    fn mutate(&mut self, query: &str, id: &str) -> Result<(), Trouble> {
        let variables = json!({"id": id});
        if self.job.dry_run {
            let write = self.api.mutation(query, &variables);
            self.show(&write);
            return Ok(());
        }
        self.api.graphql(query, &variables, true).map(drop)
    }
}

impl Comment<'_> {
    fn again(&self) -> Self {
        Self { index: self.index, finding: self.finding, anchor: self.anchor, file: self.file }
    }

    fn json(&self) -> Value {
        let Anchor { first, last, .. } = self.anchor;
        let mut comment = json!({
            "path": self.file.path,
            "side": "RIGHT",
            "line": last,
            "body": body::of_lines(self.finding, self.anchor, self.file),
        });
        // GitHub refuses a start that is no line before the end.
        if first < last
            && let Some(map) = comment.as_object_mut()
        {
            map.insert("start_line".to_owned(), first.into());
            map.insert("start_side".to_owned(), "RIGHT".into());
        }
        comment
    }
}
