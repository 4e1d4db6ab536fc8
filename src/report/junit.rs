//! JUnit's XML report, in the form that Jenkins, GitLab and Azure Pipelines read. A reader shows red exactly when the gate
//! does not pass:
//!
//! * a finding at or above the gate's level is a `<failure>`; one below it a passing test case that tells it in
//!   `<system-out>`;
//! * an unread part of the change is an `<error>` where the policy fails on it, and `<skipped>` where it accepts it;
//! * a gate that passes is one more passing test case, so that a clean run is no report without tests.
//!
//! A test case is named by its finding's fingerprint and not by its line, so that readers follow it from push to push.

use std::io;

use super::entry::{Entry, by_file, entries};
use super::sentence::one_line;
use super::{Format, Report};
use crate::escape::{visible, visible_lines, xml};
use crate::gate::{OnIncomplete, Policy, Verdict};

/// The format.
pub(super) const FORMAT: Format = Format { name: "junit", help: "JUnit's XML report", write };

/// What becomes of a test case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failure,
    Error,
    Skipped,
}

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let policy = report.decision.policy;
    let entries = entries(report);
    let passed = report.decision.verdict == Verdict::Pass;
    let outcomes = entries.iter().map(|entry| outcome(entry, policy));
    let outcomes: Vec<Outcome> = outcomes.chain(passed.then_some(Outcome::Passed)).collect();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"diffsieve\" {}>", counts(&outcomes))?;
    if passed {
        let reason = xml(&visible_lines(&report.decision.reason));
        writeln!(out, "  <testsuite name=\"diffsieve\" {}>", counts(&[Outcome::Passed]))?;
        writeln!(
            out,
            "    <testcase name=\"gate\" classname=\"diffsieve\"><system-out>{reason}</system-out></testcase>"
        )?;
        writeln!(out, "  </testsuite>")?;
    }
    for (path, entries) in by_file(&entries) {
        let path = xml(path.to_text().raw());
        let outcomes: Vec<Outcome> = entries.iter().map(|entry| outcome(entry, policy)).collect();
        writeln!(out, "  <testsuite name=\"{path}\" {}>", counts(&outcomes))?;
        for (entry, outcome) in entries.into_iter().zip(outcomes) {
            case(entry, outcome, &path, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn outcome(entry: &Entry<'_>, policy: Policy) -> Outcome {
    match (entry.finding, policy.on_incomplete) {
        (Some(finding), _) if policy.fail_on.fails(finding.level) => Outcome::Failure,
        (Some(_), _) => Outcome::Passed,
        (None, OnIncomplete::Fail) => Outcome::Error,
        (None, OnIncomplete::Warn) => Outcome::Skipped,
    }
}

fn counts(outcomes: &[Outcome]) -> String {
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        outcomes.len(),
        count(Outcome::Failure),
        count(Outcome::Error),
        count(Outcome::Skipped)
    )
}

fn case(entry: &Entry<'_>, outcome: Outcome, path: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let (name, line) = match entry.finding {
        Some(_) => (format!("{}: {} ({})", entry.check, entry.title, entry.id), entry.line()),
        None => (entry.id.clone(), 1),
    };
    let name = xml(&visible(&one_line(&name)));
    let message = xml(&visible(&one_line(&entry.text)));
    let place = match entry.finding {
        Some(finding) => format!("{}:{line} {} {}", entry.path.visible(), finding.level, visible(entry.check)),
        None => entry.path.visible(),
    };
    let text = xml(&format!("{place}\n{}", visible_lines(&entry.text)));
    let kind = if entry.finding.is_some() { entry.level.name() } else { entry.check };
    write!(out, "    <testcase name=\"{name}\" classname=\"{path}\" file=\"{path}\" line=\"{line}\">")?;
    match outcome {
        Outcome::Passed => write!(out, "<system-out>{text}</system-out>")?,
        Outcome::Failure => write!(out, "<failure message=\"{message}\" type=\"{kind}\">{text}</failure>")?,
        Outcome::Error => write!(out, "<error message=\"{message}\" type=\"{kind}\">{text}</error>")?,
        Outcome::Skipped => write!(out, "<skipped message=\"{message}\"/>")?,
    }
    writeln!(out, "</testcase>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;
    use crate::gate::{FailOn, decide};
    use crate::report::fixture::{self, Fixture};

    fn written(fixture: &Fixture) -> String {
        fixture.written(write)
    }

    #[test]
    fn a_report_reads_like_this() {
        let mut fixture = fixture::plain();
        fixture.review.findings[1].claim.rationale = crate::finding::Untrusted::new("No path closes `f`.\nClose it.");
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="diffsieve" tests="3" failures="1" errors="0" skipped="0">
  <testsuite name="shop/basket.py" tests="2" failures="1" errors="0" skipped="0">
    <testcase name="MutableDefault: Mutable default argument (000000000000000000000000000a11da)" classname="shop/basket.py" file="shop/basket.py" line="12"><failure message="Mutable default argument: The default list is created once and shared by every call of `add`." type="error">shop/basket.py:12 error MutableDefault&#10;Mutable default argument: The default list is created once and shared by every call of `add`.</failure></testcase>
    <testcase name="LongFunction: Something to look at (000000000000000000000000000a11ec)" classname="shop/basket.py" file="shop/basket.py" line="30"><system-out>shop/basket.py:30 note LongFunction&#10;Something to look at: The function grew from 40 to 95 lines in this change.</system-out></testcase>
  </testsuite>
  <testsuite name="src/io.c" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="ResourceLeak: A resource is not released (000000000000000000000000000a11f7)" classname="src/io.c" file="src/io.c" line="41"><system-out>src/io.c:41 warning ResourceLeak&#10;A resource is not released: No path closes `f`.&#10;Close it.</system-out></testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(written(&fixture), expected);
    }

    #[test]
    fn a_clean_run_has_one_passing_test() {
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="diffsieve" tests="1" failures="0" errors="0" skipped="0">
  <testsuite name="diffsieve" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="gate" classname="diffsieve"><system-out>no finding at or above error</system-out></testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(written(&fixture::empty()), expected);
    }

    #[test]
    fn what_was_not_read_is_an_error_or_skipped() {
        let mut fixture = fixture::incomplete();
        let text = written(&fixture);
        let case = "name=\"unread assets/data.js: over 1 MiB\" classname=\"assets/data.js\" file=\"assets/data.js\" \
                    line=\"1\"><error message=\"Not read, so the review is incomplete: over 1 MiB\" \
                    type=\"incomplete\">assets/data.js&#10;Not read";
        assert!(text.contains(case), "{text}");
        fixture.decision.policy.on_incomplete = OnIncomplete::Warn;
        fixture.decision = decide(&fixture.review, fixture.decision.policy);
        let text = written(&fixture);
        assert!(text.contains("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"2\""), "{text}");
        assert!(text.contains("<skipped message=\"Not read, so the review is incomplete: over 1 MiB\"/>"), "{text}");
    }

    #[test]
    fn a_reader_shows_red_exactly_when_the_gate_does_not_pass() {
        let levels = Level::ALL.map(FailOn::Level);
        for mut fixture in [fixture::plain(), fixture::empty(), fixture::incomplete(), fixture::hostile()] {
            for fail_on in levels.into_iter().chain([FailOn::Never]) {
                for on_incomplete in [OnIncomplete::Fail, OnIncomplete::Warn] {
                    fixture.decision = decide(&fixture.review, Policy { fail_on, on_incomplete });
                    let text = written(&fixture);
                    let red = text.contains("<failure") || text.contains("<error");
                    assert_eq!(red, fixture.decision.verdict != Verdict::Pass, "{:?}\n{text}", fixture.decision);
                    assert!(text.contains("<testcase"), "{text}");
                }
            }
        }
    }
}
