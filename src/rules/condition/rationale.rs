use regex::Regex;

use super::{Condition, Known, Subject, Test, Truth, regexes};
use crate::document::{Node, Problem};

pub(super) const CONDITION: Condition =
    Condition { key: "rationale", help: "what is said of the code matches a regular expression", parse };

#[derive(Debug)]
struct Rationale(Vec<Regex>);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    Some(Box::new(Rationale(regexes(node, problems))))
}

impl Test for Rationale {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        self.0.iter().any(|regex| regex.is_match(subject.rationale)).into()
    }
}
