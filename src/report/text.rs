//! x
use std::io;
use super::{Format, Report};
pub static FORMAT: Format = Format { name: "text", help: "text", write };
fn write(_: &Report<'_>, _: &mut dyn io::Write) -> io::Result<()> { Ok(()) }
