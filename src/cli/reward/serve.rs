//! `diffsieve reward --serve`: the sockets. What is asked and answered is the library's.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use diffsieve::eval::reward::Settings;
use diffsieve::eval::reward::request::{Guard, Head, PATH, Refusal, Status, answer, response};

use super::judge::Bench;
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

/// Requests that are answered at a time; others wait where the system keeps them.
const AT_ONCE: usize = 16;

/// How long a request may take to arrive as a whole, its head alone, and an answer to leave as a whole, however a client
/// trickles.
const PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE_FOR_HEAD: Duration = Duration::from_secs(5);
const PATIENCE_FOR_ANSWER: Duration = Duration::from_secs(10);

/// How long requests that are being answered have to end after standard input did.
const FAREWELL: Duration = Duration::from_secs(2);

/// Most bytes of one write: some systems begin the time limit of a write again with whatever of it leaves.
const CHUNK: usize = 1 << 14;

/// How long and how much more is read of a request that was refused, so that its client comes to read why.
const DRAIN: (Duration, usize) = (Duration::from_secs(1), 1 << 20);

/// Serves until the process ends, or standard input does where that was asked for.
pub(super) fn run(
    address: SocketAddr,
    token: Option<String>,
    until_stdin_ends: bool,
    settings: Settings,
    bench: Option<Bench>,
) -> Result<Exit, Failure> {
    let listener = listen(address)?;
    let address = listener.local_addr().context("the port cannot be learned")?;
    print(&format!("http://{address}{PATH}\n"))?;
    let server = Arc::new(Server { guard: Guard { address, token }, settings, bench, places: Places::default() });
    if !until_stdin_ends {
        accept(&listener, &server);
        return Ok(Exit::Passed);
    }
    // No thread is joined: what a client or a long computation holds ends with the process.
    let own = Arc::clone(&server);
    thread::Builder::new().spawn(move || accept(&listener, &own)).context("no thread can be started")?;
    // An input that cannot be read has ended, too.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    server.places.close(FAREWELL);
    Ok(Exit::Passed)
}

/// What every request is answered with.
struct Server {
    guard: Guard,
    settings: Settings,
    bench: Option<Bench>,
    places: Places,
}

impl Server {
    /// The answer to the body of a request. The time of a model is its own: no limit of the connection runs meanwhile.
    fn answer(&self, body: &[u8]) -> Result<String, Refusal> {
        match &self.bench {
            None => answer(&self.settings, None, body),
            Some(bench) => answer(&self.settings, Some(&bench.judge(&|questions| bench.decide(questions))), body),
        }
    }
}

/// Starts a thread for each connection, until the places are closed.
fn accept(listener: &TcpListener, server: &Arc<Server>) {
    for stream in listener.incoming() {
        // A client that went away at once, or a moment without file descriptors: the next one may fare better.
        let Ok(stream) = stream else {
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        if !server.places.take() {
            return;
        }
        let place = Place(Arc::clone(server));
        // A moment without threads costs this client its answer, and no more.
        let _ = thread::Builder::new().spawn(move || {
            // Nobody is left to tell where the connection broke.
            let _ = serve(&stream, &place.0);
        });
    }
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    if !address.ip().is_loopback() {
        bail!("`{address}` can be reached from other machines; serve on a loopback address such as 127.0.0.1:0");
    }
    TcpListener::bind(address).with_context(|| format!("`{address}` cannot be served"))
}

/// One request, one answer, end.
fn serve(stream: &TcpStream, server: &Server) -> io::Result<()> {
    let begun = Instant::now();
    let mut connection = Connection { stream, until: begun + PATIENCE_FOR_HEAD };
    let answered = connection.request(&server.guard, begun + PATIENCE)?.and_then(|body| server.answer(&body));
    connection.until = Instant::now() + PATIENCE_FOR_ANSWER;
    match answered {
        Ok(body) => connection.send(&response(Status::Ok, &body)),
        Err(refusal) => connection.refuse(&refusal),
    }
}

/// How many requests are being answered, and whether more are.
#[derive(Default)]
struct Places {
    taken: Mutex<(usize, bool)>,
    freed: Condvar,
}

impl Places {
    /// Waits for a free one and takes it; `false` where they are closed.
    fn take(&self) -> bool {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(taken, |(taken, closed)| *taken >= AT_ONCE && !*closed);
        let mut free = free.unwrap_or_else(PoisonError::into_inner);
        if !free.1 {
            free.0 += 1;
        }
        !free.1
    }

    /// Gives no more of them, and waits until all are free, or for so long.
    fn close(&self, patience: Duration) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.1 = true;
        self.freed.notify_all();
        // Whether all were in time changes nothing.
        drop(self.freed.wait_timeout_while(taken, patience, |(taken, _)| *taken > 0));
    }
}

/// A place, until it is dropped.
struct Place(Arc<Server>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.places.taken.lock().unwrap_or_else(PoisonError::into_inner).0 -= 1;
        self.0.places.freed.notify_all();
    }
}

/// A client, and when it has had its time.
struct Connection<'s> {
    stream: &'s TcpStream,
    until: Instant,
}

impl Connection<'_> {
    /// The body of a request that may be answered; all of it has until then to arrive.
    fn request(&mut self, guard: &Guard, until: Instant) -> io::Result<Result<Vec<u8>, Refusal>> {
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
        self.until = until;
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

    /// Sends all of it, or fails when the client has had its time.
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(CHUNK) {
            let mut rest = chunk;
            while !rest.is_empty() {
                let left = self.until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                self.stream.set_write_timeout(Some(left))?;
                match (&mut &*self.stream).write(rest) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(sent) => rest = rest.get(sent..).unwrap_or_default(),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
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
