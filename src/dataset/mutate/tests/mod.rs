//! The operators by their examples.

use std::collections::BTreeSet;

use proptest::prelude::{ProptestConfig, any, proptest};

use super::candidate::{Wanted, of_file, readable, visit};
use super::table::{OPERATORS, Operator};
use super::trial::trial;
use crate::diff::{self, PathClass};
use crate::finding::RepoPath;
use crate::git;
use crate::rules::{Classes, Rules};
use crate::syntax::Language::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript};
use crate::syntax::{Language, Limits, Parsed};
use crate::taxonomy::{CATEGORIES, IMPACTS, SEVERITIES, names};

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
    /// Nothing where the operator must leave the code alone.
    after: Option<String>,
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
                let before = written(before, language);
                let after = (after != "nothing").then(|| written(after, language));
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
        let after_parses = |after: &String| !parse(language, after).has_any_error();
        if parsed.has_any_error() || !after.as_ref().is_none_or(after_parses) {
            wrong.push(format!("{place}: a side does not parse:\n{before}"));
        } else if found.first() != after.as_ref() {
            let after = after.unwrap_or_default();
            wrong.push(format!("{place}:\n{before}--- expected\n{after}--- found\n{}", found.join("---\n")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_a_detector_aims_at_hurts_as_its_tag_says() {
    let rules = Rules::load(crate::rules::Examples::Skip, &[], None, None).expect("the embedded packs are sound");
    for operator in OPERATORS {
        let own = [(&CATEGORIES[..], operator.category), (&IMPACTS, operator.impact), (&SEVERITIES, operator.severity)];
        for (terms, name) in own {
            assert!(names(terms).contains(&name), "{}: {name}", operator.name);
        }
        if operator.targeted {
            assert_eq!(rules.tags[operator.tag].spec.kind.impact, Some(operator.impact), "{}", operator.name);
        }
    }
}

#[test]
fn every_operator_has_an_example_in_each_of_its_languages() {
    let shown: BTreeSet<(&str, Language)> = examples()
        .iter()
        .filter(|example| example.after.is_some())
        .map(|example| (example.operator.name, example.language))
        .collect();
    let wanted =
        OPERATORS.iter().flat_map(|operator| operator.languages.iter().map(|language| (operator.name, *language)));
    // What it makes of a place depends on the place.
    let missing: Vec<_> = wanted.filter(|(name, _)| *name != "secret").filter(|pair| !shown.contains(pair)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_wrong_type_name_is_said_to_decide_whatever_the_comparison_is() {
    // The operator is put on `===` and on `!==` (see its examples).
    let operator = OPERATORS.iter().find(|operator| operator.name == "invalid-typeof").expect("it is one");
    assert!(operator.why.ends_with("the comparison always has the same result"), "{}", operator.why);
    // 570 and 571 are for what is always false and always true.
    assert_eq!(operator.cwe, Some(697));
}

/// The code of all examples of a language that stand in a function, each kept where its bit is set.
fn generated(language: Language, mask: u64) -> String {
    let head = match language {
        Go => "package p\n",
        Php => "<?php\n",
        _ => "",
    };
    let texts: BTreeSet<String> =
        examples().into_iter().filter(|example| example.language == language).map(|example| example.before).collect();
    let kept = texts.iter().enumerate().filter(|(index, _)| mask >> (index % 64) & 1 == 1);
    let text: Vec<&str> = kept
        .map(|(_, text)| text.strip_prefix("package p\n").or(text.strip_prefix("<?php\n")).unwrap_or(text))
        .collect();
    format!("{head}{}", text.join("\n"))
}

/// Every place of a generated change: what is made of it parses, differs in one hunk, and shows on added lines. How many
/// were made of how many.
fn try_all(language: Language, extension: &str, old: &str, new: &str) -> (usize, usize) {
    let path = RepoPath::from(format!("a.{extension}").as_str());
    let side = |text: &str| Some(text.as_bytes().to_vec());
    let file = diff::pair(path, PathClass::default(), side(old), side(new), &diff::Limits::default());
    let operators: Vec<&'static Operator> = OPERATORS.iter().collect();
    let classes = Classes::default();
    let wanted = Wanted { languages: &[language], operators: &operators, classes: &classes };
    let Ok((_, parsed)) = readable(&file, &wanted) else { return (0, 0) };
    let found = of_file(0, &file, &parsed, &wanted, |_, _, _| {});
    let mut count = 0;
    for candidate in &found {
        let Ok(mutant) = trial(&file, language, candidate) else { continue };
        count += 1;
        let name = candidate.operator.name;
        let text = String::from_utf8(mutant.content).expect("it stays text");
        assert!(!parse(language, &text).has_any_error(), "{name}\n{text}");
        let [hunk] = <[_; 1]>::try_from(git::line_changes(new.as_bytes(), text.as_bytes())).expect("one hunk");
        let label = mutant.lines.0.get() - 1..mutant.lines.1.get();
        assert!(
            label.start <= hunk.new.start && hunk.new.end <= label.end.max(hunk.new.end),
            "{name}: {label:?} {hunk:?}"
        );
        let added = git::line_changes(old.as_bytes(), text.as_bytes());
        let is_added = |line: u32| added.iter().any(|change| change.new.contains(&line));
        assert!(label.clone().all(is_added), "{name}: {label:?} is not added\n{text}");
    }
    (count, found.len())
}

const EXTENSIONS: [(Language, &str); 12] = [
    (Python, "py"),
    (JavaScript, "js"),
    (TypeScript, "ts"),
    (Tsx, "tsx"),
    (Java, "java"),
    (C, "c"),
    (Cpp, "cpp"),
    (CSharp, "cs"),
    (Go, "go"),
    (Rust, "rs"),
    (Php, "php"),
    (Ruby, "rb"),
];

#[test]
fn nearly_every_place_of_a_new_file_makes_a_mutant() {
    // A sample of the examples: every place costs a parse of the whole file.
    for (language, extension) in EXTENSIONS {
        let (made, places) = try_all(language, extension, "", &generated(language, 0x0101_0101_0101_0101));
        assert!(places > 20 && made * 10 > places * 9, "{}: {made} of {places}", language.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_mutant_of_any_change_parses_and_is_labelled(at in 0..EXTENSIONS.len(), old in any::<u64>(), new in any::<u64>()) {
        let (language, extension) = EXTENSIONS[at];
        // A few of both, so that a case is quick.
        let (old, new) = (old & 0x1111_1111_1111_1111, new & 0x5151_5151_5151_5151);
        try_all(language, extension, &generated(language, old), &generated(language, new));
    }
}
