//! What becomes of a claim: identity, ignores, baseline, merging, caps, states of a tag.

use super::program::{HOUSE, Place, Reviewed};

const NOTES: &str = "one\ntwo\nthree\nfour\n";

/// The first review of a place that adds one marked line to `notes.txt`.
fn marked() -> (Place, Reviewed) {
    let place = Place::house(&[("notes.txt", NOTES)]);
    place.write("notes.txt", "one\ntwo\nMARK-1 here\nthree\nfour\n");
    place.commit("topic");
    let review = place.review(["--fail-on", "warning"]);
    (place, review)
}

fn window(review: &Reviewed) -> String {
    review.fingerprint();
    review.findings()[0]["window"].as_str().unwrap_or_default().to_owned()
}

/// Computed by hand from the definition: SHA-256 over length-prefixed parts, the first 128 bits.
#[test]
fn a_fingerprint_is_what_it_always_was() {
    let (_place, review) = marked();
    assert_eq!(review.fingerprint(), "bc7e1e4ad269452d2be1344b3406893e");
    assert_eq!(window(&review), "0b6e0c9d7d05aa65b873ea4fd8fef337");
    assert_eq!(review.shown(), ["Marker notes.txt:3"]);
    assert_eq!((review.code, review.verdict().as_str()), (1, "fail"));
}

#[test]
fn a_fingerprint_knows_symbol_and_occurrence() {
    let place = Place::house(&[("src/a.py", "class Shop:\n    pass\n")]);
    let text = "class Shop:\n    def pay(self):\n        x = \"MARK-1\"\n        y = 1\n        x = \"MARK-1\"\n";
    place.write("src/a.py", text);
    place.commit("topic");
    let review = place.review::<&str>([]);
    let prints: Vec<_> = review.findings().iter().map(|finding| finding["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints, ["f6b259eec1c843805c9641f0db73b351", "65f33843d9395da10ec22680e4d86b31"]);
}

#[test]
fn equal_lines_of_two_overloads_are_two_findings() {
    let place = Place::house(&[]);
    let text =
        "class A {\n  void f() { g(\"MARK-1\"); }\n  void f(int x) { g(\"MARK-1\"); }\n}\n".replace("{ g(", "{\n g(");
    place.write("A.java", text);
    place.commit("topic");
    let review = place.review::<&str>([]);
    let prints: Vec<_> = review.findings().iter().map(|finding| &finding["fingerprint"]).collect();
    assert_eq!(prints.len(), 2);
    assert_ne!(prints[0], prints[1]);
}

#[test]
fn a_fingerprint_survives_indentation_moves_and_renames() {
    let (place, first) = marked();
    let (key, near) = (first.fingerprint(), window(&first));
    place.write("notes.txt", "one\ntwo\n    MARK-1   here  \nthree\nfour\n");
    place.commit("indented");
    assert_eq!(place.review::<&str>([]).fingerprint(), key);
    place.write("notes.txt", format!("{}one\ntwo\nMARK-1 here\nthree\nfour\n", "above\n".repeat(40)));
    place.commit("moved");
    let moved = place.review::<&str>([]);
    assert_eq!((moved.fingerprint(), window(&moved)), (key.clone(), near.clone()));
    place.git(["mv", "notes.txt", "renamed.txt"]);
    place.write("renamed.txt", "one\ntwo\nMARK-1 here\nthree\nfour\n");
    place.commit("renamed");
    let renamed = place.review::<&str>([]);
    assert_eq!(renamed.shown(), ["Marker renamed.txt:3"]);
    assert_eq!(renamed.fingerprint(), key, "a rename inside the range is followed");
    assert_eq!(window(&renamed), near);
}

/// A base with an ignore above the place where the change writes a marker.
fn ignored_above(path: &str, comment: &str, marker: &str) -> Reviewed {
    let place = Place::house(&[(path, &format!("{comment}\n"))]);
    place.write(path, format!("{comment}\n{marker}\n"));
    place.commit("topic");
    place.review(["--fail-on", "note"])
}

#[test]
fn an_ignore_counts_in_any_comment_syntax() {
    for (path, comment, marker) in [
        ("a.py", "# diffsieve: ignore[Marker] known", "x = 'MARK-1'"),
        ("a.rb", "# diffsieve: ignore[Marker] known", "x = 'MARK-1'"),
        ("a.rs", "// diffsieve: ignore[Marker] known", "const X: &str = \"MARK-1\";"),
        ("a.c", "/* diffsieve: ignore[Marker] known */", "char *x = \"MARK-1\";"),
        ("a.html", "<!-- diffsieve: ignore[Marker] known -->", "MARK-1"),
        ("a.sql", "-- diffsieve: ignore[Marker] known", "select 'MARK-1';"),
        ("a.lisp", "; diffsieve: ignore[Marker] known", "(MARK-1)"),
        ("a.tex", "% diffsieve: ignore[Marker] known", "MARK-1"),
        ("a.ml", "(* diffsieve: ignore[Marker] known *)", "MARK-1"),
        ("a.jinja", "{# diffsieve: ignore[Marker] known #}", "MARK-1"),
        ("a.yml", "# diffsieve: ignore[Marker] known", "x: MARK-1"),
        ("Dockerfile", "# diffsieve:ignore[ Other , Marker ]: known", "RUN MARK-1"),
        ("a.bat", "REM diffsieve: ignore[Marker] known", "echo MARK-1"),
    ] {
        let review = ignored_above(path, comment, marker);
        assert_eq!(review.removed(), [format!("Marker {path}:2 suppressed:inline")], "{path}: {:?}", review.shown());
        assert_eq!(review.code, 0, "{path}");
        let why = review.dropped()[0]["dropped"]["why"].as_str().unwrap();
        assert_eq!(why, format!("known ({path}:1)"), "the reason without what closes the comment");
        assert_eq!(review.notes(), "", "{path}");
    }
}

#[test]
fn an_ignore_without_reason_does_not_count() {
    let review = ignored_above("a.py", "# diffsieve: ignore[Marker]", "x = 'MARK-1'");
    assert_eq!(review.shown(), ["Marker a.py:2"]);
    assert!(review.notes().contains("the ignore at a.py:1 gives no reason and does not count"), "{}", review.notes());
}

#[test]
fn an_ignore_of_another_tag_does_not_count_and_is_reported_as_unused() {
    let review = ignored_above("a.py", "# diffsieve: ignore[Other] known", "x = 'MARK-1'");
    assert_eq!(review.shown(), ["Marker a.py:2"]);
    assert!(
        review.notes().contains("the ignore[Other] at a.py:1 names a tag that no loaded pack has"),
        "{}",
        review.notes()
    );
}

#[test]
fn an_ignore_inside_a_string_does_not_count() {
    for (path, line) in [
        ("a.py", "x = 'diffsieve: ignore[Marker] known'"),
        ("a.rs", "const X: &str = \"diffsieve: ignore[Marker] known\";"),
        ("a.js", "/* diffsieve: */ const x = 'diffsieve: ignore[Marker] known';"),
    ] {
        let review = ignored_above(path, line, "const Y = \"MARK-1\"");
        assert_eq!(review.shown(), [format!("Marker {path}:2")]);
    }
    // A comment behind a string is a comment.
    let line = "x = 'diffsieve: ignore[Marker] no'  # diffsieve: ignore[Marker] known\n";
    let place = Place::house(&[("a.py", line)]);
    place.write("a.py", line.replace("no'", "no' 'MARK-1'"));
    place.commit("topic");
    let review = place.review::<&str>([]);
    assert_eq!(review.removed(), ["Marker a.py:1 suppressed:inline"]);
    assert_eq!(review.dropped()[0]["dropped"]["why"], "known (a.py:1)");
}

#[test]
fn an_ignore_behind_code_speaks_of_its_own_line_only() {
    let review = ignored_above("a.py", "x = 1  # diffsieve: ignore[Marker] known", "y = 'MARK-1'");
    assert_eq!(review.shown(), ["Marker a.py:2"]);
}

/// A change that adds an ignore together with what it ignores.
fn ignored_by_itself(config: &str) -> Reviewed {
    let place = Place::house(&[("a.py", "x = 1\n")]);
    place.git(["switch", "-q", "main"]);
    place.write("diffsieve.toml", format!("packs = [\"house\"]\n{config}"));
    place.commit("configuration");
    place.git(["switch", "-q", "-c", "second"]);
    place.write("a.py", "x = 1\ny = 'MARK-1'  # diffsieve: ignore[Marker] I may\n");
    place.commit("topic");
    place.review(["--fail-on", "note"])
}

#[test]
fn an_ignore_that_the_change_adds_counts_only_by_policy() {
    let refused = ignored_by_itself("");
    assert_eq!(refused.shown(), ["Marker a.py:2"]);
    assert_eq!(refused.code, 1);
    let note = "the ignore at a.py:2 is added by this very change and does not count";
    assert!(refused.notes().contains(note), "{}", refused.notes());

    let allowed = ignored_by_itself("[gate]\nadded_ignores = true\n");
    assert_eq!(allowed.removed(), ["Marker a.py:2 suppressed:inline"]);
    assert_eq!(allowed.code, 0);
    let note = "the ignore at a.py:2 is added by this very change and counts: I may";
    assert!(allowed.notes().contains(note), "an acceptance stands in the report: {}", allowed.notes());
}

/// A reason is the author's text: it reaches neither a terminal nor a log as it is.
#[test]
fn a_hostile_reason_is_escaped() {
    let place = Place::house(&[("a.py", "x = 1\n")]);
    place.write("own.toml", "packs = [\"house\"]\n[gate]\nadded_ignores = true\n");
    place.write("a.py", "x = 1\ny = 'MARK-1'  # diffsieve: ignore[Marker] \u{1b}[31m\u{202e}##[error]x\n");
    place.commit("topic");
    let print = place.review(["--config", "own.toml"]).dropped()[0]["fingerprint"].as_str().unwrap().to_owned();
    for args in [&["--format", "text", "--funnel"][..], &["--format", "github"], &["explain", &print]] {
        let ran = place.program(args).arg("--config").arg("own.toml").env("GITHUB_ACTIONS", "true").run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.text().contains("##[error]"), "{}", ran.text());
    }
}

#[test]
fn an_ignore_that_was_there_before_survives_a_change_of_its_line() {
    let place = Place::house(&[("a.py", "x = 'MARK-1'  # diffsieve: ignore[Marker] known\n")]);
    place.write("a.py", "x = 'MARK-2'  # diffsieve: ignore[Marker] known\n");
    place.commit("topic");
    assert_eq!(place.review::<&str>([]).removed(), ["Marker a.py:1 suppressed:inline"]);
    // One old ignore excuses one line, not every copy that the change makes of it.
    place.write("a.py", "x = 'MARK-2'  # diffsieve: ignore[Marker] known\n".repeat(3));
    place.commit("topic");
    assert_eq!(place.review::<&str>([]).shown().len(), 2);
}

#[test]
fn a_baseline_accepts_by_fingerprint_with_reason() {
    let (place, _) = marked();
    place.run(["baseline", "create", "--reason", "  "]).fails(2, &["an acceptance needs a reason"]);
    let created = place.run(["baseline", "create", "--reason", "legacy"]);
    created.fails(0, &["1 accepted in .diffsieve/baseline.json", "from the base branch"]);
    let review = place.review(["--fail-on", "note"]);
    assert_eq!(review.removed(), ["Marker notes.txt:3 suppressed:baseline"]);
    assert_eq!(review.dropped()[0]["dropped"]["why"], "legacy");
    assert_eq!(review.code, 0);
    let again = place.run(["baseline", "create", "--reason", "again"]);
    again.fails(2, &[".diffsieve/baseline.json", "is there already", "baseline update"]);
    let before = place.read(".diffsieve/baseline.json");
    place.run(["baseline", "update", "--reason", "again"]).fails(0, &["0 accepted"]);
    assert_eq!(place.read(".diffsieve/baseline.json"), before, "nothing new, nothing rewritten");
}

#[test]
fn a_baseline_entry_matches_by_window_after_a_rename() {
    let (place, _) = marked();
    place.git(["switch", "-q", "main"]);
    place.git(["merge", "-q", "topic"]);
    place.run(["baseline", "create", "--reason", "legacy", "--commit", "HEAD"]).fails(0, &["1 accepted"]);
    place.commit("accept");
    // Written anew under another name, so that nothing ties the two files but the neighbouring lines.
    place.git(["rm", "-q", "notes.txt"]);
    place.commit("remove");
    place.git(["switch", "-q", "-c", "again"]);
    place.write("other.txt", "zero\none\ntwo\nMARK-1 here\nthree\nfour\n");
    place.commit("elsewhere");
    let review = place.review::<&str>([]);
    assert_eq!(review.removed(), ["Marker other.txt:4 suppressed:baseline"], "{:?}", review.shown());
}

#[test]
fn a_baseline_entry_expires() {
    let (place, review) = marked();
    let print = review.fingerprint();
    let prefix = print[..6].to_owned();
    let args = ["baseline", "create", "--reason", "for now", "--until", "2020-02-30"];
    place.run(args).fails(2, &["`2020-02-30` is no day", "2026-12-31"]);
    let args = ["baseline", "create", "--reason", "for now", "--until", "2020-02-29"];
    place.run(args).fails(2, &["the day of --until is past"]);
    let args = ["baseline", "create", "--reason", "for now", "--until", "2999-02-28", "--only", &prefix];
    place.run(args).fails(0, &["1 accepted"]);
    place.write(".diffsieve/baseline.json", place.read(".diffsieve/baseline.json").replace("2999-02-28", "2020-02-29"));
    let review = place.review(["--fail-on", "note"]);
    assert_eq!(review.shown(), ["Marker notes.txt:3"]);
    assert_eq!(review.code, 1);
    assert!(review.notes().contains("expired on 2020-02-29"), "{}", review.notes());
    place.run(["baseline", "prune"]).fails(0, &["expired", "1 removed, 0 kept"]);
    assert!(!place.read(".diffsieve/baseline.json").contains(&print));
    let wrong = ["baseline", "update", "--reason", "x", "--only", "ffffffff"];
    place.run(wrong).fails(2, &["no finding has the fingerprint `ffffffff`"]);
}

#[test]
fn prune_removes_entries_whose_file_is_gone_and_keeps_the_rest() {
    let (place, _) = marked();
    place.write("second.txt", "MARK-2\n");
    place.commit("second");
    place.run(["baseline", "create", "--reason", "legacy"]).fails(0, &["2 accepted"]);
    std::fs::remove_file(place.path("second.txt")).unwrap();
    place.run(["baseline", "prune"]).fails(0, &["second.txt: its file is gone", "1 removed, 1 kept"]);
    let text = place.read(".diffsieve/baseline.json");
    assert!(text.contains("notes.txt") && !text.contains("second.txt"), "{text}");
}

#[test]
fn a_wrong_baseline_says_where() {
    for (text, parts) in [
        ("{", &["baseline.json:"][..]),
        ("[]", &["baseline.json:1:1", "a baseline is a map"]),
        ("{\"schema\": \"diffsieve.baseline/v2\", \"findings\": []}", &["diffsieve.baseline/v1"]),
        ("{\"schema\": \"diffsieve.baseline/v1\"}", &["a baseline needs `findings`"]),
        (
            "{\"schema\": \"diffsieve.baseline/v1\", \"findings\": [{}]}",
            &["needs `path`", "needs `fingerprint`", "`reason`"],
        ),
        ("{\"schema\": \"diffsieve.baseline/v1\", \"finding\": []}", &["no key `finding`", "did you mean `findings`?"]),
        (
            "{\"schema\": \"diffsieve.baseline/v1\", \"findings\": [{\"path\": \"a\", \"tag\": \"T\", \"fingerprint\": \
             \"0\", \"window\": \"0\", \"reason\": \" \", \"until\": \"soon\"}]}",
            &["needs a reason", "`until` is a day", "32 hexadecimal digits"],
        ),
        ("{\"schema\": \"diffsieve.baseline/v1\", \"schema\": \"\", \"findings\": []}", &["duplicate"]),
        (
            "{\"schema\": \"diffsieve.baseline/v1\", \"findings\": [{\"path\": \"\\u001b[31m\", \"tagg\": \"\\u202e\"}]}",
            &["no key `tagg`"],
        ),
    ] {
        let (place, _) = marked();
        place.write(".diffsieve/baseline.json", text);
        place.run::<&str>([]).fails(2, parts);
        place.run(["baseline", "prune"]).fails(2, parts);
    }
}

/// A house with further lines in its only tag, or further tags.
fn house(more: &str, text: &str) -> Reviewed {
    let place = Place::with(&[
        ("diffsieve.toml", "packs = [\"house\"]\n[review]\ncap = 5\n"),
        (".diffsieve/rules/house.yml", &format!("{HOUSE}{more}")),
    ]);
    place.write("a.txt", text);
    place.commit("topic");
    place.review(["--fail-on", "never"])
}

#[test]
fn findings_of_one_tag_on_one_line_are_one() {
    let review = house("", "MARK-1 MARK-2\nMARK-3\n");
    assert_eq!(review.shown(), ["Marker a.txt:1", "Marker a.txt:2"]);
    assert_eq!(review.removed(), ["Marker a.txt:1 duplicate"]);
    assert_eq!(review.findings()[0]["related"].as_array().map(Vec::len), Some(1));
    let funnel = &review.report["funnel"];
    assert_eq!((funnel["raised"].as_u64(), funnel["shown"].as_u64()), (Some(3), Some(2)));
    assert_eq!(funnel["removed"]["duplicate"], 1);
}

#[test]
fn findings_of_different_tags_never_merge() {
    let other = "  Other:\n    detect: [{id: any, in: any, regex: MARK, message: other}]\n";
    let review = house(other, "MARK-1\n");
    assert_eq!(review.shown(), ["Other a.txt:1", "Marker a.txt:1"]);
}

#[test]
fn the_higher_level_survives_a_merge() {
    let strict = "      - {id: strict, in: any, regex: 'MARK-9', level: error, message: strict}\n";
    let review = house(strict, "MARK-9\n");
    assert_eq!(review.shown(), ["Marker a.txt:1"]);
    assert_eq!(review.findings()[0]["level"], "error");
    assert_eq!(review.removed(), ["Marker a.txt:1 duplicate"]);
}

#[test]
fn caps_hide_the_rest_of_a_flood_and_never_an_error() {
    let tags = "    cap: 2\n  Grave:\n    level: error\n    cap: 1\n    detect: [{id: any, in: any, regex: GRAVE, message: grave}]
  Light:\n    level: note\n    detect: [{id: any, in: any, regex: LIGHT, message: light}]\n";
    let text = "MARK-1\n".repeat(4) + &"GRAVE\n".repeat(7) + &"LIGHT\n".repeat(2);
    let review = house(tags, &text);
    let shown = review.shown();
    assert_eq!(shown.iter().filter(|line| line.starts_with("Grave ")).count(), 7, "{shown:?}");
    let removed = review.removed();
    assert!(shown[..7].iter().all(|line| line.starts_with("Grave ")), "errors come first: {shown:?}");
    assert_eq!(removed.iter().filter(|line| line.ends_with(" cap:tag")).count(), 2, "{removed:?}");
    // Seven errors already fill the review's cap of five; they take no other's place.
    assert_eq!(shown.iter().filter(|line| !line.starts_with("Grave ")).count(), 4, "{shown:?}");
}

#[test]
fn a_shadow_tag_is_recorded_and_a_skipped_one_is_not_asked() {
    let tags = "  Watched:\n    level: shadow\n    detect: [{id: any, in: any, regex: WATCH, message: watched}]
  Silent:\n    level: skip\n    detect: [{id: any, in: any, regex: WATCH, message: silent}]\n";
    let review = house(tags, "WATCH\n");
    assert_eq!(review.shown(), Vec::<String>::new());
    assert_eq!(review.removed(), ["Watched a.txt:1 shadow"]);
    assert_eq!(review.report["funnel"]["raised"], 1);
}

#[test]
fn a_drop_names_its_id_in_the_trail() {
    let drop = "    drop: [{id: harmless, why: it is only a test, when: {line: 'harmless'}}]\n";
    let review = house(drop, "MARK-1 harmless\nMARK-2\n");
    assert_eq!(review.shown(), ["Marker a.txt:2"]);
    assert_eq!(review.removed(), ["Marker a.txt:1 drop:harmless"]);
    let trail = review.dropped()[0]["trail"].as_array().unwrap();
    let last = trail.last().unwrap();
    assert_eq!((last["stage"].as_str(), last["rule"].as_str()), (Some("filter"), Some("drop:harmless")));
    assert_eq!(last["why"], "it is only a test");
}

#[test]
fn a_claim_that_starts_before_the_change_is_not_shown() {
    let place = Place::house(&[("a.txt", "MARK-0\nplain\n")]);
    place.write("a.txt", "MARK-0\nplain\nadded\n");
    place.commit("topic");
    let review = place.review(["--fail-on", "note"]);
    assert_eq!((review.shown().len(), review.code), (0, 0));
}

/// A file that is nothing but findings, as large as a reviewed file may be.
#[test]
fn a_flood_of_findings_ends() {
    let review = house("", &"MARK-1\n".repeat(30_000));
    assert_eq!(review.shown().len(), 5);
    assert_eq!(review.report["funnel"]["raised"], 30_000);
    assert_eq!(review.dropped().len(), 29_995);
}

/// A report is read by more people than the file: no part of it, of no finding, holds a secret in full.
#[test]
fn a_secret_stands_in_no_report() {
    let place = Place::repository();
    place.commit("base");
    place.git(["switch", "-q", "-c", "topic"]);
    // Made up, and written in two pieces so that no scanner takes this file for a leak.
    let secret = ["gh", "p_", "9Xk2LmQ7vR4tY8wZ1aBcD3eFgH5jKnP6sTuV"].concat();
    let text = format!("mode = 'r'\nif mode is 'r':\n    token = '{secret}'\nelif mode is 'w':\n    pass\n");
    place.write("src/a.py", text);
    let quoting = HOUSE.replace("MARK-\\w+", "token.*").replace("Marker", "Quoting");
    place.write(".diffsieve/rules/house.yml", quoting);
    place.commit("topic");
    let review = place.review::<&str>([]);
    let shown = review.shown();
    let has = |start: &str, end: &str| shown.iter().any(|line| line.starts_with(start) && line.ends_with(end));
    assert!(has("Quoting ", ":3") && has("", ":2") && shown.len() >= 4, "{shown:?} {:?}", review.removed());
    for format in ["json", "text", "sarif", "github", "html"] {
        let text = place.run(["--format", format, "--funnel", "--sarif-suppressed"]).text();
        assert!(!text.contains(&secret), "{format}: {text}");
    }
    for finding in review.findings().iter().chain(review.dropped()) {
        let print = finding["fingerprint"].as_str().unwrap();
        assert!(!place.run(["explain", print]).text().contains(&secret));
    }
}

/// What is far to the right in a long line is shown where it stands, in the columns that each format counts.
#[test]
fn a_finding_far_to_the_right_keeps_its_columns() {
    let place = Place::house(&[("notes.txt", NOTES)]);
    place.write("notes.txt", format!("one\n\u{e9}\u{1f600}{}MARK-1 {}\ntwo\n", "x ".repeat(1_500), "y ".repeat(2_000)));
    place.commit("topic");
    let sarif: serde_json::Value = serde_json::from_str(&place.run(["--format", "sarif"]).text()).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    let columns = (&region["startColumn"], &region["endColumn"], &region["snippet"]["text"]);
    assert_eq!(columns, (&3_004.into(), &3_010.into(), &"MARK-1".into()), "{region}");
    let github = place.run(["--format", "github"]).text();
    assert!(github.contains("line=2,endLine=2,col=3004,endColumn=3010"), "{github}");
    let text = place.run(["--format", "text"]).text();
    assert!(text.contains("notes.txt:2:3003") && text.contains("x MARK-1 y"), "{text}");
    let review = place.review::<&str>([]);
    let finding = &review.findings()[0];
    assert!(finding["quote"].as_str().unwrap().contains("MARK-1"), "{finding}");
    assert!(finding.to_string().len() < 10_000);
}

/// A change of comments alone asks no parser, unless a detector reads comments.
#[test]
fn a_change_of_comments_is_parsed_for_those_who_read_comments() {
    const FILE: &str = "# old\nx = []\nif x is []:\n    pass\n";
    let review = |rule: &str, text: &str| {
        let tag = format!("  Note:\n    detect: [{{id: rule, lang: python, {rule}, message: seen}}]\n");
        let place = Place::with(&[
            ("diffsieve.toml", "packs = [\"house\"]\n"),
            (".diffsieve/rules/house.yml", &format!("{HOUSE}{tag}")),
            ("a.py", FILE),
        ]);
        place.write("a.py", text);
        place.commit("topic");
        let review = place.review(["--fail-on", "never"]);
        (review.shown(), review.report["change"]["files"][0]["read_by"]["parser"].as_bool())
    };
    let comment = FILE.replace("old", "new, mentions ICE");
    let code = FILE.replace("x is []", "x is  []");
    let hit = vec!["Note a.py:1".to_owned()];
    assert_eq!(review("rule: {pattern: '$A is []'}", &comment), (vec![], Some(false)));
    assert_eq!(review("rule: {pattern: '$A is []'}", &code), (vec!["Note a.py:3".to_owned()], Some(true)));
    assert_eq!(review("rule: {kind: comment, regex: ICE}", &comment), (hit.clone(), Some(true)));
    assert_eq!(review("rule: {kind: module, regex: ICE}", &comment), (hit.clone(), Some(true)));
    assert_eq!(review("in: comment, regex: ICE", &comment), (hit, Some(true)));
    assert_eq!(review("in: comment, regex: FIRE", &comment), (vec![], Some(false)));
    // Lines that went with the comment may be code.
    assert_eq!(review("rule: {pattern: '$A is []'}", &comment.replace("    pass\n", "")).1, Some(true));
}

/// A fault put into the middle of a construct that stays is a fault of this change; one that was there is not.
#[test]
fn a_fault_put_into_a_standing_construct_is_found_where_it_was_put() {
    let review = |old: &str, new: &str| {
        let place = Place::with(&[("a.py", old)]);
        place.write("a.py", new);
        place.commit("topic");
        place.review(["--fail-on", "never"]).shown()
    };
    let call = |argument: &str, more: &str| {
        format!(
            "import subprocess\ndef f(c):\n    subprocess.call(\n        {argument},\n        {more}shell=True,\n    )\n"
        )
    };
    assert_eq!(review(&call("\"ls\"", ""), &call("\"ls \" + c", "")), ["CommandInjection a.py:4"]);
    assert_eq!(review(&call("\"ls \" + c", ""), &call("\"ls \" + c", "cwd=c, ")), Vec::<String>::new());
    assert_eq!(review(&call("\"ls \" + c", ""), &call("\"ls -l \" + c", "")), Vec::<String>::new());
    let split = "import subprocess\ndef f(c):\n    subprocess.call(\"ls \" + c, shell=\n        True)\n";
    let level = |new: &str| {
        let place = Place::with(&[("a.py", "import subprocess\n")]);
        place.write("a.py", new);
        place.commit("topic");
        place.review(["--fail-on", "never"]).findings()[0]["level"].clone()
    };
    assert_eq!(level(split), "error");
}

/// An ignore behind code speaks of its own line also where nothing is parsed, and a string that looks like one is none.
#[test]
fn an_ignore_excuses_only_what_it_stands_for() {
    let reviewed = |path: &str, old: &str, new: &str| {
        let place = Place::house(&[(path, old)]);
        place.write(path, new);
        place.commit("topic");
        place.review(["--fail-on", "never"]).shown()
    };
    let old = "A=MARK-1 # diffsieve: ignore[Marker] revoked\n";
    assert_eq!(reviewed(".env", old, &format!("{old}B=MARK-2\n")), ["Marker .env:2"]);
    let old = "HELP = \"diffsieve: ignore[Marker] see docs\"\n";
    let new = "K = \"MARK-1\"  # diffsieve: ignore[Marker] see docs\n";
    assert_eq!(reviewed("a.py", old, new), ["Marker a.py:1"]);
}

/// Who accepts a call accepts its arguments: other ones are another finding.
#[test]
fn a_fingerprint_is_of_all_lines() {
    let review = |argument: &str| {
        let place = Place::with(&[("a.py", "import subprocess\n")]);
        place.write(
            "a.py",
            format!("import subprocess\nsubprocess.call(\n    \"ls \" + {argument},\n    shell=True)\n"),
        );
        place.commit("topic");
        place.review(["--fail-on", "never"]).fingerprint()
    };
    assert_eq!(review("a"), review("  a"));
    assert_ne!(review("a"), review("b"));
}

/// An acceptance is for one place: copies of the accepted code are findings of their own.
#[test]
fn a_baseline_entry_accepts_no_copies() {
    let (place, _) = marked();
    place.run(["baseline", "create", "--reason", "legacy"]).fails(0, &["1 accepted"]);
    for name in ["copy.txt", "other.txt"] {
        place.write(name, "one\ntwo\nMARK-1 here\nthree\nfour\n");
    }
    place.commit("copies");
    assert_eq!(place.review(["--fail-on", "never"]).shown(), ["Marker copy.txt:3", "Marker other.txt:3"]);
}

/// Neither bytes that look binary, nor a pointer, nor a former name keeps source code from being read.
#[test]
fn source_code_is_read_whatever_it_looks_like() {
    let fault = "import subprocess\ndef f(c):\n    subprocess.call(\"ls \" + c, shell=True)\n";
    let place = Place::with(&[("vendor/a.py", fault), ("notes.txt", fault), ("old.py", "\0\0\0\0")]);
    place.git(["mv", "vendor/a.py", "src.py"]);
    place.git(["mv", "notes.txt", "code.py"]);
    place.write("nul.py", format!("# \0\n{fault}"));
    place.write("script", format!("#!/usr/bin/env python3\n# \0\n{fault}"));
    place.write("old.py", fault);
    place.write("utf16.py", fault.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:";
    place.write("lfs.py", format!("{pointer}{}\nsize 12345\n", "0a".repeat(32)));
    place.write("large", format!("#!/usr/bin/env python3\n{fault}{}", "# more\n".repeat(200_000)));
    place.write("real.bin", "\0\u{1}\u{2}");
    place.commit("topic");
    let review = place.review(["--fail-on", "never", "--on-incomplete", "warn"]);
    let found = ["code.py:3", "nul.py:4", "old.py:3", "script:5", "src.py:3"];
    assert_eq!(review.shown(), found.map(|place| format!("CommandInjection {place}")));
    let skipped = review.skipped();
    for why in [
        "large: too large to parse",
        "lfs.py: source code in Git LFS",
        "real.bin: binary",
        "utf16.py: binary content under the name of source code",
    ] {
        assert!(skipped.contains(&why.to_owned()), "{why} in {skipped:?}");
    }
    assert!(!review.report["gate"]["complete"].as_bool().unwrap_or(true));
}
