//! Whether the review ran to its end, and what it could not read.

use serde_json::json;
use serde_sarif::sarif::{
    Invocation, Message, MultiformatMessageString, Notification, ReportingConfiguration, ReportingDescriptor,
    ReportingDescriptorReference,
};

use super::place;
use super::results::Selection;
use crate::escape::sarif_text;
use crate::finding::Level;
use crate::gate::Verdict;
use crate::report::Report;
use crate::report::sentence::{one_line, sentence};
use crate::review::Skip;

/// More unread parts than this are counted in one notification.
const UNREAD: usize = 1000;

/// GitHub takes more results than it shows.
const SHOWN: usize = 5000;

/// A kind of notification; its place here is its index in the driver.
struct Kind {
    index: i64,
    id: &'static str,
    level: Level,
    short: &'static str,
    full: &'static str,
    help: &'static str,
}

const UNREAD_PART: Kind = Kind {
    index: 0,
    id: "diffsieve/unread",
    level: Level::Error,
    short: "A part of the change was not read.",
    full: "A part of the change should have been reviewed and could not be read, so the review is incomplete.",
    help: "Fetch the missing history, or split or exclude what is too large, and run the review again.",
};

const LEFT_OUT: Kind = Kind {
    index: 1,
    id: "diffsieve/left-out",
    level: Level::Error,
    short: "Findings were left out of this file.",
    full: "Some findings are in the report but not in this file, because code scanning would refuse the file with them.",
    help: "Read the text or JSON report of the same run, which has all findings.",
};

const REMARK: Kind = Kind {
    index: 2,
    id: "diffsieve/remark",
    level: Level::Note,
    short: "A remark on the review.",
    full: "Something to know about the review that belongs to no finding, such as an ignore comment that matches nothing.",
    help: "Nothing has to be done for the review to be valid.",
};

/// What `tool.driver.notifications` says of them.
pub(super) fn descriptors() -> Vec<ReportingDescriptor> {
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    [UNREAD_PART, LEFT_OUT, REMARK]
        .into_iter()
        .map(|kind| {
            ReportingDescriptor::builder()
                .id(kind.id)
                .short_description(text(kind.short))
                .full_description(text(kind.full))
                .help(text(kind.help))
                .default_configuration(ReportingConfiguration::builder().level(json!(kind.level.name())).build())
                .build()
        })
        .collect()
}

pub(super) fn invocation(report: &Report<'_>, selection: &Selection<'_>) -> Invocation {
    let review = report.review;
    let mut notifications = Vec::new();
    let unread: Vec<&Skip> = review.coverage.skipped.iter().filter(|skip| skip.unread).collect();
    // An incomplete review that policy accepts is no error.
    let level = if report.decision.verdict == Verdict::Incomplete { Level::Error } else { Level::Warning };
    notifications.extend(unread.iter().take(UNREAD).map(|skip| not_read(skip, level)));
    if unread.len() > UNREAD {
        let text = format!("{} more parts of the change were not read.", unread.len() - UNREAD);
        notifications.push(notification(&UNREAD_PART, level, &text));
    }
    for (count, why) in [
        (selection.over_limit, "code scanning takes no more results; the best-ranked are here"),
        (selection.outside, "their paths are no paths inside the repository"),
    ] {
        if count > 0 {
            let text = format!("{count} findings were left out: {why}.");
            notifications.push(notification(&LEFT_OUT, LEFT_OUT.level, &text));
        }
    }
    if selection.findings().count() > SHOWN {
        notifications.push(notification(&REMARK, REMARK.level, "GitHub shows the 5,000 most severe results of a run"));
    }
    for note in review.change.notes.iter().chain(&review.notes) {
        notifications.push(notification(&REMARK, REMARK.level, note));
    }
    let mut invocation = Invocation::builder().execution_successful(report.decision.complete).build();
    invocation.tool_execution_notifications = (!notifications.is_empty()).then_some(notifications);
    invocation
}

fn not_read(skip: &Skip, level: Level) -> Notification {
    let lines = skip.lines.map(|lines| format!(" ({lines} added lines)")).unwrap_or_default();
    let text = format!("'{}' was not read: {}{lines}.", skip.path.visible(), skip.why);
    let mut notification = notification(&UNREAD_PART, level, &text);
    notification.locations = place::of_file(&skip.path).map(|location| vec![location]);
    notification
}

fn notification(kind: &Kind, level: Level, text: &str) -> Notification {
    let descriptor = ReportingDescriptorReference::builder().id(kind.id).index(kind.index).build();
    Notification::builder()
        .descriptor(descriptor)
        .level(json!(level.name()))
        .message(Message::builder().text(sarif_text(&sentence(&one_line(text)))).build())
        .build()
}
