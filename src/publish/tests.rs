//! Laws of planning, against a small model of what GitHub does with what it is given.

use std::collections::BTreeSet;

use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::{Value, json};

use super::anchor::{Anchor, File};
use super::body::{self, Links, Told};
use super::existing::{Existing, Thread};
use super::plan::{Limits, Place, plan};
use crate::finding::{Finding, Fingerprint, Level, Line, Suggestion, Untrusted};
use crate::report::fixture;
use crate::report::json::{Saved, read};
use crate::review::Review;

const AUTHOR: &str = "github-actions[bot]";
const HEAD: &str = "89abcdef0123456789abcdef0123456789abcdef";
const LIMITS: Limits = Limits { on_lines: 30, is_same: true, is_complete: true };

/// A changed file: the new side in full, the patch as GitHub writes it, and the numbers of the lines it shows, by hunk.
#[derive(Debug, Clone)]
struct Model {
    new: Vec<String>,
    patch: String,
    shown: Vec<Vec<u32>>,
}

impl Model {
    fn file(&self, path: &str) -> File {
        File::read(&json!({"filename": path, "status": "modified", "patch": self.patch})).expect("a file")
    }

    fn is_in_one_hunk(&self, first: u32, last: u32) -> bool {
        first <= last && self.shown.iter().any(|hunk| hunk.contains(&first) && hunk.contains(&last))
    }
}

/// A file by its parts: lines that the patch does not show, then one hunk of marks, again and again.
fn model(parts: Vec<(usize, Vec<u8>)>) -> Model {
    let (mut new, mut patch, mut shown) = (Vec::new(), String::new(), Vec::new());
    let mut old_count = 0_u32;
    for (gap, marks) in parts {
        // Two hunks that touch would be one.
        for _ in 0..=gap {
            new.push(format!("line {}", new.len() + 1));
            old_count += 1;
        }
        let (mut text, mut numbers) = (String::new(), Vec::new());
        let (first_old, first_new) = (old_count + 1, new.len() as u32 + 1);
        let (mut olds, mut news) = (0, 0);
        for mark in marks {
            if mark != b'+' {
                olds += 1;
            }
            if mark == b'-' {
                text.push_str("-gone\n");
                continue;
            }
            new.push(format!("line {}", new.len() + 1));
            news += 1;
            numbers.push(new.len() as u32);
            text.push_str(&format!("{}{}\n", mark as char, new.last().expect("just put")));
        }
        old_count += olds;
        let range = |first: u32, count: u32| match count {
            0 => format!("{},0", first - 1),
            1 => first.to_string(),
            _ => format!("{first},{count}"),
        };
        patch.push_str(&format!("@@ -{} +{} @@ fn x() {{\n{text}", range(first_old, olds), range(first_new, news)));
        shown.push(numbers);
    }
    // GitHub's patches have no final line feed.
    patch.pop();
    Model { new, patch, shown }
}

fn models() -> impl Strategy<Value = Model> {
    let mark = prop_oneof![Just(b'+'), Just(b'-'), Just(b' ')];
    prop::collection::vec((0_usize..5, prop::collection::vec(mark, 1..8)), 0..4).prop_map(model)
}

fn at(number: usize, path: &str, level: Level, first: u32, last: u32) -> Finding {
    let mut finding = fixture::finding("Tag", level, path, first.max(1), &[]);
    finding.claim.location.end_line = Line::new(last.max(first).max(1)).expect("not zero");
    finding.fingerprint = Fingerprint::new(format!("{number:032x}"));
    finding.frame = None;
    finding
}

fn findings() -> impl Strategy<Value = Vec<Finding>> {
    let level = prop_oneof![Just(Level::Error), Just(Level::Warning), Just(Level::Note)];
    let path = prop_oneof![Just("a.py"), Just("a.py"), Just("gone.py")];
    let last = prop_oneof![0_u32..3, Just(u32::MAX)];
    prop::collection::vec((path, level, 1_u32..40, last), 0..50).prop_map(|rows| {
        let each = |(number, (path, level, first, more)): (usize, (&str, Level, u32, u32))| {
            at(number, path, level, first, first.saturating_add(more))
        };
        rows.into_iter().enumerate().map(each).collect()
    })
}

fn review(findings: Vec<Finding>) -> Review {
    Review { findings, ..Review::default() }
}

/// A comment as GitHub lists it.
fn listed(id: u64, login: &str, text: &str, subject: &str) -> Value {
    json!({"id": id, "node_id": format!("N{id}"), "body": text, "user": {"login": login}, "subject_type": subject})
}

/// What stands on the pull request after everything of a plan was done.
fn done(review: &Review, places: &[Place], model: &Model) -> Existing {
    let file = model.file("a.py");
    let comments: Vec<Value> = (1_u64..)
        .zip(review.findings.iter().zip(places))
        .filter_map(|(id, (finding, place))| match place {
            Place::Lines(anchor) => Some(listed(id, AUTHOR, &body::of_lines(finding, *anchor, &file), "line")),
            Place::File => Some(listed(id, AUTHOR, &body::of_file(finding, None), "file")),
            Place::Before | Place::Summary => None,
        })
        .collect();
    Existing::of(&comments, AUTHOR)
}

proptest! {
    /// No comment stands outside a hunk, and every finding is in one place that its file allows.
    #[test]
    fn comments_stand_where_github_takes_them(model in models(), findings in findings(), on_lines in 0_usize..40) {
        let review = review(findings);
        let limits = Limits { on_lines, ..LIMITS };
        let plan = plan(&review, &[model.file("a.py")], &Existing::default(), limits);
        prop_assert_eq!(plan.places.len(), review.findings.len());
        let order: BTreeSet<usize> = plan.order.iter().copied().collect();
        prop_assert_eq!(order.len(), review.findings.len());
        let mut lines = 0;
        for (finding, place) in review.findings.iter().zip(&plan.places) {
            let (first, last) = (finding.claim.location.line.get(), finding.claim.location.end_line.get());
            let in_file = finding.claim.location.path == "a.py".into();
            let touches = model.shown.iter().flatten().any(|line| (first..=last).contains(line));
            match place {
                Place::Lines(anchor) => {
                    lines += 1;
                    prop_assert!(in_file && model.is_in_one_hunk(anchor.first, anchor.last), "{anchor:?} {model:?}");
                    prop_assert!(first <= anchor.first && anchor.last <= last);
                }
                Place::File => prop_assert!(in_file && !touches),
                Place::Summary => {}
                Place::Before => prop_assert!(false, "nothing was told before"),
            }
        }
        prop_assert!(lines <= on_lines);
        let model = &model;
        // Errors before warnings before notes: whoever is left out is not above whoever is in.
        let level = |wanted: bool| review.findings.iter().zip(&plan.places)
            .filter(move |(finding, place)| {
                let at = finding.claim.location.line.get();
                matches!(place, Place::Lines(_)) == wanted && finding.claim.location.path == "a.py".into()
                    && model.is_in_one_hunk(at, at)
            })
            .map(|(finding, _)| finding.level);
        if let (Some(lowest), Some(highest)) = (level(true).min(), level(false).max()) {
            prop_assert!(lowest >= highest);
        }
    }

    /// A second run over the result of the first has nothing to say, whatever the limits were.
    #[test]
    fn a_second_run_has_nothing_to_say(model in models(), findings in findings(), on_lines in 0_usize..40) {
        let review = review(findings);
        let limits = Limits { on_lines, ..LIMITS };
        let files = [model.file("a.py")];
        let first = plan(&review, &files, &Existing::default(), limits);
        let existing = done(&review, &first.places, &model);
        let second = plan(&review, &files, &existing, limits);
        for (one, other) in first.places.iter().zip(&second.places) {
            let expected = if *one == Place::Summary { Place::Summary } else { Place::Before };
            prop_assert_eq!(*other, expected);
        }
        prop_assert!(second.fixed.is_empty());
    }

    /// GitHub puts the block's lines in the place of the comment's lines; that is what the suggestion means.
    #[test]
    fn a_suggestion_applied_is_the_fix(
        model in models(),
        line in 1_u32..20,
        more in 0_u32..3,
        text in prop_oneof!["([ -~`]{0,12}\n){0,4}", "[`\n ]{0,12}", "[a\r\u{202e}\n]{0,6}"],
    ) {
        let mut finding = at(0, "a.py", Level::Error, line, line);
        let end = line + more;
        let own = Suggestion { line: Line::from_index(line - 1), end_line: Line::from_index(end - 1), text: Untrusted::new(text.clone()) };
        finding.claim.suggestion = Some(own);
        let file = model.file("a.py");
        let plan = plan(&review(vec![finding.clone()]), std::slice::from_ref(&file), &Existing::default(), LIMITS);
        let Place::Lines(anchor) = plan.places[0] else { return Ok(()) };
        let shown = body::of_lines(&finding, anchor, &file);
        match block(&shown) {
            Some(block) => {
                let fix = splice(&model.new, line, end, &text);
                prop_assert_eq!(splice(&model.new, anchor.first, anchor.last, &block), fix);
            }
            None => {
                let is_plain = text.is_empty() || text.ends_with('\n') && !text.contains(['\r', '\u{202e}']);
                prop_assert!(!(is_plain && model.is_in_one_hunk(line, end)), "{shown}");
                prop_assert!(shown.contains("Fix"), "the fix is lost: {shown}");
            }
        }
    }

    /// Whatever a file's patch is, reading it neither fails nor shows a line that it does not have.
    #[test]
    fn any_patch_is_read(patch in "(@@ -[0-9]{1,10}(,[0-9]{1,3})? \\+[0-9]{1,10}(,[0-9]{1,3})? @@.{0,3}\n)?([ +\\\\@-].{0,4}\n){0,6}") {
        let file = File::read(&json!({"filename": "a", "patch": patch})).expect("a file");
        let lines: usize = file.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        prop_assert!(lines <= patch.lines().filter(|line| line.is_empty() || line.starts_with(['+', ' '])).count());
    }

    /// Only our author's marks, and only in the first line.
    #[test]
    fn nobody_else_can_tell_a_finding(login in "[a-z\\[\\]-]{1,12}", before in "[a-z<!>\n -]{1,20}", mine in any::<bool>()) {
        let finding = at(0, "a.py", Level::Error, 2, 2);
        let mark = body::of_file(&finding, None);
        let text = if mine { format!("{before}{mark}") } else { mark };
        let login = if mine { AUTHOR } else { login.as_str() };
        let existing = Existing::of(&[listed(1, login, &text, "line")], AUTHOR);
        prop_assert!(existing.own.is_empty(), "{text}");
    }
}

/// The content of the one block that GitHub would offer to apply.
fn block(text: &str) -> Option<String> {
    let mut lines = text.split_inclusive('\n');
    let fence = lines.find_map(|line| {
        let ticks = line.trim_end().strip_suffix("suggestion")?;
        (ticks.len() >= 3 && ticks.bytes().all(|byte| byte == b'`')).then(|| ticks.to_owned())
    })?;
    // A line of backticks alone closes it, if there are at least as many.
    let closes = |line: &str| {
        let bare = line.trim();
        bare.len() >= fence.len() && bare.bytes().all(|byte| byte == b'`')
    };
    Some(lines.take_while(|line| !closes(line)).collect())
}

/// A file with these lines replaced by a text of whole lines.
fn splice(lines: &[String], first: u32, last: u32, text: &str) -> String {
    let part = |range: &[String]| range.iter().map(|line| format!("{line}\n")).collect::<String>();
    format!("{}{text}{}", part(&lines[..first as usize - 1]), part(&lines[last as usize..]))
}

#[test]
fn a_patch_shows_its_new_lines() {
    let patch = "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+C\n d\n@@ -10 +11,0 @@ x\n-z\n@@ -20,2 +20 @@\n-y\n \u{e9}\r\n\\ No newline at end of file";
    let file = File::read(&json!({"filename": "a", "patch": patch})).expect("a file");
    let hunks: Vec<_> = file.hunks.iter().map(|hunk| (hunk.first, hunk.lines.join("|"), hunk.is_open)).collect();
    assert_eq!(hunks, [(1, "a|B|C|d".to_owned(), false), (20, "\u{e9}\r".to_owned(), true)]);
    for bad in ["@@ -1 +1 @@\n+a\n+b", "@@ -1,2 +1,2 @@\n a", "+a", "@@ -1 +4294967295 @@\n+a", "@@ -1 +0 @@\n-a\n+a"] {
        let file = File::read(&json!({"filename": "a", "patch": bad})).expect("a file");
        assert_eq!(file.hunks, [], "{bad:?}");
    }
    let gone = json!({"filename": "a", "status": "removed", "patch": "@@ -1 +1 @@\n-a\n+b"});
    assert_eq!(File::read(&gone).expect("a file").hunks, []);
}

/// The base grew by three lines, and the report is of the merge with it.
#[test]
fn the_lines_of_a_merge_are_found_by_their_text() {
    let patch =
        "@@ -5,3 +5,5 @@\n one\n+key = \"abcdefgh12345\"\n+again\n two\n three\n@@ -30,2 +32,3 @@\n x\n+again\n y";
    let file = File::read(&json!({"filename": "a.py", "patch": patch})).expect("a file");
    let place = |line: u32, frame: &[&str]| {
        let finding = fixture::finding("Tag", Level::Error, "a.py", line, frame);
        file.place(&finding, false).map(|anchor| (anchor.first, anchor.last, anchor.offset))
    };
    assert_eq!(place(9, &["one", "key = \"abcd*********\"", "again"]), Some((6, 6, -3)), "masked secrets are found");
    assert_eq!(place(10, &["key = \"abcd*********\"", "again", "two"]), Some((7, 7, -3)));
    assert_eq!(place(36, &["x", "again", "y"]), Some((33, 33, -3)), "the lines around it decide");
    assert_eq!(place(20, &["other", "again", "other"]), None, "it stands in two places");
    assert_eq!(place(33, &["other", "again", "other"]), Some((33, 33, 0)), "of two the one where it should be");
    assert_eq!(place(9, &["one", "nowhere", "again"]), None);
    assert_eq!(place(9, &[]), None, "without its text nobody knows");
}

#[test]
fn a_finding_that_reaches_beyond_its_hunk_is_cut_and_says_so() {
    let model = model(vec![(1, b"++++".to_vec())]);
    let file = model.file("a.py");
    let finding = at(1, "a.py", Level::Error, 4, 40);
    let plan = plan(&review(vec![finding.clone()]), std::slice::from_ref(&file), &Existing::default(), LIMITS);
    assert_eq!(plan.places, [Place::Lines(Anchor { first: 4, last: 6, offset: 0 })]);
    assert!(
        body::of_lines(&finding, Anchor { first: 4, last: 6, offset: 0 }, &file)
            .contains("This is about lines 4 to 40.")
    );
}

/// What is made to keep the search busy ends at once: no lines, so a comment on the file.
#[test]
fn a_search_without_end_is_none() {
    let model = model(vec![(1, vec![b'+'; 4_000])]);
    let mut finding = at(1, "a.py", Level::Error, 2, 2);
    let lines = vec![Untrusted::new("*".repeat(8)); 4_000];
    finding.frame = Some(crate::finding::Frame { first: Line::from_index(0), lines, cuts: vec![] });
    let limits = Limits { is_same: false, ..LIMITS };
    let plan = plan(&review(vec![finding]), std::slice::from_ref(&model.file("a.py")), &Existing::default(), limits);
    assert_eq!(plan.places, [Place::File]);
}

#[test]
fn a_finding_twice_in_a_report_is_told_once() {
    let model = model(vec![(1, b"++++".to_vec())]);
    let twice = vec![at(1, "a.py", Level::Note, 3, 3), at(1, "a.py", Level::Error, 4, 4)];
    let plan = plan(&review(twice), &[model.file("a.py")], &Existing::default(), LIMITS);
    assert!(matches!(plan.places[..], [Place::Summary, Place::Lines(_)]), "{:?}", plan.places);
}

/// What is fixed, what came back, and what somebody answered or hid.
#[test]
fn earlier_comments_are_fixed_told_or_left_alone() {
    let model = model(vec![(1, b"+++++++".to_vec())]);
    let text = |number: usize| body::of_file(&at(number, "a.py", Level::Error, 3, 3), None);
    let mut comments: Vec<Value> = (1..=6).map(|id| listed(id, AUTHOR, &text(id as usize), "line")).collect();
    comments.push(json!({"id": 9, "in_reply_to_id": 2, "body": "no", "user": {"login": "ada"}}));
    let mut existing = Existing::of(&comments, AUTHOR);
    let thread = |is_hidden, is_outdated| Thread { node: None, is_resolved: false, is_hidden, is_outdated };
    let threads = [
        (1, thread(false, false)),
        (2, thread(false, false)),
        (3, thread(true, true)),
        (4, thread(true, false)),
        (6, thread(true, true)),
    ];
    existing.add(&threads.into_iter().collect());
    let mut found = review(vec![at(4, "a.py", Level::Error, 3, 3), at(6, "a.py", Level::Error, 4, 4)]);
    let files = [model.file("a.py")];
    let plan_of = |review: &Review, limits| {
        let plan = plan(review, &files, &existing, limits);
        (plan.places.clone(), plan.fixed.iter().map(|own| own.id).collect::<Vec<_>>())
    };
    let (places, fixed) = plan_of(&found, LIMITS);
    assert_eq!(places[0], Place::Before, "hidden by a person");
    assert!(matches!(places[1], Place::Lines(_)), "hidden as fixed, and back");
    assert_eq!(fixed, [1], "2 has an answer, 3 is hidden, of 5 nothing is known");
    assert_eq!(plan_of(&found, Limits { is_complete: false, ..LIMITS }).1, [0_u64; 0], "nobody looked everywhere");
    let mut capped = at(1, "a.py", Level::Error, 5, 5);
    capped.drop_at(crate::finding::Stage::Rank, "cap", "too many");
    found.dropped.push(capped);
    assert_eq!(plan_of(&found, LIMITS).1, [0_u64; 0], "a cap is no fix");
}

fn saved(report: &fixture::Fixture) -> Saved {
    let mut bytes = Vec::new();
    (crate::report::format("json").expect("a format").write)(&report.report(), &mut bytes).expect("memory takes all");
    read(&bytes).expect("our own report")
}

fn links() -> Links {
    Links { repository: "https://github.com/acme/shop".to_owned(), commit: HEAD.to_owned() }
}

/// All texts of a report, those of its comments first.
fn texts(saved: &Saved) -> Vec<String> {
    let model = model(vec![(1, b"+++++++".to_vec())]);
    let findings = &saved.review.findings;
    let order: Vec<usize> = (0..findings.len()).collect();
    let anchor = Anchor { first: 3, last: 3, offset: 0 };
    let mut texts: Vec<String> = findings
        .iter()
        .flat_map(|finding| {
            [body::of_lines(finding, anchor, &model.file("a.py")), body::of_file(finding, Some(&links()))]
        })
        .collect();
    texts.push(body::of_summary(saved, &order, &vec![Told::Here; findings.len()], HEAD, Some(&links())).0);
    texts
}

#[test]
fn hostile_texts_stay_text() {
    let saved = saved(&fixture::hostile());
    for text in texts(&saved) {
        assert!(text.len() <= body::LONGEST, "{} bytes", text.len());
        let marks = text.lines().filter(|line| line.starts_with("<!-- diffsieve:v1 ")).count();
        assert_eq!(marks, 1, "{text}");
        assert_eq!(text.lines().position(|line| line.starts_with("<!-- diffsieve:v1 ")), Some(0));
        let visible = text.chars().all(|character| {
            matches!(character, '\n' | '\t' | '\u{2060}')
                || !character.is_control() && !crate::escape::is_invisible(character)
        });
        assert!(visible, "{text:?}");
    }
}

#[test]
fn texts_of_seventy_kilobytes_are_cut() {
    let mut report = fixture::plain();
    for character in ["a", "#", "<", "\u{202e}", "`", "\n", "|"] {
        for finding in &mut report.review.findings {
            finding.title = character.repeat(70_000).as_str().into();
            finding.claim.rationale = Untrusted::new(character.repeat(70_000));
            finding.claim.quote = Untrusted::new(character.repeat(70_000));
        }
        for text in texts(&saved(&report)) {
            assert!(text.len() <= body::LONGEST, "{character:?}: {} bytes", text.len());
            assert!(text.contains("diffsieve"), "{text}");
        }
    }
}

#[test]
fn a_summary_hands_back_what_does_not_fit() {
    let mut report = fixture::many(3_000);
    for (number, finding) in report.review.findings.iter_mut().enumerate() {
        finding.fingerprint = Fingerprint::new(format!("{number:032x}"));
    }
    let saved = saved(&report);
    let order: Vec<usize> = (0..3_000).collect();
    let mut told = vec![Told::Here; 3_000];
    told[..1_000].fill(Told::Before);
    let (text, left_out) = body::of_summary(&saved, &order, &told, HEAD, Some(&links()));
    assert!(text.len() <= body::LONGEST);
    let rows = text.lines().filter(|line| line.starts_with("| ")).count() - 1;
    assert!(text.contains(&format!("{} more do not fit", 3_000 - rows)), "{text}");
    assert_eq!(left_out.len(), 2_000 - rows, "those with a comment give way");
    assert!(left_out.iter().all(|index| *index >= 1_000));
}

#[test]
fn the_summary_of_a_plain_report() {
    let saved = saved(&fixture::plain());
    let told = [Told::Lines, Told::Here, Told::Before];
    let (text, left_out) = body::of_summary(&saved, &[0, 1, 2], &told, HEAD, Some(&links()));
    assert_eq!(left_out, [0_usize; 0]);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    assert_eq!(
        rows,
        [
            "| error | [`shop/basket.py:12`](https://github.com/acme/shop/blob/89abcdef0123456789abcdef0123456789abcdef/shop/basket.py#L12) \
             | Mutable default argument (`MutableDefault`) | in a comment |",
            "| warning | [`src/io.c:41-43`](https://github.com/acme/shop/blob/89abcdef0123456789abcdef0123456789abcdef/src/io.c#L41-L43) \
             | A resource is not released (`ResourceLeak`) | only here |",
            "| note | [`shop/basket.py:30`](https://github.com/acme/shop/blob/89abcdef0123456789abcdef0123456789abcdef/shop/basket.py#L30) \
             | Something to look at (`LongFunction`) | in a comment |",
        ]
    );
    for part in [
        "### diffsieve: failed",
        "1 error, 1 warning, 1 note",
        "all 42 added lines read",
        "Each call leaves one descriptor open",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!text.contains("created once and shared"), "it is told in its comment");
}
