//! The Action's and the release's scripts in the environment that a runner gives them.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

mod build;
mod checkout;
mod documents;
mod publish;
// Releases are made on Linux, with GNU's tools.
#[cfg(target_os = "linux")]
mod release;
mod review;
mod runner;
