//! Runs a program with a prompt on its standard input, in an empty folder, with a few variables, until it ends or the
//! time is up. On Unix whatever it started dies with it.

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::settings::Clock;

/// Of what it says on the error channel.
const LARGEST_ERRORS: u64 = 64 << 10;
/// How often the end of the program is looked for.
const TICK: Duration = Duration::from_millis(10);
/// What is already written is waited for this long after the end of the program.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What to run.
pub struct Job<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// All the program sees of the environment.
    pub variables: Vec<(OsString, OsString)>,
    /// What it reads.
    pub input: String,
    /// Where it starts.
    pub folder: PathBuf,
    /// Most bytes of output that are kept.
    pub largest: u64,
}

/// What came of it.
#[derive(Debug)]
pub struct Output {
    /// What it wrote.
    pub text: String,
    /// What it wrote on the error channel.
    pub errors: String,
    /// Whether it said that all went well.
    pub success: bool,
    /// The output was longer than is kept.
    pub flooded: bool,
}

/// Why there is no output.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    Start(io::Error),
    /// The time was up.
    Deadline,
}

/// Runs it. Everything it started is dead when this returns.
///
/// # Errors
/// It could not be started, or did not end in time.
pub fn run(job: Job<'_>, clock: &Clock, deadline: Instant) -> Result<Output, Failure> {
    let mut command = Command::new(job.program);
    command.args(job.arguments).env_clear().envs(job.variables).current_dir(job.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(Failure::Start)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input ends the pipe, which is its own affair.
        thread::spawn(move || drop(stdin.write_all(job.input.as_bytes())));
    }
    let text = child.stdout.take().map(|pipe| collect(pipe, job.largest));
    let errors = child.stderr.take().map(|pipe| collect(pipe, LARGEST_ERRORS));
    let (_never, pause) = mpsc::channel::<()>();
    let in_time = loop {
        if has_ended(&mut child) {
            break true;
        }
        match clock.left(deadline) {
            Some(left) => drop(pause.recv_timeout(TICK.min(left))),
            None => break false,
        }
    };
    end(&mut child);
    let status = child.wait().map_err(Failure::Start)?;
    if !in_time {
        return Err(Failure::Deadline);
    }
    let words = |pipe: Option<Receiver<(Vec<u8>, bool)>>| pipe.and_then(|pipe| pipe.recv_timeout(LAST_WORDS).ok());
    let (text, flooded) = words(text).unwrap_or_default();
    let (errors, _) = words(errors).unwrap_or_default();
    Ok(Output {
        text: String::from_utf8_lossy(&text).into_owned(),
        errors: String::from_utf8_lossy(&errors).into_owned(),
        success: status.success(),
        flooded,
    })
}

/// Reads a pipe to its end and keeps its beginning; says whether that was all. In a thread of its own, which nobody joins:
/// a process that left the group may hold the pipe open for ever.
fn collect(mut pipe: impl Read + Send + 'static, largest: u64) -> Receiver<(Vec<u8>, bool)> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let read = pipe.by_ref().take(largest).read_to_end(&mut kept);
        let rest = read.and_then(|_| io::copy(&mut pipe, &mut io::sink()));
        drop(sender.send((kept, rest.is_ok_and(|bytes| bytes > 0))));
    });
    receiver
}

/// Whether it has ended. It is not reaped yet, so that its number still means its group.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Ends it and its group.
#[cfg(unix)]
fn end(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // An error means that nothing is left to end.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn end(child: &mut Child) {
    // An error means that it has ended. What it started is not followed here.
    drop(child.kill());
}
