//! Workflow commands of GitHub Actions, which its runner turns into annotations (actions/runner,
//! `ActionCommandManager.cs`; actions/toolkit, `command.ts`).

use std::io;

use super::sentence::{accept, cut, incomplete, one_line};
use super::{Format, Report, region};
use crate::escape::{neutral_line, workflow_data, workflow_property};
use crate::finding::{Finding, Level};
use crate::gate::Verdict;

/// The format.
pub(super) const FORMAT: Format =
    Format { name: "github", help: "Annotations in a GitHub Actions run (workflow commands)", write };

/// The runner keeps this many annotations of each kind per step (`_maxCountPerIssueType`).
const PER_KIND: usize = 10;

/// The runner cuts messages at 4096 characters (`_maxIssueMessageLength`); what stands at the end here is how to accept
/// the finding, so the rationale is cut first.
const RATIONALE_CHARS: usize = 3600;

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut quota = Quota::default();
    if !report.decision.complete {
        let kind = if report.decision.verdict == Verdict::Incomplete { Level::Error } else { Level::Warning };
        quota.take(kind);
        writeln!(out, "::{} title=diffsieve::{}", command(kind), workflow_data(&incomplete(report)))?;
    }
    let mut findings: Vec<&Finding> = report.review.findings.iter().collect();
    // Best first within a level; the sort is stable.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    for finding in findings {
        if quota.take(finding.level) {
            writeln!(out, "{}", annotation(finding))?;
        }
    }
    match quota.left_out() {
        Some(sentence) => writeln!(out, "{}", neutral_line(&sentence)),
        None => Ok(()),
    }
}

/// How many annotations of each level were asked for.
#[derive(Default)]
struct Quota {
    asked: [usize; Level::ALL.len()],
}

impl Quota {
    /// Whether one more of this level is shown.
    fn take(&mut self, level: Level) -> bool {
        match self.asked.get_mut(level as usize) {
            Some(asked) => {
                *asked += 1;
                *asked <= PER_KIND
            }
            None => false,
        }
    }

    /// One sentence on what was not written, if anything was not.
    fn left_out(&self) -> Option<String> {
        let parts: Vec<String> = Level::ALL
            .into_iter()
            .rev()
            .zip(self.asked.iter().rev())
            .filter(|(_, asked)| **asked > PER_KIND)
            .map(|(level, asked)| format!("{} of {asked} {level}s", asked - PER_KIND))
            .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "diffsieve: not annotated: {}, because GitHub shows {PER_KIND} annotations of a kind per step; \
                 `--format text` shows all.",
                parts.join(", ")
            )
        })
    }
}

const fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

fn annotation(finding: &Finding) -> String {
    let region = region::of_finding(finding);
    let location = &finding.claim.location;
    let mut properties = vec![
        format!("file={}", workflow_property(location.path.to_text().raw())),
        format!("line={}", region.start_line),
        format!("endLine={}", region.end_line),
    ];
    // The runner drops columns of a region of several lines, and says so in the log.
    if region.start_line == region.end_line && location.columns.is_some() {
        properties.push(format!("col={}", region.start_column));
        properties.push(format!("endColumn={}", region.end_column));
    }
    properties.push(format!("title={}", workflow_property(&one_line(&finding.title))));
    format!("::{} {}::{}", command(finding.level), properties.join(","), workflow_data(&message(finding)))
}

fn message(finding: &Finding) -> String {
    format!("{}\n{}", cut(finding.claim.rationale.raw().trim(), RATIONALE_CHARS), accept(finding))
}
