//! What scores were computed from, in one line: scores that were saved and answers that came later must not be taken for one.

use std::collections::BTreeMap;

use super::SIMILARITY;
use crate::eval::find;
use crate::eval::score::Variants;
use crate::record::{self, Answer, Judgement, Spent};

/// Which records decide a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What was shown: scores.
    Shown,
    /// What was removed too: an ablation.
    Removed,
}

/// Digest of the answers, without what they took, and of the decisions about them by the judges of `variants`. Of two
/// records about one thing the later one counts; their order does not.
pub fn digest(
    protocol: &str,
    variants: &Variants,
    answers: &[Answer],
    judgements: &[Judgement],
    extent: Extent,
) -> String {
    let mut latest = BTreeMap::<(&str, u32), &Answer>::new();
    for answer in answers {
        latest.insert((&answer.case, answer.sample), answer);
    }
    let is_judge = |one: &Judgement| {
        let judge = if one.protocol == SIMILARITY { &variants.similarity } else { &variants.judge };
        (one.protocol == protocol || one.protocol == SIMILARITY) && judge.as_ref() == Some(&one.judge)
    };
    // A decision about a comment that was removed changes no score, and may come after the scores.
    let names_comments = find(protocol).is_some_and(|protocol| protocol.asked.each_comment);
    let is_shown = |one: &Judgement| {
        let answer = latest.get(&(one.case.as_str(), one.sample));
        let is_said = |id: &String| answer.is_some_and(|answer| answer.comments.iter().any(|said| said.id == *id));
        !names_comments || one.about.is_empty() || one.about.iter().any(is_said)
    };
    let mut decisions = BTreeMap::new();
    for one in judgements.iter().filter(|one| is_judge(one)) {
        if extent == Extent::Removed || is_shown(one) {
            decisions.insert((&one.protocol, &one.case, one.sample, &one.about), one);
        }
    }
    let answers = latest.values().map(|answer| {
        let removed = if extent == Extent::Removed { answer.removed.clone() } else { Vec::new() };
        Answer {
            case: answer.case.clone(),
            sample: answer.sample,
            status: answer.status,
            why: answer.why.clone(),
            comments: answer.comments.clone(),
            removed,
            spent: Spent::default(),
        }
    });
    let answers = record::digest(&answers.collect::<Vec<_>>());
    let decisions = record::digest(&decisions.into_values().collect::<Vec<_>>());
    record::digest(&[answers, decisions])
}
