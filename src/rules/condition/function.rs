use super::{Condition, Known, Pattern, Subject, Test, Truth, patterns};
use crate::document::{Node, Problem};

pub(super) const CONDITION: Condition =
    Condition { key: "function", help: "the name of the enclosing function matches a regular expression", parse };

#[derive(Debug)]
struct Function(Vec<Pattern>);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    Some(Box::new(Function(patterns(node, problems))))
}

impl Test for Function {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        if subject.parsed.is_none() {
            return Truth::Unknown;
        }
        subject.function().is_some_and(|name| self.0.iter().any(|pattern| pattern.is_match(name))).into()
    }
}
