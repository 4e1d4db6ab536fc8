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
    let taken = assigned(&costs);
    let is_taken = |pair: &Pair| taken[at(&agents, pair.agent)] == Some(at(&humans, pair.human));
    pairs.into_iter().filter(|(pair, _)| is_taken(pair)).collect()
}

/// The column of each row, all different, or none, which costs nothing, so that the costs sum up to least. Where that is
/// undecided a column is better than none, and the first one best.
///
/// A row without a column never gets one later, since more rows only take more columns. So a search goes over the columns
/// that are taken and no further: rows × columns × the smaller of both, whichever has more.
fn assigned(costs: &[Vec<f64>]) -> Vec<Option<usize>> {
    let columns = costs.first().map_or(0, Vec::len);
    let (mut of_row, mut of_column) = (vec![0.0; costs.len()], vec![0.0; columns]);
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for start in 0..costs.len() {
        let mut least = vec![f64::INFINITY; columns];
        let (mut before, mut seen) = (vec![None; columns], vec![false; columns]);
        // The column at which the search stands, and the one whose row could best go without; `None` is the row it starts with.
        let mut here: Option<usize> = None;
        let mut without: (f64, Option<usize>) = (f64::INFINITY, None);
        let end = loop {
            let row = here.and_then(|column| row_of[column]).unwrap_or(start);
            if -of_row[row] < without.0 {
                without = (-of_row[row], here);
            }
            let (mut step, mut next) = (f64::INFINITY, 0);
            for column in (0..columns).filter(|column| !seen[*column]) {
                let reduced = costs[row][column] - of_row[row] - of_column[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, here);
                }
                if least[column] < step {
                    (step, next) = (least[column], column);
                }
            }
            let ends = without.0 < step;
            step = step.min(without.0);
            of_row[start] += step;
            for column in 0..columns {
                if seen[column] {
                    of_column[column] -= step;
                    of_row[row_of[column].unwrap_or(start)] += step;
                } else {
                    least[column] -= step;
                }
            }
            without.0 -= step;
            if ends {
                break without.1;
            }
            seen[next] = true;
            here = Some(next);
            if row_of[next].is_none() {
                break here;
            }
        };
        // Each row on the way back gives its column to the one before it, the last of which is the row of the start.
        let mut given = end;
        while let Some(column) = given {
            row_of[column] = before[column].map_or(Some(start), |earlier: usize| row_of[earlier]);
            given = before[column];
        }
    }
    let mut taken = vec![None; costs.len()];
    for (column, row) in row_of.iter().enumerate() {
        if let Some(row) = row {
            taken[*row] = Some(column);
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

    /// The least sum over all ways to give each row a column of its own, or none.
    fn least(costs: &[Vec<f64>], taken: &mut Vec<bool>) -> f64 {
        let Some((row, rest)) = costs.split_first() else { return 0.0 };
        let mut best = least(rest, taken);
        for (column, cost) in row.iter().enumerate() {
            if !std::mem::replace(&mut taken[column], true) {
                best = best.min(cost + least(rest, taken));
                taken[column] = false;
            }
        }
        best
    }

    /// Of an assignment in which no column stands twice.
    fn sum(costs: &[Vec<f64>], taken: &[Option<usize>]) -> f64 {
        let mut seen: Vec<usize> = taken.iter().flatten().copied().collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), taken.iter().flatten().count(), "each column has one row at most");
        costs.iter().zip(taken).map(|(row, column)| column.map_or(0.0, |column| row[column])).sum()
    }

    fn transposed(costs: &[Vec<f64>]) -> Vec<Vec<f64>> {
        (0..costs[0].len()).map(|column| costs.iter().map(|row| row[column]).collect()).collect()
    }

    proptest! {
        /// More rows than columns and the other way round, with numbers that are often the same.
        #[test]
        fn an_assignment_is_the_cheapest(
            costs in (1..7_usize, 1..6_usize).prop_flat_map(|(rows, columns)| {
                let number = prop_oneof![Just(0.0), -1.0..0.0_f64, (0..4_u8).prop_map(|part| -f64::from(part) / 4.0)];
                proptest::collection::vec(proptest::collection::vec(number, columns), rows)
            })
        ) {
            let best = least(&costs, &mut vec![false; costs[0].len()]);
            prop_assert!((sum(&costs, &assigned(&costs)) - best).abs() < 1e-9);
            let costs = transposed(&costs);
            prop_assert!((sum(&costs, &assigned(&costs)) - best).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_undecided_goes_to_the_first() {
        let same = |rows: usize, columns: usize| assigned(&vec![vec![-0.5; columns]; rows]);
        assert_eq!(same(3, 2), [Some(0), Some(1), None]);
        assert_eq!(same(2, 3), [Some(0), Some(1)]);
        assert_eq!(assigned(&[vec![0.0]]), [Some(0)], "a column that costs nothing is better than none");
        assert_eq!(assigned(&[vec![0.25]]), [None]);
    }

    /// 2,000 comments of a reviewer and 200 of people. With a free column for each of the 2,000 this is a hundred times the
    /// work, and takes minutes in a test.
    #[test]
    fn thousands_of_comments_are_paired_in_seconds() {
        let cost = |agent: u32, human: u32| -0.3 - f64::from((agent * 7_919 + human * 104_729) % 7_001) / 10_001.0;
        let costs: Vec<Vec<f64>> = (0..2_000).map(|agent| (0..200).map(|human| cost(agent, human)).collect()).collect();
        let began = std::time::Instant::now();
        let taken = assigned(&costs);
        assert_eq!(taken.iter().flatten().count(), 200);
        let other_way = transposed(&costs);
        assert!((sum(&costs, &taken) - sum(&other_way, &assigned(&other_way))).abs() < 1e-9);
        assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
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
