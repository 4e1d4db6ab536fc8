//! What the conditions of the packs look at, made from a finding and its file.

use std::cell::RefCell;

use super::ground::Grounded;
use crate::detect::FileView;
use crate::rules::{Rules, Subject};

pub(super) fn with_subject<T>(
    grounded: &Grounded,
    view: &FileView<'_>,
    rules: &Rules,
    decide: impl FnOnce(&Subject<'_>) -> T,
) -> T {
    let claim = &grounded.finding.claim;
    let facts = RefCell::default();
    decide(&Subject {
        path: &claim.location.path,
        classes: &rules.classes,
        attributes: view.class(),
        language: view.language,
        text: view.text,
        parsed: view.parsed(),
        parsed_old: &|| view.parsed_old(),
        lines: (claim.location.line, claim.location.end_line),
        bytes: grounded.raised.bytes.clone(),
        quote: claim.quote.raw(),
        rationale: claim.rationale.raw(),
        source: &claim.source,
        variables: &grounded.raised.captures,
        is_added: &|line| view.is_added(line),
        facts: &facts,
    })
}
