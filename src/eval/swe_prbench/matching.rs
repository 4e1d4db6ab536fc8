//! Which comment of the reviewer says what which person said (section 5.2, appendix C).

use super::{Agent, Alike, Human, Input, Label};
use crate::eval::score::{Compat, Pairing};

/// A pair below this affinity is none, where nothing else is said (section 5.2).
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
pub fn is_kept(affinity: f64, cut: Option<f64>) -> bool {
    affinity + SLACK >= cut.unwrap_or(THRESHOLD)
}

/// The pairs of both stages, in the order in which they were made.
pub(super) fn pairs(input: &Input, compat: Compat, pairing: Pairing, alike: Alike<'_>) -> Vec<Pair> {
    let mut made = Made::new(input);
    let mut first = stage_one(input, alike);
    first.sort_by(|(one, left), (other, right)| {
        let action = |pair: &Pair| input.agent_comments[pair.agent].action();
        action(other).total_cmp(&action(one)).then(right.total_cmp(left)).then(one.agent.cmp(&other.agent))
    });
    first.into_iter().for_each(|(pair, _)| made.add(pair));

    let mut second = stage_two(input, compat, &made, alike);
    if pairing == Pairing::Optimal {
        second = most_alike(second);
    }
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
fn stage_one(input: &Input, alike: Alike<'_>) -> Vec<(Pair, f64)> {
    let mut found = Vec::new();
    for (agent, comment) in input.agent_comments.iter().enumerate() {
        let human = comment.matched.as_ref().and_then(|id| input.human_comments.iter().position(|one| one.id == *id));
        if let (Label::Confirmed, Some(human)) = (input.label(comment), human) {
            let similarity = (alike.people)(agent, human);
            found.push((Pair { agent, human, stage: 1, similarity }, similarity));
        }
    }
    found
}

/// What is near enough among the rest, with its affinity.
fn stage_two(input: &Input, compat: Compat, made: &Made, alike: Alike<'_>) -> Vec<(Pair, f64)> {
    let mut found = Vec::new();
    for (agent, comment) in input.agent_comments.iter().enumerate() {
        // The released scorer has no such filter: there a fabricated comment can become a confirmed one.
        let is_out = compat == Compat::Paper && input.label(comment) == Label::Fabricated;
        if is_out || made.agents[agent] {
            continue;
        }
        for (human, person) in input.human_comments.iter().enumerate().filter(|(human, _)| !made.humans[*human]) {
            let similarity = (alike.people)(agent, human);
            let affinity = affinity(similarity, spot_of_agent(comment), spot_of_human(person));
            if is_kept(affinity, input.cut) {
                found.push((Pair { agent, human, stage: 2, similarity }, affinity));
            }
        }
    }
    found
}

/// Of these pairs one to one those whose affinities sum up to most (assignment by shortest augmenting paths; Kuhn 1955,
/// Jonker and Volgenant 1987).
fn most_alike(pairs: Vec<(Pair, f64)>) -> Vec<(Pair, f64)> {
    let index = |of: fn(&Pair) -> usize| {
        let mut all: Vec<usize> = pairs.iter().map(|(pair, _)| of(pair)).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (agents, humans) = (index(|pair| pair.agent), index(|pair| pair.human));
    let at = |all: &[usize], one: usize| all.binary_search(&one).unwrap_or_default();
    let mut costs = vec![vec![0.0; humans.len()]; agents.len()];
    for (pair, affinity) in &pairs {
        costs[at(&agents, pair.agent)][at(&humans, pair.human)] = -affinity;
    }
    // Nobody's partner is nobody: a column for each row costs nothing, so a row without a pair takes that.
    let taken = assigned(&costs, agents.len());
    let is_taken = |pair: &Pair| taken[at(&agents, pair.agent)] == at(&humans, pair.human);
    pairs.into_iter().filter(|(pair, _)| is_taken(pair)).collect()
}

/// The column of each row, all different, so that the costs sum up to least. After the columns with costs there are `free`
/// ones that cost nothing; together there are at least as many columns as rows.
fn assigned(costs: &[Vec<f64>], free: usize) -> Vec<usize> {
    let columns = costs.first().map_or(0, Vec::len) + free;
    let (mut of_row, mut of_column) = (vec![0.0; costs.len()], vec![0.0; columns]);
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for start in 0..costs.len() {
        let mut least = vec![f64::INFINITY; columns];
        let (mut before, mut seen) = (vec![None; columns], vec![false; columns]);
        let mut here: Option<usize> = None;
        let end = loop {
            let row = here.and_then(|column| row_of[column]).unwrap_or(start);
            let (mut step, mut next) = (f64::INFINITY, 0);
            for column in (0..columns).filter(|column| !seen[*column]) {
                let cost = costs[row].get(column).copied().unwrap_or(0.0);
                let reduced = cost - of_row[row] - of_column[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, here);
                }
                if least[column] < step {
                    (step, next) = (least[column], column);
                }
            }
            of_row[start] += step;
            for column in 0..columns {
                if seen[column] {
                    of_column[column] -= step;
                    of_row[row_of[column].unwrap_or(start)] += step;
                } else {
                    least[column] -= step;
                }
            }
            seen[next] = true;
            here = Some(next);
            if row_of[next].is_none() {
                break next;
            }
        };
        let mut column = end;
        while let Some(earlier) = before[column] {
            row_of[column] = row_of[earlier];
            column = earlier;
        }
        row_of[column] = Some(start);
    }
    let mut taken = vec![columns; costs.len()];
    for (column, row) in row_of.iter().enumerate() {
        if let Some(row) = row {
            taken[*row] = column;
        }
    }
    taken
}

fn spot_of_agent(comment: &Agent) -> Spot<'_> {
    Spot { file: comment.file.as_deref(), line: comment.line }
}

fn spot_of_human(comment: &Human) -> Spot<'_> {
    Spot { file: comment.file.as_deref(), line: comment.line }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The least sum over all ways to give each row a column of its own.
    fn least(costs: &[Vec<f64>], taken: &mut Vec<bool>) -> f64 {
        let Some((row, rest)) = costs.split_first() else { return 0.0 };
        let mut best = f64::INFINITY;
        for (column, cost) in row.iter().enumerate() {
            if !std::mem::replace(&mut taken[column], true) {
                best = best.min(cost + least(rest, taken));
                taken[column] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn an_assignment_is_the_cheapest(
            costs in (1..5_usize, 0..3_usize).prop_flat_map(|(rows, more)| {
                let number = prop_oneof![Just(0.0), -1.0..0.0_f64, (0..4_u8).prop_map(|part| -f64::from(part) / 4.0)];
                proptest::collection::vec(proptest::collection::vec(number, rows + more), rows)
            })
        ) {
            let taken = assigned(&costs, 0);
            let mut seen = taken.clone();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), costs.len(), "each row has a column of its own");
            let sum: f64 = costs.iter().zip(&taken).map(|(row, column)| row[*column]).sum();
            prop_assert!((sum - least(&costs, &mut vec![false; costs[0].len()])).abs() < 1e-9);
            let padded = |row: &Vec<f64>| [row.as_slice(), &vec![0.0; costs.len()]].concat();
            let padded: Vec<Vec<f64>> = costs.iter().map(padded).collect();
            prop_assert_eq!(assigned(&costs, costs.len()), assigned(&padded, 0));
        }
    }

    fn input(similar: &[(&str, f64)]) -> Input {
        let agent =
            |id: &str| serde_json::from_value(serde_json::json!({"id": id, "label": "PLAUSIBLE"})).expect("an agent");
        let human = |id: &str| serde_json::from_value(serde_json::json!({"id": id})).expect("a human");
        Input {
            agent_comments: vec![agent("a"), agent("b")],
            human_comments: vec![human("x"), human("y")],
            agent_parse_ok: true,
            pair_similarity: similar.iter().map(|(pair, value)| ((*pair).to_owned(), *value)).collect(),
            ..Input::default()
        }
    }

    fn made(input: &Input, pairing: Pairing) -> Vec<String> {
        let score = input.score(Compat::Paper, pairing).expect("it can be scored");
        score.pairs.iter().map(|(agent, human, _)| format!("{agent}|{human}")).collect()
    }

    #[test]
    fn optimal_pairs_are_most_alike_together() {
        // Greedy takes 0.9 and leaves nothing for the others; together 0.8 and 0.7 are more.
        let crossed = input(&[("a|x", 0.9), ("a|y", 0.8), ("b|x", 0.7)]);
        assert_eq!(made(&crossed, Pairing::Greedy), ["a|x"]);
        assert_eq!(made(&crossed, Pairing::Optimal), ["a|y", "b|x"]);
        // One good pair may be worth more than two poor ones, and what is below the threshold is never one.
        let one = input(&[("a|x", 0.9), ("a|y", 0.31), ("b|x", 0.32), ("b|y", 0.29)]);
        assert_eq!(made(&one, Pairing::Optimal), ["a|x"]);
        assert!(made(&input(&[("a|x", 0.29)]), Pairing::Optimal).is_empty());
    }
}
