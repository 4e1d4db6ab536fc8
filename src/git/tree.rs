//! Compares two trees and lists one. Iterative over gix's decoder and bounded, because a few hundred bytes of tree
//! objects can name billions of paths.

use std::cmp::Ordering;

use gix::objs::tree::EntryRef;
use gix::objs::{TreeRefIter, tree};

use super::changes::{Content, Entry, EntryKind};
use super::error::chain;
use super::{Error, Oid, Repository};
use crate::finding::RepoPath;

/// Changed files.
const CHANGED: usize = 300_000;
/// Files of one tree, for the index and the work tree.
const LISTED: usize = 2_000_000;
/// Folder levels; git itself stops at 2048 (`core.maxTreeDepth`).
const LEVELS: usize = 2048;
/// Bytes of all paths together.
const PATH_BYTES: usize = 256 << 20;

/// One path at which two trees differ.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

/// Every file that differs between two trees, `None` being the empty tree; unsorted.
pub(super) fn compare(repo: &Repository, old: Option<Oid>, new: Option<Oid>) -> Result<Vec<Difference>, Error> {
    walk(repo, (Vec::new(), old, new, 0), CHANGED, &mut |_, _| false)
}

/// All files of a tree, below `prefix` (empty, or ending in `/`).
pub(super) fn list(repo: &Repository, tree: Oid, prefix: &[u8]) -> Result<Vec<Entry>, Error> {
    list_without(repo, tree, prefix, &mut |_, _| false)
}

/// As [`list`], without the folders for which `skip` says so, given their path with a final `/` and their tree.
pub(super) fn list_without(
    repo: &Repository,
    tree: Oid,
    prefix: &[u8],
    skip: &mut dyn FnMut(&[u8], Oid) -> bool,
) -> Result<Vec<Entry>, Error> {
    let found = walk(repo, (prefix.to_vec(), None, Some(tree), 0), LISTED, skip)?;
    Ok(found.into_iter().filter_map(|difference| difference.new).collect())
}

fn walk(
    repo: &Repository,
    start: Pending,
    limit: usize,
    skip: &mut dyn FnMut(&[u8], Oid) -> bool,
) -> Result<Vec<Difference>, Error> {
    let local = repo.local();
    let hash = local.object_hash();
    let mut walk = Walk { found: Vec::new(), pending: vec![start], path_bytes: 0, paths: 0, limit };
    while let Some((prefix, old, new, level)) = walk.pending.pop() {
        if level > LEVELS {
            return Err(Error::TooMany { what: "folder levels", limit: LEVELS });
        }
        if old.is_none() && new.is_some_and(|new| skip(&prefix, new)) {
            continue;
        }
        let data = |id: Option<Oid>| id.map(|id| read(repo, &local, id)).transpose();
        let (old_data, new_data) = (data(old)?.unwrap_or_default(), data(new)?.unwrap_or_default());
        let entries = |data, id: Option<Oid>| {
            TreeRefIter::from_bytes(data, hash).map(move |entry| {
                // Without an id there is no data, so no entry that could fail.
                let id = id.unwrap_or(Oid(hash.null()));
                entry.map_err(|error| Error::CorruptObject { id, why: chain(&error) })
            })
        };
        walk.level(&prefix, level, entries(&old_data, old), entries(&new_data, new))?;
    }
    Ok(walk.found)
}

/// The entry of one tree object by its name, and whether it is a folder.
pub(super) fn entry_in(data: &[u8], name: &[u8], hash: gix::hash::Kind) -> Option<(Oid, tree::EntryKind)> {
    TreeRefIter::from_bytes(data, hash)
        .map_while(Result::ok)
        .find(|entry| entry.filename == name)
        .map(|entry| (Oid(entry.oid.to_owned()), entry.mode.kind()))
}

/// The bytes of a tree object.
pub(super) fn read(repo: &Repository, local: &gix::Repository, id: Oid) -> Result<Vec<u8>, Error> {
    let object = local.find_object(id.0).map_err(|error| repo.explain_object(id, &error))?;
    if object.kind != gix::objs::Kind::Tree {
        return Err(Error::CorruptObject { id, why: format!("a tree is needed, this is a {}", object.kind) });
    }
    Ok(object.detach().data)
}

/// A folder still to compare: its path with a final `/`, its trees, how deep it is.
type Pending = (Vec<u8>, Option<Oid>, Option<Oid>, usize);

struct Walk {
    found: Vec<Difference>,
    pending: Vec<Pending>,
    path_bytes: usize,
    /// Files and folders seen so far; a tree of empty folders counts too.
    paths: usize,
    limit: usize,
}

impl Walk {
    fn level<'a>(
        &mut self,
        prefix: &[u8],
        level: usize,
        mut olds: impl Iterator<Item = Result<EntryRef<'a>, Error>>,
        mut news: impl Iterator<Item = Result<EntryRef<'a>, Error>>,
    ) -> Result<(), Error> {
        let (mut one, mut other) = (olds.next().transpose()?, news.next().transpose()?);
        loop {
            let order = match (&one, &other) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => {
                    tree::name_order(one.filename, one.mode.is_tree(), other.filename, other.mode.is_tree())
                }
            };
            let left = if order.is_le() { one.take() } else { None };
            let right = if order.is_ge() { other.take() } else { None };
            self.pair(prefix, level, left.as_ref(), right.as_ref())?;
            if left.is_some() {
                one = olds.next().transpose()?;
            }
            if right.is_some() {
                other = news.next().transpose()?;
            }
        }
    }

    fn pair(
        &mut self,
        prefix: &[u8],
        level: usize,
        old: Option<&EntryRef<'_>>,
        new: Option<&EntryRef<'_>>,
    ) -> Result<(), Error> {
        if let (Some(old), Some(new)) = (old, new)
            && old.oid == new.oid
            && old.mode.kind() == new.mode.kind()
        {
            return Ok(());
        }
        let Some(name) = new.or(old).map(|entry| entry.filename) else { return Ok(()) };
        let mut path = Vec::with_capacity(prefix.len() + name.len() + 1);
        path.extend_from_slice(prefix);
        path.extend_from_slice(name);
        self.path_bytes += path.len();
        self.paths += 1;
        if self.paths > self.limit || self.path_bytes > PATH_BYTES {
            return Err(Error::TooMany { what: "files", limit: self.limit });
        }
        let tree_of = |entry: Option<&EntryRef<'_>>| {
            entry.filter(|entry| entry.mode.is_tree()).map(|entry| Oid(entry.oid.to_owned()))
        };
        let (old_tree, new_tree) = (tree_of(old), tree_of(new));
        let file_of = |entry: Option<&EntryRef<'_>>| {
            let entry = entry?;
            let kind = kind_of(entry.mode.kind())?;
            Some(Entry { path: RepoPath::new(&path), kind, content: Content::Blob(Oid(entry.oid.to_owned())) })
        };
        let (old_file, new_file) = (file_of(old), file_of(new));
        if old_file.is_some() || new_file.is_some() {
            self.found.push(Difference { old: old_file, new: new_file });
        }
        if old_tree.is_some() || new_tree.is_some() {
            path.push(b'/');
            self.pending.push((path, old_tree, new_tree, level + 1));
        }
        Ok(())
    }
}

/// Whether an entry holds bytes of its own: a file, executable or not.
pub(super) const fn is_file(kind: tree::EntryKind) -> bool {
    matches!(kind, tree::EntryKind::Blob | tree::EntryKind::BlobExecutable)
}

/// What an entry is, unless it is a folder.
pub(super) const fn kind_of(kind: tree::EntryKind) -> Option<EntryKind> {
    use tree::EntryKind as Git;
    match kind {
        Git::Tree => None,
        Git::Blob => Some(EntryKind::File),
        Git::BlobExecutable => Some(EntryKind::Executable),
        Git::Link => Some(EntryKind::Symlink),
        Git::Commit => Some(EntryKind::Submodule),
    }
}
