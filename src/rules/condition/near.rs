use super::line::any_line;
use super::{Condition, Known, Pattern, Subject, Test, Truth, patterns};
use crate::document::{Fields, Node, Problem};
use crate::finding::Line;

pub(super) const CONDITION: Condition = Condition {
    key: "near",
    help: "a line at most `lines` (default 3) above or below matches `regex`; with `in: comment` a comment of those lines \
           does, which an address inside a string is not",
    parse,
};

#[derive(Debug)]
struct Near {
    patterns: Vec<Pattern>,
    lines: u32,
    comments: bool,
}

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    let mut fields = Fields::of(node, "`near`", problems)?;
    let pattern = fields.required("regex");
    let lines = fields.integer("lines", 0, 50).unwrap_or(3) as u32;
    let comments = fields.word("in", &["any", "comment"]).is_some_and(|place| place == "comment");
    fields.finish();
    Some(Box::new(Near { patterns: patterns(pattern?, problems), lines, comments }))
}

impl Test for Near {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        let first = subject.lines.0.get().saturating_sub(self.lines).max(1);
        let last = subject.lines.1.get().saturating_add(self.lines);
        if self.comments {
            self.in_comments(subject, first, last)
        } else {
            any_line(subject, first, last, &self.patterns)
        }
    }
}

impl Near {
    /// Whether what these lines hold of a comment matches.
    fn in_comments(&self, subject: &Subject<'_>, first: u32, last: u32) -> Truth {
        let (Some(parsed), Some(first), Some(last)) = (subject.parsed, Line::new(first), Line::new(last)) else {
            return Truth::Unknown;
        };
        let (start, end) = (parsed.line_range(first).start, parsed.line_range(last).end);
        let mut comments = parsed
            .comments((first, last))
            .filter_map(|comment| parsed.source().get(comment.start.max(start)..comment.end.min(end)));
        comments.any(|text| self.patterns.iter().any(|pattern| pattern.is_match(text))).into()
    }
}
