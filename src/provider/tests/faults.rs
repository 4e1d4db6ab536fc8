//! Runs the table against each dialect, and writes it down.

use std::time::{Duration, Instant};

use super::super::Provider as _;
use super::behaviours::{Expected, Row, Wire, table};
use super::server::Server;
use super::{KEY, prompt, service, settings, time};

/// What a busy machine may add to a deadline.
const SLACK: Duration = Duration::from_secs(3);

fn run(row: &Row, wire: Wire, expected: Expected) -> Result<(), String> {
    let server = Server::start((row.acts)(wire));
    let time = time();
    let mut settings = settings(&server.url(), &time, row.seconds);
    settings.temperature = Some(0.2);
    let provider = service(wire.preset(), &settings);
    let began = Instant::now();
    let outcome = provider.ask(&prompt("what changed"));
    let elapsed = began.elapsed();
    let got = match &outcome {
        Ok(answer) => Expected { why: None, attempts: answer.attempts },
        Err(no) => Expected { why: Some(no.why), attempts: no.attempts },
    };
    let fail = |what: String| Err(format!("{} / {wire:?}: {what}\n    {outcome:?}", row.name));
    if got != expected {
        return fail(format!("expected {expected:?}, got {got:?}"));
    }
    if server.connections() != expected.attempts as usize {
        return fail(format!("the server saw {} connections", server.connections()));
    }
    if elapsed > Duration::from_secs_f64(row.seconds.min(2.0)) + SLACK {
        return fail(format!("it took {elapsed:?}"));
    }
    let slept: Vec<_> =
        time.slept.lock().expect("nobody panics here").iter().map(|wait| wait.as_millis() as u64).collect();
    match &row.waits {
        Some(waits) if *waits != slept => return fail(format!("it slept {slept:?}")),
        None if slept.iter().any(|wait| *wait > 8000) => return fail(format!("it slept {slept:?}")),
        _ => {}
    }
    match &outcome {
        Ok(answer) if !matches!(serde_json::from_str(&answer.text), Ok(serde_json::Value::Object(_))) => {
            fail("the answer is no object".to_owned())
        }
        Err(no) if no.message.chars().count() > 300 || no.message.contains(KEY) || no.message.contains('\n') => {
            fail("the message is too long or unclean".to_owned())
        }
        _ => Ok(()),
    }
}

#[test]
fn every_behaviour_comes_to_what_the_table_says() {
    let rows = table();
    let mut failures = Vec::new();
    for row in &rows {
        for (wire, expected) in Wire::ALL.into_iter().zip(row.expected) {
            failures.extend(expected.and_then(|expected| run(row, wire, expected).err()));
        }
    }
    assert!(rows.len() >= 60, "only {} rows", rows.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn page() -> String {
    let mut page = String::from(
        "# What servers do, and what comes of it\n\nMade from the table in `src/provider/tests/behaviours.rs`, which the \
         tests run against a server on loopback, for\neach dialect. Write it anew with `DIFFSIEVE_GENERATE=1 cargo test \
         --lib faults`.\n\nA cell is the reason why there is no answer, or *answer*, and the number of requests. No row ends \
         later than the deadline. The same\nrows are reviewed (`src/review/model/tests/faults.rs`): a reason leaves the \
         lines of its chunk unread, by name and with the reason, and the\nreview incomplete, exit code 3 under the default \
         policy; *answer*, which finds nothing here, is exit code 0.\n",
    );
    let mut group = "";
    for row in table() {
        if row.group != group {
            group = row.group;
            page +=
                &format!("\n## {group}\n\n| what the server does | openai | anthropic | ollama |\n|---|---|---|---|\n");
        }
        let cells = row.expected.map(|expected| match expected {
            None => "–".to_owned(),
            Some(Expected { why, attempts }) => {
                format!("{}, {attempts}", why.map_or_else(|| "*answer*".to_owned(), |why| format!("`{why}`")))
            }
        });
        page += &format!("| {} | {} |\n", row.name, cells.join(" | "));
    }
    page
}

#[test]
fn the_page_is_up_to_date() {
    let path = format!("{}/docs/faults.md", env!("CARGO_MANIFEST_DIR"));
    let page = page();
    if std::env::var_os("DIFFSIEVE_GENERATE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "docs/faults.md differs from the table: DIFFSIEVE_GENERATE=1 cargo test --lib faults");
}
