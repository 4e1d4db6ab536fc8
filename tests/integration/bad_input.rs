//! What is wrong, hostile or broken: each case ends by itself, with the documented exit code and a message that says
//! where and what. That nothing panics and no control character reaches the terminal is checked for every run there is
//! ([`super::program`]).

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use diffsieve::report::FORMATS;

use super::mutants::mutants;
use super::program::{HOUSE, Place, Ran, Run};
use super::runner;

/// Runs a case; every part must stand somewhere in what it prints.
#[track_caller]
fn check(name: &str, run: Run, code: i32, parts: &[&str]) -> Ran {
    let ran = run.run();
    let all = format!("{}{}", ran.stderr, ran.text());
    assert_eq!(ran.code, code, "{name}: {all}");
    for part in parts {
        assert!(all.contains(part), "{name}: no `{part}` in: {all}");
    }
    ran
}

/// `main` and `topic`, which adds two lines to one file and a file.
fn branch() -> Place {
    let place = Place::house(&[("a.txt", "one\n")]);
    place.write("a.txt", "one\ntwo\nMARK-1\n");
    place.write("b.txt", "MARK-2\n");
    place.commit("topic");
    place
}

/// The file of a loose object.
fn loose(place: &Place, revision: &str) -> PathBuf {
    let id = place.git(["rev-parse", revision]);
    place.path(".git/objects").join(&id[..2]).join(&id[2..])
}

/// Overwrites a file, also one that git made read-only.
fn overwrite(path: PathBuf, bytes: &[u8]) {
    fs::remove_file(&path).unwrap();
    fs::write(path, bytes).unwrap();
}

fn fifo(path: PathBuf) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn objects_that_are_missing_or_damaged() {
    type Damage = fn(&Place);
    let cases: [(&str, Damage, &[&str], &[&str]); 12] = [
        ("missing blob", |place| fs::remove_file(loose(place, "HEAD:b.txt")).unwrap(), &[], &["b.txt", "missing"]),
        ("damaged blob", |place| overwrite(loose(place, "HEAD:b.txt"), b"garbage"), &[], &["b.txt"]),
        ("empty blob file", |place| overwrite(loose(place, "HEAD:b.txt"), b""), &[], &["b.txt"]),
        (
            "blob that is a tree",
            |place| {
                let tree = fs::read(loose(place, "HEAD^{tree}")).unwrap();
                overwrite(loose(place, "HEAD:b.txt"), &tree);
            },
            &[],
            &["b.txt"],
        ),
        (
            "missing tree",
            |place| fs::remove_file(loose(place, "HEAD^{tree}")).unwrap(),
            &[],
            &["is not in the repository", "git fsck"],
        ),
        ("damaged tree", |place| overwrite(loose(place, "HEAD^{tree}"), b"garbage"), &[], &["is corrupt", "git fsck"]),
        (
            "missing subtree",
            |place| {
                place.write("deep/er/c.txt", "x\n");
                place.commit("deep");
                fs::remove_file(loose(place, "HEAD:deep/er")).unwrap();
            },
            &[],
            &["is not in the repository"],
        ),
        ("missing commit", |place| fs::remove_file(loose(place, "HEAD")).unwrap(), &[], &["is not in the repository"]),
        ("damaged commit", |place| overwrite(loose(place, "HEAD"), b"garbage"), &[], &["is corrupt"]),
        (
            "missing parent",
            |place| {
                place.write("c.txt", "x\n");
                place.commit("second");
                fs::remove_file(loose(place, "HEAD~1")).unwrap();
            },
            &["--commit", "HEAD"],
            &["is not in the repository"],
        ),
        (
            "truncated pack",
            |place| {
                place.git(["gc", "-q"]);
                let folder = fs::read_dir(place.path(".git/objects/pack")).unwrap();
                let pack =
                    folder.map(|entry| entry.unwrap().path()).find(|path| path.extension() == Some(OsStr::new("pack")));
                let pack = pack.unwrap();
                let bytes = fs::read(&pack).unwrap();
                overwrite(pack, &bytes[..bytes.len() / 3]);
            },
            &["--range", "main..topic"],
            &[],
        ),
        (
            "missing configuration blob",
            |place| fs::remove_file(loose(place, "main:diffsieve.toml")).unwrap(),
            &["--config-from", "base"],
            &["is not in the repository"],
        ),
    ];
    for (name, damage, args, parts) in cases {
        let place = branch();
        damage(&place);
        check(name, place.program(args), 3, parts);
    }
}

#[test]
fn a_review_without_some_objects_still_reads_the_others() {
    let place = branch();
    fs::remove_file(loose(&place, "HEAD:b.txt")).unwrap();
    let review = place.review(["--on-incomplete", "warn"]);
    assert_eq!(review.shown(), ["Marker a.txt:3"]);
    assert_eq!(review.skipped(), ["b.txt: an object is missing from the repository"]);
    assert_eq!(review.report["gate"]["complete"], false);
}

#[test]
fn repositories_that_are_none_or_broken() {
    /// Name, damage, arguments, exit code, parts of the message.
    type Case = (&'static str, fn(&Place), &'static [&'static str], i32, &'static [&'static str]);
    let cases: [Case; 22] = [
        (
            "no repository",
            |place| fs::remove_dir_all(place.path(".git")).unwrap(),
            &[],
            2,
            &["no git repository in", "--patch"],
        ),
        (
            "empty .git",
            |place| {
                fs::remove_dir_all(place.path(".git")).unwrap();
                fs::create_dir(place.path(".git")).unwrap();
            },
            &[],
            2,
            &["repository"],
        ),
        (
            ".git is garbage",
            |place| {
                fs::remove_dir_all(place.path(".git")).unwrap();
                place.write(".git", "gitdir:");
            },
            &[],
            2,
            &["repository"],
        ),
        (
            ".git points nowhere",
            |place| {
                fs::remove_dir_all(place.path(".git")).unwrap();
                place.write(".git", "gitdir: ../nowhere\n");
            },
            &[],
            2,
            &["repository"],
        ),
        (
            ".git points to itself",
            |place| {
                fs::remove_dir_all(place.path(".git")).unwrap();
                place.write(".git", "gitdir: .git\n");
            },
            &[],
            2,
            &["repository"],
        ),
        (
            ".git is a loop",
            |place| {
                fs::remove_dir_all(place.path(".git")).unwrap();
                symlink(".git", place.path(".git")).unwrap();
            },
            &[],
            2,
            &["repository"],
        ),
        ("HEAD is garbage", |place| place.write(".git/HEAD", "garbage\x1b[31m\n"), &[], 2, &["HEAD"]),
        ("HEAD is empty", |place| place.write(".git/HEAD", ""), &[], 2, &["HEAD"]),
        ("no HEAD", |place| fs::remove_file(place.path(".git/HEAD")).unwrap(), &[], 2, &["repository"]),
        ("HEAD points to itself", |place| place.write(".git/HEAD", "ref: HEAD\n"), &[], 2, &[]),
        (
            "HEAD has no commit",
            |place| place.write(".git/HEAD", "ref: refs/heads/new\n"),
            &[],
            2,
            &["HEAD (`", "has no commit yet", "--staged"],
        ),
        (
            "a branch is garbage",
            |place| place.write(".git/refs/heads/main", "garbage\n"),
            &["--base", "main"],
            2,
            &["main"],
        ),
        (
            "a branch names what is not there",
            |place| place.write(".git/refs/heads/main", "1".repeat(40) + "\n"),
            &["--base", "main"],
            3,
            &["not in the repository"],
        ),
        (
            "a branch is a blob",
            |place| {
                let id = place.git(["rev-parse", "HEAD:a.txt"]);
                place.write(".git/refs/heads/blob", id + "\n");
            },
            &["--base", "blob"],
            2,
            &["blob"],
        ),
        (
            "packed-refs is garbage",
            |place| place.write(".git/packed-refs", "garbage\n"),
            &["--base", "nowhere"],
            2,
            &[],
        ),
        (
            "the configuration of git is garbage",
            |place| place.write(".git/config", "[core\nbare = \0\n"),
            &[],
            2,
            &["cannot be opened"],
        ),
        (
            "the index is garbage",
            |place| place.write(".git/index", "garbage"),
            &["--staged"],
            2,
            &["the index", "cannot be read"],
        ),
        (
            "the index is truncated",
            |place| {
                let bytes = fs::read(place.path(".git/index")).unwrap();
                fs::write(place.path(".git/index"), &bytes[..bytes.len() / 2]).unwrap();
            },
            &["--worktree"],
            2,
            &["the index", "cannot be read"],
        ),
        (
            "unrelated histories",
            |place| {
                place.git(["switch", "-q", "--orphan", "island"]);
                place.commit("island");
            },
            &[],
            2,
            &["no common ancestor", "unrelated histories", "--range"],
        ),
        (
            "no branch to compare with",
            |place| {
                place.git(["branch", "-q", "-D", "main"]);
            },
            &[],
            2,
            &["there is no branch to compare with", "--base"],
        ),
        (
            "alternates go round",
            |place| place.write(".git/objects/info/alternates", format!("{}\n", place.path(".git/objects").display())),
            &["--base", "nowhere"],
            2,
            &[],
        ),
        (
            "a format of the future",
            |place| {
                place.git(["config", "core.repositoryFormatVersion", "99"]);
            },
            &[],
            2,
            &["repository"],
        ),
    ];
    for (name, damage, args, code, parts) in cases {
        let place = branch();
        damage(&place);
        check(name, place.program(args), code, parts);
    }
}

#[test]
fn a_broken_index_is_no_reason_to_refuse_a_review_of_commits() {
    let place = branch();
    place.write(".git/index", "garbage");
    assert_eq!(place.review::<&str>([]).shown().len(), 2);
}

#[test]
fn a_bare_repository_has_commits_but_no_work_tree() {
    let place = branch();
    place.git(["clone", "-q", "--bare", ".", "bare.git"]);
    let bare = place.path("bare.git");
    for args in [&["--worktree"][..], &["--staged"], &["baseline", "create", "--reason", "x"]] {
        check("bare", place.program(args).from(&bare), 2, &["bare"]);
    }
    check("bare", place.program(["--range", "main...topic"]).from(&bare), 0, &["a.txt"]);
}

#[test]
fn a_shallow_clone_says_how_to_get_the_history() {
    let place = branch();
    place.git(["switch", "-q", "main"]);
    place.write("c.txt", "x\n");
    place.commit("main goes on");
    let origin = format!("file://{}", place.root().display());
    place.git(["clone", "-q", "--depth", "1", "--no-single-branch", "-b", "topic", &origin, "shallow"]);
    let shallow = place.path("shallow");
    check(
        "shallow",
        place.program::<&str>([]).from(&shallow),
        3,
        &["shallow clone", "fetch-depth: 0", "git fetch --unshallow"],
    );
    check("shallow", place.program(["--commit", "HEAD"]).from(&shallow), 3, &["shallow clone", "--depth=1 origin"]);
    check("shallow", place.program(["--base", "HEAD~5"]).from(&shallow), 3, &["shallow clone"]);
}

#[test]
fn a_partial_clone_never_connects() {
    let place = branch();
    place.git(["config", "uploadpack.allowFilter", "true"]);
    let origin = format!("file://{}", place.root().display());
    place.git(["clone", "-q", "--filter=blob:none", "--no-checkout", "-b", "topic", &origin, "partial"]);
    let partial = place.path("partial");
    check("partial", place.program(["--range", "origin/main...HEAD"]).from(&partial), 3, &["missing"]);
}

#[test]
fn a_repository_of_another_user_is_not_read() {
    let place = branch();
    let Ok(changed) = Command::new("chown").args(["-R", "12345"]).arg(place.root()).status() else { return };
    if !changed.success() {
        // Only root can give a folder away; elsewhere there is no such repository to test with.
        return;
    }
    check("foreign", place.program::<&str>([]), 2, &["owned by another user", "safe.directory"]);
}

#[test]
fn revisions_that_are_none() {
    let place = branch();
    let long = "a".repeat(100_000);
    for revision in [
        "",
        "-x",
        "--output=/tmp/x",
        "..",
        "...",
        "@{99}",
        "@{upstream}",
        "HEAD~99999999999999999999",
        "HEAD^{/(((a+)+)+)+$}",
        ":0:a.txt",
        ":/[",
        "HEAD:a.txt",
        "refs/../../HEAD",
        "\x1b[31m\u{202e}",
        "deadbeef",
        &long,
    ] {
        let ran = check("revision", place.program([format!("--base={revision}")]), 2, &[]);
        assert!(ran.stderr.len() < 300_000, "{}", ran.stderr.len());
        check("revision", place.program([format!("--commit={revision}")]), 2, &[]);
    }
    let invalid = OsStr::from_bytes(b"--base=\xff\xfe");
    check("not UTF-8", place.program([invalid]), 2, &["UTF-8"]);
}

#[test]
fn configuration_that_cannot_be_read() {
    type Make = fn(&Place);
    let cases: [(&str, Make, &[&str], &[&str]); 21] = [
        (
            "a folder",
            |place| fs::create_dir(place.path(".diffsieve.toml")).unwrap(),
            &[],
            &[".diffsieve.toml", "it is not a file"],
        ),
        (
            "a loop",
            |place| symlink(".diffsieve.toml", place.path(".diffsieve.toml")).unwrap(),
            &[],
            &[".diffsieve.toml", "cannot be read"],
        ),
        ("a pipe", |place| fifo(place.path(".diffsieve.toml")), &[], &[".diffsieve.toml", "it is not a file"]),
        ("binary", |place| place.write(".diffsieve.toml", b"\0\x01\x02\x7fELF"), &[], &[".diffsieve.toml:1:"]),
        (
            "not UTF-8",
            |place| place.write(".diffsieve.toml", b"packs = []\n# \xff\n"),
            &[],
            &[".diffsieve.toml", "not UTF-8, from line 2"],
        ),
        ("UTF-16", |place| place.write(".diffsieve.toml", b"\xff\xfep\0a\0"), &[], &["not UTF-8"]),
        (
            "too large",
            |place| place.write(".diffsieve.toml", "#".repeat(5 << 20)),
            &[],
            &[".diffsieve.toml", "more than 4194304 bytes"],
        ),
        (
            "deep arrays",
            |place| place.write(".diffsieve.toml", format!("packs = {}", "[".repeat(100_000))),
            &[],
            &[".diffsieve.toml:1:"],
        ),
        (
            "deep tables",
            |place| place.write(".diffsieve.toml", format!("{}x = 1", "a.".repeat(50_000))),
            &[],
            &[".diffsieve.toml:1:"],
        ),
        (
            "hostile key",
            |place| place.write(".diffsieve.toml", "\"\\u001b[31m\\u202e::error::\" = 1\n"),
            &[],
            &["<U+202E>"],
        ),
        (
            "hostile text",
            |place| place.write(".diffsieve.toml", "[gate]\nfail_on = \"##[error]\\u0000\"\n"),
            &[],
            &["fail_on"],
        ),
        (
            "the packs are a file",
            |place| place.write(".diffsieve/rules", "x"),
            &[],
            &[".diffsieve/rules", "cannot be read"],
        ),
        (
            "a pack is a folder",
            |place| fs::create_dir_all(place.path(".diffsieve/rules/a.yml")).unwrap(),
            &[],
            &[".diffsieve/rules/a.yml", "it is not a file"],
        ),
        (
            "a pack is a pipe",
            |place| {
                fs::create_dir_all(place.path(".diffsieve/rules")).unwrap();
                fifo(place.path(".diffsieve/rules/a.yml"));
            },
            &[],
            &[".diffsieve/rules/a.yml", "it is not a file"],
        ),
        (
            "the name of a pack is not UTF-8",
            |place| {
                fs::create_dir_all(place.path(".diffsieve/rules")).unwrap();
                fs::write(place.path(".diffsieve/rules").join(OsStr::from_bytes(b"a\xff.yml")), HOUSE).unwrap();
            },
            &[],
            &["the name of this pack is not UTF-8"],
        ),
        (
            "a pack is a dangling link",
            |place| {
                fs::create_dir_all(place.path(".diffsieve/rules")).unwrap();
                symlink("nowhere", place.path(".diffsieve/rules/a.yml")).unwrap();
            },
            &[],
            &[".diffsieve/rules/a.yml"],
        ),
        (
            "the baseline is a folder",
            |place| fs::create_dir_all(place.path(".diffsieve/baseline.json")).unwrap(),
            &[],
            &[".diffsieve/baseline.json"],
        ),
        ("the named file is a folder", |_| {}, &["--config", "."], &["it is not a file"]),
        ("the named file is a device", |_| {}, &["--config", "/dev/zero"], &["it is not a file"]),
        (
            "many faults in many files",
            |place| {
                place.write(".diffsieve.toml", b"\xff");
                place.write(".diffsieve/rules/a.yml", b"\xff");
                place.write(".diffsieve/rules/b.yml", "pack: [\n");
                place.write(".diffsieve/baseline.json", "[]");
            },
            &[],
            &[".diffsieve.toml:", "rules/a.yml:", "rules/b.yml:", "baseline.json:1:1"],
        ),
        (
            "a baseline that is a pipe",
            |place| {
                fs::create_dir_all(place.path(".diffsieve")).unwrap();
                fifo(place.path(".diffsieve/baseline.json"));
            },
            &["baseline", "prune"],
            &["it is not a file"],
        ),
    ];
    for (name, make, args, parts) in cases {
        let place = Place::with(&[("a.txt", "one\n")]);
        place.write("a.txt", "two\n");
        place.commit("topic");
        make(&place);
        check(name, place.program(args), 2, parts);
    }
}

#[test]
fn packs_that_are_bombs_or_nonsense() {
    let tag = |detector: &str| {
        format!("pack: own\ntags:\n  T:\n    detect:\n      - {{id: x, in: any, message: m, {detector}}}\n")
    };
    let bomb: String = (1..12).map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{}, ", n - 1).repeat(9))).collect();
    let cases: [(&str, String, &[&str]); 14] = [
        ("alias bomb", format!("a0: &a0 [x, x, x]\n{bomb}pack: own\n"), &["own.yml:"]),
        ("recursive alias", "pack: own\nabout: &a [*a]\n".to_owned(), &["own.yml:"]),
        ("deep lists", format!("pack: own\nextends: {}", "[".repeat(100_000)), &["own.yml:2:"]),
        ("deep maps", format!("pack: own\ntags: {}", "{a: ".repeat(100_000)), &["own.yml:"]),
        ("deep blocks", (0..5_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect(), &["own.yml:"]),
        (
            "long regular expression",
            tag(&format!("regex: '{}'", "a".repeat(5_000))),
            &["own.yml:5:", "longer than 4096 bytes"],
        ),
        ("large regular expression", tag("regex: '((a{900}){900}){900}'"), &["own.yml:5:", "no regular expression"]),
        ("broken regular expression", tag("regex: '(['"), &["own.yml:5:", "no regular expression"]),
        (
            "unknown built-in",
            tag("builtin: private_kye"),
            &["own.yml:5:", "no built-in `private_kye`; did you mean `private_key`?"],
        ),
        ("custom tag", "pack: !exec rm\n".to_owned(), &["own.yml:1:"]),
        ("two documents", "pack: own\n---\npack: other\n".to_owned(), &["own.yml:"]),
        ("not a map", "- pack\n".to_owned(), &["own.yml:1:1", "a rule pack is a map"]),
        ("empty", String::new(), &["own.yml:1:1"]),
        ("binary", "\0\0\0\u{1}".to_owned(), &["own.yml:"]),
    ];
    for (name, text, parts) in cases {
        let place = Place::with(&[("a.txt", "one\n")]);
        place.write(".diffsieve/rules/own.yml", &text);
        check(name, place.program::<&str>([]), 2, parts);
        check(name, place.program(["rules", "lint", ".diffsieve/rules/own.yml"]), 2, parts);
    }
}

/// Reviews the work tree of a fresh repository into which something was put.
fn worktree(put: impl FnOnce(&Place)) -> (Place, super::program::Reviewed) {
    let place = Place::house(&[]);
    put(&place);
    let review = place.review(["--worktree"]);
    (place, review)
}

#[test]
fn files_that_are_too_much() {
    type Put = fn(&Place);
    let cases: [(&str, Put, &str); 5] = [
        ("100 MB", |place| place.write("a.txt", "0123456789abcde\n".repeat(6_400_000)), "too large: 102400000 bytes"),
        ("a million lines of text", |place| place.write("a.txt", "a\n".repeat(1_000_000)), "too many lines"),
        ("a million lines of code", |place| place.write("a.py", "a\n".repeat(1_000_000)), "too large: 2000000 bytes"),
        ("one line of 20 MB", |place| place.write("a.py", "a".repeat(20_000_000)), "too large: 20000000 bytes"),
        ("one line below the size limit", |place| place.write("a.py", "a".repeat(1_000_000)), "a line is too long"),
    ];
    for (name, put, why) in cases {
        let (place, review) = worktree(put);
        assert_eq!(review.code, 3, "{name}");
        let path = if name.ends_with("text") || name == "100 MB" { "a.txt" } else { "a.py" };
        assert_eq!(review.skipped(), [format!("{path}: {why}")], "{name}");
        check(name, place.program(["--worktree"]), 3, &[path, why]);
    }
    // Text that no parser reads may be large: a change log is no gap in the review.
    let (_place, review) = worktree(|place| place.write("CHANGELOG.md", "* a change\n".repeat(200_000)));
    assert_eq!((review.code, review.skipped()), (0, Vec::new()));
    // Large, but by nature nothing to read: no gap in the review.
    let (place, review) = worktree(|place| {
        let file = fs::File::create(place.path("a.bin")).unwrap();
        file.set_len(100_000_000).unwrap();
    });
    assert_eq!(review.code, 3, "over what is inflated to tell: {:?} {}", review.skipped(), place.root().display());
    let (_place, review) = worktree(|place| place.write("a.bin", vec![0; 5_000_000]));
    assert_eq!((review.code, review.skipped()), (0, vec!["a.bin: binary".to_owned()]));
}

#[test]
fn code_that_is_nested_very_deeply() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(5_000), close.repeat(5_000));
    for (path, text) in [
        ("a.py", format!("x = {}\n", deep("(", ")"))),
        ("a.js", format!("x = {};\n", deep("[", "]"))),
        ("a.java", format!("class A {{ void f() {} }}\n", deep("{", "}"))),
        ("a.c", format!("int f() {{ return {}1{}; }}\n", "(".repeat(5_000), ")".repeat(5_000))),
        ("a.rs", format!("fn f() {}\n", deep("{", "}"))),
        ("a.go", format!("package a\nvar x = {}1{}\n", "-(".repeat(5_000), ")".repeat(5_000))),
        ("a.yml", format!("a: {}\n", deep("[", "]"))),
        ("b.py", "if x:\n".to_owned() + &(1..400).map(|n| format!("{}if x:\n", " ".repeat(n))).collect::<String>()),
        ("a.php", format!("<?php\n{}", "if (1) {\n".repeat(5_000))),
        ("a.rb", "begin\n".repeat(5_000)),
        ("a.ts", format!("type A = {};\n", deep("Array<\n", ">\n"))),
        ("a.cs", "class A {\n".repeat(5_000)),
        ("a.cpp", "namespace a {\n".repeat(5_000)),
    ] {
        let (_place, review) = worktree(|place| place.write(path, &text));
        // Read in full, or named as unread; never a crash and never a silent gap.
        match &review.skipped()[..] {
            [] => assert_eq!(review.code, 0, "{path}"),
            [skip] => {
                assert!(skip.starts_with(&format!("{path}: unparsable")), "{skip}");
                assert_eq!(review.code, 3, "{path}");
            }
            more => panic!("{path}: {more:?}"),
        }
    }
}

#[test]
fn things_in_the_work_tree_that_are_no_files() {
    let (_place, review) = worktree(|place| {
        symlink("loop", place.path("loop")).unwrap();
        symlink("..", place.path("up")).unwrap();
        symlink("/etc/passwd", place.path("outside")).unwrap();
        fifo(place.path("pipe"));
        fs::create_dir(place.path("folder")).unwrap();
        symlink("../folder", place.path("folder/cycle")).unwrap();
        drop(std::os::unix::net::UnixListener::bind(place.path("socket")));
        place.write("a.txt", "MARK-1\n");
    });
    assert_eq!(review.code, 0, "{:?}", review.skipped());
    assert_eq!(review.shown(), ["Marker a.txt:1"]);
    let skipped = review.skipped();
    for name in ["loop", "up", "outside", "folder/cycle"] {
        assert!(skipped.contains(&format!("{name}: symbolic link")), "{skipped:?}");
    }
    let (_place, review) = worktree(|place| {
        place.git(["switch", "-q", "main"]);
        place.write("a.txt", "x\n");
        place.write("b/c.txt", "x\n");
        place.commit("both");
        // A file becomes a folder, a folder a file, and a file a pipe.
        fs::remove_file(place.path("a.txt")).unwrap();
        place.write("a.txt/in.txt", "MARK-1\n");
        fs::remove_dir_all(place.path("b")).unwrap();
        place.write("b", "MARK-2\n");
        fs::remove_file(place.path("diffsieve.toml")).unwrap();
        fifo(place.path("c.txt"));
    });
    let shown = review.shown();
    assert!(
        shown.contains(&"Marker a.txt/in.txt:1".to_owned()) && shown.contains(&"Marker b:1".to_owned()),
        "{shown:?}"
    );
}

/// Names that a terminal, a log or a shell would obey, each holding a finding.
const NAMES: [&[u8]; 17] = [
    b"new\nline.txt",
    b"escape\x1b[31mred.txt",
    "bidi\u{202e}txt.a".as_bytes(),
    "zero\u{200b}width.txt".as_bytes(),
    b"quote\"s'.txt",
    b"back\\slash.txt",
    b"invalid\xff\xfe.txt",
    b"-",
    b"--help",
    b"-rf",
    b" leading and trailing ",
    b"::error file=a.txt::injected",
    b"##[error]injected",
    b"carriage\rreturn.txt",
    b"tab\tname.txt",
    b"$(touch pwned)",
    b"%0A%0D,:%.txt",
];

/// What agents obey of a report with this many warnings in it must be what the format is for.
#[track_caller]
fn obeyed(text: &str, format: &str, warnings: usize) {
    let found = runner::commands(text);
    let wanted = match format {
        "github" => warnings.min(10),
        // Each is an issue, and the task passes with issues.
        "azure" => warnings + 1,
        _ => 0,
    };
    assert_eq!(found.len(), wanted, "{format}: {found:#?}\n{text}");
    let known = |name: &str| match format {
        "github" => name == "warning",
        _ => matches!(name, "task.logissue" | "task.complete"),
    };
    assert!(found.iter().all(|command| known(&command.name)), "{found:#?}");
    assert!(warnings == 0 || text.contains("injected"), "{format}: the name is shown in some form");
}

/// One run that writes all formats: nothing in them and on standard error may be obeyed that is not intended.
#[track_caller]
fn in_every_format(place: &Place, args: &[&str], warnings: usize) {
    let mut job = place.program(args).env("GITHUB_ACTIONS", "true").env("TF_BUILD", "True");
    let path = |format: &str| place.home().join(format!("report.{format}"));
    for format in FORMATS {
        let mut written = OsString::from(format!("{}=", format.name));
        written.push(path(format.name));
        job = job.arg("--format").arg(written);
    }
    obeyed(&check("names", job, 0, &[]).stderr, "stderr", 0);
    for format in FORMATS {
        obeyed(&fs::read_to_string(path(format.name)).unwrap(), format.name, warnings);
    }
}

#[test]
fn a_thousand_names_by_chance() {
    let place = Place::house(&[]);
    let seeds: Vec<&str> = NAMES.iter().filter_map(|name| std::str::from_utf8(name).ok()).collect();
    let possible = |name: &String| {
        let outside = name.is_empty() || name.starts_with('.') || name.len() > 255;
        !outside && !name.contains(['/', '\0'])
    };
    let names: BTreeSet<String> = mutants(&seeds, 1_200).into_iter().filter(possible).collect();
    assert!(names.len() >= 1_000, "{}", names.len());
    for name in &names {
        fs::write(place.path(name), "MARK-1\n").unwrap();
    }
    place.commit("topic");
    let review = place.review::<&str>([]);
    assert_eq!(review.findings().len(), names.len(), "{:?}", review.removed());
    in_every_format(&place, &[], names.len());
}

#[test]
fn names_that_a_terminal_or_a_log_would_obey() {
    let place = Place::house(&[]);
    for name in NAMES {
        fs::write(place.path(OsStr::from_bytes(name)), "MARK-1\n").unwrap();
    }
    for args in [&["--worktree"][..], &["--staged"], &[]] {
        if args == ["--staged"] {
            place.git(["add", "-A"]);
        } else if args.is_empty() {
            place.commit("topic");
        }
        let review = place.review(args);
        assert_eq!(review.findings().len(), NAMES.len(), "{args:?} {:?}", review.shown());
        in_every_format(&place, args, NAMES.len());
    }
    for format in FORMATS {
        let job = place.program(["--format", format.name]).env("GITHUB_ACTIONS", "true").env("TF_BUILD", "True");
        let ran = check("names", job, 0, &[]);
        obeyed(&ran.stderr, "stderr", 0);
        obeyed(&ran.text(), format.name, NAMES.len());
    }
    assert!(!place.path("pwned").exists());
}

#[test]
fn trees_with_names_that_leave_the_repository() {
    let place = branch();
    let blob = place.git(["rev-parse", "HEAD:b.txt"]);
    let inner = place.git_fed(["mktree"], format!("100644 blob {blob}\tescaped.txt\n").as_bytes());
    for (name, kind) in [("..", "tree"), (".", "tree"), (".git", "tree"), ("..", "blob"), (".git", "blob")] {
        let line = match kind {
            "tree" => format!("040000 tree {inner}\t{name}\n"),
            _ => format!("100644 blob {blob}\t{name}\n"),
        };
        let tree = place.git_fed(["mktree"], line.as_bytes());
        let commit = place.git(["commit-tree", "-p", "main", "-m", "hostile", &tree]);
        let ran = place.program(["--base", "main", "--head", &commit, "--format", "json"]).run();
        assert!(matches!(ran.code, 0 | 2 | 3), "{name}: {} {}", ran.code, ran.stderr);
        let sarif = place.program(["--base", "main", "--head", &commit, "--format", "sarif"]).run();
        assert!(
            !sarif.text().contains("\"uri\":\"../") && !sarif.text().contains("\"uri\": \"../"),
            "{}",
            sarif.text()
        );
    }
    assert!(!place.path("../escaped.txt").exists());
    // Not what git writes: an empty name, a slash in a name, the same name twice, unsorted.
    for (name, entries) in [
        ("empty name", &[("100644", "")][..]),
        ("slash", &[("100644", "a/b")]),
        ("twice", &[("100644", "a"), ("100644", "a")]),
        ("unsorted", &[("100644", "b"), ("100644", "a")]),
        ("mode", &[("777777", "a")]),
        ("no mode", &[("", "a")]),
    ] {
        let mut tree = Vec::new();
        for (mode, entry) in entries {
            tree.extend_from_slice(format!("{mode} {entry}\0").as_bytes());
            tree.extend((0..40).step_by(2).map(|at| u8::from_str_radix(&blob[at..at + 2], 16).unwrap()));
        }
        let id = place.git_fed(["hash-object", "-t", "tree", "--literally", "-w", "--stdin"], &tree);
        let commit = place.git(["commit-tree", "-p", "main", "-m", "hostile", &id]);
        let ran = place.program(["--base", "main", "--head", &commit]).run();
        assert!(matches!(ran.code, 0 | 2 | 3), "{name}: {} {}", ran.code, ran.stderr);
    }
}

#[test]
fn patches_of_every_kind() {
    let place = Place::house(&[]);
    let change = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,2 @@\n one\n+MARK-1\n";
    let cases: [(&str, Vec<u8>, i32, &[&str]); 24] = [
        ("plain", change.into(), 0, &["a.txt:2"]),
        ("empty", Vec::new(), 3, &["standard input is empty"]),
        ("only line feeds", b"\n\n\n".to_vec(), 3, &["standard input is empty"]),
        ("CRLF", change.replace('\n', "\r\n").into(), 0, &["a.txt:2"]),
        ("with a mail around it", format!("From: a\nSubject: [PATCH] x\n\n---\n a.txt | 1 +\n\n{change}-- \n2.40\n").into(), 0, &["a.txt:2"]),
        ("truncated in a hunk", change[..change.len() - 9].into(), 2, &["patch", "line "]),
        ("truncated in a header", b"--- a/a.txt\n".to_vec(), 2, &["patch"]),
        ("counts too high", change.replace("+1,2", "+1,9").into(), 2, &["patch", "line "]),
        ("counts too low", change.replace("+1,2", "+1,1").into(), 2, &["patch", "line "]),
        ("counts beyond all numbers", change.replace("+1,2", "+1,99999999999999999999").into(), 2, &["patch", "line 3"]),
        ("a line number at the end of all numbers", change.replace("-1,1 +1,2", "-4294967295,1 +4294967295,2").into(), 2, &["patch"]),
        ("a large line number", change.replace("-1,1 +1,2", "-4000000000,1 +4000000000,2").into(), 0, &["a.txt:4000000001"]),
        ("line zero", change.replace("+1,2", "+0,2").into(), 2, &["patch"]),
        ("hunk without file", b"@@ -1 +1 @@\n-a\n+b\n".to_vec(), 2, &["patch"]),
        ("absolute path", change.replace("b/a.txt", "/etc/passwd").replace("a/a.txt", "/etc/passwd").into(), 2, &["passwd"]),
        ("path that climbs", change.replace("/a.txt", "/../../a.txt").into(), 2, &[".."]),
        ("hostile path", change.replace("/a.txt", "/a\u{202e}\x1b[31m.txt").into(), 0, &["<U+202E>"]),
        ("quoted path", change.replace("b/a.txt", "\"b/a\\n\\033.txt\"").replace("a/a.txt", "\"a/a\\n\\033.txt\"").into(), 0, &["MARK-1"]),
        ("broken quotes", change.replace("b/a.txt", "\"b/a\\q.txt").into(), 2, &["patch"]),
        ("NUL", change.replace("one", "o\0ne").into(), 0, &["a.txt"]),
        ("binary", b"diff --git a/a.png b/a.png\nindex 1111111..2222222 100644\nBinary files a/a.png and b/a.png differ\n".to_vec(), 0, &["binary"]),
        ("binary literal", b"diff --git a/a.bin b/a.bin\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\nliteral 3\nKcmZQzU|?i`00000\n\nliteral 0\nHcmV?d00001\n\n".to_vec(), 0, &["binary"]),
        ("combined", b"diff --cc a.txt\nindex 1,2..3\n--- a/a.txt\n+++ b/a.txt\n@@@ -1,1 -1,1 +1,2 @@@\n  one\n++MARK-1\n".to_vec(), 2, &["patch"]),
        ("prose", b"This is no patch at all,\nnot even nearly.\n".to_vec(), 2, &["patch"]),
    ];
    for (name, patch, code, parts) in cases {
        check(name, place.program(["--patch", "-"]).fed(patch), code, parts);
    }
    check("a folder", place.program(["--patch", "."]), 2, &[". cannot be read"]);
    check("no end", place.program(["--patch", "/dev/zero"]), 2, &["/dev/zero has more than 268435456 bytes"]);
    check(
        "a base",
        place.program(["--patch", "-", "--config-from", "base"]).fed(change),
        2,
        &["a patch has neither base nor head"],
    );
    check("nothing", place.program(["--patch", ""]), 2, &[]);
}

#[test]
fn patches_that_are_too_much() {
    let place = Place::house(&[]);
    let header = |count: usize| format!("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,{count} @@\n");
    let million = header(1_000_000) + &"+a\n".repeat(1_000_000);
    let ran = place.program(["--patch", "-"]).fed(million).run();
    assert!(matches!(ran.code, 0 | 3), "{}", ran.stderr);
    let long = header(1) + "+" + &"a".repeat(40_000_000) + "\n";
    check("40 MB line", place.program(["--patch", "-"]).fed(long), 3, &["a.txt", "too large"]);
    let long = header(1) + "+" + &"a".repeat(900_000) + "\n";
    check("long line", place.program(["--patch", "-"]).fed(long), 0, &["its one added line read"]);
    let files: String = (0..20_000).map(|n| format!("--- /dev/null\n+++ b/f{n}.txt\n@@ -0,0 +1,1 @@\n+a\n")).collect();
    check("20,000 files", place.program(["--patch", "-"]).fed(files), 0, &[]);
    let hunks: String = (0..50_000).map(|n| format!("@@ -{0},0 +{0},1 @@\n+MARK-1\n", n * 3 + 2)).collect();
    let hunks = format!("--- a/a.txt\n+++ b/a.txt\n{hunks}");
    let ran = place.program(["--patch", "-"]).fed(hunks).run();
    assert!(matches!(ran.code, 0 | 2 | 3), "{}", ran.stderr);
}

#[test]
fn reports_that_cannot_be_written() {
    let place = branch();
    fs::create_dir(place.path("folder")).unwrap();
    for (args, parts) in [
        (&["--format", "json=a.txt/out.json"][..], &["the json report cannot be written to `a.txt/out.json`"][..]),
        (&["--format", "json=folder"], &["the json report cannot be written to `folder`"]),
        (&["--format", "sarif=/dev/full"], &["the sarif report cannot be written to `/dev/full`"]),
        (&["--format", "yaml"], &["there is no format `yaml`"]),
        (&["--format", ""], &["there is no format ``"]),
        (&["--format", "\u{202e}"], &["<U+202E>"]),
    ] {
        check("output", place.program(args), 2, parts);
    }
    let full = Command::new("sh")
        .args(["-c", "\"$0\" --format json > /dev/full", env!("CARGO_BIN_EXE_diffsieve")])
        .current_dir(place.root())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("standard output cannot be written"), "{stderr}");
}

#[test]
fn variables_that_point_nowhere() {
    let place = branch();
    for (name, value, code, parts) in [
        ("GIT_DIR", "/nowhere", 2, &["/nowhere"][..]),
        ("GIT_DIR", "/dev/null", 2, &["/dev/null"]),
        ("GIT_INDEX_FILE", "/nowhere/index", 0, &[]),
        ("DIFFSIEVE_CONFIG", "nowhere.toml", 2, &["there is no file `nowhere.toml`"]),
        ("XDG_CONFIG_HOME", "/dev/null", 0, &[]),
        ("HOME", "", 0, &[]),
        ("GITHUB_ACTIONS", "maybe", 0, &[]),
        ("COLUMNS", "-1", 0, &[]),
    ] {
        check(name, place.program::<&str>([]).env(name, value), code, parts);
    }
    let event = |text: &str| {
        place.write("event.json", text);
        let run = place.program::<&str>([]).env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_NAME", "pull_request");
        run.env("GITHUB_BASE_REF", "main").env("GITHUB_EVENT_PATH", place.path("event.json"))
    };
    place.git(["update-ref", "refs/remotes/origin/main", "main"]);
    for text in
        ["", "{", "[]", "{\"pull_request\": 7}", "{\"pull_request\": {\"base\": {\"sha\": \"--upload-pack=x\"}}}"]
    {
        check("event", event(text), 0, &["a.txt"]);
    }
    check("deep event", event(&"[".repeat(1_000_000)), 0, &["a.txt"]);
    let base = place.program::<&str>([]).env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_NAME", "pull_request");
    check("hostile target", base.env("GITHUB_BASE_REF", "::error::\u{202e}../../x"), 3, &["<U+202E>"]);
}

#[test]
fn saved_reports_that_are_none() {
    let place = branch();
    for (text, part) in [
        ("", "report"),
        ("{}", "report"),
        ("[]", "report"),
        ("{\"schema\": \"diffsieve.report/v9\"}", "report"),
        ("\u{0}", "report"),
    ] {
        place.write("r.json", text);
        check(text, place.program(["explain", "abcd", "--report", "r.json"]), 2, &["r.json", part]);
    }
    place.write("r.json", "[".repeat(1_000_000));
    check("deep", place.program(["explain", "abcd", "--report", "r.json"]), 2, &["r.json"]);
    check("folder", place.program(["explain", "abcd", "--report", "."]), 2, &["it is not a file"]);
}
