//! Builds datasets of changes with known faults, from history, by mutation, from published records.

pub mod mutate;
pub mod screen;
