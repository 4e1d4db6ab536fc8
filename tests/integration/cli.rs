//! The command line: what is reviewed, how it is written, what the exit code says.

use std::os::unix::fs::symlink;

use diffsieve::report::FORMATS;
use serde_json::Value;

use super::program::{HOUSE, Place, Ran};

/// `main` with two commits, `topic` with one more that adds a marked line to `a.txt`.
fn branch() -> Place {
    let place = Place::house(&[("a.txt", "one\n")]);
    place.write("a.txt", "one\nMARK-1\n");
    place.commit("topic");
    place
}

#[test]
fn the_default_scope_is_what_the_branch_adds() {
    let place = branch();
    place.git(["switch", "-q", "main"]);
    place.write("b.txt", "MARK-2\n");
    place.commit("main goes on");
    place.git(["switch", "-q", "topic"]);
    let review = place.review::<&str>([]);
    assert_eq!(review.shown(), ["Marker a.txt:2"], "the merge base decides, not the tip of main");
    assert_eq!(review.files(), ["a.txt"]);
    assert!(place.report_description(&[]).starts_with("main...HEAD (merge base "));
}

impl Place {
    fn report_description(&self, args: &[&str]) -> String {
        self.review(args).report["change"]["description"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn the_upstream_default_branch_comes_before_a_local_main() {
    let place = branch();
    place.git(["update-ref", "refs/remotes/origin/trunk", "topic"]);
    place.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    place.write("a.txt", "one\nMARK-1\nMARK-2\n");
    place.commit("more");
    assert_eq!(place.review::<&str>([]).shown(), ["Marker a.txt:3"]);
}

#[test]
fn a_head_that_is_its_own_base_has_its_last_commit_reviewed() {
    let place = branch();
    place.git(["switch", "-q", "main"]);
    place.git(["merge", "-q", "--ff-only", "topic"]);
    let review = place.review::<&str>([]);
    assert_eq!(review.shown(), ["Marker a.txt:2"]);
    assert!(review.notes().contains("HEAD adds nothing to main, so its last commit is reviewed"), "{}", review.notes());
}

#[test]
fn uncommitted_changes_are_mentioned() {
    let place = branch();
    place.write("a.txt", "one\nMARK-1\nMARK-2\n");
    let review = place.review::<&str>([]);
    assert_eq!(review.shown(), ["Marker a.txt:2"]);
    assert!(review.notes().contains("--worktree"), "{}", review.notes());
}

#[test]
fn every_scope_reviews_what_it_says() {
    let place = branch();
    let first = place.git(["rev-parse", "HEAD"]);
    place.write("b.txt", "MARK-2\n");
    place.commit("second");
    place.write("c.txt", "MARK-3\n");
    place.git(["add", "c.txt"]);
    place.write("d.txt", "MARK-4\n");
    let both = ["Marker a.txt:2", "Marker b.txt:1"];
    for (args, shown) in [
        (&["--base", "main"][..], &both[..]),
        (&["--base", "main", "--head", &first], &both[..1]),
        (&["--base", &first], &both[1..]),
        (&["--range", "main...topic"], &both),
        (&["--range", "main..topic"], &both),
        (&["--range", "main.."], &both),
        (&["--range", "...topic"], &[]),
        (&["--range", "topic~1..topic"], &both[1..]),
        (&["--commit", "HEAD"], &both[1..]),
        (&["--commit", &first], &both[..1]),
        (&["--staged"], &["Marker c.txt:1"]),
        (&["--worktree"], &["Marker c.txt:1", "Marker d.txt:1"]),
        (&["review", "--base", "main"], &both),
    ] {
        assert_eq!(place.review(args).shown(), shown, "{args:?}");
    }
    let root = place.git(["rev-list", "--max-parents=0", "HEAD"]);
    let review = place.review(["--commit", &root]);
    assert!(review.notes().contains("is a root commit: all of it is new"), "{}", review.notes());
}

#[test]
fn a_two_dot_range_is_a_plain_comparison() {
    let place = branch();
    place.git(["switch", "-q", "main"]);
    place.write("a.txt", "one\nMARK-9\n");
    place.commit("main goes on");
    assert_eq!(place.review(["--range", "topic..main"]).shown(), ["Marker a.txt:2"]);
    place.git(["switch", "-q", "topic"]);
    assert_eq!(place.review(["--range", "main...topic"]).shown(), ["Marker a.txt:2"]);
}

#[test]
fn one_scope_is_one_scope() {
    let place = branch();
    for args in [
        &["--base", "main", "--range", "a..b"][..],
        &["--commit", "HEAD", "--staged"],
        &["--staged", "--worktree"],
        &["--worktree", "--patch", "-"],
        &["--config", "a.toml", "--no-config"],
        &["explain", "abcd", "--report", "r.json", "--staged"],
    ] {
        place.run(args).fails(2, &["cannot be used with"]);
    }
    place.run(["--head", "HEAD"]).fails(2, &["--base <REV>"]);
}

#[test]
fn usage_errors_say_what_to_write() {
    let place = branch();
    for (args, parts) in [
        (&["--fail-on", "fatal"][..], &["error, warning, note, never"][..]),
        (&["--on-incomplete", "ignore"], &["fail, warn"]),
        (&["--config-from", "origin"], &["base, head, worktree"]),
        (&["--color", "sometimes"], &["auto, always, never"]),
        (&["--format", "jsom"], &["there is no format `jsom`", "did you mean `json`?"]),
        (&["--format", "json="], &["`--format json=` names no path"]),
        (
            &["--format", "json", "--format", "text"],
            &["2 formats would go to standard output", "--format sarif=out.sarif"],
        ),
        (&["--format", "json=a", "--format", "sarif=a"], &["two reports would go to `a`"]),
        (&["--format", "json=-", "--format", "sarif"], &["2 formats would go to standard output"]),
        (&["--range", "main"], &["`main` is not a range; write A..B or A...B"]),
        (&["--base", "nowhere"], &["`nowhere` is not a revision of this repository"]),
        (&["--commit", "deadbeef"], &["deadbeef"]),
        (&["--bse", "main"], &["--base"]),
        (&["reviw"], &["unrecognized subcommand 'reviw'"]),
        (&["rules", "show", "Markr"], &["no loaded pack has the tag `Markr`", "did you mean `Marker`?"]),
        (&["rules", "show", "--resolved", "--lang", "cobol"], &["there is no language `cobol`"]),
        (&["rules", "test", "nowhere.yml"], &["there is no file `nowhere.yml`"]),
        (&["explain", "xyz"], &["a fingerprint is hexadecimal, at least 4 digits"]),
        (&["schema", "reports"], &["report"]),
        (&["baseline", "create"], &["--reason <TEXT>"]),
        (&["--config", "nowhere.toml"], &["there is no file `nowhere.toml`"]),
        (&["--patch", "nowhere.diff"], &["`nowhere.diff` cannot be read"]),
        (&["-C", "nowhere"], &["nowhere"]),
    ] {
        place.run(args).fails(2, parts);
    }
}

#[test]
fn the_gate_fails_at_its_level_and_above() {
    let place = branch();
    for (level, code, verdict) in
        [("error", 0, "pass"), ("warning", 1, "fail"), ("note", 1, "fail"), ("never", 0, "pass")]
    {
        let review = place.review(["--fail-on", level]);
        assert_eq!((review.code, review.verdict().as_str()), (code, verdict), "{level}");
        assert_eq!(review.report["gate"]["fail_on"], level);
    }
}

#[test]
fn the_format_never_changes_the_exit_code() {
    let place = branch();
    for format in FORMATS.iter().map(|format| format.name) {
        assert_eq!(place.run(["--format", format, "--fail-on", "warning"]).code, 1, "{format}");
        assert_eq!(place.run(["--format", format]).code, 0, "{format}");
    }
}

#[test]
fn several_formats_go_to_their_paths() {
    let place = branch();
    let args =
        ["--format", "json=out.json", "--format", "sarif=out=2.sarif", "--format", "github", "--fail-on", "note"];
    let ran = place.run(args);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.text().contains("::warning "), "{}", ran.text());
    assert!(place.read("out.json").contains("\"diffsieve.report/v1\""));
    assert!(
        place.read("out=2.sarif").contains("\"version\": \"2.1.0\"") || place.read("out=2.sarif").contains("2.1.0")
    );
    let twice = place.run(["--format", "json=a.json", "--format", "json=b.json"]);
    assert_eq!(twice.code, 0, "{}", twice.stderr);
    assert_eq!(place.read("a.json"), place.read("b.json"));
}

#[test]
fn an_incomplete_review_is_no_pass_unless_the_policy_says_so() {
    let place = Place::house(&[("a.py", "one\n")]);
    place.write("a.py", "x".repeat(30_000));
    place.commit("topic");
    let review = place.review::<&str>([]);
    assert_eq!((review.code, review.verdict().as_str()), (3, "incomplete"));
    assert_eq!(review.skipped(), ["a.py: a line is too long"]);
    assert_eq!(review.report["gate"]["complete"], false);
    let review = place.review(["--on-incomplete", "warn"]);
    assert_eq!((review.code, review.verdict().as_str()), (0, "pass"));
    assert_eq!(review.report["gate"]["complete"], false);
    place.write("b.txt", "MARK-1\n");
    place.commit("topic");
    let review = place.review(["--fail-on", "warning"]);
    assert_eq!((review.code, review.verdict().as_str()), (1, "fail"), "a finding fails the gate either way");
}

#[test]
fn excluded_files_are_named_and_no_gap() {
    let place = branch();
    let config = "packs = [\"house\"]\n[review]\nexclude = [\"a.*\"]\n";
    place.write("own.toml", config);
    let review = place.review(["--config", "own.toml", "--fail-on", "note"]);
    assert_eq!(review.code, 0);
    assert_eq!(review.skipped(), ["a.txt: excluded by the configuration"]);
}

#[test]
fn a_patch_is_reviewed_without_a_repository() {
    let place = Place::new();
    place.write("diffsieve.toml", "packs = [\"house\"]\n[review]\nexclude = [\"b.*\"]\n");
    place.write(".diffsieve/rules/house.yml", HOUSE);
    let file = |name: &str| format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+MARK-1\n");
    let patch = file("a.txt") + &file("b.txt");
    place.write("x.diff", &patch);
    let review = place.review(["--patch", "x.diff"]);
    assert_eq!(review.shown(), ["Marker a.txt:1"]);
    assert_eq!(review.skipped(), ["b.txt: excluded by the configuration"]);
    assert_eq!(place.program(["--patch", "-"]).fed(patch).review().shown(), ["Marker a.txt:1"]);
    assert_eq!(place.program(["--patch", "/dev/stdin"]).fed(file("c.txt")).review().shown(), ["Marker c.txt:1"]);
}

/// In the repository a patch comes from, its files are read whole, so that parsers can look too.
#[test]
fn a_patch_of_this_repository_is_read_as_its_commits_are() {
    let base = "def f(mode):\n    x = 1\n    y = 2\n    z = 3\n    a = 4\n    return mode\n";
    let place = Place::with(&[("a.py", base), ("b.py", base)]);
    place.write("a.py", base.replace("return mode", "return mode is \"fast\""));
    place.git(["rm", "-q", "b.py"]);
    place.write("c.py", base.replace("    x = 1\n", "    x = 1\n    assert (x, 'never')\n"));
    place.commit("topic");
    let of_range = place.review(["--range", "main...topic"]).shown();
    assert_eq!(of_range, ["IsLiteral a.py:6", "AssertTuple c.py:3"]);
    for options in [&["-M"][..], &["-M", "--no-renames", "-U0"], &["-M", "--full-index"]] {
        let patch = place.git([&["diff", "main...topic"], options].concat());
        let review = place.program(["--patch", "-"]).fed(patch.clone() + "\n").review();
        assert_eq!(review.shown(), of_range, "{patch}");
        assert_eq!(review.report["change"]["files"][0]["read_by"]["parser"], true);
    }
    // Elsewhere the parts have to do, and the report says so.
    let elsewhere = Place::new();
    let review = elsewhere.program(["--patch", "-"]).fed(place.git(["diff", "main...topic"]) + "\n").review();
    assert!(review.notes().contains("no repository here has the rest"), "{}", review.notes());
}

/// Where a service says that it runs the job, the author of an unmerged head does not choose its rules.
#[test]
fn an_unmerged_head_does_not_choose_its_rules_in_any_ci() {
    let place = Place::house(&[("a.txt", "one\n")]);
    place.write("a.txt", "one\nMARK-1\n");
    place.write("diffsieve.toml", "packs = [\"house\"]\n[review]\nexclude = [\"**\"]\n");
    place.commit("topic");
    assert_eq!(place.review(["--fail-on", "warning"]).code, 0);
    for request in [&[][..], &["--base", "main"], &["--range", "main...HEAD"]] {
        let args = [&["--fail-on", "warning"][..], request].concat();
        let review = place.program(args).env("CI", "true").review();
        assert_eq!((review.code, review.shown()), (1, vec!["Marker a.txt:2".to_owned()]), "{request:?}");
    }
    let patch = place.git(["diff", "main...HEAD"]) + "\n";
    let review = place.program(["--patch", "-", "--fail-on", "warning"]).env("CI", "true").fed(patch).review();
    assert_eq!(review.code, 1);
}

/// Only who mends what is broken is let through, and what the workflow itself says stays.
#[test]
fn a_broken_base_is_no_way_around_its_policy() {
    let place = Place::house(&[("a.txt", "one\n"), (".diffsieve/baseline.json", "{")]);
    place.write("a.txt", "one\nMARK-1\n");
    place.write("sub/.gitattributes", "*.txt text\n");
    place.commit("topic");
    place.program::<&str>([]).env("CI", "true").run().fails(2, &["baseline.json"]);
}

/// A pipe from a command that failed brings nothing, which must not pass.
#[test]
fn an_empty_patch_is_no_pass() {
    let place = Place::new();
    for nothing in ["", "\n \n"] {
        let run = place.program(["--patch", "-"]).fed(nothing.to_owned());
        run.run().fails(3, &["standard input is empty"]);
    }
}

#[test]
fn the_first_configuration_file_counts() {
    let place = Place::with(&[("a.txt", "one\n"), (".diffsieve/rules/house.yml", HOUSE)]);
    place.write("a.txt", "one\nMARK-1\n");
    place.commit("topic");
    let fails_on = |place: &Place| {
        let report = place.review::<&str>([]).report;
        (
            report["config"]["origin"].as_str().unwrap().to_owned(),
            report["gate"]["fail_on"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(fails_on(&place), ("built-in defaults".to_owned(), "error".to_owned()));
    for (file, level) in
        [(".github/diffsieve.toml", "note"), (".diffsieve.toml", "warning"), ("diffsieve.toml", "never")]
    {
        place.write(file, format!("[gate]\nfail_on = \"{level}\"\n"));
        assert_eq!(fails_on(&place), (file.to_owned(), level.to_owned()));
    }
    place.write("other.toml", "[gate]\nfail_on = \"note\"\n");
    let named = place.review(["--config", "other.toml"]);
    assert_eq!(named.report["config"]["origin"], "other.toml");
    let by_variable = place.program::<&str>([]).env("DIFFSIEVE_CONFIG", "other.toml").review();
    assert_eq!(by_variable.report["config"]["origin"], "other.toml");
    let flag_wins = place.program(["--config", "diffsieve.toml"]).env("DIFFSIEVE_CONFIG", "other.toml").review();
    assert_eq!(flag_wins.report["gate"]["fail_on"], "never");
    let none = place.review(["--no-config"]);
    assert_eq!(none.report["config"]["origin"], "built-in defaults");
    let flag = place.review(["--config", "other.toml", "--fail-on", "error"]);
    assert_eq!(flag.report["gate"]["fail_on"], "error", "the command line is above every file");
}

#[test]
fn the_users_own_configuration_lies_beneath_the_repositorys() {
    let place = branch();
    let folder = place.home().join("settings");
    std::fs::create_dir_all(folder.join("diffsieve")).unwrap();
    let own = "[gate]\nfail_on = \"never\"\non_incomplete = \"warn\"\n";
    std::fs::write(folder.join("diffsieve/config.toml"), own).unwrap();
    place.write("diffsieve.toml", "packs = [\"house\"]\n[gate]\nfail_on = \"warning\"\n");
    let review = place.program::<&str>([]).env("XDG_CONFIG_HOME", &folder).review();
    assert_eq!(review.report["gate"]["fail_on"], "warning");
    assert_eq!(review.report["gate"]["on_incomplete"], "warn");
    let origin = review.report["config"]["origin"].as_str().unwrap();
    assert!(origin.ends_with("settings/diffsieve/config.toml over diffsieve.toml"), "{origin}");
    // Without the variable it is below HOME.
    std::fs::create_dir(place.home().join(".config")).unwrap();
    symlink(folder.join("diffsieve"), place.home().join(".config/diffsieve")).unwrap();
    assert_eq!(place.review::<&str>([]).report["gate"]["on_incomplete"], "warn");
    // A relative value is no place at all (XDG base directory specification).
    let review = place.program::<&str>([]).env("XDG_CONFIG_HOME", "settings").review();
    assert_eq!(review.report["gate"]["on_incomplete"], "warn");
}

#[test]
fn every_configuration_error_is_told_at_once_with_its_place() {
    let place = branch();
    let config = "pakcs = [\"house\"]\n\n[gate]\nfail_on = \"eror\"\nadded_ignores = \"yes\"\non_incomplet = \"fail\"\n\n\
                  [review]\nexclude = [\"a[\", 3]\ncap = 0\n\n[model]\nprovider = \"opnai\"\n\n[tags.Markr]\nlevel = \"note\"\n\n\
                  [tags.Marker]\nlevle = \"note\"\nscore = 11\n";
    place.write("diffsieve.toml", config);
    place.write(".diffsieve/rules/broken.yml", "pack: broken\ntgas: {}\n");
    let ran = place.run::<&str>([]);
    ran.fails(
        2,
        &[
            "diffsieve.toml:1:1: the configuration has no key `pakcs`; did you mean `packs`?",
            "diffsieve.toml:4:11: `eror` is no valid `fail_on`; did you mean `error`?",
            "diffsieve.toml:5:17: `added_ignores` is `true` or `false`, not a text",
            "diffsieve.toml:6:1: `[gate]` has no key `on_incomplet`; did you mean `on_incomplete`?",
            "diffsieve.toml:9:12: ",
            "diffsieve.toml:9:18: a glob is a text, not a number",
            "diffsieve.toml:10:7: `cap` is a whole number from 1 to",
            "diffsieve.toml:13:12: `opnai` is no valid `provider`",
            "no loaded pack has the tag `Markr`",
            "diffsieve.toml:19:1: a tag has no key `levle`; did you mean `level`?",
            "diffsieve.toml:20:9: `score` is a number from 0 to 10",
            ".diffsieve/rules/broken.yml:2:1: a rule pack has no key `tgas`; did you mean `tags`?",
        ],
    );
    assert_eq!(ran.text(), "", "no report of a review that never was");
    place.write("diffsieve.toml", "packs = [\n");
    place.run::<&str>([]).fails(2, &["diffsieve.toml:"]);
    place.write("diffsieve.toml", "[gate]\nfail_on = \"note\"\nfail_on = \"note\"\n");
    place.run::<&str>([]).fails(2, &["diffsieve.toml:3:1", "duplicate key"]);
}

#[test]
fn configuration_is_read_from_where_it_is_asked() {
    let place = branch();
    place.write("diffsieve.toml", "packs = [\"house\"]\n[gate]\nfail_on = \"note\"\n");
    place.commit("the head fails on notes");
    place.write("diffsieve.toml", "packs = [\"house\"]\n[gate]\nfail_on = \"never\"\n");
    for (from, level) in [("base", "error"), ("head", "note"), ("worktree", "never")] {
        let review = place.review(["--config-from", from]);
        assert_eq!(review.report["gate"]["fail_on"], level, "{from}");
    }
    let origin = place.review(["--config-from", "base"]).report["config"]["origin"].as_str().unwrap().to_owned();
    assert!(origin.starts_with("diffsieve.toml (base tip "), "{origin}");
    let review = place.review::<&str>([]);
    assert_eq!(review.report["gate"]["fail_on"], "never", "outside pull-request jobs the work tree counts");
    let note =
        "this change edits diffsieve.toml, which decides reviews; the version in the work tree decided this review";
    assert!(review.notes().contains(note), "{}", review.notes());
}

/// A job of GitHub for a pull request, with the merge commit that GitHub makes checked out.
fn pull_request(place: &Place, args: &[&str]) -> super::program::Run {
    let merge = place.git(["rev-parse", "HEAD"]);
    let (base, head) = (place.git(["rev-parse", "HEAD^1"]), place.git(["rev-parse", "HEAD^2"]));
    let event =
        format!("{{\"pull_request\": {{\"base\": {{\"sha\": \"{base}\"}}, \"head\": {{\"sha\": \"{head}\"}}}}}}");
    let path = place.home().join("event.json");
    std::fs::write(&path, event).unwrap();
    place
        .program(args)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_BASE_REF", "main")
        .env("GITHUB_REF", "refs/pull/7/merge")
        .env("GITHUB_SHA", merge)
        .env("GITHUB_EVENT_PATH", path)
}

/// Merges `topic` into a detached `main`, as GitHub does for its jobs.
fn merge_for_job(place: &Place) {
    place.git(["switch", "-q", "--detach", "main"]);
    place.git(["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
}

#[test]
fn a_pull_request_is_judged_by_the_rules_of_its_base() {
    let place = branch();
    // The author lowers the bar, drops the rule and excludes the file.
    place.write("diffsieve.toml", "packs = [\"text\"]\n[gate]\nfail_on = \"never\"\n[review]\nexclude = [\"**\"]\n");
    place.write(".diffsieve/rules/house.yml", "pack: house\n");
    place.write(".gitattributes", "*.txt linguist-generated\n");
    place.commit("lower the bar");
    merge_for_job(&place);
    let review = pull_request(&place, &["--fail-on", "warning"]).review();
    assert_eq!(review.shown(), ["Marker a.txt:2"]);
    assert_eq!(review.code, 1);
    let notes = review.notes();
    for file in ["diffsieve.toml", ".diffsieve/rules/house.yml", ".gitattributes"] {
        let note =
            format!("this change edits {file}, which decides reviews; the version at the base tip decided this review");
        assert!(notes.contains(&note), "{notes}");
    }
    let files = review.files();
    assert!(files.contains(&"diffsieve.toml".to_owned()), "policy files are reviewed as code: {files:?}");
    assert_eq!(review.report["change"]["files"][2]["generated"], false, "{files:?}");
}

#[test]
fn no_scope_lets_a_pull_request_choose_its_own_rules() {
    let place = branch();
    place.write("diffsieve.toml", "packs = [\"text\"]\n[review]\nexclude = [\"**\"]\n");
    place.commit("lower the bar first");
    place.write("b.txt", "MARK-2\n");
    place.commit("then sin");
    merge_for_job(&place);
    let patch = place.git(["diff", "main", "topic"]) + "\n";
    place.write("c.txt", "MARK-3\n");
    let (both, later) = (["Marker a.txt:2", "Marker b.txt:1"], ["Marker b.txt:1"]);
    for (args, shown) in [
        (&["--range", "topic~1..topic"][..], &later[..]),
        (&["--range", "topic~1...topic"], &later),
        (&["--commit", "topic"], &later),
        (&["--worktree"], &["Marker c.txt:1"]),
        (&["--base", "main", "--head", "topic"], &both),
        (&["--config-from", "base"], &both),
    ] {
        let review = pull_request(&place, args).review();
        assert_eq!(review.shown(), shown, "{args:?}");
        let origin = review.report["config"]["origin"].as_str().unwrap();
        assert!(origin.starts_with("diffsieve.toml (base tip "), "{args:?}: {origin}");
    }
    let review = pull_request(&place, &["--patch", "-"]).fed(patch).review();
    assert_eq!(review.shown(), both);
    assert!(review.notes().contains("this change edits diffsieve.toml"), "{}", review.notes());
    // Whoever writes the workflow may say otherwise.
    assert!(pull_request(&place, &["--config-from", "worktree"]).review().shown().is_empty());
}

#[test]
fn a_pull_request_that_adds_a_baseline_entry_does_not_accept_itself() {
    let place = branch();
    place.run(["baseline", "create", "--reason", "mine"]).fails(0, &["1 accepted"]);
    place.commit("accept");
    merge_for_job(&place);
    assert_eq!(pull_request(&place, &[]).review().shown(), ["Marker a.txt:2"]);
}

#[test]
fn a_broken_configuration_at_the_base_does_not_stop_its_own_fix() {
    let place = Place::with(&[("diffsieve.toml", "pakcs = []\n"), ("a.txt", "one\n")]);
    place.write("a.txt", "one\ntwo\n");
    place.commit("unrelated");
    merge_for_job(&place);
    pull_request(&place, &[]).run().fails(2, &["diffsieve.toml (base tip", "no key `pakcs`"]);
    place.git(["switch", "-q", "topic"]);
    place.write("diffsieve.toml", "packs = [\"text\"]\n");
    place.commit("the fix");
    merge_for_job(&place);
    let review = pull_request(&place, &[]).review();
    assert_eq!(review.code, 0, "{}", review.stderr);
    let notes = review.notes();
    assert!(notes.contains("the policy at the base is broken and this change edits it"), "{notes}");
    assert!(notes.contains("no key `pakcs`"), "{notes}");
}

#[test]
fn a_broken_baseline_at_the_base_does_not_stop_its_own_fix() {
    let place = Place::with(&[(".diffsieve/baseline.json", "{"), ("a.txt", "one\n")]);
    place.write(".diffsieve/baseline.json", "{\"schema\": \"diffsieve.baseline/v1\", \"findings\": []}\n");
    place.commit("the fix");
    merge_for_job(&place);
    assert_eq!(pull_request(&place, &[]).review().code, 0);
}

#[test]
fn a_pull_request_job_that_has_not_checked_out_its_head_is_told_so() {
    let place = branch();
    place.git(["switch", "-q", "main"]);
    let ran = place
        .program::<&str>([])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_BASE_REF", "release")
        .env("GITHUB_REF", "refs/pull/7/head")
        .run();
    ran.fails(3, &["the branch `release` that this one is to be merged into is not in this clone", "fetch-depth: 0"]);
}

#[test]
fn a_job_of_github_gets_annotations_beside_text() {
    let place = branch();
    merge_for_job(&place);
    let ran = pull_request(&place, &[]).run();
    assert!(ran.text().contains("::warning "), "{}", ran.text());
    assert_eq!(ran.stderr.matches("running in GitHub Actions").count(), 1, "{}", ran.stderr);
    let quiet = pull_request(&place, &["--quiet"]).run();
    assert!(!quiet.stderr.contains("running in GitHub Actions"), "{}", quiet.stderr);
    let chosen = pull_request(&place, &["--format", "json"]).run();
    assert!(!chosen.stderr.contains("running in"), "{}", chosen.stderr);
}

#[test]
fn a_job_of_gitlab_gets_a_code_quality_report_beside_text() {
    let place = branch();
    let ran = place.program([""; 0]).env("GITLAB_CI", "true").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.text().contains("warning[Marker]"), "{}", ran.text());
    assert_eq!(ran.stderr.matches("running in GitLab CI: writing text and gl-code-quality-report.json").count(), 1);
    let issues: Value = serde_json::from_str(&place.read("gl-code-quality-report.json")).unwrap();
    assert_eq!(issues[0]["check_name"], "Marker");
    std::fs::remove_file(place.path("gl-code-quality-report.json")).unwrap();
    let chosen = place.program(["--format", "json"]).env("GITLAB_CI", "true").run();
    assert!(!chosen.stderr.contains("running in") && !place.path("gl-code-quality-report.json").exists());
}

#[test]
fn a_job_of_azure_gets_issues_beside_text() {
    let place = branch();
    let ran = place.program([""; 0]).env("TF_BUILD", "True").run();
    assert!(ran.text().contains("warning[Marker]"), "{}", ran.text());
    assert!(ran.text().contains("##vso[task.logissue type=warning;sourcepath="), "{}", ran.text());
    assert!(
        ran.text().contains("\n##vso[task.complete result=SucceededWithIssues;]diffsieve passed: "),
        "{}",
        ran.text()
    );
    assert_eq!(ran.stderr.matches("running in Azure Pipelines: writing text and issues").count(), 1, "{}", ran.stderr);
    let failing = place.program(["--fail-on", "warning", "--quiet"]).env("TF_BUILD", "True").run();
    assert_eq!(failing.code, 1);
    assert!(!failing.text().contains("task.complete") && !failing.stderr.contains("running in"), "{}", failing.text());
    let elsewhere = place.program([""; 0]).env("JENKINS_URL", "http://ci.example").run();
    assert!(!elsewhere.text().contains("##vso") && !elsewhere.stderr.contains("running in"), "{}", elsewhere.stderr);
}

/// Every subcommand that prints, and whether its output depends on a review.
const PRINTING: [&[&str]; 15] = [
    &["--funnel"],
    &["rules", "list"],
    &["rules", "show"],
    &["rules", "show", "--resolved"],
    &["rules", "test", "--verbose"],
    &["rules", "lint"],
    &["rules", "facts"],
    &["rules", "schema"],
    &["schema", "report"],
    &["schema", "pack"],
    &["schema", "config"],
    &["schema", "baseline"],
    &["completions", "bash"],
    &["man"],
    &["--help"],
];

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = branch();
    // More than a pipe holds, so that the writer meets the closed end.
    place.write("a.txt", "MARK-1\n".repeat(3000));
    place.commit("much");
    let formats: Vec<[&str; 2]> = FORMATS.iter().map(|format| ["--format", format.name]).collect();
    for args in formats.iter().map(<[_; 2]>::as_slice).chain(PRINTING) {
        let open = place.run(args);
        // Of the formats only GitHub's is short by nature, and what fits into a pipe meets no closed end.
        let fits = open.stdout.len() <= 1 << 16;
        assert!(!(fits && formats.iter().any(|format| format == args)) || args[1] == "github", "{args:?}");
        let closed = place.program(args).run_into_closed_pipe(1);
        assert_eq!(closed.code, open.code, "{args:?}: {}", closed.stderr);
        assert!(!closed.stderr.to_lowercase().contains("pipe"), "{args:?}: {}", closed.stderr);
    }
    let failing = place.program(["--format", "json", "--fail-on", "note"]).run_into_closed_pipe(1);
    assert_eq!(failing.code, 1, "a reader who left changes no verdict");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let place = Place::house(&[("a.txt", "one\n")]);
    for number in 0..24 {
        place.write(&format!("src/m{number}.py"), format!("x = 'MARK-{number}'\nif x is 'r':\n    pass\n"));
    }
    place.commit("topic");
    std::fs::create_dir(place.path("empty")).unwrap();
    let alone = |run: super::program::Run| run.run().stdout;
    for format in FORMATS.iter().map(|format| format.name) {
        let args = ["--format", format, "--funnel"];
        let first = place.run(args).stdout;
        assert!(first.len() > 100, "{format}: {}", String::from_utf8_lossy(&first));
        assert_eq!(first, place.run(args).stdout, "{format}: again");
        let elsewhere = place.program(args).from(place.path("src"));
        assert_eq!(first, alone(elsewhere), "{format}: from a folder below");
        let directory = place.program(args).arg("-C").arg(place.root()).from("/");
        assert_eq!(first, alone(directory), "{format}: from another folder with -C");
        let environment = place.program(args).env("LANG", "tr_TR.UTF-8").env("LC_ALL", "C").env("TZ", "Asia/Kolkata");
        assert_eq!(first, alone(environment), "{format}: in another locale and time zone");
        assert_eq!(first, place.on_one_core(&args), "{format}: with one thread");
    }
}

impl Place {
    /// What the program prints where only one core may be used.
    fn on_one_core(&self, args: &[&str]) -> Vec<u8> {
        self.pinned(args).run().stdout
    }
}

#[test]
fn packs_are_listed_shown_tested_and_linted() {
    let place = branch();
    place.run(["rules", "list"]).prints(&[
        "house 1.0.0 (.diffsieve/rules/house.yml)",
        "warning         Marker",
        "1 detector",
    ]);
    place.run(["rules", "list", "--no-config"]).prints(&["text ", "security ", "MergeConflict"]);
    place.run(["rules", "show", "Marker"]).prints(&["Marker:  # pack house", "title: \"A marker\""]);
    place.run(["rules", "facts"]).prints(&["Conditions", "private_key"]);
    place.run(["rules", "test", "--no-config"]).prints(&["ok, 0 failed"]);
    let lint = place.run(["rules", "lint"]);
    assert_eq!(lint.code, 1);
    assert!(lint.text().contains("`Marker` has detectors but no examples; examples are its tests"), "{}", lint.text());
    place.run(["rules", "lint", "--no-config"]).prints(&[" 0 problems"]);
    let examples =
        "    examples:\n      - {bad: \"MARK-1\\n\", good: \"MARK-2\\n\"}\n      - {bad: \"MARK-1 #!\\n\"}\n";
    place.write(".diffsieve/rules/house.yml", format!("{HOUSE}{examples}"));
    let test = place.run(["rules", "test"]);
    assert_eq!(test.code, 1, "{}", test.text());
    for part in [
        "FAILED  Marker (.diffsieve/rules/house.yml:11:",
        "`bad` marks no line",
        "noisy: a finding on line 1 of `bad`",
        "noisy: a finding on line 1 of `good`",
        "2 examples, 1 ok, 1 failed",
    ] {
        assert!(test.text().contains(part), "no `{part}` in {}", test.text());
    }
    place.run(["rules", "test", "--verbose"]).fails(1, &[]);
}

#[test]
fn what_the_program_writes_about_itself() {
    let place = Place::new();
    for (args, parts) in [
        (&["--version"][..], &["diffsieve 0."][..]),
        (&["--help"], &["Exit codes:", "  3  incomplete", "--base", "--worktree"]),
        (&["review", "--help"], &["--fail-on"]),
        (&["man"], &[".TH diffsieve"]),
        (&["completions", "bash"], &["complete -F"]),
        (&["completions", "zsh"], &["#compdef diffsieve"]),
        (&["completions", "fish"], &["complete -c diffsieve"]),
        (&["schema", "report"], &["https://json-schema.org/draft/2020-12/schema"]),
        (&["schema", "pack"], &["urn:diffsieve:pack:v1"]),
        (&["schema", "config"], &["urn:diffsieve:config:v1"]),
        (&["schema", "baseline"], &["urn:diffsieve:baseline:v1"]),
        (&["rules", "list"], &["text "]),
    ] {
        place.run(args).prints(parts);
    }
    assert_eq!(place.run(["rules", "schema"]).stdout, place.run(["schema", "pack"]).stdout);
}

#[test]
fn explain_tells_the_story_of_shown_and_dropped_findings() {
    let place = Place::house(&[("a.txt", "one\n")]);
    place.write("a.txt", "one\nMARK-1 MARK-1\nMARK-2\n");
    place.commit("topic");
    let review = place.review::<&str>([]);
    let print = |finding: &Value| finding["fingerprint"].as_str().unwrap().to_owned();
    let (shown, dropped) = (print(&review.findings()[1]), print(&review.dropped()[0]));
    let told = place.run(["explain", &shown]);
    told.prints(&["Marker", "a.txt"]);
    place.run(["explain", &dropped]).prints(&["Marker", "duplicate"]);
    assert_eq!(place.run(["explain", &shown[..8]]).stdout, told.stdout, "a prefix names it too");
    assert_eq!(place.run(["explain", &shown.to_uppercase()]).stdout, told.stdout);
    let unknown = "0123456789abcdef0123456789abcdef";
    place.run(["explain", unknown]).fails(2, &["no finding of this review, shown or dropped, has the fingerprint"]);
    // From a saved report the story is the same, wherever it is told.
    place.run(["--format", "json=report.json"]).fails(0, &[]);
    place.run(["explain", &shown, "--report", "report.json"]).prints(&["Marker", "a.txt"]);
    place.run(["explain", &dropped, "--report", "report.json"]).prints(&["duplicate"]);
    place.write("broken.json", "{\"schema\": \"diffsieve.report/v1\"");
    place
        .run(["explain", &shown, "--report", "broken.json"])
        .fails(2, &["broken.json: the file is no diffsieve report"]);
    place.run(["explain", &shown, "--report", "gone.json"]).fails(2, &["there is no file `gone.json`"]);
}

#[test]
fn explain_asks_for_more_digits_where_several_findings_begin_alike() {
    let place = Place::house(&[("a.txt", "one\n")]);
    let lines: Vec<String> = (0..1500).map(|number| format!("MARK-{number}\n")).collect();
    place.write("a.txt", lines.concat());
    place.commit("topic");
    let review = place.review::<&str>([]);
    let mut prints: Vec<_> = review.findings().iter().map(|finding| finding["fingerprint"].as_str().unwrap()).collect();
    prints.sort_unstable();
    let alike = prints.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).expect("of 1,500 some begin alike");
    place.run(["explain", &alike[0][..4]]).fails(2, &["findings begin with", "write more digits"]);
}

fn is_coloured(ran: &Ran) -> bool {
    ran.stdout.contains(&0x1b)
}

#[test]
fn colours_follow_the_flag_then_the_environment_then_the_terminal() {
    let place = branch();
    let run = |args: &[&str], env: &[(&str, &str)]| {
        let program = env.iter().fold(place.program(args), |program, (name, value)| program.env(name, value));
        is_coloured(&program.run())
    };
    for (args, env, coloured) in [
        (&[][..], &[][..], false),
        (&["--color", "always"], &[], true),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
        (&["--color", "never"], &[("FORCE_COLOR", "1")], false),
        (&[], &[("FORCE_COLOR", "1")], true),
        (&[], &[("CLICOLOR_FORCE", "1")], true),
        (&[], &[("FORCE_COLOR", "0")], false),
        (&[], &[("FORCE_COLOR", "")], false),
        (&[], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], false),
        (&[], &[("FORCE_COLOR", "1"), ("NO_COLOR", "")], true),
        (&["--format", "json", "--color", "always"], &[], false),
    ] {
        assert_eq!(run(args, env), coloured, "{args:?} {env:?}");
    }
}
