//! Patches as text: what others write, what we write, and laws.

use diffsieve::diff::patch::{Error, parse, to_patch};
use diffsieve::diff::{Body, ChangeSet, FileChange, Globs, Limits, NotCode, Status};
use diffsieve::finding::{Line, RepoPath};
use diffsieve::git::line_changes;
use proptest::prelude::*;

use super::oracle::{apply, limits, raw, rows, shown, side};
use crate::support::{Repo, lines};

fn read(patch: &str) -> Vec<FileChange> {
    parse(patch.as_bytes(), &limits()).expect("a patch")
}

fn error(patch: &str) -> Error {
    parse(patch.as_bytes(), &limits()).expect_err("no patch")
}

fn summary(patch: &str) -> Vec<String> {
    shown(&rows(&read(patch)))
}

/// A repository with a change of every kind a patch can show, and its two commits.
fn busy() -> (Repo, String, String) {
    let repo = Repo::new();
    repo.write("edit.rs", lines("edit", 60));
    repo.write("gone.rs", lines("gone", 5));
    repo.write("a/move me.rs", lines("move", 30));
    repo.write("tab\there", "x\n");
    repo.write("crlf.txt", "a\r\nb\r\nc\r\n");
    repo.write("no-newline", "a\nb");
    repo.write("mode.sh", "x\n");
    repo.write("bin", b"a\0b");
    repo.write("empty-gone", "");
    repo.write("-- sql", "-- a comment\n++ b\nc\n");
    let old = repo.commit("old");
    let edited = lines("edit", 60).replace("line 3\n", "line three\n").replace("edit line 40\n", "");
    repo.write("edit.rs", edited + "last\n");
    repo.remove("gone.rs");
    repo.git(&["mv", "a/move me.rs", "b c.rs"]);
    repo.write("b c.rs", lines("move", 28));
    repo.write("tab\there", "y\n");
    repo.write("crlf.txt", "a\r\nB\r\nc\n");
    repo.write("no-newline", "a\nc");
    repo.git(&["update-index", "--chmod=+x", "mode.sh"]);
    repo.write("bin", b"a\0c");
    repo.remove("empty-gone");
    repo.write("empty-new", "");
    repo.write("new.rs", "fn main() {}\n\n");
    repo.write("-- sql", "++ b\nc\n-- another\n");
    repo.git(&["config", "core.fileMode", "false"]);
    let new = repo.commit("new");
    (repo, old, new)
}

#[test]
fn gits_own_patches_read_back_in_every_dress() {
    let (repo, old, new) = busy();
    let expected = shown(&raw(&repo.git(&["diff", "-M", "--raw", "-z", &old, &new])));
    let whole = repo.git(&["diff", "-M", &old, &new]);
    let reference = parse(&whole, &limits()).expect("a patch");
    assert_eq!(shown(&rows(&reference)), expected);
    for dress in [
        &["-U0"][..],
        &["-U1"],
        &["-U1000"],
        &["--no-prefix"],
        &["--src-prefix=x/y/", "--dst-prefix=z/"],
        &["-c"],
        &["--binary"],
        &["--full-index"],
        &["--inter-hunk-context=50"],
        &["--function-context"],
        &["--stat", "-p"],
        &["--no-indent-heuristic"],
    ] {
        let custom = dress[0].starts_with("--src-prefix");
        let args: Vec<&str> = [&["diff", "-M"], dress, &[&old, &new]].concat();
        let patch = repo.git(&args);
        let files = match parse(&patch, &limits()) {
            Ok(files) => files,
            // Beside /dev/null nothing tells a prefix of one's own from a folder.
            Err(Error::Header { .. }) if custom => continue,
            Err(error) => panic!("{dress:?}: {error}"),
        };
        assert_eq!(shown(&rows(&files)), expected, "{dress:?}");
        for (file, reference) in files.iter().zip(&reference) {
            assert_eq!(file.hunks(), reference.hunks(), "{dress:?} {}", file.path.visible());
        }
    }
    repo.git(&["config", "diff.mnemonicPrefix", "true"]);
    let staged = repo.git(&["diff", "-M", "--cached", &old]);
    assert_eq!(shown(&rows(&parse(&staged, &limits()).expect("a patch"))), expected);
    let mail = repo.git(&["format-patch", "-M", "--stdout", &format!("{old}..{new}")]);
    assert_eq!(shown(&rows(&parse(&mail, &limits()).expect("a patch"))), expected);
    let log = repo.git(&["log", "-M", "-p", "-1"]);
    assert_eq!(shown(&rows(&parse(&log, &limits()).expect("a patch"))), expected);
}

#[test]
fn what_we_write_git_applies() {
    let (repo, old, new) = busy();
    let ours = repo.open();
    let set =
        ChangeSet::between(&ours, &side(&ours, &old), &side(&ours, &new), None, &Limits::default(), &Globs::default())
            .expect("read");
    for context in [0, 1, 3, 100] {
        let patch: Vec<u8> = set
            .files
            .iter()
            .filter(|file| !matches!(file.body, Body::NotCode(NotCode::Binary)))
            .flat_map(|file| to_patch(file, context))
            .collect();
        repo.git(&["checkout", "-q", &old]);
        let path = repo.beside("ours.patch");
        std::fs::write(&path, &patch).expect("written");
        repo.git(&["apply", "--index", "--unidiff-zero", path.to_str().expect("UTF-8")]);
        let left = repo.git(&["diff", "--cached", "--raw", "-z", &new]);
        assert_eq!(shown(&raw(&left)), ["M  bin"], "context {context}");
        repo.git(&["reset", "-q", "--hard"]);
        let again: Vec<u8> =
            parse(&patch, &limits()).expect("a patch").iter().flat_map(|file| to_patch(file, context)).collect();
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&patch), "context {context}");
    }
}

#[test]
fn plain_diffs_with_timestamps() {
    let patch = "Index: x\n===\n--- src/x.c.orig\t2020-01-01 00:00:00.000000000 +0000\n+++ src/x.c\t2020-01-02\n\
                 @@ -1,2 +1,2 @@\n-a\n+b\n c\n--- /dev/null\t1970\n+++ b/new.c\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(summary(patch), ["R050 src/x.c.orig src/x.c", "A  new.c"]);
    let patch = "--- a/x y.c\t2020\n+++ b/x y.c\t2021\n@@ -5 +5 @@\n-a\n+b\n";
    assert_eq!(summary(patch), ["M  x y.c"]);
    assert_eq!(summary("just some prose\n--- not a header\nmore\n"), [] as [&str; 0]);
    assert_eq!(summary(""), [] as [&str; 0]);
}

#[test]
fn patches_with_crlf_ends() {
    let unix = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ f()\n a\n-b\n+c\n\n";
    let files = [read(unix), read(&unix.replace('\n', "\r\n"))];
    for files in &files {
        let Body::Text { new, .. } = &files[0].body else { panic!("text") };
        assert_eq!(new.bytes(), b"a\nc\n\n");
    }
    // Here the content has carriage returns, the patch does not.
    let content = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n";
    let files = read(content);
    let Body::Text { new, .. } = &files[0].body else { panic!("text") };
    assert_eq!(new.bytes(), b"a\r\nc\r\n");
}

#[test]
fn missing_newlines_and_positions() {
    let patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ Kein Zeilenumbruch\n";
    let files = read(patch);
    let Body::Text { old, new, hunks } = &files[0].body else { panic!("text") };
    assert_eq!((old.bytes(), new.bytes()), (&b"a\nb"[..], &b"a\nc"[..]));
    assert_eq!(hunks.len(), 1);
    assert_eq!(new.line(Line::new(2).expect("not zero")), Some(&b"c"[..]));
    // Two hunks of -U0 that touch are one change.
    let files = read("--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\n@@ -4 +4 @@\n-c\n+d\n@@ -9,0 +10 @@\n+e\n");
    let hunks: Vec<_> = files[0].hunks().iter().map(|hunk| (hunk.old.first, hunk.old.count, hunk.new.first)).collect();
    assert_eq!(hunks, [(3, 2, 3), (10, 0, 10)]);
}

#[test]
fn what_does_not_add_up_is_refused() {
    let hunks = |hunks: &str| error(&format!("--- a/x\n+++ b/x\n{hunks}"));
    assert_eq!(hunks("@@ -1 +1 @@\n-a\n"), Error::Count(5));
    assert_eq!(hunks("@@ -1 +1 @@\n-a\n+b\n+c\n"), Error::Count(6));
    assert_eq!(hunks("@@ -1 +1 @@\n-a\n+b\n-c\n"), Error::Count(6));
    assert_eq!(hunks("@@ -1 +1 @@\n a\n+b\n"), Error::Count(5));
    assert_eq!(hunks("@@ -1 +1 @@\n-a\n*b\n"), Error::Count(5));
    assert_eq!(hunks("@@ -1 +1 @@\n\\ No newline\n"), Error::Count(4));
    assert_eq!(hunks("@@ -1,2 +1,2 @@\n-a\n\\ No newline\n-b\n+c\n+d\n"), Error::Count(6));
    assert_eq!(hunks("@@ -0 +1 @@\n-a\n+b\n"), Error::HunkHeader(3));
    assert_eq!(hunks("@@ -1,99999999999 +1 @@\n-a\n+b\n"), Error::HunkHeader(3));
    assert_eq!(hunks("@@ -4294967295 +4294967295 @@\n-a\n+b\n"), Error::HunkHeader(3));
    assert_eq!(hunks("@@ -1 +2 @@\n-a\n+b\n"), Error::Position(3));
    assert_eq!(hunks("@@ -5 +5 @@\n-a\n+b\n@@ -4 +4 @@\n-a\n+b\n"), Error::Position(6));
    assert_eq!(hunks("@@ -5 +5 @@\n-a\n+b\n@@ -9 +8 @@\n-a\n+b\n"), Error::Position(6));
    assert_eq!(error("prose\n@@ -1 +1 @@\n-a\n+b\n"), Error::NoFile(2));
    assert_eq!(error("diff --cc x\n"), Error::Combined(1));
    assert_eq!(error("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n"), Error::Combined(4));
    for (patch, part) in [
        ("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", "leads out"),
        ("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "leads out"),
        ("--- \"a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "not well quoted"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "differ"),
        ("diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", "no name"),
        ("diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n", "both added and deleted"),
        ("diff --git a/x b/x\nnew file mode 040000\n", "mode"),
        ("diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "older content"),
        ("diff --git a/x b/y\nsimilarity index 101%\nrename from x\nrename to y\n", "percentage"),
        ("diff --git a/x b/y\nrename from x\n", "missing"),
    ] {
        let error = error(patch).to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn bodies_that_are_no_text() {
    let patch = "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\
                 \\ No newline at end of file\ndiff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n\
                 -Subproject commit 1\n+Subproject commit 2\ndiff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\n\
                 literal 3\nKcmY\n\nliteral 3\nKcmY\n\ndiff --git a/c b/d\nsimilarity index 100%\ncopy from c\ncopy to d\n";
    let files = read(patch);
    let bodies: Vec<_> = files
        .iter()
        .map(|file| match &file.body {
            Body::NotCode(why) => *why,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(bodies, [NotCode::Symlink, NotCode::Submodule, NotCode::Binary, NotCode::NoLines]);
    assert_eq!(files[3].status, Status::Renamed { similarity: 100 });
}

#[test]
fn the_patch_to_mutate_is_one() {
    assert_eq!(summary(MUTATED), ["M  x y", "R080 t\tb r", "A  n", "M  plain"]);
}

/// Contents of few different lines, with and without a final newline.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line =
        prop::sample::select(vec![&b"a\n"[..], b"b\n", b"c\r\n", b"\n", b"-- x\n", b"++ y\n", b"  d\n", b"\xff\n"]);
    (prop::collection::vec(line, 0..40), prop::option::of(Just(&b"end"[..])))
        .prop_map(|(lines, end)| [lines.concat(), end.unwrap_or_default().to_vec()].concat())
}

fn change(old: &[u8], new: &[u8]) -> FileChange {
    use diffsieve::diff::{Hunk, Lines, PathClass, Text};
    use diffsieve::git::EntryKind;
    let range = |range: std::ops::Range<u32>| Lines { first: range.start + 1, count: range.end - range.start };
    let hunks: Vec<Hunk> = line_changes(old, new)
        .into_iter()
        .map(|change| Hunk { old: range(change.old), new: range(change.new) })
        .collect();
    FileChange {
        path: RepoPath::from("some dir/x"),
        old_path: None,
        status: Status::Modified,
        old_kind: Some(EntryKind::File),
        new_kind: Some(EntryKind::File),
        class: PathClass::default(),
        body: Body::Text { hunks, old: Text::whole(old.to_vec()), new: Text::whole(new.to_vec()) },
        old_id: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn old_and_hunks_make_new(old in content(), new in content()) {
        let change = change(&old, &new);
        prop_assert_eq!(apply(&old, &new, change.hunks()), new);
        for pair in change.hunks().windows(2) {
            prop_assert!(pair[0].old.end() < pair[1].old.first && pair[0].new.end() < pair[1].new.first);
        }
    }

    #[test]
    fn a_patch_reads_back(old in content(), new in content(), context in 0u32..5) {
        prop_assume!(old != new);
        let change = change(&old, &new);
        let patch = to_patch(&change, context);
        let read = parse(&patch, &limits()).expect("what we write we can read");
        prop_assert_eq!(read[0].hunks(), change.hunks());
        prop_assert_eq!(to_patch(&read[0], context), patch);
    }

    #[test]
    fn no_input_panics(edits in prop::collection::vec((any::<prop::sample::Index>(), byte(), 0u8..4), 0..12)) {
        let mut bytes = MUTATED.as_bytes().to_vec();
        for (at, byte, edit) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if bytes.len() > 1 => { bytes.remove(at); }
                // A line goes, or comes twice.
                _ => {
                    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                    let line = at % lines.len();
                    if byte % 2 == 0 { lines.remove(line); } else { lines.insert(line, lines[line]); }
                    bytes = lines.concat();
                    bytes.push(b'\n');
                }
            }
        }
        let Ok(files) = parse(&bytes, &limits()) else { return Ok(()) };
        for file in &files {
            prop_assert!(file.path.is_inside());
            let Body::Text { hunks, old, new } = &file.body else { continue };
            for hunk in hunks {
                prop_assert_eq!(old.range(hunk.old).count(), hunk.old.count as usize);
                prop_assert_eq!(new.range(hunk.new).count(), hunk.new.count as usize);
            }
            let written = to_patch(file, 2);
            let again = parse(&written, &limits()).expect("what is written can be read");
            prop_assert_eq!(again[0].hunks(), file.hunks());
            prop_assert_eq!(&again[0].path, &file.path);
        }
    }
}

/// Bytes that mean something in a patch, and others.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![prop::sample::select(b"+- \\@\n\r\t\"ab/,0129".to_vec()), any::<u8>()]
}

const MUTATED: &str = "diff --git a/x y b/x y
index 1..2 100644
--- a/x y\t
+++ b/x y\t
@@ -1,3 +1,3 @@
 a
-b
+c
 d
@@ -7 +7,2 @@ f()
-e
\\ No newline at end of file
+e
+f
\\ No newline at end of file
diff --git \"a/t\\tb\" b/r
similarity index 80%
rename from \"t\\tb\"
rename to r
--- \"a/t\\tb\"
+++ b/r
@@ -9,0 +10 @@
+x
diff --git a/n b/n
new file mode 100755
--- /dev/null
+++ b/n
@@ -0,0 +1,2 @@
+1
+2
--- a/plain\t2020
+++ b/plain\t2021
@@ -1 +0,0 @@
-gone
";
