//! How random a text looks.

use std::collections::BTreeMap;

use super::{Fact, FactInput, FactKind, FactValue, anywhere};
use crate::syntax::Region;

pub(super) const ENTROPY: Fact = Fact {
    name: "entropy",
    help: "Shannon entropy, in bits a character, of the captured `value` (or `VALUE`), else of the longest string \
           literal on the lines. Unknown without either.",
    kind: FactKind::Number,
    applies: anywhere,
    compute: |input| match subject(input) {
        Some(text) if !text.is_empty() => FactValue::Number(shannon(&text)),
        _ => FactValue::Unknown,
    },
};

/// Shannon entropy over the characters of a text, in bits a character; 0 for an empty one.
fn shannon(text: &str) -> f64 {
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    for character in text.chars() {
        *counts.entry(character).or_default() += 1;
    }
    let total = f64::from(counts.values().sum::<u32>());
    let terms = counts.values().map(|count| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    });
    // The sum of one term is a negative zero.
    terms.sum::<f64>().max(0.0)
}

fn subject(input: &FactInput<'_>) -> Option<String> {
    let captured = input.variables.get("value").or_else(|| input.variables.get("VALUE"));
    if let Some(value) = captured {
        return Some(unquoted(value).to_owned());
    }
    let longest = |texts: &mut dyn Iterator<Item = &str>| texts.max_by_key(|text| text.len()).map(str::to_owned);
    match input.new {
        Some(new) => {
            let strings = new.regions_in(input.lines).filter(|(_, region)| *region == Region::String);
            longest(&mut strings.filter_map(|(range, _)| new.source().get(range)).map(unquoted))
        }
        // Without a parser a quoted stretch of the line has to do.
        None => longest(&mut input.quote.split(['"', '\'', '`']).skip(1).step_by(2)),
    }
}

/// A literal without its quotes, and without the letters and `#` that may stand before them.
fn unquoted(literal: &str) -> &str {
    let quotes = ['"', '\'', '`'];
    let prefix = literal.find(quotes).filter(|at| {
        *at <= 4 && literal[..*at].chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '#' | '@' | '$'))
    });
    let inner = prefix.map_or(literal, |at| &literal[at..]).trim_end_matches('#');
    // Without a closing quote it is no literal: `it's`.
    if inner.ends_with(quotes) { inner.trim_matches(quotes) } else { literal }
}

#[cfg(test)]
mod tests {
    use super::{shannon, unquoted};

    #[test]
    fn shannon_by_hand() {
        assert!(shannon("").abs() < 1e-9);
        assert!(shannon("aaaa").abs() < 1e-9);
        assert!((shannon("abab") - 1.0).abs() < 1e-9);
        assert!((shannon("aabc") - 1.5).abs() < 1e-9);
        assert!((shannon("0123456789abcdef") - 4.0).abs() < 1e-9);
        assert!((shannon("éàéà") - 1.0).abs() < 1e-9, "characters, not bytes");
    }

    #[test]
    fn quotes() {
        assert_eq!(unquoted("\"a\""), "a");
        assert_eq!(unquoted("rb'a'"), "a");
        assert_eq!(unquoted("r#\"a\"#"), "a");
        assert_eq!(unquoted("\"\"\"a\"\"\""), "a");
        assert_eq!(unquoted("plain"), "plain");
        assert_eq!(unquoted("it's"), "it's");
        assert_eq!(unquoted(""), "");
    }
}
