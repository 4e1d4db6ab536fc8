//! The house has floors: a module uses only floors below its own. This reads the sources and says who looks upwards.

use std::fs;
use std::path::{Path, PathBuf};

/// Every top-level module of the library with its floor.
const FLOORS: [(&str, u8); 25] = [
    ("digest", 0),
    ("escape", 0),
    ("finding", 0),
    ("document", 0),
    ("line_hash", 0),
    ("stats", 0),
    ("taxonomy", 0),
    ("git", 1),
    ("record", 1),
    ("diff", 2),
    ("scope", 2),
    ("syntax", 3),
    ("hook", 3),
    ("rules", 4),
    ("baseline", 4),
    ("detect", 5),
    ("context", 5),
    ("provider", 5),
    ("review", 6),
    ("gate", 7),
    ("report", 8),
    ("config", 9),
    ("dataset", 9),
    ("eval", 9),
    ("publish", 9),
];

/// Modules of one floor of which the first may use the second: every noun may be shown, so all may escape; a finding has
/// a kind.
const BESIDE: [(&str, &str); 3] = [("finding", "escape"), ("finding", "taxonomy"), ("document", "escape")];

/// Crates that only one part of the house may name, and that part as a path below `src/`.
const OWNERS: [(&str, &[&str]); 10] = [
    ("gix", &["git"]),
    ("tree_sitter", &["syntax"]),
    ("ast_grep_core", &["syntax"]),
    ("ast_grep_config", &["syntax"]),
    ("ast_grep_language", &["syntax"]),
    ("serde_sarif", &["report/sarif"]),
    ("ureq", &["provider"]),
    ("plotters", &["eval/report"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
];

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// What is wrong with a source file; `path` is its path below `src/`, such as `review/run.rs`.
fn complaints(path: &str, source: &str) -> Vec<String> {
    let code = without_comments_and_literals(source);
    let mut complaints = Vec::new();
    for (name, owners) in OWNERS {
        let owned =
            owners.iter().any(|owner| path.strip_prefix(owner).is_some_and(|rest| rest.starts_with(['/', '.'])));
        if !owned && words(&code).any(|word| word == name) {
            complaints.push(format!("src/{path} names `{name}`; only src/{} may", owners.join(" and src/")));
        }
    }
    let module = path.split(['/', '.']).next().unwrap_or_default();
    let Some(own) = floor(module) else {
        if !matches!(module, "lib" | "main" | "cli") {
            complaints.push(format!("src/{path}: the module `{module}` has no floor; give it one in tests/layers.rs"));
        }
        return complaints;
    };
    for used in used_modules(path, &code) {
        let Some(other) = floor(&used) else { continue };
        if used == module || other < own || BESIDE.contains(&(module, used.as_str())) {
            continue;
        }
        let direction = if other == own { "beside it on floor" } else { "above it, on floor" };
        complaints.push(format!(
            "src/{path} uses `crate::{used}`, which is {direction} {other}; `{module}` is on floor {own} and uses only \
             floors below its own"
        ));
    }
    complaints.sort();
    complaints.dedup();
    complaints
}

/// Names of top-level modules that a file refers to by `crate::…` or by climbing with `super::` up to the root.
fn used_modules(path: &str, code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if !code[..at].ends_with(|character: char| character.is_alphanumeric() || character == '_' || character == '$')
        {
            used.extend(first_names(&code[at + "crate::".len()..]));
        }
    }
    // `a/b.rs` is the module `a::b`, two below the root, and so is `a/b/mod.rs`.
    let depth = path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').count();
    let climb = "super::".repeat(depth);
    for (at, _) in code.match_indices(&climb) {
        used.extend(first_names(&code[at + climb.len()..]));
    }
    used
}

/// The first names of a path or of every branch of a `{…}` group.
fn first_names(text: &str) -> Vec<String> {
    let Some(group) = text.strip_prefix('{') else { return word_at(text).into_iter().collect() };
    let mut names = Vec::new();
    let (mut depth, mut begins) = (0_u32, true);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            _ if begins && depth == 0 && !character.is_whitespace() => {
                names.extend(word_at(&group[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn word_at(text: &str) -> Option<String> {
    let end = text.find(|character: char| !(character.is_alphanumeric() || character == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !(character.is_alphanumeric() || character == '_'))
}

/// The code with comments, strings and characters blanked, so that prose may name what it likes.
fn without_comments_and_literals(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(character) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = raw_string(rest, &out) {
            length
        } else if character == '"' {
            closed_by(rest, '"')
        } else if character == '\'' && (rest.starts_with("'\\") || rest.chars().nth(2) == Some('\'')) {
            closed_by(rest, '\'')
        } else {
            out.push(character);
            rest = &rest[character.len_utf8()..];
            continue;
        };
        out.push(' ');
        rest = &rest[skipped..];
    }
    out
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of a raw string that begins here: `r"…"`, `r#"…"#`, `br"…"`.
fn raw_string(text: &str, before: &str) -> Option<usize> {
    if before.ends_with(|character: char| character.is_alphanumeric() || character == '_') {
        return None;
    }
    let body = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let body = body[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close)?;
    Some(text.len() - body.len() + end + close.len())
}

fn closed_by(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the sources can be listed");
    for entry in entries {
        let path = entry.expect("the sources can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_module_uses_only_floors_below_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut found = Vec::new();
    for file in &files {
        let path = file.strip_prefix(&root).expect("it was found below the root").to_string_lossy().replace('\\', "/");
        found.extend(complaints(&path, &fs::read_to_string(file).expect("a source can be read")));
    }
    assert!(files.len() > 100, "only {} sources found", files.len());
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// Files that start programs: the git program, and the ones that a `command` provider or `--embed` names.
const STARTERS: [&str; 2] = ["dataset/blame.rs", "provider/process.rs"];

#[test]
fn programs_are_started_in_two_places() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut found = Vec::new();
    for file in &files {
        let code = without_comments_and_literals(&fs::read_to_string(file).expect("a source can be read"));
        if code.contains("Command::new(") {
            let path = file.strip_prefix(&root).expect("it was found below the root");
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    found.sort();
    assert_eq!(found, STARTERS);
}

#[test]
fn an_upward_import_is_named() {
    for (path, source, part) in [
        ("git/tree.rs", "use crate::rules::Rules;", "uses `crate::rules`, which is above it, on floor 4"),
        ("git/tree.rs", "use crate::{finding::Line, report};", "uses `crate::report`"),
        ("git/tree.rs", "fn f() { let x = crate::review::review(); }", "uses `crate::review`"),
        ("diff/load.rs", "use crate::scope::Scope;", "beside it on floor 2"),
        ("git/tree.rs", "use super::super::gate::decide;", "uses `crate::gate`"),
        ("gate.rs", "use super::config::Config;", "uses `crate::config`"),
        ("gate.rs", "use clap::Parser;", "names `clap`; only src/cli may"),
        ("review/run.rs", "use gix::ObjectId;", "names `gix`; only src/git may"),
        ("report/json/mod.rs", "fn f(_: serde_sarif::sarif::Sarif) {}", "only src/report/sarif may"),
        ("novelty/mod.rs", "", "has no floor"),
    ] {
        let found = complaints(path, source);
        assert!(found.iter().any(|complaint| complaint.contains(part)), "{path}: {source}\n{found:?}");
    }
}

#[test]
fn prose_and_downward_imports_are_left_alone() {
    for (path, source) in [
        ("git/tree.rs", "//! Not [`crate::rules`], nor clap.\nuse crate::finding::Line;"),
        ("git/tree.rs", "const A: &str = \"crate::rules \\\" clap\"; const B: &str = r#\"crate::gate \" \"#;"),
        ("git/tree.rs", "/* crate::rules /* clap */ crate::gate */ fn f<'a>(c: &'a str) -> char { '\"' }"),
        ("git/tree.rs", "use super::{Entry, index::read};"),
        ("config.rs", "use crate::{gate::Policy, review::suppress, rules};"),
        ("finding.rs", "use crate::escape;"),
        ("report/sarif/mod.rs", "use serde_sarif::sarif;"),
        ("cli/mod.rs", "use clap::Parser; use diffsieve::config;"),
    ] {
        assert_eq!(complaints(path, source), Vec::<String>::new(), "{path}: {source}");
    }
}
