//! What a finding is, whoever finds it and wherever it moved: hashes over tag, place and text, never over a line number,
//! prose or anything ambient.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::detect::FileView;
use crate::finding::{Fingerprint, Line, RepoPath};

/// Neighbouring lines with text, above and below, that the window looks at.
const WINDOW: usize = 2;

/// The two identities of a line under a tag.
pub struct Identity {
    /// Tag, path, enclosing symbol, normalised line, occurrence.
    pub key: Fingerprint,
    /// Tag and the normalised neighbouring lines, without the path.
    pub window: Fingerprint,
}

/// The lines of a file's new side, normalised once, so that a flood of findings costs no more than the file.
pub struct Lines<'v> {
    view: &'v FileView<'v>,
    /// Known lines with their numbers.
    texts: Vec<(u32, String)>,
    /// The numbers of the lines with a text, in order.
    places: BTreeMap<String, Vec<u32>>,
    /// The same by the symbol around them, for the texts that were asked for.
    by_symbol: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
}

impl<'v> Lines<'v> {
    /// Reads a file.
    pub fn of(view: &'v FileView<'v>) -> Self {
        let texts: Vec<(u32, String)> =
            view.text.lines().map(|(line, bytes)| (line.get(), normalised(&String::from_utf8_lossy(bytes)))).collect();
        let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (line, text) in &texts {
            places.entry(text.clone()).or_default().push(*line);
        }
        Self { view, texts, places, by_symbol: BTreeMap::new() }
    }

    /// Identifies lines of the new side, by the text of all of them: who accepts a call accepts its arguments too.
    /// `ordinal` tells findings of one tag on one line apart, from 0.
    pub fn identify(&mut self, tag: &str, (line, end_line): (Line, Line), ordinal: u32) -> Identity {
        let index = self.texts.partition_point(|(number, _)| *number < line.get());
        let known = self.texts.get(index).filter(|(number, _)| *number == line.get());
        let first = known.map_or_else(String::new, |(_, text)| text.clone());
        let name = symbol(self.view, line);
        let occurrence = self.occurrence(&first, name, line);
        let rest = self.texts[index..].iter().skip(1).take_while(|(number, _)| *number <= end_line.get());
        let text = rest.fold(first, |text, (_, more)| text + "\n" + more);
        // A rename inside the range keeps the identity that the file's findings had before.
        let path = self.view.change.old_path.as_ref().unwrap_or(&self.view.change.path);
        let key = hash(
            "diffsieve/key/v1",
            &[
                tag.as_bytes(),
                path.bytes(),
                name.as_bytes(),
                text.as_bytes(),
                &number(occurrence),
                &number(ordinal as usize),
            ],
        );
        let (above, below) = (self.near(index, true), self.near(index, false));
        let window = hash(
            "diffsieve/window/v1",
            &[tag.as_bytes(), above.as_bytes(), text.as_bytes(), below.as_bytes(), &number(ordinal as usize)],
        );
        Identity { key, window }
    }

    /// How many lines above have the same text in a symbol of the same name: two overloads are not one place.
    fn occurrence(&mut self, text: &str, name: &str, line: Line) -> usize {
        let (view, places) = (self.view, &self.places);
        let by_symbol = self.by_symbol.entry(text.to_owned()).or_insert_with(|| {
            let mut by_symbol: BTreeMap<String, Vec<u32>> = BTreeMap::new();
            for line in places.get(text).into_iter().flatten().copied().filter_map(Line::new) {
                by_symbol.entry(symbol(view, line).to_owned()).or_default().push(line.get());
            }
            by_symbol
        });
        by_symbol.get(name).map_or(0, |lines| lines.partition_point(|other| *other < line.get()))
    }

    /// The nearest lines with text above or below, nearest first. Lines that a patch leaves out end the neighbourhood.
    fn near(&self, index: usize, above: bool) -> String {
        let mut near: Vec<&str> = Vec::with_capacity(WINDOW);
        let mut at = index;
        while near.len() < WINDOW {
            let next = if above { at.checked_sub(1) } else { at.checked_add(1) };
            let Some((next, (line, text))) = next.and_then(|next| Some((next, self.texts.get(next)?))) else { break };
            if self.texts.get(at).is_none_or(|(here, _)| here.abs_diff(*line) != 1) {
                break;
            }
            if !text.is_empty() {
                near.push(text);
            }
            at = next;
        }
        near.join("\n")
    }
}

/// Identifies a claim that is tied to no line, by what it quotes.
pub fn of_claim(tag: &str, path: &RepoPath, quote: &str, ordinal: u32) -> Identity {
    let text = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: [&[u8]; 4] = [tag.as_bytes(), path.bytes(), text.as_bytes(), &number(ordinal as usize)];
    Identity { key: hash("diffsieve/claim/v1", &parts), window: hash("diffsieve/claim-window/v1", &parts[..1]) }
}

/// The path of the innermost symbol around a line, empty outside of all.
fn symbol<'v>(view: &'v FileView<'_>, line: Line) -> &'v str {
    view.parsed().and_then(|parsed| parsed.enclosing(line)).map_or("", |symbol| symbol.path.as_str())
}

/// A line with its white space folded, so that re-indentation does not change it.
fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn number(value: usize) -> [u8; 8] {
    (value as u64).to_be_bytes()
}

/// SHA-256 over the length-prefixed parts, cut to 128 bits.
fn hash(domain: &str, parts: &[&[u8]]) -> Fingerprint {
    let mut hasher = Sha256::new();
    for part in std::iter::once(&domain.as_bytes()).chain(parts) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    let mut digits = String::with_capacity(32);
    for byte in digest.iter().take(16) {
        let _ = write!(digits, "{byte:02x}");
    }
    Fingerprint::new(digits)
}
