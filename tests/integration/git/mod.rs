//! The floors `git`, `scope` and `diff`, measured by what the `git` program says of the same repository.

mod changes;
mod disk;
mod history;
mod hostile;
mod open;
mod oracle;
mod patch;
mod scope;
