//! diffsieve reviews the diff of a branch and gates its merge. The modules are the pipeline; a module uses only modules
//! on floors below its own (`tests/layers.rs`).

pub mod baseline;
pub mod config;
pub mod context;
pub mod dataset;
pub mod detect;
pub mod diff;
pub mod digest;
pub mod document;
pub mod escape;
pub mod eval;
pub mod finding;
pub mod gate;
pub mod git;
pub mod hook;
pub mod line_hash;
pub mod provider;
pub mod publish;
pub mod record;
pub mod report;
pub mod review;
pub mod rules;
pub mod scope;
pub mod stats;
pub mod syntax;
pub mod taxonomy;
