//! Scores of a run, from saved records alone: the same records give the same bytes, without a model.

mod axes;
mod case;
mod cqs;
mod cr_bench;
mod decisions;
mod digest;
mod measures;
mod sphinx;
mod swe_prbench;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::error::Error;
use super::judge::{Computed, LEXICAL, computed};
use super::protocol::{Protocol, find};
use super::score::{Answers, Clean, Compat, FORMAT, Hits, Matching, Measure, Measures, Pairing, Row, Scores, Variants};
use crate::record::{self, Answer, Case, Dataset, Judgement, Run, Status};
use decisions::{Decisions, Need};

pub use axes::AXES;
pub(super) use axes::{Part, parts};
pub(super) use case::Scored;
pub use decisions::SIMILARITY;
pub use digest::{Extent, digest};
pub use measures::{Table, measures};

/// A run as it was saved.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// `run.json`.
    pub run: Run,
    /// `answers.jsonl`. Of two answers with one case and sample the later one counts: somebody ran the case again.
    pub answers: Vec<Answer>,
    /// `judgements.jsonl`; none where the file is missing.
    pub judgements: Vec<Judgement>,
}

impl Records {
    /// Reads the folder of a run.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let judgements = folder.join("judgements.jsonl");
        let answers: Vec<Answer> = record::read(&folder.join("answers.jsonl"))?;
        let judgements = if judgements.exists() { record::read(&judgements)? } else { Vec::new() };
        Ok(Self {
            run: record::read_json(&folder.join("run.json"))?,
            judgements: record::standing(judgements, &answers),
            answers,
        })
    }
}

/// What a person chooses where a paper, or a run, leaves it open.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// CR-Bench.
    pub hits: Hits,
    /// SWE-PRBench.
    pub compat: Compat,
    /// SWE-PRBench.
    pub pairing: Pairing,
    /// Sphinx: the weight of cases with a checklist; the paper's 0.9 where it is `None`.
    pub lambda: Option<f64>,
    /// CQS.
    pub matching: Matching,
    /// Whose decisions count; needed where several judges decided.
    pub judge: Option<String>,
    /// Whose similarities count; [`LEXICAL`] is computed where nobody saved it.
    pub similarity: Option<String>,
    /// Score the rest where some cases have no review.
    pub allow_failed: bool,
    /// Sphinx: compute `bleu_1` and `rouge_l` too.
    pub text_metrics: bool,
    /// Axes to cross, see [`AXES`], beside each axis alone.
    pub crossed: Vec<Vec<String>>,
}

impl Choice {
    /// What was chosen for these scores, so that the same run can be scored in the same way once more.
    pub fn of(scores: &Scores) -> Self {
        let Variants { hits, compat, pairing, similarity, lambda, matching, judge } = scores.variants.clone();
        let crossed = scores.by.keys().filter(|axes| axes.contains(axes::AND));
        Self {
            hits: hits.unwrap_or_default(),
            compat: compat.unwrap_or_default(),
            pairing: pairing.unwrap_or_default(),
            lambda,
            matching: matching.unwrap_or_default(),
            judge,
            similarity,
            allow_failed: !(scores.answers.failed.is_empty() && scores.answers.missing.is_empty()),
            text_metrics: scores.measures.contains_key("bleu_1"),
            crossed: crossed.map(|axes| axes.split(axes::AND).map(str::to_owned).collect()).collect(),
        }
    }
}

/// Scores a run by a protocol.
pub fn scores(protocol: &str, dataset: &Dataset, records: &Records, choice: &Choice) -> Result<Scores, Error> {
    let scorer = Scorer::new(protocol, dataset, records, choice)?;
    let (rows, answers, needs) = scorer.rows(&records.answers)?;
    let unreviewed: Vec<String> = answers.failed.iter().chain(&answers.missing).cloned().collect();
    if !choice.allow_failed && !unreviewed.is_empty() {
        return Err(Error::Failed { cases: unreviewed });
    }
    if !needs.is_empty() {
        return Err(decisions::error(&needs));
    }
    let silent: Vec<Answer> =
        scorer.cases.keys().map(|id| Answer { case: (*id).to_owned(), ..Answer::default() }).collect();
    let (silent, ..) = scorer.rows(&silent)?;
    let of = |rows: &[&Row]| measures(protocol, &scorer.variants, rows);
    let all: Vec<&Row> = rows.iter().collect();
    let samples = samples(&rows, &of);
    let from = digest(protocol, &scorer.variants, &records.answers, &records.judgements, Extent::Shown);
    Ok(Scores {
        format: FORMAT.to_owned(),
        protocol: protocol.to_owned(),
        dataset: dataset.manifest.name.clone(),
        digest: dataset.manifest.digest.clone(),
        configuration: records.run.configuration.clone(),
        records: Some(from),
        answers,
        measures: of(&all),
        silent: of(&silent.iter().collect::<Vec<_>>()),
        clean: clean(&rows),
        location: axes::location(&rows),
        by: axes::by(&rows, &choice.crossed)?,
        mean: mean(&samples),
        samples,
        variants: scorer.variants,
        rows,
    })
}

struct Scorer<'r> {
    protocol: &'static Protocol,
    /// Those that the protocol compares with.
    cases: BTreeMap<&'r str, &'r Case>,
    dataset: &'r Dataset,
    decisions: Decisions<'r>,
    similarities: Decisions<'r>,
    variants: Variants,
    text_metrics: bool,
}

impl<'r> Scorer<'r> {
    fn new(protocol: &str, dataset: &'r Dataset, records: &'r Records, choice: &Choice) -> Result<Self, Error> {
        let protocol = find(protocol).ok_or_else(|| Error::input(protocol, "there is no such protocol"))?;
        if records.run.digest != dataset.manifest.digest {
            return Err(Error::OtherDataset {
                name: records.run.dataset.clone(),
                run: records.run.digest.clone(),
                dataset: dataset.manifest.digest.clone(),
            });
        }
        if !dataset.cases.iter().any(protocol.knows) {
            return Err(Error::NoTruth { protocol: protocol.name, needs: protocol.scored.needs });
        }
        let cases = dataset.cases.iter().filter(|case| (protocol.knows)(case) || case.clean);
        let cases = cases.map(|case| (case.id.as_str(), case)).collect();
        let judgements = &records.judgements;
        let decisions = Decisions::new(judgements, protocol.name, choice.judge.as_deref(), "--judge")?;
        let chosen = choice.similarity.as_deref();
        let mut similarities = match protocol.name {
            "swe-prbench" => Decisions::new(judgements, SIMILARITY, chosen, "--similarity")?,
            _ => Decisions::new(&[], SIMILARITY, None, "--similarity")?,
        };
        // Words can be compared here and now.
        similarities.judge.get_or_insert_with(|| LEXICAL.to_owned());
        let mut variants = Variants { judge: decisions.judge.clone(), ..Variants::default() };
        match protocol.name {
            "cr-bench" => variants.hits = Some(choice.hits),
            "swe-prbench" => {
                variants.compat = Some(choice.compat);
                variants.pairing = Some(choice.pairing);
                variants.similarity.clone_from(&similarities.judge);
            }
            "sphinx" => {
                let lambda = choice.lambda.unwrap_or(super::sphinx::LAMBDA);
                super::sphinx::check_lambda(lambda)?;
                variants.lambda = Some(lambda);
            }
            _ => variants.matching = Some(choice.matching),
        }
        let text_metrics = choice.text_metrics && protocol.name == "sphinx";
        Ok(Self { protocol, cases, dataset, decisions, similarities, variants, text_metrics })
    }

    /// How similarity is computed, where it is not looked up.
    fn computed(&self) -> Option<&'static Computed> {
        computed(self.similarities.judge.as_deref()?).filter(|_| self.similarities.is_empty())
    }

    /// A row for each answer that counts, what became of the others, and the decisions that are missing.
    fn rows(&self, answers: &[Answer]) -> Result<(Vec<Row>, Answers, BTreeSet<Need>), Error> {
        let mut latest = BTreeMap::<(&str, u32), &Answer>::new();
        let names: HashSet<&str> = self.dataset.cases.iter().map(|case| case.id.as_str()).collect();
        for answer in answers {
            if !names.contains(answer.case.as_str()) {
                return Err(Error::input("answers.jsonl", format!("`{}` is no case of the dataset", answer.case)));
            }
            latest.insert((&answer.case, answer.sample), answer);
        }
        let mut samples: BTreeSet<u32> = latest.keys().map(|(_, sample)| *sample).collect();
        if samples.is_empty() {
            samples.insert(0);
        }
        let (mut counts, mut rows, mut needs) = (Answers::default(), Vec::new(), BTreeSet::new());
        for (id, case) in &self.cases {
            for sample in &samples {
                let Some(answer) = latest.remove(&(*id, *sample)) else {
                    counts.missing.push(decisions::answer(id, *sample));
                    continue;
                };
                match answer.status {
                    Status::Failed => {
                        counts.failed.push(decisions::answer(id, *sample));
                        continue;
                    }
                    Status::Incomplete => counts.incomplete += 1,
                    Status::Unparsable => counts.unparsable += 1,
                    Status::Complete => {}
                }
                counts.scored += 1;
                rows.push(case::row(self, case, answer, &mut needs)?);
            }
        }
        counts.elsewhere = latest.len() as u64;
        Ok((rows, counts, needs))
    }
}

fn clean(rows: &[Row]) -> Clean {
    let clean = || rows.iter().filter(|row| row.clean);
    let comments = || clean().map(|row| row.get("comments"));
    Clean {
        alarms: Measure::mean(comments().map(|count| if count > 0.0 { 1.0 } else { 0.0 })),
        comments: Measure::mean(comments()),
    }
}

/// The measures of each sample, where there are several.
fn samples(rows: &[Row], of: &impl Fn(&[&Row]) -> Measures) -> BTreeMap<u32, Measures> {
    let mut samples = BTreeMap::<u32, Vec<&Row>>::new();
    for row in rows {
        samples.entry(row.sample).or_default().push(row);
    }
    if samples.len() < 2 {
        return BTreeMap::new();
    }
    samples.into_iter().map(|(sample, rows)| (sample, of(&rows))).collect()
}

/// The mean of each measure over the samples in which it is defined.
fn mean(samples: &BTreeMap<u32, Measures>) -> Measures {
    let names: BTreeSet<&String> = samples.values().flat_map(BTreeMap::keys).collect();
    let values = |name: &String| -> Vec<f64> {
        samples.values().filter_map(|measures| measures.get(name)?.value).map(super::score::Number::get).collect()
    };
    names.into_iter().map(|name| (name.clone(), Measure::mean(values(name)))).collect()
}
