//! diffsieve reviews the diff of a branch and gates its merge. The modules are the pipeline; a module uses only modules
//! on floors below its own (`tests/layers.rs`).

pub mod diff;
pub mod escape;
pub mod finding;
pub mod git;
pub mod scope;
