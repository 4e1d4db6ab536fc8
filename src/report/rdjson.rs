//! The Reviewdog Diagnostic Format (reviewdog, `proto/rdf`), as one document and as one diagnostic per line. Lines count
//! from 1, columns from 1 in bytes of UTF-8, and an end column is exclusive; without columns a range means whole lines,
//! the last one included.
//!
//! Reviewdog posts messages as Markdown, so that is what they are here, with nothing live in it. A suggestion replaces
//! whole lines by a text without its last line ending, and the empty text deletes them (reviewdog,
//! `buildSingleSuggestion`). An unread part of the change is a diagnostic of its file without a range.

use std::io;

use serde_json::{Value, json};

use super::entry::{Entry, entries};
use super::{Format, Report, region, write_json};
use crate::escape::{self, markdown, visible};
use crate::finding::{Finding, Level, Location, Suggestion};

/// The format.
pub(super) const FORMAT: Format = Format { name: "rdjson", help: "Reviewdog Diagnostic Format (JSON)", write };

/// The format of lines.
pub(super) const LINES: Format =
    Format { name: "rdjsonl", help: "Reviewdog Diagnostic Format, one JSON object per line", write: write_lines };

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let diagnostics: Vec<Value> = entries(report).iter().map(diagnostic).collect();
    write_json(&json!({ "source": source(), "diagnostics": diagnostics }), out)
}

fn write_lines(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for entry in entries(report) {
        let mut diagnostic = diagnostic(&entry);
        diagnostic["source"] = source();
        writeln!(out, "{}", escape::json(&diagnostic.to_string()))?;
    }
    Ok(())
}

fn source() -> Value {
    let mut source = json!({ "name": "diffsieve" });
    if let url @ [_, ..] = env!("CARGO_PKG_REPOSITORY").as_bytes() {
        source["url"] = String::from_utf8_lossy(url).into();
    }
    source
}

fn diagnostic(entry: &Entry<'_>) -> Value {
    let mut diagnostic = json!({
        "message": markdown(&entry.text),
        "severity": match entry.level {
            Level::Error => "ERROR",
            Level::Warning => "WARNING",
            Level::Note => "INFO",
        },
        "code": { "value": visible(entry.check) },
        "location": { "path": entry.path.to_text().raw() },
    });
    if let Some(finding) = entry.finding {
        diagnostic["location"] = location(&finding.claim.location);
        if let Some(suggestion) = finding.claim.suggestion.as_ref().and_then(|it| suggestion(finding, it)) {
            diagnostic["suggestions"] = json!([suggestion]);
        }
        if !finding.related.is_empty() {
            let related = |place| json!({ "message": "The same problem.", "location": location(place) });
            diagnostic["related_locations"] = finding.related.iter().map(related).collect();
        }
    }
    diagnostic
}

fn location(location: &Location) -> Value {
    let (first, last) = (location.line.get(), location.end_line.get().max(location.line.get()));
    let columns = location.columns.filter(|columns| first == last && 0 < columns.start && columns.start < columns.end);
    let range = match columns {
        Some(columns) => range((first, columns.start), (last, columns.end)),
        None => whole_lines(first, last),
    };
    json!({ "path": location.path.to_text().raw(), "range": range })
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({ "start": { "line": start.0, "column": start.1 }, "end": { "line": end.0, "column": end.1 } })
}

fn whole_lines(first: u32, last: u32) -> Value {
    json!({ "start": { "line": first }, "end": { "line": last } })
}

/// A suggestion; none for one empty line in place of lines of unknown width, which cannot be told from their deletion.
fn suggestion(finding: &Finding, suggestion: &Suggestion) -> Option<Value> {
    let (first, last) = (suggestion.line.get(), suggestion.end_line.get().max(suggestion.line.get()));
    let raw = suggestion.text.raw();
    let text = raw.strip_suffix('\n').map_or(raw, |text| text.strip_suffix('\r').unwrap_or(text));
    let range = if text.is_empty() && !raw.is_empty() {
        let replaced = region::framed(finding, suggestion.line, suggestion.end_line)?;
        range((first, 1), (last, u32::try_from(replaced.last()?.len()).ok()?.checked_add(1)?))
    } else {
        whole_lines(first, last)
    };
    Some(json!({ "range": range, "text": text }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Columns, Line, Untrusted};
    use crate::report::fixture::{self, Fixture};

    fn written(fixture: &Fixture) -> Value {
        let mut out = Vec::new();
        write(&fixture.report(), &mut out).expect("a vector takes everything");
        serde_json::from_slice(&out).expect("JSON")
    }

    fn lines(fixture: &Fixture) -> Vec<Value> {
        let mut out = Vec::new();
        write_lines(&fixture.report(), &mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn a_report_reads_like_this() {
        let written = written(&fixture::plain());
        assert_eq!(
            written["diagnostics"][0],
            json!({
                "message": "Mutable default argument: The default list is created once and shared by every call of `add`.",
                "severity": "ERROR",
                "code": { "value": "MutableDefault" },
                "location": {
                    "path": "shop/basket.py",
                    "range": { "start": { "line": 12, "column": 15 }, "end": { "line": 12, "column": 23 } },
                },
                "suggestions": [{
                    "range": { "start": { "line": 12 }, "end": { "line": 12 } },
                    "text": "def add(item, cache=None):",
                }],
                "related_locations": [{
                    "message": "The same problem.",
                    "location": {
                        "path": "shop/über uns.py",
                        "range": { "start": { "line": 3 }, "end": { "line": 3 } },
                    },
                }],
            })
        );
        let second = &written["diagnostics"][1];
        assert_eq!(second["location"]["range"], json!({ "start": { "line": 41 }, "end": { "line": 43 } }));
        assert_eq!((&second["severity"], &written["diagnostics"][2]["severity"]), (&json!("WARNING"), &json!("INFO")));
        assert_eq!(written["source"]["name"], "diffsieve");
    }

    #[test]
    fn lines_hold_what_the_document_holds() {
        for fixture in [fixture::plain(), fixture::empty(), fixture::incomplete(), fixture::hostile()] {
            let mut lines = lines(&fixture);
            for line in &mut lines {
                let source = line.as_object_mut().expect("an object").remove("source");
                assert_eq!(source.expect("each line tells its source")["name"], "diffsieve");
            }
            assert_eq!(Value::from(lines), written(&fixture)["diagnostics"]);
        }
    }

    #[test]
    fn what_was_not_read_has_a_file_and_no_line() {
        let written = written(&fixture::incomplete());
        assert_eq!(
            written["diagnostics"][0],
            json!({
                "message": "Not read, so the review is incomplete: over 1 MiB",
                "severity": "ERROR",
                "code": { "value": "incomplete" },
                "location": { "path": "assets/data.js" },
            })
        );
    }

    /// What reviewdog makes of the lines of a file, where the range says whole lines or columns.
    fn applied(file: &[&str], suggestion: &Value) -> Vec<String> {
        let number = |end: &str, name: &str| suggestion["range"][end][name].as_u64().map(|number| number as usize);
        let (first, last) = (number("start", "line").expect("a line"), number("end", "line").expect("a line"));
        let text = suggestion["text"].as_str().expect("a text");
        let middle = match (number("start", "column"), number("end", "column")) {
            (None, None) if text.is_empty() => vec![],
            (None, None) => text.split('\n').map(str::to_owned).collect(),
            (start, end) => {
                let (start, end) = (start.expect("both"), end.expect("both"));
                vec![format!("{}{text}{}", &file[first - 1][..start - 1], &file[last - 1][end - 1..])]
            }
        };
        let before = file[..first - 1].iter().map(|line| (*line).to_owned());
        before.chain(middle).chain(file[last..].iter().map(|line| (*line).to_owned())).collect()
    }

    #[test]
    fn an_applied_suggestion_is_the_suggestion() {
        let file = ["a", "é = 1", "  b", "c"];
        for text in ["", "\n", "x\n", "x", "x\ny\n", "\n\n", "x\r\n", "\r\n", "x\n\n"] {
            for (first, last) in [(2, 2), (2, 3), (1, 4), (4, 4)] {
                let mut finding = fixture::finding("T", Level::Note, "a", 2, &file);
                let line = |number| Line::new(number).expect("not zero");
                finding.claim.suggestion =
                    Some(Suggestion { line: line(first), end_line: line(last), text: Untrusted::new(text) });
                let offered = finding.claim.suggestion.as_ref().and_then(|it| suggestion(&finding, it));
                let got = applied(&file, &offered.expect("a suggestion"));
                let (first, last) = (first as usize, last as usize);
                let mut want: Vec<String> = file[..first - 1].iter().map(|line| (*line).to_owned()).collect();
                want.extend(text.lines().map(str::to_owned));
                want.extend(file[last..].iter().map(|line| (*line).to_owned()));
                assert_eq!(got, want, "{text:?} in place of {first} to {last}");
            }
        }
    }

    #[test]
    fn an_empty_line_is_no_deletion() {
        let mut finding = fixture::finding("T", Level::Note, "a", 2, &["a", "b"]);
        finding.frame = None;
        let line = Line::new(2).expect("not zero");
        let empty = Suggestion { line, end_line: line, text: Untrusted::new("\n") };
        assert_eq!(suggestion(&finding, &empty), None);
    }

    #[test]
    fn columns_that_make_no_range_are_left_out() {
        let mut finding = fixture::finding("T", Level::Note, "a", 2, &["a", "b"]);
        for (start, end) in [(0, 1), (3, 3), (4, 2)] {
            finding.claim.location.columns = Some(Columns { start, end });
            assert_eq!(
                location(&finding.claim.location)["range"],
                json!({ "start": { "line": 2 }, "end": { "line": 2 } })
            );
        }
    }

    #[test]
    fn a_message_is_markdown_with_nothing_live_in_it() {
        let mut fixture = fixture::plain();
        fixture.review.findings.truncate(1);
        fixture.review.findings[0].claim.rationale = Untrusted::new("@team <img src=x> ![a](b)");
        assert_eq!(
            written(&fixture)["diagnostics"][0]["message"],
            "Mutable default argument: @\u{2060}team \\<img src=x\\> \\!\\[a\\](b)"
        );
    }
}
