#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::record::Difficulty;

const PATCH: &str = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n";

struct Stage(TempDir);

impl Stage {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn import(&self, format: &str, from: &Path) -> Result<(Dataset, Vec<Rejected>), Error> {
        let folders = Folders { repositories: Some(self.path("repos")), patches: Some(self.path("patches")) };
        let read = import(find(format).unwrap(), from, &folders, &self.path("out"));
        if read.is_ok() {
            Dataset::open(&self.path("out")).unwrap();
        }
        read
    }
}

#[test]
fn golden_comments_as_they_are_published() {
    let stage = Stage::new();
    stage.write("patches/calcom__cal.com__8087.diff", PATCH);
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden-comments/cal_dot_com.json");
    let (dataset, rejected) = stage.import("golden-comments", &real).unwrap();
    let case = &dataset.cases[0];
    assert_eq!((case.id.as_str(), case.language.as_deref()), ("calcom__cal.com__8087", Some("python")));
    assert_eq!(case.title, "Async import of the appStore packages");
    let severities: Vec<_> = case.bugs.iter().map(|bug| bug.severity.as_deref().unwrap()).collect();
    assert_eq!(severities, ["low", "critical"]);
    assert_eq!(rejected[0].reason, "no-patch");
    assert!(rejected[0].detail.contains("calcom__cal.com__10600.diff"), "{}", rejected[0].detail);
}

fn swe(stage: &Stage, annotation: &Value) {
    let record = json!({
        "task_id": "dask__1", "repo": "dask/dask", "pr_number": 1, "title": "T", "description": null,
        "language": "Python", "difficulty": "Type1_Direct", "rvs_score": 0.52, "base_commit": "aa", "head_commit": "bb",
        "diff_patch": PATCH, "unknown": {"field": [1]},
    });
    stage.write("data/prs.jsonl", &format!("{record}\n"));
    stage.write("data/annotations/dask__1_human.json", &annotation.to_string());
    stage.write("data/contexts/config_A/dask__1.json", "{\"rendered\": \"r\"}");
}

fn comment(id: &str, file: &str, in_diff: bool, initiating: bool) -> Value {
    json!({
        "comment_id": id, "body": "b", "file": file, "line": 1, "is_in_diff": in_diff,
        "is_initiating_comment": initiating, "severity": null,
    })
}

#[test]
fn the_truth_of_swe_prbench_is_what_is_substantive() {
    let stage = Stage::new();
    fs::create_dir_all(stage.path("repos/dask/dask")).unwrap();
    let comments =
        [comment("c_1", "a.py", true, true), comment("c_2", "a.py", false, false), comment("c_3", "b.py", false, true)];
    swe(&stage, &json!({"substantive_comment_ids": ["c_1", "c_2"], "comments": comments}));
    let (dataset, rejected) = stage.import("swe-prbench", &stage.path("data")).unwrap();
    assert!(rejected.is_empty());
    let case = &dataset.cases[0];
    let truth: Vec<_> = case.comments.iter().map(|one| (one.id.as_str(), one.evidence.as_deref().unwrap())).collect();
    assert_eq!(truth, [("c_1", "type1"), ("c_2", "type2")]);
    assert_eq!((case.language.as_deref(), case.difficulty), (Some("python"), Some(Difficulty::Easy)));
    assert_eq!(
        (&case.facts["rvs_score"], &case.facts["contexts"]["A"]),
        (&json!(0.52), &json!("contexts/config_A/dask__1.json"))
    );
    let Source::Patch { file, repository } = &case.source else { panic!("it is no patch") };
    assert_eq!(fs::read_to_string(dataset.path(file)).unwrap(), PATCH);
    assert!(repository.as_deref().unwrap().ends_with("repos/dask/dask"));

    let stage = Stage::new();
    swe(&stage, &json!({"substantive_comment_ids": [], "comments": comments}));
    let (dataset, _) = stage.import("swe-prbench", &stage.path("data")).unwrap();
    let truth: Vec<_> =
        dataset.cases[0].comments.iter().map(|one| (one.id.as_str(), one.evidence.as_deref().unwrap())).collect();
    assert_eq!(truth, [("c_1", "type1"), ("c_3", "type3")]);
}

#[test]
fn aacr_bench_names_commits_and_lines_in_either_order() {
    let stage = Stage::new();
    fs::create_dir_all(stage.path("repos/o__n")).unwrap();
    let note = |side: &str, from: u32, to: u32, context: &str| {
        json!({
            "is_ai_comment": true, "note": " n\n", "path": "a.cpp", "side": side, "source_model": "m",
            "from_line": from, "to_line": to, "category": "Code Defect", "context": context,
        })
    };
    let record = |number: u32| {
        json!({
            "change_line_count": 8, "project_main_language": "C++", "source_commit": "bb", "target_commit": "aa",
            "githubPrUrl": format!("https://github.com/o/n/pull/{number}"),
            "comments": [note("right", 9, 4, "Repo Level"), note("left", 3, 3, "Diff Level")],
        })
    };
    stage.write("positive_samples.json", &json!([record(7), record(7)]).to_string());
    let (dataset, rejected) = stage.import("aacr-bench", &stage.path("")).unwrap();
    let case = &dataset.cases[0];
    assert_eq!((case.id.as_str(), case.language.as_deref()), ("o__n__7", Some("cpp")));
    let places: Vec<_> = case.comments.iter().map(|one| (one.line, one.evidence.as_deref().unwrap())).collect();
    assert_eq!(places, [(Some(4), "type3"), (None, "type1")]);
    assert!(matches!(&case.source, Source::Commits { base, head, .. } if base == "aa" && head == "bb"));
    assert_eq!(case.facts["comments"]["c1"], json!({"category": "Code Defect", "by_model": true}));
    assert_eq!(rejected[0].reason, "twice");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (format, name, text, parts) in [
        ("golden-comments", "g.json", "{}", vec!["no list"]),
        ("golden-comments", "g.json", "[{\"url\": 1}]", vec!["g.json", "record 1", "`url`"]),
        ("golden-comments", "g.json", "[1,\n{", vec!["g.json", "line 2"]),
        (
            "aacr-bench",
            "g.json",
            r#"[{"githubPrUrl": "https://x.example/o/n/pull/x"}]"#,
            vec!["record 1", "pull request"],
        ),
        (
            "aacr-bench",
            "g.json",
            r#"[{"githubPrUrl": "https://x.example/o/n/pull/1", "target_commit": "a", "source_commit": "b"}]"#,
            vec!["record 1", "`comments`"],
        ),
        ("swe-prbench", "prs.jsonl", "{}\n", vec!["record 1", "`task_id`"]),
        ("swe-prbench", "prs.jsonl", "\n{\"task_id\": \"a\"", vec!["line 2"]),
    ] {
        let stage = Stage::new();
        stage.write(name, text);
        let error = stage.import(format, &stage.path(name)).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
    }
    // One record that cannot be used is left out, and told.
    let stage = Stage::new();
    let records = [("../x", PATCH), ("no-annotation", PATCH)];
    let lines = records.map(|(id, diff)| json!({"task_id": id, "repo": "o/n", "diff_patch": diff}).to_string());
    stage.write("prs.jsonl", &lines.join("\n"));
    let (dataset, rejected) = stage.import("swe-prbench", &stage.path("prs.jsonl")).unwrap();
    assert!(dataset.cases.is_empty());
    assert_eq!(rejected.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>(), ["bad-id", "no-annotation"]);
}

#[test]
fn an_address_is_one_of_a_pull_request() {
    assert_eq!(pull_request("https://github.com/o/n/pull/12/"), Some(("o/n".to_owned(), 12)));
    for url in ["", "https://github.com/o/n/issues/12", "pull/12", "https://github.com/o/n/pull/", "/pull/1"] {
        assert_eq!(pull_request(url), None, "{url}");
    }
}
