//! `diffsieve eval agreement`, `compare` and `judge-study`.

use serde_json::{Value, json};

use super::program::{Place, Ran};

/// Shrout and Fleiss 1979, table 2.
const JUDGED: &str = "item,a,b,c,d\n1,9,2,5,8\n2,6,1,3,2\n3,8,4,6,8\n4,7,1,2,6\n5,10,5,6,9\n6,6,2,4,7\n";

fn json_of(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn numbers_are_rated_as_published() {
    let place = Place::new();
    place.write("r.csv", JUDGED);
    let ran = place.run(["eval", "agreement", "r.csv"]);
    ran.prints(&[
        "all items: 6 items, 4 raters, 24 ratings; 6 items rated by all",
        "ICC(2,1) 0.2898 [0.0188, 0.7611] by F",
        "ICC(2,4) 0.6201 [0.0711, 0.9272] by F",
        "mean opinion score 5.2917 [",
        "intervals: level 0.95; items drawn again 10000 times from seed 1",
    ]);
    assert_eq!(ran.stdout, place.run(["eval", "agreement", "r.csv"]).stdout);
    let of = |args: &[&str]| {
        let args = [&["eval", "agreement", "r.csv", "--format", "json", "--bootstrap", "500"], args].concat();
        json_of(&place.run(args))["all"]["mos"]["spread"].clone()
    };
    assert_eq!(of(&[])["resamples"], 500);
    assert_ne!(of(&["--seed", "2"]), of(&["--seed", "1"]));
    let width =
        |spread: Value| spread["interval"]["high"].as_f64().unwrap() - spread["interval"]["low"].as_f64().unwrap();
    assert!(width(of(&["--level", "0.5"])) < width(of(&[])));
}

/// 30 labels of which 25 agree, as SWE-PRBench has them, one object a line.
#[test]
fn labels_are_rated_as_published() {
    let place = Place::new();
    let (judge, rubric) = ("CCCCCCCCCCPPPPPPPPPPFFFFFFFFFF", "CCCCCCCCCPPPPPPPPPFFFFFFFFFFPP");
    let lines = judge.chars().zip(rubric.chars()).zip(0..).map(|((judge, rubric), item)| {
        format!("{}\n", json!({"item": item, "judge": judge.to_string(), "rubric": rubric.to_string()}))
    });
    place.write("labels.jsonl", lines.collect::<String>());
    let found = json_of(&place.run(["eval", "agreement", "labels.jsonl", "--format", "json"]));
    let pair = &found["all"]["pairs"][0];
    assert_eq!((&pair["kappa"], &pair["agreed"], &pair["items"]), (&json!(0.75), &json!(25), &json!(30)));
    let ends = &pair["kappa_spread"]["interval"];
    assert!(ends["low"].as_f64().unwrap() < 0.6 && ends["high"].as_f64().unwrap() > 0.9, "{ends}");
    place
        .run(["eval", "agreement", "labels.jsonl"])
        .prints(&["judge, rubric: kappa 0.7500 [", "agree on 25 of 30 items"]);
}

#[test]
fn an_empty_form_asks_about_every_case() {
    let place = Place::new();
    place.write("ds/files/one/new/m.py", "a = 1\n");
    place.write("ds/cases.jsonl", "{\"id\":\"one\",\"source\":{\"files\":{\"folder\":\"files/one\"}}}\n");
    place.write("ds/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"d","cases":0,"digest":""}"#);
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let form = place.run(["eval", "agreement", "--form", "--dataset", "ds", "--raters", "anna,ben"]);
    form.prints(&["case,aspect,statement,text,anna,ben\none,consistency,A1,", "one,usefulness,C4,"]);
    place.write("form.csv", form.text().replace(",,\n", ",4,5\n"));
    place
        .run(["eval", "agreement", "form.csv", "--by", "aspect"])
        .prints(&["all items: 12 items, 2 raters", "usefulness: 4 items"]);
}

#[test]
fn ratings_that_cannot_be_read_are_named() {
    let place = Place::new();
    place.write("short.csv", "item,a,b\n1,2\n");
    place.run(["eval", "agreement", "short.csv"]).fails(2, &["short.csv`, line 2: it has 2 cells"]);
    place.write("one.csv", "item,a\n1,2\n");
    place.run(["eval", "agreement", "one.csv"]).fails(2, &["1 columns hold ratings", "--raters"]);
    place.run(["eval", "agreement", "none.csv"]).fails(2, &["none.csv"]);
    place.run(["eval", "agreement"]).fails(2, &["<FILE"]);
    place.run(["eval", "agreement", "one.csv", "--level", "1"]).fails(2, &["between 0 and 1"]);
    place.write("evil.csv", "item,a,b\n1,\x1b[31m,2\n");
    place.run(["eval", "agreement", "evil.csv", "--scale", "numeric"]).fails(2, &["`␛[31m` of rater `a` is no number"]);
    place.run(["eval", "agreement", "evil.csv"]).prints(&["␛[31m 1"]);
}

#[test]
fn a_judge_is_studied_against_thumbs() {
    let place = Place::new();
    place.write(
        "v.csv",
        "item,judge,tag,score,thumb\n1,sft,Typo,8,up\n2,sft,Typo,3,down\n1,base,Typo,0,up\n2,base,Typo,-1,down\n",
    );
    place.run(["eval", "judge-study", "v.csv"]).prints(&[
        "sft: foresees 1 of 2 votes",
        "Typo: 2 scores, mean 5.5000, standard deviation 3.5355, 1 up",
        "base, sft: of 2 votes on the same issues, base alone foresees 1 and sft alone 1",
    ]);
    place.write("v.csv", "score,thumb\n8,good\n");
    place.run(["eval", "judge-study", "v.csv"]).fails(2, &["vote 1: `good` is no thumb"]);
}

/// A dataset of two faults and a clean case, and two runs whose answers a person wrote.
fn runs() -> Place {
    let place = Place::new();
    let bug = json!([{"id": "b", "description": "divides the total by the number of items without a look", "file": "m.py", "line": 2}]);
    let mut cases = Vec::new();
    for (id, truth) in [("one", json!({"bugs": bug})), ("two", json!({"bugs": bug})), ("plain", json!({"clean": true}))]
    {
        let mut case = json!({"id": id, "source": {"files": {"folder": format!("files/{id}")}}});
        case.as_object_mut().unwrap().extend(truth.as_object().unwrap().clone());
        cases.push(format!("{case}\n"));
        place.write(&format!("ds/files/{id}/new/m.py"), "def mean(v):\n    return sum(v) / len(v)\n");
    }
    place.write("ds/cases.jsonl", cases.concat());
    place.write("ds/dataset.json", r#"{"format":"diffsieve.dataset/v1","name":"three","cases":0,"digest":""}"#);
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let digest: Value = serde_json::from_str(&place.read("ds/dataset.json")).unwrap();
    for (run, finds) in [("a", &["one"][..]), ("b", &["one", "two", "plain"][..])] {
        let header = json!({"format": "diffsieve.run/v1", "dataset": "three", "digest": digest["digest"], "version": "0",
                            "configuration": {"strategy": run}, "folder": "ds"});
        place.write(&format!("{run}/run.json"), header.to_string());
        let answers = ["one", "two", "plain"].map(|case| {
            let body = "divides the total by the number of items";
            let comments = if finds.contains(&case) {
                json!([{"id": "c", "file": "m.py", "line": 2, "body": body}])
            } else {
                json!([])
            };
            format!("{}\n", json!({"case": case, "status": "complete", "comments": comments}))
        });
        place.write(&format!("{run}/answers.jsonl"), answers.concat());
        let judgements = finds.iter().map(|case| {
            let (label, matched) = if *case == "plain" { ("NOISE", Value::Null) } else { ("BUG_HIT", json!("b")) };
            let verdict = json!({"label": label, "matched": matched});
            format!(
                "{}\n",
                json!({"protocol": "cr-bench", "case": case, "about": ["c"], "judge": "hand", "verdict": verdict})
            )
        });
        place.write(&format!("{run}/judgements.jsonl"), judgements.collect::<String>());
    }
    place
}

#[test]
fn two_runs_are_compared_from_folders_and_from_scores() {
    let place = runs();
    let folders = place.run(["eval", "compare", "a", "b", "--protocol", "cr-bench"]);
    folders.prints(&[
        "cr-bench: 3 cases that both answered; A alone 0, B alone 0\nhits per bug, judge hand\n",
        "strategy: \"a\" in A, \"b\" in B",
        "known faults: found by both 1, by A alone 0, by B alone 1, by none 0; McNemar exact p 1.0000",
        "only B: two b",
        "clean cases: commented on by both 0, by A alone 0, by B alone 1",
        "cases drawn again 10000 times from seed 1",
    ]);
    for run in ["a", "b"] {
        let scores = place.run(["eval", "score", run, "--protocol", "cr-bench", "--format", "json"]);
        assert_eq!(scores.code, 0, "{}", scores.stderr);
        place.write(&format!("{run}.json"), &scores.stdout);
    }
    assert_eq!(place.run(["eval", "compare", "a.json", "b.json"]).stdout, folders.stdout);
    let found = json_of(&place.run(["eval", "compare", "a.json", "b.json", "--format", "json"]));
    assert_eq!(found["measures"]["recall"]["difference"], 0.5);
    // With no noise in the first run its signal has no bound, and a difference from that is none.
    assert_eq!(
        (&found["measures"]["snr"]["a"], &found["measures"]["snr"]["difference"]),
        (&json!("inf"), &json!("-inf"))
    );
    assert!(!folders.text().contains("NaN"));
}

/// The same choices as of `eval score`, applied to both folders and named; none is left out unsaid.
#[test]
fn two_runs_are_compared_by_the_chosen_variants() {
    let place = runs();
    // A second comment on the bug that both find, and a judge who decides otherwise.
    let said = |file: &str, from: &str, to: &str| place.write(file, place.read(file).replacen(from, to, 1));
    let again = r#"[{"id":"again","body":"a second word on it"},"#;
    said("b/answers.jsonl", "[{", &format!("{again}{{"));
    let judged = |judge: &str| {
        let verdict = json!({"label": "BUG_HIT", "matched": "b"});
        let again =
            json!({"protocol": "cr-bench", "case": "one", "about": ["again"], "judge": judge, "verdict": verdict});
        format!("{again}\n")
    };
    let of_b = place.read("b/judgements.jsonl") + &judged("hand");
    let strict = of_b.replace("\"hand\"", "\"strict\"").replace("BUG_HIT", "NOISE");
    place.write("b/judgements.jsonl", of_b + &strict);
    let of_a = place.read("a/judgements.jsonl");
    place.write("a/judgements.jsonl", of_a.clone() + &of_a.replace("\"hand\"", "\"strict\""));

    let compare = |args: &[&str]| place.run([&["eval", "compare", "a", "b", "--protocol", "cr-bench"], args].concat());
    let recall =
        |args: &[&str]| json_of(&compare(&[args, &["--format", "json"]].concat()))["measures"]["recall"]["b"].clone();
    compare(&[]).fails(2, &["`a`: 2 judges decided: hand, strict; choose one with --judge"]);
    let hand = ["--judge", "hand", "--hits", "per-comment"];
    compare(&hand).prints(&["B alone 0\nhits per comment, judge hand\n"]);
    assert_eq!(recall(&hand), 1.5);
    assert_eq!((recall(&hand[..2]), recall(&["--judge", "strict"])), (json!(1.0), json!(0.0)));
    for run in ["a", "b"] {
        let score = ["eval", "score", run, "--protocol", "cr-bench", "--format", "json"];
        place.write(&format!("{run}.json"), place.run([&score[..], &hand].concat()).stdout);
    }
    assert_eq!(place.run(["eval", "compare", "a.json", "b.json"]).stdout, compare(&hand).stdout);
    let mixed =
        |args: &[&str]| place.run([&["eval", "compare", "a.json", "b", "--protocol", "cr-bench"], args].concat());
    assert_eq!(mixed(&hand).stdout, compare(&hand).stdout);
    mixed(&hand[..2]).fails(2, &["they were scored in different ways"]);

    for (option, about) in
        [("--pairing=optimal", "swe-prbench"), ("--lambda=0.5", "sphinx"), ("--match=many-to-one", "cqs")]
    {
        let name = option.split('=').next().unwrap();
        compare(&[option]).fails(2, &[&format!("{name} is about {about} and changes no score of cr-bench")]);
    }
    for option in ["--hits=per-bug", "--judge=hand", "--allow-failed", "--dataset=ds"] {
        let name = option.split('=').next().unwrap();
        let ran = place.run(["eval", "compare", "a.json", "b.json", option]);
        ran.fails(2, &[name, "these are scores already"]);
    }
}

/// A case that says no language has that of its change; what it says stands, what cannot be read is unknown and said.
#[test]
fn the_language_of_a_change_stands_in_for_what_its_case_leaves_out() {
    let place = runs();
    let gone =
        json!({"id": "gone", "clean": true, "source": {"commits": {"repository": "no", "base": "a", "head": "b"}}});
    let cases = place.read("ds/cases.jsonl").replacen("\"id\":\"two\"", "\"id\":\"two\",\"language\":\"go\"", 1);
    assert!(cases.contains("\"go\""), "{cases}");
    place.write("ds/cases.jsonl", format!("{cases}{gone}\n"));
    assert_eq!(place.run(["dataset", "seal", "ds"]).code, 0);
    let sealed = (place.read("ds/cases.jsonl"), place.read("ds/dataset.json"));
    let manifest: Value = serde_json::from_str(&sealed.1).unwrap();
    let mut run: Value = serde_json::from_str(&place.read("b/run.json")).unwrap();
    run["digest"] = manifest["digest"].clone();
    place.write("b/run.json", run.to_string());
    let score = ["eval", "score", "b", "--protocol", "cr-bench", "--allow-failed", "--keep", "--format", "json"];
    let ran = place.run(score);
    assert!(ran.stderr.contains("the language of 1 cases that say none, such as gone"), "{}", ran.stderr);
    let scores = json_of(&ran);
    let found = |language: &str| scores["by"]["language"][language]["over"].clone();
    assert_eq!((found("python"), found("go")), (json!(1.0), json!(1.0)));
    assert_eq!(scores["rows"].as_array().unwrap()[0]["language"], "python");
    assert_eq!(scores["digest"], manifest["digest"]);
    assert_eq!((place.read("ds/cases.jsonl"), place.read("ds/dataset.json")), sealed);
}

/// The judge that wrote by hand, and one that takes every second decision back.
#[test]
fn the_judges_of_a_run_are_compared() {
    let place = runs();
    let by_hand = place.read("b/judgements.jsonl");
    let other = by_hand.replace("\"hand\"", "\"other\"").replacen("BUG_HIT", "NOISE", 1);
    place.write("b/judgements.jsonl", by_hand + &other);
    let args = ["eval", "agreement", "b", "--protocol", "cr-bench"];
    place.run(args).prints(&[
        "hand, other: kappa 0.4000 [",
        "agree on 2 of 3 items",
        "hand: 3 ratings: BUG_HIT 2, NOISE 1",
    ]);
    place.run(["eval", "agreement", "b"]).fails(2, &["`b` is the folder of a run: name the --protocol"]);
    place.run(["eval", "agreement", "b", "--protocol", "cqs"]).fails(2, &["0 columns hold ratings"]);
}

/// Names from anywhere do nothing to a terminal.
#[test]
fn names_are_shown_and_not_obeyed() {
    let place = runs();
    for file in ["b/answers.jsonl", "b/judgements.jsonl"] {
        place.write(file, place.read(file).replace("\"c\"", "\"c\\u001b[31m\""));
    }
    place.write("b/answers.jsonl", place.read("b/answers.jsonl").replace("divides the", "Nice work! divides the"));
    place.run(["eval", "tone", "b"]).prints(&["praise: one c␛[31m: Nice work!", "command   0 of 3"]);
    place.write("b/answers.jsonl", place.read("b/answers.jsonl").replace("Nice work! divides the", "Fix the"));
    let ran = place.run(["eval", "tone", "b"]);
    ran.prints(&["command: one c␛[31m: Fix the total"]);
    assert!(!ran.text().contains('\x1b'));
    place.write("b/answers.jsonl", place.read("b/answers.jsonl").replace("\"one\"", "\"o\\u001b[2Jne\""));
    let ran = place.run(["eval", "tone", "b"]);
    ran.prints(&["command: o␛[2Jne c␛[31m: Fix the total"]);
    assert!(!ran.text().contains('\x1b'));
    place.write("ratings.csv", "item,a\x1b[31m,b\n1,x\x1b[32m,y\n2,x,y\n");
    let ran = place.run(["eval", "agreement", "ratings.csv", "--by", "item"]);
    ran.prints(&["a␛[31m"]);
    assert!(!ran.text().contains('\x1b'));
    place.write("v.csv", "item,judge,tag,score,thumb\n1,j\x1b[31m,t\x1b[32m,8,up\n2,j\x1b[31m,t,3,down\n");
    let ran = place.run(["eval", "judge-study", "v.csv"]);
    ran.prints(&["j␛[31m: foresees", "t␛[32m"]);
    assert!(!ran.text().contains('\x1b'));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let place = runs();
    place.run(["eval", "compare", "a", "b"]).fails(2, &["`a` is the folder of a run: name a --protocol"]);
    let scores = place.run(["eval", "score", "a", "--protocol", "cr-bench", "--format", "json"]);
    place.write("a.json", &scores.stdout);
    let other = ["eval", "score", "b", "--protocol", "cr-bench", "--hits", "per-comment", "--format", "json"];
    place.write("b.json", place.run(other).stdout);
    place
        .run(["eval", "compare", "a.json", "b.json"])
        .fails(2, &["they were scored in different ways: hits per bug, judge hand; and hits per comment"]);
    place
        .run(["eval", "compare", "a.json", "b.json", "--protocol", "cqs"])
        .fails(2, &["has scores of cr-bench, not of cqs"]);
    place.write("b/judgements.jsonl", "");
    place.run(["eval", "compare", "a", "b", "--protocol", "cr-bench"]).fails(3, &["`b`: ", "judgements", "missing"]);
    let named = |path: &str, protocol: &str| {
        let mut scores: Value = serde_json::from_slice(&scores.stdout).unwrap();
        scores["protocol"] = protocol.into();
        place.write(path, scores.to_string());
    };
    named("a.json", "evil\x1b[31m");
    named("b.json", "evil\x1b[31m");
    let said = ["`evil␛[31m` is no protocol", "cr-bench, swe-prbench, sphinx, cqs"];
    place.run(["eval", "compare", "a.json", "b.json"]).fails(2, &said);
    place.write("b.json", "{}");
    place.run(["eval", "compare", "a.json", "b.json"]).fails(2, &["b.json`, line 1"]);
}
