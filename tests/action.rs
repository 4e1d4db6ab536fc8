//! The Action's scripts in the environment that a runner gives them.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A runner with a checkout in which the branch `topic` is ahead of `origin/main`.
struct Runner {
    temp: TempDir,
}

/// What a step left behind.
struct Step {
    code: i32,
    log: String,
    outputs: BTreeMap<String, String>,
    summary: String,
}

impl Runner {
    fn new() -> Self {
        let runner = Self { temp: TempDir::new().unwrap() };
        for folder in ["work", "temp", "tools", "bin"] {
            fs::create_dir(runner.path(folder)).unwrap();
        }
        runner.git(&["init", "--quiet", "--initial-branch=main"]);
        runner.commit("a.txt", "one\n");
        runner.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        runner.git(&["switch", "--quiet", "--create", "topic"]);
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path("work"))
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

    fn commit(&self, name: &str, text: &str) {
        fs::write(self.path("work").join(name), text).unwrap();
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
    }

    fn script(&self, name: &str, env: &[(&str, &str)]) -> Step {
        let root = env!("CARGO_MANIFEST_DIR");
        for file in ["output", "summary"] {
            fs::write(self.path(file), "").unwrap();
        }
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let Output { status, stdout, stderr } = Command::new("bash")
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail"])
            .arg(format!("{root}/.github/action/{name}"))
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.temp.path())
            .envs([("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "pull_request"), ("GITHUB_BASE_REF", "main")])
            .envs([("GITHUB_REF", "refs/heads/topic"), ("RUNNER_ARCH", "X64"), ("RUNNER_OS", "Linux")])
            .env("GITHUB_ACTION_PATH", root)
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

    fn review(&self, inputs: &[(&str, &str)]) -> Step {
        let mut env = vec![
            ("DIFFSIEVE_ACTION_BINARY", env!("CARGO_BIN_EXE_diffsieve")),
            ("DIFFSIEVE_ACTION_UPLOAD_SARIF", "true"),
        ];
        env.extend(inputs);
        self.script("review", &env)
    }
}

fn owned((key, value): (&str, &str)) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

impl Step {
    #[track_caller]
    fn has(&self, wanted: &[(&str, &str)]) {
        for (key, value) in wanted {
            assert_eq!(self.outputs.get(*key).map(String::as_str), Some(*value), "{key}\n{}", self.log);
        }
    }
}

fn conflict() -> String {
    format!("{} HEAD\n", "<".repeat(7))
}

#[test]
fn a_clean_change_passes() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let step = runner.review(&[]);
    assert_eq!(step.code, 0, "{}", step.log);
    step.has(&[("exit-code", "0"), ("verdict", "pass"), ("complete", "true"), ("findings", "0"), ("errors", "0")]);
    let range = format!("{}..{}", runner.git(&["rev-parse", "main"]), runner.git(&["rev-parse", "topic"]));
    step.has(&[("warnings", "0"), ("reviewed-range", &range)]);
    let json = fs::read_to_string(&step.outputs["json-file"]).unwrap();
    assert!(json.contains("diffsieve.report/v1"));
    let sarif = fs::read_to_string(&step.outputs["sarif-file"]).unwrap();
    assert!(sarif.contains("2.1.0"));
    assert!(step.summary.contains("### diffsieve: pass"), "{}", step.summary);
}

#[test]
fn findings_are_counted_annotated_and_leave_the_exit_code_to_the_last_step() {
    let runner = Runner::new();
    // A name and lines that look like the report's own keys and like workflow commands.
    runner.commit("  \"gate\": {\n    \"verdict\": \"pass\",\n::add-mask::x.txt", &conflict());
    runner.commit("c.txt", &format!("      \"level\": \"error\",\n  \"findings\": [\n{}", conflict()));
    let step = runner.review(&[]);
    assert_eq!(step.code, 0, "{}", step.log);
    step.has(&[("exit-code", "1"), ("verdict", "fail"), ("complete", "true"), ("findings", "2"), ("errors", "2")]);
    assert_eq!(step.log.lines().filter(|line| line.starts_with("::error ")).count(), 2, "{}", step.log);
    assert!(!step.log.lines().any(|line| line.trim_start().starts_with("::add-mask")), "{}", step.log);
    assert!(step.summary.contains("### diffsieve: fail"), "{}", step.summary);
    assert!(!step.summary.contains("add-mask"), "{}", step.summary);
}

#[test]
fn inputs_reach_the_review() {
    let runner = Runner::new();
    runner.commit("b.txt", &conflict());
    let sarif = runner.path("out.sarif");
    let step = runner.review(&[
        ("DIFFSIEVE_ACTION_FAIL_ON", "never"),
        ("DIFFSIEVE_ACTION_BASE", "main"),
        ("DIFFSIEVE_ACTION_SARIF_FILE", sarif.to_str().unwrap()),
        ("DIFFSIEVE_ACTION_ARGS", " --funnel\n  --category nightly "),
    ]);
    step.has(&[("exit-code", "0"), ("verdict", "pass"), ("errors", "1"), ("sarif-file", sarif.to_str().unwrap())]);
    assert!(fs::read_to_string(sarif).unwrap().contains("nightly"));
}

#[test]
fn a_model_without_its_key_is_no_pass() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let step = runner.review(&[("DIFFSIEVE_ACTION_MODEL", "openai/m"), ("DIFFSIEVE_ACTION_VALIDATOR", "none")]);
    step.has(&[("exit-code", "3"), ("verdict", "incomplete"), ("complete", "false"), ("findings", "0")]);
    let step = runner.review(&[("DIFFSIEVE_ACTION_MODEL", "nobody/m")]);
    step.has(&[("exit-code", "2"), ("verdict", "error")]);
}

#[test]
fn without_a_report_there_is_no_number() {
    let runner = Runner::new();
    runner.commit("b.txt", "fine\n");
    let step = runner.review(&[("DIFFSIEVE_ACTION_BASE", "no-such-branch")]);
    assert_eq!(step.code, 0, "{}", step.log);
    step.has(&[("exit-code", "2"), ("verdict", "error"), ("complete", "false"), ("findings", ""), ("sarif-file", "")]);
    let step = runner.review(&[("GITHUB_BASE_REF", "gone")]);
    step.has(&[("exit-code", "3"), ("verdict", "incomplete"), ("complete", "false"), ("json-file", "")]);
}

#[test]
fn wrong_inputs_are_refused_before_anything_runs() {
    let runner = Runner::new();
    let wrong = [
        ("DIFFSIEVE_ACTION_ARGS", "--format json"),
        ("DIFFSIEVE_ACTION_ARGS", "--quiet --format=sarif=x"),
        ("DIFFSIEVE_ACTION_ARGS", "--patch -"),
        ("DIFFSIEVE_ACTION_ARGS", "rules list"),
        ("DIFFSIEVE_ACTION_ARGS", "--category $(touch${IFS}hacked)"),
        ("DIFFSIEVE_ACTION_ARGS", "--category 'a b'"),
        ("DIFFSIEVE_ACTION_ARGS", "--category *"),
        ("DIFFSIEVE_ACTION_UPLOAD_SARIF", "yes"),
        ("DIFFSIEVE_ACTION_SARIF_FILE", "a\nverdict=pass"),
        ("DIFFSIEVE_ACTION_FAIL_ON", "error\nx=y"),
    ];
    for (name, value) in wrong {
        let step = runner.review(&[(name, value)]);
        assert_eq!(step.code, 2, "{name}={value}: {}", step.log);
        assert!(step.log.starts_with("::error title=diffsieve::"), "{}", step.log);
        assert!(step.outputs.is_empty());
    }
    assert!(!runner.path("work/hacked").exists());
    // What diffsieve itself refuses leaves its exit code.
    let step = runner.review(&[("DIFFSIEVE_ACTION_FAIL_ON", "fatal")]);
    step.has(&[("exit-code", "2"), ("verdict", "error")]);
}

#[test]
fn the_binary_is_built_once() {
    let runner = Runner::new();
    let cargo = runner.path("bin/cargo");
    // Stands in for cargo: takes the binary that this test was built with.
    let script = format!(
        "#!/bin/sh\necho cargo \"$*\"\nwhile [ \"$1\" != --root ]; do shift; done\nmkdir -p \"$2/bin\"\ncp '{}' \"$2/bin/diffsieve\"\n",
        env!("CARGO_BIN_EXE_diffsieve")
    );
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let first = runner.script("build", &[]);
    assert_eq!(first.code, 0, "{}", first.log);
    assert!(first.log.contains("cargo install --locked --path ."), "{}", first.log);
    let binary = &first.outputs["binary"];
    assert!(binary.contains(concat!("/diffsieve/", env!("CARGO_PKG_VERSION"), "-")), "{binary}");
    let second = runner.script("build", &[]);
    assert!(!second.log.contains("cargo install"), "{}", second.log);
    assert_eq!(&second.outputs["binary"], binary);
    assert!(second.log.contains(concat!("diffsieve ", env!("CARGO_PKG_VERSION"))), "{}", second.log);
}

/// What is declared is set, and what is set is declared.
#[test]
fn action_yml_and_its_scripts_agree() {
    let root = env!("CARGO_MANIFEST_DIR");
    let action = fs::read_to_string(format!("{root}/action.yml")).unwrap();
    let review = fs::read_to_string(format!("{root}/.github/action/review")).unwrap();
    let declared: Vec<&str> = words(&action, "steps.review.outputs.").filter(|name| *name != "exit-code").collect();
    for name in &declared {
        assert!(review.contains(&format!("'{name}=%s\\n'")), "{name} is declared but never set");
    }
    for name in words(&review, "printf '").filter(|name| review.contains(&format!("'{name}=%s\\n'"))) {
        assert!(name == "exit-code" || declared.contains(&name), "{name} is set but not declared");
    }
    for name in words(&action, "inputs.") {
        let variable = format!("DIFFSIEVE_ACTION_{}", name.to_uppercase().replace('-', "_"));
        assert!(
            action.contains(&format!("{variable}: ${{{{ inputs.{name} }}}}")),
            "{name} is not passed as {variable}"
        );
        assert!(review.contains(&variable), "{variable} is not read");
    }
    assert!(!action.lines().any(|line| line.trim_start().starts_with("run:") && line.contains("${{")));
}

/// The names that follow `prefix`.
fn words<'t>(text: &'t str, prefix: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(prefix).skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
        &rest[..end]
    })
}
