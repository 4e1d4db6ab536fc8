//! The functions of the base that the hunks stand in, and the imports of the base (SWE-PRBench, appendix B, layer 3:
//! "always uses base_commit, never head_commit").

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::hostile::neutral;
use super::part::numbered;
use super::rows::{LONGEST, Side};
use crate::diff::{Hunk, Lines};
use crate::finding::Line;
use crate::syntax::{Language, Region};

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

/// The beginnings of lines that import, by language. Go's are told by [`go`], since most of them have no keyword.
fn pattern(language: Language) -> Option<&'static str> {
    Some(match language {
        Language::Python => r"import\s+[\w.]|from\s+[\w.]+\s+import\b",
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            r#"import\s*["'{*]|import\s+[\w$]|(?:export|})\s.*\bfrom\s*["']|(?:const|let|var)\s.*=\s*require\("#
        }
        Language::Java => r"import\s+[\w.]",
        Language::C | Language::Cpp => r#"#\s*include\b|using\s+[\w:]|import\s+[\w.<":]"#,
        Language::CSharp => r"(?:global\s+)?using\s+(?:static\s+)?[A-Z_][\w.]*\s*(?:;|=\s*[\w.:<>, ]+;)",
        Language::Rust => r"(?:pub(?:\([\w:\s]+\))?\s+)?use\s+[\w:{]|extern\s+crate\b",
        Language::Php => r"use\s+(?:function\s+|const\s+)?\\?\w[\w\\]*|(?:require|include)(?:_once)?\b",
        Language::Ruby => r"(?:require|require_relative|load|autoload|include|extend|prepend)[\s(]",
        Language::Go | Language::Yaml => return None,
    })
}

static IMPORTS_BY_LANGUAGE: LazyLock<BTreeMap<Language, Regex>> = LazyLock::new(|| {
    let compiled = |language: Language| {
        let pattern = format!(r"^\s*(?:{})", pattern(language)?);
        Some((language, Regex::new(&pattern).expect("the pattern is a constant that compiles")))
    };
    Language::all().filter_map(compiled).collect()
});

/// An import of Go: a path, perhaps under another name.
static GO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:import\s+)?(?:[\w.]+\s+)?["`][\w./~-]+["`]\s*;?\s*(?://.*)?$"#)
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
    let imports = imports(old, language).into_iter().take(IMPORTS);
    let imports = imports.map(|line| neutral(line.trim()).0.into_owned()).collect();
    Base { functions, imports }
}

/// The lines of a file that import: those that begin as code, so that prose in a docstring which begins in the same words
/// is none of them.
fn imports<'t>(side: &'t Side<'_>, language: Option<Language>) -> Vec<Cow<'t, str>> {
    let is_code = |number: u32, line: &str| begins_as_code(side, number, line);
    let lines = numbered(side.text).filter(|(_, line)| line.len() < 300);
    match language {
        Some(Language::Go) => go(lines, is_code),
        Some(language) => {
            let Some(pattern) = IMPORTS_BY_LANGUAGE.get(&language) else { return Vec::new() };
            let found = lines.filter(|(number, line)| pattern.is_match(line) && is_code(*number, line));
            found.map(|(_, line)| line).collect()
        }
        None => Vec::new(),
    }
}

/// The imports of Go: in a block, or after the keyword. They end where the first declaration begins.
fn go<'t>(lines: impl Iterator<Item = (u32, Cow<'t, str>)>, is_code: impl Fn(u32, &str) -> bool) -> Vec<Cow<'t, str>> {
    let (mut found, mut inside) = (Vec::new(), false);
    for (number, line) in lines {
        let text = line.trim();
        if inside {
            inside = !text.starts_with(')');
            if inside && GO.is_match(text) {
                found.push(line);
            }
        } else if text.starts_with("import") && is_code(number, &line) {
            inside = text.trim_start_matches("import").trim_start().starts_with('(') && !text.ends_with(')');
            if GO.is_match(text) {
                found.push(line);
            }
        } else if ["func ", "type ", "var ", "const "].iter().any(|word| text.starts_with(word)) {
            break;
        }
    }
    found
}

/// Whether the first character of a line is no comment and no string. Where nothing is parsed it is taken for code.
pub(super) fn begins_as_code(side: &Side<'_>, number: u32, line: &str) -> bool {
    is_code_at(side, number, line.len() - line.trim_start().len())
}

/// Whether a byte of a line is no comment and no string.
pub(super) fn is_code_at(side: &Side<'_>, number: u32, byte: usize) -> bool {
    let parsed = side.parsed.zip(Line::new(number));
    let region = parsed.map(|(parsed, at)| parsed.region(parsed.line_range(at).start + byte));
    region.is_none_or(|region| region == Region::Code)
}

fn line(side: &Side<'_>, number: u32) -> Option<String> {
    let text = side.text.line_text(Line::new(number)?)?;
    (text.len() <= LONGEST).then(|| neutral(&text).0.into_owned())
}

/// Names that an import brings in, for telling whether a hunk uses it. Of a path of Go it is the last part that code says,
/// or the name before it; of all others each word is one.
pub(super) fn names(import: &str, language: Option<Language>) -> impl Iterator<Item = &str> {
    let said = if language == Some(Language::Go) { go_name(import) } else { import };
    words(said).filter(|word| !KEYWORDS.contains(word))
}

const KEYWORDS: &[&str] = &[
    "import", "from", "use", "using", "require", "include", "const", "let", "var", "as", "static", "crate", "self",
    "super", "pub", "export", "type", "function", "global", "extern",
];

fn go_name(import: &str) -> &str {
    let import = import.trim().trim_start_matches("import").trim_start();
    let (name, path) = import.split_once(['"', '`']).unwrap_or(("", import));
    if !name.trim().is_empty() {
        return name;
    }
    let path = path.split(['"', '`']).next().unwrap_or("");
    let is_version = |part: &&str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let part = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    part.split_once(".v").map_or(part, |(name, _)| name)
}

/// The words of a line of code.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !(character.is_alphanumeric() || character == '_')).filter(|word| word.len() > 1)
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use super::*;
    use crate::diff::Text;
    use crate::syntax::{Limits, Parsed};

    fn found(language: Language, text: &str) -> Vec<String> {
        let text = Text::whole(text.as_bytes().to_vec());
        let parsed = Parsed::parse(language, text.bytes(), &Limits::default()).ok();
        let side = Side { text: &text, parsed: parsed.as_ref() };
        imports(&side, Some(language)).into_iter().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn go_imports_stand_in_its_import_declarations() {
        let text = "package a\n\nimport \"os\"\nimport (\n\t\"fmt\"\n\ty \"gopkg.in/yaml.v3\" // why\n\t_ \"embed\"\n)\n\n\
                    func scheme() string {\n\treturn \"https\"\n}\n\nvar all = []string{\n\t\"a\"\n}\n";
        assert_eq!(
            found(Language::Go, text),
            ["import \"os\"", "\"fmt\"", "y \"gopkg.in/yaml.v3\" // why", "_ \"embed\""]
        );
    }

    #[test]
    fn prose_and_strings_are_no_imports() {
        let text = "\"\"\"About.\n\nimport name is main.\nfrom a import of things\n\"\"\"\nimport os\n\ndef f():\n    \
                    from .b import c\n    if c:\n        return \"__main__\"\n    yield \"x\"\n";
        assert_eq!(found(Language::Python, text), ["import os", "from .b import c"]);
        assert_eq!(
            found(
                Language::CSharp,
                "using System.Text;\nclass A {\n  void F() {\n    using (var a = G()) { }\n    \
                                     using var b = G();\n  }\n}\n"
            ),
            ["using System.Text;"]
        );
        assert_eq!(
            found(
                Language::TypeScript,
                "import a, { b } from 'c';\nconst m = await import('d');\n/* import x from 'y' */\n"
            ),
            ["import a, { b } from 'c';"]
        );
        assert_eq!(found(Language::Rust, "use std::fmt;\npub(crate) use a::b;\nfn f() { let used = 1; }\n").len(), 2);
        assert_eq!(found(Language::Yaml, "include: x\nimport: y\n"), [""; 0]);
    }

    #[test]
    fn an_import_of_go_is_known_by_what_code_says() {
        let said = |import| names(import, Some(Language::Go)).collect::<Vec<_>>();
        assert_eq!(said("\"github.com/gin-gonic/gin/binding\""), ["binding"]);
        assert_eq!(said("import \"gopkg.in/yaml.v3\""), ["yaml"]);
        assert_eq!(said("\"github.com/a/b/v2\" // why"), [""; 0], "`b` is too short to tell");
        assert_eq!(said("\"github.com/a/box/v2\" // why"), ["box"]);
        assert_eq!(said("pb \"example.org/proto\""), ["pb"]);
        let words = |import| names(import, Some(Language::Python)).collect::<Vec<_>>();
        assert_eq!(words("from .app import Flask as App"), ["app", "Flask", "App"]);
    }
}
