//! Datasets and runs as training data in the conversational formats of TRL: `sft` (prompt and completion), `dpo` (prompt,
//! chosen, rejected), `grpo` (prompt, and the checklist for the reward). Beside them stands what the papers say of the
//! training itself; nothing here trains.

mod pairs;
mod prompt;
mod recipe;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::sphinx::NO_COMMENT;
use super::{REJECTED, Rejected};
use crate::context::Context;
use crate::git::Env;
use crate::record::{self, Answer, Case, Comment, Dataset, Error, Run};

pub use pairs::pairs;
pub(super) use prompt::{ISSUES, issue_of, messages};

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To say what a good review says.
    Sft,
    /// To prefer the better of two findings.
    Dpo,
    /// To address checklists.
    Grpo,
}

impl Kind {
    /// The names as written.
    pub const NAMES: [&'static str; 3] = ["sft", "dpo", "grpo"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "sft" => Some(Self::Sft),
            "dpo" => Some(Self::Dpo),
            "grpo" => Some(Self::Grpo),
            _ => None,
        }
    }
}

/// What was written.
#[derive(Debug)]
pub struct Exported {
    /// Lines of `train.jsonl`.
    pub rows: usize,
    /// Cases that give no row.
    pub rejected: Vec<Rejected>,
}

/// What is needed to show cases.
pub struct Exporter<'a> {
    /// The cases.
    pub dataset: &'a Dataset,
    /// Says what is hidden.
    pub context: &'a Context<'a>,
    /// The caller's environment, for git.
    pub env: Env<'a>,
}

impl Exporter<'_> {
    /// One row for each case with something to say of it, or nothing.
    ///
    /// # Errors
    /// Files cannot be written.
    pub fn sft(&self, out: &Path) -> Result<Exported, Error> {
        let tagged = is_tagged(self.dataset);
        self.write(out, recipe::SFT, |case| {
            let said = said(case, tagged);
            let said = said.ok_or_else(|| Rejected::new(&case.id, "no-truth", "nothing is known of it"))?;
            let prompt = self.prompt(case, if tagged { ISSUES } else { prompt::COMMENTS })?;
            let completion = if said.is_empty() { format!("{NO_COMMENT}.") } else { pretty(&Value::Array(said)) };
            Ok(vec![json!({"prompt": prompt, "completion": [assistant(&completion)], "case": case.id})])
        })
    }

    /// One row for each case with a checklist.
    ///
    /// # Errors
    /// Files cannot be written.
    pub fn grpo(&self, out: &Path) -> Result<Exported, Error> {
        self.write(out, recipe::GRPO, |case| {
            let mut checklist: Vec<&str> = case.checklist.iter().map(|item| item.text.as_str()).collect();
            if checklist.is_empty() {
                if !case.clean {
                    return Err(Rejected::new(&case.id, "no-checklist", ""));
                }
                checklist.push(NO_COMMENT);
            }
            let prompt = self.prompt(case, prompt::COMMENTS)?;
            Ok(vec![json!({"prompt": prompt, "checklist": checklist, "case": case.id})])
        })
    }

    /// One row for each pair of findings of different samples that Algorithm 1 of CQS prefers one of; `delta` is in points
    /// of the judge. Findings that the reviewer took back count too: their scores are known, and low.
    ///
    /// # Errors
    /// The answers are those of another dataset, or files cannot be written.
    pub fn dpo(&self, run: &Path, delta: i64, out: &Path) -> Result<Exported, Error> {
        let about: Run = record::read_json(&run.join("run.json"))?;
        if about.digest != self.dataset.manifest.digest {
            let what = format!("it answers the dataset `{}` as it was with digest {}", about.dataset, about.digest);
            return Err(Error::content(&run.join("run.json"), &what));
        }
        let answers: Vec<Answer> = record::read(&run.join("answers.jsonl"))?;
        let mut samples: BTreeMap<&str, BTreeMap<u32, &Answer>> = BTreeMap::new();
        for answer in &answers {
            samples.entry(&answer.case).or_default().insert(answer.sample, answer);
        }
        self.write(out, recipe::DPO, |case| {
            let samples = samples.get(case.id.as_str()).filter(|samples| samples.len() > 1);
            let samples = samples.ok_or_else(|| Rejected::new(&case.id, "one-sample", "pairs need two answers"))?;
            let reviews: Vec<Vec<&Comment>> = samples.values().map(|answer| scored(answer)).collect();
            let pairs = pairs(&reviews, |one| tag(one), |one| one.score.unwrap_or(0), delta);
            if pairs.is_empty() {
                return Err(Rejected::new(&case.id, "no-pair", "no two findings of one tag are so far apart"));
            }
            let prompt = self.prompt(case, ISSUES)?;
            let row = |(chosen, rejected): &(&&Comment, &&Comment)| {
                let content = |one: &Comment| pretty(&json!([issue_of_comment(one)]));
                json!({
                    "prompt": prompt,
                    "chosen": [assistant(&content(chosen))],
                    "rejected": [assistant(&content(rejected))],
                    "case": case.id,
                    "tag": tag(chosen),
                    "chosen_score": chosen.score,
                    "rejected_score": rejected.score,
                })
            };
            Ok(pairs.iter().map(row).collect())
        })
    }

    fn prompt(&self, case: &Case, system: &str) -> Result<Value, Rejected> {
        let user = prompt::change(self.dataset, case, self.context, self.env)?;
        Ok(messages(system, &user))
    }

    fn write(
        &self,
        out: &Path,
        recipe: &str,
        rows_of: impl Fn(&Case) -> Result<Vec<Value>, Rejected>,
    ) -> Result<Exported, Error> {
        let (mut rows, mut rejected) = (Vec::new(), Vec::new());
        for case in &self.dataset.cases {
            match rows_of(case) {
                Ok(of_case) => rows.extend(of_case),
                Err(why) => rejected.push(why),
            }
        }
        rejected.sort();
        record::write(&out.join("train.jsonl"), &rows)?;
        record::write(&out.join(REJECTED), &rejected)?;
        let path = out.join("recipe.toml");
        std::fs::write(&path, recipe).map_err(|error| Error::io(&path, error))?;
        Ok(Exported { rows: rows.len(), rejected })
    }
}

/// Findings of an answer that somebody scored, the shown ones first.
fn scored(answer: &Answer) -> Vec<&Comment> {
    let all = answer.comments.iter().chain(answer.removed.iter().map(|removed| &removed.comment));
    all.filter(|comment| comment.score.is_some() && !tag(comment).is_empty()).collect()
}

fn tag(comment: &Comment) -> &str {
    comment.tag.as_deref().unwrap_or_default()
}

fn issue_of_comment(comment: &Comment) -> Value {
    issue_of(comment.file.as_deref(), comment.line, comment.function.as_deref(), tag(comment), &comment.body)
}

/// Whether each faulty case has tagged issues to say. One export has one prompt: a prompt that differs with what there is to
/// say would give the answer away.
fn is_tagged(dataset: &Dataset) -> bool {
    let mut faulty = dataset.cases.iter().filter(|case| !case.clean && said(case, false).is_some()).peekable();
    faulty.peek().is_some() && faulty.all(|case| !case.issues.is_empty() && remarks(case).is_empty())
}

/// What Sphinx' review stage said of a case.
fn remarks(case: &Case) -> Vec<Value> {
    let file = case.checklist.iter().find_map(|item| item.file.as_deref());
    let remarks = case.facts.get("sphinx_remarks").and_then(Value::as_array).into_iter().flatten();
    let remark = |remark: &Value| {
        let line = remark.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
        Some(comment(file, line, remark.get("text")?.as_str()?))
    };
    remarks.filter_map(remark).collect()
}

/// What a good review says of a case: its tagged issues, or as comments the remarks of Sphinx, else what people said, else
/// issues, known bugs, checklist. An empty list where it is clean; `None` where nothing is known.
fn said(case: &Case, tagged: bool) -> Option<Vec<Value>> {
    if case.clean {
        return Some(Vec::new());
    }
    if tagged {
        let issues = case.issues.iter().map(|issue| {
            issue_of(issue.file.as_deref(), issue.line, issue.function.as_deref(), &issue.tag, &issue.rationale)
        });
        return Some(issues.collect()).filter(|issues: &Vec<Value>| !issues.is_empty());
    }
    let people = case.comments.iter().map(|one| comment(one.file.as_deref(), one.line, &one.body));
    let issues = case.issues.iter().map(|one| comment(one.file.as_deref(), one.line, &one.rationale));
    let bugs = case.bugs.iter().map(|bug| comment(bug.file.as_deref(), bug.line, &bug.description));
    let items = case.checklist.iter().map(|item| comment(item.file.as_deref(), item.line, &item.text));
    let sources = [remarks(case), people.collect(), issues.collect(), bugs.collect(), items.collect()];
    sources.into_iter().find(|said| !said.is_empty())
}

fn comment(file: Option<&str>, line: Option<u32>, text: &str) -> Value {
    json!({"file": file, "line": line, "comment": text})
}

fn assistant(content: &str) -> Value {
    json!({"role": "assistant", "content": content})
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests;
