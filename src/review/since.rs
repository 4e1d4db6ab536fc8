//! What became of the findings of an earlier review: which are new, which were there, which are gone and why.

use std::collections::BTreeMap;

use super::Review;
use crate::finding::{Finding, Fingerprint, Level, Line, RepoPath, Since, Source};

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
pub fn compare(review: &mut Review, earlier: &Review) {
    let all: Vec<&Finding> = review.findings.iter().chain(&review.dropped).collect();
    let found = Index::of(&earlier.findings).matched(&all);
    let mut now: Vec<Option<&Finding>> = vec![None; earlier.findings.len()];
    for (finding, before) in all.iter().zip(&found) {
        // A shown one comes first, and one of them is enough.
        if let Some(before) = before {
            now[*before].get_or_insert(finding);
        }
    }
    let gone = earlier.findings.iter().zip(now).filter_map(|(before, now)| gone(before, now, review));
    let comparison = Comparison { head: earlier.change.head.clone(), gone: gone.collect() };
    for (finding, before) in review.findings.iter_mut().chain(&mut review.dropped).zip(found) {
        finding.since = Some(if before.is_some() { Since::Unchanged } else { Since::New });
    }
    review.since = Some(comparison);
}

fn gone(before: &Finding, now: Option<&Finding>, review: &Review) -> Option<Gone> {
    let (fate, why) = match now {
        Some(now) => {
            let dropped = now.dropped.as_ref()?;
            (Fate::Hidden, format!("{}: {}", dropped.reason, dropped.why.visible()))
        }
        None => match unread(before, review) {
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

/// Why nobody can say that a finding is gone.
fn unread(before: &Finding, review: &Review) -> Option<String> {
    let path = &before.claim.location.path;
    let is_it = |other: &RepoPath| other == path;
    if let Some(skip) = review.coverage.skipped.iter().find(|skip| skip.unread && is_it(&skip.path)) {
        return Some(format!("its file was not read again: {}", skip.why));
    }
    let models = matches!(before.claim.source, Source::Model { .. });
    // A file that the change does not touch any more has nothing left to find.
    let file = review.change.files.iter().find(|file| is_it(&file.path))?;
    (models && !file.read_by.model).then(|| "no model has read its file again".to_owned())
}

/// Earlier findings by their two identities.
struct Index<'f> {
    by_key: BTreeMap<&'f Fingerprint, usize>,
    by_window: BTreeMap<(&'f Fingerprint, &'f str), Vec<usize>>,
    used: Vec<bool>,
}

impl<'f> Index<'f> {
    fn of(findings: &'f [Finding]) -> Self {
        let mut by_window: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, finding) in findings.iter().enumerate() {
            by_window.entry((&finding.window, &*finding.claim.tag)).or_default().push(index);
        }
        Self {
            by_key: findings.iter().enumerate().map(|(index, finding)| (&finding.fingerprint, index)).collect(),
            by_window,
            used: vec![false; findings.len()],
        }
    }

    /// The earlier finding of each; by key first, so that no window takes what a key would have.
    fn matched(&mut self, findings: &[&Finding]) -> Vec<Option<usize>> {
        let mut found: Vec<Option<usize>> =
            findings.iter().map(|finding| self.by_key.get(&finding.fingerprint).copied()).collect();
        found.iter().flatten().for_each(|index| self.used[*index] = true);
        for (finding, found) in findings.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let near = self.by_window.get(&(&finding.window, &*finding.claim.tag)).into_iter().flatten().copied();
            *found = near.into_iter().find(|index| !self.used[*index]);
            if let Some(index) = *found {
                self.used[index] = true;
            }
        }
        found
    }
}
