//! Where in a changed file values stand that nobody should read, for a report that shows the diff: what a model is not
//! shown, a reader of the report is not shown either.

use std::ops::Range;

use super::mask::Secrets;
use super::part::takes_bare_values;
use super::{Context, Reason};
use crate::diff::{Body, FileChange, Text, trim_ending};
use crate::finding::Line;
use crate::syntax::Language;

/// One side of a file as text, and where in it such values stand.
#[derive(Debug)]
pub struct Values {
    text: String,
    /// In order, apart, none with a line feed.
    spans: Vec<Range<usize>>,
    /// Each known line with its bytes in `text`, in order.
    lines: Vec<(Line, Range<usize>)>,
}

impl Values {
    fn new(side: &Text, (text, spans): (String, Vec<Range<usize>>)) -> Self {
        let mut at = 0;
        let ranges = text.split_inclusive('\n').map(|line| {
            let start = at;
            at += line.len();
            start..start + trim_ending(line.as_bytes()).len()
        });
        let lines = side.lines().map(|(number, _)| number).zip(ranges).collect();
        Self { text, spans, lines }
    }

    /// A line without its ending and the values in it, `None` where it does not exist or is not known.
    pub fn line(&self, line: Line) -> Option<(&str, Vec<Range<usize>>)> {
        let index = self.lines.binary_search_by_key(&line, |(number, _)| *number).ok()?;
        let range = self.lines.get(index)?.1.clone();
        let first = self.spans.partition_point(|span| span.end <= range.start);
        let spans = self.spans.iter().skip(first).take_while(|span| span.start < range.end);
        let within = spans.map(|span| span.start.max(range.start) - range.start..span.end.min(range.end) - range.start);
        let within = within.collect();
        Some((self.text.get(range)?, within))
    }
}

impl Context<'_> {
    /// Where the old and the new side of a changed file hold values that are not to be shown.
    ///
    /// # Errors
    /// Nothing of the file is shown.
    pub fn values(&self, change: &FileChange) -> Result<[Values; 2], Reason> {
        if let Some(reason) = self.reason(change) {
            return Err(reason);
        }
        let none = Text::default();
        let (old, new) = match &change.body {
            Body::Text { old, new, .. } => (old, new),
            // Both have a reason.
            Body::NotCode(_) | Body::Unread(_) => (&none, &none),
        };
        let first = new.line(Line::from_index(0)).or_else(|| old.line(Line::from_index(0)));
        let language = Language::of_path(&change.path, first).filter(|language| language.is_compiled_in());
        let bare = takes_bare_values(change, language);
        let [old_found, new_found] = self.redactor.found(old, new, bare, &mut Secrets::default());
        Ok([Values::new(old, old_found), Values::new(new, new_found)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Options;
    use crate::rules::{Examples, Rules};

    // In two pieces, so that no scanner takes this file for a leak.
    const TOKEN: [&str; 2] = ["gh", "p_0000000112Xk2LmQ7vR4tY8wZ1aBcD3eFgH5j"];

    fn values(path: &str, text: &str) -> Result<[Values; 2], Reason> {
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load");
        let context = Context::new(&rules, Options::default()).expect("the options are sound");
        context.values(&FileChange::new_file(path.into(), text.into()))
    }

    #[test]
    fn values_are_found_line_by_line() {
        let token = TOKEN.concat();
        let text = format!("# ünicode\r\ntoken = \"{token}\"  # {token}\r\nlast = 1");
        let [old, new] = values("a.py", &text).expect("it is shown");
        let line = |number| new.line(Line::new(number).expect("not zero"));
        assert_eq!(line(1), Some(("# ünicode", vec![])));
        let (shown, spans) = line(2).expect("the line is there");
        assert_eq!(spans.iter().map(|span| &shown[span.clone()]).collect::<Vec<_>>(), [&token, &token]);
        assert_eq!((line(3), line(4)), (Some(("last = 1", vec![])), None));
        assert!(old.line(Line::from_index(0)).is_none());
    }

    #[test]
    fn what_a_model_is_not_shown_is_not_shown_at_all() {
        assert_eq!(values(".env", "A=1\n").expect_err("a file of secrets"), Reason::Denied);
    }
}
