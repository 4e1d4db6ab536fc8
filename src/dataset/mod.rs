//! Builds datasets of changes with known faults, from history, by mutation, from published records.

pub mod asking;
pub mod bench;
mod blame;
pub mod cqs_sft;
pub mod describe;
pub mod export;
pub mod freeze;
pub mod history;
pub mod import;
pub mod label;
pub mod mutate;
mod page;
mod rejected;
pub mod screen;
pub mod sphinx;
mod transfer;

pub use rejected::{Place, REJECTED, Rejected, reasons};
pub use transfer::Files;
