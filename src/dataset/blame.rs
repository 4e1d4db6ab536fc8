//! Which commit wrote a line. The only place of the library that runs the `git` program, for builders of datasets alone:
//! they work on a clone that its owner trusts, and git's own blame is what the published method names. A review, a hook
//! and a gate never come here.
//!
//! The program sees an environment of its own: no configuration of the user or the system, no pager, no replacement
//! objects, no fetching of what is missing. What the clone's own configuration could add to a blame (filters for reading,
//! lists of commits to pass over, attributes) is switched off by option.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::escape::visible;
use crate::finding::RepoPath;
use crate::git::Oid;

/// Why nobody could be named.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program cannot be started.
    #[error("`git` cannot be started: {0}; a dataset from history needs the git program on PATH")]
    Start(std::io::Error),
    /// It ended with an error.
    #[error("`git blame` of `{file}` at {at} failed: {what}")]
    Failed {
        /// The file, escaped.
        file: String,
        /// At which commit.
        at: Oid,
        /// What it said, escaped.
        what: String,
    },
    /// A name that cannot be given to the program or read from it.
    #[error("the name `{0}` is not plain UTF-8 text, which a blame needs here")]
    Name(String),
}

/// The git program and one clone.
pub(super) struct Git {
    git_dir: PathBuf,
    path: Option<OsString>,
}

/// Who wrote a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Blamed {
    /// The line that was asked about, from 1.
    pub(super) line: u32,
    /// The commit that wrote it.
    pub(super) commit: Oid,
    /// Its file as that commit calls it.
    pub(super) file: RepoPath,
    /// Its number in that commit's file, from 1.
    pub(super) original: u32,
}

impl Git {
    /// For the clone whose data is in `git_dir`; `path` is where the program is looked for (`PATH`).
    pub(super) fn new(git_dir: &Path, path: Option<OsString>) -> Self {
        Self { git_dir: git_dir.to_owned(), path }
    }

    /// Who wrote lines of a file, as `git blame -w -M` of the whole file says: asked about a part of it, git finds fewer
    /// moved lines. `lines` count from 1 and rise, none means all of them. What `since` leads to counts as written by it.
    pub(super) fn blame(
        &self,
        at: Oid,
        since: Option<Oid>,
        file: &RepoPath,
        lines: &[u32],
    ) -> Result<Vec<Blamed>, Error> {
        let Ok(name) = std::str::from_utf8(file.bytes()) else { return Err(Error::Name(file.visible())) };
        let mut command = self.command();
        command.args(["blame", "--porcelain", "-w", "-M", "--no-textconv", "--no-ext-diff"]);
        command.args(since.map(|since| format!("^{}", since.hex())));
        command.args([at.hex().as_str(), "--", name]);
        let output = command.output().map_err(Error::Start)?;
        if !output.status.success() {
            let what = visible(String::from_utf8_lossy(&output.stderr).trim());
            return Err(Error::Failed { file: file.visible(), at, what });
        }
        let mut found = read(&output.stdout)?;
        found.retain(|blamed| lines.is_empty() || lines.binary_search(&blamed.line).is_ok());
        Ok(found)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(self.path.as_ref().map(|path| ("PATH", path)));
        command.envs([
            ("LC_ALL", "C"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("GIT_PAGER", "cat"),
        ]);
        command.args(["--no-pager", "--literal-pathspecs"]).arg("--git-dir").arg(&self.git_dir);
        for setting in [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.attributesFile=/dev/null",
            "core.quotePath=false",
            "blame.ignoreRevsFile=",
            "diff.algorithm=myers",
            "diff.indentHeuristic=true",
        ] {
            command.args(["-c", setting]);
        }
        command
    }
}

/// Reads `--porcelain`: a head for each line (`ID ORIGINAL FINAL [COUNT]`), then what is known of the commit, of which the
/// file's name is repeated only where the commit has several, then the line after a tab.
fn read(output: &[u8]) -> Result<Vec<Blamed>, Error> {
    let mut files: HashMap<Oid, RepoPath> = HashMap::new();
    let mut found = Vec::new();
    let mut head: Option<(Oid, u32, u32)> = None;
    for line in output.split(|byte| *byte == b'\n') {
        if line.first() == Some(&b'\t') {
            if let Some((commit, original, line)) = head.take()
                && let Some(file) = files.get(&commit)
            {
                found.push(Blamed { line, commit, file: file.clone(), original });
            }
        } else if let Some((commit, ..)) = head {
            if let Some(name) = line.strip_prefix(b"filename ") {
                // Quotes and control characters make git quote a name.
                if name.first() == Some(&b'"') {
                    return Err(Error::Name(visible(&String::from_utf8_lossy(name))));
                }
                files.insert(commit, RepoPath::new(name));
            }
        } else {
            let text = String::from_utf8_lossy(line);
            let mut words = text.split(' ');
            head = (|| {
                let commit = Oid::from_hex(words.next()?)?;
                Some((commit, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
            })();
        }
    }
    Ok(found)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_once() {
        let (one, other) = ("1".repeat(40), "2".repeat(40));
        let text = format!(
            "{one} 4 1 1\nauthor A\nfilename old name.c\n\tfilename x\n{other} 1 2 1\nboundary\nfilename b.c\n\t\n{one} 9 3\n\tz\n"
        );
        let found = read(text.as_bytes()).unwrap();
        let rows: Vec<_> = found.iter().map(|b| (b.line, b.commit.hex(), b.file.visible(), b.original)).collect();
        assert_eq!(
            rows,
            [
                (1, one.clone(), "old name.c".to_owned(), 4),
                (2, other, "b.c".to_owned(), 1),
                (3, one, "old name.c".to_owned(), 9)
            ]
        );
        assert!(read(b"1111111111111111111111111111111111111111 1 1 1\nfilename \"a\\tb\"\n\tx\n").is_err());
        assert!(read(b"nothing\nof this kind\n\t").unwrap().is_empty());
    }
}
