//! Hooks get to where git looks for them, and nobody else's is touched.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::stage::{Stage, fault};

const PUSH: &str = include_str!("../../hooks/pre-push");
const COMMIT: &str = include_str!("../../hooks/pre-commit");

fn hook(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.clone.join(".git/hooks").join(name)).unwrap_or_default()
}

#[test]
fn the_scripts_of_the_repository_are_those_that_are_installed() {
    let stage = Stage::bare(&[]);
    fs::remove_dir_all(stage.clone.join(".git/hooks")).unwrap();
    fs::create_dir(stage.clone.join("folder")).unwrap();
    let ended = stage.sieve_in(&stage.clone.join("folder"), &["hook", "install", "pre-push", "pre-commit"]).passes();
    ended.says("pre-push: installed").says("pre-commit: installed");
    assert_eq!((hook(&stage, "pre-push"), hook(&stage, "pre-commit")), (PUSH.to_owned(), COMMIT.to_owned()));
    for name in ["pre-push", "pre-commit"] {
        let file = stage.clone.join(".git/hooks").join(name);
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o755, "{name}");
    }
    assert_eq!(fs::read_dir(stage.clone.join(".git/hooks")).unwrap().count(), 2, "nothing is left beside them");
    let printed = stage.sieve(&["hook", "install", "pre-push", "pre-commit", "--print"]).passes();
    assert_eq!(printed.out, format!("{PUSH}\n{COMMIT}"));
    stage.sieve(&["hook", "install"]).passes().says("pre-push: up to date");
}

#[test]
fn a_foreign_hook_is_neither_replaced_nor_removed() {
    let stage = Stage::bare(&[]);
    let file = stage.clone.join(".git/hooks/pre-push");
    let theirs = "#!/bin/sh\nexit 0\n";
    fs::write(&file, theirs).unwrap();
    let refused = stage.sieve(&["hook", "install", "pre-push", "pre-commit"]).ends(2);
    refused.says("is not ours and stays as it is").prints("diffsieve hook pre-push \"$@\" || exit $?\n");
    assert_eq!((hook(&stage, "pre-push").as_str(), hook(&stage, "pre-commit").as_str()), (theirs, COMMIT));
    stage.sieve(&["hook", "uninstall"]).passes().says("is not ours").says("pre-commit: removed");
    assert_eq!((hook(&stage, "pre-push").as_str(), hook(&stage, "pre-commit").as_str()), (theirs, ""));
    let status = stage.sieve(&["hook", "status"]).passes();
    assert!(status.out.contains("pre-push: not ours") && status.out.contains("pre-commit: absent"), "{}", status.out);
}

#[test]
fn the_line_that_is_offered_chains_the_hook() {
    let stage = Stage::new();
    let file = stage.clone.join(".git/hooks/pre-push");
    fs::write(&file, "#!/bin/sh\ndiffsieve hook pre-push \"$@\" || exit $?\necho theirs >&2\n").unwrap();
    stage.commit("b.txt", "fine\n");
    stage.push(&["--dry-run", "origin", "main"]).passes().reviewed(1).says("theirs");
    stage.sieve(&["hook", "install"]).passes().says("up to date");
    stage.sieve(&["hook", "status"]).prints("pre-push: not ours, calls diffsieve");
    stage.commit("b.txt", &fault());
    stage.push(&["--dry-run", "origin", "main"]).stopped().silent_on("theirs");
}

#[test]
fn a_link_is_not_written_through() {
    let stage = Stage::bare(&[]);
    let elsewhere = stage.path("elsewhere");
    fs::write(&elsewhere, PUSH).unwrap();
    let file = stage.clone.join(".git/hooks/pre-push");
    symlink(&elsewhere, &file).unwrap();
    stage.sieve(&["hook", "install"]).passes().says("up to date");
    stage.sieve(&["hook", "uninstall"]).passes().says("is not ours");
    assert!(file.is_symlink() && elsewhere.exists());
    fs::remove_file(&file).unwrap();
    symlink("/nowhere", &file).unwrap();
    stage.sieve(&["hook", "install"]).ends(2).says("is not ours");
}

#[test]
fn a_script_that_was_edited_stays_whatever_its_version() {
    let stage = Stage::new();
    let file = stage.clone.join(".git/hooks/pre-push");
    for edited in
        [format!("{PUSH}# mine\n"), PUSH.replace("version 1.", "version 0."), PUSH.replace("version 1.", "version 9.")]
    {
        fs::write(&file, &edited).unwrap();
        stage
            .sieve(&["hook", "install"])
            .ends(2)
            .says("pre-push: not installed")
            .says("was edited by hand or is of another");
        stage.sieve(&["hook", "install", "pre-commit"]).passes();
        let refused = stage.sieve(&["hook", "uninstall"]).ends(2);
        refused.says("pre-push: not removed").says("was edited by hand").says("pre-commit: removed");
        assert_eq!(hook(&stage, "pre-push"), edited);
        assert!(stage.sieve(&["hook", "status"]).passes().out.contains("edited by hand"));
    }
    fs::write(&file, PUSH).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(stage.sieve(&["hook", "status"]).out.contains("git ignores it"));
    stage.sieve(&["hook", "install"]).passes().says("updated");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    stage.sieve(&["hook", "uninstall"]).passes().says("pre-push: removed");
    assert!(!file.exists());
}

#[test]
fn a_linked_work_tree_shares_the_hooks() {
    let stage = Stage::new();
    stage.sieve(&["hook", "uninstall"]).passes().says("pre-push: removed").says("pre-commit: there is none");
    let linked = stage.path("linked");
    stage.git(&["worktree", "add", "--quiet", "-b", "topic", "../linked"]);
    stage.sieve_in(&linked, &["hook", "install"]).passes();
    assert_eq!(hook(&stage, "pre-push"), PUSH);
    stage.commit("b.txt", &fault());
    stage.push(&["origin", "main"]).stopped();
}

#[test]
fn core_hooks_path_is_where_it_goes_unless_that_is_everybodys() {
    let stage = Stage::new();
    stage.sieve(&["hook", "uninstall"]).passes();
    stage.git(&["config", "core.hooksPath", "mine/hooks"]);
    stage.sieve(&["hook", "install"]).passes();
    assert_eq!(fs::read_to_string(stage.clone.join("mine/hooks/pre-push")).unwrap(), PUSH);
    stage.commit("b.txt", &fault());
    stage.push(&["--dry-run", "origin", "main"]).stopped();
    let status = stage.sieve(&["hook", "status"]);
    assert!(status.out.contains("core.hooksPath of this repository, tracked"), "{}", status.out);
    // The commit took the folder along: now it is part of the project.
    stage
        .sieve(&["hook", "install", "pre-commit"])
        .ends(2)
        .says("is tracked")
        .prints("diffsieve hook pre-commit || exit $?\n");
    assert!(!stage.clone.join("mine/hooks/pre-commit").exists());

    for (path, said) in [
        ("/dev/null", "turns all hooks off"),
        ("../shared", "serves other repositories too"),
        (".husky/_", "are husky's"),
        ("~nobody/hooks", "cannot be resolved"),
    ] {
        stage.git(&["config", "core.hooksPath", path]);
        stage.sieve(&["hook", "install"]).ends(2).says(said);
    }
    assert!(!stage.path("shared").exists() && !stage.clone.join(".husky").exists());
    stage.git(&["config", "core.hooksPath", "~/clone/.git/own"]);
    stage.sieve(&["hook", "install"]).passes();
    assert!(stage.clone.join(".git/own/pre-push").exists());
}

#[test]
fn the_users_hooks_are_left_alone() {
    let stage = Stage::bare(&[]);
    stage.git(&["config", "--global", "core.hooksPath", "~/all-hooks"]);
    let refused = stage.sieve(&["hook", "install"]).ends(2);
    refused.says("serves other repositories too").says("git config core.hooksPath");
    assert!(!stage.path("all-hooks").exists());
    stage.git(&["config", "core.hooksPath", ".git/hooks"]);
    stage.sieve(&["hook", "install"]).passes();
    assert_eq!(hook(&stage, "pre-push"), PUSH);
}

#[test]
fn hook_managers_get_a_snippet() {
    let stage = Stage::bare(&[]);
    let file = stage.clone.join(".git/hooks/pre-push");
    fs::write(&file, "#!/bin/sh\ncall_lefthook run \"pre-push\" \"$@\"\n").unwrap();
    stage.sieve(&["hook", "install", "pre-commit"]).ends(2).says("are lefthook's").prints("      use_stdin: true\n");
    fs::write(&file, "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n").unwrap();
    stage.sieve(&["hook", "install"]).ends(2).says("are pre-commit's").prints("        stages: [pre-push]\n");
    stage.sieve(&["hook", "install", "pre-commit"]).passes();
    stage.write(&stage.clone, ".pre-commit-config.yaml", "# diffsieve\nrepos: []\n");
    stage.write(&stage.clone, "lefthook.yml", include_str!("../../hooks/lefthook.yml"));
    stage.write(&stage.clone, ".husky/pre-push", "npm test\n");
    let status = stage.sieve(&["hook", "status"]).passes().out;
    for line in [
        "pre-push: of pre-commit",
        "pre-commit: .pre-commit-config.yaml does not call diffsieve",
        "lefthook: lefthook.yml calls diffsieve",
        "husky: .husky/pre-push does not call diffsieve",
        "on PATH",
    ] {
        assert!(status.contains(line), "`{line}`: {status}");
    }
}

#[test]
fn hooks_of_gits_settings_are_written_and_taken_away() {
    let stage = Stage::bare(&[]);
    let before = fs::read_to_string(stage.clone.join(".git/config")).unwrap();
    stage.git(&["config", "hook.mine.command", "true"]);
    let with_mine = fs::read_to_string(stage.clone.join(".git/config")).unwrap();
    for _ in 0..2 {
        stage.sieve(&["hook", "install", "--config-based", "pre-push", "pre-commit"]).passes().says("git 2.54");
    }
    let get = |key: &str| stage.git(&["config", "--get-all", key]);
    assert_eq!(
        (get("hook.diffsieve.command"), get("hook.diffsieve.event")),
        ("diffsieve hook pre-push".into(), "pre-push".into())
    );
    assert_eq!(get("hook.diffsieve-staged.event"), "pre-commit");
    let status = stage.sieve(&["hook", "status"]).passes().out;
    assert!(status.contains("hook.diffsieve in git's settings"), "{status}");
    // git would run both.
    stage.sieve(&["hook", "install"]).ends(2).says("already");
    stage.sieve(&["hook", "uninstall"]).passes().says("hook.diffsieve is removed");
    assert_eq!(fs::read_to_string(stage.clone.join(".git/config")).unwrap(), with_mine);
    assert_ne!(before, with_mine);
    stage.sieve(&["hook", "install"]).passes();
    stage.sieve(&["hook", "install", "--config-based"]).ends(2).says("git would run both");
}

#[test]
fn a_hook_that_cannot_find_the_program_is_announced() {
    let stage = Stage::bare(&[]);
    let binary = env!("CARGO_BIN_EXE_diffsieve");
    let mut command = stage.program(binary, &stage.clone);
    let output = command.args(["hook", "install"]).env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("diffsieve is not on PATH"), "{said}");
}

#[test]
fn doctor_says_which_installed_hook_does_not_review() {
    let stage = Stage::new();
    stage.commit("b.txt", "two\n");
    let file = stage.clone.join(".git/hooks/pre-push");
    let mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    let doctor = |code, word: &str, part: &str| {
        let ended = stage.sieve(&["doctor"]).ends(code);
        let of_hooks = |line: &&str| line.split_whitespace().take(2).eq([word, "hooks"]);
        assert!(ended.out.lines().filter(of_hooks).any(|line| line.contains(part)), "{word} {part}: {}", ended.out);
    };
    doctor(0, "ok", "pre-push: installed, version 1");
    mode(0o644);
    doctor(3, "BROKEN", "not executable: git ignores it");
    fs::write(&file, "#!/bin/sh\ndiffsieve hook pre-push \"$@\" || exit $?\n").unwrap();
    doctor(3, "BROKEN", "pre-push, not executable");
    mode(0o755);
    doctor(0, "ok", "pre-push: not ours");
    fs::write(&file, format!("{PUSH}# mine\n")).unwrap();
    doctor(0, "note", "edited by hand");
    fs::write(&file, PUSH).unwrap();

    stage.git(&["config", "core.hooksPath", "/dev/null"]);
    doctor(3, "BROKEN", "where git does not look: core.hooksPath names another folder");
    doctor(3, "note", "all hooks are off");
    // What a manager runs instead is well.
    stage.write(&stage.clone, ".husky/pre-push", "diffsieve hook pre-push\n");
    doctor(0, "note", "where git does not look");
    fs::remove_dir_all(stage.clone.join(".husky")).unwrap();
    stage.git(&["config", "core.hooksPath", ".git/hooks"]);
    doctor(0, "ok", "pre-push: installed");
    stage.git(&["config", "--unset", "core.hooksPath"]);

    let without = |code: i32, word: &str| {
        let mut command = stage.program(env!("CARGO_BIN_EXE_diffsieve"), &stage.clone);
        let output = command.arg("doctor").env("PATH", "/nowhere").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.lines().any(|line| line.starts_with(word) && line.contains("not on PATH")), "{said}");
    };
    without(3, "BROKEN");
    // The settings call it as well.
    stage.sieve(&["hook", "uninstall"]).passes();
    stage.sieve(&["hook", "install", "--config-based"]).passes();
    without(3, "BROKEN");
    stage.git(&["config", "hook.diffsieve.enabled", "false"]);
    doctor(0, "note", "turned off");
    // Nothing is installed, so nothing is broken.
    without(0, "ok");
    stage.git(&["config", "core.hooksPath", "/dev/null"]);
    doctor(0, "note", "all hooks are off");
}
