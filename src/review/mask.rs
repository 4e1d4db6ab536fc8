//! Masks the code of a finding that is a secret: a report is read by more people than the file, and stays longer.

use crate::finding::{Finding, Untrusted};

/// Shortest run of token characters that is masked.
const RUN: usize = 12;
/// Characters of a run that stay readable, enough to find it.
const HEAD: usize = 4;

/// Masks quote, frame and suggestion. Every line keeps its length, so columns stay right.
pub(super) fn finding(finding: &mut Finding) {
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
