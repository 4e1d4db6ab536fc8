//! Rows of CR-Bench. About one comment each: `label`, and the bug that it hits.

use super::case::{Sheet, place};
use crate::eval::cr_bench::{Input, Label, Review};
use crate::eval::error::Error;
use crate::eval::score::{Known, Number};

/// Values: `known` bugs, `found` (hit by some comment), `hit_comments`, `valid`, `noise`, and of that `noise_unjudged`:
/// comments about clean cases that no judge looked at, which have nothing to hit.
pub(super) fn fill(sheet: &mut Sheet<'_, '_>) -> Result<(), Error> {
    let bugs = &sheet.case.bugs;
    let (mut reviews, mut pairs, mut unjudged) = (Vec::new(), Vec::new(), 0);
    for comment in sheet.said.clone() {
        let about = [comment.id.clone()];
        let is_clean = sheet.row.clean;
        let verdict = if is_clean { sheet.saved(&about) } else { sheet.verdict(&about) };
        let Some(verdict) = verdict else {
            if is_clean {
                unjudged += 1;
                reviews.push(Review { label: Label::Noise, bug: None });
            }
            continue;
        };
        // The paper does not say what an unread decision counts; the reviewer gets nothing for it.
        let label =
            if verdict.unparsable { Some(Label::Noise) } else { Label::find(verdict.label.as_deref().unwrap_or("")) };
        let at = format!("comment `{}`", comment.id);
        let Some(label) = label else {
            return Err(sheet.fault(&at, "its label is none of BUG_HIT, VALID_SUGGESTION, NOISE"));
        };
        let mut bug = None;
        if label == Label::BugHit {
            let named = bugs.iter().find(|bug| Some(&bug.id) == verdict.matched.as_ref());
            // The paper's cases have one bug each, which then needs no name.
            let only = bugs.first().filter(|_| bugs.len() == 1);
            let Some(hit) = named.or(only) else {
                return Err(sheet.fault(&at, "a BUG_HIT names a bug of the case in `matched`"));
            };
            pairs.push((comment.id.clone(), hit.id.clone()));
            bug = Some(hit.id.clone());
        }
        reviews.push(Review { label, bug });
    }
    for bug in bugs {
        let found = pairs.iter().any(|(_, hit)| *hit == bug.id);
        let (category, impact, severity) = (bug.category.clone(), bug.impact.clone(), bug.severity.clone());
        let known = Known { id: bug.id.clone(), found, reached: None, category, impact, severity };
        sheet.known(known, place(bug.file.as_ref(), bug.line, bug.end_line));
    }
    let counts = Input { total_bugs: bugs.len() as u64, reviews }.counts();
    sheet.row.pairs = pairs;
    for (name, value) in [
        ("known", counts.bugs),
        ("found", counts.hit_bugs),
        ("hit_comments", counts.hit_comments),
        ("valid", counts.valid),
        ("noise", counts.noise),
        ("noise_unjudged", unjudged),
    ] {
        sheet.put(name, Number::count(value).get());
    }
    Ok(())
}
