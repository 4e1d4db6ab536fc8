//! What a measurement reads and writes: the cases of a dataset, the answers of a reviewer, the decisions of a judge. All
//! are JSON Lines, one record a line, so that a run that was interrupted goes on, and every number can be computed again
//! from what was saved.

mod answer;
mod case;
mod judgement;
mod lines;
pub mod schemas;

pub use answer::{Answer, Comment, Removed, Run, Spent, Status};
pub use case::{Bug, Case, Dataset, Difficulty, HumanComment, Issue, Item, Manifest, Origin, Source};
pub use judgement::{Judgement, Verdict, standing};
pub use lines::{Appender, Error, digest, list, read, read_json, write, write_json};
