use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem, Value, nearest};

pub(super) const CONDITION: Condition =
    Condition { key: "class", help: "the path belongs to one of these classes (`test`, `generated`, …)", parse };

#[derive(Debug)]
struct Class(Vec<String>);

fn parse(node: &Node, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    let mut names = Vec::new();
    for item in node.items() {
        match &item.value {
            Value::Text(name) if known.classes.contains(name) => names.push(name.clone()),
            Value::Text(name) => {
                let valid: Vec<_> = known.classes.iter().map(String::as_str).collect();
                let problem = Problem::at(&item.at, format!("there is no class `{name}`"));
                problems.push(problem.help(nearest(name, &valid)));
            }
            other => problems.push(Problem::at(&item.at, format!("a class is a name, not {}", other.kind()))),
        }
    }
    Some(Box::new(Class(names)))
}

impl Test for Class {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        self.0.iter().any(|name| subject.classes.contains(name, subject.path, subject.attributes)).into()
    }
}
