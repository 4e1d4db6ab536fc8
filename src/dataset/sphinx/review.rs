//! Which comments of a review stand: those that cite a line at which the two solutions differ.

use std::ops::Range;

use serde_json::Value;

use crate::git::line_changes;

/// What a clean change gets (Sphinx, section "Evaluation Protocol").
pub const NO_COMMENT: &str = "No comment";

/// A comment on the other solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The line of the other solution, from 1.
    pub line: u32,
    /// That line, as it stands there.
    pub quote: String,
    /// What is said.
    pub text: String,
}

/// What is left of a review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Review {
    /// Comments that stand.
    pub remarks: Vec<Remark>,
    /// The others, each with its reason: `not-in-the-code` or `where-nothing-differs`.
    pub dropped: Vec<(Remark, &'static str)>,
    /// The reviewer said that nothing is to be said, or the two solutions are the same.
    pub is_clean: bool,
}

/// Ties the comments of an answer to the lines of `pseudo` that differ from `merged`, or stand next to what it lacks.
pub fn grounded(pseudo: &str, merged: &str, answer: &Value) -> Review {
    let mut review =
        Review { is_clean: answer.get("no_comment").and_then(Value::as_bool).unwrap_or(false), ..Review::default() };
    let lines: Vec<&str> = pseudo.lines().collect();
    let differing = differing(pseudo, merged);
    for comment in answer.get("comments").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| comment.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let said = comment.get("line").and_then(Value::as_i64).unwrap_or(0);
        // Of a quote of several lines the first says where it stands.
        let quote = text("quote").lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let of_quote: Vec<usize> =
            (0..lines.len()).filter(|index| !quote.is_empty() && lines[*index].trim() == quote).collect();
        let nearest = |at: &[usize]| at.iter().copied().min_by_key(|index| (*index as i64 + 1).abs_diff(said));
        let grounded: Vec<usize> =
            of_quote.iter().copied().filter(|index| differing.iter().any(|range| range.contains(index))).collect();
        let remark = |index: Option<usize>| Remark {
            line: index.map_or_else(|| u32::try_from(said).unwrap_or(0), |index| index as u32 + 1),
            quote: index.map_or_else(|| quote.to_owned(), |index| lines[index].to_owned()),
            text: text("comment").to_owned(),
        };
        match (nearest(&grounded), nearest(&of_quote)) {
            (Some(index), _) => review.remarks.push(remark(Some(index))),
            (None, Some(index)) => review.dropped.push((remark(Some(index)), "where-nothing-differs")),
            (None, None) => review.dropped.push((remark(None), "not-in-the-code")),
        }
    }
    review
}

/// Lines of `pseudo`, from 0, that `merged` does not have, and those around a place where it lacks some.
fn differing(pseudo: &str, merged: &str) -> Vec<Range<usize>> {
    let changes = line_changes(pseudo.as_bytes(), merged.as_bytes());
    let ranges = changes.into_iter().map(|change| {
        let (first, end) = (change.old.start as usize, change.old.end as usize);
        if first == end { first.saturating_sub(1)..end + 1 } else { first..end }
    });
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const PSEUDO: &str = "def f(x):\n    return 1 / x\n\ndef g():\n    return 1\n";
    const MERGED: &str = "def f(x):\n    if x == 0:\n        return 0\n    return 1 / x\n\ndef g():\n    return 2\n";

    fn review(comments: &Value) -> Review {
        grounded(PSEUDO, MERGED, &json!({"comments": comments, "no_comment": false}))
    }

    #[test]
    fn a_comment_stands_where_the_two_differ() {
        let said = json!([
            {"line": 5, "quote": "return 1", "comment": "wrong number"},
            {"line": 2, "quote": "    return 1 / x", "comment": "zero is not handled"},
            {"line": 4, "quote": "def g():", "comment": "rename it"},
            {"line": 9, "quote": "return 3", "comment": "invented"},
        ]);
        let review = review(&said);
        let lines: Vec<u32> = review.remarks.iter().map(|remark| remark.line).collect();
        assert_eq!(lines, [5, 2]);
        assert_eq!(review.remarks[1].quote, "    return 1 / x");
        let reasons: Vec<&str> = review.dropped.iter().map(|(_, reason)| *reason).collect();
        assert_eq!(reasons, ["where-nothing-differs", "not-in-the-code"]);
        assert!(!review.is_clean);
    }

    #[test]
    fn of_equal_lines_the_one_that_differs_is_meant() {
        let (pseudo, merged) = ("a\nx\nb\nx\n", "a\nx\nb\ny\n");
        let answer = json!({"comments": [{"line": 2, "quote": "x", "comment": "c"}], "no_comment": false});
        assert_eq!(grounded(pseudo, merged, &answer).remarks[0].line, 4);
    }

    #[test]
    fn nothing_stands_where_nothing_differs() {
        let answer = json!({"comments": [{"line": 1, "quote": "a", "comment": "c"}], "no_comment": false});
        let review = grounded("a\n", "a\n", &answer);
        assert!(review.remarks.is_empty());
        assert_eq!(review.dropped.len(), 1);
    }

    fn code() -> impl Strategy<Value = String> {
        prop::collection::vec(prop_oneof![Just("a"), Just("b"), Just("  c"), Just("")], 0..8)
            .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
    }

    proptest! {
        #[test]
        fn what_stands_cites_a_line_and_nothing_is_lost(
            pseudo in code(),
            merged in code(),
            said in prop::collection::vec((any::<i64>(), prop_oneof![Just("a"), Just("c"), Just(""), Just("z")]), 0..5),
        ) {
            let comments: Vec<Value> =
                said.iter().map(|(line, quote)| json!({"line": line, "quote": quote, "comment": "c"})).collect();
            let review = grounded(&pseudo, &merged, &json!({"comments": comments, "no_comment": false}));
            prop_assert_eq!(review.remarks.len() + review.dropped.len(), said.len());
            for remark in &review.remarks {
                let line = pseudo.lines().nth(remark.line as usize - 1);
                prop_assert_eq!(line, Some(remark.quote.as_str()));
                prop_assert!(pseudo != merged);
            }
        }
    }
}
