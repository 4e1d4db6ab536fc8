//! What became of the findings of an earlier review: which are new, which were there, which are gone and why.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{FileSummary, Review};
use crate::finding::{Finding, Fingerprint, Level, Line, RepoPath, Since, Source, is_novel};

/// What became of a finding that is not shown any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its place was read again, and it is not there.
    Fixed,
    /// It is there, and something keeps it from being shown.
    Hidden,
    /// Its place was not read again by whoever found it.
    Unknown,
}

impl Fate {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Hidden, Self::Unknown];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Hidden => "hidden",
            Self::Unknown => "unknown",
        }
    }
}

/// A finding of the earlier review that is not shown any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// Its tag.
    pub tag: String,
    /// The tag's title.
    pub title: String,
    /// Its level.
    pub level: Level,
    /// Where it was.
    pub path: RepoPath,
    /// Its first line, then.
    pub line: Line,
    /// What became of it.
    pub fate: Fate,
    /// One sentence.
    pub why: String,
}

/// The comparison with an earlier review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// The commit that the earlier review ended at.
    pub head: Option<String>,
    /// Its findings that are not shown any more, in their order.
    pub gone: Vec<Gone>,
}

/// Compares a review with an earlier one of the same branch: every finding is told whether it was there, and what is gone
/// is listed. Findings are the same by their key, else by their window and tag; each earlier one accounts for one.
/// `tags` are those that can be shown now.
pub fn compare(review: &mut Review, earlier: &Review, tags: &BTreeSet<&str>) {
    let all: Vec<&Finding> = review.findings.iter().chain(&review.dropped).collect();
    let found = Index::of(&earlier.findings).matched(&all);
    let mut now: Vec<Option<&Finding>> = vec![None; earlier.findings.len()];
    for (finding, before) in all.iter().zip(&found) {
        // A shown one comes first, and one of them is enough.
        if let Some(before) = before {
            now[*before].get_or_insert(finding);
        }
    }
    let gone = earlier.findings.iter().zip(now).filter_map(|(before, now)| {
        let unread = || unread(before, earlier, review, tags);
        gone(before, now, unread)
    });
    let comparison = Comparison { head: earlier.change.head.clone(), gone: gone.collect() };
    for (finding, before) in review.findings.iter_mut().chain(&mut review.dropped).zip(found) {
        finding.since = Some(if before.is_some() { Since::Unchanged } else { Since::New });
    }
    review.since = Some(comparison);
}

fn gone(before: &Finding, now: Option<&Finding>, unread: impl FnOnce() -> Option<String>) -> Option<Gone> {
    let (fate, why) = match now {
        Some(now) => {
            let dropped = now.dropped.as_ref()?;
            (Fate::Hidden, format!("{}: {}", dropped.reason, dropped.why.visible()))
        }
        None => match unread() {
            Some(why) => (Fate::Unknown, why),
            None => (Fate::Fixed, "it is not found any more".to_owned()),
        },
    };
    Some(Gone {
        fingerprint: before.fingerprint.clone(),
        tag: before.claim.tag.to_string(),
        title: before.title.to_string(),
        level: before.level,
        path: before.claim.location.path.clone(),
        line: before.claim.location.line,
        fate,
        why,
    })
}

/// Why nobody can say that a finding is gone. It is, where whoever found it looked at its file again, or where the change,
/// compared with the same commit as before, does not touch the file any more.
fn unread(before: &Finding, earlier: &Review, review: &Review, tags: &BTreeSet<&str>) -> Option<String> {
    let path = &before.claim.location.path;
    if let Some(skip) = review.coverage.skipped.iter().find(|skip| skip.path == *path) {
        return Some(format!("its file was not read again: {}", skip.why));
    }
    if !tags.contains(&*before.claim.tag) && !is_novel(&before.claim.tag) {
        return Some("its tag is not asked for any more".to_owned());
    }
    let is_it = |file: &&FileSummary| file.path == *path || file.old_path.as_ref() == Some(path);
    let Some(file) = review.change.files.iter().find(is_it) else {
        let base = |review: &Review| review.change.merge_base.clone();
        let is_other = review.share.as_ref().is_some_and(|share| {
            share.division.files.iter().any(|(other, owner)| other == path && *owner != share.division.shard.index)
        });
        return match is_other {
            true => Some("another share has its file".to_owned()),
            false if base(review).is_none() || base(review) != base(earlier) => {
                Some("its file is not part of this change, which starts from another commit".to_owned())
            }
            false => None,
        };
    };
    let was = earlier.change.files.iter().find(|file| file.path == *path);
    match &before.claim.source {
        Source::Model { .. } if !file.read_by.model => Some("no model has read its file again".to_owned()),
        // Which of them needed the parser is not known any more.
        Source::Detector(_) if was.is_some_and(|was| was.read_by.parser) && !file.read_by.parser => {
            Some("no parser has read its file again".to_owned())
        }
        _ if !file.read_by.text => Some("its file was not read again".to_owned()),
        _ => None,
    }
}

/// Earlier findings by their two identities.
struct Index<'f> {
    by_key: BTreeMap<&'f Fingerprint, usize>,
    by_window: BTreeMap<(&'f Fingerprint, &'f str), VecDeque<usize>>,
    used: Vec<bool>,
}

impl<'f> Index<'f> {
    fn of(findings: &'f [Finding]) -> Self {
        let mut by_window: BTreeMap<_, VecDeque<usize>> = BTreeMap::new();
        for (index, finding) in findings.iter().enumerate() {
            by_window.entry((&finding.window, &*finding.claim.tag)).or_default().push_back(index);
        }
        Self {
            by_key: findings.iter().enumerate().map(|(index, finding)| (&finding.fingerprint, index)).collect(),
            by_window,
            used: vec![false; findings.len()],
        }
    }

    /// The earlier finding of each; by key first, so that no window takes what a key would have.
    fn matched(&mut self, findings: &[&'f Finding]) -> Vec<Option<usize>> {
        let mut found: Vec<Option<usize>> =
            findings.iter().map(|finding| self.by_key.get(&finding.fingerprint).copied()).collect();
        found.iter().flatten().for_each(|index| self.used[*index] = true);
        for (finding, found) in findings.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let Some(near) = self.by_window.get_mut(&(&finding.window, &*finding.claim.tag)) else { continue };
            while let Some(index) = near.pop_front() {
                if !std::mem::replace(&mut self.used[index], true) {
                    *found = Some(index);
                    break;
                }
            }
        }
        found
    }
}
