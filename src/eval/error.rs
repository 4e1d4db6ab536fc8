//! Why there is no score.

use std::fmt;

use crate::escape::visible;
use crate::record;

/// How many names an error lists before it counts the rest.
const LISTED: usize = 5;

/// Why something cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input that says what cannot be.
    #[error("{at}: {what}")]
    Input {
        /// Which part of it, such as `reviews[3]`.
        at: String,
        /// What is wrong with it and what would be right, in printable characters.
        what: String,
    },
    /// Records that cannot be read.
    #[error(transparent)]
    Records(#[from] record::Error),
    /// The run answers another dataset.
    #[error(
        "the run answers the dataset `{}` with digest {}, and this one has digest {}: give the dataset that was run",
        visible(name),
        visible(run),
        visible(dataset)
    )]
    OtherDataset {
        /// Name of the dataset that was run.
        name: String,
        /// Digest of its cases.
        run: String,
        /// Digest of the cases given.
        dataset: String,
    },
    /// No case carries what the protocol compares with.
    #[error("no case of the dataset has {needs}, which {protocol} compares with")]
    NoTruth {
        /// The protocol.
        protocol: &'static str,
        /// What a case needs.
        needs: &'static str,
    },
    /// Several judges decided, and they are never mixed.
    #[error("{} judges decided: {}; choose one with {option}", judges.len(), Listed(judges))]
    Judges {
        /// Their names.
        judges: Vec<String>,
        /// The option that chooses.
        option: &'static str,
    },
    /// A judge is named who decided nothing, while others did.
    #[error(
        "nobody called `{}` decided anything; name one of those who did with {option}: {}",
        visible(name),
        Listed(judges)
    )]
    NoJudge {
        /// The name.
        name: String,
        /// Those who decided.
        judges: Vec<String>,
        /// The option that chooses.
        option: &'static str,
    },
    /// Decisions of a judge are missing.
    #[error(
        "judgements that are missing: {count}, in the answers {}; let the judge decide, then score again",
        Listed(answers)
    )]
    Unjudged {
        /// How many decisions.
        count: usize,
        /// Answers that need them, by case and sample.
        answers: Vec<String>,
    },
    /// Cases without a review.
    #[error(
        "cases without a review: {}: {}; run them again, or score without them with --allow-failed, which names them in \
         the scores",
        cases.len(), Listed(cases)
    )]
    Failed {
        /// Their names.
        cases: Vec<String>,
    },
}

impl Error {
    /// An input that says what cannot be.
    pub fn input(at: impl Into<String>, what: impl AsRef<str>) -> Self {
        Self::Input { at: visible(&at.into()), what: visible(what.as_ref()) }
    }

    /// Whether something is missing that can still come, rather than wrong.
    pub const fn is_incomplete(&self) -> bool {
        matches!(self, Self::Unjudged { .. } | Self::Failed { .. })
    }
}

/// The first few of a list of names.
struct Listed<'n>(&'n [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().take(LISTED).map(|name| visible(name)).collect();
        f.write_str(&names.join(", "))?;
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
