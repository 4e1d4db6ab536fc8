//! Where git looks for hooks: the one question, beside how a repository is stored, that its settings answer. They only
//! say where a person who asks for it gets a hook installed.

use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice as _};
use gix::config::source::Kind;

use super::error::chain;
use super::error::shown;
use super::{Env, Error, Repository, index, normal};

/// Who says where the hooks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// Nobody: the folder `hooks` of the repository.
    Default,
    /// `core.hooksPath` of this repository or work tree.
    Repository,
    /// `core.hooksPath` of the user, the system or the environment: the folder serves other repositories too.
    User,
}

/// The folder of the hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksFolder {
    /// Absolute, as far as git resolves it.
    pub path: PathBuf,
    /// The folder that git would look into if no setting named another.
    pub default: PathBuf,
    /// Who chose it.
    pub set_by: SetBy,
    /// Whether it lies in this repository or its work tree.
    pub is_inside: bool,
    /// Whether files in it are tracked, so that everybody who clones gets them.
    pub is_tracked: bool,
}

/// A hook that the settings define (`hook.NAME.*`, git 2.54).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// `NAME`; untrusted.
    pub name: String,
    /// What git runs; untrusted.
    pub command: String,
    /// When; untrusted.
    pub events: Vec<String>,
    /// Unless `hook.NAME.enabled` is false.
    pub enabled: bool,
}

impl Repository {
    /// Where git looks for hooks from this work tree. `env` gives `HOME`.
    ///
    /// # Errors
    /// The setting names another user's home, or the index cannot be read.
    pub fn hooks_folder(&self, env: Env<'_>) -> Result<HooksFolder, Error> {
        let repo = self.local();
        let common = absolute(repo.common_dir());
        let set = self.hooks_path();
        let default = resolved(&common.join("hooks"));
        let (path, set_by) = match set {
            None => (default.clone(), SetBy::Default),
            Some((value, set_by)) => (self.resolve_setting(&value, env)?, set_by),
        };
        let path = resolved(&path);
        let roots = [self.root.as_deref(), Some(common.as_path()), Some(repo.git_dir())];
        let is_inside = roots.into_iter().flatten().any(|root| path.starts_with(resolved(root)));
        let is_tracked = match self.root.as_deref().map(resolved) {
            Some(root) => path.strip_prefix(&root).ok().map(|below| self.has_tracked(below)).transpose()?,
            None => None,
        };
        Ok(HooksFolder { path, default, set_by, is_inside, is_tracked: is_tracked.unwrap_or(false) })
    }

    /// The last `core.hooksPath` that is set.
    fn hooks_path(&self) -> Option<(BString, SetBy)> {
        let repo = self.local();
        let config = repo.config_snapshot();
        let sections = config.plumbing().sections_by_name("core")?;
        let values = sections.filter(|section| section.header().subsection_name().is_none()).filter_map(|section| {
            let set_by = match section.meta().source.kind() {
                Kind::Repository => SetBy::Repository,
                _ => SetBy::User,
            };
            Some((section.value("hooksPath")?, set_by))
        });
        values.last()
    }

    fn resolve_setting(&self, value: &BString, env: Env<'_>) -> Result<PathBuf, Error> {
        let path = gix::path::from_bstr(value.as_bstr());
        let refused = || Error::HooksPath(crate::escape::visible(&value.to_str_lossy()));
        let path = path.map_err(|_| refused())?;
        let below_home = match path.strip_prefix("~") {
            Ok(below) => env("HOME").filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(below)),
            Err(_) if value.starts_with(b"~") || value.starts_with(b"%(") => None,
            // Hooks run at the top of the work tree, in a bare repository in its own folder.
            Err(_) => {
                let top = self.root.clone().unwrap_or_else(|| self.local().git_dir().to_owned());
                Some(absolute(&top).join(&path))
            }
        };
        below_home.ok_or_else(refused)
    }

    fn has_tracked(&self, folder: &Path) -> Result<bool, Error> {
        let folder = folder.to_string_lossy();
        let mut prefix = folder.replace('\\', "/").into_bytes();
        if prefix.is_empty() {
            return Ok(true);
        }
        prefix.push(b'/');
        let index = index::open(self, &self.local())?;
        Ok(index.entries().iter().any(|entry| entry.path(&index).starts_with(&prefix)))
    }

    /// The hooks of the settings, in the order in which git reads them.
    pub fn hook_commands(&self) -> Vec<HookCommand> {
        let repo = self.local();
        let config = repo.config_snapshot();
        let mut found: Vec<HookCommand> = Vec::new();
        for section in config.plumbing().sections_by_name("hook").into_iter().flatten() {
            let Some(name) = section.header().subsection_name().map(|name| name.to_str_lossy().into_owned()) else {
                continue;
            };
            let at = found.iter().position(|hook| hook.name == name).unwrap_or_else(|| {
                found.push(HookCommand { name, command: String::new(), events: Vec::new(), enabled: true });
                found.len() - 1
            });
            let hook = &mut found[at];
            if let Some(command) = section.value("command") {
                hook.command = command.to_str_lossy().into_owned();
            }
            for event in section.values("event") {
                // An empty value empties the list.
                if event.is_empty() {
                    hook.events.clear();
                } else {
                    hook.events.push(event.to_str_lossy().into_owned());
                }
            }
            if let Some(enabled) = section.value("enabled") {
                hook.enabled = gix::config::Boolean::try_from(enabled.as_bstr()).is_ok_and(|value| value.0);
            }
        }
        found
    }

    /// Writes `hook.NAME.command` and `hook.NAME.event` into the repository's own settings, or takes them away where
    /// there is no command. Everything else in the file stays as it is. Says whether the file was changed.
    ///
    /// # Errors
    /// The file is locked by somebody, cannot be parsed, or cannot be written.
    pub fn set_hook_command(&self, name: &str, event: &str, command: Option<&str>) -> Result<bool, Error> {
        let repo = self.local();
        let path = absolute(repo.common_dir()).join("config");
        let failed = |error: gix::Error| Error::Settings { path: shown(&path), why: chain(&error) };
        let mut file = repo.config_file_mut(path.clone()).map_err(failed)?;
        let mut changed = false;
        while file.remove_section("hook", name).is_some() {
            changed = true;
        }
        if let Some(command) = command {
            let mut section = file.new_section("hook", Some(BString::from(name))).map_err(failed)?;
            for (key, value) in [("command", command), ("event", event)] {
                section.push(key, value).map_err(failed)?;
            }
            changed = true;
        }
        if changed {
            file.commit().map_err(failed)?;
        }
        Ok(changed)
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// As the file system has it, so that prefixes compare; the last parts need not exist yet.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = std::fs::canonicalize(path) {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => normal(path),
    }
}
