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
    let local = repo.local();
    let mut walk = Walk { found: Vec::new(), pending: vec![(Vec::new(), old, new, 0)], path_bytes: 0, limit: CHANGED };
    while let Some((prefix, old, new, level)) = walk.pending.pop() {
        if level > LEVELS {
            return Err(Error::TooMany { what: "folder levels", limit: LEVELS });
        }
        let old = old.map(|id| read(repo, &local, id)).transpose()?.unwrap_or_default();
        let new = new.map(|id| read(repo, &local, id)).transpose()?.unwrap_or_default();
        walk.level(&prefix, level, &old, &new, local.object_hash())?;
    }
    Ok(walk.found)
}

/// All files of a tree, below `prefix` (empty, or ending in `/`).
pub(super) fn list(repo: &Repository, tree: Oid, prefix: &[u8]) -> Result<Vec<Entry>, Error> {
    let local = repo.local();
    let mut walk =
        Walk { found: Vec::new(), pending: vec![(prefix.to_vec(), None, Some(tree), 0)], path_bytes: 0, limit: LISTED };
    while let Some((prefix, _, new, level)) = walk.pending.pop() {
        if level > LEVELS {
            return Err(Error::TooMany { what: "folder levels", limit: LEVELS });
        }
        let new = new.map(|id| read(repo, &local, id)).transpose()?.unwrap_or_default();
        walk.level(&prefix, level, &[], &new, local.object_hash())?;
    }
    Ok(walk.found.into_iter().filter_map(|difference| difference.new).collect())
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
    limit: usize,
}

impl Walk {
    fn level(
        &mut self,
        prefix: &[u8],
        level: usize,
        old: &[u8],
        new: &[u8],
        hash: gix::hash::Kind,
    ) -> Result<(), Error> {
        let decode = |data| {
            TreeRefIter::from_bytes(data, hash).map(|entry| {
                entry.map_err(|error| {
                    // The id is not known here any more; the folder says more to a person.
                    let why = format!("in `{}`: {}", RepoPath::new(prefix).visible(), chain(&error));
                    Error::CorruptObject { id: Oid(hash.null()), why }
                })
            })
        };
        let (mut olds, mut news) = (decode(old), decode(new));
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
        if self.found.len() + self.pending.len() >= self.limit || self.path_bytes > PATH_BYTES {
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
