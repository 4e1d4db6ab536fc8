use super::{Condition, Known, Pattern, Subject, Test, Truth, patterns};
use crate::document::{Node, Problem};
use crate::finding::Line;

pub(super) const CONDITION: Condition =
    Condition { key: "line", help: "one of the finding's lines matches a regular expression", parse };

#[derive(Debug)]
struct LineMatches(Vec<Pattern>);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    Some(Box::new(LineMatches(patterns(node, problems))))
}

impl Test for LineMatches {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        any_line(subject, subject.lines.0.get(), subject.lines.1.get(), &self.0)
    }
}

/// Whether a line from `first` to `last` matches; unknown where a line is not known and no other matches.
pub(super) fn any_line(subject: &Subject<'_>, first: u32, last: u32, patterns: &[Pattern]) -> Truth {
    let mut truth = Truth::False;
    for line in (first..=last).filter_map(Line::new) {
        match subject.text.line_text(line) {
            Some(text) if patterns.iter().any(|pattern| pattern.is_match(&text)) => return Truth::True,
            Some(_) => {}
            None if subject.text.is_whole() => {}
            None => truth = Truth::Unknown,
        }
    }
    truth
}
