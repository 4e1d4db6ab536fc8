//! The index as a list of entries.

use std::path::Path;

use gix::index::entry::{Flags, Mode, Stage};

use super::changes::{Content, Entry, EntryKind};
use super::error::{chain, shown};
use super::{Error, Oid, Repository, tree};
use crate::finding::RepoPath;

/// Reads the index that git would use (`GIT_INDEX_FILE`); a missing file is an empty index.
pub(super) fn open(repo: &Repository, local: &gix::Repository) -> Result<gix::index::File, Error> {
    if repo.root.is_none() {
        return Err(Error::Bare);
    }
    open_at(local, repo.index_file.as_deref())
}

/// As [`open`], with the value of `GIT_INDEX_FILE`.
pub(super) fn open_at(local: &gix::Repository, named: Option<&Path>) -> Result<gix::index::File, Error> {
    let path = named.map_or_else(|| local.index_path(), Path::to_owned);
    let options = gix::index::decode::Options { thread_limit: Some(1), ..Default::default() };
    gix::index::File::at_or_default(&path, local.object_hash(), false, options)
        .map_err(|error| Error::Index { path: shown(&path), why: chain(&error) })
}

/// What the next commit would hold. Paths in conflict go to `unmerged`; those marked with `git add --intent-to-add` are
/// not there yet; a folder that a sparse index keeps as one entry is listed in full.
pub(super) fn entries(repo: &Repository, unmerged: &mut Vec<RepoPath>) -> Result<Vec<Entry>, Error> {
    let local = repo.local();
    let index = open(repo, &local)?;
    let mut list = Vec::with_capacity(index.entries().len());
    for entry in index.entries() {
        let path = entry.path(&index);
        if entry.stage() != Stage::Unconflicted {
            unmerged.push(RepoPath::new(path));
        } else if entry.mode.contains(Mode::DIR) && entry.mode.is_sparse() {
            let mut prefix = path.to_vec();
            if !prefix.ends_with(b"/") {
                prefix.push(b'/');
            }
            list.extend(tree::list(repo, Oid(entry.id), &prefix)?);
        } else if !entry.flags.contains(Flags::INTENT_TO_ADD) {
            let Some(kind) = kind_of(entry.mode) else { continue };
            list.push(Entry { path: RepoPath::new(path), kind, content: Content::Blob(Oid(entry.id)) });
        }
    }
    Ok(list)
}

/// What a mode says, unless it is a folder.
pub(super) fn kind_of(mode: Mode) -> Option<EntryKind> {
    mode.to_tree_entry_mode().and_then(|mode| tree::kind_of(mode.kind()))
}
