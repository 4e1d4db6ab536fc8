//! A runner: its folders, its variables, and what a step leaves behind.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A runner with a checkout in which the branch `topic` is ahead of `origin/main`.
pub(crate) struct Runner {
    temp: TempDir,
}

/// What a step left behind.
pub(crate) struct Step {
    pub(crate) code: i32,
    pub(crate) log: String,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
}

impl Runner {
    /// With folders and no checkout.
    pub(crate) fn empty() -> Self {
        let runner = Self { temp: TempDir::new().unwrap() };
        for folder in ["work", "temp", "tools", "bin"] {
            fs::create_dir(runner.path(folder)).unwrap();
        }
        fs::write(runner.path("summary"), "").unwrap();
        runner
    }

    pub(crate) fn new() -> Self {
        let runner = Self::empty();
        runner.git(&["init", "--quiet", "--initial-branch=main"]);
        runner.commit("a.txt", "one\n");
        runner.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        runner.git(&["switch", "--quiet", "--create", "topic"]);
        runner
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in("work", args)
    }

    pub(crate) fn git_in(&self, folder: &str, args: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path(folder))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
            .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn commit(&self, name: &str, text: &str) -> String {
        fs::write(self.path("work").join(name), text).unwrap();
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Puts a program in front of those of this machine.
    pub(crate) fn program(&self, name: &str, script: &str) {
        write_program(&self.path("bin").join(name), script);
    }

    /// The tools that the scripts need, and no others: no cargo, no curl, no gh.
    pub(crate) fn few_tools(&self) -> String {
        let folder = self.path("few");
        fs::create_dir(&folder).unwrap();
        let path = std::env::var("PATH").unwrap();
        for tool in [
            "awk",
            "bash",
            "cat",
            "chmod",
            "cut",
            "dirname",
            "find",
            "mkdir",
            "mktemp",
            "mv",
            "rm",
            "sed",
            "sh",
            "sort",
            "tar",
            "gzip",
            "touch",
            "uname",
            "sha256sum",
            "shasum",
            "perl",
        ] {
            if let Some(found) = path.split(':').map(|at| Path::new(at).join(tool)).find(|at| at.exists()) {
                symlink(found, folder.join(tool)).unwrap();
            }
        }
        format!("{}:{}", self.path("bin").display(), folder.display())
    }

    /// Runs a script of this repository as a step in the checkout.
    pub(crate) fn script(&self, name: &str, env: &[(&str, &str)]) -> Step {
        self.script_at(&Path::new(ROOT).join(".github/action").join(name), env)
    }

    pub(crate) fn script_at(&self, script: &Path, env: &[(&str, &str)]) -> Step {
        // As the runner does it: a file of its own for each step.
        fs::write(self.path("output"), "").unwrap();
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let Output { status, stdout, stderr } = Command::new("bash")
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail"])
            .arg(script)
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.temp.path())
            .envs([("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_BASE_REF", "main")])
            .envs([("GITHUB_REF", "refs/heads/topic"), ("RUNNER_ARCH", "X64"), ("RUNNER_OS", "Linux")])
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .env("GITHUB_ACTION_PATH", ROOT)
            .env("GITHUB_WORKSPACE", self.path("work"))
            .env("GITHUB_OUTPUT", self.path("output"))
            .env("GITHUB_STEP_SUMMARY", self.path("summary"))
            .env("RUNNER_TEMP", self.path("temp"))
            .env("RUNNER_TOOL_CACHE", self.path("tools"))
            .envs(env.iter().copied())
            .output()
            .unwrap();
        let outputs = fs::read_to_string(self.path("output")).unwrap();
        Step {
            code: status.code().unwrap(),
            log: format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)),
            outputs: outputs.lines().filter_map(|line| line.split_once('=')).map(owned).collect(),
            summary: fs::read_to_string(self.path("summary")).unwrap(),
        }
    }

    pub(crate) fn review(&self, inputs: &[(&str, &str)]) -> Step {
        fs::write(self.path("summary"), "").unwrap();
        let mut env = vec![
            ("DIFFSIEVE_ACTION_BINARY", env!("CARGO_BIN_EXE_diffsieve")),
            ("DIFFSIEVE_ACTION_UPLOAD_SARIF", "true"),
        ];
        env.extend(inputs);
        self.script("review", &env)
    }
}

impl Step {
    #[track_caller]
    pub(crate) fn has(&self, wanted: &[(&str, &str)]) {
        for (key, value) in wanted {
            assert_eq!(self.outputs.get(*key).map(String::as_str), Some(*value), "{key}\n{}", self.log);
        }
    }

    /// The step has failed, said why in an annotation, and has set nothing.
    #[track_caller]
    pub(crate) fn refuses(&self, why: &str) {
        assert_eq!(self.code, 2, "{}", self.log);
        let said = self.log.lines().find(|line| line.starts_with("::error title=diffsieve::"));
        assert!(said.is_some_and(|line| line.contains(why)), "`{why}` is not in\n{}", self.log);
        assert!(self.outputs.is_empty(), "{:?}", self.outputs);
    }
}

fn owned((key, value): (&str, &str)) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

pub(crate) fn write_program(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(name)).unwrap()
}

/// A line that fails the gate.
pub(crate) fn conflict() -> String {
    format!("{} HEAD\n", "<".repeat(7))
}
