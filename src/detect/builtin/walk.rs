//! The way built-ins look at a tree: from the root down, only where lines were added.

use crate::detect::FileView;
use crate::finding::Line;
use crate::syntax::{Node, Parsed};

/// Calls for every node with an added line in it, outer before inner, in document order.
pub(super) fn added<'p>(view: &FileView<'_>, parsed: &'p Parsed, mut each: impl FnMut(&Node<'p>)) {
    let lines: Vec<Line> = view.change.added().collect();
    let mut open = vec![parsed.root()];
    while let Some(node) = open.pop() {
        let (first, last) = parsed.lines_of(node.range());
        if lines.get(lines.partition_point(|line| *line < first)).is_none_or(|line| *line > last) {
            continue;
        }
        each(&node);
        let from = open.len();
        open.extend(node.children());
        open[from..].reverse();
    }
}

/// Every node of a subtree, outer before inner, but none inside a node for which `enter` is false.
pub(super) fn within<'p>(node: &Node<'p>, mut enter: impl FnMut(&Node<'p>) -> bool) {
    let mut open = vec![node.clone()];
    while let Some(node) = open.pop() {
        if enter(&node) {
            let from = open.len();
            open.extend(node.children());
            open[from..].reverse();
        }
    }
}

/// The source of a node.
pub(super) fn text<'p>(parsed: &'p Parsed, node: &Node<'_>) -> &'p str {
    parsed.source().get(node.range()).unwrap_or_default()
}

/// Children that are neither punctuation nor comments.
pub(super) fn parts<'p>(node: &Node<'p>) -> Vec<Node<'p>> {
    node.children().filter(|child| child.is_named() && !child.kind().contains("comment")).collect()
}

/// The expression inside any number of parentheses.
pub(super) fn bare<'p>(node: &Node<'p>) -> Node<'p> {
    let mut node = node.clone();
    while node.kind() == "parenthesized_expression" || node.kind() == "parenthesized_statements" {
        match parts(&node).into_iter().next() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// Whether two subtrees are the same tokens; white space counts inside a string only.
pub(super) fn same_tokens(parsed: &Parsed, a: &Node<'_>, b: &Node<'_>) -> bool {
    let tokens = |node: &Node<'_>| {
        let mut tokens = Vec::new();
        within(node, |node| {
            let leaf = node.children().next().is_none();
            if leaf {
                tokens.push(node.range());
            }
            // What stands between the parts of a string belongs to it.
            let whole = node.kind().contains("string") || node.kind().contains("heredoc");
            if whole && !leaf {
                tokens.push(node.range());
            }
            !whole
        });
        tokens
    };
    let text = |range: &std::ops::Range<usize>| parsed.source().get(range.clone()).unwrap_or_default();
    let (a, b) = (tokens(a), tokens(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| text(a) == text(b))
}
