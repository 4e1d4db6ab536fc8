//! Datasets through a queue and through people, to training data: `diffsieve dataset sphinx`, `describe`, `label`, `bench`,
//! `export`, `cqs-sft`.

use std::fs;

use serde_json::{Value, json};

use super::program::{Place, Ran};

// In two pieces, so that no scanner takes this file for a leak.
const TOKEN: [&str; 2] = ["gh", "p_0000000112Xk2LmQ7vR4tY8wZ1aBcD3eFgH5j"];

fn records(place: &Place, file: &str) -> Vec<Value> {
    place.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A dataset with these cases.
fn dataset(place: &Place, name: &str, cases: &[Value]) {
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    place.write(&format!("{name}/cases.jsonl"), lines.join("\n") + "\n");
    let manifest = json!({"format": "diffsieve.dataset/v1", "name": name, "cases": 0, "digest": ""});
    place.write(&format!("{name}/dataset.json"), manifest.to_string());
    place.run(["dataset", "seal", name]).prints(&["cases"]);
}

/// Answers every open question of a queue; gives the questions.
fn answer(place: &Place, queue: &str, answer: impl Fn(&Value) -> Value) -> Vec<Value> {
    let mut asked = Vec::new();
    for entry in fs::read_dir(place.path(queue)).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".request.json"))
        else {
            continue;
        };
        let request: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let reply = path.with_file_name(format!("{name}.answer.json"));
        if !reply.exists() {
            fs::write(reply, answer(&request).to_string()).unwrap();
            asked.push(request);
        }
    }
    asked
}

fn user(request: &Value) -> &str {
    request["user"].as_str().unwrap()
}

const OLD: &str = "def share(total, people):\n    return total\n";
const MERGED: &str = "def share(total, people):\n    if not people:\n        return 0\n    return total / people\n";
const PSEUDO: &str = "def share(total, people):\n    return total / people\n";

/// A change that another solution gets wrong, one that it gets right, and one of two files.
fn merged_changes() -> Place {
    let place = Place::new();
    let case =
        |id: &str| json!({"id": id, "source": {"files": {"folder": format!("files/{id}")}}, "title": "Share it"});
    for id in ["wrong", "right", "wide"] {
        place.write(&format!("ds/files/{id}/old/a.py"), format!("# {id}\n{OLD}"));
        let secret = format!("KEY = \"{}\"\n", TOKEN.concat());
        place.write(&format!("ds/files/{id}/new/a.py"), format!("# {id}\n{MERGED}{secret}"));
    }
    place.write("ds/files/wide/new/b.py", "x = 1\n");
    dataset(&place, "ds", &[case("wrong"), case("right"), case("wide")]);
    place
}

fn stage(place: &Place, stage: &str, more: &[&str]) -> Ran {
    place.run([&["dataset", "sphinx", "ds", "--stage", stage, "--queue", "q"], more].concat())
}

fn pseudo(request: &Value) -> Value {
    let which =
        if user(request).contains("# wrong") { format!("# wrong\n{PSEUDO}") } else { format!("# right\n{MERGED}") };
    json!({"code": format!("```python\n{which}KEY = \"ghp_<hidden>\"\n```")})
}

const REMARK: &str = "zero people are not handled; return 0 for them";

fn review(_: &Value) -> Value {
    json!({
        "comments": [
            {"line": 3, "quote": "    return total / people", "comment": REMARK},
            {"line": 1, "quote": "# wrong", "comment": "the comment at the top says nothing"},
        ],
        "no_comment": false,
    })
}

fn checklist(_: &Value) -> Value {
    json!({"items": [{"comment": 1, "verb": "Handle", "text": "zero `people` in `share`", "why": "it divides by them"}]})
}

/// All four stages, to `bench`.
fn sphinx(place: &Place) {
    let instruct = |_: &Value| {
        json!({
            "problem_definition": "share the total",
            "code_editing_requirement": [{"modification_target": "share", "modification_logic": "divide; 0 for nobody"}],
        })
    };
    stage(place, "instruct", &[]);
    answer(place, "q", instruct);
    stage(place, "instruct", &[]).prints(&["2 answered now"]);
    stage(place, "pseudo", &[]);
    answer(place, "q", pseudo);
    stage(place, "pseudo", &[]).prints(&["2 answered now"]);
    stage(place, "review", &[]);
    answer(place, "q", review);
    stage(place, "review", &[]).prints(&["1 answered now", "1 with nothing to ask"]);
    // The folder of the last run is not in the way of it.
    let early = stage(place, "checklist", &["--out", "bench"]);
    early.fails(3, &["1 questions wait in the queue"]);
    assert!(early.text().contains("nothing is written yet") && !place.path("bench").exists(), "{}", early.text());
    answer(place, "q", checklist);
    stage(place, "checklist", &["--out", "bench"]).prints(&["2 cases written, 1 of them clean"]);
}

#[test]
fn a_stage_waits_for_the_queue_and_goes_on() {
    let place = merged_changes();
    let ran = stage(&place, "instruct", &[]);
    ran.fails(3, &["2 questions wait in the queue"]);
    assert!(ran.text().contains("left out (several-files 1)"), "{}", ran.text());
    stage(&place, "pseudo", &[]).fails(3, &["2 cases have no answer at the stage before"]);
    let asked = answer(&place, "q", |_| json!({"problem_definition": " ", "code_editing_requirement": []}));
    assert_eq!(asked.len(), 2);
    for request in &asked {
        assert!(!user(request).contains(&TOKEN.concat()), "a secret is in a question: {}", user(request));
        assert!(user(request).contains("<hidden>"));
    }
    // An answer that cannot be used is asked for again, with the reason.
    stage(&place, "instruct", &[]).fails(3, &["2 questions wait"]);
    let again = answer(&place, "q", |request| {
        assert!(user(request).contains("`problem_definition` is empty"), "{}", user(request));
        json!({"problem_definition": "p", "code_editing_requirement": [{"modification_target": "t", "modification_logic": "l"}]})
    });
    assert_eq!(again.len(), 2);
    stage(&place, "instruct", &[]).prints(&["2 answered now, 0 before"]);
    // What is answered is asked of nobody again.
    fs::remove_dir_all(place.path("q")).unwrap();
    stage(&place, "instruct", &[]).prints(&["0 answered now, 2 before"]);
}

#[test]
fn four_stages_make_a_case_with_a_checklist_and_a_clean_one() {
    let place = merged_changes();
    sphinx(&place);
    let cases = records(&place, "bench/cases.jsonl");
    let ids: Vec<&str> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["wrong", "right"]);
    let item =
        json!({"id": "i1", "text": "Handle zero `people` in `share` (it divides by them)", "file": "a.py", "line": 3});
    assert_eq!(cases[0]["checklist"], json!([item]));
    // The comment on a line that does not differ is dropped.
    assert_eq!(cases[0]["facts"]["sphinx_dropped"], 1);
    assert_eq!((&cases[1]["clean"], &cases[1]["checklist"][0]["text"]), (&json!(true), &json!("No comment")));
    assert!(place.read("bench/files/wrong/new/a.py").contains("return total / people\n"));
    assert!(records(&place, "bench/rejected.jsonl")[0]["reason"] == "several-files");
    place.run(["dataset", "check", "bench"]).prints(&["2 cases", "1 clean"]);
    // The same answers give the same bytes.
    let (one, log) = (place.read("bench/cases.jsonl"), place.read("ds/stages.jsonl"));
    stage(&place, "checklist", &["--out", "again"]).prints(&["2 cases written"]);
    assert_eq!((one, log), (place.read("again/cases.jsonl"), place.read("ds/stages.jsonl")));
    stage(&place, "checklist", &["--out", "again"]).fails(2, &["`again` is not empty"]);
    stage(&place, "review", &["--out", "x"]).fails(2, &["--out belongs to --stage checklist"]);
}

#[test]
fn nobody_to_ask_is_an_error() {
    let place = merged_changes();
    place.run(["dataset", "sphinx", "ds", "--stage", "instruct"]).fails(2, &["--model, --queue or --replay"]);
    place.run(["dataset", "sphinx", "nothing", "--stage", "instruct", "--queue", "q"]).fails(2, &["nothing"]);
}

#[test]
fn a_bug_is_described_from_its_fix() {
    let place = Place::repository();
    place.write("a.py", OLD);
    place.commit("begin");
    let base = place.git(["rev-parse", "HEAD"]).trim().to_owned();
    place.write("a.py", PSEUDO);
    place.commit("divide");
    let head = place.git(["rev-parse", "HEAD"]).trim().to_owned();
    place.write("a.py", MERGED);
    place.commit("zero people");
    let fix = place.git(["rev-parse", "HEAD"]).trim().to_owned();
    let case = |id: &str, facts: Value| {
        json!({
            "id": id, "source": {"commits": {"repository": "..", "base": base, "head": head}}, "facts": facts,
            "bugs": [{"id": "b", "description": "share() fails for nobody", "file": "a.py", "line": 2}],
        })
    };
    let facts = json!({"fix": fix, "description_from": "commit message"});
    dataset(&place, "ds", &[case("a", facts.clone()), case("b", facts), case("c", json!({}))]);
    let describe = || place.run(["dataset", "describe", "ds", "--out", "described", "--queue", "q"]);
    describe().fails(3, &["wait in the queue"]);
    // The two cases ask the same, so one answer serves both.
    let asked = answer(&place, "q", |request| {
        assert!(user(request).contains("+    if not people:") && user(request).contains("share() fails for nobody"));
        json!({"category": "PREVENTABLE", "confidence": 95, "reasoning": "r"})
    });
    assert_eq!(asked.len(), 1);
    describe().fails(3, &["wait in the queue"]);
    assert!(!place.path("described/dataset.json").exists());
    answer(&place, "q", |_| json!({"description": "`total / people` divides by zero when nobody is there."}));
    describe().fails(3, &["wait in the queue"]);
    answer(
        &place,
        "q",
        |_| json!({"category": "Structural Bugs", "impact": "Reliability", "severity": "Medium", "reasoning": "r"}),
    );
    describe().prints(&["2 cases described, 1 left out, 0 without an answer", "no-fix 1"]);
    let cases = records(&place, "described/cases.jsonl");
    let bug = &cases[0]["bugs"][0];
    assert_eq!(
        (&bug["category"], &bug["impact"], &bug["severity"]),
        (&json!("structural"), &json!("reliability"), &json!("medium"))
    );
    assert!(bug["description"].as_str().unwrap().starts_with("`total / people` divides"));
    let facts = &cases[0]["facts"];
    assert_eq!(facts["problem"], "share() fails for nobody");
    assert_eq!([&facts["description_from"], &facts["problem_from"]], ["model", "commit message"]);
    assert_eq!(cases[0]["facts"]["preventable"]["confidence"], 0.95);
    assert_eq!(cases[0]["source"]["commits"]["repository"], "..");
}

#[test]
fn people_label_what_is_kept() {
    let place = merged_changes();
    sphinx(&place);
    place.run(["dataset", "label", "bench", "--form", "form.csv"]).prints(&["2 items"]);
    place.run(["dataset", "label", "bench", "--form", "form.csv"]).fails(2, &["`form.csv` is there already"]);
    let form = place.read("form.csv");
    for (name, labels) in [("ann", ["valid", "valid"]), ("bob", ["valid", "invalid"])] {
        let next = place.run(["dataset", "label", "bench", "--next", "--by", name]);
        next.prints(&["wrong/item/i1"]);
        let mut labels = labels.iter();
        let lines = form.split("\r\n").map(|line| match line.strip_suffix(",\"\",\"\"") {
            Some(row) => format!("{row},\"{}\",\"{name}\"", labels.next().unwrap()),
            None => line.to_owned(),
        });
        place.write("filled.csv", lines.collect::<Vec<_>>().join("\r\n"));
        place.run(["dataset", "label", "bench", "--import", "filled.csv"]).prints(&["2 labels taken"]);
    }
    place.run(["dataset", "label", "bench", "--next", "--by", "cy"]).prints(&["nothing is left"]);
    let ran = place.run(["dataset", "label", "bench", "--out", "verified"]);
    ran.prints(&[
        "1 items agreed to be valid",
        "1 of 2 pairs of labels are the same, Cohen's kappa 0.0000",
        "disputed: right/item/i1 (ann valid, bob invalid)",
    ]);
    place.run(["dataset", "check", "verified"]).prints(&["2 cases"]);
    place.write("bad.jsonl", "{\"item\": \"wrong/item/i1\", \"label\": \"good\", \"by\": \"ann\"}\n");
    place.run(["dataset", "label", "bench", "--import", "bad.jsonl"]).fails(2, &["bad.jsonl", "row 1", "`good`"]);
}

#[test]
fn a_benchmark_says_what_is_short() {
    let place = merged_changes();
    sphinx(&place);
    let bench = |out: &str| place.run(["dataset", "bench", "bench", "--per-lang", "2:1", "--seed", "7", "--out", out]);
    bench("one").prints(&[
        "2 cases, digest ",
        "python       buggy 1 of 1 there, 1 short",
        "python       clean 1 of 1 there",
    ]);
    bench("two").prints(&[]);
    for file in ["cases.jsonl", "dataset.json", "hashes.json"] {
        assert_eq!(place.read(&format!("one/{file}")), place.read(&format!("two/{file}")));
    }
    place.run(["dataset", "check", "one"]).prints(&["2 cases"]);
    place.run(["dataset", "bench", "bench", "bench", "--out", "three"]).fails(2, &["the case `wrong`"]);
}

/// What `tests/conformance/exports` loads with the loaders of the trainer: one export of each kind.
fn exports(place: &Place) {
    sphinx(place);
    place.run(["dataset", "export", "bench", "--trl", "sft", "--out", "sft"]).prints(&["2 rows; 0 cases give none"]);
    place.run(["dataset", "export", "bench", "--trl", "grpo", "--out", "grpo"]).prints(&["2 rows"]);
    let digest = serde_json::from_str::<Value>(&place.read("bench/dataset.json")).unwrap()["digest"].clone();
    let run =
        json!({"format": "diffsieve.run/v1", "dataset": "d", "digest": digest, "version": "0", "configuration": {}});
    place.write("run/run.json", run.to_string());
    let comment = |score: i64| json!({"id": "c", "file": "a.py", "line": 3, "body": format!("worth {score}"), "tag": "DivisionByZero", "score": score});
    let answers = [8, 3].iter().zip(0..).map(|(score, sample)| {
        json!({"case": "wrong", "sample": sample, "status": "complete", "comments": [comment(*score)]}).to_string()
    });
    place.write("run/answers.jsonl", answers.collect::<Vec<_>>().join("\n") + "\n");
    let dpo = ["dataset", "export", "run", "--trl", "dpo", "--dataset", "bench", "--delta", "3", "--out", "dpo"];
    place.run(dpo).prints(&["1 rows; 1 cases give none (one-sample 1)"]);
    let comment = |id: u64, body: &str| {
        json!({
            "id": id, "path": "a.py", "line": 3, "body": body, "user": {"login": "ann", "type": "User"},
            "diff_hunk": "@@ -1,2 +1,2 @@\n def share(total, people):\n+    return total / people",
            "pull_request_url": "https://api.example.com/repos/o/n/pulls/1",
        })
    };
    let comments =
        [comment(1, "Zero people should be handled here."), comment(2, "nit: a blank is missing at the end")];
    place.write("gh.json", Value::from(comments.to_vec()).to_string());
}

#[test]
fn exports_are_what_a_trainer_reads() {
    let place = merged_changes();
    exports(&place);
    let sft = records(&place, "sft/train.jsonl");
    assert!(sft[0]["completion"][0]["content"].as_str().unwrap().contains(REMARK));
    assert_eq!(sft[1]["completion"][0]["content"], "No comment.");
    let roles: Vec<&str> =
        sft[0]["prompt"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user"]);
    let grpo = records(&place, "grpo/train.jsonl");
    assert_eq!(grpo[0]["checklist"], json!(["Handle zero `people` in `share` (it divides by them)"]));
    assert_eq!(grpo[1]["checklist"], json!(["No comment"]));
    let dpo = records(&place, "dpo/train.jsonl");
    assert!(dpo[0]["chosen"][0]["content"].as_str().unwrap().contains("worth 8"));
    assert!(dpo[0]["rejected"][0]["content"].as_str().unwrap().contains("worth 3"));
    for (kind, parts) in
        [("sft", "lora_r = { value = 8"), ("dpo", "beta = { value = 0.1"), ("grpo", "num_generations = { value = 16")]
    {
        assert!(place.read(&format!("{kind}/recipe.toml")).contains(parts));
    }
    place.run(["dataset", "export", "run", "--trl", "dpo", "--out", "x"]).fails(2, &["dpo needs --dataset"]);
    if let Some(folder) = std::env::var_os("DIFFSIEVE_EXPORTS") {
        place.run(["dataset", "cqs-sft", "--comments", "gh.json", "--out", "cqs-sft"]).prints(&["1 rows"]);
        for kind in ["sft", "dpo", "grpo", "cqs-sft"] {
            let to = std::path::Path::new(&folder).join(kind);
            fs::create_dir_all(&to).unwrap();
            fs::copy(place.path(format!("{kind}/train.jsonl")), to.join("train.jsonl")).unwrap();
        }
    }
}

#[test]
fn what_makes_nothing_is_no_success() {
    let place = merged_changes();
    exports(&place);
    let nothing = |args: &[&str]| place.run(args.iter().copied()).fails(3, &["nothing is kept"]);
    // Five points between the scores of the two answers, and six wanted.
    nothing(&["dataset", "export", "run", "--trl", "dpo", "--dataset", "bench", "--delta", "6", "--out", "d"]);
    assert_eq!(place.read("d/train.jsonl"), "");
    assert_eq!(records(&place, "d/rejected.jsonl").len(), 2);
    // Nothing is known of the merged changes themselves.
    nothing(&["dataset", "export", "ds", "--trl", "sft", "--out", "s"]);
    nothing(&["dataset", "export", "ds", "--trl", "grpo", "--out", "g"]);
    nothing(&["dataset", "bench", "ds", "--out", "b"]);
    nothing(&["dataset", "describe", "ds", "--queue", "q", "--out", "e"]);
    place.write("gh.json", "[]");
    nothing(&["dataset", "cqs-sft", "--comments", "gh.json", "--out", "c"]);
    dataset(&place, "empty", &[]);
    nothing(&["dataset", "label", "empty", "--out", "l"]);
    nothing(&["dataset", "freeze", "empty", "--out", "f"]);
    nothing(&["dataset", "screen", "empty", "--out", "n"]);
    nothing(&["dataset", "sphinx", "empty", "--stage", "checklist", "--queue", "q", "--out", "x"]);
}

#[test]
fn comments_of_people_are_graded() {
    let place = merged_changes();
    exports(&place);
    let run =
        |more: &[&str]| place.run([&["dataset", "cqs-sft", "--comments", "gh.json", "--out", "c"], more].concat());
    run(&[]).prints(&["1 of 2 comments pass the rules (nitpick 1)", "1 rows"]);
    run(&["--stage", "grade", "--queue", "q"]).fails(3, &["1 questions wait in the queue"]);
    answer(&place, "q", |_| {
        json!({
            "meaning": "m", "in_change": true, "links_out": false, "names_issue": true, "actionable": true,
            "nitpick": false, "quality": "good", "rationale": "Might zero people be handled?", "tag": "DivisionByZero",
            "function": "share",
        })
    });
    run(&["--stage", "grade", "--queue", "q"]).prints(&["1 graded now", "1 rows"]);
    let rows = records(&place, "c/train.jsonl");
    let said: Value = serde_json::from_str(rows[0]["completion"][0]["content"].as_str().unwrap()).unwrap();
    let issue = json!([{
        "file": "a.py", "line": 3, "function": "share", "tag": "DivisionByZero", "rationale": "Might zero people be handled?",
    }]);
    assert_eq!(said, issue);
    place.write("gh.json", "[{\"id\": 1}]");
    run(&[]).fails(2, &["gh.json", "record 1", "`pull_request_url`"]);
}
