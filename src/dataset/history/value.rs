//! SWE-PRBench, equation 1: what a pull request is worth as ground truth (RVS). The paper gives the weights and what each
//! part looks at; only the depth's 20 is given of what the parts are divided by, so all other bounds here are ours.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::bots::is_bot_name;
use super::export::PullRequest;
use super::fixes::reads_as_fix;
use super::people::is_substantive;
use super::{Past, Sort};
use crate::diff::{ChangeSet, FileChange, Status};

/// Comments, threads and requests for changes together that count as deep (paper).
const DEEP: f64 = 20.0;
/// Files, changed lines and further folders that count as complex; answers and reviewers that count as a discussion (ours).
const FILES: f64 = 10.0;
const LINES: f64 = 500.0;
const FOLDERS: f64 = 4.0;
const TALK: f64 = 10.0;

/// The five parts, each from 0 to 1. The two that only an export knows are missing without one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReviewValue {
    /// Substantive comments, threads, requests for changes.
    pub depth: Option<f64>,
    /// Files, lines, folders.
    pub complexity: f64,
    /// Answers and different reviewers.
    pub discussion: Option<f64>,
    /// 1 where tests are modified, 0.5 where they are added, else 0.
    pub test: f64,
    /// 1 where title or labels speak of a mended bug, else 0.
    pub bug: f64,
}

static BUG_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:bug|bugfix|fix|regression|defect|crash)\b").expect("the pattern is a constant that compiles")
});

impl ReviewValue {
    /// Of a change with this title and, where it is known, its pull request.
    pub(super) fn of(past: &Past<'_>, changes: &ChangeSet, title: &str, pull: Option<&PullRequest>) -> Self {
        let share = |count: usize, bound: f64| (count as f64 / bound).min(1.0);
        let lines: u64 = changes.files.iter().map(|file| file.added_count() + file.removed_count()).sum();
        let folder = |file: &FileChange| {
            let (path, name) = (file.path.bytes(), file.path.file_name());
            path[..path.len() - name.len()].to_vec()
        };
        let folders: BTreeSet<Vec<u8>> = changes.files.iter().map(folder).collect();
        let parts = [
            share(changes.files.len(), FILES),
            share(lines as usize, LINES),
            share(folders.len().saturating_sub(1), FOLDERS),
        ];
        let tests = || changes.files.iter().filter(|file| past.sort(&file.path, file.class) == Sort::Test);
        let test = if tests().any(|file| file.status != Status::Added) {
            1.0
        } else if tests().next().is_some() {
            0.5
        } else {
            0.0
        };
        let labels = pull.into_iter().flat_map(|pull| &pull.labels);
        let bug = reads_as_fix(title) || labels.into_iter().any(|label| BUG_LABEL.is_match(label));
        Self {
            depth: pull.map(|pull| {
                let said = pull.notes.iter().filter(|note| is_substantive(note)).count();
                let threads = pull.notes.iter().filter(|note| note.file.is_some() && !note.is_reply).count();
                share(said + threads + pull.change_requests, DEEP)
            }),
            complexity: parts.iter().sum::<f64>() / parts.len() as f64,
            discussion: pull.map(|pull| {
                let answers = pull.notes.iter().filter(|note| note.is_reply).count();
                let people = pull.notes.iter().map(|note| note.author.as_str());
                let people: BTreeSet<&str> =
                    people.filter(|author| *author != pull.author && !is_bot_name(author)).collect();
                share(answers + people.len(), TALK)
            }),
            test,
            bug: f64::from(u8::from(bug)),
        }
    }

    /// The weighted sum; `None` where a part is not known.
    pub fn score(&self) -> Option<f64> {
        Some(0.25 * self.depth? + 0.20 * self.discussion? + self.known())
    }

    /// The least and the most that the score can be.
    pub fn bounds(&self) -> (f64, f64) {
        let open = |part: Option<f64>, weight: f64| part.map_or((0.0, weight), |part| (weight * part, weight * part));
        let (depth, discussion) = (open(self.depth, 0.25), open(self.discussion, 0.20));
        (self.known() + depth.0 + discussion.0, self.known() + depth.1 + discussion.1)
    }

    fn known(&self) -> f64 {
        0.20 * self.complexity + 0.15 * self.test + 0.20 * self.bug
    }

    pub(super) fn value(&self) -> Value {
        json!({"depth": self.depth, "complexity": self.complexity, "discussion": self.discussion, "test": self.test, "bug": self.bug})
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;

    #[test]
    fn equation_1() {
        let all = ReviewValue { depth: Some(1.0), complexity: 1.0, discussion: Some(1.0), test: 1.0, bug: 1.0 };
        assert!((all.score().unwrap() - 1.0).abs() < 1e-12);
        let some = ReviewValue { depth: Some(0.4), complexity: 0.5, discussion: Some(0.3), test: 0.5, bug: 0.0 };
        assert!((some.score().unwrap() - 0.335).abs() < 1e-12);
        let open = ReviewValue { depth: None, discussion: None, ..some };
        assert_eq!(open.score(), None);
        let (least, most) = open.bounds();
        assert!((least - 0.175).abs() < 1e-12 && (most - 0.625).abs() < 1e-12);
    }
}
