//! Rows of Sphinx. About one checklist item each: `holds`; or about nothing: `number`, the count of items addressed.

use super::case::{Sheet, place};
use crate::eval::error::Error;
use crate::eval::score::Known;
use crate::eval::text::{bleu_1, rouge_l};
use crate::record::Status;

/// Values: `known` items, `found` (addressed), or `silent` (1: it suggests nothing) of a clean case; `bleu_1`, `rouge_l`.
pub(super) fn fill(sheet: &mut Sheet<'_, '_>) -> Result<(), Error> {
    if sheet.row.clean {
        // What nobody can read is no "No comment".
        let is_silent = sheet.said.is_empty() && sheet.answer.status != Status::Unparsable;
        sheet.set("silent", usize::from(is_silent));
        return Ok(());
    }
    let items = &sheet.case.checklist;
    let found = if sheet.said.is_empty() { Some(vec![false; items.len()]) } else { addressed(sheet) };
    match found {
        Some(found) => {
            sheet.set("found", found.iter().filter(|found| **found).count());
            for (item, found) in items.iter().zip(found) {
                let known = Known { id: item.id.clone(), found, ..Known::default() };
                sheet.known(known, place(item.file.as_ref(), item.line, None));
            }
        }
        None => count(sheet)?,
    }
    sheet.set("known", items.len());
    if sheet.scorer.text_metrics {
        let text: Vec<&str> = sheet.said.iter().map(|comment| comment.body.as_str()).collect();
        let reference: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        let (text, reference) = (text.join("\n"), reference.join("\n"));
        sheet.put("bleu_1", bleu_1(&text, &reference));
        sheet.put("rouge_l", rouge_l(&text, &reference));
    }
    Ok(())
}

/// Item by item; `None` where the judge counted instead. An unread decision addresses nothing, as the paper has it.
fn addressed(sheet: &mut Sheet<'_, '_>) -> Option<Vec<bool>> {
    let about = |id: &String| sheet.saved(std::slice::from_ref(id));
    let is_whole = sheet.case.checklist.iter().all(|item| about(&item.id).is_some());
    if !is_whole && sheet.saved(&[]).is_some() {
        return None;
    }
    let items = sheet.case.checklist.iter();
    let mut found = Vec::new();
    for item in items {
        let verdict = sheet.verdict(std::slice::from_ref(&item.id));
        found.push(verdict.is_some_and(|verdict| verdict.holds == Some(true) && !verdict.unparsable));
    }
    Some(found)
}

/// The count of a judge, between 0 and the number of items.
fn count(sheet: &mut Sheet<'_, '_>) -> Result<(), Error> {
    let Some(verdict) = sheet.saved(&[]) else { return Ok(()) };
    let number = match verdict.number {
        _ if verdict.unparsable => 0.0,
        Some(number) if number.fract() == 0.0 => number,
        _ => return Err(sheet.fault("count", "`number` is no whole number of checklist items")),
    };
    let most = crate::eval::score::Number::count(sheet.case.checklist.len() as u64).get();
    sheet.put("found", number.clamp(0.0, most));
    Ok(())
}
