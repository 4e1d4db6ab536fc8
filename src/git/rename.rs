//! Which deleted file became which added one. The passes and ties are git's (`diffcore-rename.c`, the default of
//! `git diff -M`): equal ids, then equal base names that occur once on each side, then every pair by similarity. The
//! bounds are fixed here and never the user's; whoever calls is told when they cut the search short.

use std::collections::HashMap;

use super::changes::{Entry, EntryKind};
use super::similarity::{MAX_SCORE, Profile, sizes_too_different};

/// At least this much must be common: git's default of 50 %.
const MINIMUM: u64 = MAX_SCORE / 2;
/// With equal base names git asks for 75 % before it skips the other candidates.
const MINIMUM_SAME_NAME: u64 = MINIMUM + (MAX_SCORE - MINIMUM) / 2;
/// git keeps this many sources per target while it goes through all pairs.
const KEPT: usize = 4;
/// git looks at this many files with the same id.
const IDENTICAL: usize = 100;

/// The bounds of the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Pairs compared by content; git's default is 1000 × 1000.
    pub(super) pairs: usize,
    /// Bytes read in all.
    pub(super) bytes: u64,
    /// Pieces of profiles walked through in all; two profiles of 1 MiB of code have about 60,000.
    pub(super) steps: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { pairs: 1_000_000, bytes: 1 << 30, steps: 2_000_000_000 }
    }
}

/// A found rename: indices into the lists given, and the similarity in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rename {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) similarity: u8,
}

/// What the search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Renames {
    pub(super) pairs: Vec<Rename>,
    /// A bound was hit: further renames are shown as a deletion and an addition.
    pub(super) cut_short: bool,
}

/// Sizes and contents of entries, `None` where they cannot be had: such an entry takes no part.
pub(super) trait Contents {
    fn size(&mut self, entry: &Entry) -> Option<u64>;
    fn read(&mut self, entry: &Entry) -> Option<Vec<u8>>;
}

/// Pairs deleted with added files. Both lists are sorted by path.
pub(super) fn find(deleted: &[Entry], added: &[Entry], contents: &mut dyn Contents, bounds: Bounds) -> Renames {
    let mut search = Search {
        deleted,
        added,
        contents,
        left: bounds.bytes,
        steps: bounds.steps,
        old_used: vec![false; deleted.len()],
        new_used: vec![false; added.len()],
        profiles: HashMap::new(),
        sizes: HashMap::new(),
        found: Renames::default(),
    };
    search.identical();
    search.same_name();
    search.all_pairs(bounds.pairs);
    search.found.pairs.sort_unstable_by_key(|pair| pair.new);
    search.found
}

/// Which side an entry is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Old(usize),
    New(usize),
}

struct Search<'a> {
    deleted: &'a [Entry],
    added: &'a [Entry],
    contents: &'a mut dyn Contents,
    /// Bytes that may still be read.
    left: u64,
    /// Pieces that may still be walked through.
    steps: u64,
    old_used: Vec<bool>,
    new_used: Vec<bool>,
    profiles: HashMap<Of, Option<Profile>>,
    sizes: HashMap<Of, Option<u64>>,
    found: Renames,
}

impl Search<'_> {
    fn record(&mut self, old: usize, new: usize, score: u64) {
        self.old_used[old] = true;
        self.new_used[new] = true;
        self.found.pairs.push(Rename { old, new, similarity: (score * 100 / MAX_SCORE) as u8 });
    }

    fn identical(&mut self) {
        let mut by_id: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, entry) in self.deleted.iter().enumerate() {
            by_id.entry(entry.content.id()).or_default().push(index);
        }
        for (new, target) in self.added.iter().enumerate() {
            let Some(sources) = by_id.get(&target.content.id()) else { continue };
            let fits = |old: &usize| {
                let source = &self.deleted[*old];
                !self.old_used[*old] && (is_regular(source) && is_regular(target) || source.kind == target.kind)
            };
            let mut candidates = sources.iter().copied().take(IDENTICAL).filter(fits);
            let first = candidates.next();
            let named = first
                .into_iter()
                .chain(candidates)
                .find(|old| self.deleted[*old].path.file_name() == target.path.file_name());
            if let Some(old) = named.or(first) {
                self.record(old, new, MAX_SCORE);
            }
        }
    }

    fn same_name(&mut self) {
        let olds = unique_names(self.deleted, &self.old_used);
        let news = unique_names(self.added, &self.new_used);
        for old in 0..self.deleted.len() {
            if self.old_used[old] {
                continue;
            }
            let name = self.deleted[old].path.file_name();
            let (Some(Some(_)), Some(Some(new))) = (olds.get(name), news.get(name)) else { continue };
            let score = self.score(old, *new, MINIMUM_SAME_NAME);
            if score >= MINIMUM_SAME_NAME {
                self.record(old, *new, score);
            }
        }
    }

    fn all_pairs(&mut self, limit: usize) {
        let olds: Vec<usize> = (0..self.deleted.len()).filter(|old| !self.old_used[*old]).collect();
        let news: Vec<usize> = (0..self.added.len()).filter(|new| !self.new_used[*new]).collect();
        if olds.is_empty() || news.is_empty() {
            return;
        }
        if olds.len().saturating_mul(news.len()) > limit {
            self.found.cut_short = true;
            return;
        }
        let mut matrix: Vec<Candidate> = Vec::with_capacity(news.len() * KEPT);
        for new in &news {
            let mut best: [Option<Candidate>; KEPT] = [None; KEPT];
            for old in &olds {
                let score = self.score(*old, *new, MINIMUM);
                let same_name = self.deleted[*old].path.file_name() == self.added[*new].path.file_name();
                keep_if_better(&mut best, Candidate { old: *old, new: *new, score, same_name });
            }
            matrix.extend(best.into_iter().flatten());
            // The sources are needed for every target, the targets only once.
            self.profiles.remove(&Of::New(*new));
        }
        matrix.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        for Candidate { old, new, score, .. } in matrix {
            if score < MINIMUM {
                break;
            }
            if !self.old_used[old] && !self.new_used[new] {
                self.record(old, new, score);
            }
        }
    }

    fn score(&mut self, old: usize, new: usize, minimum: u64) -> u64 {
        if !is_regular(&self.deleted[old]) || !is_regular(&self.added[new]) {
            return 0;
        }
        let (Some(old_size), Some(new_size)) = (self.size(Of::Old(old)), self.size(Of::New(new))) else { return 0 };
        if sizes_too_different(old_size, new_size, minimum) {
            return 0;
        }
        self.load(Of::Old(old));
        self.load(Of::New(new));
        let profile = |of| self.profiles.get(&of).and_then(Option::as_ref);
        let (Some(old), Some(new)) = (profile(Of::Old(old)), profile(Of::New(new))) else { return 0 };
        let steps = old.len() + new.len();
        if steps > self.steps {
            self.found.cut_short = true;
            return 0;
        }
        self.steps -= steps;
        old.score(new)
    }

    fn entry(&self, of: Of) -> &Entry {
        match of {
            Of::Old(index) => &self.deleted[index],
            Of::New(index) => &self.added[index],
        }
    }

    fn size(&mut self, of: Of) -> Option<u64> {
        if let Some(known) = self.sizes.get(&of) {
            return *known;
        }
        let entry = self.entry(of).clone();
        let size = self.contents.size(&entry);
        self.sizes.insert(of, size);
        size
    }

    fn load(&mut self, of: Of) {
        if self.profiles.contains_key(&of) {
            return;
        }
        let size = self.size(of).unwrap_or(u64::MAX);
        let profile = if size > self.left {
            self.found.cut_short = true;
            None
        } else {
            self.left -= size;
            let entry = self.entry(of).clone();
            self.contents.read(&entry).map(|content| Profile::of(&content))
        };
        self.profiles.insert(of, profile);
    }
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    old: usize,
    new: usize,
    score: u64,
    same_name: bool,
}

impl Candidate {
    const fn rank(&self) -> (u64, bool) {
        (self.score, self.same_name)
    }
}

/// Puts the candidate into the place of the worst kept one, if it beats it; an empty place is the worst. Which of
/// several equal ones is replaced decides later ties: the first, as in git.
fn keep_if_better(best: &mut [Option<Candidate>; KEPT], candidate: Candidate) {
    let rank = |kept: &Option<Candidate>| kept.as_ref().map(Candidate::rank);
    let mut worst = 0;
    for place in 1..KEPT {
        if rank(&best[place]) < rank(&best[worst]) {
            worst = place;
        }
    }
    if rank(&best[worst]) < Some(candidate.rank()) {
        best[worst] = Some(candidate);
    }
}

/// Base names of the entries still free: the index where the name occurs once, `None` where it occurs more often.
fn unique_names<'a>(entries: &'a [Entry], used: &[bool]) -> HashMap<&'a [u8], Option<usize>> {
    let mut names = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if !used[index] {
            names.entry(entry.path.file_name()).and_modify(|known| *known = None).or_insert(Some(index));
        }
    }
    names
}

const fn is_regular(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::File | EntryKind::Executable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::RepoPath;
    use crate::git::{Content, Oid};

    struct Fixed;

    /// The content of an entry is its id's digits repeated as lines, so equal first digits are alike.
    impl Contents for Fixed {
        fn size(&mut self, entry: &Entry) -> Option<u64> {
            self.read(entry).map(|content| content.len() as u64)
        }
        fn read(&mut self, entry: &Entry) -> Option<Vec<u8>> {
            let digits = entry.content.id().hex();
            Some(digits.as_bytes().chunks(4).flat_map(|chunk| [chunk, b"\n"].concat()).collect())
        }
    }

    fn entry(path: &str, digits: &str) -> Entry {
        let id = Oid::from_hex(&format!("{digits:0<40}")).expect("hexadecimal digits");
        Entry { path: RepoPath::from(path), kind: EntryKind::File, content: Content::Blob(id) }
    }

    fn pairs(deleted: &[Entry], added: &[Entry]) -> Vec<(usize, usize, u8)> {
        let found = find(deleted, added, &mut Fixed, Bounds::default());
        found.pairs.iter().map(|pair| (pair.old, pair.new, pair.similarity)).collect()
    }

    #[test]
    fn an_equal_id_prefers_the_equal_base_name() {
        let deleted = [entry("a/x", "1"), entry("b/y", "1")];
        let added = [entry("c/y", "1"), entry("d/z", "1")];
        assert_eq!(pairs(&deleted, &added), [(1, 0, 100), (0, 1, 100)]);
    }

    #[test]
    fn the_bound_is_reported() {
        let deleted = [entry("a", "1234"), entry("b", "5678")];
        let added = [entry("c", "1235"), entry("d", "5679")];
        let found = find(&deleted, &added, &mut Fixed, Bounds { pairs: 3, ..Bounds::default() });
        assert!(found.cut_short && found.pairs.is_empty());
        let found = find(&deleted, &added, &mut Fixed, Bounds { bytes: 10, ..Bounds::default() });
        assert!(found.cut_short && found.pairs.is_empty());
        let found = find(&deleted, &added, &mut Fixed, Bounds { steps: 1, ..Bounds::default() });
        assert!(found.cut_short && found.pairs.is_empty());
        assert_eq!(pairs(&deleted, &added).len(), 2);
    }

    #[test]
    fn an_unlike_file_of_the_same_name_stays_unpaired() {
        let deleted = [entry("a/x", &"1234567890".repeat(4))];
        let added = [entry("b/x", &"abcdef0987".repeat(4))];
        assert!(pairs(&deleted, &added).is_empty());
    }
}
