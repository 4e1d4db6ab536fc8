//! What of a push is reviewed, and what it stops.

use std::fs;
use std::time::{Duration, Instant};

use super::stage::{Stage, fault};

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
    stage.git_in(&stage.path(""), &["clone", "--quiet", "remote.git", "other"]);
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
fn a_push_to_a_url_is_reviewed_too() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", &fault());
    stage.push(&["../remote.git", "topic"]).stopped();
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
fn the_repositorys_own_gate_decides() {
    let stage = Stage::new();
    stage.commit("diffsieve.toml", "[gate]\nfail_on = \"never\"\n");
    stage.commit("b.txt", &fault());
    stage.push(&["origin", "main"]).passes().reviewed(1);
}

#[test]
fn a_tag_is_reviewed_unless_its_commit_is_there_or_goes_along() {
    let stage = Stage::new();
    stage.git(&["tag", "--annotate", "--message", "known", "v1"]);
    stage
        .push(&["origin", "v1"])
        .passes()
        .reviewed(0)
        .says("refs/tags/v1: nothing to review, origin has all its commits");

    stage.git(&["switch", "--quiet", "--detach"]);
    stage.commit("b.txt", &fault());
    stage.git(&["tag", "--annotate", "--message", "new", "v2"]);
    stage.git(&["tag", "--annotate", "--message", "of a tag", "v2-signed", "v2"]);
    stage.push(&["origin", "v2"]).stopped().reviewed(1);
    stage.push(&["origin", "v2-signed"]).stopped().reviewed(1);

    stage.git(&["switch", "--quiet", "main"]);
    stage.commit("c.txt", "fine\n");
    stage.git(&["tag", "v3"]);
    stage.commit("d.txt", "fine\n");
    stage.push(&["origin", "v3", "main"]).passes().reviewed(1);

    let blob = stage.git(&["rev-parse", "HEAD:c.txt"]);
    stage.git(&["tag", "blob", &blob]);
    stage.git(&["tag", "--annotate", "--message", "a folder", "tree", "HEAD^{tree}"]);
    stage
        .push(&["origin", "blob", "tree"])
        .passes()
        .reviewed(0)
        .says("refs/tags/tree: nothing to review, it names a file");
}

/// A line of commits on what is pushed, each with a file and a tag; the tags in the order of git, which is that of names.
fn tagged(stage: &Stage, count: usize) -> String {
    let mut stream = String::new();
    for number in 0..count {
        let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        let text = if number == 5 { fault() } else { format!("{number}\n") };
        stream.push_str(&format!(
            "commit refs/heads/line\ncommitter A <a@example.org> {number} +0000\ndata 1\nm\n{from}M 644 inline \
             f{number}.txt\ndata {}\n{text}\nreset refs/tags/t{number:03}\nfrom refs/heads/line\n\n",
            text.len()
        ));
    }
    stage.write(&stage.clone, "../stream", &stream);
    let mut import = stage.program("git", &stage.clone);
    import.args(["fast-import", "--quiet"]).stdin(fs::File::open(stage.path("stream")).unwrap());
    assert!(import.status().unwrap().success());
    lines_of_tags(stage)
}

fn lines_of_tags(stage: &Stage) -> String {
    let format = format!("--format=%(refname) %(objectname) %(refname) {}", "0".repeat(40));
    stage.git(&["for-each-ref", &format, "refs/tags"]) + "\n"
}

#[test]
fn of_tags_by_the_hundred_one_review_reads_what_they_share() {
    let stage = Stage::new();
    tagged(&stage, 311);
    stage.git(&["switch", "--quiet", "--detach", "t007"]);
    stage.commit("aside.txt", "fine\n");
    stage.git(&["tag", "--annotate", "--message", "aside", "a-side"]);
    let start = Instant::now();
    // The fault is in an older commit than most tags.
    let ended = stage.hook(&["--seconds", "600"], &lines_of_tags(&stage)).ends(1).reviewed(2);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    ended
        .says("Reviewed origin/main...t310")
        .says("Reviewed origin/main...a-side")
        .says("refs/tags/t309: nothing to review, its commit goes along with another ref")
        .says("300 more refs: nothing to review")
        .silent_on("NOT REVIEWED");
}

#[test]
fn tags_that_nobody_has_anything_of_are_planned_once() {
    let stage = Stage::bare(&[]);
    stage.commit("a.txt", "one\n");
    let lines = tagged(&stage, 520);
    stage.git(&["branch", "--quiet", "--move", "main", "develop"]);
    let ended = stage.hook(&["--seconds", "600"], &lines).passes().reviewed(1);
    ended.says("refs/tags/t519: NOT FULLY REVIEWED").says("509 more refs: nothing to review");
}

#[test]
fn a_first_push_reviews_everything_and_says_so() {
    let stage = Stage::bare(&[]);
    stage.sieve(&["hook", "install"]).passes();
    stage.commit("a.txt", &fault());
    stage.commit("b.txt", "fine\n");
    // The default branch of the remote is not born, and the local one is not there either.
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.push(&["origin", "topic"]).stopped().reviewed(1).says("Reviewed all of topic").says("all of it is new");
    stage.commit("a.txt", "mended\n");
    stage.push(&["origin", "topic"]).passes().reviewed(1);
    // What came with the other branch is there already.
    stage.push(&["origin", "main"]).passes().reviewed(0).says("refs/heads/main: nothing to review, origin has all");
}

#[test]
fn without_a_default_branch_the_oldest_unknown_commit_is_where_it_begins() {
    let stage = Stage::bare(&[]);
    stage.git(&["switch", "--quiet", "--create", "develop"]);
    stage.commit("old.txt", &fault());
    stage.git(&["push", "--quiet", "origin", "develop"]);
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.git(&["switch", "--quiet", "develop"]);
    stage.commit("theirs.txt", &fault());
    stage.git(&["push", "--quiet", "origin", "develop"]);
    stage.git(&["switch", "--quiet", "topic"]);
    stage.git(&["merge", "--quiet", "--no-edit", "develop"]);
    stage.sieve(&["hook", "install"]).passes();
    stage.push(&["--dry-run", "origin", "topic"]).passes().reviewed(1);
    stage.commit("mine.txt", &fault());
    stage.push(&["origin", "topic"]).stopped();
}

#[test]
fn a_branch_without_shared_history_is_new_as_a_whole() {
    let stage = Stage::new();
    stage.git(&["switch", "--quiet", "--orphan", "pages"]);
    stage.commit("index.txt", "fine\n");
    stage.commit("second.txt", &fault());
    stage.push(&["origin", "pages"]).stopped().reviewed(1).says("Reviewed all of pages");
}

#[test]
fn a_long_history_that_nobody_has_is_reviewed_in_part_and_says_so() {
    let stage = Stage::bare(&[]);
    let mut stream = String::new();
    for number in 0..502 {
        let text = if number == 1 { fault() } else { format!("{number}\n") };
        stream.push_str(&format!(
            "commit refs/heads/main\ncommitter A <a@example.org> {number} +0000\ndata 1\nm\nM 644 inline f{number}.txt\ndata \
             {}\n{text}\n",
            text.len()
        ));
    }
    stage.write(&stage.clone, "../stream", &stream);
    let mut import = stage.program("git", &stage.clone);
    import.args(["fast-import", "--quiet"]).stdin(fs::File::open(stage.path("stream")).unwrap());
    assert!(import.status().unwrap().success());
    let head = stage.git(&["rev-parse", "main"]);
    let line = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
    let pushed = stage.hook(&[], &line).passes().reviewed(1);
    pushed.says("it has more than 500 commits that no remote is known to have").says("main: NOT FULLY REVIEWED");
    stage.hook(&["--on-incomplete", "fail"], &line).ends(3).says("the push is stopped");
}

#[test]
fn another_remote_says_what_is_new() {
    let stage = Stage::new();
    stage.git_in(&stage.path(""), &["init", "--quiet", "--bare", "--initial-branch=main", "fork.git"]);
    stage.git(&["remote", "add", "fork", "../fork.git"]);
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", &fault());
    stage.push(&["fork", "topic"]).stopped().says("Reviewed origin/main...topic");
    stage.push(&["fork", "main"]).passes().reviewed(0).says("another remote has all its commits");
}

#[test]
fn a_dry_run_is_reviewed_and_no_verify_is_not() {
    let stage = Stage::new();
    stage.commit("b.txt", &fault());
    stage.push(&["--dry-run", "origin", "main"]).stopped().reviewed(1);
    stage.push(&["--no-verify", "origin", "main"]).passes().reviewed(0);
}

#[test]
fn nothing_to_push_is_a_success() {
    let stage = Stage::new();
    let pushed = stage.push(&["origin", "main"]).passes().reviewed(0);
    let said = "diffsieve: no ref was named on standard input: nothing reviewed\n";
    assert_eq!(pushed.said, said, "git calls the hook with nothing to say");
    assert_eq!(stage.hook(&[], "").passes().said, said);
    assert_eq!(stage.hook(&["--quiet"], "").passes().said, "");
    let deletion = format!("(delete) {} refs/heads/x {}\n", "0".repeat(40), "1".repeat(40));
    assert_eq!(stage.hook(&[], &deletion).passes().said, "", "a ref was named");
}

#[test]
fn going_back_adds_nothing() {
    let stage = Stage::new();
    stage.commit("b.txt", &fault());
    stage.push(&["--no-verify", "origin", "main"]).passes();
    let has_all = "origin has all its commits";
    stage.push(&["--force", "origin", "HEAD~:refs/heads/main"]).passes().reviewed(0).says(has_all);
}

#[test]
fn a_release_that_follows_the_default_branch_is_not_reviewed_again() {
    let stage = Stage::new();
    stage.git(&["push", "--quiet", "origin", "main:release"]);
    stage.commit("b.txt", &fault());
    stage.push(&["--no-verify", "origin", "main"]).passes();
    stage.push(&["origin", "main:release"]).passes().reviewed(0).says("origin has all its commits");
    stage.commit("c.txt", &fault());
    stage.push(&["origin", "main:release"]).stopped().reviewed(1);
}

#[test]
fn sha256_repositories_are_reviewed() {
    let stage = Stage::with(&["--object-format=sha256"]);
    stage.git(&["switch", "--quiet", "--create", "topic"]);
    stage.commit("b.txt", "fine\n");
    stage.push(&["origin", "topic"]).passes().reviewed(1);
    stage.commit("c.txt", &fault());
    stage.push(&["origin", "topic"]).stopped().reviewed(1);
    stage.git(&["tag", "--annotate", "--message", "new", "v1"]);
    stage.push(&["origin", "v1"]).stopped().reviewed(1);
    stage.push(&["origin", "--delete", "topic"]).passes().reviewed(0);
    // An id of the other length is nobody's here.
    let short = format!("refs/heads/main {0} refs/heads/x {1}\n", "1".repeat(40), "0".repeat(40));
    stage.hook(&[], &short).passes().says("refs/heads/x: NOT REVIEWED");
}

#[test]
fn a_linked_worktree_pushes_its_own_branch() {
    let stage = Stage::new();
    let linked = stage.path("linked");
    stage.git(&["worktree", "add", "--quiet", "-b", "topic", "../linked"]);
    stage.commit_in(&linked, "b.txt", &fault());
    stage.push_in(&linked, &["origin", "topic"], &[]).stopped().reviewed(1);
    // The configuration is that of this work tree.
    stage.write(&linked, "diffsieve.toml", "[gate]\nfail_on = \"never\"\n");
    stage.push_in(&linked, &["--dry-run", "origin", "topic"], &[]).passes().reviewed(1);
    fs::remove_file(linked.join("diffsieve.toml")).unwrap();
    stage.commit_in(&linked, "b.txt", "mended\n");
    stage.push_in(&linked, &["origin", "topic"], &[]).passes().reviewed(1);
}

#[test]
fn a_bare_clone_pushes_what_it_has() {
    let stage = Stage::new();
    stage.commit("b.txt", &fault());
    stage.git_in(&stage.path(""), &["clone", "--quiet", "--bare", "clone", "mirror.git"]);
    let mirror = stage.path("mirror.git");
    stage.sieve_in(&mirror, &["hook", "install"]).passes();
    stage.push_in(&mirror, &["../remote.git", "main"], &[]).stopped().reviewed(1);
}

#[test]
fn a_shallow_clone_reviews_what_it_adds() {
    let stage = Stage::new();
    for name in ["b.txt", "c.txt"] {
        stage.commit(name, &fault());
    }
    stage.push(&["--no-verify", "origin", "main"]).passes();
    let remote = format!("file://{}", stage.path("remote.git").display());
    stage.git_in(&stage.path(""), &["clone", "--quiet", "--depth=1", &remote, "shallow"]);
    let shallow = stage.path("shallow");
    stage.sieve_in(&shallow, &["hook", "install"]).passes();
    stage.git_in(&shallow, &["switch", "--quiet", "--create", "topic"]);
    stage.commit_in(&shallow, "d.txt", "fine\n");
    stage.push_in(&shallow, &["origin", "topic"], &[]).passes().reviewed(1);
    stage.commit_in(&shallow, "e.txt", &fault());
    stage.push_in(&shallow, &["origin", "topic"], &[]).stopped().reviewed(1);
    stage.push_in(&shallow, &["origin", "topic:main"], &[]).stopped().reviewed(1);
}

#[test]
fn a_submodule_pushes_for_itself() {
    let stage = Stage::new();
    let above = stage.path("above");
    stage.git_in(&stage.path(""), &["init", "--quiet", "above"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../remote.git", "below"];
    stage.git_in(&above, &add);
    let below = above.join("below");
    stage.sieve_in(&below, &["hook", "install"]).passes();
    stage.commit_in(&below, "b.txt", &fault());
    stage.push_in(&below, &["origin", "HEAD:refs/heads/topic"], &[]).stopped().reviewed(1);
}
