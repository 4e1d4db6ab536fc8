//! What a model said, as far as it can be used. The shape is ours or one of the papers'; everything else is refused with
//! a sentence that the model can mend its answer by.

use serde_json::{Map, Value, json};

use crate::provider::Schema;

/// A claim as a model words it. Nothing of it is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Worded {
    pub(super) file: String,
    /// The number of a line of the chunk, or what the model took for one.
    pub(super) line: i64,
    pub(super) quote: String,
    pub(super) tag: String,
    pub(super) rationale: String,
    pub(super) suggestion: String,
    /// The function that the papers' shapes ask for.
    pub(super) function: Option<String>,
}

/// Most claims that one answer may make; a reviewer who finds more has not read.
const MOST: usize = 200;

/// What is said of a fault at most, in characters.
const LONGEST: usize = 4_000;

/// Each field under our name first, then as Code Quality Score (A.1) and CR-Bench (listings 4, 5) call it.
const FILE: &[&str] = &["file", "relevant_file", "path"];
const LINE: &[&str] = &["line", "line_number"];
const QUOTE: &[&str] = &["quote", "code"];
const TAG: &[&str] = &["tag"];
const RATIONALE: &[&str] = &["rationale", "comment"];
const SUGGESTION: &[&str] = &["suggestion", "suggested_fix"];
const FUNCTION: &[&str] = &["function", "problematic_function"];
/// Said by the papers' shapes and of no weight here: a tag's level is its pack's.
const IGNORED: &[&str] = &["severity"];
const FINDINGS: &[&str] = &["findings", "issues", "comments"];

/// The shape of an answer: the subset that every strict dialect takes.
pub(super) fn schema() -> Schema {
    let text = || json!({"type": "string"});
    let json = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["findings", "no_comment"],
        "properties": {
            "findings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["file", "line", "quote", "tag", "rationale", "suggestion"],
                    "properties": {
                        "file": text(),
                        "line": {"type": "integer"},
                        "quote": text(),
                        "tag": text(),
                        "rationale": text(),
                        "suggestion": text(),
                    },
                },
            },
            "no_comment": {"type": "boolean"},
        },
    });
    Schema { name: "review", json }
}

/// The claims of an answer, which is one JSON object without duplicate keys.
///
/// # Errors
/// What is wrong with it. An answer that neither finds anything nor says that there is nothing is none.
pub(super) fn read(text: &str) -> Result<Vec<Worded>, String> {
    let Ok(Value::Object(answer)) = serde_json::from_str(text) else {
        return Err("it is no JSON object".to_owned());
    };
    for key in answer.keys() {
        if !FINDINGS.contains(&key.as_str()) && key != "no_comment" {
            return Err(format!("it has the key {}, which the schema does not have", named(key)));
        }
    }
    let clean = match answer.get("no_comment") {
        None => false,
        Some(Value::Bool(clean)) => *clean,
        Some(_) => return Err("`no_comment` is not true or false".to_owned()),
    };
    let items = match field(&answer, FINDINGS)? {
        None if clean => return Ok(Vec::new()),
        None => return Err("it has no `findings`".to_owned()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err("`findings` is no list".to_owned()),
    };
    if items.is_empty() && !clean {
        return Err("it finds nothing, and `no_comment` does not say that there is nothing to find".to_owned());
    }
    if items.len() > MOST {
        return Err(format!("it makes {} claims; the most important {MOST} at most are wanted", items.len()));
    }
    let worded = items.iter().zip(1..).map(|(item, number)| {
        let fault = |why: String| format!("finding {number}: {why}");
        match item {
            Value::Object(item) => finding(item).map_err(fault),
            _ => Err(fault("it is no object".to_owned())),
        }
    });
    worded.collect()
}

fn finding(item: &Map<String, Value>) -> Result<Worded, String> {
    let known = [FILE, LINE, QUOTE, TAG, RATIONALE, SUGGESTION, FUNCTION, IGNORED];
    if let Some(key) = item.keys().find(|key| !known.iter().any(|names| names.contains(&key.as_str()))) {
        return Err(format!("it has the key {}, which the schema does not have", named(key)));
    }
    let line = match field(item, LINE)? {
        Some(value) => number(value).ok_or("`line` is no whole number")?,
        None => return Err("`line` is missing".to_owned()),
    };
    let text = |names: &[&str]| match field(item, names)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.chars().take(LONGEST).collect::<String>())),
        Some(_) => Err(format!("`{}` is no text", names[0])),
    };
    let needed = |names: &[&str]| text(names)?.ok_or_else(|| format!("`{}` is missing", names[0]));
    let rationale = needed(RATIONALE)?;
    if rationale.trim().is_empty() {
        return Err("`rationale` is empty".to_owned());
    }
    Ok(Worded {
        file: needed(FILE)?,
        line,
        // The papers' shapes have no quote. Such a claim is read, and falls where claims are tied to code.
        quote: text(QUOTE)?.unwrap_or_default(),
        tag: text(TAG)?.unwrap_or_default(),
        rationale,
        // A part of it would be another suggestion.
        suggestion: text(SUGGESTION)?.filter(|text| text.chars().count() < LONGEST).unwrap_or_default(),
        function: text(FUNCTION)?.filter(|name| !name.trim().is_empty()),
    })
}

/// The value of the first of these keys; two of them at once could say two things.
fn field<'v>(map: &'v Map<String, Value>, names: &[&str]) -> Result<Option<&'v Value>, String> {
    let mut found = names.iter().filter_map(|name| map.get(*name));
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("`{}` is given under two names", names[0])),
        (found, None) => Ok(found),
    }
}

/// A whole number, also one written as text or with a fraction of zero.
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 1e15).then_some(float as i64);
            number.as_i64().or_else(|| number.as_f64().and_then(whole))
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A key of the answer for a sentence: untrusted, so short and visible.
fn named(key: &str) -> String {
    let key: String = key.chars().take(40).collect();
    format!("`{}`", crate::escape::visible(&key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        read(text).expect_err(text)
    }

    #[test]
    fn our_shape_and_the_papers() {
        let ours = r#"{"findings":[{"file":"a.py","line":3,"quote":"x","tag":"T","rationale":"r","suggestion":""}],"no_comment":false}"#;
        let claims = read(ours).expect("our shape");
        assert_eq!((claims[0].file.as_str(), claims[0].line, claims[0].quote.as_str()), ("a.py", 3, "x"));
        let cqs = r#"{"issues":[{"problematic_function":"f","rationale":"r","relevant_file":"a.py","line":"7","tag":"Typo"}]}"#;
        let claims = read(cqs).expect("the shape of Code Quality Score");
        assert_eq!((claims[0].line, claims[0].function.as_deref(), claims[0].quote.as_str()), (7, Some("f"), ""));
        let bench = r#"{"comments":[{"file":"a.py","line":23.0,"comment":"c","severity":"high"}]}"#;
        assert_eq!(read(bench).expect("the shape of CR-Bench")[0].rationale, "c");
    }

    #[test]
    fn nothing_is_clean_only_by_its_own_word() {
        assert_eq!(read(r#"{"findings":[],"no_comment":true}"#), Ok(vec![]));
        assert_eq!(read(r#"{"no_comment":true}"#), Ok(vec![]));
        for text in [r#"{"findings":[],"no_comment":false}"#, r#"{"findings":[]}"#, "{}", r#"{"no_comment":false}"#] {
            refused(text);
        }
    }

    #[test]
    fn other_shapes_say_what_is_wrong() {
        let cases = [
            ("[]", "no JSON object"),
            (r#"{"verdict":"approve","no_comment":true}"#, "`verdict`"),
            (r#"{"findings":{},"no_comment":true}"#, "no list"),
            (r#"{"findings":[1],"no_comment":true}"#, "finding 1: it is no object"),
            (r#"{"findings":[{"file":"a","rationale":"r"}]}"#, "`line` is missing"),
            (r#"{"findings":[{"file":"a","line":[1],"rationale":"r"}]}"#, "`line` is no whole number"),
            (r#"{"findings":[{"file":"a","line":1,"rationale":" "}]}"#, "`rationale` is empty"),
            (r#"{"findings":[{"file":"a","path":"b","line":1,"rationale":"r"}]}"#, "two names"),
            (r#"{"findings":[{"file":"a","line":1,"rationale":"r","level":"error"}]}"#, "`level`"),
            (r#"{"findings":[{"file":7,"line":1,"rationale":"r"}]}"#, "`file` is no text"),
            (r#"{"findings":[],"no_comment":"true"}"#, "not true or false"),
        ];
        for (text, what) in cases {
            assert!(refused(text).contains(what), "{text}: {}", refused(text));
        }
        let many = format!(r#"{{"findings":[{}]}}"#, vec![r#"{"file":"a","line":1,"rationale":"r"}"#; 201].join(","));
        assert!(refused(&many).contains("201 claims"));
    }
}
