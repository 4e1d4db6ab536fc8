//! An HTTP server that misbehaves on demand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// A well-formed reply.
    Reply(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// These bytes, then the end of the connection.
    Raw(Vec<u8>),
    /// A head, and then this text again and again until nobody listens.
    Repeat(&'static str, Vec<u8>, u64),
    /// A head that promises a length, then these bytes with a pause after each.
    Drip(Vec<u8>, Duration),
    /// Nothing, for as long as the test runs.
    Hang,
    /// The connection is reset before the request was read.
    Reset,
}

impl Act {
    pub(super) fn reply(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Reply(status, Vec::new(), body.into())
    }

    pub(super) fn with(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Reply(status, mut headers, body) => {
                headers.push((name, value.into()));
                Self::Reply(status, headers, body)
            }
            other => other,
        }
    }
}

/// A request as it came.
#[derive(Clone, Default)]
pub(super) struct Received {
    pub(super) line: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("requests are JSON")
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<Received>>>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// Does each act once and the last one for ever.
    pub(super) fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let server = Self {
            address: listener.local_addr().expect("it is bound"),
            connections: Arc::default(),
            received: Arc::default(),
            stopped: Arc::default(),
        };
        let (connections, received, stopped) =
            (server.connections.clone(), server.received.clone(), server.stopped.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let number = connections.fetch_add(1, Ordering::SeqCst);
                let act = acts.get(number).or(acts.last()).cloned().expect("a script has an act");
                let (received, stopped) = (received.clone(), stopped.clone());
                // A client that has heard enough ends the connection, which is no failure.
                thread::spawn(move || drop(serve(&stream, act, &received, &stopped)));
            }
        });
        server
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections, each of which carries one request.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("nobody panics here").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    mut stream: &TcpStream,
    act: Act,
    received: &Mutex<Vec<Received>>,
    stopped: &AtomicBool,
) -> std::io::Result<()> {
    if matches!(act, Act::Reset) {
        // Closing with unread bytes makes it a reset.
        return stream.read_exact(&mut [0; 4]);
    }
    let request = read_request(stream)?;
    received.lock().expect("nobody panics here").push(request);
    match act {
        Act::Reply(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
            stream.write_all(format!("{head}\r\n").as_bytes())?;
            stream.write_all(&body)
        }
        Act::Raw(bytes) => stream.write_all(&bytes),
        Act::Repeat(head, text, pause) => {
            stream.write_all(head.as_bytes())?;
            while !stopped.load(Ordering::SeqCst) {
                stream.write_all(&text)?;
                thread::sleep(Duration::from_millis(pause));
            }
            Ok(())
        }
        Act::Drip(bytes, pause) => {
            stream.write_all(format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n", bytes.len()).as_bytes())?;
            for byte in bytes {
                stream.write_all(&[byte])?;
                thread::sleep(pause);
            }
            Ok(())
        }
        Act::Hang => {
            while !stopped.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            Ok(())
        }
        Act::Reset => Ok(()),
    }
}

fn read_request(stream: &TcpStream) -> std::io::Result<Received> {
    let mut reader = BufReader::new(stream);
    let mut request = Received::default();
    reader.read_line(&mut request.line)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        request.headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    reader.read_exact(&mut request.body)?;
    Ok(request)
}
