//! Facts.
use super::Parsed;
use crate::finding::Line;
use std::collections::BTreeMap;
use std::ops::Range;
/// x
pub struct Fact {
    /// x
    pub name: &'static str,
    /// x
    pub help: &'static str,
    /// x
    pub compute: fn(&FactInput<'_>) -> FactValue,
}
/// x
pub enum FactValue {
    /// x
    Unknown,
    /// x
    Bool(bool),
    /// x
    Number(f64),
    /// x
    Crossing { before: f64, after: f64 },
    /// x
    Text(String),
}
impl std::fmt::Display for FactValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown => write!(f, "unknown"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Number(n) => write!(f, "{n}"),
            Self::Crossing { before, after } => write!(f, "{before} to {after}"),
            Self::Text(t) => write!(f, "{t}"),
        }
    }
}
/// x
pub struct FactInput<'a> {
    /// x
    pub new: Option<&'a Parsed>,
    /// x
    pub old: Option<&'a Parsed>,
    /// x
    pub lines: (Line, Line),
    /// x
    pub bytes: Option<Range<usize>>,
    /// x
    pub quote: &'a str,
    /// x
    pub variables: &'a BTreeMap<String, String>,
    /// x
    pub is_added: &'a dyn Fn(Line) -> bool,
}
/// x
pub static FACTS: &[Fact] = &[];
