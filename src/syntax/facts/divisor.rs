//! Divisions.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::place::{
    MOST_MENTIONS, bare, bytes, call, holds_sign, is_nonzero, mentions, operation, parts, rest_of_line, scope,
    start_of_line, visit, words,
};
use super::{Fact, FactInput, FactKind, FactValue, with_outline};
use crate::syntax::shapes::{Raw, text};
use crate::syntax::{Language, Parsed};

pub(super) const IS_DIVISOR: Fact = Fact {
    name: "is_divisor",
    help: "Whether the lines divide, or take a remainder, by something other than a nonzero literal. `/` that joins \
           paths and `%` that formats are no division. Unknown where a name does not tell which it is, inside a macro, \
           where the lines name what the function divides by elsewhere, and in broken code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match input.sound() {
        Some(new) => is_divisor(new, input),
        None => FactValue::Unknown,
    },
};

/// More divisions than this on the lines of one claim are not weighed, and more than [`MOST_READ`] not read: a name may
/// have to be looked for in the whole file.
pub(super) const MOST: usize = 16;
const MOST_READ: usize = 64;

/// Something that divides, or may.
pub(super) struct Division<'t> {
    pub(super) divisor: Raw<'t>,
    pub(super) sure: bool,
}

/// The divisions of a place, and whether there may be another: in a macro, or past what is read.
#[derive(Default)]
pub(super) struct Divisions<'t> {
    pub(super) found: Vec<Division<'t>>,
    pub(super) hidden: bool,
}

pub(super) fn divisions<'t>(new: &'t Parsed, place: &Range<usize>) -> Divisions<'t> {
    let mut divisions = Divisions::default();
    let mut read = 0;
    visit(new, place, |node, around| {
        divisions.hidden |= holds_sign(new, node, around, place, &['/', '%']);
        let Some(divide) = divide(node, new.source()) else { return };
        read += 1;
        if read > MOST_READ {
            divisions.hidden = true;
        } else if let Some(mut division) = division(new, divide) {
            // The dividend alone stands on the lines: the claim may be about something else.
            division.sure &= division.divisor.end_byte() > place.start;
            divisions.found.push(division);
        }
    });
    divisions
}

/// A node that is written as a division.
enum Divide<'t> {
    Sign { left: Raw<'t>, remainder: bool, right: Raw<'t> },
    Call { divisor: Raw<'t>, sure: bool },
}

/// Reads a node as a division, by something other than a literal.
fn divide<'t>(node: Raw<'t>, source: &str) -> Option<Divide<'t>> {
    let divide = match operation(node, source) {
        Some((left, "/" | "//" | "/=" | "//=", right)) => Divide::Sign { left, remainder: false, right },
        Some((left, "%" | "%=", right)) => Divide::Sign { left, remainder: true, right },
        Some(_) => return None,
        None => {
            let call = call(node, source)?;
            let sure = match call.name {
                "divmod" | "fmod" | "floorDiv" | "floorMod" | "div_euclid" | "rem_euclid" | "intdiv" | "fdiv"
                | "modulo" => true,
                "div" | "divide" | "true_divide" | "floor_divide" | "remainder" => false,
                _ => return None,
            };
            Divide::Call { divisor: *call.arguments.last()?, sure }
        }
    };
    let (Divide::Sign { right: divisor, .. } | Divide::Call { divisor, .. }) = divide;
    (is_constant(divisor, source) != Some(true)).then_some(divide)
}

fn division<'t>(new: &Parsed, divide: Divide<'t>) -> Option<Division<'t>> {
    match divide {
        Divide::Call { divisor, sure } => Some(Division { divisor, sure }),
        Divide::Sign { left, remainder, right } => {
            let other = if remainder { formats(new, left, right) } else { joins_paths(new, left, right) };
            (other != Some(true)).then_some(Division { divisor: right, sure: other.is_some() })
        }
    }
}

/// Whether an expression of literals alone is other than zero; `None` if it is more than that.
pub(super) fn is_constant(node: Raw<'_>, source: &str) -> Option<bool> {
    let node = bare(node);
    if let Some((left, operator, right)) = operation(node, source) {
        let (left, right) = (is_constant(left, source)?, is_constant(right, source)?);
        return match operator {
            "*" => Some(left && right),
            "+" => Some(left || right),
            "**" | "<<" => Some(left),
            _ => None,
        };
    }
    match node.kind() {
        "unary_operator" | "unary_expression" | "prefix_unary_expression" | "unary" | "unary_op_expression" => {
            text(node, source).starts_with(['-', '+']).then(|| is_constant(parts(node).pop()?, source))?
        }
        _ => is_nonzero(text(node, source)).filter(|_| node.named_child_count() == 0),
    }
}

fn is_text(node: Raw<'_>) -> bool {
    let is = |node: Raw<'_>| {
        let kind = node.kind();
        kind.contains("string") || kind.contains("heredoc") || kind == "char_literal"
    };
    let node = bare(node);
    is(node)
        || parts(node).into_iter().any(|part| is(part) && !part.kind().contains("content"))
            && matches!(node.kind(), "binary_operator" | "binary_expression" | "binary" | "concatenated_string")
}

/// Names that a text with `%` marks has.
static TEXTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:fmt|format|msg|message|template|tmpl|pattern|str|sql|query|text|usage|help|doc|line|title|label|name|url|path)s?\d*$")
        .expect("the pattern is a constant that compiles")
});

/// Whether `%` fills a text; `None` where the names do not tell.
fn formats(new: &Parsed, left: Raw<'_>, right: Raw<'_>) -> Option<bool> {
    if !matches!(new.language(), Language::Python | Language::Ruby) {
        return Some(false);
    }
    let filled =
        matches!(bare(right).kind(), "tuple" | "dictionary" | "array" | "hash" | "list") || right.kind() == "tuple";
    if is_text(left) || filled || is_text(right) {
        return Some(true);
    }
    let doubtful = TEXTS.is_match(&words(left, new.source())) || call(bare(left), new.source()).is_some();
    (!doubtful).then_some(false)
}

/// Names that a path has; the second ones only where the file speaks of paths.
static PATHS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:path|dir|directory|folder)s?\d*$").expect("the pattern is a constant that compiles")
});
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:root|base|home|cwd|parent|file|prefix|here|cache|data|out|output|dest|target|source|src|temp|tmp|workspace|repo|project|[)])$")
        .expect("the pattern is a constant that compiles")
});

/// What makes a path, in an expression.
static MAKES_PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|\W)(?:Pure)?(?:Posix|Windows)?Path(?:name)?(?:\(|\.(?:cwd|home|new)\b)|\bfs::\w*path|filesystem::\w*path|\.parents?\b|\.resolve\(|\.joinpath\(|\.absolute\(|\.expanduser\(")
        .expect("the pattern is a constant that compiles")
});

/// Parts of one path that are read.
const MOST_JOINED: usize = 16;

/// Whether `/` joins paths; `None` where the names do not tell.
fn joins_paths(new: &Parsed, left: Raw<'_>, right: Raw<'_>) -> Option<bool> {
    if !matches!(new.language(), Language::Python | Language::Cpp | Language::Ruby) {
        return Some(false);
    }
    let source = new.source();
    let mut first = bare(left);
    let mut texts = is_text(right) || is_text(first);
    for _ in 0..MOST_JOINED {
        let Some((left, "/", right)) = operation(first, source) else { break };
        texts |= is_text(right) || is_text(left);
        first = bare(left);
    }
    let name = words(first, source);
    if texts || MAKES_PATH.is_match(text(first, source)) || is_made_path(source, &name) {
        return Some(true);
    }
    let speaks_of_paths = || mentions(source, "Path").chain(mentions(source, "path")).next().is_some();
    let doubtful = PATHS.is_match(&name) || (PLACES.is_match(&name) && speaks_of_paths());
    (!doubtful).then_some(false)
}

/// Whether the file declares or makes the name a path somewhere.
fn is_made_path(source: &str, name: &str) -> bool {
    mentions(source, name).take(MOST_MENTIONS).any(|at| {
        let line = rest_of_line(source, at + name.len());
        let declared = line.strip_prefix(':').and_then(|rest| rest.split([',', '=', ')']).next());
        let made = line.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('='));
        let before = start_of_line(source, at).trim_end();
        declared.is_some_and(|kind| kind.contains("Path"))
            || made.is_some_and(|value| MAKES_PATH.is_match(value))
            || before.ends_with("fs::path")
            || before.ends_with("filesystem::path")
            || before.ends_with("path&")
    })
}

fn is_divisor(new: &Parsed, input: &FactInput<'_>) -> FactValue {
    let place = bytes(input, new);
    let divisions = divisions(new, &place);
    if divisions.found.iter().any(|division| division.sure) {
        return FactValue::Bool(true);
    }
    if divisions.hidden || !divisions.found.is_empty() || names_divisor(new, input, &place) {
        return FactValue::Unknown;
    }
    FactValue::Bool(false)
}

/// Whether the place names what its function divides by elsewhere.
fn names_divisor(new: &Parsed, input: &FactInput<'_>, place: &Range<usize>) -> bool {
    let Some(named) = new.source().get(place.clone()) else { return true };
    let elsewhere = divisions(new, &scope(new, input.lines.0));
    elsewhere.found.iter().any(|division| {
        let mut names = identifiers(division.divisor, new.source()).into_iter();
        names.any(|name| mentions(named, name).next().is_some())
    })
}

/// The names in an expression; those of functions and types not.
pub(super) fn identifiers<'s>(node: Raw<'_>, source: &'s str) -> Vec<&'s str> {
    let mut names = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let is_name = matches!(
            node.kind(),
            "identifier"
                | "variable_name"
                | "instance_variable"
                | "field_identifier"
                | "property_identifier"
                | "constant"
        );
        if is_name && !matches!(text(node, source), "self" | "this" | "len" | "size" | "count") {
            names.push(text(node, source));
        } else {
            open.extend(parts(node));
        }
    }
    names
}
