//! The detectors that read all text, and which of them can find anything in a file.

use super::FileView;
use crate::rules::{Detector, How, Needles, Rules, TagLevel};

/// The detectors that read all text.
pub(super) struct Textual<'r> {
    detectors: Vec<(&'r str, &'r Detector)>,
    needles: Needles,
}

impl<'r> Textual<'r> {
    pub(super) fn of(rules: &'r Rules) -> Self {
        let mut detectors: Vec<(&'r str, &'r Detector)> = Vec::new();
        for (name, tag) in rules.tags.iter().filter(|(_, tag)| tag.spec.level != TagLevel::Skip) {
            let textual = tag.spec.detect.iter().filter(|detector| detector.is_textual());
            detectors.extend(textual.map(|detector| (name.as_str(), detector)));
        }
        let patterns = detectors.iter().map(|(_, detector)| match &detector.how {
            How::Regex { pattern, .. } => Some(pattern),
            How::Rule(_) | How::Builtin(_) => None,
        });
        let needles = Needles::of(patterns);
        Self { detectors, needles }
    }

    /// The detectors that may find something on the added lines, in their order.
    pub(super) fn worth_running(&self, view: &FileView<'_>) -> impl Iterator<Item = (&'r str, &'r Detector)> {
        let wanted = self.needles.wanted(view.change.hunks().iter().map(|hunk| view.text.bytes_of(hunk.new)));
        self.detectors.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(detector, _)| *detector)
    }
}
