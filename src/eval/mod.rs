//! Measures a reviewer: by the protocols of four papers, over the cases of a dataset, from saved answers and saved
//! decisions of a judge.

pub mod agent;
pub mod judge;
mod protocol;
pub mod run;
pub mod tone;

pub use protocol::{PROTOCOLS, Protocol, find};
