//! A first look at a text that tells which patterns can match in it: one pass for texts that their matches must hold. Most
//! texts hold none, and a pattern that is not asked is not even compiled.

use aho_corasick::AhoCorasick;

use super::LazyRegex;

/// The texts that the matches of some patterns must hold.
#[derive(Debug)]
pub struct Needles {
    /// Whether a pattern has to be asked whatever the text holds.
    always: Vec<bool>,
    automaton: Option<AhoCorasick>,
    /// The pattern of each needle.
    owners: Vec<usize>,
}

impl Needles {
    /// Of these patterns; `None` stands for something that is always asked.
    pub fn of<'p>(patterns: impl Iterator<Item = Option<&'p LazyRegex>>) -> Self {
        let (mut always, mut texts, mut owners) = (Vec::new(), Vec::new(), Vec::new());
        for (index, pattern) in patterns.enumerate() {
            let needles = pattern.and_then(LazyRegex::needles);
            always.push(needles.is_none());
            let needles = needles.unwrap_or_default();
            owners.extend(needles.iter().map(|_| index));
            texts.extend(needles);
        }
        // Too many texts for one automaton: then every pattern is asked, which is slower and finds the same.
        let automaton = AhoCorasick::new(texts).ok();
        if automaton.is_none() {
            always.fill(true);
        }
        Self { always, automaton, owners }
    }

    /// For each pattern, whether it may match in one of these texts.
    pub fn wanted<'t>(&self, texts: impl Iterator<Item = &'t [u8]>) -> Vec<bool> {
        let mut wanted = self.always.clone();
        if let Some(automaton) = &self.automaton {
            for found in texts.flat_map(|text| automaton.find_overlapping_iter(text)) {
                wanted[self.owners[found.pattern().as_usize()]] = true;
            }
        }
        wanted
    }
}
