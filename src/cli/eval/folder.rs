//! The folder of a run: `run.json`, `answers.jsonl`, `judgements.jsonl`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use diffsieve::escape::visible;
use diffsieve::eval::language;
use diffsieve::eval::score::Scores;
use diffsieve::record::{self, Answer, Appender, Dataset, Judgement, Run};
use serde::Serialize;
use serde_json::Value;

use crate::cli::{Failure, env, output, shown};

pub(super) const ANSWERS: &str = "answers.jsonl";
pub(super) const JUDGEMENTS: &str = "judgements.jsonl";

/// The format of `run.json`.
const FORMAT: &str = "diffsieve.run/v1";

/// What `run.json` says of answers about a dataset.
pub(super) fn about(dataset: &Dataset, place: &Path, configuration: BTreeMap<String, Value>) -> Run {
    Run {
        format: FORMAT.to_owned(),
        dataset: dataset.manifest.name.clone(),
        digest: dataset.manifest.digest.clone(),
        files: dataset.manifest.files.clone(),
        folder: std::path::absolute(place).ok().map(|path| path.to_string_lossy().into_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        configuration,
    }
}

/// What two runs differ in, by the names of run.json.
fn differing(there: &Run, run: &Run) -> Vec<String> {
    let names: BTreeSet<&String> = there.configuration.keys().chain(run.configuration.keys()).collect();
    let settings = names.into_iter().filter(|name| there.configuration.get(*name) != run.configuration.get(*name));
    let rest = [
        ("dataset", there.dataset != run.dataset || there.digest != run.digest),
        ("files", there.files != run.files),
        ("version", there.version != run.version),
    ];
    let rest = rest.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned());
    rest.chain(settings.map(|name| visible(name))).collect()
}

/// A dataset as it is scored: a case that does not say its language has that of its change.
pub(super) fn spoken(mut dataset: Dataset) -> Dataset {
    let unread = language::fill(&mut dataset, &env::var);
    if let Some(first) = unread.first() {
        let why = "whose change cannot be read, counts as unknown";
        output::say(&format!(
            "the language of {} cases that say none, such as {}, {why}",
            unread.len(),
            visible(first)
        ));
    }
    dataset
}

/// A run on disk.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) run: Run,
}

impl Folder {
    /// A new run, or the same one that was begun there, with the answers it has.
    pub(super) fn begin(path: &Path, run: &Run) -> Result<(Self, Vec<Answer>), Failure> {
        let file = path.join("run.json");
        if !file.exists() {
            record::write_json(&file, run).map_err(anyhow::Error::from)?;
            return Ok((Self { path: path.to_owned(), run: run.clone() }, Vec::new()));
        }
        let there = Self::open(path)?;
        // Where the dataset lies decides nothing.
        if (Run { folder: run.folder.clone(), ..there.run.clone() }) != *run {
            let what = differing(&there.run, run).join(", ");
            let why =
                format!("holds another run (run.json differs in {what}): name another --out, or remove that folder");
            return Err(anyhow!("`{}` {why}", shown(path)).into());
        }
        // A last line that was cut off is asked again.
        drop(there.appender(ANSWERS).map_err(anyhow::Error::from)?);
        let answers = there.answers()?;
        Ok((there, answers))
    }

    /// A run that is there.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let file = path.join("run.json");
        let run: Run = record::read_json(&file).map_err(anyhow::Error::from)?;
        if run.format != FORMAT {
            return Err(anyhow!("`{}` is no {FORMAT}", shown(&file)).into());
        }
        Ok(Self { path: path.to_owned(), run })
    }

    /// The dataset of the run, at the place that is named or where it was.
    pub(super) fn dataset(&self, named: Option<&Path>) -> Result<Dataset, Failure> {
        let folder = named.map(Path::to_owned).or_else(|| self.run.folder.as_ref().map(PathBuf::from));
        let folder =
            folder.ok_or_else(|| anyhow!("the run does not say where its dataset is: name it with --dataset"))?;
        let dataset = Dataset::open(&folder).map_err(anyhow::Error::from)?;
        // A run that was not made here may say nothing of files.
        let is_same = dataset.manifest.digest == self.run.digest
            && (self.run.files.is_none() || dataset.manifest.files == self.run.files);
        if !is_same {
            let why = "is not the dataset of this run: its digest, or that of its files, is another";
            return Err(anyhow!("`{}` {why}", shown(&folder)).into());
        }
        Ok(dataset)
    }

    pub(super) fn answers(&self) -> Result<Vec<Answer>, Failure> {
        Ok(self.read(ANSWERS)?)
    }

    /// All decisions, of all judges.
    pub(super) fn judgements(&self) -> Result<Vec<Judgement>, Failure> {
        // As above: a cut-off line goes first.
        drop(self.appender(JUDGEMENTS).map_err(anyhow::Error::from)?);
        Ok(self.read(JUDGEMENTS)?)
    }

    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> anyhow::Result<Vec<T>> {
        let path = self.path.join(name);
        if path.exists() { Ok(record::read(&path)?) } else { Ok(Vec::new()) }
    }

    pub(super) fn appender(&self, name: &str) -> Result<Appender, record::Error> {
        Appender::open(&self.path.join(name))
    }

    pub(super) fn replace<T: Serialize>(&self, name: &str, records: &[T]) -> Result<(), Failure> {
        Ok(record::write(&self.path.join(name), records).map_err(anyhow::Error::from)?)
    }

    /// Keeps the scores by a protocol.
    pub(super) fn keep_scores(&self, protocol: &str, scores: &Scores) -> Result<(), Failure> {
        let path = self.path.join("scores").join(format!("{protocol}.json"));
        Ok(record::write_json(&path, scores).map_err(anyhow::Error::from)?)
    }

    /// Puts decisions into one order, so that equal runs have equal files. What is about earlier answers goes; of two
    /// decisions about one thing the later one stays.
    pub(super) fn tidy_judgements(&self, answers: &[Answer]) -> Result<(), Failure> {
        let mut all = record::standing(self.judgements()?, answers);
        let key = |one: &Judgement| {
            (one.protocol.clone(), one.judge.clone(), one.case.clone(), one.sample, one.about.clone())
        };
        all.reverse();
        all.sort_by_cached_key(key);
        all.dedup_by(|earlier, later| key(earlier) == key(later));
        self.replace(JUDGEMENTS, &all)
    }
}
