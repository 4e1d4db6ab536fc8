//! How well the scores of a judge foresee what people think (Code Quality Score, section 4.4 and appendix C): a positive
//! score calls an issue valid, 0 and -1 do not; a thumb says what a person thinks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::agreement::Table;
use super::cqs::{self, Thumb};
use super::error::Error;
use super::score::Number;
use crate::stats::{Interval, Paired, clopper_pearson, cohen_kappa, deviation, mean, wilson};

/// The format of [`Study`].
pub const FORMAT: &str = "diffsieve.judge-study/v1";

/// Who is meant where no column names the judge.
const ONLY: &str = "judge";

/// What a judge said of an issue, and what a person thinks of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// The issue; blank where votes have no names, and then two judges cannot be compared one by one.
    pub item: String,
    /// Who scored it.
    pub judge: String,
    /// What it is about; blank where nobody says.
    pub tag: String,
    /// -1 or 0: not valid; up to 10: how serious.
    pub score: f64,
    /// What a person thinks.
    pub thumb: Thumb,
}

/// Judges against people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    /// [`FORMAT`].
    pub format: &'static str,
    /// Of the intervals, 0 to 1.
    pub level: Number,
    /// By name.
    pub judges: BTreeMap<String, Judged>,
    /// Every two judges, over the issues that both scored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
}

/// One judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// Scored and voted on.
    pub votes: u64,
    /// Called valid, thumbs up.
    pub true_positive: u64,
    /// Not called valid, thumbs down.
    pub true_negative: u64,
    /// Called valid, thumbs down.
    pub false_positive: u64,
    /// Not called valid, thumbs up.
    pub false_negative: u64,
    /// Share of the votes that it foresees.
    pub accuracy: Option<Number>,
    /// Wilson's interval of it.
    pub accuracy_wilson: Option<Interval>,
    /// The exact interval of it.
    pub accuracy_exact: Option<Interval>,
    /// Cohen's κ of judge and people.
    pub kappa: Option<Number>,
    /// Share of thumbs that are up.
    pub helpfulness: Option<Number>,
    /// Wilson's interval of it.
    pub helpfulness_wilson: Option<Interval>,
    /// What it scores, by tag; a blank tag is `unknown`.
    pub tags: BTreeMap<String, Tagged>,
}

/// The scores of a judge for one tag (table 3).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tagged {
    /// Scores.
    pub votes: u64,
    /// Their mean.
    pub mean: Option<Number>,
    /// Their standard deviation, divided by `n - 1`.
    pub deviation: Option<Number>,
    /// Of the votes, thumbs up.
    pub up: u64,
}

/// Two judges of the same issues.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// One.
    pub a: String,
    /// The other.
    pub b: String,
    /// Issues whose votes each foresees.
    pub foreseen: Paired,
    /// Whether one foresees more of them, by McNemar's exact test.
    pub exact: Option<Number>,
    /// Its mid-p.
    pub mid: Option<Number>,
}

/// Reads votes: a column `score` of numbers and a column `thumb` of `up` and `down`; `item`, `judge` and `tag` where they
/// are there.
pub fn votes(table: &Table) -> Result<Vec<Vote>, Error> {
    let column = |name: &str| table.columns.iter().position(|column| column == name);
    let needed =
        |name: &str| column(name).ok_or_else(|| Error::input("the votes", format!("there is no column `{name}`")));
    let (score, thumb) = (needed("score")?, needed("thumb")?);
    let (item, judge, tag) = (column("item"), column("judge"), column("tag"));
    let vote = |(row, number): (&Vec<String>, usize)| {
        let cell = |at: usize| row.get(at).map_or("", String::as_str);
        let text =
            |at: Option<usize>, other: &str| at.map(cell).filter(|text| !text.is_empty()).unwrap_or(other).to_owned();
        let wrong = |what: String| Error::input(format!("vote {number}"), what);
        let given = cell(score).parse().ok().filter(|score| (-1.0..=10.0).contains(score));
        Ok(Vote {
            item: text(item, ""),
            judge: text(judge, ONLY),
            tag: text(tag, ""),
            score: given.ok_or_else(|| wrong(format!("`{}` is no score from -1 to 10", cell(score))))?,
            thumb: match cell(thumb) {
                "up" => Thumb::Up,
                "down" => Thumb::Down,
                other => return Err(wrong(format!("`{other}` is no thumb: write up or down"))),
            },
        })
    };
    table.rows.iter().zip(1..).map(vote).collect()
}

/// Compares judges with people. An issue that a judge scored twice is an error where issues have names.
pub fn study(votes: &[Vote], level: f64) -> Result<Study, Error> {
    let mut judges = BTreeMap::<&str, Vec<&Vote>>::new();
    let mut seen = BTreeSet::new();
    for vote in votes {
        if !vote.item.is_empty() && !seen.insert((&vote.judge, &vote.item)) {
            return Err(Error::input(format!("`{}`", vote.item), format!("{} scored it twice", vote.judge)));
        }
        judges.entry(&vote.judge).or_default().push(vote);
    }
    let names: Vec<&str> = judges.keys().copied().collect();
    let two = names.iter().enumerate().flat_map(|(at, a)| names.iter().skip(at + 1).map(move |b| (*a, *b)));
    let pairs = two.filter_map(|(a, b)| pair((a, judges.get(a)?), (b, judges.get(b)?))).collect();
    Ok(Study {
        format: FORMAT,
        level: Number::new(level).unwrap_or_default(),
        pairs,
        judges: judges.iter().map(|(name, votes)| ((*name).to_owned(), judged(votes, level))).collect(),
    })
}

fn is_valid(vote: &Vote) -> bool {
    vote.score > 0.0
}

fn is_up(vote: &Vote) -> bool {
    vote.thumb == Thumb::Up
}

fn judged(votes: &[&Vote], level: f64) -> Judged {
    let count =
        |valid: bool, up: bool| votes.iter().filter(|vote| is_valid(vote) == valid && is_up(vote) == up).count() as u64;
    let (true_positive, true_negative) = (count(true, true), count(false, false));
    let (false_positive, false_negative) = (count(true, false), count(false, true));
    let (all, foreseen, up) = (votes.len() as u64, true_positive + true_negative, true_positive + false_negative);
    let mut tags = BTreeMap::<&str, Vec<&Vote>>::new();
    for vote in votes {
        tags.entry(if vote.tag.is_empty() { "unknown" } else { &vote.tag }).or_default().push(vote);
    }
    let tagged = |(tag, votes): (&str, Vec<&Vote>)| {
        let scores: Vec<f64> = votes.iter().map(|vote| vote.score).collect();
        let tagged = Tagged {
            votes: votes.len() as u64,
            mean: mean(&scores).and_then(Number::new),
            deviation: deviation(&scores).and_then(Number::new),
            up: votes.iter().filter(|vote| is_up(vote)).count() as u64,
        };
        (tag.to_owned(), tagged)
    };
    Judged {
        votes: all,
        true_positive,
        true_negative,
        false_positive,
        false_negative,
        accuracy: cqs::accuracy(true_positive, true_negative, all),
        accuracy_wilson: wilson(foreseen, all, level),
        accuracy_exact: clopper_pearson(foreseen, all, level),
        kappa: cohen_kappa(votes.iter().map(|vote| (is_valid(vote), is_up(vote)))).and_then(Number::new),
        helpfulness: cqs::helpfulness(up, all - up),
        helpfulness_wilson: wilson(up, all, level),
        tags: tags.into_iter().map(tagged).collect(),
    }
}

fn pair((a, of_a): (&str, &Vec<&Vote>), (b, of_b): (&str, &Vec<&Vote>)) -> Option<Pair> {
    let foreseen = |vote: &Vote| is_valid(vote) == is_up(vote);
    let by_b: BTreeMap<&str, bool> = of_b.iter().map(|vote| (vote.item.as_str(), foreseen(vote))).collect();
    let named = of_a.iter().filter(|vote| !vote.item.is_empty());
    let both: Vec<(bool, bool)> =
        named.filter_map(|vote| Some((foreseen(vote), *by_b.get(vote.item.as_str())?))).collect();
    let counts: Paired = both.iter().copied().collect();
    (!both.is_empty()).then(|| Pair {
        a: a.to_owned(),
        b: b.to_owned(),
        foreseen: counts,
        exact: counts.exact().and_then(Number::new),
        mid: counts.mid().and_then(Number::new),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        Table { columns: rows.next().expect("the first line names the columns"), rows: rows.collect() }
    }

    fn of(text: &str) -> Result<Study, String> {
        let votes = votes(&table(text)).map_err(|error| error.to_string())?;
        study(&votes, 0.95).map_err(|error| error.to_string())
    }

    /// The vector of the accuracy of a judge: scores 8, 3, 0, -1, 0 with thumbs up, down, down, down, up give 0.6.
    #[test]
    fn a_positive_score_calls_an_issue_valid() {
        let found = of("score,thumb\n8,up\n3,down\n0,down\n-1,down\n0,up").expect("it is a study");
        let judge = &found.judges[ONLY];
        assert_eq!(judge.accuracy, Number::new(0.6));
        assert_eq!(
            (judge.true_positive, judge.true_negative, judge.false_positive, judge.false_negative),
            (1, 2, 1, 1)
        );
        assert_eq!(judge.kappa.map(Number::rounded), Some(0.1666666667));
        assert_eq!(judge.helpfulness, Number::new(0.4));
        assert_eq!(judge.tags["unknown"].mean, Number::new(2.0));
        assert!(found.pairs.is_empty());
    }

    /// 62 % and 56 % of 200: what the paper says and what it cannot say without the pairs.
    #[test]
    fn the_intervals_of_the_paper_overlap() {
        let interval = |foreseen| wilson(foreseen, 200, 0.95).expect("there are votes");
        assert!(interval(112).high > interval(124).low);
    }

    #[test]
    fn two_judges_of_the_same_issues_are_compared() {
        let found = of("item,judge,tag,score,thumb\n1,a,Typo,5,up\n2,a,Typo,7,up\n3,a,,0,down\n1,b,Typo,0,up\n2,b,Typo,9,up\n4,b,,1,up")
            .expect("it is a study");
        let [pair] = found.pairs.as_slice() else { panic!("{found:?}") };
        assert_eq!(pair.foreseen, Paired { both: 1, only_a: 1, only_b: 0, neither: 0 });
        assert_eq!(pair.exact.map(Number::rounded), Some(1.0));
        let typo = &found.judges["a"].tags["Typo"];
        assert_eq!((typo.votes, typo.up, typo.mean), (2, 2, Number::new(6.0)));
        assert_eq!(typo.deviation.map(Number::rounded), Some(1.4142135624));
    }

    #[test]
    fn what_is_no_vote_is_named() {
        for (text, part) in [
            ("score\n1", "no column `thumb`"),
            ("thumb\nup", "no column `score`"),
            ("score,thumb\n1,up\n11,up", "vote 2: `11` is no score"),
            ("score,thumb\nNaN,up", "`NaN` is no score"),
            ("score,thumb\n1,Up\u{202e}", "is no thumb: write up or down"),
            ("item,score,thumb\nx,1,up\nx,2,up", "`x`: judge scored it twice"),
        ] {
            let error = of(text).expect_err(text);
            assert!(error.contains(part) && !error.contains('\u{202e}'), "{error}");
        }
    }
}
