//! A model service on loopback that speaks Chat Completions and says what a test tells it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What it says to a request: a status and the text of the answer, or of the error.
pub(crate) type Say = dyn Fn(&Value) -> (u16, String) + Send + Sync;

pub(crate) struct Service {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<(Instant, Value)>>>,
    stopped: Arc<AtomicBool>,
}

impl Service {
    pub(crate) fn new(say: impl Fn(&Value) -> (u16, String) + Send + Sync + 'static) -> Self {
        Self::slow(Duration::ZERO, say)
    }

    /// One that takes its time for each answer.
    pub(crate) fn slow(latency: Duration, say: impl Fn(&Value) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let service = Self {
            address: listener.local_addr().expect("it is bound"),
            requests: Arc::default(),
            stopped: Arc::default(),
        };
        let (requests, stopped) = (service.requests.clone(), service.stopped.clone());
        let say: Arc<Say> = Arc::new(say);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (say, requests) = (say.clone(), requests.clone());
                thread::spawn(move || drop(serve(stream, &*say, &requests, latency)));
            }
        });
        service
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies of all requests.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().expect("nobody panics here").iter().map(|(_, body)| body.clone()).collect()
    }

    /// When each of them began to arrive.
    pub(crate) fn arrivals(&self) -> Vec<Instant> {
        self.requests.lock().expect("nobody panics here").iter().map(|(arrived, _)| *arrived).collect()
    }

    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.requests().len()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    stream: TcpStream,
    say: &Say,
    requests: &Mutex<Vec<(Instant, Value)>>,
    latency: Duration,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    // Connections are kept, as services do.
    loop {
        let (mut line, mut length) = (String::new(), 0);
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let arrived = Instant::now();
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let request: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        requests.lock().expect("nobody panics here").push((arrived, request.clone()));
        let (status, text) = say(&request);
        thread::sleep(latency);
        let body = match status {
            200 => json!({
                "object": "chat.completion",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null},
                             "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
            }),
            _ => json!({"error": {"message": text, "type": "invalid_request_error"}}),
        };
        let body = body.to_string();
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        // In one piece: a head that waits for its acknowledgement would make every answer slower.
        stream.write_all(format!("{head}{body}").as_bytes())?;
    }
}

/// Whether a request is for a second opinion.
pub(crate) fn is_opinion(request: &Value) -> bool {
    request["response_format"]["json_schema"]["name"] == "scores"
}

/// What the user message of a request says.
pub(crate) fn user(request: &Value) -> &str {
    request["messages"][1]["content"].as_str().unwrap_or_default()
}

/// Nothing to find.
pub(crate) fn clean() -> String {
    json!({"findings": [], "no_comment": true}).to_string()
}

/// The numbers and texts of the added lines of a page, with the file they are in.
pub(crate) fn added(page: &str) -> Vec<(String, i64, String)> {
    let mut file = String::new();
    let mut lines = Vec::new();
    for line in page.lines() {
        if let Some((_, rest)) = line.split_once(" FILE ").filter(|_| line.starts_with("<<")) {
            let end = rest.find([',', ' ', '>']).unwrap_or(rest.len());
            rest[..end].clone_into(&mut file);
        }
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0
            && let Some(text) = line[digits..].strip_prefix("+ ")
        {
            lines.push((file.clone(), line[..digits].parse().expect("digits"), text.to_owned()));
        }
    }
    lines
}

/// A finding on each added line that has this word.
pub(crate) fn finds(page: &str, word: &str, tag: &str) -> String {
    let claim = |(file, line, text): (String, i64, String)| {
        json!({"file": file, "line": line, "quote": text, "tag": tag, "suggestion": "",
               "rationale": "For an empty input this fails; could it be checked first?"})
    };
    let claims: Vec<Value> = added(page).into_iter().filter(|(_, _, text)| text.contains(word)).map(claim).collect();
    json!({"findings": claims, "no_comment": claims.is_empty()}).to_string()
}

/// One score for every claim of a request.
pub(crate) fn scores(page: &str, score: u32) -> String {
    let claims = page.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let score = |claim: Value| {
        json!({"id": claim["id"], "motivation": "checked", "status": "valid", "line_matching": true,
               "sentiment": "negative", "score": score})
    };
    json!({"scores": claims.map(score).collect::<Vec<_>>()}).to_string()
}

/// Finds the word wherever it is added, and is sure of it.
pub(crate) fn sure(word: &'static str, tag: &'static str) -> impl Fn(&Value) -> (u16, String) + Send + Sync {
    move |request| {
        let page = user(request);
        (200, if is_opinion(request) { scores(page, 9) } else { finds(page, word, tag) })
    }
}
