//! Builds datasets of changes with known faults, from history, by mutation, from published records.

mod blame;
pub mod history;
