//! Suggestions: whole lines of the new side, offered only if every line they replace was added and the file parses no
//! worse afterwards.

use super::{FileView, Hit};
use crate::finding::{Line, Suggestion, Untrusted};
use crate::rules::Detector;
use crate::syntax::parses_no_worse;

/// The detector's fix for a hit, where it is certain.
pub(super) fn suggestion(view: &FileView<'_>, detector: &Detector, hit: &Hit) -> Option<Suggestion> {
    let replacement = detector.fix.as_ref()?.render(&hit.captures, true);
    let parsed = view.parsed()?;
    let bytes = hit.bytes.clone()?;
    let lines = (hit.line.get()..=hit.end_line.get()).filter_map(Line::new);
    if !lines.clone().all(|line| view.is_added(line)) {
        return None;
    }
    let source = parsed.source();
    let start = parsed.line_range(hit.line).start;
    let end = parsed.line_range(hit.end_line).end;
    let mut text = String::with_capacity(end - start + replacement.len());
    text.push_str(source.get(start..bytes.start)?);
    text.push_str(&replacement);
    text.push_str(source.get(bytes.end..end)?);
    // A statement that the fix removes takes its line along.
    if text.trim().is_empty() && text.lines().count() <= 1 {
        text.clear();
    }
    let mut after = String::with_capacity(source.len() + replacement.len());
    after.push_str(source.get(..start)?);
    after.push_str(&text);
    after.push_str(source.get(end..)?);
    let better = after != source && parses_no_worse(parsed.language(), source, &after);
    better.then(|| Suggestion { line: hit.line, end_line: hit.end_line, text: Untrusted::new(text) })
}
