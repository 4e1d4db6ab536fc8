//! What rows leave open is put to a judge: each review and checklist once, and no decision is no reward.

use std::collections::HashMap;

use super::{Begun, Decided, Open, Reward, share};
use crate::eval::judge;
use crate::eval::sphinx::is_no_comment;
use crate::review::model::{Talk, Unanswered};
use crate::review::pool;

/// A review, and the items that it is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question<'q> {
    /// The review as one text, without blanks around it.
    pub review: &'q str,
    /// The items as texts, at least one.
    pub items: &'q [String],
}

/// Decides on each item of each question, in their order, or says why it does not.
pub type Decide<'d> = &'d dyn Fn(&[Question<'_>]) -> Vec<Result<Vec<bool>, Unanswered>>;

/// Who decides about what rows leave open.
pub struct Judge<'d> {
    /// What its decisions are recorded under, see [`judge::named`].
    pub name: String,
    /// Asked at most once for a batch, and only where something is open; the questions differ.
    pub decide: Decide<'d>,
}

impl Judge<'_> {
    /// The rewards of a batch in its order. A review without a suggestion ([`is_no_comment`]) addresses nothing; nobody is
    /// asked about it. Equal questions are asked once.
    ///
    /// # Errors
    /// Of a row: the judge did not decide. The other rows have their rewards nevertheless.
    pub fn rewards(&self, begun: Vec<Begun>) -> Vec<Result<Reward, Unanswered>> {
        let mut places = HashMap::new();
        let mut questions = Vec::new();
        let mut place = |question| {
            *places.entry(question).or_insert_with(|| {
                questions.push(question);
                questions.len() - 1
            })
        };
        let chosen: Vec<Option<usize>> = begun.iter().map(|begun| begun.question().map(&mut place)).collect();
        let decisions = if questions.is_empty() { Vec::new() } else { (self.decide)(&questions) };
        let settled = begun.into_iter().zip(chosen).map(|(begun, chosen)| match begun {
            Begun::Rewarded(reward) => Ok(reward),
            Begun::Open(open) => self.reward(open, chosen.map(|at| decisions.get(at))),
        });
        settled.collect()
    }

    /// `None`: nobody had to be asked. `Some(None)`: nobody answered at all.
    fn reward(
        &self,
        open: Open,
        decision: Option<Option<&Result<Vec<bool>, Unanswered>>>,
    ) -> Result<Reward, Unanswered> {
        let Open { measured, items, .. } = open;
        let (verdicts, by, judged_by) = match decision {
            None => (vec![false; items.len()], "silence", None),
            Some(None) => return Err(off("it gave no answer")),
            Some(Some(Err(none))) => return Err(none.clone()),
            Some(Some(Ok(verdicts))) => (verdicts.clone(), "model", Some(self.name.clone())),
        };
        if verdicts.len() != items.len() {
            return Err(off("its decisions are not as many as the items"));
        }
        let addressed = verdicts.iter().filter(|holds| **holds).count() as u64;
        let base = share(addressed, items.len());
        let decided = Decided { base, by, addressed: Some(addressed), judged_by, verdicts: Some(verdicts) };
        Ok(measured.reward(decided, items.len()))
    }
}

fn off(what: &str) -> Unanswered {
    Unanswered { why: "malfunction", message: what.to_owned() }
}

impl Begun {
    /// What somebody has to be asked.
    fn question(&self) -> Option<Question<'_>> {
        match self {
            Self::Open(open) if !is_no_comment(&open.review) => {
                Some(Question { review: &open.review, items: &open.items })
            }
            Self::Open(_) | Self::Rewarded(_) => None,
        }
    }
}

/// Puts questions to a model, so many at a time, as the judge of the protocol `sphinx` does.
pub fn decisions(talk: &Talk<'_>, questions: &[Question<'_>], jobs: usize) -> Vec<Result<Vec<bool>, Unanswered>> {
    let one = |(): &mut (), at: usize| {
        let Question { review, items } = questions[at];
        judge::addressed(talk, review, items)
    };
    pool::map(questions.len(), jobs, || (), one)
}
