//! What a test file says without its bodies: names, classes, fixtures, assertions (SWE-PRBench, appendix B, layer 4b). Test
//! by test, so that a page tells of the tests that have to do with it and of no others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::base::{begins_as_code, words};
use super::hostile::neutral;
use super::part::numbered;
use super::rows::Side;
use crate::diff::Hunk;
use crate::finding::Line;
use crate::syntax::{Language, SymbolKind};

/// Longest line.
const LONG: usize = 200;

static KEPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?:(?:async\s+)?def\s|class\s|assert\b|assert[A-Z_!(]|assert_|self\.assert|@(?:pytest\.)?\w*fixture|",
        r"@(?:Test|ParameterizedTest|BeforeEach|AfterEach|Before|After)\b|#\[(?:\w+::)?test\b|",
        r"(?:it|test|describe|context|specify|beforeEach|afterEach|beforeAll|afterAll)(?:\.\w+)*\s*(?:\(|do\b)|",
        r#"(?:it|test|describe|context|specify)\s+["']|let!?\(:|expect\s*\(|(?:require|assert)\.\w+\(|"#,
        r"func\s+(?:\([^)]*\)\s*)?(?:Test|Benchmark|Fuzz|Example)|t\.(?:Run|Error|Fatal)|EXPECT_|ASSERT_|TEST(?:_F|_P)?\(|",
        r"\$this->assert|Assert\.)"
    ))
    .expect("the pattern is a constant that compiles")
});

/// What begins a test where tests are calls and no functions.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:it|test|specify)(?:\.\w+)*\s*(?:\(|["']|do\b)"#)
        .expect("the pattern is a constant that compiles")
});

/// A test without its body.
#[derive(Debug)]
pub(super) struct Signature {
    /// Its name and what it asserts, with the numbers of the lines; of a class its first line.
    pub(super) lines: Vec<(u32, String)>,
    /// Its lines in the file, first and last.
    span: (u32, u32),
    /// Whether it is what holds tests, such as a class.
    pub(super) holds: bool,
    /// Whether the change touches it.
    pub(super) changed: bool,
    /// The names in it, those of its body among them.
    names: BTreeSet<String>,
}

impl Signature {
    /// Whether it speaks of one of these names.
    pub(super) fn names_any(&self, names: &BTreeSet<&str>) -> bool {
        names.iter().any(|name| self.names.contains(*name))
    }

    /// Whether one that follows stands in it.
    pub(super) const fn is_around(&self, later: &Self) -> bool {
        later.span.0 <= self.span.1
    }
}

/// The tests of a file, and what holds them, in order.
pub(super) fn signatures(hunks: &[Hunk], side: &Side<'_>, language: Option<Language>) -> Vec<Signature> {
    if language.is_none_or(|language| language == Language::Yaml) {
        return Vec::new();
    }
    let symbols = side.parsed.map_or(&[][..], |parsed| parsed.symbols());
    let declared: BTreeSet<u32> = symbols.iter().map(|symbol| symbol.line.get()).collect();
    let mut found: Vec<Signature> = Vec::new();
    let mut by_first: BTreeMap<u32, usize> = BTreeMap::new();
    // A test that is a call ends where the next one begins.
    let mut call = None;
    for (number, line) in numbered(side.text) {
        let (span, holds) = match around(side, number) {
            Some(around) => around,
            None => {
                if CALL.is_match(&line) && begins_as_code(side, number, &line) {
                    call = Some(number);
                }
                let Some(first) = call else { continue };
                ((first, number), false)
            }
        };
        let index = *by_first.entry(span.0).or_insert(found.len());
        if index == found.len() {
            found.push(Signature { lines: Vec::new(), span, holds, changed: false, names: BTreeSet::new() });
        }
        let signature = &mut found[index];
        signature.span.1 = signature.span.1.max(span.1);
        signature.names.extend(words(&line).map(str::to_owned));
        let is_kept = line.len() <= LONG && (declared.contains(&number) || KEPT.is_match(&line));
        if is_kept && begins_as_code(side, number, &line) {
            signature.lines.push((number, neutral(&line).0.into_owned()));
        }
    }
    for signature in &mut found {
        let (first, last) = signature.span;
        let touches =
            |hunk: &Hunk| hunk.new.first <= last && first <= hunk.new.end().saturating_sub(1).max(hunk.new.first);
        signature.changed = hunks.iter().any(touches);
    }
    found
}

/// The lines of the outermost function around a line, else of the innermost class or module, which is said then.
fn around(side: &Side<'_>, number: u32) -> Option<((u32, u32), bool)> {
    let parsed = side.parsed?;
    let innermost = parsed.enclosing(Line::new(number)?)?;
    let chain = || std::iter::successors(Some(innermost), |symbol| parsed.symbols().get(symbol.parent?));
    let function = chain().filter(|symbol| symbol.kind.is_function()).last();
    let symbol = function.unwrap_or(innermost);
    let holds = matches!(symbol.kind, SymbolKind::Type | SymbolKind::Module);
    Some(((symbol.first_line.get(), symbol.end_line.get()), holds))
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use super::*;
    use crate::diff::{Lines, Text};
    use crate::syntax::{Limits, Parsed};

    fn of(language: Language, text: &str, changed: u32) -> Vec<(String, bool, bool)> {
        let text = Text::whole(text.as_bytes().to_vec());
        let parsed = Parsed::parse(language, text.bytes(), &Limits::default()).ok();
        let side = Side { text: &text, parsed: parsed.as_ref() };
        let lines = Lines { first: changed, count: 1 };
        let found = signatures(&[Hunk { old: lines, new: lines }], &side, Some(language));
        let names = BTreeSet::from(["fetch"]);
        let lines =
            |signature: &Signature| signature.lines.iter().map(|line| line.1.as_str()).collect::<Vec<_>>().join("|");
        let told = |signature: &Signature| (lines(signature), signature.changed, signature.names_any(&names));
        found.iter().map(told).collect()
    }

    fn told(lines: &str, changed: bool, names: bool) -> (String, bool, bool) {
        (lines.to_owned(), changed, names)
    }

    #[test]
    fn a_test_is_told_by_itself() {
        let text = "class TestA:\n    def test_one(self):\n        x = fetch()\n        assert x\n\n    def test_two(self):\n        \
                    def inner():\n            pass\n        assert inner\n";
        assert_eq!(
            of(Language::Python, text, 9),
            [
                told("class TestA:", true, false),
                told("    def test_one(self):|        assert x", false, true),
                told("    def test_two(self):|        def inner():|        assert inner", true, false),
            ]
        );
    }

    #[test]
    fn tests_that_are_calls() {
        let text = "import a from 'b';\n\ndescribe('c', () => {\n  it('one', () => {\n    expect(fetch()).toBe(1);\n  });\n  \
                    it('two', () => {\n    expect(2).toBe(2);\n  });\n});\n";
        assert_eq!(
            of(Language::JavaScript, text, 8),
            [
                told("  it('one', () => {|    expect(fetch()).toBe(1);", false, true),
                told("  it('two', () => {|    expect(2).toBe(2);", true, false),
            ]
        );
    }
}
