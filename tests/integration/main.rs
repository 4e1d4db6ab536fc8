//! The integration tests: one binary that drives the real program in a scrubbed environment.
#![allow(clippy::unwrap_used, reason = "a test that meets nothing where something must be has failed")]

mod bad_input;
mod cli;
mod context;
mod dataset_history;
mod evaluation;
mod git;
mod github;
mod hostile;
mod injection;
mod laws;
mod measure;
mod model;
#[path = "../../src/report/mutants.rs"]
mod mutants;
mod mutate;
mod page;
mod program;
mod publish;
mod replay;
mod reward;
mod rules;
#[allow(dead_code, reason = "the library's own tests look at more of a command")]
#[path = "../../src/report/runner.rs"]
mod runner;
mod schemas;
mod score;
#[allow(dead_code, reason = "the benchmark uses more of it")]
mod service;
mod setup;
mod shards;
mod sieve;
mod since;
mod statistics;
mod support;
mod texts;
