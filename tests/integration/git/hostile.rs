//! Nothing of the repository is ever run.

use std::os::unix::fs::PermissionsExt as _;

use diffsieve::git::Side;
use diffsieve::scope::{self, Request};

use super::oracle::{set, side};
use crate::support::{Repo, lines};

/// Gives the repository every program that git would run, each leaving a mark.
fn trapped(repo: &Repo) -> std::path::PathBuf {
    let marks = repo.beside("marks");
    std::fs::create_dir_all(&marks).expect("made");
    let trap = |name: &str| {
        let path = repo.beside(&format!("trap-{name}"));
        let script = format!("#!/bin/sh\n/bin/touch '{}/{name}'\n/bin/cat\n", marks.display());
        std::fs::write(&path, script).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
        path.to_str().expect("UTF-8").to_owned()
    };
    for (key, name) in [
        ("filter.trap.clean", "clean"),
        ("filter.trap.smudge", "smudge"),
        ("filter.long.process", "process"),
        ("diff.trap.textconv", "textconv"),
        ("diff.trap.command", "command"),
        ("diff.external", "external"),
        ("core.fsmonitor", "fsmonitor"),
        ("core.sshCommand", "ssh"),
        ("core.pager", "pager"),
        ("core.editor", "editor"),
        ("core.gitProxy", "proxy"),
        ("core.alternateRefsCommand", "alternates"),
        ("credential.helper", "credential"),
        ("uploadpack.packObjectsHook", "pack"),
    ] {
        let path = trap(name);
        repo.git(&["config", key, &path]);
        repo.git(&["config", "--global", key, &path]);
    }
    repo.git(&["config", "filter.trap.required", "true"]);
    let hooks = repo.path(".git/hooks");
    std::fs::create_dir_all(&hooks).expect("made");
    for hook in ["post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"] {
        std::fs::copy(trap(hook), hooks.join(hook)).expect("copied");
    }
    marks
}

#[test]
fn no_filter_textconv_hook_or_monitor_runs() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.a filter=trap diff=trap\n*.b filter=long diff=trap\n");
    for name in ["x.a", "x.b", "plain", "moved.a"] {
        repo.write(name, lines(name, 20));
    }
    let old = repo.commit("old");
    repo.write("x.a", lines("x.a", 21));
    repo.git(&["mv", "moved.a", "moved2.a"]);
    let new = repo.commit("new");
    let marks = trapped(&repo);
    repo.write("x.a", lines("y.a", 21));
    repo.write("x.b", lines("y.b", 20));
    repo.write("plain", lines("plain", 22));
    repo.write("untracked.a", "u\n");
    let ours = repo.open();
    let range = set(&ours, &side(&ours, &old), &side(&ours, &new));
    let staged = set(&ours, &side(&ours, &old), &Side::Index);
    let disk = set(&ours, &side(&ours, &new), &Side::Worktree);
    assert_eq!((range.files.len(), staged.files.len(), disk.files.len()), (2, 2, 4));
    assert!(ours.has_uncommitted());
    let scope = scope::find(&ours, &Request::Default, &|_| None, true);
    assert!(scope.is_ok(), "{scope:?}");
    let ran: Vec<_> =
        std::fs::read_dir(&marks).expect("readable").filter_map(Result::ok).map(|mark| mark.file_name()).collect();
    assert!(ran.is_empty(), "{ran:?} ran");
    // The traps work: git itself springs one.
    let _ = repo.command(repo.dir(), &["status"]).output();
    assert!(std::fs::read_dir(&marks).expect("readable").next().is_some());
}
