//! One case: what was found, what was missed, and by which comment.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::eval::score::Row;
use crate::record::{Answer, Case, Comment, Difficulty, Judgement, Status};

/// An answer in the numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseReport {
    /// The case.
    pub case: String,
    /// Which of several answers.
    pub sample: u32,
    /// What the change is called, where the dataset is at hand.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Whether the review was whole.
    pub status: Status,
    /// The case is a clean one.
    pub clean: bool,
    /// Of the case.
    pub language: Option<String>,
    /// Of the case.
    pub difficulty: Option<Difficulty>,
    /// What put the fault in.
    pub operator: Option<String>,
    /// Known faults.
    pub faults: Vec<Fault>,
    /// What was said, in the order of the answer; empty where the answers are not at hand.
    pub comments: Vec<CommentReport>,
    /// What the comments are worth together.
    pub worth: Worth,
}

/// A known fault.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// Its name in the case.
    pub id: String,
    /// Whether the review names it.
    pub found: bool,
    /// The comments that do.
    pub by: Vec<String>,
    /// What it is, where the dataset is at hand.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Category, impact, severity, as far as known.
    pub kinds: Vec<String>,
    /// Some comment stands where it is; `None`: nobody says where it is.
    pub reached: Option<bool>,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommentReport {
    /// Its name in the answer.
    pub id: String,
    /// `file:line`.
    pub place: String,
    /// Its tag.
    pub tag: Option<String>,
    /// What it says.
    pub text: String,
    /// The faults that it names.
    pub names: Vec<String>,
    /// What a judge called it.
    pub label: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What comments are worth, in comments.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Worth {
    /// They name a known fault.
    pub hits: f64,
    /// Sound, about something else.
    pub sound: f64,
    /// Nobody says what they are worth: truth that nobody wrote down is no mistake.
    pub open: f64,
    /// Wrong, or not worth saying; of a clean case all.
    pub noise: f64,
}

impl Worth {
    /// From the values of a row: `noise` and `fabricated` are what a judge called wrong, `valid` and `plausible` what it
    /// called sound; all else that names no fault is open.
    pub(super) fn of(row: &Row, hits: usize) -> Self {
        // A document from anywhere may hold any number; no review has a billion comments.
        let said = row.get("comments").clamp(0.0, 1e9);
        if row.clean {
            return Self { noise: said, ..Self::default() };
        }
        let noise = (row.get("noise") + row.get("fabricated")).clamp(0.0, said);
        let sound = (row.get("valid") + row.get("plausible")).clamp(0.0, said - noise);
        let hits = super::count(hits as u64).clamp(0.0, said - noise - sound);
        Self { hits, sound, open: said - noise - sound - hits, noise }
    }
}

/// What is at hand about the cases of a run.
pub(super) struct Hand<'a> {
    /// By case and sample.
    pub(super) answers: BTreeMap<(&'a str, u32), &'a Answer>,
    /// Of one judge, by case, sample and comment.
    pub(super) labels: BTreeMap<(&'a str, u32, &'a str), &'a Judgement>,
    /// By name.
    pub(super) cases: BTreeMap<&'a str, &'a Case>,
}

impl Hand<'_> {
    /// The comments of an answer.
    pub(super) fn comments(&self, row: &Row) -> &[Comment] {
        self.answers.get(&(row.case.as_str(), row.sample)).map_or(&[], |answer| answer.comments.as_slice())
    }

    /// One row with what is known of it.
    pub(super) fn case(&self, row: &Row) -> CaseReport {
        let case = self.cases.get(row.case.as_str()).copied();
        let mut hitting: Vec<&str> = row.pairs.iter().map(|(comment, _)| comment.as_str()).collect();
        hitting.sort_unstable();
        hitting.dedup();
        CaseReport {
            case: row.case.clone(),
            sample: row.sample,
            title: case.map(|case| case.title.clone()).unwrap_or_default(),
            status: row.status,
            clean: row.clean,
            language: row.language.clone(),
            difficulty: row.difficulty,
            operator: row.operator.clone(),
            faults: row.known.iter().map(|known| fault(row, known, case)).collect(),
            comments: self.comments(row).iter().map(|comment| self.comment(row, comment)).collect(),
            worth: Worth::of(row, hitting.len()),
        }
    }

    fn comment(&self, row: &Row, comment: &Comment) -> CommentReport {
        let judged = self.labels.get(&(row.case.as_str(), row.sample, comment.id.as_str()));
        let mut place = comment.file.clone().unwrap_or_default();
        if let Some(line) = comment.line {
            place.push_str(&format!(":{line}"));
        }
        let names = row.pairs.iter().filter(|(said, _)| *said == comment.id).map(|(_, known)| known.clone());
        CommentReport {
            id: comment.id.clone(),
            place,
            tag: comment.tag.clone(),
            text: comment.body.clone(),
            names: names.collect(),
            label: judged.and_then(|judgement| judgement.verdict.label.clone()),
            reason: judged.map(|judgement| judgement.verdict.reason.clone()).unwrap_or_default(),
        }
    }
}

fn fault(row: &Row, known: &crate::eval::score::Known, case: Option<&Case>) -> Fault {
    let by = row.pairs.iter().filter(|(_, fault)| *fault == known.id).map(|(comment, _)| comment.clone());
    Fault {
        id: known.id.clone(),
        found: known.found,
        by: by.collect(),
        text: case.and_then(|case| text(case, &known.id)).unwrap_or_default().to_owned(),
        kinds: [&known.category, &known.impact, &known.severity].into_iter().flatten().cloned().collect(),
        reached: known.reached,
    }
}

/// What the dataset says of a fault. A tagged issue has its index for a name, and so may no other kind.
fn text<'c>(case: &'c Case, id: &str) -> Option<&'c str> {
    let bugs = case.bugs.iter().map(|bug| (bug.id.as_str(), bug.description.as_str()));
    let people = case.comments.iter().map(|comment| (comment.id.as_str(), comment.body.as_str()));
    let items = case.checklist.iter().map(|item| (item.id.as_str(), item.text.as_str()));
    let named = bugs.chain(people).chain(items).find(|(name, _)| *name == id).map(|(_, text)| text);
    let issue = || id.parse().ok().and_then(|at: usize| case.issues.get(at)).map(|issue| issue.rationale.as_str());
    named.or_else(issue)
}
