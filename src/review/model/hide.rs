//! What was hidden from the model is hidden in what a report shows of the model's findings too: values that no detector
//! reports as a secret, and those that one does.

use std::collections::BTreeMap;

use super::collect::Job;
use crate::detect::FileView;
use crate::finding::{Finding, Untrusted};
use crate::review::ground::Grounded;
use crate::review::mask;

/// By line of a file, the values that its page hides.
pub(super) type Hidden = BTreeMap<u32, Vec<String>>;

/// What the pages hide of a file.
pub(super) fn hidden(file: usize, jobs: &[Job<'_>], view: &FileView<'_>) -> Hidden {
    let mut hidden = Hidden::new();
    let shown = jobs.iter().filter(|job| job.pass == 1).flat_map(|job| &job.chunk.lines);
    for line in shown.filter(|line| line.place.file == file && line.text.contains("‹secret:")) {
        let Some(real) = view.text.line_text(line.place.line) else { continue };
        let values = values(&line.text, &real).unwrap_or_else(|| vec![real.trim().to_owned()]);
        hidden.entry(line.place.line.get()).or_default().extend(values);
    }
    hidden
}

/// The values that stand where a shown line has markers. `None` where the two differ otherwise too.
fn values(shown: &str, real: &str) -> Option<Vec<String>> {
    let mut parts = shown.split("‹secret:");
    let mut rest = real.strip_prefix(parts.next()?)?;
    let mut values = Vec::new();
    for part in parts {
        let (_, after) = part.split_once('›')?;
        let end = if after.is_empty() { rest.len() } else { rest.find(after)? };
        values.push(rest[..end].to_owned());
        rest = &rest[end + after.len()..];
    }
    rest.is_empty().then_some(values)
}

/// Hides in the findings of a file what its page hides, and what the secrets that detectors found hide around them.
pub(super) fn conceal(findings: &mut Vec<Grounded>, hidden: &Hidden, secrets: &[Grounded], view: &FileView<'_>) {
    for grounded in findings.iter_mut() {
        lines(&mut grounded.finding, hidden);
    }
    if !findings.is_empty() && !secrets.is_empty() {
        let own = findings.len();
        findings.extend(secrets.iter().cloned());
        mask::secrets(findings, view);
        findings.truncate(own);
    }
}

fn lines(finding: &mut Finding, hidden: &Hidden) {
    let masked = |text: &str, line: u32| {
        let values = hidden.get(&line).into_iter().flatten().filter(|value| !value.is_empty());
        values.fold(text.to_owned(), |text, value| text.replace(value.as_str(), &"*".repeat(value.chars().count())))
    };
    let first = finding.claim.location.line.get();
    let quote = finding.claim.quote.raw().split('\n').zip(first..);
    finding.claim.quote = Untrusted::new(quote.map(|(text, line)| masked(text, line)).collect::<Vec<_>>().join("\n"));
    if let Some(frame) = &mut finding.frame {
        let numbered = frame.lines.iter_mut().zip(frame.first.get()..);
        numbered.for_each(|(text, line)| *text = Untrusted::new(masked(text.raw(), line)));
    }
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_stand_where_the_markers_do() {
        let own = |values: &[&str]| Some(values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
        assert_eq!(values("key = '‹secret:1›'  # a", "key = 's3cr3t'  # a"), own(&["s3cr3t"]));
        assert_eq!(values("‹secret:1›:‹secret:2›", "user:pass"), own(&["user", "pass"]));
        assert_eq!(values("a ‹secret:1›", "b value"), None);
    }
}
