//! Preference pairs (Algorithm 1): issues of different reviews of one diff with one tag and scores far enough apart.

/// An issue of a sampled review with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Graded {
    /// One of its kind.
    pub id: String,
    /// Only issues of one tag are compared.
    pub tag: String,
    /// By the validator, -1 to 10.
    pub score: f64,
}

/// Which of two issues is the better one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'i> {
    /// The better one.
    pub chosen: &'i Graded,
    /// The other.
    pub rejected: &'i Graded,
}

/// What the text of the paper means: every two issues of different reviews once, the higher score chosen. Scores that are
/// equal make no pair, whatever `delta`.
pub fn oriented_pairs(reviews: &[Vec<Graded>], delta: f64) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    for (at, one) in reviews.iter().enumerate() {
        for other in &reviews[at + 1..] {
            for (left, right) in combinations(one, other, delta) {
                if left.score > right.score {
                    pairs.push(Pair { chosen: left, rejected: right });
                } else if right.score > left.score {
                    pairs.push(Pair { chosen: right, rejected: left });
                }
            }
        }
    }
    pairs
}

/// The printed pseudo code, to show the difference: every ordered pair, the first one chosen whichever score is higher.
pub fn literal_pairs(reviews: &[Vec<Graded>], delta: f64) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    for (at, one) in reviews.iter().enumerate() {
        for other in reviews.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other) {
            pairs.extend(combinations(one, other, delta).map(|(chosen, rejected)| Pair { chosen, rejected }));
        }
    }
    pairs
}

fn combinations<'i>(
    one: &'i [Graded],
    other: &'i [Graded],
    delta: f64,
) -> impl Iterator<Item = (&'i Graded, &'i Graded)> {
    let all = one.iter().flat_map(move |left| other.iter().map(move |right| (left, right)));
    all.filter(move |(left, right)| left.tag == right.tag && (left.score - right.score).abs() >= delta)
}
