//! The symbols of a file.

use std::ops::Range;

use crate::finding::Line;

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A function that belongs to no type, also one inside another function or assigned to a variable.
    Function,
    /// A function of a type: method, constructor, destructor, operator.
    Method,
    /// A class, struct, enum, union, interface, trait, record or type alias.
    Type,
    /// A namespace or module with a body.
    Module,
    /// A macro with parameters (C, C++, Rust).
    Macro,
}

impl SymbolKind {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Module => "module",
            Self::Macro => "macro",
        }
    }

    /// Whether it is a function or a method.
    pub const fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }
}

/// One declaration. A declaration without a body (a prototype, an abstract method, an overload) is a symbol too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name, without quotes and template arguments; `default` for an unnamed default export.
    pub name: String,
    /// The names around it and its own, joined by dots: `Outer.inner`. Rust's `impl T` and Go's receiver count, C++'s
    /// `A::b` is `A.b`. Not unique: overloads share it.
    pub path: String,
    /// What it is.
    pub kind: SymbolKind,
    /// First line of decorators, attributes and annotations; `line` where there are none.
    pub first_line: Line,
    /// Line of the declaration itself.
    pub line: Line,
    /// Last line.
    pub end_line: Line,
    /// First and last line of the body, braces included.
    pub body: Option<(Line, Line)>,
    /// The declaration on one line: white space folded, without comments, decorators and body, at most 400 bytes.
    pub signature: String,
    /// First line of its docstring or of the comment directly above it.
    pub doc: Option<String>,
    /// Whether code elsewhere can name it; `None` where the file alone does not tell.
    pub public: Option<bool>,
    /// The symbol around it, by index.
    pub parent: Option<usize>,
    /// Whether the tree has an error inside it.
    pub has_error: bool,
    /// From the first decorator or modifier to the end, such as the closing brace.
    pub bytes: Range<usize>,
    /// The bytes of the body; empty where there is none.
    pub(super) body_bytes: Range<usize>,
    /// Header of the scope that is no symbol (`impl Display for T`): tells methods of one path apart.
    pub(super) scope: Option<String>,
}

impl Symbol {
    /// Lines from the declaration to the end, decorators not counted.
    pub fn line_count(&self) -> u32 {
        self.end_line.get().saturating_sub(self.line.get()).saturating_add(1)
    }

    /// Whether the line belongs to it, its decorators included.
    pub fn contains(&self, line: Line) -> bool {
        self.first_line <= line && line <= self.end_line
    }
}
