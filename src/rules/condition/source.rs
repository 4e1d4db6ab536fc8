use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem, Value, nearest};
use crate::finding::Source;

pub(super) const CONDITION: Condition =
    Condition { key: "source", help: "`detector` or `model`: who makes the claim", parse };

#[derive(Debug)]
struct Who {
    detector: bool,
    model: bool,
}

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    let mut who = Who { detector: false, model: false };
    for item in node.items() {
        match &item.value {
            Value::Text(name) if name == "detector" => who.detector = true,
            Value::Text(name) if name == "model" => who.model = true,
            Value::Text(name) => {
                let problem = Problem::at(&item.at, format!("there is no source `{name}`"));
                problems.push(problem.help(nearest(name, &["detector", "model"])));
            }
            other => problems.push(Problem::at(&item.at, format!("a source is a name, not {}", other.kind()))),
        }
    }
    Some(Box::new(who))
}

impl Test for Who {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        match subject.source {
            Source::Detector(_) => self.detector,
            Source::Model { .. } => self.model,
        }
        .into()
    }
}
