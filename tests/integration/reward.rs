//! `diffsieve reward`: from files, and for a trainer over loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::program::{Place, Run};
use super::service::{Service, user};

const RAMP: [&str; 8] = ["--penalty", "ramp", "--m", "2", "--n", "4", "--cap", "0.5"];

#[test]
fn rows_are_rewarded_line_by_line() {
    let place = Place::new();
    let rows = [
        json!({"id": "1", "completion": "x".repeat(30), "checklist": ["abcde", "fghij"], "coverage": 0.75}),
        json!({"completion": "No comment.", "checklist": ["No comment"]}),
    ];
    place.write("r.jsonl", format!("{}\n\n{}\n", rows[0], rows[1]));
    let ran = place.run([&["reward", "r.jsonl"], &RAMP[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found: Vec<Value> = ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&found[0]["reward"], &found[0]["id"], &found[1]["by"]),
        (&json!(0.65625), &json!("1"), &json!("clean"))
    );
    for row in &found {
        assert_eq!((&row["constants"]["m"], &row["constants"]["unit"]), (&json!(2.0), &json!("chars")));
        assert!(row["constants"]["source"].as_str().unwrap().contains("the paper publishes no constants"));
    }
    let piped = place.program([&["reward"], &RAMP[..]].concat()).fed(place.read("r.jsonl")).run();
    assert_eq!(piped.stdout, ran.stdout);
    let closed = place.program(["reward", "r.jsonl"]).run_into_closed_pipe(1);
    assert_eq!(closed.code, 0, "{}", closed.stderr);
}

#[test]
fn what_has_no_reward_is_named_with_its_line() {
    let place = Place::new();
    place.write(
        "r.jsonl",
        "{\"completion\":\"x\",\"checklist\":[\"a\"],\"coverage\":1}\n{\"completion\":\"x\",\"checklist\":[\"a\"]}\n",
    );
    let ran = place.run(["reward", "r.jsonl"]);
    ran.fails(2, &["`r.jsonl`, line 2: nobody judged it"]);
    assert_eq!(ran.text().lines().count(), 1);
    place.program(["reward"]).fed("{\"completion\":\"\x1b\"").run().fails(2, &["standard input, line 1"]);
    for (args, part) in [
        (&["--penalty", "ramp", "--m", "2"][..], "needs --m, --n, --cap: the paper publishes no constants"),
        (&["--m", "2"], "`--penalty off` does not use --m"),
        (&["--penalty", "literal", "--n", "2", "--least", "0.1", "--cap", "1"], "does not use --cap"),
        (&["--penalty", "ramp", "--m", "4", "--n", "2", "--cap", "0.5"], "N more than M"),
        (&["--penalty", "ramp", "--m", "NaN", "--n", "2", "--cap", "0.5"], "M is at least 0"),
        (&["--variant", "no-length", "--penalty", "literal", "--n", "2", "--least", "0"], "leave out --penalty"),
        (&["--serve", "0.0.0.0:0"], "can be reached from other machines"),
        (&["--serve", "localhost:0"], "invalid"),
        (&["--serve", "127.0.0.1:0", "--token", "a b"], "visible ASCII"),
        (&["--until-stdin-ends"], "--serve"),
        (&["--token", "x"], "--serve"),
        (&["--judge", "model"], "no model is configured that could judge"),
        (&["--judge", "model", "--variant", "judge"], "leave out --judge"),
        (&["--judge", "model", "--model", "nobody"], "nobody"),
        (&["--judge", "lexical", "--judge-requests", "3"], "--judge-requests is about a model that judges"),
        (&["--no-config"], "--no-config is about a model that judges"),
        (&["--judge", "model", "--model", "queue", "--replay", "x"], "--replay"),
    ] {
        place.run([&["reward"], args].concat()).fails(2, &[part]);
    }
}

/// A server that ends with its standard input.
struct Server {
    child: Child,
    address: SocketAddr,
    _place: Place,
}

impl Server {
    fn start(args: &[&str], token: &str) -> Self {
        Self::of(Place::new(), &[&["--judge", "lexical"], args].concat(), &[("DIFFSIEVE_REWARD_TOKEN", token)])
    }

    fn of(place: Place, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_diffsieve"))
            .args(["reward", "--serve", "127.0.0.1:0", "--until-stdin-ends"])
            .args(args)
            .env_clear()
            .env("HOME", place.home())
            .envs(variables.iter().copied())
            .current_dir(place.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/reward")).unwrap();
        Self { child, address: address.parse().unwrap(), _place: place }
    }

    /// Sends these bytes; status and body of what comes back.
    fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(50))).unwrap();
        // A server that has heard enough may close; what it said is still read.
        let _ = stream.write_all(bytes);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
        assert!(!head.to_ascii_lowercase().contains("access-control"), "{head}");
        (status, body.to_owned())
    }

    fn post(&self, headers: &str, body: &str) -> (u16, String) {
        let (address, length) = (self.address, body.len());
        self.send(
            format!("POST /reward HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
                .as_bytes(),
        )
    }

    /// Ends standard input, and waits for the end of the program.
    fn stop(&mut self) -> i32 {
        drop(self.child.stdin.take());
        let until = Instant::now() + Duration::from_secs(40);
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server does not end with its standard input");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_trainer_gets_its_rewards_and_the_server_ends_with_it() {
    let mut server = Server::start(&RAMP, "");
    let body = json!({
        "completions": ["Close the file.", [{"role": "assistant", "content": "No comment."}]],
        "checklists": [["Close the file (leak)", "Rename tmp"], ["No comment"]],
    });
    let (status, answer) = server.post("", &body.to_string());
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((&answer["rewards"], &answer["details"][0]["by"]), (&json!([0.5, 1.0]), &json!("lexical")));
    assert_eq!(server.stop(), 0);
}

#[test]
fn a_page_in_a_browser_gets_nothing() {
    let server = Server::start(&[], "");
    for (headers, status) in [
        ("Origin: http://127.0.0.1\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Host: rebound.example\r\n", 400),
    ] {
        assert_eq!(server.post(headers, "{}").0, status, "{headers}");
    }
    let rebound = "POST /reward HTTP/1.1\r\nHost: rebound.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(server.send(rebound.as_bytes()).0, 421);
    let port = server.address.port();
    let form = format!(
        "POST /reward HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    assert_eq!(server.send(form.as_bytes()).0, 415);
    let preflight = format!("OPTIONS /reward HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://x\r\n\r\n");
    assert_eq!(server.send(preflight.as_bytes()).0, 403);
}

#[test]
fn a_token_is_asked_for() {
    let server = Server::start(&[], "s3cret");
    let body = r#"{"completions":["x"],"checklists":[["y"]]}"#;
    assert_eq!(server.post("", body).0, 401);
    assert_eq!(server.post("Authorization: Bearer other\r\n", body).0, 401);
    assert_eq!(server.post("Authorization: Bearer s3cret\r\n", body).0, 200);
}

/// Whatever arrives, there is an answer, and the next trainer is served.
#[test]
fn bad_requests_are_told_and_survived() {
    let mut server = Server::start(&[], "");
    let host = server.address;
    let long = format!("POST /reward HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "y".repeat(70_000));
    assert_eq!(server.send(long.as_bytes()).0, 431);
    let claim = |length: &str| {
        format!(
            "POST /reward HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    assert_eq!(server.send(claim("99999999999").as_bytes()).0, 413);
    assert_eq!(server.send([claim("20000000").as_bytes(), &[b'x'; 900_000]].concat().as_slice()).0, 413);
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
        b"POST /reward HTTP/1.1\nHost: x\n\n\r\n\r\n",
    ] {
        assert_eq!(server.send(bytes).0, 400, "{bytes:?}");
    }
    assert_eq!(server.post("", "{\"completions\":").0, 400);
    let (status, why) = server.post("", r#"{"completions":["x"],"checklists":[[]]}"#);
    assert_eq!((status, why.contains("completions[0]: its checklist is empty")), (400, true), "{why}");
    // Half a request that is then given up.
    let mut half = TcpStream::connect(host).unwrap();
    half.write_all(b"POST /reward HT").unwrap();
    drop(half);
    let (status, _) = server.post("Expect: 100-continue\r\n", r#"{"completions":[],"checklists":[]}"#);
    assert_eq!(status, 200);
    assert_eq!(server.stop(), 0);
}

/// A request whose answer is more than a system keeps for a client that does not read.
fn large(server: &Server) -> TcpStream {
    const ROWS: usize = 40_000;
    let body = json!({"completions": vec![""; ROWS], "checklists": vec![["No comment"]; ROWS]}).to_string();
    let mut client = TcpStream::connect(server.address).unwrap();
    let (address, length) = (server.address, body.len());
    write!(client, "POST /reward HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    client
}

/// Clients that read a little now and then take every place, and lose it when an answer would long have been read.
#[test]
fn slow_readers_do_not_block_the_server() {
    let server = Server::start(&[], "");
    let slow: Vec<_> = (0..16).map(|_| large(&server)).collect();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut some = [0; 4096];
            while !done.load(std::sync::atomic::Ordering::SeqCst) {
                for mut client in &slow {
                    client.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
                    let _ = client.read(&mut some);
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let mut trainer = TcpStream::connect(server.address).unwrap();
        trainer.set_read_timeout(Some(Duration::from_secs(100))).unwrap();
        write!(trainer, "GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
        let mut told = String::new();
        let read = trainer.read_to_string(&mut told);
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(read.is_ok() && told.starts_with("HTTP/1.1 404 "), "{read:?}: {told}");
    });
}

/// Neither who does not read his answer, nor who does not send his request, keeps a server whose trainer is gone.
#[test]
fn no_client_keeps_a_server_that_has_to_end() {
    let mut server = Server::start(&[], "");
    let mut clients = vec![large(&server)];
    let head = format!(
        "POST /reward HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
        server.address
    );
    // More than are answered at a time: some wait for a place.
    for _ in 0..20 {
        let mut client = TcpStream::connect(server.address).unwrap();
        client.write_all(head.as_bytes()).unwrap();
        clients.push(client);
    }
    // The heads are read, so that their bodies are waited for.
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    assert_eq!(server.stop(), 0);
    assert!(begun.elapsed() < Duration::from_secs(6), "it took {:?}", begun.elapsed());
}

/// Clients that say nothing take every place, and lose it when a head would long have come.
#[test]
fn idle_clients_do_not_block_the_server() {
    let mut server = Server::start(&[], "");
    let idle: Vec<TcpStream> = (0..16).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let begun = Instant::now();
    assert_eq!(server.post("", r#"{"completions":[],"checklists":[]}"#).0, 200);
    assert!(begun.elapsed() < Duration::from_secs(20), "it took {:?}", begun.elapsed());
    for mut client in idle {
        let mut told = String::new();
        client.read_to_string(&mut told).unwrap();
        assert!(told.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{told}");
    }
    assert_eq!(server.stop(), 0);
}

const KEY: &str = "sk-test-geheim-12345678";

/// The checklist and the review that a judge is asked about; what is said when it is asked again stands behind them.
fn matter(request: &Value) -> (Vec<Value>, String) {
    let mut texts = serde_json::Deserializer::from_str(user(request)).into_iter::<Value>();
    let matter = texts.next().unwrap().unwrap();
    (matter["checklist"].as_array().unwrap().clone(), matter["review"][0]["text"].as_str().unwrap().to_owned())
}

/// Addressed is an item that the review quotes; about `mute` it decides nothing.
fn quoting(request: &Value) -> (u16, String) {
    let (items, review) = matter(request);
    let one = |item: &Value| json!({"id": item["id"], "addressed": review.contains(item["text"].as_str().unwrap())});
    let items: Vec<Value> = items.iter().filter(|_| review != "mute").map(one).collect();
    (200, json!({"items": items}).to_string())
}

fn judged(place: &Place, service: &Service, args: &[&str]) -> Run {
    let run = place.program([&["reward", "--judge", "model", "--model", "openai/m"], args].concat());
    run.env("OPENAI_BASE_URL", service.url()).env("OPENAI_API_KEY", KEY)
}

fn rows_of(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows of a file, among them equal ones, a clean change, silence, a row that is decided, and one that nobody decides.
fn rows() -> String {
    let rows = [
        json!({"id": "half", "completion": "Close it. It leaks.", "checklist": ["Close it", "Rename tmp"]}),
        json!({"id": "clean", "completion": "No comment.", "checklist": ["No comment"]}),
        json!({"id": "mute", "completion": "mute", "checklist": ["Close it"]}),
        json!({"id": "again", "prompt": [{"role": "user", "content": "?"}], "completion": [{"content": "Close it. It leaks."}],
               "checklist": [{"text": "Close it"}, {"text": "Rename tmp"}]}),
        json!({"id": "silent", "completion": "", "checklist": ["Close it"]}),
        json!({"id": "given", "completion": "x", "checklist": ["a", "b", "c"], "coverage": 0.3333333333333333}),
        json!({"id": "all", "completion": "Rename tmp", "checklist": ["Rename tmp"]}),
    ];
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[test]
fn a_model_decides_and_what_it_decided_gives_the_same_rewards_without_it() {
    let place = Place::new();
    let service = Service::new(quoting);
    place.write("r.jsonl", rows());
    let first = judged(&place, &service, &[&["r.jsonl", "--cache", "off"], &RAMP[..]].concat()).run();
    first.fails(
        3,
        &["`r.jsonl`, line 3: no reward: off_schema: two answers could not be used", "1 rows have no reward"],
    );
    assert!(!first.stderr.contains("geheim") && !first.text().contains("geheim"), "{}", first.stderr);
    // Three different questions, one of them asked again.
    assert_eq!(service.count(), 4);
    let found = rows_of(&first.text());
    let told: Vec<_> = found.iter().map(|row| (row["by"].as_str().unwrap_or("-"), row["base"].as_f64())).collect();
    assert_eq!(
        told,
        [
            ("model", Some(0.5)),
            ("clean", Some(1.0)),
            ("-", None),
            ("model", Some(0.5)),
            ("silence", Some(0.0)),
            ("coverage", Some(0.3333333333)),
            ("model", Some(1.0)),
        ]
    );
    assert_eq!((&found[0]["judged_by"], &found[0]["verdicts"]), (&json!("openai/m judge/v1"), &json!([true, false])));
    assert_eq!((&found[2]["reward"], &found[2]["line"]), (&Value::Null, &json!(3)));
    assert_eq!(found[3]["prompt"][0]["content"], "?");
    // A row that nobody decided is as open as it was; the others need nobody.
    place.write("first.jsonl", &first.stdout);
    place.run(["reward", "first.jsonl"]).fails(2, &["`first.jsonl`, line 3: nobody judged it"]);
    let decided: String =
        first.text().lines().filter(|line| !line.contains("\"error\"")).map(|line| format!("{line}\n")).collect();
    place.write("decided.jsonl", decided);
    let again = place.run([&["reward", "decided.jsonl"], &RAMP[..]].concat());
    assert_eq!(again.code, 0, "{}", again.stderr);
    for (row, old) in rows_of(&again.text()).iter().zip(found.iter().filter(|row| row["error"].is_null())) {
        for key in
            ["id", "reward", "base", "factor", "items", "addressed", "length", "reference", "constants", "judged_by"]
        {
            assert_eq!(row[key], old[key], "{key} of {}", row["id"]);
        }
        let was_open = matches!(old["by"].as_str(), Some("model" | "silence"));
        assert_eq!(row["by"], if was_open { "verdicts" } else { old["by"].as_str().unwrap() });
    }
    // Of the whole output only the open row is asked about, once it can be answered.
    let patient =
        Service::new(|request| (200, quoting(request).1.replace("[]", "[{\"id\":\"1\",\"addressed\":true}]")));
    let whole = judged(&place, &patient, &[&["first.jsonl", "--cache", "off"], &RAMP[..]].concat()).run();
    assert_eq!((whole.code, patient.count()), (0, 1), "{}", whole.stderr);
    let whole = rows_of(&whole.text());
    assert_eq!(
        (&whole[2]["reward"], &whole[2]["by"], &whole[2]["error"]),
        (&json!(1.0), &json!("model"), &Value::Null)
    );
    let rewards =
        |rows: &[Value]| rows.iter().map(|row| row["reward"].clone()).filter(|it| it != 1.0).collect::<Vec<_>>();
    assert_eq!(rewards(&whole), rewards(&found).into_iter().filter(|it| !it.is_null()).collect::<Vec<_>>());
}

#[test]
fn recorded_decisions_are_replayed_and_a_queue_waits() {
    let place = Place::new();
    let service = Service::new(quoting);
    place.write("r.jsonl", rows().replace("mute", "Close it now"));
    let first = judged(&place, &service, &["r.jsonl", "--cache", "off", "--record", "rec"]).run();
    assert_eq!(first.code, 0, "{}", first.stderr);
    let replayed = place.run(["reward", "r.jsonl", "--judge", "model", "--replay", "rec"]);
    assert_eq!(replayed.code, 0, "{}", replayed.stderr);
    assert_eq!(replayed.text().replace("replay judge/v1", "openai/m judge/v1"), first.text());
    place.write("other.jsonl", "{\"completion\":\"other\",\"checklist\":[\"Close it\"]}\n");
    let unknown = place.run(["reward", "other.jsonl", "--judge", "model", "--replay", "rec"]);
    unknown.fails(3, &["`other.jsonl`, line 1: no reward: not_recorded"]);
    let own = place.home().join(".config/diffsieve");
    std::fs::create_dir_all(&own).unwrap();
    let queue = place.path("queue");
    std::fs::write(own.join("config.toml"), format!("[model]\nprovider = \"queue\"\nfolder = {queue:?}\n")).unwrap();
    let ask = || place.run(["reward", "other.jsonl", "--judge", "model"]);
    let waiting = ask();
    waiting.fails(3, &["no reward: waiting"]);
    assert_eq!(rows_of(&waiting.text())[0]["reward"], Value::Null);
    let request = std::fs::read_dir(&queue).unwrap().next().unwrap().unwrap().path();
    let answer = request.to_string_lossy().replace(".request.json", ".answer.json");
    std::fs::write(answer, "{\"items\": [{\"id\": \"1\", \"addressed\": true}]}").unwrap();
    let answered = ask();
    answered.prints(&["\"judged_by\":\"queue judge/v1\""]);
    assert_eq!(rows_of(&answered.text())[0]["reward"], 1.0);
}

#[test]
fn a_model_is_asked_side_by_side_and_no_more_often_than_allowed() {
    const LATENCY: Duration = Duration::from_secs(1);
    let place = Place::new();
    let service = Service::slow(LATENCY, quoting);
    place.write("diffsieve.toml", "[model]\nconcurrency = 3\n");
    let rows: String =
        (0..6).map(|at| format!("{}\n", json!({"completion": format!("x{at}"), "checklist": ["x1"]}))).collect();
    place.write("r.jsonl", rows);
    let ran = judged(&place, &service, &["r.jsonl", "--cache", "off"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("6 requests, 6300 tokens"), "{}", ran.stderr);
    let mut arrivals = service.arrivals();
    arrivals.sort();
    assert!(arrivals[2] - arrivals[0] < LATENCY, "three at once: {arrivals:?}");
    assert!(arrivals[3] - arrivals[0] >= LATENCY, "and no fourth: {arrivals:?}");
    let short = judged(&place, &service, &["r.jsonl", "--cache", "off", "--judge-requests", "4"]).run();
    short.fails(3, &["no reward: budget: the requests of --judge-requests are used up", "2 rows have no reward"]);
    assert_eq!(rows_of(&short.text()).iter().filter(|row| row["by"] == "model").count(), 4);
    assert_eq!(service.count(), 10);
}

/// What stands before a row that is none has its reward; what follows is not asked about.
#[test]
fn a_bad_row_ends_the_file_after_those_before_it() {
    let place = Place::new();
    let service = Service::new(quoting);
    let row = |completion: &str, checklist: Value| json!({"completion": completion, "checklist": checklist});
    place.write(
        "r.jsonl",
        format!("{}\n\n{}\n{}\n", row("a", json!(["a"])), row("b", json!([])), row("c", json!(["a"]))),
    );
    let ran = judged(&place, &service, &["r.jsonl", "--cache", "off"]).run();
    ran.fails(2, &["`r.jsonl`, line 3: its checklist is empty"]);
    assert_eq!((rows_of(&ran.text()).len(), service.count()), (1, 1));
}

#[test]
fn a_missing_key_is_no_reward() {
    let place = Place::new();
    place.write("r.jsonl", rows());
    let ran = place.run(["reward", "r.jsonl", "--judge", "model", "--model", "openai/m"]);
    ran.fails(3, &["the judge's key is missing: set OPENAI_API_KEY"]);
    assert!(ran.stdout.is_empty());
}

/// Who writes one row and waits for its reward before the next is written gets it.
#[test]
fn a_row_does_not_wait_for_the_next() {
    let place = Place::new();
    let service = Service::new(quoting);
    let mut child = Command::new(env!("CARGO_BIN_EXE_diffsieve"))
        .args(["reward", "--judge", "model", "--model", "openai/m", "--cache", "off"])
        .env_clear()
        .env("HOME", place.home())
        .envs([("OPENAI_BASE_URL", service.url().as_str()), ("OPENAI_API_KEY", KEY)])
        .current_dir(place.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let mut stdin = child.stdin.take().unwrap();
    for (at, reward) in [("a", 1.0), ("b", 0.0)] {
        writeln!(stdin, "{}", json!({"completion": at, "checklist": ["a"]})).unwrap();
        let line = told.recv_timeout(Duration::from_secs(30));
        let row: Value = serde_json::from_str(&line.expect("the reward comes at once")).unwrap();
        assert_eq!(row["reward"], reward);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

fn batch(completions: &[&str]) -> String {
    json!({"completions": completions, "checklists": vec![["Close it"]; completions.len()]}).to_string()
}

#[test]
fn a_judge_that_fails_is_told_and_never_a_reward() {
    let service = Service::new(|request| {
        if matter(request).1 == "slow" {
            std::thread::sleep(Duration::from_secs(5));
        }
        quoting(request)
    });
    let args = ["--judge", "model", "--model", "openai/m", "--cache", "off", "--seconds", "2"];
    let variables = [
        ("OPENAI_BASE_URL", service.url()),
        ("OPENAI_API_KEY", KEY.to_owned()),
        ("DIFFSIEVE_REWARD_TOKEN", "s3cret-t0ken".to_owned()),
    ];
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut server = Server::of(Place::new(), &args, &variables);
    let post = |completions: &[&str]| server.post("Authorization: Bearer s3cret-t0ken\r\n", &batch(completions));
    let (status, answer) = post(&["Close it", "no", "Close it", " Close it ", "No comment"]);
    assert_eq!((status, service.count()), (200, 2), "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["rewards"], json!([1.0, 0.0, 1.0, 1.0, 0.0]));
    assert_eq!((&answer["details"][3]["verdicts"], &answer["details"][4]["by"]), (&json!([true]), &json!("silence")));
    let (status, answer) = post(&["Close it", "mute", "no"]);
    assert_eq!(status, 503, "{answer}");
    assert!(answer.contains("completions[1]: the judge did not decide: off_schema"), "{answer}");
    let begun = Instant::now();
    let (status, answer) = post(&["Close it", "no", "slow"]);
    assert_eq!((status, answer.contains("completions[2]")), (503, true), "{answer}");
    assert!(begun.elapsed() >= Duration::from_secs(2), "it has its time: {:?}", begun.elapsed());
    assert!(!answer.contains("s3cret") && !answer.contains("geheim"), "{answer}");
    // The next request has a time of its own.
    assert_eq!(post(&["Close it"]).0, 200);
    assert_eq!(server.post("", &batch(&["Close it"])).0, 401);
    assert_eq!(server.stop(), 0);
}

/// A program that fails and tells all it knows does not know the token, and the key that it knows is not repeated.
#[cfg(unix)]
#[test]
fn no_message_has_a_token() {
    let place = Place::new();
    let own = place.home().join(".config/diffsieve");
    std::fs::create_dir_all(&own).unwrap();
    let config = "[model]\nprovider = \"command\"\nprogram = \"/bin/sh\"\nvariables = [\"HOUSE_KEY\"]\n\
                  arguments = [\"-c\", \"cat > /dev/null; echo key $HOUSE_KEY token $DIFFSIEVE_REWARD_TOKEN >&2; exit 7\"]\n";
    std::fs::write(own.join("config.toml"), config).unwrap();
    let variables =
        [("PATH", "/usr/bin:/bin"), ("DIFFSIEVE_REWARD_TOKEN", "s3cret-t0ken"), ("HOUSE_KEY", "geheim-4711")];
    let mut server = Server::of(place, &["--judge", "model"], &variables);
    let (status, answer) = server.post("Authorization: Bearer s3cret-t0ken\r\n", &batch(&["Close it"]));
    assert_eq!(status, 503, "{answer}");
    assert!(answer.contains("completions[0]") && answer.contains("key "), "{answer}");
    assert!(!answer.contains("s3cret") && !answer.contains("geheim"), "{answer}");
    assert_eq!(server.stop(), 0);
}
