//! `diffsieve explain FINGERPRINT`.

use anyhow::anyhow;
use diffsieve::finding::Finding;
use diffsieve::gate::{self, Decision};
use diffsieve::report::{Origin, Provenance, Report, TagInfo, text};
use diffsieve::review::Review;

use super::args::ExplainArgs;
use super::exit::Exit;
use super::setup::{self, Asking, Reviewed};
use super::{Failure, output, review};

/// Fewest digits that name a finding.
const DIGITS: usize = 4;

pub(super) fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    let wanted = args.fingerprint.trim().to_ascii_lowercase();
    if wanted.len() < DIGITS || !wanted.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(anyhow!("a fingerprint is hexadecimal, at least {DIGITS} digits of it").into());
    }
    if let Some(path) = &args.report {
        let saved = setup::saved(path)?;
        return show(args, &wanted, &saved.review, &saved.decision, &saved.origin, &[]);
    }
    let Reviewed { review, loadout, .. } = setup::reviewed(&args.scope, &args.place, Asking::quietly(&args.model))?;
    let decision = gate::decide(&review, loadout.config.gate);
    show(args, &wanted, &review, &decision, &loadout.origin, &review::tags(&loadout.rules))
}

fn show(
    args: &ExplainArgs,
    wanted: &str,
    review: &Review,
    decision: &Decision,
    origin: &Origin,
    tags: &[TagInfo],
) -> Result<Exit, Failure> {
    let with_model = review.model.is_some();
    let finding = pick(review.findings.iter().chain(&review.dropped), wanted, with_model)?;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        review,
        decision,
        tags,
        origin,
        provenance: Provenance::default(),
        style: output::style(args.color, false, false),
        sarif_suppressed: false,
    };
    output::quiet_pipe(output::to_stdout(|out| text::explain(&report, finding, out))).map_err(anyhow::Error::from)?;
    Ok(Exit::Passed)
}

fn pick<'f>(
    findings: impl Iterator<Item = &'f Finding>,
    wanted: &str,
    with_model: bool,
) -> anyhow::Result<&'f Finding> {
    let mut found: Vec<&Finding> =
        findings.filter(|finding| finding.fingerprint.as_str().starts_with(wanted)).collect();
    found.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    match found[..] {
        [finding] => Ok(finding),
        [] => {
            let hint = if with_model { "" } else { "; for one of a model repeat its --model here" };
            Err(anyhow!("no finding of this review, shown or dropped, has the fingerprint `{wanted}`{hint}"))
        }
        _ => Err(anyhow!("{} findings begin with `{wanted}`; write more digits", found.len())),
    }
}
