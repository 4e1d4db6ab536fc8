//! How alike comments are, as records: by words, or by a program that knows embeddings. The two are never mixed: a score says
//! which it was.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::lexical::jaccard;
use crate::record::{Answer, Case, Dataset, Judgement, Status, Verdict};

/// A vector for each text, or what the program did wrong.
type Vectors<'e> = &'e dyn Fn(&[&str]) -> Result<Vec<Vec<f64>>, String>;

/// Where similarities come from.
pub enum Embed<'e> {
    /// Shared words of all words (the fallback of SWE-PRBench's released scorer).
    Lexical,
    /// Cosine of the vectors that a program gives for texts, one for each, in their order.
    Program {
        /// As results name it.
        name: String,
        /// Asks it once.
        vectors: Vectors<'e>,
    },
}

/// What each text is worth together.
type Alike<'t> = Box<dyn Fn(&str, &str) -> f64 + 't>;

impl Embed<'_> {
    /// What records are kept under.
    pub fn name(&self) -> &str {
        match self {
            Self::Lexical => super::LEXICAL,
            Self::Program { name, .. } => name,
        }
    }

    fn measure<'t>(&self, texts: &BTreeSet<&'t str>) -> Result<Alike<'t>, String> {
        let Self::Program { vectors, .. } = self else { return Ok(Box::new(jaccard)) };
        let texts: Vec<&str> = texts.iter().copied().collect();
        let known = if texts.is_empty() { Vec::new() } else { vectors(&texts)? };
        if known.len() != texts.len() {
            return Err(format!("{} texts were given and {} vectors came back", texts.len(), known.len()));
        }
        if known.windows(2).any(|pair| pair[0].len() != pair[1].len())
            || known.iter().flatten().any(|part| !part.is_finite())
        {
            return Err("the vectors differ in length or hold what is no number".to_owned());
        }
        let known: HashMap<&str, Vec<f64>> = texts.into_iter().zip(known).collect();
        Ok(Box::new(move |one, other| known.get(one).zip(known.get(other)).map_or(0.0, |(a, b)| cosine(a, b))))
    }
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let length = (dot(one, one) * dot(other, other)).sqrt();
    if length == 0.0 { 0.0 } else { (dot(one, other) / length).clamp(-1.0, 1.0) }
}

/// Every pair of a comment with one of a person and with another comment of its answer that is not measured `already`, as
/// records of the protocol `similarity`.
///
/// # Errors
/// What the program did wrong.
pub fn similarities(
    dataset: &Dataset,
    answers: &[Answer],
    embed: &Embed<'_>,
    already: &[Judgement],
) -> Result<Vec<Judgement>, String> {
    let cases: HashMap<&str, &Case> = dataset.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let known: HashSet<(&str, u32, &[String])> = already
        .iter()
        .filter(|old| old.protocol == "similarity" && old.judge == embed.name())
        .map(|old| (old.case.as_str(), old.sample, old.about.as_slice()))
        .collect();
    let mut pairs = Vec::new();
    let answers = answers.iter().filter(|answer| answer.status != Status::Failed);
    for (answer, case) in answers.filter_map(|answer| Some((answer, *cases.get(answer.case.as_str())?))) {
        if case.comments.is_empty() {
            continue;
        }
        for (comment, at) in answer.comments.iter().zip(1..) {
            let people = case.comments.iter().map(|human| (&human.id, &human.body));
            let others = answer.comments.iter().skip(at).map(|other| (&other.id, &other.body));
            for (id, body) in people.chain(others) {
                let about = vec![comment.id.clone(), id.clone()];
                if !known.contains(&(case.id.as_str(), answer.sample, about.as_slice())) {
                    pairs.push((answer, about, comment.body.as_str(), body.as_str()));
                }
            }
        }
    }
    let texts = pairs.iter().flat_map(|(_, _, one, other)| [*one, *other]).collect();
    let alike = embed.measure(&texts)?;
    let record = |(answer, about, one, other): (&Answer, Vec<String>, &str, &str)| Judgement {
        protocol: "similarity".to_owned(),
        case: answer.case.clone(),
        sample: answer.sample,
        about,
        judge: embed.name().to_owned(),
        verdict: Verdict { number: Some(alike(one, other)), ..Verdict::default() },
    };
    Ok(pairs.into_iter().map(record).collect())
}
