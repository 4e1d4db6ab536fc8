//! The only place that reads the environment and the clock.

use std::ffi::OsString;
use std::path::PathBuf;

use diffsieve::baseline::Date;

/// A variable.
pub(super) fn var(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// All variables, for a program that the user names.
pub(super) fn all() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// The user's own configuration file.
pub(super) fn user_config() -> Option<PathBuf> {
    Some(user_folder("XDG_CONFIG_HOME", ".config")?.join("config.toml"))
}

/// The user's own folder for answers of models.
pub(super) fn user_cache() -> Option<PathBuf> {
    Some(user_folder("XDG_CACHE_HOME", ".cache")?.join("answers"))
}

/// Our folder below one of the user's, which a variable names or which has this name in HOME.
fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set(variable).filter(|path| path.is_absolute());
    Some(base.or_else(|| set("HOME").map(|home| home.join(in_home)))?.join("diffsieve"))
}

/// Today, in UTC.
pub(super) fn today() -> Option<Date> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Date::of_unix_seconds(now.as_secs()))
}

/// Threads worth starting.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
