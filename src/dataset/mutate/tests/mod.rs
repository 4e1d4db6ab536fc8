//! The operators by their examples.

use std::collections::BTreeSet;

use super::candidate::visit;
use super::table::{OPERATORS, Operator};
use crate::syntax::Language::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};
use crate::syntax::{Language, Limits, Parsed};

const EXAMPLES: &str = include_str!("examples.txt");

/// A function around statements.
fn wrapped(language: Language, code: &str) -> String {
    let (before, indent, after) = match language {
        Python => ("def f(a, b):\n", "    ", ""),
        JavaScript => ("function f(a, b) {\n", "  ", "}\n"),
        TypeScript | Tsx => ("function f(a: number, b: number) {\n", "  ", "}\n"),
        Java => ("class X {\n  int f(int a, int b) {\n", "    ", "  }\n}\n"),
        CSharp => ("class X {\n  int F(int a, int b) {\n", "    ", "  }\n}\n"),
        C | Cpp => ("int f(int a, int b) {\n", "  ", "}\n"),
        Go => ("package p\n\nfunc f(a, b int) int {\n", "\t", "}\n"),
        Rust => ("fn f(a: i64, b: i64) -> i64 {\n", "    ", "}\n"),
        Php => ("<?php\nfunction f($a, $b) {\n", "  ", "}\n"),
        _ => ("def f(a, b)\n", "  ", "end\n"),
    };
    let lines: String = code.lines().map(|line| format!("{indent}{line}\n")).collect();
    format!("{before}{lines}{after}")
}

struct Example {
    operator: &'static Operator,
    language: Language,
    before: String,
    after: String,
}

fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    let mut operator = None;
    for line in EXAMPLES.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            operator = OPERATORS.iter().find(|operator| operator.name == name);
            assert!(operator.is_some(), "{name} is no operator");
            continue;
        }
        let (names, code) = line.split_once(" : ").expect("languages, then code");
        let (before, after) = code.split_once(" ⇒ ").expect("code before and after");
        let (raw, before) = before.strip_prefix("raw ").map_or((false, before), |before| (true, before));
        let written = |code: &str, language| {
            let code = code.replace("\\n", "\n").replace("\\t", "\t");
            if raw { code } else { wrapped(language, &code) }
        };
        for name in names.split(' ') {
            let languages = match name {
                "c*" => vec![JavaScript, TypeScript, Tsx, Java, C, Cpp, CSharp],
                "js*" => vec![JavaScript, TypeScript, Tsx],
                name => vec![Language::parse_name(name).expect("a language")],
            };
            for language in languages {
                let operator = operator.expect("an example belongs to an operator");
                let (before, after) = (written(before, language), written(after, language));
                found.push(Example { operator, language, before, after });
            }
        }
    }
    found
}

fn parse(language: Language, source: &str) -> Parsed {
    Parsed::parse(language, source.as_bytes(), &Limits::default()).expect("it is parsed")
}

/// What an operator makes of a source, each place by itself.
fn made(operator: &Operator, parsed: &Parsed) -> Vec<String> {
    let mut found = Vec::new();
    visit(parsed, &|_| true, &mut |site| {
        if let Some(edit) = (operator.apply)(site) {
            let source = parsed.source();
            found.push([&source[..edit.range.start], &edit.with, &source[edit.range.end..]].concat());
        }
    });
    found
}

#[test]
fn every_example_is_made() {
    let mut wrong = Vec::new();
    for Example { operator, language, before, after } in examples() {
        let parsed = parse(language, &before);
        let found = made(operator, &parsed);
        let place = format!("{} in {}", operator.name, language.name());
        if parsed.has_any_error() || parse(language, &after).has_any_error() {
            wrong.push(format!("{place}: a side does not parse:\n{before}"));
        } else if found.first() != Some(&after) {
            wrong.push(format!("{place}:\n{before}--- expected\n{after}--- found\n{}", found.join("---\n")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_operator_has_an_example_in_each_of_its_languages() {
    let shown: BTreeSet<(&str, Language)> =
        examples().iter().map(|example| (example.operator.name, example.language)).collect();
    let wanted =
        OPERATORS.iter().flat_map(|operator| operator.languages.iter().map(|language| (operator.name, *language)));
    // What it makes of a place depends on the place.
    let missing: Vec<_> = wanted.filter(|(name, _)| *name != "secret").filter(|pair| !shown.contains(pair)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
