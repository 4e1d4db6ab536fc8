//! The score of SWE-PRBench (section 5, appendix C), with the rules of the paper or of the released scorer v0.4.1.

mod formula;
mod matching;

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::score::{Compat, Number, Pairing};
use crate::record::Difficulty;

pub use formula::{ReviewValue, Terms, aggregate, cross_judge_proxy, mean, weight};
pub use matching::{Spot, affinity, is_kept};

/// Two comments this similar say one thing. From the released scorer.
const SAME: f64 = 0.65;
/// Tolerated share of plausible comments.
const TOLERATED: f64 = 0.70;
/// Fewer comments than this are not penalised for being plausible, by the released scorer.
const FEW: usize = 3;
/// What counts where a judge gave no actionability.
const ACTIONABILITY: f64 = 3.0;

/// One change: the comments of the reviewer as judged, those of people, and how similar they are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the reviewer said.
    pub agent_comments: Vec<Agent>,
    /// What people said.
    pub human_comments: Vec<Human>,
    /// Similarity, -1 to 1, of a comment and a person's under `agent|human`; 0 where there is none.
    #[serde(default)]
    pub pair_similarity: BTreeMap<String, f64>,
    /// The same of two comments of the reviewer, under `one|other` in either order.
    #[serde(default)]
    pub agent_similarity: BTreeMap<String, f64>,
    /// Affinity from which two comments may be one, 0 to 1; the paper's 0.30 where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<f64>,
    /// False: what the reviewer wrote could not be read, twice. The score is 0.
    #[serde(default = "yes")]
    pub agent_parse_ok: bool,
    /// What the judge wrote could not be read: every comment is plausible, the score is halved.
    #[serde(default)]
    pub judge_fallback: bool,
}

const fn yes() -> bool {
    true
}

/// A judged comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// One of its kind.
    pub id: String,
    /// What the judge called it.
    pub label: Label,
    /// The comment of a person that it was confirmed by.
    #[serde(default)]
    pub matched: Option<String>,
    /// Actionability, 1 to 5; 3 where there is none.
    #[serde(default)]
    pub action: Option<f64>,
    /// Where it stands.
    #[serde(default)]
    pub file: Option<String>,
    /// Where it stands.
    #[serde(default)]
    pub line: Option<u32>,
}

impl Agent {
    fn action(&self) -> f64 {
        self.action.unwrap_or(ACTIONABILITY)
    }
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Human {
    /// One of its kind.
    pub id: String,
    /// Where it stands.
    #[serde(default)]
    pub file: Option<String>,
    /// Where it stands.
    #[serde(default)]
    pub line: Option<u32>,
}

/// What a comment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Label {
    /// A person said the same.
    Confirmed,
    /// True of the code, and nobody said it. No false alarm: people do not say everything.
    Plausible,
    /// Not in the code, or wrong.
    Fabricated,
}

impl Label {
    /// The label of this name.
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "CONFIRMED" => Some(Self::Confirmed),
            "PLAUSIBLE" => Some(Self::Plausible),
            "FABRICATED" => Some(Self::Fabricated),
            _ => None,
        }
    }
}

/// Whether somebody's comment was made by the reviewer too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Caught {
    /// Yes.
    Caught,
    /// No.
    Missed,
}

/// How many comments have which label, after matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Confirmed.
    pub confirmed: u64,
    /// Plausible.
    pub plausible: u64,
    /// Fabricated.
    pub fabricated: u64,
}

/// The score of one change with everything it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Comment, person's comment, stage (1: judged, 2: by affinity), in the order in which they were matched.
    pub pairs: Vec<(String, String, u8)>,
    /// What each comment is after matching.
    pub labels: BTreeMap<String, Label>,
    /// What became of each person's comment.
    pub human_status: BTreeMap<String, Caught>,
    /// Of the labels.
    pub counts: Counts,
    /// Caught comments of people, of all; 0 where there are none.
    pub recall: Number,
    /// Confirmed comments, of all.
    pub precision: Number,
    /// Mean similarity of the pairs.
    pub semantic_alignment: Number,
    /// (Mean actionability - 1) / 4.
    pub actionability: Number,
    /// As precision.
    pub efficiency: Number,
    /// Fabricated comments, of all; the change's false positive rate.
    pub hallucination: Number,
    /// Comments that repeat another, of all.
    pub redundancy: Number,
    /// Share of plausible comments above 0.70.
    pub plausible_penalty: Number,
    /// The score, 0 to 0.95.
    pub overall: Number,
    /// The change's weight in an aggregate: ln(human comments + 1).
    pub difficulty_weight: Number,
    /// 1 where a person's comment was caught.
    pub coverage: u64,
    /// By the number of human comments.
    pub pr_difficulty_tag: Difficulty,
    /// What the reviewer wrote could not be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub parse_failure: bool,
    /// Hallucination; where nothing could be read, 0 by the released scorer and undefined by the paper.
    pub false_positive_rate: Option<Number>,
}

/// How similar comments are, -1 to 1, by their places among those of the reviewer and of people.
#[derive(Clone, Copy)]
pub(super) struct Alike<'a> {
    /// Two comments of the reviewer.
    pub(super) agents: &'a dyn Fn(usize, usize) -> f64,
    /// A comment of the reviewer and a person's.
    pub(super) people: &'a dyn Fn(usize, usize) -> f64,
}

impl Input {
    /// The score of the change.
    pub fn score(&self, compat: Compat, pairing: Pairing) -> Result<Score, Error> {
        let id = |agent: usize| self.agent_comments[agent].id.as_str();
        let of = |map: &BTreeMap<String, f64>, one: &str, other: &str| map.get(&format!("{one}|{other}")).copied();
        let agents = |one: usize, other: usize| {
            let (one, other) = (id(one), id(other));
            let map = &self.agent_similarity;
            of(map, one, other).or_else(|| of(map, other, one)).unwrap_or_default()
        };
        let people = |agent: usize, human: usize| {
            of(&self.pair_similarity, id(agent), &self.human_comments[human].id).unwrap_or_default()
        };
        self.score_by(compat, pairing, Alike { agents: &agents, people: &people })
    }

    /// The score of the change, with similarities that are looked up or computed when they are needed in place of its own:
    /// those of all pairs of thousands of comments are millions.
    pub(super) fn score_by(&self, compat: Compat, pairing: Pairing, alike: Alike<'_>) -> Result<Score, Error> {
        self.check()?;
        let unread = Self { human_comments: self.human_comments.clone(), agent_parse_ok: false, ..Self::default() };
        let read = if self.agent_parse_ok { self } else { &unread };
        Ok(read.score_of_read(compat, pairing, alike))
    }

    fn check(&self) -> Result<(), Error> {
        if self.cut.is_some_and(|cut| !(0.0..=1.0).contains(&cut)) {
            return Err(Error::input("cut", "an affinity is a number from 0 to 1"));
        }
        let mut seen = HashSet::new();
        for (comment, at) in self.agent_comments.iter().zip(0..) {
            if !seen.insert(&comment.id) {
                return Err(Error::input(format!("agent_comments[{at}]"), "another comment has the same id"));
            }
            if !(1.0..=5.0).contains(&comment.action()) {
                return Err(Error::input(format!("agent_comments[{at}]"), "an action is a number from 1 to 5"));
            }
        }
        let mut seen = HashSet::new();
        for (comment, at) in self.human_comments.iter().zip(0..) {
            if !seen.insert(&comment.id) {
                return Err(Error::input(format!("human_comments[{at}]"), "another comment has the same id"));
            }
        }
        let similarities = [("pair_similarity", &self.pair_similarity), ("agent_similarity", &self.agent_similarity)];
        for (name, map) in similarities {
            if let Some((pair, _)) = map.iter().find(|(_, similarity)| !(-1.0..=1.0).contains(*similarity)) {
                return Err(Error::input(format!("{name}[{pair}]"), "a similarity is a number from -1 to 1"));
            }
        }
        Ok(())
    }

    fn score_of_read(&self, compat: Compat, pairing: Pairing, alike: Alike<'_>) -> Score {
        let pairs = matching::pairs(self, compat, pairing, alike);
        let mut labels: Vec<Label> = self.agent_comments.iter().map(|comment| self.rest(comment)).collect();
        let mut caught = vec![Caught::Missed; self.human_comments.len()];
        for pair in &pairs {
            labels[pair.agent] = Label::Confirmed;
            caught[pair.human] = Caught::Caught;
        }
        let count = |label: Label| labels.iter().filter(|other| **other == label).count() as u64;
        let counts = Counts {
            confirmed: count(Label::Confirmed),
            plausible: count(Label::Plausible),
            fabricated: count(Label::Fabricated),
        };
        let terms = self.terms(compat, &pairs, counts, alike);
        let humans = self.human_comments.len() as u64;
        let number = |value: f64| Number::new(value).unwrap_or_default();
        let is_unread = !self.agent_parse_ok;
        let rate = if is_unread && compat == Compat::Paper { None } else { Number::new(terms.h) };
        let id = |agent: usize| self.agent_comments[agent].id.clone();
        let person = |human: usize| self.human_comments[human].id.clone();
        Score {
            pairs: pairs.iter().map(|pair| (id(pair.agent), person(pair.human), pair.stage)).collect(),
            labels: labels.iter().enumerate().map(|(agent, label)| (id(agent), *label)).collect(),
            human_status: caught.iter().enumerate().map(|(human, caught)| (person(human), *caught)).collect(),
            counts,
            recall: number(terms.r),
            precision: number(terms.p),
            semantic_alignment: number(terms.a),
            actionability: number(terms.q),
            efficiency: number(terms.e),
            hallucination: number(terms.h),
            redundancy: number(terms.rho),
            plausible_penalty: number(terms.phi),
            overall: number(terms.overall()),
            difficulty_weight: number(weight(humans)),
            coverage: u64::from(!pairs.is_empty()),
            pr_difficulty_tag: difficulty(humans),
            parse_failure: is_unread,
            false_positive_rate: rate,
        }
    }

    /// The terms of equation 2; all zero without comments.
    fn terms(&self, compat: Compat, pairs: &[matching::Pair], counts: Counts, alike: Alike<'_>) -> Terms {
        let comments = self.agent_comments.len();
        if comments == 0 {
            return Terms::default();
        }
        let of = |count: u64| Number::count(count).get() / Number::count(comments as u64).get();
        let average = |values: Vec<f64>| mean(values).map_or(0.0, Number::get);
        let recall = average(Vec::from_iter(
            (0..self.human_comments.len())
                .map(|human| if pairs.iter().any(|pair| pair.human == human) { 1.0 } else { 0.0 }),
        ));
        let is_few = compat == Compat::V041 && comments < FEW;
        Terms {
            r: recall,
            p: of(counts.confirmed),
            a: average(pairs.iter().map(|pair| pair.similarity).collect()),
            q: (average(self.agent_comments.iter().map(Agent::action).collect()) - 1.0) / 4.0,
            e: of(counts.confirmed),
            h: of(counts.fabricated),
            rho: of((comments - clusters(comments, alike)) as u64),
            phi: if is_few { 0.0 } else { (of(counts.plausible) - TOLERATED).max(0.0) },
            confirmed: counts.confirmed,
            judge_fallback: self.judge_fallback,
        }
    }

    /// What the judge called a comment; all are plausible where it could not be read.
    const fn label(&self, comment: &Agent) -> Label {
        if self.judge_fallback { Label::Plausible } else { comment.label }
    }

    /// What a comment is that matching left over.
    fn rest(&self, comment: &Agent) -> Label {
        match self.label(comment) {
            Label::Fabricated => Label::Fabricated,
            Label::Confirmed | Label::Plausible => Label::Plausible,
        }
    }
}

/// How many different things so many comments say: each joins the first earlier one that opened a cluster and is as
/// similar, whatever the files.
fn clusters(comments: usize, alike: Alike<'_>) -> usize {
    let mut first: Vec<usize> = Vec::new();
    for comment in 0..comments {
        if !first.iter().any(|other| (alike.agents)(*other, comment) >= SAME) {
            first.push(comment);
        }
    }
    first.len()
}

/// How hard a change is, by its human comments: more than 8 medium, more than 15 hard.
pub const fn difficulty(human_comments: u64) -> Difficulty {
    match human_comments {
        0..=8 => Difficulty::Easy,
        9..=15 => Difficulty::Medium,
        16.. => Difficulty::Hard,
    }
}
