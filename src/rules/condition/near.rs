use super::line::any_line;
use super::{Condition, Known, Pattern, Subject, Test, Truth, patterns};
use crate::document::{Fields, Node, Problem};

pub(super) const CONDITION: Condition =
    Condition { key: "near", help: "a line at most `lines` (default 3) above or below matches `regex`", parse };

#[derive(Debug)]
struct Near {
    patterns: Vec<Pattern>,
    lines: u32,
}

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    let mut fields = Fields::of(node, "`near`", problems)?;
    let pattern = fields.required("regex");
    let lines = fields.integer("lines", 0, 50).unwrap_or(3) as u32;
    fields.finish();
    Some(Box::new(Near { patterns: patterns(pattern?, problems), lines }))
}

impl Test for Near {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        let first = subject.lines.0.get().saturating_sub(self.lines).max(1);
        any_line(subject, first, subject.lines.1.get().saturating_add(self.lines), &self.patterns)
    }
}
