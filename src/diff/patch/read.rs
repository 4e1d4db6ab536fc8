//! The parser. One pass, no recursion; memory grows with the input only.

use super::Error;
use super::header::{File, Header};
use crate::diff::load::{has_long_line, is_lfs_pointer};
use crate::diff::{Body, FileChange, Hunk, Limits, Lines, NotCode, Status, Text, Unread, classify};
use crate::finding::Line;
use crate::git::{EntryKind, Flags};

/// Files in one patch.
const FILES: usize = 100_000;

/// Reads a patch. Lines of a file are known as far as the patch shows them ([`Text::parts`]); an added or deleted file
/// is known whole. A copy is listed as a rename, because its lines are read against its source.
///
/// # Errors
/// The first thing that is no unified diff or does not add up, with its line. Prose without any patch gives no files.
pub fn parse(patch: &[u8], limits: &Limits) -> Result<Vec<FileChange>, Error> {
    let mut parser = Parser { input: Input::new(patch), files: Vec::new(), limits: *limits };
    parser.run()?;
    Ok(parser.files)
}

/// The lines of a patch with their numbers.
struct Input<'a> {
    rest: &'a [u8],
    /// The number of the line that `peek` gives, from 1.
    number: u64,
}

impl<'a> Input<'a> {
    const fn new(rest: &'a [u8]) -> Self {
        Self { rest, number: 1 }
    }

    /// The next line with its ending.
    fn peek(&self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        (end > 0).then(|| &self.rest[..end])
    }

    fn skip(&mut self) {
        if let Some(line) = self.peek() {
            self.rest = &self.rest[line.len()..];
            self.number += 1;
        }
    }

    /// The next lines, at most `count`.
    fn ahead(&self, count: usize) -> Vec<&'a [u8]> {
        let mut input = Input { rest: self.rest, number: 0 };
        let mut lines = Vec::with_capacity(count);
        while lines.len() < count
            && let Some(line) = input.peek()
        {
            lines.push(line);
            input.skip();
        }
        lines
    }
}

struct Parser<'a> {
    input: Input<'a>,
    files: Vec<FileChange>,
    limits: Limits,
}

/// A header line without its ending.
fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Whether a header line ends in CRLF; then the whole file section went through a conversion, and each line has a
/// carriage return that is not the file's. git quotes a carriage return that belongs to a name.
fn is_crlf(line: &[u8]) -> bool {
    line.ends_with(b"\r\n")
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Error> {
        while let Some(line) = self.input.peek() {
            let number = self.input.number;
            let text = bare(line);
            if let Some(names) = text.strip_prefix(b"diff --git ") {
                self.input.skip();
                self.file(Header::git(names, number), is_crlf(line))?;
            } else if text.starts_with(b"diff --cc ") || text.starts_with(b"diff --combined ") || is_combined(text) {
                return Err(Error::Combined(number));
            } else if self.is_plain_header() {
                self.file(Header::plain(number), is_crlf(line))?;
            } else if text.starts_with(b"@@ -") && hunk_header(text).is_some() {
                return Err(Error::NoFile(number));
            } else {
                self.input.skip();
            }
        }
        Ok(())
    }

    /// Whether a plain header stands here: `---`, `+++`, `@@` one after the other. Anything less is prose.
    fn is_plain_header(&self) -> bool {
        if !self.input.rest.starts_with(b"--- ") {
            return false;
        }
        let [old, new, hunk] = self.input.ahead(3)[..] else { return false };
        old.starts_with(b"--- ") && new.starts_with(b"+++ ") && hunk.starts_with(b"@@ -")
    }

    fn file(&mut self, mut header: Header, crlf: bool) -> Result<(), Error> {
        if self.files.len() >= FILES {
            return Err(Error::TooMany { line: self.input.number, what: "files", limit: FILES });
        }
        while let Some(line) = self.input.peek() {
            if !header.take(bare(line), self.input.number)? {
                break;
            }
            self.input.skip();
        }
        if let [old, new, ..] = self.input.ahead(2)[..]
            && let (Some(old), Some(new)) = (bare(old).strip_prefix(b"--- "), bare(new).strip_prefix(b"+++ "))
        {
            header.take_old(old, self.input.number)?;
            header.take_new(new, self.input.number + 1)?;
            self.input.skip();
            self.input.skip();
        }
        let start = self.input.number;
        let file = header.finish()?;
        let mut sides = Sides::new(start);
        while self.input.rest.starts_with(b"@@") {
            self.hunk(&mut sides, crlf)?;
        }
        self.files.push(sides.into_change(file, header.is_binary, &self.limits)?);
        Ok(())
    }

    fn hunk(&mut self, sides: &mut Sides, crlf: bool) -> Result<(), Error> {
        let start = self.input.number;
        let text = self.input.peek().map(bare).unwrap_or_default();
        if is_combined(text) {
            return Err(Error::Combined(start));
        }
        let (old, new) = hunk_header(text).ok_or(Error::HunkHeader(start))?;
        sides.begin(old, new).ok_or(Error::Position(start))?;
        self.input.skip();
        let (old_end, new_end) = (old.end(), new.end());
        loop {
            let number = self.input.number;
            let line = self.input.peek();
            // The mark that a line has no ending belongs to the line before it, so it is read even when all is counted.
            if let Some(line) = line
                && line.starts_with(b"\\")
            {
                sides.no_newline().ok_or(Error::Count(number))?;
                self.input.skip();
                continue;
            }
            if sides.old.next == old_end && sides.new.next == new_end {
                return if self.is_more_of_hunk() { Err(Error::Count(number)) } else { Ok(()) };
            }
            let line = line.ok_or(Error::Count(number))?;
            let (mark, content) = split_mark(line, crlf).ok_or(Error::Count(number))?;
            let content = if crlf { bare(content) } else { content };
            if !sides.take(mark, content, old_end, new_end) {
                return Err(Error::Count(number));
            }
            self.input.skip();
        }
    }

    /// Whether the next line looks like part of a hunk that is over by its header's count. Taking it for prose would
    /// hide it from the review.
    fn is_more_of_hunk(&self) -> bool {
        let Some(line) = self.input.peek() else { return false };
        match line.first() {
            Some(b'+') => true,
            // The signature of a mail, or the header of the next file.
            Some(b'-') => !(matches!(bare(line), b"-- " | b"--") || self.is_plain_header()),
            _ => false,
        }
    }
}

/// The mark of a hunk line and the line with its own ending. An empty line is an empty unchanged line, whose mark some
/// mailers cut off.
fn split_mark(line: &[u8], crlf: bool) -> Option<(u8, &[u8])> {
    match line {
        b"\n" => Some((b' ', b"\n")),
        b"\r\n" if crlf => Some((b' ', b"\n")),
        [mark @ (b' ' | b'+' | b'-'), content @ ..] => Some((*mark, content)),
        _ => None,
    }
}

fn is_combined(text: &[u8]) -> bool {
    text.starts_with(b"@@@ -")
}

/// The ranges of an `@@` line.
fn hunk_header(text: &[u8]) -> Option<(Lines, Lines)> {
    let rest = text.strip_prefix(b"@@ -")?;
    let (old, rest) = range(rest)?;
    let (new, rest) = range(rest.strip_prefix(b" +")?)?;
    rest.starts_with(b" @@").then_some((old, new))
}

fn range(text: &[u8]) -> Option<(Lines, &[u8])> {
    let (first, rest) = number(text)?;
    let (count, rest) = match rest.strip_prefix(b",") {
        Some(rest) => number(rest)?,
        None => (1, rest),
    };
    // git counts an empty range from the line before it, which may be line 0.
    let first = if count == 0 { first.checked_add(1)? } else { first };
    let fits = first > 0 && first.checked_add(count)? < u32::MAX;
    fits.then_some((Lines { first, count }, rest))
}

fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    Some((value, &text[digits..]))
}

/// One side as far as it is known.
#[derive(Default)]
struct Known {
    bytes: Vec<u8>,
    /// Number of each known line and where it ends in `bytes`.
    lines: Vec<(u32, usize)>,
    /// The number of the next line.
    next: u32,
    /// The last known line has no ending, so nothing may follow.
    ended: bool,
}

impl Known {
    fn push(&mut self, content: &[u8]) {
        // Without a final newline in the patch file itself the line still has one, unless a mark says otherwise.
        self.bytes.extend_from_slice(content.strip_suffix(b"\n").unwrap_or(content));
        self.bytes.push(b'\n');
        self.lines.push((self.next, self.bytes.len()));
        self.next += 1;
    }

    fn cut_newline(&mut self) -> Option<()> {
        let (_, end) = self.lines.last_mut()?;
        if self.ended || self.bytes.pop()? != b'\n' {
            return None;
        }
        *end -= 1;
        self.ended = true;
        Some(())
    }

    fn parts(&self) -> Text {
        let mut start = 0;
        Text::parts(self.lines.iter().filter_map(|(number, end)| {
            let line = &self.bytes[start..*end];
            start = *end;
            Some((Line::new(*number)?, line))
        }))
    }
}

/// Both sides and the hunks between them.
struct Sides {
    old: Known,
    new: Known,
    hunks: Vec<Hunk>,
    /// The last hunk may still grow.
    open: bool,
    /// The mark of the last line.
    last: Option<u8>,
    /// The first line after the headers, for messages.
    line: u64,
}

impl Sides {
    fn new(line: u64) -> Self {
        let known = || Known { next: 1, ..Known::default() };
        Self { old: known(), new: known(), hunks: Vec::new(), open: false, last: None, line }
    }

    /// Moves on to a hunk; `None` where it overlaps the one before or where the lines between are not equally many.
    fn begin(&mut self, old: Lines, new: Lines) -> Option<()> {
        let gap = old.first.checked_sub(self.old.next)?;
        if new.first.checked_sub(self.new.next)? != gap {
            return None;
        }
        if gap > 0 {
            self.open = false;
        }
        if (gap > 0 || old.count > 0) && self.old.ended || (gap > 0 || new.count > 0) && self.new.ended {
            return None;
        }
        (self.old.next, self.new.next, self.last) = (old.first, new.first, None);
        Some(())
    }

    /// Takes a line of a hunk; `false` where it is more than the header counts or stands after the end of the file.
    fn take(&mut self, mark: u8, content: &[u8], old_end: u32, new_end: u32) -> bool {
        let (in_old, in_new) = (mark != b'+', mark != b'-');
        let full = |known: &Known, end: u32| known.next >= end || known.ended;
        if in_old && full(&self.old, old_end) || in_new && full(&self.new, new_end) {
            return false;
        }
        if mark == b' ' {
            self.open = false;
        } else {
            if !self.open {
                let empty = |first| Lines { first, count: 0 };
                self.hunks.push(Hunk { old: empty(self.old.next), new: empty(self.new.next) });
                self.open = true;
            }
            if let Some(hunk) = self.hunks.last_mut() {
                hunk.old.count += u32::from(in_old);
                hunk.new.count += u32::from(in_new);
            }
        }
        if in_old {
            self.old.push(content);
        }
        if in_new {
            self.new.push(content);
        }
        self.last = Some(mark);
        true
    }

    fn no_newline(&mut self) -> Option<()> {
        let mark = self.last.take()?;
        if mark != b'+' {
            self.old.cut_newline()?;
        }
        if mark != b'-' {
            self.new.cut_newline()?;
        }
        Some(())
    }

    fn into_change(self, file: File, is_binary: bool, limits: &Limits) -> Result<FileChange, Error> {
        let is = |kind| file.old_kind == Some(kind) || file.new_kind == Some(kind);
        let body = if is(EntryKind::Symlink) {
            Body::NotCode(NotCode::Symlink)
        } else if is(EntryKind::Submodule) {
            Body::NotCode(NotCode::Submodule)
        } else if self.hunks.is_empty() && is_binary {
            Body::NotCode(NotCode::Binary)
        } else if self.hunks.is_empty() {
            Body::NotCode(NotCode::NoLines)
        } else {
            self.text(file.status, limits)?
        };
        let File { path, old_path, status, old_kind, new_kind, old_id } = file;
        let class = classify(&path, Flags::default());
        Ok(FileChange { path, old_path, status, old_kind, new_kind, class, body, old_id })
    }

    fn text(self, status: Status, limits: &Limits) -> Result<Body, Error> {
        let refused = |why| Err(Error::Header { line: self.line, why });
        let is_whole = |known: &Known| self.hunks.len() == 1 && known.lines.len() as u64 + 1 == u64::from(known.next);
        let (old, new) = match status {
            Status::Added if !self.old.lines.is_empty() || !is_whole(&self.new) => {
                return refused("the file is new, but its hunks show an older content");
            }
            Status::Deleted if !self.new.lines.is_empty() || !is_whole(&self.old) => {
                return refused("the file is deleted, but its hunks leave some of it");
            }
            Status::Added => (Text::default(), Text::whole(self.new.bytes)),
            Status::Deleted => (Text::whole(self.old.bytes), Text::default()),
            Status::Modified | Status::Renamed { .. } => (self.old.parts(), self.new.parts()),
        };
        let bytes = old.bytes().len().max(new.bytes().len()) as u64;
        let current = if status == Status::Deleted { &old } else { &new };
        Ok(if is_lfs_pointer(current.bytes()) {
            Body::NotCode(NotCode::LfsPointer)
        } else if bytes > limits.file_bytes {
            Body::Unread(Unread::TooLarge { bytes })
        } else if old.len().max(new.len()) > limits.lines {
            Body::Unread(Unread::TooManyLines)
        } else if has_long_line(&self.hunks, &old, &new, limits.line_chars) {
            Body::Unread(Unread::LongLine)
        } else {
            Body::Text { hunks: self.hunks, old, new }
        })
    }
}
