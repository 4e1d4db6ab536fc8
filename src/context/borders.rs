//! Where a file may be cut: before a line with which a declaration or a statement begins, the outermost first.

use std::collections::BTreeMap;

use crate::diff::{Lines, Text};
use crate::finding::Line;
use crate::syntax::{Node, Parsed};

/// What begins with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Start {
    /// 255 less the nesting: outer ones are greater.
    pub(super) shallow: u8,
    /// A function or type, not a mere statement.
    pub(super) declaration: bool,
}

/// Kinds of nodes whose children are statements or declarations, over all grammars.
const CONTAINERS: [&str; 36] = [
    "program",
    "module",
    "source_file",
    "translation_unit",
    "compilation_unit",
    "stream",
    "document",
    "block",
    "statement_block",
    "statement_list",
    "compound_statement",
    "constructor_body",
    "class_body",
    "interface_body",
    "enum_body",
    "enum_body_declarations",
    "annotation_type_body",
    "declaration_list",
    "field_declaration_list",
    "enumerator_list",
    "enum_member_declaration_list",
    "enum_variant_list",
    "match_block",
    "switch_body",
    "switch_block",
    "switch_case",
    "case_statement",
    "expression_case",
    "default_case",
    "body_statement",
    "do_block",
    "then",
    "else",
    "block_mapping",
    "block_sequence",
    "preproc_ifdef",
];

/// What begins with each line of these ranges.
pub(super) fn of_tree(parsed: &Parsed, ranges: &[Lines]) -> BTreeMap<u32, Start> {
    let mut starts = BTreeMap::new();
    let mut open: Vec<(Node<'_>, u8)> = vec![(parsed.root(), 0)];
    while let Some((node, depth)) = open.pop() {
        let holds = CONTAINERS.contains(&&*node.kind());
        let mut comment_end = None;
        for child in node.children() {
            let bytes = child.range();
            let (first, last) = parsed.lines_of(bytes.clone());
            if !ranges.iter().any(|range| range.first <= last.get() && first.get() < range.end()) {
                continue;
            }
            if holds && child.is_named() {
                let before = parsed.source().get(parsed.line_range(first).start..bytes.start).unwrap_or("");
                let is_comment = child.kind().contains("comment");
                // A comment begins what stands below it.
                let glued = comment_end.is_some_and(|end: u32| end + 1 == first.get() || end == first.get());
                if before.trim().is_empty() && !glued {
                    let start = Start { shallow: u8::MAX - depth, declaration: false };
                    starts.entry(first.get()).or_insert(start);
                }
                comment_end = is_comment.then(|| last.get());
            }
            if first != last {
                open.push((child, depth.saturating_add(u8::from(holds)).min(u8::MAX - 1)));
            }
        }
    }
    declarations(parsed, ranges, &mut starts);
    starts
}

/// Marks what begins a function or type, its comment included.
fn declarations(parsed: &Parsed, ranges: &[Lines], starts: &mut BTreeMap<u32, Start>) {
    for symbol in parsed.symbols() {
        let first = symbol.first_line.get();
        if !ranges.iter().any(|range| range.contains(symbol.first_line)) {
            continue;
        }
        let own = starts.range_mut(..=first).next_back();
        let is_its_comment = |start: u32| {
            let line = |number: u32| Line::new(number).map(|line| parsed.line_range(line));
            let between = line(start).zip(line(first)).and_then(|(from, to)| parsed.source().get(from.start..to.start));
            between.is_some_and(|text| text.lines().all(|line| !line.trim().is_empty()))
                && parsed
                    .outside_comments(line(start).map_or(0..0, |l| l.start..line(first).map_or(0, |l| l.start)))
                    .all(|part| parsed.source().get(part).is_none_or(|code| code.trim().is_empty()))
        };
        if let Some((line, start)) = own
            && (*line == first || is_its_comment(*line))
        {
            start.declaration = true;
        }
    }
}

/// Without a parser: a line that follows a blank one, the less indented first.
pub(super) fn of_text(text: &Text, ranges: &[Lines]) -> BTreeMap<u32, Start> {
    let mut starts = BTreeMap::new();
    for range in ranges {
        for number in range.first..range.end() {
            let line = |number: u32| Line::new(number).and_then(|line| text.line(line));
            let Some(bytes) = line(number) else { continue };
            let indent = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count().min(250) as u8;
            let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
            let after_blank = line(number.saturating_sub(1)).is_none_or(is_blank);
            if !is_blank(bytes) {
                starts.insert(number, Start { shallow: u8::MAX - indent, declaration: after_blank });
            }
        }
    }
    starts
}
