//! Whatever a server does, a review of it is what `docs/faults.md` says: clean by a complete answer alone, unread
//! otherwise, and over in time.

use std::time::{Duration, Instant};

use super::*;
use crate::provider::tests::{Expected, Row, Wire, serving, table};
use crate::review::pool;

/// What a busy machine may add to a deadline.
const SLACK: Duration = Duration::from_secs(3);

#[test]
fn no_behaviour_of_a_server_is_a_pass_with_unread_lines() {
    let rows = table();
    let cells: Vec<(&Row, Wire, Expected)> = rows
        .iter()
        .flat_map(|row| Wire::ALL.into_iter().zip(row.expected).map(move |(wire, expected)| (row, wire, expected)))
        .filter_map(|(row, wire, expected)| Some((row, wire, expected?)))
        .collect();
    // Most of them wait.
    let failures = pool::map(cells.len(), 6, || (), |(), index| check(cells[index]).err());
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(cells.len() >= 180, "only {} cells", cells.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn check((row, wire, expected): (&Row, Wire, Expected)) -> Result<(), String> {
    // An answer in the table says that there is nothing to find.
    let (verdict, reason) = match expected.why {
        None => (Verdict::Pass, None),
        Some(why) => (Verdict::Incomplete, Some(why.name())),
    };
    let (_server, provider) = serving(row, wire);
    let began = Instant::now();
    let files = added(&[("a.txt", "one\ntwo\n")]);
    let (review, decision) = reviewed(files, &Model { validator: None, ..model(&provider) });
    let told = review.coverage.skipped.first().map(|skip| (skip.lines, skip.why.clone()));
    let is_reported = match (&told, reason) {
        (None, None) => true,
        (Some((lines, why)), Some(reason)) => *lines == Some(2) && why.contains(reason),
        _ => false,
    };
    let in_time = began.elapsed() <= Duration::from_secs_f64(row.seconds.min(2.0)) + SLACK;
    match decision.verdict == verdict && decision.complete == reason.is_none() && is_reported && in_time {
        true => Ok(()),
        false => Err(format!("{} / {wire:?}: {:?} {told:?} {:?}", row.name, decision.verdict, began.elapsed())),
    }
}
