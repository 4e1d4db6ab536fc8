use super::{Condition, Known, Pattern, Subject, Test, Truth, patterns};
use crate::document::{Node, Problem};

pub(super) const CONDITION: Condition =
    Condition { key: "rationale", help: "what is said of the code matches a regular expression", parse };

#[derive(Debug)]
struct Rationale(Vec<Pattern>);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    Some(Box::new(Rationale(patterns(node, problems))))
}

impl Test for Rationale {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        self.0.iter().any(|pattern| pattern.is_match(subject.rationale)).into()
    }
}
