//! Writes a change as git would print it.

use super::name::quote;
use crate::diff::{Body, FileChange, Hunk, Lines, NotCode, Status, Text};
use crate::finding::Line;
use crate::git::EntryKind;

/// The change as a patch in git's format with so many lines of context around each hunk, fewer where the lines are not
/// known. There is no `index` line and no function name behind `@@`. A body without known lines gives the headers, and
/// for a binary file the remark that it differs.
pub fn to_patch(change: &FileChange, context: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let old_name = change.old_path.as_ref().unwrap_or(&change.path).bytes();
    let (old, new) = (prefixed(b"a/", old_name), prefixed(b"b/", change.path.bytes()));
    line(&mut out, &[b"diff --git ", &quote(&old), b" ", &quote(&new)]);
    modes(&mut out, change);
    if let (Status::Renamed { similarity }, Some(from)) = (change.status, &change.old_path) {
        line(&mut out, &[b"similarity index ", similarity.to_string().as_bytes(), b"%"]);
        line(&mut out, &[b"rename from ", &quote(from.bytes())]);
        line(&mut out, &[b"rename to ", &quote(change.path.bytes())]);
    }
    let side = |name: &[u8], absent: Status| {
        if change.status == absent { b"/dev/null".to_vec() } else { with_tab(quote(name)) }
    };
    match &change.body {
        Body::Text { hunks, old: old_text, new: new_text } => {
            line(&mut out, &[b"--- ", &side(&old, Status::Added)]);
            line(&mut out, &[b"+++ ", &side(&new, Status::Deleted)]);
            for group in groups(hunks, old_text, context) {
                write_group(&mut out, &group, old_text, new_text);
            }
        }
        Body::NotCode(NotCode::Binary) => {
            let name = |name: &[u8], absent| {
                if change.status == absent { b"/dev/null".to_vec() } else { quote(name) }
            };
            let (old, new) = (name(&old, Status::Added), name(&new, Status::Deleted));
            line(&mut out, &[b"Binary files ", &old, b" and ", &new, b" differ"]);
        }
        Body::NotCode(_) | Body::Unread(_) => {}
    }
    out
}

fn line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'\n');
}

fn prefixed(prefix: &[u8], name: &[u8]) -> Vec<u8> {
    [prefix, name].concat()
}

/// git ends a name with white space in it by a tab, so that a timestamp cannot be mistaken for part of it.
fn with_tab(mut name: Vec<u8>) -> Vec<u8> {
    if name.first() != Some(&b'"') && name.contains(&b' ') {
        name.push(b'\t');
    }
    name
}

fn modes(out: &mut Vec<u8>, change: &FileChange) {
    let mode = |kind: Option<EntryKind>| kind.unwrap_or(EntryKind::File).mode().as_bytes();
    match change.status {
        Status::Added => line(out, &[b"new file mode ", mode(change.new_kind)]),
        Status::Deleted => line(out, &[b"deleted file mode ", mode(change.old_kind)]),
        Status::Modified | Status::Renamed { .. } if change.old_kind != change.new_kind => {
            line(out, &[b"old mode ", mode(change.old_kind)]);
            line(out, &[b"new mode ", mode(change.new_kind)]);
        }
        // Without an `index` line nothing else says that both sides are executable.
        Status::Modified | Status::Renamed { .. } if change.old_kind != Some(EntryKind::File) => {
            let mode = mode(change.old_kind);
            line(out, &[b"old mode ", mode]);
            line(out, &[b"new mode ", mode]);
        }
        Status::Modified | Status::Renamed { .. } => {}
    }
}

/// Hunks that share their context, and the unchanged lines before and after them.
struct Group<'a> {
    hunks: &'a [Hunk],
    before: u32,
    after: u32,
}

fn groups<'a>(hunks: &'a [Hunk], old: &Text, context: u32) -> Vec<Group<'a>> {
    let known = |number: u32| Line::new(number).is_some_and(|line| old.line(line).is_some());
    let before = |hunk: &Hunk| {
        (1..=context.min(hunk.old.first - 1)).take_while(|back| known(hunk.old.first - back)).count() as u32
    };
    let after = |hunk: &Hunk| (0..context).take_while(|on| known(hunk.old.end().saturating_add(*on))).count() as u32;
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut start = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let joins = hunks.get(index + 1).is_some_and(|next| {
            let gap = hunk.old.end()..next.old.first;
            gap.len() as u64 <= u64::from(context) * 2 && gap.clone().all(known)
        });
        if !joins {
            groups.push(Group { hunks: &hunks[start..=index], before: before(&hunks[start]), after: after(hunk) });
            start = index + 1;
        }
    }
    groups
}

fn write_group(out: &mut Vec<u8>, group: &Group<'_>, old: &Text, new: &Text) {
    let ([first, ..], [.., last]) = (group.hunks, group.hunks) else { return };
    let range = |of: fn(&Hunk) -> Lines| {
        let first = of(first).first - group.before;
        let count = of(last).end() + group.after - first;
        match count {
            0 => format!("{},0", first - 1),
            1 => first.to_string(),
            _ => format!("{first},{count}"),
        }
    };
    let (old_range, new_range) = (range(|hunk| hunk.old), range(|hunk| hunk.new));
    line(out, &[b"@@ -", old_range.as_bytes(), b" +", new_range.as_bytes(), b" @@"]);
    let mut next = first.old.first - group.before;
    for hunk in group.hunks {
        write_lines(out, b' ', old, Lines { first: next, count: hunk.old.first - next });
        write_lines(out, b'-', old, hunk.old);
        write_lines(out, b'+', new, hunk.new);
        next = hunk.old.end();
    }
    write_lines(out, b' ', old, Lines { first: next, count: group.after });
}

fn write_lines(out: &mut Vec<u8>, mark: u8, text: &Text, lines: Lines) {
    for content in text.range(lines) {
        out.push(mark);
        out.extend_from_slice(content);
        if !content.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}
