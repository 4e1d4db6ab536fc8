//! The repository: opens it, resolves revisions, lists changes, reads blobs. The only module that names gix.
//!
//! No program is ever run: filters, textconv, hooks and fsmonitor of any configuration are out of reach, because every
//! value of a configuration file is ignored but those that say how the repository is stored (`extensions.*`,
//! `core.bare`), for the work tree side only, how files are laid out on this machine ([`Side::Worktree`]), and, for whoever
//! installs a hook, where git looks for hooks ([`Repository::hooks_folder`]).
//! Replacement refs are off. gix itself reads `HOME`, `XDG_CONFIG_HOME`, `GIT_CONFIG_*` and the system configuration for one
//! question: whether `safe.directory` allows a repository that another user owns.

mod attributes;
mod changes;
mod disk;
mod error;
mod history;
mod hooks;
mod index;
mod lines;
mod log;
mod reach;
mod reader;
mod rename;
mod revision;
mod similarity;
mod tree;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use gix::config::Source;

pub use attributes::{Attributes, Flags};
pub use changes::{Change, Changes, Content, Entry, EntryKind, Side};
pub use error::{Error, Missing};
pub use hooks::{HookCommand, HooksFolder, SetBy};
pub use lines::{LineChange, is_binary, line_changes};
pub use log::{Ancestry, Told};
pub use reach::{History, Reach};
pub use reader::Reader;
pub use revision::{Commit, Head, UpstreamDefault};

/// Looks a variable of the environment up. The library never reads the environment itself.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// No single object is decoded into more memory than this, whatever its header claims.
const ALLOCATION_LIMIT: &str = "gitoxide.objects.allocLimit=536870912";

/// The id of an object: SHA-1 or SHA-256, as the repository has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub(in crate::git) gix::ObjectId);

impl Oid {
    /// Reads 40 or 64 hexadecimal digits.
    pub fn from_hex(digits: &str) -> Option<Self> {
        gix::ObjectId::from_hex(digits.as_bytes()).ok().map(Self)
    }

    /// All digits.
    pub fn hex(&self) -> String {
        self.0.to_string()
    }

    /// The first seven digits, for prose.
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(7).to_string()
    }

    /// Whether it is the null id, which git writes for "no object".
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Oid({})", self.0)
    }
}

/// An opened repository. Shareable between threads; each thread takes its own [`Reader`].
pub struct Repository {
    shared: gix::ThreadSafeRepository,
    /// `GIT_INDEX_FILE`, absolute, where it is set.
    index_file: Option<PathBuf>,
    root: Option<PathBuf>,
}

impl Repository {
    /// Opens the repository that `dir` lies in. `env` gives `GIT_DIR`, `GIT_WORK_TREE`, `GIT_INDEX_FILE` and
    /// `GIT_CEILING_DIRECTORIES`, with git's meaning.
    ///
    /// # Errors
    /// No repository, one that another user owns, one stored in an unsupported way, or a damaged one.
    pub fn open(dir: &Path, env: Env<'_>) -> Result<Self, Error> {
        let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        let git_dir = env("GIT_DIR").filter(|value| !value.is_empty()).map(|value| dir.join(value));
        let opened = match &git_dir {
            Some(git_dir) => gix::ThreadSafeRepository::open_opts(git_dir, options()),
            None => discover(&dir, env),
        };
        let shared = opened.map_err(|error| explain_open(error, git_dir.as_deref().unwrap_or(&dir)))?;
        Self::from_opened(shared, &dir, git_dir.is_some(), env)
    }

    fn from_opened(shared: gix::ThreadSafeRepository, dir: &Path, named: bool, env: Env<'_>) -> Result<Self, Error> {
        let mut repo = shared.to_thread_local();
        // The one setting that gix reads past the filter.
        repo.clear_namespace();
        if repo.git_dir_trust() != gix::sec::Trust::Full {
            let place = repo.workdir().unwrap_or_else(|| repo.git_dir());
            return Err(Error::Untrusted(error::shown(&normal(place))));
        }
        // gix asks for this through the filter above, so it does not see it.
        let storage = repo.config_snapshot().string("extensions.refStorage");
        if storage.is_some_and(|storage| storage.eq_ignore_ascii_case(b"reftable")) {
            return Err(Error::Reftable(error::shown(repo.git_dir())));
        }
        let asked = env("GIT_WORK_TREE").filter(|value| !value.is_empty()).map(|value| dir.join(value));
        let root = match asked {
            Some(root) => Some(root),
            // A hook sets GIT_DIR and runs at the top of the work tree. Where the repository knows its work tree (a folder
            // named `.git`, a linked work tree) that is taken, else, as in git, the current folder.
            None if named && !repo.is_bare() => Some(repo.workdir().map_or_else(|| dir.to_owned(), Path::to_owned)),
            None => repo.workdir().map(Path::to_owned),
        };
        let root = root.map(|root| normal(&root));
        if root.as_deref() != repo.workdir() {
            repo.set_workdir(root.clone())
                .map_err(|error| Error::Open { dir: error::shown(dir), why: error::chain(&error) })?;
        }
        let index_file = env("GIT_INDEX_FILE")
            .filter(|value| !value.is_empty())
            .map(|value| root.as_deref().unwrap_or(dir).join(value));
        Ok(Self { shared: repo.into_sync(), index_file, root })
    }

    /// The top folder of the work tree; `None` for a bare repository.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Whether history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.local().is_shallow().unwrap_or(false)
    }

    /// Whether objects may be missing because git would fetch them on demand.
    pub fn is_partial_clone(&self) -> bool {
        let repo = self.local();
        let config = repo.config_snapshot();
        let promisor = config.plumbing().sections_by_name("remote").into_iter().flatten().any(|section| {
            section.value("promisor").is_some_and(|value| {
                gix::config::Boolean::try_from(gix::bstr::BStr::new(&value)).is_ok_and(|value| value.0)
            })
        });
        promisor || config.string("extensions.partialClone").is_some()
    }

    /// A reader for one thread.
    pub fn reader(&self) -> Reader {
        Reader::new(self.local(), self.root.clone(), self.index_file.clone(), self.missing())
    }

    /// The address of a remote without credentials, query and fragment, as an absolute URI. `None` where there is no
    /// such remote or its address is a path of this machine.
    pub fn remote_url(&self, name: &str) -> Option<String> {
        let repo = self.local();
        let url = repo.config_snapshot().string(format!("remote.{name}.url").as_str())?;
        public_url(&String::from_utf8_lossy(&url))
    }

    pub(in crate::git) fn local(&self) -> gix::Repository {
        self.shared.to_thread_local()
    }

    pub(in crate::git) fn missing(&self) -> Missing {
        if self.is_partial_clone() {
            Missing::Partial
        } else if self.is_shallow() {
            Missing::Shallow
        } else {
            Missing::Damaged
        }
    }
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Whether a section's values may decide anything: only those given here. Sections of files are parsed but never asked;
/// the storage format (`extensions.*`) and `safe.directory` are read by gix before this filter.
fn is_ours(section: &gix::config::file::Metadata) -> bool {
    matches!(section.source, Source::Api)
}

fn options() -> gix::open::Options {
    use gix::open::permissions::{Attributes, Config, Environment};
    // These decide where the user's and the system's configuration lie, which only `safe.directory` is read from.
    // Whatever else they would set arrives in sections that `is_ours` refuses.
    let environment = Environment {
        xdg_config_home: gix::sec::Permission::Allow,
        home: gix::sec::Permission::Allow,
        git_prefix: gix::sec::Permission::Allow,
        ..Environment::isolated()
    };
    gix::open::Options::default()
        .permissions(gix::open::Permissions {
            env: environment,
            config: Config::all(),
            attributes: Attributes::isolated(),
        })
        .config_overrides(["core.useReplaceRefs=false", ALLOCATION_LIMIT])
        .filter_config_section(is_ours)
}

fn discover(dir: &Path, env: Env<'_>) -> gix::Result<gix::ThreadSafeRepository> {
    let ceilings = env("GIT_CEILING_DIRECTORIES")
        .map(|value| std::env::split_paths(&value).filter(|path| path.is_absolute()).collect())
        .unwrap_or_default();
    let upwards = gix::discover::upwards::Options {
        ceiling_dirs: ceilings,
        match_ceiling_dir_or_error: false,
        ..Default::default()
    };
    let trust = gix::sec::trust::Mapping { full: options(), reduced: options() };
    gix::ThreadSafeRepository::discover_opts(dir, upwards, trust)
}

/// Says which of the known reasons keeps a repository closed.
fn explain_open(error: gix::Error, dir: &Path) -> Error {
    let place = error::shown(dir);
    let nothing_found = error.downcast_any_ref::<gix::discover::upwards::Error>().is_some();
    if nothing_found || (error.is_not_found() && gix::discover::is_git(dir).is_err()) {
        return Error::NotARepository(place);
    }
    Error::Open { dir: place, why: error::chain(&error) }
}

/// The path without `.` and `..`, resolved by the file system where it can be, so that prefixes compare.
fn normal(path: &Path) -> PathBuf {
    if path.components().any(|part| matches!(part, std::path::Component::ParentDir | std::path::Component::CurDir)) {
        std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    }
}

/// Drops what must not be published from a remote's address.
fn public_url(url: &str) -> Option<String> {
    if let Some((scheme, rest)) = url.split_once("://") {
        if scheme == "file" || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
            return None;
        }
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
        let host = authority.rsplit('@').next().unwrap_or(authority);
        return (!host.is_empty()).then(|| format!("{scheme}://{host}/{path}"));
    }
    // `user@host:path`; a single letter before the colon is a drive, and a slash before it makes it a path.
    let (host, path) = url.split_once(':')?;
    let host = host.rsplit('@').next().unwrap_or(host);
    (host.len() > 1 && !host.contains('/')).then(|| format!("ssh://{host}/{}", path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::{Reader, Repository, public_url};

    #[test]
    fn threads_can_share_a_repository_and_own_a_reader() {
        const fn shared<T: Send + Sync>() {}
        const fn owned<T: Send>() {}
        shared::<Repository>();
        owned::<Reader>();
    }

    #[test]
    fn an_address_loses_its_credentials() {
        for (url, public) in [
            ("https://user:secret@example.com/a/b.git", Some("https://example.com/a/b.git")),
            ("https://x@y:secret@example.com/a?token=1#f", Some("https://example.com/a")),
            ("git@example.com:a/b.git", Some("ssh://example.com/a/b.git")),
            ("ssh://git@example.com:22/a", Some("ssh://example.com:22/a")),
            ("/srv/git/a.git", None),
            ("../a", None),
            ("C:\\a", None),
            ("file:///srv/a", None),
        ] {
            assert_eq!(public_url(url).as_deref(), public, "{url}");
        }
    }
}
