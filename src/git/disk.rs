//! The files on disk. Links are never followed, neither at the end of a path nor on the way, so nothing outside of the
//! work tree is read. Contents are converted as `git add` would (line endings, `$Id$`, encodings), by gix itself; clean
//! filters, which are programs, are not run, so a file under Git LFS shows its real content.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::filter::plumbing::pipeline::CrlfRoundTripCheck;
use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
use gix::status::index_worktree::Item;
use gix::status::plumbing::index_as_worktree::{Change, EntryStatus};
use gix::worktree::stack::state::attributes::Source;

use super::changes::{Changes, Content, Entry, EntryKind};
use super::error::chain;
use super::{Error, Oid, Repository, Side, index};
use crate::finding::RepoPath;

/// A file over this size is not hashed: it counts as changed and takes no part in the search for renames.
const HASHED: u64 = 64 << 20;

/// Tracked files as they are on disk, and untracked ones that are not ignored.
pub(super) fn entries(repo: &Repository, notes: &mut Changes) -> Result<Vec<Entry>, Error> {
    let root = repo.root.as_deref().ok_or(Error::Bare)?;
    let local = repo.local();
    let failed = |error: &gix::Error| Error::Worktree { at: None, why: chain(error) };
    let mut known: BTreeMap<RepoPath, Entry> =
        index::entries(repo, &mut notes.unmerged)?.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
    let executable_bit = local.filesystem_options().map_err(|error| failed(&error))?.executable_bit;
    let items = platform(repo, &local)?.into_index_worktree_iter([]).map_err(|error| failed(&error))?;
    let mut filters = Filters::new(&local, repo.index_file.as_deref())?;
    for item in items {
        let found = match item.map_err(|error| failed(&error))? {
            Item::Modification { rela_path, status, entry, .. } => {
                let path = RepoPath::new(&*rela_path);
                match changed_kind(&status, index::kind_of(entry.mode)) {
                    Tracked::Same => continue,
                    Tracked::Gone => {
                        known.remove(&path);
                        continue;
                    }
                    Tracked::Special => {
                        known.remove(&path);
                        notes.special.push(path);
                        continue;
                    }
                    Tracked::Now(kind) => (path, kind),
                }
            }
            Item::DirectoryContents { entry, .. } => {
                let path = RepoPath::new(&*entry.rela_path);
                match untracked_kind(&entry, root, executable_bit) {
                    Some(kind) => (path, kind),
                    None => {
                        if entry.disk_kind != Some(gix::dir::entry::Kind::Directory) {
                            notes.special.push(path);
                        }
                        continue;
                    }
                }
            }
            Item::Rewrite { .. } => continue,
        };
        let (path, kind) = found;
        let id = filters
            .read(&local, root, &path, kind, HASHED)
            .ok()
            .and_then(|data| gix::objs::compute_hash(local.object_hash(), gix::objs::Kind::Blob, &data).ok())
            .unwrap_or_else(|| local.object_hash().null());
        known.insert(path.clone(), Entry { path, kind, content: Content::Disk(Oid(id)) });
    }
    Ok(known.into_values().collect())
}

impl Repository {
    /// Whether tracked files or the index differ from HEAD. Untracked files do not count, nor does what cannot be told:
    /// this only words a note.
    pub fn has_uncommitted(&self) -> bool {
        self.look_for_uncommitted().unwrap_or(false)
    }

    fn look_for_uncommitted(&self) -> Option<bool> {
        let local = self.local();
        self.root.as_deref()?;
        let head = match self.head().ok()?.id() {
            Some(id) => Side::Tree(self.tree_of(id).ok()?),
            None => Side::Empty,
        };
        let staged = self.changes(&head, &Side::Index).ok()?;
        if !staged.list.is_empty() || !staged.unmerged.is_empty() {
            return Some(true);
        }
        let mut items = platform(self, &local)
            .ok()?
            .index_worktree_options_mut(|options| options.dirwalk_options = None)
            .into_index_worktree_iter([])
            .ok()?;
        Some(items.any(|item| match item {
            Ok(Item::Modification { status, entry, .. }) => {
                !matches!(changed_kind(&status, index::kind_of(entry.mode)), Tracked::Same)
            }
            _ => false,
        }))
    }
}

/// gix's comparison of index and disk, without submodules and renames. The index is read again, because it is consumed.
fn platform<'repo>(
    repo: &Repository,
    local: &'repo gix::Repository,
) -> Result<gix::status::Platform<'repo, gix::progress::Discard>, Error> {
    let platform = local
        .status(gix::progress::Discard)
        .map_err(|error| Error::Worktree { at: None, why: chain(&error) })?
        .index(gix::worktree::IndexPersistedOrInMemory::InMemory(index::open(repo, local)?))
        .untracked_files(gix::status::UntrackedFiles::Files)
        .index_worktree_submodules(gix::status::Submodule::Given {
            ignore: gix::submodule::config::Ignore::All,
            check_dirty: false,
        })
        .index_worktree_rewrites(None);
    Ok(platform)
}

enum Tracked {
    Same,
    Gone,
    Special,
    Now(EntryKind),
}

fn changed_kind(status: &EntryStatus<(), gix::submodule::Status>, indexed: Option<EntryKind>) -> Tracked {
    let kind = indexed.unwrap_or(EntryKind::File);
    match status {
        EntryStatus::Change(Change::Removed) => Tracked::Gone,
        EntryStatus::Change(Change::Type { worktree_mode }) => match index::kind_of(*worktree_mode) {
            // A folder in the place of a file is not this file any more; what is in it is listed by itself.
            None => Tracked::Gone,
            Some(EntryKind::Submodule) => Tracked::Gone,
            Some(now) if now == kind => Tracked::Special,
            Some(now) => Tracked::Now(now),
        },
        EntryStatus::Change(Change::Modification { executable_bit_changed, .. }) => {
            Tracked::Now(match (kind, executable_bit_changed) {
                (EntryKind::File, true) => EntryKind::Executable,
                (EntryKind::Executable, true) => EntryKind::File,
                (kind, _) => kind,
            })
        }
        EntryStatus::IntentToAdd => Tracked::Now(kind),
        EntryStatus::Change(Change::SubmoduleModification(_))
        | EntryStatus::Conflict { .. }
        | EntryStatus::NeedsUpdate(_) => Tracked::Same,
    }
}

fn untracked_kind(entry: &gix::dir::Entry, root: &Path, executable_bit: bool) -> Option<EntryKind> {
    match entry.disk_kind? {
        gix::dir::entry::Kind::File => {
            let executable = executable_bit
                && metadata(root, &RepoPath::new(&*entry.rela_path)).is_ok_and(|(_, meta)| is_executable(&meta));
            Some(if executable { EntryKind::Executable } else { EntryKind::File })
        }
        gix::dir::entry::Kind::Symlink => Some(EntryKind::Symlink),
        _ => None,
    }
}

/// The size of a file on disk in bytes.
pub(super) fn size(root: &Path, path: &RepoPath) -> Result<u64, Error> {
    metadata(root, path).map(|(_, meta)| meta.len())
}

/// Converts files as `git add` would, without programs.
pub(super) struct Filters {
    pipeline: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
    index: gix::index::File,
}

impl Filters {
    pub(super) fn new(repo: &gix::Repository, index_file: Option<&Path>) -> Result<Self, Error> {
        let failed = |error: &gix::Error| Error::Worktree { at: None, why: chain(error) };
        let index = index::open_at(repo, index_file)?;
        let attributes =
            repo.attributes_only(&index, Source::WorktreeThenIdMapping).map_err(|error| failed(&error))?.detach();
        let mut options = gix::filter::Pipeline::options(repo).map_err(|error| failed(&error))?;
        options.drivers.clear();
        options.crlf_roundtrip_check = CrlfRoundTripCheck::Skip;
        options.encodings_with_roundtrip_check.clear();
        let pipeline = gix::filter::plumbing::Pipeline::new(Default::default(), repo.object_hash(), options);
        Ok(Self { pipeline, attributes, index })
    }

    /// The content of a path on disk as git would store it.
    pub(super) fn read(
        &mut self,
        repo: &gix::Repository,
        root: &Path,
        path: &RepoPath,
        kind: EntryKind,
        limit: u64,
    ) -> Result<Vec<u8>, Error> {
        let failed = |why: String| Error::Worktree { at: Some(path.visible()), why };
        let (place, meta) = metadata(root, path)?;
        match kind {
            EntryKind::Submodule => return Ok(Vec::new()),
            EntryKind::Symlink => {
                let target = fs::read_link(&place).map_err(|error| failed(error.to_string()))?;
                let target = gix::path::into_bstr(target).map_err(|error| failed(error.to_string()))?;
                return Ok(target.as_bytes().to_vec());
            }
            EntryKind::File | EntryKind::Executable => {}
        }
        if !meta.is_file() {
            return Err(failed("it is not a regular file any more".to_owned()));
        }
        if meta.len() > limit {
            let id = Oid(repo.object_hash().null());
            return Err(Error::TooLarge { id, bytes: meta.len(), limit });
        }
        let data = read_file(&place, &meta, limit).map_err(|error| failed(error.to_string()))?;
        self.convert(repo, path, data).map_err(|error| failed(chain(&error)))
    }

    fn convert(&mut self, repo: &gix::Repository, path: &RepoPath, data: Vec<u8>) -> gix::Result<Vec<u8>> {
        let name = path.bytes().as_bstr();
        let at = self.attributes.at_entry(name, None, &repo.objects).map_err(gix::Error::from_error)?;
        let relative = gix::path::from_bstr(name).map_err(gix::Error::from_error)?;
        let index = &self.index;
        let outcome = self.pipeline.convert_to_git(
            data.as_slice(),
            &relative,
            &mut |_, attributes| {
                at.matching_attributes(attributes);
            },
            &mut |buffer| {
                use gix::prelude::Find as _;
                let Some(entry) = index.entry_by_path(name) else { return Ok(None) };
                let object = repo.objects.try_find(&entry.id, buffer)?;
                Ok(object.filter(|object| object.kind == gix::objs::Kind::Blob).map(|_| ()))
            },
        )?;
        match outcome {
            ToGitOutcome::Unchanged(_) => {}
            ToGitOutcome::Buffer(converted) => return Ok(converted.to_vec()),
            // Not reached without drivers; reading on would be harmless, as nothing was started.
            ToGitOutcome::Process(_) => {}
        }
        Ok(data)
    }
}

/// Where a path lies and what is there, after a look at every folder on the way: a link among them ends it.
fn metadata(root: &Path, path: &RepoPath) -> Result<(PathBuf, Metadata), Error> {
    let failed = |why: String| Error::Worktree { at: Some(path.visible()), why };
    if !path.is_inside() {
        return Err(failed("it leads out of the work tree".to_owned()));
    }
    let mut place = root.to_owned();
    let mut parts = path.bytes().split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let part = gix::path::from_bstr(part.as_bstr()).map_err(|error| failed(error.to_string()))?;
        place.push(part);
        let meta = fs::symlink_metadata(&place).map_err(|error| failed(error.to_string()))?;
        if parts.peek().is_none() {
            return Ok((place, meta));
        }
        if !meta.is_dir() {
            return Err(failed("a link or a file stands where a folder was".to_owned()));
        }
    }
    Err(failed("it has no name".to_owned()))
}

/// Reads a regular file and makes sure that what was opened is what was looked at.
fn read_file(place: &Path, seen: &Metadata, limit: u64) -> std::io::Result<Vec<u8>> {
    let file = fs::File::open(place)?;
    if !is_same_file(&file.metadata()?, seen) {
        return Err(std::io::Error::other("it was replaced while it was read"));
    }
    let mut data = Vec::with_capacity(usize::try_from(seen.len()).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut data)?;
    if data.len() as u64 > limit {
        return Err(std::io::Error::other("it grew while it was read"));
    }
    Ok(data)
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(one: &Metadata, _other: &Metadata) -> bool {
    one.is_file()
}

#[cfg(unix)]
fn is_executable(meta: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
const fn is_executable(_meta: &Metadata) -> bool {
    false
}
