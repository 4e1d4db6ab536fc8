//! `diffsieve.report/v1`, the whole review as data. Its shape is the one promise that scripts may build on: described by
//! [`SCHEMA_TEXT`], only ever extended within v1, and read back by [`read()`].

mod read;
mod wire;
mod write;

use std::io;

pub use read::{Error, Saved, read};

use super::{Format, Report};

/// The format.
pub(super) const FORMAT: Format =
    Format { name: "json", help: "The whole report as JSON (diffsieve.report/v1)", write: print };

/// The value of the report's `schema` key.
pub const SCHEMA: &str = "diffsieve.report/v1";

fn print(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    super::write_json(&wire::Report::from(report), out)
}

/// The JSON Schema (draft 2020-12) of a report, as text. Objects are open: a later v1 may add keys, and a reader must let them be.
/// A test makes it from the types and compares.
pub const SCHEMA_TEXT: &str = include_str!("../../../docs/schemas/report.json");

#[cfg(test)]
mod tests;
