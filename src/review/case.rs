//! The change of a case, read from where the case says it is.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::detect;
use crate::diff::{self, Body, FileChange, Globs, NotCode, Plan, classify, patch};
use crate::finding::RepoPath;
use crate::git::{self, Env, Flags, Repository, Side};
use crate::record::{Case, Dataset, Source};

/// Largest patch of a case.
const PATCH_BYTES: u64 = 64 << 20;

/// Most files on one side of a case.
const MOST_FILES: usize = 20_000;

/// Why the change of a case cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A repository or a revision of it.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file of the dataset.
    #[error("`{}`: {cause}", crate::escape::visible(&path.to_string_lossy()))]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A patch.
    #[error("`{}`: {cause}", crate::escape::visible(&path.to_string_lossy()))]
    Patch {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: patch::Error,
    },
    /// A folder with more than a change has.
    #[error("`{}` has more than {MOST_FILES} files", crate::escape::visible(&.0.to_string_lossy()))]
    TooMany(PathBuf),
    /// Nothing differs.
    #[error("nothing changes in it: a case without a change measures nothing")]
    Empty,
}

/// The changed files of a case. Relative repositories start at the dataset's folder.
///
/// # Errors
/// What it names is not there, cannot be read, or changes nothing.
pub fn load(dataset: &Dataset, case: &Case, exclude: &Globs, env: Env<'_>) -> Result<Vec<FileChange>, Error> {
    let mut files = match &case.source {
        Source::Commits { repository, base, head } => commits(&dataset.path(repository), base, head, env)?,
        Source::Patch { file, repository } => {
            let repository = repository.as_ref().map(|path| dataset.path(path));
            read_patch(&dataset.path(file), repository.as_deref(), env)?
        }
        Source::Files { folder } => pairs(&dataset.path(folder))?,
    };
    if files.is_empty() {
        return Err(Error::Empty);
    }
    for file in files.iter_mut().filter(|file| exclude.is_match(&file.path)) {
        file.body = Body::NotCode(NotCode::Excluded);
    }
    Ok(files)
}

fn commits(repository: &Path, base: &str, head: &str, env: Env<'_>) -> Result<Vec<FileChange>, Error> {
    let repo = Repository::open(repository, env)?;
    let tree = |rev: &str| repo.resolve(rev).and_then(|commit| repo.tree_of(commit));
    let (old, new) = (tree(base)?, tree(head)?);
    let plan = Plan::between(&repo, &Side::Tree(old), &Side::Tree(new), Some(old))?;
    let mut reader = repo.reader();
    let load = |planned: &diff::Planned| {
        let old_path = planned.change.similarity.and(planned.change.old.as_ref()).map(|old| &old.path);
        let limits = detect::limits(&planned.path, planned.class, old_path);
        diff::load(planned, &mut reader, &limits, &Globs::default())
    };
    Ok(plan.files.iter().map(load).collect())
}

fn read_patch(path: &Path, repository: Option<&Path>, env: Env<'_>) -> Result<Vec<FileChange>, Error> {
    let bytes = read(path)?;
    let files = patch::parse(&bytes, &diff::Limits::default().text_only())
        .map_err(|cause| Error::Patch { path: path.to_owned(), cause })?;
    let Some(repository) = repository else { return Ok(files) };
    let reader = Repository::open(repository, env)?.reader();
    let complete = |file: FileChange| {
        let limits = detect::limits(&file.path, file.class, None);
        match file.old_id.as_ref().and_then(|id| reader.blob_of_prefix(id, limits.file_bytes)) {
            Some(old) => patch::complete(file, old, &limits),
            None => file,
        }
    };
    Ok(files.into_iter().map(complete).collect())
}

/// What differs between the folders `old` and `new`.
fn pairs(folder: &Path) -> Result<Vec<FileChange>, Error> {
    let sides = [folder.join("old"), folder.join("new")];
    if !sides.iter().any(|side| side.is_dir()) {
        let cause = io::Error::new(io::ErrorKind::NotFound, "there is neither a folder `old` nor a folder `new`");
        return Err(Error::Io { path: folder.to_owned(), cause });
    }
    let mut names = BTreeSet::new();
    for side in &sides {
        list(side, Path::new(""), &mut names)?;
        if names.len() > MOST_FILES {
            return Err(Error::TooMany(folder.to_owned()));
        }
    }
    let mut files = Vec::new();
    for name in names {
        let side = |root: &Path| {
            let path = root.join(&name);
            fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file()).then(|| read(&path)).transpose()
        };
        let (old, new) = (side(&sides[0])?, side(&sides[1])?);
        if old != new {
            let path = RepoPath::new(slashed(&name));
            let class = classify(&path, Flags::default());
            let limits = detect::limits(&path, class, None);
            files.push(diff::pair(path, class, old, new, &limits));
        }
    }
    Ok(files)
}

/// A relative path as git writes it.
fn slashed(path: &Path) -> Vec<u8> {
    let parts: Vec<&[u8]> = path.iter().map(|part| part.as_encoded_bytes()).collect();
    parts.join(&b'/')
}

/// All files below a folder, by their paths in it; none where it is missing. Links are not followed.
fn list(root: &Path, below: &Path, names: &mut BTreeSet<PathBuf>) -> Result<(), Error> {
    let folder = root.join(below);
    let io = |cause| Error::Io { path: folder.clone(), cause };
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && below.as_os_str().is_empty() => return Ok(()),
        entries => entries.map_err(io)?,
    };
    for entry in entries {
        let entry = entry.map_err(io)?;
        let kind = entry.file_type().map_err(io)?;
        let name = below.join(entry.file_name());
        if kind.is_dir() {
            list(root, &name, names)?;
        } else if kind.is_file() {
            names.insert(name);
        }
        if names.len() > MOST_FILES {
            break;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let io = |cause| Error::Io { path: path.to_owned(), cause };
    let size = fs::metadata(path).map_err(io)?.len();
    if size > PATCH_BYTES {
        return Err(io(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it has {size} bytes; {PATCH_BYTES} are read"),
        )));
    }
    fs::read(path).map_err(io)
}
