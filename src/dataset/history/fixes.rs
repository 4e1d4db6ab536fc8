//! Which commits of a range say that they mend something.

use std::sync::LazyLock;

use regex::Regex;

use super::{Error, Past};
use crate::git::{Oid, Told};

static FIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(fix(e[sd]|ing)?|bug(fix(es)?)?|regressions?|crash(e[sd]|ing)?|deadlocks?|leak(s|ed|ing)?|overflows?",
        r"|use[- ]after[- ]free|races?|segfaults?|incorrect(ly)?|wrong(ly)?|broken|panics?|corrupt(s|ed|ing|ions?)?|off[- ]by[- ]one)\b"
    ))
    .expect("the pattern is a constant that compiles")
});
/// What is mended where nothing was wrong with the product.
static NO_BUG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(typos?|spelling|grammar|wording|comments?|(java)?docs?|document(ed|s|ing|ation)?|docstrings?|readme|changelog|lint(er|ing|s)?",
        r"|warnings?|tests?|testing|testcases?|unittests?|ci|gha|travis|appveyor|github actions?|workflows?|formatting|style|styling|cosmetics?|whitespace|indent\w*",
        r"|builds?|compil\w*|makefiles?|cmake|configure|flake8|mypy|pyright|clippy|rustfmt|typing|annotations?|examples?",
        r"|deps?|dependenc\w+|bump\w*|flaky|links?|urls?|versions?|releases?|brew|pkg|packag\w+|fixed[- ](?:size|length|width|point)|copyright|licen[sc]es?|coverity|codespell|checksrc",
        r"|fix(?:e[sd]|ing)? conflicts|merge conflicts?|checkstyle|pmd|spotbugs|findbugs|codeql|generics|raw types?|(un)?boxing|unused|imports)\b"
    ))
    .expect("the pattern is a constant that compiles")
});
static ISSUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|reported[- ](?:by|in)|bug|issues?|gh)\b[-:\s]*(?:by\s+)?",
        r"(?:[\w.-]+/[\w.-]+)?(?:#|https?://\S+/issues/)\d+|\b(?:gh-|issue )\d+"
    ))
    .expect("the pattern is a constant that compiles")
});

/// Whether the subject says that something of the product is mended. Words alone decide, so it errs in both directions.
pub fn reads_as_fix(subject: &str) -> bool {
    FIX.is_match(subject) && !NO_BUG.is_match(subject)
}

/// Whether the subject has a word of mending, be it of the product or of something else.
pub(super) fn has_fix_word(subject: &str) -> bool {
    FIX.is_match(subject)
}

/// Whether the message names an issue that it closes or that reported the fault.
pub(super) fn names_issue(told: &Told) -> bool {
    ISSUE.is_match(&told.subject) || ISSUE.is_match(&told.body)
}

/// The commits that the tip leads to and `from` does not whose subject reads as a fix, oldest first; with `need_issue`,
/// only those that also name an issue. Beside them, how many commits were looked at. Merges take no part.
///
/// # Errors
/// A commit is missing or damaged.
pub fn fixes_in(past: &Past<'_>, from: Option<Oid>, need_issue: bool) -> Result<(Vec<Oid>, usize), Error> {
    let before = from.map(|from| past.repo.ancestry(from)).transpose()?.unwrap_or_default();
    let mut found = Vec::new();
    let mut looked_at = 0;
    for commit in past.ancestry.commits() {
        if before.contains(commit) || past.ancestry.parents(commit).len() > 1 {
            continue;
        }
        looked_at += 1;
        let told = past.repo.told(commit)?;
        if reads_as_fix(&told.subject) && (!need_issue || names_issue(&told)) {
            found.push((told.seconds, commit));
        }
    }
    found.sort();
    Ok((found.into_iter().map(|(_, commit)| commit).collect(), looked_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_subject() {
        for subject in [
            "Fix crash on empty input",
            "bugfix: off-by-one in parser",
            "regression: restore -z",
            "http2: fixed leak",
            "Mend the corruption of names",
            "Fix conflict of two routes",
        ] {
            assert!(reads_as_fix(subject), "{subject}");
        }
        for subject in [
            "Fix typo",
            "fix a flaky test",
            "Add prefix option",
            "docs: fix link",
            "Fixture for x",
            "Fix build",
            "Use a fixed size array",
            "Fix Javadoc",
            "Fix checkstyle violation",
            "Fix licences",
            "Fix unused imports",
            "fix conflicts",
            "Fixed merge conflict with 8.x",
            "Switch corruption_test to an own environment",
        ] {
            assert!(!reads_as_fix(subject), "{subject}");
        }
    }

    #[test]
    fn issues_as_people_name_them() {
        for text in
            ["Fixes #12", "closes: owner/name#3", "Bug: https://example.com/a/b/issues/12", "Fix issue #7", "gh-123"]
        {
            assert!(ISSUE.is_match(text), "{text}");
        }
        for text in ["see #12", "(#12)", "#9 is nice"] {
            assert!(!ISSUE.is_match(text), "{text}");
        }
    }
}
