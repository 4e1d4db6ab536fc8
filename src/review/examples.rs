//! Runs the examples inside packs through the real stages: what a pack promises is what a review does.

use crate::detect::{Engine, FileView, Raised};
use crate::diff::FileChange;
use crate::finding::{Claim, Finding, Line, Location, RepoPath, Source, Untrusted};
use crate::rules::{Example, Kind, Rules, Tag};
use crate::syntax::Language;

use super::{evidence, filter, ground};

/// What came of one example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The tag.
    pub tag: String,
    /// Where the example stands, as `file:line:column`.
    pub at: String,
    /// What is wrong with it; empty for an example that holds.
    pub misfits: Vec<String>,
}

/// Runs every example of every tag.
pub fn run(rules: &Rules) -> Vec<Outcome> {
    let engine = Engine::new(rules);
    let mut outcomes = Vec::new();
    for (name, tag) in &rules.tags {
        for example in &tag.examples {
            let misfits = misfits(example, tag, rules, &engine);
            outcomes.push(Outcome { tag: name.clone(), at: example.at.to_string(), misfits });
        }
    }
    outcomes
}

fn misfits(example: &Example, tag: &Tag, rules: &Rules, engine: &Engine<'_>) -> Vec<String> {
    let mut misfits = Vec::new();
    match &example.kind {
        Kind::Detector { bad, good, fixed } => {
            if let Some(bad) = bad {
                let (code, marked) = unmark(bad);
                if marked.is_empty() {
                    misfits.push("`bad` marks no line with `#!` or `//!`".to_owned());
                }
                let found = found(example, &code, tag, rules, engine);
                let lines: Vec<u32> = found.iter().map(|finding| finding.claim.location.line.get()).collect();
                misfits.extend(compare(&marked, &lines));
                if let Some(fixed) = fixed {
                    let after = apply(&code, &found);
                    if after != *fixed {
                        misfits.push(format!("the fix gives {after:?}"));
                    }
                }
            }
            if let Some(good) = good {
                let (_, marked) = unmark(good);
                misfits
                    .extend(marked.iter().map(|line| format!("`good` marks line {line}: a marker belongs into `bad`")));
                let found = found(example, good, tag, rules, engine);
                misfits.extend(
                    found
                        .iter()
                        .map(|finding| format!("noisy: a finding on line {} of `good`", finding.claim.location.line)),
                );
            }
        }
        Kind::Claim { code, line, quote, rationale, expect } => {
            let claim = Claim {
                tag: tag.name.clone(),
                location: location(example, Line::new(*line).unwrap_or(Line::from_index(0))),
                quote: Untrusted::new(quote.clone()),
                rationale: Untrusted::new(rationale.clone()),
                suggestion: None,
                level: None,
                source: Source::Model { pass: 1 },
            };
            let raised = Raised { claim, bytes: None, captures: Default::default(), secrets: Vec::new() };
            let (kept, dropped) = sieve(example, code, vec![raised], rules);
            let became = match (kept.first(), dropped.first().and_then(|finding| finding.dropped.as_ref())) {
                (Some(_), _) => "keep".to_owned(),
                (None, Some(dropped)) => dropped.reason.clone(),
                (None, None) => "nothing".to_owned(),
            };
            if became != *expect {
                misfits.push(format!("the claim became `{became}`, not `{expect}`"));
            }
        }
    }
    misfits
}

/// The lines that end in a marker, and the code without the markers.
fn unmark(code: &str) -> (String, Vec<u32>) {
    let mut marked = Vec::new();
    let mut plain = String::with_capacity(code.len());
    for (index, line) in code.split_inclusive('\n').enumerate() {
        let (body, ending) = match line.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        let stripped = body.trim_end().strip_suffix("//!").or_else(|| body.trim_end().strip_suffix("#!"));
        if let Some(body) = stripped {
            marked.push(index as u32 + 1);
            plain.push_str(body.trim_end());
        } else {
            plain.push_str(body);
        }
        plain.push_str(ending);
    }
    (plain, marked)
}

fn compare(marked: &[u32], found: &[u32]) -> Vec<String> {
    let mut misfits: Vec<String> = marked
        .iter()
        .filter(|line| !found.contains(line))
        .map(|line| format!("missing: no finding on line {line} of `bad`"))
        .collect();
    let extra = found.iter().filter(|line| !marked.contains(line));
    misfits.extend(extra.map(|line| format!("noisy: a finding on line {line} of `bad`")));
    misfits
}

fn location(example: &Example, line: Line) -> Location {
    Location { path: path(example), line, end_line: line, columns: None }
}

fn path(example: &Example) -> RepoPath {
    let name = match (&example.path, example.language) {
        (Some(path), _) => path.clone(),
        (None, Some(language)) => format!("src/example.{}", extension(language)),
        (None, None) => "example.conf".to_owned(),
    };
    RepoPath::new(name)
}

const fn extension(language: Language) -> &'static str {
    match language {
        Language::Python => "py",
        Language::JavaScript => "js",
        Language::TypeScript => "ts",
        Language::Tsx => "tsx",
        Language::Java => "java",
        Language::C => "c",
        Language::Cpp => "cpp",
        Language::CSharp => "cs",
        Language::Go => "go",
        Language::Rust => "rs",
        Language::Php => "php",
        Language::Ruby => "rb",
        Language::Yaml => "yml",
    }
}

/// Findings of one tag in code that is wholly new.
fn found(example: &Example, code: &str, tag: &Tag, rules: &Rules, engine: &Engine<'_>) -> Vec<Finding> {
    let change = FileChange::new_file(path(example), code.into());
    let Some(view) = FileView::of(&change) else { return Vec::new() };
    let claims = engine.run(&view).into_iter().filter(|raised| raised.claim.tag == tag.name).collect();
    let (mut kept, _) = sieve(example, code, claims, rules);
    kept.sort_by(|a, b| a.claim.location.cmp(&b.claim.location));
    kept.dedup_by(|b, a| a.claim.location.line == b.claim.location.line);
    kept
}

fn sieve(example: &Example, code: &str, claims: Vec<Raised>, rules: &Rules) -> (Vec<Finding>, Vec<Finding>) {
    let change = FileChange::new_file(path(example), code.into());
    let Some(view) = FileView::of(&change) else { return Default::default() };
    let (kept, mut dropped) = ground::ground(claims, &view, rules);
    let (kept, refuted) = evidence::weigh(kept, &view, rules);
    dropped.extend(refuted);
    let (kept, filtered) = filter::filter(kept, &view, rules);
    dropped.extend(filtered);
    (kept.into_iter().map(|grounded| grounded.finding).collect(), dropped)
}

/// The code with every suggestion applied, from the last to the first.
fn apply(code: &str, findings: &[Finding]) -> String {
    let mut lines: Vec<String> = code.split_inclusive('\n').map(str::to_owned).collect();
    for suggestion in findings.iter().rev().filter_map(|finding| finding.claim.suggestion.as_ref()) {
        let (first, last) = (suggestion.line.index(), suggestion.end_line.index());
        if last < lines.len() {
            lines.splice(first..=last, [suggestion.text.raw().to_owned()]);
        }
    }
    lines.concat()
}
