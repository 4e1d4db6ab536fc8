//! Git hooks: what git tells them, what of a push is reviewed, and how the scripts get to where git looks for them.

mod install;
mod protocol;
mod push;

pub use install::{Done, Error, Event, Manager, State, current, install, managers, state, uninstall};
pub use protocol::{Update, parse};
pub use push::{Remote, Time, Turn, plan};
