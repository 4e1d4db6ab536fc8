//! The protocols by name.

use super::judge::Asked;
use super::scoring::Scored;
use super::sphinx::is_no_comment;
use crate::record::Case;

/// A way to measure a reviewer.
pub struct Protocol {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it measures, in one line.
    pub help: &'static str,
    /// Whether it can measure anything by a case that is not clean.
    pub knows: fn(&Case) -> bool,
    /// What its judge is asked.
    pub(super) asked: Asked,
    /// How it scores.
    pub(super) scored: Scored,
}

/// All of them.
pub static PROTOCOLS: &[Protocol] = &[
    Protocol {
        name: "cr-bench",
        help: "known bugs found, useful comments, signal to noise (CR-Bench, equations 2 to 6)",
        knows: |case| !case.bugs.is_empty(),
        asked: Asked::CR_BENCH,
        scored: Scored::CR_BENCH,
    },
    Protocol {
        name: "swe-prbench",
        help: "comments of people caught, fabricated and redundant ones (SWE-PRBench, equation 2)",
        knows: |case| !case.comments.is_empty(),
        asked: Asked::SWE_PRBENCH,
        scored: Scored::SWE_PRBENCH,
    },
    Protocol {
        name: "sphinx",
        help: "checklist items addressed, silence on clean changes (Sphinx, equation 1)",
        // A checklist whose single item is that there is nothing to say is that of a clean case.
        knows: |case| case.checklist.iter().any(|item| !is_no_comment(&item.text)),
        asked: Asked::SPHINX,
        scored: Scored::SPHINX,
    },
    Protocol {
        name: "cqs",
        help: "tagged issues by tag, then by rationale (Code Quality Score, section 4)",
        knows: |case| !case.issues.is_empty(),
        asked: Asked::CQS,
        scored: Scored::CQS,
    },
];

/// The protocol of this name.
pub fn find(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.name == name)
}
