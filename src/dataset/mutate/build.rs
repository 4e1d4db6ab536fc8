//! From changes to cases: which faults are tried, in which order, and what becomes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;
use serde_json::{Value, json};

use super::candidate::{self, Candidate, Reason, Wanted};
use super::changes::{Change, Input, Origin, Reader};
use super::table::Operator;
use super::trial::{Mutant, trial};
use super::words::truth;
use crate::dataset::{Place, REJECTED, Rejected};
use crate::detect::{Engine, FileView};
use crate::diff::{Body, FileChange, Globs};
use crate::digest::Hash;
use crate::finding::{Line, RepoPath};
use crate::git::{self, Repository};
use crate::record::{self, Case, Dataset, Manifest, Source};
use crate::rules::Rules;
use crate::syntax::Language;

/// Of the places in one file at which an operator can work, so many are kept: those that come first in the drawing.
const KEPT: usize = 8;

/// Among so many next ones the one is taken whose change was used least.
const LOOK_AHEAD: usize = 24;

/// What is to be built.
pub struct Request<'a> {
    /// Where the changes are.
    pub repository: &'a Repository,
    /// Which changes.
    pub input: Input,
    /// Files that are left out, with their changes.
    pub exclude: Globs,
    /// The name of the project, such as `owner/name`.
    pub name: String,
    /// Its licence, as an SPDX expression.
    pub licence: Option<String>,
    /// What draws the places. The same seed draws the same places from the same changes.
    pub seed: u64,
    /// Most mutants of one operator.
    pub per_operator: usize,
    /// Most mutants in all.
    pub most: usize,
    /// Most lines that a change may add.
    pub most_lines: u64,
    /// Languages of files that are mutated.
    pub languages: Vec<Language>,
    /// Operators that work.
    pub operators: Vec<&'static Operator>,
    /// The packs whose detectors and path classes count.
    pub rules: &'a Rules,
}

/// Why nothing was built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A record.
    #[error(transparent)]
    Record(#[from] record::Error),
    /// A file of the dataset.
    #[error("`{}`: {source}", crate::escape::visible(&path.to_string_lossy()))]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder that holds something.
    #[error("`{}` is not empty; remove it, or name another folder", crate::escape::visible(&.0.to_string_lossy()))]
    NotEmpty(PathBuf),
}

/// What became of the operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Places that were found and kept for the drawing.
    pub places: usize,
    /// Places that were tried.
    pub tried: usize,
    /// Mutants.
    pub made: usize,
}

/// How many of what were refused, and why.
#[derive(Debug, Clone, Default)]
pub struct Funnel {
    /// Changes that were read.
    pub changes: usize,
    /// Files of them.
    pub files: usize,
    /// By name, operators that had something to do.
    pub operators: BTreeMap<&'static str, Tally>,
    /// Changes, files and places refused.
    pub refused: BTreeMap<Reason, usize>,
}

impl Funnel {
    /// The funnel as a value with names.
    pub fn to_json(&self) -> Value {
        let refused: BTreeMap<&str, usize> =
            self.refused.iter().map(|(reason, count)| (reason.name(), *count)).collect();
        let sum = |part: fn(&Tally) -> usize| self.operators.values().map(part).sum::<usize>();
        json!({
            "changes": self.changes,
            "files": self.files,
            "places": sum(|tally| tally.places),
            "tried": sum(|tally| tally.tried),
            "made": sum(|tally| tally.made),
            "refused": refused,
        })
    }
}

/// A candidate with its change and its place in the drawing.
struct Drawn {
    origin: usize,
    language: Language,
    order: String,
    candidate: Candidate,
}

/// A mutant, not written yet.
struct Made {
    origin: usize,
    language: Language,
    order: String,
    candidate: Candidate,
    mutant: Mutant,
}

struct Builder<'a> {
    request: &'a Request<'a>,
    reader: Reader<'a>,
    engine: Engine<'a>,
    funnel: Funnel,
    rejected: Vec<Rejected>,
    /// Lines of which a detector says something, by change and file.
    noticed: BTreeMap<(usize, usize), BTreeSet<Line>>,
}

/// Builds a dataset into a folder that is empty or not there yet.
///
/// # Errors
/// [`Error`]. A change or place in which no fault can be put is no error but counted; where all are, the dataset has no case.
pub fn build(request: &Request<'_>, out: &Path) -> Result<(Dataset, Funnel), Error> {
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::NotEmpty(out.to_owned()));
    }
    let mut builder = Builder {
        request,
        reader: Reader::new(request.repository, &request.input, request.exclude.clone())?,
        engine: Engine::new(request.rules),
        funnel: Funnel::default(),
        rejected: Vec::new(),
        noticed: BTreeMap::new(),
    };
    let drawn = builder.draw()?;
    let made = builder.choose(drawn)?;
    builder.write(made, out)
}

impl Builder<'_> {
    fn refuse(&mut self, change: &Change, file: Option<&FileChange>, place: Option<&Candidate>, reason: Reason) {
        *self.funnel.refused.entry(reason).or_default() += 1;
        let place = Place {
            commit: change.commit.hex(),
            file: file.map(|file| file.path.to_text().raw().to_owned()),
            line: place.map(|place| place.line.get()),
            operator: place.map(|place| place.operator.name),
            ..Place::default()
        };
        self.rejected.push(Rejected::at(place, reason.name(), ""));
    }

    /// Every place in every change, as far as it is kept.
    fn draw(&mut self) -> Result<Vec<Drawn>, Error> {
        let request = self.request;
        let wanted =
            Wanted { languages: &request.languages, operators: &request.operators, classes: &request.rules.classes };
        let mut drawn = Vec::new();
        for origin in 0..self.reader.origins.len() {
            let change = self.reader.read(&self.reader.origins[origin])?;
            self.funnel.changes += 1;
            if change.files.iter().map(FileChange::added_count).sum::<u64>() > request.most_lines {
                self.refuse(&change, None, None, Reason::TooLarge);
                continue;
            }
            for (index, file) in change.files.iter().enumerate() {
                self.funnel.files += 1;
                let readable =
                    plain(&file.path).ok_or(Reason::NotSource).and_then(|_| candidate::readable(file, &wanted));
                let (language, parsed) = match readable {
                    Ok(readable) => readable,
                    Err(reason) => {
                        self.refuse(&change, Some(file), None, reason);
                        continue;
                    }
                };
                let refused = &mut self.funnel.refused;
                let count = |_: &'static Operator, _: Line, reason: Reason| *refused.entry(reason).or_default() += 1;
                let found = candidate::of_file(index, file, &parsed, &wanted, count);
                drawn.extend(self.keep(origin, language, &change, found));
            }
        }
        Ok(drawn)
    }

    /// The places of each operator in one file that come first in the drawing.
    fn keep(&mut self, origin: usize, language: Language, change: &Change, found: Vec<Candidate>) -> Vec<Drawn> {
        let mut by_operator: BTreeMap<&'static str, Vec<Drawn>> = BTreeMap::new();
        for candidate in found {
            let order = self.order(origin, change, &candidate);
            let drawn = Drawn { origin, language, order, candidate };
            by_operator.entry(drawn.candidate.operator.name).or_default().push(drawn);
        }
        let mut kept = Vec::new();
        for (name, mut drawn) in by_operator {
            drawn.sort_by(|one, other| one.order.cmp(&other.order));
            drawn.truncate(KEPT);
            self.funnel.operators.entry(name).or_default().places += drawn.len();
            kept.append(&mut drawn);
        }
        kept
    }

    /// What decides when a place is drawn: SHA-256 of the seed and the place.
    fn order(&self, origin: usize, change: &Change, candidate: &Candidate) -> String {
        let mut hash = Hash::new();
        hash.part(&self.request.seed.to_le_bytes());
        hash.part(candidate.operator.name.as_bytes());
        // The same file of a later commit is the same place.
        if let Origin::Commit { new, .. } = &self.reader.origins[origin] {
            hash.part(new.hex().as_bytes());
        }
        hash.part(change.files[candidate.file].path.bytes());
        hash.part(&candidate.edit.range.start.to_le_bytes());
        hash.part(candidate.edit.with.as_bytes());
        hash.digits()
    }

    /// One mutant of each operator in turn, until each has its share or no place is left.
    fn choose(&mut self, drawn: Vec<Drawn>) -> Result<Vec<Made>, Error> {
        let mut queues = queues(drawn, self.request.seed);
        let mut made: Vec<Made> = Vec::new();
        let mut used: BTreeMap<usize, usize> = BTreeMap::new();
        let mut taken: BTreeSet<(usize, usize, Line)> = BTreeSet::new();
        for _ in 0..self.request.per_operator {
            for queue in &mut queues {
                while made.len() < self.request.most {
                    let ahead = queue.iter().take(LOOK_AHEAD).enumerate();
                    let next = ahead.min_by_key(|(at, drawn)| (used.get(&drawn.origin).copied().unwrap_or(0), *at));
                    let Some((at, _)) = next else { break };
                    let Drawn { origin, language, order, candidate } = queue.remove(at);
                    let change = self.reader.read(&self.reader.origins[origin])?;
                    let file = &change.files[candidate.file];
                    self.funnel.operators.entry(candidate.operator.name).or_default().tried += 1;
                    let tried = if taken.contains(&(origin, candidate.file, candidate.line)) {
                        Err(Reason::Taken)
                    } else if self.is_noticed(origin, file, &candidate) {
                        Err(Reason::Noticed)
                    } else {
                        trial(file, language, &candidate)
                    };
                    match tried {
                        Err(reason) => self.refuse(&change, Some(file), Some(&candidate), reason),
                        Ok(mutant) => {
                            taken.insert((origin, candidate.file, candidate.line));
                            *used.entry(origin).or_default() += 1;
                            self.funnel.operators.entry(candidate.operator.name).or_default().made += 1;
                            made.push(Made { origin, language, order, candidate, mutant });
                            break;
                        }
                    }
                }
            }
        }
        Ok(made)
    }

    /// Whether a detector says something of the line without any fault.
    fn is_noticed(&mut self, origin: usize, file: &FileChange, candidate: &Candidate) -> bool {
        let engine = &self.engine;
        let lines = self.noticed.entry((origin, candidate.file)).or_insert_with(|| {
            let Some(view) = FileView::of(file) else { return BTreeSet::new() };
            let raised = engine.run(&view);
            // What is said of a whole function is said of its first line.
            raised.iter().map(|raised| raised.claim.location.line).collect()
        });
        lines.contains(&candidate.line)
    }

    fn write(mut self, mut made: Vec<Made>, out: &Path) -> Result<(Dataset, Funnel), Error> {
        made.sort_by(|one, other| (one.origin, &one.order).cmp(&(other.origin, &other.order)));
        let mut cases = Vec::new();
        let mut twin: Option<(usize, String)> = None;
        for made in &made {
            let change = self.reader.read(&self.reader.origins[made.origin])?;
            let origin = self.origin_of(&change);
            let file = &change.files[made.candidate.file];
            let twin_id = match &twin {
                Some((origin, id)) if *origin == made.origin => id.clone(),
                _ => {
                    let id = id(
                        made.language,
                        &[b"twin", change.commit.hex().as_bytes(), file_key(&self.reader, made.origin, file)],
                    );
                    let digest = write_change(out, &id, &change, None)?;
                    let mut case = frame(&id, &change, made.language, origin.clone(), digest);
                    case.clean = true;
                    cases.push(case);
                    twin = Some((made.origin, id.clone()));
                    id
                }
            };
            let id = id(made.language, &[made.order.as_bytes()]);
            let digest = write_change(out, &id, &change, Some((made.candidate.file, &made.mutant.content)))?;
            let mut case = frame(&id, &change, made.language, origin, digest);
            let path = plain(&file.path).unwrap_or_default();
            let truth = truth(&made.candidate, path, &made.mutant);
            case.bugs = vec![truth.bug];
            case.comments = vec![truth.comment];
            case.checklist = vec![truth.item];
            case.issues = vec![truth.issue];
            case.twin = Some(twin_id);
            case.operator = Some(made.candidate.operator.name.to_owned());
            case.facts.insert("targeted".to_owned(), made.candidate.operator.targeted.into());
            if let Some(cwe) = made.candidate.operator.cwe {
                case.facts.insert("cwe".to_owned(), format!("CWE-{cwe}").into());
            }
            cases.push(case);
        }
        self.rejected.sort();
        record::write(&out.join(REJECTED), &self.rejected)?;
        let dataset = Dataset::write(out, self.manifest(), cases)?;
        Ok((dataset, self.funnel))
    }

    fn origin_of(&self, change: &Change) -> record::Origin {
        record::Origin {
            repository: self.request.name.clone(),
            commit: Some(change.commit.hex()),
            licence: self.request.licence.clone(),
            how: Some("mutation".to_owned()),
        }
    }

    fn manifest(&self) -> Manifest {
        let request = self.request;
        let source = match &request.input {
            Input::Range(from, to) => json!({"repository": request.name, "from": from.hex(), "to": to.hex()}),
            Input::Files(at, _) => json!({"repository": request.name, "files_at": at.hex()}),
        };
        let built = [
            ("command", json!("dataset mutate")),
            ("version", json!(env!("CARGO_PKG_VERSION"))),
            ("seed", json!(request.seed)),
            ("per_operator", json!(request.per_operator)),
            ("max", json!(request.most)),
            ("max_lines", json!(request.most_lines)),
            ("source", source),
            ("funnel", self.funnel.to_json()),
            ("operators", json!(self.funnel.operators)),
        ];
        Manifest {
            name: format!("{}-mutants", request.name.rsplit('/').next().unwrap_or("repository")),
            description: "Real changes with one fault put into each, and the same changes without it. That a twin is \
                          clean is assumed: nobody looked at it."
                .to_owned(),
            licences: request.licence.iter().cloned().collect(),
            built: built.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            ..Manifest::default()
        }
    }
}

/// The places of each operator, its languages taking turns; operators in an order of the seed's.
fn queues(drawn: Vec<Drawn>, seed: u64) -> Vec<Vec<Drawn>> {
    let mut by_operator: BTreeMap<String, Vec<Drawn>> = BTreeMap::new();
    for drawn in drawn {
        let mut hash = Hash::new();
        hash.part(&seed.to_le_bytes());
        hash.part(drawn.candidate.operator.name.as_bytes());
        by_operator.entry(hash.digits()).or_default().push(drawn);
    }
    let in_turn = |mut queue: Vec<Drawn>| {
        queue.sort_by(|one, other| one.order.cmp(&other.order));
        let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
        let mut turns: Vec<(usize, Drawn)> = queue
            .into_iter()
            .map(|drawn| {
                let count = counts.entry(drawn.language).or_default();
                *count += 1;
                (*count, drawn)
            })
            .collect();
        turns.sort_by(|(one, a), (other, b)| (one, a.language, &a.order).cmp(&(other, b.language, &b.order)));
        turns.into_iter().map(|(_, drawn)| drawn).collect()
    };
    by_operator.into_values().map(in_turn).collect()
}

/// What tells the change of one file from that of another of the same commit.
fn file_key<'f>(reader: &Reader<'_>, origin: usize, file: &'f FileChange) -> &'f [u8] {
    match &reader.origins[origin] {
        Origin::File { .. } => file.path.bytes(),
        Origin::Commit { .. } => b"",
    }
}

/// An id that does not tell a mutant from a twin.
fn id(language: Language, parts: &[&[u8]]) -> String {
    let mut hash = Hash::new();
    for part in parts {
        hash.part(part);
    }
    format!("{}-{}", language.name(), &hash.digits()[..12])
}

/// What a mutant and its twin have in common.
fn frame(id: &str, change: &Change, language: Language, origin: record::Origin, digest: String) -> Case {
    let mut case = Case {
        id: id.to_owned(),
        source: Source::Files { folder: format!("files/{id}") },
        title: change.title.clone(),
        description: change.description.clone(),
        language: Some(language.name().to_owned()),
        origin: Some(origin),
        ..Case::default()
    };
    case.facts.insert("files_sha256".to_owned(), digest.into());
    case
}

/// A path that any file system takes.
fn plain(path: &RepoPath) -> Option<&str> {
    let text = std::str::from_utf8(path.bytes()).ok()?;
    let is_plain = |part: &str| {
        !matches!(part, "" | "." | "..")
            && !part.eq_ignore_ascii_case(".git")
            && !part.contains(['\\', ':', '<', '>', '"', '|', '?', '*'])
            && !part.chars().any(char::is_control)
    };
    (path.is_inside() && text.split('/').all(is_plain)).then_some(text)
}

/// Writes both sides of a change, one file with its fault; SHA-256 over paths and contents. Files without text are left
/// out.
fn write_change(out: &Path, id: &str, change: &Change, fault: Option<(usize, &[u8])>) -> Result<String, Error> {
    let folder = out.join("files").join(id);
    let mut hash = Hash::new();
    for (index, file) in change.files.iter().enumerate() {
        let Body::Text { old, new, .. } = &file.body else { continue };
        let old_path = file.old_path.as_ref().unwrap_or(&file.path);
        let content = fault.filter(|(at, _)| *at == index).map_or(new.bytes(), |(_, content)| content);
        let sides = [
            ("old", old_path, file.old_kind.is_some(), old.bytes()),
            ("new", &file.path, file.new_kind.is_some(), content),
        ];
        for (side, path, is_there, content) in sides {
            if let Some(path) = plain(path).filter(|_| is_there) {
                hash.part(side.as_bytes());
                hash.part(path.as_bytes());
                hash.part(content);
                put(&folder.join(side).join(path), content)?;
            }
        }
    }
    Ok(hash.digits())
}

fn put(path: &Path, content: &[u8]) -> Result<(), Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io)?;
    }
    fs::write(path, content).map_err(io)
}
