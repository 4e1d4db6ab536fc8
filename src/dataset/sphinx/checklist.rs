//! Items of a checklist: an order of one step and its reason (Sphinx, appendix F).

use serde_json::{Value, json};

use super::LONGEST;
use crate::dataset::asking::text;

/// What an item may begin with, in lower case.
pub const VERBS: [&str; 84] = [
    "add",
    "adjust",
    "align",
    "allow",
    "apply",
    "assert",
    "assign",
    "avoid",
    "batch",
    "cache",
    "call",
    "cast",
    "catch",
    "change",
    "check",
    "clarify",
    "clean",
    "clear",
    "close",
    "combine",
    "compare",
    "compute",
    "confirm",
    "convert",
    "copy",
    "correct",
    "create",
    "declare",
    "define",
    "delete",
    "document",
    "drop",
    "eliminate",
    "enable",
    "ensure",
    "escape",
    "expand",
    "explain",
    "export",
    "expose",
    "extend",
    "extract",
    "fix",
    "format",
    "guard",
    "handle",
    "implement",
    "import",
    "include",
    "initialise",
    "initialize",
    "inline",
    "insert",
    "introduce",
    "invert",
    "keep",
    "limit",
    "lock",
    "log",
    "make",
    "merge",
    "move",
    "narrow",
    "pass",
    "prevent",
    "propagate",
    "put",
    "raise",
    "refactor",
    "reject",
    "release",
    "remove",
    "rename",
    "reorder",
    "replace",
    "restore",
    "return",
    "set",
    "simplify",
    "split",
    "test",
    "update",
    "use",
    "validate",
];

/// What is wrong with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lint {
    /// It begins with no verb of [`VERBS`].
    NoVerb,
    /// It asks for more than one step.
    SeveralSteps,
    /// It has no reason, or the reason has parentheses of its own.
    NoReason,
    /// It names nothing that could be checked.
    Vague,
}

impl Lint {
    /// In a sentence.
    pub const fn what(self) -> &'static str {
        match self {
            Self::NoVerb => "`verb` is not one verb of an order",
            Self::SeveralSteps => "it asks for more than one step: make each an item of its own",
            Self::NoReason => "`why` is empty, of several lines or has parentheses",
            Self::Vague => "it does not say which code becomes what",
        }
    }
}

/// Orders that can be followed by anything and checked by nobody.
const VAGUE: [&str; 8] = [
    "performance",
    "readability",
    "the code",
    "code quality",
    "maintainability",
    "the performance",
    "the readability",
    "error handling",
];

/// Looks at an item: verb, the rest of the order, the reason.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn lint(verb: &str, text: &str, why: &str) -> Result<(), Lint> {
    let known = |word: &str| VERBS.contains(&word.to_lowercase().as_str());
    if !known(verb.trim()) {
        return Err(Lint::NoVerb);
    }
    let why = why.trim();
    if why.is_empty() || why.contains(['(', ')', '\n']) {
        return Err(Lint::NoReason);
    }
    let text = text.trim();
    let words: Vec<&str> = outside_code(text);
    let is_second = |pair: &[&str]| {
        matches!(pair[0].to_lowercase().as_str(), "and" | "then") && known(pair[1].trim_end_matches([',', '.', ':']))
    };
    let ends_inside = words.iter().rev().skip(1).any(|word| word.ends_with(['.', '!', '?']) && word.len() > 3);
    if text.contains(['\n', ';']) && !text.contains('`')
        || words.iter().any(|word| word.ends_with(';'))
        || words.windows(2).any(is_second)
        || ends_inside
    {
        return Err(Lint::SeveralSteps);
    }
    let plain = text.trim_end_matches('.').to_lowercase();
    if plain.split_whitespace().count() < 2 || VAGUE.contains(&plain.as_str()) {
        return Err(Lint::Vague);
    }
    Ok(())
}

/// The words that stand outside of backticks.
fn outside_code(text: &str) -> Vec<&str> {
    text.split('`').step_by(2).flat_map(str::split_whitespace).collect()
}

/// Reads an answer about so many comments. In the first answer every fault is one to mend; of the second those items are
/// kept that have none.
pub(super) fn read(value: &Value, comments: usize, last: bool) -> Result<Value, String> {
    let mut kept = Vec::new();
    let mut faults = Vec::new();
    for (item, number) in super::list(value, "items")?.iter().zip(1..) {
        match one(item, comments) {
            Ok(item) => kept.push(item),
            Err(fault) => faults.push(format!("item {number}: {fault}")),
        }
    }
    match faults.first() {
        Some(fault) if !last || kept.is_empty() => Err(fault.clone()),
        None if kept.is_empty() => Err("`items` is empty".to_owned()),
        _ => Ok(json!({"items": kept, "dropped": faults})),
    }
}

fn one(item: &Value, comments: usize) -> Result<Value, String> {
    let comment = item.get("comment").and_then(Value::as_u64).filter(|number| (1..=comments as u64).contains(number));
    let comment = comment.ok_or_else(|| format!("`comment` is no number from 1 to {comments}"))?;
    let (verb, order, why) = (text(item, "verb", 40)?, text(item, "text", LONGEST)?, text(item, "why", LONGEST)?);
    // Some begin the rest with the verb again.
    let order = order.strip_prefix(verb).filter(|rest| rest.starts_with(' ')).unwrap_or(order).trim();
    let why = why.strip_prefix('(').and_then(|why| why.strip_suffix(')')).unwrap_or(why);
    lint(verb, order, why).map_err(|lint| lint.what().to_owned())?;
    Ok(json!({"comment": comment, "verb": verb, "text": order.trim_end_matches('.'), "why": why}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_item_is() {
        for (verb, text, why, expected) in [
            ("Replace", "the literal `60` in `wait()` with a constant", "it stands there three times", Ok(())),
            ("Add", "a check for `a; b` in `f`", "it is code", Ok(())),
            ("Rename", "`a` and `b` to what they hold", "clarity", Ok(())),
            ("Consider", "using `StrictStr` here", "types", Err(Lint::NoVerb)),
            ("", "using `StrictStr` here", "types", Err(Lint::NoVerb)),
            ("Add", "a guard in `f` and remove the loop", "zero", Err(Lint::SeveralSteps)),
            ("Add", "a guard in `f`; a test of it too", "zero", Err(Lint::SeveralSteps)),
            ("Add", "a guard in the loop. It fails for zero", "zero", Err(Lint::SeveralSteps)),
            ("Add", "a guard in `f`", " ", Err(Lint::NoReason)),
            ("Add", "a guard in `f`", "zero (crash)", Err(Lint::NoReason)),
            ("Fix", "performance", "speed", Err(Lint::Vague)),
            ("Fix", "the code.", "speed", Err(Lint::Vague)),
        ] {
            assert_eq!(lint(verb, text, why), expected, "{verb} {text} ({why})");
        }
    }

    #[test]
    fn a_second_answer_keeps_what_is_sound() {
        let good = json!({"comment": 1, "verb": "Add", "text": "Add a guard for zero in `f`", "why": "(it divides)"});
        let bad = json!({"comment": 2, "verb": "Add", "text": "a guard for zero in `f`", "why": "w"});
        let both = json!({"items": [good, bad]});
        assert!(read(&both, 1, false).is_err_and(|why| why.contains("item 2: `comment`")));
        let kept = read(&both, 1, true).expect("one is sound");
        assert_eq!(kept["items"][0]["text"], "a guard for zero in `f`");
        assert_eq!(kept["items"][0]["why"], "it divides");
        assert_eq!(kept["dropped"].as_array().map(Vec::len), Some(1));
        assert!(read(&json!({"items": []}), 1, true).is_err());
    }

    #[test]
    fn the_verbs_are_sorted_and_differ() {
        assert!(VERBS.is_sorted_by(|one, other| one < other));
    }
}
