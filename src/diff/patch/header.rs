//! The lines of a patch before the hunks of a file.

use super::Error;
use super::name::{self, Pair};
use crate::diff::Status;
use crate::finding::RepoPath;
use crate::git::EntryKind;

/// What the headers of one file said so far.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// The line of the first header, from 1.
    line: u64,
    /// Names of the `diff --git` line, as written.
    git: Option<Pair>,
    /// Whether there was such a line.
    is_git: bool,
    /// The `---` line: `Some(None)` is `/dev/null`.
    old: Option<Option<Vec<u8>>>,
    /// The `+++` line.
    new: Option<Option<Vec<u8>>>,
    /// `rename from`, `rename to`, or the same for a copy; these have no prefix.
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    similarity: Option<u8>,
    old_mode: Option<EntryKind>,
    new_mode: Option<EntryKind>,
    /// The first id of the `index` line.
    old_id: Option<String>,
    is_added: bool,
    is_deleted: bool,
    pub(super) is_binary: bool,
}

/// What a file is called and what happened to it.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: RepoPath,
    pub(super) old_path: Option<RepoPath>,
    pub(super) status: Status,
    pub(super) old_kind: Option<EntryKind>,
    pub(super) new_kind: Option<EntryKind>,
    pub(super) old_id: Option<String>,
}

impl Header {
    /// After `diff --git `.
    pub(super) fn git(text: &[u8], line: u64) -> Self {
        Self { line, is_git: true, git: name::of_git_line(text), ..Self::default() }
    }

    pub(super) fn plain(line: u64) -> Self {
        Self { line, ..Self::default() }
    }

    /// Takes one header line; `false` where it is none.
    pub(super) fn take(&mut self, text: &[u8], line: u64) -> Result<bool, Error> {
        let rest = |start: &str| text.strip_prefix(start.as_bytes());
        if let Some(mode) = rest("old mode ") {
            self.old_mode = Some(kind(mode, line)?);
        } else if let Some(mode) = rest("new mode ") {
            self.new_mode = Some(kind(mode, line)?);
        } else if let Some(mode) = rest("deleted file mode ") {
            self.is_deleted = true;
            self.old_mode = Some(kind(mode, line)?);
        } else if let Some(mode) = rest("new file mode ") {
            self.is_added = true;
            self.new_mode = Some(kind(mode, line)?);
        } else if let Some(from) = rest("rename from ").or_else(|| rest("copy from ")) {
            self.from = Some(name::of_line(from, line)?);
        } else if let Some(to) = rest("rename to ").or_else(|| rest("copy to ")) {
            self.to = Some(name::of_line(to, line)?);
        } else if let Some(percent) = rest("similarity index ") {
            self.similarity = Some(percentage(percent, line)?);
        } else if rest("dissimilarity index ").is_some() {
        } else if let Some(ids) = rest("index ") {
            let id: String =
                ids.iter().take_while(|byte| byte.is_ascii_hexdigit()).map(|byte| char::from(*byte)).collect();
            self.old_id = Some(id).filter(|id| (4..=64).contains(&id.len()));
            if let Some(at) = ids.iter().position(|byte| *byte == b' ') {
                let kind = kind(&ids[at + 1..], line)?;
                self.old_mode = self.old_mode.or(Some(kind));
                self.new_mode = self.new_mode.or(Some(kind));
            }
        } else if rest("Binary files ").is_some() || text == b"GIT binary patch" {
            self.is_binary = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// After `--- `.
    pub(super) fn take_old(&mut self, text: &[u8], line: u64) -> Result<(), Error> {
        self.old = Some(Self::side(text, line)?);
        Ok(())
    }

    /// After `+++ `.
    pub(super) fn take_new(&mut self, text: &[u8], line: u64) -> Result<(), Error> {
        self.new = Some(Self::side(text, line)?);
        Ok(())
    }

    fn side(text: &[u8], line: u64) -> Result<Option<Vec<u8>>, Error> {
        let name = name::of_line(text, line)?;
        Ok((name != b"/dev/null").then_some(name))
    }

    /// The names and what happened, once all headers are read.
    pub(super) fn finish(&self) -> Result<File, Error> {
        let refused = |why| Err(Error::Header { line: self.line, why });
        let is_added = self.is_added || matches!(self.old, Some(None));
        let is_deleted = self.is_deleted || matches!(self.new, Some(None));
        if is_added && is_deleted {
            return refused("the file is both added and deleted");
        }
        let (old, new) = self.names()?;
        let path = name::path(if is_deleted { &old } else { &new }, self.line)?;
        let renamed = self.from.is_some() || !self.is_git && !is_added && !is_deleted && old != new;
        if (is_added || is_deleted) && self.from.is_some() {
            return refused("the file is renamed, and added or deleted as well");
        }
        if !renamed && !is_added && !is_deleted && old != new {
            return refused("the two names differ, but nothing says that the file was renamed");
        }
        let old_kind = self.old_mode.unwrap_or(EntryKind::File);
        let (old_path, status) = match (is_added, is_deleted, renamed) {
            (true, ..) => (None, Status::Added),
            (_, true, _) => (None, Status::Deleted),
            (_, _, true) => {
                // `diff -u` gives no similarity; what it shows as one file is at least as alike as git asks for.
                let similarity = self.similarity.unwrap_or(if self.old.is_some() { 50 } else { 100 });
                (Some(name::path(&old, self.line)?), Status::Renamed { similarity })
            }
            _ => (None, Status::Modified),
        };
        Ok(File {
            path,
            old_path,
            status,
            old_kind: (!is_added).then_some(old_kind),
            new_kind: (!is_deleted).then(|| self.new_mode.unwrap_or(old_kind)),
            old_id: self.old_id.clone(),
        })
    }

    /// Both names without prefixes; for an addition or a deletion they are the same.
    fn names(&self) -> Result<Pair, Error> {
        let refused = |why| Err(Error::Header { line: self.line, why });
        let of_lines = self.names_of_lines()?;
        let of_git = self.git.as_ref().map(|(old, new)| self.stripped(old, new));
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => {
                // These are never prefixed, so under --no-prefix they settle what the others cannot.
                let fits = |one: &[u8], other: &[u8]| one.ends_with(other) || other.ends_with(one);
                return match of_lines {
                    Some((old, new)) if !fits(&old, from) || !fits(&new, to) => {
                        refused("the names of the rename and of the hunks differ")
                    }
                    _ => Ok((from.clone(), to.clone())),
                };
            }
            (None, None) => {}
            _ => return refused("one name of the rename is missing"),
        }
        match (of_lines, of_git) {
            (Some(lines), Some(git)) if lines != git => {
                refused("the names of the `diff --git` line and of the hunks differ")
            }
            (Some(names), _) | (None, Some(names)) => Ok(names),
            (None, None) => refused("the file has no name that can be read"),
        }
    }

    /// The names of the `---` and `+++` lines.
    fn names_of_lines(&self) -> Result<Option<Pair>, Error> {
        let written = |side: &Option<Option<Vec<u8>>>| side.clone().flatten();
        let one = match (written(&self.old), written(&self.new)) {
            (Some(old), Some(new)) => return Ok(Some(self.stripped(&old, &new))),
            (None, None) => return Ok(None),
            (Some(one), None) | (None, Some(one)) => one,
        };
        // Beside /dev/null there is no pair to compare: the `diff --git` line tells whether there are prefixes.
        let has_prefix = match &self.git {
            Some((old, new)) => name::without_prefixes(old, new).is_some(),
            None if self.is_git => {
                let why = "the prefixes of the names are not git's; write the patch with --default-prefix";
                return Err(Error::Header { line: self.line, why });
            }
            None => true,
        };
        let name = if has_prefix { name::without_prefix(&one).to_vec() } else { one };
        Ok(Some((name.clone(), name)))
    }

    fn stripped(&self, old: &[u8], new: &[u8]) -> Pair {
        let (old, new) = name::without_prefixes(old, new).unwrap_or((old, new));
        if old != new
            && self.is_git
            && self.from.is_none()
            && let Some(same) = name::common_end(old, new)
        {
            // `--src-prefix`, `--dst-prefix`: without a rename both sides are one file.
            return (same.to_vec(), same.to_vec());
        }
        (old.to_vec(), new.to_vec())
    }
}

fn percentage(text: &[u8], line: u64) -> Result<u8, Error> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.strip_suffix('%')?.parse::<u8>().ok())
        .filter(|percent| *percent <= 100)
        .ok_or(Error::Header { line, why: "the similarity is no percentage" })
}

fn kind(mode: &[u8], line: u64) -> Result<EntryKind, Error> {
    match mode {
        b"120000" => Ok(EntryKind::Symlink),
        b"160000" => Ok(EntryKind::Submodule),
        // Old trees hold 100664 and the like; only the owner's execute bit counts.
        [b'1', b'0', b'0', owner @ b'0'..=b'7', b'0'..=b'7', b'0'..=b'7'] => {
            Ok(if (owner - b'0') & 1 == 1 { EntryKind::Executable } else { EntryKind::File })
        }
        _ => Err(Error::Header { line, why: "the mode is none that git writes for a file" }),
    }
}
