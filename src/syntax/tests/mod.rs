//! Tests of the whole floor: each language on code with traps, hostile input, rules and facts.

mod delta;
mod facts;
mod facts_divisor;
mod facts_map;
mod facts_repeats;
mod facts_resource;
mod hostile;
mod mask;
mod outline_family_c;
mod outline_scripts;
mod outline_web;
mod parse_old;
mod rules;

use super::{Language, Limits, Parsed, Symbol};
use crate::finding::Line;

fn parse(language: Language, source: &str) -> Parsed {
    Parsed::parse(language, source.as_bytes(), &Limits::default()).expect("parses within the limits")
}

fn line(number: u32) -> Line {
    Line::new(number).expect("lines start at 1")
}

/// One line a symbol: kind, path, lines, `+` public, `-` not, `?` unknown, `"` documented.
fn outline(language: Language, source: &str) -> Vec<String> {
    let parsed = parse(language, source);
    assert!(!parsed.has_any_error(), "the snippet is meant to be correct");
    parsed.symbols().iter().map(describe).collect()
}

fn describe(symbol: &Symbol) -> String {
    let public = match symbol.public {
        Some(true) => '+',
        Some(false) => '-',
        None => '?',
    };
    let doc = symbol.doc.as_ref().map(|doc| format!(" \"{doc}\"")).unwrap_or_default();
    format!("{public}{} {} {}-{}{doc}", symbol.kind.name(), symbol.path, symbol.line, symbol.end_line)
}

fn signatures(language: Language, source: &str) -> Vec<String> {
    parse(language, source).symbols().iter().map(|symbol| symbol.signature.clone()).collect()
}
