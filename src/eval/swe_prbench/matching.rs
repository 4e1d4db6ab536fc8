//! Which comment of the reviewer says what which person said (section 5.2, appendix C).

use super::{Agent, Human, Input, Label};
use crate::eval::score::Compat;

/// A pair below this affinity is none.
const THRESHOLD: f64 = 0.30;
/// Beyond the limit of what binary fractions can tell apart: 0.15 + 0.15 must reach 0.30, however it was added up.
const SLACK: f64 = 1e-12;
const SAME_FILE: f64 = 0.15;
/// Bonus for a line at most so far away. From the released scorer; the paper names the term without its value.
const NEAR: [(u32, f64); 2] = [(8, 0.10), (20, 0.05)];

/// A comment of the reviewer and the comment of a person that it was matched with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) agent: usize,
    pub(super) human: usize,
    /// 1: the judge said so. 2: affinity did.
    pub(super) stage: u8,
    pub(super) similarity: f64,
}

/// Where a comment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spot<'s> {
    /// The file; an empty one is none.
    pub file: Option<&'s str>,
    /// The line.
    pub line: Option<u32>,
}

/// Similarity with what nearness adds to it, 0 to 1: a bonus for the same file, another one for a near line in it.
pub fn affinity(similarity: f64, agent: Spot<'_>, human: Spot<'_>) -> f64 {
    let is_same_file = agent.file.is_some_and(|file| !file.is_empty() && human.file == Some(file));
    let mut affinity = similarity;
    if is_same_file {
        affinity += SAME_FILE;
        if let (Some(agent), Some(human)) = (agent.line, human.line) {
            let distance = agent.abs_diff(human);
            affinity += NEAR.iter().find(|(most, _)| distance <= *most).map_or(0.0, |(_, bonus)| *bonus);
        }
    }
    affinity.clamp(0.0, 1.0)
}

/// Whether a pair of this affinity is one.
pub fn is_kept(affinity: f64) -> bool {
    affinity + SLACK >= THRESHOLD
}

/// The pairs of both stages, in the order in which they were made.
pub(super) fn pairs(input: &Input, compat: Compat) -> Vec<Pair> {
    let mut made = Made::new(input);
    let mut first = stage_one(input);
    first.sort_by(|(one, left), (other, right)| {
        let action = |pair: &Pair| input.agent_comments[pair.agent].action();
        action(other).total_cmp(&action(one)).then(right.total_cmp(left)).then(one.agent.cmp(&other.agent))
    });
    first.into_iter().for_each(|(pair, _)| made.add(pair));

    let mut second = stage_two(input, compat, &made);
    second.sort_by(|(one, left), (other, right)| {
        right.total_cmp(left).then((one.agent, one.human).cmp(&(other.agent, other.human)))
    });
    second.into_iter().for_each(|(pair, _)| made.add(pair));
    made.pairs
}

struct Made {
    pairs: Vec<Pair>,
    agents: Vec<bool>,
    humans: Vec<bool>,
}

impl Made {
    fn new(input: &Input) -> Self {
        let taken = |count: usize| vec![false; count];
        Self { pairs: Vec::new(), agents: taken(input.agent_comments.len()), humans: taken(input.human_comments.len()) }
    }

    /// Takes a pair of which neither is taken.
    fn add(&mut self, pair: Pair) {
        if !self.agents[pair.agent] && !self.humans[pair.human] {
            (self.agents[pair.agent], self.humans[pair.human]) = (true, true);
            self.pairs.push(pair);
        }
    }
}

/// What the judge confirmed, with its similarity. A confirmed comment that names nobody's comment is no pair.
fn stage_one(input: &Input) -> Vec<(Pair, f64)> {
    let mut found = Vec::new();
    for (agent, comment) in input.agent_comments.iter().enumerate() {
        let human = comment.matched.as_ref().and_then(|id| input.human_comments.iter().position(|one| one.id == *id));
        if let (Label::Confirmed, Some(human)) = (input.label(comment), human) {
            let similarity = input.similarity(comment, &input.human_comments[human]);
            found.push((Pair { agent, human, stage: 1, similarity }, similarity));
        }
    }
    found
}

/// What is near enough among the rest, with its affinity.
fn stage_two(input: &Input, compat: Compat, made: &Made) -> Vec<(Pair, f64)> {
    let mut found = Vec::new();
    for (agent, comment) in input.agent_comments.iter().enumerate() {
        // The released scorer has no such filter: there a fabricated comment can become a confirmed one.
        let is_out = compat == Compat::Paper && input.label(comment) == Label::Fabricated;
        if is_out || made.agents[agent] {
            continue;
        }
        for (human, person) in input.human_comments.iter().enumerate().filter(|(human, _)| !made.humans[*human]) {
            let similarity = input.similarity(comment, person);
            let affinity = affinity(similarity, spot_of_agent(comment), spot_of_human(person));
            if is_kept(affinity) {
                found.push((Pair { agent, human, stage: 2, similarity }, affinity));
            }
        }
    }
    found
}

fn spot_of_agent(comment: &Agent) -> Spot<'_> {
    Spot { file: comment.file.as_deref(), line: comment.line }
}

fn spot_of_human(comment: &Human) -> Spot<'_> {
    Spot { file: comment.file.as_deref(), line: comment.line }
}
