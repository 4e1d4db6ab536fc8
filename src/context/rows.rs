//! The lines of a diff in the order in which they are shown, each with what it costs and how well it may be cut before.

use std::collections::BTreeMap;

use super::borders::Start;
use super::hostile::{AttemptKind, neutral};
use super::tokens::{Milli, milli};
use super::{borders, mask};
use crate::diff::{Hunk, Lines, Text};
use crate::finding::Line;
use crate::syntax::{Language, Parsed, Region};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Unchanged,
    Removed,
    Added,
}

/// How well a change may be cut before a row; greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Border {
    /// What begins.
    pub(super) rank: Rank,
    /// Tells equals apart, from the text near the border alone.
    pub(super) lot: u64,
}

/// What begins at a border, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A piece of a line.
    Piece,
    /// A line.
    Line,
    /// A statement or declaration.
    Syntax(Start),
    /// A hunk.
    Hunk,
    /// A file.
    File,
}

/// A line as it is shown.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) kind: Kind,
    /// Its number on its own side.
    pub(super) line: u32,
    /// The line of the new side that it is or stands before.
    pub(super) at: u32,
    pub(super) text: String,
    pub(super) cost: Milli,
    pub(super) border: Border,
    pub(super) attempts: Vec<AttemptKind>,
    /// Nothing but a comment.
    pub(super) comment: bool,
    /// Name of the symbol around it, by index from 1; 0 is none.
    pub(super) symbol: u32,
}

/// One side of a file: the text with its values hidden, and its parse.
pub(super) struct Side<'a> {
    pub(super) text: &'a Text,
    pub(super) parsed: Option<&'a Parsed>,
}

/// Longest line that is shown, in characters: as the longest that is read of code.
pub(super) const LONGEST: usize = 20_000;

/// Most lines of a function that are shown around a hunk.
const FUNCTION: u32 = 200;

/// The rows of a file.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// Names of symbols as they are in the file.
    pub(super) symbols: Vec<String>,
    /// Lines too long to be shown, new and old.
    pub(super) long: (Vec<u32>, Vec<u32>),
}

/// What decides which lines are shown.
pub(super) struct View {
    pub(super) around: u32,
    pub(super) expand_function: bool,
    pub(super) language: Option<Language>,
}

struct Maker<'a> {
    new: &'a Side<'a>,
    old: &'a Side<'a>,
    language: Option<Language>,
    starts: [BTreeMap<u32, Start>; 2],
    out: Rows,
    names: BTreeMap<String, u32>,
}

/// Draws the hunks of a file with what stands around them.
pub(super) fn rows(hunks: &[Hunk], old: &Side<'_>, new: &Side<'_>, view: &View) -> Rows {
    let groups = groups(hunks, new, view);
    let shown_new: Vec<Lines> = groups.iter().map(|(lines, _)| *lines).collect();
    let shown_old: Vec<Lines> = hunks.iter().map(|hunk| hunk.old).collect();
    let starts = |side: &Side<'_>, ranges: &[Lines]| match side.parsed {
        Some(parsed) => borders::of_tree(parsed, ranges),
        None => borders::of_text(side.text, ranges),
    };
    let starts = [starts(old, &shown_old), starts(new, &shown_new)];
    let mut maker = Maker { new, old, language: view.language, starts, out: Rows::default(), names: BTreeMap::new() };
    for (lines, hunks) in groups {
        maker.group(lines, hunks);
    }
    maker.out
}

/// Hunks whose surroundings touch, and the lines of the new side that are shown of them.
fn groups<'h>(hunks: &'h [Hunk], new: &Side<'_>, view: &View) -> Vec<(Lines, &'h [Hunk])> {
    let last = new.text.lines().last().map_or(0, |(line, _)| line.get());
    let mut groups: Vec<(Lines, &[Hunk])> = Vec::new();
    let mut from = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let (mut first, mut end) = (hunk.new.first.saturating_sub(view.around), hunk.new.end() + view.around);
        if view.expand_function {
            for line in [hunk.new.first, hunk.new.end().saturating_sub(1)].into_iter().filter_map(Line::new) {
                let function = new.parsed.and_then(|parsed| parsed.enclosing_function(line));
                if let Some(function) = function.filter(|function| function.line_count() <= FUNCTION) {
                    first = first.min(function.first_line.get());
                    end = end.max(function.end_line.get() + 1);
                }
            }
        }
        let (first, end) = (first.max(1), end.min(last + 1).max(hunk.new.end()));
        match groups.last_mut() {
            Some((lines, group)) if first <= lines.end() => {
                *lines = Lines { first: lines.first.min(first), count: end.max(lines.end()) - lines.first.min(first) };
                *group = &hunks[from..=index];
            }
            _ => {
                from = index;
                groups.push((Lines { first, count: end.saturating_sub(first) }, &hunks[index..=index]));
            }
        }
    }
    groups
}

impl Maker<'_> {
    fn group(&mut self, lines: Lines, hunks: &[Hunk]) {
        let begin = self.out.rows.len();
        let mut at = lines.first;
        for hunk in hunks {
            self.run(Kind::Unchanged, Lines { first: at, count: hunk.new.first.saturating_sub(at) }, at);
            self.run(Kind::Removed, hunk.old, hunk.new.first);
            self.run(Kind::Added, hunk.new, hunk.new.first);
            at = hunk.new.end();
        }
        self.run(Kind::Unchanged, Lines { first: at, count: lines.end().saturating_sub(at) }, at);
        self.name(begin);
        let rank = if begin == 0 { Rank::File } else { Rank::Hunk };
        // The unchanged lines above stay when the hunk itself is edited.
        let rows = &self.out.rows[begin..];
        let above = rows.iter().take_while(|row| row.kind == Kind::Unchanged).map(|row| row.text.as_str());
        let symbol = rows.iter().find(|row| row.symbol > 0).map(|row| row.symbol);
        let name = symbol.and_then(|symbol| self.out.symbols.get(symbol as usize - 1)).map_or("", String::as_str);
        let lot = lot([name].into_iter().chain(above));
        if let Some(row) = self.out.rows.get_mut(begin) {
            row.border = Border { rank, lot };
        }
    }

    fn run(&mut self, kind: Kind, lines: Lines, at: u32) {
        let (side, starts) = match kind {
            Kind::Removed => (self.old, 0),
            Kind::Unchanged | Kind::Added => (self.new, 1),
        };
        for (index, number) in (lines.first..lines.end()).enumerate() {
            let Some(text) = Line::new(number).and_then(|line| side.text.line_text(line)) else { continue };
            if text.chars().nth(LONGEST).is_some() {
                match kind {
                    Kind::Added => self.out.long.0.push(number),
                    Kind::Removed => self.out.long.1.push(number),
                    Kind::Unchanged => {}
                }
                continue;
            }
            let comment = kind != Kind::Unchanged && is_comment(side.parsed, self.language, number, &text);
            let (shown, attempts) = neutral(&text);
            // A replaced line and its replacement stay together as long as lines do.
            let start = self.starts[starts].get(&number).filter(|_| kind != Kind::Added || !self.replaces(index));
            let rank = start.map_or(Rank::Line, |start| Rank::Syntax(*start));
            let before = self.out.rows.last().map_or("", |row| row.text.trim());
            let border = Border { rank, lot: lot([before, shown.trim()]) };
            self.out.rows.push(Row {
                kind,
                line: number,
                at: if kind == Kind::Removed { at } else { number },
                cost: cost(kind, &shown, self.language),
                text: shown.into_owned(),
                border,
                attempts,
                comment,
                symbol: 0,
            });
        }
    }

    /// Whether the added line of this index in its run follows a removed one.
    fn replaces(&self, index: usize) -> bool {
        index == 0 && self.out.rows.last().is_some_and(|row| row.kind == Kind::Removed)
    }

    /// Names the symbols around the changed rows.
    fn name(&mut self, begin: usize) {
        for index in begin..self.out.rows.len() {
            let row = &self.out.rows[index];
            let side = if row.kind == Kind::Removed { self.old } else { self.new };
            if row.kind == Kind::Unchanged {
                continue;
            }
            let symbol = side.parsed.zip(Line::new(row.line)).and_then(|(parsed, line)| parsed.enclosing(line));
            let Some(symbol) = symbol else { continue };
            let next = self.names.len() as u32 + 1;
            let number = *self.names.entry(symbol.path.clone()).or_insert(next);
            if number == next {
                self.out.symbols.push(symbol.path.clone());
            }
            self.out.rows[index].symbol = number;
        }
    }
}

fn is_comment(parsed: Option<&Parsed>, language: Option<Language>, number: u32, text: &str) -> bool {
    let Some(first) = text.find(|character: char| !character.is_whitespace()) else { return false };
    match parsed.zip(Line::new(number)) {
        Some((parsed, line)) => parsed.region(parsed.line_range(line).start + first) == Region::Comment,
        None => language.is_some_and(|language| language.is_prose(text.as_bytes())),
    }
}

/// What a row costs on a page.
pub(super) fn cost(kind: Kind, text: &str, language: Option<Language>) -> Milli {
    let prefix = if kind == Kind::Removed { "- " } else { "1234+ " };
    milli(&format!("{prefix}{}\n", plain(text)), language)
}

/// A text with what stands for hidden values as long as it will be.
pub(super) fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(mask::is_reserved) {
        let marker = |c: char| match mask::hidden(c) {
            Some(_) => "‹secret:10›".to_owned(),
            None if c == mask::FENCE => "0a1b2c3d4e5f".to_owned(),
            None => c.to_string(),
        };
        text.chars().map(marker).collect::<String>().into()
    } else {
        text.into()
    }
}

/// A number that depends on some texts and nothing else: FNV-1a, its bits mixed.
pub(crate) fn lot<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
