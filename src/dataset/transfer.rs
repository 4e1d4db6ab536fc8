//! Takes cases from one dataset to another: what they name in their folder goes along, repositories stay where they are.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::record::{Case, Dataset, Error, Source};

/// Most files of one case.
const MOST_FILES: usize = 20_000;

/// Files of a dataset that is being written, with their digests.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    written: BTreeMap<String, String>,
}

impl Files {
    /// Of a dataset in this folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), written: BTreeMap::new() }
    }

    /// Writes one; `name` is relative, with `/`.
    ///
    /// # Errors
    /// The name leads out of the folder, or the file cannot be written.
    pub fn write(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.folder.join(name);
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(Error::content(&path, "the name leads out of the dataset's folder"));
        }
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            fs::write(&path, content)
        };
        write().map_err(|error| Error::io(&path, error))?;
        self.written.insert(name.to_owned(), sha256(content));
        Ok(())
    }

    /// SHA-256 of each file that was written, by its name.
    pub const fn digests(&self) -> &BTreeMap<String, String> {
        &self.written
    }

    /// Brings a case of another dataset here: copies what it names there and lets it name its repository from here.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn bring(&mut self, from: &Dataset, case: &Case) -> Result<Case, Error> {
        let mut case = case.clone();
        match &mut case.source {
            Source::Commits { repository, .. } => self.rebase(from, repository)?,
            Source::Patch { file, repository } => {
                let name = format!("patches/{}.patch", case.id);
                let path = from.inside(file)?;
                let content = fs::read(&path).map_err(|error| Error::io(&path, error))?;
                self.write(&name, &content)?;
                *file = name;
                if let Some(repository) = repository {
                    self.rebase(from, repository)?;
                }
            }
            Source::Files { folder } => {
                let name = format!("files/{}", case.id);
                let root = from.inside(folder)?;
                let mut files = Vec::new();
                list(&root, "", &mut files)?;
                for file in files {
                    let path = root.join(&file);
                    let content = fs::read(&path).map_err(|error| Error::io(&path, error))?;
                    self.write(&format!("{name}/{file}"), &content)?;
                }
                *folder = name;
            }
        }
        Ok(case)
    }

    /// A repository as it is named from here. An absolute name stays.
    fn rebase(&self, from: &Dataset, repository: &mut String) -> Result<(), Error> {
        if Path::new(repository.as_str()).is_absolute() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(|error| Error::io(&self.folder, error))?;
        let here = fs::canonicalize(&self.folder).map_err(|error| Error::io(&self.folder, error))?;
        let path = from.path(repository);
        let there = fs::canonicalize(&path).map_err(|error| Error::io(&path, error))?;
        *repository = relative(&here, &there);
        Ok(())
    }
}

/// The way from a folder to a path, both absolute and without links; with `/`.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// All files below a folder, by their names in it, sorted. Links are not followed.
fn list(root: &Path, below: &str, files: &mut Vec<String>) -> Result<(), Error> {
    let folder = root.join(below);
    let io = |error| Error::io(&folder, error);
    let mut entries: Vec<_> = fs::read_dir(&folder).map_err(io)?.collect::<io::Result<_>>().map_err(io)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| Error::content(&folder, "a file in it has a name that is not UTF-8"))?;
        let name = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        let kind = entry.file_type().map_err(io)?;
        if kind.is_dir() {
            list(root, &name, files)?;
        } else if kind.is_file() {
            files.push(name);
        }
        if files.len() > MOST_FILES {
            return Err(Error::content(root, &format!("a case has more than {MOST_FILES} files")));
        }
    }
    Ok(())
}

/// SHA-256 as `sha256sum` prints it.
pub(super) fn sha256(content: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(content).iter().fold(String::with_capacity(64), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// A name for a file or a case made of any text: what is not `A-Z a-z 0-9 . _ -` becomes `-`, at most 150 characters.
pub(super) fn plain(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .take(150)
        .collect();
    let plain = plain.trim_start_matches('.');
    if plain.is_empty() { "case".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;

    #[test]
    fn a_way_leads_from_one_folder_to_another() {
        for (from, to, way) in
            [("/a/b", "/a/c/d", "../c/d"), ("/a", "/a", "."), ("/a", "/a/b", "b"), ("/a/b/c", "/x", "../../../x")]
        {
            assert_eq!(relative(Path::new(from), Path::new(to)), way);
        }
    }

    #[test]
    fn nothing_is_written_outside() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::new(folder.path());
        for name in ["../x", "/x", "a/../../x"] {
            files.write(name, b"").unwrap_err();
        }
        files.write("a/x", b"abc").unwrap();
        // The digest of "abc" is the first example of FIPS 180-2.
        assert_eq!(files.digests()["a/x"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
