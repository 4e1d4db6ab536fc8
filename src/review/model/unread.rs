//! What the model did not read, by file and reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::{self, Chunk, Chunks, FilePart, Reason};
use crate::diff::Lines;
use crate::finding::{Finding, Line, RepoPath, Source, Stage};
use crate::review::Skip;
use crate::syntax::Language;

/// The tags of findings that name an attempt to steer who reads.
const ATTEMPTS: [&str; 2] = ["PromptInjection", "TrojanSource"];

/// A chunk that does not count as clean by the model's word, because the change puts text into it that tries to be more
/// than text. Unless a maintainer has accepted all of that: then it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steered {
    /// The attempts: which file, and the line, `None` for a file's name.
    pub attempts: Vec<(RepoPath, Option<Line>)>,
    /// Its files, each with the lines that the chunk shows as added.
    pub covered: Vec<(RepoPath, Vec<Lines>)>,
    /// One sentence.
    pub why: String,
}

impl Steered {
    /// What stood there before was looked at when it came.
    pub(super) fn of(chunk: &Chunk, parts: &[FilePart]) -> Option<Self> {
        let brought = |attempt: &&context::Attempt| {
            !attempt.removed
                && attempt.line.is_none_or(|line| {
                    let at = |shown: &context::Shown| (shown.place.file, shown.place.line) == (attempt.file, line);
                    chunk.lines.iter().any(|shown| shown.place.added && at(shown))
                })
        };
        let attempts: Vec<&context::Attempt> = chunk.attempts.iter().filter(brought).collect();
        let first = attempts.first()?;
        let at = first.line.map(|line| format!(":{line}")).unwrap_or_default();
        let why = format!(
            "the model's silence does not count: {}{at}, shown with it, tries to steer who reads it ({})",
            parts[first.file].path.visible(),
            first.kind.name()
        );
        let covered = |covered: &context::Covered| (parts[covered.file].path.clone(), covered.added.clone());
        Some(Self {
            attempts: attempts.iter().map(|attempt| (parts[attempt.file].path.clone(), attempt.line)).collect(),
            covered: chunk.parts.iter().map(covered).collect(),
            why,
        })
    }

    /// Whether each attempt is a finding that somebody accepted.
    fn is_accepted(&self, dropped: &[Finding]) -> bool {
        let accepted = |finding: &&Finding| {
            ATTEMPTS.contains(&&*finding.claim.tag)
                && finding.dropped.as_ref().is_some_and(|dropped| dropped.stage == Stage::Suppress)
        };
        self.attempts.iter().all(|(path, line)| {
            dropped.iter().filter(accepted).any(|finding| {
                let at = &finding.claim.location;
                let is_of_name = matches!(&finding.claim.source, Source::Detector(id) if id.ends_with("/path"));
                at.path == *path && line.map_or(is_of_name, |line| at.line <= line && line <= at.end_line)
            })
        })
    }
}

/// Names what is unread for attempts that nobody accepted; `of_file` is told each file of which that is so.
pub(in crate::review) fn steered(
    all: Vec<Steered>,
    dropped: &[Finding],
    mut of_file: impl FnMut(&RepoPath),
) -> Vec<Skip> {
    let mut unread = Unread::default();
    for steered in all.into_iter().filter(|steered| !steered.is_accepted(dropped)) {
        for (path, added) in &steered.covered {
            of_file(path);
            unread.add(path, added, steered.why.clone());
        }
    }
    unread.into_skips()
}

/// What the model did not read, by file and reason: which added lines, and whether it should have.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<(RepoPath, String), (BTreeSet<u32>, bool)>);

impl Unread {
    pub(super) fn add(&mut self, path: &RepoPath, added: &[Lines], why: String) {
        self.put(path, added, why, true);
    }

    fn put(&mut self, path: &RepoPath, added: &[Lines], why: String, unread: bool) {
        let entry = self.0.entry((path.clone(), why)).or_insert_with(|| (BTreeSet::new(), unread));
        entry.0.extend(added.iter().flat_map(|lines| lines.first..lines.first.saturating_add(lines.count)));
    }

    /// All of a chunk.
    pub(super) fn chunk(&mut self, chunk: &Chunk, parts: &[FilePart], why: &str, read: &mut [bool]) {
        for covered in &chunk.parts {
            read[covered.file] = false;
            self.add(&parts[covered.file].path, &covered.added, why.to_owned());
        }
    }

    /// What is in no chunk. What is no code to anybody, and what nobody could read, is named already.
    pub(super) fn skipped(&mut self, passes: &[Chunks], parts: &[FilePart], read: &mut [bool]) {
        for skipped in passes.first().into_iter().flat_map(|chunks| &chunks.skipped) {
            let path = &parts[skipped.file].path;
            let why = match skipped.reason {
                Reason::NotCode(_) | Reason::Unread(_) => continue,
                Reason::LongLine => "a line of more than 20,000 characters is not shown to the model",
                Reason::Denied => "not shown to the model: by its name it holds secrets",
                Reason::Generated => "not shown to the model: generated",
                Reason::Vendored => "not shown to the model: vendored",
                Reason::Lock => "not shown to the model: a lock file",
            };
            // Source code under such a name would be a way around the model.
            let is_source = Language::of_path(path, None).is_some_and(|language| language != Language::Yaml);
            let unread = match skipped.reason {
                Reason::LongLine => true,
                Reason::Denied => is_source,
                _ => false,
            };
            read[skipped.file] &= !unread;
            self.put(path, &skipped.added, why.to_owned(), unread);
        }
    }

    pub(super) fn into_skips(self) -> Vec<Skip> {
        let skip = |((path, why), (lines, unread)): ((RepoPath, String), (BTreeSet<u32>, bool))| Skip {
            path,
            lines: Some(lines.len() as u64),
            unread,
            why,
        };
        self.0.into_iter().map(skip).collect()
    }
}
