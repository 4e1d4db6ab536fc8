//! Every number of the page.

use std::io;

use super::Evaluation;
use crate::escape;

/// Writes the document, readably indented, so that no agent of a CI service finds a command in it.
pub(super) fn write(evaluation: &Evaluation, out: &mut dyn io::Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(evaluation)?;
    writeln!(out, "{}", escape::json(&text))
}
