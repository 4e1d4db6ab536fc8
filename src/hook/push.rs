//! What of a push is reviewed: for each ref the pushed commit and the commit that it is compared with.

use super::protocol::Update;
use crate::escape;
use crate::finding::Untrusted;
use crate::git::{self, Oid, Repository};
use crate::scope::{Pushed, Request};

/// Where nothing tells what the remote has, no more commits of a ref are reviewed.
const MOST_COMMITS: usize = 500;

/// Where a push goes.
#[derive(Debug, Clone, Copy)]
pub struct Remote<'a> {
    /// Its name or, where the push names none, its address; untrusted.
    pub name: &'a str,
    /// Whether it is an address: of what it has nothing is known.
    pub is_address: bool,
}

/// What becomes of one ref.
#[derive(Debug)]
pub enum Turn {
    /// It is reviewed.
    Review {
        /// Its name on the remote.
        name: Untrusted,
        /// What is compared with what.
        request: Request,
        /// Why older commits that the remote does not have are left out; escaped.
        left_out: Option<String>,
    },
    /// There is nothing to review.
    Nothing {
        /// Its name on the remote.
        name: Untrusted,
        /// Why; escaped.
        why: String,
    },
    /// What it is compared with cannot be told.
    Unknown {
        /// Its name on the remote.
        name: Untrusted,
        /// Why.
        error: git::Error,
    },
}

/// Says for each ref what is reviewed: branches first, so that a tag on a commit that goes along with its branch is not
/// reviewed again, and nothing twice. Deleted refs have no turn.
pub fn plan(repo: &Repository, remote: Remote<'_>, updates: &[Update]) -> Vec<Turn> {
    let (tags, branches): (Vec<_>, Vec<_>) = updates.iter().partition(|update| update.is_tag());
    let mut planner = Planner { repo, remote, known: None, done: Vec::new() };
    let live = branches.into_iter().chain(tags).filter_map(|update| Some((update, update.new?)));
    live.map(|(update, new)| {
        planner.turn(update, new).unwrap_or_else(|error| Turn::Unknown { name: update.name.clone(), error })
    })
    .collect()
}

struct Planner<'a> {
    repo: &'a Repository,
    remote: Remote<'a>,
    /// What the remote is known to have, looked up once.
    known: Option<Vec<Oid>>,
    /// What is reviewed already, from where to where.
    done: Vec<(Option<Oid>, Oid)>,
}

/// What a commit is compared with.
enum Base {
    /// With where it left this one; named for a person.
    Commit(Oid, String),
    /// With nothing: all of it is new.
    Nothing,
    /// The remote has it all, for this reason.
    Known(String),
}

impl Planner<'_> {
    fn turn(&mut self, update: &Update, new: Oid) -> Result<Turn, git::Error> {
        let name = update.name.clone();
        let nothing = |why: &str| Turn::Nothing { name: name.clone(), why: why.to_owned() };
        let Some(commit) = self.repo.commit_behind(new)? else {
            return Ok(nothing("it names a file or a folder, not a commit"));
        };
        if update.is_tag() {
            for (_, head) in &self.done {
                if self.repo.is_ancestor(commit, *head)? {
                    return Ok(nothing("its commit goes along with another ref"));
                }
            }
        }
        let mut left_out = None;
        let base = match self.base(update, commit, &mut left_out)? {
            Base::Known(why) => return Ok(nothing(&why)),
            Base::Nothing => None,
            Base::Commit(base, shown) => Some((base, shown)),
        };
        let since = match &base {
            Some((base, _)) => self.repo.merge_bases(*base, commit)?.first().copied(),
            None => None,
        };
        if since == Some(commit) {
            return Ok(nothing("it adds nothing to what it is compared with"));
        }
        if self.done.contains(&(since, commit)) {
            return Ok(nothing("the same commits are reviewed for another ref"));
        }
        self.done.push((since, commit));
        let request = Request::Pushed(Pushed { base, head: commit, name: short(update.name.raw()) });
        Ok(Turn::Review { name, request, left_out })
    }

    fn base(&mut self, update: &Update, commit: Oid, left_out: &mut Option<String>) -> Result<Base, git::Error> {
        let repo = self.repo;
        // Under another name, as a release has what is on the default branch.
        if repo.commits_beyond(commit, self.known()?, 1)?.is_empty() {
            return Ok(Base::Known(format!("{} has all its commits", escape::visible(self.remote.name))));
        }
        // What the remote has under this name may never have been fetched.
        let old = match update.old {
            Some(old) if repo.has(old) => repo.commit_behind(old)?,
            _ => None,
        };
        let default = self.default_branch(commit)?;
        let Some(old) = old else {
            return match default {
                Some((id, name)) => Ok(Base::Commit(id, name)),
                None => self.oldest(commit, left_out),
            };
        };
        let had = || Base::Commit(old, format!("the remote's {}", short(update.name.raw())));
        let Some((id, name)) = default else { return Ok(had()) };
        if !self.repo.is_ancestor(old, commit)? {
            // After a rebase the old tip would show everything that the branch was rebased onto.
            return Ok(Base::Commit(id, name));
        }
        // Where it merges the default branch, only the comparison with that leaves out what others wrote.
        let fork = self.repo.merge_bases(id, commit)?.first().copied().unwrap_or(id);
        Ok(if self.repo.is_ancestor(fork, old)? { had() } else { Base::Commit(id, name) })
    }

    /// The tip of the default branch as this clone knows it, the remote's own first, if the commit shares history with
    /// it. A branch that is its own default branch is no base of itself.
    fn default_branch(&self, commit: Oid) -> Result<Option<(Oid, String)>, git::Error> {
        let remotes = [self.remote.name, "origin"];
        let mut names: Vec<String> = remotes
            .iter()
            .flat_map(|remote| ["HEAD", "main", "master"].map(|branch| format!("refs/remotes/{remote}/{branch}")))
            .collect();
        // Nobody pushes there under a name, so the local branch says best what is known elsewhere.
        if self.remote.is_address {
            names.extend(["refs/heads/main", "refs/heads/master"].map(str::to_owned));
        }
        for name in names {
            let Some(id) = self.repo.find_ref(&name).filter(|id| *id != commit) else { continue };
            match self.repo.merge_bases(id, commit) {
                Ok(_) => return Ok(Some((id, short(&name)))),
                Err(git::Error::Unrelated { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The parent of the oldest commit that the remote does not have.
    fn oldest(&mut self, commit: Oid, left_out: &mut Option<String>) -> Result<Base, git::Error> {
        let repo = self.repo;
        let is_new = self.known()?.is_empty();
        // What another remote has was reviewed or accepted on its way there.
        let elsewhere = if is_new { repo.remote_tips(None)? } else { Vec::new() };
        let known = if is_new { &elsewhere[..] } else { self.known()? };
        let mut commits = repo.commits_beyond(commit, known, MOST_COMMITS + 1)?;
        let is_long = commits.len() > MOST_COMMITS;
        commits.truncate(MOST_COMMITS);
        let find = |id: Oid| commits.iter().find(|commit| commit.id == id);
        let mut outside = None;
        let mut at = find(commit);
        while let Some(commit) = at {
            outside = commit.parents.first().copied();
            at = outside.and_then(find);
        }
        if is_long {
            let Some(base) = outside else { return Ok(Base::Nothing) };
            *left_out = Some(format!(
                "it has more than {MOST_COMMITS} commits that no remote is known to have; those before {} are left out, \
                 `diffsieve review --range` reviews them",
                base.short()
            ));
            return Ok(Base::Commit(base, base.short()));
        }
        if commits.is_empty() {
            return Ok(Base::Known("another remote has all its commits".to_owned()));
        }
        let mut parents: Vec<Oid> =
            commits.iter().flat_map(|commit| &commit.parents).copied().filter(|id| find(*id).is_none()).collect();
        parents.sort();
        parents.dedup();
        // The one that all others lead to, so that what was merged from the remote is not counted; else the first
        // parent's side, which counts too much rather than too little.
        for candidate in &parents {
            let mut leads = true;
            for other in &parents {
                leads = leads && self.repo.is_ancestor(*other, *candidate)?;
            }
            if leads {
                return Ok(Base::Commit(*candidate, candidate.short()));
            }
        }
        Ok(outside.map_or(Base::Nothing, |base| Base::Commit(base, base.short())))
    }

    fn known(&mut self) -> Result<&[Oid], git::Error> {
        let known = match self.known.take() {
            Some(known) => known,
            None => self.repo.remote_tips(Some(self.remote.name))?,
        };
        Ok(self.known.insert(known))
    }
}

/// A ref as a person calls it.
fn short(name: &str) -> String {
    let bare = ["refs/heads/", "refs/remotes/", "refs/tags/"].iter().find_map(|prefix| name.strip_prefix(prefix));
    escape::visible(bare.unwrap_or(name))
}
