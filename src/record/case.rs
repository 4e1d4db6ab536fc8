//! The cases of a dataset: a change, and what is known to be wrong with it. One case may carry the truth of several
//! protocols: known bugs (CR-Bench), comments of people (SWE-PRBench), a checklist (Sphinx), tagged issues (CQS).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lines::{self, Error};
use crate::digest::Hash;
use crate::escape::shell_word;

/// The format of a dataset's manifest.
const FORMAT: &str = "diffsieve.dataset/v1";

/// A folder of cases: `dataset.json`, `cases.jsonl` and the files that the cases name.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Where it is.
    pub folder: PathBuf,
    /// What it is.
    pub manifest: Manifest,
    /// In the order of the file; their names differ.
    pub cases: Vec<Case>,
}

impl Dataset {
    /// Reads a folder.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let dataset = Self::unsealed(folder)?;
        let Manifest { cases, digest, files, .. } = &dataset.manifest;
        if *digest != lines::digest(&dataset.cases) {
            let (now, count) = (dataset.cases.len(), *cases);
            let lines = if now == count { String::new() } else { format!(" ({now} cases, and there were {count})") };
            let what = if digest.is_empty() {
                "dataset.json has no digest of it yet"
            } else {
                "its digest is not that of dataset.json"
            };
            let what = format!("{what}{lines}{}", mended_by(folder));
            return Err(Error::content(&folder.join("cases.jsonl"), &what));
        }
        if files.is_some() {
            let now = FilesDigest::of(folder, &dataset.cases)?;
            if now.all != *files {
                return Err(now.differs(folder, &dataset.manifest.file_digests));
            }
        }
        Ok(dataset)
    }

    /// Reads a folder whose cases were edited and writes what they are now into its manifest.
    pub fn seal(folder: &Path) -> Result<Self, Error> {
        let Self { manifest, cases, .. } = Self::unsealed(folder)?;
        Self::write(folder, manifest, cases)
    }

    fn unsealed(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("dataset.json");
        let manifest: Manifest = lines::read_json(&path)?;
        if manifest.format != FORMAT {
            return Err(Error::content(&path, &format!("its format is not {FORMAT}")));
        }
        let path = folder.join("cases.jsonl");
        let cases: Vec<Case> = lines::read(&path)?;
        let mut seen = HashSet::new();
        for (case, number) in cases.iter().zip(1..) {
            let fault = case.fault().or_else(|| (!seen.insert(&case.id)).then_some("another case has the same id"));
            if let Some(fault) = fault {
                return Err(Error::content(&path, &format!("case {number} (`{}`): {fault}", case.id)));
            }
        }
        Ok(Self { folder: folder.to_owned(), manifest, cases })
    }

    /// Writes cases and manifest into a folder; format, count and digest are filled in.
    pub fn write(folder: &Path, mut manifest: Manifest, cases: Vec<Case>) -> Result<Self, Error> {
        FORMAT.clone_into(&mut manifest.format);
        manifest.cases = cases.len();
        manifest.digest = lines::digest(&cases);
        let files = FilesDigest::of(folder, &cases)?;
        (manifest.files, manifest.file_digests) = (files.all, files.each);
        lines::write(&folder.join("cases.jsonl"), &cases)?;
        lines::write_json(&folder.join("dataset.json"), &manifest)?;
        Ok(Self { folder: folder.to_owned(), manifest, cases })
    }

    /// A file or folder that a case names in the dataset's folder.
    ///
    /// # Errors
    /// It is not there, or links lead out of the folder.
    pub fn inside(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(name);
        let real = |path: &Path| std::fs::canonicalize(path).map_err(|error| Error::io(path, error));
        if real(&path)?.starts_with(real(&self.folder)?) {
            return Ok(path);
        }
        Err(Error::content(&path, "it leads out of the dataset's folder"))
    }

    /// A path that a case names from the dataset's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// What to do about a dataset that is not what it says.
fn mended_by(folder: &Path) -> String {
    let folder = shell_word(folder.as_os_str());
    format!(
        ": build the dataset again, or look at what was edited and accept it with `diffsieve dataset seal {folder}`, which \
         `diffsieve dataset check {folder}` then reads"
    )
}

/// Digests of the files that cases name in the dataset's folder.
struct FilesDigest {
    /// Of all together; `None` where cases name none.
    all: Option<String>,
    /// Of each that can be read.
    each: BTreeMap<String, String>,
    missing: BTreeSet<String>,
}

impl FilesDigest {
    fn of(folder: &Path, cases: &[Case]) -> Result<Self, Error> {
        let mut names = BTreeSet::new();
        for case in cases {
            match &case.source {
                Source::Commits { .. } => {}
                Source::Patch { file, .. } => drop(names.insert(PathBuf::from(file))),
                Source::Files { folder: below } => lines::list(folder, Path::new(below), &mut names)?,
            }
        }
        let (mut hash, mut each, mut missing) = (Hash::new(), BTreeMap::new(), BTreeSet::new());
        let is_none = names.is_empty();
        for path in names {
            let name = path.to_string_lossy().replace('\\', "/");
            let bytes = std::fs::read(folder.join(&path));
            hash.part(name.as_bytes());
            // What is missing is for whoever reads the case to say.
            hash.part(bytes.as_deref().unwrap_or_default());
            match bytes {
                Ok(bytes) => {
                    let mut hash = Hash::new();
                    hash.part(&bytes);
                    each.insert(name, hash.digits().chars().take(16).collect());
                }
                Err(_) => drop(missing.insert(name)),
            }
        }
        Ok(Self { all: (!is_none).then(|| hash.digits()), each, missing })
    }

    /// Says which file is not the one that was there before.
    fn differs(&self, folder: &Path, before: &BTreeMap<String, String>) -> Error {
        let mut found: BTreeMap<&str, &str> =
            self.missing.iter().map(|name| (name.as_str(), "is not there or cannot be read")).collect();
        if !before.is_empty() {
            for (name, digest) in &self.each {
                match before.get(name) {
                    None => drop(found.insert(name, "was not there when dataset.json was written")),
                    Some(other) if other != digest => {
                        found.insert(name, "differs from what dataset.json was written for");
                    }
                    Some(_) => {}
                }
            }
            for name in before.keys().filter(|name| !self.each.contains_key(*name)) {
                found.insert(name, "is not there or cannot be read");
            }
        }
        let more = found.len().saturating_sub(1);
        let more = if more == 0 { String::new() } else { format!("; {more} more files are not as they were") };
        match found.first_key_value() {
            Some((name, what)) => Error::content(&folder.join(name), &format!("{what}{more}{}", mended_by(folder))),
            None => {
                let what =
                    "the files of its cases are not those it was made with, and which of them it does not record";
                Error::content(&folder.join("dataset.json"), &format!("{what}{}", mended_by(folder)))
            }
        }
    }
}

/// What a dataset is and where it comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `diffsieve.dataset/v1`.
    #[cfg_attr(test, schemars(extend("const" = FORMAT)))]
    pub format: String,
    /// A short name.
    pub name: String,
    /// What it holds, for people.
    #[serde(default)]
    pub description: String,
    /// Licences of what it holds, as SPDX expressions.
    #[serde(default)]
    pub licences: Vec<String>,
    /// How it was made: command, seed, sources at their commits.
    #[serde(default)]
    pub built: BTreeMap<String, serde_json::Value>,
    /// How many.
    pub cases: usize,
    /// Of the cases: SHA-256 over their lines as they are written.
    pub digest: String,
    /// Of the patches and files that they name in the dataset's folder: SHA-256 over their names and contents, sorted. What
    /// a repository holds is named by its commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Of each of these files by its name: the first 16 digits of a SHA-256 over its length, as eight bytes from the lowest,
    /// and its content. They tell which file was changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub file_digests: BTreeMap<String, String>,
}

/// One change to review.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// 1 to 200 of `A-Z a-z 0-9 . _ -`, one of its kind in the dataset.
    #[cfg_attr(test, schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$")))]
    pub id: String,
    /// Where the change is.
    pub source: Source,
    /// What its author called it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What its author said of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The language of most of it, as rule packs name languages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Nothing is known to be wrong with it, and somebody or something looked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clean: bool,
    /// How hard it is said to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// Known bugs that it brings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bugs: Vec<Bug>,
    /// What people said of it in review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<HumanComment>,
    /// What a good review of it addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<Item>,
    /// Tagged issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The case without the fault that this one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<String>,
    /// What put the fault in, where a program did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    /// Whose work it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What a builder computed of it, such as `rvs`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, serde_json::Value>,
}

impl Case {
    /// What is wrong with it.
    fn fault(&self) -> Option<&'static str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if !(1..=200).contains(&self.id.len()) || !self.id.bytes().all(is_plain) || self.id.starts_with('.') {
            return Some("an id has 1 to 200 of `A-Z a-z 0-9 . _ -` and begins with no dot");
        }
        // The folder of a dataset may come from anywhere; what it names stays inside. Repositories lie elsewhere.
        let inside = |name: &str| {
            let mut parts = Path::new(name).components();
            !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        match &self.source {
            Source::Patch { file, .. } if !inside(file) => Some("its patch is no file of the dataset's folder"),
            Source::Files { folder } if !inside(folder) => Some("its files are no folder of the dataset's folder"),
            _ if self.clean && !self.bugs.is_empty() => Some("it is called clean and has bugs"),
            _ if repeats(self.bugs.iter().map(|bug| &bug.id)) => Some("two of its bugs have one id"),
            _ if repeats(self.comments.iter().map(|comment| &comment.id)) => Some("two of its comments have one id"),
            _ if repeats(self.checklist.iter().map(|item| &item.id)) => Some("two items of its checklist have one id"),
            _ => None,
        }
    }
}

fn repeats<'i>(mut ids: impl Iterator<Item = &'i String>) -> bool {
    let mut seen = HashSet::new();
    !ids.all(|id| seen.insert(id))
}

/// Where the change of a case is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Source {
    /// Between two commits of a repository.
    Commits {
        /// A path; a relative one starts at the dataset's folder.
        repository: String,
        /// The commit before.
        base: String,
        /// The commit after.
        head: String,
    },
    /// A unified diff.
    Patch {
        /// In the dataset's folder.
        file: String,
        /// The repository that has the files before it, where there is one; a relative path starts at the dataset's folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repository: Option<String>,
    },
    /// Two folders `old` and `new` of whole files.
    Files {
        /// In the dataset's folder. One of the two may be missing in it.
        folder: String,
    },
}

impl Default for Source {
    fn default() -> Self {
        Self::Files { folder: String::new() }
    }
}

/// How hard a case is said to be (SWE-PRBench: by the number of human comments).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Difficulty {
    /// Up to eight.
    Easy,
    /// Up to fifteen.
    Medium,
    /// More.
    Hard,
}

/// A known bug (CR-Bench).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// One of its kind in the case.
    pub id: String,
    /// What is wrong, why, and what follows.
    pub description: String,
    /// The file that has it, as the change names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its first line on the new side, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: Option<u32>,
    /// Its last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub end_line: Option<u32>,
    /// One of CR-Bench's nine categories. Any other word is taken as it is, and counted by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = crate::taxonomy::names(&crate::taxonomy::CATEGORIES))))]
    pub category: Option<String>,
    /// A characteristic of ISO 25010, or any other word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = crate::taxonomy::names(&crate::taxonomy::IMPACTS))))]
    pub impact: Option<String>,
    /// `low`, `medium`, `high` or `critical`, or any other word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = crate::taxonomy::names(&crate::taxonomy::SEVERITIES))))]
    pub severity: Option<String>,
    /// Files that the fix changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_files: Vec<String>,
}

/// What a person said in review (SWE-PRBench).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HumanComment {
    /// One of its kind in the case.
    pub id: String,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it stands, on the new side, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: Option<u32>,
    /// What it says.
    pub body: String,
    /// `type1` (on the diff), `type2` (in a file of it), `type3` (elsewhere), where somebody classified it, or any other word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("examples" = ["type1", "type2", "type3"])))]
    pub evidence: Option<String>,
}

/// One thing that a good review addresses (Sphinx).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// One of its kind in the case.
    pub id: String,
    /// What to do and, in parentheses, why.
    pub text: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where, on the new side, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: Option<u32>,
}

/// A tagged issue (CQS).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// The tag, compared as an exact string.
    pub tag: String,
    /// The function it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// What is the matter.
    pub rationale: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where, on the new side, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: Option<u32>,
}

/// Whose work a case is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The project, such as `owner/name`.
    pub repository: String,
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its licence, as an SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// How the case came to be, such as `mutation` or `fix`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
}
