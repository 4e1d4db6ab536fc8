//! What formats list that know nothing but entries with a place, a level and a text: the findings, and after them the
//! parts of the change that were not read, so that no list looks clean that is only short.

use std::collections::BTreeMap;

use crate::escape::visible;
use crate::finding::{Finding, Level, RepoPath};
use crate::gate::OnIncomplete;

use super::Report;

/// Unread parts beyond these are counted in one more entry; JSON names all of them.
const UNREAD: usize = 50;

/// One entry.
pub(super) struct Entry<'a> {
    pub(super) path: &'a RepoPath,
    /// The tag, or what stands for an unread part.
    pub(super) check: &'a str,
    /// A finding's own; of an unread part what the policy makes of it.
    pub(super) level: Level,
    /// One line on what kind of thing it is.
    pub(super) title: &'a str,
    /// Title and reason, raw: the sink escapes it.
    pub(super) text: String,
    /// The fingerprint, or for an unread part its path and reason; no other entry has the same.
    pub(super) id: String,
    /// `None` for an unread part, which has no line either.
    pub(super) finding: Option<&'a Finding>,
}

impl Entry<'_> {
    /// The first line it speaks of. What was not read is all of the file, for which its first line has to stand in
    /// formats that demand one.
    pub(super) fn line(&self) -> u32 {
        self.finding.map_or(1, |finding| finding.claim.location.line.get())
    }
}

/// Every entry, in the order of the report.
pub(super) fn entries<'a>(report: &Report<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = report.review.findings.iter().map(of_finding).collect();
    let level = match report.decision.policy.on_incomplete {
        OnIncomplete::Fail => Level::Error,
        OnIncomplete::Warn => Level::Warning,
    };
    let unread: Vec<_> = report.review.coverage.skipped.iter().filter(|skip| skip.unread).collect();
    for (index, skip) in unread.iter().enumerate().take(UNREAD + 1) {
        let why = if index < UNREAD {
            skip.why.clone()
        } else {
            format!("{} more parts, all named in --format json", unread.len() - UNREAD)
        };
        entries.push(Entry {
            path: &skip.path,
            check: "incomplete",
            level,
            title: "Not read",
            text: format!("Not read, so the review is incomplete: {why}"),
            id: format!("unread {}: {}", skip.path.visible(), visible(&why)),
            finding: None,
        });
    }
    make_distinct(&mut entries);
    entries
}

fn of_finding(finding: &Finding) -> Entry<'_> {
    let text = match finding.claim.rationale.raw().trim() {
        "" => finding.title.to_string(),
        rationale => format!("{}: {rationale}", finding.title),
    };
    Entry {
        path: &finding.claim.location.path,
        check: &finding.claim.tag,
        level: finding.level,
        title: &finding.title,
        text,
        id: finding.fingerprint.to_string(),
        finding: Some(finding),
    }
}

/// Readers keep one of several entries with the same id (detekt-gitlab-report#10).
fn make_distinct(entries: &mut [Entry<'_>]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for entry in entries {
        let count = seen.entry(entry.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            entry.id = format!("{}-{count}", entry.id);
        }
    }
}

/// The entries of each file, files in the order of their paths.
pub(super) fn by_file<'e, 'a>(entries: &'e [Entry<'a>]) -> BTreeMap<&'a RepoPath, Vec<&'e Entry<'a>>> {
    let mut files: BTreeMap<&RepoPath, Vec<&Entry<'_>>> = BTreeMap::new();
    for entry in entries {
        files.entry(entry.path).or_default().push(entry);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn no_two_entries_have_one_id() {
        let mut fixture = fixture::hostile();
        let skip = fixture.review.coverage.skipped[0].clone();
        fixture.review.coverage.skipped.push(skip);
        let report = fixture.report();
        let entries = entries(&report);
        let ids: std::collections::BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids.len(), entries.len());
        assert_eq!(entries.len(), fixture.review.findings.len() + 2);
    }

    #[test]
    fn what_is_unread_is_named_up_to_a_limit_and_then_counted() {
        let mut fixture = fixture::incomplete();
        let skip = fixture.review.coverage.skipped[0].clone();
        fixture.review.coverage.skipped = vec![skip; UNREAD + 7];
        let report = fixture.report();
        let entries = entries(&report);
        assert_eq!(entries.len(), UNREAD + 1);
        assert!(
            entries[UNREAD].text.ends_with(": 7 more parts, all named in --format json"),
            "{}",
            entries[UNREAD].text
        );
        assert!(entries.iter().all(|entry| entry.level == Level::Error && entry.line() == 1));
    }
}
