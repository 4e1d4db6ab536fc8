//! The scores of a run as a document: counts beside every ratio, the variants that were chosen, one row per answer from
//! which every total can be computed again.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::record::{Difficulty, Status};

/// The format of [`Scores`].
pub const FORMAT: &str = "diffsieve.scores/v1";

/// The JSON schema of [`Scores`] (draft 2020-12).
pub const SCHEMA: &str = include_str!("../../docs/schemas/scores.json");

/// A number that is no NaN. An undefined one is written null; an infinite one is written `"inf"`; a finite one is
/// written with at most ten decimals, so that the last bits of a machine's logarithm change no byte.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Number(f64);

impl Number {
    /// `None` where it is NaN. A negative zero, such as the sum of no numbers, becomes a plain one.
    pub const fn new(value: f64) -> Option<Self> {
        if value.is_nan() { None } else { Some(Self(value + 0.0)) }
    }

    /// A count.
    pub const fn count(count: u64) -> Self {
        Self(count as f64)
    }

    /// As it is, unrounded; maybe infinite.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// As it is written: ten decimals.
    pub fn rounded(self) -> f64 {
        const SCALE: f64 = 1e10;
        let scaled = self.0 * SCALE;
        // Beyond 2^53 a scaled number has no fraction left to round. Adding zero makes `-0` plain.
        if scaled.abs() < 9e15 { scaled.round() / SCALE + 0.0 } else { self.0 }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_infinite() { f.pad("inf") } else { self.rounded().fmt(f) }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            f64::INFINITY => serializer.serialize_str("inf"),
            f64::NEG_INFINITY => serializer.serialize_str("-inf"),
            _ => serializer.serialize_f64(self.rounded()),
        }
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number; an infinite one is a string.",
            "anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}],
        })
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let number = match &value {
            Value::String(text) if text == "inf" => Some(f64::INFINITY),
            Value::String(text) if text == "-inf" => Some(f64::NEG_INFINITY),
            other => other.as_f64(),
        };
        number.map(Self).ok_or_else(|| serde::de::Error::custom("neither a number nor \"inf\""))
    }
}

/// A quantity with what it was computed from: `value = over / under` for ratios of counts, means and weighted means.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// `None`: undefined, such as the precision of a reviewer who says nothing.
    pub value: Option<Number>,
    /// The count or sum above the line; `None` where the value is no quotient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Number>,
    /// The count or sum below the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<Number>,
}

impl Measure {
    /// A quotient: undefined where both are zero, infinite where only the lower one is.
    pub fn quotient(over: f64, under: f64) -> Self {
        Self { value: Number::new(over / under), over: Number::new(over), under: Number::new(under) }
    }

    /// A quotient that is undefined wherever the lower number is zero.
    pub fn ratio(over: f64, under: f64) -> Self {
        let measure = Self::quotient(over, under);
        if under == 0.0 { Self { value: None, ..measure } } else { measure }
    }

    /// The mean of these numbers.
    pub fn mean(numbers: impl IntoIterator<Item = f64>) -> Self {
        let (sum, count) = numbers.into_iter().fold((0.0, 0_u64), |(sum, count), number| (sum + number, count + 1));
        Self::ratio(sum, Number::count(count).get())
    }

    /// A number that is no quotient.
    pub const fn plain(value: Option<Number>) -> Self {
        Self { value, over: None, under: None }
    }
}

/// Measures by name; each protocol's page in the book lists them.
pub type Measures = BTreeMap<String, Measure>;

/// How the bugs that several comments hit are counted (CR-Bench leaves it open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hits {
    /// A bug once, whoever else hits it too. Recall is at most 1.
    #[default]
    PerBug,
    /// Every comment that hits one. Recall can exceed 1.
    PerComment,
}

/// Which rules of SWE-PRBench, where paper and released code differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Compat {
    /// Those of the paper.
    #[default]
    #[serde(rename = "paper")]
    Paper,
    /// Those of the released scorer v0.4.1.
    #[serde(rename = "v0.4.1")]
    V041,
}

/// Whether one tagged issue answers one prediction or any number of them (CQS leaves it open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Each issue once.
    #[default]
    OneToOne,
    /// An issue as often as predictions match it.
    ManyToOne,
}

/// What was chosen where a paper leaves it open; only what the protocol uses is there.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Variants {
    /// CR-Bench.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<Hits>,
    /// SWE-PRBench.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat: Option<Compat>,
    /// SWE-PRBench: who measured similarity, such as `lexical`. Scores of different ones are not comparable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<String>,
    /// Sphinx: the weight of the cases with a checklist, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// CQS.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<Matching>,
    /// Who judged; `None` where nothing had to be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

/// The scores of one run by one protocol.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// `diffsieve.scores/v1`.
    pub format: String,
    /// Name of the protocol.
    pub protocol: String,
    /// What was chosen.
    pub variants: Variants,
    /// Name of the dataset.
    pub dataset: String,
    /// Digest of its cases.
    pub digest: String,
    /// What decided the answers, as `run.json` has it.
    pub configuration: BTreeMap<String, Value>,
    /// Digest of what was scored: whoever shows answers beside the scores can tell whether
    /// these are the scores of those answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// How many answers there are, and what became of those that are not in the numbers.
    pub answers: Answers,
    /// Over all answers together.
    pub measures: Measures,
    /// The same, of a reviewer who says nothing about the same cases.
    pub silent: Measures,
    /// What it said about clean cases.
    pub clean: Clean,
    /// Whether comments stand where the known faults are; enters no other number.
    pub location: Location,
    /// Known faults found, by axis and its value: `category`, `impact`, `severity`, `language`, `difficulty`, `operator`,
    /// or several joined by ` x `. What carries no value is under `unknown`; an axis nobody uses is not there.
    pub by: BTreeMap<String, Measures>,
    /// The measures of each sample by its number, where there are several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<u32, Measures>,
    /// The mean of each measure over the samples in which it is defined, where there are several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mean: Measures,
    /// One per answer that counts, by case and sample.
    pub rows: Vec<Row>,
}

/// What became of the answers of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// Those in the numbers.
    pub scored: u64,
    /// Of these, reviews of a part of the change.
    pub incomplete: u64,
    /// Of these, answers that nobody could read.
    pub unparsable: u64,
    /// Names of the cases that have no review at all; they are in no number.
    pub failed: Vec<String>,
    /// Names of the cases that the run has no answer for.
    pub missing: Vec<String>,
    /// Answers about cases that carry no truth of this protocol.
    pub elsewhere: u64,
}

/// What was said about clean cases.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Clean {
    /// Answers with a comment, of all answers about clean cases.
    pub alarms: Measure,
    /// Comments, of all answers about clean cases.
    pub comments: Measure,
}

/// Location by the rule of AACR-Bench: same path, same side (records hold the new side alone), ranges overlap or are at
/// most one line apart.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Known faults at which some comment stands, of those with a line.
    pub reached: Measure,
    /// Pairs of comment and fault that the protocol matched and that stand at one place, of those in which both have one.
    pub matched: Measure,
}

/// One answer in the numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The case.
    pub case: String,
    /// Which of several answers.
    pub sample: u32,
    /// Whether it was whole.
    pub status: Status,
    /// The case is a clean one.
    pub clean: bool,
    /// Of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Of the case; SWE-PRBench counts its human comments where nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// What put the fault into the case, where a program did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// What the measures are computed from; always `comments` (said), `known` and `found` (faults), then the protocol's own.
    pub values: BTreeMap<String, Number>,
    /// The known faults one by one; none where a judge gave only a count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Known>,
    /// Pairs that the protocol matched, as comment and known fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(String, String)>,
    /// Where the faults are, and whether comments stand there.
    pub location: Location,
}

impl Row {
    /// A value, 0 where there is none of this name.
    pub fn get(&self, name: &str) -> f64 {
        self.values.get(name).map_or(0.0, |value| value.get())
    }
}

/// A known fault: a bug, a comment of a person, an item of a checklist, a tagged issue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Its name in the case; of a tagged issue its index.
    pub id: String,
    /// Whether the review names it.
    pub found: bool,
    /// Some comment stands where it is; `None`: nobody says where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
    /// CR-Bench's category; of a person's comment where its evidence is, of a tagged issue its tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Characteristic of ISO 25010.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// How bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
}
