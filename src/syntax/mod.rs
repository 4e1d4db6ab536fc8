//! Code as a tree: languages, whole-file parsing, the mask of comments and strings, the outline, what a change did to
//! each symbol, facts, and ast-grep rules. The only module that names tree-sitter or ast-grep. Knows no rules of packs
//! and no levels.
//!
//! Everything here is computed once for a file and shared: [`Parsed::parse`] walks the tree a single time and keeps the
//! mask, the outline and the broken lines; [`RuleSet::scan`] walks it once for all rules of a language.

mod delta;
mod embedded;
pub mod facts;
mod languages;
mod outline;
mod parsed;
mod prose;
mod rule;
mod shapes;
mod survey;
mod visibility;

// They speak of every language.
#[cfg(all(test, feature = "default"))]
mod tests;

pub use ast_grep_core::Node as TreeNode;
pub use delta::{Changed, Delta, delta};
pub use facts::{FACTS, Fact, FactInput, FactValue};
pub use languages::Language;
pub use outline::{Symbol, SymbolKind};
pub use parsed::{Limits, Parsed, Unparsed};
pub use rule::{Match, Rule, RuleError, RuleSet};

/// A document as ast-grep holds it: the source, its language and the tree.
pub type Doc = ast_grep_core::tree_sitter::StrDoc<ast_grep_language::SupportLang>;

/// A node of a [`Parsed`] tree. `kind()`, `range()`, `children()`, `field(name)`, `text()` and `parent()` are ast-grep's;
/// `parent` costs a walk from the root, so walk downwards where it matters.
pub type Node<'a> = TreeNode<'a, Doc>;

/// What a byte of source text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Region {
    /// Everything that is not the two below, with the code inside a string's interpolations.
    Code,
    /// A string, character, regular expression or heredoc literal with its quotes; text between JSX tags; the HTML of a
    /// PHP file. A Python docstring is one too.
    String,
    /// A comment with its markers.
    Comment,
}

impl Region {
    /// The name used by packs (`in:`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::String => "string",
            Self::Comment => "comment",
        }
    }
}
