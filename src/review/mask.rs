//! Masks the code around a secret, in its own finding and in those of its neighbours: a report is read by more people
//! than the file, and stays longer.

use std::collections::BTreeSet;

use super::ground::Grounded;
use crate::diff::Text;
use crate::finding::{Finding, Line, Untrusted};

/// Shortest run of token characters that is masked.
const RUN: usize = 12;
/// Characters of a run that stay readable, enough to find it.
const HEAD: usize = 4;

/// Shortest run of a line that may be the body of a key, which goes on below the lines of its finding.
const BODY: usize = 40;

/// Masks the secrets among the findings of a file wherever a finding of that file would show them.
pub(super) fn secrets(findings: &mut [Grounded], text: &Text) {
    if findings.iter().all(|grounded| !grounded.raised.secret) {
        return;
    }
    let (mut lines, mut runs) = (BTreeSet::new(), BTreeSet::new());
    for finding in findings.iter().filter(|grounded| grounded.raised.secret).map(|grounded| &grounded.finding) {
        let at = &finding.claim.location;
        let own = (at.line.get()..=at.end_line.get()).filter_map(Line::new);
        for line in own.filter_map(|line| text.line_text(line)) {
            runs.extend(tokens(&line).filter(|run| run.len() >= RUN).map(str::to_owned));
        }
        let (first, count) =
            finding.frame.as_ref().map_or((at.line, 1), |frame| (frame.first, frame.lines.len() as u32));
        let end = first.get().saturating_add(count);
        lines.extend(first.get()..end);
        let has_body = |line: &u32| {
            let line = Line::new(*line).and_then(|line| text.line_text(line));
            line.is_some_and(|line| tokens(&line).any(|run| run.len() >= BODY))
        };
        lines.extend((end..).take_while(has_body));
    }
    for grounded in findings {
        if grounded.raised.secret {
            finding(&mut grounded.finding);
        } else {
            neighbour(&mut grounded.finding, &lines, &runs);
        }
    }
}

/// Masks the lines around a secret, and what of the secret a message quotes.
fn neighbour(finding: &mut Finding, lines: &BTreeSet<u32>, runs: &BTreeSet<String>) {
    let first = finding.claim.location.line.get();
    let quote = finding.claim.quote.raw().split('\n').zip(first..);
    let quote: Vec<String> =
        quote.map(|(text, line)| if lines.contains(&line) { text_of(text) } else { text.to_owned() }).collect();
    finding.claim.quote = Untrusted::new(quote.join("\n"));
    if let Some(frame) = &mut finding.frame {
        for (text, line) in frame.lines.iter_mut().zip(frame.first.get()..) {
            if lines.contains(&line) {
                *text = Untrusted::new(text_of(text.raw()));
            }
        }
    }
    let replaces_secret = |suggestion: &crate::finding::Suggestion| {
        lines.range(suggestion.line.get()..=suggestion.end_line.get()).next().is_some()
    };
    if finding.claim.suggestion.as_ref().is_some_and(replaces_secret) {
        finding.claim.suggestion = None;
    }
    let said = finding.trail.iter_mut().map(|step| &mut step.why).chain([&mut finding.claim.rationale]);
    for text in said {
        for run in runs.iter().filter(|run| text.raw().contains(run.as_str())).collect::<Vec<_>>() {
            *text = Untrusted::new(text.raw().replace(run.as_str(), &text_of(run)));
        }
    }
}

/// The runs of token characters in a text.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_token(character)).filter(|run| !run.is_empty())
}

/// Masks quote, frame and suggestion. Every line keeps its length, so columns stay right.
fn finding(finding: &mut Finding) {
    let mask = |text: &mut Untrusted| *text = Untrusted::new(text_of(text.raw()));
    mask(&mut finding.claim.quote);
    if let Some(frame) = &mut finding.frame {
        frame.lines.iter_mut().for_each(mask);
    }
    finding.claim.suggestion = None;
}

fn text_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_token) {
        let run = &rest[start..];
        let end = run.find(|character| !is_token(character)).unwrap_or(run.len());
        out.push_str(&rest[..start]);
        if end < RUN {
            out.push_str(&run[..end]);
        } else {
            out.push_str(&run[..HEAD]);
            out.extend(std::iter::repeat_n('*', end - HEAD));
        }
        rest = &run[end..];
    }
    out.push_str(rest);
    out
}

/// What tokens, keys and passwords are made of; ASCII only, so bytes are characters.
const fn is_token(character: char) -> bool {
    matches!(character, 'a'..='z' | 'A'..='Z' | '0'..='9' | '+' | '/' | '=' | '_' | '-' | '.' | '~' | '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*')
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn long_runs_are_masked_at_their_length() {
        let line = "key = \"AKIAQYLPMN5HFIQR7XYA\" # für prod";
        assert_eq!(text_of(line), "key = \"AKIA****************\" # für prod");
        assert_eq!(text_of(line).len(), line.len());
    }

    #[test]
    fn short_words_stay() {
        assert_eq!(text_of("let token = f(x);"), "let token = f(x);");
    }
}
