//! Masks the code around a secret, in its own finding and in those of its neighbours: a report is read by more people
//! than the file, and stays longer. What a secret finding captured is masked wherever a finding of the file shows it; on
//! the lines around it also what stands in a literal or looks like a secret, but no name that code uses.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::ground::Grounded;
use crate::detect::FileView;
use crate::finding::{Finding, Line, Suggestion, Untrusted};
use crate::syntax::{Language, Region};

/// Shortest run of token characters that is masked.
const RUN: usize = 12;
/// Shortest capture that is masked wherever it stands: a shorter one stands in half of all words.
const VALUE: usize = 8;
/// Characters of a run that stay readable, enough to find it.
const HEAD: usize = 4;

/// Shortest run of a line that may be the body of a key, which goes on below the lines of its finding.
const BODY: usize = 40;

/// Masks the secrets among the findings of a file wherever a finding of that file would show them.
pub(super) fn secrets(findings: &mut [Grounded], view: &FileView<'_>) {
    if findings.iter().all(|grounded| grounded.raised.secrets.is_empty()) {
        return;
    }
    let mask = Mask::of(findings, view);
    for grounded in findings {
        let is_secret = !grounded.raised.secrets.is_empty();
        mask.finding(&mut grounded.finding, is_secret);
    }
}

/// What is masked in one file.
pub(super) struct Mask<'v> {
    view: &'v FileView<'v>,
    /// The lines around the secrets.
    lines: BTreeSet<u32>,
    /// The secrets themselves. `None` where they are too many for one automaton: then every token is masked.
    values: Option<AhoCorasick>,
}

impl<'v> Mask<'v> {
    pub(super) fn of(findings: &[Grounded], view: &'v FileView<'v>) -> Self {
        let mut mask = Self { view, lines: BTreeSet::new(), values: None };
        let mut values = BTreeSet::new();
        for grounded in findings.iter().filter(|grounded| !grounded.raised.secrets.is_empty()) {
            mask.surround(&grounded.finding);
            for value in &grounded.raised.secrets {
                let parts = runs(value).map(|run| &value[run]).filter(|run| run.len() >= RUN && is_random(run));
                values.extend(parts.chain([value.as_str()]).filter(|text| text.len() >= VALUE).map(str::to_owned));
            }
            // What else is hidden on its own lines may be the rest of it.
            let at = &grounded.finding.claim.location;
            for (line, text, from) in shown(&grounded.finding) {
                if (at.line.get()..=at.end_line.get()).contains(&line) {
                    values.extend(mask.hidden(text, line, from).map(|run| text[run].to_owned()));
                }
            }
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values);
        mask.values = automaton.ok();
        mask
    }

    /// Adds the lines that the finding's frame shows, and the body of a key that goes on below them.
    fn surround(&mut self, finding: &Finding) {
        let line = finding.claim.location.line.get();
        let frame = finding.frame.as_ref();
        let (first, count) = frame.map_or((line, 1), |frame| (frame.first.get(), frame.lines.len() as u32));
        let end = first.saturating_add(count);
        self.lines.extend(first..end);
        for number in end.. {
            let text = Line::new(number).and_then(|line| self.view.text.line_text(line));
            let has_body = text.is_some_and(|text| runs(&text).any(|run| run.len() >= BODY));
            // Whoever put the next line here looked at what is below it.
            if !has_body || !self.lines.insert(number) {
                break;
            }
        }
    }

    /// Masks quote, frame, suggestion and what is said. Every line keeps its length, so columns stay right.
    fn finding(&self, finding: &mut Finding, is_secret: bool) {
        let suggestion = finding.claim.suggestion.take();
        finding.claim.suggestion = suggestion.filter(|suggestion| !is_secret && !self.is_in(suggestion));
        let first = finding.claim.location.line.get();
        let from = finding.frame.as_ref().map_or(0, |frame| frame.left_out(finding.claim.location.line));
        let quote = finding.claim.quote.raw().split('\n').zip(first..);
        let quote: Vec<String> =
            quote.map(|(text, line)| self.line(text, line, if line == first { from } else { 0 })).collect();
        finding.claim.quote = Untrusted::new(quote.join("\n"));
        let lines: Vec<Untrusted> =
            shown(finding).map(|(line, text, from)| Untrusted::new(self.line(text, line, from))).collect();
        if let Some(frame) = &mut finding.frame {
            frame.lines = lines;
        }
        let said = finding.trail.iter_mut().map(|step| &mut step.why).chain([&mut finding.claim.rationale]);
        for text in said {
            *text = Untrusted::new(masked(text.raw(), self.secrets(text.raw())));
        }
    }

    /// Whether a suggestion would show a part of a secret.
    fn is_in(&self, suggestion: &Suggestion) -> bool {
        let (first, last) = (suggestion.line.get(), suggestion.end_line.get());
        let old = (first..=last).filter_map(Line::new).filter_map(|line| Some((line, self.view.text.line_text(line)?)));
        let mut old = old.filter(|(line, _)| self.lines.contains(&line.get()));
        old.any(|(line, text)| self.hidden(&text, line.get(), 0).next().is_some())
            || !self.secrets(suggestion.text.raw()).is_empty()
    }

    /// A line of the file as a report may show it; `from` is its first byte that `text` has.
    fn line(&self, text: &str, line: u32, from: usize) -> String {
        masked(text, self.ranges(text, line, from))
    }

    /// What is masked of such a line.
    pub(super) fn ranges(&self, text: &str, line: u32, from: usize) -> Vec<Range<usize>> {
        let mut ranges = self.secrets(text);
        if self.lines.contains(&line) {
            ranges.extend(self.hidden(text, line, from));
            ranges.sort_by_key(|range| range.start);
        }
        ranges
    }

    /// Where the secrets stand in a text.
    pub(super) fn secrets(&self, text: &str) -> Vec<Range<usize>> {
        match &self.values {
            Some(values) => values.find_iter(text).map(|found| found.range()).collect(),
            None => runs(text).filter(|run| run.len() >= RUN).collect(),
        }
    }

    /// The runs of a line that are hidden beside a secret.
    fn hidden<'t>(&'t self, text: &'t str, line: u32, from: usize) -> impl Iterator<Item = Range<usize>> + 't {
        let parsed = self.view.parsed().zip(Line::new(line));
        let start = parsed.map_or(0, |(parsed, line)| parsed.line_range(line).start + from);
        // A plain value of YAML is code to the mask, and of broken code nobody knows what is.
        let sound =
            parsed.filter(|(parsed, line)| parsed.language() != Language::Yaml && !parsed.has_error((*line, *line)));
        runs(text).filter(move |run| run.len() >= RUN).filter(move |run| {
            match parsed.map(|(parsed, _)| parsed.region(start + run.start)) {
                Some(Region::String) => true,
                Some(Region::Code) if sound.is_some() => false,
                _ => is_quoted(text, run) || is_random(&text[run.clone()]),
            }
        })
    }
}

/// The lines of a finding's frame: number, text, and how much of the line is left out in front.
fn shown(finding: &Finding) -> impl Iterator<Item = (u32, &str, usize)> {
    finding.frame.iter().flat_map(|frame| {
        let numbered = frame.lines.iter().zip(frame.first.get()..);
        numbered.map(|(text, number)| (number, text.raw(), Line::new(number).map_or(0, |line| frame.left_out(line))))
    })
}

/// The runs of token characters in a text.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_token)?;
        at = text[start..].find(|character| !is_token(character)).map_or(text.len(), |end| start + end);
        Some(start..at)
    })
}

/// What tokens, keys and passwords are made of; ASCII only, so bytes are characters.
const fn is_token(character: char) -> bool {
    matches!(character, 'a'..='z' | 'A'..='Z' | '0'..='9' | '+' | '/' | '=' | '_' | '-' | '.' | '~' | '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*')
}

/// Whether a run stands between quotes or beside one: what a literal is in a file that nobody parses.
fn is_quoted(text: &str, run: &Range<usize>) -> bool {
    let quotes = ['"', '\'', '`'];
    text[..run.start].ends_with(quotes) || text[run.end..].starts_with(quotes)
}

/// Whether letters and digits take turns as in no word, or it is as long as a line of a key.
fn is_random(run: &str) -> bool {
    let mixed: Vec<bool> = run.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.is_ascii_digit()).collect();
    let turns = mixed.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let cases = run.bytes().any(|byte| byte.is_ascii_uppercase()) && run.bytes().any(|byte| byte.is_ascii_lowercase());
    turns >= 3 || (run.len() >= BODY && cases)
}

/// The text with these ranges, in the order of their starts, masked at their length in bytes.
pub(super) fn masked(text: &str, ranges: Vec<Range<usize>>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        // The head of a range inside another one was masked with that.
        let Some(part) = text.get(range.start.max(at)..range.end) else { continue };
        out.push_str(&text[at..range.start.max(at)]);
        let head = if range.len() > VALUE && range.start >= at { HEAD } else { 0 };
        let head = part.char_indices().nth(head).map_or(part.len(), |(index, _)| index);
        out.push_str(&part[..head]);
        out.extend(std::iter::repeat_n('*', part.len() - head));
        at = range.end.max(at);
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::Engine;
    use crate::diff::FileChange;
    use crate::review::ground::ground;
    use crate::rules::{Examples, Rules};

    // Made up, and written in two pieces so that no scanner takes this file for a leak.
    fn token(number: usize) -> String {
        format!("{}{number:08}9Xk2LmQ7vR4tY8wZ1aBcD3eFgH5j", ["gh", "p_"].concat())
    }

    fn frames(path: &str, text: &str) -> Vec<(String, Vec<String>)> {
        let change = FileChange::new_file(path.into(), text.into());
        let view = FileView::of(&change).expect("a text");
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load");
        let (kept, _) = ground(Engine::new(&rules).run(&view), &view, &rules);
        kept.into_iter()
            .map(|grounded| {
                let frame = grounded.finding.frame.expect("a frame");
                (grounded.finding.claim.tag.to_string(), frame.lines.iter().map(|line| line.raw().to_owned()).collect())
            })
            .collect()
    }

    #[test]
    fn names_of_code_stay_and_literals_are_masked() {
        let secret = token(1);
        let text = format!(
            "def configuration():\n    pdb.set_trace()\n    token = '{secret}'  # was {}\n    other = 'correcthorsebattery'\n",
            token(2)
        );
        let found = frames("a.py", &text);
        assert!(found.iter().any(|(tag, _)| tag == "DebuggerLeft") && found.len() >= 2, "{found:?}");
        for (tag, lines) in found {
            let lines = lines.join("\n");
            assert!(lines.contains("pdb.set_trace()") && lines.contains("configuration"), "{tag}: {lines}");
            assert!(
                !lines.contains(&secret) && !lines.contains(&token(2)) && !lines.contains("battery"),
                "{tag}: {lines}"
            );
            assert_eq!(lines.len(), text.trim_end().len(), "every line keeps its length");
        }
    }

    #[test]
    fn in_a_file_without_a_parser_the_shape_decides() {
        let text = format!("application.datasource.name = main\npassword = x7Kq2mV9tR4z\nkey = {}\n", token(1));
        for (tag, lines) in frames("a.conf", &text) {
            let lines = lines.join("\n");
            assert!(lines.contains("application.datasource.name") && lines.contains("x7Kq********"), "{tag}: {lines}");
            assert!(!lines.contains(&token(1)), "{tag}: {lines}");
        }
    }

    /// So many that a look at every secret for every finding would not end.
    #[test]
    fn many_secrets_beside_many_findings() {
        let text = |number: usize| format!("if mode is 'x':\n    token = '{}'\n", token(number));
        let change = FileChange::new_file("a.py".into(), (0..2).map(text).collect::<String>().into());
        let view = FileView::of(&change).expect("a text");
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the shipped packs load");
        let (two, _) = ground(Engine::new(&rules).run(&view), &view, &rules);
        let with = |secret: bool| two.iter().find(|grounded| grounded.raised.secrets.is_empty() != secret);
        let (secret, other) = (with(true).expect("a secret"), with(false).expect("another"));
        let copy = |of: &Grounded| Grounded { finding: of.finding.clone(), raised: of.raised.clone() };
        let mut many: Vec<Grounded> = (0..20_000)
            .flat_map(|number| {
                let (mut secret, mut other) = (copy(secret), copy(other));
                secret.raised.secrets = vec![token(number)];
                other.finding.claim.rationale = Untrusted::new(format!("`{}` is compared", token(number)));
                [secret, other]
            })
            .collect();
        secrets(&mut many, &view);
        assert!(many.iter().all(|grounded| !grounded.finding.claim.rationale.raw().contains("9Xk2")));
    }

    #[test]
    fn ranges_are_masked_at_their_length() {
        let line = "key = \"AKIAQYLPMN5HFIQR7XYA\" # für prod";
        let hidden: Vec<_> = runs(line).filter(|run| run.len() >= RUN).collect();
        assert_eq!(masked(line, hidden), "key = \"AKIA****************\" # für prod");
        assert_eq!(masked("pässwörter x", vec![0..12, 13..14]), "päss******* *");
        assert_eq!(masked("abcdefghijklmnop", vec![0..10, 4..14, 5..6]), "abcd**********op");
        assert_eq!(masked("let token = f(x);", vec![]), "let token = f(x);");
    }
}
