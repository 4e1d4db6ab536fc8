//! The change of a case, read from where the case says it is.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::detect;
use crate::diff::{self, Body, FileChange, Globs, NotCode, Plan, classify, patch};
use crate::finding::RepoPath;
use crate::git::{self, Env, Flags, Repository, Side};
use crate::record::{self, Case, Dataset, Source};

/// Largest patch of a case.
const PATCH_BYTES: u64 = 64 << 20;

/// Why the change of a case cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A repository or a revision of it.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// What the dataset names.
    #[error(transparent)]
    Record(#[from] record::Error),
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
            read_patch(&dataset.inside(file)?, repository.as_deref(), env)?
        }
        Source::Files { folder } => pairs(&dataset.inside(folder)?)?,
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
    // A link could lead out of the dataset.
    let real = |side: PathBuf| fs::symlink_metadata(&side).is_ok_and(|meta| meta.is_dir()).then_some(side);
    let sides = [folder.join("old"), folder.join("new")].map(real);
    let mut names = BTreeSet::new();
    for side in sides.iter().flatten() {
        record::list(side, Path::new(""), &mut names)?;
    }
    if sides.iter().all(Option::is_none) {
        let cause = io::Error::new(io::ErrorKind::NotFound, "there is neither a folder `old` nor a folder `new`");
        return Err(Error::Io { path: folder.to_owned(), cause });
    }
    let mut files = Vec::new();
    for name in names {
        let side = |root: &Option<PathBuf>| {
            let Some(path) = root.as_ref().map(|root| root.join(&name)) else { return Ok(None) };
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
