//! The functions of the base that the hunks stand in, and the imports of the base (SWE-PRBench, appendix B, layer 3:
//! "always uses base_commit, never head_commit").

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::hostile::neutral;
use super::part::numbered;
use super::rows::{LONGEST, Side};
use crate::diff::{Hunk, Lines};
use crate::finding::Line;
use crate::syntax::Language;

/// What of the base tells more of the hunks.
#[derive(Debug, Default)]
pub(super) struct Base {
    pub(super) functions: Vec<Function>,
    pub(super) imports: Vec<String>,
}

/// A function of the base.
#[derive(Debug)]
pub(super) struct Function {
    /// The hunks that stand in it.
    pub(super) hunks: Vec<Hunk>,
    pub(super) text: Vec<String>,
}

/// Most imports that are looked at.
const IMPORTS: usize = 400;

static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"^\s*(?:(?:import|from|use|using|extern crate|require|require_once|include|include_once|require_relative)\b"#,
        r#"|#\s*include\b|(?:const|let|var)\s.*=\s*require\(|"[\w./-]+"\s*$|\w+\s+"[\w./-]+"\s*$)"#
    ))
    .expect("the pattern is a constant that compiles")
});

/// Reads the base of a file.
pub(super) fn base(hunks: &[Hunk], old: &Side<'_>, language: Option<Language>) -> Base {
    let mut seen: BTreeMap<(u32, u32), Vec<Hunk>> = BTreeMap::new();
    for hunk in hunks {
        // An insertion stands before a line of the base.
        let last = hunk.old.end().saturating_sub(1).max(hunk.old.first);
        for line in [hunk.old.first, last].into_iter().filter_map(Line::new) {
            let function = old.parsed.and_then(|parsed| parsed.enclosing_function(line));
            // What is removed as a whole is in the diff.
            let function = function.map(|function| (function.first_line.get(), function.end_line.get()));
            if let Some(span) = function.filter(|span| hunk.old.first > span.0 || hunk.old.end() <= span.1) {
                let hunks = seen.entry(span).or_default();
                if hunks.last() != Some(hunk) {
                    hunks.push(*hunk);
                }
            }
        }
    }
    let text =
        |lines: Lines| -> Option<Vec<String>> { (lines.first..lines.end()).map(|number| line(old, number)).collect() };
    let functions = seen.into_iter().filter_map(|((first, last), hunks)| {
        Some(Function { hunks, text: text(Lines { first, count: last + 1 - first })? })
    });
    let functions = functions.collect();
    if language.is_none() || !old.text.is_whole() {
        return Base { functions, imports: Vec::new() };
    }
    let imports = numbered(old.text).filter(|(_, line)| line.len() < 300 && IMPORT.is_match(line));
    let imports = imports.take(IMPORTS).map(|(_, line)| neutral(line.trim()).0.into_owned()).collect();
    Base { functions, imports }
}

fn line(side: &Side<'_>, number: u32) -> Option<String> {
    let text = side.text.line_text(Line::new(number)?)?;
    (text.len() <= LONGEST).then(|| neutral(&text).0.into_owned())
}

/// Names that an import brings in, for telling whether a hunk uses it.
pub(super) fn names(import: &str) -> impl Iterator<Item = &str> {
    let words = import.split(|character: char| !(character.is_alphanumeric() || character == '_'));
    words.filter(|word| {
        word.len() > 1 && !["import", "from", "use", "using", "require", "include", "const"].contains(word)
    })
}

/// The words of a line of code.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !(character.is_alphanumeric() || character == '_')).filter(|word| word.len() > 1)
}
