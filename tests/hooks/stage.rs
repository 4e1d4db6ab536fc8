//! A clone beside a bare repository, and git without anything of this machine.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// An error-level finding in any text file, spelt so that this file has none.
pub(crate) fn fault() -> String {
    format!("{} HEAD\n", "<".repeat(7))
}

/// A clone with hooks, beside a bare repository it pushes to.
pub(crate) struct Stage {
    temp: TempDir,
    pub(crate) clone: PathBuf,
}

impl Stage {
    /// `main` with one commit is pushed already, then the hook is installed.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// As [`Self::new`], with options for `git init`.
    pub(crate) fn with(init: &[&str]) -> Self {
        let stage = Self::bare(init);
        stage.commit("a.txt", "one\n");
        stage.git(&["push", "--quiet", "origin", "main"]);
        stage.sieve(&["hook", "install"]).passes();
        stage
    }

    /// Nothing is committed, pushed or installed.
    pub(crate) fn bare(init: &[&str]) -> Self {
        let temp = TempDir::new().unwrap();
        let clone = temp.path().join("clone");
        let stage = Self { clone, temp };
        fs::create_dir(stage.path("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_diffsieve"), stage.path("bin/diffsieve")).unwrap();
        let root = stage.temp.path().to_owned();
        let mut bare = vec!["init", "--quiet", "--bare", "--initial-branch=main", "remote.git"];
        bare.extend(init);
        stage.git_in(&root, &bare);
        let mut work = vec!["init", "--quiet", "--initial-branch=main", "clone"];
        work.extend(init);
        stage.git_in(&root, &work);
        stage.git(&["remote", "add", "origin", "../remote.git"]);
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// A program with nothing of the machine's or user's settings.
    pub(crate) fn program(&self, name: &str, dir: &Path) -> Command {
        let mut command = Command::new(name);
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        command
            .current_dir(dir)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.temp.path())
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_GLOBAL", self.path("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_EDITOR", "true")
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
            .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.program("git", dir).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.clone, args)
    }

    pub(crate) fn commit(&self, name: &str, text: &str) -> String {
        self.commit_in(&self.clone, name, text)
    }

    /// Commits everything on disk past the hooks.
    pub(crate) fn commit_in(&self, dir: &Path, name: &str, text: &str) -> String {
        self.write(dir, name, text);
        self.git_in(dir, &["add", "--all"]);
        self.git_in(dir, &["commit", "--quiet", "--no-verify", "--message", name]);
        self.git_in(dir, &["rev-parse", "HEAD"])
    }

    pub(crate) fn write(&self, dir: &Path, name: &str, text: &str) {
        let file = dir.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// The user's own configuration.
    pub(crate) fn user_config(&self, text: &str) {
        self.write(self.temp.path(), ".config/diffsieve/config.toml", text);
    }

    /// git, whatever comes of it.
    pub(crate) fn try_git(&self, dir: &Path, args: &[&str]) -> Ended {
        Ended::of(&self.program("git", dir).args(args).output().unwrap())
    }

    pub(crate) fn push(&self, args: &[&str]) -> Ended {
        self.push_in(&self.clone, args, &[])
    }

    pub(crate) fn push_in(&self, dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Ended {
        let mut command = self.program("git", dir);
        let ended =
            Ended::of(&command.envs(env.iter().copied()).args(["push", "--quiet"]).args(args).output().unwrap());
        assert_eq!(ended.out, "", "the hook speaks on standard error only");
        ended
    }

    /// The program in the clone.
    pub(crate) fn sieve(&self, args: &[&str]) -> Ended {
        self.sieve_in(&self.clone, args)
    }

    pub(crate) fn sieve_in(&self, dir: &Path, args: &[&str]) -> Ended {
        Ended::of(&self.program("diffsieve", dir).args(args).output().unwrap())
    }

    /// The hook as git would call it.
    pub(crate) fn hook(&self, args: &[&str], stdin: &str) -> Ended {
        self.hook_with(args, stdin, &[])
    }

    pub(crate) fn hook_with(&self, args: &[&str], stdin: &str, env: &[(&str, &str)]) -> Ended {
        let mut command = self.program("diffsieve", &self.clone);
        command.args(["hook", "pre-push", "origin", "../remote.git"]).args(args).envs(env.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Who needs no input may be gone already.
        drop(child.stdin.take().unwrap().write_all(stdin.as_bytes()));
        Ended::of(&child.wait_with_output().unwrap())
    }

    pub(crate) fn remote_has(&self, name: &str) -> bool {
        self.try_git(&self.path("remote.git"), &["rev-parse", "--verify", "--quiet", name]).code == 0
    }
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) said: String,
}

impl Ended {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), said: text(&output.stderr) }
    }

    #[track_caller]
    pub(crate) fn passes(self) -> Self {
        self.ends(0)
    }

    /// Not zero: git has one code of its own for whatever a hook says.
    #[track_caller]
    pub(crate) fn stopped(self) -> Self {
        assert!(self.code != 0, "it went through: {}", self.said);
        assert!(self.said.contains("the gate failed"), "stopped by something else: {}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.said);
        self
    }

    /// How many reviews there were.
    #[track_caller]
    pub(crate) fn reviewed(self, times: usize) -> Self {
        let found = self.said.lines().filter(|line| line.starts_with("Reviewed ")).count();
        assert_eq!(found, times, "{}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, part: &str) -> Self {
        // The lines of a report are broken at spaces.
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&self.said).contains(&flat(part)), "`{part}` is missing: {}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn prints(self, part: &str) -> Self {
        assert!(self.out.contains(part), "`{part}` is missing: {}", self.out);
        self
    }

    #[track_caller]
    pub(crate) fn silent_on(self, part: &str) -> Self {
        assert!(!self.said.contains(part), "`{part}`: {}", self.said);
        self
    }
}
