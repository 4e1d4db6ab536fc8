//! Rows of SWE-PRBench. About one comment each: `label`, `matched` (a person's comment), `number` (actionability); or
//! `unparsable` once for the whole answer. Similarities apart, see [`super::SIMILARITY`].

use std::collections::BTreeMap;

use super::case::{Sheet, place};
use super::decisions::SIMILARITY;
use crate::eval::error::Error;
use crate::eval::score::{Known, Number};
use crate::eval::swe_prbench::{Agent, Caught, Human, Input, Label, Score};
use crate::record::Status;

/// Values: `known` comments of people, `found` (caught), `confirmed`, `plausible`, `fabricated`, `score`, `weight`, the
/// terms of equation 2, `false_positive_rate` (missing where undefined), `judge_fallback`.
pub(super) fn fill(sheet: &mut Sheet<'_, '_>) -> Result<(), Error> {
    if sheet.row.clean {
        return Ok(());
    }
    let input = input(sheet)?;
    let variants = &sheet.scorer.variants;
    let (compat, pairing) = (variants.compat.unwrap_or_default(), variants.pairing.unwrap_or_default());
    let at = super::decisions::answer(&sheet.case.id, sheet.answer.sample);
    let score = input.score(compat, pairing).map_err(|error| match error {
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
    let (mut pairs, mut agents) = (BTreeMap::new(), BTreeMap::new());
    for (index, comment) in said.iter().enumerate() {
        for (other, human) in humans.iter().enumerate() {
            let similarity = similarity(sheet, [&comment.id, &human.id], [&comment.body, &human.body])?;
            pairs.insert(format!("{index}|{other}"), similarity);
        }
        for (other, earlier) in said.iter().enumerate().take(index) {
            let similarity = similarity(sheet, [&earlier.id, &comment.id], [&earlier.body, &comment.body])?;
            agents.insert(format!("{other}|{index}"), similarity);
        }
    }
    Ok(Input {
        agent_comments,
        human_comments: humans.iter().enumerate().map(human).collect(),
        pair_similarity: pairs,
        agent_similarity: agents,
        cut: sheet.scorer.computed().map(|computed| computed.cut),
        agent_parse_ok: sheet.answer.status != Status::Unparsable,
        judge_fallback,
    })
}

/// How similar two comments are, as saved in either order or by their words.
fn similarity(sheet: &mut Sheet<'_, '_>, ids: [&String; 2], bodies: [&str; 2]) -> Result<f64, Error> {
    if let Some(computed) = sheet.scorer.computed() {
        return Ok((computed.alike)(bodies[0], bodies[1]));
    }
    let about = ids.map(String::clone);
    let saved = |about: &[String]| sheet.scorer.similarities.get(&sheet.case.id, sheet.answer.sample, about);
    let verdict = saved(&about).or_else(|| saved(&[about[1].clone(), about[0].clone()]));
    match verdict.map(|verdict| verdict.number) {
        Some(Some(number)) if (-1.0..=1.0).contains(&number) => Ok(number),
        Some(_) => {
            Err(sheet.fault(&format!("similarity of `{}` and `{}`", ids[0], ids[1]), "it is no number from -1 to 1"))
        }
        None => {
            sheet.need(SIMILARITY, about.to_vec());
            Ok(0.0)
        }
    }
}
