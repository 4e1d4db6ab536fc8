//! The scores of one run by one protocol, with intervals.

use std::collections::BTreeMap;

use serde::Serialize;

use super::case::{CaseReport, Hand};
use super::draws::Draws;
use super::figure::Figure;
use super::funnel::Cost;
use super::{count, len, words};
use crate::eval::ablate::Ablation;
use crate::eval::find;
use crate::eval::score::{Answers, Hits, Location, Measure, Measures, Number, Row, Scores, Variants};
use crate::eval::scoring::{self, Part};
use crate::record::Comment;
use crate::stats::Bootstrap;

/// One protocol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProtocolReport {
    /// Its name.
    pub protocol: String,
    /// What was chosen where the paper leaves it open, and who judged.
    pub variants: Variants,
    /// How many answers are in the numbers, and what became of the others.
    pub answers: Answers,
    /// Over all answers.
    pub measures: BTreeMap<String, Figure>,
    /// The same of a reviewer who says nothing.
    pub silent: Measures,
    /// Answers about clean cases that say anything.
    pub alarms: Figure,
    /// Comments a clean case.
    pub alarm_comments: Figure,
    /// Known faults at which a comment stands, of those with a line.
    pub reached: Figure,
    /// Matched pairs that stand at one place, of those that have places.
    pub matched: Figure,
    /// Known faults found, by axis and its value.
    pub by: BTreeMap<String, BTreeMap<String, Figure>>,
    /// Comments that name a known fault, by their tag; empty where the answers are not at hand, and where the protocol
    /// decides about an answer as a whole: then nobody says what a comment is worth.
    pub tags: Vec<TagReport>,
    /// The same by the kind of fault that the reviewer takes it for: `category`, `impact`, `severity`, as far as comments
    /// have them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<&'static str, Vec<TagReport>>,
    /// Known faults that were found, in all rows.
    pub found: u64,
    /// Tokens for each of them; undefined where none was found or no answers are at hand.
    pub tokens_each: Option<Number>,
    /// US dollars for each of them; undefined where also a price is unknown.
    pub dollars_each: Option<Number>,
    /// The measures of each sample, where there are several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<u32, Measures>,
    /// Their means.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mean: Measures,
    /// By case and sample.
    pub cases: Vec<CaseReport>,
    /// The same numbers with stages off, where that was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ablation: Option<Ablation>,
}

/// The comments with one tag, or of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagReport {
    /// As the comments have it.
    pub tag: String,
    /// Those that name a known fault, of all with this tag or of this kind.
    pub precision: Figure,
}

/// Measures that are so many of so many, each either or. Any other is drawn again, and so is a recall that counts comments.
const SHARES: [&str; 5] = ["recall", "precision", "precision_with_plausible", "usefulness", "coverage"];

impl ProtocolReport {
    /// Of these scores, with what else is at hand.
    pub(super) fn of(scores: &Scores, hand: &Hand<'_>, cost: Option<&Cost>, bootstrap: &Bootstrap) -> Self {
        let found = scores.rows.iter().map(|row| row.get("found")).sum::<f64>();
        let draws = Draws::new(scores);
        let by = |(axis, values): (&String, &Measures)| {
            let mut parts = scoring::parts(&scores.rows, axis);
            let mut figure = |name: &String, measure: &Measure| {
                let parts = parts.remove(name).unwrap_or_default();
                (name.clone(), draws.share(measure, parts, bootstrap))
            };
            (axis.clone(), values.iter().map(|(name, measure)| figure(name, measure)).collect())
        };
        let clean = || scores.rows.iter().filter(|row| row.clean);
        let alarm = |row: &Row| if row.get("comments") > 0.0 { 1.0 } else { 0.0 };
        let place = |of: fn(&Location) -> Measure| {
            let parts = scores.rows.iter().map(|row| (row, pair(&of(&row.location))));
            draws.share(&of(&scores.location), parts, bootstrap)
        };
        let each_comment = find(&scores.protocol).is_none_or(|protocol| protocol.asked.each_comment);
        let decided = if each_comment { &scores.rows[..] } else { &[] };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of faults")]
        Self {
            protocol: scores.protocol.clone(),
            variants: scores.variants.clone(),
            answers: scores.answers.clone(),
            measures: measures(scores, &draws, bootstrap),
            silent: scores.silent.clone(),
            alarms: draws.share(&scores.clean.alarms, clean().map(|row| (row, (alarm(row), 1.0))), bootstrap),
            alarm_comments: {
                let said = clean().map(|row| (row, (row.get("comments"), 1.0)));
                Draws::mean(&scores.clean.comments, said, bootstrap)
            },
            reached: place(|location| location.reached),
            matched: place(|location| location.matched),
            by: scores.by.iter().map(by).collect(),
            tags: right(decided, hand, &draws, bootstrap, |comment| comment.tag.as_deref().or(Some("without a tag"))),
            kinds: kinds(decided, hand, &draws, bootstrap),
            found: found.max(0.0) as u64,
            tokens_each: cost.and_then(|cost| cost.tokens_each(found)),
            dollars_each: cost.and_then(|cost| cost.dollars_each(found)),
            samples: scores.samples.clone(),
            mean: scores.mean.clone(),
            cases: scores.rows.iter().map(|row| hand.case(row)).collect(),
            ablation: None,
        }
    }

    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Option<&Figure> {
        self.measures.get(name)
    }

    /// The measures, those first that the protocol is about.
    pub(super) fn ordered(&self) -> Vec<(&String, &Figure)> {
        let mut measures: Vec<_> = self.measures.iter().collect();
        measures.sort_by_key(|(name, _)| words::place(name));
        measures
    }

    /// The measure that the protocol is about: its score, else F1, else recall.
    pub fn headline(&self) -> Option<(&'static str, &Figure)> {
        ["score", "f1", "recall"].into_iter().find_map(|name| Some((name, self.measures.get(name)?)))
    }

    /// What the numbers leave out, in words.
    pub(super) fn left_out(&self) -> Vec<String> {
        let Answers { scored, incomplete, unparsable, failed, missing, .. } = &self.answers;
        let mut said = Vec::new();
        let mut say = |count: u64, what: &str, rest: &str| {
            if count > 0 {
                said.push(format!("{} {rest}", words::plural(count, what)));
            }
        };
        say(len(failed), "answer", "failed: no review, in no number");
        say(len(missing), "answer", "missing: never given, in no number");
        say(*unparsable, "answer", "unparsable: nobody can read it, scored as the protocol says");
        say(*incomplete, "answer", "incomplete: about a part of the change, scored as it is");
        if *scored == 0 {
            said.push("no answer is in the numbers".to_owned());
        }
        said
    }
}

/// Shares of single answers have Wilson's interval; of all else the cases are drawn again.
fn measures(scores: &Scores, draws: &Draws<'_>, bootstrap: &Bootstrap) -> BTreeMap<String, Figure> {
    let is_share = |name: &str| {
        // Sphinx's coverage is a mean of shares.
        let is_mean = scores.protocol == "sphinx" && name == "coverage";
        let has_more = scores.variants.hits == Some(Hits::PerComment) && name == "recall";
        SHARES.contains(&name) && !is_mean && !has_more
    };
    let is_drawn = |name: &str| !is_share(name) || draws.are_repeated();
    let others: Vec<&String> = scores.measures.keys().filter(|name| is_drawn(name)).collect();
    let drawn = draws.spreads(&others, bootstrap);
    let figure = |(name, measure): (&String, &Measure)| {
        let spread = drawn.get(name).copied();
        let figure = match (is_share(name), is_drawn(name)) {
            (true, true) => draws.share_drawn(name, measure, spread, bootstrap.level),
            (true, false) => Figure::share(measure, bootstrap.level),
            (false, _) => Figure::drawn(measure, spread),
        };
        (name.clone(), figure)
    };
    scores.measures.iter().map(figure).collect()
}

/// What stands above and below the line.
fn pair(measure: &Measure) -> (f64, f64) {
    let part = |number: Option<Number>| number.map_or(0.0, Number::get);
    (part(measure.over), part(measure.under))
}

type Kind = fn(&Comment) -> Option<&str>;

/// What comments are told apart by beside their tag: what kind of fault they are about.
const KINDS: [(&str, Kind); 3] = [
    ("category", |comment| comment.category.as_deref()),
    ("impact", |comment| comment.impact.as_deref()),
    ("severity", |comment| comment.severity.as_deref()),
];

fn kinds(
    rows: &[Row],
    hand: &Hand<'_>,
    draws: &Draws<'_>,
    bootstrap: &Bootstrap,
) -> BTreeMap<&'static str, Vec<TagReport>> {
    let kinds = KINDS.into_iter().map(|(axis, kind)| (axis, right(rows, hand, draws, bootstrap, kind)));
    kinds.filter(|(_, found)| !found.is_empty()).collect()
}

/// How often the comments with a tag, or of a kind, name a known fault; those without one are left out.
fn right(rows: &[Row], hand: &Hand<'_>, draws: &Draws<'_>, bootstrap: &Bootstrap, name: Kind) -> Vec<TagReport> {
    let mut tags = BTreeMap::<&str, Vec<Part<'_>>>::new();
    for row in rows {
        for comment in hand.comments(row) {
            let Some(name) = name(comment) else { continue };
            let names = row.pairs.iter().any(|(said, _)| *said == comment.id);
            let hit = if names { 1.0 } else { 0.0 };
            tags.entry(name).or_default().push((row, (hit, 1.0)));
        }
    }
    let report = |(tag, parts): (&str, Vec<Part<'_>>)| {
        let hits = parts.iter().map(|(_, (hit, _))| hit).sum();
        let measure = Measure::ratio(hits, count(len(&parts)));
        TagReport { tag: tag.to_owned(), precision: draws.share(&measure, parts, bootstrap) }
    };
    let mut tags: Vec<_> = tags.into_iter().collect();
    tags.sort_by_key(|(tag, parts)| (std::cmp::Reverse(parts.len()), *tag));
    tags.into_iter().map(report).collect()
}
