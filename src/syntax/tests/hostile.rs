//! Input that nobody meant well: no panic, no overflow, no endless run.

use std::collections::BTreeMap;

use super::{line, parse};
use crate::finding::Line;
use crate::syntax::Language::{self, C, JavaScript, Php, Python, Rust};
use crate::syntax::{FACTS, FactInput, Limits, Parsed, Unparsed, delta};

fn ask_facts(parsed: &Parsed, lines: (Line, Line)) {
    let input = FactInput {
        new: Some(parsed),
        old: Some(parsed),
        lines,
        bytes: None,
        quote: "",
        variables: &BTreeMap::new(),
        is_added: &|_| true,
    };
    for fact in FACTS {
        let _ = fact.value(&input);
    }
}

/// Everything a file can be asked.
fn ask_everything(parsed: &Parsed) {
    let _ = delta(parsed, parsed);
    for number in (1..=parsed.line_count().min(50) as u32 + 1).filter_map(Line::new) {
        let _ = (parsed.enclosing(number), parsed.enclosing_function(number), parsed.has_error((number, number)));
        assert!(parsed.source().get(parsed.line_range(number)).is_some());
    }
    ask_facts(parsed, (line(2), line(2)));
    ask_facts(parsed, (line(1), Line::from_index(parsed.line_count() as u32)));
    for (range, _) in parsed.regions() {
        assert!(parsed.source().get(range.clone()).is_some(), "regions end at characters: {range:?}");
    }
    for symbol in parsed.symbols() {
        assert!(symbol.first_line <= symbol.line && symbol.line <= symbol.end_line, "{symbol:?}");
        assert!(parsed.source().get(symbol.bytes.clone()).is_some());
        assert!(symbol.parent.is_none_or(|parent| parent < parsed.symbols().len()));
    }
}

fn try_all(source: &[u8]) {
    for language in Language::all() {
        if let Ok(parsed) = Parsed::parse(language, source, &Limits::default()) {
            ask_everything(&parsed);
        }
    }
}

#[test]
fn odd_bytes() {
    for source in [
        &b""[..],
        b"\n",
        b"\r",
        b"\0",
        b"def f\0():\n  pass\0",
        b"\xff\xfe\xfd",
        b"\xef\xbb\xbf",
        b"x = '\xff\n'\ndef f(): pass",
        b"\"",
        b"'''",
        b"/*",
        b"<<<",
        b"<<~A",
        b"<?php /*",
        b"`${`${`${",
        b"\xf0\x9f\x98\x80\xf0\x9f\x98",
        b"#",
        b"#define X(a) \\",
        b"@",
        b"class",
        b"- - - -\n? :",
    ] {
        try_all(source);
    }
}

#[test]
fn invalid_utf8_keeps_its_lines() {
    let parsed = Parsed::parse(Python, b"x = '\xff\xff'\n\xc3\ndef f():\n    pass\n", &Limits::default());
    let parsed = parsed.expect("broken text still parses");
    assert_eq!(parsed.symbols()[0].line, line(3));
    assert_eq!(parsed.line_count(), 4);
}

#[test]
fn nesting_without_end() {
    for (language, open) in
        [(Python, "("), (JavaScript, "["), (C, "{"), (Rust, "{"), (JavaScript, "a=>"), (Php, "<?php ("), (Rust, "&")]
    {
        let source = open.repeat(100_000);
        match Parsed::parse(language, source.as_bytes(), &Limits::default()) {
            Ok(parsed) => ask_everything(&parsed),
            Err(reason) => assert!(matches!(reason, Unparsed::TooDeep | Unparsed::TooSlow), "{reason}"),
        }
    }
    let balanced = format!("x = {}{}\n", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(Parsed::parse(Python, balanced.as_bytes(), &Limits::default()).err(), Some(Unparsed::TooDeep));
    let sum = format!("x = 1{}\n", " + 1".repeat(50_000));
    assert_eq!(Parsed::parse(Python, sum.as_bytes(), &Limits::default()).err(), Some(Unparsed::TooDeep));
}

#[test]
fn the_limits_count_and_do_not_time() {
    let source = "x = 1\n".repeat(10_000);
    let few = Limits { steps: 1, steps_per_100_bytes: 0, ..Limits::default() };
    assert_eq!(Parsed::parse(Python, source.as_bytes(), &few).err(), Some(Unparsed::TooSlow));
    assert!(Parsed::parse(Python, source.as_bytes(), &Limits::default()).is_ok());
    let flat = Limits { depth: 2, ..Limits::default() };
    assert_eq!(Parsed::parse(Python, b"f(g(1))\n", &flat).err(), Some(Unparsed::TooDeep));
    let deep = Limits { depth: u32::MAX, ..Limits::default() };
    let source = format!("x = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(Parsed::parse(Python, source.as_bytes(), &deep).err(), Some(Unparsed::TooDeep), "the cap holds");
}

/// Files of one thing over and over: what is asked of each must not look at all the others.
#[test]
fn wide_files_take_linear_time() {
    let many = [
        (Language::Cpp, format!("class A {{\n{}}};", "int f();\n".repeat(20_000))),
        (Language::Ruby, format!("class A\n{}end\n", "def f; end\n".repeat(20_000))),
        (JavaScript, format!("const {}z = 1;", "a = () => 1, ".repeat(20_000))),
        (Rust, "/// d\n#[a]\n".repeat(20_000) + "fn f() {}"),
        (Language::Go, format!("package p\ntype (\n{})\n", "A struct{}\n".repeat(20_000))),
        (Python, "# c\n".repeat(40_000) + "def f(): pass\n"),
        (Php, "<?php f(); ?>x\n".repeat(20_000)),
        (Python, format!("def f(d, n):\n    {}", "x = d['k'] / n; ".repeat(2_000))),
        (Python, format!("def f(d, n):\n    f = open('abc')\n{}", "    f(f, d['k'] / n, 'abc')\n".repeat(2_000))),
        (Python, format!("x = [{}]\n", "d['k'] / n, 'abc', open('abc'), ".repeat(2_000))),
        (C, format!("void f(void) {{\n{}}}", "if (a / n) p = malloc(3);\n".repeat(2_000))),
    ];
    for (language, source) in many {
        match Parsed::parse(language, source.as_bytes(), &Limits::default()) {
            Ok(parsed) => ask_everything(&parsed),
            Err(reason) => assert_eq!(reason, Unparsed::TooSlow, "{}", language.name()),
        }
    }
}

/// Correct code cut off at every place, and with every byte in turn replaced.
#[test]
fn cut_and_broken_code() {
    let source =
        "@a\nclass É(b):\n  def f(x, y='#'): # c\n    return f'{x!r}' if /* <?php // ?> */ `${1}` else { \"\\\" }\n";
    for end in (0..source.len()).step_by(3) {
        try_all(&source.as_bytes()[..end]);
    }
    for at in (0..source.len()).step_by(5) {
        for byte in [b'\0', b'"', b'{', b'\n', 0xff] {
            let mut broken = source.as_bytes().to_vec();
            broken[at] = byte;
            try_all(&broken);
        }
    }
}

#[test]
fn errors_touch_their_lines_only() {
    let parsed = parse(Python, "def a():\n    return 1\n\ndef b():\n    return (1 +\n\ndef c():\n    return 1\n");
    assert!(parsed.has_any_error());
    assert!(!parsed.has_error((line(1), line(2))));
    assert!(parsed.has_error((line(4), line(6))));
    let first = parsed.symbols().first().map(|symbol| (symbol.name.as_str(), symbol.has_error));
    assert_eq!(first, Some(("a", false)));
    let missing = parse(C, "int f(void) { return 1 }\n");
    assert!(missing.has_error((line(1), line(1))), "a missing token counts");
    assert!(missing.symbols()[0].has_error);
}

#[test]
fn a_suggestion_must_not_break_more() {
    let no_worse = |language, before: &str, with: &str| {
        let whole = 0..before.len();
        parse(language, before).parses_no_worse(whole, with, &Limits::default())
    };
    assert!(no_worse(Python, "x = 1\n", "x = 2\n"));
    assert!(!no_worse(Python, "x = 1\n", "x = (\n"));
    assert!(no_worse(Python, "x = (\n", "x = 1\n"));
    assert!(no_worse(C, "MACRO(\n", "MACRO(\n"), "as broken as before");
    let deep = format!("x = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000));
    assert!(!no_worse(Python, "x = 1\n", &deep));
    // A part alone: what stands around it stays.
    let parsed = parse(Python, "a = 1\nb = 2\nc = 3\n");
    assert!(parsed.parses_no_worse(6..11, "d(\n)", &Limits::default()));
    assert!(!parsed.parses_no_worse(6..11, "d(", &Limits::default()));
    assert!(!parsed.parses_no_worse(6..99, "", &Limits::default()), "no such stretch");
}
