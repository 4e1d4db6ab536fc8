//! What git tells a pre-push hook on its standard input (githooks(5)): a line for each ref,
//! `LOCAL-REF SP LOCAL-OID SP REMOTE-REF SP REMOTE-OID LF`.

use crate::finding::Untrusted;
use crate::git::Oid;

/// No ref has a longer name, and of a line that is none of the protocol no more is shown; in bytes.
const LONGEST: usize = 4096;
const SHOWN: usize = 200;

/// One ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The object that is pushed; `None` where the ref is deleted.
    pub new: Option<Oid>,
    /// The full name that it gets on the remote.
    pub name: Untrusted,
    /// What the remote has under this name, as far as git knows; `None` where the name is new.
    pub old: Option<Oid>,
}

impl Update {
    /// Reads one line without its end; `None` where it is none of the protocol.
    fn of_line(line: &[u8]) -> Option<Self> {
        // From the right: the local side may be an expression with spaces in it, such as `HEAD@{1 day ago}`.
        let mut words = line.rsplitn(4, |byte| *byte == b' ');
        let (old, name, new, local) = (words.next()?, words.next()?, words.next()?, words.next()?);
        // The remote's side is always a full name.
        let is_name = name.starts_with(b"refs/") && name.len() <= LONGEST && !name.iter().any(u8::is_ascii_control);
        if local.is_empty() || !is_name {
            return None;
        }
        let name = Untrusted::new(String::from_utf8_lossy(name));
        let (new, old) = (oid(new)?, oid(old)?);
        // One object format a repository.
        if new.hex().len() != old.hex().len() {
            return None;
        }
        let there = |id: Oid| (!id.is_null()).then_some(id);
        Some(Self { new: there(new), name, old: there(old) })
    }

    /// Whether the remote would keep it as a tag.
    pub fn is_tag(&self) -> bool {
        self.name.raw().starts_with("refs/tags/")
    }
}

fn oid(digits: &[u8]) -> Option<Oid> {
    Oid::from_hex(std::str::from_utf8(digits).ok()?)
}

/// Reads all lines, each into an update or, where it is none, the start of the line.
pub fn parse(input: &[u8]) -> impl Iterator<Item = Result<Update, Untrusted>> + '_ {
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Update::of_line(line).ok_or_else(|| start(line)))
}

fn start(line: &[u8]) -> Untrusted {
    let end = if line.len() > SHOWN { "…" } else { "" };
    Untrusted::new(String::from_utf8_lossy(&line[..line.len().min(SHOWN)]) + end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ZEROS: &str = "0000000000000000000000000000000000000000";

    fn one(line: &str) -> Option<Update> {
        let mut found: Vec<_> = parse(line.as_bytes()).collect();
        assert_eq!(found.len(), 1, "{line}");
        found.pop()?.ok()
    }

    #[test]
    fn a_branch_a_deletion_and_an_expression() {
        let id = "1234567890123456789012345678901234567890";
        let update = one(&format!("refs/heads/a {id} refs/heads/b {ZEROS}\n")).expect("a line");
        assert_eq!((update.name.raw(), update.old), ("refs/heads/b", None));
        assert_eq!(update.new.map(|id| id.hex()).as_deref(), Some(id));
        let update = one(&format!("(delete) {ZEROS} refs/tags/b {id}")).expect("a line");
        assert_eq!((update.new, update.old.is_some(), update.is_tag()), (None, true, true));
        for local in ["HEAD~", "HEAD@{1 day ago}", "a;b$(id)", "(delete) x"] {
            assert!(one(&format!("{local} {id} refs/heads/c {id}")).is_some(), "{local}");
        }
        let long = "ab".repeat(32);
        assert!(one(&format!("HEAD {long} refs/heads/c {}", "0".repeat(64))).expect("a line").old.is_none());
    }

    #[test]
    fn anything_else_is_no_line() {
        let id = "1".repeat(40);
        for line in [
            "one",
            " ",
            &format!("{id} refs/heads/b {id}"),
            &format!(" {id} refs/heads/b {id}"),
            &format!("a {id} b {id}"),
            &format!("a {id} refs/heads/b {id} "),
            &format!("a {id} refs/heads/b {}", "1".repeat(64)),
            &format!("a {id} refs/heads/b {}", "1".repeat(39)),
            &format!("a {id} refs/heads/b {}", "g".repeat(40)),
            &format!("a {id} refs/heads/b\u{7} {id}"),
            &format!("a {id} refs/heads/{} {id}", "b".repeat(LONGEST)),
        ] {
            assert_eq!(one(line), None, "{line:?}");
        }
        assert_eq!(parse(b"").chain(parse(b"\n\n")).count(), 0);
    }

    #[test]
    fn of_a_line_that_is_none_the_start_is_shown() {
        let line = parse("x".repeat(1 << 20).as_bytes()).next().and_then(Result::err).expect("it is no update");
        assert_eq!(line.raw(), format!("{}…", "x".repeat(SHOWN)));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
            prop_assert_eq!(parse(&bytes).count(), lines);
        }

        #[test]
        fn what_git_writes_is_read_back(
            local in "[!-~][ -~]{0,20}",
            name in "refs/(heads|tags|for)/[!-~]{1,30}",
            ids in prop_oneof![
                (proptest::collection::vec("[0-9a-f]{40}|0{40}", 2)),
                (proptest::collection::vec("[0-9a-f]{64}|0{64}", 2)),
            ],
        ) {
            let line = format!("{local} {} {name} {}\n", ids[0], ids[1]);
            let found: Vec<_> = parse(line.as_bytes()).collect();
            prop_assert_eq!(found.len(), 1);
            let update = found[0].as_ref().map_err(|line| TestCaseError::fail(line.visible()))?;
            prop_assert_eq!(update.name.raw(), &name);
            for (id, digits) in [(update.new, &ids[0]), (update.old, &ids[1])] {
                match id {
                    Some(id) => prop_assert_eq!(&id.hex(), digits),
                    None => prop_assert!(digits.bytes().all(|digit| digit == b'0')),
                }
            }
        }
    }
}
