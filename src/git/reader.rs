//! Reads contents: blobs, files on disk as git would store them, files of a tree.

use std::path::PathBuf;

use super::changes::{Content, Entry, EntryKind};
use super::disk::{self, Filters};
use super::error::chain;
use super::{Error, Missing, Oid, Repository, tree};
use crate::finding::RepoPath;

/// Reads contents on one thread; make one for each with [`Repository::reader`].
pub struct Reader {
    repo: gix::Repository,
    root: Option<PathBuf>,
    index_file: Option<PathBuf>,
    missing: Missing,
    /// Made when the first file on disk is read.
    filters: Option<Filters>,
}

impl Reader {
    pub(super) const fn new(
        repo: gix::Repository,
        root: Option<PathBuf>,
        index_file: Option<PathBuf>,
        missing: Missing,
    ) -> Self {
        Self { repo, root, index_file, missing, filters: None }
    }

    /// A blob of at most `limit` bytes; its size is asked for before it is inflated.
    ///
    /// # Errors
    /// It is larger, missing, or damaged.
    pub fn blob(&self, id: Oid, limit: u64) -> Result<Vec<u8>, Error> {
        let bytes = self.blob_size(id)?;
        if bytes > limit {
            return Err(Error::TooLarge { id, bytes, limit });
        }
        let object = self.repo.find_object(id.0).map_err(|error| self.explain(id, &error))?;
        Ok(object.detach().data)
    }

    /// The blob whose id starts with these hexadecimal digits, of at most `limit` bytes; `None` where there is none, or
    /// more than one object.
    pub fn blob_of_prefix(&self, digits: &str, limit: u64) -> Option<Vec<u8>> {
        let prefix = gix::hash::Prefix::from_hex(digits).ok()?;
        let id = self.repo.objects.lookup_prefix(prefix, None).ok()??.ok()?;
        self.blob(Oid(id), limit).ok()
    }

    /// The size of a blob in bytes, without inflating it.
    ///
    /// # Errors
    /// It is missing, damaged, or no blob.
    pub fn blob_size(&self, id: Oid) -> Result<u64, Error> {
        let header = self.repo.find_header(id.0).map_err(|error| self.explain(id, &error))?;
        if header.kind() != gix::objs::Kind::Blob {
            return Err(Error::CorruptObject { id, why: format!("a blob is needed, this is a {}", header.kind()) });
        }
        Ok(header.size())
    }

    /// The size of an entry's content in bytes; for a file on disk, its size there.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn size(&mut self, entry: &Entry) -> Result<u64, Error> {
        match entry.content {
            Content::Blob(_) if entry.kind == EntryKind::Submodule => Ok(0),
            Content::Blob(id) => self.blob_size(id),
            Content::Disk(_) => disk::size(self.root.as_deref().ok_or(Error::Bare)?, &entry.path),
        }
    }

    /// The content of an entry, of at most `limit` bytes: a blob, a file on disk as git would store it (line endings
    /// and encodings by its attributes, no programs), the target of a link. Empty for a submodule.
    ///
    /// # Errors
    /// It is larger, missing, damaged, or cannot be read.
    pub fn content(&mut self, entry: &Entry, limit: u64) -> Result<Vec<u8>, Error> {
        match entry.content {
            _ if entry.kind == EntryKind::Submodule => Ok(Vec::new()),
            Content::Blob(id) => self.blob(id, limit),
            Content::Disk(_) => {
                let root = self.root.as_deref().ok_or(Error::Bare)?;
                let filters = match &mut self.filters {
                    Some(filters) => filters,
                    none => none.insert(Filters::new(&self.repo, self.index_file.as_deref())?),
                };
                filters.read(&self.repo, root, &entry.path, entry.kind, limit)
            }
        }
    }

    fn explain(&self, id: Oid, error: &gix::Error) -> Error {
        if error.is_not_found() && !error.is_corrupted() {
            return Error::MissingObject { id, why: self.missing };
        }
        Error::CorruptObject { id, why: chain(error) }
    }
}

impl Repository {
    /// A file of a tree, of at most `limit` bytes; `None` where the tree has nothing of this name. Links are not followed.
    ///
    /// # Errors
    /// An object is larger, missing or damaged, or there is something of this name that is no file.
    pub fn file_at(&self, tree: Oid, path: &RepoPath, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        match self.find_at(tree, path)? {
            Some((id, kind)) if tree::is_file(kind) => self.reader().blob(id, limit).map(Some),
            Some(_) => Err(Error::NotAFile(path.visible())),
            None => Ok(None),
        }
    }

    /// What lies directly in a folder of a tree, folders left out, by path; none where there is no such
    /// folder. The empty path is the top folder.
    ///
    /// # Errors
    /// An object is missing or damaged.
    pub fn list_at(&self, tree: Oid, folder: &RepoPath) -> Result<Vec<RepoPath>, Error> {
        let id = if folder.bytes().is_empty() {
            tree
        } else {
            match self.find_at(tree, folder)? {
                Some((id, gix::objs::tree::EntryKind::Tree)) => id,
                _ => return Ok(Vec::new()),
            }
        };
        let local = self.local();
        let data = tree::read(self, &local, id)?;
        let mut paths: Vec<RepoPath> = gix::objs::TreeRefIter::from_bytes(&data, local.object_hash())
            .map_while(Result::ok)
            .filter(|entry| !entry.mode.is_tree())
            .map(|entry| match folder.bytes() {
                b"" => RepoPath::new(entry.filename),
                folder => RepoPath::new([folder, entry.filename].join(&b'/')),
            })
            .collect();
        paths.sort();
        Ok(paths)
    }

    fn find_at(&self, tree: Oid, path: &RepoPath) -> Result<Option<(Oid, gix::objs::tree::EntryKind)>, Error> {
        let local = self.local();
        let mut found = (tree, gix::objs::tree::EntryKind::Tree);
        for part in path.bytes().split(|byte| *byte == b'/') {
            if found.1 != gix::objs::tree::EntryKind::Tree {
                return Ok(None);
            }
            let data = tree::read(self, &local, found.0)?;
            match tree::entry_in(&data, part, local.object_hash()) {
                Some(next) => found = next,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }
}
