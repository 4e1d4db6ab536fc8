//! Whose lines stand where a later fix changes something: the lines that a fix changes need not be the wrong ones.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashSet};
use std::iter::successors;

use super::clean::Owner;
use super::{code, origin};
use crate::diff::{Hunk, Text};
use crate::finding::Line;
use crate::syntax::{Language, Limits, Node, Parsed, Symbol, SymbolKind};

/// A function around another one is looked at up to this length in lines; a longer one is a module by another name.
const MOST_LINES: u32 = 200;
/// Parts of the names of nodes that only bring names in: a fix that needs one more mends none of the others.
const IMPORTS: [&str; 4] = ["import", "include", "use_declaration", "using_directive"];

/// The owners of lines of the old side that stand together with a line of code which the hunks remove: in the function that
/// holds it and those around that; outside of functions in the body of its type, else in the declaration or statement. A
/// file that cannot be parsed names nobody.
pub(super) fn owners(
    language: Language,
    (old, new): (&Text, &Text),
    owners: &[Owner],
    hunks: &[Hunk],
) -> BTreeSet<usize> {
    // Most files hold no line that is followed, and parsing is what costs time here.
    if owners.iter().all(Option::is_none) {
        return BTreeSet::new();
    }
    let changed: Vec<u32> = hunks.iter().flat_map(|hunk| origin::telling(hunk, old, new)).collect();
    if changed.is_empty() {
        return BTreeSet::new();
    }
    let Ok(parsed) = Parsed::parse(language, old.bytes(), &Limits::default()) else { return BTreeSet::new() };
    let changed = changed.into_iter().filter_map(Line::new).filter(|line| code::has_code(&parsed, *line));
    let of = |(first, last): (Line, Line)| owners.get(first.index()..=last.index()).unwrap_or_default();
    together(&parsed, changed).into_iter().flat_map(of).flatten().copied().collect()
}

/// First and last of the lines that a fix of these lines mends, in stretches. A fix may change every line of a large file, so
/// types and statements are looked up in one pass for all lines.
fn together(parsed: &Parsed, changed: impl Iterator<Item = Line>) -> BTreeSet<(Line, Line)> {
    let mut found = BTreeSet::new();
    let mut types: HashSet<*const Symbol> = HashSet::new();
    let statements = LazyCell::new(|| statements(parsed));
    for line in changed {
        if let Some(function) = parsed.enclosing_function(line) {
            let is_short = |symbol: &&Symbol| symbol.kind.is_function() && symbol.line_count() <= MOST_LINES;
            let outer =
                |symbol: &&Symbol| symbol.parent.and_then(|parent| parsed.symbols().get(parent)).filter(is_short);
            let outermost = successors(Some(function), outer).last().unwrap_or(function);
            found.insert((outermost.first_line, outermost.end_line));
            continue;
        }
        match parsed.enclosing(line).filter(|symbol| symbol.kind != SymbolKind::Module) {
            Some(symbol) => drop(types.insert(std::ptr::from_ref(symbol))),
            None => found.extend(statement(parsed, &statements, line)),
        }
    }
    if !types.is_empty() {
        let is_own =
            |line: &Line| parsed.enclosing(*line).is_some_and(|symbol| types.contains(&std::ptr::from_ref(symbol)));
        let lines = (1..).map_while(Line::new).take(parsed.line_count());
        found.extend(lines.filter(is_own).map(|line| (line, line)));
    }
    found
}

/// First and last line of the largest node around the line that holds no symbol, unless it only brings names in.
fn statement(parsed: &Parsed, statements: &[Node<'_>], line: Line) -> Option<(Line, Line)> {
    let range = parsed.line_range(line);
    let text = parsed.source().get(range.clone())?;
    let at = range.start + (text.len() - text.trim_start().len());
    let node = statements.get(statements.partition_point(|node| node.range().end <= at))?;
    let is_import = IMPORTS.iter().any(|part| node.kind().contains(part));
    (node.range().contains(&at) && !is_import)
        .then(|| (parsed.line_of(node.range().start), parsed.line_of(node.range().end.saturating_sub(1))))
}

/// The largest nodes below the root that hold no symbol, in order.
fn statements(parsed: &Parsed) -> Vec<Node<'_>> {
    let mut starts: Vec<usize> = parsed.symbols().iter().map(|symbol| symbol.bytes.start).collect();
    starts.sort_unstable();
    let holds_symbol = |node: &Node<'_>| {
        let next = starts.get(starts.partition_point(|start| *start < node.range().start));
        next.is_some_and(|start| *start < node.range().end)
    };
    let mut found = Vec::new();
    let mut nodes: Vec<Node<'_>> = parsed.root().children().collect();
    nodes.reverse();
    while let Some(node) = nodes.pop() {
        if holds_symbol(&node) {
            let above = nodes.len();
            nodes.extend(node.children());
            nodes[above..].reverse();
        } else {
            found.push(node);
        }
    }
    found
}

// They speak of several languages.
#[cfg(all(test, feature = "default"))]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;
    use crate::syntax::Language::{C, Cpp, Go, Java, JavaScript, Python, Rust, TypeScript};

    fn lines(language: Language, source: &str, at: &str) -> Vec<u32> {
        let parsed = Parsed::parse(language, source.as_bytes(), &Limits::default()).unwrap();
        let line = Line::new(source.lines().position(|line| line.contains(at)).unwrap() as u32 + 1).unwrap();
        together(&parsed, [line].into_iter()).into_iter().flat_map(|(first, last)| first.get()..=last.get()).collect()
    }

    #[test]
    fn what_a_fix_of_a_line_mends() {
        for (language, source, at, expected) in [
            (
                Python,
                "def f():\n    a = 1\n    def g():\n        HERE()\n    return g\n\nb = 2\n",
                "HERE",
                vec![1, 2, 3, 4, 5],
            ),
            (Python, "def f():\n    HERE()\n    def g():\n        b()\n    return g\n", "HERE", vec![1, 2, 3, 4, 5]),
            (Python, "class A:\n    x = 1\n    def f(self):\n        pass\n    HERE = 2\n", "HERE", vec![1, 2, 5]),
            (Python, "def f():\n    a()\n    class B:\n        def g(self):\n            HERE()\n", "HERE", vec![4, 5]),
            (Python, "A = {\n    1: 2,\n\n    3: HERE,\n}\nB = 1\n", "HERE", vec![1, 2, 3, 4, 5]),
            (Python, "from a import (\n    b,\n    HERE,\n)\n", "HERE", vec![]),
            (JavaScript, "const a = {\n  b: 1,\n  c: HERE,\n}\nconst d = 1\n", "HERE", vec![1, 2, 3, 4]),
            (
                JavaScript,
                "export default {\n  f() { a() },\n  b: [\n    1,\n    HERE,\n  ],\n}\n",
                "HERE",
                vec![3, 4, 5, 6],
            ),
            (JavaScript, "import {\n  a,\n  HERE,\n} from 'b'\n", "HERE", vec![]),
            (
                TypeScript,
                "export interface A {\n  b: string\n  HERE: number\n}\nconst c = 1\n",
                "HERE",
                vec![1, 2, 3, 4],
            ),
            (
                Java,
                "class A {\n  int b = 1;\n  void f() {\n    g();\n  }\n  int HERE = 2;\n}\n",
                "HERE",
                vec![1, 2, 6, 7],
            ),
            (Go, "package a\n\nimport (\n\t\"b\"\n\t\"HERE\"\n)\n", "HERE", vec![]),
            (Go, "package a\n\nvar b = []int{\n\t1,\n\tHERE,\n}\n\nvar c = 1\n", "HERE", vec![3, 4, 5, 6]),
            (
                Rust,
                "impl A {\n    const B: u8 = 1;\n    const C: u8 =\n        HERE;\n    fn f() {}\n}\n",
                "HERE",
                vec![3, 4],
            ),
            (Rust, "use a::{\n    b,\n    HERE,\n};\n", "HERE", vec![]),
            (
                C,
                "#ifndef A\n#define A\nint f(void);\nstatic int b[] = {\n  HERE,\n};\nint c = 1;\n#endif\n",
                "HERE",
                vec![4, 5, 6],
            ),
            (Cpp, "namespace a {\nint b[] = {\n  1,\n  HERE };\nint c = 1;\nvoid f() {}\n}\n", "HERE", vec![2, 3, 4]),
        ] {
            assert_eq!(lines(language, source, at), expected, "{language:?} {source}");
        }
    }

    #[test]
    fn a_fix_of_every_line_of_a_large_file_mends_all_that_stands_together() {
        let rows = |row: &dyn Fn(usize) -> String| (0..8_000).map(row).collect::<String>();
        for (source, expected) in [
            (format!("class A:\n{}", rows(&|row| format!("    a{row} = {row}\n"))), 8_001),
            (rows(&|row| format!("a{row} = {row}\ndef f{row}(): pass\n")), 16_000),
            (rows(&|row| format!("'''a\n{row}'''\nb{row} = {row}\n")), 8_000),
        ] {
            let parsed = Parsed::parse(Python, source.as_bytes(), &Limits::default()).unwrap();
            let lines = (1..).map_while(Line::new).take(parsed.line_count());
            let found = together(&parsed, lines.filter(|line| code::has_code(&parsed, *line)));
            let lines: u32 = found.into_iter().map(|(first, last)| last.get() + 1 - first.get()).sum();
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn a_module_in_a_function_is_no_function() {
        let source = |rows: usize| {
            let rows: String = (0..rows).map(|row| format!("  a{row}()\n")).collect();
            format!("function m() {{\n{rows}  function f() {{\n    HERE()\n  }}\n}}\n")
        };
        assert_eq!(lines(JavaScript, &source(195), "HERE").len(), 200);
        assert_eq!(lines(JavaScript, &source(196), "HERE").len(), 3);
    }
}
