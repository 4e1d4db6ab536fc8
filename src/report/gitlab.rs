//! GitLab's Code Quality report: the part of the Code Climate format that GitLab reads (docs: ci/testing/code_quality;
//! `app/validators/json_schemas/codeclimate.json`).
//!
//! The levels are `critical`, `major` and `minor`: `blocker` is left out, because what blocks is the gate's exit code and
//! not a word in this file, and `info`, because every finding is worth a look. The widget shows only the description,
//! so the tag stands in front of it. An unread part of the change is an entry at the first line of its file.

use std::io;

use serde_json::{Value, json};

use super::entry::{Entry, entries};
use super::sentence::one_line;
use super::{Format, Report, write_json};
use crate::escape::visible;
use crate::finding::Level;

/// The format.
pub(super) const FORMAT: Format = Format { name: "gitlab", help: "A Code Quality report of GitLab (JSON)", write };

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let issues: Vec<Value> = entries(report).iter().map(issue).collect();
    write_json(&Value::from(issues), out)
}

fn issue(entry: &Entry<'_>) -> Value {
    let first = entry.line();
    let last = entry.finding.map_or(first, |finding| finding.claim.location.end_line.get().max(first));
    json!({
        "check_name": visible(entry.check),
        "description": visible(&format!("{}: {}", entry.check, one_line(&entry.text))),
        "fingerprint": entry.id,
        "severity": match entry.level {
            Level::Error => "critical",
            Level::Warning => "major",
            Level::Note => "minor",
        },
        "location": {
            // GitLab compares paths by their text. Git knows no such part of a path, but a patch may.
            "path": entry.path.to_text().raw().trim_start_matches("./"),
            "lines": { "begin": first, "end": last },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::{self, Fixture};

    fn written(fixture: &Fixture) -> String {
        fixture.written(write)
    }

    #[test]
    fn a_report_reads_like_this() {
        let mut fixture = fixture::plain();
        fixture.review.findings.truncate(2);
        fixture.review.findings[1].claim.rationale = crate::finding::Untrusted::new("One.\nTwo.");
        let expected = r#"[
  {
    "check_name": "MutableDefault",
    "description": "MutableDefault: Mutable default argument: The default list is created once and shared by every call of `add`.",
    "fingerprint": "000000000000000000000000000a11da",
    "location": {
      "lines": {
        "begin": 12,
        "end": 12
      },
      "path": "shop/basket.py"
    },
    "severity": "critical"
  },
  {
    "check_name": "ResourceLeak",
    "description": "ResourceLeak: A resource is not released: One. Two.",
    "fingerprint": "000000000000000000000000000a11f7",
    "location": {
      "lines": {
        "begin": 41,
        "end": 43
      },
      "path": "src/io.c"
    },
    "severity": "major"
  }
]
"#;
        assert_eq!(written(&fixture), expected);
    }

    #[test]
    fn nothing_found_is_an_empty_list() {
        assert_eq!(written(&fixture::empty()), "[]\n");
    }

    #[test]
    fn what_was_not_read_is_no_empty_list() {
        let issues: Value = serde_json::from_str(&written(&fixture::incomplete())).expect("JSON");
        let told: Vec<_> = issues.as_array().expect("a list").iter().map(|issue| &issue["description"]).collect();
        assert_eq!(
            told,
            [
                "incomplete: Not read, so the review is incomplete: over 1 MiB",
                "incomplete: Not read, so the review is incomplete: an object is missing"
            ]
        );
        assert_eq!(issues[0]["severity"], "critical");
        assert_eq!(issues[0]["location"]["path"], "assets/data.js");
    }
}
