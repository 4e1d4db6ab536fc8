//! The detectors that read all text, and a first look that tells which of them can find anything: one pass for texts
//! that their matches must hold. Most files hold none, and what is not run is not even compiled.

use aho_corasick::AhoCorasick;

use super::FileView;
use crate::rules::{Detector, How, Rules, TagLevel};

/// The detectors that read all text.
pub(super) struct Textual<'r> {
    detectors: Vec<(&'r str, &'r Detector)>,
    /// Whether a detector has to run whatever the text holds.
    always: Vec<bool>,
    needles: Option<AhoCorasick>,
    /// The detector of each needle.
    owners: Vec<usize>,
}

impl<'r> Textual<'r> {
    pub(super) fn of(rules: &'r Rules) -> Self {
        let mut detectors: Vec<(&'r str, &'r Detector)> = Vec::new();
        for (name, tag) in rules.tags.iter().filter(|(_, tag)| tag.spec.level != TagLevel::Skip) {
            let textual = tag.spec.detect.iter().filter(|detector| detector.is_textual());
            detectors.extend(textual.map(|detector| (name.as_str(), detector)));
        }
        let (mut always, mut texts, mut owners) = (vec![true; detectors.len()], Vec::new(), Vec::new());
        for (index, (_, detector)) in detectors.iter().enumerate() {
            let How::Regex { pattern, .. } = &detector.how else { continue };
            let Some(needles) = pattern.needles() else { continue };
            always[index] = false;
            owners.extend(needles.iter().map(|_| index));
            texts.extend(needles);
        }
        // Too many texts for one automaton: then every detector runs, which is slower and finds the same.
        let needles = AhoCorasick::new(texts).ok();
        if needles.is_none() {
            always.fill(true);
        }
        Self { detectors, always, needles, owners }
    }

    /// The detectors that may find something on the added lines, in their order.
    pub(super) fn worth_running(&self, view: &FileView<'_>) -> impl Iterator<Item = (&'r str, &'r Detector)> {
        let mut wanted = self.always.clone();
        if let Some(needles) = &self.needles {
            for hunk in view.change.hunks() {
                let lines = view.text.bytes_of(hunk.new);
                for found in needles.find_overlapping_iter(lines) {
                    wanted[self.owners[found.pattern().as_usize()]] = true;
                }
            }
        }
        self.detectors.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(detector, _)| *detector)
    }
}
