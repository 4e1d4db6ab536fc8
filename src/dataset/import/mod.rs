//! Datasets that others published, as cases of ours. What their formats have beyond what is used is passed over; what is
//! used and wrong is an error with file and place.
//!
//! None of them ships the repositories. Where one is wanted, it is looked for in the folder of clones that the caller
//! names, as `OWNER/NAME`, `OWNER__NAME` or `NAME`; a case that cannot do without is left out and named.

mod aacr;
mod golden;
mod swe_prbench;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::transfer::plain;
use super::{Files, REJECTED, Rejected};
use crate::record::{self, Case, Dataset, Error, Manifest, Source};
use crate::syntax::Language;

/// A published format.
pub struct Format {
    /// What the user writes.
    pub name: &'static str,
    /// One line.
    pub help: &'static str,
    read: fn(&Path, &Folders, &mut Files) -> Result<Imported, Error>,
}

/// Every format, in the order of `--help`.
pub static FORMATS: [Format; 3] = [
    Format {
        name: "swe-prbench",
        help: "a folder with prs.jsonl and annotations/ (SWE-PRBench; CC-BY-4.0)",
        read: swe_prbench::read,
    },
    Format {
        name: "aacr-bench",
        help: "positive_samples.json, or the folder with it (AACR-Bench; Apache-2.0); needs --repositories",
        read: aacr::read,
    },
    Format {
        name: "golden-comments",
        help: "golden comments of pull requests, a file or a folder of them (withmartian; MIT); needs --patches",
        read: golden::read,
    },
];

/// The format of this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Where the caller has what the formats leave out.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// Clones.
    pub repositories: Option<PathBuf>,
    /// Diffs of pull requests, as `ID.diff` or `ID.patch`.
    pub patches: Option<PathBuf>,
}

impl Folders {
    /// The clone of `owner/name`, without links so that a case can name it.
    fn repository(&self, name: &str) -> Option<String> {
        let folder = self.repositories.as_ref()?;
        let last = name.rsplit('/').next()?;
        let is_plain = |part: &str| !part.is_empty() && part != ".." && !part.contains(['\\', '\0']);
        if !name.split('/').all(is_plain) {
            return None;
        }
        let names = [name.to_owned(), name.replace('/', "__"), last.to_owned()];
        let found = names.iter().map(|name| folder.join(name)).find(|path| path.is_dir())?;
        Some(std::fs::canonicalize(found).ok()?.to_string_lossy().into_owned())
    }

    /// The diff of a case.
    fn patch(&self, id: &str) -> Option<Vec<u8>> {
        let folder = self.patches.as_ref()?;
        [".diff", ".patch"].iter().find_map(|end| std::fs::read(folder.join(format!("{id}{end}"))).ok())
    }
}

/// What a format held.
struct Imported {
    cases: Vec<Case>,
    rejected: Vec<Rejected>,
    licence: &'static str,
    source: &'static str,
}

/// Reads `path` as one of [`FORMATS`] and writes the dataset into a new folder.
///
/// # Errors
/// The files are not of this format, or the dataset cannot be written.
pub fn import(format: &Format, path: &Path, folders: &Folders, out: &Path) -> Result<(Dataset, Vec<Rejected>), Error> {
    let mut files = Files::new(out);
    let Imported { mut cases, mut rejected, licence, source } = (format.read)(path, folders, &mut files)?;
    let mut seen = BTreeSet::new();
    cases.retain(|case| {
        let is_first = seen.insert(case.id.clone());
        if !is_first {
            rejected.push(Rejected::new(&case.id, "twice", "another record has the same id"));
        }
        is_first
    });
    rejected.sort();
    let manifest = Manifest {
        name: format.name.to_owned(),
        description: format!("Imported from {source}"),
        licences: vec![licence.to_owned()],
        built: BTreeMap::from([
            ("command".to_owned(), json!(format!("dataset import {}", format.name))),
            ("source".to_owned(), json!(source)),
        ]),
        ..Manifest::default()
    };
    let dataset = Dataset::write(out, manifest, cases)?;
    record::write(&out.join(REJECTED), &rejected)?;
    Ok((dataset, rejected))
}

/// A file of the format: `path` itself, or the first of these names below it that is there.
fn locate(path: &Path, names: &[&str]) -> Result<PathBuf, Error> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let found = names.iter().map(|name| path.join(name)).find(|path| path.exists());
    found.ok_or_else(|| Error::content(path, &format!("there is no {} in it", names.join(" and no "))))
}

/// The records of a file that is one list.
fn records(path: &Path) -> Result<Vec<Value>, Error> {
    match record::read_json(path)? {
        Value::Array(records) => Ok(records),
        _ => Err(Error::content(path, "it is no list of records")),
    }
}

/// One record of a file, for errors that name it.
#[derive(Clone, Copy)]
struct Record<'r> {
    path: &'r Path,
    /// From 1.
    number: usize,
    value: &'r Value,
}

impl<'r> Record<'r> {
    /// A text that must be there.
    fn text(self, key: &str) -> Result<&'r str, Error> {
        let text = self.value.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.fault(&format!("`{key}` is missing or no text")))
    }

    /// A text that may be missing.
    fn optional(self, key: &str) -> &'r str {
        self.value.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A list of records that must be there.
    fn list(self, key: &str) -> Result<impl Iterator<Item = Self>, Error> {
        let list = self.value.get(key).and_then(Value::as_array);
        let list = list.ok_or_else(|| self.fault(&format!("`{key}` is missing or no list")))?;
        Ok(list.iter().map(move |value| Self { value, ..self }))
    }

    /// A line number, which must be at least 1.
    fn line(self, key: &str) -> Option<u32> {
        self.value.get(key).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0)
    }

    fn fault(self, what: &str) -> Error {
        Error::content(self.path, &format!("record {}: {what}", self.number))
    }
}

/// `owner/name` and number of a pull request's address.
fn pull_request(url: &str) -> Option<(String, u64)> {
    let mut parts = url.trim_end_matches('/').rsplit('/');
    let number = parts.next()?.parse().ok()?;
    (parts.next()? == "pull").then_some(())?;
    let name = parts.next()?;
    let owner = parts.next()?;
    (!owner.is_empty() && !name.is_empty()).then(|| (format!("{owner}/{name}"), number))
}

/// The id of a pull request, as SWE-PRBench and the golden comments write it.
fn id_of(repository: &str, number: u64) -> String {
    plain(&format!("{}__{number}", repository.replace('/', "__")))
}

/// A language by the name that a format has for it.
fn language(name: &str) -> Option<String> {
    Language::parse_name(name).map(|language| language.name().to_owned())
}

/// Makes a patch in the dataset the case's change, if it is one, and gives the names of the changed files.
fn patch(
    case: &mut Case,
    repository: Option<String>,
    content: &[u8],
    files: &mut Files,
) -> Result<BTreeSet<String>, Refused> {
    let limits = crate::diff::Limits::default().text_only();
    let parsed = crate::diff::patch::parse(content, &limits)
        .map_err(|error| Refused::Case(Rejected::new(&case.id, "bad-patch", error.to_string())))?;
    if parsed.is_empty() {
        return Err(Refused::Case(Rejected::new(&case.id, "no-patch", "the diff changes no file")));
    }
    let name = format!("patches/{}.patch", case.id);
    files.write(&name, content).map_err(Refused::All)?;
    case.source = Source::Patch { file: name, repository };
    if case.language.is_none() {
        let of = |file: &crate::diff::FileChange| Language::of_path(&file.path, None);
        case.language = parsed.iter().find_map(of).map(|language| language.name().to_owned());
    }
    Ok(parsed.iter().map(|file| String::from_utf8_lossy(file.path.bytes()).into_owned()).collect())
}

/// What cannot be imported: one case, or nothing at all.
enum Refused {
    Case(Rejected),
    All(Error),
}

#[cfg(test)]
mod tests;
