//! One review in several runs: who reviews which files, and how their reports become one. Every run sees the whole change
//! and divides it in the same way, so that nobody has to tell them; what needs all findings is decided again where the
//! shares are joined.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::fmt;

use super::conclude::{self, Caps, Gathered};
use super::model::{Part, Steered};
use super::{Review, Skip};
use crate::baseline::{Baseline, Date, Entry};
use crate::context::Chunks;
use crate::digest::Hash;
use crate::finding::{Finding, Fingerprint, RepoPath};

/// One of several runs that share a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which one, from 1.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl Shard {
    /// Most runs of one review.
    pub const MOST: u32 = 1_000;

    /// The one with this number, if it is one of so many.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        (1..=count).contains(&index).then_some(Self { index, count }).filter(|_| count <= Self::MOST)
    }

    /// Reads `2/8`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let (index, count) = text.split_once('/')?;
        Self::new(digits(index)?, digits(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// What is known of a changed file before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peek {
    /// Its path.
    pub path: RepoPath,
    /// What it costs to read, in bytes or whatever all files of the change are counted in.
    pub cost: u64,
    /// Names both its sides: equal where they are.
    pub identity: String,
}

/// How a review is shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// Which share this is.
    pub shard: Shard,
    /// Every file of the whole change, in its order, with the number of the shard that reviews it.
    pub files: Vec<(RepoPath, u32)>,
    /// Names what is reviewed and by which policy: 64 hexadecimal digits.
    pub identity: String,
}

impl Division {
    pub(super) fn of(shard: Shard, peeks: &[Peek], owners: Vec<u32>, policy: &str) -> Self {
        let mut hash = Hash::new();
        hash.part(policy.as_bytes());
        for peek in peeks {
            hash.part(peek.path.bytes());
            hash.part(peek.identity.as_bytes());
        }
        let files = peeks.iter().map(|peek| peek.path.clone()).zip(owners).collect();
        Self { shard, files, identity: hash.digits() }
    }
}

/// What a share of a review leaves for whoever joins the shares.
#[derive(Debug, Clone)]
pub struct Share {
    /// How the review is shared, and which share this is.
    pub division: Division,
    /// What was found before accepted findings, twins and caps were taken out.
    pub kept: Vec<Finding>,
    /// Remarks, before those of the end.
    pub notes: Vec<String>,
    /// What was not read, before the end added to it.
    pub skipped: Vec<Skip>,
    /// Chunks that do not count as clean unless what is in them was accepted.
    pub steered: Vec<Steered>,
    /// The accepted findings that this share could need.
    pub baseline: Baseline,
    /// How many findings are shown.
    pub caps: Caps,
}

/// Why shares are not one review.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is none.
    #[error("there is no share to join")]
    Nothing,
    /// A report of a whole review.
    #[error("it is the report of a whole review, not a share of one; `review --shard I/N` writes those")]
    Whole,
    /// The same share twice.
    #[error("share {0} is there twice")]
    Twice(Shard),
    /// Shares of different reviews.
    #[error("shares {one} and {other} are not of one review: they differ in {what}")]
    Different {
        /// A share.
        one: Shard,
        /// Another.
        other: Shard,
        /// In what they differ.
        what: &'static str,
    },
    /// A share that does not add up.
    #[error("share {0} {1}: its report was changed")]
    Changed(Shard, &'static str),
}

/// Whose each file is: the heaviest piece of work goes to whoever has least to do, files of one piece stay together.
fn divided(pieces: &mut Pieces, count: u32) -> Vec<u32> {
    let roots: Vec<usize> = (0..pieces.parents.len()).map(|file| pieces.root(file)).collect();
    let mut weights: BTreeMap<usize, u64> = BTreeMap::new();
    for (root, cost) in roots.iter().zip(&pieces.costs) {
        let weight = weights.entry(*root).or_default();
        *weight = weight.saturating_add(*cost);
    }
    let mut by_weight: Vec<(usize, u64)> = weights.into_iter().collect();
    by_weight.sort_by_key(|(root, weight)| (Reverse(*weight), *root));
    // The least load and, among equals, the lowest number.
    let mut loads: BinaryHeap<Reverse<(u64, u32)>> = (1..=count).map(|owner| Reverse((0, owner))).collect();
    let mut owners: BTreeMap<usize, u32> = BTreeMap::new();
    for (root, weight) in by_weight {
        let Some(Reverse((load, owner))) = loads.pop() else { break };
        loads.push(Reverse((load.saturating_add(weight), owner)));
        owners.insert(root, owner);
    }
    roots.iter().map(|root| owners.get(root).copied().unwrap_or(1)).collect()
}

/// Files that belong together.
struct Pieces {
    parents: Vec<usize>,
    costs: Vec<u64>,
}

impl Pieces {
    /// Each file alone, but for those of one name: a patch may name a file twice.
    fn of(peeks: &[Peek]) -> Self {
        let mut firsts: BTreeMap<&RepoPath, usize> = BTreeMap::new();
        let parents = peeks.iter().enumerate().map(|(index, peek)| *firsts.entry(&peek.path).or_insert(index));
        Self { parents: parents.collect(), costs: peeks.iter().map(|peek| peek.cost).collect() }
    }

    fn root(&mut self, mut file: usize) -> usize {
        while self.parents[file] != file {
            // Half of the way is saved to whoever comes next.
            self.parents[file] = self.parents[self.parents[file]];
            file = self.parents[file];
        }
        file
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }
}

/// Whose each file is, where only its own cost counts.
pub(super) fn by_cost(peeks: &[Peek], count: u32) -> Vec<u32> {
    divided(&mut Pieces::of(peeks), count)
}

/// Whose each file is, where files that a chunk shows together stay together. What counts are the tokens of the chunks; files
/// in no chunk weigh next to nothing.
pub(super) fn by_chunks(passes: &[Chunks], peeks: &[Peek], count: u32) -> Vec<u32> {
    let mut pieces = Pieces::of(peeks);
    pieces.costs.fill(1);
    for chunk in passes.iter().flat_map(|pass| &pass.chunks) {
        let Some(first) = chunk.parts.first().map(|part| part.file) else { continue };
        pieces.costs[first] = pieces.costs[first].saturating_add(u64::from(chunk.tokens));
        chunk.parts.iter().for_each(|covered| pieces.join(first, covered.file));
    }
    divided(&mut pieces, count)
}

impl Share {
    /// Of what was gathered, what the end of the review takes away or adds to.
    pub(super) fn of(division: Division, gathered: &Gathered, baseline: &Baseline, caps: Caps) -> Self {
        let keys: BTreeSet<&Fingerprint> = gathered.kept.iter().map(|finding| &finding.fingerprint).collect();
        let windows: BTreeSet<(&Fingerprint, &str)> =
            gathered.kept.iter().map(|finding| (&finding.window, &*finding.claim.tag)).collect();
        let needs = |entry: &&Entry| {
            keys.contains(&entry.fingerprint) || windows.contains(&(&entry.window, entry.tag.as_str()))
        };
        Self {
            division,
            kept: gathered.kept.clone(),
            notes: gathered.notes.clone(),
            skipped: gathered.coverage.skipped.clone(),
            steered: gathered.steered.clone(),
            baseline: Baseline { entries: baseline.entries.iter().filter(needs).cloned().collect() },
            caps,
        }
    }
}

/// Joins shares into the review that one run would have made. A missing share leaves its files unread. `today` is the
/// day on which accepted findings are judged.
///
/// A share decides about its own files only: what it says of another's is refused, and what it accepts counts for its own
/// findings alone.
///
/// # Errors
/// They are not shares of one review, or one of them does not add up.
pub fn join(reviews: Vec<Review>, today: Option<Date>) -> Result<Review, Error> {
    let mut shares = Vec::with_capacity(reviews.len());
    for mut review in reviews {
        let share = review.share.take().ok_or(Error::Whole)?;
        shares.push((*share, review));
    }
    shares.sort_by_key(|(share, _)| share.division.shard);
    let Some((first, review)) = shares.first() else { return Err(Error::Nothing) };
    let (files, count) = (first.division.files.clone(), first.division.shard.count);
    let mut all = Gathered { change: review.change.clone(), ..Gathered::default() };
    all.change.files.clear();
    let owners: BTreeMap<&RepoPath, u32> = files.iter().map(|(path, owner)| (path, *owner)).collect();
    check(&shares, &owners)?;
    let caps = caps(&shares)?;
    let present: BTreeSet<u32> = shares.iter().map(|(share, _)| share.division.shard.index).collect();
    let mut accepted: BTreeMap<Entry, BTreeSet<u32>> = BTreeMap::new();
    for (share, review) in shares {
        all.dropped.extend(before_the_end(review.dropped));
        all.kept.extend(share.kept);
        all.notes.extend(share.notes);
        all.steered.extend(share.steered);
        all.raised = all.raised.saturating_add(review.funnel.raised);
        all.change.files.extend(review.change.files);
        all.coverage.added_lines = all.coverage.added_lines.saturating_add(review.coverage.added_lines);
        all.coverage.reviewed_lines = all.coverage.reviewed_lines.saturating_add(review.coverage.reviewed_lines);
        all.coverage.skipped.extend(share.skipped);
        all.model = match (all.model, review.model) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
        for entry in share.baseline.entries {
            accepted.entry(entry).or_default().insert(share.division.shard.index);
        }
    }
    for (path, owner) in files.iter().filter(|(_, owner)| !present.contains(owner)) {
        let why = format!("share {owner} of {count} is missing");
        all.coverage.skipped.push(Skip { path: path.clone(), lines: None, unread: true, why });
    }
    in_order(&mut all, &files);
    let baseline = Baseline { entries: accepted.keys().cloned().collect() };
    let may = |finding: &Finding, entry: &Entry| {
        let owner = owners.get(&finding.claim.location.path);
        owner.zip(accepted.get(entry)).is_some_and(|(owner, brought_by)| brought_by.contains(owner))
    };
    Ok(conclude::conclude(all, &baseline, may, today, &caps))
}

/// What was dropped before the end of the review.
fn before_the_end(dropped: Vec<Finding>) -> impl Iterator<Item = Finding> {
    dropped.into_iter().filter(|finding| !finding.dropped.as_ref().is_some_and(conclude::is_concluded))
}

/// Files and findings in the order in which one run would have met them.
fn in_order(all: &mut Gathered, files: &[(RepoPath, u32)]) {
    let mut places: BTreeMap<&RepoPath, VecDeque<usize>> = BTreeMap::new();
    for ((path, _), place) in files.iter().zip(0..) {
        places.entry(path).or_default().push_back(place);
    }
    let first = |path: &RepoPath| places.get(path).and_then(|places| places.front().copied());
    all.kept.sort_by_key(|finding| first(&finding.claim.location.path));
    let mut placed: Vec<_> = std::mem::take(&mut all.change.files)
        .into_iter()
        .map(|file| (places.get_mut(&file.path).and_then(VecDeque::pop_front), file))
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    all.change.files = placed.into_iter().map(|(_, file)| file).collect();
}

/// The caps that all shares agree on which have findings of the tag.
fn caps(shares: &[(Share, Review)]) -> Result<Caps, Error> {
    let mut all = Caps { review: shares.first().and_then(|(share, _)| share.caps.review), ..Caps::default() };
    let mut known: BTreeMap<_, (Option<u32>, Shard)> = BTreeMap::new();
    for (share, _) in shares {
        let shard = share.division.shard;
        let own: BTreeSet<_> = share.kept.iter().map(conclude::key).collect();
        if share.caps.tags.keys().any(|key| !own.contains(key)) {
            return Err(Error::Changed(shard, "caps tags that it has no finding of"));
        }
        for key in own {
            let cap = share.caps.tags.get(&key).copied();
            let (agreed, one) = *known.entry(key.clone()).or_insert((cap, shard));
            if agreed != cap {
                return Err(Error::Different { one, other: shard, what: "the caps of tags" });
            }
            all.tags.extend(cap.map(|cap| (key, cap)));
        }
    }
    Ok(all)
}

fn check(shares: &[(Share, Review)], owners: &BTreeMap<&RepoPath, u32>) -> Result<(), Error> {
    for pair in shares.windows(2) {
        let [(one, a), (other, b)] = pair else { continue };
        let (one_of, other_of) = (&one.division, &other.division);
        let differ = |what| Err(Error::Different { one: one_of.shard, other: other_of.shard, what });
        let range = |review: &Review| {
            let change = &review.change;
            (change.description.clone(), change.base_tip.clone(), change.merge_base.clone(), change.head.clone())
        };
        let who = |review: &Review| review.model.as_ref().map(|part: &Part| part.names.clone());
        if one_of.shard.count != other_of.shard.count {
            return differ("the number of shares");
        }
        if one_of.shard.index == other_of.shard.index {
            return Err(Error::Twice(one_of.shard));
        }
        if range(a) != range(b) || one_of.files != other_of.files {
            return differ("the change they review");
        }
        if one_of.identity != other_of.identity {
            return differ("the content of the change, the rules, the configuration or the accepted findings");
        }
        if who(a) != who(b) {
            return differ("the model");
        }
        if one.caps.review != other.caps.review {
            return differ("the cap of shown findings");
        }
    }
    shares.iter().try_for_each(|(share, review)| adds_up(share, review, owners))
}

/// A share accounts for each of its files and for no other.
fn adds_up(share: &Share, review: &Review, owners: &BTreeMap<&RepoPath, u32>) -> Result<(), Error> {
    let Division { shard, files, .. } = &share.division;
    let changed = |what| Err(Error::Changed(*shard, what));
    let is_own = |path: &RepoPath| owners.get(path) == Some(&shard.index);
    let mut own: Vec<&RepoPath> =
        files.iter().filter(|(_, owner)| owner == &shard.index).map(|(path, _)| path).collect();
    let mut told: Vec<&RepoPath> = review.change.files.iter().map(|file| &file.path).collect();
    own.sort_unstable();
    told.sort_unstable();
    if own != told {
        return changed("does not tell of each of its files, and of no other");
    }
    let skipped: BTreeSet<&RepoPath> = share.skipped.iter().map(|skip| &skip.path).collect();
    if review.change.files.iter().any(|file| !file.read_by.text && !skipped.contains(&file.path)) {
        return changed("has files that nobody read and nobody skipped");
    }
    let count = |read: bool| {
        let files = review.change.files.iter().filter(|file| file.read_by.text || !read);
        files.fold(0_u64, |lines, file| lines.saturating_add(file.added))
    };
    if review.coverage.added_lines != count(false) || review.coverage.reviewed_lines > count(true) {
        return changed("does not count its lines right");
    }
    let before = |finding: &&Finding| !finding.dropped.as_ref().is_some_and(conclude::is_concluded);
    let dropped: Vec<&Finding> = review.dropped.iter().filter(before).collect();
    // Claims that stand nowhere may name any file; nobody has scored them.
    let scored = dropped.iter().copied().filter(|finding| finding.score.is_some());
    if !share.kept.iter().chain(scored).all(|finding| is_own(&finding.claim.location.path)) {
        return changed("speaks of files that are not its own");
    }
    if review.funnel.raised != (share.kept.len() + dropped.len()) as u64 {
        return changed("does not account for every claim");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_so_many() {
        assert_eq!(Shard::parse("2/8"), Some(Shard { index: 2, count: 8 }));
        assert_eq!(Shard::parse("8/8").map(|shard| shard.to_string()), Some("8/8".to_owned()));
        for wrong in ["", "1", "0/8", "9/8", "1/0", "+1/8", "1/ 8", "-1/8", "1/8/9", "1/1001", "a/b", "99999999999/8"] {
            assert_eq!(Shard::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_heaviest_goes_to_whoever_has_least_to_do() {
        let peek = |(index, cost): (usize, &u64)| Peek {
            path: RepoPath::from(format!("f{index}").as_str()),
            cost: *cost,
            identity: String::new(),
        };
        let owners = |costs: &[u64], count| by_cost(&costs.iter().enumerate().map(peek).collect::<Vec<_>>(), count);
        assert_eq!(owners(&[5, 9, 4, 1, 1], 2), [2, 1, 2, 1, 2]);
        assert_eq!(owners(&[1, 1], 5), [1, 2]);
        assert!(owners(&[], 3).is_empty());
    }
}
