//! How alike two contents are, counted as git counts it for renames (gitdiffcore(7); `diffcore-delta.c`): both are cut
//! into lines, longer ones into pieces of 64 bytes, and the bytes of pieces with a common hash are summed.

/// The score of identical contents.
pub(super) const MAX_SCORE: u64 = 60_000;
/// Pieces are told apart by a hash below this prime only; a larger one would find other renames than git does.
const HASHES: u32 = 107_927;
const PIECE: u32 = 64;

/// The pieces of one content: hash and total bytes, by ascending hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Profile {
    pieces: Vec<(u32, u32)>,
    /// Bytes of the content.
    pub(super) size: u64,
}

impl Profile {
    pub(super) fn of(content: &[u8]) -> Self {
        let text = !is_binary(content);
        let mut pieces = Vec::with_capacity(content.len() / 24 + 1);
        let (mut high, mut low, mut length) = (0u32, 0u32, 0u32);
        for (at, byte) in content.iter().enumerate() {
            // A carriage return that belongs to a line ending does not count, so that a change of line endings is a rename.
            if text && *byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            let carried = high;
            high = (high << 7) ^ (low >> 25);
            low = (low << 7) ^ (carried >> 25);
            high = high.wrapping_add(u32::from(*byte));
            length += 1;
            if length >= PIECE || *byte == b'\n' {
                pieces.push((hash(high, low), length));
                (high, low, length) = (0, 0, 0);
            }
        }
        if length > 0 {
            pieces.push((hash(high, low), length));
        }
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        pieces.shrink_to_fit();
        Self { pieces, size: content.len() as u64 }
    }

    /// How many pieces there are to walk through.
    pub(super) const fn len(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// 0 to [`MAX_SCORE`]: the bytes of `self` found again in `new`, against the size of the larger of the two.
    pub(super) fn score(&self, new: &Self) -> u64 {
        if new.size == 0 {
            return 0;
        }
        let mut copied = 0u64;
        let mut others = new.pieces.iter().peekable();
        for (hash, bytes) in &self.pieces {
            while others.next_if(|other| other.0 < *hash).is_some() {}
            if let Some(other) = others.next_if(|other| other.0 == *hash) {
                copied += u64::from(*bytes.min(&other.1));
            }
        }
        copied * MAX_SCORE / self.size.max(new.size)
    }
}

/// Whether sizes alone rule out that the contents reach `minimum`.
pub(super) fn sizes_too_different(one: u64, other: u64, minimum: u64) -> bool {
    let (small, large) = (one.min(other), one.max(other));
    u128::from(large) * u128::from(MAX_SCORE - minimum) < u128::from(large - small) * u128::from(MAX_SCORE)
}

/// git's test for binary content: a NUL in the first 8000 bytes (`xdiff-interface.c`).
pub(super) fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(8000)]).is_some()
}

fn hash(high: u32, low: u32) -> u32 {
    high.wrapping_add(low.wrapping_mul(0x61)) % HASHES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identical_contents_score_full_and_disjoint_ones_nothing() {
        let one = Profile::of(b"a\nbb\nccc\n");
        assert_eq!(one.score(&one), MAX_SCORE);
        assert_eq!(one.score(&Profile::of(b"x\nyy\nzzz\n")), 0);
        assert_eq!(one.score(&Profile::of(b"")), 0);
        assert_eq!(Profile::of(b"").score(&one), 0);
    }

    #[test]
    fn line_endings_do_not_count_in_text() {
        assert_eq!(Profile::of(b"abc\r\n").pieces, Profile::of(b"abc\n").pieces);
        assert_ne!(Profile::of(b"\0abc\r\n").pieces, Profile::of(b"\0abc\n").pieces);
    }

    #[test]
    fn half_is_the_border_of_sizes() {
        assert!(!sizes_too_different(100, 50, MAX_SCORE / 2));
        assert!(sizes_too_different(100, 49, MAX_SCORE / 2));
        assert!(!sizes_too_different(0, 0, MAX_SCORE / 2));
        assert!(sizes_too_different(u64::MAX, 0, MAX_SCORE / 2));
    }
}
