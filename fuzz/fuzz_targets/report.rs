//! Saved reports, which may come from anybody: read, joined, compared, and written in every format.
#![no_main]

use std::collections::BTreeSet;

use diffsieve::gate;
use diffsieve::report::{FORMATS, Report, Style, json};
use diffsieve::review::{shard, since};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(saved) = json::read(data) else { return };
    let mut review = saved.review.clone();
    since::compare(&mut review, &saved.review, &BTreeSet::new());
    let joined = shard::join(vec![saved.review.clone()], None);
    for review in [Ok(review), joined].into_iter().flatten() {
        let decision = gate::decide(&review, saved.decision.policy);
        let report = Report {
            version: "0",
            review: &review,
            decision: &decision,
            tags: &saved.tags,
            origin: &saved.origin,
            provenance: saved.provenance.clone(),
            style: Style::default(),
            sarif_suppressed: true,
        };
        for format in FORMATS {
            (format.write)(&report, &mut Vec::new()).expect("a vector can be written");
        }
    }
});
