//! What of a text must not leave the machine. The patterns are those of the packs: each detector whose message hides a
//! capture, whatever its tag's level, and those of the shipped packs even where a project does not select them.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::mask::{Secrets, is_reserved};
use crate::diff::Text;
use crate::finding::Line;
use crate::rules::credential::{key, named};
use crate::rules::{How, LazyRegex, Needles, Place, Rules};

/// Finds values that must not be sent.
#[derive(Debug)]
pub(super) struct Redactor {
    patterns: Vec<LazyRegex>,
    needles: Needles,
    /// Words of which a line with a telling name holds one.
    names: Option<AhoCorasick>,
}

/// Shortest value that is looked for in the rest of its file too, where its name does not stand beside it.
const KNOWN: usize = 8;

const NAMES: [&str; 8] = ["passw", "passphrase", "secret", "key", "token", "credential", "pwd", "auth"];

impl Redactor {
    /// With the patterns of the packs, and more.
    ///
    /// # Errors
    /// One of `extra` is no regular expression.
    pub(super) fn new(rules: &Rules, extra: &[String]) -> Result<Self, String> {
        let shipped = Rules::of_secrets();
        let mut patterns: Vec<LazyRegex> = Vec::new();
        let mut seen = BTreeSet::new();
        for detector in shipped.detectors().chain(rules.detectors()) {
            if let How::Regex { pattern, place: Place::Any } = &detector.how
                && detector.message.masks()
                && seen.insert(pattern.as_str().to_owned())
            {
                patterns.push(pattern.clone());
            }
        }
        for source in extra {
            patterns.push(LazyRegex::compiled(source)?);
        }
        let needles = Needles::of(patterns.iter().map(Some));
        let names = AhoCorasick::builder().ascii_case_insensitive(true).build(NAMES).ok();
        Ok(Self { patterns, needles, names })
    }

    /// Both sides of a file with every value hidden. `bare`: values may stand without quotes.
    pub(super) fn sides(&self, old: &Text, new: &Text, bare: bool, secrets: &mut Secrets) -> (Text, Text) {
        let [(old_text, old_spans), (new_text, new_spans)] = self.found(old, new, bare, secrets);
        let (old_text, new_text) = (hide(&old_text, old_spans, secrets), hide(&new_text, new_spans, secrets));
        (like(old, old_text), like(new, new_text))
    }

    /// Both sides of a file as text, and where the values stand in it: in order, apart, none with a line feed.
    pub(super) fn found(
        &self,
        old: &Text,
        new: &Text,
        bare: bool,
        secrets: &mut Secrets,
    ) -> [(String, Vec<Range<usize>>); 2] {
        let sides = [old, new].map(|side| {
            let text = readable(side.bytes());
            let spans = self.spans(&text, bare, side.is_whole());
            (text, spans)
        });
        for (text, spans) in &sides {
            for span in spans {
                secrets.mark(&text[span.clone()]);
            }
        }
        let known = known(secrets);
        sides.map(|(text, spans)| {
            let spans = with_known(&text, spans, known.as_ref());
            (text, spans)
        })
    }

    /// Another text of the file, such as a signature or a path, with every value hidden. Where the text was cut, what is
    /// left of a value at its end is hidden too.
    pub(super) fn text(&self, text: &str, secrets: &mut Secrets) -> String {
        let text = readable(text.as_bytes());
        let mut spans = with_known(&text, self.spans(&text, false, true), known(secrets).as_ref());
        let covered = spans.last().map_or(0, |span| span.end);
        let ends = |value: &str| {
            let longest = value.char_indices().map(|(at, _)| at).filter(|at| *at >= 4).rev();
            longest.into_iter().find(|at| text.ends_with(&value[..*at])).map(|at| text.len() - at)
        };
        if let Some(start) = secrets.values().filter_map(ends).min().filter(|start| *start >= covered) {
            spans.push(start..text.len());
        }
        hide(&text, spans, secrets)
    }

    /// The values of a text: sorted, apart, none with a line feed.
    fn spans(&self, text: &str, bare: bool, whole: bool) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut spans = Vec::new();
        let wanted = self.needles.wanted(std::iter::once(bytes));
        for (pattern, _) in self.patterns.iter().zip(wanted).filter(|(_, wanted)| *wanted) {
            let Some(regex) = pattern.get() else { continue };
            for captures in regex.captures_iter(bytes) {
                spans.extend(captures.name("t").or_else(|| captures.get(0)).map(|value| value.range()));
            }
        }
        for body in key::bodies(bytes) {
            spans.extend(lines(bytes, body));
        }
        let mut start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let content = line.trim_ascii_end();
            if self.names.as_ref().is_none_or(|names| names.is_match(content)) {
                let found = named::likely(content, bare);
                spans.extend(found.into_iter().map(|span| start + span.start..start + span.end));
            }
            if !whole && key::is_key_line(content) {
                spans.extend(lines(bytes, start..start + line.len()));
            }
            start += line.len();
        }
        apart(text, spans)
    }
}

/// The text of some bytes, without characters that have a meaning of ours.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains(is_reserved) {
        return text.into_owned();
    }
    let spelt = |character: char| format!("<U+{:04X}>", character as u32);
    text.chars().map(|c| if is_reserved(c) { spelt(c) } else { c.to_string() }).collect()
}

/// What of each line of a range is a value: from its first to its last character that base64 may hold.
fn lines(bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = range.start;
    for line in bytes[range].split_inclusive(|byte| *byte == b'\n') {
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        if let (Some(first), Some(last)) = (line.iter().position(is_key), line.iter().rposition(is_key)) {
            spans.push(start + first..start + last + 1);
        }
        start += line.len();
    }
    spans
}

/// Spans in order, on character borders, cut at line feeds, merged where they touch.
fn apart(text: &str, spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut cut: Vec<Range<usize>> = Vec::new();
    for mut span in spans {
        while !text.is_char_boundary(span.start) {
            span.start -= 1;
        }
        while !text.is_char_boundary(span.end) {
            span.end += 1;
        }
        let mut start = span.start;
        for feed in memchr::memchr_iter(b'\n', &bytes[span.clone()]).map(|at| span.start + at) {
            cut.push(start..feed);
            start = feed + 1;
        }
        cut.push(start..span.end);
    }
    cut.retain(|span| !span.is_empty());
    cut.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for span in cut {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Finds the known values again where nothing else tells them.
fn known(secrets: &Secrets) -> Option<AhoCorasick> {
    let telling = |value: &&str| {
        value.len() >= KNOWN
            && value.bytes().any(|b| b.is_ascii_digit())
            && value.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let values: Vec<_> = secrets.values().filter(telling).collect();
    if values.is_empty() {
        return None;
    }
    AhoCorasick::new(values).ok()
}

fn with_known(text: &str, mut spans: Vec<Range<usize>>, known: Option<&AhoCorasick>) -> Vec<Range<usize>> {
    let Some(known) = known else { return spans };
    spans.extend(known.find_overlapping_iter(text).map(|found| found.range()));
    apart(text, spans)
}

fn hide(text: &str, spans: Vec<Range<usize>>, secrets: &mut Secrets) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        out.push_str(&text[at..span.start]);
        out.push(secrets.mark(&text[span.clone()]));
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}

/// A text with the line numbers of another.
fn like(original: &Text, text: String) -> Text {
    if original.is_whole() {
        return Text::whole(text.into_bytes());
    }
    let numbers = original.lines().map(|(number, _)| number);
    let lines: Vec<(Line, &[u8])> = numbers.zip(text.as_bytes().split_inclusive(|byte| *byte == b'\n')).collect();
    Text::parts(lines)
}
