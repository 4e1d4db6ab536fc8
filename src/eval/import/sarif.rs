//! The results of a SARIF file (2.1.0), as far as they are comments on code.

use serde_json::Value;

use crate::escape::percent_decoded;
use crate::record::Comment;

/// What a file says of one change.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Log {
    /// The results; `file` as the tool names it, decoded, without its scheme.
    pub(super) results: Vec<Outcome>,
    /// A run of the tool says that it did not succeed.
    pub(super) failed: Option<String>,
}

/// A result of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) comment: Comment,
    /// Why it is no finding, in the tool's own words.
    pub(super) not_one: Option<String>,
}

/// Reads a log.
///
/// # Errors
/// It is none; what is wrong, in words.
pub(super) fn read(log: &Value) -> Result<Log, String> {
    let version = log.get("version").and_then(Value::as_str).unwrap_or("of no version");
    if version != "2.1.0" {
        return Err(format!("SARIF 2.1.0 is read, and this is {version}"));
    }
    let runs = log.get("runs").and_then(Value::as_array).ok_or("it has no list `runs`")?;
    let mut read = Log::default();
    if runs.is_empty() {
        read.failed = Some("it has no run: nothing was scanned".to_owned());
    }
    for run in runs {
        // 3.14.23: no list of results means that nothing was scanned, unlike an empty one.
        let Some(results) = run.get("results").and_then(Value::as_array) else {
            read.failed.get_or_insert_with(|| "a run has no `results`: nothing was scanned".to_owned());
            continue;
        };
        let broken = list(run, "invocations").iter().any(|call| call.get("executionSuccessful") == Some(&false.into()));
        if broken {
            read.failed.get_or_insert_with(|| "the tool says that it did not succeed".to_owned());
        }
        for result in results {
            let number = read.results.len() + 1;
            read.results.push(outcome(run, result, number));
        }
    }
    Ok(read)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

fn outcome(run: &Value, result: &Value, number: usize) -> Outcome {
    let rule = rule(run, result);
    let name = text(result, "/ruleId").or_else(|| text(result, "/rule/id")).or_else(|| text(rule?, "/id"));
    let place = result.pointer("/locations/0/physicalLocation");
    let line = |pointer: &str| {
        let line = place?.pointer(pointer)?.as_u64()?;
        u32::try_from(line).ok().filter(|line| *line > 0)
    };
    let first = line("/region/startLine");
    let last = line("/region/endLine").filter(|last| first.is_some_and(|first| *last >= first));
    Outcome {
        not_one: not_one(result),
        comment: Comment {
            id: format!("c{number}"),
            file: place.and_then(|place| file(run, place)),
            line: first,
            end_line: last.or(first),
            body: words(run, result, rule).unwrap_or_else(|| name.unwrap_or("no message").to_owned()),
            tag: name.map(str::to_owned),
            level: Some(level(result, rule).to_owned()),
            ..Comment::default()
        },
    }
}

/// The entry of a list at an index that stands elsewhere.
fn indexed<'v>(list: &'v [Value], index: Option<&Value>) -> Option<&'v Value> {
    list.get(usize::try_from(index?.as_u64()?).ok()?)
}

/// The rule of a result, by its index or its id (3.27.5 to 3.27.7), in the tool or in one of its extensions.
fn rule<'v>(run: &'v Value, result: &Value) -> Option<&'v Value> {
    let tool = run.get("tool")?;
    let same = |one: &Value, other: &Value, key: &str| text(one, key).is_some() && text(one, key) == text(other, key);
    let component = match result.pointer("/rule/toolComponent") {
        None => tool.get("driver"),
        Some(named) if named.get("index").is_some() => indexed(list(tool, "extensions"), named.get("index")),
        Some(named) => {
            let mut all = tool.get("driver").into_iter().chain(list(tool, "extensions"));
            all.find(|component| same(component, named, "/guid") || same(component, named, "/name"))
        }
    };
    let rules = list(component?, "rules");
    let index = result.get("ruleIndex").or_else(|| result.pointer("/rule/index"));
    indexed(rules, index).or_else(|| {
        let id = text(result, "/ruleId").or_else(|| text(result, "/rule/id"))?;
        let of = |id: &str| rules.iter().find(|rule| text(rule, "/id") == Some(id));
        // A hierarchical id may say more than the rule's (3.27.5).
        of(id).or_else(|| of(id.rsplit_once('/')?.0))
    })
}

/// The file of a result (3.4), by its URI or by its place in the list of artifacts.
fn file(run: &Value, place: &Value) -> Option<String> {
    let location = place.get("artifactLocation")?;
    let uri = text(location, "/uri")
        .or_else(|| text(indexed(list(run, "artifacts"), location.get("index"))?, "/location/uri"))?;
    let path = plain(uri);
    let Some(mut base) = text(location, "/uriBaseId") else { return Some(path) };
    // What a base stands for may begin with another one (3.14.14).
    let bases = run.get("originalUriBaseIds");
    let mut whole = path;
    for _ in 0..8 {
        let Some(one) = bases.and_then(|bases| bases.get(base)) else { break };
        if let Some(uri) = text(one, "/uri") {
            whole = format!("{}/{whole}", plain(uri).trim_end_matches('/'));
        }
        let Some(next) = text(one, "/uriBaseId") else { break };
        base = next;
    }
    Some(whole)
}

/// A URI as a path: without its scheme, its escapes and `./`.
fn plain(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let decoded = percent_decoded(path).and_then(|bytes| String::from_utf8(bytes).ok());
    // Tools that do not encode write a plain `%`.
    let path = decoded.unwrap_or_else(|| path.to_owned()).replace('\\', "/");
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}

/// The message (3.11): its text or the one its id names, filled in; else what the rule says of itself.
fn words(run: &Value, result: &Value, rule: Option<&Value>) -> Option<String> {
    let id = text(result, "/message/id");
    let strings = || rule.and_then(|rule| rule.get("messageStrings"));
    let globals = || run.pointer("/tool/driver/globalMessageStrings");
    let named = |strings: Option<&'_ Value>| Some(strings?.get(id?)?.get("text")?.as_str()?.to_owned());
    let message = text(result, "/message/text").map(str::to_owned);
    match message.or_else(|| named(strings())).or_else(|| named(globals())) {
        Some(message) => Some(filled(&message, list(result.get("message")?, "arguments"))),
        None => {
            text(rule?, "/fullDescription/text").or_else(|| text(rule?, "/shortDescription/text")).map(str::to_owned)
        }
    }
}

/// A message with its arguments in their places `{0}`; doubled braces are plain ones (3.11.5).
fn filled(message: &str, arguments: &[Value]) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        let place = rest
            .split_once('}')
            .filter(|_| brace == "{")
            .and_then(|(number, behind)| Some((arguments.get(number.parse::<usize>().ok()?)?.as_str()?, behind)));
        match place {
            Some((argument, behind)) => {
                out.push_str(argument);
                rest = behind;
            }
            None => {
                out.push_str(brace);
                rest = rest.strip_prefix(brace).unwrap_or(rest);
            }
        }
    }
    out.push_str(rest);
    out
}

/// The level (3.27.10): its own, or that of its rule, or `warning`. What is no failure has none.
fn level(result: &Value, rule: Option<&Value>) -> &'static str {
    let level = text(result, "/level").or_else(|| text(rule?, "/defaultConfiguration/level"));
    match level {
        Some("error") => "error",
        Some("note" | "none") => "note",
        _ => "warning",
    }
}

/// Why a result is no finding of the change: it reports no problem (3.27.9), is suppressed (3.27.23), or stood there before
/// (3.27.24).
fn not_one(result: &Value) -> Option<String> {
    let kind = text(result, "/kind").unwrap_or("fail");
    if matches!(kind, "pass" | "notApplicable" | "informational") {
        return Some(format!("its kind is `{kind}`"));
    }
    let accepted = |one: &Value| matches!(text(one, "/status"), None | Some("accepted"));
    let suppressions = list(result, "suppressions");
    if !suppressions.is_empty() && suppressions.iter().all(accepted) {
        return Some("it is suppressed".to_owned());
    }
    match text(result, "/baselineState") {
        Some(state @ ("unchanged" | "updated" | "absent")) => {
            Some(format!("its state against the baseline is `{state}`"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn only(result: Value) -> Outcome {
        let rules = json!([
            {"id": "a", "defaultConfiguration": {"level": "error"}, "messageStrings": {"m": {"text": "no {0} in {1}, {{x}}"}}},
            {"id": "b", "shortDescription": {"text": "of the rule"}},
        ]);
        let run = json!({"tool": {"driver": {"name": "t", "rules": rules}}, "results": [result],
            "artifacts": [{"location": {"uri": "src/a%20b.c"}}]});
        let mut log = read(&json!({"version": "2.1.0", "runs": [run]})).expect("a log");
        assert_eq!(log.failed, None);
        log.results.pop().expect("a result")
    }

    fn at(uri: &str, region: Value) -> Value {
        json!([{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}])
    }

    #[test]
    fn a_result_becomes_a_comment() {
        let region = json!({"startLine": 3, "endLine": 5});
        let found =
            only(json!({"ruleId": "a", "message": {"text": "t"}, "locations": at("file:///w/x%41.c", region)})).comment;
        assert_eq!((found.file.as_deref(), found.line, found.end_line), (Some("/w/xA.c"), Some(3), Some(5)));
        assert_eq!(
            (found.body.as_str(), found.tag.as_deref(), found.level.as_deref()),
            ("t", Some("a"), Some("error"))
        );
        let place = json!([{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 0}}}]);
        let found = only(json!({"ruleIndex": 1, "message": {}, "locations": place})).comment;
        assert_eq!((found.file.as_deref(), found.line, found.end_line), (Some("src/a b.c"), None, None));
        assert_eq!(
            (found.body.as_str(), found.tag.as_deref(), found.level.as_deref()),
            ("of the rule", Some("b"), Some("warning"))
        );
        let bare = only(json!({"message": {"text": "100 % {0} {{1}}"}, "locations": at("100%.c", json!({}))})).comment;
        assert_eq!((bare.file.as_deref(), bare.body.as_str()), (Some("100%.c"), "100 % {0} {1}"));
        let message = json!({"id": "m", "arguments": ["a", "{1}"]});
        assert_eq!(only(json!({"ruleId": "a", "message": message})).comment.body, "no a in {1}, {x}");
    }

    #[test]
    fn bases_and_rules_are_those_that_are_named() {
        let tool = json!({
            "driver": {"name": "d", "rules": [{"id": "CA1", "defaultConfiguration": {"level": "error"}}]},
            "extensions": [{"name": "e", "guid": "g", "rules": [{"id": "E1", "shortDescription": {"text": "of e"}}]}],
        });
        let place = json!([{"physicalLocation": {"artifactLocation": {"uri": "./app.py", "uriBaseId": "SRC"}}}]);
        let results = json!([
            {"ruleId": "CA1/2", "message": {"text": "t"}, "locations": place},
            {"rule": {"index": 0, "toolComponent": {"guid": "g"}}, "message": {}},
            {"rule": {"index": 0, "toolComponent": {"name": "nobody"}}, "message": {}},
        ]);
        let bases = json!({"SRC": {"uri": "src/", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///w/a%20b/"}});
        let run = json!({"tool": tool, "results": results, "originalUriBaseIds": bases});
        let read = read(&json!({"version": "2.1.0", "runs": [run]})).expect("a log").results;
        assert_eq!(read[0].comment.file.as_deref(), Some("/w/a b/src/app.py"));
        assert_eq!(read[0].comment.level.as_deref(), Some("error"));
        assert_eq!((read[1].comment.tag.as_deref(), read[1].comment.body.as_str()), (Some("E1"), "of e"));
        assert_eq!((read[2].comment.tag.as_deref(), read[2].comment.body.as_str()), (None, "no message"));
    }

    #[test]
    fn what_is_no_finding_says_why() {
        for (key, value, why) in [
            ("kind", json!("pass"), Some("its kind is `pass`")),
            ("kind", json!("fail"), None),
            ("suppressions", json!([{"kind": "inSource"}]), Some("it is suppressed")),
            ("suppressions", json!([{"kind": "external", "status": "underReview"}]), None),
            ("suppressions", json!([]), None),
            ("baselineState", json!("unchanged"), Some("its state against the baseline is `unchanged`")),
            ("baselineState", json!("new"), None),
        ] {
            let mut result = json!({"message": {"text": "t"}});
            result[key] = value;
            assert_eq!(only(result.clone()).not_one.as_deref(), why, "{result}");
        }
    }

    #[test]
    fn a_scan_that_did_not_happen_is_no_silence() {
        let log = |run: Value| read(&json!({"version": "2.1.0", "runs": [run]})).expect("a log").failed;
        assert_eq!(log(json!({"results": []})), None);
        assert!(log(json!({})).is_some());
        assert!(log(json!({"results": [], "invocations": [{"executionSuccessful": false}]})).is_some());
        assert!(read(&json!({"version": "1.0.0", "runs": []})).is_err());
        assert!(read(&json!([])).is_err());
    }
}
