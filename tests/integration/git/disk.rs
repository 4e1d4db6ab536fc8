//! The index and the work tree.

use std::ffi::OsString;

use diffsieve::diff::{Body, ChangeSet, Globs, Limits, NotCode};
use diffsieve::finding::RepoPath;
use diffsieve::git::{Repository, Side};

use super::oracle::{agrees_with, rows, set, shown, side};
use crate::support::{Repo, lines};

fn staged(repo: &Repo) -> ChangeSet {
    let ours = repo.open();
    let set = set(&ours, &side(&ours, "HEAD"), &Side::Index);
    agrees_with(repo, &set, &["--cached"]);
    set
}

/// Asserts that the tracked part of the work tree differs from HEAD as git says, and gives the rows of all of it.
fn worktree(repo: &Repo) -> Vec<String> {
    let ours = repo.open();
    let mut set = set(&ours, &side(&ours, "HEAD"), &Side::Worktree);
    let all = shown(&rows(&set.files));
    let untracked = repo.git(&["ls-files", "-z", "--others", "--exclude-standard"]);
    let untracked: Vec<RepoPath> = untracked.split(|byte| *byte == 0).map(RepoPath::new).collect();
    set.files.retain(|file| !untracked.contains(&file.path));
    agrees_with(repo, &set, &["HEAD"]);
    all
}

fn prepared() -> Repo {
    let repo = Repo::new();
    for name in ["a", "b", "c", "d/e", "d/f"] {
        repo.write(name, lines(name, 20));
    }
    repo.commit("first");
    repo
}

#[test]
fn what_is_staged() {
    let repo = prepared();
    repo.write("a", lines("a", 21));
    repo.git(&["add", "a"]);
    repo.write("a", lines("a", 25));
    repo.git(&["mv", "b", "moved"]);
    repo.git(&["rm", "-q", "c"]);
    repo.write("new", "new\n");
    repo.write("unstaged", "unstaged\n");
    repo.git(&["add", "new"]);
    let set = staged(&repo);
    assert_eq!(shown(&rows(&set.files)), ["M  a", "D  c", "R100 b moved", "A  new"]);
    assert_eq!(set.files[0].added_count(), 1);
}

#[test]
fn only_folders_that_the_index_knows_are_left_out() {
    let repo = Repo::new();
    for folder in ["a", "a/b", "a/b/c", "a/bc", "a.b", "ab", "gone/x", "gone/y", "z"] {
        for name in ["1", "2"] {
            repo.write(format!("{folder}/{name}"), lines(folder, 10));
        }
    }
    repo.commit("first");
    assert!(staged(&repo).files.is_empty());
    repo.write("a/b/1", "changed\n");
    repo.write("a/new/deep/1", "new\n");
    repo.git(&["rm", "-rq", "gone/x"]);
    repo.git(&["mv", "z", "y"]);
    repo.git(&["add", "-A"]);
    let set = staged(&repo);
    let renames = ["R100 z/1 y/1", "R100 z/2 y/2"];
    assert_eq!(shown(&rows(&set.files))[..4], ["M  a/b/1", "A  a/new/deep/1", "D  gone/x/1", "D  gone/x/2"]);
    assert_eq!(shown(&rows(&set.files))[4..], renames);
    // A tree that the index does not remember is compared in full.
    repo.commit("second");
    let ours = repo.open();
    let set = super::oracle::set(&ours, &side(&ours, "HEAD~1"), &Side::Index);
    agrees_with(&repo, &set, &["--cached", "HEAD~1"]);
}

#[test]
fn the_first_commit_is_staged_against_nothing() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.git(&["add", "a"]);
    let ours = repo.open();
    assert_eq!(shown(&rows(&set(&ours, &Side::Empty, &Side::Index).files)), ["A  a"]);
    let none = Repo::new();
    let ours = none.open();
    assert!(set(&ours, &Side::Empty, &Side::Index).files.is_empty());
    none.write("untracked", "u\n");
    assert_eq!(shown(&rows(&set(&ours, &Side::Empty, &Side::Worktree).files)), ["A  untracked"]);
}

#[test]
fn a_temporary_index_is_honoured() {
    let repo = prepared();
    repo.write("a", "changed\n");
    repo.write("b", "changed\n");
    repo.git(&["add", "b"]);
    std::fs::copy(repo.path(".git/index"), repo.path(".git/other-index")).expect("copied");
    repo.git(&["reset", "-q"]);
    for name in [".git/other-index".into(), repo.path(".git/other-index").into_os_string()] {
        let name: OsString = name;
        let env = |variable: &str| (variable == "GIT_INDEX_FILE").then(|| name.clone());
        let ours = Repository::open(repo.dir(), &env).expect("it opens");
        assert_eq!(shown(&rows(&set(&ours, &side(&ours, "HEAD"), &Side::Index).files)), ["M  b"]);
    }
    let ours = repo.open();
    assert!(set(&ours, &side(&ours, "HEAD"), &Side::Index).files.is_empty());
}

#[test]
fn intent_to_add_and_conflicts() {
    let repo = prepared();
    repo.write("later", "later\n");
    repo.git(&["add", "-N", "later"]);
    assert!(staged(&repo).files.is_empty());
    assert_eq!(worktree(&repo), ["A  later"]);
    repo.git(&["rm", "-q", "--cached", "later"]);
    repo.remove("later");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("a", "side\n");
    repo.commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a", "main\n");
    repo.write("b", "main\n");
    repo.commit("main");
    let merge = repo.command(repo.dir(), &["merge", "-q", "side"]).output().expect("git runs");
    assert!(!merge.status.success());
    let ours = repo.open();
    for new in [Side::Index, Side::Worktree] {
        let set = set(&ours, &side(&ours, "HEAD"), &new);
        assert_eq!(set.unmerged, [RepoPath::from("a")]);
        assert!(set.files.is_empty(), "{:?}", rows(&set.files));
    }
}

#[test]
fn what_is_on_disk() {
    let repo = prepared();
    repo.write(".gitignore", "*.log\n/out/\n");
    repo.commit("ignore");
    repo.write("a", lines("a", 21));
    repo.remove("b");
    repo.write("b2", lines("b", 20));
    repo.git(&["add", "-N", "b2"]);
    repo.write("c", lines("c", 19));
    repo.git(&["add", "c"]);
    repo.remove("d/e");
    repo.link("../../outside", "d/e");
    repo.write("x.log", "ignored\n");
    repo.write("out/y", "ignored\n");
    repo.write("sub/deep/new.rs", "fn main() {}\n");
    let all = worktree(&repo);
    assert_eq!(all, ["M  a", "R100 b b2", "M  c", "D  d/e", "A  d/e", "A  sub/deep/new.rs"]);
    let ours = repo.open();
    let set = set(&ours, &side(&ours, "HEAD"), &Side::Worktree);
    let link = set.files.iter().rfind(|file| file.path == RepoPath::from("d/e")).expect("it is listed");
    assert!(matches!(link.body, Body::NotCode(NotCode::Symlink)));
    assert!(ours.has_uncommitted());
    repo.commit("all");
    assert!(!repo.open().has_uncommitted());
}

#[test]
fn line_endings_are_read_as_git_would_store_them() {
    let repo = Repo::new();
    repo.write(
        ".gitattributes",
        "*.txt text\n*.dos text eol=crlf\n*.wide working-tree-encoding=UTF-16LE\n*.raw -text\n",
    );
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    repo.write("a.txt", "one\ntwo\n");
    repo.write("b.dos", "one\r\ntwo\r\n");
    repo.write("c.wide", wide("one\ntwo\n"));
    repo.write("d.raw", "one\ntwo\n");
    repo.commit("first");
    repo.write("a.txt", "one\r\n2\r\n");
    repo.write("b.dos", "one\r\n2\r\n");
    repo.write("c.wide", wide("one\n2\n"));
    repo.write("d.raw", "one\r\n2\r\n");
    let ours = repo.open();
    let set = set(&ours, &side(&ours, "HEAD"), &Side::Worktree);
    agrees_with(&repo, &set, &["HEAD"]);
    assert_eq!(set.files.iter().map(|file| file.added_count()).collect::<Vec<_>>(), [1, 1, 1, 2]);
}

#[test]
fn this_machines_line_endings_count_for_the_work_tree_only() {
    let repo = Repo::new();
    repo.write("a", "one\ntwo\n");
    repo.commit("first");
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.git(&["config", "core.safecrlf", "true"]);
    repo.write("a", "one\r\n2\r\n");
    let ours = repo.open();
    let set = set(&ours, &side(&ours, "HEAD"), &Side::Worktree);
    assert_eq!(set.files[0].added_count(), 1);
}

#[test]
fn links_on_the_way_and_special_files_are_not_read() {
    let repo = prepared();
    let outside = repo.beside("outside");
    std::fs::create_dir_all(&outside).expect("made");
    std::fs::write(outside.join("e"), "secret\n").expect("written");
    std::fs::write(outside.join("f"), "secret\n").expect("written");
    std::fs::remove_dir_all(repo.path("d")).expect("removed");
    repo.link(&outside, "d");
    repo.remove("a");
    let fifo = std::process::Command::new("mkfifo").arg(repo.path("a")).status().expect("mkfifo runs");
    let other = std::process::Command::new("mkfifo").arg(repo.path("untracked-fifo")).status().expect("mkfifo runs");
    assert!(fifo.success() && other.success());
    let ours = repo.open();
    let set = set(&ours, &side(&ours, "HEAD"), &Side::Worktree);
    let text = format!("{set:?}");
    assert!(!text.contains(&format!("{:?}", b"secret").replace(['[', ']'], "")), "{text}");
    assert!(set.special.contains(&RepoPath::from("a")), "{:?}", set.special);
    let all = shown(&rows(&set.files));
    assert!(all.contains(&"A  d".to_owned()) && all.contains(&"D  d/e".to_owned()), "{all:?}");
}

#[test]
fn sparse_and_skipped_entries_are_unchanged() {
    let repo = Repo::new();
    for name in ["top", "in/a", "in/deep/b", "out/a", "out/deep/b", "out/deep/c"] {
        repo.write(name, lines(name, 5));
    }
    repo.commit("first");
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert!(!repo.path("out").exists());
    repo.write("in/a", "changed\n");
    assert_eq!(worktree(&repo), ["M  in/a"]);
    repo.git(&["add", "in/a"]);
    assert_eq!(shown(&rows(&staged(&repo).files)), ["M  in/a"]);
    repo.git(&["sparse-checkout", "disable"]);
    repo.write("top", "changed\n");
    repo.git(&["update-index", "--skip-worktree", "top"]);
    assert_eq!(worktree(&repo), ["M  in/a"]);
}

#[test]
fn a_linked_work_tree_has_its_own_index() {
    let repo = prepared();
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().expect("UTF-8"), "-b", "side"]);
    std::fs::write(linked.join("a"), "changed\n").expect("written");
    repo.git_in(&linked, &["add", "a"]);
    std::fs::write(linked.join("b"), "changed\n").expect("written");
    let ours = crate::support::open(linked.join("d"));
    assert_eq!(shown(&rows(&set(&ours, &side(&ours, "HEAD"), &Side::Index).files)), ["M  a"]);
    assert_eq!(shown(&rows(&set(&ours, &side(&ours, "HEAD"), &Side::Worktree).files)), ["M  a", "M  b"]);
    let ours = repo.open();
    assert!(set(&ours, &side(&ours, "HEAD"), &Side::Worktree).files.is_empty());
}

#[test]
fn submodules_on_disk_are_not_entered() {
    let repo = prepared();
    let inner = repo.path("inner");
    std::fs::create_dir_all(&inner).expect("made");
    repo.git_in(&inner, &["init", "-q", "-b", "main"]);
    std::fs::write(inner.join("x"), "x\n").expect("written");
    repo.git_in(&inner, &["add", "x"]);
    repo.git_in(&inner, &["commit", "-qm", "x"]);
    let ours = repo.open();
    let nested = set(&ours, &side(&ours, "HEAD"), &Side::Worktree);
    assert!(nested.files.is_empty(), "{:?}", rows(&nested.files));
    repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", "inner"]);
    repo.git(&["commit", "-qm", "submodule"]);
    std::fs::write(inner.join("x"), "changed\n").expect("written");
    let ours = repo.open();
    let tracked =
        ChangeSet::between(&ours, &side(&ours, "HEAD~1"), &Side::Worktree, None, &Limits::default(), &Globs::default())
            .expect("read");
    assert_eq!(shown(&rows(&tracked.files)), ["A  inner"]);
    assert!(matches!(tracked.files[0].body, Body::NotCode(NotCode::Submodule)));
}
