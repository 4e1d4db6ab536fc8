//! The program that `--embed` names: texts in, vectors out.

use std::path::Path;
use std::time::{Instant, SystemTime};

use diffsieve::escape::visible;
use diffsieve::provider::Clock;
use diffsieve::provider::process::{self, Failure, Job};
use serde_json::{Value, json};

use crate::cli::env;

/// Most bytes that the program may write.
const LARGEST: u64 = 1 << 30;

/// A vector for each text. The program is started once, in this folder, with this environment: whoever names it runs it. It
/// is ended at `latest`, with all that it started.
pub(super) fn vectors(program: &Path, texts: &[&str], latest: Instant) -> Result<Vec<Vec<f64>>, String> {
    let name = super::super::shown(program);
    let job = Job {
        program,
        arguments: Vec::new(),
        variables: env::all(),
        input: json!({ "texts": texts }).to_string(),
        folder: Path::new(".").to_owned(),
        largest: LARGEST,
    };
    let clock = Clock::new(Instant::now, SystemTime::now, std::thread::sleep);
    let output = process::run(job, &clock, latest).map_err(|failure| match failure {
        Failure::Start(error) => format!("`{name}` cannot be started: {error}"),
        Failure::Deadline => format!("`{name}` took longer than `--seconds` allows"),
    })?;
    if !output.success || output.flooded {
        return Err(format!("`{name}` failed: {}", visible(output.errors.trim())));
    }
    let answer: Value =
        serde_json::from_str(&output.text).map_err(|error| format!("`{name}` wrote no JSON: {error}"))?;
    let vectors =
        answer.get("vectors").and_then(Value::as_array).ok_or_else(|| format!("`{name}` wrote no `vectors`"))?;
    let number = |part: &Value| part.as_f64().ok_or_else(|| format!("`{name}` wrote a vector with what is no number"));
    let vector = |vector: &Value| {
        let parts = vector.as_array().ok_or_else(|| format!("`{name}` wrote a vector that is no list"))?;
        parts.iter().map(number).collect()
    };
    vectors.iter().map(vector).collect()
}
