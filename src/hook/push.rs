//! What of a push is reviewed: for each ref the pushed commit and the commit that it is compared with.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use super::protocol::Update;
use crate::escape;
use crate::finding::Untrusted;
use crate::git::{self, History, Oid, Reach, Repository};
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

/// How long a plan may take. What has no time left is [`Turn::Unknown`].
#[derive(Clone, Copy)]
pub struct Time<'a> {
    /// Whether the time to look through the history is over.
    pub is_over: &'a dyn Fn() -> bool,
    /// Whether no tag is to be reviewed any more that brings commits of its own.
    pub is_over_for_tags: &'a dyn Fn() -> bool,
}

/// Says for each ref what is reviewed, one by one: branches first, so that a tag on a commit that goes along with its
/// branch is not reviewed again, then tags, of which the newest that no other leads to come first, and nothing twice.
/// Deleted refs have no turn.
///
/// # Errors
/// The list of a shallow clone cannot be read.
pub fn plan<'a>(
    repo: &'a Repository,
    remote: Remote<'a>,
    updates: &'a [Update],
    time: Time<'a>,
) -> Result<impl Iterator<Item = Turn> + 'a, git::Error> {
    let mut planner = Planner {
        repo,
        remote,
        time,
        history: History::new(repo, time.is_over)?,
        known: None,
        defaults: None,
        done: HashMap::new(),
        along: Reach::default(),
    };
    let (tags, branches): (Vec<_>, Vec<_>) =
        updates.iter().filter_map(|update| Some((update, update.new?))).partition(|(update, _)| update.is_tag());
    let mut left: VecDeque<_> = branches.into();
    let mut tags = Some(tags);
    Ok(std::iter::from_fn(move || {
        if left.is_empty() {
            left = planner.ordered(tags.take()?).into();
        }
        let (update, new) = left.pop_front()?;
        let turn = planner.turn(update, new);
        Some(turn.unwrap_or_else(|error| Turn::Unknown { name: update.name.clone(), error }))
    }))
}

struct Planner<'a> {
    repo: &'a Repository,
    remote: Remote<'a>,
    time: Time<'a>,
    history: History<'a>,
    /// What the remote is known to have, looked up once.
    known: Option<Known>,
    /// The tips that may be those of the default branch, best first, looked up once.
    defaults: Option<Vec<Tip>>,
    /// What is reviewed already: each commit, and all that it is compared with.
    done: HashMap<Oid, Vec<Option<Oid>>>,
    /// All that goes along with what is reviewed.
    along: Reach,
}

/// The commits of a remote.
struct Known {
    /// Nothing of it is known.
    is_new: bool,
    reach: Reach,
    /// What other remotes have, looked up where nothing of this one is known.
    others: Option<Reach>,
}

/// A branch that others may have left.
struct Tip {
    id: Oid,
    name: String,
    reach: Reach,
}

/// What a commit is compared with.
enum Base {
    /// With where it left this one; named for a person.
    Commit(Oid, String),
    /// With nothing: all of it is new.
    Nothing,
    /// There is nothing to compare, for this reason.
    Known(String),
}

impl<'a> Planner<'a> {
    /// The tags that no other one leads to first, and of these the newest, which matter most where time is short. What
    /// cannot be read is met again when its turn comes.
    fn ordered(&mut self, mut tags: Vec<(&'a Update, Oid)>) -> Vec<(&'a Update, Oid)> {
        if tags.len() < 2 {
            return tags;
        }
        let mut inner = Reach::default();
        let mut commits = HashMap::new();
        for (_, new) in &tags {
            if (self.time.is_over)() {
                return tags;
            }
            if let Ok(Some(commit)) = self.repo.commit_behind(*new)
                && self.history.add_parents(&mut inner, commit).is_ok()
            {
                commits.insert(*new, commit);
            }
        }
        tags.sort_by_cached_key(|(_, new)| {
            let Some(commit) = commits.get(new) else { return (false, Reverse(i64::MAX)) };
            let is_inner = self.history.reaches(&mut inner, *commit).unwrap_or(false);
            (is_inner, Reverse(self.history.seconds(*commit).unwrap_or(i64::MAX)))
        });
        tags
    }

    fn turn(&mut self, update: &Update, new: Oid) -> Result<Turn, git::Error> {
        if (self.time.is_over)() {
            return Err(git::Error::OutOfTime);
        }
        let (name, is_tag) = (update.name.clone(), update.is_tag());
        let nothing = |why: &str| Turn::Nothing { name: name.clone(), why: why.to_owned() };
        let Some(commit) = self.repo.commit_behind(new)? else {
            return Ok(nothing("it names a file or a folder, not a commit"));
        };
        if is_tag && self.history.reaches(&mut self.along, commit)? {
            return Ok(nothing("its commit goes along with another ref"));
        }
        let mut left_out = None;
        let base = match self.base(update, commit, &mut left_out)? {
            Base::Known(why) => return Ok(nothing(&why)),
            Base::Nothing => None,
            Base::Commit(base, shown) => Some((base, shown)),
        };
        let id = base.as_ref().map(|(id, _)| *id);
        if self.is_done(commit, id)? {
            return Ok(nothing("the same commits are reviewed for another ref"));
        }
        // Unread, it must not stand for the tags that it leads to.
        if is_tag && (self.time.is_over_for_tags)() {
            return Err(git::Error::OutOfTime);
        }
        self.done.entry(commit).or_default().push(id);
        self.history.add(&mut self.along, commit)?;
        let request = Request::Pushed(Pushed { base, head: commit, name: short(update.name.raw()) });
        Ok(Turn::Review { name, request, left_out })
    }

    /// Whether the same commits are reviewed already. Other tips may come to the same merge base.
    fn is_done(&self, commit: Oid, base: Option<Oid>) -> Result<bool, git::Error> {
        let Some(bases) = self.done.get(&commit) else { return Ok(false) };
        if bases.contains(&base) {
            return Ok(true);
        }
        let since = |base: Option<Oid>| match base {
            Some(base) => self.repo.merge_bases(base, commit).map(|bases| bases.first().copied()),
            None => Ok(None),
        };
        let own = since(base)?;
        for other in bases {
            if since(*other)? == own {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn base(&mut self, update: &Update, commit: Oid, left_out: &mut Option<String>) -> Result<Base, git::Error> {
        let repo = self.repo;
        // Under another name, as a release has what is on the default branch.
        let known = known(&mut self.known, repo, self.remote, &mut self.history)?;
        if self.history.reaches(&mut known.reach, commit)? {
            return Ok(Base::Known(format!("{} has all its commits", escape::visible(self.remote.name))));
        }
        // What the remote has under this name may never have been fetched.
        let old = match update.old {
            Some(old) if repo.has(old) => repo.commit_behind(old)?,
            _ => None,
        };
        let default = self.default_branch(commit)?;
        let nothing = || Base::Known("it adds nothing to what it is compared with".to_owned());
        let Some(old) = old else {
            return match default {
                Some((_, _, true)) => Ok(nothing()),
                Some((id, name, false)) => Ok(Base::Commit(id, name)),
                None => self.oldest(commit, left_out),
            };
        };
        let had = || Base::Commit(old, format!("the remote's {}", short(update.name.raw())));
        let Some((id, name, is_part)) = default else {
            let is_back = repo.merge_bases(old, commit)?.first() == Some(&commit);
            return Ok(if is_back { nothing() } else { had() });
        };
        let base = || if is_part { nothing() } else { Base::Commit(id, name) };
        if old == commit {
            return Ok(nothing());
        }
        if !repo.is_ancestor(old, commit)? {
            // After a rebase the old tip would show everything that the branch was rebased onto.
            return Ok(base());
        }
        // Where it merges the default branch, only the comparison with that leaves out what others wrote.
        let fork = repo.merge_bases(id, commit)?.first().copied().unwrap_or(id);
        Ok(if repo.is_ancestor(fork, old)? { had() } else { base() })
    }

    /// The tip of the default branch as this clone knows it, the remote's own first, if the commit shares history with
    /// it, and whether it leads to the commit. A branch that is its own default branch is no base of itself.
    fn default_branch(&mut self, commit: Oid) -> Result<Option<(Oid, String, bool)>, git::Error> {
        let (repo, remote) = (self.repo, self.remote);
        let tips = self.defaults.get_or_insert_with(|| default_tips(repo, remote));
        for tip in tips.iter_mut().filter(|tip| tip.id != commit) {
            self.history.add(&mut tip.reach, tip.id)?;
            if self.history.meets(&mut tip.reach, commit)? {
                let is_part = self.history.reaches(&mut tip.reach, commit)?;
                return Ok(Some((tip.id, tip.name.clone(), is_part)));
            }
            if repo.is_shallow() {
                return Err(git::Error::ShallowMergeBase { one: tip.id, other: commit });
            }
        }
        Ok(None)
    }

    /// The parent of the oldest commit that the remote does not have.
    fn oldest(&mut self, commit: Oid, left_out: &mut Option<String>) -> Result<Base, git::Error> {
        let (repo, history) = (self.repo, &mut self.history);
        let known = known(&mut self.known, repo, self.remote, history)?;
        // What another remote has was reviewed or accepted on its way there.
        let reach = match &mut known.others {
            _ if !known.is_new => &mut known.reach,
            Some(others) => others,
            none => none.insert(reach_of(history, &repo.remote_tips(None)?)?),
        };
        let mut commits = history.beyond(reach, commit, MOST_COMMITS + 1)?;
        let is_long = commits.len() > MOST_COMMITS;
        commits.truncate(MOST_COMMITS);
        let commits: HashMap<Oid, Vec<Oid>> = commits.into_iter().collect();
        let mut outside = None;
        let mut at = commits.get(&commit);
        while let Some(parents) = at {
            outside = parents.first().copied();
            at = outside.and_then(|id| commits.get(&id));
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
            commits.values().flatten().copied().filter(|id| !commits.contains_key(id)).collect();
        parents.sort();
        parents.dedup();
        // The one that all others lead to, so that what was merged from the remote is not counted; else the first
        // parent's side, which counts too much rather than too little.
        for candidate in &parents {
            let mut reach = Reach::default();
            history.add(&mut reach, *candidate)?;
            let mut leads = true;
            for other in &parents {
                leads = leads && history.reaches(&mut reach, *other)?;
            }
            if leads {
                return Ok(Base::Commit(*candidate, candidate.short()));
            }
        }
        Ok(outside.map_or(Base::Nothing, |base| Base::Commit(base, base.short())))
    }
}

/// What the remote is known to have.
fn known<'k>(
    known: &'k mut Option<Known>,
    repo: &Repository,
    remote: Remote<'_>,
    history: &mut History<'_>,
) -> Result<&'k mut Known, git::Error> {
    let found = match known.take() {
        Some(known) => known,
        None => {
            let tips = repo.remote_tips(Some(remote.name))?;
            Known { is_new: tips.is_empty(), reach: reach_of(history, &tips)?, others: None }
        }
    };
    Ok(known.insert(found))
}

fn reach_of(history: &mut History<'_>, tips: &[Oid]) -> Result<Reach, git::Error> {
    let mut reach = Reach::default();
    tips.iter().try_for_each(|tip| history.add(&mut reach, *tip))?;
    Ok(reach)
}

fn default_tips(repo: &Repository, remote: Remote<'_>) -> Vec<Tip> {
    let remotes = [remote.name, "origin"];
    let mut names: Vec<String> = remotes
        .iter()
        .flat_map(|remote| ["HEAD", "main", "master"].map(|branch| format!("refs/remotes/{remote}/{branch}")))
        .collect();
    // Nobody pushes there under a name, so the local branch says best what is known elsewhere.
    if remote.is_address {
        names.extend(["refs/heads/main", "refs/heads/master"].map(str::to_owned));
    }
    let tip = |name: &String| Some(Tip { id: repo.find_ref(name)?, name: short(name), reach: Reach::default() });
    let mut tips: Vec<Tip> = Vec::new();
    for tip in names.iter().filter_map(tip) {
        if tips.iter().all(|other| other.id != tip.id) {
            tips.push(tip);
        }
    }
    tips
}

/// A ref as a person calls it.
fn short(name: &str) -> String {
    let bare = ["refs/heads/", "refs/remotes/", "refs/tags/"].iter().find_map(|prefix| name.strip_prefix(prefix));
    escape::visible(bare.unwrap_or(name))
}
