//! Operators on numbers: arithmetic, indices, ranges, constants.

use super::logic::BINARY;
use super::site::{Edit, Site, integer, is, is_primary, parts};
use crate::syntax::{Language, Node};

/// Words in names of what is counted or measured: with one of them, `+` is no concatenation.
const COUNTED: [&str; 18] = [
    "len", "size", "count", "width", "height", "offset", "start", "end", "index", "idx", "pos", "total", "num", "sum",
    "length", "depth", "row", "col",
];

/// Names of what goes through a sequence.
const INDICES: [&str; 16] = [
    "i", "j", "k", "n", "idx", "index", "pos", "position", "offset", "at", "row", "col", "column", "start", "end",
    "cursor",
];

const SUBSCRIPTS: [&str; 6] = [
    "subscript",
    "subscript_expression",
    "array_access",
    "index_expression",
    "element_reference",
    "element_access_expression",
];

pub(super) fn arithmetic(site: &Site<'_, '_>) -> Option<Edit> {
    let (token, other) = site.token(&[("+", "-"), ("-", "+"), ("*", "/"), ("/", "*")])?;
    let text = site.own().to_ascii_lowercase();
    let counted = || {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| COUNTED.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit()))
    };
    // Texts are concatenated, paths are joined, addresses are followed.
    let is_number = site.is(&BINARY) && !text.contains(['"', '\'', '`', '[']) && !text.contains("path") && counted();
    if !is_number || site.is_in(&["type", "type_annotation", "trait_bounds", "generic_type"]) {
        return None;
    }
    site.inside(token.range(), other)
}

pub(super) fn constant(site: &Site<'_, '_>) -> Option<Edit> {
    let value = integer(site.own()).filter(|value| (2..100_000).contains(value))?;
    // Where a number decides something; most others are somebody's choice.
    let parent = site.parent()?;
    let decides = ["<", "<=", ">", ">=", "==", "!=", "===", "!==", "%", "<<", ">>", "&", "+", "-", "*"];
    let around = Site { parsed: site.parsed, node: parent, above: &site.above[..site.above.len() - 1] };
    let tokens = decides.map(|token| (token, ""));
    if !is(parent, &BINARY) || around.token(&tokens).is_none() {
        return None;
    }
    let value = if value % 2 == 0 { value + 1 } else { value - 1 };
    site.within(parent, site.node.range(), value.to_string())
}

fn is_index(name: &str) -> bool {
    let name = name.trim_start_matches('$').to_ascii_lowercase();
    INDICES.contains(&name.as_str()) || name.ends_with("idx") || name.ends_with("index") || name.ends_with("pos")
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What stands before and behind a name, each time.
fn around_name<'t>(text: &'t str, name: &str) -> Vec<(&'t str, &'t str)> {
    let cut = |(at, found): (usize, &str)| (&text[..at], &text[at + found.len()..]);
    let whole = |(before, after): &(&str, &str)| !before.ends_with(is_name) && !after.starts_with(is_name);
    text.match_indices(name).map(cut).filter(whole).collect()
}

/// Whether what is subscripted goes by its name, or by a line that makes it, for one that has keys.
fn is_map(site: &Site<'_, '_>, of: &str) -> bool {
    const NAMES: [&str; 9] = ["map", "dict", "hash", "obj", "cache", "lookup", "registry", "memo", "table"];
    const MAKES: [&str; 14] = [
        "map[",
        "Map<",
        "map<",
        "Dictionary<",
        "Dict[",
        "dict[",
        "dict(",
        "Hash.new",
        "{}",
        "Record<",
        "Map()",
        "Map::",
        "defaultdict",
        "Counter(",
    ];
    let name = of.rsplit(|c| !is_name(c)).next().unwrap_or_default();
    let low = name.to_ascii_lowercase();
    let makes = |line: &str| MAKES.iter().any(|token| line.contains(token)) && !around_name(line, name).is_empty();
    name.is_empty() || NAMES.iter().any(|word| low.contains(word)) || site.parsed.source().lines().any(makes)
}

/// Whether the tree shows that a subscript is an integer, and no key of what a loop goes through.
fn is_position(site: &Site<'_, '_>, index: &Node<'_>, name: &str) -> bool {
    let source = site.parsed.source();
    for node in site.above.iter().rev() {
        let head = node.field("body").and_then(|body| source.get(node.range().start..body.range().start));
        let Some(head) = head.filter(|head| head.starts_with("for")) else { continue };
        let split = [" range ", " in ", " of ", " as ", " : "].iter().find_map(|token| head.split_once(token));
        let Some((mut bound, mut through)) = split else { continue };
        if site.language() == Language::Php {
            (bound, through) = (through, bound);
        }
        if !around_name(bound, name).is_empty() {
            let first = bound.trim_start_matches("for").trim_start_matches([' ', '(']).starts_with(name);
            let numbers = through.starts_with("range(") || through.contains("..");
            return numbers || (first && (through.starts_with("enumerate(") || through.contains(".enumerate()")));
        }
    }
    let stepped = is(index, &BINARY) && parts(index).iter().any(|part| integer(site.text(part)).is_some());
    let scope = site.function().map_or(source, |function| site.text(function));
    stepped || around_name(scope, name).into_iter().any(|(before, after)| is_number_here(before, after))
}

/// Whether what stands around a name makes it an integer: a type, a number that is assigned, a step.
fn is_number_here(before: &str, after: &str) -> bool {
    const TYPES: [&str; 16] = [
        "int", "uint", "long", "short", "size_t", "ssize_t", "unsigned", "usize", "isize", "i32", "i64", "u32", "u64",
        "number", "int64", "int32",
    ];
    let last = before.strip_suffix(' ').and_then(|before| before.rsplit(|c| !is_name(c)).next()).unwrap_or_default();
    let behind = after.trim_start_matches([':', ' ']).split(|c| !is_name(c)).next().unwrap_or_default();
    let typed = TYPES.contains(&last) || (after.starts_with([':', ' ']) && TYPES.contains(&behind));
    let assigned = after.trim_start().strip_prefix(':').unwrap_or(after.trim_start()).strip_prefix('=');
    let assigned = assigned.map(str::trim_start).is_some_and(|value| {
        let end = value.find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(value.len());
        integer(&value[..end]).is_some() || value.starts_with("len(")
    });
    let steps = after.starts_with("++") || after.starts_with("--") || before.ends_with("++") || before.ends_with("--");
    typed || assigned || steps || after.starts_with(" -= ")
}

/// One more or one less: `i` is `i + 1`, `i - 1` and `i + 1` are `i`.
fn shifted(text: &str, step: &str) -> Option<String> {
    let without_one = text.strip_suffix('1').and_then(|rest| rest.trim_end().strip_suffix(['-', '+']));
    let is_plain = text.replace("->", "").chars().all(|c| c.is_alphanumeric() || "_.$@()".contains(c));
    let stepped = || is_plain.then(|| format!("{text} {step} 1"));
    without_one.map(|rest| rest.trim_end().to_owned()).or_else(stepped)
}

pub(super) fn index(site: &Site<'_, '_>) -> Option<Edit> {
    if !site.is(&SUBSCRIPTS) || site.is_in(&["type"]) {
        return None;
    }
    let mut index = parts(site.node).pop()?;
    while is(&index, &["bracketed_argument_list", "subscript_argument_list", "argument"]) {
        let [only] = <[_; 1]>::try_from(parts(&index)).ok()?;
        index = only;
    }
    let text = site.text(&index);
    let name = text.split([' ', '+', '-']).next()?;
    let of = parts(site.node).into_iter().next().filter(|of| of.range() != index.range())?;
    if !is_index(name) || is_map(site, site.text(&of)) || !is_position(site, &index, name) {
        return None;
    }
    site.inside(index.range(), shifted(text, "+")?)
}

pub(super) fn loop_start(site: &Site<'_, '_>) -> Option<Edit> {
    let start = ["initializer", "init", "initialize"].into_iter().find_map(|field| site.node.field(field));
    let start = site.is(&["for_statement", "for_clause"]).then_some(start)??;
    let mut open = vec![start.clone()];
    while let Some(node) = open.pop() {
        let own = site.text(&node);
        if parts(&node).is_empty() && own == "0" {
            return site.within(&start, node.range(), "1");
        }
        open.extend(parts(&node).into_iter().rev());
    }
    None
}

/// The end of a range, slice or part of a text.
pub(super) fn range_end(site: &Site<'_, '_>) -> Option<Edit> {
    if site.is(&["range_expression", "range"]) && matches!(site.language(), Language::Rust | Language::Ruby) {
        let table = if site.language() == Language::Rust {
            [("..", "..="), ("..=", "..")]
        } else {
            [("..", "..."), ("...", "..")]
        };
        return (parts(site.node).len() == 2).then(|| site.exchange(&table))?;
    }
    let end = if site.is(&["slice"]) {
        parts(site.node).pop().filter(|end| end.range().end == site.node.range().end)
    } else if site.is(&["slice_expression"]) {
        site.node.field("end")
    } else {
        let ends: &[&str] = match site.language() {
            Language::Python => &["range"],
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                &["slice", "substring", "substr", "subarray"]
            }
            Language::Java => &["substring", "subList", "copyOfRange"],
            Language::Cpp => &["substr"],
            Language::CSharp => &["Substring", "GetRange", "Range"],
            Language::Php => &["substr", "mb_substr", "array_slice", "range"],
            _ => &[],
        };
        let callee = site.callee()?;
        let arguments = site.arguments();
        let fits = ends.contains(&site.text(&callee)) && (1..=3).contains(&arguments.len());
        // What follows may be a step or an encoding.
        let at = if site.text(&callee) == "range" { arguments.len().min(2) } else { arguments.len() };
        fits.then(|| arguments.get(at - 1).cloned())?
    };
    let end = end?;
    let text = site.text(&end);
    let is_bound = is_primary(&end) || is(&end, &["binary_expression", "binary_operator", "binary"]);
    is_bound.then(|| site.inside(end.range(), shifted(text, "-")?))?
}

/// `abs(a - b) < e` as `a == b`.
pub(super) fn float_equality(site: &Site<'_, '_>) -> Option<Edit> {
    let equals = match site.language() {
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Php => "===",
        _ => "==",
    };
    if let Some(callee) = site.callee() {
        let arguments = site.arguments();
        let close = ["isclose", "approximatelyEqual", "Approximately"].contains(&site.text(&callee));
        let (one, other) = (arguments.first()?, arguments.get(1)?);
        return close.then(|| site.replace(format!("{} {equals} {}", site.text(one), site.text(other))))?;
    }
    site.token(&[("<", ""), ("<=", "")])?;
    let left = site.is(&BINARY).then(|| parts(site.node).into_iter().next())??;
    let text = site.text(&left);
    let called = ["abs(", "fabs(", "Math.abs(", "Math.Abs(", "math.Abs(", "std::abs(", "std::fabs(", "fabsf("];
    let inner = called.iter().find_map(|call| text.strip_prefix(call)?.strip_suffix(')'));
    let inner = inner.or_else(|| {
        text.strip_prefix('(')?.strip_suffix(").abs()").or(text.strip_prefix('(')?.strip_suffix(").abs"))
    })?;
    let (one, other) = inner.split_once(" - ")?;
    site.replace(format!("{} {equals} {}", one.trim(), other.trim()))
}

/// A quotient loses its fraction, or keeps one it should not have.
pub(super) fn integer_division(site: &Site<'_, '_>) -> Option<Edit> {
    match site.language() {
        Language::Python => {
            let (token, other) = site.is(&["binary_operator"]).then(|| site.token(&[("/", "//"), ("//", "/")]))??;
            let joins = site.own().contains(['"', '\'']) || site.own().to_ascii_lowercase().contains("path");
            (!joins).then(|| site.inside(token.range(), other))?
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let [only] = <[_; 1]>::try_from(site.arguments()).ok()?;
            let floors = site.own().starts_with("Math.floor(") || site.own().starts_with("Math.trunc(");
            (floors && site.text(&only).contains(" / ")).then(|| site.replace(format!("({})", site.text(&only))))?
        }
        Language::Php => {
            let [one, other] = <[_; 2]>::try_from(site.arguments()).ok()?;
            // Without parentheses a sum would be divided in part.
            let is_plain = !site.text(&one).contains(' ') && !site.text(&other).contains(' ');
            let divides = site.text(&site.callee()?) == "intdiv" && is_plain;
            divides.then(|| site.replace(format!("({} / {})", site.text(&one), site.text(&other))))?
        }
        Language::Ruby => {
            site.is(&["binary"]).then(|| site.token(&[("/", "")]))??;
            let left = site.node.field("left")?;
            let whole = site.text(&left).strip_suffix(".to_f")?;
            site.inside(left.range(), whole)
        }
        // Both sides are converted: the quotient is, after it was cut.
        Language::Go | Language::Rust => {
            site.is(&["binary_expression"]).then(|| site.token(&[("/", "")]))??;
            let (left, right) = (site.node.field("left")?, site.node.field("right")?);
            let (one, other) = (site.text(&left), site.text(&right));
            let kinds = ["float64", "float32", "f64", "f32"];
            kinds.iter().find_map(|kind| {
                if site.language() == Language::Rust {
                    let cast = format!(" as {kind}");
                    let (one, other) = (one.strip_suffix(&cast)?, other.strip_suffix(&cast)?);
                    site.replace(format!("({one} / {other}) as {kind}"))
                } else {
                    let inner =
                        |text: &str| Some(text.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')')?.to_owned());
                    site.replace(format!("{kind}({} / {})", inner(one)?, inner(other)?))
                }
            })
        }
        _ => {
            site.is(&["binary_expression"]).then(|| site.token(&[("/", "")]))??;
            let left = site.node.field("left")?;
            let text = site.text(&left);
            let casts = ["(double) ", "(double)", "(float) ", "(float)"];
            let cut = casts.iter().find_map(|cast| text.strip_prefix(cast));
            let calls = ["static_cast<double>(", "static_cast<float>(", "double("];
            let cut = cut.or_else(|| calls.iter().find_map(|call| text.strip_prefix(call)?.strip_suffix(')')))?;
            site.inside(left.range(), cut)
        }
    }
}

pub(super) fn compound(site: &Site<'_, '_>) -> Option<Edit> {
    // `a = a + b` is what `a += b` stands for; `a = b` forgets what was there.
    site.is(&ASSIGNING).then(|| site.exchange(&[("+=", "="), ("-=", "="), ("*=", "="), ("|=", "="), ("&=", "=")]))?
}

const ASSIGNING: [&str; 7] = [
    "augmented_assignment",
    "augmented_assignment_expression",
    "assignment_expression",
    "assignment_statement",
    "compound_assignment_expr",
    "operator_assignment",
    "update_expression",
];

/// A running value is not carried on.
pub(super) fn update(site: &Site<'_, '_>) -> Option<Edit> {
    let text = site.own().trim_end_matches(';');
    let updates = ["+=", "-=", "*=", " |="].iter().any(|token| text.contains(token))
        || [text.strip_prefix("++"), text.strip_suffix("++"), text.strip_suffix("--")].iter().flatten().count() > 0;
    let inner = if is(site.node, &["expression_statement"]) { parts(site.node).pop()? } else { site.node.clone() };
    let counts =
        ["postfix_unary_expression", "prefix_unary_expression", "unary_expression", "inc_statement", "dec_statement"];
    (updates && (is(&inner, &ASSIGNING) || is(&inner, &counts))).then(|| site.delete_statement())?
}
