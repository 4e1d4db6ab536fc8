//! Our scripts in the folder where git looks for hooks. Nothing of anybody else's is ever changed.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::escape;
use crate::git::{HooksFolder, SetBy};

/// What the second line of our scripts begins with; the version follows.
const MARK: &str = "# diffsieve hook, version ";

/// A larger file is nobody's hook script.
const MOST_BYTES: u64 = 1 << 20;

/// When git calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Before a push.
    PrePush,
    /// Before a commit.
    PreCommit,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::PrePush, Self::PreCommit];

    /// As git calls it, and so the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
            Self::PreCommit => "pre-commit",
        }
    }

    /// The script that is installed.
    pub const fn script(self) -> &'static str {
        match self {
            Self::PrePush => include_str!("../../hooks/pre-push"),
            Self::PreCommit => include_str!("../../hooks/pre-commit"),
        }
    }

    /// What git's settings call our hook, and what they run (git 2.54).
    pub const fn setting(self) -> (&'static str, &'static str) {
        match self {
            Self::PrePush => ("diffsieve", "diffsieve hook pre-push"),
            Self::PreCommit => ("diffsieve-staged", "diffsieve hook pre-commit"),
        }
    }
}

/// Who manages the hooks of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// pre-commit, or prek, which reads the same file.
    PreCommit,
    /// lefthook.
    Lefthook,
    /// husky.
    Husky,
}

impl Manager {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::PreCommit, Self::Lefthook, Self::Husky];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::Lefthook => "lefthook",
            Self::Husky => "husky",
        }
    }

    /// What to write into its settings.
    pub const fn snippet(self) -> &'static str {
        match self {
            Self::PreCommit => include_str!("../../hooks/pre-commit-config.yaml"),
            Self::Lefthook => include_str!("../../hooks/lefthook.yml"),
            Self::Husky => include_str!("../../hooks/husky.sh"),
        }
    }

    /// Where it keeps its settings; any of these.
    const fn files(self) -> &'static [&'static str] {
        match self {
            Self::PreCommit => &[".pre-commit-config.yaml", "prek.toml"],
            Self::Lefthook => {
                &["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"]
            }
            Self::Husky => &[".husky/pre-push", ".husky/pre-commit", ".husky"],
        }
    }
}

/// What is where a hook would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Absent,
    /// Our script in this version, and whether it may be run.
    Ours {
        /// The version of the script, which is not that of the program.
        version: u32,
        /// Whether it is the text that would be installed now.
        is_current: bool,
        /// Whether git can run it.
        is_executable: bool,
    },
    /// Somebody else's.
    Foreign {
        /// Who wrote it, where that can be told.
        manager: Option<Manager>,
        /// Whether it calls us.
        calls: bool,
        /// Whether git can run it.
        is_executable: bool,
    },
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The hook is there now.
    Installed,
    /// A script of ours that git could not run was replaced.
    Updated,
    /// There was nothing to do: our script is there, or somebody else's that calls us.
    Same,
    /// The hook is gone.
    Removed,
    /// There was none of ours.
    Left,
}

/// Why a hook is not installed or removed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `core.hooksPath` names something else than a folder, as `/dev/null`.
    #[error("core.hooksPath is `{0}`, which is no folder: it turns all hooks off; unset it first")]
    Off(String),
    /// The folder serves other repositories.
    #[error(
        "core.hooksPath is `{0}`, which serves other repositories too; add this line to its `{1}`, or run `git config \
         core.hooksPath \"$(git rev-parse --path-format=absolute --git-common-dir)/hooks\"` to give this repository hooks \
         of its own"
    )]
    Shared(String, &'static str, &'static str),
    /// The folder is part of the project.
    #[error("`{0}` is tracked, so its hooks are everybody's; add this line to its `{1}` and commit it")]
    Tracked(String, &'static str, &'static str),
    /// Somebody else manages the folder.
    #[error("the hooks in `{0}` are {name}'s; it calls diffsieve with these lines", name = .2.name())]
    Managed(String, &'static str, Manager),
    /// Somebody else's hook.
    #[error("`{0}` is not ours and stays as it is; add this line to it, before anything that reads standard input")]
    Foreign(String, &'static str),
    /// A script with our mark and a text that we do not know.
    #[error(
        "`{0}` was edited by hand or is of another version of diffsieve, and stays as it is; compare it with `diffsieve hook \
         install --print` and move it away first"
    )]
    Edited(String),
    /// The file system.
    #[error("`{0}`: {1}")]
    Io(String, #[source] io::Error),
}

impl Error {
    /// The lines that the message speaks of, to be copied as they are.
    pub const fn lines(&self) -> Option<&'static str> {
        match self {
            Self::Shared(_, _, lines) | Self::Tracked(_, _, lines) => Some(lines),
            Self::Managed(_, lines, _) | Self::Foreign(_, lines) => Some(lines),
            Self::Off(_) | Self::Edited(_) | Self::Io(..) => None,
        }
    }

    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io(shown(path), error)
    }
}

/// The line that calls us from somebody else's hook.
const fn call(event: Event) -> &'static str {
    match event {
        Event::PrePush => "diffsieve hook pre-push \"$@\" || exit $?\n",
        Event::PreCommit => "diffsieve hook pre-commit || exit $?\n",
    }
}

/// What is there now.
///
/// # Errors
/// The file cannot be read.
pub fn state(folder: &HooksFolder, event: Event) -> Result<State, Error> {
    let path = folder.path.join(event.name());
    let failed = Error::io(&path);
    let meta = match fs::symlink_metadata(&path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(State::Absent);
        }
        Err(error) => return Err(failed(error)),
    };
    // What a link leads to is not replaced, whoever wrote it.
    if !meta.is_file() || meta.len() > MOST_BYTES {
        let calls = read(&path).is_ok_and(|text| calls(&text));
        let is_executable = fs::metadata(&path).is_ok_and(|meta| is_executable(&meta));
        return Ok(State::Foreign { manager: None, calls, is_executable });
    }
    let text = read(&path).map_err(failed)?;
    let version = text.lines().nth(1).and_then(|line| {
        let digits = line.strip_prefix(MARK)?;
        digits[..digits.find(|digit: char| !digit.is_ascii_digit())?].parse().ok()
    });
    Ok(match version {
        Some(version) => {
            State::Ours { version, is_current: text == event.script(), is_executable: is_executable(&meta) }
        }
        None => State::Foreign { manager: manager_of(&text), calls: calls(&text), is_executable: is_executable(&meta) },
    })
}

/// Puts our script there. Only a script of ours that nobody changed is ever replaced, and never half.
///
/// # Errors
/// The folder or the hook is somebody else's, or cannot be written.
pub fn install(folder: &HooksFolder, event: Event) -> Result<Done, Error> {
    let place = || shown(&folder.path);
    let (name, call) = (event.name(), call(event));
    match fs::metadata(&folder.path) {
        Ok(meta) if !meta.is_dir() => return Err(Error::Off(place())),
        Ok(_) | Err(_) => {}
    }
    if let Some(manager) = manager_of_folder(&folder.path) {
        return Err(Error::Managed(place(), manager.snippet(), manager));
    }
    if folder.set_by == SetBy::User || !folder.is_inside {
        return Err(Error::Shared(place(), name, call));
    }
    if folder.is_tracked {
        return Err(Error::Tracked(place(), name, call));
    }
    let path = folder.path.join(name);
    let done = match state(folder, event)? {
        State::Absent => Done::Installed,
        State::Ours { is_current: true, is_executable: true, .. } => return Ok(Done::Same),
        // There is no former text to know it by yet.
        State::Ours { is_current: false, .. } => return Err(Error::Edited(shown(&path))),
        State::Ours { .. } => Done::Updated,
        State::Foreign { calls: true, .. } => return Ok(Done::Same),
        State::Foreign { manager: Some(manager), .. } => {
            return Err(Error::Managed(shown(&path), manager.snippet(), manager));
        }
        State::Foreign { manager: None, .. } => return Err(Error::Foreign(shown(&path), call)),
    };
    write(&folder.path, &path, event.script(), done == Done::Updated).map_err(Error::io(&path))?;
    Ok(done)
}

/// Takes our script away; anybody else's stays, and so does ours with another text.
///
/// # Errors
/// The script was edited, or cannot be read or removed.
pub fn uninstall(folder: &HooksFolder, event: Event) -> Result<Done, Error> {
    match state(folder, event)? {
        State::Ours { is_current: false, .. } => Err(Error::Edited(shown(&folder.path.join(event.name())))),
        State::Ours { .. } => {
            let path = folder.path.join(event.name());
            fs::remove_file(&path).map_err(Error::io(&path))?;
            Ok(Done::Removed)
        }
        State::Absent | State::Foreign { .. } => Ok(Done::Left),
    }
}

/// The version of the script that is installed now.
pub fn current(event: Event) -> Option<u32> {
    let line = event.script().lines().nth(1)?.strip_prefix(MARK)?;
    line.split('.').next()?.parse().ok()
}

/// Each manager whose settings lie in the work tree: the file, and whether it calls us.
pub fn managers(root: &Path) -> Vec<(Manager, &'static str, bool)> {
    let of = |manager: Manager| {
        let there = manager.files().iter().filter(|file| root.join(file).exists());
        let file = there.clone().find(|file| read(&root.join(file)).is_ok_and(|text| calls(&text)));
        Some((manager, *file.or_else(|| there.clone().next())?, file.is_some()))
    };
    Manager::ALL.into_iter().filter_map(of).collect()
}

/// Whether a line that is no comment names us.
fn calls(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with('#') && line.contains("diffsieve"))
}

fn manager_of(text: &str) -> Option<Manager> {
    if text.contains("File generated by pre-commit") || text.contains("File generated by prek") {
        return Some(Manager::PreCommit);
    }
    text.to_ascii_lowercase().contains("lefthook").then_some(Manager::Lefthook)
}

/// husky owns its folder; lefthook writes every hook in its own.
fn manager_of_folder(folder: &Path) -> Option<Manager> {
    if folder.components().any(|part| part.as_os_str() == ".husky") {
        return Some(Manager::Husky);
    }
    let entries = fs::read_dir(folder).ok()?;
    let hooks = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.extension().is_none());
    let is_lefthook = |path: PathBuf| manager_of(&read(&path).unwrap_or_default()) == Some(Manager::Lefthook);
    hooks.take(64).any(is_lefthook).then_some(Manager::Lefthook)
}

fn read(path: &Path) -> io::Result<String> {
    // Opening a pipe would wait for its writer.
    if !fs::metadata(path)?.is_file() {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write(folder: &Path, path: &Path, text: &str, replace: bool) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".diffsieve-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    make_executable(file.as_file())?;
    file.as_file().sync_all()?;
    if replace {
        file.persist(path).map_err(|error| error.error)?;
    } else {
        // Whoever was there first stays.
        file.persist_noclobber(path).map_err(|error| error.error)?;
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

/// git runs hooks there whatever their mode.
#[cfg(not(unix))]
fn make_executable(_file: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
const fn is_executable(_meta: &fs::Metadata) -> bool {
    true
}

fn shown(path: &Path) -> String {
    escape::visible(&path.to_string_lossy())
}
