//! The judge that asks nobody: an item counts as addressed when the review says most of its words. It misses every
//! paraphrase, so it is a lower bound for honest reviews; a model that is trained on it learns to recite.

use std::collections::BTreeSet;

/// Words that say nothing about which item is meant.
const COMMON: [&str; 46] = [
    "a", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before", "by", "can", "check", "ensure",
    "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "make", "must", "not", "of", "on", "or",
    "should", "so", "such", "sure", "that", "the", "then", "this", "to", "verify", "when", "which", "will", "with",
];

/// Of the words of an item so many must be in the review: three of five, rounded up.
const NEEDED: (usize, usize) = (3, 5);

/// How many items of a checklist the review addresses.
pub(super) fn addressed(review: &str, items: &[String]) -> u64 {
    let said = words(review);
    items.iter().filter(|item| is_said(item, &said)).count() as u64
}

/// The reason, in parentheses at the end, needs no repeating. An item of common words alone cannot be recognised.
fn is_said(item: &str, said: &BTreeSet<String>) -> bool {
    let task = item.trim().strip_suffix(')').and_then(|text| text.rsplit_once('(')).map_or(item, |(task, _)| task);
    let mut wanted = words(task);
    if wanted.is_empty() {
        wanted = words(item);
    }
    let found = wanted.iter().filter(|word| said.contains(*word)).count();
    found > 0 && found * NEEDED.1 >= wanted.len() * NEEDED.0
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !(character.is_alphanumeric() || character == '_'));
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| !COMMON.contains(&word.as_str())).collect()
}
