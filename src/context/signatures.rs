//! What a test file says without its bodies: names, classes, fixtures, assertions (SWE-PRBench, appendix B, layer 4b).

use std::sync::LazyLock;

use regex::Regex;

use super::hostile::neutral;
use super::part::numbered;
use super::rows::Side;
use crate::diff::Hunk;
use crate::finding::Line;
use crate::syntax::{Language, Region};

/// Longest line, and most of them.
const LONG: usize = 200;
const MOST: usize = 400;

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

/// The lines that remain: those of the changed functions and the changed ones first, each in order.
pub(super) fn signatures(hunks: &[Hunk], side: &Side<'_>, language: Option<Language>) -> Vec<String> {
    if language.is_none_or(|language| language == Language::Yaml) {
        return Vec::new();
    }
    let symbols = side.parsed.map_or(&[][..], |parsed| parsed.symbols());
    let declared: std::collections::BTreeSet<u32> = symbols.iter().map(|symbol| symbol.line.get()).collect();
    let is_code = |number: u32, line: &str| {
        let first = line.len() - line.trim_start().len();
        let region =
            side.parsed.zip(Line::new(number)).map(|(parsed, at)| parsed.region(parsed.line_range(at).start + first));
        region.is_none_or(|region| region == Region::Code)
    };
    let kept = numbered(side.text).filter(|(number, line)| {
        line.len() <= LONG && (declared.contains(number) || KEPT.is_match(line)) && is_code(*number, line)
    });
    let spans: Vec<(u32, u32)> = hunks.iter().flat_map(|hunk| changed(hunk, side)).collect();
    let is_near = |number: u32| spans.iter().any(|(first, last)| (*first..=*last).contains(&number));
    let kept = kept.take(MOST).map(|(number, line)| (!is_near(number), neutral(&line).0.into_owned()));
    let (near, far): (Vec<_>, Vec<_>) = kept.partition(|(far, _)| !far);
    near.into_iter().chain(far).map(|(_, line)| line).collect()
}

/// The lines of a hunk, and of the functions that it touches.
fn changed(hunk: &Hunk, side: &Side<'_>) -> [(u32, u32); 3] {
    let own = (hunk.new.first, hunk.new.end().saturating_sub(1).max(hunk.new.first));
    let function = |number: u32| {
        let function = side.parsed.zip(Line::new(number)).and_then(|(parsed, line)| parsed.enclosing_function(line));
        function.map_or(own, |function| (function.first_line.get(), function.end_line.get()))
    };
    [own, function(own.0), function(own.1)]
}
