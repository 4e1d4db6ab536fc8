//! What came of one or several runs, for people: the scores with their intervals, the funnel, what it cost, and each case
//! with what was found and missed. One document ([`Evaluation`]), three ways to write it ([`FORMATS`]).

mod case;
mod draws;
mod elsewhere;
mod figure;
mod funnel;
mod html;
mod json;
mod markdown;
mod plot;
mod protocol;
mod source;
pub(super) mod words;

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::PROTOCOLS;
use super::score::Number;
use crate::stats::Bootstrap;

pub use case::{CaseReport, CommentReport, Fault, Worth};
pub use elsewhere::Elsewhere;
pub use figure::{Figure, Method};
pub use funnel::{Cost, Funnel, Removal};
pub(super) use funnel::{STAGES, place};
pub use protocol::{ProtocolReport, TagReport};
pub use source::Source;

/// The format of [`Evaluation`].
pub const FORMAT: &str = "diffsieve.evaluation/v1";

/// A way to write an [`Evaluation`].
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Writes it.
    pub write: fn(&Evaluation, &mut dyn io::Write) -> io::Result<()>,
}

/// All of them.
pub static FORMATS: &[Format] = &[
    Format { name: "html", help: "one page with plots, which needs nothing else", write: html::write },
    Format { name: "markdown", help: "tables, as for the summary of a job", write: markdown::write },
    Format { name: "json", help: "every number of the page", write: json::write },
];

/// Runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// [`FORMAT`].
    pub format: &'static str,
    /// Version of the program that computed it.
    pub version: &'static str,
    /// How intervals were computed.
    pub intervals: Intervals,
    /// What a reader must know before comparing anything, such as runs over different cases.
    pub warnings: Vec<String>,
    /// In the order given.
    pub runs: Vec<RunReport>,
    /// What others published under the protocols that are there.
    pub published: Vec<Elsewhere>,
}

/// The settings of the intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Intervals {
    /// Between 0 and 1.
    pub level: f64,
    /// How often cases were drawn again for the bootstrap.
    pub resamples: u32,
    /// What the draws began with.
    pub seed: u64,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// Its name on the page.
    pub name: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Digest of its cases.
    pub digest: String,
    /// What decided the answers, as text.
    pub configuration: Vec<(String, String)>,
    /// What became of the comments on their way; `None` where there are no answers to count.
    pub funnel: Option<Funnel>,
    /// What all answers took; `None` where there are no answers.
    pub cost: Option<Cost>,
    /// By protocol.
    pub protocols: Vec<ProtocolReport>,
}

impl Evaluation {
    /// Puts together what the sources hold. The same sources and settings give the same document.
    pub fn new(version: &'static str, sources: &[Source], bootstrap: &Bootstrap) -> Self {
        let Bootstrap { resamples, seed, level } = *bootstrap;
        let runs: Vec<RunReport> = sources.iter().map(|source| source.report(bootstrap)).collect();
        let intervals = Intervals { level, resamples, seed };
        let is_there = |name: &str| runs.iter().flat_map(|run| &run.protocols).any(|scored| scored.protocol == name);
        let protocols = PROTOCOLS.iter().map(|protocol| protocol.name);
        let published = protocols.filter(|name| is_there(name)).filter_map(elsewhere::of).collect();
        Self { format: FORMAT, version, intervals, warnings: warnings(&runs), runs, published }
    }
}

/// What must be said above all numbers.
fn warnings(runs: &[RunReport]) -> Vec<String> {
    let mut said = Vec::new();
    if let Some((first, rest)) = runs.split_first() {
        for run in rest.iter().filter(|run| run.digest != first.digest) {
            said.push(format!(
                "`{}` and `{}` reviewed different cases ({} and {}): their numbers cannot be compared",
                first.name, run.name, first.dataset, run.dataset
            ));
        }
    }
    for run in runs {
        // Mostly the same is left out of all protocols; it is said once.
        let mut of = BTreeMap::<String, Vec<&str>>::new();
        for scored in &run.protocols {
            for what in scored.left_out() {
                of.entry(what).or_default().push(&scored.protocol);
            }
        }
        for (what, protocols) in of {
            said.push(format!("`{}`: {what} ({})", run.name, protocols.join(", ")));
        }
    }
    for (at, run) in runs.iter().enumerate() {
        for scored in &run.protocols {
            let others = runs.iter().take(at).flat_map(|other| &other.protocols);
            let other = others.filter(|other| other.protocol == scored.protocol);
            if other.into_iter().any(|other| other.variants != scored.variants) {
                said.push(format!(
                    "the {} scores of `{}` were computed under other choices, or by another judge, than those of a run \
                     before it",
                    scored.protocol, run.name
                ));
            }
        }
    }
    said
}

/// A count as a number.
const fn count(count: u64) -> f64 {
    Number::count(count).get()
}

/// A length as a count.
const fn len<T>(list: &[T]) -> u64 {
    list.len() as u64
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests;
