//! Path globs, the one kind there is: of configuration, packs and conditions.

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::escape;
use crate::finding::RepoPath;

/// A set of path globs. `*` and `?` stay inside a folder, `**` crosses folders, `{a,b}` and `[a-z]` as usual; a glob
/// without `/` matches the file name in any folder.
#[derive(Debug, Clone, Default)]
pub struct Globs(GlobSet);

/// A pattern that is no glob, and the reason; safe to show.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is no glob: {why}")]
pub struct BadGlob {
    pattern: String,
    why: String,
}

impl Globs {
    /// Compiles patterns.
    ///
    /// # Errors
    /// The first pattern that is no glob, or all of them where they are too large together.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, BadGlob> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            set.add(glob(pattern)?);
        }
        let too_large =
            |error: globset::Error| BadGlob { pattern: "the list".to_owned(), why: error.kind().to_string() };
        set.build().map(Self).map_err(too_large)
    }

    /// Whether one of them matches. Names that are not UTF-8 are matched as the bytes they are.
    pub fn is_match(&self, path: &RepoPath) -> bool {
        !self.0.is_empty() && self.0.is_match_candidate(&Candidate::from_bytes(path.bytes()))
    }
}

/// Whether a pattern is a glob.
///
/// # Errors
/// Why it is none.
pub fn check_glob(pattern: &str) -> Result<(), BadGlob> {
    glob(pattern).map(drop)
}

fn glob(pattern: &str) -> Result<Glob, BadGlob> {
    let anchored =
        if pattern.contains('/') { pattern.trim_start_matches('/').to_owned() } else { format!("**/{pattern}") };
    GlobBuilder::new(&anchored)
        .literal_separator(true)
        .build()
        .map_err(|error| BadGlob { pattern: escape::visible(pattern), why: escape::visible(&error.kind().to_string()) })
}
