//! From findings, files and earlier comments to what should stand where. Nothing is asked and nothing is sent here.

use std::collections::{BTreeMap, BTreeSet};

use super::anchor::{Anchor, File};
use super::body;
use super::existing::{Existing, Own};
use crate::finding::Finding;
use crate::review::Review;

/// Most comments on files: each is a request and a notification of its own.
const ON_FILES: usize = 10;

/// Where a finding is told. Each finding is in exactly one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A new comment on these lines.
    Lines(Anchor),
    /// A new comment on its file.
    File,
    /// A comment of an earlier run.
    Before,
    /// The summary alone.
    Summary,
}

/// What is to be done.
#[derive(Debug)]
pub(super) struct Plan {
    /// The place of each finding of the report.
    pub(super) places: Vec<Place>,
    /// The findings' numbers, those of the highest level first.
    pub(super) order: Vec<usize>,
    /// How many new comments on files may be made, these and those for what is refused on its lines.
    pub(super) on_files: usize,
    /// Earlier comments whose finding is gone and that nobody answered.
    pub(super) fixed: Vec<Own>,
}

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Most comments on lines that stand at one time.
    pub(super) on_lines: usize,
    /// The report is of the very commit that is the pull request's head.
    pub(super) is_same: bool,
    /// Everything was read, so that a finding that is not there is fixed.
    pub(super) is_complete: bool,
}

/// Most findings whose lines are looked for: many times the comments that stand at a time.
const LOOKS: usize = 400;

/// Puts every finding of a review into its place.
pub(super) fn plan(review: &Review, files: &[File], existing: &Existing, limits: Limits) -> Plan {
    let findings = &review.findings;
    let files: BTreeMap<&str, &File> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut order: Vec<usize> = (0..findings.len()).collect();
    // The report has them best first; the sort keeps that within a level.
    order.sort_by_key(|index| findings.get(*index).map(|finding| std::cmp::Reverse(finding.level)));
    let told: BTreeMap<&str, bool> = existing.told().map(|own| (own.fingerprint.as_str(), own.on_file)).collect();
    let here: BTreeSet<&str> = findings.iter().map(|finding| finding.fingerprint.as_str()).collect();
    // A cap, or another finding that stands for it, keeps it from being shown; it is not gone.
    let unseen: BTreeSet<&str> = review
        .dropped
        .iter()
        .filter(|finding| finding.is_hidden())
        .map(|finding| finding.fingerprint.as_str())
        .collect();
    let standing =
        |on_file: bool| told.iter().filter(|(print, file)| **file == on_file && here.contains(**print)).count();
    let mut on_lines = limits.on_lines.saturating_sub(standing(false));
    let room = ON_FILES.min(limits.on_lines).saturating_sub(standing(true));
    let mut on_files = room;
    let mut looks = LOOKS;
    let mut places = vec![Place::Summary; findings.len()];
    let mut seen = BTreeSet::new();
    for index in &order {
        let (Some(finding), Some(place)) = (findings.get(*index), places.get_mut(*index)) else { continue };
        // A report that names one finding twice is not told twice.
        if !seen.insert(finding.fingerprint.as_str()) {
            continue;
        }
        *place = if told.contains_key(finding.fingerprint.as_str()) {
            Place::Before
        } else {
            // Nobody looks for lines where no comment would stand, nor for ever.
            looks = looks.saturating_sub(1);
            let is_open = looks > 0 && (on_lines > 0 || on_files > 0);
            match if is_open { wanted(finding, &files, limits.is_same) } else { Place::Summary } {
                Place::Lines(anchor) if on_lines > 0 => {
                    on_lines -= 1;
                    Place::Lines(anchor)
                }
                Place::File if on_files > 0 => {
                    on_files -= 1;
                    Place::File
                }
                _ => Place::Summary,
            }
        };
    }
    let is_fixed = |own: &&Own| {
        let print = own.fingerprint.as_str();
        // What could not be asked is left alone, and so is what is hidden already.
        let is_open = own.thread.as_ref().is_some_and(|thread| !thread.is_hidden);
        is_open && !own.has_reply && !here.contains(print) && !unseen.contains(print)
    };
    let fixed = existing.own.iter().filter(|own| limits.is_complete && is_fixed(own)).cloned().collect();
    Plan { places, order, on_files: room, fixed }
}

/// The best place for a finding, were there no limits.
fn wanted(finding: &Finding, files: &BTreeMap<&str, &File>, is_same: bool) -> Place {
    // A name that is not UTF-8 cannot be said in JSON.
    let path = std::str::from_utf8(finding.claim.location.path.bytes()).ok();
    let Some(file) = path.and_then(|path| files.get(path)) else { return Place::Summary };
    match file.place(finding, is_same) {
        Some(anchor) => Place::Lines(body::suggested(finding, file, anchor.offset).unwrap_or(anchor)),
        None => Place::File,
    }
}
