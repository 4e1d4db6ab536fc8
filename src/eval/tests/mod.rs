//! Tests of the measures.
#![expect(clippy::unwrap_used, reason = "a test that meets nothing where something must be has failed")]

mod laws;
mod records;
mod text;
mod vectors;
