//! `diffsieve.report/v1`, the whole review as data. Its shape is the one promise that scripts may build on: described by
//! [`schema`], only ever extended within v1, and read back by [`read()`].

mod read;
mod wire;
mod write;

use std::io;

use schemars::generate::SchemaSettings;

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

/// The JSON Schema (draft 2020-12) of a report. Objects are open: a later v1 may add keys, and a reader must let them be.
pub fn schema() -> serde_json::Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<wire::Report>();
    schema.insert("$id".to_owned(), "urn:diffsieve:report:v1".into());
    schema.insert("title".to_owned(), "A report of diffsieve, version 1".into());
    schema.into()
}

#[cfg(test)]
mod tests;
