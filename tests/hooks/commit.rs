//! What of a commit is reviewed.

use super::stage::{Stage, fault};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.sieve(&["hook", "install", "pre-commit"]).passes();
    stage
}

#[test]
fn what_is_staged_counts_and_not_what_is_on_disk() {
    let stage = stage();
    let commit = || stage.try_git(&stage.clone, &["commit", "--quiet", "--message", "b"]);
    stage.write(&stage.clone, "b.txt", &fault());
    stage.git(&["add", "b.txt"]);
    stage.write(&stage.clone, "b.txt", "mended\n");
    commit().stopped().reviewed(1).says("what is staged: the gate failed, so the commit is stopped");
    stage.git(&["add", "b.txt"]);
    stage.write(&stage.clone, "b.txt", &fault());
    commit().passes().reviewed(1);
}

#[test]
fn a_partial_commit_is_reviewed_as_it_will_be() {
    let stage = stage();
    stage.commit("c.txt", "one\n");
    stage.commit("d.txt", "one\n");
    stage.write(&stage.clone, "c.txt", &fault());
    stage.write(&stage.clone, "d.txt", "two\n");
    stage.git(&["add", "c.txt"]);
    let commit = |file: &str| stage.try_git(&stage.clone, &["commit", "--quiet", "--message", "m", file]);
    commit("d.txt").passes().reviewed(1);
    stage.git(&["restore", "--staged", "c.txt"]);
    commit("c.txt").stopped().reviewed(1);
}

#[test]
fn commit_all_takes_what_is_on_disk() {
    let stage = stage();
    stage.write(&stage.clone, "a.txt", &fault());
    let commit = || stage.try_git(&stage.clone, &["commit", "--quiet", "--all", "--message", "m"]);
    commit().stopped().reviewed(1);
    stage.write(&stage.clone, "a.txt", "two\n");
    commit().passes().reviewed(1);
}

#[test]
fn an_amendment_is_reviewed_for_what_it_adds() {
    let stage = stage();
    stage.commit("b.txt", &fault());
    let amend = || stage.try_git(&stage.clone, &["commit", "--quiet", "--amend", "--no-edit"]);
    amend().passes().reviewed(1).says("no file differs");
    stage.write(&stage.clone, "c.txt", &fault());
    stage.git(&["add", "c.txt"]);
    amend().stopped();
}

#[test]
fn the_first_commit_is_all_new() {
    let stage = Stage::bare(&[]);
    stage.sieve(&["hook", "install", "pre-commit"]).passes();
    stage.write(&stage.clone, "a.txt", &fault());
    stage.git(&["add", "a.txt"]);
    let commit = || stage.try_git(&stage.clone, &["commit", "--quiet", "--message", "first"]);
    commit().stopped().says("Reviewed the index, before the first commit");
    stage.write(&stage.clone, "a.txt", "fine\n");
    stage.git(&["add", "a.txt"]);
    commit().passes().reviewed(1);
}

#[test]
fn linked_work_trees_and_sha256_have_an_index_of_their_own() {
    let stage = Stage::with(&["--object-format=sha256"]);
    stage.sieve(&["hook", "install", "pre-commit"]).passes();
    let linked = stage.path("linked");
    stage.git(&["worktree", "add", "--quiet", "-b", "topic", "../linked"]);
    stage.write(&linked, "folder/b.txt", &fault());
    stage.git_in(&linked, &["add", "--all"]);
    let commit = |args: &[&str]| {
        stage.try_git(&linked.join("folder"), &[&["commit", "--quiet", "--message", "m"], args].concat())
    };
    commit(&[]).stopped().reviewed(1);
    commit(&["b.txt"]).stopped().reviewed(1);
    stage.write(&linked, "folder/b.txt", "fine\n");
    commit(&["--all"]).passes().reviewed(1);
}

#[test]
fn it_can_be_skipped() {
    let stage = stage();
    stage.write(&stage.clone, "a.txt", &fault());
    let mut commit = stage.program("git", &stage.clone);
    commit.args(["commit", "--quiet", "--all", "--message", "m"]).env("DIFFSIEVE_SKIP", "1");
    let output = commit.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("skipped (DIFFSIEVE_SKIP=1)"), "{said}");
}

#[test]
fn a_broken_configuration_is_said_and_stops_nothing() {
    let stage = stage();
    stage.commit("diffsieve.toml", "nonsense");
    stage.write(&stage.clone, "a.txt", &fault());
    let ended = stage.try_git(&stage.clone, &["commit", "--quiet", "--all", "--message", "m"]).passes();
    ended.says("what is staged: NOT REVIEWED, see above; the commit goes on");
}

#[test]
fn a_model_reads_along_only_where_it_is_named_here() {
    let stage = stage();
    let program = "[model]\nprovider = \"command\"\nprogram = \"/bin/false\"\n";
    stage.user_config(program);
    stage.write(&stage.clone, "b.py", "value = 1\n");
    stage.git(&["add", "b.py"]);
    let run = |args: &[&str]| stage.sieve(&[&["hook", "pre-commit"], args].concat());
    run(&[]).passes().silent_on("NOT FULLY REVIEWED").says("model off");
    run(&["--model", "command"]).passes().says("NOT FULLY REVIEWED");
    run(&["--model", "command", "--on-incomplete", "fail"]).ends(3);
}

#[test]
fn a_merge_says_that_what_it_brings_in_is_reviewed() {
    let stage = stage();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("a.txt", "mine\n");
    stage.git(&["switch", "--quiet", "main"]);
    stage.commit("a.txt", "theirs\n");
    assert_ne!(stage.try_git(&stage.clone, &["merge", "--quiet", "topic"]).code, 0);
    stage.write(&stage.clone, "a.txt", "both\n");
    stage.git(&["add", "a.txt"]);
    stage.try_git(&stage.clone, &["commit", "--quiet", "--no-edit"]).passes().says("this commit is a merge");
}
