//! Measures a reviewer: by the protocols of four papers, over the cases of a dataset, from saved answers and saved
//! decisions of a judge.

mod protocol;
pub mod score;

pub use protocol::{PROTOCOLS, Protocol, find};
