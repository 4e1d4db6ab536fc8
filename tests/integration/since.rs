//! A second push: what is new, what is unchanged, what became of the rest, and what is asked again.

use serde_json::{Value, json};

use super::program::{Place, list};
use super::service::{Service, is_opinion, sure, user};

fn function(number: u32, word: &str) -> String {
    let lines: String = (0..12).map(|line| format!("    step_{line} = work({number}, {line})\n")).collect();
    format!("def part{number}(values):\n{lines}    return values[{number}]  # {word}\n")
}

fn fates(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    list(&report["since"]["gone"]).iter().map(|gone| (text(&gone["fate"]), text(&gone["file"]))).collect()
}

fn states(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut states: Vec<_> =
        list(&report["findings"]).iter().map(|finding| (text(&finding["file"]), text(&finding["since"]))).collect();
    states.sort();
    states
}

#[test]
fn findings_keep_their_identity_over_pushes() {
    let place = Place::house(&[("a.txt", "one\n")]);
    for name in ["stays", "moves", "fixed", "grows"] {
        place.write(&format!("{name}.txt"), format!("first of {name}\nMARK-1 in {name}\nlast of {name}\n"));
    }
    place.commit("first push");
    let first = place.run(["review", "--format", "json=../first.json", "--since", "../nothing.json"]);
    assert!(first.stderr.contains("so every finding is new"), "{}", first.stderr);
    let report: Value = serde_json::from_str(&place.read("../first.json")).unwrap();
    assert!(states(&report).iter().all(|(_, since)| since == "new"));
    place.git(["mv", "moves.txt", "moved.txt"]);
    place.write("fixed.txt", "first of fixed\nlast of fixed\n");
    place.write("grows.txt", format!("first of grows\nMARK-1 in grows\n{}\n", "x".repeat(40 << 20)));
    place.write("stays.txt", "a line above\nfirst of stays\nMARK-1 in stays\nlast of stays\n");
    place.write("fresh.txt", "MARK-2\n");
    place.commit("second push");
    let formats = ["--format", "json=../second.json", "--format", "sarif=../second.sarif", "--format", "text"];
    let second = place.program([&["review", "--since", "../first.json"], formats.as_slice()].concat()).run();
    let report: Value = serde_json::from_str(&place.read("../second.json")).unwrap();
    let expected = [("fresh.txt", "new"), ("moved.txt", "unchanged"), ("stays.txt", "unchanged")];
    assert_eq!(states(&report), expected.map(|(file, since)| (file.to_owned(), since.to_owned())));
    let expected = [("fixed", "fixed.txt"), ("unknown", "grows.txt")];
    let mut fates = fates(&report);
    fates.sort();
    assert_eq!(fates, expected.map(|(fate, file)| (fate.to_owned(), file.to_owned())));
    assert!(second.text().contains("1 new, 2 unchanged, 1 fixed, 1 unknown"), "{}", second.text());
    let sarif: Value = serde_json::from_str(&place.read("../second.sarif")).unwrap();
    let results = list(&sarif["runs"][0]["results"]);
    let mut baseline: Vec<&str> = results.iter().filter_map(|result| result["baselineState"].as_str()).collect();
    baseline.sort_unstable();
    assert_eq!(baseline, ["new", "unchanged", "unchanged"]);
    place.run(["review", "--since", "a.txt"]).fails(2, &["a.txt", "no diffsieve report"]);
}

#[test]
fn a_finding_that_somebody_accepted_since_is_hidden_not_fixed() {
    let place = Place::house(&[("a.txt", "one\n")]);
    place.write("b.txt", "MARK-1\n");
    place.commit("push");
    place.run(["review", "--format", "json=../first.json"]);
    place.run(["baseline", "create", "--reason", "agreed"]);
    let second = place.review(["--since", "../first.json", "--config-from", "worktree"]);
    assert_eq!(fates(&second.report), [("hidden".to_owned(), "b.txt".to_owned())]);
    assert_eq!(second.report["since"]["gone"][0]["why"], "suppressed:baseline: agreed");
}

#[test]
fn a_second_push_asks_about_changed_chunks_only() {
    let service = Service::new(sure("FAULT", "LogicError"));
    let place = Place::with(&[("a.py", "import os\n"), ("diffsieve.toml", "[model]\nchunk_tokens = 1000\n")]);
    for number in 0..24 {
        place.write(&format!("part{number}.py"), function(number, if number == 3 { "FAULT" } else { "fine" }));
    }
    place.commit("first push");
    let ask = |args: &[&str]| {
        let run = place.program([&["review", "--model", "openai/m"], args].concat());
        run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678").review()
    };
    let first = ask(&["--format", "json=../first.json"]);
    let cold = service.count();
    assert!(cold >= 6, "{cold} requests");
    assert_eq!(first.shown(), ["LogicError part3.py:14"]);
    let text = function(7, "fine").replace("step_4 = work", "step_4 = other_work");
    place.write("part7.py", text);
    place.commit("second push");
    let second = ask(&["--since", "../first.json"]);
    let asked: Vec<Value> = service.requests().split_off(cold);
    assert!(asked.iter().all(|request| !is_opinion(request) && user(request).contains("other_work")));
    assert_eq!((asked.len(), second.report["run"]["requests"].clone()), (1, json!(1)));
    assert_eq!(states(&second.report), [("part3.py".to_owned(), "unchanged".to_owned())]);
}

#[test]
fn only_what_was_looked_at_again_is_fixed() {
    let place = Place::house(&[("a.txt", "one\n")]);
    for name in ["x", "y"] {
        place.write(&format!("{name}.txt"), format!("first of {name}\nMARK-1 in {name}\nlast of {name}\n"));
    }
    place.commit("push");
    place.run(["review", "--format", "json=../first.json"]);
    let fates = |args: &[&str]| {
        let review = place.review([&["--since", "../first.json"], args].concat());
        let mut fates: Vec<_> = fates(&review.report).into_iter().map(|(fate, _)| fate).collect();
        fates.dedup();
        fates
    };
    let shares = ["1/2", "2/2"].map(|shard| fates(&["--shard", shard]));
    assert_eq!(shares, [["unknown"], ["unknown"]], "the other share has the other file");
    assert_eq!(fates(&["--commit", "HEAD"]), [""; 0]);
    place.git(["commit", "-q", "--allow-empty", "-m", "empty"]);
    assert_eq!(fates(&["--commit", "HEAD"]), ["unknown"], "another range");
    place.write("../packs.toml", "packs = [\"security\"]\n");
    assert_eq!(fates(&["--config", "../packs.toml"]), ["unknown"], "another policy");
    place.write("../exclude.toml", "[review]\nexclude = [\"*.txt\"]\n");
    assert_eq!(fates(&["--config", "../exclude.toml"]), ["unknown"], "not read");
    place.git(["rm", "-q", "x.txt", "y.txt"]);
    place.commit("taken back");
    assert_eq!(fates(&[]), ["fixed"], "compared with the same commit, the change does not touch the files any more");
    place.run(["review", "--shard", "1/2", "--format", "json=../share.json"]);
    place.run(["review", "--since", "../share.json"]).fails(2, &["is a share of a review"]);
}
