//! Drives the real program in a scrubbed environment: an own HOME, no configuration of this machine, fixed identities
//! and dates. Every run, whatever it tests, must end by itself, with a documented exit code, without a panic and without
//! control characters on the terminal.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// No run may take longer; a debug build of the largest case here needs a tenth of it.
const WATCHDOG: Duration = Duration::from_secs(60);

/// A pack whose tag stands wherever a test writes `MARK-…`, whatever the shipped packs become.
pub(crate) const HOUSE: &str = r"
pack: house
version: 1.0.0
tags:
  Marker:
    title: A marker
    level: warning
    detect:
      - {id: any, in: any, regex: 'MARK-\w+', message: 'the marker {0}'}
";

/// A folder to work in, with a HOME beside it.
pub(crate) struct Place {
    top: TempDir,
}

impl Place {
    /// An empty folder that is no repository.
    pub(crate) fn new() -> Self {
        let top = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir(top.path().join("home")).expect("a folder can be made");
        fs::create_dir(top.path().join("work")).expect("a folder can be made");
        Self { top }
    }

    /// An empty repository on branch `main`.
    pub(crate) fn repository() -> Self {
        let place = Self::new();
        place.git(["init", "-q", "-b", "main"]);
        place
    }

    /// A repository with one commit on `main` that holds these files, and branch `topic` checked out.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::repository();
        for (path, text) in files {
            place.write(path, text);
        }
        place.commit("base");
        place.git(["switch", "-q", "-c", "topic"]);
        place
    }

    /// The folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.top.path().join("work")
    }

    /// A repository as [`Self::with`] makes it, reviewed by [`HOUSE`] alone.
    pub(crate) fn house(files: &[(&str, &str)]) -> Self {
        let own = [("diffsieve.toml", "packs = [\"house\"]\n"), (".diffsieve/rules/house.yml", HOUSE)];
        Self::with(&[&own, files].concat())
    }

    /// A path in it.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root().join(path)
    }

    /// The HOME of every program run here.
    pub(crate) fn home(&self) -> PathBuf {
        self.top.path().join("home")
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        let folder = path.parent().expect("a file has a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// A file's text.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a file can be read")
    }

    /// Runs git, which must succeed; what it printed.
    pub(crate) fn git<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> String {
        self.git_fed(args, b"")
    }

    /// Runs git with something on its standard input.
    pub(crate) fn git_fed<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>, input: &[u8]) -> String {
        let mut command = self.scrubbed("git");
        command.args(args);
        let described = format!("{command:?}");
        let done = finish(command, input);
        assert_eq!(done.code, Some(0), "{described}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim_end().to_owned()
    }

    /// Commits everything; the commit's id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// The program with arguments, to be completed.
    pub(crate) fn program<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run {
        let mut command = self.scrubbed(env!("CARGO_BIN_EXE_diffsieve"));
        command.args(args);
        Run { command, input: Vec::new() }
    }

    /// The program where only one core may be used, as far as this machine can pin it.
    pub(crate) fn pinned<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run {
        let mut command = self.scrubbed("taskset");
        command.args(["-c", "0", env!("CARGO_BIN_EXE_diffsieve")]).args(args);
        Run { command, input: Vec::new() }
    }

    /// Runs the program.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ran {
        self.program(args).run()
    }

    /// Reviews with these arguments and reads the JSON report; the exit code stands beside it.
    pub(crate) fn review<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Reviewed {
        self.program(args).review()
    }

    fn scrubbed(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs([("GIT_AUTHOR_NAME", "A. U. Thor"), ("GIT_AUTHOR_EMAIL", "author@example.com")])
            .envs([("GIT_COMMITTER_NAME", "C. O. Mitter"), ("GIT_COMMITTER_EMAIL", "committer@example.com")])
            .envs([("GIT_AUTHOR_DATE", "2025-01-02T03:04:05Z"), ("GIT_COMMITTER_DATE", "2025-01-02T03:04:05Z")])
            .current_dir(self.root());
        command
    }
}

/// A run of the program before it starts.
pub(crate) struct Run {
    command: Command,
    input: Vec<u8>,
}

impl Run {
    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, value: impl AsRef<OsStr>) -> Self {
        self.command.arg(value);
        self
    }

    /// Starts elsewhere.
    pub(crate) fn from(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Puts something on its standard input.
    pub(crate) fn fed(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs it.
    pub(crate) fn run(self) -> Ran {
        let Self { command, input } = self;
        let described = describe(&command);
        let done = finish(command, &input);
        let ran = Ran {
            code: done.code.unwrap_or_else(|| panic!("{described} was killed by a signal")),
            stdout: done.stdout,
            stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
            described,
        };
        ran.is_decent();
        ran
    }

    /// Runs it with `--format json` and reads the report.
    pub(crate) fn review(self) -> Reviewed {
        let ran = self.arg("--format").arg("json").run();
        let report = serde_json::from_slice(&ran.stdout)
            .unwrap_or_else(|error| panic!("no report ({error}), exit code {}: {}", ran.code, ran.stderr));
        Reviewed { code: ran.code, report, stderr: ran.stderr }
    }

    /// Runs it with standard output closed after `count` bytes were read.
    pub(crate) fn run_into_closed_pipe(self, count: usize) -> Ran {
        let Self { mut command, .. } = self;
        let described = describe(&command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdout = child.stdout.take().expect("it is piped");
        let mut first = vec![0; count];
        let read = stdout.read(&mut first).expect("a pipe can be read");
        first.truncate(read);
        drop(stdout);
        let stderr = drain(child.stderr.take().expect("it is piped"));
        let stderr = within(&stderr, &mut child, &described);
        let code = child.wait().expect("it ended").code();
        let ran = Ran {
            code: code.unwrap_or_else(|| panic!("{described} was killed by a signal")),
            stdout: first,
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            described,
        };
        ran.is_decent();
        ran
    }
}

/// A finished run.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    described: String,
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The exit code must be this, and every part must stand on standard error.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}\nstdout: {}\nstderr: {}", self.described, self.text(), self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "{}\nno `{part}` in: {}", self.described, self.stderr);
        }
    }

    /// The exit code must be 0, and every part must stand on standard output.
    #[track_caller]
    pub(crate) fn prints(&self, parts: &[&str]) {
        assert_eq!(self.code, 0, "{}\nstdout: {}\nstderr: {}", self.described, self.text(), self.stderr);
        let text = self.text();
        for part in parts {
            assert!(text.contains(part), "{}\nno `{part}` in: {text}", self.described);
        }
    }

    /// What holds for every run.
    fn is_decent(&self) {
        let Self { code, described, stderr, .. } = self;
        let stdout = self.text();
        assert!((0..=3).contains(code), "{described}: undocumented exit code {code}: {stderr}");
        for text in [&stdout, stderr] {
            for sign in ["panicked", "bug in diffsieve", "RUST_BACKTRACE", "unwrap()"] {
                assert!(!text.contains(sign), "{described}: `{sign}` in: {text}");
            }
        }
        let coloured = described.contains("--color") || described.contains("FORCE");
        for (text, may_colour) in [(&stdout, coloured), (stderr, false)] {
            let bad = text.char_indices().find(|(at, character)| match character {
                '\n' | '\t' => false,
                '\x1b' if may_colour => !text[*at..].starts_with("\x1b["),
                character => character.is_control(),
            });
            assert!(bad.is_none(), "{described}: control character {bad:?} in: {text:?}");
        }
        if matches!(code, 2 | 3) && stdout.is_empty() {
            assert!(!stderr.trim().is_empty(), "{described}: exit code {code} without a word");
        }
    }
}

/// A review with its report.
pub(crate) struct Reviewed {
    pub(crate) code: i32,
    pub(crate) report: Value,
    pub(crate) stderr: String,
}

impl Reviewed {
    /// Shown findings.
    pub(crate) fn findings(&self) -> &[Value] {
        list(&self.report["findings"])
    }

    /// Dropped findings.
    pub(crate) fn dropped(&self) -> &[Value] {
        list(&self.report["dropped"])
    }

    /// `tag file:line` of every shown finding, in their order.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.findings().iter().map(place).collect()
    }

    /// `tag file:line reason` of every dropped finding.
    pub(crate) fn removed(&self) -> Vec<String> {
        self.dropped()
            .iter()
            .map(|finding| format!("{} {}", place(finding), finding["dropped"]["reason"].as_str().unwrap_or("?")))
            .collect()
    }

    /// All notes, of the range and of the review.
    pub(crate) fn notes(&self) -> String {
        let all = list(&self.report["notes"]).iter().chain(list(&self.report["change"]["notes"]));
        all.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }

    /// `path: why` of everything that was not read.
    pub(crate) fn skipped(&self) -> Vec<String> {
        let skips = list(&self.report["coverage"]["skipped"]).iter();
        skips.map(|skip| format!("{}: {}", text(&skip["path"]), text(&skip["why"]))).collect()
    }

    /// The names of the changed files.
    pub(crate) fn files(&self) -> Vec<String> {
        list(&self.report["change"]["files"]).iter().map(|file| text(&file["path"])).collect()
    }

    /// The verdict of the gate.
    pub(crate) fn verdict(&self) -> String {
        text(&self.report["gate"]["verdict"])
    }

    /// The fingerprint of the only shown finding.
    #[track_caller]
    pub(crate) fn fingerprint(&self) -> String {
        assert_eq!(self.findings().len(), 1, "{:?} {:?}", self.shown(), self.removed());
        text(&self.findings()[0]["fingerprint"])
    }
}

fn place(finding: &Value) -> String {
    format!("{} {}:{}", text(&finding["tag"]), text(&finding["file"]), finding["line"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The items of a list; none of anything else.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn describe(command: &Command) -> String {
    let words: Vec<OsString> = command.get_args().map(OsStr::to_owned).collect();
    let set: Vec<_> =
        command.get_envs().filter(|(name, _)| *name == "FORCE_COLOR" || *name == "CLICOLOR_FORCE").collect();
    format!("diffsieve {words:?} {set:?}")
}

struct Done {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

fn finish(mut command: Command, input: &[u8]) -> Done {
    let described = describe(&command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    // A program that does not read its input closes it, which is its right.
    let feeding = thread::spawn(move || drop(stdin.write_all(&input)));
    let stdout = drain(child.stdout.take().expect("it is piped"));
    let stderr = drain(child.stderr.take().expect("it is piped"));
    let stdout = within(&stdout, &mut child, &described);
    let stderr = within(&stderr, &mut child, &described);
    let code = child.wait().expect("it ended").code();
    feeding.join().expect("feeding cannot fail");
    Done { code, stdout, stderr }
}

fn drain(mut pipe: impl std::io::Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

fn within(output: &mpsc::Receiver<Vec<u8>>, child: &mut Child, described: &str) -> Vec<u8> {
    output.recv_timeout(WATCHDOG).unwrap_or_else(|_| {
        let _ = child.kill();
        panic!("{described} did not end within {WATCHDOG:?}");
    })
}
