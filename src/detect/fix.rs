//! Suggestions: whole lines of the new side, offered only if every line they replace was added and the file parses no
//! worse afterwards. Each costs a parse from the file's tree, so a file gets the first [`MOST`] only.

use super::{FileView, Hit};
use crate::finding::{Line, Suggestion, Untrusted};
use crate::rules::Detector;
use crate::syntax::Limits;

/// Most fixes that are tried in one file, in the order of the claims.
const MOST: u32 = 20;

/// The detector's fix for a hit, where it is certain.
pub(super) fn suggestion(view: &FileView<'_>, detector: &Detector, hit: &Hit) -> Option<Suggestion> {
    let replacement = detector.fix.as_ref()?.render(&hit.captures, true);
    let parsed = view.parsed()?;
    let bytes = hit.bytes.clone()?;
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
    offered(view, (hit.line, hit.end_line), text)
}

/// A text in place of whole lines, where that is certain.
pub fn offered(view: &FileView<'_>, (line, end_line): (Line, Line), text: String) -> Option<Suggestion> {
    let parsed = view.parsed()?;
    let mut lines = (line.get()..=end_line.get()).filter_map(Line::new);
    if !lines.all(|line| view.is_added(line)) {
        return None;
    }
    let range = parsed.line_range(line).start..parsed.line_range(end_line).end;
    let tried = view.fixes.get();
    if tried == MOST || parsed.source().get(range.clone()) == Some(text.as_str()) {
        return None;
    }
    view.fixes.set(tried + 1);
    let better = parsed.parses_no_worse(range, &text, &Limits::default());
    better.then(|| Suggestion { line, end_line, text: Untrusted::new(text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::Engine;
    use crate::diff::FileChange;
    use crate::rules::{Examples, Rules};

    /// So many that a parse of the file for each would not end.
    const HITS: usize = 6_000;

    fn suggested(path: &str, text: String) -> Vec<u32> {
        let change = FileChange::new_file(path.into(), text.into_bytes());
        let view = FileView::of(&change).expect("a text");
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load");
        let raised = Engine::new(&rules).run(&view);
        assert!(raised.len() >= HITS, "{}", raised.len());
        let suggestions = raised.iter().filter_map(|raised| raised.claim.suggestion.as_ref());
        suggestions.map(|suggestion| suggestion.line.get()).collect()
    }

    #[test]
    fn a_file_of_faults_gets_the_first_fixes() {
        let first: Vec<u32> = (1..=MOST).collect();
        assert_eq!(suggested("a.py", "x = b is \"x\"\n".repeat(HITS)), first);
    }
}
