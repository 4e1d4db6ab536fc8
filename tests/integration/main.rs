//! The integration tests: one binary that drives the real program in a scrubbed environment.
#![allow(clippy::unwrap_used, reason = "a test that meets nothing where something must be has failed")]

mod bad_input;
mod cli;
mod context;
mod git;
mod github;
mod hostile;
mod injection;
mod laws;
mod model;
mod program;
mod publish;
mod replay;
mod rules;
mod schemas;
#[allow(dead_code, reason = "the benchmark uses more of it")]
mod service;
mod sieve;
mod support;
