//! x
use super::{Format, Report};
use std::io;
pub static FORMAT: Format = Format { name: "text", help: "text", write };
fn write(_: &Report<'_>, _: &mut dyn io::Write) -> io::Result<()> {
    Ok(())
}
pub fn explain(_: &crate::finding::Finding, _: super::Style, _: &mut dyn io::Write) -> io::Result<()> {
    Ok(())
}
