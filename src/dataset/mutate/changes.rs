//! The changes that faults are put into: commits of a range, or files as if they were added.

use crate::detect;
use crate::diff::{self, Body, FileChange, Globs, NotCode, Plan};
use crate::git::{self, Oid, Repository, Side};

/// Most commits of a range that are read.
const MOST_COMMITS: usize = 20_000;

/// Where changes are taken from.
#[derive(Debug, Clone)]
pub enum Input {
    /// The commits that the second leads to by first parents and the first does not lead to, each against its first
    /// parent.
    Range(Oid, Oid),
    /// The files of a commit that these globs match, each as a change of its own that adds it.
    Files(Oid, Globs),
}

/// One change, not read yet.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A commit against its first parent.
    Commit { old: Option<Oid>, new: Oid },
    /// A file of a commit, by its place among the files of the commit.
    File { at: Oid, index: usize },
}

/// One change.
pub(super) struct Change {
    /// The commit that it ends with.
    pub(super) commit: Oid,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) files: Vec<FileChange>,
}

/// Reads changes one at a time.
pub(super) struct Reader<'r> {
    repository: &'r Repository,
    exclude: Globs,
    /// The files of the one commit that [`Input::Files`] names.
    plan: Plan,
    pub(super) origins: Vec<Origin>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(repository: &'r Repository, input: &Input, exclude: Globs) -> Result<Self, git::Error> {
        let mut plan = Plan::default();
        let origins = match input {
            Input::Range(from, to) => commits(repository, *from, *to)?,
            Input::Files(at, globs) => {
                let tree = repository.tree_of(*at)?;
                plan = Plan::between(repository, &Side::Empty, &Side::Tree(tree), Some(tree))?;
                plan.files.retain(|file| globs.is_match(&file.path) && !exclude.is_match(&file.path));
                (0..plan.files.len()).map(|index| Origin::File { at: *at, index }).collect()
            }
        };
        Ok(Self { repository, exclude, plan, origins })
    }

    /// Reads one of [`Self::origins`].
    pub(super) fn read(&self, origin: &Origin) -> Result<Change, git::Error> {
        let mut reader = self.repository.reader();
        let mut load = |planned: &diff::Planned| {
            let old_path = planned.change.similarity.and(planned.change.old.as_ref()).map(|old| &old.path);
            let limits = detect::limits(&planned.path, planned.class, old_path);
            diff::load(planned, &mut reader, &limits, &Globs::default())
        };
        match origin {
            Origin::File { at, index } => {
                let files: Vec<FileChange> = self.plan.files.get(*index).map(&mut load).into_iter().collect();
                let title = files.first().map(|file| format!("Add {}", file.path.visible())).unwrap_or_default();
                Ok(Change { commit: *at, title, description: String::new(), files })
            }
            Origin::Commit { old, new } => {
                let told = self.repository.told(*new)?;
                let side = |commit: &Oid| self.repository.tree_of(*commit).map(Side::Tree);
                let old = old.as_ref().map_or(Ok(Side::Empty), side)?;
                let attributes = if let Side::Tree(tree) = old { Some(tree) } else { None };
                let plan = Plan::between(self.repository, &old, &side(new)?, attributes)?;
                let mut files: Vec<FileChange> = plan.files.iter().map(load).collect();
                for file in files.iter_mut().filter(|file| self.exclude.is_match(&file.path)) {
                    file.body = Body::NotCode(NotCode::Excluded);
                }
                Ok(Change { commit: *new, title: told.subject, description: told.body, files })
            }
        }
    }
}

/// The commits of a range by first parents, the oldest first. Where a shallow clone ends there is nothing to compare
/// with, so that commit is left out.
fn commits(repository: &Repository, from: Oid, to: Oid) -> Result<Vec<Origin>, git::Error> {
    let known = repository.ancestry(from)?;
    let line = repository.ancestry(to)?;
    let mut found = Vec::new();
    let mut next = Some(to).filter(|commit| !known.contains(*commit));
    while let Some(new) = next.filter(|_| found.len() < MOST_COMMITS) {
        let old = line.parents(new).first().copied();
        if old.is_some() || repository.commit(new)?.parents.is_empty() {
            found.push(Origin::Commit { old, new });
        }
        next = old.filter(|commit| !known.contains(*commit));
    }
    found.reverse();
    Ok(found)
}
