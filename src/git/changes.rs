//! What differs between two sides: commits, the index, the work tree.

use super::rename::{self, Bounds, Contents};
use super::tree::{self, Difference};
use super::{Error, Oid, Reader, Repository, disk, index};
use crate::finding::RepoPath;

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A tree object.
    Tree(Oid),
    /// Nothing: the other side is all new, or all gone.
    Empty,
    /// What the next commit would hold.
    Index,
    /// The files on disk: tracked ones, and untracked ones that are not ignored.
    Worktree,
}

/// What a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// 100644
    File,
    /// 100755
    Executable,
    /// 120000
    Symlink,
    /// 160000
    Submodule,
}

impl EntryKind {
    /// The mode as git writes it in octal.
    pub const fn mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Whether git shows a change between the two as a deletion and an addition.
    pub const fn is_other_type(self, other: Self) -> bool {
        const fn class(kind: EntryKind) -> u8 {
            match kind {
                EntryKind::File | EntryKind::Executable => 0,
                EntryKind::Symlink => 1,
                EntryKind::Submodule => 2,
            }
        }
        class(self) != class(other)
    }
}

/// Where the content of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// In the object database; for a submodule the id of its commit.
    Blob(Oid),
    /// On disk, below the work tree; the id is that of the content as git would store it, or the null id where it was
    /// not read.
    Disk(Oid),
}

impl Content {
    /// The id.
    pub const fn id(&self) -> Oid {
        match self {
            Self::Blob(id) | Self::Disk(id) => *id,
        }
    }
}

/// A file on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: RepoPath,
    /// What it is.
    pub kind: EntryKind,
    /// Where its content is.
    pub content: Content,
}

/// One changed file; at least one side is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The old side; `None` for an addition.
    pub old: Option<Entry>,
    /// The new side; `None` for a deletion.
    pub new: Option<Entry>,
    /// For a rename, git's similarity in percent.
    pub similarity: Option<u8>,
}

impl Change {
    /// The path it is listed under: the new one, or the old one of a deletion.
    pub fn path(&self) -> Option<&RepoPath> {
        self.new.as_ref().or(self.old.as_ref()).map(|entry| &entry.path)
    }
}

/// All changes between two sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// By path bytes; a deletion before an addition at the same path.
    pub list: Vec<Change>,
    /// The search for renames was cut short: further renames are listed as a deletion and an addition.
    pub renames_cut_short: bool,
    /// Paths in conflict, which have no single content and are not in `list`.
    pub unmerged: Vec<RepoPath>,
    /// Paths in the work tree that are neither file, link nor submodule (FIFO, socket, device) and were not read.
    pub special: Vec<RepoPath>,
}

impl Repository {
    /// The changed files between two sides, renames found (copies are not), submodules as entries. Independent of any
    /// user's configuration, except that a work tree is read as this machine lays files out.
    ///
    /// # Errors
    /// A side cannot be read, or the comparison is over the fixed bounds.
    pub fn changes(&self, old: &Side, new: &Side) -> Result<Changes, Error> {
        let mut notes = Changes::default();
        let differences = match (old.tree(), new.tree()) {
            (Some(old), Some(new)) => tree::compare(self, old, new)?,
            (Some(Some(old)), None) if *new == Side::Index => {
                let (old, new) = index::beside_tree(self, old, &mut notes.unmerged)?;
                join(old, new)
            }
            _ => {
                let old = self.entries(old, &mut notes)?;
                let new = self.entries(new, &mut notes)?;
                join(old, new)
            }
        };
        notes.unmerged.sort();
        notes.unmerged.dedup();
        notes.special.sort();
        notes.special.dedup();
        let unmerged = &notes.unmerged;
        let in_conflict =
            |entry: &Option<Entry>| entry.as_ref().is_some_and(|entry| unmerged.binary_search(&entry.path).is_ok());
        let differences = differences
            .into_iter()
            .filter(|difference| !in_conflict(&difference.old) && !in_conflict(&difference.new))
            .collect();
        let (list, cut_short) = pair_renames(differences, &mut Blobs(self.reader()));
        Ok(Changes { list, renames_cut_short: cut_short, ..notes })
    }

    fn entries(&self, side: &Side, notes: &mut Changes) -> Result<Vec<Entry>, Error> {
        match side {
            Side::Empty => Ok(Vec::new()),
            Side::Tree(id) => tree::list(self, *id, b""),
            Side::Index => index::entries(self, &mut notes.unmerged),
            Side::Worktree => disk::entries(self, notes),
        }
    }
}

impl Side {
    /// The tree, `Some(None)` being the empty one; `None` for the index and the work tree.
    const fn tree(&self) -> Option<Option<Oid>> {
        match self {
            Self::Tree(id) => Some(Some(*id)),
            Self::Empty => Some(None),
            Self::Index | Self::Worktree => None,
        }
    }
}

/// Joins two lists by path and keeps what differs.
fn join(mut old: Vec<Entry>, mut new: Vec<Entry>) -> Vec<Difference> {
    old.sort_by(|one, other| one.path.cmp(&other.path));
    new.sort_by(|one, other| one.path.cmp(&other.path));
    let mut found = Vec::new();
    let mut news = new.into_iter().peekable();
    for old in old {
        while let Some(new) = news.next_if(|new| new.path < old.path) {
            found.push(Difference { old: None, new: Some(new) });
        }
        let new = news.next_if(|new| new.path == old.path);
        let same = new.as_ref().is_some_and(|new| {
            new.kind == old.kind && new.content.id() == old.content.id() && !new.content.id().is_null()
        });
        if !same {
            found.push(Difference { old: Some(old), new });
        }
    }
    found.extend(news.map(|new| Difference { old: None, new: Some(new) }));
    found
}

/// Turns differences into sorted changes: pairs renames, splits changes of type.
fn pair_renames(differences: Vec<Difference>, contents: &mut dyn Contents) -> (Vec<Change>, bool) {
    let (mut deleted, mut added, mut list) = (Vec::new(), Vec::new(), Vec::new());
    for difference in differences {
        match difference {
            Difference { old: Some(old), new: None } => deleted.push(old),
            Difference { old: None, new: Some(new) } => added.push(new),
            Difference { old: Some(old), new: Some(new) } if old.kind.is_other_type(new.kind) => {
                // As git prints it. Neither half takes part in a rename.
                list.push(Change { old: Some(old), new: None, similarity: None });
                list.push(Change { old: None, new: Some(new), similarity: None });
            }
            Difference { old, new } => list.push(Change { old, new, similarity: None }),
        }
    }
    deleted.sort_by(|one, other| one.path.cmp(&other.path));
    added.sort_by(|one, other| one.path.cmp(&other.path));
    let renames = rename::find(&deleted, &added, contents, Bounds::default());
    let mut deleted: Vec<Option<Entry>> = deleted.into_iter().map(Some).collect();
    let mut added: Vec<Option<Entry>> = added.into_iter().map(Some).collect();
    for pair in renames.pairs {
        let (old, new) = (deleted[pair.old].take(), added[pair.new].take());
        list.push(Change { old, new, similarity: Some(pair.similarity) });
    }
    list.extend(deleted.into_iter().flatten().map(|old| Change { old: Some(old), new: None, similarity: None }));
    list.extend(added.into_iter().flatten().map(|new| Change { old: None, new: Some(new), similarity: None }));
    // Stable, so that the deletion of a changed type stays before its addition.
    list.sort_by(|one, other| one.path().cmp(&other.path()).then(one.new.is_some().cmp(&other.new.is_some())));
    (list, renames.cut_short)
}

/// Contents for the search of renames. A blob over this size takes no part: it will not be read for review either.
struct Blobs(Reader);

const RENAME_BLOB: u64 = 64 << 20;

impl Contents for Blobs {
    fn size(&mut self, entry: &Entry) -> Option<u64> {
        self.0.size(entry).ok()
    }

    fn read(&mut self, entry: &Entry) -> Option<Vec<u8>> {
        self.0.content(entry, RENAME_BLOB).ok()
    }
}
