//! Facts, each with what it must not be fooled by.

use std::collections::BTreeMap;

use super::{line, parse};
use crate::finding::Line;
use crate::syntax::Language::{self, C, Go, Java, JavaScript, Python, Rust, Yaml};
use crate::syntax::facts::FactValue::{Bool, Crossing, Number, Text, Unknown};
use crate::syntax::facts::{FACTS, Fact, FactInput, FactKind, FactValue};

/// A change of one file: `None` for the old side of a new file.
pub(super) struct Case<'a> {
    pub(super) language: Language,
    pub(super) old: Option<&'a str>,
    pub(super) new: &'a str,
    pub(super) lines: (u32, u32),
    pub(super) added: fn(u32) -> bool,
}

impl Case<'_> {
    pub(super) fn value(&self, name: &str) -> FactValue {
        let new = parse(self.language, self.new);
        let old = self.old.map(|old| parse(self.language, old));
        let is_added = |line: Line| (self.added)(line.get());
        let input = FactInput {
            new: Some(&new),
            old: old.as_ref(),
            lines: (line(self.lines.0), line(self.lines.1)),
            bytes: None,
            quote: "",
            variables: &BTreeMap::new(),
            is_added: &is_added,
        };
        Fact::named(name).expect("the fact exists").value(&input)
    }
}

/// A fact on one line of a new file.
fn at(language: Language, new: &str, number: u32, name: &str) -> FactValue {
    Case { language, old: None, new, lines: (number, number), added: |_| true }.value(name)
}

/// A fact on the lines that end in `¶` of a new file.
pub(super) fn marked(language: Language, source: &str, name: &str) -> FactValue {
    let is_marked = |line: &str| line.trim_end().ends_with('¶');
    let first = source.lines().position(is_marked).expect("a line is marked") as u32 + 1;
    let more = source.lines().skip(first as usize).take_while(|line| is_marked(line)).count() as u32;
    let new = source.replace('¶', "");
    Case { language, old: None, new: &new, lines: (first, first + more), added: |_| true }.value(name)
}

/// Each source with the value of a fact on its marked lines; all that differ are told at once.
pub(super) fn all(name: &str, value: &FactValue, cases: &[(Language, &str)]) {
    let differ = |(language, source): &(Language, &str)| {
        let found = marked(*language, source, name);
        (found != *value).then(|| format!("{found:?} in {}:\n{source}", language.name()))
    };
    let wrong: Vec<String> = cases.iter().filter_map(differ).collect();
    assert!(wrong.is_empty(), "{name} is not {value:?} but\n{}", wrong.join("\n"));
}

#[test]
fn names_are_sorted_and_kinds_are_kept() {
    assert!(FACTS.is_sorted_by(|a, b| a.name < b.name));
    let source = "def f(d, n):\n    '''d'''\n    q = open('abc').read(d['k'] / n)\n";
    for fact in FACTS {
        assert!(fact.help.ends_with('.'), "{}", fact.name);
        let value = at(Python, source, 3, fact.name);
        let fits = matches!(
            (fact.kind, &value),
            (FactKind::Bool, Bool(_))
                | (FactKind::Number, Number(_))
                | (FactKind::Text, Text(_))
                | (FactKind::Crossing, Crossing { .. })
        );
        assert!(fits, "{}: {value:?}", fact.name);
    }
}

#[test]
fn unknown_without_a_tree() {
    for fact in FACTS {
        let input = FactInput {
            new: None,
            old: None,
            lines: (line(1), line(1)),
            bytes: None,
            quote: "no literal",
            variables: &BTreeMap::new(),
            is_added: &|_| true,
        };
        assert_eq!(fact.value(&input), Unknown, "{}", fact.name);
    }
}

#[test]
fn unknown_in_broken_code_and_known_beside_it() {
    let source = "def a():\n    return (1 +\n\ndef b():\n    return 1\n\n\n\ndef c():\n    return 1\n";
    for name in
        ["function_lines", "in_function", "is_public", "has_docstring", "is_new_symbol", "has_explaining_comment"]
    {
        assert_eq!(at(Python, source, 2, name), Unknown, "{name}");
    }
    assert_eq!(at(Python, source, 10, "function_lines"), Number(2.0));
    let missing = "int f(void) {\n  int a;\n  return a\n}\n";
    assert_eq!(at(C, missing, 2, "function_lines"), Unknown, "the error is on another line of the function");
}

#[test]
fn no_outline_no_fact() {
    assert_eq!(at(Yaml, "a: b\n", 1, "function_lines"), Unknown);
    assert_eq!(at(Yaml, "a: b\n", 1, "in_function"), Unknown);
    assert_eq!(at(Yaml, "a: b # because\n", 1, "has_explaining_comment"), Bool(true));
}

#[test]
fn function_lines() {
    let source = "@decorated\n@twice\ndef f():\n    def g():\n        pass\n    return g\nx = 1\n";
    assert_eq!(at(Python, source, 5, "function_lines"), Number(2.0), "the innermost");
    assert_eq!(at(Python, source, 6, "function_lines"), Number(4.0), "decorators do not count");
    assert_eq!(at(Python, source, 1, "function_lines"), Number(4.0), "a decorator belongs to its function");
    assert_eq!(at(Python, source, 7, "function_lines"), Unknown, "outside");
    let attribute = "#[test]\n#[ignore]\nfn f() {\n}\n";
    assert_eq!(at(Rust, attribute, 3, "function_lines"), Number(2.0));
    let around =
        Case { language: Python, old: None, new: "x = 1\ndef f():\n    pass\n", lines: (1, 3), added: |_| true };
    assert_eq!(around.value("function_lines"), Number(2.0), "declared on the lines");
}

#[test]
fn crossing_needs_both_sides() {
    let body = |count: usize| format!("def f():\n{}", "    x()\n".repeat(count));
    let (short, long) = (body(3), body(9));
    let grown = Case { language: Python, old: Some(&short), new: &long, lines: (5, 5), added: |number| number > 4 };
    let value = grown.value("function_crossed");
    assert_eq!(value, Crossing { before: 4.0, after: 10.0 });
    let crosses = [3.0, 4.0, 9.0, 10.0].map(|threshold| value.crosses(threshold));
    assert_eq!(crosses, [Some(false), Some(true), Some(true), Some(false)]);
    assert_eq!(grown.value("function_lines_before"), Number(4.0));
    let new = Case { old: Some("x = 1\n"), ..grown };
    assert_eq!(new.value("function_crossed"), Crossing { before: 0.0, after: 10.0 });
    let new_file = Case { old: None, added: |_| true, ..new };
    assert_eq!(new_file.value("function_lines_before"), Number(0.0));
    let unread = Case { added: |number| number == 5, ..new_file };
    assert_eq!(unread.value("function_crossed"), Unknown, "the old side has no tree, and was not empty");
    assert_eq!(Bool(true).crosses(1.0), None);
    assert_eq!(Unknown.crosses(1.0), None);
}

#[test]
fn crossing_is_unknown_where_the_old_side_is_broken() {
    let new = "def f():\n    x()\n    x()\n";
    let broken = Case { language: Python, old: Some("def f():\n    x(\n"), new, lines: (2, 2), added: |_| true };
    assert_eq!(broken.value("function_crossed"), Unknown);
    assert_eq!(broken.value("is_new_symbol"), Unknown);
    let elsewhere = Case { old: Some("def f():\n    x()\n\n\n\ny = )\n"), ..broken };
    assert_eq!(elsewhere.value("function_crossed"), Crossing { before: 2.0, after: 3.0 });
}

#[test]
fn is_new_symbol() {
    let old = "def a():\n    pass\nclass C:\n    def m(self): pass\n";
    let new = "def a():\n    pass\n    pass\nclass C:\n    def m(self): pass\n    def n(self): pass\nx = 1\n";
    let ask = |number: u32, added: fn(u32) -> bool| {
        Case { language: Python, old: Some(old), new, lines: (number, number), added }.value("is_new_symbol")
    };
    let added = |number| matches!(number, 3 | 6 | 7);
    assert_eq!(ask(3, added), Bool(false), "a new line in an old function");
    assert_eq!(ask(5, added), Bool(false));
    assert_eq!(ask(6, added), Bool(true));
    assert_eq!(ask(7, added), Unknown, "outside of any");
    let moved = "class D:\n    def a():\n        pass\n";
    let moved = Case {
        language: Python,
        old: Some("class C:\n    def a():\n        pass\n"),
        new: moved,
        lines: (2, 2),
        added: |number| number == 1,
    };
    assert_eq!(moved.value("is_new_symbol"), Bool(false), "its own lines are old");
}

#[test]
fn is_public() {
    assert_eq!(at(Python, "def f(): pass\n", 1, "is_public"), Bool(true));
    assert_eq!(at(Python, "class _A:\n    def f(self): pass\n", 2, "is_public"), Bool(false));
    assert_eq!(at(Rust, "pub(crate) fn f() {}\n", 1, "is_public"), Bool(false));
    assert_eq!(at(JavaScript, "function f() {}\nmodule.exports = { f };\n", 1, "is_public"), Unknown);
    assert_eq!(at(Go, "package p\nfunc f() {}\n", 2, "is_public"), Bool(false));
    assert_eq!(at(Python, "x = 1\n", 1, "is_public"), Unknown);
}

#[test]
fn has_docstring() {
    let yes = [
        (Python, "def f():\n    'd'\n", 1),
        (Python, "# why\ndef f():\n    pass\n", 2),
        (Python, "def f():  # why\n    pass\n", 1),
        (Python, "def f():\n    # why\n    pass\n", 3),
        (Python, "# why\n@deco\ndef f():\n    pass\n", 3),
        (Java, "/** d */\n@A\nclass B {}\n", 3),
        (Rust, "/// d\n#[a]\nfn f() {}\n", 3),
        (C, "/* d */\nint f(void);\n", 2),
        (C, "int f(void)\n{\n  /* d */\n  return 1;\n}\n", 4),
        (JavaScript, "/** d */\nexport const f = () => 1;\n", 2),
        (Go, "package p\n\n// d\nfunc f() {}\n", 4),
    ];
    for (language, source, number) in yes {
        assert_eq!(at(language, source, number, "has_docstring"), Bool(true), "{source}");
    }
    let no = [
        (Python, "x = 1  # about x\ndef f():\n    pass\n", 2),
        (Python, "# far above\n\ndef f():\n    pass\n", 3),
        (Python, "def f():\n    pass\n    # later\n", 1),
        (Python, "def f():\n    return '''not a docstring'''\n", 1),
        (Python, "#!/usr/bin/env python\ndef f():\n    pass\n", 2),
        (C, "int a; /* about a */\nint f(void) { return 1; }\n", 2),
        (Rust, "//! crate\n\nfn f() { let s = \"// no\"; }\n", 3),
    ];
    for (language, source, number) in no {
        assert_eq!(at(language, source, number, "has_docstring"), Bool(false), "{source}");
    }
}

#[test]
fn in_function() {
    let source = "class A:\n    def __del__(self):\n        try:\n            pass\n        except Exception:\n            pass\nx = 1\n";
    assert_eq!(at(Python, source, 5, "in_function"), Text("__del__".to_owned()));
    assert_eq!(at(Python, source, 7, "in_function"), Text(String::new()));
    assert_eq!(at(Python, source, 1, "in_function"), Text(String::new()), "a class is no function");
}

#[test]
fn entropy_of_the_literal_or_the_captured_value() {
    assert_eq!(at(Python, "a = 'x'; b = \"abab\"\n", 1, "entropy"), Number(1.0));
    assert_eq!(at(Python, "a = 1  # 'abab'\n", 1, "entropy"), Unknown);
    assert_eq!(at(Python, "a = ''\n", 1, "entropy"), Unknown);
    let new = parse(Python, "a = 'abcd'\n");
    let variables = BTreeMap::from([("value".to_owned(), "\"aaaa\"".to_owned())]);
    let input = FactInput {
        new: Some(&new),
        old: None,
        lines: (line(1), line(1)),
        bytes: None,
        quote: "a = 'abcd'",
        variables: &variables,
        is_added: &|_| true,
    };
    let entropy = Fact::named("entropy").expect("the fact exists");
    assert_eq!(entropy.value(&input), Number(0.0), "the captured value goes first");
    let unparsed = FactInput { new: None, variables: &BTreeMap::new(), ..input };
    assert_eq!(entropy.value(&unparsed), Number(2.0), "a quoted stretch does without a parser");
}

#[test]
fn explaining_comments() {
    let yes = [
        ("try:\n    a()\nexcept E:  # closed already\n    pass\n", (3, 4)),
        ("try:\n    a()\nexcept E:\n    # closed already\n    pass\n", (3, 5)),
        ("# closed already\n# noqa\na()\n", (3, 3)),
        ("a()\n# über\nb()\n", (3, 3)),
    ];
    for (source, lines) in yes {
        let case = Case { language: Python, old: None, new: source, lines, added: |_| true };
        assert_eq!(case.value("has_explaining_comment"), Bool(true), "{source}");
    }
    let no = [
        ("a()  # noqa: E501\n", (1, 1)),
        ("a()  # type: ignore\n", (1, 1)),
        ("a()  # --------\n", (1, 1)),
        ("x = 1  # about x\na()\n", (2, 2)),
        ("# far above\n\na()\n", (3, 3)),
        ("a('# no comment')\n", (1, 1)),
        ("a()\n# below\n", (1, 1)),
    ];
    for (source, lines) in no {
        let case = Case { language: Python, old: None, new: source, lines, added: |_| true };
        assert_eq!(case.value("has_explaining_comment"), Bool(false), "{source}");
    }
}
