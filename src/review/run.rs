//! The stages in their order. Everything up to the inline ignores happens file by file, on as many threads as there are
//! cores, and a file's text is gone before the next one is read; the rest looks at all findings together.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use super::ground::Grounded;
use super::model::{self, Model, Open, Waiting};
use super::{Change, Coverage, FileSummary, Funnel, ReadBy, Review, Skip};
use super::{evidence, filter, ground, merge, pool, rank, suppress};
use crate::baseline::{Baseline, Date};
use crate::context::FilePart;
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
pub struct Settings<'m> {
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
    /// A language model that reviews too.
    pub model: Option<&'m Model<'m>>,
}

/// What came of one file.
struct Outcome {
    summary: FileSummary,
    skip: Option<Skip>,
    raised: u64,
    kept: Vec<Finding>,
    dropped: Vec<Finding>,
    notes: Vec<String>,
    /// What the model is to be shown of it, if there is one.
    part: Option<FilePart>,
    open: Option<Open>,
}

impl Outcome {
    fn of(file: &FileChange) -> Self {
        Self {
            summary: summary(file),
            skip: skip(file),
            raised: 0,
            kept: Vec::new(),
            dropped: Vec::new(),
            notes: Vec::new(),
            part: None,
            open: None,
        }
    }
}

/// Reviews a change. `change` describes the range; its `files` are filled in here.
pub fn review<C: Changes>(changes: &C, change: Change, rules: &Rules, settings: &Settings<'_>) -> Review {
    let engine = Engine::new(rules);
    let threads = settings.threads.min(changes.len().div_ceil(4));
    let mut outcomes = pool::map(
        changes.len(),
        threads,
        || changes.worker(),
        |worker, index| review_file(changes.load(worker, index), &engine, rules, settings),
    );
    let mut review = Review { change, ..Review::default() };
    review.coverage.skipped = changes.skipped();
    if let Some(model) = settings.model {
        ask(&mut outcomes, &mut review, rules, settings, model);
    }
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

/// Has the model review what was held open for it, and takes both its findings and those of the detectors on together.
fn ask(outcomes: &mut [Outcome], review: &mut Review, rules: &Rules, settings: &Settings<'_>, model: &Model<'_>) {
    let open: Vec<Option<Open>> = outcomes.iter_mut().map(|outcome| outcome.open.take()).collect();
    let parts: Vec<FilePart> = outcomes
        .iter_mut()
        .map(|outcome| outcome.part.take().expect("every file has one where there is a model"))
        .collect();
    let asked = model::ask(&open, &parts, rules, model);
    review.funnel.raised += asked.raised;
    review.dropped.extend(asked.dropped);
    review.coverage.skipped.extend(asked.skipped);
    review.model = Some(asked.part);
    for (((outcome, open), kept), read) in outcomes.iter_mut().zip(open).zip(asked.kept).zip(asked.read) {
        outcome.summary.read_by.model = read;
        let Some(Open { change, waiting: Waiting { mut grounded, .. } }) = open else { continue };
        grounded.extend(kept);
        let Some(view) = FileView::of(&change) else { continue };
        finish(grounded, &view, rules, settings, outcome);
    }
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

fn review_file(file: FileChange, engine: &Engine<'_>, rules: &Rules, settings: &Settings<'_>) -> Outcome {
    // A grammar or an engine that fails on one file must not take the review with it, nor make it look complete.
    let outcome = catch_unwind(AssertUnwindSafe(|| look(&file, engine, rules, settings)));
    let context = settings.model.map(|model| model.context);
    let Ok((mut outcome, waiting)) = outcome else {
        let mut outcome = Outcome::of(&file);
        outcome.skip = Some(unread(&file, "the analysis of this file failed, which is a bug in diffsieve"));
        let file = FileChange { body: Body::Unread(Unread::MissingObject), ..file };
        outcome.part = context.map(|context| context.part(&file, None, None));
        return outcome;
    };
    outcome.open = waiting.map(|waiting| Open { change: file, waiting });
    outcome
}

/// Everything up to the model, and where none is to read the file the rest too.
fn look(file: &FileChange, engine: &Engine<'_>, rules: &Rules, settings: &Settings<'_>) -> (Outcome, Option<Waiting>) {
    let mut outcome = Outcome::of(file);
    let context = settings.model.map(|model| model.context);
    let Some(view) = FileView::of(file) else {
        outcome.part = context.map(|context| context.part(file, None, None));
        return (outcome, None);
    };
    let sieved = sieve(&view, engine, rules);
    outcome.raised = sieved.raised;
    outcome.dropped = sieved.dropped;
    outcome.summary.language = view.language.map(|language| language.name());
    outcome.summary.read_by.text = true;
    match view.parse_made() {
        Some(Ok(())) => outcome.summary.read_by.parser = true,
        Some(Err(reason)) => outcome.skip = Some(unread(file, &format!("unparsable: {reason}"))),
        None if view.is_too_large_to_parse() => outcome.skip = Some(unread(file, "too large to parse")),
        None => {}
    }
    outcome.part = context.map(|context| match view.touches_code() {
        true => context.part(file, view.parsed(), view.parsed_old()),
        false => context.part(file, None, None),
    });
    if outcome.part.as_ref().is_some_and(FilePart::is_shown) {
        return (outcome, Some(Waiting { grounded: sieved.kept, secrets: sieved.secrets }));
    }
    finish(sieved.kept, &view, rules, settings, &mut outcome);
    (outcome, None)
}

/// What the detectors say of a file, as far as it stands.
struct Sieved {
    raised: u64,
    kept: Vec<Grounded>,
    dropped: Vec<Finding>,
    /// What stands of secrets before anything is filtered.
    secrets: Vec<Grounded>,
}

fn sieve(view: &FileView<'_>, engine: &Engine<'_>, rules: &Rules) -> Sieved {
    let claims = engine.run(view);
    let raised = claims.len() as u64;
    let (kept, mut dropped) = ground::ground(claims, view, rules);
    let secrets = kept.iter().filter(|grounded| !grounded.raised.secrets.is_empty()).cloned().collect();
    let (kept, refuted) = evidence::weigh(kept, view, rules);
    dropped.extend(refuted);
    let (kept, filtered) = filter::filter(kept, view, rules);
    dropped.extend(filtered);
    Sieved { raised, kept, dropped, secrets }
}

/// The last stage that looks at the file.
fn finish(kept: Vec<Grounded>, view: &FileView<'_>, rules: &Rules, settings: &Settings<'_>, outcome: &mut Outcome) {
    let (kept, ignored) = suppress::inline(kept, view, rules, settings.suppress, &mut outcome.notes);
    outcome.dropped.extend(ignored);
    outcome.kept.extend(kept.into_iter().map(|grounded| grounded.finding));
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
