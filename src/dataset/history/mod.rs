//! Datasets from the history of a clone: fixes and what they mend ([`fn@cr_bench`]), merged changes that are worth a review
//! ([`collect()`]), changes whose lines stood the test of time ([`clean()`]). Everything but blame is read without any program;
//! the same clone and options give the same bytes.

mod bots;
mod changes;
mod clean;
mod code;
mod collect;
mod cr_bench;
mod export;
mod fixes;
mod funnel;
mod joined;
mod landing;
mod mended;
mod origin;
mod people;
mod quality;
mod tokens;
mod value;

use crate::finding::RepoPath;
use crate::git::{Ancestry, Oid, Repository};
use crate::rules::Rules;
use crate::syntax::Language;
use crate::{diff, git, record};

pub use bots::{ai_review_share, is_ai_text, is_bot_name};
pub use changes::{Kind, Landed};
pub use clean::{CleanOptions, Survive, clean};
pub use collect::{CollectOptions, Profile, collect};
pub use cr_bench::{CrBenchOptions, cr_bench};
pub use export::{Export, Note, PullRequest};
pub use fixes::{fixes_in, reads_as_fix};
pub use funnel::{Built, Funnel, Texts};
pub use people::{Evidence, is_substantive};
pub use quality::{Points, RepositoryQuality};
pub use tokens::{Count, Tokenizer};
pub use value::ReviewValue;

/// Why a dataset cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The clone.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The git program.
    #[error(transparent)]
    Blame(#[from] super::blame::Error),
    /// The folder that is written, or a file that is read.
    #[error(transparent)]
    Record(#[from] record::Error),
    /// Neither `A..B` nor a revision.
    #[error("`{0}` is no range of commits; write A..B, or B for everything up to it")]
    Range(String),
    /// An export of which nothing is understood.
    #[error("the export holds no pull requests that can be read: {0}")]
    Export(String),
    /// Tokens that a program did not count.
    #[error("tokens: {0}")]
    Tokens(String),
    /// How long lines are to survive.
    #[error("`{0}` is no length of time; write a number of changes such as 200, or days or months such as 90d or 6m")]
    Survive(String),
}

/// What a reader of history keeps at hand: the clone, everything that a tip leads to, the first-parent line of the tip,
/// and which paths hold tests and prose.
pub struct Past<'a> {
    /// The clone.
    pub repo: &'a Repository,
    /// Where history ends.
    pub tip: Oid,
    ancestry: Ancestry,
    line: changes::MainLine,
    rules: Rules,
}

/// What a file is to a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Code of the product, in a language that can be parsed.
    Source(Language),
    /// Code of tests, by its path.
    Test,
    /// Prose or an example, by its path.
    Docs,
    /// Generated, vendored, or a lock file.
    Generated,
    /// Anything else.
    Other,
}

impl<'a> Past<'a> {
    /// Reads everything behind a tip.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn read(repo: &'a Repository, tip: Oid) -> Result<Self, Error> {
        let ancestry = repo.ancestry(tip)?;
        let line = changes::MainLine::new(&ancestry, tip, |_| false);
        Ok(Self { repo, tip, ancestry, line, rules: Rules::of_secrets() })
    }

    /// What the file is, by its path and the attributes.
    pub fn sort(&self, path: &RepoPath, class: diff::PathClass) -> Sort {
        let is = |name: &str| self.rules.classes.contains(name, path, class);
        let name = path.file_name();
        let is_recipe =
            name == b"CMakeLists.txt" || name.starts_with(b"requirements") || name.starts_with(b"constraints");
        let text_file = name.ends_with(b".txt") && !is_recipe;
        match Language::of_path(path, None) {
            _ if class.generated || class.vendored || class.lock => Sort::Generated,
            _ if is("test") => Sort::Test,
            _ if is("docs") || is("example") || text_file => Sort::Docs,
            Some(language) if language != Language::Yaml => Sort::Source(language),
            _ => Sort::Other,
        }
    }

    /// Everything that differs between two commits, with its lines; all is new where there is none before.
    fn diff(&self, base: Option<Oid>, head: Oid) -> Result<diff::ChangeSet, Error> {
        let tree = self.repo.tree_of(head)?;
        let old = match base {
            Some(base) => git::Side::Tree(self.repo.tree_of(base)?),
            None => git::Side::Empty,
        };
        let (new, limits, none) = (git::Side::Tree(tree), diff::Limits::default(), diff::Globs::default());
        Ok(diff::ChangeSet::between(self.repo, &old, &new, Some(tree), &limits, &none)?)
    }

    /// Whether the commit before is known to exist and is not here: the clone is shallow.
    fn is_cut(&self, commit: Oid) -> Result<bool, Error> {
        Ok(self.ancestry.parents(commit).is_empty() && !self.repo.commit(commit)?.parents.is_empty())
    }
}

/// The ends of `A..B`; of `B` alone, everything up to it. An end that is left out is HEAD.
///
/// # Errors
/// A name that names no commit, or `A...B`.
pub fn range(repo: &Repository, text: &str) -> Result<(Option<Oid>, Oid), Error> {
    if text.contains("...") {
        return Err(Error::Range(crate::escape::visible(text)));
    }
    let resolve = |name: &str| repo.resolve(if name.is_empty() { "HEAD" } else { name });
    Ok(match text.split_once("..") {
        Some((from, to)) => (Some(resolve(from)?), resolve(to)?),
        None => (None, resolve(text)?),
    })
}

/// The first letters of a name that an id of a case may have.
fn slug(name: &str) -> String {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(name);
    let kept = last.trim_end_matches(".git").chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c));
    let slug: String = kept.take(60).collect();
    if slug.is_empty() { "case".to_owned() } else { slug }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_slug_names_a_repository() {
        assert_eq!(super::slug("owner/name.git"), "name");
        assert_eq!(super::slug("/srv/../"), "case");
    }
}
