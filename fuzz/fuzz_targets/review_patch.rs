//! From the bytes of a patch to a report in every format, with the shipped packs: nothing panics, the funnel balances,
//! nothing is shown that the patch did not add, and no format lets a control character through to a log.
#![no_main]

use std::sync::LazyLock;

use diffsieve::diff::{FileChange, Limits, patch};
use diffsieve::finding::{Level, Line};
use diffsieve::gate::{self, FailOn, OnIncomplete, Policy};
use diffsieve::report::{self, Origin, Provenance, Report, Style, json};
use diffsieve::review::{Change, Loaded, Settings, review, suppress};
use diffsieve::rules::{Examples, Rules};
use libfuzzer_sys::fuzz_target;

static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load"));

fuzz_target!(|bytes: &[u8]| {
    let Ok(files) = patch::parse(bytes, &Limits::default()) else { return };
    let Ok(same) = patch::parse(bytes, &Limits::default()) else { panic!("the same bytes parse the same") };
    let settings = Settings {
        cap: Some(50),
        ..Settings::plain(suppress::Policy { added_ignores: true, unreasoned: true })
    };
    let review = review(&Loaded::new(files), Change::default(), &RULES, &settings);
    assert!(review.funnel.balances());
    for finding in &review.findings {
        let at = &finding.claim.location;
        let mut lines = (at.line.get()..=at.end_line.get()).filter_map(Line::new);
        let touches = |file: &FileChange| file.path == at.path && lines.any(|line| file.is_added(line));
        assert!(same.iter().any(touches), "{at:?}");
    }
    let bug = review.coverage.skipped.iter().find(|skip| skip.why.contains("bug in diffsieve"));
    assert!(bug.is_none(), "{bug:?}");
    let policy = Policy { fail_on: FailOn::Level(Level::Error), on_incomplete: OnIncomplete::Fail };
    let decision = gate::decide(&review, policy);
    let report = Report {
        version: "0",
        review: &review,
        decision: &decision,
        tags: &[],
        origin: &Origin::default(),
        provenance: Provenance::default(),
        style: Style { ci_log: true, ..Style::default() },
        sarif_suppressed: true,
    };
    for format in report::FORMATS {
        let mut out = Vec::new();
        (format.write)(&report, &mut out).expect("a vector can be written");
        let text = String::from_utf8(out).expect("reports are UTF-8");
        match format.name {
            "json" => {
                let read = json::read(text.as_bytes()).expect("what was written can be read");
                assert_eq!(read.review.findings.len(), review.findings.len());
            }
            "text" | "github" => {
                let bad = text.chars().find(|character| character.is_control() && !matches!(character, '\n' | '\t'));
                assert!(bad.is_none(), "{}: {bad:?} in {text:?}", format.name);
            }
            _ => {}
        }
    }
});
