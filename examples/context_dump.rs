//! Makes the chunks of many changes and checks that no changed line is lost, for docs/context.md.
//!
//! Usage: `context_dump REPOSITORY BUDGET,… [--layers none|A|B|C] [--cqs] [--text] < PAIRS`, one `OLD NEW` per line; `-` is the
//! empty tree. Prints one line of figures for each budget; with `--text` the chunks themselves before it.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use diffsieve::context::{Budget, Context, FilePart, Form, Layers, Options, Reason, Skipped, chunks};
use diffsieve::detect::{FileView, limits};
use diffsieve::diff::{FileChange, Globs, Lines, Plan, load};
use diffsieve::git::{Repository, Side};
use diffsieve::rules::{Examples, Rules};

/// What came of one budget.
#[derive(Default)]
struct Figures {
    changes: u64,
    chunks: u64,
    lines: u64,
    shown: u64,
    named: u64,
    lost: u64,
    over: u64,
    tokens: u64,
    largest: u32,
    attempts: u64,
    masked: u64,
    time: Duration,
}

struct Run {
    budgets: Vec<u32>,
    form: Form,
    text: bool,
    figures: Vec<Figures>,
}

fn main() -> anyhow::Result<()> {
    let usage = "usage: context_dump REPOSITORY BUDGET,… [--layers A|B|C] [--cqs] [--text] < PAIRS";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, budgets, rest @ ..] = &arguments[..] else { anyhow::bail!(usage) };
    let budgets = budgets.split(',').map(str::parse).collect::<Result<Vec<u32>, _>>().context(usage)?;
    let layers = match rest.iter().position(|word| word == "--layers").and_then(|at| rest.get(at + 1)) {
        Some(name) => Layers::find(name).context(usage)?,
        None => Layers::default(),
    };
    let has = |flag: &str| rest.iter().any(|word| word == flag);
    let form = if has("--cqs") { Form::Cqs } else { Form::Marked };
    let repo = Repository::open(Path::new(dir), &|_| None)?;
    let Ok(rules) = Rules::load(Examples::Skip, &[], None, None) else { anyhow::bail!("the packs are broken") };
    let context = Context::new(&rules, Options { layers, ..Options::default() })?;
    let figures = budgets.iter().map(|_| Figures::default()).collect();
    let mut run = Run { budgets, form, text: has("--text"), figures };
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (old, new) = line.split_once(' ').context("a line is OLD NEW")?;
        let side = |rev: &str| -> anyhow::Result<Side> {
            Ok(match rev {
                "-" => Side::Empty,
                rev => Side::Tree(repo.tree_of(repo.resolve(rev)?)?),
            })
        };
        let plan = Plan::between(&repo, &side(old)?, &side(new)?, None)?;
        let mut reader = repo.reader();
        let mut files = Vec::new();
        let mut parts = Vec::new();
        let started = Instant::now();
        for planned in &plan.files {
            let change = load(planned, &mut reader, &limits(&planned.path, planned.class, None), &Globs::default());
            parts.push(part(&context, &change));
            // The text goes; what the check needs stays.
            files.push(change.hunks().to_vec());
        }
        run.change(&line, &files, &parts, started.elapsed())?;
    }
    let mut out = io::stdout().lock();
    for (budget, figures) in run.budgets.iter().zip(&run.figures) {
        let Figures { changes, chunks, lines, shown, named, lost, over, tokens, largest, attempts, masked, time } =
            figures;
        let share = *shown as f64 / (*shown + *lost).max(1) as f64 * 100.0;
        writeln!(
            out,
            "budget {budget}: {changes} changes, {chunks} chunks, {lines} changed lines: {shown} shown, {named} skipped by \
             name, {lost} lost ({share:.3} % of text lines shown); {over} over budget, largest {largest}, mean {:.0} \
             tokens; {attempts} attempts, {masked} values hidden; {:.1} s",
            *tokens as f64 / (*chunks).max(1) as f64,
            time.as_secs_f64()
        )?;
    }
    Ok(())
}

fn part(context: &Context<'_>, change: &FileChange) -> FilePart {
    match FileView::of(change) {
        Some(view) => context.part(change, view.parsed(), view.parsed_old()),
        None => context.part(change, None, None),
    }
}

impl Run {
    fn change(
        &mut self,
        name: &str,
        files: &[Vec<diffsieve::diff::Hunk>],
        parts: &[FilePart],
        made: Duration,
    ) -> anyhow::Result<()> {
        for (budget, figures) in self.budgets.iter().zip(&mut self.figures) {
            let started = Instant::now();
            let found = chunks(parts, &Budget::of(*budget), self.form, 1);
            figures.time += started.elapsed() + made;
            figures.changes += 1;
            let (mut shown, mut named) = (BTreeSet::new(), BTreeSet::new());
            for chunk in &found.chunks {
                figures.chunks += 1;
                figures.tokens += u64::from(chunk.tokens);
                figures.largest = figures.largest.max(chunk.tokens);
                figures.over += u64::from(chunk.tokens > *budget);
                figures.attempts += chunk.attempts.len() as u64;
                figures.masked += chunk.masked as u64;
                for covered in &chunk.parts {
                    add(&mut shown, covered.file, &covered.added, &covered.removed);
                }
                if self.text {
                    let mut out = io::stdout().lock();
                    writeln!(out, "##### {name} {} {} tokens\n{}", chunk.id, chunk.tokens, chunk.text)?;
                }
            }
            for Skipped { file, added, removed, reason } in &found.skipped {
                let of_text = matches!(reason, Reason::LongLine);
                add(&mut named, *file, added, removed);
                if of_text && self.text {
                    writeln!(io::stderr().lock(), "{name}: a long line in file {file}")?;
                }
            }
            let mut all = BTreeSet::new();
            for (file, hunks) in files.iter().enumerate() {
                let new: Vec<Lines> = hunks.iter().map(|hunk| hunk.new).collect();
                let old: Vec<Lines> = hunks.iter().map(|hunk| hunk.old).collect();
                add(&mut all, file, &new, &old);
            }
            let lost: Vec<_> = all.iter().filter(|line| !shown.contains(*line) && !named.contains(*line)).collect();
            if let Some(line) = lost.first() {
                writeln!(io::stderr().lock(), "{name}: lost {line:?}")?;
            }
            figures.lines += all.len() as u64;
            figures.shown += all.intersection(&shown).count() as u64;
            figures.named += all.intersection(&named).count() as u64;
            figures.lost += lost.len() as u64;
        }
        Ok(())
    }
}

/// Adds lines as (file, whether added, number).
fn add(set: &mut BTreeSet<(usize, bool, u32)>, file: usize, added: &[Lines], removed: &[Lines]) {
    for (lines, is_added) in [(added, true), (removed, false)] {
        set.extend(lines.iter().flat_map(|lines| lines.first..lines.end()).map(|number| (file, is_added, number)));
    }
}
