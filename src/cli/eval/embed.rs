//! The program that `--embed` names: texts in, vectors out.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A vector for each text. The program is started once, in this folder, with this environment: whoever names it runs it.
pub(super) fn vectors(program: &Path, texts: &[&str]) -> Result<Vec<Vec<f64>>, String> {
    let name = super::super::shown(program);
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{name}` cannot be started: {error}"))?;
    let input = json!({ "texts": texts }).to_string();
    let stdin = child.stdin.take();
    // It may write before it has read everything.
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().map_err(|error| format!("`{name}`: {error}"))?;
    drop(writer.join());
    if !output.status.success() {
        return Err(format!("`{name}` ended with {}", output.status));
    }
    let answer: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("`{name}` wrote no JSON: {error}"))?;
    let vectors =
        answer.get("vectors").and_then(Value::as_array).ok_or_else(|| format!("`{name}` wrote no `vectors`"))?;
    let number = |part: &Value| part.as_f64().ok_or_else(|| format!("`{name}` wrote a vector with what is no number"));
    let vector = |vector: &Value| {
        let parts = vector.as_array().ok_or_else(|| format!("`{name}` wrote a vector that is no list"))?;
        parts.iter().map(number).collect()
    };
    vectors.iter().map(vector).collect()
}
