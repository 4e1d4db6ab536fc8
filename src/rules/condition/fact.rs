use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem, Value, nearest};
use crate::syntax::{FACTS, Fact, FactValue};

pub(super) const CONDITION: Condition = Condition {
    key: "fact",
    help: "facts of the parser compare with a value, a list of values or a bound such as `\">=15\"`",
    parse,
};

struct Facts(Vec<(&'static Fact, Vec<Expected>)>);

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(fact, expected)| (fact.name, expected))).finish()
    }
}

#[derive(Debug)]
enum Expected {
    Bool(bool),
    Number(f64),
    Text(String),
    Bound(Bound, f64),
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    let Value::Map(entries) = &node.value else {
        problems.push(Problem::at(&node.at, format!("`fact` is a map of facts, not {}", node.value.kind())));
        return None;
    };
    let mut facts = Vec::new();
    for entry in entries {
        let Some(fact) = FACTS.iter().find(|fact| fact.name == entry.key) else {
            let valid: Vec<_> = FACTS.iter().map(|fact| fact.name).collect();
            let problem = Problem::at(&entry.at, format!("there is no fact `{}`", entry.key));
            problems.push(problem.help(nearest(&entry.key, &valid)));
            continue;
        };
        let expected = entry.node.items().iter().filter_map(|item| expected(item, problems)).collect();
        facts.push((fact, expected));
    }
    Some(Box::new(Facts(facts)))
}

fn expected(node: &Node, problems: &mut Vec<Problem>) -> Option<Expected> {
    match &node.value {
        Value::Bool(value) => Some(Expected::Bool(*value)),
        Value::Number(digits) => digits.parse().ok().map(Expected::Number),
        Value::Text(text) => match bound(text) {
            Some(Ok((bound, number))) => Some(Expected::Bound(bound, number)),
            Some(Err(())) => {
                problems.push(Problem::at(&node.at, format!("`{text}` is no bound; write one such as `\">=15\"`")));
                None
            }
            None => Some(Expected::Text(text.clone())),
        },
        other => {
            problems.push(Problem::at(&node.at, format!("a fact is compared with a value, not {}", other.kind())));
            None
        }
    }
}

fn bound(text: &str) -> Option<Result<(Bound, f64), ()>> {
    let signs = [(">=", Bound::GreaterEqual), ("<=", Bound::LessEqual), (">", Bound::Greater), ("<", Bound::Less)];
    let (sign, bound) = signs.into_iter().find(|(sign, _)| text.starts_with(sign))?;
    Some(text[sign.len()..].trim().parse().map(|number| (bound, number)).map_err(|_| ()))
}

impl Test for Facts {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        let input = subject.fact_input();
        let mut truth = Truth::True;
        for (fact, expected) in &self.0 {
            let value = fact.value(&input);
            let shown = (fact.name.to_owned(), shown(&value));
            // Last is what was looked at last: the fact that decided.
            let mut facts = subject.facts.borrow_mut();
            facts.retain(|known| *known != shown);
            facts.push(shown);
            let any = expected.iter().fold(Truth::False, |truth, expected| truth.or(compare(&value, expected)));
            truth = truth.and(any);
            if truth == Truth::False {
                break;
            }
        }
        truth
    }
}

fn compare(value: &FactValue, expected: &Expected) -> Truth {
    match (value, expected) {
        (FactValue::Unknown, _) => Truth::Unknown,
        (FactValue::Bool(value), Expected::Bool(expected)) => (value == expected).into(),
        (FactValue::Number(value), Expected::Number(expected)) => ((value - expected).abs() < f64::EPSILON).into(),
        (FactValue::Number(value), Expected::Bound(bound, limit)) => match bound {
            Bound::Less => value < limit,
            Bound::LessEqual => value <= limit,
            Bound::Greater => value > limit,
            Bound::GreaterEqual => value >= limit,
        }
        .into(),
        (FactValue::Crossing { .. }, Expected::Number(limit)) => value.crosses(*limit).unwrap_or(false).into(),
        (FactValue::Text(value), Expected::Text(expected)) => (value == expected).into(),
        _ => Truth::False,
    }
}

fn shown(value: &FactValue) -> String {
    match value {
        FactValue::Unknown => "unknown".to_owned(),
        FactValue::Bool(value) => value.to_string(),
        FactValue::Number(value) => format!("{value}"),
        FactValue::Text(text) => text.clone(),
        FactValue::Crossing { before, after } => format!("{before} to {after}"),
    }
}
