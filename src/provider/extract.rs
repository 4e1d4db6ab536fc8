//! The one JSON object in what a model wrote.

use serde_json::Value;

use super::envelope;

/// The one JSON object of a text, as it stands there. Around it prose, fences and `<think>…</think>` may stand; two
/// different objects, a broken one, one inside a list or none at all are refused with the reason. Nothing is repaired:
/// the inner object of a torn outer one would be another answer than the model gave.
pub(super) fn object(text: &str) -> Result<&str, &'static str> {
    let text = without_reasoning(text.trim())?;
    match envelope::parse(text.as_bytes()) {
        Ok(Value::Object(_)) => return Ok(text),
        Ok(_) => return Err("the answer is JSON but no object"),
        Err(_) => {}
    }
    let mut found: Vec<(usize, &str, Value)> = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['{', '[']) {
        at += next;
        at += match scan(&text[at..])? {
            Scanned::Object(value, length) => {
                found.push((at, &text[at..at + length], value));
                length
            }
            Scanned::Prose(length) => length,
        };
    }
    // Reasoning whose opening tag the server cut off: what stands before the closing tag is no answer.
    let outside = |place: usize| !found.iter().any(|(at, object, _)| (*at..at + object.len()).contains(&place));
    if let Some((end, _)) = text.rmatch_indices("</think>").find(|(place, _)| outside(*place)) {
        found.retain(|(at, ..)| *at > end);
    }
    let mut found = found.into_iter();
    let Some((_, first, value)) = found.next() else { return Err("the answer has no JSON object") };
    if found.any(|(_, _, other)| other != value) {
        return Err("the answer has several different JSON objects");
    }
    Ok(first)
}

/// The text behind a leading `<think>…</think>`.
fn without_reasoning(text: &str) -> Result<&str, &'static str> {
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        if let Some(rest) = text.strip_prefix(open) {
            let (_, rest) = rest.split_once(close).ok_or("the answer never leaves its reasoning")?;
            return Ok(rest.trim());
        }
    }
    Ok(text)
}

enum Scanned {
    Object(Value, usize),
    /// Brackets of prose or code, and how much to skip.
    Prose(usize),
}

/// What stands at an opening bracket.
fn scan(text: &str) -> Result<Scanned, &'static str> {
    let parsed = envelope::parse_prefix(text);
    let inside = text[1..].trim_start();
    if text.starts_with('[') {
        return match parsed {
            Ok((list, length)) if !holds_object(&list) => Ok(Scanned::Prose(length)),
            Ok(_) => Err("the answer is a list, not one object"),
            Err(_) if inside.starts_with('{') => Err("the answer has a broken list of objects"),
            Err(_) => Ok(Scanned::Prose(1)),
        };
    }
    match parsed {
        Ok((value, length)) => Ok(Scanned::Object(value, length)),
        Err(_) if inside.starts_with(['"', '}']) => Err("the answer has a broken JSON object"),
        Err(_) => balanced(text).map(Scanned::Prose).ok_or("the answer has a bracket that is never closed"),
    }
}

fn holds_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(holds_object),
        _ => false,
    }
}

/// The length of a `{…}` with its inner ones, quotes respected.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_object_is_found_in_what_models_wrap_around_it() {
        let plain = r#"{"a": "x } y", "b": [1, {"c": "\""}]}"#;
        for text in [
            plain.to_owned(),
            format!("  \n{plain}\n"),
            format!("```json\n{plain}\n```"),
            format!("Here it is:\n\n```\n{plain}\n```\nAnything else?"),
            format!("<think>maybe {{\"a\": 1}} or {{</think>\n{plain}"),
            format!("<thinking>{{</thinking>{plain}"),
            format!("a draft {{\"a\": 1}} in cut reasoning</think>{plain}"),
            format!("In `fn f() {{ g[1] }}` [1] nothing.\n{plain}"),
            format!("{plain}\n\nAgain: {plain}"),
        ] {
            assert_eq!(object(&text), Ok(plain), "{text}");
        }
        let quoting = r#"Result: {"quote": "</think> {"}"#;
        assert_eq!(object(quoting), Ok(&quoting[8..]));
    }

    #[test]
    fn what_is_not_one_object_is_refused() {
        for text in [
            "",
            "nothing to report",
            "null",
            "[]",
            r#"[{"a": 1}]"#,
            r#"List: [{"a": 1}] done"#,
            r#"List: [{"a": 1}, oops]"#,
            r#""{\"a\": 1}""#,
            r#"{"a": 1} {"a": 2}"#,
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": 1, "b": 2}}"#,
            r#"{"findings": [{"file": "x"}], "no_comm"#,
            r#"{"a": {"no_comment": true}"#,
            r#"{ a: {"no_comment": true}"#,
            r#"{"a": {"no_comment": true}, oops}"#,
            "<think>{\"a\": 1}",
            "{\"a\": \"\\ud800\"}",
            "{{{",
        ] {
            assert!(object(text).is_err(), "{text}");
        }
        assert!(object(&"{\"a\":".repeat(100_000)).is_err());
        assert!(object(&"[".repeat(100_000)).is_err());
        assert!(object(&"{".repeat(100_000)).is_err());
    }

    fn scraps() -> impl Strategy<Value = String> {
        let scrap = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just("\""),
            Just("\\"),
            Just(":"),
            Just(","),
            Just("1"),
            Just("\"a\""),
            Just("\"b\":"),
            Just("{\"a\":1}"),
            Just("{\"no_comment\": true}"),
            Just("<think>"),
            Just("</think>"),
            Just("```json\n"),
            Just("\n```\n"),
            Just(" "),
            Just("null"),
            Just("é"),
            Just("\u{2028}"),
        ];
        prop_oneof![prop::collection::vec(scrap, 0..24).prop_map(|parts| parts.concat()), any::<String>()]
    }

    proptest! {
        #[test]
        fn what_comes_out_is_one_object_of_the_text(text in scraps()) {
            if let Ok(found) = object(&text) {
                prop_assert!(text.contains(found));
                prop_assert!(matches!(envelope::parse(found.as_bytes()), Ok(Value::Object(_))));
            }
        }
    }
}
