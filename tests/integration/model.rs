//! Reviews with a model, from the command line to the exit code.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::program::{Place, Reviewed, Run};
use super::service::{Service, clean, is_opinion, sure, user};

/// A branch that adds a function with a marked line.
fn branch() -> Place {
    let place = Place::with(&[("a.py", "import os\n")]);
    place.write("a.py", "import os\n\n\ndef mean(values):\n    return sum(values) / count(values)  # FAULT\n");
    place.commit("topic");
    place
}

fn asking(place: &Place, service: &Service, args: &[&str]) -> Run {
    let model = ["review", "--model", "openai/m"];
    let run = place.program([&model, args].concat());
    run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", "sk-test-geheim-12345678")
}

/// A report without what may differ between two runs with the same answers.
fn settled(review: &Reviewed) -> Value {
    let mut report = review.report.clone();
    report["run"].take();
    report
}

#[test]
fn a_finding_of_a_model_fails_the_gate() {
    let service = Service::new(sure("FAULT", "LogicError"));
    let place = branch();
    let review = asking(&place, &service, &[]).review();
    assert_eq!((review.code, review.shown()), (1, vec!["LogicError a.py:5".to_owned()]));
    assert_eq!(service.count(), 2);
    let report = &review.report;
    assert_eq!(report["model"]["provider"], "openai");
    assert_eq!((&report["model"]["validator"], &report["model"]["health"]), (&"openai/m".into(), &"ok".into()));
    assert_eq!((&report["run"]["requests"], &report["run"]["prompt_tokens"]), (&2.into(), &2000.into()));
    assert_eq!(report["findings"][0]["score"], 9.0);
    assert!(review.stderr.contains("asking openai/m: 1 chunks"), "{}", review.stderr);
    assert!(!review.stderr.contains("geheim"), "{}", review.stderr);
    let text = asking(&place, &service, &[]).run();
    assert!(text.text().contains("by the model · score 9.0 of 10"), "{}", text.text());
}

#[test]
fn every_format_can_say_what_a_model_found() {
    let service = Service::new(sure("FAULT", "Something New"));
    let place = branch();
    for format in ["text", "json", "sarif", "github"] {
        let ran = asking(&place, &service, &["--format", format]).run();
        assert_eq!(ran.code, 0, "{format}: {}", ran.stderr);
        assert!(ran.text().contains("SomethingNew"), "{format}: {}", ran.text());
    }
}

#[test]
fn a_warm_run_asks_nobody() {
    let service = Service::new(sure("FAULT", "LogicError"));
    let place = branch();
    let cold = asking(&place, &service, &[]).review();
    let asked = service.count();
    let warm = asking(&place, &service, &[]).review();
    assert_eq!((service.count(), warm.code), (asked, 1));
    assert_eq!(warm.report["run"]["requests"], 0);
    assert_eq!(warm.report["run"]["cached"], 2);
    assert_eq!(settled(&warm), settled(&cold));
    let stats = place.run(["cache", "stats"]);
    stats.prints(&["2 answers kept"]);
    place.run(["cache", "clear"]).prints(&["2 answers removed"]);
    asking(&place, &service, &["--cache", "off"]).review();
    place.run(["cache", "stats"]).prints(&["0 answers kept"]);
    assert_eq!(service.count(), 2 * asked);
}

fn functions(name: &str) -> String {
    (0..60).map(|line| format!("def {name}_{line}(value):\n    return value + {line}\n\n\n")).collect()
}

/// A branch that adds four files of many small functions, shown in small chunks.
fn many_chunks() -> Place {
    let place = Place::with(&[("diffsieve.toml", "[model]\nchunk_tokens = 1000\n")]);
    for name in ["a", "b", "c", "d"] {
        place.write(&format!("{name}.py"), functions(name));
    }
    place.commit("topic");
    place
}

#[test]
fn one_changed_hunk_asks_one_chunk_again() {
    let place = many_chunks();
    let service = Service::new(|_| (200, clean()));
    let first = asking(&place, &service, &[]).review();
    let asked = service.count();
    assert!(first.code == 0 && asked >= 8, "{asked}");
    place.write("c.py", functions("c").replacen("value + 30", "value * 30", 1));
    place.commit("one line");
    asking(&place, &service, &[]).review();
    assert_eq!(service.count(), asked + 1);
}

#[test]
fn what_the_model_did_not_answer_is_incomplete() {
    let place = branch();
    let cases: [(u16, &str); 4] = [(401, "unauthorised"), (404, "rejected"), (429, "exhausted"), (400, "rejected")];
    for (status, why) in cases {
        let service = Service::new(move |_| {
            let text = if status == 429 { "You exceeded your current quota (insufficient_quota)" } else { "no" };
            (status, text.to_owned())
        });
        let review = asking(&place, &service, &["--cache", "off"]).review();
        assert_eq!((review.code, &review.report["gate"]["verdict"]), (3, &"incomplete".into()), "{status}");
        let said = review.report["coverage"]["skipped"][0]["why"].as_str().unwrap_or_default().to_owned();
        assert!(said.contains(why), "{status}: {said}");
        assert_eq!(review.report["coverage"]["skipped"][0]["lines"], 4);
        let warned = asking(&place, &service, &["--cache", "off", "--on-incomplete", "warn"]).review();
        assert_eq!((warned.code, &warned.report["gate"]["complete"]), (0, &false.into()), "{status}");
    }
    // Nobody listens there.
    let silent = place.program(["review", "--model", "ollama/m"]).env("OLLAMA_HOST", "http://127.0.0.1:9");
    place.write("diffsieve.toml", "[budget]\nseconds = 2\n");
    assert_eq!(silent.review().code, 3);
}

#[test]
fn a_model_without_its_key_is_no_pass_unless_policy_says_so() {
    let place = branch();
    let missing = place.review(["--model", "openai/m"]);
    assert_eq!(missing.code, 3);
    let why = missing.report["coverage"]["skipped"][0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("no_key") && why.contains("OPENAI_API_KEY"), "{why}");
    place.write("diffsieve.toml", "[gate]\non_missing_key = \"detectors\"\n");
    let detectors = place.review(["--model", "openai/m"]);
    assert_eq!((detectors.code, &detectors.report["model"]["provider"]), (0, &"none".into()));
    assert!(
        detectors.report["notes"].to_string().contains("OPENAI_API_KEY is not set"),
        "{}",
        detectors.report["notes"]
    );
}

#[test]
fn a_recorded_review_replays_byte_for_byte() {
    let service = Service::new(sure("FAULT", "LogicError"));
    let place = branch();
    let recorded = asking(&place, &service, &["--record", "rec"]).review();
    let asked = service.count();
    let replay = || place.review(["--replay", "rec"]);
    let (one, two) = (replay(), replay());
    assert_eq!((one.code, service.count()), (1, asked));
    assert_eq!(settled(&one), settled(&two));
    assert_eq!(one.report["findings"], recorded.report["findings"]);
    for file in fs::read_dir(place.path("rec")).expect("it is there") {
        let text = fs::read_to_string(file.expect("an entry").path()).expect("a text");
        assert!(!text.contains("geheim"), "{text}");
    }
    // Another change was never recorded.
    place.write("b.py", "x = 1\n");
    place.git(["add", "b.py"]);
    place.git(["commit", "-q", "-m", "more"]);
    let missed = replay();
    assert_eq!(missed.code, 3);
    assert!(missed.report["coverage"].to_string().contains("not_recorded"));
}

#[test]
fn a_plan_sends_nothing() {
    let service = Service::new(|_| (200, clean()));
    let place = branch();
    place.write("diffsieve.toml", "[model]\nprices = {input = 1000.0, output = 1000.0}\nanswer_tokens = 1000\n");
    let plan = asking(&place, &service, &["--dry-run"]).run();
    plan.prints(&["1 chunks", "1 questions", "about 1 second opinions", "ceiling", "$", "the budget is 40 requests"]);
    assert_eq!(service.count(), 0);
    place.run(["review", "--dry-run"]).prints(&["no model is configured"]);
}

#[test]
fn a_repository_cannot_send_code_elsewhere_or_run_programs() {
    let place = branch();
    for line in
        ["provider = \"command\"", "provider = \"openai\"\nbase_url = \"http://127.0.0.1:1\"", "program = \"sh\""]
    {
        place.write("diffsieve.toml", format!("[model]\n{line}\n"));
        place.run::<&str>([]).fails(2, &["a repository cannot", "diffsieve.toml:"]);
    }
}

#[test]
fn wrong_models_are_told_apart() {
    let place = branch();
    place.run(["--model", "opnai/m"]).fails(2, &["no model provider `opnai`", "openai"]);
    place.run(["--model", "openai"]).fails(2, &["needs the name of a model"]);
    place.run(["--model", "command"]).fails(2, &["program"]);
    place.run(["--replay", "nowhere"]).fails(2, &["folder"]);
    place.run(["--model", "openai/m", "--no-model"]).fails(2, &["cannot be used with"]);
}

#[test]
fn a_strategy_that_adds_noise_gates_nothing() {
    let service = Service::new(|_| (200, clean()));
    let place = branch();
    place.write("diffsieve.toml", "[model]\nstrategy = \"reflexion\"\n");
    asking(&place, &service, &[]).run().fails(2, &["reflexion", "gate.reflexion"]);
    assert_eq!(service.count(), 0);
    assert_eq!(asking(&place, &service, &["--fail-on", "never"]).review().code, 0);
    place.write("diffsieve.toml", "[model]\nstrategy = \"reflexion\"\n[gate]\nreflexion = true\n");
    assert_eq!(asking(&place, &service, &["--cache", "off"]).review().code, 0);
    assert_eq!(service.count(), 4);
}

#[test]
fn the_users_own_file_may_name_programs_and_folders() {
    let place = branch();
    let own = place.home().join(".config/diffsieve");
    fs::create_dir_all(&own).expect("a folder");
    let queue = place.path("queue");
    let text = format!("[model]\nprovider = \"queue\"\nfolder = {:?}\n", queue.to_string_lossy());
    fs::write(own.join("config.toml"), text).expect("a file");
    let waiting = place.review(["--commit", "HEAD"]);
    assert_eq!(waiting.code, 3);
    assert!(waiting.report["coverage"].to_string().contains("waiting"));
    let request = fs::read_dir(&queue).expect("a queue").next().expect("a request").expect("an entry").path();
    let answer = request.to_string_lossy().replace(".request.json", ".answer.json");
    fs::write(answer, clean()).expect("a file");
    assert_eq!(place.review(["--commit", "HEAD"]).code, 0);
    let program = "[model]\nprovider = \"command\"\nprogram = \"/bin/sh\"\narguments = [\"-c\", \"cat > /dev/null; echo '{\\\"findings\\\":[],\\\"no_comment\\\":true}'\"]\n";
    fs::write(own.join("config.toml"), program).expect("a file");
    let review = place.review(["--commit", "HEAD"]);
    assert_eq!((review.code, &review.report["model"]["provider"]), (0, &"command".into()), "{}", review.stderr);
}

#[test]
fn requests_go_out_side_by_side() {
    let place = many_chunks();
    let latency = Duration::from_millis(300);
    let service = Service::slow(latency, |_| (200, clean()));
    let began = Instant::now();
    let review = asking(&place, &service, &[]).review();
    let asked = service.count() as u32;
    // One ahead of the others, then four at a time; a slow machine may take half as long again.
    let due = latency * (1 + (asked - 1).div_ceil(4));
    assert!(asked >= 8 && began.elapsed() < due * 3 / 2 + Duration::from_secs(2), "{asked}: {:?}", began.elapsed());
    assert_eq!(review.code, 0);
}

#[test]
fn the_second_opinion_can_come_from_somebody_else() {
    let finds = Service::new(sure("FAULT", "LogicError"));
    let judges = Service::new(sure("FAULT", "LogicError"));
    let place = branch();
    let run = asking(&place, &finds, &["--validator", "llama-server/judge"]);
    let own = place.home().join(".config/diffsieve");
    fs::create_dir_all(&own).expect("a folder");
    let text = format!("[model.validator]\nprovider = \"llama-server\"\nbase_url = {:?}\n", judges.url());
    fs::write(own.join("config.toml"), text).expect("a file");
    let review = run.review();
    assert_eq!((review.code, &review.report["model"]["validator"]), (1, &"llama-server/judge".into()));
    assert_eq!((finds.count(), judges.count()), (1, 1));
    let request = &judges.requests()[0];
    assert!(is_opinion(request) && user(request).contains("Findings:"));
    let none = asking(&place, &finds, &["--validator", "none"]).review();
    assert_eq!((none.code, none.findings()[0]["level"].as_str()), (0, Some("warning")));
    assert_eq!(none.report["model"]["health"], "off");
}
