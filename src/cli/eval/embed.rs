//! The program that `--embed` names: texts in, vectors out.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How often the end of the program is looked for.
const TICK: Duration = Duration::from_millis(10);

/// A vector for each text. The program is started once, in this folder, with this environment: whoever names it runs it. It
/// is ended at `latest`.
pub(super) fn vectors(program: &Path, texts: &[&str], latest: Instant) -> Result<Vec<Vec<f64>>, String> {
    let name = super::super::shown(program);
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{name}` cannot be started: {error}"))?;
    let input = json!({ "texts": texts }).to_string();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    // It may write before it has read everything.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.map(|mut stdout| stdout.read_to_end(&mut text));
        drop(sender.send(read.map(|_| text)));
    });
    let status = loop {
        match child.try_wait().map_err(|error| format!("`{name}`: {error}"))? {
            Some(status) => break status,
            None if Instant::now() >= latest => {
                drop(child.kill());
                drop(child.wait());
                return Err(format!("`{name}` took longer than `--seconds` allows"));
            }
            None => thread::sleep(TICK),
        }
    };
    // Whatever it started may hold the pipe open.
    let left = latest.saturating_duration_since(Instant::now());
    let output =
        receiver.recv_timeout(left).ok().flatten().ok_or_else(|| format!("`{name}` never ended its output"))?;
    if !status.success() {
        return Err(format!("`{name}` ended with {status}"));
    }
    let answer: Value = serde_json::from_slice(&output).map_err(|error| format!("`{name}` wrote no JSON: {error}"))?;
    let vectors =
        answer.get("vectors").and_then(Value::as_array).ok_or_else(|| format!("`{name}` wrote no `vectors`"))?;
    let number = |part: &Value| part.as_f64().ok_or_else(|| format!("`{name}` wrote a vector with what is no number"));
    let vector = |vector: &Value| {
        let parts = vector.as_array().ok_or_else(|| format!("`{name}` wrote a vector that is no list"))?;
        parts.iter().map(number).collect()
    };
    vectors.iter().map(vector).collect()
}
