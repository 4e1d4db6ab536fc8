//! Ancestors, what a remote lacks, and where hooks lie, as git tells them.

use std::ffi::OsString;
use std::path::PathBuf;

use diffsieve::git::{Error, History, Oid, Reach, SetBy};

use crate::support::{Repo, open};

fn oid(repo: &Repo, rev: &str) -> Oid {
    Oid::from_hex(&repo.line(&["rev-parse", rev])).unwrap()
}

/// Branches that fork and merge, `step` seconds from commit to commit, and remotes that have some of them.
fn tangle(init: &[&str], step: usize) -> Repo {
    let repo = Repo::with(init);
    let mut ids = Vec::new();
    for number in 0..24_usize {
        repo.write(format!("f{number}"), "x");
        repo.git(&["add", "-A"]);
        let tree = repo.line(&["write-tree"]);
        // Parents that look random and are the same each time.
        let mut args = vec!["commit-tree".to_owned(), "-m".to_owned(), format!("c{number}"), tree];
        let mut parents: Vec<usize> = (1..=number % 3 + 1).filter_map(|step| number.checked_sub(step * step)).collect();
        parents.dedup();
        for parent in parents {
            args.extend(["-p".to_owned(), String::clone(&ids[parent])]);
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let date = format!("{} +0000", 1_000_000_000 + number * step);
        let output = repo.command(repo.dir(), &args).env("GIT_COMMITTER_DATE", date).output().unwrap();
        assert!(output.status.success());
        let id = String::from_utf8(output.stdout).unwrap().trim_end().to_owned();
        repo.git(&["update-ref", &format!("refs/heads/c{number}"), &id]);
        ids.push(id);
    }
    for (name, number) in [("origin/a", 7), ("origin/b", 11), ("other/a", 16), ("original/a", 20)] {
        repo.git(&["update-ref", &format!("refs/remotes/{name}"), &format!("refs/heads/c{number}")]);
    }
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/a"]);
    repo.git(&["update-ref", "refs/remotes/origin/blob", &repo.line(&["hash-object", "-w", "f0"])]);
    repo
}

#[test]
fn what_a_remote_lacks_is_what_rev_list_says() {
    for (init, step) in [(&[][..], 1), (&["--object-format=sha256"], 1), (&[], 0)] {
        let repo = tangle(init, step);
        let opened = repo.open();
        for remote in [Some("origin"), Some("other"), Some("nobody"), Some("../x"), Some(""), None] {
            let known = opened.remote_tips(remote).unwrap();
            let mut history = History::new(&opened, &|| false).unwrap();
            let mut reach = Reach::default();
            known.iter().for_each(|tip| history.add(&mut reach, *tip).unwrap());
            for number in [3, 9, 14, 17, 21, 23] {
                let tip = format!("refs/heads/c{number}");
                let found = history.beyond(&mut reach, oid(&repo, &tip), 100).unwrap();
                let mut found: Vec<String> = found.iter().map(|(id, _)| id.hex()).collect();
                let not = match remote {
                    Some("nobody" | "../x" | "") => String::new(),
                    Some(name) => format!("--remotes={name}"),
                    None => "--remotes".to_owned(),
                };
                let mut args = vec!["rev-list", &tip, "--not"];
                args.extend(Some(not.as_str()).filter(|not| !not.is_empty()));
                let said = repo.line(&args);
                let mut said: Vec<&str> = said.lines().collect();
                found.sort();
                said.sort_unstable();
                assert_eq!(found, said, "{remote:?} {number}");
            }
        }
        let mut history = History::new(&opened, &|| false).unwrap();
        let three = history.beyond(&mut Reach::default(), oid(&repo, "refs/heads/c23"), 3).unwrap();
        assert_eq!(three.len(), 3);
        let mut late = History::new(&opened, &|| true).unwrap();
        let gone = late.beyond(&mut Reach::default(), oid(&repo, "refs/heads/c23"), 3);
        assert!(matches!(gone, Err(Error::OutOfTime)), "{gone:?}");
    }
}

#[test]
fn ancestors_are_those_that_merge_base_says() {
    let repo = tangle(&[], 0);
    let opened = repo.open();
    for one in 0..24 {
        for other in [0, 5, 9, 14, 23] {
            let (one, other) = (format!("refs/heads/c{one}"), format!("refs/heads/c{other}"));
            let found = opened.is_ancestor(oid(&repo, &one), oid(&repo, &other)).unwrap();
            let said = repo.command(repo.dir(), &["merge-base", "--is-ancestor", &one, &other]).status().unwrap();
            assert_eq!(found, said.success(), "{one} {other}");
        }
    }
}

#[test]
fn a_history_that_is_asked_often_says_the_same() {
    // A day and a half from commit to commit, a second, and all at once.
    for step in [130_000, 1, 0] {
        let repo = tangle(&[], step);
        repo.write("alone", "x");
        repo.git(&["switch", "-q", "--orphan", "alone"]);
        repo.write("alone", "x");
        let alone = Oid::from_hex(&repo.commit("alone")).unwrap();
        let opened = repo.open();
        let mut history = History::new(&opened, &|| false).unwrap();
        // Asked the youngest last, so that it has to go on where it stood.
        for tips in [vec![5], vec![9, 14], vec![23], vec![22, 23, 3]] {
            let (mut reach, mut below) = (Reach::default(), Reach::default());
            for tip in &tips {
                let tip = oid(&repo, &format!("refs/heads/c{tip}"));
                history.add(&mut reach, tip).unwrap();
                history.add_parents(&mut below, tip).unwrap();
            }
            let listed = |end: &str| {
                let tips: Vec<String> = tips.iter().map(|tip| format!("refs/heads/c{tip}{end}")).collect();
                repo.line(&[&["rev-list"][..], &tips.iter().map(String::as_str).collect::<Vec<_>>()].concat())
            };
            let (with_tips, without) = (listed(""), listed("^@"));
            for one in (0..24).rev() {
                let commit = oid(&repo, &format!("refs/heads/c{one}"));
                for (reach, said) in [(&mut reach, &with_tips), (&mut below, &without)] {
                    let found = history.reaches(reach, commit).unwrap();
                    assert_eq!(found, said.contains(&commit.hex()), "{one} {tips:?} {step}");
                }
                assert!(history.meets(&mut reach, commit).unwrap(), "all come from c0");
            }
            assert!(!history.meets(&mut reach, alone).unwrap() && !history.reaches(&mut reach, alone).unwrap());
        }
    }
}

#[test]
fn tags_lead_to_commits_or_to_none() {
    let repo = Repo::new();
    repo.write("a", "x");
    let commit = repo.commit("a");
    repo.git(&["tag", "-a", "-m", "t", "one"]);
    repo.git(&["tag", "-a", "-m", "t", "two", "one"]);
    repo.git(&["tag", "-a", "-m", "t", "tree", "HEAD^{tree}"]);
    let opened = repo.open();
    let behind = |rev: &str| opened.commit_behind(oid(&repo, rev)).unwrap().map(|id| id.hex());
    assert_eq!(behind("refs/tags/two"), Some(commit));
    assert_eq!((behind("refs/tags/tree"), behind("HEAD:a")), (None, None));
    for id in ["1".repeat(40), "1".repeat(64), "0".repeat(40), "0".repeat(64)] {
        let gone = opened.commit_behind(Oid::from_hex(&id).unwrap());
        assert!(matches!(gone, Err(Error::MissingObject { .. })), "{gone:?}");
    }
    // What a tag names is missing, which is not the same as being no commit.
    repo.remove(format!(
        ".git/objects/{}/{}",
        &repo.line(&["rev-parse", "HEAD"])[..2],
        &repo.line(&["rev-parse", "HEAD"])[2..]
    ));
    assert!(matches!(opened.commit_behind(oid(&repo, "refs/tags/two")), Err(Error::MissingObject { .. })));
}

#[test]
fn hooks_are_where_git_looks_for_them() {
    let repo = Repo::new();
    repo.write("a", "x");
    repo.commit("a");
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "-q", "../linked"]);
    let home = repo.home();
    let env = |name: &str| (name == "HOME").then(|| OsString::from(&home));
    for path in [None, Some("mine"), Some("./b"), Some("/somewhere/else"), Some("~/hooks")] {
        if let Some(path) = path {
            repo.git(&["config", "core.hooksPath", path]);
        }
        for dir in [repo.dir(), &linked] {
            let said = repo.git_in(dir, &["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
            let said = PathBuf::from(String::from_utf8(said).unwrap().trim_end());
            let found = open(dir).hooks_folder(&env).unwrap();
            assert_eq!(found.path, said, "{path:?}");
            let set_by = if path.is_some() { SetBy::Repository } else { SetBy::Default };
            assert_eq!(found.set_by, set_by);
        }
    }
}
