//! `diffsieve reward`: from files, and for a trainer over loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::program::Place;

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
        let place = Place::new();
        let mut child = Command::new(env!("CARGO_BIN_EXE_diffsieve"))
            .args(["reward", "--serve", "127.0.0.1:0", "--until-stdin-ends", "--judge", "lexical"])
            .args(args)
            .env_clear()
            .env("DIFFSIEVE_REWARD_TOKEN", token)
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
