//! How alike comments are by a program that knows embeddings, as records. What words alone say is computed where it is needed;
//! the two are never mixed, and a score says which it was.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::lexical::jaccard;
use super::{Docket, LEXICAL};
use crate::record::{Answer, Case, Comment, Judgement, Status, Verdict};

/// A similarity of texts that needs no program.
#[derive(Debug, Clone, Copy)]
pub struct Computed {
    /// As scores name it.
    pub name: &'static str,
    /// 0 to 1.
    pub alike: fn(&str, &str) -> f64,
    /// Two comments that are at least so alike may be one, by themselves or with what nearness adds.
    pub cut: f64,
}

/// The similarities that can be computed here and now, the default first.
pub const COMPUTED: [Computed; 2] = [
    // What the released scorer falls back to, with the paper's cut for embeddings.
    Computed { name: LEXICAL, alike: jaccard, cut: 0.30 },
    // The cut is where F1 is largest on 6,158 pairs of a tool's comment and a golden one of the same change, of which a
    // judge (GPT-5.2) matched 645 (withmartian's code review benchmark, offline results): precision 0.53, recall 0.79. There
    // `lexical` finds 0.12 of them at its cut.
    Computed { name: "chars", alike: trigrams, cut: 0.41 },
];

/// The one of this name.
pub fn computed(name: &str) -> Option<&'static Computed> {
    COMPUTED.iter().find(|computed| computed.name == name)
}

/// The cosine of how often each three characters follow each other, in lower case, with runs of blanks as one.
fn trigrams(one: &str, other: &str) -> f64 {
    let counts = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let text: Vec<char> = format!(" {} ", words.join(" ")).chars().collect();
        let mut counts = BTreeMap::<[char; 3], u32>::new();
        for three in text.windows(3) {
            *counts.entry([three[0], three[1], three[2]]).or_default() += 1;
        }
        counts
    };
    let (one, other) = (counts(one), counts(other));
    let dot = |a: &BTreeMap<_, u32>, b: &BTreeMap<_, u32>| -> f64 {
        a.iter().filter_map(|(key, count)| Some(f64::from(*count) * f64::from(*b.get(key)?))).sum()
    };
    let length = (dot(&one, &one) * dot(&other, &other)).sqrt();
    if length == 0.0 { 0.0 } else { (dot(&one, &other) / length).min(1.0) }
}

/// A vector for each text, or what the program did wrong.
type Vectors<'e> = &'e dyn Fn(&[&str]) -> Result<Vec<Vec<f64>>, String>;

/// A program that knows embeddings.
pub struct Embed<'e> {
    /// As results name it.
    pub name: String,
    /// Asks it once for a vector for each text, in their order.
    pub vectors: Vectors<'e>,
}

/// How alike two texts are: the cosine of their vectors.
type Alike<'t> = Box<dyn Fn(&str, &str) -> f64 + 't>;

impl Embed<'_> {
    fn measure<'t>(&self, texts: &BTreeSet<&'t str>) -> Result<Alike<'t>, String> {
        let texts: Vec<&str> = texts.iter().copied().collect();
        let known = if texts.is_empty() { Vec::new() } else { (self.vectors)(&texts)? };
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

/// Every pair of a comment with one of a person and with another comment of its answer, of what was taken back too where the
/// docket asks for it, that is not measured `already`, as
/// records of the protocol `similarity`.
///
/// # Errors
/// What the program did wrong.
pub fn similarities(docket: Docket<'_>, embed: &Embed<'_>, already: &[Judgement]) -> Result<Vec<Judgement>, String> {
    let cases: HashMap<&str, &Case> = docket.dataset.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let known: HashSet<(&str, u32, &[String])> = already
        .iter()
        .filter(|old| old.protocol == "similarity" && old.judge == embed.name)
        .map(|old| (old.case.as_str(), old.sample, old.about.as_slice()))
        .collect();
    let mut pairs = Vec::new();
    let answers = docket.answers.iter().filter(|answer| answer.status != Status::Failed);
    for (answer, case) in answers.filter_map(|answer| Some((answer, *cases.get(answer.case.as_str())?))) {
        if case.comments.is_empty() {
            continue;
        }
        let removed = answer.removed.iter().filter(|_| docket.removed).map(|removed| &removed.comment);
        let comments: Vec<&Comment> = answer.comments.iter().chain(removed).collect();
        for (comment, at) in comments.iter().zip(1..) {
            let people = case.comments.iter().map(|human| (&human.id, &human.body));
            let others = comments.iter().skip(at).map(|other| (&other.id, &other.body));
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
        answer: Some(answer.digest()),
        judge: embed.name.clone(),
        verdict: Verdict { number: Some(alike(one, other)), ..Verdict::default() },
    };
    Ok(pairs.into_iter().map(record).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_see_what_words_do_not() {
        let (one, other) = ("a misspelt identifier: santizeAnchors", "`sanitizeAnchors` is misspelled");
        assert_eq!(trigrams(one, one), 1.0);
        assert_eq!(trigrams(one, other), trigrams(other, one));
        assert!(jaccard(one, other) == 0.0 && trigrams(one, other) > 0.41, "{}", trigrams(one, other));
        assert_eq!(trigrams("A  b\n", "a B"), 1.0);
        assert_eq!((trigrams("", "abc"), trigrams("abc", "xyz")), (0.0, 0.0));
    }
}
