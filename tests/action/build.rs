//! Where the program comes from: the tool cache, a released binary with a listed checksum, or the Action's sources.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use sha2::{Digest as _, Sha256};

use crate::runner::{ROOT, Runner, Step, write_program};

const TARGET: &str = "x86_64-unknown-linux-musl";
const VERSION: &str = "1.2.3";
const RELEASED: &str = "#!/bin/sh\necho diffsieve released\n";

/// A small Action of version 1.2.3 with the real scripts.
struct Action {
    runner: Runner,
}

impl Action {
    fn new() -> Self {
        let action = Self { runner: Runner::empty() };
        let scripts = action.path(".github/action");
        fs::create_dir_all(&scripts).unwrap();
        for folder in ["src", "rules", "hooks", "docs/workflows", "docs/schemas"] {
            fs::create_dir_all(action.path(folder)).unwrap();
            fs::write(action.path(folder).join("x"), "x").unwrap();
        }
        let manifest = format!("[package]\nname = \"diffsieve\"\nversion = \"{VERSION}\"\nrust-version = \"1.91\"\n");
        fs::write(action.path("Cargo.toml"), manifest).unwrap();
        for file in ["Cargo.lock", "build.rs"] {
            fs::write(action.path(file), "").unwrap();
        }
        for script in ["build", "sources", "prebuilt"] {
            fs::copy(Path::new(ROOT).join(".github/action").join(script), scripts.join(script)).unwrap();
        }
        // Stands in for cargo.
        action.runner.program(
            "cargo",
            "#!/bin/sh\necho cargo \"$*\"\nenv >\"$HOME/cargo-saw\"\nwhile [ \"$1\" != --root ]; do shift; done\n\
             mkdir -p \"$2/bin\"\nprintf '#!/bin/sh\\necho diffsieve built\\n' >\"$2/bin/diffsieve\"\nchmod +x \"$2/bin/diffsieve\"\n",
        );
        action
    }

    fn path(&self, name: &str) -> PathBuf {
        self.runner.path("action").join(name)
    }

    fn sources(&self) -> String {
        let output = Command::new("bash").arg(self.path(".github/action/sources")).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn list(&self, version: &str, sha: &str, sources: &str) {
        let list = format!(
            "# a comment\n{version} x86_64-apple-darwin {} {sources}\n{version} {TARGET} {sha} {sources}\n",
            "0".repeat(64)
        );
        fs::write(self.path(".github/action/prebuilt"), list).unwrap();
    }

    fn run(&self, env: &[(&str, &str)]) -> Step {
        let mut all = vec![("DIFFSIEVE_ACTION_REPOSITORY", "o/diffsieve")];
        all.extend(env);
        self.runner.script_at(&self.path(".github/action/build"), &all)
    }
}

impl Step {
    #[track_caller]
    fn provides(&self, what: &str) -> &str {
        assert_eq!(self.code, 0, "{}", self.log);
        assert!(self.log.lines().any(|line| line == format!("diffsieve {what}")), "{}", self.log);
        assert_eq!(self.outputs.len(), 1);
        &self.outputs["binary"]
    }
}

/// An archive as the release packs it, of the members `pack` puts into a folder.
fn archive(runner: &Runner, pack: impl FnOnce(&Path), members: &[&str]) -> Vec<u8> {
    let stage = runner.path("stage");
    drop(fs::remove_dir_all(&stage));
    fs::create_dir(&stage).unwrap();
    pack(&stage);
    let file = runner.path("packed.tar.gz");
    let status = Command::new("tar").arg("-C").arg(&stage).arg("-czPf").arg(&file).args(members).status().unwrap();
    assert!(status.success());
    fs::read(file).unwrap()
}

fn released(runner: &Runner) -> Vec<u8> {
    archive(runner, |stage| write_program(&stage.join("diffsieve"), RELEASED), &["diffsieve"])
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A server on the loopback that has some files; everything else is 404.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(files: BTreeMap<String, Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        // Ends with the test.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &files, &log);
            }
        });
        Self { address, asked }
    }

    fn with(version: &str, bytes: &[u8]) -> Self {
        let path = format!("/o/diffsieve/releases/download/v{version}/diffsieve-{version}-{TARGET}.tar.gz");
        Self::new(BTreeMap::from([(path, bytes.to_vec())]))
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, files: &BTreeMap<String, Vec<u8>>, asked: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(read) => request.extend_from_slice(&buffer[..read]),
        }
    }
    let request = String::from_utf8(request).unwrap();
    let path = request.split(' ').nth(1).unwrap().to_owned();
    let (status, body) = match files.get(&path) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", &b"no"[..]),
    };
    asked.lock().unwrap().push(path);
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that has seen enough may be gone.
    drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
}

#[test]
fn sources_are_built_once() {
    let action = Action::new();
    let first = action.run(&[]);
    let binary = first.provides("built");
    assert!(first.log.contains("cargo install --locked --path . --root "), "{}", first.log);
    assert!(binary.contains(&format!("/tools/diffsieve/{VERSION}-{}/X64/bin/", action.sources())), "{binary}");
    let second = action.run(&[]);
    assert_eq!(second.provides("built"), binary);
    assert!(!second.log.contains("cargo install"), "{}", second.log);
    // A half-finished installation is none.
    fs::remove_file(action.runner.path(&format!("tools/diffsieve/{VERSION}-{}/X64.complete", action.sources())))
        .unwrap();
    assert!(action.run(&[]).log.contains("cargo install"));
    // Other sources of the same version are another program.
    fs::write(action.path("src/x"), "y").unwrap();
    let third = action.run(&[]);
    assert_ne!(third.provides("built"), binary);
}

#[test]
fn a_build_reads_no_key_and_writes_nothing_for_later_steps() {
    let action = Action::new();
    let secrets = [("OPENAI_API_KEY", "s"), ("GITHUB_TOKEN", "s"), ("DIFFSIEVE_ACTION_TOKEN", "s"), ("A_SECRET", "s")];
    let mut env = vec![("GITHUB_ENV", "/e"), ("GITHUB_PATH", "/p"), ("CARGO_REGISTRIES_X_TOKEN", "c")];
    env.extend(secrets);
    action.run(&env).provides("built");
    let seen = fs::read_to_string(action.runner.path("cargo-saw")).unwrap();
    for (name, _) in secrets.into_iter().chain([("GITHUB_ENV", ""), ("GITHUB_PATH", ""), ("GITHUB_OUTPUT", "")]) {
        assert!(!seen.contains(&format!("{name}=")), "{name} is visible to cargo");
    }
    assert!(seen.contains("CARGO_REGISTRIES_X_TOKEN=c"), "a private registry may need it");
}

#[test]
fn without_cargo_the_toolchain_is_named() {
    let action = Action::new();
    fs::remove_file(action.runner.path("bin/cargo")).unwrap();
    let path = action.runner.few_tools();
    action.run(&[("PATH", &path)]).refuses("needs a Rust toolchain on the runner (1.91 or newer)");
}

#[test]
fn a_listed_release_is_downloaded_checked_and_kept() {
    let action = Action::new();
    let bytes = released(&action.runner);
    let server = Server::with(VERSION, &bytes);
    action.list(VERSION, &sum(&bytes), &action.sources());
    let env = [("GITHUB_SERVER_URL", server.address.as_str())];
    let first = action.run(&env);
    let binary = first.provides("released").to_owned();
    assert!(first.log.contains("as listed") && first.log.contains("the attestation was not verified"), "{}", first.log);
    assert_eq!(server.asked().len(), 1);
    let again = action.run(&env);
    assert_eq!(again.provides("released"), binary);
    assert_eq!(server.asked().len(), 1, "the tool cache has it");
    // `source` is built though there is a release, and sources that are not the release's are.
    action.run(&[env[0], ("DIFFSIEVE_ACTION_VERSION", "source")]).provides("built");
    fs::write(action.path("src/x"), "changed").unwrap();
    action.run(&env).provides("built");
    // Named, the release is taken all the same.
    action.run(&[env[0], ("DIFFSIEVE_ACTION_VERSION", VERSION)]).provides("released");
    assert_eq!(server.asked().len(), 1);
    // What the runner says of itself serves where action.yml's expression is empty.
    fs::remove_dir_all(action.runner.path("tools")).unwrap();
    let named = [
        env[0],
        ("DIFFSIEVE_ACTION_VERSION", VERSION),
        ("DIFFSIEVE_ACTION_REPOSITORY", ""),
        ("GITHUB_ACTION_REPOSITORY", "o/diffsieve"),
    ];
    action.run(&named).provides("released");
}

#[test]
fn a_wrong_checksum_ends_the_job() {
    let action = Action::new();
    let bytes = released(&action.runner);
    let server = Server::with(VERSION, &bytes);
    action.list(VERSION, &sum(b"another"), &action.sources());
    let step = action.run(&[("GITHUB_SERVER_URL", &server.address)]);
    step.refuses("SHA-256");
    assert!(!step.log.contains("cargo install"), "a changed release is no reason to build: {}", step.log);
    assert!(!action.runner.path("tools/diffsieve").exists());
}

#[test]
fn a_download_that_fails_is_built_instead() {
    let action = Action::new();
    let server = Server::new(BTreeMap::new());
    action.list(VERSION, &sum(b""), &action.sources());
    for (address, repository) in [
        (server.address.as_str(), "o/diffsieve"),
        // Nobody listens on this port; no server may be asked but by https; no repository is known.
        ("http://127.0.0.1:9", "o/diffsieve"),
        ("http://example.org", "o/diffsieve"),
        ("https://x/$(id)", "o/diffsieve"),
        ("https://github.com", ""),
        ("https://github.com", "../../x"),
        ("https://github.com", "o/d/e"),
    ] {
        drop(fs::remove_dir_all(action.runner.path("tools/diffsieve")));
        let step = action.run(&[("GITHUB_SERVER_URL", address), ("DIFFSIEVE_ACTION_REPOSITORY", repository)]);
        step.provides("built");
        assert!(step.log.contains("::notice title=diffsieve::"), "{}", step.log);
        assert!(step.log.contains("is built from the Action's own sources instead"), "{}", step.log);
    }
    assert_eq!(server.asked().len(), 1, "404 is final");
    // So it is without curl.
    drop(fs::remove_dir_all(action.runner.path("tools/diffsieve")));
    let path = action.runner.few_tools();
    let step = action.run(&[("GITHUB_SERVER_URL", &server.address), ("PATH", &path)]);
    step.provides("built");
    assert!(step.log.contains("there is no curl"), "{}", step.log);
}

#[test]
fn a_version_that_is_not_listed_is_refused_with_the_list() {
    let action = Action::new();
    let version = |text: &str| action.run(&[("DIFFSIEVE_ACTION_VERSION", text)]);
    version("9.9.9").refuses("diffsieve 9.9.9 is not listed for Linux on X64; listed are: none");
    let bytes = released(&action.runner);
    action.list("1.0.0", &sum(&bytes), "-");
    version("9.9.9").refuses(&format!("listed are: 1.0.0 (x86_64-apple-darwin), 1.0.0 ({TARGET})"));
    let other = [("DIFFSIEVE_ACTION_VERSION", "1.0.0"), ("RUNNER_OS", "Windows"), ("RUNNER_ARCH", "ARM64")];
    action.run(&other).refuses("diffsieve 1.0.0 is not listed for Windows on ARM64");
    // Another version than the Action's own cannot be built from its sources.
    let server = Server::new(BTreeMap::new());
    let gone = [("DIFFSIEVE_ACTION_VERSION", "1.0.0"), ("GITHUB_SERVER_URL", server.address.as_str())];
    action.run(&gone).refuses("1.0.0 could not be downloaded");
    let server = Server::with("1.0.0", &bytes);
    let there = [("DIFFSIEVE_ACTION_VERSION", "1.0.0"), ("GITHUB_SERVER_URL", server.address.as_str())];
    action.run(&there).provides("released");
    for wrong in ["latest", "1", "1.0", "v1.0.0", "1.0.0\n", "../1.0.0", "$(id)", "1.0.0 x", "1.0.0'"] {
        version(wrong).refuses("the input version");
    }
}

#[test]
fn a_digest_is_compared_as_text() {
    let action = Action::new();
    let bytes = released(&action.runner);
    let server = Server::with(VERSION, &bytes);
    // Both are zero to a program that takes them for numbers.
    fs::write(action.path(".github/action/sources"), "#!/bin/sh\necho 0e12345678901234\n").unwrap();
    action.list(VERSION, &sum(&bytes), "0e99999999999999");
    action.run(&[("GITHUB_SERVER_URL", &server.address)]).provides("built");
    assert!(server.asked().is_empty());
}

#[test]
fn an_archive_chooses_nothing_but_the_program() {
    let action = Action::new();
    let run = |bytes: &[u8]| {
        drop(fs::remove_dir_all(action.runner.path("tools/diffsieve")));
        let server = Server::with(VERSION, bytes);
        action.list(VERSION, &sum(bytes), &action.sources());
        action.run(&[("GITHUB_SERVER_URL", &server.address)])
    };
    let outside = action.runner.path("temp/hacked");
    let deep = "../".repeat(12) + outside.to_str().unwrap().trim_start_matches('/');
    // Members beside the program stay where they are.
    let members = ["diffsieve", outside.to_str().unwrap(), &deep];
    let bytes = archive(
        &action.runner,
        |stage| {
            write_program(&stage.join("diffsieve"), RELEASED);
            fs::write(&outside, "x").unwrap();
        },
        &members,
    );
    fs::remove_file(&outside).unwrap();
    run(&bytes).provides("released");
    assert!(!outside.exists(), "a member was written outside");
    // A link, a folder, an empty file in its place, or nothing at all.
    let link = |stage: &Path| symlink("/bin/sh", stage.join("diffsieve")).unwrap();
    run(&archive(&action.runner, link, &["diffsieve"])).refuses("is not a file");
    let folder = |stage: &Path| fs::create_dir(stage.join("diffsieve")).unwrap();
    run(&archive(&action.runner, folder, &["diffsieve"])).refuses("is not a file");
    let empty = |stage: &Path| fs::write(stage.join("diffsieve"), "").unwrap();
    run(&archive(&action.runner, empty, &["diffsieve"])).refuses("is not a file");
    let other = |stage: &Path| fs::write(stage.join("README.md"), "x").unwrap();
    run(&archive(&action.runner, other, &["README.md"])).refuses("cannot be read");
    run(b"no archive").refuses("cannot be read");
    assert!(!action.runner.path("tools/diffsieve").exists());
}

#[test]
fn an_attestation_is_verified_where_it_can_be() {
    let action = Action::new();
    let bytes = released(&action.runner);
    let server = Server::with(VERSION, &bytes);
    action.list(VERSION, &sum(&bytes), &action.sources());
    let gh = |code: u8| {
        let script = format!("#!/bin/sh\necho \"gh $*; token $GH_TOKEN\" >\"$HOME/gh-saw\"\nexit {code}\n");
        action.runner.program("gh", &script);
    };
    let run = |token: &str| {
        drop(fs::remove_dir_all(action.runner.path("tools/diffsieve")));
        action.run(&[("GITHUB_SERVER_URL", &server.address), ("DIFFSIEVE_ACTION_TOKEN", token)])
    };
    gh(0);
    let step = run("");
    step.provides("released");
    assert!(step.log.contains("not verified: there is no token"), "{}", step.log);
    assert!(!action.runner.path("gh-saw").exists());
    run("secret").provides("released");
    let seen = fs::read_to_string(action.runner.path("gh-saw")).unwrap();
    assert!(seen.contains("attestation verify ") && seen.contains("--repo o/diffsieve"), "{seen}");
    assert!(seen.contains("--signer-workflow o/diffsieve/.github/workflows/release.yml; token secret"), "{seen}");
    gh(1);
    let step = run("secret");
    step.refuses("gh attestation verify refuses");
    assert!(!step.log.contains("cargo install"), "{}", step.log);
}
