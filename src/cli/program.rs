//! Programs that arguments name: texts in, something for each of them out.

use std::path::Path;
use std::time::{Instant, SystemTime};

use diffsieve::escape::visible;
use diffsieve::provider::Clock;
use diffsieve::provider::process::{self, Failure, Job};
use serde_json::{Value, json};

use super::env;

/// Most bytes that the program may write.
const LARGEST: u64 = 1 << 30;

/// The list `key` of what the program writes when it reads `{"texts": [...]}`. It is started once, in this folder, with this
/// environment: whoever names it runs it. It is ended at `latest`, with all that it started.
pub(super) fn ask(program: &Path, texts: &[&str], key: &str, latest: Instant) -> Result<Vec<Value>, String> {
    let name = super::shown(program);
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
    let mut answer: Value =
        serde_json::from_str(&output.text).map_err(|error| format!("`{name}` wrote no JSON: {error}"))?;
    match answer.get_mut(key).map(Value::take) {
        Some(Value::Array(list)) => Ok(list),
        _ => Err(format!("`{name}` wrote no `{key}`")),
    }
}
