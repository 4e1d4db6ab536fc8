//! A first look at a text that tells which patterns can match in it: one pass for texts that their matches must hold. Most
//! texts hold none, and a pattern that is not asked is not even compiled.

use aho_corasick::AhoCorasick;

use super::LazyRegex;

/// The texts that the matches of some patterns must hold.
#[derive(Debug)]
pub struct Needles {
    /// Whether a pattern has to be asked whatever the text holds.
    always: Vec<bool>,
    /// Texts found inside the patterns, as they are written.
    literals: List,
    /// Words that packs name beside a pattern, in any case.
    words: List,
}

#[derive(Debug, Default)]
struct List {
    automaton: Option<AhoCorasick>,
    /// The pattern of each text.
    owners: Vec<usize>,
}

impl List {
    fn of(texts: Vec<(usize, Vec<u8>)>, any_case: bool, always: &mut [bool]) -> Self {
        let (owners, texts): (Vec<usize>, Vec<Vec<u8>>) = texts.into_iter().unzip();
        if texts.is_empty() {
            return Self::default();
        }
        let automaton = AhoCorasick::builder().ascii_case_insensitive(any_case).build(texts).ok();
        // Too many texts for one automaton: then their patterns are asked, which is slower and finds the same.
        if automaton.is_none() {
            owners.iter().for_each(|owner| always[*owner] = true);
        }
        Self { automaton, owners }
    }

    fn look<'t>(&self, texts: impl Iterator<Item = &'t [u8]>, wanted: &mut [bool]) {
        let Some(automaton) = &self.automaton else { return };
        for found in texts.flat_map(|text| automaton.find_overlapping_iter(text)) {
            wanted[self.owners[found.pattern().as_usize()]] = true;
        }
    }
}

impl Needles {
    /// Of these patterns; `None` stands for something that is always asked.
    pub fn of<'p>(patterns: impl Iterator<Item = Option<&'p LazyRegex>>) -> Self {
        let (mut always, mut literals, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for (index, pattern) in patterns.enumerate() {
            let named = pattern.map(LazyRegex::words).unwrap_or_default();
            words.extend(named.iter().map(|word| (index, word.clone().into_bytes())));
            let needles = pattern.filter(|_| named.is_empty()).and_then(LazyRegex::needles);
            always.push(needles.is_none() && named.is_empty());
            literals.extend(needles.unwrap_or_default().into_iter().map(|needle| (index, needle)));
        }
        let literals = List::of(literals, false, &mut always);
        let words = List::of(words, true, &mut always);
        Self { always, literals, words }
    }

    /// For each pattern, whether it may match in one of these texts.
    pub fn wanted<'t>(&self, texts: impl Iterator<Item = &'t [u8]> + Clone) -> Vec<bool> {
        let mut wanted = self.always.clone();
        self.literals.look(texts.clone(), &mut wanted);
        self.words.look(texts, &mut wanted);
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Examples, How, Rules, Source};

    #[test]
    fn words_are_looked_for_in_any_case_and_literals_as_they_are() {
        let pack = "pack: p\ntags:\n  T:\n    detect:\n      - {id: a, in: any, words: [übung, some word], regex: x, message: m}\n      \
                    - {id: b, in: any, regex: 'Exact\\d', message: m}\n      - {id: c, in: any, regex: '\\d', message: m}\n";
        let source = Source { name: "p.yml".to_owned(), text: pack.to_owned() };
        let rules = Rules::load(Examples::Skip, &[source], None, None).expect("a pack");
        let regexes = rules.tags["T"].spec.detect.iter().map(|detector| match &detector.how {
            How::Regex { pattern, .. } => Some(pattern),
            How::Rule(_) | How::Builtin(_) => None,
        });
        let needles = Needles::of(regexes);
        for (text, wanted) in [
            ("SOME Word", [true, false, true]),
            ("eine übung", [true, false, true]),
            ("exact1", [false, false, true]),
            ("Exact1", [false, true, true]),
        ] {
            assert_eq!(needles.wanted([text.as_bytes()].into_iter()), wanted, "{text}");
        }
    }

    #[test]
    fn words_need_a_pattern_for_text() {
        for detector in [
            "{id: a, lang: python, words: [x], regex: x, message: m}",
            "{id: a, words: [x], builtin: private_key, message: m}",
        ] {
            let text = format!("pack: p\ntags:\n  T:\n    detect: [{detector}]\n");
            let source = Source { name: "p.yml".to_owned(), text };
            let problems = Rules::load(Examples::Skip, &[source], None, None).err().unwrap_or_default();
            assert!(format!("{problems:?}").contains("`words` are a first look"), "{detector}: {problems:?}");
        }
    }
}
