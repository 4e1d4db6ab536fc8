//! The index as a list of entries.

use std::collections::HashMap;
use std::path::Path;

use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::extension::Tree;

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
    entries_without(repo, &open(repo, &local)?, &[], unmerged)
}

/// The files of a tree and those of the index, without the folders that the index itself knows to be the same (its
/// `TREE` extension): git keeps that up to date, so after `git add` only the touched folders are read.
pub(super) fn beside_tree(
    repo: &Repository,
    tree: Oid,
    unmerged: &mut Vec<RepoPath>,
) -> Result<(Vec<Entry>, Vec<Entry>), Error> {
    let local = repo.local();
    let index = open(repo, &local)?;
    let mut known = HashMap::new();
    let mut pending: Vec<(Vec<u8>, &Tree)> = index.tree().map(|top| (Vec::new(), top)).into_iter().collect();
    while let Some((prefix, folder)) = pending.pop() {
        for child in &folder.children {
            pending.push(([&prefix, child.name.as_slice(), b"/"].concat(), child));
        }
        if folder.num_entries.is_some() {
            known.insert(prefix, Oid(folder.id));
        }
    }
    let mut same = Vec::new();
    let old = tree::list_without(repo, tree, b"", &mut |prefix, id| {
        let is_same = known.get(prefix) == Some(&id);
        if is_same {
            same.push(prefix.to_vec());
        }
        is_same
    })?;
    same.sort();
    let new = entries_without(repo, &index, &same, unmerged)?;
    Ok((old, new))
}

/// The entries that lie in none of the folders `left_out`, which are sorted, end in `/` (the top is empty) and do not lie
/// in one another.
fn entries_without(
    repo: &Repository,
    index: &gix::index::File,
    left_out: &[Vec<u8>],
    unmerged: &mut Vec<RepoPath>,
) -> Result<Vec<Entry>, Error> {
    let mut list = Vec::new();
    for entry in index.entries() {
        let path = entry.path(index);
        if entry.stage() != Stage::Unconflicted {
            unmerged.push(RepoPath::new(path));
            continue;
        }
        let before = left_out.partition_point(|folder| folder.as_slice() <= path.as_bytes());
        if before > 0 && path.starts_with(&left_out[before - 1]) {
            continue;
        }
        if entry.mode.contains(Mode::DIR) && entry.mode.is_sparse() {
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
