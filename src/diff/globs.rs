//! Path globs, the one kind there is: of configuration, packs and conditions.

use std::sync::OnceLock;

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::escape;
use crate::finding::RepoPath;

/// A set of path globs. `*` and `?` stay inside a folder, `**` crosses folders, `{a,b}` and `[a-z]` as usual; a glob
/// without `/` matches the file name in any folder, and one that ends in `/` everything in that folder.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    globs: Vec<Glob>,
    /// Compiled at first use: most reviews ask few of the sets they know.
    set: OnceLock<GlobSet>,
}

/// A pattern that is no glob, and the reason; safe to show.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is no glob: {why}")]
pub struct BadGlob {
    pattern: String,
    why: String,
}

/// Longest pattern, in bytes; together with the number of alternatives it bounds what a set can grow to.
const MAX_GLOB: usize = 1_024;

impl Globs {
    /// Reads patterns.
    ///
    /// # Errors
    /// The first pattern that is no glob.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, BadGlob> {
        let globs = patterns.into_iter().map(glob).collect::<Result<_, _>>()?;
        Ok(Self { globs, set: OnceLock::new() })
    }

    /// Compiles them now, to learn what is wrong with them together.
    ///
    /// # Errors
    /// They are too large as one set.
    pub fn check(&self) -> Result<(), BadGlob> {
        let too_large =
            |error: globset::Error| BadGlob { pattern: "the list".to_owned(), why: error.kind().to_string() };
        compile(&self.globs).map(drop).map_err(too_large)
    }

    /// Whether one of them matches. Names that are not UTF-8 are matched as the bytes they are.
    pub fn is_match(&self, path: &RepoPath) -> bool {
        if self.globs.is_empty() {
            return false;
        }
        // What `check` would refuse matches nothing.
        self.set
            .get_or_init(|| compile(&self.globs).unwrap_or_default())
            .is_match_candidate(&Candidate::from_bytes(path.bytes()))
    }
}

fn compile(globs: &[Glob]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    set.build()
}

/// Whether a pattern is a glob.
///
/// # Errors
/// Why it is none.
pub fn check_glob(pattern: &str) -> Result<(), BadGlob> {
    glob(pattern).map(drop)
}

fn glob(pattern: &str) -> Result<Glob, BadGlob> {
    let (body, all) = pattern.strip_suffix('/').map_or((pattern, ""), |folder| (folder, "/**"));
    let start = if body.contains('/') { "" } else { "**/" };
    let anchored = format!("{start}{}{all}", body.trim_start_matches('/'));
    if pattern.len() > MAX_GLOB {
        let why = format!("it is longer than {MAX_GLOB} bytes");
        return Err(BadGlob { pattern: escape::visible(&pattern.chars().take(40).collect::<String>()), why });
    }
    GlobBuilder::new(&anchored)
        .literal_separator(true)
        .build()
        .map_err(|error| BadGlob { pattern: escape::visible(pattern), why: escape::visible(&error.kind().to_string()) })
}
