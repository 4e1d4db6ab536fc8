//! Code: the frame around a finding, drawn by annotate-snippets, and the suggestion as a small diff.
//!
//! annotate-snippets makes sources and labels safe itself, if in its own way. Here everything goes in already visible,
//! with tabs spread and long lines cut, so that no span ever points into something that was replaced.

use annotate_snippets::{AnnotationKind, Group, Level as Severity, Renderer, Snippet};

use super::page::{Ink, Page, char_columns, columns, fit};
use crate::escape::{visible, visible_lines};
use crate::finding::{Columns, Finding, Level, Untrusted};
use crate::report::{region, sentence};

/// Lines of code shown above and below what a finding speaks of.
const CONTEXT: usize = 2;

/// More located lines than this are folded in the middle.
const UNFOLDED: usize = 12;

/// Tabs are shown this wide, to match the numbers in the gutter rather than any editor.
const TAB: &str = "    ";

/// What line numbers and the bar beside them take up, for numbers of up to five digits.
const GUTTER: usize = 8;

/// Lines of a suggestion or of what it replaces.
const SUGGESTED: usize = 20;

/// A source line as shown, and where the located part of it is.
struct Shown {
    text: String,
    span: std::ops::Range<usize>,
}

/// The frame: place, code, and the rationale under what it speaks of. A rationale that needs more than a line follows
/// the frame as prose.
pub(super) fn code(page: &mut Page, finding: &Finding) {
    let rationale = visible_lines(finding.claim.rationale.raw().trim());
    let source = Source::new(finding, page.code_width().saturating_sub(GUTTER));
    let label = source.as_ref().and_then(|source| source.label(&rationale, page.code_width()));
    let digits = source.as_ref().map_or(1, Source::digits);
    page.line(&format!("{:digits$}--> {}", "", place(finding)));
    if let Some(source) = &source {
        let group = Group::with_level(severity(finding.level)).element(source.snippet(label));
        let renderer = if page.has_color() { Renderer::styled() } else { Renderer::plain() };
        // Lines are cut here, where the cut knows what to keep.
        for line in renderer.term_width(10_000).render(&[group]).lines() {
            page.line(line);
        }
    }
    if label.is_none() && !rationale.is_empty() {
        page.prose("  = ", &rationale);
    }
}

/// Path, line and column, as editors take them: the column counts characters. annotate-snippets would count those of the
/// line as shown, where tabs are spread and long lines are cut.
fn place(finding: &Finding) -> String {
    let location = &finding.claim.location;
    let path = sentence::place(&location.path);
    let start = location.columns.filter(|columns| columns.start > 0 && columns.start < columns.end);
    match (finding.frame.as_ref().and_then(|frame| region::kept(frame, location.line)), start) {
        (Some((line, cut)), Some(columns)) => {
            let left_out = cut.map_or(0, |cut| cut.chars as usize);
            let end = (columns.start as usize - 1).saturating_sub(cut.map_or(0, |cut| cut.bytes as usize));
            let before = line.get(..line.floor_char_boundary(end)).unwrap_or_default();
            format!("{path}:{}:{}", location.line, left_out + before.chars().count() + 1)
        }
        _ => format!("{path}:{}", location.line),
    }
}

const fn severity(level: Level) -> Severity<'static> {
    match level {
        Level::Error => Severity::ERROR,
        Level::Warning => Severity::WARNING,
        Level::Note => Severity::NOTE,
    }
}

/// The lines of a frame, ready to be drawn.
struct Source {
    text: String,
    span: std::ops::Range<usize>,
    first: usize,
    located: usize,
    /// Columns in front of the located part, where it lies on one line.
    before: usize,
}

impl Source {
    fn new(finding: &Finding, room: usize) -> Option<Self> {
        let location = &finding.claim.location;
        let quote: Vec<Untrusted>;
        let (number, lines) = match &finding.frame {
            Some(frame) if !frame.lines.is_empty() => (frame.first.get(), frame.lines.as_slice()),
            _ if finding.claim.quote.raw().is_empty() => return None,
            _ => {
                quote = finding.claim.quote.raw().lines().map(Untrusted::new).collect();
                (location.line.get(), quote.as_slice())
            }
        };
        let from = location.line.get().checked_sub(number)? as usize;
        let to = (location.end_line.get().checked_sub(number)? as usize).min(lines.len().checked_sub(1)?);
        if from > to {
            return None;
        }
        let left_out = finding.frame.as_ref().map_or(0, |frame| frame.left_out(location.line)) as u32;
        let kept = |column: u32| column.saturating_sub(left_out).max(u32::from(left_out > 0));
        let columns = location.columns.filter(|_| location.line == location.end_line);
        let columns = columns.map(|Columns { start, end }| Columns { start: kept(start), end: kept(end) });
        let top = from.saturating_sub(CONTEXT);
        let mut source =
            Self { text: String::new(), span: 0..0, first: number as usize + top, located: to - from + 1, before: 0 };
        for (index, line) in lines.iter().enumerate().take(to + CONTEXT + 1).skip(top) {
            let shown = shown(line.raw(), if index == from { columns } else { None }, room);
            if index > top {
                source.text.push('\n');
            }
            if index == from {
                source.span.start = source.text.len() + shown.span.start;
                source.before = self::columns(shown.text.get(..shown.span.start).unwrap_or_default());
            }
            if index == to {
                source.span.end = source.text.len() + shown.span.end;
            }
            source.text.push_str(&shown.text);
        }
        // Blank lines alone are nothing to look at, and nothing that annotate-snippets could point into.
        (!source.text.trim().is_empty()).then_some(source)
    }

    /// The rationale, if it fits beside or below the located part.
    fn label<'a>(&self, rationale: &'a str, width: usize) -> Option<&'a str> {
        let marked = self.text.get(self.span.clone()).map_or(0, columns);
        let fits = self.located == 1
            && !rationale.is_empty()
            && !rationale.contains('\n')
            && GUTTER + self.before + marked + 1 + columns(rationale) <= width;
        fits.then_some(rationale)
    }

    /// How wide the line numbers are.
    fn digits(&self) -> usize {
        (self.first + self.text.matches('\n').count()).to_string().len()
    }

    fn snippet<'a>(&'a self, label: Option<&'a str>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        Snippet::source(self.text.as_str())
            .line_start(self.first)
            .fold(self.located > UNFOLDED)
            .annotation(AnnotationKind::Primary.span(self.span.clone()).label(label))
    }
}

/// One line made visible and cut to the room, around the located columns if there are some.
fn shown(raw: &str, columns: Option<Columns>, room: usize) -> Shown {
    let located = columns.filter(|columns| columns.start < columns.end);
    let (start, end) = match located {
        Some(columns) => (columns.start as usize - usize::from(columns.start > 0), columns.end as usize - 1),
        None => (raw.len() - raw.trim_start().len(), raw.trim_end().len()),
    };
    let mut text = String::with_capacity(raw.len());
    // Where in `text` the located part starts and ends, and each character with its columns.
    let mut span = None..None;
    for (index, character) in raw.char_indices() {
        if span.start.is_none() && index + character.len_utf8() > start {
            span.start = Some(text.len());
        }
        if span.end.is_none() && index >= end {
            span.end = Some(text.len());
        }
        match character {
            '\t' => text.push_str(TAB),
            _ => text.push_str(&visible(character.encode_utf8(&mut [0; 4]))),
        }
    }
    let start = span.start.unwrap_or(text.len());
    let end = span.end.unwrap_or(text.len()).max(start);
    cut(text, start..end, room)
}

/// Cuts a long line to the room: from its start, or from shortly before the located part where that lies too far right.
fn cut(text: String, span: std::ops::Range<usize>, room: usize) -> Shown {
    if columns(&text) <= room {
        return Shown { text, span };
    }
    let before = text.get(..span.start).unwrap_or_default();
    let marked = text.get(span.clone()).unwrap_or_default();
    let lead = if columns(before) + columns(marked).min(room / 2) < room { before.len() } else { 0 };
    let (prefix, from) = if lead == before.len() {
        ("", 0)
    } else {
        // Keep a third of the room for what stands in front.
        let mut kept = 0;
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, character)| {
                kept += char_columns(*character);
                kept <= room / 3
            })
            .last()
            .map_or(before.len(), |(index, _)| index);
        ("…", start)
    };
    let tail = fit(text.get(from..).unwrap_or_default(), room.saturating_sub(columns(prefix)).max(1));
    let shift = |at: usize| (at.saturating_sub(from) + prefix.len()).min(prefix.len() + tail.len());
    let span = shift(span.start)..shift(span.end);
    let text = format!("{prefix}{tail}");
    // A cut mark is three bytes long; no span may end inside it.
    let (start, end) = (text.floor_char_boundary(span.start), text.floor_char_boundary(span.end));
    Shown { text, span: start..end }
}

/// The suggestion: what goes and what comes.
pub(super) fn suggestion(page: &mut Page, finding: &Finding) {
    let Some(suggestion) = &finding.claim.suggestion else { return };
    let removed = region::framed(finding, suggestion.line, suggestion.end_line).unwrap_or_default();
    let added: Vec<&str> = suggestion.text.raw().lines().collect();
    let lines = match (suggestion.line, suggestion.end_line) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first} to {last}"),
    };
    let what = if added.is_empty() { "delete" } else { "replace" };
    page.line(&format!("  = suggestion: {what} {lines}"));
    for (mark, ink, lines) in [('-', Ink::Removed, removed), ('+', Ink::Added, added)] {
        let room = page.code_width().saturating_sub(6);
        for line in lines.iter().take(SUGGESTED) {
            let text = page.paint(ink, &format!("{mark} {}", fit(&visible(line).replace('\t', TAB), room)));
            page.line(&format!("    {text}"));
        }
        if lines.len() > SUGGESTED {
            page.line(&format!("    {mark} … {} more lines", lines.len() - SUGGESTED));
        }
    }
}
