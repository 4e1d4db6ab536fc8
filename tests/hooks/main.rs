//! Hooks under real pushes and commits: the program installs them, git runs them, they run the program.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

mod commit;
mod install;
mod push;
mod said;
mod stage;
