//! What is asked: a review, a checklist, and what a judge said of it.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Error, ITEMS, Reward};
use crate::review::model::Unanswered;

/// Most reviews of one batch: a result is far longer than a short row.
pub const ROWS: usize = 1 << 16;

/// One review to reward, as a line of a file has it. [`Told`] is a row, too: what it says of the reward is not looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Repeated in the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What the review answers; not looked at.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub prompt: Value,
    /// The review: a text, or a list of messages with `content`.
    pub completion: Value,
    /// What it should address: texts, or objects with `text`. That of a clean change is the one text `No comment`.
    pub checklist: Vec<Value>,
    /// The share of the checklist that it addresses, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    /// Whether it addresses each item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Vec<bool>>,
    /// How many items a judge counted: a number, cut to a whole one, or the judge's answer, whose first number counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Value>,
    /// What a general judge scored it, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<f64>,
    /// Which model gave the verdicts; repeated in the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<String>,
    #[serde(default, skip_serializing)]
    reward: IgnoredAny,
    #[serde(default, skip_serializing)]
    base: IgnoredAny,
    #[serde(default, skip_serializing)]
    factor: IgnoredAny,
    #[serde(default, skip_serializing)]
    by: IgnoredAny,
    #[serde(default, skip_serializing)]
    addressed: IgnoredAny,
    #[serde(default, skip_serializing)]
    items: IgnoredAny,
    #[serde(default, skip_serializing)]
    length: IgnoredAny,
    #[serde(default, skip_serializing)]
    reference: IgnoredAny,
    #[serde(default, skip_serializing)]
    constants: IgnoredAny,
    #[serde(default, skip_serializing)]
    line: IgnoredAny,
    #[serde(default, skip_serializing)]
    error: IgnoredAny,
}

impl Row {
    /// The review as one text.
    pub(super) fn review(&self) -> Result<String, Error> {
        if let Some(text) = self.completion.as_str() {
            return Ok(text.to_owned());
        }
        let messages = self.completion.as_array().ok_or(Error::Completion)?;
        let contents: Option<Vec<&str>> = messages.iter().map(|message| message.get("content")?.as_str()).collect();
        contents.map(|contents| contents.join("\n")).ok_or(Error::Completion)
    }

    /// The items as texts, at least one and at most [`ITEMS`].
    pub(super) fn items(&self) -> Result<Vec<String>, Error> {
        if self.checklist.is_empty() {
            return Err(Error::NoItems);
        }
        if self.checklist.len() > ITEMS {
            return Err(Error::Items(self.checklist.len()));
        }
        let item = |(item, number): (&Value, usize)| {
            let text = item.as_str().or_else(|| item.get("text")?.as_str()).ok_or(Error::Item(number))?.trim();
            if text.is_empty() { Err(Error::Blank(number)) } else { Ok(text.to_owned()) }
        };
        self.checklist.iter().zip(1..).map(item).collect()
    }
}

/// A row with what became of it, as one line: given as a row again, it has the same reward and needs no judge, and a row that
/// nobody decided about is as open as before.
#[derive(Debug, Serialize)]
pub struct Told {
    #[serde(flatten)]
    row: Row,
    #[serde(flatten)]
    reward: Option<Reward>,
    #[serde(flatten)]
    fault: Option<Fault>,
}

/// Why there is no reward, and that there is none.
#[derive(Debug, Serialize)]
struct Fault {
    reward: Option<()>,
    line: usize,
    error: String,
}

impl Told {
    /// Of a row that stood in this line, from 1.
    pub fn new(row: Row, line: usize, outcome: Result<Reward, Unanswered>) -> Self {
        match outcome {
            Ok(reward) => {
                // What both have stands there once.
                let judged_by = reward.judged_by.clone().filter(|_| row.judged_by.is_none());
                Self { row, reward: Some(Reward { id: None, judged_by, ..reward }), fault: None }
            }
            Err(none) => {
                let error = format!("{}: {}", none.why, none.message);
                Self { row, reward: None, fault: Some(Fault { reward: None, line, error }) }
            }
        }
    }
}

/// Many reviews at once, column by column, as trainers have them. Every list that is there is as long as `completions`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// See [`Row::completion`].
    pub completions: Vec<Value>,
    /// See [`Row::checklist`].
    pub checklists: Vec<Vec<Value>>,
    /// Not looked at.
    #[serde(default)]
    pub prompts: Option<Vec<Value>>,
    /// See [`Row::coverage`].
    #[serde(default)]
    pub coverages: Option<Vec<Option<f64>>>,
    /// See [`Row::verdicts`].
    #[serde(default)]
    pub verdicts: Option<Vec<Option<Vec<bool>>>>,
    /// See [`Row::count`].
    #[serde(default)]
    pub counts: Option<Vec<Option<Value>>>,
    /// See [`Row::judge`].
    #[serde(default)]
    pub judges: Option<Vec<Option<f64>>>,
}

impl Rows {
    /// One by one, or what is wrong with the lists.
    pub fn split(self) -> Result<Vec<Row>, String> {
        let count = self.completions.len();
        if count > ROWS {
            return Err(format!(
                "`completions` has {count} entries, and at most {ROWS} are answered; send them in parts"
            ));
        }
        let lengths = [
            ("checklists", Some(self.checklists.len())),
            ("prompts", self.prompts.map(|list| list.len())),
            ("coverages", self.coverages.as_ref().map(Vec::len)),
            ("verdicts", self.verdicts.as_ref().map(Vec::len)),
            ("counts", self.counts.as_ref().map(Vec::len)),
            ("judges", self.judges.as_ref().map(Vec::len)),
        ];
        if let Some((name, Some(length))) = lengths.into_iter().find(|(_, length)| length.is_some_and(|it| it != count))
        {
            return Err(format!("`{name}` has {length} entries and `completions` has {count}"));
        }
        let mut coverages = self.coverages.into_iter().flatten();
        let mut verdicts = self.verdicts.into_iter().flatten();
        let mut counts = self.counts.into_iter().flatten();
        let mut judges = self.judges.into_iter().flatten();
        let rows = self.completions.into_iter().zip(self.checklists).map(|(completion, checklist)| Row {
            completion,
            checklist,
            coverage: coverages.next().flatten(),
            verdicts: verdicts.next().flatten(),
            count: counts.next().flatten(),
            judge: judges.next().flatten(),
            ..Row::default()
        });
        Ok(rows.collect())
    }
}
