//! Completes a file of a patch from its old content: a parser needs whole files, and a patch shows parts.

use crate::diff::{Body, FileChange, Limits, Lines, Text};

/// The file with both sides whole, if its old content is this one: every old line that the patch shows must stand in it.
/// Otherwise, and over the limits, the file stays as the patch shows it.
pub fn complete(mut file: FileChange, old: Vec<u8>, limits: &Limits) -> FileChange {
    let Body::Text { hunks, old: known, new } = &file.body else { return file };
    let whole = Text::whole(old);
    if known.is_whole() || !known.lines().all(|(line, text)| whole.line(line) == Some(text)) {
        return file;
    }
    let mut bytes = Vec::with_capacity(whole.bytes().len() + new.bytes().len());
    let mut next = 1;
    for hunk in hunks {
        for line in whole.range(Lines { first: next, count: hunk.old.first.saturating_sub(next) }) {
            bytes.extend_from_slice(line);
        }
        for line in new.range(hunk.new) {
            bytes.extend_from_slice(line);
        }
        next = hunk.old.end();
    }
    let rest = (whole.len() as u32).saturating_add(1).saturating_sub(next);
    for line in whole.range(Lines { first: next, count: rest }) {
        bytes.extend_from_slice(line);
    }
    if bytes.len().max(whole.bytes().len()) as u64 > limits.file_bytes {
        return file;
    }
    let hunks = hunks.clone();
    file.body = Body::Text { hunks, old: whole, new: Text::whole(bytes) };
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::patch::parse;

    const PATCH: &[u8] = b"diff --git a/f b/f\nindex 1234567..89abcde 100644\n--- a/f\n+++ b/f\n@@ -2,2 +2,3 @@\n b\n-c\n+C\n+D\n@@ -6 +6,0 @@\n-f\n";

    fn file() -> FileChange {
        parse(PATCH, &Limits::default()).expect("a patch").remove(0)
    }

    #[test]
    fn both_sides_become_whole() {
        assert_eq!(file().old_id.as_deref(), Some("1234567"));
        let whole = complete(file(), b"a\nb\nc\nd\ne\nf\ng".to_vec(), &Limits::default());
        let Body::Text { hunks, old, new } = &whole.body else { panic!("text") };
        assert!(old.is_whole() && new.is_whole());
        assert_eq!(new.bytes(), b"a\nb\nC\nD\nd\ne\ng");
        assert_eq!(hunks.as_slice(), file().hunks());
    }

    #[test]
    fn another_content_or_one_too_large_changes_nothing() {
        for (old, limits) in [
            (&b"a\nb\nX\nd\ne\nf\ng\n"[..], Limits::default()),
            (b"a\nb\n", Limits::default()),
            (b"a\nb\nc\nd\ne\nf\ng\n", Limits { file_bytes: 4, ..Limits::default() }),
        ] {
            let same = complete(file(), old.to_vec(), &limits);
            assert!(matches!(&same.body, Body::Text { new, .. } if !new.is_whole()));
        }
    }
}
