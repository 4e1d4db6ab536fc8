//! Logging commands of Azure Pipelines, which its agent turns into issues of the build (azure-pipelines-agent,
//! `Command.cs`). The agent shows every issue in the log and the first ten of a kind in the summary.
//!
//! There is no kind below `warning`, so notes are plain lines of the log. Where the gate passes and something is to be
//! seen all the same, the last command marks the task as succeeded with issues; where it does not pass the exit code
//! speaks, which no command may soften.

use std::io;

use super::sentence::{accept, counts, incomplete, one_line};
use super::{Format, Report, region};
use crate::escape::{azure, log_line};
use crate::finding::{Finding, Level};
use crate::gate::{OnIncomplete, Verdict};

/// The format.
pub(super) const FORMAT: Format =
    Format { name: "azure", help: "Issues of a build in Azure Pipelines (logging commands)", write };

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let decision = report.decision;
    if !decision.complete {
        let kind = if decision.policy.on_incomplete == OnIncomplete::Fail { "error" } else { "warning" };
        writeln!(out, "##vso[task.logissue type={kind};]diffsieve: {}", azure(&incomplete(report)))?;
    }
    let mut findings: Vec<&Finding> = report.review.findings.iter().collect();
    // The agent keeps the first; best first within a level, the sort is stable.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    for finding in findings {
        writeln!(out, "{}", line(finding))?;
    }
    let warned = report.review.findings.iter().any(|finding| finding.level >= Level::Warning);
    if decision.verdict == Verdict::Pass && (warned || !decision.complete) {
        let told = azure(&format!("diffsieve passed: {}; {}", counts(&report.review.findings), decision.reason));
        writeln!(out, "##vso[task.complete result=SucceededWithIssues;]{told}")?;
    }
    Ok(())
}

fn line(finding: &Finding) -> String {
    let location = &finding.claim.location;
    let rationale = finding.claim.rationale.raw().trim();
    let kind = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => {
            let place = format!("{}:{}", location.path.to_text().raw(), location.line);
            let text = format!("{}: {}", finding.title, one_line(rationale));
            return log_line(&format!("diffsieve: note: {place}: {text} ({})", accept(finding)));
        }
    };
    let column = match location.columns {
        Some(_) => format!("columnnumber={};", region::of_finding(finding).start_column),
        None => String::new(),
    };
    format!(
        "##vso[task.logissue type={kind};sourcepath={};linenumber={};{column}code={};]{}",
        azure(location.path.to_text().raw()),
        location.line,
        azure(&finding.claim.tag),
        azure(&format!("{}: {rationale}\n{}", finding.title, accept(finding))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{FailOn, Policy, decide};
    use crate::report::fixture::{self, Fixture};
    use crate::report::runner;

    fn written(fixture: &Fixture) -> String {
        fixture.written(write)
    }

    #[test]
    fn a_report_reads_like_this() {
        let mut fixture = fixture::plain();
        fixture.review.findings[1].claim.rationale = crate::finding::Untrusted::new("100%; see [1].\nClose it.");
        let expected = "\
##vso[task.logissue type=error;sourcepath=shop/basket.py;linenumber=12;columnnumber=15;code=MutableDefault;]Mutable default argument: The default list is created once and shared by every call of `add`.%0AMutableDefault 000000000000000000000000000a11da%3B accept it in the baseline, or by diffsieve: ignore[MutableDefault%5D reason where policy counts it
##vso[task.logissue type=warning;sourcepath=src/io.c;linenumber=41;code=ResourceLeak;]A resource is not released: 100%AZP25%3B see [1%5D.%0AClose it.%0AResourceLeak 000000000000000000000000000a11f7%3B accept it in the baseline, or by diffsieve: ignore[ResourceLeak%5D reason where policy counts it
diffsieve: note: shop/basket.py:30: Something to look at: The function grew from 40 to 95 lines in this change. (LongFunction 000000000000000000000000000a11ec; accept it in the baseline, or by diffsieve: ignore[LongFunction] reason where policy counts it)
";
        assert_eq!(written(&fixture), expected);
    }

    #[test]
    fn an_issue_carries_what_the_finding_says() {
        let mut fixture = fixture::plain();
        let text = "50%; of [it]\nis %0A %AZP25 %3B";
        fixture.review.findings[0].claim.rationale = crate::finding::Untrusted::new(text);
        fixture.review.findings[0].claim.location.path = "a;b=c]%/d.py".into();
        let found = runner::commands(&written(&fixture));
        let first = found.first().expect("an issue");
        assert_eq!((first.syntax, first.name.as_str()), ("vso", "task.logissue"));
        let properties: Vec<(&str, &str)> = first.properties.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(
            properties,
            [
                ("code", "MutableDefault"),
                ("columnnumber", "15"),
                ("linenumber", "12"),
                ("sourcepath", "a;b=c]%/d.py"),
                ("type", "error"),
            ]
        );
        assert!(first.data.starts_with(&format!("Mutable default argument: {text}\nMutableDefault ")), "{first:?}");
    }

    #[test]
    fn only_a_pass_with_something_to_see_has_issues() {
        let last = |fixture: &Fixture| {
            let found = runner::commands(&written(fixture));
            found.into_iter().last().filter(|command| command.name == "task.complete")
        };
        let mut plain = fixture::plain();
        assert_eq!(last(&plain), None, "the gate failed");
        plain.decision = decide(&plain.review, Policy { fail_on: FailOn::Never, ..plain.decision.policy });
        let complete = last(&plain).expect("a pass with findings");
        assert_eq!(complete.properties["result"], "SucceededWithIssues");
        plain.review.findings.retain(|finding| finding.level == Level::Note);
        assert_eq!(last(&plain), None, "notes are no issues");
        assert_eq!(written(&fixture::empty()), "");
        let mut incomplete = fixture::incomplete();
        assert_eq!(last(&incomplete), None);
        let policy = Policy { on_incomplete: OnIncomplete::Warn, ..incomplete.decision.policy };
        incomplete.decision = decide(&incomplete.review, policy);
        assert!(last(&incomplete).is_some(), "an incomplete pass");
        assert!(
            written(&incomplete).starts_with("##vso[task.logissue type=warning;]diffsieve: The review is incomplete")
        );
    }
}
