//! GitHub's `primaryLocationLineHash`, bit for bit: codeql-action's `src/fingerprints.ts` (`hash`). A value that differs
//! from the one `upload-sarif` computes itself is kept but logged as inconsistent, so nearly right is wrong here.
//!
//! It is a rolling hash over the 100 UTF-16 code units that follow the start of a line, without spaces and tabs, and
//! with every line ending folded to a line feed. The same line in the same surroundings keeps its hash when it moves.

use std::collections::HashMap;
use std::ops::ControlFlow;

/// Code units the hash looks at, from the start of a line.
const WINDOW: usize = 100;

/// The base of the polynomial.
const BASE: u64 = 37;

/// The factor of the unit that leaves the window: [`BASE`] to the power of [`WINDOW`], modulo 2^64.
const LEAVING: u64 = BASE.wrapping_pow(WINDOW as u32);

/// What the reference feeds in after the last code unit.
const END_OF_FILE: u16 = 65535;

/// The hashes of the `wanted` lines (counted from 1, in any order) of a file's bytes, `None` where the file has no such
/// line. Bytes that are not UTF-8 count as U+FFFD, a byte order mark counts as a character, and a lone carriage return
/// ends a line, all as in the reference; a file that ends in a line feed has one more, empty line.
pub fn line_hashes(bytes: &[u8], wanted: &[u32]) -> Vec<Option<String>> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|index| wanted.get(*index));
    let mut hashes = vec![None; wanted.len()];
    let mut pending = order.into_iter().peekable();
    // Zero is no line; the reference counts from 1.
    while pending.next_if(|index| wanted.get(*index) == Some(&0)).is_some() {}
    if pending.peek().is_none() {
        return hashes;
    }
    roll(bytes, |line, hash| {
        while let Some(index) = pending.next_if(|index| wanted.get(*index) == Some(&line)) {
            if let Some(slot) = hashes.get_mut(index) {
                *slot = Some(hash.to_string());
            }
        }
        pending.peek().is_some()
    });
    hashes
}

/// A line's hash and which occurrence of it in the file this is, from 1.
struct Hash {
    value: u64,
    occurrence: u32,
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without leading zeros, as JavaScript's `toString(16)`.
        write!(f, "{:x}:{}", self.value, self.occurrence)
    }
}

/// Calls `each` with every line's number and hash in order, until it answers `false`.
fn roll(bytes: &[u8], mut each: impl FnMut(u32, &Hash) -> bool) {
    let mut window = Window::default();
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut emit = |line: u32, value: u64| {
        let count = seen.entry(value).or_insert(0);
        *count = count.saturating_add(1);
        each(line, &Hash { value, occurrence: *count })
    };
    let mut line = 0_u32;
    let (mut at_start, mut after_return) = (true, false);
    // Internal iteration: three times as fast as a `for` loop over these adapters.
    let read = units(bytes).chain([END_OF_FILE]).try_for_each(|unit| {
        let dropped = matches!(unit, 0x20 | 0x09) || (unit == 0x0a && after_return);
        after_return = unit == 0x0d;
        if dropped {
            return ControlFlow::Continue(());
        }
        let folded = if unit == 0x0d { 0x0a } else { unit };
        let starts = at_start.then(|| {
            line = line.saturating_add(1);
            line
        });
        at_start = folded == 0x0a;
        match window.push(folded, starts) {
            Some((line, value)) if !emit(line, value) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    if read.is_break() {
        return;
    }
    for _ in 0..WINDOW {
        if let Some((line, value)) = window.push(0, None)
            && !emit(line, value)
        {
            return;
        }
    }
}

/// The last [`WINDOW`] units, their hash, and which of them start a line.
struct Window {
    units: [(u16, Option<u32>); WINDOW],
    next: usize,
    hash: u64,
}

impl Default for Window {
    fn default() -> Self {
        Self { units: [(0, None); WINDOW], next: 0, hash: 0 }
    }
}

impl Window {
    /// Takes a unit in. Where the unit that falls out started a line, that line's window is full: its number and hash.
    fn push(&mut self, unit: u16, starts: Option<u32>) -> Option<(u32, u64)> {
        let before = self.hash;
        let slot = self.units.get_mut(self.next)?;
        let (leaving, started) = std::mem::replace(slot, (unit, starts));
        self.hash = BASE
            .wrapping_mul(before)
            .wrapping_add(u64::from(unit))
            .wrapping_sub(LEAVING.wrapping_mul(u64::from(leaving)));
        self.next = if self.next + 1 == WINDOW { 0 } else { self.next + 1 };
        started.map(|line| (line, before))
    }
}

/// The UTF-16 code units of a lossy decoding.
fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.utf8_chunks().flat_map(|chunk| {
        let replacement = if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
        chunk.valid().encode_utf16().chain(replacement.encode_utf16())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use proptest::{collection, prop_assert_eq};

    use super::line_hashes;

    fn all(text: &[u8]) -> Vec<String> {
        let wanted: Vec<u32> = (1..=text.len() as u32 + 2).collect();
        line_hashes(text, &wanted).into_iter().flatten().collect()
    }

    /// `src/fingerprints.test.ts` of codeql-action.
    #[test]
    fn published_vectors() {
        let lorem = "Lorem ipsum dolor sit amet.\n".repeat(10);
        let vectors: [(&str, &[&str]); 5] = [
            ("", &["c129715d7a2bc9a3:1"]),
            (
                " a\nb\n  \t\tc\n d",
                &["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
            ),
            (
                " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
                &[
                    "e9496ae3ebfced30:1",
                    "fb7c023a8b9ccb3f:1",
                    "ce8ba1a563dcdaca:1",
                    "e20e36e16fcb0cc8:1",
                    "b3edc88f2938467e:1",
                    "c8e28b0b4002a3a0:1",
                    "c129715d7a2bc9a3:1",
                ],
            ),
            (
                &lorem,
                &[
                    "a7f2ff13bc495cf2:1",
                    "a7f2ff13bc495cf2:2",
                    "a7f2ff13bc495cf2:3",
                    "a7f2ff13bc495cf2:4",
                    "a7f2ff13bc495cf2:5",
                    "a7f2ff13bc495cf2:6",
                    "a7f2ff1481e87703:1",
                    "a9cf91f7bbf1862b:1",
                    "55ec222b86bcae53:1",
                    "cc97dc7b1d7d8f7b:1",
                    "c129715d7a2bc9a3:1",
                ],
            ),
            (
                "x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n",
                &[
                    "e54938cc54b302f1:1",
                    "bb609acbe9138d60:1",
                    "1131fd5871777f34:1",
                    "5c482a0f8b35ea28:1",
                    "54517377da7028d2:1",
                    "2c644846cb18d53e:1",
                    "f1b89f20de0d133:1",
                    "c129715d7a2bc9a3:1",
                ],
            ),
        ];
        for (text, expected) in vectors {
            assert_eq!(all(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn wanted_lines_come_back_in_the_order_asked() {
        let text = b" a\nb\n  \t\tc\n d";
        assert_eq!(
            line_hashes(text, &[4, 2, 9, 2, 0]),
            [
                Some("a23a3dc5e078b07b:1".to_owned()),
                Some("54703d4cd895b18:1".to_owned()),
                None,
                Some("54703d4cd895b18:1".to_owned()),
                None,
            ]
        );
        assert!(line_hashes(text, &[]).is_empty());
    }

    /// The definition, read off the reference without its ring buffer: 100 units from the start of the line.
    fn naive(bytes: &[u8]) -> Vec<String> {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
        let mut units: Vec<u16> = text.encode_utf16().filter(|unit| !matches!(unit, 0x20 | 0x09)).collect();
        units.push(65535);
        let starts = (0..units.len()).filter(|at| *at == 0 || units[at - 1] == 0x0a);
        let mut values: Vec<u64> = Vec::new();
        let mut hashes = Vec::new();
        for start in starts {
            let value = (start..start + 100).fold(0_u64, |hash, at| {
                hash.wrapping_mul(37).wrapping_add(u64::from(units.get(at).copied().unwrap_or(0)))
            });
            values.push(value);
            hashes.push(format!("{value:x}:{}", values.iter().filter(|other| **other == value).count()));
        }
        hashes
    }

    /// The reference drops a line feed only directly after a carriage return, and blanks between them part the two; the
    /// naive version folds line endings first, so it must not see such a blank.
    fn without_blanks(bytes: &[u8]) -> Vec<u8> {
        bytes.iter().copied().filter(|byte| !matches!(byte, b' ' | b'\t')).collect()
    }

    proptest! {
        #[test]
        fn equals_the_definition(bytes in collection::vec(any::<u8>(), 0..600)) {
            let bytes = without_blanks(&bytes);
            prop_assert_eq!(all(&bytes), naive(&bytes));
        }

        #[test]
        fn equals_the_definition_on_text(text in "[ab\u{e9}\u{1f600}\r\n{}]{0,400}") {
            prop_assert_eq!(all(text.as_bytes()), naive(text.as_bytes()));
        }

        #[test]
        fn blanks_change_nothing_inside_a_line(text in "[ab \t\n]{0,300}") {
            prop_assert_eq!(all(text.as_bytes()), naive(text.as_bytes()));
        }
    }
}
