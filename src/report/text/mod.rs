//! What a person reads on a terminal or in a log. Everything from outside is made visible on its way in; on the way out,
//! where a CI agent reads along, no line is left that it could take for a command.

mod explain;
mod frame;
mod page;
mod summary;

use std::io;

pub use explain::explain;

use self::page::{Ink, Page};
use super::{Format, Report, sentence};
use crate::escape::visible;
use crate::finding::{Finding, Level};

/// The format.
pub(super) const FORMAT: Format = Format { name: "text", help: "For people: code frames and a summary", write };

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(report.style);
    for finding in &report.review.findings {
        print_finding(&mut page, finding);
        page.blank();
    }
    if report.style.quiet {
        summary::verdict(&mut page, report);
    } else {
        summary::summary(&mut page, report);
    }
    page.print(out)
}

fn print_finding(page: &mut Page, finding: &Finding) {
    let name = page.paint(Ink::of(finding.level), &format!("{}[{}]", finding.level, visible(&finding.claim.tag)));
    let title = page.paint(Ink::Bold, &visible(&finding.title));
    page.line(&format!("{name}: {title}"));
    frame::code(page, finding);
    frame::suggestion(page, finding);
    page.items("  = ", &facts(finding));
}

/// One line on where it is, who says so, how sure that is, and how to accept it.
fn facts(finding: &Finding) -> Vec<String> {
    let mut parts = sentence::facts(finding);
    let tag = visible(&finding.claim.tag);
    parts.push(format!("accept in the baseline, or by `diffsieve: ignore[{tag}] reason` where policy counts it"));
    parts
}

impl Ink {
    const fn of(level: Level) -> Self {
        match level {
            Level::Error => Self::Error,
            Level::Warning => Self::Warning,
            Level::Note => Self::Note,
        }
    }
}

#[cfg(test)]
mod tests;
