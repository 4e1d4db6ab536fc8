//! One review in several runs: who reviews which files, and how their reports become one. Every run sees the whole change
//! and divides it in the same way, so that nobody has to tell them; what needs all findings is decided again where the
//! shares are joined.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use super::conclude::{self, Caps, Gathered};
use super::model::{Part, Steered};
use super::{Review, Skip};
use crate::baseline::{Baseline, Date, Entry};
use crate::context::Chunks;
use crate::finding::{Finding, RepoPath};

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

/// What a share of a review leaves for whoever joins the shares.
#[derive(Debug, Clone)]
pub struct Share {
    /// Which one it is.
    pub shard: Shard,
    /// Every file of the whole change, in its order, with the number of the shard that reviews it.
    pub files: Vec<(RepoPath, u32)>,
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
    /// A share whose counts do not balance.
    #[error("share {0} does not account for every claim: its report was changed")]
    Unbalanced(Shard),
}

/// Whose each file is: the heaviest piece of work goes to whoever has least to do, files of one piece stay together.
/// `pieces` names each file's piece, `costs` what each file costs.
fn divided(pieces: &[usize], costs: &[u64], count: u32) -> Vec<u32> {
    let mut weights: BTreeMap<usize, u64> = BTreeMap::new();
    for (piece, cost) in pieces.iter().zip(costs) {
        let weight = weights.entry(*piece).or_default();
        *weight = weight.saturating_add(*cost);
    }
    let mut by_weight: Vec<(usize, u64)> = weights.into_iter().collect();
    by_weight.sort_by_key(|(piece, weight)| (Reverse(*weight), *piece));
    let mut loads: Vec<u64> = vec![0; count as usize];
    let mut owners: BTreeMap<usize, u32> = BTreeMap::new();
    for (piece, weight) in by_weight {
        let (owner, load) =
            (1..).zip(&mut loads).min_by_key(|(_, load)| **load).expect("a shard is one of at least one");
        *load = load.saturating_add(weight);
        owners.insert(piece, owner);
    }
    pieces.iter().map(|piece| owners[piece]).collect()
}

/// Whose each file is, where only its own cost counts.
pub(super) fn by_cost(costs: &[u64], count: u32) -> Vec<u32> {
    let pieces: Vec<usize> = (0..costs.len()).collect();
    divided(&pieces, costs, count)
}

/// Whose each file is, where files that a chunk shows together stay together. `costs` are those of files in no chunk.
pub(super) fn by_chunks(passes: &[Chunks], costs: &[u64], count: u32) -> Vec<u32> {
    let mut pieces: Vec<usize> = (0..costs.len()).collect();
    let mut weights = costs.to_vec();
    for chunk in passes.iter().flat_map(|pass| &pass.chunks) {
        let Some(first) = chunk.parts.first().map(|part| part.file) else { continue };
        let first = root(&pieces, first);
        weights[first] = weights[first].saturating_add(u64::from(chunk.tokens));
        for covered in &chunk.parts {
            let other = root(&pieces, covered.file);
            let first = root(&pieces, first);
            pieces[first.max(other)] = first.min(other);
        }
    }
    let pieces: Vec<usize> = (0..pieces.len()).map(|file| root(&pieces, file)).collect();
    divided(&pieces, &weights, count)
}

fn root(pieces: &[usize], mut file: usize) -> usize {
    while pieces[file] != file {
        file = pieces[file];
    }
    file
}

impl Share {
    /// Of what was gathered, what the end of the review takes away or adds to.
    pub(super) fn of(
        shard: Shard,
        files: Vec<(RepoPath, u32)>,
        gathered: &Gathered,
        baseline: &Baseline,
        caps: Caps,
    ) -> Self {
        let needs = |entry: &&Entry| {
            gathered.kept.iter().any(|finding| {
                finding.fingerprint == entry.fingerprint
                    || (finding.window == entry.window && *finding.claim.tag == entry.tag)
            })
        };
        Self {
            shard,
            files,
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
/// # Errors
/// They are not shares of one review.
pub fn join(reviews: Vec<Review>, today: Option<Date>) -> Result<Review, Error> {
    let mut shares = Vec::with_capacity(reviews.len());
    for mut review in reviews {
        let share = review.share.take().ok_or(Error::Whole)?;
        shares.push((*share, review));
    }
    shares.sort_by_key(|(share, _)| share.shard);
    check(&shares)?;
    let (mut all, mut baseline, mut caps) = (Gathered::default(), Baseline::default(), Caps::default());
    let Some((first, review)) = shares.first() else { return Err(Error::Nothing) };
    let (files, count) = (first.files.clone(), first.shard.count);
    all.change = review.change.clone();
    all.change.files.clear();
    let present: Vec<u32> = shares.iter().map(|(share, _)| share.shard.index).collect();
    for (share, review) in shares {
        let own = review.dropped.into_iter();
        let own = own.filter(|finding| !finding.dropped.as_ref().is_some_and(conclude::is_concluded));
        all.dropped.extend(own);
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
        baseline.entries.extend(share.baseline.entries);
        caps.review = share.caps.review;
        caps.tags.extend(share.caps.tags);
    }
    baseline.entries.sort();
    baseline.entries.dedup();
    for (path, owner) in files.iter().filter(|(_, owner)| !present.contains(owner)) {
        let why = format!("share {owner} of {count} is missing");
        all.coverage.skipped.push(Skip { path: path.clone(), lines: None, unread: true, why });
    }
    let places: BTreeMap<&RepoPath, usize> = files.iter().map(|(path, _)| path).zip(0..).collect();
    all.change.files.sort_by_key(|file| places.get(&file.path).copied());
    Ok(conclude::conclude(all, &baseline, today, &caps))
}

fn check(shares: &[(Share, Review)]) -> Result<(), Error> {
    for pair in shares.windows(2) {
        let [(one, a), (other, b)] = pair else { continue };
        let differ = |what| Err(Error::Different { one: one.shard, other: other.shard, what });
        let range = |review: &Review| {
            let change = &review.change;
            (change.description.clone(), change.base_tip.clone(), change.merge_base.clone(), change.head.clone())
        };
        let who = |review: &Review| review.model.as_ref().map(|part: &Part| part.names.clone());
        if one.shard.count != other.shard.count {
            return differ("the number of shares");
        }
        if one.shard.index == other.shard.index {
            return Err(Error::Twice(one.shard));
        }
        if range(a) != range(b) {
            return differ("the commits they review");
        }
        if one.files != other.files {
            return differ("how they divide the files");
        }
        if who(a) != who(b) {
            return differ("the model");
        }
        if one.caps.review != other.caps.review {
            return differ("the cap of shown findings");
        }
    }
    for (share, review) in shares {
        let before = |finding: &&Finding| !finding.dropped.as_ref().is_some_and(conclude::is_concluded);
        let counted = share.kept.len() + review.dropped.iter().filter(before).count();
        let is_own = |path: &RepoPath| share.files.contains(&(path.clone(), share.shard.index));
        if review.funnel.raised != counted as u64 || !review.change.files.iter().all(|file| is_own(&file.path)) {
            return Err(Error::Unbalanced(share.shard));
        }
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
        assert_eq!(by_cost(&[5, 9, 4, 1, 1], 2), [2, 1, 2, 1, 2]);
        assert_eq!(by_cost(&[1, 1], 5), [1, 2]);
        assert!(by_cost(&[], 3).is_empty());
    }
}
