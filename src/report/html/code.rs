//! Lines of code as rows of a table: the numbers of both sides, the sign, the line.

use super::{Page, class};
use crate::finding::{Finding, Line};

/// A line of a diff or of a frame.
pub(super) struct Drawn<'a> {
    pub(super) old: Option<Line>,
    pub(super) new: Option<Line>,
    pub(super) text: &'a str,
    /// Bytes that are left out in front of the text.
    pub(super) shift: usize,
    /// Whether the text is not the whole line.
    pub(super) is_cut: bool,
}

/// A table that is opened with its first row.
#[derive(Default)]
pub(super) struct Table {
    is_open: bool,
}

impl Table {
    /// A line of a diff, with the findings that speak of it.
    pub(super) fn row(&mut self, page: &mut Page, line: &Drawn<'_>, findings: &[&Finding]) {
        let (kind, sign) = match (line.old, line.new) {
            (None, Some(_)) => ("a", "+"),
            (Some(_), None) => ("d", "−"),
            _ => ("", " "),
        };
        self.draw(page, line, findings, kind, sign);
    }

    /// A line of the file as it is.
    pub(super) fn plain(&mut self, page: &mut Page, line: &Drawn<'_>, findings: &[&Finding]) {
        self.draw(page, line, findings, "", " ");
    }

    fn draw(
        &mut self,
        page: &mut Page,
        line: &Drawn<'_>,
        findings: &[&Finding],
        kind: &'static str,
        sign: &'static str,
    ) {
        if !self.is_open {
            page.raw("<table>");
            self.is_open = true;
        }
        let level = findings.iter().map(|finding| finding.level).max();
        page.raw("<tr");
        if !kind.is_empty() || level.is_some() {
            page.raw(" class=\"").raw(kind).raw(" ").raw(level.map_or("", class)).raw("\"");
        }
        page.raw("><td>");
        if let Some(old) = line.old {
            page.number(old.get());
        }
        page.raw("<td>");
        if let Some(new) = line.new {
            page.number(new.get());
        }
        page.raw("<td>").raw(sign).raw("<td>");
        if line.shift > 0 {
            page.raw("<i>…</i>");
        }
        marked(page, line, findings);
        if line.is_cut {
            page.raw("<i>… cut</i>");
        }
        page.raw("\n");
    }

    /// Ends the table, if it was begun.
    pub(super) fn close(&mut self, page: &mut Page) {
        if std::mem::take(&mut self.is_open) {
            page.raw("</table>\n");
        }
    }
}

/// The text of a line, with what the findings speak of marked.
fn marked(page: &mut Page, line: &Drawn<'_>, findings: &[&Finding]) {
    let byte = |column: u32| {
        let at = (column as usize).saturating_sub(1).saturating_sub(line.shift);
        line.text.floor_char_boundary(at)
    };
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for finding in findings {
        let place = &finding.claim.location;
        if let Some(columns) = place.columns.filter(|_| place.line == place.end_line) {
            ranges.push((byte(columns.start), byte(columns.end)));
        }
    }
    ranges.sort_unstable();
    let mut at = 0;
    for (start, end) in ranges {
        let start = start.max(at);
        if let (Some(before), Some(text)) = (line.text.get(at..start), line.text.get(start..end))
            && !text.is_empty()
        {
            page.text(before).raw("<mark>").text(text).raw("</mark>");
            at = end;
        }
    }
    page.text(line.text.get(at..).unwrap_or_default());
}
