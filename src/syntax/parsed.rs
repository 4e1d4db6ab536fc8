//! A whole file as a tree, within limits.

use std::ops::{ControlFlow, Range};

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::{LanguageExt as _, StrDoc};
use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree};

use super::languages::Row;
use super::outline::Symbol;
use super::survey::{self, Survey, line_of};
use super::{Doc, Language, Node, Region, embedded};
use crate::diff::{Hunk, Lines};
use crate::finding::Line;

/// How much a file may ask of the parser. Counts, not seconds: the same file has the same fate on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Parser operations, counted in hundreds, that every file is granted.
    pub steps: u32,
    /// Hundreds of parser operations granted for each further 100 bytes. Real code needs under 2.
    pub steps_per_100_bytes: u32,
    /// Deepest nesting of the tree. Bounds the recursion of ast-grep's matcher, whose stack frames would overflow.
    pub depth: u32,
}

impl Limits {
    /// The deepest [`Limits::depth`] that is honoured: matching a tree of this depth fits a stack of 2 MiB.
    pub const MAX_DEPTH: u32 = 800;
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 10_000, steps_per_100_bytes: 10, depth: Self::MAX_DEPTH }
    }
}

/// Why there is no tree. The file is still read by the text detectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Unparsed {
    /// More parser operations than [`Limits`] grants.
    #[error("parsing takes more steps than allowed")]
    TooSlow,
    /// Nested deeper than [`Limits::depth`].
    #[error("nested too deeply")]
    TooDeep,
    /// This build has no grammar for the language.
    #[error("the language is not compiled in")]
    NotCompiledIn,
    /// The parser gave up, or the file is over 4 GiB.
    #[error("the parser failed")]
    Failed,
}

impl Unparsed {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooSlow => "too_slow",
            Self::TooDeep => "too_deep",
            Self::NotCompiledIn => "not_compiled_in",
            Self::Failed => "failed",
        }
    }
}

/// A parsed file: its source, its tree, and what one walk over the tree found.
pub struct Parsed {
    language: Language,
    grep: AstGrep<Doc>,
    /// Byte offset of each line.
    starts: Vec<u32>,
    survey: Survey,
}

impl std::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parsed").field("language", &self.language).field("bytes", &self.source().len()).finish()
    }
}

impl Parsed {
    /// Parses a whole file. Bytes that are not UTF-8 become U+FFFD, so lines stay but byte offsets are those of
    /// [`Self::source`]. A byte order mark and `\r\n` are kept.
    ///
    /// # Errors
    /// [`Unparsed`]: never because the code is wrong, a tree with errors is still a tree.
    pub fn parse(language: Language, source: &[u8], limits: &Limits) -> Result<Self, Unparsed> {
        let row = language.row();
        if !row.compiled_in {
            return Err(Unparsed::NotCompiledIn);
        }
        if u32::try_from(source.len()).is_err() {
            return Err(Unparsed::Failed);
        }
        let source = String::from_utf8_lossy(source).into_owned();
        let masked = (language == Language::Php).then(|| embedded::php(&source)).flatten();
        let tree = parse_tree(row, masked.as_ref().map_or(source.as_bytes(), |masked| &masked.code), None, limits)?;
        let starts = line_starts(&source);
        let mut parsed = Self::of(language, source, starts, tree, limits)?;
        if let Some(masked) = masked {
            parsed.survey.regions.extend(masked.regions);
            parsed.survey.regions.sort_by_key(|(range, _)| range.start);
        }
        Ok(parsed)
    }

    /// Parses the side of a change that `self`, the new side, was made from, as [`Self::reparse`] does.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_old(&self, old: &[u8], hunks: &[Hunk], limits: &Limits) -> Result<Self, Unparsed> {
        let source = String::from_utf8_lossy(old).into_owned();
        let starts = line_starts(&source);
        let edits = hunks
            .iter()
            .map(|hunk| (bytes_of(&self.starts, self.source(), hunk.new), bytes_of(&starts, &source, hunk.old)));
        let edits: Vec<_> = edits.collect();
        self.reparse(source, &edits, limits)
    }

    /// Whether the file has no more syntax errors once a stretch of [`Self::source`] is replaced. False where it then
    /// cannot be parsed within the limits.
    pub fn parses_no_worse(&self, replaced: Range<usize>, with: &str, limits: &Limits) -> bool {
        let (Some(before), Some(after)) = (self.source().get(..replaced.start), self.source().get(replaced.end..))
        else {
            return false;
        };
        let edit = (replaced.clone(), replaced.start..replaced.start + with.len());
        let edited = self.reparse([before, with, after].concat(), &[edit], limits);
        edited.is_ok_and(|edited| edited.survey.broken.len() <= self.survey.broken.len())
    }

    /// Parses a text that differs from `self` in these stretches, `(ours, theirs)` in order. What they leave as it was is
    /// taken from the tree of `self`, which takes a third of the time. With a syntax error on either side it is a parse
    /// of its own.
    ///
    /// Meant for outlines and errors: an expression that the grammar finds ambiguous may be read the other way than by
    /// [`Self::parse`] (one in 7,453 changed files of eleven projects; no outline and no mask differed).
    fn reparse(
        &self,
        source: String,
        edits: &[(Range<usize>, Range<usize>)],
        limits: &Limits,
    ) -> Result<Self, Unparsed> {
        if self.language == Language::Php || self.has_any_error() || u32::try_from(source.len()).is_err() {
            return Self::parse(self.language, source.as_bytes(), limits);
        }
        let mut tree = self.grep.root().get_doc().tree.clone();
        // From the last to the first, so that an edit moves none of those still to come.
        for (ours, theirs) in edits.iter().rev() {
            let (start_position, old_end_position) = (self.point(ours.start), self.point(ours.end));
            tree.edit(&InputEdit {
                start_byte: ours.start,
                old_end_byte: ours.end,
                new_end_byte: ours.start + theirs.len(),
                start_position,
                old_end_position,
                new_end_position: after(start_position, &source[theirs.clone()]),
            });
        }
        let tree = parse_tree(self.language.row(), source.as_bytes(), Some(&tree), limits)?;
        if tree.root_node().has_error() {
            return Self::parse(self.language, source.as_bytes(), limits);
        }
        let starts = line_starts(&source);
        Self::of(self.language, source, starts, tree, limits)
    }

    /// Where a byte stands; the end of a source that ends its last line is on a line of its own.
    fn point(&self, byte: usize) -> Point {
        if byte == self.source().len() && self.source().ends_with('\n') {
            return Point::new(self.line_count(), 0);
        }
        let row = line_of(&self.starts, byte).index();
        Point::new(row, byte - self.starts.get(row).map_or(0, |start| *start as usize))
    }

    fn of(language: Language, source: String, starts: Vec<u32>, tree: Tree, limits: &Limits) -> Result<Self, Unparsed> {
        let row = language.row();
        let survey = survey::survey(row, &tree, &source, &starts, limits.depth.min(Limits::MAX_DEPTH))?;
        let grep = AstGrep::doc(StrDoc { src: source, lang: row.grammar, tree });
        Ok(Self { language, grep, starts, survey })
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text that was parsed; all byte offsets are into it.
    pub fn source(&self) -> &str {
        self.grep.source()
    }

    /// The root of the tree.
    pub fn root(&self) -> Node<'_> {
        self.grep.root()
    }

    pub(super) fn grep(&self) -> &AstGrep<Doc> {
        &self.grep
    }

    /// What the byte is. Past the end it is code.
    pub fn region(&self, byte: usize) -> Region {
        let at = self.survey.regions.partition_point(|(range, _)| range.end <= byte);
        self.survey.regions.get(at).filter(|(range, _)| range.start <= byte).map_or(Region::Code, |(_, region)| *region)
    }

    /// Every stretch that is not code, in order; what lies between is code. Stretches never overlap.
    pub fn regions(&self) -> &[(Range<usize>, Region)] {
        &self.survey.regions
    }

    /// The parts of a range that are not comments, in order.
    pub fn outside_comments(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let regions = &self.survey.regions;
        let mut index = regions.partition_point(|(region, _)| region.end <= range.start);
        let mut at = range.start;
        std::iter::from_fn(move || {
            while at < range.end {
                let next = loop {
                    match regions.get(index) {
                        Some((region, _)) if region.start >= range.end => break None,
                        Some((region, Region::Comment)) => break Some(region.clone()),
                        Some(_) => index += 1,
                        None => break None,
                    }
                };
                let part = at..next.as_ref().map_or(range.end, |region| region.start.max(at));
                at = next.map_or(range.end, |region| region.end);
                index += 1;
                if !part.is_empty() {
                    return Some(part);
                }
            }
            None
        })
    }

    /// The symbols in the order in which they start.
    pub fn symbols(&self) -> &[Symbol] {
        &self.survey.symbols
    }

    /// The innermost symbol with this line: a function, a type, a module or a macro.
    pub fn enclosing(&self, line: Line) -> Option<&Symbol> {
        self.innermost(line, |_| true)
    }

    /// The innermost function or method with this line.
    pub fn enclosing_function(&self, line: Line) -> Option<&Symbol> {
        self.innermost(line, |symbol| symbol.kind.is_function())
    }

    /// The last symbol that starts by this line or the nearest around it. Whatever else holds the line is around that
    /// one, or ends on the line on which that one starts.
    pub(super) fn innermost(&self, line: Line, wanted: impl Fn(&Symbol) -> bool) -> Option<&Symbol> {
        let symbols = &self.survey.symbols;
        let last = symbols.partition_point(|symbol| symbol.first_line <= line).checked_sub(1)?;
        let mut chain = std::iter::successors(symbols.get(last), |symbol| symbols.get(symbol.parent?));
        chain.find(|symbol| symbol.contains(line) && wanted(symbol))
    }

    /// The index of one of [`Self::symbols`].
    pub fn index_of(&self, symbol: &Symbol) -> Option<usize> {
        let symbols = &self.survey.symbols;
        let from = symbols.partition_point(|other| other.first_line < symbol.first_line);
        symbols[from..].iter().position(|other| std::ptr::eq(other, symbol)).map(|index| from + index)
    }

    /// Whether a syntax error touches these lines.
    pub fn has_error(&self, lines: (Line, Line)) -> bool {
        let after = self.survey.broken.partition_point(|(first, _)| *first <= lines.1);
        self.survey.broken[..after].iter().any(|(_, last)| *last >= lines.0)
    }

    /// Whether there is a syntax error anywhere.
    pub fn has_any_error(&self) -> bool {
        !self.survey.broken.is_empty()
    }

    /// The comments that touch these lines, in order.
    pub fn comments(&self, lines: (Line, Line)) -> impl Iterator<Item = Range<usize>> + '_ {
        self.regions_in(lines).filter(|(_, region)| *region == Region::Comment).map(|(range, _)| range)
    }

    /// The stretches that are not code and touch these lines, in order.
    pub fn regions_in(&self, lines: (Line, Line)) -> impl Iterator<Item = (Range<usize>, Region)> + '_ {
        let bytes = self.line_range(lines.0).start..self.line_range(lines.1).end;
        let first = self.survey.regions.partition_point(|(range, _)| range.end <= bytes.start);
        self.survey.regions[first..].iter().take_while(move |(range, _)| range.start < bytes.end).cloned()
    }

    /// The line of a byte; past the end the last line.
    pub fn line_of(&self, byte: usize) -> Line {
        line_of(&self.starts, byte.min(self.source().len().saturating_sub(1)))
    }

    /// The bytes of a line with its ending; empty at the end of the source for a line that does not exist.
    pub fn line_range(&self, line: Line) -> Range<usize> {
        let end = self.source().len();
        let start = |index: usize| self.starts.get(index).map_or(end, |start| *start as usize);
        start(line.index())..start(line.index() + 1)
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The first and last line of a range of bytes; an end at the start of a line belongs to the line before.
    pub fn lines_of(&self, bytes: Range<usize>) -> (Line, Line) {
        (self.line_of(bytes.start), self.line_of(bytes.end.saturating_sub(1).max(bytes.start)))
    }
}

/// The bytes of a run of lines.
fn bytes_of(starts: &[u32], source: &str, lines: Lines) -> Range<usize> {
    let start = |line: u32| starts.get(line.saturating_sub(1) as usize).map_or(source.len(), |start| *start as usize);
    start(lines.first)..start(lines.end())
}

/// Where a text ends that starts at a point.
fn after(start: Point, text: &str) -> Point {
    match memchr::memrchr(b'\n', text.as_bytes()) {
        Some(last) => {
            let rows = memchr::memchr_iter(b'\n', text.as_bytes()).count();
            Point::new(start.row + rows, text.len() - last - 1)
        }
        None => Point::new(start.row, start.column + text.len()),
    }
}

/// Parses, with the edited tree of a similar text if there is one.
fn parse_tree(row: &'static Row, source: &[u8], similar: Option<&Tree>, limits: &Limits) -> Result<Tree, Unparsed> {
    let mut parser = Parser::new();
    parser.set_language(&row.grammar.get_ts_language()).map_err(|_| Unparsed::Failed)?;
    let per_bytes = (source.len() as u64).saturating_mul(u64::from(limits.steps_per_100_bytes)) / 100;
    let mut left = u64::from(limits.steps).saturating_add(per_bytes);
    let mut progress = |_: &tree_sitter::ParseState| match left.checked_sub(1) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |at, _| source.get(at..).unwrap_or(&[]), similar, Some(options));
    tree.ok_or(if left == 0 { Unparsed::TooSlow } else { Unparsed::Failed })
}

/// Byte offset of each line. A line ends with `\n`; nothing after the last one is no line.
fn line_starts(source: &str) -> Vec<u32> {
    let mut starts = Vec::with_capacity(source.len() / 32 + 1);
    starts.push(0);
    starts.extend(memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at as u32 + 1));
    if starts.len() > 1 && starts.last().is_some_and(|last| *last as usize == source.len()) {
        starts.pop();
    }
    starts
}
