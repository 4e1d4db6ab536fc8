//! The stages in their order. Everything up to the inline ignores happens file by file, on as many threads as there are
//! cores, and a file's text is gone before the next one is read; the rest looks at all findings together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::conclude::{Caps, Gathered, conclude};
use super::ground::Grounded;
use super::model::{self, Looked, Model};
use super::shard::{self, Division, Peek, Shard, Share};
use super::{Change, Coverage, FileSummary, ReadBy, Review, Skip};
use super::{evidence, excerpt, filter, ground, pool, suppress};
use crate::baseline::{Baseline, Date};
use crate::context::{Context, FilePart};
use crate::detect::{Engine, FileView};
use crate::diff::{Body, FileChange, NotCode, Unread};
use crate::digest::Hash;
use crate::finding::Finding;
use crate::rules::Rules;
use crate::syntax::Language;

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
    /// A file that is not read yet.
    fn peek(&self, worker: &mut Self::Worker, index: usize) -> Peek;
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

    fn peek(&self, (): &mut (), index: usize) -> Peek {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file = files[index].as_ref().expect("nobody peeks at what is read already");
        let mut hash = Hash::new();
        if let Body::Text { old, new, .. } = &file.body {
            for (line, text) in old.lines().chain(new.lines()) {
                hash.part(&line.get().to_le_bytes());
                hash.part(text);
            }
        }
        Peek { path: file.path.clone(), cost: file.added_count() + file.removed_count(), identity: hash.digits() }
    }

    fn load(&self, (): &mut (), index: usize) -> FileChange {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// Which share of the change is reviewed, where several runs share it.
    pub shard: Option<Shard>,
    /// What names the rules, the configuration and the accepted findings: shares of one review must agree on it.
    pub policy: String,
    /// Remarks that the caller has made already.
    pub notes: Vec<String>,
    /// Keeps the diff for a report that shows it, without what this context does not show.
    pub keep_diff: Option<&'m Context<'m>>,
}

impl Settings<'_> {
    /// A review by the detectors on one thread, of which nothing is accepted, shared or kept.
    pub fn plain(suppress: suppress::Policy) -> Self {
        Self {
            baseline: Baseline::default(),
            today: None,
            suppress,
            cap: None,
            threads: 1,
            model: None,
            shard: None,
            policy: String::new(),
            notes: Vec::new(),
            keep_diff: None,
        }
    }
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

impl Outcome {
    fn of(file: &FileChange) -> Self {
        Self {
            summary: summary(file),
            skip: skip(file),
            raised: 0,
            kept: Vec::new(),
            dropped: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn failed(file: &FileChange) -> Self {
        let skip = unread(file, "the analysis of this file failed, which is a bug in diffsieve");
        Self { skip: Some(skip), ..Self::of(file) }
    }
}

/// Reviews a change. `change` describes the range; its `files` are filled in here.
pub fn review<C: Changes>(changes: &C, change: Change, rules: &Rules, settings: &Settings<'_>) -> Review {
    let mut gathered = Gathered { change, notes: settings.notes.clone(), ..Gathered::default() };
    gathered.coverage.skipped = changes.skipped();
    let peeks = settings.shard.map(|_| peeks(changes)).unwrap_or_default();
    let owners = match settings.model {
        None => alone(changes, &peeks, rules, settings, &mut gathered),
        Some(model) => with_model(changes, &peeks, rules, settings, model, &mut gathered),
    };
    let caps = Caps::of(rules, settings.cap, &gathered.kept);
    let share = settings.shard.map(|shard| {
        let plan = Division::of(shard, &peeks, owners, &settings.policy);
        Share::of(plan, &gathered, &settings.baseline, caps.clone())
    });
    let mut review = conclude(gathered, &settings.baseline, |_, _| true, settings.today, &caps);
    review.share = share.map(Box::new);
    excerpt::bound(&mut review);
    review
}

fn peeks<C: Changes>(changes: &C) -> Vec<Peek> {
    let mut worker = changes.worker();
    (0..changes.len()).map(|index| changes.peek(&mut worker, index)).collect()
}

/// Adds what came of one file after the other.
fn gather(outcomes: impl IntoIterator<Item = Outcome>, gathered: &mut Gathered) {
    for outcome in outcomes {
        tally(&mut gathered.coverage, &outcome);
        gathered.raised += outcome.raised;
        gathered.change.files.push(outcome.summary);
        gathered.dropped.extend(outcome.dropped);
        gathered.notes.extend(outcome.notes);
        gathered.kept.extend(outcome.kept);
    }
}

/// Threads that so many files are worth.
fn threads(files: usize, settings: &Settings<'_>) -> usize {
    settings.threads.min(files.div_ceil(4))
}

/// The detectors alone: a file's text is gone before the next one is read. Returns whose each file is; nobody's where the
/// review is not shared.
fn alone<C: Changes>(
    changes: &C,
    peeks: &[Peek],
    rules: &Rules,
    settings: &Settings<'_>,
    gathered: &mut Gathered,
) -> Vec<u32> {
    let engine = Engine::new(rules);
    let owners = settings.shard.map_or_else(Vec::new, |shard| shard::by_cost(peeks, shard.count));
    let is_mine = |index: &usize| settings.shard.is_none_or(|shard| owners[*index] == shard.index);
    let mine: Vec<usize> = (0..changes.len()).filter(is_mine).collect();
    let review = |worker: &mut C::Worker, index: usize| {
        let file = changes.load(worker, mine[index]);
        let reviewed = guarded(|| {
            let (mut outcome, view, sieved) = look(&file, FileView::of(&file), &engine, rules);
            keep(&mut outcome, settings, mine[index], view.as_ref(), sieved.as_ref());
            if let (Some(view), Some(sieved)) = (&view, sieved) {
                finish(sieved.kept, view, rules, settings, &mut outcome);
            }
            outcome
        });
        reviewed.unwrap_or_else(|| Outcome::failed(&file))
    };
    gather(pool::map(mine.len(), threads(mine.len(), settings), || changes.worker(), review), gathered);
    owners
}

/// Most bytes of source whose trees are kept while the model is asked; what goes beyond is parsed again.
const KEPT: usize = 32 << 20;

/// Detectors and model: the files are kept, the questions go out first, and the detectors look at the files while the
/// answers are under way. A share shows its model the very chunks that the whole review would.
fn with_model<C: Changes>(
    changes: &C,
    peeks: &[Peek],
    rules: &Rules,
    settings: &Settings<'_>,
    model: &Model<'_>,
    gathered: &mut Gathered,
) -> Vec<u32> {
    let threads = threads(changes.len(), settings);
    let files = pool::map(changes.len(), threads, || changes.worker(), |worker, index| changes.load(worker, index));
    let kept = AtomicUsize::new(0);
    let engine = Engine::new(rules);
    let shown = std::thread::scope(|scope| {
        // The patterns of the detectors are compiled while the pages are made. What fails there fails again, and is named.
        scope.spawn(|| guarded(|| engine.prepare(files.iter().filter_map(|file| Language::of_path(&file.path, None)))));
        pool::map(files.len(), threads, || (), |(), index| show(&files[index], model, &kept))
    });
    let failed: Vec<bool> = shown.iter().map(Option::is_none).collect();
    let shown =
        shown.into_iter().zip(&files).map(|(shown, file)| shown.unwrap_or_else(|| (unshown(file, model), None)));
    let (parts, views): (Vec<FilePart>, Vec<_>) = shown.unzip();
    let mut passes = model::passes(&parts, model);
    let owners = settings.shard.map_or_else(Vec::new, |shard| shard::by_chunks(&passes, peeks, shard.count));
    let is_mine = |index: usize| settings.shard.is_none_or(|shard| owners[index] == shard.index);
    passes.iter_mut().for_each(|pass| pass.keep(is_mine));
    let views: Vec<Mutex<Option<FileView<'_>>>> = views.into_iter().map(Mutex::new).collect();
    let detect = |(): &mut (), index: usize| {
        let file: &FileChange = &files[index];
        if !is_mine(index) {
            return (None, None, None);
        }
        let view = views[index].lock().unwrap_or_else(PoisonError::into_inner).take().or_else(|| FileView::of(file));
        let looked = guarded(|| {
            let (mut outcome, view, sieved) = look(file, view, &engine, rules);
            keep(&mut outcome, settings, index, view.as_ref(), sieved.as_ref());
            (outcome, view, sieved)
        });
        let (outcome, view, sieved) = looked.unwrap_or_else(|| (Outcome::failed(file), None, None));
        (Some(outcome), view, sieved)
    };
    let (mut outcomes, mut waiting) = (Vec::new(), Vec::new());
    let asked = model::ask(&passes, &parts, rules, model, || {
        let (mut views, mut secrets) = (Vec::new(), Vec::new());
        for (outcome, view, sieved) in pool::map(files.len(), threads, || (), detect) {
            let sieved = sieved.unwrap_or_default();
            outcomes.push(outcome);
            views.push(view);
            secrets.push(sieved.secrets);
            waiting.push(sieved.kept);
        }
        Looked { views, secrets }
    });
    gathered.raised += asked.raised;
    gathered.dropped.extend(asked.dropped);
    gathered.coverage.skipped.extend(asked.skipped);
    gathered.model = Some(asked.part);
    gathered.steered = asked.steered;
    let failed = failed.iter().zip(&files).zip(0..).filter(|((failed, _), index)| **failed && is_mine(*index));
    let why = "what the model is shown of this file could not be made, which is a bug in diffsieve";
    gathered.coverage.skipped.extend(failed.map(|((_, file), _)| unread(file, why)));
    let found = waiting.into_iter().zip(asked.kept).zip(asked.views).zip(asked.read);
    for ((((mut grounded, kept), view), read), outcome) in found.zip(&mut outcomes) {
        let Some(outcome) = outcome else { continue };
        outcome.summary.read_by.model = read;
        grounded.extend(kept);
        if let Some(view) = view {
            finish(grounded, &view, rules, settings, outcome);
        }
    }
    gather(outcomes.into_iter().flatten(), gathered);
    owners
}

/// What the model is shown of a file, and the view of it where it is kept; `None` where that fails.
fn show<'f>(file: &'f FileChange, model: &Model<'_>, kept: &AtomicUsize) -> Option<(FilePart, Option<FileView<'f>>)> {
    let Some(view) = FileView::of(file) else { return Some((part(file, model.context, None), None)) };
    let bytes = view.text.bytes().len() + view.old_text.bytes().len();
    let is_kept = kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= KEPT;
    let (part, view) = guarded(|| (part(file, model.context, Some(&view)), view))?;
    Some((part, is_kept.then_some(view)))
}

fn part(file: &FileChange, context: &Context<'_>, view: Option<&FileView<'_>>) -> FilePart {
    match view.filter(|view| view.touches_code()) {
        Some(view) => context.part(file, view.parsed(), view.parsed_old()),
        None => context.part(file, None, None),
    }
}

/// What the model of a review is shown of a file; `None` where a grammar fails on it, which is a bug.
pub fn shown(file: &FileChange, context: &Context<'_>) -> Option<FilePart> {
    guarded(|| part(file, context, FileView::of(file).as_ref()))
}

/// A file of which nothing can be shown.
fn unshown(file: &FileChange, model: &Model<'_>) -> FilePart {
    let unread = FileChange {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        status: file.status,
        old_kind: file.old_kind,
        new_kind: file.new_kind,
        class: file.class,
        body: Body::Unread(Unread::MissingObject),
        old_id: None,
    };
    model.context.part(&unread, None, None)
}

/// A grammar or an engine that fails on one file must not take the review with it, nor make it look complete.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn tally(coverage: &mut Coverage, outcome: &Outcome) {
    coverage.added_lines += outcome.summary.added;
    let unread = outcome.skip.as_ref().is_some_and(|skip| skip.unread);
    if outcome.summary.read_by.text && !unread {
        coverage.reviewed_lines += outcome.summary.added;
    }
    coverage.skipped.extend(outcome.skip.clone());
}

/// Everything that detectors do up to the inline ignores.
fn look<'f>(
    file: &'f FileChange,
    view: Option<FileView<'f>>,
    engine: &Engine<'_>,
    rules: &Rules,
) -> (Outcome, Option<FileView<'f>>, Option<Sieved>) {
    let mut outcome = Outcome::of(file);
    let Some(view) = view else { return (outcome, None, None) };
    let mut sieved = sieve(&view, engine, rules);
    outcome.raised = sieved.raised;
    outcome.dropped = std::mem::take(&mut sieved.dropped);
    outcome.summary.language = view.language.map(|language| language.name());
    outcome.summary.read_by.text = true;
    match view.parse_made() {
        Some(Ok(())) => outcome.summary.read_by.parser = true,
        Some(Err(reason)) => outcome.skip = Some(unread(file, &format!("unparsable: {reason}"))),
        None if view.is_too_large_to_parse() => outcome.skip = Some(unread(file, "too large to parse")),
        None => {}
    }
    (outcome, Some(view), Some(sieved))
}

/// Keeps what a page shows of the file.
fn keep(
    outcome: &mut Outcome,
    settings: &Settings<'_>,
    index: usize,
    view: Option<&FileView<'_>>,
    sieved: Option<&Sieved>,
) {
    if let (Some(context), Some(view), Some(sieved)) = (settings.keep_diff, view, sieved) {
        outcome.summary.excerpt = Some(excerpt::of(context, index, view, &sieved.secrets));
    }
}

/// What the detectors say of a file, as far as it stands.
#[derive(Default)]
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

pub(super) fn summary(file: &FileChange) -> FileSummary {
    FileSummary {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        status: file.status,
        added: file.added_count(),
        removed: file.removed_count(),
        language: None,
        class: file.class,
        read_by: ReadBy::default(),
        excerpt: None,
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
