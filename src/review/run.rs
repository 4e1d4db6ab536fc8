//! The stages in their order. Everything up to the inline ignores happens file by file, on as many threads as there are
//! cores, and a file's text is gone before the next one is read; the rest looks at all findings together.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Change, Coverage, FileSummary, Funnel, ReadBy, Review, Skip};
use super::{evidence, filter, ground, merge, rank, suppress};
use crate::baseline::{Baseline, Date};
use crate::detect::{Engine, FileView};
use crate::diff::{Body, FileChange, NotCode, Unread};
use crate::finding::Finding;
use crate::rules::Rules;

/// Where changed files come from: a repository or a patch.
pub trait Changes: Sync {
    /// What one thread needs to read files.
    type Worker;
    /// How many files there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Prepares a thread.
    fn worker(&self) -> Self::Worker;
    /// Reads one file; each index is asked for once.
    fn load(&self, worker: &mut Self::Worker, index: usize) -> FileChange;
    /// What is known to be out of reach before anything is read.
    fn skipped(&self) -> Vec<Skip> {
        Vec::new()
    }
}

/// Files that are in memory already, such as those of a patch.
pub struct Loaded(Mutex<Vec<Option<FileChange>>>, usize);

impl Loaded {
    /// These files.
    pub fn new(files: Vec<FileChange>) -> Self {
        let count = files.len();
        Self(Mutex::new(files.into_iter().map(Some).collect()), count)
    }
}

impl Changes for Loaded {
    type Worker = ();

    fn len(&self) -> usize {
        self.1
    }

    fn worker(&self) {}

    fn load(&self, (): &mut (), index: usize) -> FileChange {
        let mut files = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        files[index].take().expect("each index is asked for once")
    }
}

/// What decides how a change is reviewed, besides the rules.
#[derive(Debug)]
pub struct Settings {
    /// Accepted findings.
    pub baseline: Baseline,
    /// The day on which baseline entries are judged.
    pub today: Option<Date>,
    /// Ignores in the code.
    pub suppress: suppress::Policy,
    /// Most findings shown, errors not counted.
    pub cap: Option<u32>,
    /// Threads, at least one.
    pub threads: usize,
}

/// What came of one file.
struct Outcome {
    summary: FileSummary,
    skip: Option<Skip>,
    raised: u64,
    kept: Vec<Finding>,
    dropped: Vec<Finding>,
    notes: Vec<String>,
}

/// Reviews a change. `change` describes the range; its `files` are filled in here.
pub fn review<C: Changes>(changes: &C, change: Change, rules: &Rules, settings: &Settings) -> Review {
    let engine = Engine::new(rules);
    let outcomes = each_file(changes, settings.threads, &|file| review_file(file, &engine, rules, settings));
    let mut review = Review { change, ..Review::default() };
    review.coverage.skipped = changes.skipped();
    let mut findings = Vec::new();
    for outcome in outcomes {
        tally(&mut review.coverage, &outcome);
        review.funnel.raised += outcome.raised;
        review.change.files.push(outcome.summary);
        review.dropped.extend(outcome.dropped);
        review.notes.extend(outcome.notes);
        findings.extend(outcome.kept);
    }
    let (findings, accepted) = suppress::baseline(findings, &settings.baseline, settings.today, &mut review.notes);
    review.dropped.extend(accepted);
    let (findings, twins) = merge::merge(findings);
    review.dropped.extend(twins);
    let (findings, capped) = rank::rank(findings, rules, settings.cap);
    review.dropped.extend(capped);
    review.findings = findings;
    close(&mut review);
    review
}

/// Counts what went where. A claim that is neither shown nor dropped would be a bug that no reader could see.
fn close(review: &mut Review) {
    let mut removed = BTreeMap::new();
    for finding in &review.dropped {
        let reason = finding.dropped.as_ref().map_or("unnamed", |dropped| dropped.reason.as_str());
        *removed.entry(reason.to_owned()).or_default() += 1;
    }
    review.funnel = Funnel { raised: review.funnel.raised, shown: review.findings.len() as u64, removed };
    assert!(review.funnel.balances(), "a claim was lost or invented: {:?}", review.funnel);
}

fn tally(coverage: &mut Coverage, outcome: &Outcome) {
    coverage.added_lines += outcome.summary.added;
    let unread = outcome.skip.as_ref().is_some_and(|skip| skip.unread);
    if outcome.summary.read_by.text && !unread {
        coverage.reviewed_lines += outcome.summary.added;
    }
    coverage.skipped.extend(outcome.skip.clone());
}

/// Runs `work` over every file, in order of the result though not of the work.
fn each_file<C: Changes>(changes: &C, threads: usize, work: &(dyn Fn(FileChange) -> Outcome + Sync)) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut worker = changes.worker();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= changes.len() {
                return done;
            }
            done.push((index, work(changes.load(&mut worker, index))));
        }
    };
    let threads = threads.clamp(1, changes.len().div_ceil(4).max(1));
    let mut outcomes: Vec<(usize, Outcome)> = if threads == 1 {
        run()
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            handles
                .into_iter()
                .flat_map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn review_file(file: FileChange, engine: &Engine<'_>, rules: &Rules, settings: &Settings) -> Outcome {
    let mut outcome = Outcome {
        summary: summary(&file),
        skip: skip(&file),
        raised: 0,
        kept: Vec::new(),
        dropped: Vec::new(),
        notes: Vec::new(),
    };
    let Some(view) = FileView::of(&file) else { return outcome };
    // A grammar or an engine that fails on one file must not take the review with it, nor make it look complete.
    let sieved = catch_unwind(AssertUnwindSafe(|| sieve(&view, engine, rules, settings)));
    let Ok(sieved) = sieved else {
        outcome.skip = Some(unread(&file, "the analysis of this file failed, which is a bug in diffsieve"));
        return outcome;
    };
    outcome.raised = sieved.raised;
    outcome.kept = sieved.kept;
    outcome.dropped = sieved.dropped;
    outcome.notes = sieved.notes;
    outcome.summary.language = view.language.map(|language| language.name());
    outcome.summary.read_by.text = true;
    match view.parse_made() {
        Some(Ok(())) => outcome.summary.read_by.parser = true,
        Some(Err(reason)) => outcome.skip = Some(unread(&file, &format!("unparsable: {reason}"))),
        None if view.is_too_large_to_parse() => outcome.skip = Some(unread(&file, "too large to parse")),
        None => {}
    }
    outcome
}

struct Sieved {
    raised: u64,
    kept: Vec<Finding>,
    dropped: Vec<Finding>,
    notes: Vec<String>,
}

fn sieve(view: &FileView<'_>, engine: &Engine<'_>, rules: &Rules, settings: &Settings) -> Sieved {
    let claims = engine.run(view);
    let raised = claims.len() as u64;
    let mut notes = Vec::new();
    let (kept, mut dropped) = ground::ground(claims, view, rules);
    let (kept, refuted) = evidence::weigh(kept, view, rules);
    dropped.extend(refuted);
    let (kept, filtered) = filter::filter(kept, view, rules);
    dropped.extend(filtered);
    let (kept, ignored) = suppress::inline(kept, view, rules, settings.suppress, &mut notes);
    dropped.extend(ignored);
    let kept = kept.into_iter().map(|grounded| grounded.finding).collect();
    Sieved { raised, kept, dropped, notes }
}

fn summary(file: &FileChange) -> FileSummary {
    FileSummary {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        status: file.status,
        added: file.added_count(),
        removed: file.removed_count(),
        language: None,
        class: file.class,
        read_by: ReadBy::default(),
    }
}

fn unread(file: &FileChange, why: &str) -> Skip {
    let lines = matches!(file.body, Body::Text { .. }).then(|| file.added_count());
    Skip { path: file.path.clone(), lines, unread: true, why: why.to_owned() }
}

fn skip(file: &FileChange) -> Option<Skip> {
    match &file.body {
        Body::Text { .. } => None,
        Body::Unread(reason) => Some(unread(file, &unread_reason(reason))),
        Body::NotCode(reason) => {
            let why = match reason {
                NotCode::Binary => "binary",
                NotCode::Symlink => "symbolic link",
                NotCode::Submodule => "submodule",
                NotCode::LfsPointer => "Git LFS pointer",
                NotCode::NoLines => "no line changed",
                NotCode::LargeDeletion => "deleted, too large to show",
                NotCode::Excluded => "excluded by the configuration",
            };
            Some(Skip { path: file.path.clone(), lines: None, unread: false, why: why.to_owned() })
        }
    }
}

fn unread_reason(reason: &Unread) -> String {
    match reason {
        Unread::TooLarge { bytes } => format!("too large: {bytes} bytes"),
        Unread::LongLine => "a line is too long".to_owned(),
        Unread::BinarySource => "binary content under the name of source code".to_owned(),
        Unread::SourceElsewhere => "source code in Git LFS".to_owned(),
        Unread::TooManyLines => "too many lines".to_owned(),
        Unread::MissingObject => "an object is missing from the repository".to_owned(),
    }
}
