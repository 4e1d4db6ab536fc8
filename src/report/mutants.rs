//! Texts made of hostile ones by chance with a fixed seed: joined, cut, and with signs put in and taken out. The same
//! in every run, so that a failure can be looked at again.

/// Signs that mean something to one sink or another.
const SIGNS: [char; 28] = [
    '\n',
    '\r',
    '\t',
    ' ',
    '\u{1b}',
    '\u{7f}',
    '\u{85}',
    '\u{ad}',
    '\u{200b}',
    '\u{2028}',
    '\u{feff}',
    '\u{fffe}',
    '\u{10ffff}',
    '"',
    '\'',
    '<',
    '>',
    '&',
    '%',
    '`',
    '|',
    '\\',
    '#',
    '[',
    ']',
    ';',
    ':',
    '@',
];

/// So many texts made of these.
pub(super) fn mutants(seeds: &[&str], count: usize) -> Vec<String> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    // Xorshift (Marsaglia 2003).
    let mut below = |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % limit as u64) as usize
    };
    let mut mutant = || {
        let mut text: Vec<char> = Vec::new();
        for _ in 0..=below(3) {
            let piece: Vec<char> = seeds[below(seeds.len())].chars().collect();
            let from = if below(3) == 0 { below(piece.len()) } else { 0 };
            let at = below(text.len() + 1);
            text.splice(at..at, piece[from..].iter().copied());
        }
        for _ in 0..below(5) {
            if below(3) == 0 && text.len() > 1 {
                text.remove(below(text.len()));
            } else {
                text.insert(below(text.len() + 1), SIGNS[below(SIGNS.len())]);
            }
        }
        text.into_iter().collect()
    };
    (0..count).map(|_| mutant()).collect()
}
