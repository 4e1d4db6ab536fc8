//! From changed files to lines and hunks. Listing is cheap, loading is done file by file, so a caller can spread it
//! over threads and drop each content when it is done with it.

use std::fmt;

use super::globs::Globs;
use super::text::Text;
use super::{Body, FileChange, Hunk, Lines, NotCode, PathClass, Status, Unread, classify};
use crate::finding::RepoPath;
use crate::git::{self, Change, Entry, EntryKind, Oid, Reader, Repository, Side};

/// What is still read. A file over a limit is [`Unread`], whatever happened to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the larger side of a text file.
    pub file_bytes: u64,
    /// Bytes that are inflated in order to tell a large binary file, which is no gap in the review, from a large text,
    /// which is.
    pub probe_bytes: u64,
    /// Characters of an added or removed line; unchanged lines may be longer.
    pub line_chars: usize,
    /// Lines of one side.
    pub lines: usize,
    /// The name says source code, which runs whatever bytes stand between: a NUL does not make it a binary, and what
    /// looks like no text at all, or stands for content elsewhere, is [`Unread`].
    pub is_source: bool,
    /// Nobody read the file under its former name, so all of it counts as added.
    pub all_is_new: bool,
}

impl Limits {
    /// The limits of a file that no parser and no model reads, only text detectors, whose time is linear: they read
    /// whatever can be told from a binary.
    #[must_use]
    pub const fn text_only(self) -> Self {
        Self { file_bytes: self.probe_bytes, line_chars: usize::MAX, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1 << 20,
            probe_bytes: 32 << 20,
            line_chars: 20_000,
            lines: 500_000,
            is_source: false,
            all_is_new: false,
        }
    }
}

/// A changed file before its content is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The two entries.
    pub change: Change,
    /// The name it is listed under.
    pub path: RepoPath,
    /// Attributes of the base tip and the name.
    pub class: PathClass,
}

/// All changed files before any content is read.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// By path bytes.
    pub files: Vec<Planned>,
    /// Some renames may be listed as a deletion and an addition, because there were too many candidates.
    pub renames_cut_short: bool,
    /// Paths in conflict, which cannot be reviewed.
    pub unmerged: Vec<RepoPath>,
    /// Paths of the work tree that are no files (FIFO, socket, device, nested repository).
    pub special: Vec<RepoPath>,
}

impl Plan {
    /// Lists what changed between two sides; attributes come from the tree `attributes`, which should be that of the
    /// base tip.
    ///
    /// # Errors
    /// A side or an attribute file cannot be read.
    pub fn between(repo: &Repository, old: &Side, new: &Side, attributes: Option<Oid>) -> Result<Self, git::Error> {
        let changes = repo.changes(old, new)?;
        let mut attributes = repo.attributes(attributes)?;
        let mut files = Vec::with_capacity(changes.list.len());
        for change in changes.list {
            let Some(path) = change.path().cloned() else { continue };
            let class = classify(&path, attributes.of(&path)?);
            files.push(Planned { change, path, class });
        }
        let git::Changes { renames_cut_short, unmerged, special, .. } = changes;
        Ok(Self { files, renames_cut_short, unmerged, special })
    }
}

/// All changed files with their lines.
#[derive(Debug, Default)]
pub struct ChangeSet {
    /// By path bytes.
    pub files: Vec<FileChange>,
    /// As [`Plan::renames_cut_short`].
    pub renames_cut_short: bool,
    /// As [`Plan::unmerged`].
    pub unmerged: Vec<RepoPath>,
    /// As [`Plan::special`].
    pub special: Vec<RepoPath>,
}

impl ChangeSet {
    /// [`Plan::between`] and [`load`] for every file, on this thread.
    ///
    /// # Errors
    /// As [`Plan::between`]. A file that cannot be read is no error but [`Unread`].
    pub fn between(
        repo: &Repository,
        old: &Side,
        new: &Side,
        attributes: Option<Oid>,
        limits: &Limits,
        exclude: &Globs,
    ) -> Result<Self, git::Error> {
        let plan = Plan::between(repo, old, new, attributes)?;
        let mut reader = repo.reader();
        let files = plan.files.iter().map(|planned| load(planned, &mut reader, limits, exclude)).collect();
        let Plan { renames_cut_short, unmerged, special, .. } = plan;
        Ok(Self { files, renames_cut_short, unmerged, special })
    }
}

/// Reads a changed file: each side once, hunks as `git diff` cuts them.
pub fn load(planned: &Planned, reader: &mut Reader, limits: &Limits, exclude: &Globs) -> FileChange {
    let Planned { change, path, class } = planned;
    let kind = |entry: &Option<Entry>| entry.as_ref().map(|entry| entry.kind);
    let body = if exclude.is_match(path) {
        Body::NotCode(NotCode::Excluded)
    } else {
        match read(change, reader, limits) {
            // Nothing of it is left to be wrong.
            Body::Unread(Unread::TooLarge { .. } | Unread::LongLine | Unread::TooManyLines) if change.new.is_none() => {
                Body::NotCode(NotCode::LargeDeletion)
            }
            body => body,
        }
    };
    FileChange {
        path: path.clone(),
        old_path: change.similarity.and(change.old.as_ref()).map(|old| old.path.clone()),
        status: status(change),
        old_kind: kind(&change.old),
        new_kind: kind(&change.new),
        class: *class,
        body,
        old_id: None,
    }
}

/// A changed file whose two sides are at hand; at least one of them is there.
pub fn pair(
    path: RepoPath,
    class: PathClass,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    limits: &Limits,
) -> FileChange {
    let kind = |side: &Option<Vec<u8>>| side.is_some().then_some(EntryKind::File);
    let status = match (&old, &new) {
        (None, _) => Status::Added,
        (_, None) => Status::Deleted,
        _ => Status::Modified,
    };
    let (old_kind, new_kind) = (kind(&old), kind(&new));
    let body = content_of([old.unwrap_or_default(), new.unwrap_or_default()], new_kind.is_some(), limits);
    FileChange { path, old_path: None, status, old_kind, new_kind, class, body, old_id: None }
}

/// How the file changed, in git's words.
pub fn status(change: &Change) -> Status {
    match (&change.old, &change.new, change.similarity) {
        (_, _, Some(similarity)) => Status::Renamed { similarity },
        (None, _, None) => Status::Added,
        (Some(_), None, None) => Status::Deleted,
        (Some(_), Some(_), None) => Status::Modified,
    }
}

fn read(change: &Change, reader: &mut Reader, limits: &Limits) -> Body {
    let sides = [&change.old, &change.new];
    let is = |kind| sides.iter().any(|side| side.as_ref().is_some_and(|entry| entry.kind == kind));
    if is(EntryKind::Submodule) {
        return Body::NotCode(NotCode::Submodule);
    }
    if is(EntryKind::Symlink) {
        return Body::NotCode(NotCode::Symlink);
    }
    if let (Some(old), Some(new)) = (&change.old, &change.new)
        && old.content.id() == new.content.id()
        && !old.content.id().is_null()
        && !limits.all_is_new
    {
        return Body::NotCode(NotCode::NoLines);
    }
    let mut contents = [Vec::new(), Vec::new()];
    for (content, side) in contents.iter_mut().zip(sides) {
        let Some(entry) = side else { continue };
        match reader.content(entry, limits.probe_bytes.max(limits.file_bytes)) {
            Ok(read) => *content = read,
            Err(git::Error::TooLarge { bytes, .. }) => return Body::Unread(Unread::TooLarge { bytes }),
            Err(_) => return Body::Unread(Unread::MissingObject),
        }
    }
    content_of(contents, change.new.is_some(), limits)
}

/// What there is to read of the two sides of a file.
fn content_of(contents: [Vec<u8>; 2], has_new: bool, limits: &Limits) -> Body {
    let is_source = has_new && (limits.is_source || contents[1].starts_with(b"#!"));
    if !is_source && contents.iter().any(|content| git::is_binary(content)) {
        return Body::NotCode(NotCode::Binary);
    }
    let bytes = contents.iter().map(|content| content.len() as u64).max().unwrap_or(0);
    if bytes > limits.file_bytes {
        return Body::Unread(Unread::TooLarge { bytes });
    }
    let [old, new] = contents;
    let current = if has_new { &new } else { &old };
    if is_source && !is_mostly_text(current) {
        return Body::Unread(Unread::BinarySource);
    }
    if is_lfs_pointer(current) {
        return if is_source { Body::Unread(Unread::SourceElsewhere) } else { Body::NotCode(NotCode::LfsPointer) };
    }
    text(if limits.all_is_new { Vec::new() } else { old }, new, limits)
}

/// Whether at least nine in ten of the first bytes are text in an encoding that keeps ASCII.
fn is_mostly_text(content: &[u8]) -> bool {
    let start = &content[..content.len().min(8000)];
    let odd = start.iter().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()).count();
    odd * 10 <= start.len()
}

fn text(old: Vec<u8>, new: Vec<u8>, limits: &Limits) -> Body {
    let lines = |content: &[u8]| memchr::memchr_iter(b'\n', content).count();
    if lines(&old).max(lines(&new)) > limits.lines {
        return Body::Unread(Unread::TooManyLines);
    }
    let hunks: Vec<Hunk> = git::line_changes(&old, &new).into_iter().map(hunk).collect();
    let (old, new) = (Text::whole(old), Text::whole(new));
    if hunks.is_empty() {
        return Body::NotCode(NotCode::NoLines);
    }
    if has_long_line(&hunks, &old, &new, limits.line_chars) {
        return Body::Unread(Unread::LongLine);
    }
    Body::Text { hunks, old, new }
}

/// Whether an added or removed line has more characters than the limit.
pub(super) fn has_long_line(hunks: &[Hunk], old: &Text, new: &Text, limit: usize) -> bool {
    let is_long = |text: &Text, lines: Lines| text.range(lines).any(|line| line.len() > limit && chars(line) > limit);
    hunks.iter().any(|hunk| is_long(old, hunk.old) || is_long(new, hunk.new))
}

/// Characters of a text in UTF-8: all bytes but continuation bytes; for other encodings at least a bound.
fn chars(line: &[u8]) -> usize {
    line.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

fn hunk(change: git::LineChange) -> Hunk {
    let lines = |range: &std::ops::Range<u32>| Lines {
        first: range.start.saturating_add(1),
        count: range.end.saturating_sub(range.start),
    };
    Hunk { old: lines(&change.old), new: lines(&change.new) }
}

/// Whether the content is a Git LFS pointer and nothing else: sorted `key value` lines, `version` first, with an object
/// id and a size (git-lfs `docs/spec.md`). Strict, so that code cannot pass for one.
pub(super) fn is_lfs_pointer(content: &[u8]) -> bool {
    const FIRST: &str = "version https://git-lfs.github.com/spec/v1";
    if content.len() >= 1024 {
        return false;
    }
    let Ok(text) = std::str::from_utf8(content) else { return false };
    let mut lines = text.lines();
    if lines.next() != Some(FIRST) {
        return false;
    }
    let (mut id, mut size) = (false, false);
    for line in lines {
        let Some((key, value)) = line.split_once(' ') else { return false };
        let is_hash = || {
            value
                .strip_prefix("sha256:")
                .is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        match key {
            "oid" if is_hash() => id = true,
            "size" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => size = true,
            _ if key.starts_with("ext-") && is_hash() => {}
            _ => return false,
        }
    }
    id && size
}

impl fmt::Display for Status {
    /// git's letter, with the similarity of a rename (`R087`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added => f.write_str("A"),
            Self::Deleted => f.write_str("D"),
            Self::Modified => f.write_str("M"),
            Self::Renamed { similarity } => write!(f, "R{similarity:03}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_told_from_code_that_begins_like_one() {
        let first = "version https://git-lfs.github.com/spec/v1\n";
        let rest = format!("oid sha256:{}\nsize 12\n", "a".repeat(64));
        assert!(is_lfs_pointer(format!("{first}{rest}").as_bytes()));
        assert!(!is_lfs_pointer(format!("{first}{rest}rm -rf /\n").as_bytes()));
        assert!(!is_lfs_pointer(first.as_bytes()));
        assert!(!is_lfs_pointer(rest.as_bytes()));
    }

    #[test]
    fn globs_follow_folders() {
        let exclude = Globs::new(["**/generated/**", "*.svg"]).expect("both are globs");
        for (path, left_out) in [
            ("a/generated/b.rs", true),
            ("generated/b.rs", true),
            ("a.svg", true),
            ("a/b.svg", true),
            ("generated", false),
            ("a.svg/b", false),
        ] {
            assert_eq!(exclude.is_match(&RepoPath::from(path)), left_out, "{path}");
        }
        assert!(Globs::new(["a["]).is_err());
        assert!(!Globs::default().is_match(&RepoPath::from("a")));
    }

    #[test]
    fn a_long_line_counts_only_where_it_changed() {
        let limits = Limits { line_chars: 4, ..Limits::default() };
        let body = |old: &str, new: &str| text(old.as_bytes().to_vec(), new.as_bytes().to_vec(), &limits);
        assert!(matches!(body("abcdef\na\n", "abcdef\nb\n"), Body::Text { .. }));
        assert!(matches!(body("a\n", "abcdef\n"), Body::Unread(Unread::LongLine)));
        assert!(matches!(body("abcdef\n", ""), Body::Unread(Unread::LongLine)));
        assert!(matches!(body("a\n", "éééé"), Body::Text { .. }));
    }
}
