//! Rows of the code quality score. About a comment and the index of a known issue with the same tag: `holds`.

use std::collections::BTreeMap;

use super::case::{Sheet, place};
use crate::eval::cqs::{Input, Tagged};
use crate::eval::error::Error;
use crate::eval::score::{Known, Number};

/// Values: `known` issues, `found` (matched), `matched` comments.
pub(super) fn fill(sheet: &mut Sheet<'_, '_>) -> Result<(), Error> {
    if sheet.row.clean {
        return Ok(());
    }
    let tagged = |tag: &str, rationale: &str| Tagged { tag: tag.to_owned(), rationale: rationale.to_owned() };
    let mut input = Input {
        predicted: sheet
            .said
            .iter()
            .map(|comment| tagged(comment.tag.as_deref().unwrap_or_default(), &comment.body))
            .collect(),
        ground_truth: sheet.case.issues.iter().map(|issue| tagged(&issue.tag, &issue.rationale)).collect(),
        rationale_match: BTreeMap::new(),
    };
    let about = |comment: usize, issue: usize| [sheet.said[comment].id.clone(), issue.to_string()];
    for comment in 0..input.predicted.len() {
        for issue in 0..input.ground_truth.len() {
            if let Some(verdict) = sheet.saved(&about(comment, issue)) {
                let holds = verdict.holds == Some(true) && !verdict.unparsable;
                input.rationale_match.insert(format!("{comment}|{issue}"), holds);
            }
        }
    }
    let matched = input.matched(sheet.scorer.variants.matching.unwrap_or_default());
    for (comment, issue) in &matched.judge_calls {
        if !input.rationale_match.contains_key(&format!("{comment}|{issue}")) {
            sheet.need("cqs", vec![sheet.said[*comment].id.clone(), issue.to_string()]);
        }
    }
    for (index, issue) in sheet.case.issues.iter().enumerate() {
        let found = matched.pairs.iter().any(|(_, known)| *known == index);
        let known = Known { id: index.to_string(), found, category: Some(issue.tag.clone()), ..Known::default() };
        sheet.known(known, place(issue.file.as_ref(), issue.line, None));
    }
    let pair = |(comment, issue): &(usize, usize)| (sheet.said[*comment].id.clone(), issue.to_string());
    sheet.row.pairs = matched.pairs.iter().map(pair).collect();
    sheet.set("known", sheet.case.issues.len());
    sheet.put("found", Number::count(matched.known).get());
    sheet.put("matched", Number::count(matched.predictions).get());
    Ok(())
}
