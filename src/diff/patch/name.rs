//! File names in patches: git's C-style quotes, prefixes, timestamps.

use super::Error;
use crate::escape;
use crate::finding::RepoPath;

/// An old and a new name.
pub(super) type Pair = (Vec<u8>, Vec<u8>);

/// Pairs of prefixes that git puts before the old and the new name (`diff.mnemonicPrefix` included).
const PREFIXES: &[(&[u8], &[u8])] = &[
    (b"a/", b"b/"),
    (b"i/", b"w/"),
    (b"c/", b"i/"),
    (b"c/", b"w/"),
    (b"o/", b"w/"),
    (b"1/", b"2/"),
    (b"b/", b"a/"),
    (b"w/", b"i/"),
    (b"i/", b"c/"),
    (b"w/", b"c/"),
];

/// Whether the two are a known pair of prefixes, and the names without them.
pub(super) fn without_prefixes<'a>(old: &'a [u8], new: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    PREFIXES.iter().find_map(|(a, b)| Some((old.strip_prefix(*a)?, new.strip_prefix(*b)?)))
}

/// The name without the first folder, if that looks like a prefix.
pub(super) fn without_prefix(name: &[u8]) -> &[u8] {
    match name {
        [b'a' | b'b' | b'c' | b'i' | b'o' | b'w' | b'1' | b'2', b'/', rest @ ..] if !rest.is_empty() => rest,
        name => name,
    }
}

/// The longest path that both names end in, from a folder border on.
pub(super) fn common_end<'a>(old: &'a [u8], new: &[u8]) -> Option<&'a [u8]> {
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let tail = &old[old.len() - same..];
    let border = tail.iter().position(|byte| *byte == b'/')?;
    let end = &tail[border + 1..];
    (!end.is_empty()).then_some(end)
}

/// The name of a `---`, `+++`, `rename` or `copy` line: quoted, or up to a tab, behind which a timestamp may stand.
pub(super) fn of_line(text: &[u8], line: u64) -> Result<Vec<u8>, Error> {
    if text.first() == Some(&b'"') {
        let (name, _) = unquote(text).ok_or_else(|| bad(text, line, "is not well quoted"))?;
        return Ok(name);
    }
    let end = text.iter().position(|byte| *byte == b'\t').unwrap_or(text.len());
    Ok(text[..end].to_vec())
}

/// The two names of a `diff --git` line, as written. Where neither is quoted, the line is two names of the same length
/// (they differ at most in their prefix), else other headers name the files.
pub(super) fn of_git_line(text: &[u8]) -> Option<Pair> {
    if text.first() == Some(&b'"') {
        let (old, rest) = unquote(text)?;
        let rest = rest.strip_prefix(b" ")?;
        let new = if rest.first() == Some(&b'"') { unquote(rest)?.0 } else { rest.to_vec() };
        return Some((old, new));
    }
    if let Some(at) = find(text, b" \"") {
        let (new, rest) = unquote(&text[at + 1..])?;
        return rest.is_empty().then(|| (text[..at].to_vec(), new));
    }
    let half = text.len() / 2;
    if text.len().is_multiple_of(2) || text.get(half) != Some(&b' ') {
        return None;
    }
    let (old, new) = (&text[..half], &text[half + 1..]);
    let same = old == new || without_prefixes(old, new).is_some_and(|(old, new)| old == new);
    same.then(|| (old.to_vec(), new.to_vec()))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// A name that stays inside the repository.
pub(super) fn path(name: &[u8], line: u64) -> Result<RepoPath, Error> {
    let path = RepoPath::new(name);
    if path.is_inside() { Ok(path) } else { Err(bad(name, line, "leads out of the repository")) }
}

pub(super) fn bad(name: &[u8], line: u64, why: &'static str) -> Error {
    const SHOWN: usize = 200;
    let name = escape::visible(&String::from_utf8_lossy(&name[..name.len().min(SHOWN)]));
    Error::Name { line, name, why }
}

/// Reads a name in git's quotes (`quote.c`) and gives what follows it.
fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (byte, after) = rest.split_first()?;
                rest = after;
                name.push(match byte {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => *byte,
                    b'0'..=b'3' => {
                        let [two, one, after @ ..] = rest else { return None };
                        let digit = |byte: &u8| matches!(byte, b'0'..=b'7').then(|| byte - b'0');
                        rest = after;
                        (byte - b'0') * 64 + digit(two)? * 8 + digit(one)?
                    }
                    _ => return None,
                });
            }
            byte => name.push(*byte),
        }
    }
}

/// Writes a name in git's quotes where it needs them (`core.quotePath` at its default, so bytes from 0x80 do).
pub(super) fn quote(name: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| (b' '..0x7f).contains(byte) && *byte != b'"' && *byte != b'\\';
    if name.iter().all(plain) {
        return name.to_vec();
    }
    let mut out = vec![b'"'];
    for byte in name {
        match byte {
            7 => out.extend_from_slice(b"\\a"),
            8 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            11 => out.extend_from_slice(b"\\v"),
            12 => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            byte if plain(byte) => out.push(*byte),
            byte => out.extend_from_slice(&[b'\\', b'0' + (byte >> 6), b'0' + ((byte >> 3) & 7), b'0' + (byte & 7)]),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_come_back() {
        for name in [&b"plain"[..], b"with space", b"tab\there", b"q\"b\\", b"\xff\xfe\n\x1b[0m", "é".as_bytes(), b""]
        {
            let quoted = quote(name);
            let back = if quoted.first() == Some(&b'"') { unquote(&quoted).expect("just quoted").0 } else { quoted };
            assert_eq!(back, name);
        }
        assert_eq!(quote("é".as_bytes()), b"\"\\303\\251\"");
        for bad in [&b"\"open"[..], b"\"\\x\"", b"\"\\40", b"\"\\489\"", b"\"\\"] {
            assert_eq!(unquote(bad), None);
        }
    }

    #[test]
    fn a_git_line_splits_in_the_middle() {
        let names = |text: &str| {
            of_git_line(text.as_bytes()).map(|(old, new)| {
                (String::from_utf8_lossy(&old).into_owned(), String::from_utf8_lossy(&new).into_owned())
            })
        };
        let pair = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(names("a/x b/x"), pair("a/x", "b/x"));
        assert_eq!(names("a/x b/x b/x b/x"), pair("a/x b/x", "b/x b/x"));
        assert_eq!(names("x x"), pair("x", "x"));
        assert_eq!(names("a/x b/y"), None);
        assert_eq!(names("\"a/\\t\" \"b/\\t\""), pair("a/\t", "b/\t"));
        assert_eq!(names("a/x \"b/\\t\""), pair("a/x", "b/\t"));
    }
}
