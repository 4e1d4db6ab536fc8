//! What a hook says where it cannot or must not review: loudly, and nothing stops unless the user wants that.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::stage::{Stage, fault};

#[test]
fn a_line_that_is_no_protocol_is_said_and_stops_nothing() {
    let stage = Stage::new();
    stage
        .hook(&[], "refs/heads/main nonsense refs/heads/main also\n")
        .passes()
        .says("NOT REVIEWED, this is no line of git's");
    stage.hook(&[], "one\n").passes().says("one: NOT REVIEWED");
    stage.hook(&[], "\u{1b}[2Jone\n").passes().silent_on("\u{1b}");
    stage.hook(&["--on-incomplete", "fail"], "one\n").ends(3).says("the push is stopped");
}

#[test]
fn of_many_lines_the_first_are_shown_and_the_rest_is_counted() {
    let stage = Stage::new();
    let flood = stage.hook(&[], &"x y\n".repeat(200_000)).passes();
    assert!(flood.said.len() < 1_000, "{} bytes", flood.said.len());
    let flood =
        flood.says("x y: NOT REVIEWED").says("standard input: NOT REVIEWED, 199997 more lines are none of git's");
    assert_eq!(flood.said.lines().count(), 4, "{}", flood.said);
    let long = stage.hook(&[], &"x".repeat(1 << 20)).passes();
    assert!(long.said.len() < 1_000, "{} bytes", long.said.len());
    // A ref is not lost among them.
    let gone = format!("refs/heads/x {} refs/heads/x {}\n", "1".repeat(40), "0".repeat(40));
    let many = stage.hook(&[], &("x y\n".repeat(9) + &gone.repeat(20))).passes();
    many.says("6 more lines").says("refs/heads/x: NOT REVIEWED").says("14 more refs: NOT REVIEWED");
    stage
        .hook(&["--on-incomplete", "fail"], &gone.repeat(20))
        .ends(3)
        .says("10 more refs: NOT REVIEWED; the push is stopped");
}

#[test]
fn an_object_that_is_not_here_is_said() {
    let stage = Stage::new();
    let line = format!("refs/heads/x {} refs/heads/x {}\n", "1".repeat(40), "0".repeat(40));
    stage.hook(&[], &line).passes().says("refs/heads/x: NOT REVIEWED").says("not in the repository");
    let line = format!("refs/heads/x {} refs/heads/x {}\n", "1".repeat(64), "0".repeat(64));
    stage.hook(&[], &line).passes().says("refs/heads/x: NOT REVIEWED");
}

#[test]
fn a_broken_configuration_is_said_loudly_and_stops_nothing() {
    let stage = Stage::new();
    stage.commit("diffsieve.toml", "[gate]\nfail_onn = \"never\"\n");
    stage
        .push(&["--dry-run", "origin", "main"])
        .passes()
        .says("NOT REVIEWED, see above; the push goes on")
        .says("fail_onn");
    stage.user_config("[gate]\non_incomplete = \"fail\"\n");
    let pushed = stage.push(&["--dry-run", "origin", "main"]);
    assert_ne!(pushed.code, 0, "{}", pushed.said);
}

#[test]
fn what_is_not_read_is_said_and_stops_only_where_the_user_says_so() {
    let stage = Stage::new();
    // The repository's word is for CI.
    stage.write(&stage.clone, "diffsieve.toml", "[gate]\non_incomplete = \"fail\"\n");
    stage.commit("large.py", &"value = 1\n".repeat(200_000));
    let push = || stage.push(&["--dry-run", "origin", "main"]);
    push().passes().says("refs/heads/main: NOT FULLY REVIEWED, see above; the push goes on");
    stage.user_config("[gate]\non_incomplete = \"fail\"\n");
    let pushed = push().says("NOT FULLY REVIEWED").says("the push is stopped");
    assert_ne!(pushed.code, 0, "{}", pushed.said);
    let head = stage.git(&["rev-parse", "HEAD"]);
    let line = format!("HEAD {head} refs/heads/new {}\n", "0".repeat(40));
    stage.hook(&[], &line).ends(3);
    stage.hook(&["--on-incomplete", "warn"], &line).passes();
    // A fault stops it whatever else could not be read.
    stage.commit("b.txt", &fault());
    stage.hook(&["--on-incomplete", "fail"], &line.replace(&head, &stage.git(&["rev-parse", "HEAD"]))).ends(1);
}

#[test]
fn the_skip_variable_skips_and_says_so() {
    let stage = Stage::new();
    stage.commit("b.txt", &fault());
    stage.push_in(&stage.clone, &["origin", "main"], &[("DIFFSIEVE_SKIP", "1")]).passes().reviewed(0).says("skipped");
    stage.commit("b.txt", &fault().repeat(2));
    stage.push_in(&stage.clone, &["origin", "main"], &[("DIFFSIEVE_SKIP", "0")]).stopped();
}

#[test]
fn a_missing_binary_is_said_and_stops_nothing() {
    let stage = Stage::new();
    fs::remove_file(stage.path("bin/diffsieve")).unwrap();
    stage.commit("b.txt", &fault());
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|file| file.is_file())
        .unwrap();
    // Only what a push needs, so that no other diffsieve of this machine is found.
    std::os::unix::fs::symlink(&git, stage.path("bin/git")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", stage.path("bin/sh")).unwrap();
    let path = stage.path("bin");
    let exec = stage.git(&["--exec-path"]);
    let path = format!("{}:{exec}", path.display());
    let pushed = stage.push_in(&stage.clone, &["origin", "main"], &[("PATH", &path)]);
    pushed.passes().reviewed(0).says("NOT REVIEWED: diffsieve is not on PATH");
}

#[test]
fn whoever_keeps_it_waiting_is_told_what_for() {
    let stage = Stage::new();
    stage.commit("b.txt", &fault());
    let mut command = stage.program("diffsieve", &stage.clone);
    command.args(["hook", "pre-push", "origin", "../remote.git"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(2_500));
    let (old, new) = (stage.git(&["rev-parse", "HEAD~"]), stage.git(&["rev-parse", "HEAD"]));
    writeln!(child.stdin.take().unwrap(), "HEAD {new} refs/heads/main {old}").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("diffsieve: waiting for git") && said.contains("use_stdin"), "{said}");
    assert_eq!(output.status.code(), Some(1), "it waits on: {said}");
}

#[test]
fn under_pre_commit_the_variables_say_what_is_pushed() {
    let stage = Stage::new();
    let old = stage.git(&["rev-parse", "HEAD"]);
    let fine = stage.commit("b.txt", "fine\n");
    let bad = stage.commit("c.txt", &fault());
    let of = |from: &'static str, to: &str| {
        let from = if from.is_empty() { old.clone() } else { from.to_owned() };
        [
            ("PRE_COMMIT", "1".to_owned()),
            ("PRE_COMMIT_REMOTE_NAME", "origin".to_owned()),
            ("PRE_COMMIT_REMOTE_URL", "../remote.git".to_owned()),
            ("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/topic".to_owned()),
            ("PRE_COMMIT_FROM_REF", from),
            ("PRE_COMMIT_TO_REF", to.to_owned()),
        ]
    };
    let run = |variables: &[(&str, String)]| {
        let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        stage.hook_with(&[], "", &variables)
    };
    run(&of("", &fine)).passes().reviewed(1).says("the first ref of a push only");
    run(&of("", &bad)).ends(1).says("refs/heads/topic: the gate failed");
    run(&of("nonsense", &bad)).ends(2).says("pre-commit names `nonsense`");
    // The push brings the root commit along, or somebody runs it by hand.
    let new = [("PRE_COMMIT", "1".to_owned()), ("PRE_COMMIT_REMOTE_NAME", "origin".to_owned())];
    run(&new).ends(1).reviewed(1).says("Reviewed origin/main...HEAD");
    run(&new[..1]).ends(1).reviewed(1);
}

/// A user whose model is a program that first runs `shell`, then answers that there is nothing to say.
fn with_model(stage: &Stage, shell: &str) {
    let answer = r#"{"findings":[],"no_comment":true}"#;
    stage.write(&stage.path(""), "model.sh", &format!("cat >/dev/null\n{shell}\necho '{answer}'\n"));
    let script = stage.path("model.sh");
    stage.user_config(&format!(
        "[model]\nprovider = \"command\"\nprogram = \"/bin/sh\"\narguments = [\"{}\"]\n",
        script.display()
    ));
}

#[test]
fn a_model_takes_no_longer_than_its_time_over_all_refs() {
    let stage = Stage::new();
    with_model(&stage, "sleep 60");
    stage.git(&["switch", "--quiet", "--create", "one"]);
    let one = stage.commit("b.py", "value = 1\n");
    stage.git(&["switch", "--quiet", "--create", "two", "main"]);
    let two = stage.commit("c.py", "value = 2\n");
    let zeros = "0".repeat(40);
    let lines = format!("one {one} refs/heads/one {zeros}\ntwo {two} refs/heads/two {zeros}\n");
    let start = Instant::now();
    let ended = stage.hook(&["--seconds", "2"], &lines).passes().reviewed(2);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    ended.says("refs/heads/one: NOT FULLY REVIEWED").says("refs/heads/two: NOT FULLY REVIEWED");
    // What the detectors find counts all the same.
    let bad = stage.commit("d.txt", &fault());
    stage.hook(&["--seconds", "1"], &lines.replace(&two, &bad)).ends(1);
}

#[test]
fn tags_that_no_time_is_left_for_are_not_held_for_reviewed() {
    let stage = Stage::new();
    with_model(&stage, "sleep 60");
    let zeros = "0".repeat(40);
    let mut lines = String::new();
    for number in 0..13 {
        stage.git(&["switch", "--quiet", "--detach", "main"]);
        let inner = stage.commit(&format!("a{number}.py"), "value = 1\n");
        let tip = stage.commit(&format!("b{number}.py"), "value = 2\n");
        lines += &format!("t {inner} refs/tags/inner{number} {zeros}\nt {tip} refs/tags/tip{number} {zeros}\n");
    }
    let start = Instant::now();
    let ended = stage.hook(&["--seconds", "2"], &lines).passes().reviewed(1);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    // The tag that was reviewed stands for the one that it leads to, and no other does.
    let ended = ended.says("NOT REVIEWED, no time is left").says("14 more refs: NOT REVIEWED; the push goes on");
    assert_eq!(ended.said.lines().filter(|line| line.contains("nothing to review, its commit goes along")).count(), 1);
    stage.hook(&["--seconds", "2", "--on-incomplete", "fail"], &lines).ends(3);
}

#[test]
fn answers_at_hand_take_no_time() {
    let stage = Stage::new();
    with_model(&stage, "");
    stage.commit("b.py", "value = 1\n");
    let push = || stage.push(&["--dry-run", "origin", "main"]).passes().reviewed(1);
    push().silent_on("NOT FULLY REVIEWED");
    with_model(&stage, "sleep 60");
    let start = Instant::now();
    push().silent_on("NOT FULLY REVIEWED").says("1 answers at hand");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[test]
fn a_broken_model_is_said_and_stops_nothing() {
    let stage = Stage::new();
    stage.commit("b.py", "value = 1\n");
    let (old, new) = (stage.git(&["rev-parse", "HEAD~"]), stage.git(&["rev-parse", "HEAD"]));
    let line = format!("HEAD {new} refs/heads/main {old}\n");
    stage.hook(&["--model", "nonsense/m"], &line).passes().says("nonsense").says("NOT REVIEWED");
    stage.hook(&["--model", "openai/m"], &line).passes().says("OPENAI_API_KEY").says("NOT FULLY REVIEWED");
    stage.hook(&["--model", "nonsense/m", "--on-incomplete", "fail"], &line).ends(3);
}

#[test]
fn outside_of_a_repository_it_says_so() {
    let stage = Stage::new();
    let away = stage.path("away");
    fs::create_dir(&away).unwrap();
    stage.sieve_in(&away, &["hook", "pre-push", "origin", "x"]).ends(2).says("no git repository");
    stage.sieve_in(&away, &["hook", "pre-commit"]).ends(2).says("no git repository");
    stage.sieve(&["hook", "pre-push", "--nonsense"]).ends(2);
}
