//! What stands in front of a place and rules something out there: a condition around it, an early return before it, an
//! assertion, a handler of the failure.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::place::{around, bare, call, field, operation, parts};
use crate::syntax::Parsed;
use crate::syntax::shapes::{Raw, child_of_kind, text};

/// How well something is guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Nothing speaks of it.
    None,
    /// Something tests, fills or walks it; whether that helps is not clear.
    Perhaps,
    /// No way leads to the place on which it fails.
    Sure,
}

/// What a condition tells of the subject.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    /// It is safe where the condition holds.
    pub(super) then: bool,
    /// It is safe where the condition does not hold.
    pub(super) otherwise: bool,
    /// The condition is about it.
    pub(super) mentions: bool,
}

impl Told {
    /// About the subject, and safe on the side on which the condition is `side`.
    pub(super) fn safe_where(side: bool) -> Self {
        Self { then: side, otherwise: !side, mentions: true }
    }

    fn not(self) -> Self {
        Self { then: self.otherwise, otherwise: self.then, ..self }
    }

    fn join(self, other: Self, is_and: bool) -> Self {
        let mentions = self.mentions || other.mentions;
        if is_and {
            Self { then: self.then || other.then, otherwise: self.otherwise && other.otherwise, mentions }
        } else {
            Self { then: self.then && other.then, otherwise: self.otherwise || other.otherwise, mentions }
        }
    }

    fn guard(self, holds: bool) -> Guard {
        match (if holds { self.then } else { self.otherwise }, self.mentions) {
            (true, _) => Guard::Sure,
            (false, true) => Guard::Perhaps,
            (false, false) => Guard::None,
        }
    }
}

/// What a statement does to the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It is safe after it.
    Safe,
    /// What was known of it is no longer.
    Spoilt,
    /// Nothing.
    None,
}

/// What must be safe.
pub(super) struct Subject<'a> {
    /// Reads a condition that is no `and`, `or` or `not`.
    pub(super) condition: &'a dyn Fn(Raw<'_>) -> Told,
    /// Reads a statement in front of the place.
    pub(super) statement: &'a dyn Fn(Raw<'_>) -> Effect,
    /// Whether a text, that of a loop around the place, gives it a new value.
    pub(super) spoils: &'a dyn Fn(&str) -> bool,
    /// Whether a loop around the place makes it safe.
    pub(super) walks: &'a dyn Fn(Raw<'_>) -> bool,
    /// Names of the failures whose handler makes it safe.
    pub(super) failures: &'a [&'a str],
}

/// Statements and expressions with a `condition`; those in [`NEGATED`] do their part where it does not hold.
const TESTS: [&str; 19] = [
    "if_statement",
    "if_expression",
    "if",
    "elif_clause",
    "else_if_clause",
    "elsif",
    "if_modifier",
    "unless",
    "unless_modifier",
    "while_statement",
    "while_expression",
    "while",
    "while_modifier",
    "until",
    "until_modifier",
    "conditional_expression",
    "ternary_expression",
    "conditional",
    "for_statement",
];
const NEGATED: [&str; 4] = ["unless", "unless_modifier", "until", "until_modifier"];

/// Functions of which it is not known when they run.
const DEFERRED: [&str; 8] = [
    "lambda",
    "lambda_expression",
    "arrow_function",
    "function_expression",
    "closure_expression",
    "func_literal",
    "anonymous_function",
    "function_definition",
];

/// Most statements of one block that are read; what stands further above is not known.
const MOST_STATEMENTS: usize = 100;

/// The guard of a place, from the start of its function.
pub(super) fn guard(parsed: &Parsed, place: &Range<usize>, subject: &Subject<'_>) -> Guard {
    let path = around(parsed, place);
    let function = parsed.enclosing_function(parsed.line_of(place.start)).map_or(0, |function| function.bytes.start);
    let reader = Reader { source: parsed.source(), subject };
    let (mut best, mut most) = (Guard::None, Guard::Sure);
    for pair in path.windows(2).rev() {
        let (outer, inner) = (pair[0], pair[1]);
        if outer.start_byte() < function {
            break;
        }
        let (found, spoilt) = reader.step(outer, inner);
        best = best.max(found.min(most));
        if DEFERRED.contains(&outer.kind()) {
            most = Guard::Perhaps;
        }
        if spoilt || best == Guard::Sure {
            break;
        }
    }
    best
}

/// Whether a statement leaves the block it stands in.
static LEAVES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:return|raise|throw|break|continue|goto|next|redo|fail|exit|die|abort|panic!?|bail!|unreachable!|todo!|",
        r"sys\.exit|os\._exit|quit|process\.exit|(?:std::)?process::exit|std::abort|std::exit|System\.exit|",
        r"Environment\.Exit|log\.(?:Fatal|Panic)\w*|t\.(?:Fatal|Skip)\w*|pytest\.(?:skip|fail))(?:\W|$)"
    ))
    .expect("the pattern is a constant that compiles")
});

/// Calls and macros that fail unless their first argument holds.
static ASSERTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?i:(?:\w+(?:\.|::))?(?:debug_)?(?:assert(?:True)?|assume|check(?:Argument|State)?|d?check|require|ensure|invariant|precondition|isTrue|ok))!?$")
        .expect("the pattern is a constant that compiles")
});

struct Reader<'a> {
    source: &'a str,
    subject: &'a Subject<'a>,
}

impl Reader<'_> {
    /// What a node and what it holds before `inner` say, and whether what stands further out no longer counts.
    fn step(&self, outer: Raw<'_>, inner: Raw<'_>) -> (Guard, bool) {
        let mut best = self.branch(outer, inner).max(self.operand(outer, inner)).max(self.handler(outer, inner));
        let kind = outer.kind();
        let is_loop = ["for", "while", "until", "loop", "do_statement"].iter().any(|part| kind.starts_with(part));
        if (self.subject.walks)(outer) {
            best = Guard::Sure;
        }
        if kind.ends_with("comprehension") || kind == "generator_expression" {
            best = best.max(self.clauses(outer));
        }
        let (before, spoilt) = self.siblings(outer, inner);
        // A loop that changes it comes back with the new value.
        let again = is_loop && (self.subject.spoils)(text(outer, self.source));
        (best.max(before), spoilt || again)
    }

    fn tell(&self, condition: Raw<'_>) -> Told {
        let node = bare(condition);
        match node.kind() {
            "condition_clause" => return field(node, &["value"]).map_or_else(Told::default, |value| self.tell(value)),
            "let_chain" => {
                let all = parts(node).into_iter().map(|part| self.tell(part));
                return all.reduce(|a, b| a.join(b, true)).unwrap_or_default();
            }
            "not_operator" | "unary_expression" | "prefix_unary_expression" | "unary" | "unary_op_expression" => {
                let negates = text(node, self.source).starts_with('!') || text(node, self.source).starts_with("not");
                if let Some(operand) = parts(node).pop().filter(|_| negates) {
                    return self.tell(operand).not();
                }
            }
            _ => {}
        }
        match operation(node, self.source) {
            Some((left, "and" | "&&", right)) => self.tell(left).join(self.tell(right), true),
            Some((left, "or" | "||", right)) => self.tell(left).join(self.tell(right), false),
            _ => (self.subject.condition)(node),
        }
    }

    /// `inner` is a branch of a test.
    fn branch(&self, outer: Raw<'_>, inner: Raw<'_>) -> Guard {
        let Some((condition, negated)) = test(outer) else { return Guard::None };
        let is_condition = condition.start_byte() <= inner.start_byte() && inner.end_byte() <= condition.end_byte();
        let slot = field_of(outer, inner);
        // Python's `a if c else b` names none of its parts.
        let unnamed_else =
            slot.is_none() && outer.kind() == "conditional_expression" && condition.end_byte() <= inner.start_byte();
        if is_condition || matches!(slot, Some("initializer" | "init")) {
            return Guard::None;
        }
        let holds = (slot != Some("alternative") && !unnamed_else) != negated;
        self.tell(condition).guard(holds)
    }

    /// `inner` is the right side of `and` or `or`.
    fn operand(&self, outer: Raw<'_>, inner: Raw<'_>) -> Guard {
        match operation(outer, self.source) {
            Some((left, "and" | "&&", _)) if left.end_byte() <= inner.start_byte() => self.tell(left).guard(true),
            Some((left, "or" | "||", _)) if left.end_byte() <= inner.start_byte() => self.tell(left).guard(false),
            _ => Guard::None,
        }
    }

    /// `inner` is what a `try` tries.
    fn handler(&self, outer: Raw<'_>, inner: Raw<'_>) -> Guard {
        // A method of Ruby may be a `begin` itself.
        if !outer.kind().starts_with("try") && !matches!(outer.kind(), "begin" | "body_statement") {
            return Guard::None;
        }
        let is_handler =
            |kind: &str| matches!(kind, "except_clause" | "except_group_clause" | "catch_clause" | "rescue");
        if is_handler(inner.kind()) || matches!(inner.kind(), "finally_clause" | "ensure" | "else_clause" | "else") {
            return Guard::None;
        }
        let handlers = parts(outer).into_iter().filter(|part| is_handler(part.kind()));
        let guards = handlers.map(|handler| {
            let body = field(handler, &["body"])
                .or_else(|| child_of_kind(handler, &["block"]))
                .map_or(handler.end_byte(), |body| body.start_byte());
            let head = self.source.get(handler.start_byte()..body).unwrap_or_default();
            let named = self.subject.failures.iter().any(|failure| head.contains(failure));
            if named { Guard::Sure } else { Guard::Perhaps }
        });
        guards.max().unwrap_or(Guard::None)
    }

    /// The `if` and `for` of a comprehension.
    fn clauses(&self, outer: Raw<'_>) -> Guard {
        let guards = parts(outer).into_iter().map(|clause| match (clause.kind(), parts(clause).first()) {
            ("if_clause", Some(condition)) => self.tell(*condition).guard(true),
            ("for_in_clause", _) if (self.subject.walks)(clause) => Guard::Sure,
            _ => Guard::None,
        });
        guards.max().unwrap_or(Guard::None)
    }

    /// The statements in front of `inner`, the nearest first.
    fn siblings(&self, outer: Raw<'_>, inner: Raw<'_>) -> (Guard, bool) {
        let mut best = Guard::None;
        let mut cursor = outer.walk();
        let before = outer.named_children(&mut cursor).take_while(|part| part.end_byte() <= inner.start_byte());
        let before: Vec<_> = before.filter(|part| !part.kind().contains("comment")).collect();
        for (count, part) in before.into_iter().rev().enumerate() {
            if count == MOST_STATEMENTS {
                return (best.max(Guard::Perhaps), true);
            }
            // A declaration runs nothing, and a part of a test was read as one.
            if ["function", "method", "class", "import"].iter().any(|word| part.kind().starts_with(word)) {
                continue;
            }
            let statement =
                if part.kind() == "expression_statement" { parts(part).pop().unwrap_or(part) } else { part };
            best = best.max(self.leaves(statement)).max(self.asserts(statement));
            match (self.subject.statement)(statement) {
                _ if best == Guard::Sure => return (best, false),
                Effect::Safe => return (Guard::Sure, false),
                Effect::Spoilt => return (best, true),
                Effect::None => {}
            }
        }
        (best, false)
    }

    /// `if` a test fails, the rest is not reached or the subject is mended.
    fn leaves(&self, statement: Raw<'_>) -> Guard {
        let Some((condition, negated)) = test(statement) else { return Guard::None };
        let told = if negated { self.tell(condition).not() } else { self.tell(condition) };
        let Some(consequence) = field(statement, &["consequence", "body"]).filter(|_| told.mentions) else {
            return told.guard(false).min(Guard::Perhaps);
        };
        let last = last_statement(consequence);
        let is_if = !["while", "until", "for"].iter().any(|word| statement.kind().starts_with(word));
        let mends =
            || parts(consequence).into_iter().chain([last]).any(|part| (self.subject.statement)(part) == Effect::Safe);
        if told.otherwise && is_if && (LEAVES.is_match(text(last, self.source)) || mends()) {
            return Guard::Sure;
        }
        Guard::Perhaps
    }

    fn asserts(&self, statement: Raw<'_>) -> Guard {
        if statement.kind() == "assert_statement" {
            return parts(statement).first().map_or(Guard::None, |condition| self.tell(*condition).guard(true));
        }
        match call(statement, self.source) {
            Some(call) if ASSERTS.is_match(&call.path) => {
                call.arguments.first().map_or(Guard::None, |condition| self.tell(*condition).guard(true))
            }
            _ => Guard::None,
        }
    }
}

/// The condition of a test, and whether it is a negated one.
fn test(node: Raw<'_>) -> Option<(Raw<'_>, bool)> {
    if !TESTS.contains(&node.kind()) {
        return None;
    }
    let second = || parts(node).get(1).copied().filter(|_| node.kind() == "conditional_expression");
    let condition = field(node, &["condition"]).or_else(second)?;
    Some((condition, NEGATED.contains(&node.kind())))
}

/// The name of the field in which a child stands.
fn field_of<'t>(outer: Raw<'t>, inner: Raw<'t>) -> Option<&'t str> {
    let mut cursor = outer.walk();
    let mut more = cursor.goto_first_child();
    while more {
        if cursor.node() == inner {
            return cursor.field_name();
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// The last statement of a block, or the statement itself.
fn last_statement(node: Raw<'_>) -> Raw<'_> {
    let mut node = node;
    while matches!(
        node.kind(),
        "block"
            | "statement_block"
            | "compound_statement"
            | "statement_list"
            | "then"
            | "body_statement"
            | "expression_statement"
            | "else_clause"
    ) {
        match parts(node).pop() {
            Some(last) => node = last,
            None => break,
        }
    }
    node
}
