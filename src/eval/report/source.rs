//! What a report is made from: the folder of a run, or scores alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::case::Hand;
use super::funnel::{Cost, Funnel};
use super::protocol::ProtocolReport;
use super::{RunReport, words};
use crate::eval::ablate::Ablation;
use crate::eval::score::{self, Scores, Variants};
use crate::eval::scoring::{self, Choice, Extent, Records};
use crate::eval::{Error, PROTOCOLS, Protocol, find};
use crate::record::{self, Answer, Case, Dataset, Judgement, Run};
use crate::stats::Bootstrap;

/// One run, as it was saved.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// What it is called on the page.
    pub name: String,
    /// Who answered; `None` where scores alone are at hand.
    pub run: Option<Run>,
    /// What was answered, with what failed.
    pub answers: Vec<Answer>,
    /// What judges decided.
    pub judgements: Vec<Judgement>,
    /// By protocol.
    pub scores: Vec<Scores>,
    /// By protocol, where it was computed.
    pub ablations: Vec<Ablation>,
    /// The cases, where the dataset is at hand.
    pub cases: Vec<Case>,
}

impl Source {
    /// Reads a run's folder (`run.json`, `answers.jsonl`, `judgements.jsonl`, `scores/PROTOCOL.json`,
    /// `ablation/PROTOCOL.json`, the last three as far as they are there) or one document of scores.
    ///
    /// # Errors
    /// A file that cannot be read or is of another format.
    pub fn read(path: &Path) -> Result<Self, record::Error> {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "run".to_owned());
        if !path.is_dir() {
            return Ok(Self { name, scores: vec![scores(path)?], ..Self::default() });
        }
        let mut source = Self { name: folder_name(path).unwrap_or(name), ..Self::default() };
        source.run = Some(record::read_json(&path.join("run.json"))?);
        source.answers = record::read(&path.join("answers.jsonl"))?;
        let judgements = path.join("judgements.jsonl");
        if judgements.is_file() {
            source.judgements = record::read(&judgements)?;
        }
        for protocol in PROTOCOLS {
            let file = format!("{}.json", protocol.name);
            let (of_scores, of_stages) = (path.join("scores").join(&file), path.join("ablation").join(&file));
            if of_scores.is_file() {
                source.scores.push(scores(&of_scores)?);
            }
            if of_stages.is_file() {
                source.ablations.push(Ablation::read(&of_stages)?);
            }
        }
        Ok(source)
    }

    /// Scores a run that has no saved scores, by every protocol that its dataset knows any truth of.
    ///
    /// # Errors
    /// Those of [`scoring::scores`].
    pub fn score(&mut self, dataset: &Dataset, choice: &Choice) -> Result<(), Error> {
        let records = self.records();
        let knows = |protocol: &&Protocol| dataset.cases.iter().any(protocol.knows);
        let scores = PROTOCOLS.iter().filter(knows);
        self.scores = scores
            .map(|protocol| scoring::scores(protocol.name, dataset, &records, choice))
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Whether some of its scores are of another judge, or by other similarities, than those named.
    pub fn is_by_others(&self, judge: Option<&str>, similarity: Option<&str>) -> bool {
        let is_other = |scores: &Scores| {
            is_other(judge, &scores.variants.judge) || is_other(similarity, &scores.variants.similarity)
        };
        self.scores.iter().any(is_other)
    }

    /// Scores a run again by the protocols whose saved scores are of another judge, or by other similarities, than those
    /// named; each as it was scored before.
    ///
    /// # Errors
    /// Those of [`scoring::scores`].
    pub fn score_by(&mut self, dataset: &Dataset, judge: Option<&str>, similarity: Option<&str>) -> Result<(), Error> {
        let records = self.records();
        for scores in &mut self.scores {
            let is_judged = is_other(judge, &scores.variants.judge);
            let is_measured = is_other(similarity, &scores.variants.similarity);
            if is_judged || is_measured {
                let mut choice = Choice::of(scores);
                choice.judge = if is_judged { judge.map(str::to_owned) } else { choice.judge };
                choice.similarity = if is_measured { similarity.map(str::to_owned) } else { choice.similarity };
                *scores = scoring::scores(&scores.protocol, dataset, &records, &choice)?;
            }
        }
        // What was computed from the decisions of one judge is not shown beside the scores of another.
        let Self { scores, ablations, .. } = self;
        ablations.retain(|one| !scores.iter().any(|of| of.protocol == one.protocol && of.variants != one.variants));
        Ok(())
    }

    /// What was saved in a run's folder and computed from other records than those that are there now, in words; empty for
    /// scores alone, which stand beside nothing.
    pub fn stale(&self) -> Vec<String> {
        if self.run.is_none() {
            return Vec::new();
        }
        let is_other = |protocol: &str, variants: &Variants, records: &Option<String>, extent: Extent| {
            let now = scoring::digest(protocol, variants, &self.answers, &self.judgements, extent);
            records.as_ref() != Some(&now)
        };
        let scores =
            self.scores.iter().filter(|one| is_other(&one.protocol, &one.variants, &one.records, Extent::Shown));
        let scores = scores.map(|one| format!("scores of {}", one.protocol));
        let stages = self.ablations.iter();
        let stages = stages.filter(|one| is_other(&one.protocol, &one.variants, &one.records, Extent::Removed));
        scores.chain(stages.map(|one| format!("stages of {} (`eval ablate`)", one.protocol))).collect()
    }

    fn records(&self) -> Records {
        let run = self.run.clone().unwrap_or_default();
        Records { run, answers: self.answers.clone(), judgements: self.judgements.clone() }
    }

    /// What comes of it. Scores of different digests are never of one run.
    pub(super) fn report(&self, bootstrap: &Bootstrap) -> RunReport {
        let first = self.scores.first();
        let text = |of: fn(&Scores) -> &String| first.map(|scores| of(scores).clone()).unwrap_or_default();
        let configuration = self.run.as_ref().map(|run| &run.configuration);
        let configuration = configuration.or(first.map(|scores| &scores.configuration));
        let at_hand = self.run.is_some();
        let cost = at_hand.then(|| Cost::of(&self.answers));
        let protocols = self.scores.iter().map(|scores| {
            let judge = scores.variants.judge.as_deref();
            let mut report = ProtocolReport::of(scores, &self.hand(&scores.protocol, judge), cost.as_ref(), bootstrap);
            let ablation = self.ablations.iter().find(|ablation| ablation.protocol == scores.protocol);
            report.ablation = ablation.cloned();
            report
        });
        RunReport {
            name: self.name.clone(),
            dataset: text(|scores| &scores.dataset),
            digest: text(|scores| &scores.digest),
            configuration: configuration.map(words::configuration).unwrap_or_default(),
            funnel: at_hand.then(|| Funnel::of(&self.answers)),
            cost,
            protocols: protocols.collect(),
        }
    }

    fn hand(&self, protocol: &str, judge: Option<&str>) -> Hand<'_> {
        let mut hand = Hand { answers: BTreeMap::new(), labels: BTreeMap::new(), cases: BTreeMap::new() };
        // The later of two records about one thing counts, as it does in the scores.
        for answer in &self.answers {
            hand.answers.insert((&answer.case, answer.sample), answer);
        }
        let of_comments = find(protocol).is_some_and(|protocol| protocol.asked.each_comment);
        for judged in self.judgements.iter().filter(|_| of_comments) {
            if let [comment] = judged.about.as_slice()
                && judged.protocol == protocol
                && judge.is_none_or(|judge| judge == judged.judge)
            {
                hand.labels.insert((&judged.case, judged.sample, comment), judged);
            }
        }
        hand.cases = self.cases.iter().map(|case| (case.id.as_str(), case)).collect();
        hand
    }

    /// The digests of the cases that its parts are about: more than one, and it is no single run.
    pub fn digests(&self) -> BTreeSet<&str> {
        let of_run = self.run.iter().map(|run| run.digest.as_str());
        of_run.chain(self.scores.iter().map(|scores| scores.digest.as_str())).collect()
    }
}

/// Where nobody had to judge, it is nobody else who did.
fn is_other(named: Option<&str>, was: &Option<String>) -> bool {
    named.is_some_and(|named| was.as_ref().is_some_and(|was| named != was))
}

/// The name of a folder, also of `.`.
fn folder_name(path: &Path) -> Option<String> {
    let whole = fs::canonicalize(path).ok()?;
    whole.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn scores(path: &Path) -> Result<Scores, record::Error> {
    let scores: Scores = record::read_json(path)?;
    if scores.format != score::FORMAT {
        return Err(record::Error::content(path, &format!("its format is not {}", score::FORMAT)));
    }
    Ok(scores)
}
