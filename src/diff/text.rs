//! One side of a file as numbered lines.

use std::borrow::Cow;

use super::Lines;
use crate::finding::Line;

/// The lines of one side of a file. Usually the whole file; from a patch only the lines that the patch shows.
#[derive(Debug, Default)]
pub struct Text {
    bytes: Vec<u8>,
    /// Byte offset of each stored line, in order, and one past the end.
    starts: Vec<u32>,
    /// The number of each stored line, for a side of which only parts are known.
    numbers: Option<Vec<u32>>,
}

impl Text {
    /// A whole file. At most 4 GiB; the readers above bound it far lower.
    pub fn whole(bytes: Vec<u8>) -> Self {
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 2);
        starts.push(0);
        for at in memchr::memchr_iter(b'\n', &bytes) {
            starts.push(at as u32 + 1);
        }
        if starts.last().is_some_and(|last| (*last as usize) < bytes.len()) {
            starts.push(bytes.len() as u32);
        }
        Self { bytes, starts, numbers: None }
    }

    /// The lines of one side that a patch shows, with their numbers in ascending order; each line has its ending.
    pub fn parts<'a>(lines: impl IntoIterator<Item = (Line, &'a [u8])>) -> Self {
        let mut text = Self { bytes: Vec::new(), starts: vec![0], numbers: Some(Vec::new()) };
        for (number, line) in lines {
            text.bytes.extend_from_slice(line);
            text.starts.push(text.bytes.len() as u32);
            if let Some(numbers) = &mut text.numbers {
                numbers.push(number.get());
            }
        }
        text
    }

    /// The bytes of all known lines, in order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether every line of the file is known.
    pub fn is_whole(&self) -> bool {
        self.numbers.is_none()
    }

    /// How many lines are known; for a whole file its line count.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether no line is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The line with its ending, or `None` where it does not exist or is not known.
    pub fn line(&self, line: Line) -> Option<&[u8]> {
        let index = match &self.numbers {
            None => line.index(),
            Some(numbers) => numbers.binary_search(&line.get()).ok()?,
        };
        let (start, end) = (*self.starts.get(index)?, *self.starts.get(index + 1)?);
        self.bytes.get(start as usize..end as usize)
    }

    /// The line as text without its ending; bytes that are not UTF-8 become U+FFFD.
    pub fn line_text(&self, line: Line) -> Option<Cow<'_, str>> {
        self.line(line).map(|bytes| String::from_utf8_lossy(trim_ending(bytes)))
    }

    /// Every known line with its number, endings included.
    pub fn lines(&self) -> impl Iterator<Item = (Line, &[u8])> + '_ {
        self.starts.windows(2).enumerate().map(|(index, pair)| {
            let number = match &self.numbers {
                None => Line::from_index(index as u32),
                Some(numbers) => Line::new(numbers[index]).unwrap_or(Line::from_index(0)),
            };
            (number, &self.bytes[pair[0] as usize..pair[1] as usize])
        })
    }

    /// The known ones among these lines, endings included.
    pub fn range(&self, lines: Lines) -> impl Iterator<Item = &[u8]> + '_ {
        (lines.first..lines.end()).filter_map(Line::new).filter_map(|line| self.line(line))
    }

    /// The bytes of the known ones among these lines, in one piece.
    pub fn bytes_of(&self, lines: Lines) -> &[u8] {
        let index = |line: u32| match &self.numbers {
            None => (line as usize).saturating_sub(1).min(self.len()),
            Some(numbers) => numbers.partition_point(|number| *number < line),
        };
        let start = self.starts.get(index(lines.first)).copied().unwrap_or(0) as usize;
        let end = self.starts.get(index(lines.end())).copied().unwrap_or(0) as usize;
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The 1-based line and byte column of a byte offset into [`Self::bytes`].
    pub fn position(&self, offset: usize) -> (Line, u32) {
        let index = self.starts.partition_point(|start| *start as usize <= offset).saturating_sub(1);
        let index = index.min(self.len().saturating_sub(1));
        let line = match &self.numbers {
            None => Line::from_index(index as u32),
            Some(numbers) => numbers.get(index).copied().and_then(Line::new).unwrap_or(Line::from_index(0)),
        };
        (line, (offset - self.starts.get(index).copied().unwrap_or(0) as usize) as u32 + 1)
    }
}

/// A line without `\n` or `\r\n`.
pub fn trim_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn lines(first: u32, count: u32) -> Lines {
        Lines { first, count }
    }

    #[test]
    fn lines_of_a_whole_file_in_one_piece() {
        let text = Text::whole(b"a\r\nb\nc".to_vec());
        assert_eq!(text.bytes_of(lines(1, 2)), b"a\r\nb\n");
        assert_eq!(text.bytes_of(lines(3, 1)), b"c");
        assert_eq!(text.bytes_of(lines(4, 0)), b"");
        assert_eq!(text.bytes_of(lines(2, 9)), b"b\nc");
        assert_eq!(Text::default().bytes_of(lines(1, 0)), b"");
    }

    #[test]
    fn known_lines_of_a_patch_in_one_piece() {
        let number = |number| Line::new(number).expect("not zero");
        let text = Text::parts([(number(5), &b"e\n"[..]), (number(6), b"f\n"), (number(9), b"i\n")]);
        assert_eq!(text.bytes_of(lines(5, 2)), b"e\nf\n");
        assert_eq!(text.bytes_of(lines(6, 4)), b"f\ni\n");
        assert_eq!(text.bytes_of(lines(7, 2)), b"");
    }
}
