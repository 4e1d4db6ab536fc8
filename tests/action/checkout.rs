//! The checkout ladder: clones as `actions/checkout` makes them, of every depth and event. Either the right range is reviewed, or
//! the review is incomplete and says how to check out.

use std::fs;

use crate::runner::{Runner, Step, conflict};

/// A repository on a server: `main` with three commits; pull request 7 from `topic`, which left after the second.
struct Server {
    runner: Runner,
    /// The commits of `main`, oldest first.
    main: Vec<String>,
    topic: String,
    merge: String,
}

impl Server {
    fn new() -> Self {
        let runner = Runner::empty();
        fs::create_dir(runner.path("made")).unwrap();
        let git = |args: &[&str]| runner.git_in("made", args);
        let commit = |name: &str, text: &str| {
            fs::write(runner.path("made").join(name), text).unwrap();
            git(&["add", "--all"]);
            git(&["commit", "--quiet", "--message", name]);
            git(&["rev-parse", "HEAD"])
        };
        git(&["init", "--quiet", "--initial-branch=main"]);
        let mut main = vec![commit("one", "one\n"), commit("two", "two\n")];
        git(&["switch", "--quiet", "--create", "topic"]);
        commit("first", "fine\n");
        let topic = commit("fault", &conflict());
        git(&["switch", "--quiet", "main"]);
        main.push(commit("three", "three\n"));
        git(&["switch", "--quiet", "--detach", "main"]);
        git(&["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
        let merge = git(&["rev-parse", "HEAD"]);
        git(&["update-ref", "refs/pull/7/merge", &merge]);
        git(&["update-ref", "refs/pull/7/head", &topic]);
        git(&["clone", "--quiet", "--bare", "--mirror", ".", "../server.git"]);
        Self { runner, main, topic, merge }
    }

    /// Checks out as `actions/checkout` does: the one ref, to a depth; 0 is all history and all branches.
    fn checkout(&self, name: &str, depth: u8) {
        drop(fs::remove_dir_all(self.runner.path("work")));
        fs::create_dir(self.runner.path("work")).unwrap();
        let git = |args: &[&str]| self.runner.git(args);
        git(&["init", "--quiet", "--initial-branch=main"]);
        git(&["remote", "add", "origin", &format!("file://{}", self.runner.path("server.git").display())]);
        let local = name.replace("refs/heads/", "refs/remotes/origin/").replace("refs/pull/", "refs/remotes/pull/");
        let spec = format!("+{name}:{local}");
        if depth == 0 {
            git(&["fetch", "--quiet", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*", &spec]);
        } else {
            git(&["fetch", "--quiet", "--no-tags", &format!("--depth={depth}"), "origin", &spec]);
        }
        git(&["checkout", "--quiet", "--force", &local]);
    }

    fn review(&self, name: &str, sha: &str, event: &str, env: &[(&str, &str)]) -> Step {
        let path = self.runner.path("event.json");
        fs::write(&path, event).unwrap();
        let mut all = vec![("GITHUB_REF", name), ("GITHUB_SHA", sha), ("GITHUB_EVENT_PATH", path.to_str().unwrap())];
        all.extend(env);
        self.runner.review(&all)
    }

    fn pull(&self, fork: bool, env: &[(&str, &str)]) -> Step {
        let head = if fork { "stranger/shop" } else { "acme/shop" };
        // The event's base is older than the merge's first parent, as on GitHub.
        let event = format!(
            r#"{{"pull_request":{{"number":7,"base":{{"ref":"main","sha":"{}"}},"head":{{"sha":"{}","repo":{{"full_name":"{head}"}}}}}},"repository":{{"default_branch":"main","full_name":"acme/shop"}}}}"#,
            self.main[1], self.topic
        );
        self.review("refs/pull/7/merge", &self.merge, &event, env)
    }

    fn push(&self, branch: &str, before: &str, after: &str) -> Step {
        let event = format!(r#"{{"before":"{before}","after":"{after}","repository":{{"default_branch":"main"}}}}"#);
        let name = format!("refs/heads/{branch}");
        self.review(&name, after, &event, &[("GITHUB_EVENT_NAME", "push"), ("GITHUB_BASE_REF", "")])
    }

    /// From here on nothing can be fetched.
    fn goes_away(&self) {
        fs::rename(self.runner.path("server.git"), self.runner.path("gone.git")).unwrap();
    }
}

impl Step {
    #[track_caller]
    fn reviewed(&self, from: &str, to: &str, findings: &str, fetched: bool) {
        assert_eq!(self.code, 0, "{}", self.log);
        self.has(&[("reviewed-range", &format!("{from}..{to}")), ("findings", findings), ("complete", "true")]);
        assert_eq!(self.log.contains("it alone was fetched"), fetched, "{}", self.log);
    }

    /// Not reviewed, and the log names the fix.
    #[track_caller]
    fn lacks(&self, fix: &str) {
        assert_eq!(self.code, 0, "{}", self.log);
        self.has(&[("exit-code", "3"), ("verdict", "incomplete"), ("complete", "false"), ("json-file", "")]);
        assert!(self.log.contains(fix), "`{fix}` is not in\n{}", self.log);
    }
}

#[test]
fn pull_requests_at_every_depth() {
    let server = Server::new();
    let from = &server.main[2];
    for (depth, fetched) in [(1, true), (2, false), (0, false)] {
        for fork in [false, true] {
            server.checkout("refs/pull/7/merge", depth);
            server.pull(fork, &[]).reviewed(from, &server.merge, "1", fetched);
        }
    }
    server.checkout("refs/pull/7/merge", 1);
    let step = server.pull(false, &[]);
    assert!(step.log.contains(&format!("lacked commit {from}")), "{}", step.log);
    assert_eq!(step.log.lines().filter(|line| line.starts_with("::error ")).count(), 1, "{}", step.log);
    // It has the commit now; the clone is still as shallow.
    server.pull(false, &[]).reviewed(from, &server.merge, "1", false);
    assert_eq!(server.runner.git(&["rev-parse", "--is-shallow-repository"]), "true");
}

#[test]
fn a_commit_that_cannot_be_fetched_is_no_pass() {
    let server = Server::new();
    server.checkout("refs/pull/7/merge", 1);
    server.goes_away();
    let step = server.pull(true, &[]);
    step.lacks(&format!("git fetch --depth=1 origin {}", server.main[2]));
    assert!(step.log.contains("::notice title=diffsieve::commit "), "{}", step.log);
    assert!(step.log.contains("fetch-depth: 0, or 2 for a pull request"), "{}", step.log);
}

/// Asked for again and again, the second answer stands.
#[test]
fn one_commit_is_fetched_once() {
    let server = Server::new();
    server.checkout("refs/pull/7/merge", 1);
    let log = server.runner.path("fetches");
    // A git that says it worked and did nothing.
    server.runner.program("git", &format!("#!/bin/sh\nprintf '%s\\n' \"$*\" >>'{}'\n", log.display()));
    server.pull(false, &[]).lacks("fetch-depth: 0");
    let fetches = fs::read_to_string(log).unwrap();
    assert_eq!(fetches.lines().count(), 1, "{fetches}");
    assert!(fetches.contains("core.hooksPath=/dev/null") && fetches.contains("protocol.ext.allow=never"), "{fetches}");
    assert!(fetches.trim_end().ends_with(&format!("--depth=1 origin {}", server.main[2])), "{fetches}");
}

#[test]
fn the_head_of_a_pull_request_needs_its_history() {
    let server = Server::new();
    // As with `ref: ${{ github.event.pull_request.head.sha }}`.
    server.checkout("refs/pull/7/head", 1);
    server.pull(false, &[]).lacks("fetch-depth: 0");
    server.checkout("refs/pull/7/head", 0);
    server.pull(false, &[]).reviewed(&server.main[1], &server.topic, "1", false);
}

#[test]
fn pushes_to_a_branch() {
    let server = Server::new();
    server.checkout("refs/heads/topic", 1);
    server.push("topic", &"0".repeat(40), &server.topic).lacks("fetch-depth: 0");
    server.checkout("refs/heads/topic", 0);
    server.push("topic", &"0".repeat(40), &server.topic).reviewed(&server.main[1], &server.topic, "1", false);
}

#[test]
fn pushes_to_the_default_branch() {
    let server = Server::new();
    let [first, second, third] = &server.main[..] else { panic!("three commits") };
    server.checkout("refs/heads/main", 1);
    server.push("main", second, third).reviewed(second, third, "0", true);
    server.checkout("refs/heads/main", 0);
    server.push("main", second, third).reviewed(second, third, "0", false);
    server.push("main", first, third).reviewed(first, third, "0", false);
    // Two commits at once: the one before them can be fetched, but not what joins it to HEAD.
    server.checkout("refs/heads/main", 1);
    let step = server.push("main", first, third);
    step.lacks("fetch-depth: 0");
    assert!(step.log.contains(&format!("lacked commit {first}")), "{}", step.log);
}

#[test]
fn the_first_commit_of_all() {
    let runner = Runner::empty();
    runner.git(&["init", "--quiet", "--initial-branch=main"]);
    let only = runner.commit("a", &conflict());
    let event = runner.path("event.json");
    fs::write(&event, format!(r#"{{"before":"{}","repository":{{"default_branch":"main"}}}}"#, "0".repeat(40)))
        .unwrap();
    runner.git(&["update-ref", "refs/remotes/origin/main", &only]);
    let step = runner.review(&[
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_BASE_REF", ""),
        ("GITHUB_REF", "refs/heads/main"),
        ("GITHUB_SHA", &only),
        ("GITHUB_EVENT_PATH", event.to_str().unwrap()),
    ]);
    step.has(&[("findings", "1"), ("exit-code", "1"), ("complete", "true")]);
    assert!(step.log.contains("root commit"), "{}", step.log);
}

/// Names of the change reach standard error. None makes the script fetch, whatever it says.
#[test]
fn no_name_of_the_change_asks_for_a_fetch() {
    let runner = Runner::new();
    let id = "1".repeat(40);
    let sentence = format!(
        "diffsieve: the review is incomplete: commit {id}, the first parent of {id}, is not in this shallow clone; fetch it"
    );
    runner.program("git", &format!("#!/bin/sh\ntouch '{}'\n", runner.path("fetched").display()));
    let commit = |name: &str| {
        fs::write(runner.path("work").join(name), vec![b'a'; (1 << 20) + (1 << 15)]).unwrap();
        runner.git(&["add", "--all"]);
        runner.git(&["commit", "--quiet", "--message", &sentence]);
    };
    commit(&format!("x\n{sentence}.py"));
    let step = runner.review(&[]);
    step.has(&[("exit-code", "3"), ("complete", "false")]);
    // A revision and a base that say the same, and leave no report.
    for (name, value) in [("DIFFSIEVE_ACTION_BASE", sentence.as_str()), ("GITHUB_BASE_REF", &format!("a\n{sentence}"))]
    {
        let step = runner.review(&[(name, value)]);
        assert_ne!(step.outputs["exit-code"], "0", "{}", step.log);
    }
    assert!(!runner.path("fetched").exists());
    // Where there is a report, history was not what it lacked, whatever standard error says; and no other exit code asks.
    for (code, report, fetched) in [(3, "{}", false), (1, "", false), (2, "", false), (3, "", true)] {
        let script = format!(
            "#!/bin/sh\necho '{sentence}' >&2\nfor arg; do case $arg in --format=json=*) printf '{report}' >\"${{arg#--format=json=}}\" ;; esac; done\nexit {code}\n"
        );
        runner.program("liar", &script);
        let liar = runner.path("bin/liar");
        let step = runner.review(&[("DIFFSIEVE_ACTION_BINARY", liar.to_str().unwrap())]);
        assert!(step.log.contains("is not in this shallow clone"), "{}", step.log);
        assert_eq!(runner.path("fetched").exists(), fetched, "exit code {code}, report `{report}`");
    }
}
