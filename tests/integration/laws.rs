//! The laws of the pipeline over generated changes, in this process: what must hold whatever is reviewed.

use std::sync::LazyLock;

use diffsieve::context::{Context, Options};
use diffsieve::diff::{Body, EntryKind, FileChange, Hunk, Lines, NotCode, PathClass, Status, Text, Unread};
use diffsieve::finding::{Finding, Level, Line, RepoPath};
use diffsieve::gate::{self, FailOn, OnIncomplete, Policy, Verdict};
use diffsieve::report::{self, Origin, Provenance, Report, Style, json};
use diffsieve::review::shard::{self, Shard};
use diffsieve::review::{Change, Loaded, Review, Settings, review, suppress};
use diffsieve::rules::{Examples, Rules, Source};
use proptest::prelude::*;

use super::program::HOUSE;

/// The shipped packs and one of our own, so that findings are frequent.
static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let more = "  Watched:\n    level: shadow\n    detect: [{id: any, in: any, regex: 'WATCH', message: watched}]\n  \
                Grave:\n    level: error\n    cap: 1\n    detect: [{id: any, in: any, regex: 'GRAVE', message: grave}]\n  \
                Two:\n    cap: 1\n    drop: [{id: never, why: w, when: {line: never}}]\n    detect:\n      - {id: a, in: any, \
                regex: 'MARK', message: a}\n      - {id: b, in: any, regex: 'MARK|WATCH', level: error, message: b}\n  \
                Needs:\n    needs: [{fact: {is_new_symbol: true}}]\n    detect: [{id: any, in: any, regex: 'def', message: d}]\n";
    let source = Source { name: "house.yml".to_owned(), text: format!("{HOUSE}{more}") };
    Rules::load(Examples::Skip, &[source], None, None).unwrap_or_else(|problems| panic!("{problems:?}"))
});

/// What a kept diff may show.
static CONTEXT: LazyLock<Context<'static>> =
    LazyLock::new(|| Context::new(&RULES, Options::default()).expect("the options are sound"));

/// A changed file before its hunks are made.
#[derive(Debug, Clone)]
struct Sketch {
    path: String,
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
    ending: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Renamed,
    Binary,
    TooLarge,
    /// Only what a patch would show.
    Patch,
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let fixed = prop::sample::select(vec![
        "",
        "    ",
        "x = 1",
        "y = 2",
        "MARK-1",
        "    MARK-1",
        "MARK-1 MARK-2",
        "WATCH",
        "MARK WATCH never",
        "GRAVE",
        "def f(a=[]):",
        "    return 'MARK-3'",
        "class A:",
        "if x is 'r':",
        "    pass",
        "<<<<<<< HEAD",
        "=======",
        ">>>>>>> topic",
        "# diffsieve: ignore[Marker] known",
        "x = 'MARK-4'  # diffsieve: ignore[Marker, Two] known",
        "// diffsieve: ignore[Grave]",
        "x = 'diffsieve: ignore[Marker] data'",
        "\u{202e}hidden",
        "\"\"\"",
        "'''",
        "/*",
        "*/",
        "(",
        ")",
        "{",
        "}",
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB",
        "assert (x, 'y')",
        "except:",
        "fn f() { x.unwrap() }",
        "\tuses: actions/checkout@v4",
        "eval(input())",
        "\u{feff}x",
        "a\rb",
    ]);
    prop_oneof![
        12 => fixed.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>().prop_filter("one line", |byte| *byte != b'\n'), 0..12),
        1 => "[ -~]{0,40}".prop_map(String::into_bytes),
    ]
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let path = prop::sample::select(vec![
        "a.py",
        "src/b.rs",
        "c.txt",
        "d.js",
        "web/e.ts",
        "f.java",
        "g.go",
        "h.c",
        "i.cpp",
        "j.cs",
        "k.rb",
        "l.php",
        "m.min.js",
        "vendor/n.py",
        "tests/test_o.py",
        ".github/workflows/p.yml",
        "Cargo.lock",
        "q\n\u{202e}.py",
        "r",
        "generated/s.py",
    ]);
    let kind = prop_oneof![
        8 => Just(Kind::Text), 1 => Just(Kind::Renamed), 1 => Just(Kind::Binary), 1 => Just(Kind::TooLarge), 2 => Just(Kind::Patch),
    ];
    let old = prop::collection::vec(line(), 0..14);
    // The new side keeps some of the old lines, drops some, and puts others in between.
    let edits = prop::collection::vec((any::<bool>(), prop::collection::vec(line(), 0..4)), 15);
    (path, old, edits, any::<bool>(), kind).prop_map(|(path, old, edits, ending, kind)| {
        let mut new = Vec::new();
        for (index, (keep, added)) in edits.into_iter().enumerate() {
            new.extend(old.get(index).filter(|_| keep).cloned());
            new.extend(added);
        }
        Sketch { path: path.to_owned(), old, new, ending, kind }
    })
}

/// Between one and eight files with different names.
fn change() -> impl Strategy<Value = Vec<Sketch>> {
    prop::collection::vec(sketch(), 1..8).prop_map(|mut files| {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        files
    })
}

fn joined(lines: &[Vec<u8>], ending: bool) -> Vec<u8> {
    let mut text = lines.join(&b'\n');
    if ending && !lines.is_empty() {
        text.push(b'\n');
    }
    text
}

fn built(sketch: &Sketch) -> FileChange {
    let (old, new) = (joined(&sketch.old, true), joined(&sketch.new, sketch.ending));
    let lines = |range: &std::ops::Range<u32>| Lines { first: range.start + 1, count: range.end - range.start };
    let hunks: Vec<Hunk> = diffsieve::git::line_changes(&old, &new)
        .into_iter()
        .map(|change| Hunk { old: lines(&change.old), new: lines(&change.new) })
        .collect();
    let body = match sketch.kind {
        Kind::Binary => Body::NotCode(NotCode::Binary),
        Kind::TooLarge => Body::Unread(Unread::TooLarge { bytes: 9 }),
        _ if hunks.is_empty() => Body::NotCode(NotCode::NoLines),
        Kind::Patch => {
            let (old, new) = (shown(old, &hunks, |hunk| hunk.old), shown(new, &hunks, |hunk| hunk.new));
            Body::Text { hunks, old, new }
        }
        Kind::Text | Kind::Renamed => Body::Text { hunks, old: Text::whole(old), new: Text::whole(new) },
    };
    let renamed = matches!(sketch.kind, Kind::Renamed);
    FileChange {
        path: RepoPath::from(sketch.path.as_str()),
        old_path: renamed.then(|| RepoPath::from(format!("before/{}", sketch.path).as_str())),
        status: if renamed { Status::Renamed { similarity: 80 } } else { Status::Modified },
        old_kind: Some(EntryKind::File),
        new_kind: Some(EntryKind::File),
        class: PathClass::default(),
        body,
        old_id: None,
    }
}

/// One side as a patch with one line of context shows it.
fn shown(bytes: Vec<u8>, hunks: &[Hunk], side: fn(&Hunk) -> Lines) -> Text {
    let whole = Text::whole(bytes);
    let near = |line: Line| {
        hunks.iter().map(side).any(|lines| line.get() + 1 >= lines.first && line.get() <= lines.first + lines.count)
    };
    Text::parts(whole.lines().filter(|(line, _)| near(*line)))
}

fn settings(threads: usize) -> Settings<'static> {
    Settings { cap: Some(9), threads, ..Settings::plain(suppress::Policy { added_ignores: true, unreasoned: false }) }
}

fn reviewed(files: &[Sketch], threads: usize) -> Review {
    let files = files.iter().map(built).collect();
    review(&Loaded::new(files), Change::default(), &RULES, &settings(threads))
}

/// The same review in so many shares, each saved and read back, joined in another order.
fn shared(files: &[Sketch], count: u32) -> Review {
    let share = |index| {
        let files = files.iter().map(built).collect();
        let settings = Settings { shard: Shard::new(index, count), ..settings(1) };
        let review = review(&Loaded::new(files), Change::default(), &RULES, &settings);
        let saved = json::read(&written(&review, "json", FailOn::Never)).expect("our own report can be read");
        saved.review
    };
    shard::join((1..=count).rev().map(share).collect(), None).expect("shares of one review")
}

/// With the diff, for reports that show it.
fn reviewed_with_diff(files: &[Sketch], threads: usize) -> Review {
    let files = files.iter().map(built).collect();
    let settings = Settings { keep_diff: Some(&CONTEXT), ..settings(threads) };
    review(&Loaded::new(files), Change::default(), &RULES, &settings)
}

fn written(review: &Review, format: &str, fail_on: FailOn) -> Vec<u8> {
    let decision = gate::decide(review, Policy { fail_on, on_incomplete: OnIncomplete::Warn });
    let report = Report {
        version: "0",
        review,
        decision: &decision,
        tags: &[],
        origin: &Origin::default(),
        provenance: Provenance::default(),
        style: Style { funnel: true, ..Style::default() },
        sarif_suppressed: true,
    };
    let mut out = Vec::new();
    (report::format(format).expect("there is such a format").write)(&report, &mut out)
        .expect("a vector can be written");
    out
}

/// From the laxest to the strictest.
const FAIL_ON: [FailOn; 4] =
    [FailOn::Never, FailOn::Level(Level::Error), FailOn::Level(Level::Warning), FailOn::Level(Level::Note)];

fn verdict(review: &Review, fail_on: FailOn) -> Verdict {
    gate::decide(review, Policy { fail_on, on_incomplete: OnIncomplete::Fail }).verdict
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_funnel_balances_and_every_step_is_told(files in change()) {
        let review = reviewed(&files, 1);
        prop_assert!(review.funnel.balances());
        prop_assert_eq!(review.funnel.shown, review.findings.len() as u64);
        prop_assert_eq!(review.funnel.removed.values().sum::<u64>(), review.dropped.len() as u64);
        for finding in &review.findings {
            prop_assert!(finding.dropped.is_none());
            prop_assert!(finding.trail.len() >= 2, "raised and grounded at least: {:?}", finding.trail);
        }
        for finding in &review.dropped {
            let dropped = finding.dropped.as_ref().expect("a dropped finding says why");
            let last = finding.trail.last().expect("a dropped finding has a trail");
            prop_assert_eq!((last.stage, last.verdict), (dropped.stage, "dropped"));
            prop_assert_eq!(&last.rule, &dropped.reason);
        }
    }

    #[test]
    fn every_added_line_is_covered_or_named_as_skipped(files in change()) {
        let changes: Vec<FileChange> = files.iter().map(built).collect();
        let review = reviewed(&files, 1);
        let coverage = &review.coverage;
        prop_assert_eq!(coverage.added_lines, changes.iter().map(FileChange::added_count).sum::<u64>());
        prop_assert_eq!(review.change.files.len(), files.len());
        let mut read = 0;
        for (file, summary) in changes.iter().zip(&review.change.files) {
            prop_assert_eq!(&file.path, &summary.path);
            let skips: Vec<_> = coverage.skipped.iter().filter(|skip| skip.path == file.path).collect();
            if matches!(file.body, Body::Text { .. }) && skips.is_empty() {
                prop_assert!(summary.read_by.text, "{:?}", file.path);
                read += file.added_count();
            } else {
                prop_assert!(!skips.is_empty(), "{:?} is neither read nor skipped", file.path);
            }
            prop_assert_eq!(matches!(file.body, Body::Unread(_)), skips.iter().any(|skip| skip.unread && skip.lines.is_none()));
        }
        prop_assert!(coverage.reviewed_lines >= read && coverage.reviewed_lines <= coverage.added_lines);
        prop_assert_eq!(coverage.is_complete(), coverage.skipped.iter().all(|skip| !skip.unread));
    }

    #[test]
    fn nothing_is_shown_outside_the_added_lines(files in change()) {
        let changes: Vec<FileChange> = files.iter().map(built).collect();
        let review = reviewed(&files, 1);
        for finding in review.findings.iter().chain(&review.dropped) {
            let at = &finding.claim.location;
            let file = changes.iter().find(|file| file.path == at.path).expect("the file is in the change");
            prop_assert!(at.line <= at.end_line);
            let touches = (at.line.get()..=at.end_line.get()).filter_map(Line::new).any(|line| file.is_added(line));
            prop_assert!(touches, "{:?}", at);
            let Body::Text { new, .. } = &file.body else { panic!("a finding in what was not read") };
            prop_assert!(new.line(at.line).is_some() && new.line(at.end_line).is_some(), "{:?}", at);
            if let Some(suggestion) = &finding.claim.suggestion {
                let mut lines = (suggestion.line.get()..=suggestion.end_line.get()).filter_map(Line::new);
                prop_assert!(lines.all(|line| file.is_added(line)), "a fix of lines that were there before");
            }
        }
    }

    #[test]
    fn a_kept_diff_holds_every_changed_line_or_counts_it(files in change()) {
        let changes: Vec<FileChange> = files.iter().map(built).collect();
        let review = reviewed_with_diff(&files, 2);
        for (file, summary) in changes.iter().zip(&review.change.files) {
            let (Body::Text { old, new, .. }, Some(excerpt)) = (&file.body, &summary.excerpt) else {
                prop_assert!(summary.excerpt.is_none() && !matches!(file.body, Body::Text { .. }), "{:?}", file.path);
                continue;
            };
            let changed = excerpt.rows.iter().filter(|row| row.old.is_none() || row.new.is_none()).count() as u64;
            let left_out = excerpt.left_out.as_ref().map_or(0, |(lines, _)| *lines);
            prop_assert_eq!(changed + left_out, file.added_count() + file.removed_count());
            for row in &excerpt.rows {
                let line = row.new.map_or_else(|| row.old.and_then(|line| old.line_text(line)), |line| new.line_text(line));
                let line = line.expect("a row is a line of the file");
                // Characters that stand for hidden values are spelt out where the file itself has them.
                let is_spelt = line.contains(|c| ('\u{f0000}'..='\u{fffff}').contains(&c));
                prop_assert!(row.is_cut || is_spelt || row.text.raw().len() == line.len(), "{:?} {:?}", row, line);
                prop_assert_eq!(row.new.is_some_and(|line| file.is_added(line)), row.old.is_none());
            }
        }
        let page = String::from_utf8(written(&review, "html", FailOn::Never)).expect("a page is UTF-8");
        prop_assert_eq!(page.matches("<article ").count(), review.findings.len());
    }

    #[test]
    fn the_same_change_gives_the_same_bytes(files in change()) {
        let (one, other) = (reviewed_with_diff(&files, 1), reviewed_with_diff(&files, 4));
        for format in report::FORMATS.iter().map(|format| format.name) {
            let fail_on = FailOn::Level(Level::Error);
            prop_assert!(written(&one, format, fail_on) == written(&other, format, fail_on), "{}", format);
        }
    }

    #[test]
    fn shares_join_to_the_whole(files in change(), count in 1_u32..9) {
        let (whole, joined) = (reviewed(&files, 1), shared(&files, count));
        for format in report::FORMATS.iter().map(|format| format.name) {
            let fail_on = FailOn::Level(Level::Warning);
            prop_assert!(written(&whole, format, fail_on) == written(&joined, format, fail_on), "{}", format);
        }
    }

    #[test]
    fn a_stricter_gate_never_turns_fail_into_pass(files in change()) {
        let review = reviewed(&files, 1);
        for pair in FAIL_ON.windows(2) {
            let (lax, strict) = (verdict(&review, pair[0]), verdict(&review, pair[1]));
            prop_assert!(lax != Verdict::Fail || strict == Verdict::Fail, "{:?} {:?}", pair, (lax, strict));
            prop_assert!(lax == Verdict::Pass || strict != Verdict::Pass, "{:?} {:?}", pair, (lax, strict));
        }
        let incomplete = !review.coverage.is_complete();
        prop_assert!(!incomplete || verdict(&review, FailOn::Never) == Verdict::Incomplete);
    }

    #[test]
    fn one_more_finding_never_turns_fail_into_pass(files in change(), which in any::<prop::sample::Index>()) {
        let mut review = reviewed(&files, 1);
        let all: Vec<Finding> = review.findings.iter().chain(&review.dropped).cloned().collect();
        prop_assume!(!all.is_empty());
        let before = FAIL_ON.map(|fail_on| verdict(&review, fail_on));
        let mut more = which.get(&all).clone();
        for level in Level::ALL {
            more.level = level;
            review.findings.push(more.clone());
            for (fail_on, before) in FAIL_ON.into_iter().zip(before) {
                let after = verdict(&review, fail_on);
                prop_assert!(before != Verdict::Fail || after == Verdict::Fail);
                prop_assert!(before == Verdict::Pass || after != Verdict::Pass);
                if matches!(fail_on, FailOn::Level(limit) if level >= limit) {
                    prop_assert_eq!(after, Verdict::Fail);
                }
            }
        }
    }

    #[test]
    fn no_cap_and_no_merge_hides_an_error(files in change()) {
        let review = reviewed(&files, 1);
        for finding in &review.dropped {
            let reason = finding.dropped.as_ref().map(|dropped| dropped.reason.as_str()).unwrap_or_default();
            if reason.starts_with("cap:") {
                prop_assert!(finding.level < Level::Error);
            }
            if reason == "duplicate" {
                let (path, tag) = (&finding.claim.location.path, &finding.claim.tag);
                let all = review.findings.iter().chain(&review.dropped).filter(|other| {
                    other.claim.location.path == *path && other.claim.tag == *tag && other.related.contains(&finding.claim.location)
                });
                let best = all.map(|other| other.level).max();
                prop_assert!(best >= Some(finding.level), "{:?} stands for {:?}", best, finding.level);
            }
        }
        let below = review.findings.iter().filter(|finding| finding.level < Level::Error).count();
        prop_assert!(below <= 9, "{} findings below error under a cap of 9", below);
    }

    #[test]
    fn findings_are_told_apart(files in change()) {
        let review = reviewed(&files, 1);
        let mut prints: Vec<_> = review.findings.iter().map(|finding| finding.fingerprint.as_str()).collect();
        let count = prints.len();
        prints.sort_unstable();
        prints.dedup();
        prop_assert_eq!(prints.len(), count, "two shown findings with one fingerprint");
    }

    /// Lines that have nothing to do with a finding, elsewhere in the file, and another name change neither identity for
    /// the worse: the key stays where the path stays, the window where the file was renamed.
    #[test]
    fn a_finding_keeps_its_identity(
        above in prop::collection::vec("[a-z]{1,8} = [0-9]{1,4}", 0..20),
        below in prop::collection::vec("[a-z]{1,8} = [0-9]{1,4}", 0..20),
        indent in " {0,8}",
    ) {
        let core = ["first = 1", "second = 2", "MARK-1 here", "third = 3", "fourth = 4"].map(str::to_owned);
        let identity = |path: &str, lines: Vec<String>| {
            let new = lines.into_iter().map(String::into_bytes).collect();
            let file = Sketch { path: path.to_owned(), old: Vec::new(), new, ending: true, kind: Kind::Text };
            let review = reviewed(&[file], 1);
            let found = review.findings.iter().find(|finding| &*finding.claim.tag == "Marker").expect("it is marked");
            (found.fingerprint.clone(), found.window.clone())
        };
        let before = identity("a.txt", core.to_vec());
        let moved: Vec<String> = above.iter().cloned().chain(core.clone()).chain(below.clone()).collect();
        let indented: Vec<String> = moved.iter().map(|line| format!("{indent}{line}  ")).collect();
        prop_assert_eq!(&identity("a.txt", moved.clone()), &before);
        prop_assert_eq!(&identity("a.txt", indented), &before);
        let renamed = identity("other/b.txt", moved);
        prop_assert_ne!(&renamed.0, &before.0);
        prop_assert_eq!(&renamed.1, &before.1);
    }
}
