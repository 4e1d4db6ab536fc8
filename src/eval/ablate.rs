//! What each stage of a review is worth (Table 2 of the code quality score, for any reviewer): the same answers scored as
//! they would be with the later stages off. One set of records gives all of it, because a removed comment is kept with the
//! stage that removed it, and a judge can be asked about it as about any other.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::report::{STAGES, place, words};
use super::score::{Measures, Scores, Variants};
use super::scoring::{self, Choice, Records};
use super::{Error, find};
use crate::escape::visible;
use crate::record::{self, Answer, Comment, Dataset, Removed};

/// The format of [`Ablation`].
pub const FORMAT: &str = "diffsieve.ablation/v1";

/// The thresholds of the validator's score, which is 0 to 10 (0: wrong).
const THRESHOLDS: std::ops::RangeInclusive<i64> = 1..=10;

/// The same answers with fewer stages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ablation {
    /// [`FORMAT`].
    pub format: String,
    /// Name of the protocol.
    pub protocol: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Digest of its cases.
    pub digest: String,
    /// What was chosen.
    pub variants: Variants,
    /// Digest of the records that it was computed from, see [`scoring::digest`]; `None` where nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// `collect` is the reviewer without any later stage; each next one has one stage more. The last is what was shown.
    pub stages: Vec<Step>,
    /// In place of what the validator removed: what survives the stages before it and has at least this score, 1 to 10.
    /// Later stages are off. Comments that were never scored stay. Empty where no comment has a score.
    pub thresholds: Vec<Step>,
}

/// The scores with some stages on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The last stage that is on, or the threshold.
    pub name: String,
    /// Comments that are left, in the answers that count.
    pub comments: u64,
    /// The measures of the protocol.
    pub measures: Measures,
}

impl Ablation {
    /// Scores `answers` once a stage. `score` gets answers with other comments than those that were shown and scores them as
    /// it scores a run; what it cannot score, such as a removed comment that nobody judged, is the error.
    ///
    /// # Errors
    /// Those of `score`, of the first set of answers that it cannot score: the one with all comments.
    pub fn new<E>(answers: &[Answer], score: impl Fn(&[Answer]) -> Result<Scores, E>) -> Result<Self, E> {
        let step = |name: String, keep: &dyn Fn(&Removed) -> bool, stay: &dyn Fn(&Comment) -> bool| {
            let answers: Vec<Answer> = answers.iter().map(|answer| with(answer, keep, stay)).collect();
            score(&answers).map(|scores| (Step::of(name, &scores), scores))
        };
        let (first, scores) = step("collect".to_owned(), &|_| true, &|_| true)?;
        let mut stages = vec![first];
        for (at, stage) in STAGES.iter().enumerate() {
            stages.push(step(stage.name().to_owned(), &|removed| place(&removed.stage) > at, &|_| true)?.0);
        }
        // Stages of another reviewer have no known order; they end what was shown all the same.
        if answers.iter().flat_map(|answer| &answer.removed).any(|removed| place(&removed.stage) == STAGES.len()) {
            stages.push(step("others".to_owned(), &|_| false, &|_| true)?.0);
        }
        let mut thresholds = Vec::new();
        let scored = |comment: &Comment| comment.score.is_some();
        let has_scores = answers.iter().any(|answer| {
            answer.comments.iter().chain(answer.removed.iter().map(|removed| &removed.comment)).any(scored)
        });
        for threshold in THRESHOLDS.filter(|_| has_scores) {
            let stay = |comment: &Comment| comment.score.is_none_or(|score| score >= threshold);
            let keep = |removed: &Removed| place(&removed.stage) >= VALIDATE && stay(&removed.comment);
            thresholds.push(step(threshold.to_string(), &keep, &stay)?.0);
        }
        let Scores { protocol, dataset, digest, variants, .. } = scores;
        let format = FORMAT.to_owned();
        Ok(Self { format, protocol, dataset, digest, variants, records: None, stages, thresholds })
    }

    /// Scores a run once a stage, from saved records alone.
    ///
    /// # Errors
    /// Those of [`scoring::scores`]; a protocol that does not judge each comment by itself.
    pub fn of_run(protocol: &str, dataset: &Dataset, records: &Records, choice: &Choice) -> Result<Self, Error> {
        if find(protocol).is_some_and(|protocol| !protocol.asked.each_comment) {
            let what = "judges a review as a whole, so that its decisions say nothing of a review with other comments";
            return Err(Error::input(protocol, what));
        }
        let mut ablation = Self::new(&records.answers, |answers| {
            let records = Records { answers: answers.to_vec(), ..records.clone() };
            scoring::scores(protocol, dataset, &records, choice)
        })?;
        let Records { answers, judgements, .. } = records;
        ablation.records =
            Some(scoring::digest(protocol, &ablation.variants, answers, judgements, scoring::Extent::Removed));
        Ok(ablation)
    }

    /// Reads a saved one.
    ///
    /// # Errors
    /// A file that cannot be read or is none.
    pub fn read(path: &Path) -> Result<Self, record::Error> {
        let ablation: Self = record::read_json(path)?;
        if ablation.format != FORMAT {
            return Err(record::Error::content(path, &format!("its format is not {FORMAT}")));
        }
        Ok(ablation)
    }
}

impl Ablation {
    /// As a table: a line of titles, then one a step; the first column names the step, the second counts the comments.
    pub fn table(&self) -> Vec<Vec<String>> {
        const FIRST: [&str; 3] = ["precision", "recall", "f1"];
        let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
        let mut names: Vec<&str> =
            self.stages.iter().flat_map(|step| step.measures.keys().map(String::as_str)).collect();
        names.sort_by_key(|name| (place(name), *name));
        names.dedup();
        let titles = ["Stages up to", "Comments"].into_iter().chain(names.iter().map(|name| words::title(name)));
        let line = |name: String, step: &Step| {
            let value = |name: &&str| words::value(step.measures.get(*name).and_then(|measure| measure.value));
            [name, step.comments.to_string()].into_iter().chain(names.iter().map(value)).collect()
        };
        let stages = self.stages.iter().map(|step| line(step.name.clone(), step));
        let thresholds = self.thresholds.iter().map(|step| line(format!("score at least {}", step.name), step));
        [titles.map(str::to_owned).collect()].into_iter().chain(stages).chain(thresholds).collect()
    }

    /// The table for a terminal.
    pub fn text(&self) -> String {
        let table = self.table();
        let wide = |column: usize| {
            let cells = table.iter().filter_map(|line| line.get(column));
            cells.map(|cell| visible(cell).chars().count()).max().unwrap_or(0)
        };
        let mut text = String::new();
        for line in &table {
            for (column, cell) in line.iter().enumerate() {
                let (cell, wide) = (visible(cell), wide(column));
                text.push_str(&if column == 0 { format!("{cell:<wide$}") } else { format!("  {cell:>wide$}") });
            }
            text.push('\n');
        }
        text
    }
}

/// The place of the validator among the stages.
const VALIDATE: usize = 2;

impl Step {
    fn of(name: String, scores: &Scores) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of comments")]
        let comments = scores.rows.iter().map(|row| row.get("comments").max(0.0) as u64).sum();
        Self { name, comments, measures: scores.measures.clone() }
    }
}

/// An answer with some of what was removed back in it, and some of what was shown gone.
fn with(answer: &Answer, keep: &dyn Fn(&Removed) -> bool, stay: &dyn Fn(&Comment) -> bool) -> Answer {
    let shown = answer.comments.iter().filter(|comment| stay(comment)).cloned();
    let back = answer.removed.iter().filter(|removed| keep(removed)).map(|removed| removed.comment.clone());
    Answer { comments: shown.chain(back).collect(), removed: Vec::new(), ..answer.clone() }
}
