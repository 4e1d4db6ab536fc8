//! `hooks/pre-push` under real pushes: git runs the hook, the hook runs the real binary.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// An error-level finding in any text file, spelt so that this file has none.
fn fault() -> String {
    format!("{} HEAD\n", "<".repeat(7))
}

/// A clone with the hook, beside a bare repository it pushes to.
struct Stage {
    temp: TempDir,
    clone: PathBuf,
}

impl Stage {
    /// `main` with one commit is pushed already.
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(init: &[&str]) -> Self {
        let temp = TempDir::new().unwrap();
        let clone = temp.path().join("clone");
        let stage = Self { clone, temp };
        fs::create_dir(stage.path("bin")).unwrap();
        // Counts its calls, then is the real program.
        let wrapper = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'{}'\nexec '{}' \"$@\"\n",
            stage.path("calls").display(),
            env!("CARGO_BIN_EXE_diffsieve")
        );
        fs::write(stage.path("bin/diffsieve"), wrapper).unwrap();
        fs::set_permissions(stage.path("bin/diffsieve"), fs::Permissions::from_mode(0o755)).unwrap();
        let root = stage.temp.path().to_owned();
        let mut bare = vec!["init", "--quiet", "--bare", "--initial-branch=main", "remote.git"];
        bare.extend(init);
        stage.git_in(&root, &bare);
        let mut work = vec!["init", "--quiet", "--initial-branch=main", "clone"];
        work.extend(init);
        stage.git_in(&root, &work);
        stage.git(&["remote", "add", "origin", "../remote.git"]);
        stage.commit("a.txt", "one\n");
        stage.git(&["push", "--quiet", "origin", "main"]);
        stage.install();
        stage
    }

    fn install(&self) {
        let hook = concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/pre-push");
        let hooks = self.clone.join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        symlink(hook, hooks.join("pre-push")).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// git with nothing of the machine's or user's settings.
    fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new("git");
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        command
            .current_dir(dir)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.temp.path())
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
            .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
            .stdin(Stdio::null());
        command
    }

    fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.command(dir).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.clone, args)
    }

    fn commit(&self, name: &str, text: &str) -> String {
        self.commit_in(&self.clone, name, text)
    }

    fn commit_in(&self, dir: &Path, name: &str, text: &str) -> String {
        fs::write(dir.join(name), text).unwrap();
        self.git_in(dir, &["add", "--all"]);
        self.git_in(dir, &["commit", "--quiet", "--message", name]);
        self.git_in(dir, &["rev-parse", "HEAD"])
    }

    fn push(&self, args: &[&str]) -> Pushed {
        self.push_in(&self.clone, args, &[])
    }

    fn push_in(&self, dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Pushed {
        let output = self.command(dir).envs(env.iter().copied()).args(["push", "--quiet"]).args(args).output().unwrap();
        self.pushed(&output)
    }

    fn pushed(&self, output: &Output) -> Pushed {
        assert!(output.stdout.is_empty(), "the hook speaks on standard error only");
        let calls = fs::read_to_string(self.path("calls")).unwrap_or_default();
        fs::write(self.path("calls"), "").unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Pushed { passed: output.status.success(), said, calls }
    }

    /// Calls the hook as git would.
    fn hook(&self, stdin: &str) -> Pushed {
        use std::io::Write as _;
        let mut child = {
            let git = self.command(&self.clone);
            let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/pre-push"));
            command.current_dir(&self.clone).env_clear();
            command.envs(git.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.args(["origin", "../remote.git"]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        self.pushed(&child.wait_with_output().unwrap())
    }

    fn remote_has(&self, name: &str) -> bool {
        let output = self.command(&self.path("remote.git")).args(["rev-parse", "--verify", "--quiet", name]).output();
        output.unwrap().status.success()
    }
}

/// How a push ended.
struct Pushed {
    passed: bool,
    said: String,
    /// The arguments of each review, a line each.
    calls: String,
}

impl Pushed {
    #[track_caller]
    fn passes(self) -> Self {
        assert!(self.passed, "the push was stopped: {}", self.said);
        self
    }

    #[track_caller]
    fn stopped(self) -> Self {
        assert!(!self.passed, "the push went through: {}", self.said);
        self
    }

    #[track_caller]
    fn reviewed(self, times: usize) -> Self {
        assert_eq!(self.calls.lines().count(), times, "{}\n{}", self.calls, self.said);
        self
    }
}

#[test]
fn a_new_branch_is_reviewed_since_it_left_the_default_branch() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", &fault());
    stage.commit("c.txt", "fine\n");
    stage.push(&["origin", "topic"]).stopped();
    assert!(!stage.remote_has("topic"));
    stage.commit("b.txt", "mended\n");
    stage.push(&["origin", "topic"]).passes();
    assert!(stage.remote_has("topic"));
}

#[test]
fn an_update_is_reviewed_from_what_the_remote_has() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", &fault());
    stage.push(&["--no-verify", "origin", "topic"]).passes();
    stage.commit("c.txt", "fine\n");
    stage.push(&["origin", "topic"]).passes();
    stage.commit("d.txt", &fault());
    stage.push(&["origin", "topic"]).stopped();
}

#[test]
fn the_pushed_commit_is_reviewed_and_not_the_work_tree() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.commit("c.txt", &fault());
    stage.push(&["origin", "HEAD~:refs/heads/topic"]).passes();
    stage.git(&["switch", "--quiet", "main"]);
    stage.push(&["origin", "topic"]).stopped();
}

#[test]
fn an_update_that_merges_the_default_branch_does_not_answer_for_it() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.push(&["origin", "topic"]).passes();
    stage.git(&["switch", "--quiet", "main"]);
    stage.commit("theirs.txt", &fault());
    stage.push(&["--no-verify", "origin", "main"]).passes();
    stage.git(&["switch", "--quiet", "topic"]);
    stage.git(&["merge", "--quiet", "--no-edit", "main"]);
    stage.push(&["origin", "topic"]).passes();
    stage.commit("mine.txt", &fault());
    stage.push(&["origin", "topic"]).stopped();
}

#[test]
fn a_rebased_branch_does_not_answer_for_what_it_was_rebased_onto() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.push(&["origin", "topic"]).passes();
    stage.git(&["switch", "--quiet", "main"]);
    stage.commit("theirs.txt", &fault());
    stage.push(&["--no-verify", "origin", "main"]).passes();
    stage.git(&["switch", "--quiet", "topic"]);
    stage.git(&["rebase", "--quiet", "main"]);
    stage.push(&["--force", "origin", "topic"]).passes();
    stage.commit("mine.txt", &fault());
    stage.git(&["commit", "--quiet", "--amend", "--message", "again"]);
    stage.push(&["--force", "origin", "topic"]).stopped();
}

#[test]
fn a_forced_push_over_commits_nobody_fetched_falls_back_to_the_default_branch() {
    let stage = Stage::new();
    let other = stage.path("other");
    stage.git_in(stage.temp.path(), &["clone", "--quiet", "remote.git", "other"]);
    stage.git_in(&other, &["switch", "--quiet", "--create", "topic"]);
    stage.commit_in(&other, "theirs.txt", "theirs\n");
    stage.git_in(&other, &["push", "--quiet", "origin", "topic"]);

    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", &fault());
    stage.push(&["--force", "origin", "topic"]).stopped();
    stage.commit("b.txt", "mended\n");
    stage.push(&["--force", "origin", "topic"]).passes().reviewed(1);
}

#[test]
fn a_deletion_is_not_reviewed() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.push(&["origin", "topic"]).passes();
    stage.push(&["origin", "--delete", "topic"]).passes().reviewed(0);
    assert!(!stage.remote_has("topic"));
}

#[test]
fn a_deletion_beside_an_update_does_not_hide_it() {
    let stage = Stage::new();
    stage.git(&["push", "--quiet", "origin", "main:old"]);
    stage.commit("b.txt", &fault());
    stage.push(&["origin", ":old", "main"]).stopped();
}

#[test]
fn a_tag_is_reviewed_unless_its_commit_is_there_or_goes_along() {
    let stage = Stage::new();
    stage.git(&["tag", "--annotate", "--message", "known", "v1"]);
    stage.push(&["origin", "v1"]).passes().reviewed(0);

    stage.git(&["switch", "--quiet", "--detach"]);
    stage.commit("b.txt", &fault());
    stage.git(&["tag", "--annotate", "--message", "new", "v2"]);
    stage.push(&["origin", "v2"]).stopped().reviewed(1);

    stage.git(&["switch", "--quiet", "main"]);
    stage.commit("c.txt", "fine\n");
    stage.git(&["tag", "v3"]);
    stage.push(&["origin", "v3", "main"]).passes().reviewed(1);

    let blob = stage.git(&["rev-parse", "HEAD:c.txt"]);
    stage.git(&["tag", "blob", &blob]);
    stage.push(&["origin", "blob"]).passes().reviewed(0);
}

#[test]
fn every_pushed_ref_is_reviewed_and_the_same_range_once() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "one"]);
    stage.commit("b.txt", "fine\n");
    stage.git(&["switch", "--quiet", "--create", "two", "main"]);
    stage.commit("c.txt", &fault());
    stage.push(&["origin", "one", "two"]).stopped().reviewed(2);
    stage.push(&["origin", "one", "one:again", "one:third"]).passes().reviewed(1);
}

#[test]
fn a_first_push_to_an_empty_remote_reviews_the_last_commit_and_says_so() {
    let stage = Stage::new();
    stage.git_in(stage.temp.path(), &["init", "--quiet", "--bare", "empty.git"]);
    stage.git(&["remote", "set-url", "origin", "../empty.git"]);
    stage.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    stage.commit("b.txt", &fault());
    let pushed = stage.push(&["origin", "main"]).stopped();
    assert!(pushed.said.contains("only its last commit is reviewed"), "{}", pushed.said);
}

#[test]
fn a_push_to_a_url_is_reviewed_too() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", &fault());
    stage.push(&["../remote.git", "topic"]).stopped();
}

#[test]
fn nothing_to_push_is_a_success() {
    let stage = Stage::new();
    stage.push(&["origin", "main"]).passes().reviewed(0);
    stage.hook("").passes().reviewed(0);
}

#[test]
fn a_line_that_is_no_protocol_is_said_and_stops_nothing() {
    let stage = Stage::new();
    let pushed = stage.hook("refs/heads/main nonsense refs/heads/main also\n").passes();
    assert!(pushed.said.contains("NOT REVIEWED"), "{}", pushed.said);
    stage.hook("one\n").passes();
}

#[test]
fn branch_names_are_never_shell_code() {
    let stage = Stage::new();
    let names =
        ["a;touch${IFS}hacked", "b$(touch${IFS}hacked)", "c`touch${IFS}hacked`", "-d", "e'f\"g", "h&i|j", "k%s%n"];
    for name in names {
        let branch = format!("refs/heads/{name}");
        stage.git(&["switch", "--quiet", "--detach", "main"]);
        stage.commit("b.txt", &fault());
        stage.git(&["update-ref", &branch, "HEAD"]);
        stage.push(&["origin", &format!("{branch}:{branch}")]).stopped().reviewed(1);
    }
    assert!(!stage.clone.join("hacked").exists());
}

#[test]
fn sha256_repositories_are_reviewed() {
    let stage = Stage::with(&["--object-format=sha256"]);
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.push(&["origin", "topic"]).passes().reviewed(1);
    stage.commit("c.txt", &fault());
    stage.push(&["origin", "topic"]).stopped().reviewed(1);
    stage.push(&["origin", "--delete", "topic"]).passes().reviewed(0);
}

#[test]
fn a_linked_worktree_pushes_its_own_branch() {
    let stage = Stage::new();
    let linked = stage.path("linked");
    stage.git(&["worktree", "add", "--quiet", "-b", "topic", "../linked"]);
    stage.commit_in(&linked, "b.txt", &fault());
    assert!(!stage.push_in(&linked, &["origin", "topic"], &[]).passed);
    stage.commit_in(&linked, "b.txt", "mended\n");
    stage.push_in(&linked, &["origin", "topic"], &[]).passes().reviewed(1);
}

#[test]
fn the_repositorys_own_gate_decides() {
    let stage = Stage::new();
    stage.commit("diffsieve.toml", "[gate]\nfail_on = \"never\"\n");
    stage.commit("b.txt", &fault());
    stage.push(&["origin", "main"]).passes().reviewed(1);
}

#[test]
fn a_broken_configuration_is_said_loudly_and_stops_nothing() {
    let stage = Stage::new();
    stage.commit("diffsieve.toml", "[gate]\nfail_onn = \"never\"\n");
    let pushed = stage.push(&["origin", "main"]).passes();
    assert!(pushed.said.contains("NOT REVIEWED"), "{}", pushed.said);
    assert!(pushed.said.contains("fail_onn"), "{}", pushed.said);
}

#[test]
fn the_skip_variable_skips_and_says_so() {
    let stage = Stage::new();
    stage.commit("b.txt", &fault());
    let pushed = stage.push_in(&stage.clone, &["origin", "main"], &[("DIFFSIEVE_SKIP", "1")]).passes().reviewed(0);
    assert!(pushed.said.contains("skipped"), "{}", pushed.said);
}

#[test]
fn a_missing_binary_is_said_and_stops_nothing() {
    let stage = Stage::new();
    fs::remove_file(stage.path("bin/diffsieve")).unwrap();
    stage.commit("b.txt", &fault());
    let pushed = stage.push(&["origin", "main"]);
    if pushed.said.contains("NOT REVIEWED: diffsieve is not on PATH") {
        pushed.passes();
    } else {
        // Another diffsieve is installed on this machine: it reviews.
        pushed.stopped();
    }
}
