//! The lines and columns a finding speaks of, for formats that count in something else than bytes.

use crate::finding::{Columns, Cut, Finding, Frame, Line, Location, Untrusted};

/// A stretch of a file as SARIF and editors count it: lines and columns from 1, columns in UTF-16 code units, the end
/// column exclusive (SARIF 2.1.0, 3.30).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) start_column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
    /// Exactly the text between the two, where it is known; lines are joined by a line feed.
    pub(super) text: Option<String>,
}

/// The region of a finding's own location.
pub(super) fn of_finding(finding: &Finding) -> Region {
    let location = &finding.claim.location;
    of_cut(location, finding).unwrap_or_else(|| {
        let lines = framed(finding, location.line, location.end_line).or_else(|| quoted(finding));
        of_lines(location, lines.as_deref())
    })
}

/// The region of any other location; its text is known only if the finding's frame happens to show it.
pub(super) fn of_related(location: &Location, finding: &Finding) -> Region {
    let in_file = location.path == finding.claim.location.path;
    in_file.then(|| of_cut(location, finding)).flatten().unwrap_or_else(|| {
        let lines = in_file.then(|| framed(finding, location.line, location.end_line)).flatten();
        of_lines(location, lines.as_deref())
    })
}

/// The lines `first..=last` of the finding's file, if its frame holds all of them whole.
pub(super) fn framed(finding: &Finding, first: Line, last: Line) -> Option<Vec<&str>> {
    let frame = finding.frame.as_ref()?;
    if frame.cuts.iter().any(|cut| (first..=last).contains(&cut.line)) {
        return None;
    }
    lines(frame, first, last)
}

/// What a frame keeps of a line, and what it leaves out.
pub(super) fn kept(frame: &Frame, line: Line) -> Option<(&str, Option<&Cut>)> {
    Some((lines(frame, line, line)?.first()?, frame.cut(line)))
}

/// The lines `first..=last` as far as a frame keeps them.
fn lines(frame: &Frame, first: Line, last: Line) -> Option<Vec<&str>> {
    let from = first.get().checked_sub(frame.first.get())? as usize;
    let to = last.get().checked_sub(frame.first.get())? as usize;
    Some(frame.lines.get(from..=to)?.iter().map(Untrusted::raw).collect())
}

/// The region of a location on lines of which the frame keeps a part. Its text is known if that part holds it.
fn of_cut(location: &Location, finding: &Finding) -> Option<Region> {
    let frame = finding.frame.as_ref()?;
    let (first, last) = (location.line, location.end_line.max(location.line));
    let shown = lines(frame, first, last)?;
    if let (Some(cut), true, Some(Columns { start, end })) = (frame.cut(first), first == last, location.columns) {
        let at = |column: u32| (column as usize).checked_sub(cut.bytes as usize + 1);
        let line = shown.first()?;
        if let (Some(from), Some(to)) = (at(start), at(end))
            && from < to
            && to <= line.len()
        {
            let (from, to) = (line.floor_char_boundary(from), line.floor_char_boundary(to));
            let marked = first.get() == 1 && line.starts_with('\u{feff}');
            let before = cut.units.saturating_add(units(&line[..from])).saturating_sub(u32::from(marked));
            let start_column = before.saturating_add(1);
            let text = line[from..to].to_owned();
            let end_column = start_column.saturating_add(units(&text));
            let (start_line, end_line) = (first.get(), last.get());
            return Some(Region { start_line, start_column, end_line, end_column, text: Some(text) });
        }
    }
    // The whole lines, but not their text.
    frame.cuts.iter().find(|cut| (first..=last).contains(&cut.line))?;
    let end = frame.cut(last).map(|cut| cut.width).or_else(|| shown.last().map(|line| units(line)))?;
    Some(Region {
        start_line: first.get(),
        start_column: 1,
        end_line: last.get(),
        end_column: end.saturating_add(1),
        text: None,
    })
}

/// The quote's lines, if they are all of the located lines (a quote is one or more whole lines).
fn quoted(finding: &Finding) -> Option<Vec<&str>> {
    let location = &finding.claim.location;
    let quote = finding.claim.quote.raw();
    let lines: Vec<&str> = quote.lines().collect();
    let wanted = location.end_line.get().checked_sub(location.line.get())? as usize + 1;
    (lines.len() == wanted && !quote.is_empty()).then_some(lines)
}

/// The whole lines, narrowed to the columns where there are some.
fn of_lines(location: &Location, lines: Option<&[&str]>) -> Region {
    let (start_line, end_line) = (location.line.get(), location.end_line.get().max(location.line.get()));
    let columns = location.columns.filter(|_| start_line == end_line);
    let Some(lines) = lines.filter(|lines| !lines.is_empty()) else {
        // Nothing is known of the text: byte columns as they are, else an empty stretch, which any line can hold.
        let Columns { start, end } = columns.unwrap_or(Columns { start: 1, end: 1 });
        let (start, end) = (start.max(1), end.max(start).max(1));
        return Region { start_line, start_column: start, end_line, end_column: end, text: None };
    };
    let mut lines = lines.to_vec();
    // A byte order mark is no part of the text that columns count (SARIF 2.1.0, 3.30.2).
    let mark = match lines.first_mut() {
        Some(first) if start_line == 1 && first.starts_with('\u{feff}') => {
            *first = first.trim_start_matches('\u{feff}');
            '\u{feff}'.len_utf8() as u32
        }
        _ => 0,
    };
    let only = lines.first().copied().unwrap_or_default();
    if let Some(Columns { start, end }) = columns.filter(|columns| columns.start < columns.end) {
        let from = boundary(only, start.saturating_sub(mark).max(1));
        let to = boundary(only, end.saturating_sub(mark).max(1)).max(from);
        let text = only.get(from..to).unwrap_or_default();
        let start_column = 1 + units(only.get(..from).unwrap_or_default());
        let end_column = start_column + units(text);
        return Region { start_line, start_column, end_line, end_column, text: Some(text.to_owned()) };
    }
    let last = lines.last().copied().unwrap_or_default();
    Region { start_line, start_column: 1, end_line, end_column: 1 + units(last), text: Some(lines.join("\n")) }
}

/// The byte index of a column, moved back to the start of the character it points into.
fn boundary(line: &str, column: u32) -> usize {
    line.floor_char_boundary(column as usize - 1)
}

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::{Region, framed, of_finding, of_lines};
    use crate::finding::{Columns, Cut, Level, Line, Location};
    use crate::report::fixture;

    fn at(line: u32, end_line: u32, columns: Option<(u32, u32)>) -> Location {
        Location {
            path: "a".into(),
            line: Line::new(line).expect("a line"),
            end_line: Line::new(end_line).expect("a line"),
            columns: columns.map(|(start, end)| Columns { start, end }),
        }
    }

    fn corners(region: &Region) -> (u32, u32, u32, u32, Option<&str>) {
        let Region { start_line, start_column, end_line, end_column, text } = region;
        (*start_line, *start_column, *end_line, *end_column, text.as_deref())
    }

    #[test]
    fn byte_columns_become_utf16_columns() {
        // é is 2 bytes and 1 unit, 😀 is 4 bytes and 2 units.
        let line = ["é😀 = x"];
        assert_eq!(corners(&of_lines(&at(7, 7, Some((10, 11))), Some(&line))), (7, 7, 7, 8, Some("x")));
        // A column inside a character points at that character.
        assert_eq!(corners(&of_lines(&at(7, 7, Some((4, 7))), Some(&line))), (7, 2, 7, 4, Some("😀")));
    }

    #[test]
    fn whole_lines_end_after_their_last_character() {
        assert_eq!(corners(&of_lines(&at(3, 4, None), Some(&["a", " 😀"]))), (3, 1, 4, 4, Some("a\n 😀")));
        assert_eq!(corners(&of_lines(&at(3, 3, None), Some(&[""]))), (3, 1, 3, 1, Some("")));
    }

    #[test]
    fn columns_beyond_the_line_are_clamped() {
        assert_eq!(corners(&of_lines(&at(1, 1, Some((2, 900))), Some(&["abc"]))), (1, 2, 1, 4, Some("bc")));
        assert_eq!(corners(&of_lines(&at(1, 1, Some((0, 2))), Some(&["abc"]))), (1, 1, 1, 2, Some("a")));
        assert_eq!(corners(&of_lines(&at(1, 1, Some((3, 2))), Some(&["abc"]))), (1, 1, 1, 4, Some("abc")));
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        assert_eq!(corners(&of_lines(&at(1, 1, Some((4, 7))), Some(&["\u{feff}abc"]))), (1, 1, 1, 4, Some("abc")));
        assert_eq!(corners(&of_lines(&at(1, 1, None), Some(&["\u{feff}abc"]))), (1, 1, 1, 4, Some("abc")));
    }

    #[test]
    fn without_text_all_four_are_still_there() {
        assert_eq!(corners(&of_lines(&at(5, 5, None), None)), (5, 1, 5, 1, None));
        assert_eq!(corners(&of_lines(&at(5, 5, Some((9, 3))), None)), (5, 9, 5, 9, None));
    }

    #[test]
    fn what_is_cut_keeps_its_columns() {
        let mut finding = fixture::finding("T", Level::Note, "a", 7, &["short", "é😀 = x y"]);
        let line = Line::new(7).expect("a line");
        let cut = Cut { line, bytes: 3_000, chars: 2_000, units: 2_500, width: 9_000 };
        finding.frame.as_mut().expect("a frame").cuts = vec![cut];
        finding.claim.location = at(7, 7, Some((3_010, 3_011)));
        assert_eq!(corners(&of_finding(&finding)), (7, 2_507, 7, 2_508, Some("x")));
        // Beside what is kept, only the whole line is known, and not its text.
        for columns in [Some((2_999, 3_002)), Some((3_010, 4_000)), None] {
            finding.claim.location = at(7, 7, columns);
            assert_eq!(corners(&of_finding(&finding)), (7, 1, 7, 9_001, None), "{columns:?}");
        }
        finding.claim.location = at(6, 7, None);
        assert_eq!(corners(&of_finding(&finding)), (6, 1, 7, 9_001, None));
        finding.claim.location = at(6, 6, Some((1, 3)));
        assert_eq!(corners(&of_finding(&finding)), (6, 1, 6, 3, Some("sh")));
        assert!(framed(&finding, line, line).is_none(), "a part is not the line");
    }
}
