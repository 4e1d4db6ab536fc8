//! The way built-ins look at a tree.

use crate::syntax::{Node, Parsed, Region};

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

/// Whether two subtrees read the same; white space counts only inside strings and comments.
pub(super) fn same_tokens(parsed: &Parsed, a: &Node<'_>, b: &Node<'_>) -> bool {
    folded(parsed, a) == folded(parsed, b)
}

/// The source of a node, white space between tokens as one blank.
fn folded(parsed: &Parsed, node: &Node<'_>) -> String {
    let range = node.range();
    let mut out = String::with_capacity(range.len());
    for (at, character) in text(parsed, node).char_indices() {
        let blank = character.is_whitespace() && parsed.region(range.start + at) == Region::Code;
        if !blank {
            out.push(character);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}
