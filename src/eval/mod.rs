//! Measures a reviewer: by the protocols of four papers, over the cases of a dataset, from saved answers and saved
//! decisions of a judge.

pub mod ablate;
pub mod agent;
pub mod agreement;
pub mod compare;
pub mod cqs;
pub mod cr_bench;
mod error;
pub mod golden;
pub mod import;
pub mod input;
pub mod judge;
pub mod language;
mod protocol;
pub mod published;
pub mod report;
pub mod reward;
pub mod run;
pub mod score;
pub mod scoring;
pub mod sphinx;
pub mod study;
pub mod swe_prbench;
pub mod table;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tone;

pub use error::Error;
pub use protocol::{PROTOCOLS, Protocol, find};
