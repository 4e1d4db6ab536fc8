//! One binary for all integration tests.

mod git;
mod support;
