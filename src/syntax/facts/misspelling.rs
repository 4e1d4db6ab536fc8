//! Misspellings from a list of corrections, in comments and in names that this change writes. A list and no dictionary:
//! what is not on it is somebody's word.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::{Fact, FactKind, FactValue, with_outline};
use crate::finding::Line;
use crate::syntax::{Parsed, Region};

pub(super) const HAS_MISSPELLING: Fact = Fact {
    name: "has_misspelling",
    help: "Whether a comment or a declared name on added lines of the place holds a listed misspelling. Unknown in broken \
           code.",
    kind: FactKind::Bool,
    applies: with_outline,
    compute: |input| match input.sound() {
        Some(new) => {
            let mut lines = (input.lines.0.get()..=input.lines.1.get()).filter_map(Line::new);
            let holds = |line: Line| (input.is_added)(line) && !misspellings(new, line).is_empty();
            FactValue::Bool(lines.any(holds))
        }
        None => FactValue::Unknown,
    },
};

/// `wrong right`, one a line; in lower case, four letters or more, and no word of another language or a common name.
static LIST: &str = include_str!("misspellings.txt");

static CORRECTIONS: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| LIST.lines().filter_map(|line| line.split_once(' ')).collect());

static MISSPELT: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    LIST.lines().filter_map(|line| line.split_once(' ')).map(|(wrong, right)| (right, wrong)).collect()
});

/// A listed misspelling of a word, in the case of the word.
pub fn misspelt(word: &str) -> Option<String> {
    MISSPELT.get(word.to_ascii_lowercase().as_str()).map(|wrong| cased(word, wrong))
}

/// A listed misspelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misspelling {
    /// Where the word stands.
    pub bytes: Range<usize>,
    /// The correction, in the case of the word.
    pub fix: String,
}

/// Whether a text holds a listed misspelling anywhere, be it in a comment, a name or a literal.
pub fn may_be_misspelt(text: &str) -> bool {
    words(text).any(|(_, word)| CORRECTIONS.contains_key(word.to_ascii_lowercase().as_str()))
}

/// The misspellings in the comments of a line and in the names that it declares.
pub fn misspellings(parsed: &Parsed, line: Line) -> Vec<Misspelling> {
    let range = parsed.line_range(line);
    let text = parsed.source().get(range.clone()).unwrap_or_default();
    let misspelling = |(start, word): (usize, &str)| {
        let fix = CORRECTIONS.get(word.to_ascii_lowercase().as_str())?;
        let at = range.start + start;
        let in_comment = parsed.region(at) == Region::Comment && !is_address(text, start, word.len());
        // A name used here may be misspelt elsewhere; only its declaration can be mended here.
        let declared = || {
            parsed.region(at) == Region::Code
                && parsed
                    .symbols()
                    .iter()
                    .any(|symbol| symbol.line == line && parsed.enclosing(line).is_some() && symbol.name.contains(word))
        };
        (in_comment || declared()).then(|| Misspelling { bytes: at..at + word.len(), fix: cased(word, fix) })
    };
    words(text).filter_map(misspelling).collect()
}

/// The words of a line: letters, cut where a lower-case letter meets an upper-case one.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphabetic() {
            at += 1;
        }
        let start = at;
        while at < bytes.len()
            && bytes[at].is_ascii_alphabetic()
            && (at == start || !(bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase()))
        {
            at += 1;
        }
        (at > start).then(|| (start, &text[start..at]))
    })
}

/// Whether a word is a part of an address, a path, a quoted name or a name with digits or accents around it.
fn is_address(text: &str, start: usize, length: usize) -> bool {
    let left = text[..start].rsplit(char::is_whitespace).next().unwrap_or_default();
    let right = text[start + length..].split(char::is_whitespace).next().unwrap_or_default();
    let token = [left, right].concat();
    let marks = ["/", "@", "_", "`", "\\", "<", ">", "=", "::", "\"", "'"];
    marks.iter().any(|mark| token.contains(mark))
        || right.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()))
        || token.bytes().any(|byte| byte.is_ascii_digit() || !byte.is_ascii())
}

fn cased(word: &str, fix: &str) -> String {
    let upper = word.bytes().all(|byte| byte.is_ascii_uppercase());
    let first = word.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    match (upper, first) {
        (true, _) => fix.to_ascii_uppercase(),
        (false, true) => fix[..1].to_ascii_uppercase() + &fix[1..],
        _ => fix.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_and_corrects() {
        let wrong: Vec<&str> = LIST.lines().filter_map(|line| line.split_once(' ')).map(|(wrong, _)| wrong).collect();
        assert_eq!(wrong.len(), LIST.lines().count());
        assert!(wrong.is_sorted() && wrong.windows(2).all(|pair| pair[0] != pair[1]), "one a line, in order");
        for (wrong, right) in CORRECTIONS.iter() {
            assert!(wrong.len() >= 4 && !CORRECTIONS.contains_key(right), "{wrong}");
            assert!(wrong.bytes().chain(right.bytes()).all(|byte| byte.is_ascii_lowercase()), "{wrong}");
        }
    }

    #[test]
    fn words_are_cut_at_capitals() {
        let found: Vec<&str> = words("int recieveHTTP_datax = 1;").map(|(_, word)| word).collect();
        assert_eq!(found, ["int", "recieve", "HTTP", "datax"]);
    }
}
