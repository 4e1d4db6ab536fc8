//! What a review compares, by each rule.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use diffsieve::git::{self, Repository, Side};
use diffsieve::scope::{Error, How, Request, Scope, find};

use crate::support::{Repo, lines, open};

fn found(repo: &Repository, request: &Request, variables: &[(&str, &str)]) -> Result<Scope, Error> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    find(repo, request, &|name| variables.get(name).map(OsString::from), false)
}

fn default(repo: &Repository, variables: &[(&str, &str)]) -> Scope {
    found(repo, &Request::Default, variables).expect("a scope")
}

/// `main` with two commits, `feature` two commits ahead of the first, both also as remote branches.
struct Branches {
    repo: Repo,
    root: String,
    main: String,
    feature: String,
}

fn branches() -> Branches {
    let repo = Repo::new();
    repo.write("a", lines("a", 10));
    let root = repo.commit("root");
    repo.write("main", "main\n");
    let main = repo.commit("main");
    repo.git(&["checkout", "-q", "-b", "feature", &root]);
    repo.write("f1", "f1\n");
    repo.commit("f1");
    repo.write("f2", "f2\n");
    let feature = repo.commit("f2");
    repo.git(&["update-ref", "refs/remotes/origin/main", &main]);
    Branches { repo, root, main, feature }
}

fn trees(repo: &Repo, old: &str, new: &str) -> (Side, Side) {
    let ours = repo.open();
    let tree = |rev: &str| Side::Tree(ours.tree_of(ours.resolve(rev).expect(rev)).expect("a tree"));
    (tree(old), tree(new))
}

#[test]
fn the_merge_base_with_the_default_branch() {
    let Branches { repo, root, main, feature } = branches();
    let scope = default(&repo.open(), &[]);
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    assert_eq!(scope.base_tip.map(|id| id.hex()), Some(main));
    assert_eq!(scope.how, How::DefaultBranch);
    assert_eq!(scope.description, format!("origin/main...HEAD (merge base {})", &root[..7]));
    assert!(!scope.guarded && scope.notes.is_empty());
}

#[test]
fn head_on_its_base_reviews_the_last_commit() {
    let Branches { repo, root, main, .. } = branches();
    repo.git(&["checkout", "-q", "main"]);
    let scope = default(&repo.open(), &[]);
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &main));
    assert_eq!(scope.how, How::LastCommit);
    assert!(scope.notes[0].contains("adds nothing to origin/main"), "{:?}", scope.notes);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "feature"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let scope = default(&repo.open(), &[]);
    assert_eq!((scope.old, scope.new), trees(&repo, "HEAD^1", "HEAD"));
    assert!(scope.notes.iter().any(|note| note.contains("first parent")), "{:?}", scope.notes);
    let alone = Repo::new();
    alone.write("a", "a\n");
    alone.commit("root");
    let scope = default(&alone.open(), &[]);
    assert_eq!(scope.old, Side::Empty);
    assert_eq!(scope.base_tip, None);
}

#[test]
fn what_is_asked_for() {
    let Branches { repo, root, main, feature } = branches();
    let ours = repo.open();
    let ask = |request: Request| found(&ours, &request, &[]).expect("a scope");
    let base =
        |base: &str, head: Option<&str>| Request::BaseHead { base: base.to_owned(), head: head.map(str::to_owned) };
    let scope = ask(base("main", None));
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    let scope = ask(base("feature", Some("main")));
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &main));
    assert_eq!(scope.base_tip.map(|id| id.hex()), Some(feature.clone()));
    let scope = ask(Request::Range("main..feature".to_owned()));
    assert_eq!((scope.old, scope.new), trees(&repo, &main, &feature));
    let scope = ask(Request::Range("main...".to_owned()));
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    let scope = ask(Request::Commit("HEAD~1".to_owned()));
    assert_eq!((scope.old, scope.new), trees(&repo, &root, "HEAD~1"));
    let scope = ask(Request::Commit(root.clone()));
    assert_eq!(scope.old, Side::Empty);
    let scope = ask(Request::Staged);
    assert_eq!((scope.old, scope.new), (trees(&repo, &feature, &feature).0, Side::Index));
    assert_eq!(ask(Request::Worktree).new, Side::Worktree);
    let scope = ask(base("main", Some("main")));
    assert!(scope.notes[0].contains("nothing to review"), "{:?}", scope.notes);
    assert!(matches!(found(&ours, &Request::Range("main".to_owned()), &[]), Err(Error::NotARange(_))));
    let error = found(&ours, &Request::Commit("\u{1b}[2Jnope".to_owned()), &[]).expect_err("no such commit");
    assert!(!error.is_incomplete() && !error.to_string().contains('\u{1b}'), "{error}");
}

#[test]
fn before_the_first_commit() {
    let repo = Repo::new();
    let ours = repo.open();
    assert!(matches!(found(&ours, &Request::Default, &[]), Err(Error::Unborn(name)) if name == "refs/heads/main"));
    assert!(matches!(found(&ours, &Request::Commit("HEAD".to_owned()), &[]), Err(Error::Unborn(_))));
    let scope = found(&ours, &Request::Staged, &[]).expect("a scope");
    assert_eq!((scope.old, scope.new, scope.base_tip), (Side::Empty, Side::Index, None));
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "-q", "--bare", repo.dir().to_str().expect("UTF-8"), bare.to_str().expect("UTF-8")]);
    assert!(matches!(found(&open(&bare), &Request::Staged, &[]), Err(Error::Git(git::Error::Bare))));
}

#[test]
fn no_branch_to_compare_with_and_unrelated_ones() {
    let repo = Repo::with(&[]);
    repo.git(&["checkout", "-q", "--orphan", "other"]);
    repo.write("a", "a\n");
    repo.commit("a");
    assert!(matches!(found(&repo.open(), &Request::Default, &[]), Err(Error::NoDefaultBranch)));
    repo.git(&["checkout", "-q", "--orphan", "main"]);
    repo.commit("b");
    repo.git(&["checkout", "-q", "other"]);
    let error = found(&repo.open(), &Request::Default, &[]).expect_err("they are unrelated");
    assert!(matches!(error, Error::Git(git::Error::Unrelated { .. })) && !error.is_incomplete(), "{error}");
}

#[test]
fn uncommitted_changes_are_mentioned_where_asked() {
    let Branches { repo, .. } = branches();
    let notes = |look| find(&repo.open(), &Request::Default, &|_| None, look).expect("a scope").notes;
    assert!(notes(true).is_empty());
    repo.write("a", "changed\n");
    assert!(notes(false).is_empty());
    assert!(notes(true)[0].contains("not committed"));
}

fn event(repo: &Repo, json: &str) -> PathBuf {
    let path = repo.beside("event.json");
    std::fs::write(&path, json).expect("written");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Checks the merge commit of a pull request out, as `actions/checkout` does, and gives its id.
fn merge_ref(branches: &Branches) -> String {
    let repo = &branches.repo;
    repo.git(&["checkout", "-q", "--detach", &branches.main]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", &branches.feature]);
    let merge = repo.line(&["rev-parse", "HEAD"]);
    repo.git(&["update-ref", "refs/pull/7/merge", &merge]);
    merge
}

fn github<'a>(
    event_name: &'a str,
    sha: &'a str,
    path: &'a Path,
    more: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let mut variables = vec![
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", event_name),
        ("GITHUB_EVENT_PATH", text(path)),
        ("GITHUB_SHA", sha),
    ];
    variables.extend_from_slice(more);
    variables
}

#[test]
fn github_compares_the_merge_commit_with_its_first_parent() {
    let branches = branches();
    let merge = merge_ref(&branches);
    let Branches { repo, root, main, .. } = &branches;
    // The frozen base of the event is older than what the merge was made of.
    let path = event(repo, &format!(r#"{{"pull_request":{{"base":{{"sha":"{root}","ref":"main"}}}}}}"#));
    let more = [("GITHUB_REF", "refs/pull/7/merge"), ("GITHUB_BASE_REF", "main")];
    let scope = default(&repo.open(), &github("pull_request", &merge, &path, &more));
    assert_eq!((scope.old, scope.new), trees(repo, main, &merge));
    assert_eq!((scope.how, scope.guarded), (How::MergeCommit, true));
    assert_eq!(scope.base_tip.map(|id| id.hex()).as_ref(), Some(main));
}

#[test]
fn github_shallow_merge_commits() {
    let branches = branches();
    let merge = merge_ref(&branches);
    let Branches { repo, main, .. } = &branches;
    let path = event(repo, "{}");
    let more = [("GITHUB_REF", "refs/pull/7/merge"), ("GITHUB_BASE_REF", "main")];
    let variables = github("pull_request", &merge, &path, &more);
    let url = format!("file://{}", repo.dir().display());
    for depth in ["1", "2"] {
        let clone = repo.beside(&format!("checkout{depth}"));
        std::fs::create_dir_all(&clone).expect("made");
        repo.git_in(&clone, &["init", "-q"]);
        repo.git_in(&clone, &["fetch", "-q", "--depth", depth, &url, "refs/pull/7/merge"]);
        repo.git_in(&clone, &["checkout", "-q", "FETCH_HEAD"]);
        let scope = found(&open(&clone), &Request::Default, &variables);
        if depth == "2" {
            let scope = scope.expect("the parents are there");
            assert_eq!((scope.old, scope.new), trees(repo, main, &merge));
            continue;
        }
        let error = scope.expect_err("the parent is missing");
        assert!(error.is_incomplete());
        let message = error.to_string();
        assert!(message.contains(&format!("git fetch --depth=1 origin {main}")), "{message}");
        assert!(message.contains("fetch-depth: 0"), "{message}");
        // The remedy works.
        repo.git_in(&clone, &["fetch", "-q", "--depth=1", &url, main]);
        let scope = default(&open(&clone), &variables);
        assert_eq!((scope.old, scope.new), trees(repo, main, &merge));
    }
}

#[test]
fn github_pull_request_heads() {
    let Branches { repo, root, main, feature } = branches();
    let base = format!(r#"{{"pull_request":{{"base":{{"sha":"{root}","ref":"main"}},"head":{{"sha":"{feature}"}}}}}}"#);
    let path = event(&repo, &base);
    let target = [("GITHUB_BASE_REF", "main")];
    let variables = github("pull_request", &main, &path, &target);
    let scope = default(&repo.open(), &variables);
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    assert_eq!(scope.base_tip.map(|id| id.hex()), Some(main.clone()), "the branch beats the frozen commit");
    assert_eq!(scope.how, How::PullRequest);
    // `pull_request_target` has the base checked out; the head is only named.
    repo.git(&["checkout", "-q", "main"]);
    let variables = github("pull_request_target", &main, &path, &target);
    let scope = default(&repo.open(), &variables);
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    let path = event(&repo, &base.replace(&feature, &"1".repeat(40)));
    let variables = github("pull_request_target", &main, &path, &target);
    let error = found(&repo.open(), &Request::Default, &variables).expect_err("the head is not there");
    assert!(matches!(error, Error::NotCheckedOut(_)), "{error}");
    // Without the branch the event's commit serves; without both the remedy is named.
    repo.git(&["checkout", "-q", "feature"]);
    repo.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    let variables = github("pull_request", &main, &path, &target);
    assert_eq!(default(&repo.open(), &variables).base_tip.map(|id| id.hex()), Some(root.clone()));
    let path = event(&repo, "not json");
    let variables = github("pull_request", &main, &path, &[("GITHUB_BASE_REF", "evil\u{1b}[2J$(id)")]);
    let error = found(&repo.open(), &Request::Default, &variables).expect_err("nothing names the base");
    assert!(error.is_incomplete() && !error.to_string().contains('\u{1b}'), "{error}");
}

#[test]
fn github_pushes_and_merge_groups() {
    let Branches { repo, root, main, feature } = branches();
    let push = |before: &str| {
        let default = r#""repository":{"default_branch":"main"}"#;
        event(&repo, &format!(r#"{{"before":"{before}","after":"{feature}",{default}}}"#))
    };
    let path = push(&root);
    let to = |branch: &'static str| [("GITHUB_REF", branch)];
    let scope = default(&repo.open(), &github("push", &feature, &path, &to("refs/heads/main")));
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    assert_eq!((scope.how, scope.guarded), (How::Push, false));
    // To another branch it may be one push of several; then, and where the state before is unknown, the branch counts.
    for (before, branch) in [
        (root.clone(), "refs/heads/feature"),
        (feature.clone(), "refs/heads/feature"),
        ("0".repeat(40), "refs/heads/main"),
        ("1".repeat(40), "refs/heads/main"),
    ] {
        let path = push(&before);
        let scope = default(&repo.open(), &github("push", &feature, &path, &to(branch)));
        assert_eq!((scope.how, scope.guarded), (How::DefaultBranch, true));
        assert_eq!(scope.base_tip.map(|id| id.hex()), Some(main.clone()));
    }
    let other = event(&repo, r#"{"repository":{"default_branch":"trunk"}}"#);
    let error = found(&repo.open(), &Request::Default, &github("push", &feature, &other, &to("refs/heads/feature")))
        .expect_err("no other branch stands in for the default branch");
    assert!(error.is_incomplete() && error.to_string().contains("`trunk`"), "{error}");
    let path = event(&repo, &format!(r#"{{"merge_group":{{"base_sha":"{main}","base_ref":"refs/heads/main"}}}}"#));
    let scope = default(&repo.open(), &github("merge_group", &feature, &path, &[]));
    assert_eq!((scope.old, scope.new), trees(&repo, &root, &feature));
    assert!(scope.guarded);
    let scope = default(&repo.open(), &github("schedule", &feature, &path, &[]));
    assert_eq!((scope.how, scope.guarded), (How::DefaultBranch, true));
    // Any other service says at least that it is one.
    for (variables, guarded) in
        [(&[("CI", "true")][..], true), (&[("JENKINS_URL", "x")], true), (&[("CI", "false")], false)]
    {
        assert_eq!(default(&repo.open(), variables).guarded, guarded);
        let request = Request::Range("main...feature".to_owned());
        let range = found(&repo.open(), &request, variables).expect("a range");
        assert_eq!(range.guarded, guarded);
    }
}

#[test]
fn gitlab_azure_and_bitbucket() {
    let branches = branches();
    let Branches { repo, root, main, feature } = &branches;
    let gitlab = [
        ("GITLAB_CI", "true"),
        ("CI_MERGE_REQUEST_IID", "1"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", root.as_str()),
    ];
    let scope = default(&repo.open(), &gitlab);
    assert_eq!((scope.old, scope.new), trees(repo, root, feature));
    assert_eq!(scope.base_tip.map(|id| id.hex()).as_ref(), Some(main));
    assert!(scope.guarded);
    // In the pipeline of a fork `origin` is the fork, whose branches are the author's.
    repo.git(&["update-ref", "refs/remotes/origin/main", feature]);
    let fork = [("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "2"), ("CI_MERGE_REQUEST_PROJECT_ID", "1")];
    let scope = default(&repo.open(), &[gitlab.as_slice(), &fork].concat());
    assert_eq!((scope.old, scope.new), trees(repo, root, feature));
    assert_eq!(scope.base_tip.map(|id| id.hex()).as_ref(), Some(root));
    repo.git(&["update-ref", "refs/remotes/origin/main", main]);
    let bitbucket =
        [("BITBUCKET_BUILD_NUMBER", "1"), ("BITBUCKET_PR_ID", "1"), ("BITBUCKET_PR_DESTINATION_COMMIT", &main[..12])];
    let scope = default(&repo.open(), &bitbucket);
    assert_eq!((scope.old, scope.new), trees(repo, root, feature));
    repo.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    let scope = default(&repo.open(), &gitlab);
    assert_eq!(scope.base_tip.map(|id| id.hex()).as_ref(), Some(root));
    assert!(scope.notes[0].contains("merge base"), "{:?}", scope.notes);
    let merge = merge_ref(&branches);
    let azure = [
        ("TF_BUILD", "True"),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"),
        ("BUILD_SOURCEBRANCH", "refs/pull/7/merge"),
        ("BUILD_SOURCEVERSION", &merge),
    ];
    let scope = default(&repo.open(), &azure);
    assert_eq!((scope.old, scope.new), trees(repo, main, &merge));
    assert_eq!(scope.how, How::MergeCommit);
}

#[test]
fn a_request_in_a_pull_request_job_stays_one() {
    let Branches { repo, feature, .. } = branches();
    let path = event(&repo, "{}");
    let variables = github("pull_request", &feature, &path, &[]);
    let scope = found(&repo.open(), &Request::Commit("HEAD".to_owned()), &variables).expect("a scope");
    assert!(scope.guarded);
}

#[test]
fn several_merge_bases_are_mentioned() {
    let Branches { repo, .. } = branches();
    let left = repo.line(&["rev-parse", "feature"]);
    repo.git(&["checkout", "-q", "main"]);
    let right = repo.line(&["rev-parse", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "m1", &left]);
    repo.git(&["checkout", "-q", "feature"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "m2", &right]);
    let request = Request::BaseHead { base: "main".to_owned(), head: None };
    let scope = found(&repo.open(), &request, &[]).expect("a scope");
    assert!(scope.notes[0].contains("2 merge bases"), "{:?}", scope.notes);
}
