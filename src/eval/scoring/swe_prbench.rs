//! Rows of SWE-PRBench. About one comment each: `label`, `matched` (a person's comment), `number` (actionability); or
//! `unparsable` once for the whole answer. Similarities apart, see [`super::SIMILARITY`].

use super::case::{Sheet, place};
use super::decisions::SIMILARITY;
use crate::eval::error::Error;
use crate::eval::judge::Bags;
use crate::eval::score::{Known, Number};
use crate::eval::swe_prbench::{Agent, Alike, Caught, Human, Input, Label, Score};
use crate::record::Status;

/// Values: `known` comments of people, `found` (caught), `confirmed`, `plausible`, `fabricated`, `score`, `weight`, the
/// terms of equation 2, `false_positive_rate` (missing where undefined), `judge_fallback`.
pub(super) fn fill(sheet: &mut Sheet<'_, '_>) -> Result<(), Error> {
    if sheet.row.clean {
        return Ok(());
    }
    let input = input(sheet)?;
    let likeness = Likeness::of(sheet)?;
    let agents = |one: usize, other: usize| likeness.agents(one, other);
    let people = |agent: usize, human: usize| likeness.people(agent, human);
    let variants = &sheet.scorer.variants;
    let (compat, pairing) = (variants.compat.unwrap_or_default(), variants.pairing.unwrap_or_default());
    let at = super::decisions::answer(&sheet.case.id, sheet.answer.sample);
    let score =
        input.score_by(compat, pairing, Alike { agents: &agents, people: &people }).map_err(|error| match error {
            Error::Input { at: part, what } => Error::Input { at: format!("judgements.jsonl, {at}, {part}"), what },
            other => other,
        })?;
    for (index, comment) in sheet.case.comments.iter().enumerate() {
        let found = score.human_status.get(&index.to_string()) == Some(&Caught::Caught);
        let category = comment.evidence.clone();
        let known = Known { id: comment.id.clone(), found, category, ..Known::default() };
        sheet.known(known, place(comment.file.as_ref(), comment.line, None));
    }
    let pair = |(agent, human, _): &(String, String, u8)| {
        let comment = sheet.said.get(agent.parse::<usize>().ok()?)?;
        Some((comment.id.clone(), sheet.case.comments.get(human.parse::<usize>().ok()?)?.id.clone()))
    };
    sheet.row.pairs = score.pairs.iter().filter_map(pair).collect();
    sheet.row.difficulty = sheet.row.difficulty.or(Some(score.pr_difficulty_tag));
    sheet.set("known", sheet.case.comments.len());
    sheet.set("found", score.pairs.len());
    sheet.set("judge_fallback", usize::from(input.judge_fallback));
    values(sheet, &score);
    Ok(())
}

fn values(sheet: &mut Sheet<'_, '_>, score: &Score) {
    let counts = score.counts;
    for (name, count) in
        [("confirmed", counts.confirmed), ("plausible", counts.plausible), ("fabricated", counts.fabricated)]
    {
        sheet.put(name, Number::count(count).get());
    }
    for (name, number) in [
        ("score", score.overall),
        ("weight", score.difficulty_weight),
        ("recall", score.recall),
        ("precision", score.precision),
        ("alignment", score.semantic_alignment),
        ("actionability", score.actionability),
        ("redundancy", score.redundancy),
        ("plausible_penalty", score.plausible_penalty),
    ] {
        sheet.put(name, number.get());
    }
    if let Some(rate) = score.false_positive_rate {
        sheet.put("false_positive_rate", rate.get());
    }
}

/// The input of the score; comments go by their index, since names may hold any character.
fn input(sheet: &mut Sheet<'_, '_>) -> Result<Input, Error> {
    let said = sheet.said.clone();
    let humans = &sheet.case.comments;
    let ids = said.iter().map(|comment| comment.id.as_str());
    let abouts: Vec<Vec<String>> = std::iter::once(Vec::new()).chain(ids.map(|id| vec![id.to_owned()])).collect();
    let judge_fallback = abouts.iter().any(|about| sheet.saved(about).is_some_and(|verdict| verdict.unparsable));
    let mut agent_comments = Vec::new();
    for (index, comment) in said.iter().enumerate() {
        let verdict = if judge_fallback { None } else { sheet.verdict(std::slice::from_ref(&comment.id)) };
        let label = match verdict.map(|verdict| Label::find(verdict.label.as_deref().unwrap_or(""))) {
            None => Label::Plausible,
            Some(Some(label)) => label,
            Some(None) => {
                let at = format!("comment `{}`", comment.id);
                return Err(sheet.fault(&at, "its label is none of CONFIRMED, PLAUSIBLE, FABRICATED"));
            }
        };
        let matched = verdict.and_then(|verdict| verdict.matched.as_ref());
        let matched = matched.and_then(|id| humans.iter().position(|human| human.id == *id));
        agent_comments.push(Agent {
            id: index.to_string(),
            label,
            matched: matched.map(|index| index.to_string()),
            action: verdict.and_then(|verdict| verdict.number),
            file: comment.file.clone(),
            line: comment.line,
        });
    }
    let human = |(index, human): (usize, &crate::record::HumanComment)| Human {
        id: index.to_string(),
        file: human.file.clone(),
        line: human.line,
    };
    Ok(Input {
        agent_comments,
        human_comments: humans.iter().enumerate().map(human).collect(),
        cut: sheet.scorer.computed().map(|computed| computed.cut),
        agent_parse_ok: sheet.answer.status != Status::Unparsable,
        judge_fallback,
        ..Input::default()
    })
}

/// How similar the comments of an answer are to each other and to those of people.
enum Likeness {
    /// By what the texts have in common, as far as anybody asks: those of the reviewer, then those of people.
    Computed(Bags, usize),
    /// As saved.
    Saved {
        /// By the comment, then the one before it.
        agents: Vec<Vec<f64>>,
        /// By the comment, then the person's.
        people: Vec<Vec<f64>>,
    },
}

impl Likeness {
    /// Saved ones are all looked up, since one that is missing is no zero.
    fn of(sheet: &mut Sheet<'_, '_>) -> Result<Self, Error> {
        let (said, humans) = (sheet.said.clone(), &sheet.case.comments);
        if let Some(computed) = sheet.scorer.computed() {
            let texts = said.iter().map(|one| one.body.as_str()).chain(humans.iter().map(|one| one.body.as_str()));
            return Ok(Self::Computed(computed.bags(texts), said.len()));
        }
        let (mut agents, mut people) = (Vec::new(), Vec::new());
        for (index, comment) in said.iter().enumerate() {
            let with = humans.iter().map(|human| saved(sheet, &comment.id, &human.id));
            people.push(with.collect::<Result<_, _>>()?);
            let with = said.iter().take(index).map(|earlier| saved(sheet, &earlier.id, &comment.id));
            agents.push(with.collect::<Result<_, _>>()?);
        }
        Ok(Self::Saved { agents, people })
    }

    /// Of two comments of the reviewer.
    fn agents(&self, one: usize, other: usize) -> f64 {
        match self {
            Self::Computed(bags, _) => bags.alike(one, other),
            Self::Saved { agents, .. } => at(agents, one.max(other), one.min(other)),
        }
    }

    /// Of a comment of the reviewer and a person's.
    fn people(&self, agent: usize, human: usize) -> f64 {
        match self {
            Self::Computed(bags, said) => bags.alike(agent, said + human),
            Self::Saved { people, .. } => at(people, agent, human),
        }
    }
}

fn at(rows: &[Vec<f64>], row: usize, column: usize) -> f64 {
    rows.get(row).and_then(|row| row.get(column)).copied().unwrap_or_default()
}

/// How similar two comments are, as saved in either order; 0, and noted, where nobody measured it.
fn saved(sheet: &mut Sheet<'_, '_>, one: &str, other: &str) -> Result<f64, Error> {
    let about = [one, other].map(str::to_owned);
    let saved = |about: &[String]| sheet.scorer.similarities.get(&sheet.case.id, sheet.answer.sample, about);
    let verdict = saved(&about).or_else(|| saved(&[other, one].map(str::to_owned)));
    match verdict.map(|verdict| verdict.number) {
        Some(Some(number)) if (-1.0..=1.0).contains(&number) => Ok(number),
        Some(_) => Err(sheet.fault(&format!("similarity of `{one}` and `{other}`"), "it is no number from -1 to 1")),
        None => {
            sheet.need(SIMILARITY, about.to_vec());
            Ok(0.0)
        }
    }
}
