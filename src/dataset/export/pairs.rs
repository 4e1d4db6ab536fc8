//! Preference pairs (CQS, Algorithm 1).

/// Of all findings of different reviews of one change that have the same tag and scores at least `delta` apart, the better
/// one and the worse one. As printed, the algorithm takes each pair in both directions whichever is better; what its text
/// means is that the chosen one has the higher score, once. Equal scores never make a pair, whatever `delta` is.
pub fn pairs<T>(reviews: &[Vec<T>], tag: impl Fn(&T) -> &str, score: impl Fn(&T) -> i64, delta: i64) -> Vec<(&T, &T)> {
    let mut pairs = Vec::new();
    for (at, one_review) in reviews.iter().enumerate() {
        for other_review in &reviews[at + 1..] {
            for one in one_review {
                for other in other_review.iter().filter(|other| tag(other) == tag(one)) {
                    let (left, right) = (score(one), score(other));
                    if left != right && left.abs_diff(right) >= delta.unsigned_abs() {
                        pairs.push(if left > right { (one, other) } else { (other, one) });
                    }
                }
            }
        }
    }
    pairs
}
