//! Conditions over a finding and its facts: `when`, `unless` and the items of `needs`. Keys of one map are AND, lists
//! are OR, and every answer is three-valued: what cannot be decided is unknown, never false.

mod class;
mod fact;
mod function;
mod lang;
mod line;
mod near;
mod path;
mod placeholder;
mod rationale;
mod rule;
mod source;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

pub(super) use lang::{language, languages};
pub(crate) use placeholder::is_placeholder;
use regex::Regex;

use super::class::Classes;
use super::embedded::is_embedded;
use crate::diff::Text;
use crate::document::{Node, Problem, Value, nearest};
use crate::finding::{Line, RepoPath, Source};
use crate::syntax::{FactInput, Language, Parsed};

/// Kleene's three truth values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It could not be decided.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Unknown,
        }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    const fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

/// What a condition may look at: a claim and the file it stands in.
pub struct Subject<'a> {
    /// The file.
    pub path: &'a RepoPath,
    /// Path classes of the packs and the attributes.
    pub classes: &'a Classes,
    /// Classes that the attributes give the file.
    pub attributes: crate::diff::PathClass,
    /// Its language.
    pub language: Option<Language>,
    /// Its new side.
    pub text: &'a Text,
    /// Its parse at the head.
    pub parsed: Option<&'a Parsed>,
    /// Its parse at the merge base.
    pub parsed_old: &'a dyn Fn() -> Option<&'a Parsed>,
    /// First and last line.
    pub lines: (Line, Line),
    /// The exact bytes in the parsed source, where a detector knows them.
    pub bytes: Option<Range<usize>>,
    /// The quoted code.
    pub quote: &'a str,
    /// What is said of it.
    pub rationale: &'a str,
    /// Who says it.
    pub source: &'a Source,
    /// Captures of the detector.
    pub variables: &'a BTreeMap<String, String>,
    /// Whether a line was added.
    pub is_added: &'a dyn Fn(Line) -> bool,
    /// Facts computed so far, name and value as text.
    pub facts: &'a std::cell::RefCell<Vec<(String, String)>>,
}

impl<'a> Subject<'a> {
    /// The name of the enclosing function, if the parser knows it.
    pub fn function(&self) -> Option<&'a str> {
        self.parsed?.enclosing_function(self.lines.0).map(|symbol| symbol.path.as_str())
    }

    fn fact_input(&self) -> FactInput<'_> {
        FactInput {
            new: self.parsed,
            old: (self.parsed_old)(),
            lines: self.lines,
            bytes: self.bytes.clone(),
            quote: self.quote,
            variables: self.variables,
            is_added: self.is_added,
        }
    }
}

/// Something that holds of a subject, or does not, or cannot be decided.
pub trait Test: Send + Sync + std::fmt::Debug {
    /// Decides.
    fn holds(&self, subject: &Subject<'_>) -> Truth;
}

/// What a condition may refer to while it is read.
pub struct Known<'a> {
    /// Names of all path classes.
    pub classes: &'a [String],
    /// Languages a `rule` is compiled for when its condition names none.
    pub languages: &'a [Language],
}

/// Reads the value of one key.
type Parse = fn(&Node, &Known<'_>, &mut Vec<Problem>) -> Option<Box<dyn Test>>;

/// A key of a condition.
pub struct Condition {
    /// As written.
    pub key: &'static str,
    /// One line for the documentation.
    pub help: &'static str,
    parse: Parse,
}

/// Every key that looks at the subject; `any`, `all` and `not` combine them.
pub static CONDITIONS: &[Condition] = &[
    class::CONDITION,
    fact::CONDITION,
    function::CONDITION,
    lang::CONDITION,
    line::CONDITION,
    near::CONDITION,
    path::CONDITION,
    placeholder::CONDITION,
    rationale::CONDITION,
    rule::CONDITION,
    source::CONDITION,
];

/// The keys that combine conditions, with their documentation.
pub const COMBINATORS: [(&str, &str); 3] = [
    ("any", "at least one of a list of conditions holds"),
    ("all", "every one of a list of conditions holds"),
    ("not", "the condition does not hold"),
];

/// A condition ready to use.
#[derive(Debug)]
pub enum Expression {
    /// All hold.
    All(Vec<Self>),
    /// At least one holds.
    Any(Vec<Self>),
    /// The inner one does not hold.
    Not(Box<Self>),
    /// One key.
    Test(Box<dyn Test>),
}

impl Expression {
    /// Reads a map (AND over its keys) or a list of maps (OR).
    pub fn parse(node: &Node, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Self> {
        match &node.value {
            Value::List(items) => {
                let items = items.iter().filter_map(|item| Self::parse(item, known, problems)).collect();
                Some(Self::Any(items))
            }
            Value::Map(entries) => {
                if entries.is_empty() {
                    problems.push(Problem::at(&node.at, "an empty condition would always hold"));
                    return None;
                }
                // A language named beside a rule says which grammar the rule is written for.
                let languages = node.get("lang").map(|node| languages(node, &mut Vec::new()));
                let known =
                    Known { classes: known.classes, languages: languages.as_deref().unwrap_or(known.languages) };
                let mut all = Vec::with_capacity(entries.len());
                for entry in entries {
                    all.extend(Self::parse_key(entry, &known, problems));
                }
                Some(Self::All(all))
            }
            other => {
                problems.push(Problem::at(&node.at, format!("a condition is a map, not {}", other.kind())));
                None
            }
        }
    }

    fn parse_key(entry: &crate::document::Entry, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Self> {
        let list = |problems: &mut Vec<Problem>| {
            entry.node.items().iter().filter_map(|item| Self::parse(item, known, problems)).collect::<Vec<_>>()
        };
        match entry.key.as_str() {
            "any" => Some(Self::Any(list(problems))),
            "all" => Some(Self::All(list(problems))),
            "not" => Self::parse(&entry.node, known, problems).map(|inner| Self::Not(Box::new(inner))),
            key => match CONDITIONS.iter().find(|condition| condition.key == key) {
                Some(condition) => (condition.parse)(&entry.node, known, problems).map(Self::Test),
                None => {
                    let mut valid: Vec<_> = CONDITIONS.iter().map(|condition| condition.key).collect();
                    valid.extend(COMBINATORS.iter().map(|(key, _)| *key));
                    let problem = Problem::at(&entry.at, format!("a condition has no key `{key}`"));
                    problems.push(problem.help(nearest(key, &valid)));
                    None
                }
            },
        }
    }

    /// Decides.
    pub fn holds(&self, subject: &Subject<'_>) -> Truth {
        match self {
            Self::All(items) => fold(items, subject, Truth::True, Truth::and, Truth::False),
            Self::Any(items) => fold(items, subject, Truth::False, Truth::or, Truth::True),
            Self::Not(inner) => inner.holds(subject).not(),
            Self::Test(test) => test.holds(subject),
        }
    }
}

fn fold(
    items: &[Expression],
    subject: &Subject<'_>,
    start: Truth,
    join: fn(Truth, Truth) -> Truth,
    stop: Truth,
) -> Truth {
    let mut truth = start;
    for item in items {
        truth = join(truth, item.holds(subject));
        if truth == stop {
            break;
        }
    }
    truth
}

/// Longest pattern text, in bytes.
pub const MAX_REGEX: usize = 4096;

/// A regular expression in the Rust engine, which runs in time linear in its input; compiled at first use.
#[derive(Debug)]
pub(super) struct Pattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn parse(node: &Node, problems: &mut Vec<Problem>) -> Option<Self> {
        let Value::Text(source) = &node.value else {
            problems.push(Problem::at(&node.at, format!("a regular expression is a text, not {}", node.value.kind())));
            return None;
        };
        if source.len() > MAX_REGEX {
            problems.push(Problem::at(&node.at, format!("this regular expression is longer than {MAX_REGEX} bytes")));
            return None;
        }
        let pattern = Self { source: source.clone(), compiled: OnceLock::new() };
        if !is_embedded(&node.at)
            && let Err(error) = pattern.build()
        {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or("it cannot be read").trim_start_matches("error: ").to_owned();
            problems.push(Problem::at(&node.at, format!("this is no regular expression: {reason}")));
            return None;
        }
        Some(pattern)
    }

    fn build(&self) -> Result<Regex, regex::Error> {
        regex::RegexBuilder::new(&self.source).size_limit(4 << 20).build()
    }

    fn is_match(&self, text: &str) -> bool {
        self.compiled.get_or_init(|| self.build().ok()).as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// One pattern or a list of them, any of which may match.
fn patterns(node: &Node, problems: &mut Vec<Problem>) -> Vec<Pattern> {
    node.items().iter().filter_map(|item| Pattern::parse(item, problems)).collect()
}
