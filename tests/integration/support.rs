//! Repositories made by the `git` program, which is the oracle here, in a scrubbed environment. The
//! program itself runs it for datasets from history alone.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use diffsieve::git::Repository;
use tempfile::TempDir;

/// A repository in a temporary folder, with a home of its own beside it.
pub(crate) struct Repo {
    temp: TempDir,
    dir: PathBuf,
}

impl Repo {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// As [`Self::new`], with options for `git init`.
    pub(crate) fn with(init: &[&str]) -> Self {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let dir = temp.path().join("repo");
        fs::create_dir_all(temp.path().join("home")).expect("a home");
        fs::create_dir_all(&dir).expect("a folder");
        let repo = Self { temp, dir };
        repo.git(&[&["init", "-q", "-b", "main"], init].concat());
        repo
    }

    /// The same temporary folder, another working directory.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.join(name)
    }

    /// A git command in `dir`, not yet run.
    pub(crate) fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(dir)
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "C")
            .env("GIT_COMMITTER_EMAIL", "c@example.com")
            .env("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
            .stdin(Stdio::null());
        command
    }

    /// Runs git in the repository and gives its output; fails the test where git fails.
    pub(crate) fn git(&self, args: &[&str]) -> Vec<u8> {
        self.git_in(&self.dir, args)
    }

    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> Vec<u8> {
        let Output { status, stdout, stderr } = self.command(dir, args).output().expect("git runs");
        assert!(status.success(), "git {args:?}: {}", String::from_utf8_lossy(&stderr));
        stdout
    }

    /// The one line that git prints.
    pub(crate) fn line(&self, args: &[&str]) -> String {
        String::from_utf8(self.git(args)).expect("UTF-8").trim_end().to_owned()
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, content).expect("the file is written");
    }

    pub(crate) fn remove(&self, name: impl AsRef<Path>) {
        fs::remove_file(self.path(name)).expect("the file is removed");
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, target: impl AsRef<Path>, name: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(name)).expect("the link is made");
    }

    /// Commits everything on disk and gives the id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.line(&["rev-parse", "HEAD"])
    }

    pub(crate) fn open(&self) -> Repository {
        open(&self.dir)
    }
}

/// Opens a repository with no variables set.
pub(crate) fn open(dir: impl AsRef<OsStr>) -> Repository {
    Repository::open(Path::new(dir.as_ref()), &|_| None).expect("the repository opens")
}

/// Numbered lines, one content for each seed.
pub(crate) fn lines(seed: &str, count: usize) -> String {
    (0..count).map(|number| format!("{seed} line {number}\n")).collect()
}
