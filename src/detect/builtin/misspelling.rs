//! Misspellings from a list of corrections, in comments and in names that this change writes. A list and no dictionary:
//! what is not on it is somebody's word.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::detect::{Builtin, FileView, Hit, Run};
use crate::syntax::{Language, Region};

pub(super) const DETECTOR: Builtin = Builtin {
    name: "misspelling_list",
    help: "a listed misspelling in a comment or a declared name; `{word}` and `{fix}`",
    captures: &["word", "fix"],
    reads_comments: true,
    run: Run::File(run),
};

/// `wrong right`, one a line; in lower case, four letters or more, and no word of another language or a common name.
static LIST: &str = include_str!("misspellings.txt");

static CORRECTIONS: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| LIST.lines().filter_map(|line| line.split_once(' ')).collect());

fn run(view: &FileView<'_>) -> Vec<Hit> {
    if view.language == Some(Language::Yaml) {
        return Vec::new();
    }
    let is_listed = |word: &str| CORRECTIONS.contains_key(word.to_ascii_lowercase().as_str());
    let Some((parsed, lines)) = view.parsed_lines(|text| words(text).any(|(_, word)| is_listed(word))) else {
        return Vec::new();
    };
    let mut hits = Vec::new();
    for line in lines {
        let range = parsed.line_range(line);
        let Some(text) = parsed.source().get(range.clone()) else { continue };
        for (start, word) in words(text) {
            let Some(fix) = CORRECTIONS.get(word.to_ascii_lowercase().as_str()) else { continue };
            let at = range.start + start;
            let in_comment = parsed.region(at) == Region::Comment && !is_address(text, start, word.len());
            // A name used here may be misspelt elsewhere; only its declaration can be mended here.
            let declared = || {
                parsed.region(at) == Region::Code
                    && parsed.symbols().iter().any(|symbol| {
                        symbol.line == line && parsed.enclosing(line).is_some() && symbol.name.contains(word)
                    })
            };
            if in_comment || declared() {
                let hit = Hit::in_source(parsed, at..at + word.len());
                hits.push(hit.with("word", word).with("fix", cased(word, fix)));
            }
        }
    }
    hits
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
