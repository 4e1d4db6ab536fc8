//! A place in a tree at which an operator may work, and what it does there.

use std::ops::Range;

use crate::finding::Line;
use crate::syntax::{Language, Node, Parsed};

/// A node with the nodes around it.
pub(super) struct Site<'a, 'p> {
    pub(super) parsed: &'p Parsed,
    pub(super) node: &'a Node<'p>,
    /// The nodes around it, the outermost first; the last is the parent.
    pub(super) above: &'a [Node<'p>],
}

/// One stretch of a source and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// Bytes of the source.
    pub(super) range: Range<usize>,
    /// What replaces them.
    pub(super) with: String,
    /// The right code, as a reader quotes it; empty where the fault is that something was added.
    pub(super) was: String,
    /// The wrong code; empty where the fault is that something is missing.
    pub(super) now: String,
}

/// Nodes that hold statements one after the other.
const BLOCKS: [&str; 19] = [
    "block",
    "statement_block",
    "compound_statement",
    "constructor_body",
    "body_statement",
    "then",
    "do",
    "else",
    "do_block",
    "statement_list",
    "switch_case",
    "switch_default",
    "case_statement",
    "switch_block_statement_group",
    "expression_case",
    "default_case",
    "type_case",
    "default_statement",
    "block_body",
];

/// Declarations that have parameters and a body.
const FUNCTIONS: [&str; 19] = [
    "function_definition",
    "function_declaration",
    "function_expression",
    "generator_function_declaration",
    "arrow_function",
    "method_definition",
    "method_declaration",
    "constructor_declaration",
    "local_function_statement",
    "function_item",
    "closure_expression",
    "lambda",
    "lambda_expression",
    "func_literal",
    "method",
    "singleton_method",
    "anonymous_function",
    "anonymous_function_creation_expression",
    "anonymous_method_expression",
];

const PARAMETERS: [&str; 5] =
    ["parameters", "formal_parameters", "parameter_list", "method_parameters", "lambda_parameters"];

const IDENTIFIERS: [&str; 2] = ["identifier", "variable_name"];

/// Expressions that a `!` or an operator binds to as they are.
const PRIMARY: [&str; 22] = [
    "identifier",
    "variable_name",
    "call",
    "call_expression",
    "method_invocation",
    "invocation_expression",
    "function_call_expression",
    "member_call_expression",
    "scoped_call_expression",
    "member_expression",
    "member_access_expression",
    "field_expression",
    "field_access",
    "selector_expression",
    "attribute",
    "subscript",
    "subscript_expression",
    "index_expression",
    "array_access",
    "instance_variable",
    "scoped_identifier",
    "macro_invocation",
];

pub(super) fn is(node: &Node<'_>, kinds: &[&str]) -> bool {
    kinds.contains(&&*node.kind())
}

/// The named children that are no comments.
pub(super) fn parts<'p>(node: &Node<'p>) -> Vec<Node<'p>> {
    node.children().filter(|child| child.is_named() && !child.kind().contains("comment")).collect()
}

/// The expression inside any number of parentheses.
pub(super) fn bare<'p>(node: &Node<'p>) -> Node<'p> {
    let mut node = node.clone();
    while is(&node, &["parenthesized_expression", "parenthesized_statements", "condition_clause"]) {
        match parts(&node).pop() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

pub(super) fn is_primary(node: &Node<'_>) -> bool {
    is(node, &PRIMARY)
}

pub(super) fn is_identifier(node: &Node<'_>) -> bool {
    is(node, &IDENTIFIERS)
}

/// The digits of a decimal integer literal.
pub(super) fn integer(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}

impl<'a, 'p> Site<'a, 'p> {
    pub(super) fn language(&self) -> Language {
        self.parsed.language()
    }

    pub(super) fn is(&self, kinds: &[&str]) -> bool {
        is(self.node, kinds)
    }

    /// The source of a node.
    pub(super) fn text(&self, node: &Node<'_>) -> &'p str {
        self.parsed.source().get(node.range()).unwrap_or_default()
    }

    /// The source of the node.
    pub(super) fn own(&self) -> &'p str {
        self.text(self.node)
    }

    pub(super) fn parent(&self) -> Option<&'a Node<'p>> {
        self.above.last()
    }

    pub(super) fn is_in(&self, kinds: &[&str]) -> bool {
        self.above.iter().any(|node| is(node, kinds))
    }

    pub(super) fn is_child_of(&self, kinds: &[&str]) -> bool {
        self.parent().is_some_and(|parent| is(parent, kinds))
    }

    /// Another text for a piece of the node; the whole node is quoted.
    pub(super) fn inside(&self, piece: Range<usize>, with: impl Into<String>) -> Option<Edit> {
        self.within(self.node, piece, with)
    }

    /// Another text for a piece of a node that is quoted whole.
    pub(super) fn within(&self, quoted: &Node<'_>, piece: Range<usize>, with: impl Into<String>) -> Option<Edit> {
        let (with, around, source) = (with.into(), quoted.range(), self.parsed.source());
        let before = source.get(around.start..piece.start)?;
        let after = source.get(piece.end..around.end)?;
        let now = [before, &with, after].concat();
        Some(Edit { range: piece, was: self.text(quoted).to_owned(), now, with })
    }

    /// Another text for the node.
    pub(super) fn replace(&self, with: impl Into<String>) -> Option<Edit> {
        self.inside(self.node.range(), with)
    }

    /// The only token of the node, no named node, that stands in the left column of a table, and the right one for it.
    pub(super) fn token(&self, table: &[(&str, &'static str)]) -> Option<(Node<'p>, &'static str)> {
        let mut found = None;
        for child in self.node.children().filter(|child| !child.is_named()) {
            let text = self.text(&child).split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some((_, other)) = table.iter().find(|(from, _)| *from == text) {
                if found.is_some() {
                    return None;
                }
                found = Some((child, *other));
            }
        }
        found
    }

    /// Exchanges the one token of the node that a table names.
    pub(super) fn exchange(&self, table: &[(&str, &'static str)]) -> Option<Edit> {
        let (token, other) = self.token(table)?;
        self.inside(token.range(), other)
    }

    /// Whether a stretch of the source begins and ends its lines; then those lines with the last one's ending.
    pub(super) fn whole_lines(&self, range: Range<usize>) -> Option<Range<usize>> {
        let source = self.parsed.source();
        let end = range.start + source.get(range.clone())?.trim_end().len();
        let (first, last) = self.parsed.lines_of(range.start..end);
        let (start, stop) = (self.parsed.line_range(first).start, self.parsed.line_range(last).end);
        let around = [source.get(start..range.start)?, source.get(end..stop)?.trim_end_matches(';')];
        around.iter().all(|text| text.trim().is_empty()).then_some(start..stop)
    }

    /// Whether the node is a statement that others may stand beside.
    pub(super) fn is_statement(&self) -> bool {
        self.is_child_of(&BLOCKS) && !self.node.kind().contains("comment")
    }

    /// Whether its block holds no other statement, so that a language of indentation cannot spare it.
    pub(super) fn is_only_statement(&self) -> bool {
        self.parent().is_some_and(|parent| parts(parent).len() < 2)
    }

    /// Takes the node away, a statement, with its lines.
    pub(super) fn delete_statement(&self) -> Option<Edit> {
        if !self.is_statement() || (self.language() == Language::Python && self.is_only_statement()) {
            return None;
        }
        let range = self.whole_lines(self.node.range())?;
        Some(Edit { range, with: String::new(), was: self.own().to_owned(), now: String::new() })
    }

    /// Puts a statement on a line of its own before the node, which must be a statement that begins its line.
    pub(super) fn insert_before(&self, statement: &str) -> Option<Edit> {
        let range = self.is_statement().then(|| self.whole_lines(self.node.range()))??;
        let source = self.parsed.source();
        let indent = source.get(range.start..self.node.range().start)?;
        let ending = if source.get(range.clone())?.ends_with("\r\n") { "\r\n" } else { "\n" };
        let with = format!("{indent}{statement}{ending}");
        Some(Edit { range: range.start..range.start, with, was: String::new(), now: statement.to_owned() })
    }

    /// The innermost function around the node.
    pub(super) fn function(&self) -> Option<&'a Node<'p>> {
        self.above.iter().rev().find(|node| is(node, &FUNCTIONS))
    }

    /// Names and types of the parameters of the function around the node. The type is what else stands there; nothing
    /// where it is not written.
    pub(super) fn parameters(&self) -> Vec<(&'p str, String)> {
        let list = self.function().and_then(|function| {
            function.field("parameters").or_else(|| {
                let mut open: Vec<Node<'p>> = parts(function);
                let mut depth = 0;
                while depth < 4 {
                    if let Some(found) = open.iter().find(|node| is(node, &PARAMETERS)) {
                        return Some(found.clone());
                    }
                    open = open.iter().filter(|node| node.kind().contains("declarator")).flat_map(parts).collect();
                    depth += 1;
                }
                None
            })
        });
        let mut found = Vec::new();
        for parameter in list.as_ref().map(parts).unwrap_or_default() {
            self.read_parameter(&parameter, &mut found);
        }
        found
    }

    fn read_parameter(&self, parameter: &Node<'p>, found: &mut Vec<(&'p str, String)>) {
        let whole = self.text(parameter);
        // Go: `a, b string`.
        let names: Vec<Node<'p>> = match self.language() {
            Language::Go => parameter.field_children("name").filter(|child| child.kind() == "identifier").collect(),
            _ => self.name_of(parameter).into_iter().collect(),
        };
        for name in names {
            let written = match self.language() {
                Language::Go => parameter.field("type").map(|kind| self.text(&kind).to_owned()).unwrap_or_default(),
                _ => {
                    let (start, range) = (parameter.range().start, name.range());
                    [&whole[..range.start - start], &whole[range.end - start..]].concat()
                }
            };
            let name = self.text(&name);
            if !matches!(name, "self" | "this" | "cls" | "_" | "$this") {
                found.push((name, written.split_whitespace().collect()));
            }
        }
    }

    fn name_of(&self, parameter: &Node<'p>) -> Option<Node<'p>> {
        if is_identifier(parameter) {
            return Some(parameter.clone());
        }
        let fields = ["name", "pattern", "declarator"].into_iter().find_map(|field| parameter.field(field));
        let mut node = fields.or_else(|| parts(parameter).into_iter().next())?;
        // C: the name is inside of pointers and arrays.
        while !is_identifier(&node) {
            node = node.field("declarator")?;
        }
        Some(node)
    }

    /// A parameter in scope, to write a statement with.
    pub(super) fn some_parameter(&self) -> Option<&'p str> {
        self.parameters().into_iter().map(|(name, _)| name).next()
    }

    /// The condition of an `if` or loop, without parentheses.
    pub(super) fn condition(&self) -> Option<Node<'p>> {
        self.node.field("condition").map(|condition| bare(&condition))
    }

    /// The name that a call calls, without what it is called on.
    pub(super) fn callee(&self) -> Option<Node<'p>> {
        const CALLS: [&str; 8] = [
            "call",
            "call_expression",
            "method_invocation",
            "invocation_expression",
            "function_call_expression",
            "member_call_expression",
            "scoped_call_expression",
            "nullsafe_member_call_expression",
        ];
        if !self.is(&CALLS) {
            return None;
        }
        let mut name = ["function", "method", "name"].into_iter().find_map(|field| self.node.field(field))?;
        while let Some(inner) =
            ["attribute", "property", "field", "name"].into_iter().find_map(|field| name.field(field))
        {
            name = inner;
        }
        Some(name)
    }

    /// The arguments of a call, each without its wrapper.
    pub(super) fn arguments(&self) -> Vec<Node<'p>> {
        let list = self
            .node
            .field("arguments")
            .or_else(|| self.node.children().find(|child| is(child, &["argument_list", "arguments"])));
        let unwrapped =
            |node: Node<'p>| if node.kind() == "argument" { parts(&node).pop().unwrap_or(node) } else { node };
        list.map(|list| parts(&list).into_iter().map(unwrapped).collect()).unwrap_or_default()
    }

    pub(super) fn line(&self) -> Line {
        self.parsed.line_of(self.node.range().start)
    }
}
