//! The only place that reads the environment and the clock.

use std::ffi::OsString;
use std::path::PathBuf;

use diffsieve::baseline::Date;

/// A variable.
pub(super) fn var(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The user's own configuration file.
pub(super) fn user_config() -> Option<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let base = base.or_else(|| set("HOME").map(|home| home.join(".config")));
    Some(base?.join("diffsieve").join("config.toml"))
}

/// The user's own folder for answers of models.
pub(super) fn user_cache() -> Option<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let base = base.or_else(|| set("HOME").map(|home| home.join(".cache")));
    Some(base?.join("diffsieve").join("answers"))
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
