//! JSON Lines files: read whole with the line of every fault, appended to record by record.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::digest::Hash;
use crate::escape::visible;

/// Largest file that is read.
const LARGEST: u64 = 1 << 30;

/// Most entries of one folder of a case.
const MOST_FILES: usize = 20_000;

/// Why records cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file itself.
    #[error("`{}`: {cause}", visible(&path.to_string_lossy()))]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A record of it.
    #[error("`{}`, line {line}: {what}", visible(&path.to_string_lossy()))]
    Line {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it, in printable characters.
        what: String,
    },
    /// What it says as a whole.
    #[error("`{}`: {what}", visible(&path.to_string_lossy()))]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it, in printable characters.
        what: String,
    },
}

impl Error {
    /// A file that cannot be used.
    pub fn io(path: &Path, cause: io::Error) -> Self {
        Self::Io { path: path.to_owned(), cause }
    }

    /// A record that cannot be used.
    pub fn line(path: &Path, line: usize, what: &str) -> Self {
        Self::Line { path: path.to_owned(), line, what: visible(what).to_string() }
    }

    /// A file that says what cannot be.
    pub fn content(path: &Path, what: &str) -> Self {
        Self::Content { path: path.to_owned(), what: visible(what).to_string() }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let size = fs::metadata(path).map_err(|error| Error::io(path, error))?.len();
    if size > LARGEST {
        return Err(Error::content(path, &format!("has {size} bytes; at most {LARGEST} are read")));
    }
    let bytes = fs::read(path).map_err(|error| Error::io(path, error))?;
    // Other programs begin their files with a byte order mark.
    Ok(bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes))
}

/// All records of a file, in their order. Blank lines are passed over.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let bytes = bytes(path)?;
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    let lines = lines.filter(|(line, _)| !line.trim_ascii().is_empty());
    lines
        .map(|(line, number)| {
            serde_json::from_slice(line).map_err(|error| Error::line(path, number, &error.to_string()))
        })
        .collect()
}

/// The one value of a JSON file.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = bytes(path)?;
    serde_json::from_slice(&bytes).map_err(|error| Error::line(path, error.line().max(1), &error.to_string()))
}

fn line<T: Serialize>(record: &T) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    Ok(line)
}

/// Puts a file with these records in its place in one step.
pub fn write<T: Serialize>(path: &Path, records: &[T]) -> Result<(), Error> {
    let text: io::Result<Vec<Vec<u8>>> = records.iter().map(line).collect();
    text.and_then(|text| replace(path, &text.concat())).map_err(|error| Error::io(path, error))
}

/// Puts a file with this one value, readably indented, in its place in one step.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::from);
    let text = text.map(|mut text| {
        text.push(b'\n');
        text
    });
    text.and_then(|text| replace(path, &text)).map_err(|error| Error::io(path, error))
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".new-");
    // As any file that a program makes; a temporary one would be its owner's alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

/// A file to which threads append records, each whole.
pub struct Appender {
    path: PathBuf,
    file: Mutex<File>,
}

impl Appender {
    /// Opens a file, which is made where it is missing. A last line that was cut off, as an interrupted run leaves it, is
    /// taken away first; one that only lacks its end gets it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let open = || {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = File::options().create(true).append(true).read(true).open(path)?;
            let bytes = fs::read(path)?;
            let begin = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            match &bytes[begin..] {
                [] => {}
                last if serde_json::from_slice::<IgnoredAny>(last).is_ok() => file.write_all(b"\n")?,
                _ => file.set_len(begin as u64)?,
            }
            Ok(file)
        };
        let file = open().map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file) })
    }

    /// One record more.
    pub fn append<T: Serialize>(&self, record: &T) -> Result<(), Error> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        line(record).and_then(|line| file.write_all(&line)).map_err(|error| Error::io(&self.path, error))
    }
}

/// All files below a folder of a root, by their paths in the root; none where it is missing. Links are not followed.
///
/// # Errors
/// A folder cannot be read, or there are more files than a change has.
pub fn list(root: &Path, below: &Path, names: &mut BTreeSet<PathBuf>) -> Result<(), Error> {
    let folder = root.join(below);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| Error::io(&folder, error))?,
    };
    let mut found = 0;
    for entry in entries {
        let entry = entry.map_err(|error| Error::io(&folder, error))?;
        let kind = entry.file_type().map_err(|error| Error::io(&folder, error))?;
        let name = below.join(entry.file_name());
        if kind.is_dir() {
            list(root, &name, names)?;
        } else if kind.is_file() {
            names.insert(name);
        }
        found += 1;
        if found > MOST_FILES {
            return Err(Error::content(&folder, &format!("it has more than {MOST_FILES} entries")));
        }
    }
    Ok(())
}

/// SHA-256 over these records as they are written, in hexadecimal.
pub fn digest<T: Serialize>(records: &[T]) -> String {
    let mut hash = Hash::new();
    for record in records {
        hash.part(&serde_json::to_vec(record).unwrap_or_default());
    }
    hash.digits()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_was_cut_off_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        for (text, kept) in [("[1]\n[2", vec![vec![1], vec![3]]), ("[1]\n[2]", vec![vec![1], vec![2], vec![3]])] {
            fs::write(&path, text).unwrap();
            Appender::open(&path).unwrap().append(&[3]).unwrap();
            assert_eq!(read::<Vec<u32>>(&path).unwrap(), kept);
        }
    }

    #[test]
    fn a_fault_has_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        fs::write(&path, "[1]\n\n{}\n").unwrap();
        let error = read::<Vec<u32>>(&path).unwrap_err();
        assert!(error.to_string().contains("line 3"), "{error}");
    }
}
