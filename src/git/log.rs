//! What commits say of themselves, and what stands behind a tip as a whole: for whoever reads a history from end to end.

use std::collections::HashMap;
use std::path::Path;

use super::error::chain;
use super::{Commit, Error, Oid, Repository};

/// A commit with its words. All texts are untrusted; bytes that are not UTF-8 become U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Id, tree and parents.
    pub commit: Commit,
    /// The first paragraph of the message, on one line.
    pub subject: String,
    /// The rest of the message, without blank ends.
    pub body: String,
    /// The author's name.
    pub author: String,
    /// The author's address.
    pub email: String,
    /// When it was committed, in seconds since 1970, as it claims; 0 where that cannot be read.
    pub seconds: i64,
}

/// The commits that a tip leads to, each with the parents that are there.
#[derive(Debug, Default)]
pub struct Ancestry(HashMap<Oid, Box<[Oid]>>);

impl Ancestry {
    /// Whether the tip leads to it; it leads to itself.
    pub fn contains(&self, commit: Oid) -> bool {
        self.0.contains_key(&commit)
    }

    /// The parents; none for a root, for the end of a shallow clone, and for what the tip does not lead to.
    pub fn parents(&self, commit: Oid) -> &[Oid] {
        self.0.get(&commit).map_or(&[], |parents| parents)
    }

    /// Every commit, by id.
    pub fn commits(&self) -> Vec<Oid> {
        let mut commits: Vec<Oid> = self.0.keys().copied().collect();
        commits.sort();
        commits
    }
}

impl Repository {
    /// The folder of its data, `.git` or the bare repository itself.
    pub fn git_dir(&self) -> &Path {
        self.shared.git_dir()
    }

    /// A commit with its message, author and time.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn told(&self, id: Oid) -> Result<Told, Error> {
        let commit = self.commit(id)?;
        let repo = self.local();
        let corrupt = |error: gix::Error| Error::CorruptObject { id, why: chain(&error) };
        let found = repo.find_commit(commit.id.0).map_err(|error| self.explain_object(id, &error))?;
        let message = found.message().map_err(corrupt)?;
        let title = String::from_utf8_lossy(message.title);
        let subject = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let body = message.body.map(|body| String::from_utf8_lossy(body).trim().to_owned()).unwrap_or_default();
        let author = found.author().map_err(corrupt)?;
        let (author, email) = (author.name.to_string(), author.email.to_string());
        let seconds = found.time().map_or(0, |time| time.seconds);
        Ok(Told { commit, subject, body, author, email, seconds })
    }

    /// Everything that a commit leads to. Where a shallow clone ends, commits have no parents.
    ///
    /// # Errors
    /// A commit is missing or damaged.
    pub fn ancestry(&self, tip: Oid) -> Result<Ancestry, Error> {
        let repo = self.local();
        let ends = repo.shallow_commits().map_err(|error| Error::Refs(chain(&error)))?;
        let mut known = HashMap::new();
        let mut open = vec![tip];
        while let Some(next) = open.pop() {
            if known.contains_key(&next) {
                continue;
            }
            let object = repo.find_object(next.0).map_err(|error| self.explain_object(next, &error))?;
            let corrupt = |error: gix::Error| Error::CorruptObject { id: next, why: chain(&error) };
            let commit = object.try_into_commit().map_err(corrupt)?;
            let is_end = ends.as_ref().is_some_and(|ends| ends.contains(&next.0));
            let parents: Box<[Oid]> =
                if is_end { Box::default() } else { commit.parent_ids().map(|id| Oid(id.detach())).collect() };
            open.extend(parents.iter().filter(|parent| !known.contains_key(*parent)));
            known.insert(next, parents);
        }
        Ok(Ancestry(known))
    }
}
