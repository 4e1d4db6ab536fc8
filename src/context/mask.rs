//! Hidden values. Inside this module a hidden value is one character of plane 15; only the page turns it into
//! `‹secret:1›`, numbered in the order in which the page shows them, so that a page depends on nothing beside it. What is
//! kept to recognise a value again is its digest.

use std::collections::BTreeMap;
use std::fmt;

use sha2::{Digest as _, Sha256};

/// Most values of one file that are told apart.
const MOST: u32 = 60_000;
const FIRST: u32 = 0xf_0000;
/// Stands for the token of the fence until the page is written.
pub(super) const FENCE: char = '\u{ffffe}';

/// Whether a character has a meaning of ours, and must not come in from outside.
pub(super) const fn is_reserved(character: char) -> bool {
    matches!(character, '\u{f0000}'..='\u{fffff}')
}

/// The value that a character stands for.
pub(super) fn hidden(character: char) -> Option<usize> {
    (is_reserved(character) && character != FENCE).then(|| (character as u32 - FIRST) as usize)
}

/// What recognises a value in another file: its SHA-256.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Digest([u8; 32]);

/// A digest of something short can be guessed: it is for no log.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(…)")
    }
}

/// The values of one file while its text is in memory.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    known: BTreeMap<String, u32>,
    digests: Vec<Digest>,
}

impl Secrets {
    /// The character that stands for a value; the same for the same value.
    pub(super) fn mark(&mut self, value: &str) -> char {
        let index = match self.known.get(value) {
            Some(index) => *index,
            None => {
                let index = (self.digests.len() as u32).min(MOST);
                self.known.insert(value.to_owned(), index);
                self.digests.push(Digest(Sha256::digest(value.as_bytes()).into()));
                index
            }
        };
        char::from_u32(FIRST + index).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The values in the clear.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// What may be kept.
    pub(super) fn into_digests(self) -> Vec<Digest> {
        self.digests
    }
}

/// The hidden values of a page, by the number of their marker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Masked(Vec<Digest>);

impl Masked {
    /// The number of a value's marker, from 1.
    pub(super) fn number(&mut self, digest: &Digest) -> usize {
        match self.0.iter().position(|known| known == digest) {
            Some(index) => index + 1,
            None => {
                self.0.push(digest.clone());
                self.0.len()
            }
        }
    }

    /// How many values are hidden.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }
}
