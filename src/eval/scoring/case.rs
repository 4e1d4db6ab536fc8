//! From a case, an answer and the decisions about it to one row.

use std::collections::{BTreeSet, HashSet};

use super::decisions::{Decisions, Need};
use super::{Scorer, cqs, cr_bench, sphinx, swe_prbench};
use crate::eval::error::Error;
use crate::eval::judge::lexical::is_at;
use crate::eval::score::{Known, Location, Measure, Number, Row};
use crate::eval::sphinx::is_no_comment;
use crate::record::{Answer, Case, Comment, Status, Verdict};

/// How answers are scored by a protocol.
pub(in crate::eval) struct Scored {
    /// What a case has that the protocol can compare with, in words.
    pub(super) needs: &'static str,
    /// Fills in the protocol's own part of a row.
    fill: fn(&mut Sheet<'_, '_>) -> Result<(), Error>,
}

impl Scored {
    pub(in crate::eval) const CR_BENCH: Self = Self { needs: "a known bug", fill: cr_bench::fill };
    pub(in crate::eval) const SWE_PRBENCH: Self = Self { needs: "comments of people", fill: swe_prbench::fill };
    pub(in crate::eval) const SPHINX: Self = Self { needs: "a checklist", fill: sphinx::fill };
    pub(in crate::eval) const CQS: Self = Self { needs: "a tagged issue", fill: cqs::fill };
}

/// A row that is being filled in.
pub(super) struct Sheet<'s, 'r> {
    pub(super) scorer: &'s Scorer<'r>,
    pub(super) case: &'s Case,
    pub(super) answer: &'s Answer,
    /// The comments that suggest something.
    pub(super) said: Vec<&'s Comment>,
    pub(super) row: Row,
    /// Where the known faults are, in the order of [`Row::known`].
    places: Vec<Option<Place<'s>>>,
    needs: &'s mut BTreeSet<Need>,
}

/// File, first line, last line of a fault.
pub(super) type Place<'s> = (&'s str, u32, Option<u32>);

/// The place of a fault; `None` where nobody says it.
pub(super) fn place(file: Option<&String>, line: Option<u32>, end: Option<u32>) -> Option<Place<'_>> {
    Some((file?, line?, end))
}

/// The rule of AACR-Bench; `None` where the comment has no place.
fn meets(comment: &Comment, (file, line, end): Place<'_>) -> Option<bool> {
    (comment.file.is_some() && comment.line.is_some()).then(|| is_at(comment, Some(file), Some(line), end))
}

/// The row of an answer.
pub(super) fn row(scorer: &Scorer<'_>, case: &Case, answer: &Answer, needs: &mut BTreeSet<Need>) -> Result<Row, Error> {
    let mut ids = HashSet::new();
    if let Some(comment) = answer.comments.iter().find(|comment| !ids.insert(&comment.id)) {
        let what = format!("two comments about `{}` have the id `{}`", case.id, comment.id);
        return Err(Error::input("answers.jsonl", what));
    }
    let is_read = answer.status != Status::Unparsable;
    let said: Vec<&Comment> =
        answer.comments.iter().filter(|comment| is_read && !is_no_comment(&comment.body)).collect();
    let row = Row {
        case: case.id.clone(),
        sample: answer.sample,
        status: answer.status,
        clean: !(scorer.protocol.knows)(case),
        language: case.language.clone(),
        difficulty: case.difficulty,
        operator: case.operator.clone(),
        ..Row::default()
    };
    let mut sheet = Sheet { scorer, case, answer, said, row, places: Vec::new(), needs };
    sheet.set("comments", sheet.said.len());
    (scorer.protocol.scored.fill)(&mut sheet)?;
    sheet.locate();
    Ok(sheet.row)
}

impl<'s, 'r> Sheet<'s, 'r> {
    pub(super) fn set(&mut self, name: &str, count: usize) {
        self.put(name, Number::count(count as u64).get());
    }

    /// A value that is undefined is left out.
    pub(super) fn put(&mut self, name: &str, value: f64) {
        if let Some(value) = Number::new(value) {
            self.row.values.insert(name.to_owned(), value);
        }
    }

    pub(super) fn known(&mut self, known: Known, place: Option<Place<'s>>) {
        self.row.known.push(known);
        self.places.push(place);
    }

    /// What the judge said of this; `None`, and noted, where it said nothing.
    pub(super) fn verdict(&mut self, about: &[String]) -> Option<&'r Verdict> {
        let found = self.saved(about);
        if found.is_none() {
            self.need(self.scorer.protocol.name, about.to_vec());
        }
        found
    }

    /// What the judge said of this, if it did.
    pub(super) fn saved(&self, about: &[String]) -> Option<&'r Verdict> {
        let decisions: &Decisions<'r> = &self.scorer.decisions;
        decisions.get(&self.case.id, self.answer.sample, about)
    }

    pub(super) fn need(&mut self, protocol: &str, about: Vec<String>) {
        let (case, sample) = (self.case.id.clone(), self.answer.sample);
        self.needs.insert(Need { case, sample, protocol: protocol.to_owned(), about });
    }

    /// A judgement that cannot be.
    pub(super) fn fault(&self, about: &str, what: &str) -> Error {
        let at = super::decisions::answer(&self.case.id, self.answer.sample);
        Error::input(format!("judgements.jsonl, {at}, {about}"), what)
    }

    fn locate(&mut self) {
        for (known, place) in self.row.known.iter_mut().zip(&self.places) {
            let is_reached = |place: Place<'_>| self.said.iter().any(|comment| meets(comment, place) == Some(true));
            known.reached = place.map(is_reached);
        }
        let meet = |(comment, known): &(String, String)| {
            let comment = self.said.iter().find(|one| one.id == *comment)?;
            let known = self.row.known.iter().position(|one| one.id == *known)?;
            meets(comment, (*self.places.get(known)?)?)
        };
        let one = |holds: bool| if holds { 1.0 } else { 0.0 };
        self.row.location = Location {
            reached: Measure::mean(self.row.known.iter().filter_map(|known| known.reached).map(one)),
            matched: Measure::mean(self.row.pairs.iter().filter_map(meet).map(one)),
        };
    }
}
