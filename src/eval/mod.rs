//! Measures a reviewer: by the protocols of four papers, over the cases of a dataset, from saved answers and saved
//! decisions of a judge.

pub mod ablate;
pub mod cqs;
pub mod cr_bench;
mod error;
pub mod golden;
pub mod input;
mod protocol;
pub mod published;
pub mod report;
pub mod score;
pub mod sphinx;
pub mod swe_prbench;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use protocol::{PROTOCOLS, Protocol, find};
