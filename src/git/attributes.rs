//! Attributes of paths, read from the `.gitattributes` files of one tree and from nowhere else: not from the work
//! tree, not from `info/attributes`, not from a user's or the system's files.

use std::collections::HashMap;
use std::path::Path;

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::ByteSlice as _;

use super::{Error, Oid, Repository, tree};
use crate::finding::RepoPath;

/// The attributes this program asks for.
const ASKED: [&str; 3] = ["linguist-generated", "linguist-vendored", "diff"];
/// git ignores a larger attribute file (`attr.h`, `ATTR_MAX_FILE_SIZE` is 100 MiB); a sane one is far smaller.
const FILE: u64 = 1 << 20;

/// What the attributes say of a path; `None` where they say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// `linguist-generated`, and `-linguist-generated` as `false`.
    pub generated: Option<bool>,
    /// `linguist-vendored`, and `-linguist-vendored` as `false`.
    pub vendored: Option<bool>,
    /// `-diff`, also through the macro `binary`.
    pub diff_off: bool,
}

/// The attributes of one tree. Folders are looked at when a path below them is asked for.
pub struct Attributes<'repo> {
    repo: &'repo Repository,
    local: gix::Repository,
    collection: MetadataCollection,
    /// The attribute files on the way to a folder, from the top. Folders without a file share their parent's.
    searches: Vec<Vec<(Vec<u8>, Vec<u8>)>>,
    /// By folder path (empty for the top): its tree, and its place in `searches`.
    folders: HashMap<Vec<u8>, Folder>,
    /// Built searches, by place.
    built: HashMap<usize, Search>,
}

#[derive(Clone, Copy)]
struct Folder {
    tree: Option<Oid>,
    files: usize,
}

impl Repository {
    /// The attributes that a tree holds; no tree, no attributes.
    ///
    /// # Errors
    /// The tree or its top attribute file is missing or damaged.
    pub fn attributes(&self, tree: Option<Oid>) -> Result<Attributes<'_>, Error> {
        let mut attributes = Attributes {
            repo: self,
            local: self.local(),
            collection: MetadataCollection::default(),
            searches: vec![Vec::new()],
            folders: HashMap::new(),
            built: HashMap::new(),
        };
        let top = attributes.open_folder(&[], tree, 0)?;
        attributes.folders.insert(Vec::new(), top);
        Ok(attributes)
    }
}

impl Attributes<'_> {
    /// What the attributes say of a path. It need not exist in the tree.
    ///
    /// # Errors
    /// A folder's tree or attribute file is missing or damaged.
    pub fn of(&mut self, path: &RepoPath) -> Result<Flags, Error> {
        let bytes = path.bytes();
        let end = bytes.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let folder = self.folder(&bytes[..end])?;
        if self.searches[folder.files].is_empty() {
            return Ok(Flags::default());
        }
        self.build(folder.files);
        let Some(search) = self.built.get(&folder.files) else { return Ok(Flags::default()) };
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.collection, ASKED);
        search.pattern_matching_relative_path(
            bytes.as_bstr(),
            gix::glob::pattern::Case::Sensitive,
            Some(false),
            &mut outcome,
        );
        let mut flags = Flags::default();
        for found in outcome.iter_selected() {
            match (found.assignment.name.as_str(), found.assignment.state) {
                ("linguist-generated", state) => flags.generated = truth(state),
                ("linguist-vendored", state) => flags.vendored = truth(state),
                ("diff", StateRef::Unset) => flags.diff_off = true,
                _ => {}
            }
        }
        Ok(flags)
    }

    fn folder(&mut self, path: &[u8]) -> Result<Folder, Error> {
        if let Some(known) = self.folders.get(path) {
            return Ok(*known);
        }
        let (mut at, mut folder) = (0, self.folders.get(&[][..]).copied().unwrap_or(Folder { tree: None, files: 0 }));
        while at < path.len() {
            let end = path[at..].iter().position(|byte| *byte == b'/').map_or(path.len(), |length| at + length);
            folder = match self.folders.get(&path[..end]) {
                Some(known) => *known,
                None => {
                    let tree = match folder.tree {
                        Some(parent) => self.subfolder(parent, &path[at..end])?,
                        None => None,
                    };
                    let opened = self.open_folder(&path[..end], tree, folder.files)?;
                    self.folders.insert(path[..end].to_vec(), opened);
                    opened
                }
            };
            at = end + 1;
        }
        Ok(folder)
    }

    fn subfolder(&self, parent: Oid, name: &[u8]) -> Result<Option<Oid>, Error> {
        let data = tree::read(self.repo, &self.local, parent)?;
        Ok(tree::entry_in(&data, name, self.local.object_hash())
            .filter(|(_, kind)| *kind == gix::objs::tree::EntryKind::Tree)
            .map(|(id, _)| id))
    }

    fn open_folder(&mut self, path: &[u8], tree: Option<Oid>, parent: usize) -> Result<Folder, Error> {
        let Some(id) = tree else { return Ok(Folder { tree, files: parent }) };
        let data = tree::read(self.repo, &self.local, id)?;
        let file = tree::entry_in(&data, b".gitattributes", self.local.object_hash());
        // A link named `.gitattributes` counts for nothing, as in git.
        let Some((id, _)) = file.filter(|(_, kind)| tree::is_file(*kind)) else {
            return Ok(Folder { tree, files: parent });
        };
        let content = match self.repo.reader().blob(id, FILE) {
            Ok(content) => content,
            Err(Error::TooLarge { .. }) => return Ok(Folder { tree, files: parent }),
            Err(error) => return Err(error),
        };
        let mut files = self.searches[parent].clone();
        files.push((path.to_vec(), content));
        self.searches.push(files);
        Ok(Folder { tree, files: self.searches.len() - 1 })
    }

    fn build(&mut self, files: usize) {
        if self.built.contains_key(&files) {
            return;
        }
        let none: [&Path; 0] = [];
        let mut search = Search::new_globals(none, &mut Vec::new(), &mut self.collection).unwrap_or_default();
        for (folder, content) in &self.searches[files] {
            // The root makes the patterns relative to their folder; both paths only ever exist in memory.
            let root = Path::new("/");
            let source = match gix::path::from_bstr(folder.as_bstr()) {
                Ok(folder) => root.join(folder).join(".gitattributes"),
                Err(_) => continue,
            };
            let top = folder.is_empty();
            let added = search.add_patterns_buffer(content, source, Some(root), &mut self.collection, top);
            debug_assert!(added.is_ok(), "a buffer is always read");
        }
        self.built.insert(files, search);
    }
}

/// linguist's reading: `attr`, `attr=true` and any other value are yes, `-attr` and `attr=false` are no.
fn truth(state: StateRef<'_>) -> Option<bool> {
    match state {
        StateRef::Set => Some(true),
        StateRef::Unset => Some(false),
        StateRef::Value(value) => Some(value.as_bstr() != "false"),
        StateRef::Unspecified => None,
    }
}
