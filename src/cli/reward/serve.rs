//! `diffsieve reward --serve`: the sockets. What is asked and answered is the library's.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use diffsieve::eval::reward::Settings;
use diffsieve::eval::reward::request::{Guard, Head, PATH, Refusal, Status, answer, response};

use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

/// Requests that are answered at a time.
const AT_ONCE: usize = 16;

/// How long a request may take to arrive, and an answer to leave.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long and how much more is read of a request that was refused, so that its client comes to read why.
const DRAIN: (Duration, usize) = (Duration::from_secs(1), 1 << 20);

/// Serves until the process ends, or standard input does where that was asked for.
pub(super) fn run(
    address: SocketAddr,
    token: Option<String>,
    until_stdin_ends: bool,
    settings: Settings,
) -> Result<Exit, Failure> {
    let listener = listen(address)?;
    let address = listener.local_addr().context("the port cannot be learned")?;
    let guard = Guard { address, token };
    print(&format!("http://{address}{PATH}\n"))?;
    let (stop, busy) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|threads| {
        if until_stdin_ends {
            threads.spawn(|| {
                // An input that cannot be read has ended, too.
                let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
                stop.store(true, Ordering::SeqCst);
                // Whoever waits for a connection gets one.
                let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1));
            });
        }
        for stream in listener.incoming() {
            if stop.load(Ordering::SeqCst) {
                break;
            }
            // A client that went away at once, or a moment without file descriptors: the next one may fare better.
            let Ok(stream) = stream else {
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            if busy.fetch_add(1, Ordering::SeqCst) >= AT_ONCE {
                busy.fetch_sub(1, Ordering::SeqCst);
                refuse_at_once(&stream);
                continue;
            }
            let (guard, settings, busy) = (&guard, &settings, &busy);
            threads.spawn(move || {
                // Nobody is left to tell where the connection broke.
                let _ = serve(&stream, guard, settings);
                busy.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    Ok(Exit::Passed)
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    if !address.ip().is_loopback() {
        bail!("`{address}` can be reached from other machines; serve on a loopback address such as 127.0.0.1:0");
    }
    TcpListener::bind(address).with_context(|| format!("`{address}` cannot be served"))
}

/// One request, one answer, end.
fn serve(stream: &TcpStream, guard: &Guard, settings: &Settings) -> io::Result<()> {
    let mut connection = Connection { stream, until: Instant::now() + PATIENCE };
    let answered = connection.request(guard)?.and_then(|body| answer(settings, &body));
    match answered {
        Ok(body) => connection.send(&response(Status::Ok, &body)),
        Err(refusal) => connection.refuse(&refusal),
    }
}

fn refuse_at_once(stream: &TcpStream) {
    let refusal = Refusal::new(Status::ServiceUnavailable, format!("{AT_ONCE} requests are being answered; try again"));
    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
    let _ = (&mut &*stream).write_all(&refusal.response());
}

/// A client, and when it has had its time.
struct Connection<'s> {
    stream: &'s TcpStream,
    until: Instant,
}

impl Connection<'_> {
    /// The body of a request that may be answered.
    fn request(&mut self, guard: &Guard) -> io::Result<Result<Vec<u8>, Refusal>> {
        let mut arrived = Vec::new();
        let head = loop {
            match Head::read(&arrived) {
                Ok(Some(head)) => break head,
                Ok(None) => {}
                Err(refusal) => return Ok(Err(refusal)),
            }
            if let Some(refusal) = self.more(&mut arrived)? {
                return Ok(Err(refusal));
            }
        };
        let length = match guard.admit(&head) {
            Ok(length) => length,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut body = arrived.split_off(head.length);
        if head.expects_word() && body.len() < length {
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        while body.len() < length {
            if let Some(refusal) = self.more(&mut body)? {
                return Ok(Err(refusal));
            }
        }
        // One request a connection: what follows it is not read.
        body.truncate(length);
        Ok(Ok(body))
    }

    /// Reads what has arrived; says why where nothing more will, or not in time.
    fn more(&mut self, into: &mut Vec<u8>) -> io::Result<Option<Refusal>> {
        let late = || Some(Refusal::new(Status::RequestTimeout, "the request did not arrive in time"));
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(late());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut chunk = [0; 1 << 14];
        match (&mut &*self.stream).read(&mut chunk) {
            Ok(0) => Ok(Some(Refusal::new(Status::BadRequest, "the request ended too early"))),
            Ok(read) => {
                into.extend(chunk.iter().take(read));
                Ok(None)
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => Ok(late()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.set_write_timeout(Some(PATIENCE))?;
        (&mut &*self.stream).write_all(bytes)
    }

    /// A connection that is closed over unread bytes takes the answer with it.
    fn refuse(&mut self, refusal: &Refusal) -> io::Result<()> {
        self.send(&refusal.response())?;
        self.stream.shutdown(Shutdown::Write)?;
        self.until = Instant::now() + DRAIN.0;
        let mut rest = Vec::new();
        while rest.len() < DRAIN.1 && self.more(&mut rest)?.is_none() {}
        Ok(())
    }
}
