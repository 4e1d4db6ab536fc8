//! What was considered, what was left out and why, what was kept.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::Error;
use crate::dataset::{REJECTED, Rejected};
use crate::record::{self, Case, Dataset, Manifest};

/// A reason with what it means.
pub(super) type Reason = (&'static str, &'static str);

/// Why something is not kept.
pub(super) struct No(pub(super) &'static str, pub(super) String);

/// What a builder made.
#[derive(Debug, Default)]
pub struct Built {
    /// What was kept, in a fixed order.
    pub cases: Vec<Case>,
    /// What was not, in the order it was considered.
    pub rejected: Vec<Rejected>,
    /// The counts.
    pub funnel: Funnel,
    /// What became of the texts of an export, where one was given.
    pub texts: Option<Texts>,
    /// What else belongs into the manifest.
    pub built: Map<String, Value>,
}

/// Whose words the cases have, those of pull requests or those of commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Texts {
    /// How many pull requests the export has.
    pub given: usize,
    /// How many of them a case has words of.
    pub used: usize,
    /// How many changes and fixes the cases are made of.
    pub commits: usize,
    /// How many of these tell their own words, since no pull request is theirs or it says nothing.
    pub without: usize,
}

impl Texts {
    /// One line for people.
    pub fn line(&self) -> String {
        let Self { given, used, commits, without } = self;
        format!(
            "texts: {used} of {given} given pull requests used; {without} of {commits} changes and fixes have none\n"
        )
    }

    fn value(&self) -> Value {
        let Self { given, used, commits, without } = self;
        json!({"given": given, "used": used, "commits": commits, "without": without})
    }
}

/// Counts by stage. What is considered is the sum of what is left out and what is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Funnel {
    /// How many commits or changes were looked at.
    pub considered: usize,
    /// In the order of the filters: code, meaning, how many fell to it. None is 0.
    pub left_out: Vec<(&'static str, &'static str, usize)>,
    /// How many became cases.
    pub kept: usize,
}

impl Funnel {
    pub(super) fn of(reasons: &[Reason], rejected: &[Rejected], kept: usize) -> Self {
        let count = |code: &str| rejected.iter().filter(|rejected| rejected.reason == code).count();
        let rows = reasons.iter().map(|(code, means)| (*code, *means, count(code)));
        let left_out: Vec<_> = rows.filter(|(.., count)| *count > 0).collect();
        Self { considered: rejected.len() + kept, left_out, kept }
    }

    /// A table for people, one line a filter with what is left behind it.
    pub fn table(&self) -> String {
        let mut left = self.considered;
        let mut table = format!("{:>7}          considered\n", left);
        for (code, means, count) in &self.left_out {
            left -= count;
            table.push_str(&format!("{left:>7} {:>8}  {code}: {means}\n", format!("-{count}")));
        }
        table.push_str(&format!("{:>7}          kept\n", self.kept));
        table
    }

    fn value(&self) -> Value {
        let mut map = Map::new();
        map.insert("considered".to_owned(), self.considered.into());
        let left_out = self.left_out.iter().map(|(code, _, count)| ((*code).to_owned(), (*count).into()));
        map.insert("left_out".to_owned(), Value::Object(left_out.collect()));
        map.insert("kept".to_owned(), self.kept.into());
        Value::Object(map)
    }
}

impl Built {
    /// Writes the dataset and `rejected.jsonl` into a folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(self, folder: &Path, mut manifest: Manifest) -> Result<Dataset, Error> {
        manifest.built.extend(self.built);
        manifest.built.insert("funnel".to_owned(), self.funnel.value());
        if let Some(texts) = self.texts {
            manifest.built.insert("texts".to_owned(), texts.value());
        }
        record::write(&folder.join(REJECTED), &self.rejected)?;
        Ok(Dataset::write(folder, manifest, self.cases)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_adds_up() {
        let rejected = |reason| Rejected::commit("", "", reason, "");
        let funnel = Funnel::of(&[("a", "first"), ("b", "second"), ("c", "third")], &[rejected("c"), rejected("a")], 3);
        assert_eq!(
            funnel.table(),
            "      5          considered\n      4       -1  a: first\n      3       -1  c: third\n      3          kept\n"
        );
    }
}
