//! Datasets from history, over repositories in which each commit is there to be kept, or left out for one reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::program::{Place, Ran, list};

/// A history that a test writes commit by commit, and what is expected of some of them.
struct Story {
    place: Place,
    fixes: Vec<String>,
    reasons: BTreeMap<String, &'static str>,
}

impl Story {
    fn new() -> Self {
        let place = Place::repository();
        place.write("root.py", "def root(a):\n    return a + 1\n");
        let mut story = Self { place, fixes: Vec::new(), reasons: BTreeMap::new() };
        let first = story.place.commit("Fix the world");
        story.expect(&first, "no-parent");
        story
    }

    fn expect(&mut self, fix: &str, reason: &'static str) {
        self.fixes.push(fix.to_owned());
        self.reasons.insert(fix.to_owned(), reason);
    }

    /// One file, one commit.
    fn put(&self, path: &str, text: impl AsRef<[u8]>, message: &str) -> String {
        self.place.write(path, text);
        self.place.commit(message)
    }

    /// A fix that is left out.
    fn fix(&mut self, path: &str, text: impl AsRef<[u8]>, reason: &'static str) {
        let fix = self.put(path, text, &format!("Fix {path}"));
        self.expect(&fix, reason);
    }

    /// Commits on a branch, merged as a forge does.
    fn merge(&self, number: u32, files: &[(&str, &str)]) -> String {
        self.place.git(["switch", "-q", "-c", "topic"]);
        let mut last = String::new();
        for (path, text) in files {
            last = self.put(path, text, &format!("Work on {path}"));
        }
        self.place.git(["switch", "-q", "main"]);
        let message = format!("Merge pull request #{number} from a/topic\n\nThe title of {number}\n\nWhy so.");
        self.place.git(["merge", "-q", "--no-ff", "-m", &message, "topic"]);
        self.place.git(["branch", "-q", "-D", "topic"]);
        last
    }

    fn head(&self) -> String {
        self.place.git(["rev-parse", "HEAD"])
    }

    fn build(&self, more: &[&str]) -> Ran {
        self.place.write("../fixes.txt", self.fixes.join("\n"));
        let own =
            ["dataset", "cr-bench", "../out", "--name", "o/n", "--fixes-file", "../fixes.txt", "--licence", "MIT"];
        self.place.run([own.as_slice(), more].concat())
    }

    /// How the manifest says that it was built.
    fn built(&self, folder: &str) -> Value {
        let manifest: Value = serde_json::from_str(&self.place.read(&format!("{folder}/dataset.json"))).unwrap();
        manifest["built"].clone()
    }

    fn cases(&self) -> Vec<Value> {
        lines(&self.place.read("../out/cases.jsonl"))
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A dataset without cases was written, and nobody takes it for one that is of use.
#[track_caller]
fn keeps_nothing(ran: &Ran, parts: &[&str]) {
    ran.fails(3, &["nothing is kept"]);
    for part in [parts, &["0          kept"]].concat() {
        assert!(ran.text().contains(part), "{}", ran.text());
    }
}

/// Numbered lines of Python.
fn python(name: &str, count: usize) -> String {
    (0..count).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{name}_{line} = compute_{name}({line})");
        text
    })
}

#[test]
fn every_reason_to_leave_a_fix_out() {
    let mut story = Story::new();
    story.fix("root.py", "def root(a):\n    return a + 2\n", "introducer-is-root");
    story.put("vendor/a.py", "a = 1\n", "Add vendor");
    story.fix("vendor/a.py", "a = 2\n", "generated");
    story.put("tests/test_a.py", "a = 1\n", "Add test");
    story.fix("tests/test_a.py", "a = 2\n", "tests-or-docs-only");
    story.put("flask/testsuite/basic.py", "a = 1\n", "Add suite");
    story.fix("flask/testsuite/basic.py", "a = 2\n", "tests-or-docs-only");
    // The line that is mended came as one of a test.
    let line = "def helper(a):\n    return somewhat_long_function_name(argument_one, argument_two)\n";
    story.put("tests/flask_tests.py", line, "Add helper (#18)");
    story.place.write("tests/flask_tests.py", "a = 1\n");
    story.put("helper.py", line, "Move helper (#19)");
    story.fix("helper.py", line.replace("argument_two", "argument_three"), "introducer-no-source");
    story.put("Makefile", "a:\n", "Add make");
    story.fix("Makefile", "b:\n", "no-source");
    story.put("large.py", python("large", 30), "Add large (#1)");
    story.fix("large.py", python("larger", 30), "too-large");
    story.put("long.py", format!("a = '{}'\n", "x".repeat(30_000)), "Add long (#2)");
    story.fix("long.py", format!("a = '{}'\n", "y".repeat(30_000)), "unreadable");
    story.put("adds.py", "def f(a):\n    return a\n", "Add adds (#3)");
    story.fix("adds.py", "def f(a):\n    check(a)\n    return a\n", "adds-only");
    story.put(
        "said.py",
        "# of on\ndef f(a):\n    \"\"\"Says\n    too littl.\n    \"\"\"\n    return a\n",
        "Add said (#4)",
    );
    story.fix("said.py", "# of one\ndef f(a):\n    \"\"\"Says\n    too little.\n    \"\"\"\n    return a\n", "no-code");
    story.put("deep.py", "def f(a):\n    b = a\n    return b\n", "Add deep (#5)");
    story.fix("deep.py", "def f(a):\n  if a:\n    b = a\n    return b\n", "adds-only");
    story.put("quotes.py", "name = 'a' + b\n", "Add quotes (#20)");
    story.fix("quotes.py", "name =  \"a\" + b\n", "only-blanks");
    story.put("two.py", "first = 1\n", "Add first (#6)");
    story.put("two.py", "first = 1\nsecond = 2\n", "Add second (#7)");
    story.fix("two.py", "first = 10\nsecond = 20\n", "several-introducers");
    story.put("shape.py", "value = not a == b\n", "Add shape (#8)");
    story.put("shape.py", "value = a != b\n", "Apply flake8 (#9)");
    story.fix("shape.py", "value = a == b\n", "introducer-reformats");
    story.put("import.py", python("import", 1_200), "Add import (#10)");
    story.fix(
        "import.py",
        python("import", 1_200).replace("compute_import(7)", "compute_import(8)"),
        "introducer-is-import",
    );
    story.put("big.py", "a = 1\n", "Add big (#11)");
    story.put("big.py", format!("a = 1\n{}", python("big", 90)), "Add more to big (#12)");
    story.fix("big.py", format!("a = 1\n{}", python("big", 90).replace("(5)", "(6)")), "introducer-too-large");
    let inside = story.merge(13, &[("own.py", "a = compute(1)\n"), ("own.py", "a = compute(2)\n")]);
    story.expect(&inside, "fixed-before-merge");
    let merge = story.head();
    story.expect(&merge, "merge");
    story.put("back.py", "a = compute(1)\n", "Add back (#14)");
    story.put("back.py", "a = compute(2)\n", "Change back (#15)");
    let revert = story.put("back.py", "a = compute(1)\n", "Revert \"Change back (#15)\" (#16)");
    story.expect(&revert, "revert");
    story.put("alone.py", "a = compute(1)\n", "Add alone");
    story.fix("alone.py", "a = compute(2)\n", "introducer-no-pull-request");
    story.put("touched.py", "found = re.match('^on (a)', text)\n", "Add touched (#21)");
    story.put("touched.py", "found = re.match('on (a)', text)\n", "Touch it (#22)");
    story.fix("touched.py", "found = re.search('on (a)', text)\n", "fault-is-older");
    // The same fix on the main line and on a branch that lives on.
    story.put("port.py", "a = compute(1)\n", "Add port (#17)");
    story.place.git(["switch", "-q", "-c", "stable"]);
    let ported = story.put("port.py", "a = compute(2)\n", "Fix port");
    story.place.git(["switch", "-q", "main"]);
    story.put("else.py", "a = 1\n", "Else");
    let fix = story.put("port.py", "a = compute(2)\n", "Fix port");
    story.place.git(["merge", "-q", "--no-ff", "-m", "Merge branch 'stable'", "stable"]);
    story.fixes.push(fix);
    story.expect(&ported, "duplicate-fix");

    let ran = story.build(&["--fix-lines", "20", "--change-lines", "80", "--pull-requests"]);
    ran.prints(&["considered", "1          kept", "duplicate-fix"]);
    let rejected = lines(&story.place.read("../out/rejected.jsonl"));
    let found: BTreeMap<String, &str> = rejected
        .iter()
        .map(|row| (row["commit"].as_str().unwrap().to_owned(), row["reason"].as_str().unwrap()))
        .collect();
    for (commit, reason) in &story.reasons {
        let subject = story.place.git(["log", "-n1", "--format=%s", commit]);
        assert_eq!(found.get(commit), Some(reason), "{subject}");
    }
    assert_eq!(found.len(), story.reasons.len());
    // All that can be left out is shown to be, but for what needs another clone and for lines that a merge rewrote.
    let manifest: Value = serde_json::from_str(&story.place.read("../out/dataset.json")).unwrap();
    let left_out = manifest["built"]["funnel"]["left_out"].as_object().unwrap();
    let missing = ["shallow", "line-lost"];
    assert_eq!(left_out.len() + missing.len(), 23, "{left_out:?}");
    assert!(missing.iter().all(|reason| !left_out.contains_key(*reason)));
}

#[test]
fn a_bug_stands_where_its_change_put_it() {
    let mut story = Story::new();
    // A squash, whose line moves afterwards.
    story.put("squash.py", "def f(a, b):\n    return a / b\n", "Add squash (#5)");
    let squash = story.head();
    story.put("squash.py", "import x\n\ndef f(a, b):\n    return a / b\n", "Import");
    let fix = story.put(
        "squash.py",
        "import x\n\ndef f(a, b):\n    return a / b if b else 0\n",
        "Fix crash\n\nFor b of 0.\n\nSigned-off-by: x",
    );
    story.fixes.push(fix.clone());
    // A merge of two commits; the second moves the line of the first, and a third gives the file another name.
    let before = story.head();
    story.merge(6, &[("old.py", "low = compute(1)\n"), ("old.py", "top = 0\nlow = compute(1)\n")]);
    let merge = story.head();
    story.fixes.push(story.put("old.py", "top = 0\nlow = compute(2)\n", "Fix low"));
    story.place.git(["switch", "-q", "-c", "topic"]);
    let text = python("moving", 9);
    story.put("here.py", &text, "Work");
    story.place.git(["mv", "here.py", "there.py"]);
    story.place.commit("Move");
    story.place.git(["switch", "-q", "main"]);
    story.place.git(["merge", "-q", "--no-ff", "-m", "Merge pull request #7 from a/b", "topic"]);
    let moved = story.head();
    story.fixes.push(story.put("there.py", text.replace("(3)", "(4)"), "Fix moving"));

    story.build(&[]).prints(&["3          kept"]);
    let cases = story.cases();
    let place = |case: &Value| {
        let bug = &case["bugs"][0];
        (bug["file"].clone(), bug["line"].clone(), case["source"]["commits"]["head"].clone())
    };
    assert_eq!(place(&cases[0]), (json!("squash.py"), json!(2), json!(squash)));
    assert_eq!(place(&cases[1]), (json!("old.py"), json!(2), json!(merge)));
    assert_eq!(place(&cases[2]), (json!("there.py"), json!(4), json!(moved)));
    assert_eq!(cases[1]["source"]["commits"]["base"], json!(before));
    assert_eq!(cases[1]["title"], "The title of 6");
    assert_eq!(cases[1]["description"], "Why so.");
    let bug = &cases[0]["bugs"][0];
    assert_eq!(bug["description"], "Fix crash\n\nFor b of 0.");
    assert_eq!(bug["fixed_files"], json!(["squash.py"]));
    assert!(bug.get("severity").is_none() && bug.get("category").is_none());
    let facts = &cases[0]["facts"];
    assert_eq!((&facts["fix"], &facts["pull_request"], &facts["change"]), (&json!(fix), &json!(5), &json!("squash")));
    assert_eq!(facts["description_from"], "commit message");
    assert_eq!(cases[0]["origin"]["licence"], "MIT");
    story.place.run(["dataset", "check", "../out"]).prints(&["3 cases, 3 with bugs"]);
}

#[test]
fn an_export_tells_what_people_said() {
    let mut story = Story::new();
    let a = story.put("a.py", "a = compute(1)\n", "Add a (#5)\n\n* work\n* more work");
    story.fixes.push(story.put("a.py", "a = compute(2)\n", "Fix a (#6)\n\nIn short."));
    let b = story.put("b.py", "b = compute(1)\n", "Add b (#7)\n\nAs asked.");
    story.fixes.push(story.put("b.py", "b = compute(2)\n", "Fix b (#8)\n\nIt was 1."));
    // The fix is one commit of a merge; the change is no pull request.
    story.put("c.py", "c = compute(1)\n", "Add c");
    story.fixes.push(story.merge(9, &[("c.py", "c = compute(2)\n")]));
    let merge = story.head();
    let export = json!([
        {"number": 5, "merge_commit_sha": a, "title": "Compute a", "body": "It is slow\r\notherwise."},
        {"number": 6, "merge_commit_sha": story.fixes[1], "title": "a is wrong", "body": "It must be 2.\r\nReviewed-by: x"},
        {"number": 7, "merge_commit_sha": b, "title": "Compute b", "body": null},
        {"number": 8, "merge_commit_sha": story.fixes[2], "title": "b is wrong", "body": " "},
        {"number": 9, "merge_commit_sha": merge, "title": "c is wrong", "body": "For all."},
    ]);
    story.place.write("../export.json", export.to_string());

    let ran = story.build(&["--meta", "../export.json"]);
    ran.prints(&["3          kept", "texts: 4 of 5 given pull requests used; 2 of 6 changes and fixes have none\n"]);
    let built = story.built("../out");
    assert_eq!(built["texts"], json!({"given": 5, "used": 4, "commits": 6, "without": 2}));
    let told = |case: &Value| {
        let facts = &case["facts"];
        let texts = [&case["title"], &case["description"], &case["bugs"][0]["description"]];
        let from = [&facts["text_from"], &facts["description_from"]].map(|from| from.as_str().unwrap().to_owned());
        (texts.map(|text| text.as_str().unwrap_or_default().to_owned()), from, facts["fix_pull_request"].clone())
    };
    let (pull, commit) = ("pull request", "commit message");
    let expected = [
        (["Compute a", "It is slow\r\notherwise.", "a is wrong\n\nIt must be 2."], [pull, pull], json!(6)),
        // What an export leaves blank, the commits say.
        (["Compute b", "As asked.", "Fix b (#8)\n\nIt was 1."], [pull, commit], json!(8)),
        (["Add c", "", "c is wrong\n\nFor all."], [commit, pull], json!(9)),
    ]
    .map(|(texts, from, number)| (texts.map(str::to_owned), from.map(str::to_owned), number));
    assert_eq!(story.cases().iter().map(told).collect::<Vec<_>>(), expected);

    let out = ["dataset", "cr-bench", "../n", "--fix", "HEAD", "--meta"];
    story.place.write("../bad.json", "{}");
    story.place.run([&out[..], &["../bad.json"]].concat()).fails(2, &["no pull requests"]);
    assert!(!story.place.path("../n").exists());
    // A merge is a pull request, whatever it calls itself; a commit that names none is left out on demand.
    std::fs::remove_dir_all(story.place.path("../out")).unwrap();
    let ran = story.build(&["--pull-requests", "--fix-lines", "7"]);
    ran.prints(&["introducer-no-pull-request", "2          kept"]);
    assert!(!ran.text().contains("texts:"), "{}", ran.text());
    let built = story.built("../out");
    let options = json!({"pull_requests": true, "fix_files": 5, "fix_lines": 7, "change_files": 50, "change_lines": 2000, "most_days": 1095});
    assert_eq!((&built["options"], &built["texts"]), (&options, &Value::Null));
    let fixes = json!({"named": 4, "range_until": null, "need_issue": false, "newest": null});
    assert_eq!((&built["fixes"], &built["version"]), (&fixes, &json!(env!("CARGO_PKG_VERSION"))));
    let rejected = lines(&story.place.read("../out/rejected.jsonl"));
    let reason = rejected.iter().find(|row| row["reason"] == "introducer-no-pull-request").unwrap();
    assert!(reason["detail"].as_str().unwrap().ends_with(": Add c"), "{reason}");
}

#[test]
fn who_only_shaped_a_line_did_not_write_it() {
    let mut story = Story::new();
    let wrapped = story.put("wrap.py", "first()\ncall('a', b)\n", "Add wrap (#5)");
    let shaping = story.put("wrap.py", "first();\ncall(\n    \"a\",\n    b,\n)\n", "Wrap (#6)");
    story.fixes.push(story.put("wrap.py", "first();\ncall(\n    \"a\",\n    c,\n)\n", "Fix wrap"));
    let line = "    return somewhat_long_function_name(argument_one, argument_two)\n";
    let came = story.put("from.py", format!("def f():\n{line}"), "Add from (#7)");
    story.place.write("from.py", "");
    let moving = story.put("to.py", format!("import os\n\n\ndef f():\n{line}"), "Part it (#8)");
    let mended = line.replace("argument_two", "argument_three");
    story.fixes.push(story.put("to.py", format!("import os\n\n\ndef f():\n{mended}"), "Fix to"));
    let names = |check: &str| (0..5).map(|at| format!("{check}(value_{at})\n")).collect::<String>();
    let named = story.put("names.py", names("check"), "Add names (#9)");
    let naming = story.put("names.py", names("verify"), "Say verify (#10)");
    story.fixes.push(story.put("names.py", names("verify").replace("value_2", "other"), "Fix names"));

    story.build(&[]).prints(&["3          kept"]);
    let told: Vec<(Value, Value)> = story
        .cases()
        .iter()
        .map(|case| (case["source"]["commits"]["head"].clone(), case["facts"]["lines"][0]["passed"].clone()))
        .collect();
    let expected =
        [(wrapped, shaping), (came, moving), (named, naming)].map(|(head, passed)| (json!(head), json!([passed])));
    assert_eq!(told, expected);
    let bug = &story.cases()[0]["bugs"][0];
    assert_eq!((&bug["file"], &bug["line"]), (&json!("wrap.py"), &json!(2)));
}

#[test]
fn the_same_clone_gives_the_same_bytes_whatever_is_configured() {
    let mut story = Story::new();
    for name in ["a", "b", "c"] {
        story.put(&format!("{name}.py"), format!("{name} = compute(1)\n"), &format!("Add {name} (#5)"));
        story.fixes.push(story.put(&format!("{name}.py"), format!("{name} = compute(2)\n"), "Fix crash (fixes #7)"));
    }
    story.build(&["--threads", "1"]).prints(&["3          kept"]);
    let first =
        ["cases.jsonl", "rejected.jsonl", "dataset.json"].map(|file| story.place.read(&format!("../out/{file}")));
    std::fs::remove_dir_all(story.place.path("../out")).unwrap();
    // What a clone's own configuration could change, or run.
    let last = story.head();
    story.place.write("../ignored.txt", story.place.git(["rev-list", "--all"]));
    story.place.write(".git/info/attributes", "*.py diff=evil\n");
    for (name, value) in [
        ("blame.ignoreRevsFile", "../ignored.txt"),
        ("diff.evil.textconv", "touch ../ran; cat"),
        ("diff.external", "touch ../ran"),
        ("core.fsmonitor", "touch ../ran"),
        ("core.pager", "touch ../ran; cat"),
        ("alias.blame", "!touch ../ran"),
    ] {
        story.place.git(["config", name, value]);
    }
    story.place.git(["replace", &last, &story.place.git(["rev-parse", "HEAD~2"])]);
    story.build(&["--threads", "3"]).prints(&["3          kept"]);
    let again =
        ["cases.jsonl", "rejected.jsonl", "dataset.json"].map(|file| story.place.read(&format!("../out/{file}")));
    assert_eq!(first, again);
    assert!(!story.place.path("../ran").exists());
    // The fixes of a range are those whose subject says so.
    let ran = story.place.run(["dataset", "cr-bench", "../range", "--fixes", "HEAD", "--need-issue"]);
    assert!(ran.stderr.contains("3 of 7 commits read as fixes"), "{}", ran.stderr);
    story.place.run(["dataset", "cr-bench", "../range"]).fails(2, &["name the fixes"]);
    story.place.run(["dataset", "cr-bench", "../none", "--fixes", "a...b"]).fails(2, &["no range"]);
    story.place.run(["dataset", "cr-bench", "../out", "--fix", "HEAD"]).fails(2, &["`../out` is not empty"]);
    story.place.run(["dataset", "clean", "../out"]).fails(2, &["`../out` is not empty"]);
    let collect = ["dataset", "collect", "../out", "--profile", "sphinx"];
    story.place.run(collect).fails(2, &["`../out` is not empty"]);
    let kept =
        ["cases.jsonl", "rejected.jsonl", "dataset.json"].map(|file| story.place.read(&format!("../out/{file}")));
    assert_eq!(first, kept);
    let missing =
        story.place.program(["dataset", "cr-bench", "../none", "--fix", "HEAD"]).env("PATH", "/nowhere").run();
    missing.fails(2, &["`git` cannot be started"]);
}

#[test]
fn a_shallow_clone_names_its_end() {
    let story = Story::new();
    story.put("a.py", "a = compute(1)\n", "Add a (#5)");
    story.put("b.py", "b = 1\n", "Add b (#6)");
    story.put("a.py", "a = compute(2)\n", "Fix a");
    let url = format!("file://{}", story.place.root().display());
    let sees = |depth: &str, name: &str| {
        story.place.git(["clone", "-q", "--depth", depth, &url, name]);
        let folder = format!("{name}.out");
        let ran = story.place.run(["dataset", "cr-bench", &folder, "-C", name, "--fix", "HEAD"]);
        keeps_nothing(&ran, &["shallow"]);
    };
    sees("1", "../one");
    sees("2", "../two");
}

fn pull(number: u32, title: &str, comments: &[(&str, &str, Option<u32>)]) -> Value {
    let comments: Vec<Value> = comments
        .iter()
        .enumerate()
        .map(|(at, (author, path, line))| {
            let body = format!("I think that this should rather check what `a` is before it goes on, number {at}");
            json!({"id": number * 100 + at as u32, "user": {"login": author}, "body": body, "path": path, "line": line})
        })
        .collect();
    json!({"number": number, "title": title, "body": "Because.", "user": {"login": "ann"},
        "merged_at": "2025-01-02T00:00:00Z", "review_comments": comments, "labels": [{"name": "bug"}], "linked_issues": [1]})
}

#[test]
fn changes_are_collected_by_the_filters_of_two_papers() {
    let story = Story::new();
    story.put("plain.py", "a = 1\n", "Add plain");
    story.put("a.py", python("a", 40), "Add a (#1)\n\nIt is new.");
    story.put("a.py", python("a", 40).replace("(7)", "(8)"), "Change a (#2)\n\nBecause of it. Closes #77");
    story.put("a.py", python("a", 40).replace("(7)", "(9)"), "Change a again (#3)");
    story.put("docs/a.md", "text\n", "Write (#4)\n\nIt is prose.");
    story.put("tests/test_a.py", "a = 1\n", "Test (#5)\n\nIt is a test.");
    story.put("lib.py", "a = 1\n", "Bump lib from 1 to 2 (#6)\n\nBumps.");
    story.place.write("b.py", "import a\n");
    story.put("c.py", "c = 1\n", "Two files (#7)\n\nThey are two.");
    let text = python("a", 40).replace("(7)", "(9)").replace("(20)", "(21)");
    story.put("a.py", &text, "Change a more (#8)\n\nThere are reasons.");

    let ran =
        story.place.run(["dataset", "collect", "../s", "--profile", "sphinx", "--name", "o/n", "--tokens", "2000"]);
    ran.prints(&["10          considered", "no-pull-request", "dependency-update", "not-one-file", "incomplete"]);
    let cases = lines(&story.place.read("../s/cases.jsonl"));
    let numbers = |cases: &[Value]| cases.iter().map(|case| case["facts"]["pull_request"].clone()).collect::<Vec<_>>();
    assert_eq!(numbers(&cases), [json!(2), json!(8)]);
    assert_eq!(cases[0]["facts"]["linked_issues"], json!([77]));
    assert_eq!(cases[0]["facts"]["safety"], "unscreened");
    let options = json!({
        "profile": "sphinx", "languages": [], "plain": false, "exported_pull_requests": null, "need_issue": false
    });
    let built = story.built("../s");
    assert_eq!((&built["options"], &built["tokens"]), (&options, &json!({"by": "estimate", "most": 2000})));
    let ran = story.place.run(["dataset", "collect", "../t", "--profile", "sphinx", "--tokens", "50", "--plain"]);
    keeps_nothing(&ran, &["too-many-tokens"]);
    assert!(!ran.text().contains("no-pull-request"));
    let ran =
        story.place.run(["dataset", "collect", "../l", "--profile", "sphinx", "--language", "go", "--need-issue"]);
    keeps_nothing(&ran, &["language"]);

    // Without an export: what is not known is said to be unknown.
    let ran = story.place.run(["dataset", "collect", "../g", "--profile", "swe-prbench", "--value", "0.1"]);
    ran.prints(&["docs-only", "tests-only"]);
    assert!(ran.stderr.contains("review culture unknown (up to 30)"), "{}", ran.stderr);
    let cases = lines(&story.place.read("../g/cases.jsonl"));
    assert!(cases.iter().all(|case| case["facts"]["rvs"].is_null() && !list(&case["facts"]["unknown"]).is_empty()));

    let human = ("bob", "a.py", Some(8));
    let unmerged = json!({"number": 3, "state": "closed", "title": "Change a again"});
    let export = json!({"repository": {"full_name": "o/n", "stargazers_count": 10_000}, "pull_requests": [
        pull(1, "Add a", &[human, ("coderabbitai[bot]", "a.py", Some(1))]),
        pull(2, "Change A", &[human, ("eve", "a.py", Some(30)), ("eve", "b.py", Some(1)), ("ann", "a.py", Some(8))]),
        unmerged,
        pull(7, "Two files", &[human, human, ("x[bot]", "c.py", Some(1)), ("y[bot]", "c.py", Some(1))]),
        pull(8, "Change a more", &[human, ("eve", "a.py", None)]),
    ]});
    story.place.write("../export.json", export.to_string());
    let args =
        ["dataset", "collect", "../m", "--profile", "swe-prbench", "--meta", "../export.json", "--value", "0.25"];
    let ran = story.place.run(args);
    ran.prints(&["not-merged", "few-comments", "ai-reviews", "2          kept"]);
    assert!(ran.stderr.contains("contamination 5.0 of 10"), "{}", ran.stderr);
    let cases = lines(&story.place.read("../m/cases.jsonl"));
    assert_eq!(numbers(&cases), [json!(2), json!(8)]);
    let evidence: Vec<&str> =
        list(&cases[0]["comments"]).iter().filter_map(|comment| comment["evidence"].as_str()).collect();
    assert_eq!(evidence, ["type1", "type2", "type3"]);
    let facts = &cases[0]["facts"];
    assert_eq!(facts["evidence"]["importing"], json!([] as [u8; 0]));
    // Four substantive comments and four threads; one file, two changed lines; two reviewers; no tests; a label.
    let expected = 0.25 * 8.0 / 20.0 + 0.20 * (0.1 + 2.0 / 500.0) / 3.0 + 0.20 * 2.0 / 10.0 + 0.20;
    let rvs = facts["rvs"].as_f64().unwrap();
    assert!((rvs - expected).abs() < 1e-9, "{rvs} {expected}");
    assert_eq!(cases[0]["difficulty"], "easy");
    story.place.run(["dataset", "check", "../m"]).prints(&["2 with comments of people"]);
    let options = json!({
        "profile": "swe-prbench", "languages": [], "plain": false, "exported_pull_requests": 5, "added": 800, "value": 0.25
    });
    assert_eq!(story.built("../m")["options"], options);
    let high = ["dataset", "collect", "../h", "--profile", "swe-prbench", "--meta", "../export.json", "--value", "0.9"];
    keeps_nothing(&story.place.run(high), &["low-value"]);
    story.place.write("../export.json", "{\"a\": 1}");
    story.place.run(args.map(|arg| if arg == "../m" { "../n" } else { arg })).fails(2, &["no pull requests"]);
}

#[cfg(unix)]
#[test]
fn a_program_counts_tokens() {
    use std::os::unix::fs::PermissionsExt as _;
    let story = Story::new();
    for number in 1..=3 {
        story.put("a.py", python("a", 3 * number), &format!("Change {number} (#{number})\n\nBecause."));
    }
    let program = |text: &str| {
        story.place.write("../count", format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(story.place.path("../count"), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let collect = |more: &[&str]| {
        let own = ["dataset", "collect", "../t", "--profile", "sphinx", "--tokens", "70", "--tokenizer", "../count"];
        story.place.run([&own[..], more].concat())
    };
    program("cat >> ../asked.json\necho '{\"tokens\": [70, 71]}'");
    collect(&[]).prints(&["too-many-tokens", "1          kept"]);
    // Once for all that have passed the other filters, with what the filter is about.
    let asked: Value = serde_json::from_str(&story.place.read("../asked.json")).unwrap();
    let texts: Vec<&str> = list(&asked["texts"]).iter().filter_map(Value::as_str).collect();
    assert_eq!(texts.len(), 2);
    assert_eq!(texts[0], format!("Change 2 (#2)\nBecause.\n{}", python("a", 3)));
    let facts = &lines(&story.place.read("../t/cases.jsonl"))[0]["facts"];
    assert_eq!((&facts["tokens"], facts.get("tokens_estimate")), (&json!(70), None));
    let manifest = || -> Value { serde_json::from_str(&story.place.read("../t/dataset.json")).unwrap() };
    assert_eq!(manifest()["built"]["tokens"], json!({"by": "program ../count", "most": 70}));
    std::fs::remove_dir_all(story.place.path("../t")).unwrap();
    // Without one it is said that nobody counted.
    story.place.run(["dataset", "collect", "../t", "--profile", "sphinx"]).prints(&["2          kept"]);
    assert_eq!(manifest()["built"]["tokens"], json!({"by": "estimate", "most": 32_000}));
    std::fs::remove_dir_all(story.place.path("../t")).unwrap();
    for (text, why) in [
        ("cat > /dev/null; echo '{\"tokens\": [7]}'", "program ../count wrote 1 numbers for 2 texts"),
        ("cat > /dev/null; echo '{\"tokens\": [7, -1]}'", "wrote a number of tokens that is none"),
        ("cat > /dev/null; echo '{\"vectors\": []}'", "wrote no `tokens`"),
        ("cat > /dev/null; echo seven", "wrote no JSON"),
        ("cat > /dev/null; echo no model >&2; exit 1", "`../count` failed: no model"),
    ] {
        program(text);
        collect(&[]).fails(2, &[why]);
    }
    program("sleep 600");
    collect(&["--seconds", "1"]).fails(2, &["longer than `--seconds` allows"]);
    assert!(!story.place.path("../t").exists());
    let wrong = ["dataset", "collect", "../t", "--profile", "swe-prbench", "--tokenizer", "../count"];
    story.place.run(wrong).fails(2, &["--tokenizer belongs to --profile sphinx"]);
}

#[test]
fn a_pull_request_is_one_change_of_its_number() {
    let story = Story::new();
    let text = |number: u32| python("a", 9).replace("(7)", &format!("({number})"));
    story.put("a.py", text(1), "Add a");
    let mut merges = Vec::new();
    // The third of these was made in a fork; so was the fifth, whose own pull request is not of this history.
    for (number, title) in
        [(1, "Say two"), (2, "Say three"), (1, "Of the fork"), (3, "Say five"), (4, "Of the fork too")]
    {
        story.place.git(["switch", "-q", "-c", "topic"]);
        story.put("a.py", text(merges.len() as u32 + 20), "Work");
        story.place.git(["switch", "-q", "main"]);
        let message = format!("Merge pull request #{number} from a/topic\n\n{title}\n\nWhy so.");
        story.place.git(["merge", "-q", "--no-ff", "-m", &message, "topic"]);
        story.place.git(["branch", "-q", "-D", "topic"]);
        merges.push(story.head());
    }
    story.put("a.py", text(50), "Say fifty (#9) close #2\n\nWhy so.");
    story.put("a.py", text(51), "Revert \"Say two (#1)\"\n\nWhy not.");
    let one = |number: u32, title: &str, merge: Option<&str>| {
        json!({"number": number, "title": title, "body": format!("Text of {number}"), "merge_commit_sha": merge,
            "merged_at": "2025-01-02T00:00:00Z"})
    };
    let other = "1".repeat(40);
    let export = json!([
        one(1, "Called otherwise since", Some(&merges[0])),
        one(2, "SAY three.", Some(&other)),
        one(3, "", None),
        one(4, "Another one", Some(&merges[1])),
        one(9, "Say fifty", None),
    ]);
    story.place.write("../export.json", export.to_string());
    let ran = story.place.run(["dataset", "collect", "../j", "--profile", "sphinx", "--meta", "../export.json"]);
    ran.prints(&["-2  ambiguous", "-3  no-pull-request", "4          kept"]);
    let cases = lines(&story.place.read("../j/cases.jsonl"));
    let told: Vec<_> = cases.iter().map(|case| (&case["facts"]["pull_request"], &case["description"])).collect();
    let expected = [1, 2, 3, 9].map(|number| (json!(number), json!(format!("Text of {number}"))));
    assert_eq!(told, expected.each_ref().map(|(number, text)| (number, text)));
    let rejected = lines(&story.place.read("../j/rejected.jsonl"));
    let ambiguous = rejected.iter().filter(|row| row["reason"] == "ambiguous");
    let subjects: Vec<&str> = ambiguous.filter_map(|row| row["subject"].as_str()).collect();
    assert_eq!(subjects, ["Of the fork", "Of the fork too"]);

    story.place.write("../export.json", "no JSON");
    story
        .place
        .run(["dataset", "collect", "../k", "--profile", "sphinx", "--meta", "../export.json"])
        .fails(2, &["export.json"]);
}

#[test]
fn a_change_is_collected_once_and_only_if_it_changes_something() {
    let story = Story::new();
    story.put("a.py", python("a", 9), "Add a");
    story.put("a.py", python("a", 9).replace("(7)", "(8)"), "Say eight (#1)\n\nWhy so.");
    story.put("a.py", python("a", 9), "Say seven (#2)\n\nWhy so.");
    story.put("a.py", format!("b = 1\n{}", python("a", 9)), "Say b (#3)\n\nWhy so.");
    story.put("a.py", format!("b = 1\n{}", python("a", 9).replace("(7)", "(8)")), "Eight again (#4)\n\nWhy so.");
    story.place.git(["commit", "-q", "--allow-empty", "-m", "Change nothing (#5)\n\nWhy so."]);
    for (profile, folder) in [("sphinx", "../s"), ("swe-prbench", "../w")] {
        let ran = story.place.run(["dataset", "collect", folder, "--profile", profile, "--value", "0"]);
        ran.prints(&["-1  empty", "-1  duplicate", "3          kept"]);
        let rejected = lines(&story.place.read(&format!("{folder}/rejected.jsonl")));
        let twin = rejected.iter().find(|row| row["reason"] == "duplicate").unwrap();
        assert_eq!(twin["subject"], "Eight again (#4)");
    }
}

#[test]
fn what_is_clean_adds_code_that_no_fix_is_beside() {
    let story = Story::new();
    let function = |name: &str, two: &str, body: &str| {
        format!("def {name}(a):\n    one = a + 1\n    two = one + {two}\n{body}    return two\n\n\n")
    };
    let added = "    three = two + 1\n    check(three)\n    four = three + 1\n    check(four)\n    say(four)\n";
    let names = ["mended", "fed", "grown", "explained", "beside"];
    let file = |texts: &[String]| texts.concat();
    let mut texts: Vec<String> = names.iter().map(|name| function(name, "1", "")).collect();
    story.put("five.py", file(&texts), "Add five");
    for (text, name) in texts.clone().iter().zip(names) {
        let at = texts.iter().position(|other| other == text).unwrap();
        texts[at] = function(name, "1", added);
        story.put("five.py", file(&texts), &format!("Say more in {name}"));
    }
    story.put("few.py", python("few", 4), "Add few");
    story.put("said.py", "def said(a):\n  return a\n", "Add said");
    story.put("said.py", format!("def said(a):\n{}  return a\n", "  # Why so.\n".repeat(9)), "Say why");
    let flat = |deep: &str| (0..9).map(|at| format!("{deep}call_{at}({at})\n")).collect::<String>();
    story.put("deep.py", format!("if x:\n{}", flat("  ")), "Add deep");
    story.put("deep.py", format!("if x:\n{}", flat("    ")), "Whitespace");
    let view = |last: &str| format!("<p>one</p>\n<p>two</p>\n<p>three</p>\n<p>{last}</p>\n");
    story.place.write("show.blade.php", view("four"));
    story.put("show.py", python("show", 6), "Add show");
    story.put("warned.py", python("warned", 6), "Fix all warnings");
    story.put("closes.py", python("closes", 6), "Do it\n\nCloses #12");
    story.put("config.toml", "a = 1\n", "Add config");
    // What becomes of them.
    texts[0] = function("mended", "2", added);
    story.put("five.py", file(&texts), "Fix mended");
    texts[1] = texts[1].replace("    two =", "    check(one)\n    two =");
    story.put("five.py", file(&texts), "Fix crash of fed");
    texts[2] = function("grown", "3", added);
    story.put("five.py", file(&texts), "Grow it");
    texts[3] = texts[3].replace("    two =", "    # For the bug in x.\n    two =");
    story.put("five.py", file(&texts), "Explain the wrong result");
    story.put("five.py", format!("{}def last(a):\n    return a\n", file(&texts)), "Fix what lacks");
    story.place.write("show.blade.php", view("five"));
    story.place.commit("Show five");

    let ran = story.place.run(["dataset", "clean", "../out", "--survive", "0"]);
    ran.prints(&["-2  mended-later", "4          kept"]);
    let cases = lines(&story.place.read("../out/cases.jsonl"));
    let titles: Vec<&str> = cases.iter().filter_map(|case| case["title"].as_str()).collect();
    let kept = ["Say more in grown", "Say more in explained", "Say more in beside", "Add deep"];
    assert_eq!(titles, kept);
    assert_eq!((&cases[3]["facts"]["added_lines"], &cases[3]["facts"]["added_code_lines"]), (&json!(10), &json!(10)));
    let rejected = lines(&story.place.read("../out/rejected.jsonl"));
    let reason = |title: &str| {
        rejected.iter().find(|row| row["subject"] == title).map(|row| row["reason"].as_str().unwrap().to_owned())
    };
    for (title, expected) in [
        ("Add five", "changed-inside"),
        ("Say more in mended", "mended-later"),
        ("Say more in fed", "mended-later"),
        ("Add few", "few-lines"),
        ("Say why", "no-code"),
        ("Whitespace", "no-code"),
        ("Add show", "changed-later"),
        ("Fix all warnings", "mends-or-reverts"),
        ("Do it", "mends-or-reverts"),
        ("Add config", "no-source"),
    ] {
        assert_eq!(reason(title).as_deref(), Some(expected), "{title}");
    }
    let ran = story.place.run(["dataset", "clean", "../empty", "--range", "HEAD~2..HEAD", "--until", "HEAD~4"]);
    ran.fails(3, &["nothing was considered"]);
    assert!(!ran.text().contains("rejected.jsonl"), "{}", ran.text());
}

#[test]
fn a_fix_is_one_of_what_stands_around_it() {
    let story = Story::new();
    let rows = |letter: char| (0..6).map(|at| format!("    {letter}{at} = {at}\n")).collect::<String>();
    let nest = |inner: &str, outer: &str| {
        format!(
            "class Nest:\n    def outer(self):\n        def inner():\n{inner}            return 1\n{outer}        return inner\n"
        )
    };
    let calls = |deep: usize| (0..6).map(|at| format!("{:deep$}call_{at}({at})\n", "")).collect::<String>();
    let table = |own: &str, last: u32| format!("TABLE = {{\n    'a': 1,\n{own}\n    'z': {last},\n}}\n");
    let entries: String = (0..6).map(|at| format!("    'k{at}': {at},\n")).collect();
    let class =
        |own: &str, last: &str| format!("class Box:\n    z = 1\n{own}\n{last}\n    def f(self):\n        return 1\n");
    let conf = |own: &str, more: &str| format!("first: 1\n{own}{more}last: 1\n");
    let keys: String = (0..3).map(|at| format!("k{at}: {at}\n")).collect();
    let names =
        |own: &str, more: &str| format!("from lib import (\n    a,\n{own}{more})\n\n\ndef used():\n    return a\n");
    let own_names: String = (0..3).map(|at| format!("    n{at},\n")).collect();
    let uses = "\n\ndef uses(a):\n    b = n0(a)\n    c = n1(b)\n    d = n2(c)\n    say(d)\n    return d\n";
    for (path, text) in [
        ("outer.py", nest("", "")),
        ("inner.py", nest("", "")),
        ("table.py", table("", 1)),
        ("class.py", class("", "    y = 1")),
        ("conf.yml", conf("", "")),
        ("other.yml", conf("", "")),
        ("names.py", names("", "")),
        ("CMakeLists.txt", "set(A 1)\n".to_owned()),
        ("notes.txt", "one\n".to_owned()),
    ] {
        story.place.write(path, text);
    }
    story.place.commit("Begin");
    story.put("outer.py", nest("", &calls(8)), "Outer grows");
    story.put("inner.py", nest(&calls(12), ""), "Inner grows");
    story.put("table.py", table(&entries, 1), "Table grows");
    story.put("class.py", class(&rows('c'), "    y = 1"), "Class grows");
    for (path, title) in [("conf.yml", "Say keys"), ("other.yml", "Say others")] {
        story.place.write(path, conf(&keys, ""));
        story.put(&path.replace("yml", "py"), python("keys", 6), title);
    }
    story.put("names.py", names(&own_names, "") + uses, "Use names");
    // A recipe is no prose, whatever its name ends in.
    for (path, title) in [("CMakeLists.txt", "Say flags"), ("notes.txt", "Say notes")] {
        story.place.write(path, "set(A 1)\nset(B 1)\n");
        story.put(&path.replace("txt", "py"), python("flags", 6), title);
    }
    // What becomes of them.
    story.put("outer.py", nest("            check()\n", &calls(8)), "Fix crash of inner");
    story.put("inner.py", nest(&calls(12), "        check()\n"), "Fix crash of outer");
    story.put("table.py", table(&entries, 2), "Fix wrong number");
    story.put("class.py", class(&rows('c'), "    y = 2"), "Fix wrong letter");
    story.put("conf.yml", conf(&keys, "more: 1\n"), "Fix crash without more");
    story.put("other.yml", conf(&keys, "more: 1\n"), "Say more");
    story.put("names.py", names(&own_names, "    n9,\n") + uses, "Fix crash without a name");
    for path in ["CMakeLists.txt", "notes.txt"] {
        story.put(path, "set(A 1)\nset(B 2)\n", "Say two");
    }

    story.place.run(["dataset", "clean", "../out", "--survive", "0"]).prints(&["-5  mended-later", "3          kept"]);
    let cases = lines(&story.place.read("../out/cases.jsonl"));
    let titles: Vec<&str> = cases.iter().filter_map(|case| case["title"].as_str()).collect();
    assert_eq!(titles, ["Say others", "Use names", "Say notes"]);
    let rejected = lines(&story.place.read("../out/rejected.jsonl"));
    let flags = rejected.iter().find(|row| row["subject"] == "Say flags").unwrap();
    assert_eq!(flags["reason"], "changed-later");
    let mended: Vec<&str> = rejected
        .iter()
        .filter(|row| row["reason"] == "mended-later")
        .filter_map(|row| row["subject"].as_str())
        .collect();
    assert_eq!(mended, ["Outer grows", "Inner grows", "Table grows", "Class grows", "Say keys"]);
}

#[test]
fn clean_changes_are_those_that_nobody_touched() {
    let story = Story::new();
    let code = |name: &str| python(name, 8);
    story.put("stays.py", code("stays"), "Add stays (#1)");
    story.put("changes.py", code("changes"), "Add changes (#2)");
    story.put("grows.py", code("grows"), "Add grows (#3)");
    story.put("goes.py", code("goes"), "Add goes (#4)");
    story.put("named.py", code("named"), "Add named (#55)");
    story.put("moves.py", code("moves"), "Add moves (#6)");
    let deep = "def f(a):\n    b = a + 1\n    c = b + 1\n    d = c + 1\n    return d\n";
    story.put("deep.py", deep, "Add deep (#7)");
    story.put("mends.py", code("mends"), "Fix crash (#8)");
    story.put("notes.txt", "note\n", "Note (#9)");
    story.put("vendor/x.py", code("x"), "Take x (#10)");
    story.put("large.py", python("large", 60), "Add large (#11)");
    // What becomes of them.
    story.put("changes.py", code("changes").replace("(3)", "(4)"), "Other number");
    story.put("grows.py", code("grows").replace("grows_4", "check()\ngrows_4"), "Look first");
    story.place.git(["rm", "-q", "goes.py"]);
    story.place.commit("Drop it");
    story.put("other.py", "a = 1\n", "Fix what #55 broke");
    story.place.git(["mv", "moves.py", "moved.py"]);
    story.place.commit("Call it otherwise");
    story.put(
        "deep.py",
        "def f(a):\n        b = a + 1\n        c = b + 1\n        d = c + 1\n        return d\n",
        "Four more blanks",
    );
    story.put("young.py", code("young"), "Add young (#12)");

    let ran = story.place.run(["dataset", "clean", "../out", "--survive", "3", "--most-lines", "50", "--name", "o/n"]);
    ran.prints(&["considered", "3          kept"]);
    let cases = lines(&story.place.read("../out/cases.jsonl"));
    let titles: Vec<&str> = cases.iter().filter_map(|case| case["title"].as_str()).collect();
    assert_eq!(titles, ["Add stays (#1)", "Add moves (#6)", "Add deep (#7)"]);
    assert!(cases.iter().all(|case| case["clean"] == true && case["language"] == "python"));
    assert_eq!(cases[0]["facts"]["survived_changes"], 17);
    let options = json!({
        "changes_until": story.head(), "survive": {"changes": 3}, "least_lines": 5, "most_lines": 50, "most_files": 20
    });
    assert_eq!(story.built("../out")["options"], options);
    let rejected = lines(&story.place.read("../out/rejected.jsonl"));
    let reason = |title: &str| {
        rejected.iter().find(|row| row["subject"] == title).map(|row| row["reason"].as_str().unwrap().to_owned())
    };
    for (title, expected) in [
        ("Fix the world", "no-parent"),
        ("Add changes (#2)", "changed-later"),
        ("Add grows (#3)", "changed-inside"),
        ("Add goes (#4)", "changed-later"),
        ("Add named (#55)", "named-later"),
        ("Fix crash (#8)", "mends-or-reverts"),
        ("Note (#9)", "no-source"),
        ("Take x (#10)", "generated"),
        ("Add large (#11)", "too-large"),
        ("Add young (#12)", "too-young"),
    ] {
        assert_eq!(reason(title).as_deref(), Some(expected), "{title}");
    }
    story.place.run(["dataset", "check", "../out"]).prints(&["3 clean"]);
    story.place.run(["dataset", "clean", "../out", "--survive", "soon"]).fails(2, &["no length of time"]);
}

#[test]
fn what_else_is_left_out_of_collections() {
    let story = Story::new();
    let long = |letter: &str| format!("a = '{}'\n", letter.repeat(30_000));
    story.put("long.py", long("x"), "Add long (#1)\n\nIt is long.");
    story.put("long.py", long("y"), "Change long (#2)\n\nIt is long.");
    story.place.write("a.py", python("a", 9));
    story.place.git(["add", "-A"]);
    story.place.git(["commit", "-q", "--author", "helper-bot <x@example.com>", "-m", "Add a (#3)\n\nAs asked."]);
    story.put("b.py", python("b", 9), "Add b (#4)\n\nIt is new.");
    let reasons = |out: &str| -> Vec<String> {
        let rejected = lines(&story.place.read(&format!("{out}/rejected.jsonl")));
        rejected.iter().map(|row| row["reason"].as_str().unwrap().to_owned()).collect()
    };
    keeps_nothing(&story.place.run(["dataset", "collect", "../s", "--profile", "sphinx", "--plain"]), &[]);
    assert_eq!(reasons("../s"), ["no-parent", "unreadable", "unreadable", "bot", "incomplete"]);
    let args = ["dataset", "collect", "../w", "--profile", "swe-prbench", "--added", "8", "--value", "0"];
    keeps_nothing(&story.place.run(args), &[]);
    assert_eq!(reasons("../w"), ["no-pull-request", "unreadable", "unreadable", "bot", "too-large"]);
    let url = format!("file://{}", story.place.root().display());
    story.place.git(["clone", "-q", "--depth", "1", &url, "../one"]);
    let ran = story.place.run(["dataset", "collect", "../c", "--profile", "sphinx", "-C", "../one"]);
    keeps_nothing(&ran, &["shallow"]);
    keeps_nothing(&story.place.run(["dataset", "clean", "../y", "--survive", "9m"]), &["too-young"]);

    // Of clean changes.
    story.place.git(["switch", "-q", "-c", "stable"]);
    story.put("c.py", python("c", 9), "Add c (#5)");
    story.place.git(["switch", "-q", "main"]);
    story.put("b.py", long("b"), "Make it one line");
    story.place.git(["merge", "-q", "--no-ff", "-m", "Merge branch 'stable'", "stable"]);
    story.place.run(["dataset", "clean", "../k", "--survive", "0"]).prints(&["1          kept"]);
    let expected =
        ["no-parent", "unreadable", "unreadable", "unreadable", "several-changes", "file-lost"].map(str::to_owned);
    assert_eq!(reasons("../k"), expected);
}
