//! Checkstyle's XML report, which many CI services and reviewdog read. Columns count as in Java, in UTF-16 code units.
//! An unread part of the change is an entry at the first line of its file.

use std::io;

use super::entry::{by_file, entries};
use super::{Format, Report, region};
use crate::escape::{visible, visible_lines, xml};
use crate::finding::Level;

/// The format.
pub(super) const FORMAT: Format = Format { name: "checkstyle", help: "Checkstyle's XML report", write };

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">")?;
    for (path, entries) in by_file(&entries(report)) {
        writeln!(out, "  <file name=\"{}\">", xml(path.to_text().raw()))?;
        for entry in entries {
            let severity = match entry.level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "info",
            };
            let columns = entry.finding.filter(|finding| finding.claim.location.columns.is_some());
            let column = columns.map(|finding| format!(" column=\"{}\"", region::of_finding(finding).start_column));
            writeln!(
                out,
                "    <error line=\"{}\"{} severity=\"{severity}\" message=\"{}\" source=\"diffsieve.{}\"/>",
                entry.line(),
                column.unwrap_or_default(),
                xml(&visible_lines(&entry.text)),
                xml(&visible(entry.check)),
            )?;
        }
        writeln!(out, "  </file>")?;
    }
    writeln!(out, "</checkstyle>")
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
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<checkstyle version="4.3">
  <file name="shop/basket.py">
    <error line="12" column="15" severity="error" message="Mutable default argument: The default list is created once and shared by every call of `add`." source="diffsieve.MutableDefault"/>
    <error line="30" severity="info" message="Something to look at: The function grew from 40 to 95 lines in this change." source="diffsieve.LongFunction"/>
  </file>
  <file name="src/io.c">
    <error line="41" severity="warning" message="A resource is not released: `f` is opened in line 40 and parsed, but no path closes it. Each call leaves one descriptor open, and a service that runs for a day will meet its limit.&#10;Close it after the parse, also where the parse fails." source="diffsieve.ResourceLeak"/>
  </file>
</checkstyle>
"#;
        assert_eq!(written(&fixture::plain()), expected);
    }

    #[test]
    fn nothing_found_is_an_empty_report() {
        assert_eq!(
            written(&fixture::empty()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n</checkstyle>\n"
        );
    }

    #[test]
    fn what_was_not_read_is_an_entry() {
        let text = written(&fixture::incomplete());
        let wanted = "  <file name=\"src/lost.rs\">\n    <error line=\"1\" severity=\"error\" message=\"Not read, so the \
                      review is incomplete: an object is missing\" source=\"diffsieve.incomplete\"/>\n  </file>\n";
        assert!(text.contains(wanted), "{text}");
    }
}
