//! Revisions, refs and the shape of history.

use gix::bstr::ByteSlice as _;

use super::error::chain;
use super::{Error, Oid, Repository};
use crate::escape;

/// No name of git is longer; what is quoted in a message should not be either.
const LONGEST: usize = 4096;

/// A commit and what a review needs of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: Oid,
    /// Its tree.
    pub tree: Oid,
    /// Its parents as written in it, in order; in a shallow clone they need not be there.
    pub parents: Vec<Oid>,
}

/// Where HEAD points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// At a branch with a commit.
    Branch {
        /// The full name, such as `refs/heads/main`; untrusted.
        name: String,
        /// Its commit.
        id: Oid,
    },
    /// At a commit.
    Detached {
        /// The commit.
        id: Oid,
    },
    /// At a branch that has no commit yet.
    Unborn {
        /// The full name; untrusted.
        name: String,
    },
}

impl Head {
    /// The commit, unless HEAD is unborn.
    pub const fn id(&self) -> Option<Oid> {
        match self {
            Self::Branch { id, .. } | Self::Detached { id } => Some(*id),
            Self::Unborn { .. } => None,
        }
    }
}

/// The branch that others branch from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamDefault {
    /// Short name for prose, such as `origin/main`; untrusted.
    pub name: String,
    /// Its tip.
    pub id: Oid,
}

impl Repository {
    /// The commit that a revision names; tags are followed.
    ///
    /// # Errors
    /// An unknown or ambiguous revision, one that is no commit, or one that a shallow clone lacks.
    pub fn resolve(&self, rev: &str) -> Result<Oid, Error> {
        let shown = || escape::visible(rev);
        let refused = |why: &str| Error::BadRevision { rev: shown(), why: why.to_owned() };
        if rev.len() > LONGEST {
            let rev = format!("{}…", escape::visible(&rev.chars().take(40).collect::<String>()));
            return Err(Error::BadRevision { rev, why: format!("it is longer than {LONGEST} bytes") });
        }
        if rev.is_empty() || rev.starts_with('-') {
            return Err(refused("a revision is not empty and does not begin with `-`"));
        }
        if rev.contains("..") || rev.chars().any(char::is_control) {
            return Err(refused("one commit is needed here"));
        }
        let repo = self.local();
        let found = repo
            .rev_parse_single(format!("{rev}^{{commit}}").as_str())
            .or_else(|error| repo.rev_parse_single(rev).map_err(|_| error));
        let id = match found {
            Ok(id) => id.detach(),
            Err(error) => return Err(self.explain_revision(rev, &error)),
        };
        self.commit(Oid(id)).map(|commit| commit.id).map_err(|error| match error {
            Error::CorruptObject { .. } if self.is_no_commit(Oid(id)) => refused("it is not a commit"),
            other => other,
        })
    }

    /// Whether an object can be read and is something else than a commit.
    fn is_no_commit(&self, id: Oid) -> bool {
        self.local().find_header(id.0).is_ok_and(|header| header.kind() != gix::objs::Kind::Commit)
    }

    fn explain_revision(&self, rev: &str, error: &gix::Error) -> Error {
        let why = chain(error);
        let shown = escape::visible(rev);
        if why.to_ascii_lowercase().contains("ambiguous") {
            return Error::AmbiguousRevision(shown);
        }
        let is_id = rev.len() >= 7 && rev.bytes().all(|byte| byte.is_ascii_hexdigit());
        if self.is_shallow() && (is_id || rev.contains(['~', '^'])) {
            return Error::ShallowRevision(shown);
        }
        let why = if error.is_not_found() { "no branch, tag or commit has this name".to_owned() } else { why };
        Error::BadRevision { rev: shown, why }
    }

    /// The commit a full ref name points at, tags followed; `None` where there is no such ref. The name may come from
    /// outside: it is looked up as a name and never parsed as an expression.
    pub fn find_ref(&self, full_name: &str) -> Option<Oid> {
        let repo = self.local();
        let mut reference = repo.try_find_reference(full_name).ok()??;
        if reference.name().as_bstr() != full_name {
            return None;
        }
        let id = reference.peel_to_commit().ok()?.id;
        Some(Oid(id))
    }

    /// A commit by its id; an annotated tag is followed.
    ///
    /// # Errors
    /// It is missing, damaged, or no commit.
    pub fn commit(&self, id: Oid) -> Result<Commit, Error> {
        let repo = self.local();
        let object = repo.find_object(id.0).map_err(|error| self.explain_object(id, &error))?;
        let object = object
            .peel_to_kind(gix::objs::Kind::Commit)
            .map_err(|error| Error::CorruptObject { id, why: chain(&error) })?;
        let commit = object.into_commit();
        let corrupt = |error: gix::Error| Error::CorruptObject { id, why: chain(&error) };
        let tree = commit.tree_id().map_err(corrupt)?.detach();
        let parents = commit.parent_ids().map(|id| Oid(id.detach())).collect();
        Ok(Commit { id: Oid(commit.id), tree: Oid(tree), parents })
    }

    pub(in crate::git) fn explain_object(&self, id: Oid, error: &gix::Error) -> Error {
        if error.is_corrupted() || !error.is_not_found() {
            return Error::CorruptObject { id, why: chain(error) };
        }
        Error::MissingObject { id, why: self.missing() }
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn tree_of(&self, commit: Oid) -> Result<Oid, Error> {
        self.commit(commit).map(|commit| commit.tree)
    }

    /// Whether the object is in the repository.
    pub fn has(&self, id: Oid) -> bool {
        self.local().has_object(id.0)
    }

    /// The best common ancestors of two commits, at least one; the first is the one to use.
    ///
    /// # Errors
    /// None is known: history is cut off, or the histories are unrelated.
    pub fn merge_bases(&self, one: Oid, other: Oid) -> Result<Vec<Oid>, Error> {
        if one == other {
            return Ok(vec![one]);
        }
        let repo = self.local();
        let bases = repo.merge_bases_many(one.0, &[other.0]).map_err(|error| {
            if self.is_shallow() { Error::ShallowMergeBase { one, other } } else { self.explain_object(one, &error) }
        })?;
        if bases.is_empty() {
            return Err(if self.is_shallow() {
                Error::ShallowMergeBase { one, other }
            } else {
                Error::Unrelated { one, other }
            });
        }
        Ok(bases.into_iter().map(|id| Oid(id.detach())).collect())
    }

    /// Where HEAD points.
    ///
    /// # Errors
    /// HEAD is damaged or its commit is missing.
    pub fn head(&self) -> Result<Head, Error> {
        let repo = self.local();
        let mut head = repo.head().map_err(|error| Error::Refs(chain(&error)))?;
        let name = head.referent_name().map(|name| name.as_bstr().to_str_lossy().into_owned());
        if head.is_unborn() {
            return Ok(Head::Unborn { name: name.unwrap_or_default() });
        }
        let id = match head.try_peel_to_id() {
            Ok(Some(id)) => id.detach(),
            Ok(None) => return Err(Error::Refs("HEAD names no object".to_owned())),
            Err(error) => {
                let why = chain(&error);
                // The ref is well, what it names is not.
                return Err(match head.id().map(|id| Oid(id.detach())) {
                    Some(id) if !self.has(id) => Error::MissingObject { id, why: self.missing() },
                    Some(id) => Error::CorruptObject { id, why },
                    None => Error::Refs(why),
                });
            }
        };
        let id = Oid(id);
        Ok(name.map_or(Head::Detached { id }, |name| Head::Branch { name, id }))
    }

    /// `origin/HEAD`, else `origin/main`, `origin/master`, else local `main`, `master`.
    pub fn upstream_default(&self) -> Option<UpstreamDefault> {
        let repo = self.local();
        let symbolic = repo.try_find_reference("refs/remotes/origin/HEAD").ok().flatten().and_then(|reference| {
            let target = reference.target().try_name()?.as_bstr().to_str().ok()?.to_owned();
            let id = self.find_ref(&target)?;
            Some(UpstreamDefault { name: target.trim_start_matches("refs/remotes/").to_owned(), id })
        });
        symbolic.or_else(|| {
            let names =
                ["refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"];
            names.into_iter().find_map(|full| {
                let name = full.trim_start_matches("refs/remotes/").trim_start_matches("refs/heads/");
                Some(UpstreamDefault { name: name.to_owned(), id: self.find_ref(full)? })
            })
        })
    }
}
