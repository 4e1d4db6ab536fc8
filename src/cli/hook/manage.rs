//! `diffsieve hook install`, `uninstall`, `status`.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use diffsieve::escape;
use diffsieve::git::{HookCommand, HooksFolder, Repository, SetBy};
use diffsieve::hook::{self, Done, Event, State as Found};

use crate::cli::args::HookName;
use crate::cli::doctor::State;
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, output, print, shown};

impl From<HookName> for Event {
    fn from(name: HookName) -> Self {
        match name {
            HookName::PrePush => Self::PrePush,
            HookName::PreCommit => Self::PreCommit,
        }
    }
}

fn events(named: &[HookName], default: &[Event]) -> Vec<Event> {
    let mut events: Vec<Event> = named.iter().copied().map(Event::from).collect();
    if events.is_empty() {
        events.extend(default);
    }
    events.dedup();
    events
}

fn open(directory: Option<PathBuf>) -> Result<Repository, Failure> {
    Ok(Repository::open(crate::cli::start(directory.as_deref()), &env::var)?)
}

pub(in crate::cli) fn install(
    hooks: &[HookName],
    print_only: bool,
    config_based: bool,
    directory: Option<PathBuf>,
) -> Result<Exit, Failure> {
    let events = events(hooks, &[Event::PrePush]);
    if print_only {
        let scripts: Vec<_> = events.into_iter().map(Event::script).collect();
        return print(&scripts.join("\n"));
    }
    let repo = open(directory)?;
    let folder = repo.hooks_folder(&env::var)?;
    let mut exit = Exit::Passed;
    for event in events {
        if config_based {
            into_settings(&repo, &folder, event)?;
            continue;
        }
        if setting(&repo, event).is_some_and(|hook| hook.enabled) {
            return Err(anyhow!(
                "git's settings call diffsieve before {} already; `diffsieve hook uninstall {}` takes that away",
                doing(event),
                event.name()
            )
            .into());
        }
        let path = shown(&folder.path.join(event.name()));
        match hook::install(&folder, event) {
            Ok(Done::Updated) => output::say(&format!("{}: updated, {path}", event.name())),
            Ok(Done::Same) => output::say(&format!("{}: up to date, {path}", event.name())),
            Ok(_) => output::say(&format!("{}: installed, {path}", event.name())),
            Err(error) => {
                output::say(&format!("{}: not installed: {error}", event.name()));
                if let Some(lines) = error.lines() {
                    print(lines)?;
                }
                exit = Exit::Usage;
            }
        }
    }
    if exit == Exit::Passed && on_path().is_none() {
        output::say("diffsieve is not on PATH: hooks find it there only, and say so and review nothing until they do");
    }
    Ok(exit)
}

fn into_settings(repo: &Repository, folder: &HooksFolder, event: Event) -> Result<(), Failure> {
    if let Found::Ours { .. } = hook::state(folder, event).map_err(anyhow::Error::from)? {
        return Err(anyhow!(
            "the hook `{}` is installed already, and git would run both; `diffsieve hook uninstall {}` takes it away",
            shown(&folder.path.join(event.name())),
            event.name()
        )
        .into());
    }
    let (name, command) = event.setting();
    repo.set_hook_command(name, event.name(), Some(command))?;
    output::say(&format!(
        "{}: hook.{name} is set in the repository's configuration; git 2.54 and later run it, older ones ignore it",
        event.name()
    ));
    Ok(())
}

pub(super) fn uninstall(hooks: &[HookName], directory: Option<PathBuf>) -> Result<Exit, Failure> {
    let repo = open(directory)?;
    let folder = repo.hooks_folder(&env::var)?;
    let mut exit = Exit::Passed;
    for event in events(hooks, &Event::ALL) {
        let path = shown(&folder.path.join(event.name()));
        let setting_name = event.setting().0;
        let settings = setting(&repo, event).is_some();
        if settings {
            let done = if repo.set_hook_command(setting_name, event.name(), None)? {
                "is removed from the configuration"
            } else {
                "is not set in this repository's own configuration and stays"
            };
            output::say(&format!("{}: hook.{setting_name} {done}", event.name()));
        }
        let done = match hook::uninstall(&folder, event) {
            Ok(done) => done,
            Err(error) => {
                output::say(&format!("{}: not removed: {error}", event.name()));
                exit = Exit::Usage;
                continue;
            }
        };
        match done {
            Done::Removed => output::say(&format!("{}: removed, {path}", event.name())),
            _ if hook::state(&folder, event).is_ok_and(|state| state != Found::Absent) => {
                output::say(&format!("{}: `{path}` is not ours and stays as it is", event.name()));
            }
            _ if settings => {}
            _ => output::say(&format!("{}: there is none", event.name())),
        }
    }
    Ok(exit)
}

/// Our hook in git's settings.
fn setting(repo: &Repository, event: Event) -> Option<HookCommand> {
    repo.hook_commands()
        .into_iter()
        .find(|hook| hook.name == event.setting().0 && hook.events.iter().any(|name| name == event.name()))
}

pub(super) fn status(directory: Option<PathBuf>) -> Result<Exit, Failure> {
    let lines: Vec<String> = lines(&open(directory)?)?.into_iter().map(|(_, line)| line).collect();
    print(&(lines.join("\n") + "\n"))
}

/// How hooks stand in a repository. Broken is a hook that is installed and does not review; that there is none is as
/// good as that there is one.
pub(in crate::cli) fn lines(repo: &Repository) -> Result<Vec<(State, String)>, Failure> {
    let folder = repo.hooks_folder(&env::var)?;
    let managers = repo.root().map(hook::managers).unwrap_or_default();
    let is_managed = managers.iter().any(|(_, _, calls)| *calls);
    let mut lines = vec![folder_line(&folder)];
    let mut is_installed = false;
    for event in Event::ALL {
        let name = event.name();
        let found = hook::state(&folder, event).map_err(anyhow::Error::from)?;
        let calls = matches!(found, Found::Ours { .. } | Found::Foreign { calls: true, .. });
        let (state, line) = state_line(&found, &folder.path.join(name));
        lines.push((state, format!("{name}: {line}")));
        let setting = setting(repo, event);
        let is_set = setting.as_ref().is_some_and(|hook| hook.enabled);
        is_installed |= calls || is_set;
        if let Some(hook) = setting {
            let (state, enabled) = if hook.enabled { (State::Good, "") } else { (State::Remark, ", turned off") };
            let (own, command) = (escape::visible(&hook.name), escape::visible(&hook.command));
            let line = format!("{name}: hook.{own} in git's settings (git 2.54 and later) runs `{command}`{enabled}");
            lines.push((state, line));
        }
        if !calls && !is_set && folder.path != folder.default {
            lines.extend(passed_over(&folder, event, is_managed)?);
        }
    }
    lines.push(match on_path() {
        Some(path) => (State::Good, format!("diffsieve {}: on PATH, {}", env!("CARGO_PKG_VERSION"), shown(&path))),
        None => {
            let state = if is_installed { State::Broken } else { State::Good };
            (state, "diffsieve: not on PATH, so hooks say so and review nothing; install it there".to_owned())
        }
    });
    for (manager, file, calls) in managers {
        let calls = if calls { "calls diffsieve" } else { "does not call diffsieve" };
        lines.push((State::Good, format!("{}: {file} {calls}", manager.name())));
    }
    Ok(lines)
}

/// Our hook in the folder that git would look into, had no setting named another.
fn passed_over(folder: &HooksFolder, event: Event, is_managed: bool) -> Result<Option<(State, String)>, Failure> {
    let default = HooksFolder { path: folder.default.clone(), ..folder.clone() };
    let found = hook::state(&default, event).map_err(anyhow::Error::from)?;
    let Found::Ours { .. } = found else { return Ok(None) };
    // A manager leaves behind what was there before it.
    let state = if is_managed { State::Remark } else { State::Broken };
    let line = format!(
        "{}: installed in {}, where git does not look: core.hooksPath names another folder; unset it (`git config --unset \
         core.hooksPath`, with --global if it is the user's), or call diffsieve from there",
        event.name(),
        shown(&default.path)
    );
    Ok(Some((state, line)))
}

fn folder_line(folder: &HooksFolder) -> (State, String) {
    let path = shown(&folder.path);
    let set_by = match folder.set_by {
        SetBy::Default => "",
        SetBy::Repository => ", core.hooksPath of this repository",
        SetBy::User => ", core.hooksPath of the user or the system, for all repositories",
    };
    let tracked = if folder.is_tracked { ", tracked" } else { "" };
    let is_off = folder.path.exists() && !folder.path.is_dir();
    let (state, off) = if is_off { (State::Remark, ", no folder: all hooks are off") } else { (State::Good, "") };
    (state, format!("hooks: {path}{set_by}{tracked}{off}"))
}

fn state_line(found: &Found, path: &Path) -> (State, String) {
    let path = shown(path);
    match *found {
        Found::Absent => (State::Good, "absent".to_owned()),
        Found::Foreign { manager, calls, is_executable } => {
            let whose = manager.map_or_else(|| "not ours".to_owned(), |manager| format!("of {}", manager.name()));
            let calls_us = if calls { ", calls diffsieve" } else { "" };
            let (state, what) = match (calls, is_executable) {
                (true, false) => (State::Broken, ", not executable: git ignores it; make it executable"),
                _ => (State::Good, ""),
            };
            (state, format!("{whose}{calls_us}, {path}{what}"))
        }
        Found::Ours { version, is_current, is_executable } => {
            let (state, what) = match (is_current, is_executable) {
                (true, false) => {
                    (State::Broken, ", not executable: git ignores it; `diffsieve hook install` mends that")
                }
                (false, false) => {
                    (State::Broken, ", edited by hand, not executable: git ignores it; make it executable")
                }
                (true, true) => (State::Good, ""),
                (false, true) => (State::Remark, ", edited by hand or of another version of diffsieve"),
            };
            (state, format!("installed, version {version}, {path}{what}"))
        }
    }
}

fn doing(event: Event) -> &'static str {
    match event {
        Event::PrePush => "a push",
        Event::PreCommit => "a commit",
    }
}

/// Where a hook would find the program.
fn on_path() -> Option<PathBuf> {
    let path = env::var("PATH")?;
    let name = format!("diffsieve{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
