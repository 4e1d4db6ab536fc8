//! Findings that no place of the pull request took, for the job's log and its summary.

use super::body;
use crate::finding::Finding;
use crate::report::json::Saved;
use crate::report::markdown::SUMMARY_LIMIT;
use crate::report::sentence::one_line;

/// A line for the rest has room in what GitHub takes of a step.
const LONGEST: usize = SUMMARY_LIMIT - 100;

/// One line for a log. It is text from outside: the log's escaper comes after it.
pub fn line(finding: &Finding) -> String {
    let location = &finding.claim.location;
    format!(
        "{} {}:{} {} [{} {}]: {}",
        finding.level,
        location.path.to_text().raw(),
        location.line,
        one_line(&finding.title),
        finding.claim.tag,
        finding.fingerprint,
        one_line(finding.claim.rationale.raw())
    )
}

/// Markdown for the summary of the job: the same findings, as far as it holds them.
pub fn markdown(saved: &Saved, untold: &[usize]) -> String {
    let count = untold.len();
    let mut text = format!("### diffsieve: {count} findings that could not be put on the pull request\n\n");
    for (done, finding) in untold.iter().filter_map(|index| saved.review.findings.get(*index)).enumerate() {
        let detail = body::detail(finding, None);
        if text.len() + detail.len() > LONGEST {
            text.push_str(&format!("{} more are in the job's log.\n", count - done));
            break;
        }
        text.push_str(&detail);
    }
    text
}
