//! Faults by mutation: one operator works on one added line of a real change, so that it is known exactly what is wrong,
//! where, and why. The change without the fault is the twin.

mod aimed;
mod around;
mod build;
mod calls;
mod candidate;
mod changes;
mod guards;
mod logic;
mod numbers;
mod planted;
mod removal;
mod site;
mod table;
mod trial;
mod words;

// They speak of every language.
#[cfg(all(test, feature = "default"))]
mod tests;

pub use build::{Error, Funnel, Request, Tally, build};
pub use candidate::Reason;
pub use changes::Input;
pub use table::{OPERATORS, Operator};
