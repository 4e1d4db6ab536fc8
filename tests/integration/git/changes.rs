//! Commits against commits: every odd kind of change.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use diffsieve::diff::{Body, ChangeSet, Globs, Limits, NotCode, Plan, Status, Unread, load};
use diffsieve::finding::RepoPath;
use diffsieve::git::{Error, Missing, Oid, Side};

use super::oracle::{agrees, rows, set, shown, side};
use crate::support::{Repo, lines, open};

fn statuses(set: &ChangeSet) -> Vec<String> {
    shown(&rows(&set.files))
}

#[test]
fn renames_edits_and_copies() {
    let repo = Repo::new();
    repo.write("same.txt", lines("same", 20));
    repo.write("edited.txt", lines("edited", 40));
    repo.write("rewritten.txt", lines("rewritten", 20));
    repo.write("copied.txt", lines("copied", 20));
    repo.write("a/mod.rs", lines("one", 30));
    repo.write("b/mod.rs", lines("two", 30));
    let old = repo.commit("old");
    repo.git(&["mv", "same.txt", "moved.txt"]);
    repo.git(&["mv", "edited.txt", "edited2.txt"]);
    repo.write("edited2.txt", lines("edited", 33) + "new\n");
    repo.remove("rewritten.txt");
    repo.write("rewritten2.txt", lines("other", 20));
    repo.write("copied2.txt", lines("copied", 20));
    repo.git(&["mv", "a", "c"]);
    repo.git(&["mv", "b", "a"]);
    let new = repo.commit("new");
    let set = agrees(&repo, &old, &new);
    assert!(statuses(&set).contains(&"R100 same.txt moved.txt".to_owned()));
    assert!(set.files.iter().any(|file| matches!(file.status, Status::Renamed { similarity: 50..100 })));
    assert!(!set.renames_cut_short);
    agrees(&repo, &new, &old);
}

#[test]
fn many_candidates_pair_as_in_git() {
    let repo = Repo::new();
    for number in 0..40 {
        repo.write(format!("old/{}/f{}.txt", number % 3, number % 7), lines(&format!("s{}", number % 5), 10 + number));
    }
    let old = repo.commit("old");
    repo.git(&["mv", "old", "new"]);
    for number in 0..40 {
        let extra = lines("extra", number % 11);
        repo.write(
            format!("new/{}/f{}.txt", number % 3, number % 7),
            lines(&format!("s{}", number % 5), 8 + number) + &extra,
        );
        repo.write(format!("new/more/{number}.txt"), lines(&format!("s{}", number % 4), 12 + number));
    }
    let new = repo.commit("new");
    agrees(&repo, &old, &new);
    agrees(&repo, &new, &old);
}

#[test]
fn modes_links_and_types() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::new();
    repo.write("run.sh", "#!/bin/sh\necho\n");
    repo.write("run2.sh", "#!/bin/sh\necho\n");
    repo.write("to-link", "text\n");
    repo.link("target", "to-file");
    repo.link("target", "link");
    repo.write("to-folder", "text\n");
    repo.write("from-folder/a", "a\n");
    repo.write("from-folder/b", "b\n");
    let old = repo.commit("old");
    for name in ["run.sh", "run2.sh"] {
        set_permissions(repo.path(name), Permissions::from_mode(0o755)).expect("the mode is set");
    }
    repo.write("run2.sh", "#!/bin/sh\necho changed\n");
    repo.remove("to-link");
    repo.link("elsewhere", "to-link");
    repo.remove("to-file");
    repo.write("to-file", "now text\n");
    repo.remove("link");
    repo.link("other-target", "link");
    repo.remove("to-folder");
    repo.write("to-folder/a", "text\n");
    repo.git(&["rm", "-rq", "from-folder"]);
    repo.write("from-folder", "a\n");
    let new = repo.commit("new");
    let set = agrees(&repo, &old, &new);
    let body = |name: &str| {
        let file = set.files.iter().rfind(|file| file.path == RepoPath::from(name)).expect("it is listed");
        match &file.body {
            Body::NotCode(why) => Some(*why),
            _ => None,
        }
    };
    assert_eq!(body("run.sh"), Some(NotCode::NoLines));
    assert_eq!(body("link"), Some(NotCode::Symlink));
    assert_eq!(body("to-file"), None);
    agrees(&repo, &new, &old);
}

#[test]
fn submodules_are_entries() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    let first = repo.commit("first");
    let entry = |id: &str| format!("160000,{id},sub");
    repo.git(&["update-index", "--add", "--cacheinfo", &entry(&first)]);
    repo.git(&["commit", "-qm", "add"]);
    let added = repo.line(&["rev-parse", "HEAD"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &entry(&added)]);
    repo.git(&["commit", "-qm", "bump"]);
    let set = agrees(&repo, "HEAD~1", "HEAD");
    assert!(matches!(set.files[0].body, Body::NotCode(NotCode::Submodule)));
    agrees(&repo, "HEAD~2", "HEAD");
    agrees(&repo, "HEAD", "HEAD~2");
}

#[test]
fn contents_of_every_kind() {
    let repo = Repo::new();
    let pointer =
        |size: u32| format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {size}\n", "a".repeat(64));
    let files: &[(&str, &[u8], &[u8])] = &[
        ("binary", b"a\0b", b"a\0c"),
        ("becomes-binary", b"text\n", b"a\0c"),
        (
            "late-nul",
            &[b"x\n".repeat(4000), b"\0\n".to_vec()].concat(),
            &[b"x\n".repeat(4001), b"\0\n".to_vec()].concat(),
        ),
        ("crlf", b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
        ("to-lf", b"a\r\nb\r\n", b"a\nb\n"),
        ("no-newline", b"a\nb", b"a\nb\n"),
        ("loses-newline", b"a\nb\n", b"a\nb"),
        ("still-none", b"a\nb", b"a\nc"),
        ("latin1", b"caf\xe9\n", b"caf\xe8\n"),
        ("emptied", b"a\n", b""),
        ("filled", b"", b"a\n"),
        ("just-newlines", b"\n\n\n", b"\n\n\n\n"),
        ("carriage", b"a\rb\rc\n", b"a\rb\rd\n"),
    ];
    for (name, old, _) in files {
        repo.write(name, old);
    }
    repo.write("gone-empty", "");
    repo.write("lfs.bin", pointer(1));
    let old = repo.commit("old");
    for (name, _, new) in files {
        repo.write(name, new);
    }
    repo.remove("gone-empty");
    repo.write("new-empty", "");
    repo.write("lfs.bin", pointer(2));
    let new = repo.commit("new");
    let ours = repo.open();
    let all = set(&ours, &side(&ours, &old), &side(&ours, &new));
    let lfs = all.files.iter().find(|file| file.path == RepoPath::from("lfs.bin")).expect("it changed");
    assert!(matches!(lfs.body, Body::NotCode(NotCode::LfsPointer)));
    agrees(&repo, &old, &new);
    agrees(&repo, &new, &old);
    agrees(&repo, "-", &new);
}

#[test]
fn names_of_every_kind() {
    let repo = Repo::new();
    let names: &[&[u8]] = &[
        b"with space",
        b"tab\there",
        b"new\nline",
        b"quote\"d",
        b"back\\slash",
        b"esc\x1b[31m",
        b"\xff\xfe",
        "é/ü.txt".as_bytes(),
        b"-dash",
        b"a b/c d",
        b"trailing ",
        b" leading",
    ];
    let path = |name: &[u8]| OsStr::from_bytes(name).to_owned();
    repo.write("keep", "keep\n");
    let empty = repo.commit("empty");
    for name in names {
        repo.write(path(name), [name, &b" content\nmore\nand more\nto be alike\n"[..]].concat());
    }
    let old = repo.commit("old");
    for name in names {
        let moved = [b"moved ", *name].concat();
        let from = repo.path(path(name));
        let to = repo.path(path(&moved));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("the folder is made");
        std::fs::rename(from, to).expect("the file is moved");
    }
    let moved = repo.commit("moved");
    agrees(&repo, &empty, &old);
    agrees(&repo, &old, &empty);
    agrees(&repo, &old, &moved);
}

#[test]
fn roots_merges_and_histories() {
    let repo = Repo::new();
    repo.write("a", lines("a", 10));
    let root = repo.commit("root");
    agrees(&repo, "-", &root);
    for branch in ["one", "two", "three"] {
        repo.git(&["checkout", "-q", "-b", branch, &root]);
        repo.write(branch, "x\n");
        repo.commit(branch);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "octopus", "one", "two", "three"]);
    for parent in ["HEAD^1", "HEAD^2", "HEAD^3"] {
        agrees(&repo, parent, "HEAD");
    }
    let ours = repo.open();
    let head = ours.resolve("HEAD").expect("HEAD");
    assert_eq!(ours.commit(head).expect("a commit").parents.len(), 4);
}

#[test]
fn criss_cross_has_two_bases_and_unrelated_ones_none() {
    let repo = Repo::new();
    repo.write("a", "a\n");
    let root = repo.commit("root");
    repo.git(&["checkout", "-q", "-b", "left"]);
    repo.write("l", "l\n");
    let left = repo.commit("left");
    repo.git(&["checkout", "-q", "-b", "right", &root]);
    repo.write("r", "r\n");
    let right = repo.commit("right");
    repo.git(&["merge", "-q", "--no-ff", "-m", "m1", &left]);
    repo.git(&["checkout", "-q", "left"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "m2", &right]);
    let ours = repo.open();
    let id = |rev: &str| ours.resolve(rev).expect("a commit");
    let mut bases: Vec<String> =
        ours.merge_bases(id("left"), id("right")).expect("they are related").iter().map(Oid::hex).collect();
    bases.sort();
    let mut expected = [left, right];
    expected.sort();
    assert_eq!(bases, expected);
    repo.git(&["checkout", "-q", "--orphan", "alone"]);
    repo.commit("alone");
    let ours = repo.open();
    assert!(matches!(
        ours.merge_bases(ours.resolve("alone").expect("it is there"), id("left")),
        Err(Error::Unrelated { .. })
    ));
    agrees(&repo, "left", "alone");
}

#[test]
fn attributes_come_from_the_tree_that_is_named() {
    let repo = Repo::new();
    repo.write(
        ".gitattributes",
        "*.gen linguist-generated\n/dist/** linguist-vendored=true\n*.dat binary\n[attr]mine -diff\n*.mine mine\n",
    );
    repo.write("sub/.gitattributes", "*.gen -linguist-generated\nlocal.txt -diff\n");
    for name in ["a.gen", "sub/a.gen", "dist/x.js", "sub/dist/x.js", "a.dat", "a.mine", "sub/local.txt", "local.txt"] {
        repo.write(name, "a\n");
    }
    let base = repo.commit("base");
    repo.write(".gitattributes", "* -diff linguist-generated\n");
    repo.remove("sub/.gitattributes");
    for name in ["a.gen", "sub/a.gen", "dist/x.js", "sub/dist/x.js", "a.dat", "a.mine", "sub/local.txt", "local.txt"] {
        repo.write(name, "b\n");
    }
    repo.write("plain.rs", "fn main() {}\n");
    repo.write(".git/info/attributes", "* linguist-generated\n");
    let head = repo.commit("head");
    let ours = repo.open();
    let tree = ours.tree_of(ours.resolve(&base).expect("base")).expect("a tree");
    let all = ChangeSet::between(
        &ours,
        &side(&ours, &base),
        &side(&ours, &head),
        Some(tree),
        &Limits::default(),
        &Globs::default(),
    )
    .expect("the sides can be read");
    let class = |name: &str| all.files.iter().find(|file| file.path == RepoPath::from(name)).expect(name).class;
    assert!(class("a.gen").generated && !class("sub/a.gen").generated && !class("plain.rs").generated);
    assert!(class("dist/x.js").vendored && !class("sub/dist/x.js").vendored);
    assert!(class("a.dat").diff_off && class("a.mine").diff_off && class("sub/local.txt").diff_off);
    assert!(!class("local.txt").diff_off && !class("plain.rs").diff_off);
    // What the attributes call binary is still read: the content decides.
    assert!(all.files.iter().filter(|file| file.class.diff_off).all(|file| !file.hunks().is_empty()));
}

#[test]
fn user_configuration_and_replace_refs_change_nothing() {
    let repo = Repo::new();
    repo.write("a", lines("a", 30));
    repo.write("b", lines("b", 30));
    let old = repo.commit("old");
    repo.write("copy", lines("a", 30));
    repo.git(&["mv", "b", "c"]);
    repo.write("b2", lines("b", 30));
    let new = repo.commit("new");
    let before = statuses(&agrees(&repo, &old, &new));
    repo.write("evil", "evil\n");
    let evil = repo.commit("evil");
    for (key, value) in [
        ("diff.renames", "copies"),
        ("diff.renameLimit", "1"),
        ("diff.algorithm", "patience"),
        ("diff.noprefix", "true"),
        ("core.attributesFile", "/dev/null"),
        ("diff.external", "false"),
    ] {
        repo.git(&["config", key, value]);
        repo.git(&["config", "--global", key, value]);
    }
    repo.git(&["replace", &new, &evil]);
    let ours = repo.open();
    let set = set(&ours, &side(&ours, &old), &side(&ours, &new));
    assert_eq!(statuses(&set), before);
}

#[test]
fn limits_are_named() {
    let repo = Repo::new();
    repo.write("keep", "");
    let old = repo.commit("old");
    repo.write("large.txt", lines("large", 1000));
    repo.write("large.bin", [b"\0".to_vec(), b"x".repeat(50_000)].concat());
    repo.write("huge.txt", lines("huge", 10_000));
    repo.write("long.txt", "x".repeat(300) + "\n");
    repo.write("lines.txt", "\n".repeat(600));
    repo.write("left/out.txt", "a\n");
    let new = repo.commit("new");
    let ours = repo.open();
    let limits = Limits { file_bytes: 10_000, probe_bytes: 100_000, line_chars: 200, lines: 500, ..Limits::default() };
    let exclude = Globs::new(["left/**"]).expect("a glob");
    let set = ChangeSet::between(&ours, &side(&ours, &old), &side(&ours, &new), None, &limits, &exclude).expect("read");
    let bodies: Vec<String> = set
        .files
        .iter()
        .map(|file| match &file.body {
            Body::Text { .. } => "text".to_owned(),
            Body::NotCode(why) => format!("{why:?}"),
            Body::Unread(Unread::TooLarge { .. }) => "TooLarge".to_owned(),
            Body::Unread(why) => format!("{why:?}"),
        })
        .collect();
    assert_eq!(bodies, ["TooLarge", "Binary", "TooLarge", "Excluded", "TooManyLines", "LongLine"]);
}

#[test]
fn files_load_on_several_threads() {
    let repo = Repo::new();
    for number in 0..50 {
        repo.write(format!("f{number}"), lines("old", 20));
    }
    let old = repo.commit("old");
    for number in 0..50 {
        repo.write(format!("f{number}"), lines("old", number) + "new\n" + &lines("old", 20));
    }
    let new = repo.commit("new");
    let ours = repo.open();
    let plan = Plan::between(&ours, &side(&ours, &old), &side(&ours, &new), None).expect("the sides can be read");
    let serial = set(&ours, &side(&ours, &old), &side(&ours, &new));
    let (limits, exclude) = (Limits::default(), Globs::default());
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let work = |files: &'static str, part: Vec<diffsieve::diff::Planned>| {
            let _ = files;
            let (repo, limits, exclude) = (&ours, &limits, &exclude);
            scope.spawn(move || {
                let mut reader = repo.reader();
                part.iter().map(|file| load(file, &mut reader, limits, exclude).added_count()).collect::<Vec<_>>()
            })
        };
        let handles: Vec<_> = plan.files.chunks(8).map(|part| work("", part.to_vec())).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("no panic")).collect()
    });
    assert_eq!(counts, serial.files.iter().map(diffsieve::diff::FileChange::added_count).collect::<Vec<_>>());
}

#[test]
fn sha256_repositories_work() {
    let repo = Repo::with(&["--object-format=sha256"]);
    repo.write("a", lines("a", 20));
    repo.write("b", lines("b", 20));
    let old = repo.commit("old");
    repo.write("a", lines("a", 19));
    repo.git(&["mv", "b", "c"]);
    let new = repo.commit("new");
    assert_eq!(new.len(), 64);
    agrees(&repo, &old, &new);
    agrees(&repo, "-", &new);
}

#[test]
fn shallow_clones_say_what_is_missing() {
    let repo = Repo::new();
    for number in 0..4 {
        repo.write("a", lines("a", number));
        repo.commit("c");
    }
    let url = format!("file://{}", repo.dir().display());
    for (depth, known) in [("1", 1), ("2", 2)] {
        let clone = repo.beside(&format!("depth{depth}"));
        repo.git(&["clone", "-q", "--depth", depth, &url, clone.to_str().expect("UTF-8")]);
        let ours = open(&clone);
        assert!(ours.is_shallow() && !ours.is_partial_clone());
        let head = ours.commit(ours.resolve("HEAD").expect("HEAD")).expect("a commit");
        assert_eq!(head.parents.len(), 1, "the commit object still names its parent");
        assert_eq!(ours.has(head.parents[0]), known > 1);
        let beyond = format!("HEAD~{known}");
        let error = ours.resolve(&beyond).expect_err("it is cut off");
        assert!(matches!(error, Error::ShallowRevision(_)) && error.is_missing_history(), "{error}");
    }
}

#[test]
fn partial_clones_name_the_missing_object() {
    let repo = Repo::new();
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.write("a", lines("a", 20));
    let old = repo.commit("old");
    repo.write("a", lines("a", 21));
    repo.commit("new");
    let clone = repo.beside("partial");
    let url = format!("file://{}", repo.dir().display());
    repo.git(&["clone", "-q", "--no-checkout", "--filter=blob:none", &url, clone.to_str().expect("UTF-8")]);
    let ours = open(&clone);
    assert!(ours.is_partial_clone());
    let set = set(&ours, &side(&ours, &old), &side(&ours, "HEAD"));
    assert!(matches!(set.files[0].body, Body::Unread(Unread::MissingObject)));
    let blob = Oid::from_hex(&repo.line(&["rev-parse", "HEAD:a"])).expect("an id");
    let error = ours.reader().blob(blob, 1 << 20).expect_err("it was not fetched");
    assert!(matches!(error, Error::MissingObject { why: Missing::Partial, .. }), "{error}");
}

#[test]
fn files_and_folders_of_a_tree_can_be_read() {
    let repo = Repo::new();
    repo.write("diffsieve.toml", "packs = []\n");
    repo.write(".diffsieve/rules/b.yml", "b");
    repo.write(".diffsieve/rules/a.yml", "a");
    repo.write(".diffsieve/rules/deep/c.yml", "c");
    repo.link("a.yml", ".diffsieve/rules/link.yml");
    repo.commit("all");
    let ours = repo.open();
    let tree = ours.tree_of(ours.resolve("HEAD").expect("HEAD")).expect("a tree");
    let read = |name: &str| ours.file_at(tree, &RepoPath::from(name), 1 << 20);
    assert_eq!(read("diffsieve.toml").expect("read"), Some(b"packs = []\n".to_vec()));
    assert_eq!(read(".diffsieve/rules/deep/c.yml").expect("read"), Some(b"c".to_vec()));
    for absent in ["none", "diffsieve.toml/x", "", "/", "..", "a//b"] {
        assert_eq!(read(absent).expect("read"), None, "{absent}");
    }
    // A policy behind a link that nobody follows must not look like no policy.
    for other in [".diffsieve", ".diffsieve/rules/link.yml"] {
        assert!(matches!(read(other), Err(Error::NotAFile(path)) if path == other), "{other}");
    }
    assert!(matches!(ours.file_at(tree, &RepoPath::from("diffsieve.toml"), 3), Err(Error::TooLarge { bytes: 11, .. })));
    let list = |name: &str| ours.list_at(tree, &RepoPath::from(name)).expect("read");
    let packs = [".diffsieve/rules/a.yml", ".diffsieve/rules/b.yml", ".diffsieve/rules/link.yml"];
    assert_eq!(list(".diffsieve/rules"), packs.map(RepoPath::from));
    assert_eq!(list(""), ["diffsieve.toml"].map(RepoPath::from));
    assert_eq!(list("none"), []);
}

#[test]
fn a_tree_that_names_billions_of_paths_is_refused() {
    let repo = Repo::new();
    repo.write("x", "x\n");
    let root = repo.commit("root");
    let blob = repo.line(&["rev-parse", "HEAD:x"]);
    let mut tree = String::new();
    for level in 0..12 {
        let listing: String = match level {
            0 => (0..2000).map(|number| format!("100644 blob {blob}\tf{number}\n")).collect(),
            _ => (0..16).map(|number| format!("040000 tree {tree}\td{number}\n")).collect(),
        };
        repo.write("listing", &listing);
        let mut command = repo.command(repo.dir(), &["mktree"]);
        command.stdin(std::fs::File::open(repo.path("listing")).expect("it was written"));
        let output = command.output().expect("git runs").stdout;
        tree = String::from_utf8(output).expect("UTF-8").trim().to_owned();
    }
    let ours = repo.open();
    let bomb = Side::Tree(Oid::from_hex(&tree).expect("an id"));
    let error = ours.changes(&side(&ours, &root), &bomb).expect_err("it is a bomb");
    assert!(matches!(error, Error::TooMany { .. }) && error.is_incomplete(), "{error}");
}
