//! Prints what `diff` sees between pairs of commits as JSON lines, for `tests/conformance/git_compare.py`.
//!
//! Usage: `diff_dump REPOSITORY < PAIRS`, one `OLD NEW` per line; `-` is the empty tree,
//! `@index` and `@worktree` are what they say.

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use diffsieve::diff::{Body, ChangeSet, Globs, Limits};
use diffsieve::escape::uri_path;
use diffsieve::git::{Repository, Side};
use serde_json::json;

fn main() -> anyhow::Result<()> {
    let dir = std::env::args_os().nth(1).context("usage: diff_dump REPOSITORY < PAIRS")?;
    let repo = Repository::open(Path::new(&dir), &|_| None)?;
    let limits = Limits {
        file_bytes: 64 << 20,
        probe_bytes: 64 << 20,
        line_chars: usize::MAX,
        lines: usize::MAX,
        ..Limits::default()
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (old, new) = line.split_once(' ').context("a line is OLD NEW")?;
        let side = |rev: &str| -> anyhow::Result<Side> {
            Ok(match rev {
                "-" => Side::Empty,
                "@index" => Side::Index,
                "@worktree" => Side::Worktree,
                rev => Side::Tree(repo.tree_of(repo.resolve(rev)?)?),
            })
        };
        let started = std::time::Instant::now();
        let set = ChangeSet::between(&repo, &side(old)?, &side(new)?, None, &limits, &Globs::default())?;
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        let files: Vec<_> = set
            .files
            .iter()
            .map(|file| {
                let hunks: Vec<_> = file
                    .hunks()
                    .iter()
                    .map(|hunk| json!([hunk.old.first, hunk.old.count, hunk.new.first, hunk.new.count]))
                    .collect();
                let kind = |kind: Option<diffsieve::git::EntryKind>| kind.map_or("000000", |kind| kind.mode());
                json!({
                    "path": uri_path(file.path.bytes()),
                    "old_path": file.old_path.as_ref().map(|path| uri_path(path.bytes())),
                    "status": file.status.to_string(),
                    "modes": [kind(file.old_kind), kind(file.new_kind)],
                    "body": match &file.body {
                        Body::Text { .. } => "text".to_owned(),
                        Body::NotCode(why) => format!("{why:?}"),
                        Body::Unread(why) => format!("unread {why:?}"),
                    },
                    "hunks": hunks,
                })
            })
            .collect();
        let cut = set.renames_cut_short;
        writeln!(out, "{}", json!({ "old": old, "new": new, "ms": milliseconds, "cut": cut, "files": files }))?;
    }
    out.flush()?;
    Ok(())
}
