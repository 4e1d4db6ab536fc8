//! The saved decisions of one judge, and which ones are missing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::eval::error::Error;
use crate::eval::judge::{COMPUTED, computed};
use crate::record::{Judgement, Verdict};

/// Judgements of this protocol are similarities: -1 to 1, of a comment and a person's comment or of two comments.
pub const SIMILARITY: &str = "similarity";

/// A decision that a score needs and no judge has made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Need {
    /// The case.
    pub(super) case: String,
    /// Which of several answers about it.
    pub(super) sample: u32,
    /// [`Judgement::protocol`].
    pub(super) protocol: String,
    /// [`Judgement::about`].
    pub(super) about: Vec<String>,
}

/// All that are missing.
pub(super) fn error(needs: &BTreeSet<Need>) -> Error {
    let answers: BTreeSet<String> = needs.iter().map(|need| answer(&need.case, need.sample)).collect();
    Error::Unjudged { count: needs.len(), answers: answers.into_iter().collect() }
}

/// An answer in words.
pub(super) fn answer(case: &str, sample: u32) -> String {
    if sample == 0 { case.to_owned() } else { format!("{case} (sample {sample})") }
}

type Key<'r> = (&'r str, u32, &'r [String]);

/// What one judge decided.
pub(super) struct Decisions<'r> {
    /// The judge; `None`: nobody decided anything.
    pub(super) judge: Option<String>,
    verdicts: HashMap<Key<'r>, &'r Verdict>,
}

impl<'r> Decisions<'r> {
    /// Those of a protocol, by the one judge there is or by the chosen one. Where one judge decided the same thing twice,
    /// the later decision counts: somebody asked again.
    pub(super) fn new(
        records: &'r [Judgement],
        protocol: &str,
        chosen: Option<&str>,
        option: &'static str,
    ) -> Result<Self, Error> {
        let mut judges = BTreeMap::<&str, Vec<&Judgement>>::new();
        for judgement in records.iter().filter(|judgement| judgement.protocol == protocol) {
            judges.entry(&judgement.judge).or_default().push(judgement);
        }
        // One who decided about other things may still decide about these; a name that nobody has is a slip.
        let of_this_kind = |one: &&Judgement| (one.protocol == SIMILARITY) == (protocol == SIMILARITY);
        let names: BTreeSet<&str> = records.iter().filter(of_this_kind).map(|one| one.judge.as_str()).collect();
        let is_computed = |name: &str| protocol == SIMILARITY && computed(name).is_some();
        if let Some(name) = chosen.filter(|name| {
            let is_known = names.contains(name) || is_computed(name);
            !is_known && (protocol == SIMILARITY || !names.is_empty())
        }) {
            let computed = COMPUTED.iter().map(|one| one.name).filter(|_| protocol == SIMILARITY);
            let judges = names.into_iter().chain(computed).map(str::to_owned).collect();
            return Err(Error::NoJudge { name: name.to_owned(), judges, option });
        }
        let judge = match chosen {
            Some(chosen) => Some(chosen),
            None if judges.len() > 1 => {
                return Err(Error::Judges { judges: judges.keys().map(|name| (*name).to_owned()).collect(), option });
            }
            None => judges.keys().next().copied(),
        };
        let judgements = judge.and_then(|judge| judges.get(judge)).into_iter().flatten();
        let verdicts = judgements.map(|one| ((&*one.case, one.sample, &*one.about), &one.verdict)).collect();
        Ok(Self { judge: judge.map(str::to_owned), verdicts })
    }

    pub(super) fn get(&self, case: &str, sample: u32, about: &[String]) -> Option<&'r Verdict> {
        self.verdicts.get(&(case, sample, about)).copied()
    }

    /// Whether this judge decided nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }
}
