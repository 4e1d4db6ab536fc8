//! Columns of matches in lines of bytes.

use std::ops::Range;

use crate::finding::Columns;

/// Byte columns in a line as reports show it, where bytes that are not UTF-8 became U+FFFD. Asked from left to right, the
/// line is read once, however many matches it holds.
pub(super) struct LineColumns<'l> {
    line: &'l [u8],
    is_text: bool,
    /// Up to where the line was read, and how many bytes are shown of that.
    read: usize,
    shown: usize,
}

impl<'l> LineColumns<'l> {
    /// Columns of a line without its ending.
    pub(super) fn of(line: &'l [u8]) -> Self {
        Self { line, is_text: std::str::from_utf8(line).is_ok(), read: 0, shown: 0 }
    }

    /// The columns of a stretch of the line.
    pub(super) fn at(&mut self, bytes: Range<usize>) -> Columns {
        Columns { start: self.column(bytes.start), end: self.column(bytes.end) }
    }

    fn column(&mut self, offset: usize) -> u32 {
        if self.is_text {
            return offset as u32 + 1;
        }
        if offset < self.read {
            (self.read, self.shown) = (0, 0);
        }
        let next = self.line.get(self.read..offset).unwrap_or_default();
        let replaced = char::REPLACEMENT_CHARACTER.len_utf8();
        let shown =
            |part: std::str::Utf8Chunk<'_>| part.valid().len() + if part.invalid().is_empty() { 0 } else { replaced };
        self.shown += next.utf8_chunks().map(shown).sum::<usize>();
        self.read = offset;
        self.shown as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_text_that_is_shown() {
        for line in [&b"plain text"[..], "é😀 = x".as_bytes(), b"\xff a \xc3\xff b \xf0\x9f c", b"\xe2\x82"] {
            let mut columns = LineColumns::of(line);
            let starts = (0..=line.len()).filter(|at| line.get(*at).is_none_or(u8::is_ascii));
            for at in starts.clone().chain(starts) {
                let shown = String::from_utf8_lossy(&line[..at]).len() as u32 + 1;
                assert_eq!(columns.at(at..at), Columns { start: shown, end: shown }, "{line:?} {at}");
            }
        }
    }
}
