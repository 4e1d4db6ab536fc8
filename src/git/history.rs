//! Who is whose ancestor, and what a remote is known to have.

use super::error::chain;
use super::{Error, Oid, Repository};

impl Repository {
    /// Whether the id has the length of this repository's ids. Any other names nothing here.
    pub fn fits(&self, id: Oid) -> bool {
        self.local().object_hash() == id.0.kind()
    }

    /// The commit that an object is or, as an annotated tag, leads to; `None` where that is a file or a folder.
    ///
    /// # Errors
    /// An object on the way is missing or damaged.
    pub fn commit_behind(&self, id: Oid) -> Result<Option<Oid>, Error> {
        if !self.fits(id) {
            return Err(Error::MissingObject { id, why: self.missing() });
        }
        let repo = self.local();
        let mut next = id;
        // Tags of tags end, because an id cannot name what contains it.
        loop {
            let object = repo.find_object(next.0).map_err(|error| self.explain_object(next, &error))?;
            match object.kind {
                gix::objs::Kind::Commit => return Ok(Some(next)),
                gix::objs::Kind::Tag => {
                    let corrupt = |error: gix::Error| Error::CorruptObject { id: next, why: chain(&error) };
                    next = Oid(object.try_into_tag().map_err(corrupt)?.target_id().map_err(corrupt)?.detach());
                }
                gix::objs::Kind::Tree | gix::objs::Kind::Blob => return Ok(None),
            }
        }
    }

    /// Whether `one` is `other` or one of its ancestors.
    ///
    /// # Errors
    /// A commit is missing or damaged, or the history between them is cut off.
    pub fn is_ancestor(&self, one: Oid, other: Oid) -> Result<bool, Error> {
        match self.merge_bases(one, other) {
            Ok(bases) => Ok(bases.contains(&one)),
            Err(Error::Unrelated { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The commits that this clone knows to be on a remote: the tips of `refs/remotes/NAME/*`, of every remote where no
    /// name is given. The name may come from outside. Refs that lead to no commit are left out.
    ///
    /// # Errors
    /// The refs cannot be read.
    pub fn remote_tips(&self, remote: Option<&str>) -> Result<Vec<Oid>, Error> {
        let repo = self.local();
        let failed = |error: gix::Error| Error::Refs(chain(&error));
        let prefix = remote.map(|name| format!("refs/remotes/{name}/"));
        let references = repo.references().map_err(failed)?;
        let mut tips: Vec<Oid> = references
            .remote_branches()
            .map_err(failed)?
            .filter_map(Result::ok)
            .filter(|reference| {
                prefix.as_ref().is_none_or(|prefix| reference.name().as_bstr().starts_with(prefix.as_bytes()))
            })
            .filter_map(|mut reference| reference.peel_to_commit().ok().map(|commit| Oid(commit.id)))
            .collect();
        tips.sort();
        tips.dedup();
        Ok(tips)
    }
}
