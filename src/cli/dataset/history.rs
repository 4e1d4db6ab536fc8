//! What the builders from history have in common: where the clone is, what cases call it, how the end is told.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use diffsieve::dataset::history::{Built, Error, Past};
use diffsieve::escape;
use diffsieve::git::{Oid, Repository};
use diffsieve::record::Manifest;
use serde_json::json;

use super::asking::{made, new_folder};
use crate::cli::exit::Exit;
use crate::cli::progress::Bar;
use crate::cli::{Failure, env, output, print, start};

/// The clone and the folder that is written.
#[derive(Debug, Args)]
pub(super) struct PastArgs {
    /// Write the dataset into this new folder: dataset.json, cases.jsonl, rejected.jsonl
    #[arg(value_name = "FOLDER")]
    out: PathBuf,
    /// The clone, a trusted one with its whole history [default: the current folder]
    #[arg(short = 'C', long = "directory", value_name = "DIR")]
    directory: Option<PathBuf>,
    /// What the project is called [default: from the address of its remote, or the clone's folder]
    #[arg(long, value_name = "OWNER/NAME")]
    name: Option<String>,
    /// Where cases find the clone [default: its absolute path]
    #[arg(long, value_name = "PATH")]
    repository: Option<String>,
    /// The project's licence, as an SPDX expression, which every case records
    #[arg(long, value_name = "SPDX")]
    licence: Option<String>,
    /// Look at so many at the same time [default: one for each processor]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

impl PastArgs {
    /// The clone, once it is known that nothing is overwritten.
    pub(super) fn open(&self) -> Result<Repository, Failure> {
        new_folder(&self.out)?;
        Ok(Repository::open(start(self.directory.as_deref()), &env::var)?)
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.map_or_else(env::threads, usize::from)
    }

    pub(super) fn licence(&self) -> Option<String> {
        self.licence.clone()
    }

    pub(super) fn repository(&self, repo: &Repository) -> String {
        self.repository.clone().unwrap_or_else(|| place(repo).to_string_lossy().into_owned())
    }

    pub(super) fn name(&self, repo: &Repository) -> String {
        let given = self.name.clone().or_else(|| repo.remote_url("origin").and_then(|url| owner_and_name(&url)));
        let folder = || place(repo).file_name().map(|name| name.to_string_lossy().into_owned());
        given.or_else(folder).unwrap_or_default()
    }

    /// Writes what was built and tells it.
    pub(super) fn finish(
        &self,
        past: &Past<'_>,
        built: Built,
        command: &str,
        from: Option<Oid>,
    ) -> Result<Exit, Failure> {
        let name = self.name(past.repo);
        let mut manifest = Manifest {
            name: format!("{command} of {name}"),
            description: format!("Cases from the history of {name}, as `diffsieve dataset {command}` finds them."),
            licences: self.licence.iter().cloned().collect(),
            ..Manifest::default()
        };
        manifest.built.insert("command".to_owned(), json!(command));
        manifest.built.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        manifest.built.insert(
            "source".to_owned(),
            json!({"repository": name, "from": from.map(|from| from.hex()), "to": past.tip.hex()}),
        );
        let mut table = built.funnel.table();
        table.extend(built.texts.map(|texts| texts.line()));
        let considered = built.funnel.considered;
        let dataset = built.write(&self.out, manifest).map_err(failure)?;
        print(&format!("{table}digest {}\n", dataset.manifest.digest))?;
        if considered == 0 {
            output::say(
                "nothing was considered: no change of the line that is walked is in the range; \
                 look at the two ends of A..B and at --until",
            );
            return Ok(Exit::Incomplete);
        }
        Ok(made(dataset.cases.len(), Exit::Passed))
    }
}

/// History that is not here is no wrong argument.
pub(super) fn failure(error: Error) -> Failure {
    match error {
        Error::Git(error) => error.into(),
        error => Failure::Usage(error.into()),
    }
}

/// The work tree, or the bare repository.
fn place(repo: &Repository) -> PathBuf {
    let place = repo.root().unwrap_or_else(|| repo.git_dir());
    place.canonicalize().unwrap_or_else(|_| place.to_owned())
}

/// The last two parts of an address.
fn owner_and_name(url: &str) -> Option<String> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/').trim_end_matches(".git");
    let mut parts = path.rsplit('/');
    let (name, owner) = (parts.next()?, parts.next()?);
    Some(format!("{owner}/{name}"))
}

/// So long nothing is said of how far a builder is, where no bar is shown.
const SILENCE: Duration = Duration::from_secs(10);

/// Says how far a builder is: a bar on a terminal, a line now and then anywhere else.
pub(super) struct Steps {
    what: &'static str,
    all: usize,
    done: AtomicUsize,
    bar: Bar,
    said: Mutex<Instant>,
}

impl Steps {
    pub(super) fn new(what: &'static str, all: usize) -> Self {
        output::say(&format!("{all} {what} to look at"));
        Self { what, all, done: AtomicUsize::new(0), bar: Bar::new(false), said: Mutex::new(Instant::now()) }
    }

    pub(super) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.bar.is_shown() {
            self.bar.step(done, self.all, self.what);
        } else if self.is_due(Instant::now()) {
            output::say(&format!("{done} of {} {}", self.all, self.what));
        }
    }

    /// Whether enough time has passed since something was said, which it counts as from now on.
    fn is_due(&self, now: Instant) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = now.saturating_duration_since(*said) >= SILENCE;
        if is_due {
            *said = now;
        }
        is_due
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish();
    }
}

/// The commits that a file names, one a line; what follows an id and lines that begin with `#` are for people.
pub(super) fn commits_of(file: &Path, repo: &Repository) -> Result<Vec<Oid>, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| anyhow::anyhow!("`{}` cannot be read: {error}", escape::visible(&file.to_string_lossy())))?;
    let names = text.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| !name.starts_with('#'));
    names.map(|name| Ok(repo.resolve(name)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_said_every_ten_seconds() {
        let steps = Steps::new("things", 5);
        let start = Instant::now();
        let at = |seconds| steps.is_due(start + Duration::from_secs(seconds));
        assert_eq!([1, 9, 11, 12, 20, 21].map(at), [false, false, true, false, false, true]);
    }
}
