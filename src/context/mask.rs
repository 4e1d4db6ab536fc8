//! Hidden values. Inside this module a hidden value is one character of plane 15; only the page turns it into
//! `‹secret:1›`, numbered in the order in which the page shows them, so that a page depends on nothing beside it. What is
//! kept to recognise a value again is its digest.

use std::collections::BTreeMap;
use std::fmt;

use sha2::{Digest as _, Sha256};

use super::hostile::neutral;

/// Most values of one file that are told apart.
const MOST: u32 = 60_000;
const FIRST: u32 = 0xf_0000;
/// Stands for the token of the fence until the page is written.
pub(super) const FENCE: char = '\u{ffffe}';

/// Shortest piece of a line that is recognised, in bytes.
const PIECE: usize = 16;

/// Whether a character has a meaning of ours, and must not come in from outside.
pub(super) const fn is_reserved(character: char) -> bool {
    matches!(character, '\u{f0000}'..='\u{fffff}')
}

/// The value that a character stands for.
pub(super) fn hidden(character: char) -> Option<usize> {
    (is_reserved(character) && character != FENCE).then(|| (character as u32 - FIRST) as usize)
}

/// What recognises a value: its length in bytes and its SHA-256, after white space is folded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Digest(u32, [u8; 32]);

/// A digest of something short can be guessed: it is for no log.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(…)")
    }
}

impl Digest {
    fn of(value: &str) -> Self {
        Self(value.len() as u32, Sha256::digest(value.as_bytes()).into())
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
                self.digests.push(Digest::of(&folded(&neutral(value).0)));
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
pub struct Masked(Vec<Digest>);

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
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a line that a model copied from the page is this line of the file. White space is folded; a marker matches
    /// the value it stands for and nothing else; what the page spells out matches what it spells. A piece of a line that
    /// is longer than a chunk (`…` at an end) matches where the line holds it.
    pub fn matches(&self, quote: &str, real: &str) -> bool {
        let (quote, real) = (folded(quote), folded(&neutral(real).0));
        let (quote, real) = (quote.trim(), real.trim());
        let piece = quote.trim_matches('…');
        self.fits(quote, real)
            || (piece.len() + '…'.len_utf8() <= quote.len() && piece.len() >= PIECE && real.contains(piece))
    }

    fn fits(&self, quote: &str, real: &str) -> bool {
        let Some((before, number, after)) = marker(quote) else { return quote == real };
        let Some(rest) = real.strip_prefix(before) else { return false };
        let Some(Digest(length, _)) = number.checked_sub(1).and_then(|index| self.0.get(index)) else { return false };
        let Some(value) = rest.get(..*length as usize) else { return false };
        Digest::of(value) == self.0[number - 1] && self.fits(after, &rest[value.len()..])
    }
}

/// The first marker of a text: what stands before it, its number, and what stands after it.
fn marker(text: &str) -> Option<(&str, usize, &str)> {
    let start = text.find("‹secret:")?;
    let rest = &text[start + "‹secret:".len()..];
    let end = rest.find('›')?;
    Some((&text[..start], rest[..end].parse().ok()?, &rest[end + '›'.len_utf8()..]))
}

fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for character in text.chars() {
        if character.is_whitespace() {
            blank = true;
        } else {
            if blank {
                out.push(' ');
            }
            blank = false;
            out.push(character);
        }
    }
    if blank {
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_with_a_marker_is_recognised() {
        let mut secrets = Secrets::default();
        let (first, again, other) = (secrets.mark("s3cr3t!"), secrets.mark("s3cr3t!"), secrets.mark("other1"));
        assert_eq!(first, again);
        assert_ne!(first, other);
        let digests = secrets.into_digests();
        let mut masked = Masked::default();
        assert_eq!((masked.number(&digests[1]), masked.number(&digests[0]), masked.number(&digests[1])), (1, 2, 1));
        assert!(masked.matches("key =  '‹secret:2›' # a", "  key = 's3cr3t!' # a"));
        assert!(masked.matches("'‹secret:2›', '‹secret:1›'", "'s3cr3t!', 'other1'"));
        assert!(!masked.matches("key = '‹secret:1›'", "key = 's3cr3t!'"));
        assert!(!masked.matches("key = '‹secret:9›'", "key = 's3cr3t!'"));
        assert!(masked.matches("a<U+202E>b", "a\u{202e}b"));
        assert!(!masked.matches("‹secret:2", "s3cr3t!"));
        assert!(masked.matches("…middle of a long line…", "the middle of a long line is here"));
        assert!(!masked.matches("…", "a line"));
    }
}
