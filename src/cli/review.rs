//! `diffsieve review`: the main job.

use diffsieve::gate::{self, FailOn, OnIncomplete};
use diffsieve::report::{Report, TagInfo};
use diffsieve::rules::{Rules, TagLevel};

use super::args::ReviewArgs;
use super::exit::Exit;
use super::setup::{self, Asking, Reviewed};
use super::{Failure, output, plan};

pub(super) fn run(args: &ReviewArgs) -> Result<Exit, Failure> {
    let outputs = output::outputs(args)?;
    if args.dry_run {
        return plan::run(args);
    }
    let fail_on = args.fail_on.as_deref().and_then(FailOn::parse);
    let keep_diff = output::shows_diff(&outputs);
    let asking = Asking { model: &args.model, quiet: args.quiet, fail_on, keep_diff };
    let Reviewed { review, loadout, mut provenance } = setup::reviewed(&args.scope, &args.place, asking)?;
    let mut policy = loadout.config.gate;
    policy.fail_on = fail_on.unwrap_or(policy.fail_on);
    if let Some(on_incomplete) = args.on_incomplete.as_deref().and_then(OnIncomplete::parse) {
        policy.on_incomplete = on_incomplete;
    }
    provenance.category.clone_from(&args.category);
    let decision = gate::decide(&review, policy);
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        review: &review,
        decision: &decision,
        tags: &tags(&loadout.rules),
        origin: &loadout.origin,
        provenance,
        style: output::style(args.color, args.funnel, args.quiet),
        sarif_suppressed: args.sarif_suppressed,
    };
    output::write(&outputs, &report)?;
    Ok(decision.verdict.into())
}

/// What reports say of every tag.
pub(super) fn tags(rules: &Rules) -> Vec<TagInfo> {
    rules
        .tags
        .values()
        .map(|tag| TagInfo {
            name: tag.name.to_string(),
            title: tag.spec.title.to_string(),
            help: help(tag),
            level: match tag.spec.level {
                TagLevel::Show(level) => Some(level),
                TagLevel::Shadow | TagLevel::Skip => None,
            },
            cwe: tag.spec.cwe.clone(),
            category: tag.spec.category.clone(),
            security_severity: tag.spec.security_severity,
            pack: tag.pack.clone(),
        })
        .collect()
}

fn help(tag: &diffsieve::rules::Tag) -> String {
    let about = tag.spec.about.clone().unwrap_or_else(|| format!("{}.", tag.spec.title));
    format!(
        "{}\n\nTo accept a finding, let a maintainer add it to the baseline with `diffsieve baseline update --reason …`, \
         or write `diffsieve: ignore[{}] reason` in a comment on its line or the line above: one that was there before \
         the change counts, one that the change adds only where policy says so.",
        about.trim_end(),
        tag.name
    )
}
