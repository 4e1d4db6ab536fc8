//! The measures of CR-Bench (section 6, equations 2 to 6): totals over the corpus, never means over changes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::score::{Hits, Measure, Measures, Number};

/// What a judge said of every comment about one change or many.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// How many bugs are known.
    pub total_bugs: u64,
    /// The comments.
    pub reviews: Vec<Review>,
}

/// A judged comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// What it is.
    pub label: Label,
    /// The bug that it hits. Without a name it is the one that no other comment names.
    #[serde(default)]
    pub bug: Option<String>,
}

/// What a comment is; exclusive and exhaustive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Label {
    /// It identifies the known bug, or is directly about it.
    BugHit,
    /// Sound and worth saying, about something else.
    ValidSuggestion,
    /// Wrong, beside the change, or nothing to act on.
    Noise,
}

impl Label {
    /// The label of this name.
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "BUG_HIT" => Some(Self::BugHit),
            "VALID_SUGGESTION" => Some(Self::ValidSuggestion),
            "NOISE" => Some(Self::Noise),
            _ => None,
        }
    }
}

/// What the measures are made of. Counts of several changes add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Known bugs.
    pub bugs: u64,
    /// Comments of any label.
    pub comments: u64,
    /// Comments that hit a bug.
    pub hit_comments: u64,
    /// Bugs that some comment hits, at most [`Self::bugs`].
    pub hit_bugs: u64,
    /// Valid suggestions.
    pub valid: u64,
    /// Noise.
    pub noise: u64,
}

impl Input {
    /// Counts the labels.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { bugs: self.total_bugs, ..Counts::default() };
        let mut bugs = BTreeSet::new();
        for review in &self.reviews {
            counts.comments += 1;
            match review.label {
                Label::BugHit => {
                    counts.hit_comments += 1;
                    bugs.insert(&review.bug);
                }
                Label::ValidSuggestion => counts.valid += 1,
                Label::Noise => counts.noise += 1,
            }
        }
        counts.hit_bugs = (bugs.len() as u64).min(self.total_bugs);
        counts
    }
}

impl Counts {
    /// Hits under this way of counting.
    pub const fn hits(&self, hits: Hits) -> u64 {
        match hits {
            Hits::PerBug => self.hit_bugs,
            Hits::PerComment => self.hit_comments,
        }
    }

    /// `recall` (equation 2, undefined without bugs), `precision` (3, undefined without comments), `f1` (4), `usefulness`
    /// (5), `snr` (6, infinite without noise). A further comment about a bug that is hit already is useful, and no noise,
    /// whichever way hits are counted.
    pub fn measures(&self, hits: Hits) -> Measures {
        let count = |count: u64| Number::count(count).get();
        let hits = count(self.hits(hits));
        let (bugs, comments, noise) = (count(self.bugs), count(self.comments), count(self.noise));
        let useful = count(self.hit_comments) + count(self.valid);
        // 2PR/(P+R) with P = h/n and R = h/b, written so that it is defined where only one of the two is.
        // Without a bug there is nothing to hit, whatever a judge says.
        let f1 = Measure::ratio(if self.bugs == 0 { 0.0 } else { 2.0 * hits }, comments + bugs);
        let measures = [
            ("recall", Measure::ratio(hits, bugs)),
            ("precision", Measure::ratio(hits, comments)),
            ("f1", f1),
            ("usefulness", Measure::ratio(useful, comments)),
            ("snr", Measure::quotient(useful, noise)),
        ];
        measures.map(|(name, measure)| (name.to_owned(), measure)).into()
    }
}
