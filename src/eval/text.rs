//! How alike two texts are by their words alone.

use std::collections::BTreeMap;

use super::score::Number;

/// Runs of `A-Z a-z 0-9 _`, lower-cased: what the released scorer of SWE-PRBench calls a token.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.split(move |character| !is_part(character)).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase)
}

/// BLEU with single words (Papineni et al. 2002): the share of the text's words that the reference has, each as often as
/// the reference has it, times the penalty for being shorter. 0 to 1.
pub fn bleu_1(text: &str, reference: &str) -> f64 {
    let (text, reference): (Vec<String>, Vec<String>) = (words(text).collect(), words(reference).collect());
    if text.is_empty() {
        return 0.0;
    }
    let mut left = BTreeMap::<&str, usize>::new();
    for word in &reference {
        *left.entry(word).or_default() += 1;
    }
    let mut met = 0;
    for word in &text {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            met += 1;
        }
    }
    let brevity = (1.0 - share(reference.len(), text.len())).min(0.0).exp();
    brevity * share(met, text.len())
}

/// ROUGE-L (Lin 2004): the harmonic mean of the longest common subsequence's share of either text. 0 to 1.
pub fn rouge_l(text: &str, reference: &str) -> f64 {
    let (text, reference): (Vec<String>, Vec<String>) = (words(text).collect(), words(reference).collect());
    let sum = text.len() + reference.len();
    if sum == 0 { 0.0 } else { 2.0 * share(common(&text, &reference), sum) }
}

/// Length of the longest common subsequence.
fn common(one: &[String], other: &[String]) -> usize {
    let mut row = vec![0; other.len() + 1];
    for left in one {
        let mut diagonal = 0;
        for (at, right) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if left == right { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

fn share(of: usize, all: usize) -> f64 {
    Number::count(of as u64).get() / Number::count(all as u64).get()
}
