//! What the whole file says about a place in it, in three values. A fact that cannot be known is
//! [`FactValue::Unknown`], never a guess: a place in broken code, a file without a parser, a language to which the
//! question does not apply.

mod block_lines;
mod declared_name;
mod divisor;
mod divisor_guard;
mod dup_lines;
mod entropy;
mod explaining_comment;
mod function;
mod guard;
mod hints;
mod key_guard;
mod literal;
mod map_read;
mod misspelling;
mod place;
mod released;
mod resource;
mod symbol;

use std::collections::BTreeMap;
use std::ops::Range;

pub use divisor_guard::divisor_guard;
pub use guard::Guard;
pub use misspelling::{Misspelling, may_be_misspelt, misspellings, misspelt};

use super::{Language, Parsed, Symbol, delta};
use crate::finding::Line;

/// Every fact, by name. `rules facts`, the schema and the documentation iterate this.
pub static FACTS: &[Fact] = &[
    block_lines::BLOCK_LINES,
    declared_name::DECLARES_NAME,
    divisor_guard::DIVISOR_GUARDED,
    dup_lines::DUP_LINES,
    entropy::ENTROPY,
    function::CROSSED,
    function::LINES,
    function::LINES_BEFORE,
    symbol::HAS_DOCSTRING,
    explaining_comment::HAS_EXPLAINING_COMMENT,
    misspelling::HAS_MISSPELLING,
    function::IN_FUNCTION,
    divisor::IS_DIVISOR,
    map_read::IS_MAP_READ,
    symbol::IS_NEW,
    symbol::IS_PUBLIC,
    key_guard::KEY_GUARDED,
    literal::LITERAL_REPEATS,
    key_guard::MAP_IS_LOCAL,
    declared_name::NAME_LENGTH,
    released::RELEASED,
    resource::RESOURCE_KIND,
];

/// A named question about a place in a file.
#[derive(Debug)]
pub struct Fact {
    /// The name in conditions.
    pub name: &'static str,
    /// What it says and when it is unknown, in one or two sentences.
    pub help: &'static str,
    /// What it is compared with.
    pub kind: FactKind,
    /// Whether the question can be answered for a language at all; elsewhere the value is unknown.
    pub applies: fn(Language) -> bool,
    /// Answers it. Call [`Fact::value`], which asks `applies` first.
    pub compute: fn(&FactInput<'_>) -> FactValue,
}

impl Fact {
    /// The fact with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FACTS.iter().find(|fact| fact.name == name)
    }

    /// The value at a place.
    pub fn value(&self, input: &FactInput<'_>) -> FactValue {
        match input.new {
            Some(new) if !(self.applies)(new.language()) => FactValue::Unknown,
            _ => (self.compute)(input),
        }
    }
}

/// What a condition compares a fact with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FactKind {
    /// `true` or `false`.
    Bool,
    /// A number or a comparison such as `">=15"`.
    Number,
    /// A text or a list of texts.
    Text,
    /// A number that the change may have stepped over: `50` holds if it was at most 50 and is more now.
    Crossing,
}

impl FactKind {
    /// The name in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::Crossing => "crossing",
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub enum FactValue {
    /// It cannot be told.
    Unknown,
    /// Of [`FactKind::Bool`].
    Bool(bool),
    /// Of [`FactKind::Number`].
    Number(f64),
    /// Of [`FactKind::Text`].
    Text(String),
    /// Of [`FactKind::Crossing`]: the number at the base and at the head.
    Crossing {
        /// At the base; 0 for what is new.
        before: f64,
        /// At the head.
        after: f64,
    },
}

impl FactValue {
    /// Whether the change carried the number across a threshold: at most the threshold before, more after. `None` where
    /// it is unknown or no [`FactValue::Crossing`].
    pub fn crosses(&self, threshold: f64) -> Option<bool> {
        match self {
            Self::Crossing { before, after } => Some(*before <= threshold && threshold < *after),
            _ => None,
        }
    }
}

/// A place in a changed file.
pub struct FactInput<'a> {
    /// The new side; `None` where it has no tree.
    pub new: Option<&'a Parsed>,
    /// The old side; `None` where the file is new or has no tree.
    pub old: Option<&'a Parsed>,
    /// First and last line on the new side.
    pub lines: (Line, Line),
    /// The exact match in `new`, where there is one.
    pub bytes: Option<Range<usize>>,
    /// The lines as text.
    pub quote: &'a str,
    /// Captured variables of a rule or named groups of a regular expression.
    pub variables: &'a BTreeMap<String, String>,
    /// Whether the change added a line of the new side.
    pub is_added: &'a dyn Fn(Line) -> bool,
}

impl<'a> FactInput<'a> {
    /// The tree, unless it is broken at the place.
    fn sound(&self) -> Option<&'a Parsed> {
        self.new.filter(|new| !new.has_error(self.lines))
    }

    /// The innermost symbol that the place belongs to and that `wanted` accepts: the one around its first line, else
    /// the first that is declared on its lines. `Err` where the tree does not tell.
    fn symbol(&self, wanted: fn(&Symbol) -> bool) -> Result<Option<(&'a Parsed, usize)>, Unsound> {
        let new = self.sound().ok_or(Unsound)?;
        let line = self.bytes.as_ref().map_or(self.lines.0, |bytes| new.line_of(bytes.start));
        let symbols = new.symbols();
        let around = new.innermost(line, wanted).and_then(|symbol| new.index_of(symbol));
        let declared = || symbols.iter().position(|symbol| self.covers(symbol.line) && wanted(symbol));
        match around.or_else(declared) {
            Some(index) if symbols[index].has_error => Err(Unsound),
            found => Ok(found.map(|index| (new, index))),
        }
    }

    fn covers(&self, line: Line) -> bool {
        self.lines.0 <= line && line <= self.lines.1
    }

    /// The symbol of the old side that became this one: `Ok(None)` if the change made it.
    fn before(&self, new: &Parsed, index: usize) -> Result<Option<&'a Symbol>, Unsound> {
        let symbol = &new.symbols()[index];
        let Some(old) = self.old else {
            // A new file, or one whose old side has no tree: then only a symbol of added lines alone is surely new.
            let all_added = (symbol.line.get()..=symbol.end_line.get()).filter_map(Line::new).all(self.is_added);
            return if all_added { Ok(None) } else { Err(Unsound) };
        };
        match delta::former(old, new, index) {
            Some(before) if old.symbols()[before].has_error => Err(Unsound),
            Some(before) => Ok(Some(&old.symbols()[before])),
            // Broken code may hide the old symbol from the outline, but not from the text.
            None if old.has_any_error() && old.source().contains(&symbol.name) => Err(Unsound),
            None => Ok(None),
        }
    }
}

/// The tree does not tell: it is missing or broken here.
struct Unsound;

/// Every language with an outline.
fn with_outline(language: Language) -> bool {
    language != Language::Yaml
}

/// Every language.
fn anywhere(_: Language) -> bool {
    true
}
