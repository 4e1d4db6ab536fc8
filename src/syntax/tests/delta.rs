//! What a change did to symbols.

use super::parse;
use crate::syntax::Language::{self, Cpp, Java, Python, Rust};
use crate::syntax::{Changed, delta};

/// `+path`, `-path`, `~path` with `s` and `b` for signature and body.
fn changes(language: Language, old: &str, new: &str) -> Vec<String> {
    let (old, new) = (parse(language, old), parse(language, new));
    let delta = delta(&old, &new);
    let path = |parsed: &crate::syntax::Parsed, index: usize| parsed.symbols()[index].path.clone();
    let mut out: Vec<_> = delta.removed.iter().map(|index| format!("-{}", path(&old, *index))).collect();
    out.extend(delta.added.iter().map(|index| format!("+{}", path(&new, *index))));
    out.extend(delta.changed.iter().map(|(_, index, Changed { signature, body })| {
        let what = [if *signature { "s" } else { "" }, if *body { "b" } else { "" }].concat();
        format!("~{} {what}@{}", path(&new, *index), new.symbols()[*index].line)
    }));
    out
}

#[test]
fn nothing_changed() {
    let source = "class A:\n    def m(self):\n        return 1\n";
    assert_eq!(changes(Python, source, source), [""; 0]);
    assert_eq!(changes(Python, source, &source.replace("    ", "\t").replace('\n', "\r\n")), [""; 0]);
    assert_eq!(changes(Python, source, &format!("import os\n\n\n{source}")), [""; 0]);
    assert_eq!(changes(Python, "", ""), [""; 0]);
}

#[test]
fn signature_body_added_removed() {
    let old = "def a(x):\n    return x\ndef b():\n    pass\ndef c():\n    pass\n";
    let new = "def a(x, y):\n    return x\ndef b():\n    return 1\ndef d():\n    pass\n";
    assert_eq!(changes(Python, old, new), ["-c", "+d", "~a s@1", "~b b@3"]);
}

#[test]
fn a_class_changes_only_by_what_is_its_own() {
    let old = "class A:\n    x = 1\n    def m(self):\n        return 1\n";
    assert_eq!(changes(Python, old, &old.replace("return 1", "return 2")), ["~A.m b@3"]);
    assert_eq!(changes(Python, old, &old.replace("x = 1", "x = 2")), ["~A b@1"]);
    let more = format!("{old}    def n(self): pass\n");
    assert_eq!(changes(Python, old, &more), ["+A.n"]);
}

#[test]
fn a_new_overload_in_front_does_not_shift_the_others() {
    let old = "class A { void f(int a) { one(); } void f(long a) { two(); } }";
    let new = "class A { void f() { zero(); } void f(int a) { one(); } void f(long a) { two(); } }";
    assert_eq!(changes(Java, old, new), ["+A.f"]);
    assert_eq!(changes(Java, new, old), ["-A.f"]);
}

#[test]
fn methods_of_two_traits_are_told_apart() {
    let debug = "impl Debug for A {\n    fn fmt(&self) -> R { one() }\n}\n";
    let display = "impl Display for A {\n    fn fmt(&self) -> R { two() }\n}\n";
    assert_eq!(changes(Rust, debug, &format!("{display}{debug}")), ["+A.fmt"]);
    assert_eq!(changes(Rust, &format!("{display}{debug}"), &format!("{debug}{display}")), [""; 0]);
}

#[test]
fn a_definition_beside_its_prototype() {
    let old = "void f(int);";
    let new = "void f(int);\nvoid f(int a) { }";
    assert_eq!(changes(Cpp, old, new), ["+f"]);
    assert_eq!(changes(Cpp, "void f(int a) { }", new), ["+f"]);
}

#[test]
fn many_of_one_path_stay_cheap() {
    let source = "def f(): pass\n".repeat(20_000);
    let (old, new) = (parse(Python, &source), parse(Python, &source));
    assert_eq!(delta(&old, &new).added, [0; 0]);
}
