//! `diffsieve explain FINGERPRINT`.

use anyhow::anyhow;
use diffsieve::finding::Finding;

use diffsieve::report::{json, text};

use super::args::ExplainArgs;
use super::exit::Exit;
use super::setup::{self, Reviewed};
use super::{Failure, output};

/// Fewest digits that name a finding.
const DIGITS: usize = 4;

pub(super) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    let wanted = args.fingerprint.trim().to_ascii_lowercase();
    if wanted.len() < DIGITS || !wanted.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(anyhow!("a fingerprint is hexadecimal, at least {DIGITS} digits of it").into());
    }
    let style = output::style(args.color, false, false);
    if let Some(path) = &args.report {
        let bytes = std::fs::read(path).map_err(|error| anyhow!("`{}` cannot be read: {error}", super::shown(path)))?;
        let saved = json::read(&bytes).map_err(|error| anyhow!("`{}` is no report: {error}", super::shown(path)))?;
        let found = pick(saved.review.findings.iter().chain(&saved.review.dropped), &wanted)?;
        return show(found, style);
    }
    let Reviewed { review, .. } = setup::reviewed(&args.scope, &args.place)?;
    let found = pick(review.findings.iter().chain(&review.dropped), &wanted)?;
    show(found, style)
}

fn show(finding: &Finding, style: diffsieve::report::Style) -> Result<Exit, Failure> {
    output::quiet_pipe(output::to_stdout(|out| text::explain(finding, style, out))).map_err(anyhow::Error::from)?;
    Ok(Exit::Passed)
}

fn pick<'f>(findings: impl Iterator<Item = &'f Finding>, wanted: &str) -> anyhow::Result<&'f Finding> {
    let mut found: Vec<&Finding> =
        findings.filter(|finding| finding.fingerprint.as_str().starts_with(wanted)).collect();
    found.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    match found[..] {
        [finding] => Ok(finding),
        [] => Err(anyhow!("no finding of this review, shown or dropped, has the fingerprint `{wanted}`")),
        _ => Err(anyhow!("{} findings begin with `{wanted}`; write more digits", found.len())),
    }
}
