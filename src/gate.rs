//! From a review to a verdict. One sentence says what decided.

use crate::finding::Level;
use crate::review::Review;

/// The level from which findings fail the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of this level or a higher one.
    Level(Level),
    /// No finding fails the gate.
    Never,
}

impl FailOn {
    /// The values as written, in configuration and on the command line.
    pub const NAMES: [&'static str; 4] = ["error", "warning", "note", "never"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        if name == "never" {
            return Some(Self::Never);
        }
        Level::ALL.into_iter().find(|level| level.name() == name).map(Self::Level)
    }

    /// Whether a finding of this level fails the gate.
    pub fn fails(self, level: Level) -> bool {
        matches!(self, Self::Level(from) if level >= from)
    }

    /// The value as written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Level(level) => level.name(),
            Self::Never => "never",
        }
    }
}

/// What a review that could not finish means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnIncomplete {
    /// It is not a pass: exit 3.
    Fail,
    /// It passes, and the report says that it is incomplete.
    Warn,
}

impl OnIncomplete {
    /// The values as written.
    pub const NAMES: [&'static str; 2] = ["fail", "warn"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "fail" => Some(Self::Fail),
            "warn" => Some(Self::Warn),
            _ => None,
        }
    }

    /// The value as written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Warn => "warn",
        }
    }
}

/// What decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// From which level findings fail.
    pub fail_on: FailOn,
    /// What an incomplete review means.
    pub on_incomplete: OnIncomplete,
}

/// The three answers a gate can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing at or above the level, and the policy accepts what was read.
    Pass,
    /// Findings at or above the level.
    Fail,
    /// Part of the change was not reviewed, and the policy says that this is no pass.
    Incomplete,
}

impl Verdict {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
        }
    }
}

/// A verdict with what decided it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// Whether everything that should be read was read, whatever the verdict.
    pub complete: bool,
    /// One sentence.
    pub reason: String,
    /// The policy it was decided by.
    pub policy: Policy,
}

/// Decides. A finding that fails the gate does so even where the review is incomplete.
pub fn decide(review: &Review, policy: Policy) -> Decision {
    let complete = review.coverage.is_complete();
    let unread = review.coverage.skipped.iter().filter(|skip| skip.unread).count();
    let failing = review.findings.iter().filter(|finding| policy.fail_on.fails(finding.level)).count();
    let (verdict, reason) = if failing > 0 {
        (Verdict::Fail, format!("{} at or above {}", count(failing, "finding"), policy.fail_on.name()))
    } else if !complete && policy.on_incomplete == OnIncomplete::Fail {
        (Verdict::Incomplete, format!("{} of the change could not be read", count(unread, "part")))
    } else {
        let mut reason = match policy.fail_on {
            FailOn::Never => "the policy lets every finding pass".to_owned(),
            FailOn::Level(level) => format!("no finding at or above {level}"),
        };
        if !complete {
            reason.push_str(&format!("; {} could not be read, which the policy accepts", count(unread, "part")));
        }
        (Verdict::Pass, reason)
    };
    let reason = match &review.share {
        Some(share) => {
            format!("{reason}; only share {} of the change, `diffsieve merge` decides", share.division.shard)
        }
        None => reason,
    };
    Decision { verdict, complete, reason, policy }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::RepoPath;
    use crate::review::Skip;

    const POLICY: Policy = Policy { fail_on: FailOn::Level(Level::Error), on_incomplete: OnIncomplete::Fail };

    fn unread() -> Review {
        let mut review = Review::default();
        let skip = Skip { path: RepoPath::from("a"), lines: None, unread: true, why: "too large".to_owned() };
        review.coverage.skipped.push(skip);
        review
    }

    #[test]
    fn nothing_found_passes() {
        assert_eq!(decide(&Review::default(), POLICY).verdict, Verdict::Pass);
    }

    #[test]
    fn what_was_not_read_is_no_pass_unless_the_policy_says_so() {
        let decision = decide(&unread(), POLICY);
        assert_eq!((decision.verdict, decision.complete), (Verdict::Incomplete, false));
        let decision = decide(&unread(), Policy { on_incomplete: OnIncomplete::Warn, ..POLICY });
        assert_eq!((decision.verdict, decision.complete), (Verdict::Pass, false));
        assert!(decision.reason.contains("could not be read"), "{}", decision.reason);
    }

    #[test]
    fn what_is_not_code_leaves_the_review_complete() {
        let mut review = unread();
        review.coverage.skipped[0].unread = false;
        assert!(decide(&review, POLICY).complete);
    }
}
