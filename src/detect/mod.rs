//! Deterministic detectors: the added lines of one file in, claims out. What a pattern can say lives in `rules/*.yml`; a
//! built-in is for what needs more, one file each, listed in [`DETECTORS`].

mod before;
mod builtin;
mod check;
mod columns;
mod engine;
mod fix;
mod text;
mod textual;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::ops::Range;

pub use builtin::DETECTORS;
pub use check::{check, lint};
pub use engine::{Engine, Raised};
pub use fix::offered;

use crate::diff::{self, Body, FileChange, PathClass, Text};
use crate::finding::{Columns, Line, RepoPath};
use crate::git::Flags;
use crate::syntax::{Language, Limits, Node, Parsed, Unparsed};

/// How a changed file is read. A minified bundle, a change log or a recorded answer of megabytes must not make a review
/// incomplete, and no folder's name may hide a secret: what only the text detectors read may be large. A file that comes
/// from where no parser looks, under a name that one reads, is read as a new one.
pub fn limits(path: &RepoPath, class: PathClass, old_path: Option<&RepoPath>) -> diff::Limits {
    let is_parsed = is_parsed(path, class);
    let limits = diff::Limits {
        is_source: Language::of_path(path, None).is_some_and(|language| language != Language::Yaml),
        all_is_new: is_parsed && old_path.is_some_and(|old| !is_parsed_at(old)),
        ..diff::Limits::default()
    };
    if is_parsed { limits } else { limits.text_only() }
}

/// As [`is_parsed`], by the name alone: the attributes of a former name are not looked up.
fn is_parsed_at(path: &RepoPath) -> bool {
    is_parsed(path, diff::classify(path, Flags::default()))
}

fn is_parsed(path: &RepoPath, class: PathClass) -> bool {
    let is_read = match Language::of_path(path, None) {
        None => false,
        Some(Language::Yaml) => diff::is_workflow(path),
        Some(_) => true,
    };
    is_read && !is_text_only(class)
}

/// What is generated, vendored or a lock file is nobody's code to parse.
const fn is_text_only(class: PathClass) -> bool {
    class.generated || class.vendored || class.lock
}

/// Most hits that a detector reports of one line: a line of keys is one fault, and each hit costs reading the line.
const LINE_HITS: usize = 20;

/// Most characters of a line that claims quote and reports keep: a minified bundle is one line of megabytes.
pub const MAX_LINE: usize = 2_000;

/// A line as far as claims quote it.
pub fn cut(line: &str) -> &str {
    line.char_indices().nth(MAX_LINE).map_or(line, |(end, _)| &line[..end])
}

/// One changed file with everything a detector may look at, each part computed at most once.
pub struct FileView<'a> {
    /// The change.
    pub change: &'a FileChange,
    /// The new side.
    pub text: &'a Text,
    /// The old side.
    pub old_text: &'a Text,
    /// Its language, if it is one we parse.
    pub language: Option<Language>,
    parsed: OnceCell<Result<Parsed, Unparsed>>,
    parsed_old: OnceCell<Option<Parsed>>,
    /// How many fixes were tried; each costs a parse.
    fixes: Cell<u32>,
}

impl<'a> FileView<'a> {
    /// A view of a file, `None` where it has no text.
    pub fn of(change: &'a FileChange) -> Option<Self> {
        let Body::Text { old, new, .. } = &change.body else { return None };
        let first = new.line(Line::from_index(0));
        let language = Language::of_path(&change.path, first).filter(|language| language.is_compiled_in());
        Some(Self {
            change,
            text: new,
            old_text: old,
            language,
            parsed: OnceCell::new(),
            parsed_old: OnceCell::new(),
            fixes: Cell::new(0),
        })
    }

    /// Attributes and path classes.
    pub fn class(&self) -> PathClass {
        self.change.class
    }

    /// Whether detectors that need a parse read this file at all: not generated, not vendored, whole.
    pub fn is_parsable(&self) -> bool {
        self.language.is_some()
            && self.text.is_whole()
            && !is_text_only(self.class())
            && self.text.bytes().len() as u64 <= diff::Limits::default().file_bytes
    }

    /// Whether only its size keeps the parser from it.
    pub fn is_too_large_to_parse(&self) -> bool {
        self.language.is_some_and(|language| language != Language::Yaml)
            && self.text.is_whole()
            && !is_text_only(self.class())
            && !self.is_parsable()
    }

    /// The parse of the new side, made at the first call: nobody asks where only comments changed.
    pub fn parsed(&self) -> Option<&Parsed> {
        let language = self.language.filter(|_| self.is_parsable())?;
        self.parsed.get_or_init(|| Parsed::parse(language, self.text.bytes(), &Limits::default())).as_ref().ok()
    }

    /// What came of the parse of the new side, if somebody asked for it.
    pub fn parse_made(&self) -> Option<Result<(), Unparsed>> {
        self.parsed.get().map(|parsed| parsed.as_ref().map(|_| ()).map_err(|reason| *reason))
    }

    /// The parse of the old side.
    pub fn parsed_old(&self) -> Option<&Parsed> {
        self.parsed_old
            .get_or_init(|| {
                let language = self.language.filter(|_| self.old_text.is_whole() && !self.old_text.is_empty())?;
                match self.parsed() {
                    Some(new) => new.parse_old(self.old_text.bytes(), self.change.hunks(), &Limits::default()),
                    None => Parsed::parse(language, self.old_text.bytes(), &Limits::default()),
                }
                .ok()
            })
            .as_ref()
    }

    /// The added lines whose text is wanted, with the parse. Nothing is parsed where there are none.
    fn parsed_lines(&self, wanted: impl Fn(&str) -> bool) -> Option<(&Parsed, Vec<Line>)> {
        let is_wanted = |line: &Line| self.text.line_text(*line).is_some_and(|text| wanted(&text));
        let lines: Vec<Line> = self.change.added().filter(is_wanted).collect();
        if lines.is_empty() {
            return None;
        }
        Some((self.parsed()?, lines))
    }

    /// Whether the change may touch code: not where every line that it adds or removes is a comment or blank. Code that
    /// stands as it stood is nobody's finding, so such a file needs no parse.
    pub fn touches_code(&self) -> bool {
        let Some(language) = self.language else { return true };
        let mut hunks = self.change.hunks().iter();
        hunks.any(|hunk| {
            let lines = self.text.range(hunk.new).chain(self.old_text.range(hunk.old));
            lines.into_iter().any(|line| !language.is_prose(line))
        })
    }

    /// Whether a line was added.
    pub fn is_added(&self, line: Line) -> bool {
        self.change.is_added(line)
    }
}

/// A match of a detector, before it is tied to the added lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// First line of the match.
    pub line: Line,
    /// Last line.
    pub end_line: Line,
    /// Columns, for a match on one line.
    pub columns: Option<Columns>,
    /// Its bytes in the parsed source, where it comes from a parse.
    pub bytes: Option<Range<usize>>,
    /// Captures for the message.
    pub captures: BTreeMap<String, String>,
}

impl Hit {
    /// A hit on bytes of the parsed source.
    pub fn in_source(parsed: &Parsed, bytes: Range<usize>) -> Self {
        let line = parsed.line_of(bytes.start);
        let end_line = parsed.line_of(bytes.end.saturating_sub(1).max(bytes.start));
        let columns = (line == end_line).then(|| {
            let start = bytes.start - parsed.line_range(line).start;
            Columns { start: start as u32 + 1, end: (start + bytes.len()) as u32 + 1 }
        });
        let mut captures = BTreeMap::new();
        captures.insert("0".to_owned(), parsed.source().get(bytes.clone()).unwrap_or_default().to_owned());
        Self { line, end_line, columns, bytes: Some(bytes), captures }
    }

    /// With a capture.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.captures.insert(name.to_owned(), value.into());
        self
    }
}

/// A detector that a pattern cannot express.
pub struct Builtin {
    /// As in `builtin: NAME`.
    pub name: &'static str,
    /// One line for the documentation, with the captures it offers.
    pub help: &'static str,
    /// The captures a message may use.
    pub captures: &'static [&'static str],
    /// Whether it looks into comments: such a one also runs where nothing else changed.
    pub reads_comments: bool,
    /// Finds.
    pub run: Run,
}

/// Looks at one node.
pub type NodeFn = for<'p> fn(&FileView<'_>, &'p Parsed, &Node<'p>, &mut Vec<Hit>);

/// What a built-in looks at.
#[derive(Clone, Copy)]
pub enum Run {
    /// The whole file.
    File(fn(&FileView<'_>) -> Vec<Hit>),
    /// Each node that touches an added line, outer before inner, in document order. All built-ins share one walk.
    Node(NodeFn),
}
