//! Whose lines stand where a later fix changes something: the lines that a fix changes need not be the wrong ones.

use std::collections::BTreeSet;
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
    let together: BTreeSet<(Line, Line)> = changed
        .into_iter()
        .filter_map(Line::new)
        .filter(|line| code::has_code(&parsed, *line))
        .flat_map(|line| together(&parsed, line))
        .collect();
    let of = |(first, last): (Line, Line)| owners.get(first.index()..=last.index()).unwrap_or_default();
    together.into_iter().flat_map(of).flatten().copied().collect()
}

/// First and last of the lines that a fix of this line is one of, in stretches.
fn together(parsed: &Parsed, line: Line) -> Vec<(Line, Line)> {
    if let Some(function) = parsed.enclosing_function(line) {
        let is_short = |symbol: &&Symbol| symbol.kind.is_function() && symbol.line_count() <= MOST_LINES;
        let outer = |symbol: &&Symbol| symbol.parent.and_then(|parent| parsed.symbols().get(parent)).filter(is_short);
        let outermost = successors(Some(function), outer).last().unwrap_or(function);
        return vec![(outermost.first_line, outermost.end_line)];
    }
    match parsed.enclosing(line).filter(|symbol| symbol.kind != SymbolKind::Module) {
        Some(symbol) => {
            let is_own = |line: &Line| parsed.enclosing(*line).is_some_and(|other| std::ptr::eq(other, symbol));
            let lines = (symbol.first_line.get()..=symbol.end_line.get()).filter_map(Line::new);
            lines.filter(is_own).map(|line| (line, line)).collect()
        }
        None => statement(parsed, line).into_iter().collect(),
    }
}

/// First and last line of the largest node around the line that holds no symbol, unless it only brings names in.
fn statement(parsed: &Parsed, line: Line) -> Option<(Line, Line)> {
    let range = parsed.line_range(line);
    let text = parsed.source().get(range.clone())?;
    let at = range.start + (text.len() - text.trim_start().len());
    let holds_symbol =
        |node: &Node<'_>| parsed.symbols().iter().any(|symbol| node.range().contains(&symbol.bytes.start));
    let node = successors(inner(&parsed.root(), at), |node| inner(node, at)).find(|node| !holds_symbol(node))?;
    let is_import = IMPORTS.iter().any(|part| node.kind().contains(part));
    (!is_import).then(|| (parsed.line_of(node.range().start), parsed.line_of(node.range().end.saturating_sub(1))))
}

fn inner<'p>(node: &Node<'p>, at: usize) -> Option<Node<'p>> {
    node.children().find(|child| child.range().contains(&at))
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
        together(&parsed, line).into_iter().flat_map(|(first, last)| first.get()..=last.get()).collect()
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
    fn a_module_in_a_function_is_no_function() {
        let source = |rows: usize| {
            let rows: String = (0..rows).map(|row| format!("  a{row}()\n")).collect();
            format!("function m() {{\n{rows}  function f() {{\n    HERE()\n  }}\n}}\n")
        };
        assert_eq!(lines(JavaScript, &source(195), "HERE").len(), 200);
        assert_eq!(lines(JavaScript, &source(196), "HERE").len(), 3);
    }
}
