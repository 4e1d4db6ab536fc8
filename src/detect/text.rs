//! Regular expressions over added text. A hunk is searched as one piece; a match never crosses a line, and of one line a
//! detector reports no more than [`LINE_HITS`].

use std::collections::BTreeMap;

use regex::bytes::{Captures, Regex};

use super::columns::LineColumns;
use super::{FileView, Hit, LINE_HITS};
use crate::diff::trim_ending;
use crate::finding::Line;
use crate::rules::Place;
use crate::syntax::Region;

/// Matches anywhere on added lines; needs no parse.
pub(super) fn in_text(view: &FileView<'_>, regex: &Regex) -> Vec<Hit> {
    let mut hits = Vec::new();
    for hunk in view.change.hunks() {
        // The whole hunk first: most hold nothing, and one long search is quicker than many short ones.
        if !regex.is_match(view.text.bytes_of(hunk.new)) {
            continue;
        }
        for line in (hunk.new.first..hunk.new.end()).filter_map(Line::new) {
            let Some(bytes) = view.text.line(line).map(trim_ending) else { continue };
            let mut columns = None;
            for captures in regex.captures_iter(bytes).take(LINE_HITS) {
                let found = captures.get(0).expect("group 0 is the whole match");
                let columns = columns.get_or_insert_with(|| LineColumns::of(bytes)).at(found.range());
                let captures = named(regex, &captures);
                hits.push(Hit { line, end_line: line, columns: Some(columns), bytes: None, captures });
            }
        }
    }
    hits
}

/// Matches on added lines that begin in code, a string or a comment, by the parser's mask. Nothing is parsed where
/// nothing matches.
pub(super) fn in_region(view: &FileView<'_>, regex: &Regex, place: Place) -> Vec<Hit> {
    let wanted = match place {
        Place::Code => Region::Code,
        Place::String => Region::String,
        Place::Comment => Region::Comment,
        Place::Any => return in_text(view, regex),
    };
    let Some((parsed, lines)) = view.parsed_lines(|text| regex.is_match(text.as_bytes())) else { return Vec::new() };
    let mut hits = Vec::new();
    for line in lines {
        let range = parsed.line_range(line);
        let Some(source) = parsed.source().get(range.clone()) else { continue };
        let most = hits.len() + LINE_HITS;
        for captures in regex.captures_iter(trim_ending(source.as_bytes())) {
            let found = captures.get(0).expect("group 0 is the whole match");
            let bytes = range.start + found.start()..range.start + found.end();
            // A pattern for strings may begin at the name that the string is assigned to.
            let begins = parsed.region(bytes.start) == wanted;
            let touches = bytes.clone().any(|byte| parsed.region(byte) == wanted);
            if begins || (place == Place::String && touches) {
                let mut hit = Hit::in_source(parsed, bytes);
                hit.captures.extend(named(regex, &captures));
                hits.push(hit);
            }
            if hits.len() == most {
                break;
            }
        }
    }
    hits
}

fn named(regex: &Regex, captures: &Captures<'_>) -> BTreeMap<String, String> {
    let mut named = BTreeMap::new();
    for (index, name) in regex.capture_names().enumerate() {
        if let Some(group) = captures.get(index) {
            let value = String::from_utf8_lossy(group.as_bytes()).into_owned();
            if let Some(name) = name {
                named.insert(name.to_owned(), value.clone());
            }
            named.insert(index.to_string(), value);
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::FileChange;
    use crate::finding::Columns;

    #[test]
    fn a_line_of_many_matches_gives_a_few_at_their_columns() {
        let line = [b"\xff ".to_vec(), b"key-0123456789 ".repeat(200_000)].concat();
        let change = FileChange::new_file("a.txt".into(), [line.as_slice(), b"\nkey-1\n"].concat());
        let view = FileView::of(&change).expect("a text");
        let regex = Regex::new("key-[0-9]+").expect("a pattern");
        let hits = in_text(&view, &regex);
        assert_eq!(hits.len(), LINE_HITS + 1);
        // The byte that is no text is shown in three.
        assert_eq!(hits[1].columns, Some(Columns { start: 20, end: 34 }));
        assert_eq!(hits[LINE_HITS].line.get(), 2);
    }

    #[test]
    fn a_line_of_many_strings_gives_a_few() {
        let change = FileChange::new_file("a.py".into(), format!("x = [{}]\n", "'key-1', ".repeat(2_000)).into());
        let view = FileView::of(&change).expect("a text");
        let regex = Regex::new("key-[0-9]+").expect("a pattern");
        assert_eq!(in_region(&view, &regex, Place::String).len(), LINE_HITS);
        assert_eq!(in_region(&view, &regex, Place::Code).len(), 0);
    }
}
