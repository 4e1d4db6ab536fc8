//! `diffsieve cache`: the answers of models that are kept.

use super::args::{CacheCommand, ModelArgs};
use super::exit::Exit;
use super::{Failure, model};

pub(super) fn run(command: CacheCommand) -> Result<Exit, Failure> {
    let (cache, clear) = match command {
        CacheCommand::Stats { cache } => (cache, false),
        CacheCommand::Clear { cache } => (cache, true),
    };
    let (folder, cache) = model::cache(&ModelArgs { cache, ..ModelArgs::default() })?;
    let stats = cache.stats().map_err(anyhow::Error::from)?;
    if clear {
        cache.clear().map_err(anyhow::Error::from)?;
    }
    let what = if clear { "removed" } else { "kept" };
    let folder = super::shown(&folder);
    super::print(&format!("{} answers {what}, {} bytes, in {folder}\n", stats.entries, stats.bytes))
}
