//! What commits lead to, where many questions of one history are asked: each commit is read once, and what was walked is
//! not walked again.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;

use super::error::chain;
use super::{Error, Oid, Repository};

/// So much older than its child a commit may claim to be younger, in seconds: clocks differ. Where they differ by more, a
/// commit may be held for one that is not led to.
const SLACK: i64 = 86_400;

/// A commit as the walks need it.
#[derive(Debug)]
struct Node {
    seconds: i64,
    parents: Box<[ObjectId]>,
}

/// The commits of a repository, read when they are asked for.
pub struct History<'a> {
    repo: &'a Repository,
    local: gix::Repository,
    /// Where a shallow clone ends.
    ends: HashSet<ObjectId>,
    nodes: HashMap<ObjectId, Rc<Node>>,
    is_over: &'a dyn Fn() -> bool,
}

/// Everything that some commits lead to, these included, as far back as was asked.
#[derive(Debug, Default)]
pub struct Reach {
    found: HashSet<ObjectId>,
    /// Found, and their parents not yet; the newest first.
    edge: BinaryHeap<(i64, ObjectId)>,
}

impl<'a> History<'a> {
    /// Nothing is read yet. Once `is_over` says so, every walk ends with [`Error::OutOfTime`].
    ///
    /// # Errors
    /// The list of a shallow clone cannot be read.
    pub fn new(repo: &'a Repository, is_over: &'a dyn Fn() -> bool) -> Result<Self, Error> {
        let local = repo.local();
        let ends = local.shallow_commits().map_err(|error| Error::Refs(chain(&error)))?;
        let ends = ends.map(|ends| ends.iter().copied().collect()).unwrap_or_default();
        Ok(Self { repo, local, ends, nodes: HashMap::new(), is_over })
    }

    /// When the commit was made, in seconds since 1970, as it claims.
    ///
    /// # Errors
    /// As all of these: a commit is missing or damaged, or the time is over.
    pub fn seconds(&mut self, commit: Oid) -> Result<i64, Error> {
        self.node(commit.0).map(|node| node.seconds)
    }

    /// Adds a commit, and so what it leads to.
    ///
    /// # Errors
    /// As [`Self::seconds`].
    pub fn add(&mut self, reach: &mut Reach, commit: Oid) -> Result<(), Error> {
        self.find(reach, commit.0)
    }

    /// Adds what a commit leads to, without itself.
    ///
    /// # Errors
    /// As [`Self::seconds`].
    pub fn add_parents(&mut self, reach: &mut Reach, commit: Oid) -> Result<(), Error> {
        let node = self.node(commit.0)?;
        node.parents.iter().try_for_each(|parent| self.find(reach, *parent))
    }

    /// Whether it leads to a commit.
    ///
    /// # Errors
    /// As [`Self::seconds`].
    pub fn reaches(&mut self, reach: &mut Reach, commit: Oid) -> Result<bool, Error> {
        let oldest = self.seconds(commit)?.saturating_sub(SLACK);
        while !reach.found.contains(&commit.0) {
            let Some((seconds, next)) = reach.edge.pop() else { return Ok(false) };
            if seconds < oldest {
                reach.edge.push((seconds, next));
                return Ok(false);
            }
            let node = self.node(next)?;
            node.parents.iter().try_for_each(|parent| self.find(reach, *parent))?;
        }
        Ok(true)
    }

    /// Whether it leads to a commit or to anything that this leads to.
    ///
    /// # Errors
    /// As [`Self::seconds`].
    pub fn meets(&mut self, reach: &mut Reach, commit: Oid) -> Result<bool, Error> {
        let mut own = Reach::default();
        self.add(&mut own, commit)?;
        while let Some((_, next)) = own.edge.pop() {
            if self.reaches(reach, Oid(next))? {
                return Ok(true);
            }
            let node = self.node(next)?;
            node.parents.iter().try_for_each(|parent| self.find(&mut own, *parent))?;
        }
        Ok(false)
    }

    /// The commits that `tip` leads to and `reach` does not, newest first, at most `most`, each with its parents. None is
    /// missed; where clocks differ by more than a day, a few may be among them that `reach` leads to as well.
    ///
    /// # Errors
    /// As [`Self::seconds`].
    pub fn beyond(&mut self, reach: &mut Reach, tip: Oid, most: usize) -> Result<Vec<(Oid, Vec<Oid>)>, Error> {
        let mut own = Reach::default();
        self.add(&mut own, tip)?;
        let mut commits = Vec::new();
        while commits.len() < most
            && let Some((_, next)) = own.edge.pop()
        {
            if self.reaches(reach, Oid(next))? {
                continue;
            }
            let node = self.node(next)?;
            node.parents.iter().try_for_each(|parent| self.find(&mut own, *parent))?;
            commits.push((Oid(next), node.parents.iter().copied().map(Oid).collect()));
        }
        Ok(commits)
    }

    fn find(&mut self, reach: &mut Reach, id: ObjectId) -> Result<(), Error> {
        if !reach.found.contains(&id) {
            let seconds = self.node(id)?.seconds;
            reach.found.insert(id);
            reach.edge.push((seconds, id));
        }
        Ok(())
    }

    fn node(&mut self, id: ObjectId) -> Result<Rc<Node>, Error> {
        if let Some(node) = self.nodes.get(&id) {
            return Ok(Rc::clone(node));
        }
        if (self.is_over)() {
            return Err(Error::OutOfTime);
        }
        let object = self.local.find_object(id).map_err(|error| self.repo.explain_object(Oid(id), &error))?;
        let corrupt = |error: gix::Error| Error::CorruptObject { id: Oid(id), why: chain(&error) };
        let commit = object.try_into_commit().map_err(corrupt)?;
        // A commit without a time that can be read counts as an old one.
        let seconds = commit.time().map_or(0, |time| time.seconds);
        let is_end = self.ends.contains(&id);
        let parents = if is_end { Box::default() } else { commit.parent_ids().map(gix::Id::detach).collect() };
        let node = Rc::new(Node { seconds, parents });
        self.nodes.insert(id, Rc::clone(&node));
        Ok(node)
    }
}
