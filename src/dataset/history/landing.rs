//! Where lines that a commit of a change wrote stand in the change as it landed: later commits of it may have moved them.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use super::changes::Landed;
use super::origin::Traced;
use crate::dataset::blame::Git;
use crate::diff::{Body, ChangeSet, FileChange};
use crate::finding::RepoPath;
use crate::git::Oid;

/// Lines of the new side of a change by file.
pub(super) type Landing = BTreeMap<RepoPath, BTreeSet<u32>>;

/// Finds lines of the commits of a change on its new side: file and line.
pub(super) struct AsBlamed<'a> {
    git: &'a Git,
    change: &'a Landed,
    changes: &'a ChangeSet,
    files: BTreeSet<RepoPath>,
    lines: BTreeMap<(Oid, RepoPath, u32), (RepoPath, u32)>,
}

impl<'a> AsBlamed<'a> {
    pub(super) fn new(git: &'a Git, change: &'a Landed, changes: &'a ChangeSet) -> Self {
        Self { git, change, changes, files: BTreeSet::new(), lines: BTreeMap::new() }
    }

    pub(super) fn find(&mut self, traced: &Traced) -> Result<Option<(RepoPath, u32)>, Error> {
        let head = self.change.head();
        if let Some((_, file, line)) = traced.places().find(|(commit, ..)| *commit == head) {
            return Ok(Some((file, line)));
        }
        // The file of that name first; the branch may have renamed it since.
        let has = |file: &&FileChange| file.new_kind.is_some() && matches!(file.body, Body::Text { .. });
        let (same, others): (Vec<_>, Vec<_>) =
            self.changes.files.iter().filter(has).map(|file| &file.path).partition(|path| **path == traced.origin);
        for path in same.into_iter().chain(others) {
            if self.files.insert(path.clone()) {
                for blamed in self.git.blame(head, self.change.base, path, &[])? {
                    let key = (blamed.commit, blamed.file, blamed.original);
                    self.lines.entry(key).or_insert((path.clone(), blamed.line));
                }
            }
            let found = traced.places().find_map(|place| self.lines.get(&place));
            if let Some(found) = found {
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }
}

/// The most lines in a row: file, first, last. The first of several.
pub(super) fn longest_run(landed: &Landing) -> Option<(&RepoPath, u32, u32)> {
    let mut best: Option<(&RepoPath, u32, u32)> = None;
    for (file, lines) in landed {
        let mut run: Option<(u32, u32)> = None;
        for line in lines {
            let (first, last) = match run {
                Some((first, last)) if last + 1 == *line => (first, *line),
                _ => (*line, *line),
            };
            run = Some((first, last));
            if best.is_none_or(|(_, a, b)| last - first > b - a) {
                best = Some((file, first, last));
            }
        }
    }
    best
}
