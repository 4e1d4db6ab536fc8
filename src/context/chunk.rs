//! From parts to chunks: cut, drawn, ordered.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::hostile::AttemptKind;
use super::layers::{self, LAYERS, Told};
use super::moves;
use super::part::FilePart;
use super::render::{self, Block};
use super::rows::{Border, Kind, Rank, Row, cost, lot, plain};
use super::split::stretches;
use super::summary::Entry;
use super::tokens::{Milli, milli};
use super::{Budget, Form, Layers};
use crate::diff::{Lines, NotCode, Unread};
use crate::finding::Line;
use crate::syntax::Language;

/// What one request shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// 32 hexadecimal digits made from `text`.
    pub id: String,
    /// The bytes that are sent.
    pub text: String,
    /// Their estimate.
    pub tokens: u32,
    /// The hunks in it, in order.
    pub parts: Vec<Covered>,
    /// What in it tries to be more than text.
    pub attempts: Vec<Attempt>,
    /// The languages in it, each once.
    pub languages: Vec<Language>,
    /// Whether all of it is tests.
    pub test: bool,
    /// 0 to 1, within this change: .5 × lines + .3 × share of comments + .2 × functions (SWE-PRBench, appendix B).
    pub risk: f64,
    /// How many values are hidden in it.
    pub masked: usize,
    /// Its lines of the new side in order, by their numbers from 1.
    pub lines: Vec<Shown>,
    /// Its removed lines in order.
    pub removed: Vec<Removed>,
    /// How its diff is written.
    pub form: Form,
    /// Unless it is [`Form::Marked`]: file and text of each hunk.
    pub(super) hunks: Vec<(usize, String)>,
    pub(super) fence: String,
}

/// A line of the new side as a chunk shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Where it is.
    pub place: Place,
    /// What is shown of it, as a reader can copy it: hidden values as markers, forgeries spelt out.
    pub text: String,
}

/// A removed line as a chunk shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// How many lines of the new side stand before it in the chunk, which is the number of the line above it.
    pub above: u32,
    /// The hunk, as an index into [`Chunk::parts`].
    pub hunk: usize,
    /// What is shown of it.
    pub text: String,
}

/// A hunk, or the part of one that a chunk shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// Which of the parts it belongs to.
    pub file: usize,
    /// `h1` and so on, in the order of the chunk.
    pub label: String,
    /// Added lines, numbered on the new side.
    pub added: Vec<Lines>,
    /// Removed lines, numbered on the old side.
    pub removed: Vec<Lines>,
    /// For each run of removed lines the line of the new side that it stands before.
    pub deletions: Vec<Line>,
}

/// Where a line of a chunk is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which of the parts.
    pub file: usize,
    /// The line on the new side.
    pub line: Line,
    /// Whether the change adds it.
    pub added: bool,
    /// The hunk, as an index into [`Chunk::parts`].
    pub hunk: usize,
}

/// Something in the change that tries to be more than text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attempt {
    /// Which of the parts.
    pub file: usize,
    /// The line, `None` for a file's name.
    pub line: Option<Line>,
    /// Whether the line is one of the old side.
    pub removed: bool,
    /// What it is.
    pub kind: AttemptKind,
}

/// Why lines are in no chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A generated file.
    Generated,
    /// Somebody else's code.
    Vendored,
    /// A lock file.
    Lock,
    /// A file that holds secrets by its name.
    Denied,
    /// A line of more than 20,000 characters.
    LongLine,
    /// Nothing to read.
    NotCode(NotCode),
    /// Could not be read: the review is incomplete.
    Unread(Unread),
}

impl Reason {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Vendored => "vendored",
            Self::Lock => "lock",
            Self::Denied => "denied",
            Self::LongLine => "long_line",
            Self::NotCode(_) => "not_code",
            Self::Unread(_) => "unread",
        }
    }
}

/// Changed lines that are in no chunk. Without lines it is the whole file, of which no line is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Which of the parts.
    pub file: usize,
    /// Lines of the new side.
    pub added: Vec<Lines>,
    /// Lines of the old side.
    pub removed: Vec<Lines>,
    /// Why.
    pub reason: Reason,
}

/// A change as requests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chunks {
    /// The riskiest first, tests after all others.
    pub chunks: Vec<Chunk>,
    /// What is in none of them.
    pub skipped: Vec<Skipped>,
}

impl Chunks {
    /// Keeps what is of these files alone. A chunk stays or goes as a whole, by its first file.
    pub fn keep(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        self.chunks.retain(|chunk| chunk.parts.first().is_none_or(|part| is_kept(part.file)));
        self.skipped.retain(|skipped| is_kept(skipped.file));
    }
}

impl Chunk {
    /// Where the line with this number is. Only [`Form::Marked`] shows these numbers; a claim about another form is about
    /// a line of a file ([`Self::number`]).
    pub fn place(&self, number: u32) -> Option<Place> {
        self.lines.get(number.checked_sub(1)? as usize).map(|line| line.place)
    }

    /// The number of a line that is claimed, of one of these files where lines are numbered as in their files.
    pub fn number(&self, claimed: u32, files: &[usize]) -> Option<u32> {
        if self.form == Form::Marked {
            return self.place(claimed).map(|_| claimed);
        }
        let is_it = |shown: &Shown| shown.place.line.get() == claimed && files.contains(&shown.place.file);
        let index = self.lines.iter().position(is_it)?;
        u32::try_from(index + 1).ok()
    }

    /// The page with the diff of these hunks only, as it stands there: no layers, no other hunk.
    pub fn excerpt(&self, hunks: &BTreeSet<usize>, parts: &[FilePart]) -> String {
        if self.form != Form::Marked {
            return self.unfenced(hunks, parts);
        }
        let mark = format!("<<{} ", self.fence);
        let (mut out, mut file, mut shown, mut next) = (String::new(), "", false, 0);
        for line in self.text.split_inclusive('\n') {
            match line.strip_prefix(&mark) {
                Some(rest) if rest.starts_with("FILE ") => file = line,
                Some(rest) if rest.starts_with('h') => {
                    shown = hunks.contains(&next);
                    next += 1;
                    if shown {
                        out.push_str(std::mem::take(&mut file));
                    }
                }
                Some(rest) if rest.starts_with("END ") && shown => {
                    out.push_str(line);
                    shown = false;
                }
                _ => {}
            }
            if shown {
                out.push_str(line);
            }
        }
        out
    }

    fn unfenced(&self, hunks: &BTreeSet<usize>, parts: &[FilePart]) -> String {
        let (mut out, mut before) = (String::new(), None);
        for (_, (file, text)) in self.hunks.iter().enumerate().filter(|(index, _)| hunks.contains(index)) {
            if before.replace(*file) != Some(*file) {
                let name = parts.get(*file).map_or("", FilePart::shown_path);
                out.push_str(&format!("File: {}\n", render::unmarked(name)));
            }
            out.push_str(text);
        }
        out
    }
}

/// A row on its way into a chunk.
#[derive(Clone)]
pub(super) struct Cell<'p> {
    pub(super) file: usize,
    pub(super) row: &'p Row,
    /// What of a line that is too long for one chunk.
    pub(super) piece: Option<Range<usize>>,
    border: Border,
    cost: Milli,
}

/// What a hunk costs beside its lines and its name.
const HUNK: Milli = 46_000;
/// What each run of added lines costs in the list of what may be reported.
const RUN: Milli = 4_500;

/// Cuts a change into chunks: every added and every removed line of the parts is in one of them or skipped by name, and
/// none of them costs more than the budget.
///
/// In every pass but the first the files of a chunk and the hunks of a file stand in another order, which depends on their
/// text and the number of the pass alone: who reads them again must not repeat himself for their order.
pub fn chunks(parts: &[FilePart], budget: &Budget, form: Form, pass: u32) -> Chunks {
    let total = Milli::from(budget.tokens.max(Budget::LEAST)) * 1_000;
    let is_told = parts.iter().any(|part| part.layers > Layers::None);
    let caps = if is_told { layers::caps(budget, total) } else { [0; LAYERS] };
    let limit = total - render::frame();
    let symbols = moves::told(parts);
    let prices: Vec<Price> = parts.iter().zip(&symbols).map(|(part, told)| Price::of(part, told, &caps)).collect();
    let cells = cells(parts, &prices, limit - caps.iter().sum::<Milli>());
    let borders: Vec<Border> = cells.iter().map(|cell| cell.border).collect();
    let sums = sums(&cells, &prices);
    let stretches = stretches(&borders, limit, |range| {
        let around = cells.get(range.start).map(|cell| prices[cell.file].around(cell.border.rank));
        sums[range.end].less(&sums[range.start]).and(&around.unwrap_or_default()).total(&caps)
    });
    let groups: Vec<Vec<Block<'_>>> = stretches.iter().map(|range| blocks(&cells[range.clone()])).collect();
    let mut groups: Vec<_> = groups.into_iter().filter(|group| !group.is_empty()).collect();
    if pass > 1 {
        groups.iter_mut().for_each(|group| shuffle(group, pass));
    }
    let alone = groups.len() == 1;
    let told = Told { parts, symbols: &symbols };
    let mut made: Vec<(Chunk, Weight)> = groups
        .iter()
        .map(|group| (render::chunk(group, &told, budget, form, total, alone), Weight::of(group)))
        .collect();
    let most = made.iter().fold(Weight::default(), |most, (_, weight)| most.max(*weight));
    for (chunk, weight) in &mut made {
        chunk.risk = weight.risk(most);
    }
    let mut chunks: Vec<Chunk> = made.into_iter().map(|(chunk, _)| chunk).collect();
    chunks.sort_by(|a, b| a.test.cmp(&b.test).then(b.risk.total_cmp(&a.risk)).then_with(|| a.id.cmp(&b.id)));
    let skipped = parts.iter().enumerate().flat_map(|(file, part)| {
        part.skipped.iter().map(move |(added, removed, reason)| Skipped {
            file,
            added: added.clone(),
            removed: removed.clone(),
            reason: *reason,
        })
    });
    Chunks { chunks, skipped: skipped.collect() }
}

/// Puts files, and hunks within their file, into another order.
fn shuffle(blocks: &mut [Block<'_>], pass: u32) {
    let pass = pass.to_string();
    let of_block =
        |block: &Block<'_>| lot(block.cells.iter().map(|cell| cell.row.text.as_str()).chain([pass.as_str()]));
    let mut of_file: BTreeMap<usize, u64> = BTreeMap::new();
    for block in blocks.iter() {
        let own = of_block(block);
        of_file.entry(block.file).and_modify(|least| *least = own.min(*least)).or_insert(own);
    }
    blocks.sort_by_cached_key(|block| (of_file.get(&block.file).copied(), block.file, of_block(block)));
}

/// The rows of all files in order; lines that would not fit alone are cut.
fn cells<'p>(parts: &'p [FilePart], prices: &[Price], limit: Milli) -> Vec<Cell<'p>> {
    let mut cells = Vec::new();
    for (file, (part, price)) in parts.iter().zip(prices).enumerate() {
        let most = limit.saturating_sub(price.file + price.hunk + RUN);
        for row in &part.rows {
            if row.cost <= most {
                cells.push(Cell { file, row, piece: None, border: row.border, cost: row.cost });
                continue;
            }
            for (index, piece) in pieces(row, part.language, most).into_iter().enumerate() {
                let text = &row.text[piece.clone()];
                let border = if index == 0 { row.border } else { Border { rank: Rank::Piece, lot: lot([text]) } };
                let cost = cost(row.kind, &format!("…{text}…"), part.language);
                cells.push(Cell { file, row, piece: Some(piece), border, cost });
            }
        }
    }
    cells
}

/// A line in halves until each fits.
fn pieces(row: &Row, language: Option<Language>, most: Milli) -> Vec<Range<usize>> {
    let (mut done, mut open) = (Vec::new(), Vec::new());
    open.push(0..row.text.len());
    while let Some(range) = open.pop() {
        let text = &row.text[range.clone()];
        let mut middle = range.start + range.len() / 2;
        while !row.text.is_char_boundary(middle) {
            middle -= 1;
        }
        if middle == range.start || cost(row.kind, &format!("…{text}…"), language) <= most {
            done.push(range);
        } else {
            open.push(middle..range.end);
            open.push(range.start..middle);
        }
    }
    done
}

/// What a stretch costs: its lines with their headers, and what each layer has to tell of its files.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    diff: Milli,
    layers: [Milli; LAYERS],
}

impl Sum {
    fn and(mut self, other: &Self) -> Self {
        self.diff += other.diff;
        self.layers.iter_mut().zip(other.layers).for_each(|(own, other)| *own += other);
        self
    }

    fn less(mut self, other: &Self) -> Self {
        self.diff -= other.diff;
        self.layers.iter_mut().zip(other.layers).for_each(|(own, other)| *own -= other);
        self
    }

    /// No layer needs more room than its share.
    fn total(&self, caps: &[Milli; LAYERS]) -> Milli {
        self.diff + self.layers.iter().zip(caps).map(|(need, cap)| need.min(cap)).sum::<Milli>()
    }
}

/// What a file costs a chunk beside its lines.
struct Price {
    file: Milli,
    /// One hunk, under the longest of its names.
    hunk: Milli,
    layers: [Milli; LAYERS],
}

impl Price {
    fn of(part: &FilePart, symbols: &[Entry], caps: &[Milli; LAYERS]) -> Self {
        let file = format!("<<0a1b2c3d4e5f FILE {}, typescript>>\n", plain(&part.header));
        let names = part.symbols.iter().map(|name| milli(&plain(name), part.language));
        Self {
            file: milli(&file, part.language),
            hunk: HUNK + names.max().unwrap_or(0),
            layers: layers::needs(part, symbols, caps),
        }
    }

    /// What a chunk needs that begins with a row which is not the first of its hunk, or of its file.
    fn around(&self, rank: Rank) -> Sum {
        match rank {
            Rank::File => Sum::default(),
            Rank::Hunk => Sum { diff: self.file, layers: self.layers },
            Rank::Syntax(_) | Rank::Line | Rank::Piece => Sum { diff: self.file + self.hunk, layers: self.layers },
        }
    }
}

/// What the rows up to each one cost.
fn sums(cells: &[Cell<'_>], prices: &[Price]) -> Vec<Sum> {
    let mut sums = Vec::with_capacity(cells.len() + 1);
    let mut sum = Sum::default();
    sums.push(sum);
    let mut before: Option<&Row> = None;
    for cell in cells {
        let price = &prices[cell.file];
        sum.diff += cell.cost;
        match cell.border.rank {
            Rank::File => sum = sum.and(&Sum { diff: price.file + price.hunk, layers: price.layers }),
            Rank::Hunk => sum.diff += price.hunk,
            Rank::Syntax(_) | Rank::Line | Rank::Piece => {}
        }
        if cell.row.kind != Kind::Unchanged && before.is_none_or(|before| before.kind != cell.row.kind) {
            sum.diff += RUN;
        }
        before = Some(cell.row);
        sums.push(sum);
    }
    sums
}

/// The hunks of a stretch, without those that only show what is around one.
fn blocks<'p>(cells: &[Cell<'p>]) -> Vec<Block<'p>> {
    let hunks = cells.chunk_by(|a, b| a.file == b.file && !matches!(b.border.rank, Rank::File | Rank::Hunk));
    let changed = hunks.filter(|cells| cells.iter().any(|cell| cell.row.kind != Kind::Unchanged));
    changed.map(|cells| Block { file: cells[0].file, cells: joined(cells) }).collect()
}

/// Pieces of one line that stand side by side as one.
fn joined<'p>(cells: &[Cell<'p>]) -> Vec<Cell<'p>> {
    let mut joined: Vec<Cell<'p>> = Vec::with_capacity(cells.len());
    for cell in cells {
        match (joined.last_mut().and_then(|last| last.piece.as_mut()), &cell.piece) {
            (Some(before), Some(piece)) if cell.border.rank == Rank::Piece => before.end = piece.end,
            _ => joined.push(cell.clone()),
        }
    }
    joined
}

/// What the order of the chunks depends on.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    lines: f64,
    comments: f64,
    functions: f64,
}

impl Weight {
    fn of(blocks: &[Block<'_>]) -> Self {
        let changed = || {
            let rows = blocks.iter().flat_map(|block| block.cells.iter().map(|cell| (block.file, cell.row)));
            rows.filter(|(_, row)| row.kind != Kind::Unchanged)
        };
        let lines = changed().count() as f64;
        let comments = changed().filter(|(_, row)| row.comment).count() as f64 / lines.max(1.0);
        let mut functions: Vec<_> =
            changed().filter(|(_, row)| row.symbol > 0).map(|(file, row)| (file, row.symbol)).collect();
        functions.sort_unstable();
        functions.dedup();
        Self { lines, comments, functions: functions.len() as f64 }
    }

    const fn max(self, other: Self) -> Self {
        Self {
            lines: self.lines.max(other.lines),
            comments: self.comments.max(other.comments),
            functions: self.functions.max(other.functions),
        }
    }

    fn risk(self, most: Self) -> f64 {
        let share = |own: f64, most: f64| if most > 0.0 { own / most } else { 0.0 };
        0.5 * share(self.lines, most.lines)
            + 0.3 * share(self.comments, most.comments)
            + 0.2 * share(self.functions, most.functions)
    }
}
