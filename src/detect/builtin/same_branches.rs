//! Both ways of a decision do the same.

use super::walk::{bare, parts, same_tokens};
use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Node, Parsed, Region};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "same_branches",
    help: "an `if` and its `else`, or both values of a conditional, are equal",
    captures: &[],
    reads_comments: false,
    run: Run::Node(run),
};

/// Shortest body, in bytes, that is reported: below it stand placeholders such as `pass` and `return`.
const SHORTEST: usize = 7;

fn run<'p>(view: &FileView<'_>, parsed: &'p Parsed, node: &Node<'p>, hits: &mut Vec<Hit>) {
    let Some((then, other)) = branches(node) else { return };
    // A comment before either says why there are two.
    let (from, to) = (then.range().end, other.range().start);
    let after = parsed.regions().partition_point(|(range, _)| range.start < from);
    let mut between = parsed.regions()[after..].iter().take_while(|(range, _)| range.end <= to);
    let between = between.any(|(_, region)| *region == Region::Comment);
    if !between && same(parsed, &then, &other) {
        // The branch that was added is the one the author can still change.
        let (first, _) = parsed.lines_of(then.range());
        let whole = if view.is_added(first) { node.range() } else { other.range() };
        hits.push(Hit::in_source(parsed, whole));
    }
}

fn branches<'p>(node: &Node<'p>) -> Option<(Node<'p>, Node<'p>)> {
    match &*node.kind() {
        "if_statement" | "if_expression" | "if" | "else_if_clause" | "elif_clause" => {
            let then = node.field("consequence").or_else(|| node.field("body"))?;
            let others: Vec<_> = node.children().filter(|child| is_alternative(child)).collect();
            let other = match others.as_slice() {
                [] => node.field("alternative")?,
                // A chain: the decision before the last one still matters.
                [one] => one.clone(),
                _ => return None,
            };
            let other = body(&other)?;
            let chained = other.kind().starts_with("if") || other.kind() == "elsif";
            (!chained).then_some((then, other))
        }
        "ternary_expression" | "conditional_expression" | "conditional" => {
            let (then, other) =
                match (node.field("consequence").or_else(|| node.field("body")), node.field("alternative")) {
                    (Some(then), Some(other)) => (then, other),
                    _ => {
                        // Python writes the value first.
                        let [then, _, other] = <[Node<'p>; 3]>::try_from(parts(node)).ok()?;
                        (then, other)
                    }
                };
            Some((bare(&then), bare(&other)))
        }
        _ => None,
    }
}

fn is_alternative(node: &Node<'_>) -> bool {
    node.is_named() && matches!(&*node.kind(), "else_clause" | "elif_clause" | "else_if_clause" | "elsif" | "else")
}

/// What an `else` holds.
fn body<'p>(node: &Node<'p>) -> Option<Node<'p>> {
    match &*node.kind() {
        "else_clause" => node.field("body").or_else(|| parts(node).pop()),
        "elif_clause" | "else_if_clause" | "elsif" => None,
        _ => Some(node.clone()),
    }
}

/// Equal with their comments: two that differ say why there are two branches.
fn same(parsed: &Parsed, then: &Node<'_>, other: &Node<'_>) -> bool {
    let (then, other) = (content(then), content(other));
    let source = |nodes: &[Node<'_>]| match (nodes.first(), nodes.last()) {
        (Some(first), Some(last)) => parsed.source().get(first.range().start..last.range().end).unwrap_or_default(),
        _ => "",
    };
    let inner = source(&then);
    then.len() == other.len()
        && inner.len() >= SHORTEST
        && !is_placeholder(inner)
        // A preprocessor may make them differ.
        && !inner.contains("#if")
        && then.iter().zip(&other).all(|(then, other)| same_tokens(parsed, then, other))
}

/// What is between the braces, or the node itself.
fn content<'p>(node: &Node<'p>) -> Vec<Node<'p>> {
    let is_block = matches!(
        &*node.kind(),
        "block" | "statement_block" | "compound_statement" | "then" | "else" | "else_clause" | "body_statement"
    );
    if is_block { node.children().filter(Node::is_named).collect() } else { vec![node.clone()] }
}

/// Bodies that stand for something to come or that leave the function the same way on purpose.
fn is_placeholder(body: &str) -> bool {
    let word = body.trim_end_matches(';').trim();
    matches!(
        word,
        "continue" | "return null" | "return None" | "return true" | "return false" | "return nil" | "undefined"
    ) || word.contains("todo!")
        || word.contains("unimplemented!")
        || word.contains("TODO")
        || word.contains("NotImplemented")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::FileChange;
    use crate::syntax::{Language, Limits};

    /// So many that a look at all strings for each decision would not end.
    #[test]
    fn many_decisions_among_many_strings() {
        const LINES: usize = 40_000;
        let text = "x = 'the same' if y else 'the same'\n".repeat(LINES);
        let change = FileChange::new_file("a.py".into(), text.into());
        let view = FileView::of(&change).expect("a text");
        let parsed = Parsed::parse(Language::Python, view.text.bytes(), &Limits::default()).expect("it parses");
        let mut hits = Vec::new();
        parsed.visit(&|_| true, |node| run(&view, &parsed, node, &mut hits));
        assert_eq!(hits.len(), LINES);
    }
}
