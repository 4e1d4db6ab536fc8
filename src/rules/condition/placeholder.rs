//! Values that stand for a credential and are none: `EXAMPLE`, `xxxx…`, `0123456789…`, a word said twice.

use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem};

pub(super) const CONDITION: Condition = Condition {
    key: "placeholder",
    help: "the value of this capture is no issued credential: a sample, a template, repeated or counted up",
    parse,
};

#[derive(Debug)]
struct Placeholder(String);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    match node.text() {
        Some(name) => Some(Box::new(Placeholder(name.to_owned()))),
        None => {
            problems.push(Problem::at(&node.at, "`placeholder` names a capture"));
            None
        }
    }
}

impl Test for Placeholder {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        subject.variables.get(&self.0).is_some_and(|value| is_placeholder(value)).into()
    }
}

/// Words of four letters or more: a random token of 40 characters holds one of them by chance once in 10,000.
const WORDS: [&str; 26] = [
    "example",
    "sample",
    "dummy",
    "fake",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "redacted",
    "replace",
    "insert",
    "your",
    "xxxx",
    "****",
    "....",
    "todo",
    "secret",
    "password",
    "passw0rd",
    "token",
    "mytest",
    "test-",
    "test_",
    "_test",
    "-test",
    "invalid",
];

/// Whether a value is a stand-in. Case does not count.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let template = ["${", "{{", "}}", "<%", "$(", "%s", "%(", "#{"];
    WORDS.iter().any(|word| lower.contains(word))
        || template.iter().any(|mark| lower.contains(mark))
        || (lower.starts_with('<') && lower.ends_with('>'))
        || is_regular(lower.as_bytes())
}

/// Longest run of one character that chance allows, and of characters that count up or down.
const RUN: usize = 6;
/// Fewest different characters in the body of an issued value; 32 random hexadecimal digits have about 14.
const DIFFERENT: usize = 7;

fn is_regular(bytes: &[u8]) -> bool {
    // The constant part in front of a body (`sk_live_`) says nothing of it.
    let body = bytes.rsplit(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':')).next().unwrap_or(bytes);
    let body = if body.len() >= 16 { body } else { bytes };
    longest_run(bytes, 0) >= RUN
        || longest_run(bytes, 1) >= RUN
        || longest_run(bytes, -1) >= RUN
        || different(body) < DIFFERENT
        || is_periodic(body)
}

/// The longest stretch in which each character follows the one before by `step`. `9` is followed by `0` and `z` by `a`.
fn longest_run(bytes: &[u8], step: i16) -> usize {
    let (mut best, mut run) = (1, 1);
    for pair in bytes.windows(2) {
        let (from, to) = (i16::from(pair[0]), i16::from(pair[1]));
        let wraps = step == 1 && matches!((pair[0], pair[1]), (b'9', b'0') | (b'z', b'a'));
        let both = pair[0].is_ascii_alphanumeric() && pair[1].is_ascii_alphanumeric();
        run = if both && (to - from == step || wraps) { run + 1 } else { 1 };
        best = best.max(run);
    }
    best
}

fn different(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Whether the whole is one short piece said again and again.
fn is_periodic(bytes: &[u8]) -> bool {
    (1..=bytes.len() / 2).take(16).any(|period| bytes.iter().zip(&bytes[period..]).all(|(a, b)| a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_known() {
        for value in [
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "sk_live_111111111111111111111111",
            "glpat-abc123abc123abc123abc1",
            "${GITHUB_TOKEN}",
            "<your-token>",
            "00000000000000000000000000000000",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn issued_values_are_not() {
        for value in ["AKIAQYLPMN5HFIQR7XYA", "ghp_9aKq3LmZx0RtY7uVbN2cWd8eJf5gHs1iPo4k", "d0a1f53c9b7e4826"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
