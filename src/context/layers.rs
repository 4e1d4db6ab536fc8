//! What is told beside the diff, each layer within its budget. Nothing is cut short: what does not fit is left out, and
//! what comes after it may still fit. A chunk is told of its own files only, so that a change elsewhere leaves it alone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::mask::{FENCE, Masked};
use super::part::FilePart;
use super::render::{Block, Page, cost};
use super::rows::{Kind, Row};
use super::signatures::Signature;
use super::summary::Entry;
use super::tokens::Milli;
use super::{Budget, Layers, base};
use crate::diff::Lines;
use crate::finding::Line;

/// How many layers there are beside the diff.
pub(super) const LAYERS: usize = 4;

/// What each layer may keep free for itself: its share, and all of them together at most two fifths of the whole.
pub(super) fn caps(budget: &Budget, total: Milli) -> [Milli; LAYERS] {
    let caps = [budget.summary, budget.execution, budget.behaviour, budget.tests].map(tokens);
    let (all, most) = (caps.iter().sum::<Milli>().max(1), total * 2 / 5);
    if all <= most { caps } else { caps.map(|cap| cap * most / all) }
}

/// What each layer would need to tell all it has of a file, as far as its share goes.
pub(super) fn needs(part: &FilePart, symbols: &[Entry], caps: &[Milli; LAYERS]) -> [Milli; LAYERS] {
    let lines =
        |lines: &mut dyn Iterator<Item = &String>| -> Milli { lines.map(|line| cost(line, part) + 2_000).sum() };
    let summary = lines(&mut symbols.iter().map(|entry| &entry.text));
    let functions = part.base.functions.iter().flat_map(|function| &function.text);
    let execution = lines(&mut functions.chain(&part.base.imports));
    let behaviour = lines(&mut part.reads.iter().map(|read| &read.line));
    // Which tests belong to a file is known only when all files are.
    let tests = if part.layers >= Layers::C && !part.test { caps[3] } else { 0 };
    [summary, execution, behaviour, tests]
}

/// The files of a change, and what is told of the symbols of each.
pub(super) struct Told<'p> {
    pub(super) parts: &'p [FilePart],
    pub(super) symbols: &'p [Vec<Entry>],
}

/// What is shown whole or not at all, under the name of its file.
struct Item<'p> {
    file: usize,
    lines: Vec<Cow<'p, str>>,
    /// Whether it may use what others leave, or only the share of its layer.
    spare: bool,
}

impl<'p> Item<'p> {
    fn of(file: usize, lines: impl IntoIterator<Item = &'p String>) -> Self {
        Self { file, lines: lines.into_iter().map(|line| line.as_str().into()).collect(), spare: true }
    }
}

/// The pages before and after the diff. `left` is what they may cost together.
pub(super) fn layers(
    blocks: &[Block<'_>],
    told: &Told<'_>,
    budget: &Budget,
    left: Milli,
    alone: bool,
    masked: &mut Masked,
) -> [Page; 2] {
    let parts = told.parts;
    let kinds: [(&str, u32, Vec<Item<'_>>); LAYERS] = [
        ("KEY changes", budget.summary, summary(blocks, told.symbols)),
        ("BASE, before the change", budget.execution, execution(blocks, parts)),
        ("READS of settings", budget.behaviour, behaviour(blocks, parts)),
        ("TESTS without bodies", budget.tests, tests(blocks, parts, alone)),
    ];
    let needs: Vec<Milli> = kinds.iter().map(|(_, most, items)| need(items, parts).min(tokens(*most))).collect();
    let mut left = left;
    let mut pages = [Page::default(), Page::default()];
    for (index, (title, most, items)) in kinds.into_iter().enumerate() {
        // The later layers keep what they can use of their own share; the summary never has more than its own.
        let later: Milli = needs[index + 1..].iter().sum();
        let mut allowed = left.saturating_sub(later);
        if index == 0 {
            allowed = allowed.min(tokens(most));
        }
        let page = &mut pages[usize::from(index > 0)];
        let before = page.cost;
        draw(page, title, &items, parts, (allowed, allowed.min(tokens(most))), masked);
        left = left.saturating_sub(page.cost - before);
    }
    pages
}

const fn tokens(count: u32) -> Milli {
    count as Milli * 1_000
}

fn need(items: &[Item<'_>], parts: &[FilePart]) -> Milli {
    items.iter().map(|item| item_cost(item, parts) + header("BASE, before the change", &parts[item.file])).sum()
}

fn item_cost(item: &Item<'_>, parts: &[FilePart]) -> Milli {
    item.lines.iter().map(|line| cost(&format!("| {line}"), &parts[item.file])).sum()
}

fn header(title: &str, part: &FilePart) -> Milli {
    cost(&format!("<<{FENCE} {title}: {}>>", part.shown_path), part)
}

/// `allowed`: what there is, and what of it is the layer's own.
fn draw(
    page: &mut Page,
    title: &str,
    items: &[Item<'_>],
    parts: &[FilePart],
    allowed: (Milli, Milli),
    masked: &mut Masked,
) {
    let before = page.cost;
    let mut shown: Option<usize> = None;
    for item in items {
        let part = &parts[item.file];
        let named = shown == Some(item.file);
        let price = item_cost(item, parts) + if named { 0 } else { header(title, part) };
        if page.cost - before + price > if item.spare { allowed.0 } else { allowed.1 } {
            continue;
        }
        if !named {
            page.line(&format!("<<{FENCE} {title}: {}>>", part.shown_path), part, masked);
            shown = Some(item.file);
        }
        for line in &item.lines {
            page.line(&format!("| {line}"), part, masked);
        }
    }
}

fn changed<'c>(blocks: &'c [Block<'_>], file: usize) -> impl Iterator<Item = &'c Row> {
    let own = blocks.iter().filter(move |block| block.file == file);
    own.flat_map(|block| block.cells.iter().map(|cell| cell.row)).filter(|row| row.kind != Kind::Unchanged)
}

fn files(blocks: &[Block<'_>]) -> BTreeSet<usize> {
    blocks.iter().map(|block| block.file).collect()
}

/// What happened to the symbols that the chunk shows a changed line of.
fn summary<'p>(blocks: &[Block<'_>], symbols: &'p [Vec<Entry>]) -> Vec<Item<'p>> {
    let mut found = Vec::new();
    for file in files(blocks) {
        for entry in &symbols[file] {
            let touches = |row: &Row| match row.kind {
                Kind::Removed => entry.old.is_some_and(|lines| holds(lines, row.line)),
                Kind::Added | Kind::Unchanged => entry.new.is_some_and(|lines| holds(lines, row.line)),
            };
            if changed(blocks, file).any(touches) {
                found.push((entry.order, Item::of(file, [&entry.text])));
            }
        }
    }
    found.sort_by_key(|(order, item)| (item.file, *order));
    found.into_iter().map(|(_, item)| item).collect()
}

fn holds(lines: Lines, line: u32) -> bool {
    Line::new(line).is_some_and(|line| lines.contains(line))
}

/// The functions of the base around the hunks, then the imports that the changed lines use.
fn execution<'p>(blocks: &[Block<'_>], parts: &'p [FilePart]) -> Vec<Item<'p>> {
    let mut items = Vec::new();
    for file in files(blocks) {
        let base = &parts[file].base;
        for function in &base.functions {
            let touches = |row: &Row| {
                function.hunks.iter().any(|hunk| match row.kind {
                    Kind::Removed => holds(hunk.old, row.line),
                    Kind::Added | Kind::Unchanged => holds(hunk.new, row.line),
                })
            };
            if changed(blocks, file).any(touches) {
                items.push(Item::of(file, &function.text));
            }
        }
        let words: BTreeSet<&str> = changed(blocks, file).flat_map(|row| base::words(&row.text)).collect();
        let language = parts[file].language;
        let is_used = |import: &&String| base::names(import, language).any(|name| words.contains(name));
        let used = base.imports.iter().filter(is_used);
        items.extend(used.map(|import| Item::of(file, [import])));
    }
    items
}

/// The settings that the files of the chunk read.
fn behaviour<'p>(blocks: &[Block<'_>], parts: &'p [FilePart]) -> Vec<Item<'p>> {
    let mut items = Vec::new();
    for file in files(blocks) {
        for read in &parts[file].reads {
            let line = format!("{} {}: {}", read.kind, read.key, read.line);
            items.push(Item { file, lines: vec![line.into()], spare: true });
        }
    }
    items
}

/// Of the tests in files whose name is that of a file of the chunk, or in all changed tests where there is no other chunk:
/// first those that the change touches, then, within the layer's own share, those that name what the chunk changes. Which
/// of their lines the chunk shows anyway is left out.
fn tests<'p>(blocks: &[Block<'_>], parts: &'p [FilePart], alone: bool) -> Vec<Item<'p>> {
    let shown = files(blocks);
    let stems: BTreeSet<String> =
        shown.iter().filter(|file| !parts[**file].test).map(|file| stem(&parts[*file])).collect();
    let names: BTreeSet<&str> = shown.iter().flat_map(|file| changed_names(blocks, parts, *file)).collect();
    let mut items = Vec::new();
    for (file, part) in parts.iter().enumerate().filter(|(_, part)| !part.signatures.is_empty()) {
        let wanted = (alone && !stems.is_empty()) || (!shown.contains(&file) && stems.contains(&stem(part)));
        if !wanted {
            continue;
        }
        let seen = seen(blocks, file);
        for (signature, later) in part.signatures.iter().zip(told(&part.signatures, &names)) {
            let Some(later) = later else { continue };
            let lines = signature.lines.iter().filter(|(number, _)| !seen.contains(number));
            items.extend(lines.map(|(_, line)| (later, Item { spare: !later, ..Item::of(file, [line]) })));
        }
    }
    items.sort_by_key(|(later, _)| *later);
    items.into_iter().map(|(_, item)| item).collect()
}

/// Which tests are told: `false` those that the change touches, `true` those that only speak of one of the names. What holds
/// tests is told as the first of them is.
fn told(signatures: &[Signature], names: &BTreeSet<&str>) -> Vec<Option<bool>> {
    let own = |test: &Signature| (test.changed || test.names_any(names)).then_some(!test.changed);
    let mut told: Vec<Option<bool>> = signatures.iter().map(|test| own(test).filter(|_| !test.holds)).collect();
    for (index, holder) in signatures.iter().enumerate().filter(|(_, signature)| signature.holds) {
        let held = signatures.iter().zip(&told).skip(index + 1);
        told[index] = held.take_while(|(test, _)| holder.is_around(test)).filter_map(|(_, told)| *told).min();
    }
    told
}

/// The names of the functions and types of production code that a chunk changes in a file.
fn changed_names<'p>(blocks: &[Block<'_>], parts: &'p [FilePart], file: usize) -> Vec<&'p str> {
    let part = &parts[file];
    let rows = changed(blocks, file).filter(|row| !part.test && row.symbol > 0);
    let names = rows.filter_map(|row| part.symbols.get(row.symbol as usize - 1));
    names.filter_map(|path| path.rsplit('.').next()).collect()
}

/// The lines of the new side that a chunk shows of a file.
fn seen(blocks: &[Block<'_>], file: usize) -> BTreeSet<u32> {
    let own = blocks.iter().filter(|block| block.file == file);
    let rows = own.flat_map(|block| block.cells.iter().map(|cell| cell.row));
    rows.filter(|row| row.kind != Kind::Removed).map(|row| row.line).collect()
}

/// The name of a file without what makes it a test: `test_client.py`, `client_test.go`, `Client.spec.ts`, `ClientTest.java`.
fn stem(part: &FilePart) -> String {
    let name = String::from_utf8_lossy(part.path.file_name()).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let stem = stem.strip_prefix("test_").or_else(|| stem.strip_prefix("test-")).unwrap_or(stem);
    let ends = ["_test", "-test", "_tests", "_spec", "-spec", "tests", "test", "spec"];
    let cut = ends.iter().find_map(|end| stem.strip_suffix(end)).filter(|cut| !cut.is_empty());
    cut.unwrap_or(stem).to_owned()
}
