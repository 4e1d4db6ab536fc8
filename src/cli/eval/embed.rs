//! The program that `--embed` names: texts in, vectors out.

use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use crate::cli::{program, shown};

/// A vector for each text.
pub(super) fn vectors(program: &Path, texts: &[&str], latest: Instant) -> Result<Vec<Vec<f64>>, String> {
    let name = shown(program);
    let vectors = program::ask(program, texts, "vectors", latest)?;
    let number = |part: &Value| part.as_f64().ok_or_else(|| format!("`{name}` wrote a vector with what is no number"));
    let vector = |vector: &Value| {
        let parts = vector.as_array().ok_or_else(|| format!("`{name}` wrote a vector that is no list"))?;
        parts.iter().map(number).collect()
    };
    vectors.iter().map(vector).collect()
}
