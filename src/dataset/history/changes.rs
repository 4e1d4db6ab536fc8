//! Which change brought a commit: the merge of its pull request, the commit that a squash left, or the commit itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Error, Past};
use crate::git::{Ancestry, Oid, Told};

/// How a change came to the line it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A merge commit: of a pull request, or of a branch that holds none itself.
    Merge,
    /// One commit with the number of its pull request in the subject.
    Squash,
    /// One commit that names no pull request: a change of its own.
    Commit,
}

impl Kind {
    /// As datasets spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Commit => "commit",
        }
    }
}

/// A change as it landed.
#[derive(Debug, Clone)]
pub struct Landed {
    /// The commit before it; none for the first commit of a history.
    pub base: Option<Oid>,
    /// The commit after it, with its message.
    pub told: Told,
    /// The number of its pull request, where the message gives one.
    pub number: Option<u64>,
    /// How it landed.
    pub kind: Kind,
}

impl Landed {
    /// The commit after it.
    pub const fn head(&self) -> Oid {
        self.told.commit.id
    }

    /// What its author called it: for a merge of a pull request the first line of the body, which is the title there.
    pub fn title(&self) -> &str {
        self.first_line().unwrap_or(&self.told.subject)
    }

    /// What its author said of it beside the title.
    pub fn description(&self) -> &str {
        let body = self.told.body.as_str();
        if self.first_line().is_none() {
            return body;
        }
        body.split_once('\n').map_or("", |(_, rest)| rest.trim())
    }

    /// The title in the body of a merge that a forge wrote.
    fn first_line(&self) -> Option<&str> {
        let Told { subject, body, .. } = &self.told;
        let merged = self.kind == Kind::Merge && (MERGED.is_match(subject) || REQUESTED.is_match(body));
        body.lines().next().map(str::trim).filter(|line| merged && !line.is_empty())
    }
}

/// Merges that forges write for a pull request.
static MERGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^Merge (?:pull request|PR|pull) #?(\d{1,9})\b|\(pull request #(\d{1,9})\)")
        .expect("the pattern is a constant that compiles")
});
/// What GitHub appends to the subject of a squash, and what people write behind it. Inside the subject, as in that of a
/// reversal, it names another change.
static SQUASHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\([#!](\d{1,9})\)(?:[\s.,;*]|\[[^\[\]]*\]|(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s*#\d+)*$")
        .expect("the pattern is a constant that compiles")
});
/// What GitLab writes below a merge.
static REQUESTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^See merge request \S*!(\d{1,9})").expect("the pattern is a constant that compiles")
});
/// Branches that live on: a merge of one is no change that anybody reviews.
static LONG_LIVED: LazyLock<Regex> = LazyLock::new(|| {
    let names = r"(?:main|master|trunk|dev|devel|develop|next|unstable|stable|staging|integration|maint\S*|release\S*|v?\d[\w.-]*)";
    Regex::new(&format!(r"(?i)^Merge (?:remote-tracking )?(?:branch(?:es)?|tag) '(?:\w+/)?{names}'"))
        .expect("the pattern is a constant that compiles")
});

/// The number of the pull request that a commit says it is.
fn number(told: &Told) -> Option<u64> {
    let digits = |found: regex::Captures<'_>| {
        found.iter().skip(1).flatten().next().and_then(|digits| digits.as_str().parse::<u64>().ok())
    };
    if told.commit.parents.len() > 1 {
        let merged = MERGED.captures(&told.subject).and_then(digits);
        return merged.or_else(|| REQUESTED.captures(&told.body).and_then(digits));
    }
    SQUASHED.captures(&told.subject).and_then(digits)
}

/// A line of first parents, and what each commit of it brought.
#[derive(Debug, Default)]
pub(super) struct MainLine {
    /// Oldest first.
    chain: Vec<Oid>,
    /// The place in the chain of the commit that brought a commit.
    by: HashMap<Oid, usize>,
    /// What each commit of the chain brought, itself left out.
    sides: Vec<Vec<Oid>>,
}

impl MainLine {
    /// From a tip down to what is known already.
    pub(super) fn new(ancestry: &Ancestry, tip: Oid, is_known: impl Fn(Oid) -> bool) -> Self {
        let mut chain: Vec<Oid> = std::iter::successors(Some(tip), |commit| ancestry.parents(*commit).first().copied())
            .take_while(|commit| ancestry.contains(*commit) && !is_known(*commit))
            .collect();
        chain.reverse();
        let mut by = HashMap::new();
        let mut sides = Vec::with_capacity(chain.len());
        for (at, commit) in chain.iter().enumerate() {
            let mut side = Vec::new();
            let mut open = vec![*commit];
            while let Some(next) = open.pop() {
                if by.contains_key(&next) || is_known(next) {
                    continue;
                }
                by.insert(next, at);
                if next != *commit {
                    side.push(next);
                }
                open.extend(ancestry.parents(next));
            }
            side.sort();
            sides.push(side);
        }
        Self { chain, by, sides }
    }
}

impl Past<'_> {
    /// The change that brought a commit.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn landed(&self, commit: Oid) -> Result<Landed, Error> {
        let told = self.repo.told(commit)?;
        if told.commit.parents.len() < 2 && number(&told).is_some() {
            return Ok(self.alone(told));
        }
        let mut own: Option<MainLine> = None;
        loop {
            let line = own.as_ref().unwrap_or(&self.line);
            let Some(at) = line.by.get(&commit).copied() else { return Ok(self.alone(told)) };
            if line.chain[at] == commit {
                return Ok(self.alone(told));
            }
            let merge = self.repo.told(line.chain[at])?;
            if self.is_change(&merge, &line.sides[at])? {
                return Ok(self.alone(merge));
            }
            own = Some(self.side(line, at));
        }
    }

    /// The changes of the first-parent line that `from` does not lead to, oldest first. A merge of a branch that holds
    /// pull requests itself is no change; those are listed in its place.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn landed_since(&self, from: Option<Oid>) -> Result<Vec<Landed>, Error> {
        let before = from.map(|from| self.repo.ancestry(from)).transpose()?.unwrap_or_default();
        let mut found = Vec::new();
        self.list(&self.line, &before, &mut found)?;
        Ok(found)
    }

    fn list(&self, line: &MainLine, before: &Ancestry, found: &mut Vec<Landed>) -> Result<(), Error> {
        for (at, commit) in line.chain.iter().enumerate() {
            if before.contains(*commit) {
                continue;
            }
            let told = self.repo.told(*commit)?;
            if told.commit.parents.len() < 2 || self.is_change(&told, &line.sides[at])? {
                found.push(self.alone(told));
            } else {
                self.list(&self.side(line, at), before, found)?;
            }
        }
        Ok(())
    }

    /// How many commits of the first-parent line `from` does not lead to.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn changes_since(&self, from: Option<Oid>) -> Result<usize, Error> {
        let before = from.map(|from| self.repo.ancestry(from)).transpose()?.unwrap_or_default();
        Ok(self.line.chain.iter().filter(|commit| !before.contains(**commit)).count())
    }

    /// The commits of the first-parent line, oldest first.
    pub(super) fn chain(&self) -> &[Oid] {
        &self.line.chain
    }

    /// Whether a merge is a change that somebody reviewed as one.
    pub(super) fn is_change(&self, merge: &Told, side: &[Oid]) -> Result<bool, Error> {
        if number(merge).is_some() {
            return Ok(true);
        }
        if LONG_LIVED.is_match(&merge.subject) {
            return Ok(false);
        }
        for commit in side {
            if number(&self.repo.told(*commit)?).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a commit of the first-parent line brought beside itself.
    pub(super) fn side_of(&self, at: usize) -> &[Oid] {
        &self.line.sides[at]
    }

    fn side(&self, line: &MainLine, at: usize) -> MainLine {
        let parents = self.ancestry.parents(line.chain[at]);
        let Some(tip) = parents.get(1) else { return MainLine::default() };
        MainLine::new(&self.ancestry, *tip, |commit| line.by.get(&commit) != Some(&at))
    }

    /// The change between a commit and its first parent.
    pub(super) fn alone(&self, told: Told) -> Landed {
        let number = number(&told);
        let kind = match number {
            _ if told.commit.parents.len() > 1 => Kind::Merge,
            Some(_) => Kind::Squash,
            None => Kind::Commit,
        };
        Landed { base: self.ancestry.parents(told.commit.id).first().copied(), told, number, kind }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;
    use crate::git::Commit;

    fn told(subject: &str, body: &str, parents: usize) -> Told {
        let id = Oid::from_hex(&"1".repeat(40)).unwrap();
        Told {
            commit: Commit { id, tree: id, parents: vec![id; parents] },
            subject: subject.to_owned(),
            body: body.to_owned(),
            author: String::new(),
            email: String::new(),
            seconds: 0,
        }
    }

    #[test]
    fn numbers_as_forges_write_them() {
        assert_eq!(number(&told("Fix it (#12)", "", 1)), Some(12));
        assert_eq!(number(&told("Revert \"Fix it (#12)\" (#13)", "", 1)), Some(13));
        assert_eq!(number(&told("Fix #12", "", 1)), None);
        for subject in ["Bind it (#12) close #9", "Bind it (#12).", "Bind it (#12)[ci skip]", "Bind (#9) it (#12)"] {
            assert_eq!(number(&told(subject, "", 1)), Some(12), "{subject}");
        }
        for subject in ["Revert \"Fix it (#12)\"", "Fix a warning (#12) and tidy up"] {
            assert_eq!(number(&told(subject, "", 1)), None, "{subject}");
        }
        assert_eq!(number(&told("Merge pull request #7 from a/b", "Title", 2)), Some(7));
        assert_eq!(number(&told("Merged in a/b (pull request #9)", "", 2)), Some(9));
        assert_eq!(number(&told("Merge branch 'a' into 'b'", "Title\n\nSee merge request x/y!31", 2)), Some(31));
        assert_eq!(number(&told("Merge branch 'a (#3)'", "", 2)), None);
        assert_eq!(number(&told("Too long (#99999999999999999999)", "", 1)), None);
    }

    #[test]
    fn branches_that_live_on() {
        for subject in [
            "Merge branch 'stable'",
            "Merge branch 'master' of x",
            "Merge tag '4.16.2'",
            "Merge remote-tracking branch 'origin/1.0.x'",
        ] {
            assert!(LONG_LIVED.is_match(subject), "{subject}");
        }
        for subject in ["Merge branch 'master-of-puppets'", "Merge branch 'fix-stable'"] {
            assert!(!LONG_LIVED.is_match(subject), "{subject}");
        }
    }
}
