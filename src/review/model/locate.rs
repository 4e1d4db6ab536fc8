//! Where a model's claim stands: its quote among the lines of the chunk it was shown, tied by what it says of file and
//! line. What was not shown cannot be quoted, and what is quoted in two places is nowhere.

use crate::context::{Chunk, FilePart, Form, Place};
use crate::finding::{Anchored, Line};

use super::answer::Worded;

/// Where a claim stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    /// Which of the parts.
    pub(super) file: usize,
    /// The lines it speaks of, on the new side: the first and last of them that the change adds, where it adds any.
    pub(super) lines: (Line, Line),
    /// The same by the numbers of the chunk.
    pub(super) numbers: (u32, u32),
    pub(super) anchored: Anchored,
    /// Whether these are all lines of the quote.
    pub(super) is_whole: bool,
    /// What of its words was put right on the way.
    pub(super) corrected: Option<String>,
}

/// Why a claim stands nowhere: the reason and a sentence.
pub(super) type Lost = (&'static str, String);

/// Most lines of a quote: who quotes more has not found the place.
const LINES: usize = 60;

/// A quote needs this many letters or digits to be looked for where it was not claimed: braces stand everywhere.
const TELLING: usize = 3;

/// The lines of a chunk, ready to be searched by every claim about it.
pub(super) struct Page<'c> {
    chunk: &'c Chunk,
    parts: &'c [FilePart],
    lines: Vec<String>,
    removed: Vec<String>,
}

/// A stretch of lines that reads as the quote does, by indices into the chunk's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    first: usize,
    last: usize,
}

impl<'c> Page<'c> {
    pub(super) fn of(chunk: &'c Chunk, parts: &'c [FilePart]) -> Self {
        let lines = chunk.lines.iter().map(|line| folded(&line.text)).collect();
        let removed = chunk.removed.iter().map(|line| folded(&line.text)).collect();
        Self { chunk, parts, lines, removed }
    }

    /// Finds a claim. `deletions`: it may stand beside a removed line.
    pub(super) fn locate(&self, claim: &Worded, deletions: bool) -> Result<Spot, Lost> {
        let quotes = quotes(&claim.quote, self.chunk.form);
        if quotes.is_empty() {
            return Err(("ungrounded", "the claim quotes no code".to_owned()));
        }
        if claim.quote.lines().nth(LINES).is_some() {
            return Err(("ungrounded", format!("the claim quotes more than {LINES} lines")));
        }
        let named = self.named(&claim.file);
        let claimed = u32::try_from(claim.line).ok().and_then(|number| self.chunk.number(number, &named));
        for quote in &quotes {
            let found = find(quote, &self.lines, |index| self.at(index).hunk);
            if found.is_empty() {
                continue;
            }
            let standing: Vec<Found> =
                found.into_iter().filter(|found| self.is_added(found) || deletions && self.is_beside(found)).collect();
            if standing.is_empty() {
                // The same code may have been taken away elsewhere.
                if deletions && quotes.iter().any(|quote| !self.find_removed(quote).is_empty()) {
                    break;
                }
                let why = "the quoted code was shown, but this change did not add it".to_owned();
                return Err(("outside_change", why));
            }
            let telling = quote.iter().map(|line| telling(line)).sum::<usize>() >= TELLING;
            return self
                .choose(&standing, claimed, &named, telling)
                .map(|(found, anchored)| self.spot(found, anchored, deletions, &claim.file, &named));
        }
        for quote in &quotes {
            let found = self.find_removed(quote);
            if found.is_empty() {
                continue;
            }
            if !deletions {
                return Err(("outside_change", "the quoted code is what this change removes".to_owned()));
            }
            return self.beside(&found, claimed, &claim.file, &named);
        }
        let why = match named.is_empty() {
            true => "no file of that name was shown, and the quoted code was not either",
            false => "the quoted code is not in what was shown",
        };
        Err(("ungrounded", why.to_owned()))
    }

    fn find_removed(&self, quote: &[String]) -> Vec<Found> {
        find(quote, &self.removed, |index| self.chunk.removed[index].hunk)
    }

    fn place(&self, number: u32) -> Option<Place> {
        self.chunk.place(number)
    }

    fn at(&self, index: usize) -> Place {
        self.chunk.lines[index].place
    }

    /// The files of the chunk that a name can mean: the very path, else the only ones that end like it.
    fn named(&self, name: &str) -> Vec<usize> {
        let name = name.trim().trim_start_matches("./");
        let mut files: Vec<usize> = self.chunk.parts.iter().map(|covered| covered.file).collect();
        files.sort_unstable();
        files.dedup();
        let paths =
            |file: usize| [self.parts[file].path.to_text().raw().to_owned(), self.parts[file].shown_path().to_owned()];
        let exact: Vec<usize> =
            files.iter().copied().filter(|file| paths(*file).iter().any(|path| path == name)).collect();
        if !exact.is_empty() || name.is_empty() {
            return exact;
        }
        let ends = |one: &str, other: &str| one.strip_suffix(other).is_some_and(|rest| rest.ends_with('/'));
        files.retain(|file| {
            let [path, _] = paths(*file);
            ends(&path, name) || ends(name, &path)
        });
        if files.len() == 1 { files } else { Vec::new() }
    }

    fn is_added(&self, found: &Found) -> bool {
        (found.first..=found.last).any(|index| self.at(index).added)
    }

    /// Whether a removed line stands directly above, below or between.
    fn is_beside(&self, found: &Found) -> bool {
        let hunk = self.at(found.first).hunk;
        let (above, below) = (found.first as u32, found.last as u32 + 1);
        self.chunk.removed.iter().any(|line| line.hunk == hunk && (above..=below).contains(&line.above))
    }

    /// The place that is meant: the claimed one, else the only one in the file that is named, nearest to the claimed line.
    fn choose(
        &self,
        found: &[Found],
        claimed: Option<u32>,
        named: &[usize],
        telling: bool,
    ) -> Result<(Found, Anchored), Lost> {
        let claimed_index = claimed.map(|number| number as usize - 1);
        if let Some(index) = claimed_index
            && let Some(found) = found.iter().find(|found| (found.first..=found.last).contains(&index))
        {
            return Ok((*found, Anchored::Exact));
        }
        if !telling {
            let why = "so short a quote stands nowhere but on the claimed line".to_owned();
            return Err(("ungrounded", why));
        }
        let in_named: Vec<Found> =
            found.iter().copied().filter(|found| named.contains(&self.at(found.first).file)).collect();
        let mut candidates = if in_named.is_empty() { found.to_vec() } else { in_named };
        let claimed = claimed.and_then(|number| self.place(number));
        let near = |found: &Found| claimed.filter(|place| place.file == self.at(found.first).file);
        if let Some(place) = claimed.filter(|_| candidates.len() > 1) {
            let same_hunk: Vec<Found> =
                candidates.iter().copied().filter(|found| self.at(found.first).hunk == place.hunk).collect();
            if !same_hunk.is_empty() {
                candidates = same_hunk;
            }
            candidates.retain(|found| near(found).is_some());
        }
        let distance = |found: &Found| near(found).map(|place| self.distance(found, place.line));
        let least = candidates.iter().map(|found| distance(found).map(i64::abs)).min().flatten();
        let mut nearest = candidates.iter().filter(|found| distance(found).map(i64::abs) == least);
        match (nearest.next(), nearest.next()) {
            (Some(found), None) => Ok((*found, distance(found).map_or(Anchored::Quoted, Anchored::Moved))),
            _ => Err(("ambiguous", format!("the quoted code stands in {} places, none of them claimed", found.len()))),
        }
    }

    /// Lines from the claimed line to the nearest one of a stretch.
    fn distance(&self, found: &Found, claimed: Line) -> i64 {
        let (first, last) = (self.at(found.first).line.get(), self.at(found.last).line.get());
        let to = i64::from(claimed.get().clamp(first, last));
        to - i64::from(claimed.get())
    }

    fn spot(&self, found: Found, anchored: Anchored, deletions: bool, file: &str, named: &[usize]) -> Spot {
        let added = (found.first..=found.last).filter(|index| self.at(*index).added);
        let (first, last) = match (added.clone().next(), added.clone().next_back()) {
            (Some(first), Some(last)) => (first, last),
            _ => (found.first, found.last),
        };
        let anchored = match anchored {
            Anchored::Exact if deletions && added.count() == 0 => Anchored::BesideDeletion,
            other => other,
        };
        let place = self.at(first);
        Spot {
            file: place.file,
            lines: (place.line, self.at(last).line),
            numbers: (first as u32 + 1, last as u32 + 1),
            anchored,
            is_whole: (first, last) == (found.first, found.last),
            corrected: self.corrected(place.file, file, named),
        }
    }

    /// A claim about removed lines stands on a line beside them.
    fn beside(&self, found: &[Found], claimed: Option<u32>, file: &str, named: &[usize]) -> Result<Spot, Lost> {
        let neighbours = |found: &Found| {
            let (first, last) = (&self.chunk.removed[found.first], &self.chunk.removed[found.last]);
            let in_hunk = |number: u32| self.place(number).filter(|place| place.hunk == first.hunk).map(|_| number);
            [in_hunk(last.above + 1), in_hunk(first.above)]
        };
        let exact = found.iter().find_map(|found| {
            claimed
                .filter(|number| neighbours(found).contains(&Some(*number)))
                .map(|number| (number, Anchored::BesideDeletion))
        });
        let (number, anchored) = match (exact, found) {
            (Some(exact), _) => exact,
            (None, [found]) => {
                let number = neighbours(found).into_iter().flatten().next();
                let number = number.ok_or_else(|| {
                    ("ungrounded", "no line is left beside the removed code to report it on".to_owned())
                })?;
                let claimed = claimed.and_then(|claimed| self.place(claimed));
                let place = self.at(number as usize - 1);
                let by = claimed.filter(|claimed| claimed.file == place.file);
                let by = by.map(|claimed| i64::from(place.line.get()) - i64::from(claimed.line.get()));
                (number, by.map_or(Anchored::Quoted, Anchored::Moved))
            }
            _ => return Err(("ambiguous", format!("the quoted code is removed in {} places", found.len()))),
        };
        let place = self.at(number as usize - 1);
        Ok(Spot {
            file: place.file,
            lines: (place.line, place.line),
            numbers: (number, number),
            anchored,
            is_whole: false,
            corrected: self.corrected(place.file, file, named),
        })
    }

    fn corrected(&self, file: usize, name: &str, named: &[usize]) -> Option<String> {
        (!named.contains(&file)).then(|| {
            let name: String = name.chars().take(200).collect();
            format!("the claim names the file `{name}`, its line and quote stand in this one")
        })
    }
}

/// Every stretch of one hunk whose lines are those of the quote, blank ones not counted.
fn find(quote: &[String], lines: &[String], hunk: impl Fn(usize) -> usize) -> Vec<Found> {
    let mut found = Vec::new();
    for first in (0..lines.len()).filter(|index| lines[*index] == quote[0]) {
        let mut last = first;
        let rest = (first..lines.len()).take_while(|index| hunk(*index) == hunk(first));
        let mut rest = rest.filter(|index| !lines[*index].is_empty());
        let all = quote.iter().all(|wanted| {
            rest.next().is_some_and(|index| {
                last = index;
                lines[index] == *wanted
            })
        });
        if all {
            found.push(Found { first, last });
        }
    }
    found
}

/// The ways in which a quote may be meant: as it stands, and without the numbers and signs of the page. Blank lines go.
fn quotes(quote: &str, form: Form) -> Vec<Vec<String>> {
    let bare = match form {
        Form::Marked => bare,
        Form::Plain | Form::Cqs => unsigned,
    };
    let plain: Vec<String> = quote.lines().map(folded).filter(|line| !line.is_empty()).collect();
    let bare: Vec<String> = quote.lines().map(|line| folded(bare(line))).filter(|line| !line.is_empty()).collect();
    let mut all = vec![plain];
    if !all.contains(&bare) {
        all.push(bare);
    }
    all.retain(|quote| !quote.is_empty());
    all
}

/// A line of the page without what stands before its text.
fn bare(line: &str) -> &str {
    let start = line.trim_start();
    let rest = start.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_numbered = rest.len() < start.len();
    if is_numbered && let Some(text) = rest.strip_prefix("+ ").or_else(|| rest.strip_prefix("  ")) {
        return text;
    }
    match rest {
        "+" | "-" | "" => "",
        _ if is_numbered => line,
        _ => rest.strip_prefix("+ ").or_else(|| rest.strip_prefix("- ")).unwrap_or(line),
    }
}

/// A line of a page without marks, without its number and sign.
fn unsigned(line: &str) -> &str {
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let rest = if rest.len() < line.len() { rest.strip_prefix(' ').unwrap_or(line) } else { rest };
    rest.strip_prefix(['+', '-', ' ']).unwrap_or(rest)
}

fn telling(line: &str) -> usize {
    line.chars().filter(|character| character.is_alphanumeric()).count()
}

/// A line with its white space folded: what models do not copy faithfully.
fn folded(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
