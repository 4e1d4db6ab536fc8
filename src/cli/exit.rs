//! The exit codes, one table. README, the Action and the tests quote it.

use diffsieve::gate::Verdict;

/// An exit code with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// 0: passed by policy; the report says whether the review was complete.
    Passed,
    /// 1: the gate failed, findings at or above the level.
    Failed,
    /// 2: usage or configuration error.
    Usage,
    /// 3: part or all could not be reviewed, and the policy says that this is no pass.
    Incomplete,
}

impl Exit {
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Incomplete => 3,
        }
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Passed,
            Verdict::Fail => Self::Failed,
            Verdict::Incomplete => Self::Incomplete,
        }
    }
}

/// For `--help`.
pub(super) const TABLE: &str = "Exit codes:
  0  passed by policy; the report says whether the review was complete
  1  gate failed: findings at or above the level
  2  usage or configuration error
  3  incomplete: part or all could not be reviewed, and policy says that this is not a pass";

/// For `--help` of what publishes: the gate has decided long before.
pub(super) const PUBLISH_TABLE: &str =
    "The token is that of GITHUB_TOKEN or GH_TOKEN, and needs `pull-requests: write`.

Exit codes:
  0  every finding is told; or the pull request has a newer head, and nothing was written
  2  usage error, or a report that is none or not of this pull request
  3  not completed: no permission, a limit, no answer; what nobody took is in the log and the job's summary";

/// For the `--help` of hooks.
pub(super) const HOOK_TABLE: &str = "DIFFSIEVE_SKIP=1 skips the review.

Exit codes; git goes on with 0 alone:
  0  passed by policy, or skipped; what could not be reviewed is said
  1  gate failed: findings at or above the level
  2  usage error, such as a missing repository or a terminal as standard input
  3  incomplete, and --on-incomplete or the user's own configuration says `fail`";
