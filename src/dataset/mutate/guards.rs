//! Early exits that are taken away, each under what it is about.

use super::logic::BINARY;
use super::removal::{IFS, starts_with_word};
use super::site::{Edit, Site, bare, integer, is, is_primary, parts};
use crate::syntax::{Language, Node};

/// Words in names of lengths.
const LENGTHS: [&str; 9] = ["len", "length", "size", "count", "strlen", "sizeof", "capacity", "cap", "total"];

/// Words in names of what bounds, or is bounded.
const BOUNDED: [&str; 20] = [
    "index", "idx", "offset", "pos", "position", "num", "number", "max", "min", "maximum", "minimum", "limit", "bound",
    "bounds", "depth", "width", "height", "row", "col", "column",
];

/// Names that are too short to be words of others.
const COUNTERS: [&str; 6] = ["i", "j", "k", "n", "start", "end"];

/// An `if` that is a statement, without `else`, that leaves at its end: the statement, its condition.
fn guard<'p>(site: &Site<'_, 'p>) -> Option<Node<'p>> {
    const LEAVES: [&str; 10] =
        ["return", "throw", "raise", "continue", "break", "next", "goto", "panic", "exit", "abort"];
    let inner = if is(site.node, &["expression_statement"]) { parts(site.node).pop()? } else { site.node.clone() };
    let alone = inner.field("alternative").is_none() && inner.field("initializer").is_none();
    if !is(&inner, &IFS) || !alone || !site.is_statement() {
        return None;
    }
    let condition = bare(&inner.field("condition")?);
    let body = inner.field("consequence").or_else(|| inner.field("body"))?;
    let mut statements = parts(&body);
    if statements.len() == 1 && is(&statements[0], &["statement_list", "block"]) {
        statements = parts(&statements[0]);
    }
    let last = statements.last().map_or_else(|| site.text(&body), |last| site.text(last));
    let own = site.text(&body);
    let leaves = starts_with_word(last, &LEAVES) || starts_with_word(own, &LEAVES);
    (leaves && statements.len() <= 2 && !is(&condition, &["let_condition", "let_chain"])).then_some(condition)
}

/// The condition on which an exit is taken, and whether it is taken where the condition does not hold.
struct Exit<'s, 'a, 'p> {
    site: &'s Site<'a, 'p>,
    condition: Node<'p>,
    negated: bool,
}

#[derive(PartialEq)]
enum About {
    Failure,
    Absence,
    Bounds,
    Other,
}

fn about<'p>(site: &Site<'_, 'p>, condition: Node<'p>) -> About {
    let low = site.text(&condition).to_ascii_lowercase();
    let failures = ["err", "error", "errno", "rc", "ret", "status", "failed", "errors"];
    if low.split(|c: char| !c.is_alphanumeric()).any(|word| failures.contains(&word)) {
        return About::Failure;
    }
    let statement = if is(site.node, &["expression_statement"]) { parts(site.node).pop() } else { None };
    let negated = is(&statement.unwrap_or_else(|| site.node.clone()), &["unless", "unless_modifier"]);
    let exit = Exit { site, condition, negated };
    if exit.is_for_absence() {
        About::Absence
    } else if exit.is_for_bounds() {
        About::Bounds
    } else {
        About::Other
    }
}

/// A comparison that holds where another does not, and that with its sides exchanged.
fn opposite(token: &str) -> &str {
    match token {
        "<" => ">=",
        ">=" => "<",
        ">" => "<=",
        "<=" => ">",
        "==" | "===" | "is" => "!=",
        "!=" | "!==" | "is not" => "==",
        other => other,
    }
}

fn mirrored(token: &str) -> &str {
    match token {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        other => other,
    }
}

fn is_nothing(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'']);
    ["null", "NULL", "Null", "None", "nil", "undefined", "nullptr"].contains(&text)
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            found.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = found.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    found
}

impl<'p> Exit<'_, '_, 'p> {
    /// The same exit by a part of its condition.
    fn by(&self, condition: &Node<'p>, negated: bool) -> Self {
        Exit { site: self.site, condition: bare(condition), negated }
    }

    /// The condition as a site, to ask for its tokens and arguments.
    fn asked<T>(&self, ask: impl FnOnce(&Site<'_, 'p>) -> T) -> T {
        ask(&Site { parsed: self.site.parsed, node: &self.condition, above: &[] })
    }

    fn text(&self) -> &'p str {
        self.site.text(&self.condition)
    }

    /// What stands behind a `!` or `not`.
    fn denied(&self) -> Option<Self> {
        let denies = is(&self.condition, &["unary_expression", "not_operator", "unary", "unary_op_expression"])
            || is(&self.condition, &["prefix_unary_expression"]);
        let denies = denies && (self.text().starts_with('!') || starts_with_word(self.text(), &["not"]));
        let [only] = <[_; 1]>::try_from(parts(&self.condition)).ok()?;
        denies.then(|| self.by(&only, !self.negated))
    }

    /// The operands of a connective, and whether one of them is enough for the exit.
    fn connected(&self) -> Option<(Vec<Self>, bool)> {
        let table = [("&&", "and"), ("and", "and"), ("||", "or"), ("or", "or")];
        let (_, name) = is(&self.condition, &BINARY).then(|| self.asked(|site| site.token(&table)))??;
        let operands = parts(&self.condition).iter().map(|part| self.by(part, self.negated)).collect();
        Some((operands, (name == "or") != self.negated))
    }

    /// A comparison of two sides, as it holds where the exit is taken.
    fn compared(&self) -> Option<(Node<'p>, &'p str, Node<'p>)> {
        let binary = is(&self.condition, &BINARY) || is(&self.condition, &["is_pattern_expression", "is_expression"]);
        let [left, right] = <[_; 2]>::try_from(parts(&self.condition)).ok().filter(|_| binary)?;
        let between = self.site.parsed.source().get(left.range().end..right.range().start)?.trim();
        let token = if self.negated { opposite(between) } else { between };
        Some((bare(&left), token, bare(&right)))
    }

    /// Whether the exit is taken where a value is missing that is used further down.
    fn is_for_absence(&self) -> bool {
        if let Some(inner) = self.denied() {
            return inner.is_for_absence();
        }
        if let Some((operands, one)) = self.connected() {
            let mut each = operands.iter().map(Self::is_for_absence);
            return if one { each.any(|is| is) } else { each.all(|is| is) };
        }
        if let Some((left, token, right)) = self.compared() {
            let (one, other) = (self.site.text(&left), self.site.text(&right));
            // C#: the pattern `not null` is one node.
            let (token, other) = match other.strip_prefix("not ").filter(|_| token == "is" || token == "!=") {
                Some(rest) => (opposite(token), rest),
                None => (token, other),
            };
            let subject = match (is_nothing(one), is_nothing(other)) {
                (false, true) => one,
                (true, false) => other,
                _ => return false,
            };
            let subject = subject.strip_prefix("typeof ").unwrap_or(subject);
            return ["==", "===", "is"].contains(&token) && self.uses(subject, false);
        }
        self.asks_for_absence()
    }

    /// The same of a call, or of a value that stands alone.
    fn asks_for_absence(&self) -> bool {
        const TRUTHY: [Language; 8] = [
            Language::C,
            Language::Cpp,
            Language::JavaScript,
            Language::TypeScript,
            Language::Tsx,
            Language::Python,
            Language::Php,
            Language::Ruby,
        ];
        if let Some(called) = self.asked(|site| site.callee().map(|callee| site.text(&callee))) {
            let missing = ["is_none", "nil?", "blank?", "is_null", "isNull"].contains(&called);
            let present = ["is_some", "present?", "isset", "nonNull", "isPresent", "has_value"].contains(&called);
            let arguments = self.asked(|site| site.arguments().iter().map(|node| site.text(node)).collect::<Vec<_>>());
            let on = match arguments.as_slice() {
                [only] => Some(*only),
                [] => self.text().trim_end_matches("()").strip_suffix(called).map(|on| on.trim_end_matches(['.', '&'])),
                _ => None,
            };
            if missing || present {
                return missing != self.negated && on.is_some_and(|on| self.uses(on, false));
            }
        }
        // A truth value has no members.
        let is_value = is_primary(&self.condition) && TRUTHY.contains(&self.site.language());
        is_value && self.negated && self.uses(self.text(), true)
    }

    /// Whether a value is used below the exit; as something that has to be there, where that is asked.
    fn uses(&self, value: &str, reached_into: bool) -> bool {
        let source = self.site.parsed.source();
        let end = self.site.function().map_or(source.len(), |function| function.range().end);
        let below = source.get(self.site.node.range().end..end).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        !value.is_empty()
            && below.match_indices(value).any(|(at, _)| {
                let (before, after) = (&below[..at], &below[at + value.len()..]);
                let whole = !before.ends_with(is_name) && !before.ends_with('.') && !after.starts_with(is_name);
                let into = ["->", "["].iter().any(|token| after.starts_with(token))
                    || (after.starts_with('.') && !after.starts_with(".."));
                whole && (into || !reached_into)
            })
    }

    /// Whether the exit is taken for a size or position out of bounds, and for nothing else.
    fn is_for_bounds(&self) -> bool {
        if let Some(inner) = self.denied() {
            return inner.is_for_bounds();
        }
        if let Some((operands, _)) = self.connected() {
            return operands.iter().all(Self::is_for_bounds);
        }
        if let Some((left, token, right)) = self.compared() {
            let (left, right) = (self.by(&left, false), self.by(&right, false));
            let literal = |side: &Self| integer(side.text());
            return match (literal(&left), literal(&right)) {
                (None, None) => ["<", ">", "<=", ">="].contains(&token) && (left.is_bound() || right.is_bound()),
                (None, Some(bound)) => left.is_out_of(token, bound),
                (Some(bound), None) => right.is_out_of(mirrored(token), bound),
                _ => false,
            };
        }
        let called = self.asked(|site| site.callee().map(|callee| site.text(&callee)));
        let empty = ["isEmpty", "is_empty", "empty?", "empty", "Empty", "IsEmpty"];
        if called.is_some_and(|called| empty.contains(&called)) {
            return !self.negated;
        }
        // `!a.length`
        is_primary(&self.condition) && self.negated && self.is_named(&LENGTHS)
    }

    /// Whether comparing this with a number finds what is too small, too large or empty, not what there is.
    fn is_out_of(&self, token: &str, bound: u32) -> bool {
        match token {
            "<" | "<=" => self.is_bound(),
            ">" => bound > 0 && self.is_bound(),
            ">=" => bound > 1 && self.is_bound(),
            "==" | "===" => bound == 0 && self.is_named(&LENGTHS),
            "!=" | "!==" => bound > 0 && self.is_named(&LENGTHS),
            _ => false,
        }
    }

    fn is_bound(&self) -> bool {
        self.is_named(&LENGTHS) || self.is_named(&BOUNDED) || COUNTERS.contains(&self.text().trim_start_matches('$'))
    }

    /// Whether a name, that of a call's function or one in a sum, has one of the words.
    fn is_named(&self, wanted: &[&str]) -> bool {
        if is(&self.condition, &BINARY) {
            return parts(&self.condition).iter().any(|part| self.by(part, false).is_named(wanted));
        }
        if self.condition.kind().contains("string") || self.condition.kind().contains("char") {
            return false;
        }
        let called = self.asked(|site| site.callee().map(|callee| site.text(&callee)));
        let name = called.unwrap_or_else(|| self.text().rsplit(['.', '>', ':']).next().unwrap_or_default());
        words(name).iter().any(|word| wanted.contains(&word.as_str()))
    }
}

fn guard_about(site: &Site<'_, '_>, wanted: &About) -> Option<Edit> {
    let condition = guard(site)?;
    (about(site, condition) == *wanted).then(|| site.delete_statement())?
}

/// An exit for what is missing, of which the code below makes use.
pub(super) fn null_check(site: &Site<'_, '_>) -> Option<Edit> {
    guard_about(site, &About::Absence)
}

pub(super) fn bounds_check(site: &Site<'_, '_>) -> Option<Edit> {
    guard_about(site, &About::Bounds)
}

pub(super) fn other_guard(site: &Site<'_, '_>) -> Option<Edit> {
    guard_about(site, &About::Other)
}

pub(super) fn failure(site: &Site<'_, '_>) -> Option<Edit> {
    guard_about(site, &About::Failure)
}
