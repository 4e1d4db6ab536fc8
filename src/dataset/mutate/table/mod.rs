//! The operators, by family: the classic faults first, then those that a detector aims at.

mod aimed;
mod calls;
mod dialects;
mod logic;
mod numbers;
mod removal;

use super::site::{Edit, Site};
use crate::syntax::Language::{self, C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};

/// One way to put a fault into code.
#[derive(Clone, Copy)]
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// What follows from the fault, as a clause without a capital and a full stop.
    pub why: &'static str,
    /// The tag under which a finding about it is filed; that of the detector for one that a detector aims at.
    pub tag: &'static str,
    /// Weakness of the CWE list.
    pub cwe: Option<u16>,
    /// CR-Bench's category, one of [`crate::taxonomy::CATEGORIES`].
    pub category: &'static str,
    /// Characteristic of ISO/IEC 25010, one of [`crate::taxonomy::IMPACTS`].
    pub impact: &'static str,
    /// One of [`crate::taxonomy::SEVERITIES`].
    pub severity: &'static str,
    /// Where it works.
    pub languages: &'static [Language],
    /// Whether a shipped detector looks for exactly this. The others are the classic faults that only a reader finds.
    pub targeted: bool,
    /// The edit at a node, where the node is one it can work on.
    pub(super) apply: fn(&Site<'_, '_>) -> Option<Edit>,
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const ALL: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, C, Cpp, CSharp, Go, Rust, Php, Ruby];
const NO_RUST_GO: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, C, Cpp, CSharp, Php, Ruby];
const NO_C: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, Cpp, CSharp, Go, Rust, Php, Ruby];
const NO_RUBY: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, C, Cpp, CSharp, Go, Rust, Php];
const LOOPS: &[Language] = &[JavaScript, TypeScript, Tsx, Java, C, Cpp, CSharp, Go, Php];
const AWAIT: &[Language] = &[Python, JavaScript, TypeScript, Tsx, CSharp, Rust];
const QUANTIFIED: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, Cpp, CSharp, Rust, Ruby];
const COPIED: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, CSharp, Go, Php, Ruby];
const TEXTS: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, CSharp, Go, Rust, Php, Ruby];
const C_FAMILY: &[Language] = &[C, Cpp];
const SWITCHES: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, C, Cpp, CSharp, Go, Php, Ruby];
const LOCKS: &[Language] = &[Python, Java, C, Cpp, CSharp, Go, Rust, Php, Ruby];
const UNLOCKS: &[Language] = &[Python, Java, C, Cpp, CSharp, Go, Php, Ruby];
const EXCEPTIONS: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, Cpp, CSharp, Php, Ruby];
const CATCHING: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, CSharp, Php];
const LITERALS: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Php, Ruby];
const NAN: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, CSharp, Go, Rust];
const DOCUMENTED: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, Cpp, CSharp, Go, Rust, Php];
const DEBUGGED: &[Language] = &[Python, JavaScript, TypeScript, Tsx, CSharp, Rust, Php, Ruby];
const SQL: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, CSharp, Go, Php, Ruby];
const SHELL: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, Go, Php, Ruby];
const TLS: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Java, CSharp, Go, Php, Ruby];
const EVAL: &[Language] = &[Python, JavaScript, TypeScript, Tsx, Php, Ruby];
const SCRIPTS: &[Language] = &[JavaScript, TypeScript, Tsx];
const PYTHON_GO: &[Language] = &[Python, Go];
const PYTHON: &[Language] = &[Python];
const CPP: &[Language] = &[Cpp];
const CSHARP: &[Language] = &[CSharp];
const GO: &[Language] = &[Go];
const JAVA: &[Language] = &[Java];
const RUBY: &[Language] = &[Ruby];
const RUST: &[Language] = &[Rust];

const FAMILIES: [&[Operator]; 6] =
    [logic::OPERATORS, numbers::OPERATORS, calls::OPERATORS, removal::OPERATORS, aimed::OPERATORS, dialects::OPERATORS];

/// All of them: first the classic ones, then those that a detector aims at.
pub static OPERATORS: &[Operator] = &joined::<{ count() }>();

const fn count() -> usize {
    let (mut family, mut count) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
}

const fn joined<const COUNT: usize>() -> [Operator; COUNT] {
    let mut all = [FAMILIES[0][0]; COUNT];
    let (mut family, mut at, mut next) = (0, 0, 0);
    while family < FAMILIES.len() {
        while at < FAMILIES[family].len() {
            all[next] = FAMILIES[family][at];
            (at, next) = (at + 1, next + 1);
        }
        (family, at) = (family + 1, 0);
    }
    all
}
