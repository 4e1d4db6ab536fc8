//! `diffsieve eval run` and `judge`: answers and decisions are kept, a run goes on where it stopped, and nothing that failed
//! passes for silence.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::program::{Place, Ran, Run};
use super::service::{Service, clean, is_opinion, scores, sure, user};

/// A dataset of three cases beside the house's rules: one marked fault, one clean change, one fault that no rule knows.
pub(super) fn dataset() -> Place {
    let place = Place::house(&[]);
    let case = |id: &str, truth: Value| {
        let mut case = json!({"id": id, "source": {"files": {"folder": format!("files/{id}")}}, "language": "python"});
        case.as_object_mut().unwrap().extend(truth.as_object().unwrap().clone());
        case
    };
    let bug =
        |line: u32, description: &str| json!([{"id": "b", "description": description, "file": "m.py", "line": line}]);
    let cases = [
        case(
            "marked",
            json!({
                "bugs": bug(2, "the marker MARK-one must not stay"),
                "comments": [{"id": "h", "file": "m.py", "line": 2, "body": "drop the marker `MARK-one`"}],
                "checklist": [{"id": "i", "text": "Drop the marker MARK-one (it means nothing)"}],
                "issues": [{"tag": "Marker", "rationale": "the marker MARK-one", "file": "m.py", "line": 2}],
            }),
        ),
        case("plain", json!({"clean": true})),
        case("subtle", json!({"bugs": bug(2, "divides by zero for an empty list  FAULT")})),
    ];
    place.write("ds/files/marked/old/m.py", "a = 1\n");
    place.write("ds/files/marked/new/m.py", "a = 1\nb = 'MARK-one'\n");
    place.write("ds/files/plain/new/m.py", "a = 1\n");
    place.write("ds/files/subtle/old/m.py", "def mean(v):\n    pass\n");
    place.write("ds/files/subtle/new/m.py", "def mean(v):\n    return sum(v) / len(v)  # FAULT\n");
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    place.write("ds/cases.jsonl", lines.join("\n") + "\n");
    place.write("ds/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"three","cases":0,"digest":""}"#);
    let sealed = place.run(["dataset", "seal", "ds"]);
    assert_eq!(sealed.code, 0, "{}", sealed.stderr);
    place
}

fn records(place: &Place, file: &str) -> Vec<Value> {
    place.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Answers without how long they took.
fn answers(place: &Place, run: &str) -> Vec<Value> {
    let mut answers = records(place, &format!("{run}/answers.jsonl"));
    answers.iter_mut().for_each(|answer| drop(answer["spent"]["seconds"].take()));
    answers
}

fn asking(place: &Place, service: &Service, args: &[&str]) -> Run {
    let run = place.program([&["eval", "run", "ds", "--out", "r", "--model", "openai/m"], args].concat());
    run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678")
}

#[test]
fn the_detectors_answer_and_words_judge() {
    let place = dataset();
    let ran = place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = answers(&place, "r");
    let comments: Vec<usize> = said.iter().map(|answer| answer["comments"].as_array().unwrap().len()).collect();
    assert_eq!(comments, [1, 0, 0]);
    assert_eq!(said[0]["comments"][0]["tag"], "Marker");
    let judged = records(&place, "r/judgements.jsonl");
    let of = |protocol: &str| judged.iter().filter(|one| one["protocol"] == protocol).collect::<Vec<_>>();
    assert_eq!(of("cr-bench")[0]["verdict"]["label"], "BUG_HIT");
    assert_eq!(of("cr-bench")[0]["verdict"]["matched"], "b");
    assert_eq!(of("swe-prbench")[0]["verdict"]["label"], "CONFIRMED");
    assert_eq!(of("sphinx")[0]["verdict"]["holds"], true);
    assert_eq!(
        (of("cqs")[0]["verdict"]["holds"].clone(), of("cqs")[0]["about"].clone()),
        (json!(true), json!(["c1", "0"]))
    );
    assert_eq!(of("similarity").len(), 0, "words are compared where they are needed");
    // Nothing is decided, and nothing written, twice.
    let again = place.run(["eval", "judge", "r", "--judge", "lexical"]);
    assert_eq!((again.code, records(&place, "r/judgements.jsonl")), (0, judged));
}

#[test]
fn a_run_goes_on_where_it_was_cut_off() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0);
    let whole = answers(&place, "r");
    let text = place.read("r/answers.jsonl");
    let first = text.lines().next().unwrap();
    place.write("r/answers.jsonl", format!("{first}\n{}", &text[first.len() + 1..first.len() + 20]));
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0);
    assert_eq!(answers(&place, "r"), whole);
    let kept: Value = serde_json::from_str(place.read("r/answers.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(kept, serde_json::from_str::<Value>(first).unwrap(), "what was answered is not asked again");
}

#[test]
fn a_folder_holds_one_run() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0);
    let other = place.run(["eval", "run", "ds", "--out", "r", "--samples", "2"]);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("another run (run.json differs in samples)"), "{}", other.stderr);
    place.write("ds/cases.jsonl", place.read("ds/cases.jsonl").replace("subtle\",\"source", "subtler\",\"source"));
    let edited = place.run(["eval", "judge", "r", "--judge", "lexical"]);
    assert_eq!(edited.code, 2);
    assert!(edited.stderr.contains("cases.jsonl`: its digest is not that of dataset.json: build"), "{}", edited.stderr);
}

#[test]
#[cfg(unix)]
fn the_advice_about_a_changed_dataset_can_be_pasted() {
    let place = dataset();
    for (folder, word) in [("my ds", "'my ds'"), ("a\u{1b}[31m b", r"$'a\033[31m b'"), ("-d", "./-d")] {
        fs::rename(place.path("ds"), place.path(folder)).unwrap();
        let cases = format!("{folder}/cases.jsonl");
        place.write(&cases, place.read(&cases).replace("subtle\",\"source", "subtler\",\"source"));
        let checked = place.run(["dataset", "check", "--", folder]);
        checked.fails(2, &[&format!("`diffsieve dataset seal {word}`"), &format!("`diffsieve dataset check {word}`")]);
        assert!(!checked.stderr.contains('\u{1b}'), "{}", checked.stderr);
        fs::rename(place.path(folder), place.path("ds")).unwrap();
    }
}

#[test]
fn a_dataset_that_is_not_what_it_was_says_where() {
    let place = dataset();
    let check = |parts: &[&str]| {
        place.run(["dataset", "check", "ds"]).fails(2, parts);
        assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0, "{parts:?}");
        assert_eq!(place.run(["dataset", "check", "ds"]).code, 0, "{parts:?}");
    };
    let file = "ds/files/subtle/new/m.py";
    place.write(file, "other = 1\n");
    check(&[file, "differs from what dataset.json was written for: build", "`diffsieve dataset seal ds`"]);
    let added = "ds/files/subtle/new/more.py";
    place.write(added, "more = 1\n");
    check(&[added, "was not there when dataset.json was written"]);
    place.write(file, "third = 1\n");
    fs::remove_file(place.path(added)).unwrap();
    check(&["1 more files are not as they were"]);
    fs::remove_dir_all(place.path("ds/files/subtle")).unwrap();
    check(&["subtle/", "is not there or cannot be read"]);
    let cases = place.read("ds/cases.jsonl");
    place.write("ds/cases.jsonl", cases.lines().next().unwrap());
    check(&["cases.jsonl`: its digest is not that of dataset.json (1 cases, and there were 3)", "dataset check ds"]);
    // A manifest of an older program records all files together.
    let mut manifest: Value = serde_json::from_str(&dataset_of_one_file(&place)).unwrap();
    manifest.as_object_mut().unwrap().remove("file_digests").unwrap();
    place.write("ds/dataset.json", manifest.to_string());
    assert_eq!(place.run(["dataset", "check", "ds"]).code, 0);
    place.write(file, "two = 2\n");
    check(&["dataset.json`: the files of its cases are not those", "does not record"]);
}

/// Leaves a dataset with one case of one file, and gives its manifest.
fn dataset_of_one_file(place: &Place) -> String {
    place.write("ds/files/subtle/new/m.py", "one = 1\n");
    place.write("ds/cases.jsonl", r#"{"id":"one","source":{"files":{"folder":"files/subtle"}}}"#);
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    place.read("ds/dataset.json")
}

#[test]
fn what_cannot_be_reviewed_is_failed_and_not_silent() {
    let place = dataset();
    fs::remove_dir_all(place.path("ds/files/subtle")).unwrap();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 2, "its files are not those it was made with");
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let ran = place.run(["eval", "run", "ds", "--out", "r"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let statuses: Vec<Value> = answers(&place, "r").iter().map(|answer| answer["status"].clone()).collect();
    assert_eq!(statuses, ["complete", "complete", "failed"]);
    // What is missing comes back, and nothing else changes.
    let file = place.path("ds/dataset.json");
    let without = fs::read_to_string(&file).unwrap();
    place.write("ds/files/subtle/new/m.py", "a = 1\n");
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let files = |text: &str| serde_json::from_str::<Value>(text).unwrap()["files"].as_str().unwrap().to_owned();
    let run = place.read("r/run.json").replace(&files(&without), &files(&fs::read_to_string(&file).unwrap()));
    place.write("r/run.json", run);
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0, "it is asked for again");
    assert_eq!(answers(&place, "r")[2]["status"], "complete");
}

#[test]
fn a_model_that_is_down_fails_every_case() {
    let place = dataset();
    let service = Service::new(|_| (401, "no".to_owned()));
    let ran = asking(&place, &service, &[]).run();
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(answers(&place, "r").iter().all(|answer| answer["status"] == "failed"));
    assert!(!ran.stderr.contains("geheim"));
}

#[test]
fn an_answer_in_no_shape_is_unparsable() {
    let place = dataset();
    let service = Service::new(|_| (200, r#"{"hello": 1}"#.to_owned()));
    let ran = asking(&place, &service, &["--cache", "off"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(answers(&place, "r").iter().all(|answer| answer["status"] == "unparsable"), "{:?}", answers(&place, "r"));
}

#[test]
fn strategies_ask_as_often_as_they_say() {
    let place = dataset();
    for (strategy, questions, opinions) in
        [("single", 3, 0), ("collect-validate", 3, 1), ("reflexion", 6, 0), ("votes", 9, 1)]
    {
        let service = Service::new(sure("FAULT", "LogicError"));
        let run = asking(&place, &service, &["--cache", "off", "--strategy", strategy]);
        let ran: Ran = run.run();
        assert_eq!(ran.code, 0, "{strategy}: {}", ran.stderr);
        let judged = service.requests().iter().filter(|request| is_opinion(request)).count();
        assert_eq!((service.count() - judged, judged), (questions, opinions), "{strategy}");
        assert_eq!(answers(&place, "r")[2]["comments"].as_array().unwrap().len(), 1, "{strategy}");
        fs::remove_dir_all(place.path("r")).unwrap();
    }
}

#[test]
fn a_tone_is_asked_for_and_is_part_of_the_run() {
    let place = dataset();
    place.write("plain.toml", "[model]\ntone = 'plain'\n");
    place.write("loud.toml", "[model]\ntone = 'loud'\n");
    let service = Service::new(|_| (200, clean()));
    let words = |args: &[&str]| {
        let before = service.count();
        let ran = asking(&place, &service, args).run();
        assert_eq!((ran.code, service.count()), (0, before + 3), "another question is asked anew: {}", ran.stderr);
        let tone = serde_json::from_str::<Value>(&place.read("r/run.json")).unwrap()["configuration"]["tone"].clone();
        let asked =
            service.requests()[before..].iter().all(|request| request.to_string().contains("a plain statement"));
        (tone, asked)
    };
    assert_eq!(words(&[]), (Value::Null, false));
    let other = asking(&place, &service, &["--config", "plain.toml"]).run();
    assert_eq!(other.code, 2, "one folder, one tone: {}", other.stderr);
    fs::remove_dir_all(place.path("r")).unwrap();
    assert_eq!(words(&["--config", "plain.toml"]), (json!("plain"), true));
    let wrong = asking(&place, &service, &["--config", "loud.toml"]).run();
    assert!(wrong.code == 2 && wrong.stderr.contains("`loud` is no valid `tone`"), "{}", wrong.stderr);
}

/// What the command line takes for a context, the configuration takes too, and the other way round.
#[test]
fn a_context_is_written_alike_as_an_option_and_in_a_configuration() {
    let place = dataset();
    let service = Service::new(|_| (200, clean()));
    for (context, meant) in [("none", "none"), ("None", "none"), ("NONE", "none"), ("b", "B"), ("C", "C")] {
        place.write("own.toml", format!("[review]\ncontext = '{context}'\n"));
        for args in [["--config", "own.toml"], ["--context", context]] {
            let ran = asking(&place, &service, &args).run();
            assert_eq!(ran.code, 0, "{args:?}, {context}: {}", ran.stderr);
            let run: Value = serde_json::from_str(&place.read("r/run.json")).unwrap();
            assert_eq!(run["configuration"]["context"], meant, "{args:?}");
            fs::remove_dir_all(place.path("r")).unwrap();
        }
    }
    place.write("own.toml", "[review]\ncontext = 'D'\n");
    asking(&place, &service, &["--config", "own.toml"]).run().fails(2, &["`D` is no valid `context`"]);
    assert_eq!(asking(&place, &service, &["--context", "D"]).run().code, 2);
}

#[test]
fn a_second_sample_is_another_question() {
    let place = dataset();
    let service = Service::new(|_| (200, clean()));
    let ran = asking(&place, &service, &["--samples", "2", "--strategy", "single"]).run();
    assert_eq!((ran.code, service.count(), answers(&place, "r").len()), (0, 6, 6), "{}", ran.stderr);
    let samples: Vec<u64> = answers(&place, "r").iter().map(|answer| answer["sample"].as_u64().unwrap()).collect();
    assert_eq!(samples, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn a_papers_agent_needs_no_sieve() {
    let place = dataset();
    let service = Service::new(|request| {
        let says = user(request).contains("FAULT");
        let comment =
            json!({"file": "m.py", "line": 2, "comment": "an empty list divides by zero", "severity": "high"});
        (200, json!({"comments": if says { vec![comment] } else { Vec::new() }}).to_string())
    });
    let ran = asking(&place, &service, &["--agent", "cr-bench"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = answers(&place, "r");
    assert_eq!(said[2]["comments"][0]["body"], "an empty list divides by zero");
    assert_eq!(said[2]["comments"][0]["level"], "error");
    assert_eq!(
        (&said[2]["comments"][0]["severity"], &said[2]["comments"][0]["category"]),
        (&json!("high"), &Value::Null)
    );
    assert_eq!((said[0]["comments"].clone(), said[1]["comments"].clone()), (json!([]), json!([])));
    let wrong = asking(&place, &service, &["--agent", "cr-bench", "--strategy", "votes"]).run();
    assert_eq!(wrong.code, 2);
}

/// A dataset of one case: a function and its test, both changed.
fn tested() -> Place {
    let place = Place::house(&[]);
    let code = |divisor: &str| {
        format!(
            "import os\n\ndef mean(v):\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return sum(v) / {divisor}\n"
        )
    };
    let test = |result: u32| {
        format!(
            "def test_mean():\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    assert mean([1]) == 1\n    e = {result}\n"
        )
    };
    for (side, divisor, result) in [("old", "2", 3), ("new", "len(v)", 4)] {
        place.write(&format!("ds/files/one/{side}/mean.py"), code(divisor));
        place.write(&format!("ds/files/one/{side}/test_mean.py"), test(result));
    }
    let case = json!({"id": "one", "source": {"files": {"folder": "files/one"}}, "clean": true});
    place.write("ds/cases.jsonl", format!("{case}\n"));
    place.write("ds/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"one","cases":0,"digest":""}"#);
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    place
}

#[test]
fn a_papers_agent_is_shown_what_the_context_says() {
    let place = tested();
    let asked = |agent: &str, context: Option<&str>| {
        let service = Service::new(|_| (200, json!({"comments": []}).to_string()));
        let mut args = vec!["--agent", agent, "--cache", "off"];
        args.extend(context.iter().flat_map(|context| ["--context", context]));
        let ran = asking(&place, &service, &args).run();
        assert_eq!((ran.code, service.count()), (0, 1), "{}", ran.stderr);
        let run: Value = serde_json::from_str(&place.read("r/run.json")).unwrap();
        assert_eq!(run["configuration"]["context"], context.unwrap_or("none"));
        fs::remove_dir_all(place.path("r")).unwrap();
        service.requests().remove(0)
    };
    let system = |request: &Value| request["messages"][0]["content"].as_str().unwrap().to_owned();
    let none = asked("swe-prbench", None);
    let [a, b, c] = ["A", "B", "C"].map(|context| asked("swe-prbench", Some(context)));
    assert_eq!(
        user(&none),
        "\
=== Raw Source Control Code Changes BEGIN ===
File: mean.py
5      b = 2
6      c = 3
7      d = 4
8 -    return sum(v) / 2
8 +    return sum(v) / len(v)
File: test_mean.py
4      c = 3
5      d = 4
6      assert mean([1]) == 1
7 -    e = 3
7 +    e = 4
=== Raw Source Control Code Changes END ===
"
    );
    let (a_text, b_text, c_text) = (user(&a), user(&b), user(&c));
    assert!(a_text.ends_with(user(&none)) && a_text.contains("| ~ body of function mean\n"), "{a_text}");
    assert!(!a_text.contains(" BASE, ") && b_text.contains(user(&none)), "{b_text}");
    assert!(b_text.contains(" BASE, before the change: mean.py>>\n| def mean(v):\n|     a = 1\n"), "{b_text}");
    assert!(!b_text.contains("| def test_mean():") && c_text.contains("| def test_mean():\n"), "{c_text}");
    assert!(!system(&none).contains("<<marks>>") && system(&a).contains("<<marks>>"));
    // All agents are shown the same, and the words of one of them are not those of another.
    assert_eq!((user(&asked("sphinx", Some("C"))), user(&asked("cr-bench", Some("none")))), (c_text, user(&none)));
}

#[test]
fn the_diff_is_written_as_asked() {
    let place = dataset();
    // Who is asked names the line of the file, and quotes it as it stands on the page.
    let claims = |page: &str, sign: &str| {
        let quote =
            page.lines().find(|line| line.contains("FAULT")).map(|line| line.trim_start_matches(sign).to_owned());
        let finding = |quote: String| {
            json!({"file": "m.py", "line": 2, "quote": quote, "tag": "LogicError", "suggestion": "",
                   "rationale": "For an empty list this divides by zero; could it be checked first?"})
        };
        let findings: Vec<Value> = quote.into_iter().map(finding).collect();
        json!({"no_comment": findings.is_empty(), "findings": findings}).to_string()
    };
    for (form, sign, line) in [
        ("plain", "", "+    return sum(v) / len(v)  # FAULT\n"),
        ("cqs", "", "2 +    return sum(v) / len(v)  # FAULT\n"),
        ("cqs", "2 +", "2 +    return sum(v) / len(v)  # FAULT\n"),
    ] {
        let service = Service::new(move |request| {
            (200, if is_opinion(request) { scores(user(request), 9) } else { claims(user(request), sign) })
        });
        let args = ["--cache", "off", "--strategy", "collect-validate", "--diff-format", form];
        let ran = asking(&place, &service, &args).run();
        assert_eq!(ran.code, 0, "{form}: {}", ran.stderr);
        let said = answers(&place, "r");
        let comment = &said[2]["comments"][0];
        assert_eq!((&comment["line"], &comment["score"]), (&json!(2), &json!(9)), "{form}: {}", said[2]);
        let run: Value = serde_json::from_str(&place.read("r/run.json")).unwrap();
        assert_eq!(run["configuration"]["diff_format"], form);
        let of = |opinion: bool| {
            let requests = service.requests();
            let own =
                requests.into_iter().find(|request| is_opinion(request) == opinion && user(request).contains("FAULT"));
            own.map(|request| (request["messages"][0]["content"].to_string(), user(&request).to_owned())).unwrap()
        };
        let ((collector, page), (validator, excerpt)) = (of(false), of(true));
        assert!(
            page.contains(line) && excerpt.contains(line) && excerpt.starts_with("File: m.py\n"),
            "{page}{excerpt}"
        );
        assert!(excerpt.contains("\"line\":2,"), "{excerpt}");
        assert!(
            collector.contains("the path after `File:`") && !validator.contains("`12+ `"),
            "{collector}{validator}"
        );
        fs::remove_dir_all(place.path("r")).unwrap();
    }
    let service = Service::new(sure("FAULT", "LogicError"));
    let ran = asking(&place, &service, &["--cache", "off", "--diff-format", "marked"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let run: Value = serde_json::from_str(&place.read("r/run.json")).unwrap();
    assert_eq!(run["configuration"].get("diff_format"), None, "the default goes without saying");
    let agents = asking(&place, &service, &["--diff-format", "plain", "--agent", "sphinx"]).run();
    assert_eq!(agents.code, 2);
    assert_eq!(place.run(["eval", "run", "ds", "--out", "q", "--diff-format", "plain"]).code, 2);
}

#[test]
fn the_swe_prbench_agent_speaks_in_its_papers_words() {
    let place = dataset();
    let service = Service::new(|request| {
        let comments = match user(request).contains("FAULT") {
            true => json!([
                {"file": "m.py", "line": 2, "body": "an empty list divides by zero", "severity": "P0"},
                {"file": "", "line": 0, "body": "there is no test", "severity": "P1"},
                {"file": "m.py", "line": 1, "body": "v says nothing", "severity": "P2"},
            ]),
            false => json!([]),
        };
        (200, json!({ "comments": comments }).to_string())
    });
    let ran = asking(&place, &service, &["--agent", "swe-prbench"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = answers(&place, "r");
    let told = |index: usize| {
        let comment = &said[2]["comments"][index];
        [&comment["file"], &comment["line"], &comment["level"]].map(Value::clone)
    };
    assert_eq!(told(0), [json!("m.py"), json!(2), json!("error")]);
    assert_eq!(told(1), [Value::Null, Value::Null, json!("warning")]);
    assert_eq!(told(2), [json!("m.py"), json!(1), json!("note")]);
    let request = &service.requests()[0];
    let item = &request["response_format"]["json_schema"]["schema"]["properties"]["comments"]["items"];
    assert_eq!(item["properties"]["severity"]["enum"], json!(["P0", "P1", "P2"]));
    assert_eq!(item["required"], json!(["file", "line", "body", "severity"]));
}

#[test]
fn a_model_judges_and_what_it_leaves_open_is_named() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0);
    let service = Service::new(|request| {
        let name = request["response_format"]["json_schema"]["name"].as_str().unwrap_or_default();
        match name {
            "classification" => {
                (200, json!({"classification": "valid_suggestion", "bug": "", "reason": "it is right"}).to_string())
            }
            "coverage" => (200, json!({"items": [{"id": "i", "addressed": false}]}).to_string()),
            "same" => (503, "down".to_owned()),
            _ => (200, json!({"decisions": []}).to_string()),
        }
    });
    let judge = |place: &Place| {
        let run = place.program(["eval", "judge", "r", "--judge", "openai/judge", "--cache", "off", "--seconds", "3"]);
        run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678").run()
    };
    let ran = judge(&place);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("not judged: marked"), "{}", ran.stderr);
    let judged = records(&place, "r/judgements.jsonl");
    let of = |protocol: &str| judged.iter().find(|one| one["protocol"] == protocol);
    assert_eq!(of("cr-bench").unwrap()["verdict"]["label"], "VALID_SUGGESTION");
    assert_eq!(of("cr-bench").unwrap()["judge"], "openai/judge judge/v1");
    assert_eq!(of("swe-prbench").unwrap()["verdict"]["unparsable"], true);
    assert_eq!(of("sphinx").unwrap()["verdict"]["holds"], false);
    assert!(of("cqs").is_none());
}

/// What can be looked up is: whether any of the code that a comment quotes is there.
#[test]
fn a_judge_is_told_of_code_that_nothing_has() {
    let place = dataset();
    let comment = |id: &str, body: &str| json!({"id": id, "file": "m.py", "line": 2, "body": body});
    let comments = json!([comment("c1", "`frobnicate()` divides by zero"), comment("c2", "`MARK-one` stays")]);
    let answer = |case: &str, comments: Value| json!({"case": case, "status": "complete", "comments": comments});
    let lines = [answer("marked", comments), answer("plain", json!([])), answer("subtle", json!([]))];
    place.write("said.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(place.run(["eval", "import", "ds", "--name", "n", "--answers", "said.jsonl", "--out", "r"]).code, 0);
    let service = Service::new(|request| {
        let asked: Value = serde_json::from_str(user(request)).unwrap();
        let told: Vec<bool> = asked["comments_of_the_reviewer"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["looked_up"].as_str().is_some_and(|text| text.starts_with("no changed file")))
            .collect();
        assert_eq!(told, [true, false]);
        let one = |id: &str| json!({"id": id, "label": "PLAUSIBLE", "human": "", "actionability": 3, "reason": "r"});
        (200, json!({"decisions": [one("c1"), one("c2")]}).to_string())
    });
    let args = ["eval", "judge", "r", "--judge", "openai/judge", "--protocol", "swe-prbench", "--cache", "off"];
    let run =
        place.program(args).env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678");
    let ran = run.run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_program_measures_similarity() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = dataset();
    place.write("embed", "#!/bin/sh\ncat > asked.json\necho '{\"vectors\": [[1, 0], [1, 1]]}'\n");
    fs::set_permissions(place.path("embed"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical", "--embed", "./embed"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let asked: Value = serde_json::from_str(&place.read("asked.json")).unwrap();
    assert_eq!(asked["texts"].as_array().unwrap().len(), 2);
    let judged = records(&place, "r/judgements.jsonl");
    let alike = judged.iter().find(|one| one["protocol"] == "similarity").unwrap();
    assert_eq!(alike["judge"], "program ./embed");
    assert!((alike["verdict"]["number"].as_f64().unwrap() - 0.5_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn what_must_not_be_handed_on_leaves_the_dataset() {
    let place = Place::new();
    let case = |id: &str, licence: Option<&str>| {
        json!({
            "id": id,
            "source": {"files": {"folder": format!("files/{id}")}},
            "origin": {"repository": "house", "licence": licence},
            "facts": {"safety": "unscreened"},
        })
    };
    let cases =
        [case("fine", Some("MIT")), case("leaks", Some("MIT")), case("grabbed", None), case("foreign", Some("X"))];
    let lines: Vec<String> = cases.iter().map(|case| case.to_string().replace(",\"licence\":null", "")).collect();
    place.write("ds/cases.jsonl", lines.join("\n") + "\n");
    for id in ["fine", "grabbed", "foreign"] {
        place.write(&format!("ds/files/{id}/new/m.py"), "a = 1\n");
    }
    let key = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
    place.write("ds/files/leaks/new/m.py", format!("key = '{key}'\n"));
    place.write("ds/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"four","cases":0,"digest":""}"#);
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let ran = place.run(["dataset", "screen", "ds", "--licence", "MIT", "--out", "fit"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let kept = records(&place, "fit/cases.jsonl");
    assert_eq!(kept.iter().map(|case| case["id"].as_str().unwrap()).collect::<Vec<_>>(), ["fine"]);
    assert_eq!(kept[0]["facts"]["screened"], "unscreened", "nobody calls it safe without a model");
    let codes: Vec<Value> = records(&place, "fit/rejected.jsonl").iter().map(|one| one["reason"].clone()).collect();
    assert_eq!(codes, ["secret", "licence", "licence"]);
    assert!(!place.read("fit/rejected.jsonl").contains(&key));
    let there: Vec<_> =
        fs::read_dir(place.path("fit/files")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there, ["fine"], "what is rejected stays behind");
    // A model may call it safe, or not.
    let screen = |out: &str, safe: bool| {
        let service = Service::new(move |_| (200, json!({"safe": safe, "reason": "it says one"}).to_string()));
        let run = place.program(["dataset", "screen", "fit", "--model", "openai/m", "--cache", "off", "--out", out]);
        run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678").run()
    };
    assert_eq!(screen("safe", true).code, 0);
    let facts = &records(&place, "safe/cases.jsonl")[0]["facts"];
    assert_eq!((&facts["screened"], &facts["safety"]), (&json!("safe"), &json!("safe")), "one case, one word");
    let ran = screen("none", false);
    assert_eq!((ran.code, records(&place, "none/cases.jsonl").len()), (3, 0), "{}", ran.stderr);
    assert_eq!(records(&place, "none/rejected.jsonl")[0]["reason"], "unsafe");
}

/// The measures of each protocol.
fn measures(place: &Place, run: &str) -> Value {
    let protocols = ["cr-bench", "swe-prbench", "sphinx", "cqs"];
    let of = |name: &str| {
        let scores: Value = serde_json::from_str(&place.read(&format!("{run}/scores/{name}.json"))).unwrap();
        (
            name.to_owned(),
            json!({"measures": scores["measures"], "clean": scores["clean"], "location": scores["location"]}),
        )
    };
    Value::Object(protocols.map(of).into_iter().collect())
}

#[test]
fn the_small_dataset_is_measured_from_end_to_end() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measure");
    let place = Place::new();
    let run = |out: &str| {
        let run = place.program(["eval", "run", "--judge", "replay", "--no-config", "--out", out]);
        let run = run.arg(here.join("small")).arg("--replay").arg(here.join("answers"));
        run.arg("--report").arg(format!("html={out}/report.html")).run()
    };
    let (one, two) = (run("one"), run("two"));
    assert_eq!((one.code, two.code), (0, 0), "{}", one.stderr);
    assert!(one.stderr.contains("44 complete"), "{}", one.stderr);
    // Reviewer and judge were recorded by different people.
    assert!(!one.stderr.contains("judges its own answers"), "{}", one.stderr);
    for file in
        ["judgements.jsonl", "scores/cr-bench.json", "scores/swe-prbench.json", "scores/sphinx.json", "scores/cqs.json"]
    {
        assert_eq!(place.read(&format!("one/{file}")), place.read(&format!("two/{file}")), "{file}");
    }
    let text = format!("{:#}\n", measures(&place, "one"));
    let path = here.join("measures.json");
    if std::env::var_os("DIFFSIEVE_GENERATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let why = "tests/measure/measures.json differs: DIFFSIEVE_GENERATE=1 cargo test --test integration small_dataset";
    assert!(fs::read_to_string(&path).unwrap_or_default() == text, "{why}\n{text}");
    for answer in answers(&place, "one") {
        let removed = answer["removed"].as_array().into_iter().flatten().map(|removed| &removed["comment"]);
        for comment in answer["comments"].as_array().unwrap().iter().chain(removed) {
            let is_known = !comment["tag"].as_str().unwrap().starts_with("novel:");
            for axis in ["category", "impact", "severity"] {
                assert_eq!(comment[axis].is_string(), is_known, "{axis} of {comment}");
            }
        }
    }
    let page = place.read("one/report.html");
    assert!(page.contains("<svg") && page.contains("cr-bench"));
}

#[test]
fn a_frozen_dataset_is_reviewed_as_the_one_it_was() {
    let place =
        Place::house(&[("kept.py", "a = 1\n"), ("gone.py", "b = 1\n"), ("moved.py", "x = 1\ny = 2\nz = 3\nw = 4\n")]);
    place.write("kept.py", "a = 1\nc = 'MARK-kept'\n");
    place.write("deep/new.py", "d = 'MARK-new'\n");
    place.write("picture.bin", [0, 1, 2, 0]);
    fs::remove_file(place.path("gone.py")).unwrap();
    place.git(["mv", "moved.py", "renamed.py"]);
    place.write("renamed.py", "x = 1\ny = 2\nz = 3\nw = 'MARK-moved'\n");
    place.commit("topic");
    let case = json!({"id": "one", "source": {"commits": {"repository": "..", "base": "main", "head": "topic"}}});
    place.write("ds/cases.jsonl", format!("{case}\n"));
    place.write("ds/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"one","cases":0,"digest":""}"#);
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let frozen = place.run(["dataset", "freeze", "ds", "--out", "still"]);
    assert_eq!(frozen.code, 0, "{}", frozen.stderr);
    let comments = |dataset: &str| {
        let ran = place.run(["eval", "run", dataset, "--out", &format!("run-{dataset}")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        answers(&place, &format!("run-{dataset}"))[0]["comments"].clone()
    };
    let before = comments("ds");
    assert_eq!(before.as_array().unwrap().len(), 3);
    fs::remove_dir_all(place.path(".git")).unwrap();
    assert_eq!(comments("still"), before);
    assert_eq!(records(&place, "still/cases.jsonl")[0]["facts"]["left_out"], json!(["picture.bin"]));
}

#[test]
fn an_answer_in_prose_is_unparsable_and_not_left_out() {
    let place = dataset();
    let service = Service::new(|_| (200, "I see nothing wrong here.".to_owned()));
    let ran = asking(&place, &service, &["--cache", "off", "--agent", "cr-bench"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(answers(&place, "r").iter().all(|answer| answer["status"] == "unparsable"), "{:?}", answers(&place, "r"));
}

#[test]
fn a_decision_is_about_the_answer_it_was_given_for() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]).code, 0);
    let before = records(&place, "r/judgements.jsonl");
    let score = |place: &Place| place.run(["eval", "score", "r", "--protocol", "cr-bench", "--format", "json"]);
    assert_eq!(score(&place).code, 0);
    // The case is answered anew: the comment of the same number is another one.
    place.write(
        "r/answers.jsonl",
        place.read("r/answers.jsonl").replace("the marker MARK-one", "nothing to do with it"),
    );
    let stale = score(&place);
    assert_eq!(stale.code, 3, "{}", stale.stderr);
    assert_eq!(place.run(["eval", "judge", "r", "--judge", "lexical"]).code, 0);
    assert_eq!(score(&place).code, 0);
    let after = records(&place, "r/judgements.jsonl");
    assert_eq!(before.len(), after.len());
    assert!(before.iter().zip(&after).any(|(one, other)| one["verdict"] != other["verdict"]));
}

#[test]
fn the_later_of_two_decisions_stays() {
    let place = dataset();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r", "--judge", "lexical"]).code, 0);
    let hit = |all: Vec<Value>| all.into_iter().find(|one| one["protocol"] == "cr-bench").unwrap();
    let mut other = hit(records(&place, "r/judgements.jsonl"));
    assert_eq!(other["verdict"]["label"], "BUG_HIT");
    other["verdict"] = json!({"label": "NOISE", "reason": "a person looked"});
    // Without its line end, as an editor may leave it.
    place.write("r/judgements.jsonl", format!("{}{other}", place.read("r/judgements.jsonl")));
    assert_eq!(place.run(["eval", "judge", "r", "--judge", "lexical"]).code, 0);
    assert_eq!(hit(records(&place, "r/judgements.jsonl"))["verdict"]["label"], "NOISE");
}

#[cfg(unix)]
#[test]
fn a_dataset_leads_nowhere_else() {
    let place = dataset();
    fs::rename(place.path("ds/files/marked/new"), place.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("ds/files/marked/new")).unwrap();
    fs::rename(place.path("ds/files/subtle"), place.path("other")).unwrap();
    std::os::unix::fs::symlink(place.path("other"), place.path("ds/files/subtle")).unwrap();
    assert_eq!(place.run(["dataset", "check", "ds"]).code, 2, "its files are others");
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let ran = place.run(["eval", "run", "ds", "--out", "r"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let said = answers(&place, "r");
    assert_eq!(said[0]["comments"], json!([]), "what a link leads to is not read");
    assert_eq!((&said[1]["status"], &said[2]["status"]), (&json!("complete"), &json!("failed")));
    assert!(said[2]["why"].as_str().unwrap().contains("leads out"), "{}", said[2]["why"]);
}

#[test]
fn names_are_given_once() {
    let place = dataset();
    let twice =
        place.read("ds/cases.jsonl").replacen(r#""bugs":[{"#, r#""bugs":[{"id":"b","description":"again"},{"#, 1);
    place.write("ds/cases.jsonl", twice);
    let ran = place.run(["dataset", "seal", "ds"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("two of its bugs have one id"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_program_for_similarity_ends_in_time() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = dataset();
    place.write("slow", "#!/bin/sh\nsleep 600\n");
    fs::set_permissions(place.path("slow"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(place.run(["eval", "run", "ds", "--out", "r"]).code, 0);
    let ran = place.run(["eval", "judge", "r", "--judge", "lexical", "--embed", "./slow", "--seconds", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("longer than"), "{}", ran.stderr);
}

#[test]
fn one_export_has_one_prompt() {
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measure/small");
    let place = Place::new();
    let ran = place.program(["dataset", "export", "--trl", "sft", "--out", "sft"]).arg(small).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = records(&place, "sft/train.jsonl");
    assert_eq!(rows.len(), 44);
    let says = |row: &Value| row["completion"][0]["content"] == "No comment.";
    assert_eq!(rows.iter().filter(|row| says(row)).count(), 11);
    assert!(rows.iter().all(|row| row["prompt"][0] == rows[0]["prompt"][0]), "the prompt tells clean from faulty");
}
