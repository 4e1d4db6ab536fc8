//! What git says, and the assertion that we say the same.

use diffsieve::diff::{Body, ChangeSet, FileChange, Globs, Hunk, Limits, NotCode, patch};
use diffsieve::git::{Repository, Side};

use crate::support::Repo;

/// Status, old path, new path, as `git diff --raw` lists them; a changed type is a deletion and an addition.
pub(crate) type Row = (String, Option<Vec<u8>>, Vec<u8>);

pub(crate) fn limits() -> Limits {
    Limits::default()
}

pub(crate) fn set(repo: &Repository, old: &Side, new: &Side) -> ChangeSet {
    ChangeSet::between(repo, old, new, None, &limits(), &Globs::default()).expect("the sides can be read")
}

pub(crate) fn side(repo: &Repository, rev: &str) -> Side {
    if rev == "-" {
        return Side::Empty;
    }
    let commit = repo.resolve(rev).expect("a commit");
    Side::Tree(repo.tree_of(commit).expect("a tree"))
}

pub(crate) fn rows(files: &[FileChange]) -> Vec<Row> {
    let row = |file: &FileChange| {
        let old = file.old_path.as_ref().map(|path| path.bytes().to_vec());
        (file.status.to_string(), old, file.path.bytes().to_vec())
    };
    files.iter().map(row).collect()
}

/// Reads `git diff --raw -z`.
pub(crate) fn raw(output: &[u8]) -> Vec<Row> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut rows = Vec::new();
    while let Some(meta) = fields.next().filter(|meta| !meta.is_empty()) {
        let meta = String::from_utf8_lossy(meta).into_owned();
        let status = meta.rsplit(' ').next().expect("a status").to_owned();
        let path = fields.next().expect("a path").to_vec();
        match status.as_bytes()[0] {
            b'R' => rows.push((status, Some(path), fields.next().expect("a new path").to_vec())),
            b'T' => rows.extend([("D".to_owned(), None, path.clone()), ("A".to_owned(), None, path)]),
            b'U' => {}
            _ => rows.push((status, None, path)),
        }
    }
    rows
}

/// Asserts that two commits (`-` is the empty tree) differ as git says: files, statuses, modes, hunks, contents.
pub(crate) fn agrees(repo: &Repo, old: &str, new: &str) -> ChangeSet {
    let ours = repo.open();
    let set = set(&ours, &side(&ours, old), &side(&ours, new));
    let empty = repo.line(&["hash-object", "-t", "tree", "/dev/null"]);
    let tree = |rev: &str| if rev == "-" { empty.clone() } else { rev.to_owned() };
    agrees_with(repo, &set, &[&tree(old), &tree(new)]);
    set
}

/// Asserts that a set is what `git diff` with these arguments says.
pub(crate) fn agrees_with(repo: &Repo, set: &ChangeSet, args: &[&str]) {
    let base = ["-c", "core.attributesFile=/dev/null", "diff", "--no-ext-diff", "--no-textconv", "-M"];
    let rows_of_git = raw(&repo.git(&[&base[..], &["--raw", "-z", "--no-abbrev"], args].concat()));
    assert_eq!(shown(&rows(&set.files)), shown(&rows_of_git));
    // `--text` would show binaries; without it git says of them what we do. Attributes are the empty tree's.
    let patch = |context: &str| {
        let output = repo.git(&[&base[..], &["--no-color", "--full-index", context], args].concat());
        let limits = Limits { file_bytes: u64::MAX, line_chars: usize::MAX, ..limits() };
        patch::parse(&output, &limits).expect("git writes what we can read")
    };
    let (none, some) = (patch("-U0"), patch("-U3"));
    assert_eq!(set.files.len(), none.len());
    for ((ours, none), some) in set.files.iter().zip(&none).zip(&some) {
        let name = ours.path.visible();
        assert_eq!((&ours.path, &ours.old_path), (&none.path, &none.old_path));
        assert_eq!((ours.status, ours.old_kind, ours.new_kind), (none.status, none.old_kind, none.new_kind), "{name}");
        match (&ours.body, &none.body) {
            (Body::Text { hunks, old, new }, Body::Text { old: old_parts, new: new_parts, hunks: theirs }) => {
                // Under -U0 git trims the common end first, which may move a hunk.
                if hunks != theirs {
                    assert_eq!(hunks.as_slice(), some.hunks(), "{name}");
                    continue;
                }
                let same = |whole: &diffsieve::diff::Text, parts: &diffsieve::diff::Text| {
                    parts.lines().all(|(line, content)| whole.line(line) == Some(content))
                };
                assert!(same(old, old_parts) && same(new, new_parts), "{name}");
            }
            // The lines that a patch shows of a pointer need not be all of it.
            (Body::NotCode(NotCode::LfsPointer), Body::Text { .. }) => {}
            (Body::NotCode(ours), Body::NotCode(theirs)) => assert_eq!(ours, theirs, "{name}"),
            (ours, theirs) => panic!("{name}: {ours:?} against {theirs:?}"),
        }
    }
}

pub(crate) fn shown(rows: &[Row]) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let old = |old: &Option<Vec<u8>>| old.as_deref().map(text).unwrap_or_default();
    rows.iter().map(|(status, from, to)| format!("{status} {} {}", old(from), text(to))).collect()
}

/// Replaces the old lines of each hunk by the new ones.
pub(crate) fn apply(old: &[u8], new: &[u8], hunks: &[Hunk]) -> Vec<u8> {
    let split = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (old, new) = (split(old), split(new));
    let (mut out, mut at) = (Vec::new(), 0);
    for hunk in hunks {
        let first = hunk.old.first as usize - 1;
        out.extend_from_slice(&old[at..first]);
        assert_eq!(out.len(), hunk.new.first as usize - 1, "unchanged lines are as many on both sides");
        out.extend_from_slice(&new[out.len()..out.len() + hunk.new.count as usize]);
        at = first + hunk.old.count as usize;
    }
    out.extend_from_slice(&old[at..]);
    out.concat()
}
