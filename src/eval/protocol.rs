//! The protocols by name.

/// A way to measure a reviewer.
pub struct Protocol {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it measures, in one line.
    pub help: &'static str,
}

/// All of them.
pub static PROTOCOLS: &[Protocol] = &[
    Protocol {
        name: "cr-bench",
        help: "known bugs found, useful comments, signal to noise (CR-Bench, equations 2 to 6)",
    },
    Protocol {
        name: "swe-prbench",
        help: "comments of people caught, fabricated and redundant ones (SWE-PRBench, equation 2)",
    },
    Protocol { name: "sphinx", help: "checklist items addressed, silence on clean changes (Sphinx, equation 1)" },
    Protocol { name: "cqs", help: "tagged issues by tag, then by rationale (Code Quality Score, section 4)" },
];

/// The protocol of this name.
pub fn find(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.name == name)
}
