//! Opening repositories and naming commits.

use std::ffi::OsString;
use std::path::Path;

use diffsieve::git::{Error, Head, Repository, Side};

use crate::support::{Repo, open};

fn error_of(dir: &Path) -> Error {
    Repository::open(dir, &|_| None).expect_err("it must not open")
}

#[test]
fn found_from_below_and_not_above_a_ceiling() {
    let repo = Repo::new();
    repo.write("a/b/c", "c\n");
    repo.commit("c");
    assert_eq!(open(repo.path("a/b")).root(), Some(repo.dir()));
    let ceiling = |name: &str| (name == "GIT_CEILING_DIRECTORIES").then(|| OsString::from(repo.path("a")));
    let error = Repository::open(&repo.path("a/b"), &ceiling).expect_err("it lies above the ceiling");
    assert!(matches!(error, Error::NotARepository(_)), "{error}");
    let none = tempfile::tempdir().expect("a folder");
    assert!(matches!(error_of(none.path()), Error::NotARepository(_)));
    assert!(matches!(error_of(&none.path().join("missing")), Error::NotARepository(_)));
}

#[test]
fn variables_name_repository_and_work_tree() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    let head = repo.commit("a");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let git_dir = |name: &str| (name == "GIT_DIR").then(|| OsString::from(repo.path(".git")));
    let ours = Repository::open(elsewhere.path(), &git_dir).expect("GIT_DIR names it");
    assert_eq!(ours.resolve("HEAD").expect("HEAD").hex(), head);
    let both = |name: &str| match name {
        "GIT_DIR" => Some(OsString::from(repo.path(".git"))),
        "GIT_WORK_TREE" => Some(OsString::from(elsewhere.path())),
        _ => None,
    };
    let ours = Repository::open(repo.dir(), &both).expect("GIT_DIR names it");
    assert_eq!(ours.root(), Some(elsewhere.path()));
    let wrong = |name: &str| (name == "GIT_DIR").then(|| OsString::from("/nowhere"));
    assert!(matches!(Repository::open(repo.dir(), &wrong), Err(Error::NotARepository(_))));
}

#[test]
fn linked_work_trees_and_bare_repositories() {
    let repo = Repo::new();
    repo.write("a/x", "a\n");
    let head = repo.commit("a");
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().expect("UTF-8"), "-b", "side"]);
    let ours = open(linked.join("a"));
    assert_eq!(ours.root(), Some(&*linked));
    assert_eq!(
        ours.head().expect("HEAD"),
        Head::Branch { name: "refs/heads/side".to_owned(), id: ours.resolve(&head).expect("a commit") }
    );
    let git_dir = |name: &str| (name == "GIT_DIR").then(|| OsString::from(repo.path(".git/worktrees/linked")));
    assert_eq!(Repository::open(&linked, &git_dir).expect("GIT_DIR names it").root(), Some(&*linked));
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "-q", "--bare", repo.dir().to_str().expect("UTF-8"), bare.to_str().expect("UTF-8")]);
    let ours = open(&bare);
    assert_eq!(ours.root(), None);
    assert_eq!(ours.resolve("main").expect("main").hex(), head);
}

#[test]
fn heads_of_every_kind() {
    let repo = Repo::new();
    assert_eq!(repo.open().head().expect("HEAD"), Head::Unborn { name: "refs/heads/main".to_owned() });
    repo.write("a", "a\n");
    repo.commit("a");
    repo.git(&["checkout", "-q", "--detach"]);
    assert!(matches!(repo.open().head().expect("HEAD"), Head::Detached { .. }));
}

#[test]
fn revisions_resolve_or_say_why_not() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    let first = repo.commit("a");
    repo.git(&["tag", "light"]);
    repo.git(&["tag", "-a", "-m", "t", "annotated"]);
    repo.git(&["tag", "-a", "-m", "t", "nested", "annotated"]);
    repo.write("a", "b\n");
    let second = repo.commit("b");
    let ours = repo.open();
    let hex = |rev: &str| ours.resolve(rev).map(|id| id.hex());
    for rev in ["light", "annotated", "nested", "HEAD~1", "HEAD^", &first, &first[..10], "main~1", "refs/tags/light"] {
        assert_eq!(hex(rev).expect(rev), first, "{rev}");
    }
    assert_eq!(hex("HEAD").expect("HEAD"), second);
    for rev in [
        "",
        "-",
        "--help",
        "nope",
        "HEAD~9",
        "a\nb",
        "HEAD..main",
        "HEAD:a",
        "HEAD^{tree}",
        "\u{1b}[31m",
        "@{-1}",
        "^HEAD",
    ] {
        let error = ours.resolve(rev).expect_err(rev);
        assert!(matches!(error, Error::BadRevision { .. }), "{rev:?}: {error}");
        assert!(!error.to_string().contains(['\u{1b}', '\n']), "{error}");
    }
    let annotated = ours.find_ref("refs/tags/nested").expect("tags are followed");
    assert_eq!(annotated.hex(), first);
    for name in ["main", "refs/heads/none", "refs/heads/main~1", "../HEAD", "", "refs/heads/../../HEAD"] {
        assert_eq!(ours.find_ref(name), None, "{name}");
    }
}

#[test]
fn an_ambiguous_id_is_named() {
    let repo = Repo::new();
    // Among 2000 ids about thirty pairs share their first four digits, the least that git accepts.
    let commits: String = (0..2000)
        .map(|number| format!("commit refs/heads/b{number}\ncommitter C <c@example.com> {number} +0000\ndata 0\n\n"))
        .collect();
    repo.write("commits", commits);
    let mut import = repo.command(repo.dir(), &["fast-import", "--quiet"]);
    let import = import.stdin(std::fs::File::open(repo.path("commits")).expect("it was written"));
    assert!(import.status().expect("git runs").success());
    let ids = repo.line(&["for-each-ref", "--format=%(objectname)"]);
    let mut ids: Vec<&str> = ids.lines().collect();
    ids.sort_unstable();
    let pair = ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).expect("a pair among so many");
    let error = repo.open().resolve(&pair[0][..4]).expect_err("two commits begin like this");
    assert!(matches!(error, Error::AmbiguousRevision(_)), "{error}");
}

#[test]
fn the_upstream_default_branch() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.commit("a");
    let name = || repo.open().upstream_default().map(|found| found.name);
    assert_eq!(name().as_deref(), Some("main"));
    repo.git(&["update-ref", "refs/remotes/origin/master", "HEAD"]);
    assert_eq!(name().as_deref(), Some("origin/master"));
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    assert_eq!(name().as_deref(), Some("origin/main"));
    repo.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(name().as_deref(), Some("origin/trunk"));
    repo.git(&["config", "remote.origin.url", "https://me:secret@example.com/a/b.git"]);
    assert_eq!(repo.open().remote_url("origin").as_deref(), Some("https://example.com/a/b.git"));
    assert_eq!(repo.open().remote_url("other"), None);
}

#[test]
fn unsupported_and_damaged_repositories_say_so() {
    let repo = Repo::with(&["--ref-format=reftable"]);
    assert!(matches!(error_of(repo.dir()), Error::Reftable(_)), "{}", error_of(repo.dir()));
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.commit("a");
    std::fs::write(repo.path(".git/config"), "[core\n").expect("written");
    assert!(matches!(error_of(repo.dir()), Error::Open { .. }), "{}", error_of(repo.dir()));
}

#[test]
fn a_damaged_object_is_corrupt_and_not_missing() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.commit("a");
    let id = repo.line(&["rev-parse", "HEAD:a"]);
    let path = repo.path(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    std::fs::remove_file(&path).expect("removed");
    std::fs::write(&path, b"garbage").expect("written");
    let ours = repo.open();
    let id = diffsieve::git::Oid::from_hex(&id).expect("an id");
    let error = ours.reader().blob(id, 100).expect_err("it is damaged");
    assert!(matches!(error, Error::CorruptObject { .. }), "{error}");
    std::fs::remove_file(&path).expect("removed");
    let error = repo.open().reader().blob(id, 100).expect_err("it is missing");
    assert!(matches!(error, Error::MissingObject { why: diffsieve::git::Missing::Damaged, .. }), "{error}");
}

/// Run by [`another_users_repository_needs_safe_directory`] in a process of its own, because gix reads HOME itself.
#[test]
#[ignore = "a helper process, not a test"]
fn child_opens_a_repository() {
    let dir = std::env::var_os("DIFFSIEVE_TEST_DIR").expect("the parent names it");
    let said = match Repository::open(Path::new(&dir), &|_| None) {
        Ok(repo) => {
            let head = repo.head().expect("HEAD").id().map(|id| Side::Tree(repo.tree_of(id).expect("a tree")));
            let staged = repo.changes(&head.unwrap_or(Side::Empty), &Side::Index).expect("the index is read");
            repo.changes(&Side::Index, &Side::Worktree).expect("the work tree is read");
            format!("opened {:?}, {} staged", repo.root().expect("a work tree"), staged.list.len())
        }
        Err(error) => error.to_string(),
    };
    std::fs::write(Path::new(&dir).join("opened"), said).expect("written");
}

fn child(repo: &Repo, variables: &[(&str, &Path)]) -> String {
    let child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "--ignored", "git::open::child_opens_a_repository"])
        .current_dir("/")
        .env_clear()
        .env("HOME", repo.home())
        .env("DIFFSIEVE_TEST_DIR", repo.dir())
        .envs(variables.iter().copied())
        .output()
        .expect("it runs");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    std::fs::read_to_string(repo.path("opened")).expect("the child wrote it")
}

#[test]
fn the_process_environment_is_not_read() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.commit("a");
    repo.write("a", "b\n");
    repo.git(&["add", "a"]);
    let expected = format!("opened {:?}, 1 staged", repo.dir());
    assert_eq!(child(&repo, &[]), expected);
    for name in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"]
    {
        assert_eq!(child(&repo, &[(name, Path::new("/nowhere"))]), expected, "{name}");
    }
}

#[test]
fn another_users_repository_needs_safe_directory() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.commit("a");
    let changed = std::process::Command::new("chown").args(["-R", "12345"]).arg(repo.dir()).status();
    if !changed.is_ok_and(|status| status.success()) {
        return; // Only root can give a folder away.
    }
    let run = |variables: &[(&str, &Path)]| child(&repo, variables);
    let refused = run(&[]);
    assert!(refused.contains("safe.directory") && refused.contains(repo.dir().to_str().expect("UTF-8")), "{refused}");
    repo.git_in(&repo.home(), &["config", "--global", "--add", "safe.directory", repo.dir().to_str().expect("UTF-8")]);
    assert!(run(&[]).starts_with("opened"));
    let config = repo.home().join("elsewhere");
    std::fs::rename(repo.home().join(".gitconfig"), &config).expect("moved");
    assert!(run(&[("GIT_CONFIG_GLOBAL", &config)]).starts_with("opened"));
    std::fs::rename(&config, repo.home().join(".gitconfig")).expect("moved");
    // A repository cannot vouch for itself.
    repo.git_in(&repo.home(), &["config", "--global", "--unset-all", "safe.directory"]);
    repo.git_in(
        &repo.home(),
        &["config", "--file", repo.path(".git/config").to_str().expect("UTF-8"), "safe.directory", "*"],
    );
    assert!(run(&[]).contains("safe.directory"));
}
