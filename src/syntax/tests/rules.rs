//! ast-grep rules.

use std::thread;

use serde_json::{Value, json};

use super::{line, parse};
use crate::finding::Line;
use crate::syntax::Language::{C, JavaScript, Python, Rust};
use crate::syntax::{Language, Limits, Match, Parsed, Rule, RuleError, RuleSet};

fn rule(language: Language, json: Value) -> Rule {
    Rule::compile(language, &json).expect("the rule is correct")
}

fn texts(parsed: &Parsed, matches: &[Match]) -> Vec<String> {
    matches.iter().map(|matched| parsed.source()[matched.bytes.clone()].to_owned()).collect()
}

#[test]
fn every_language_compiles_and_finds_a_pattern() {
    for language in Language::all().filter(|language| *language != Language::Yaml) {
        let source = if language == Language::Php { "<?php foo(1);" } else { "foo(1);" };
        let source = if matches!(language, Language::Java | Language::CSharp) {
            "class A { void m() { foo(1); } }"
        } else if language == Language::Go {
            "package p\nfunc f() { foo(1) }"
        } else if matches!(language, C | Language::Cpp) {
            "void f() { foo(1); }"
        } else if language == Rust {
            "fn f() { foo(1); }"
        } else {
            source
        };
        // The pattern of a call in C and Go needs the context of a statement.
        let pattern = match language {
            C | Language::Cpp => json!({"context": "void f() { foo($A); }", "selector": "call_expression"}),
            Language::Go => json!({"context": "func f() { foo($A) }", "selector": "call_expression"}),
            Language::CSharp => {
                json!({"context": "class A { void f() { foo($A); } }", "selector": "invocation_expression"})
            }
            _ => json!("foo($A)"),
        };
        let parsed = parse(language, source);
        let found = rule(language, json!({"rule": {"pattern": pattern}})).find(&parsed);
        assert_eq!(texts(&parsed, &found), ["foo(1)"], "{}", language.name());
        assert_eq!(found[0].variables["A"], "1", "{}", language.name());
        assert_eq!(parsed.source()[found[0].spans["A"].clone()], *"1");
    }
}

#[test]
fn constraints_utils_and_lists_of_nodes() {
    let json = json!({
        "rule": {"pattern": "$F($$$ARGS)", "not": {"matches": "quiet"}, "inside": {"kind": "module", "stopBy": "end"}},
        "constraints": {"F": {"regex": "^f"}},
        "utils": {"quiet": {"pattern": "fq($$$)"}},
    });
    let parsed = parse(Python, "f(1, 'é')\ng(2)\nfq(3)\nf()\n");
    let found = rule(Python, json).find(&parsed);
    assert_eq!(texts(&parsed, &found), ["f(1, 'é')", "f()"]);
    assert_eq!(found[0].variables["ARGS"], "1, 'é'");
    assert_eq!(found[1].variables["ARGS"], "");
    assert_eq!(found[1].spans.get("ARGS"), None);
    assert_eq!(found[0].variables.keys().collect::<Vec<_>>(), ["ARGS", "F"], "no labels of ast-grep's own");
}

#[test]
fn nested_matches_count_and_wrappers_do_not() {
    let parsed = parse(Python, "f(f(f(1)))\n");
    let found = rule(Python, json!({"rule": {"pattern": "f($A)"}})).find(&parsed);
    assert_eq!(texts(&parsed, &found), ["f(f(f(1)))", "f(f(1))", "f(1)"]);
    let every = rule(Python, json!({"rule": {"regex": "^x$"}}));
    assert!(!every.has_kinds());
    let parsed = parse(Python, "x\n");
    assert_eq!(every.find(&parsed).len(), 1, "the statement and the name are the same bytes");
}

#[test]
fn only_wanted_lines_are_visited() {
    let parsed = parse(Python, "f(1)\nf(\n  2)\nf(3)\n");
    let found = |wanted: &dyn Fn(Line) -> bool| {
        texts(&parsed, &rule(Python, json!({"rule": {"pattern": "f($A)"}})).find_in(&parsed, wanted))
    };
    assert_eq!(found(&|wanted| wanted == line(3)), ["f(\n  2)"]);
    assert_eq!(found(&|wanted| wanted == line(1) || wanted == line(4)), ["f(1)", "f(3)"]);
    assert_eq!(found(&|_| false), [""; 0]);
    assert_eq!(found(&|_| true).len(), 3);
}

#[test]
fn holds_at_asks_where_a_node_starts() {
    let parsed = parse(JavaScript, "if (a) {\n  b();\n}\n");
    let holds = |json: Value, first, last| rule(JavaScript, json).holds_at(&parsed, (line(first), line(last)));
    assert!(holds(json!({"rule": {"kind": "if_statement"}}), 1, 1));
    assert!(!holds(json!({"rule": {"kind": "if_statement"}}), 2, 3));
    assert!(holds(json!({"rule": {"inside": {"kind": "if_statement", "stopBy": "end"}}}), 2, 2));
    assert!(!holds(json!({"rule": {"kind": "while_statement"}}), 1, 9));
}

#[test]
fn a_set_reports_what_its_rules_report_in_document_order() {
    let rules = || {
        vec![
            rule(Python, json!({"rule": {"pattern": "$A == $A"}})),
            rule(Python, json!({"rule": {"kind": "comparison_operator"}})),
            rule(Python, json!({"rule": {"regex": "^b$"}})),
            rule(JavaScript, json!({"rule": {"kind": "identifier"}})),
        ]
    };
    let parsed = parse(Python, "a == b\nb == b\n");
    let set = RuleSet::new(rules());
    let found = set.scan(&parsed, &|_| true);
    let pairs: Vec<_> = found.iter().map(|(index, matched)| (*index, matched.bytes.start)).collect();
    assert_eq!(pairs, [(1, 0), (2, 5), (0, 7), (1, 7), (2, 7), (2, 12)]);
    for (index, rule) in rules().iter().enumerate() {
        let of_set: Vec<_> = found.iter().filter(|(found, _)| *found == index).map(|(_, matched)| matched).collect();
        assert_eq!(of_set, rule.find(&parsed).iter().collect::<Vec<_>>(), "rule {index}");
    }
    assert_eq!(set.scan(&parsed, &|wanted| wanted == line(2)).len(), 4);
    assert_eq!(RuleSet::default().scan(&parsed, &|_| true), []);
}

#[test]
fn errors_say_why_down_to_the_cause() {
    let error = |json: Value| Rule::compile(Python, &json).expect_err("the rule is wrong");
    let message = |json: Value| error(json).to_string();
    assert!(message(json!({"rule": {"kind": "no_such_kind"}})).contains("no_such_kind"));
    assert!(message(json!({"rule": {"kind": "module", "regex": "("}})).contains("unclosed group"));
    assert!(message(json!({"rule": {"patern": "x"}})).contains("patern"));
    assert!(message(json!({"rule": {"matches": "nowhere"}})).contains("nowhere"));
    assert!(message(json!({"rule": {"pattern": ""}})).contains("pattern"));
    assert!(
        message(json!({"rule": {"kind": "call", "has": {"field": "nofield", "kind": "call"}}})).contains("nofield")
    );
    assert!(message(json!({"rule": {}})).contains("positive"));
    assert!(message(json!({})).contains("rule"));
    assert!(message(json!("f($A)")).contains("invalid type"));
    assert_eq!(
        error(json!({"rule": {"kind": "call"}, "constrains": {}})),
        RuleError::UnknownKey("constrains".to_owned())
    );
    assert_eq!(error(json!({"rule": {"pattern": " $$$ARGS "}})), RuleError::OnlyEllipsis("$$$ARGS".to_owned()));
    let mut deep = json!({"kind": "call"});
    for _ in 0..80 {
        deep = json!({"not": deep});
    }
    assert_eq!(error(json!({"rule": deep})), RuleError::TooDeep);
}

#[test]
fn shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Parsed>();
    shared::<Rule>();
    shared::<RuleSet>();
}

/// The deepest tree that is parsed is matched without overflowing the stack that a thread has by default.
#[test]
fn the_deepest_tree_can_be_matched() {
    let rules = [
        json!({"rule": {"pattern": "$A == $A"}}),
        json!({"rule": {"kind": "expression_statement", "has": {"kind": "identifier", "regex": "^zz$", "stopBy": {"kind": "string_literal"}}}}),
        json!({"rule": {"kind": "identifier", "inside": {"kind": "string_literal", "stopBy": "end"}}}),
    ];
    let deepest = (100..Limits::MAX_DEPTH as usize).rev().find_map(|depth| {
        let open = "(".repeat(depth);
        let close = ")".repeat(depth);
        let source = format!("void f() {{ {open}x{close} == {open}x{close}; }}");
        Parsed::parse(C, source.as_bytes(), &Limits::default()).ok()
    });
    let parsed = deepest.expect("some depth parses");
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let set = RuleSet::new(rules.into_iter().map(|json| rule(C, json)).collect());
        set.scan(&parsed, &|_| true).len()
    });
    assert_eq!(thread.expect("a thread starts").join().expect("no overflow"), 1);
    assert!(matches!(rule(Rust, json!({"rule": {"kind": "identifier"}})).language(), Rust));
}
