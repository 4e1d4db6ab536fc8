//! `diffsieve review`: the main job.

use anyhow::anyhow;
use diffsieve::gate::{self, FailOn, OnIncomplete, Policy, Verdict};
use diffsieve::report::{Origin, Provenance, Report, TagInfo};
use diffsieve::review::{Review, since};
use diffsieve::rules::{Rules, TagLevel};

use super::args::{ReportArgs, ReviewArgs};
use super::exit::Exit;
use super::output::Output;
use super::setup::{self, Asking, Reviewed};
use super::{Failure, output, plan};

pub(super) fn run(args: &ReviewArgs) -> Result<Exit, Failure> {
    let outputs = output::outputs(&args.report)?;
    if args.dry_run {
        return plan::run(args);
    }
    if args.shard.is_some() && !output::has(&outputs, "json") {
        return Err(
            anyhow!("a share without its JSON report is lost: add `--format json=PATH` for `diffsieve merge`").into()
        );
    }
    let asking =
        Asking { model: &args.model, quiet: args.report.quiet, fail_on: fail_on(&args.report), shard: args.shard };
    let earlier = earlier(&args.report)?;
    let Reviewed { review, loadout, mut provenance } = setup::reviewed(&args.scope, &args.place, asking)?;
    provenance.category.clone_from(&args.report.category);
    if let Some(share) = &review.share {
        let own = share.files.iter().filter(|(_, owner)| *owner == share.shard.index).count();
        let all = share.files.len();
        output::say(&format!("share {}: {own} of the {all} changed files; `diffsieve merge` decides", share.shard));
    }
    let told = Told {
        review,
        policy: loadout.config.gate,
        tags: &tags(&loadout.rules),
        origin: &loadout.origin,
        provenance,
        earlier,
    };
    told.write(&args.report, &outputs)
}

/// A review that only has to be decided and written.
pub(super) struct Told<'a> {
    pub(super) review: Review,
    /// What decides, where the arguments say nothing.
    pub(super) policy: Policy,
    pub(super) tags: &'a [TagInfo],
    pub(super) origin: &'a Origin,
    pub(super) provenance: Provenance,
    /// The review to compare with.
    pub(super) earlier: Option<Review>,
}

impl Told<'_> {
    pub(super) fn write(mut self, args: &ReportArgs, outputs: &[Output]) -> Result<Exit, Failure> {
        let on_incomplete = args.on_incomplete.as_deref().and_then(OnIncomplete::parse);
        let policy = Policy {
            fail_on: fail_on(args).unwrap_or(self.policy.fail_on),
            on_incomplete: on_incomplete.unwrap_or(self.policy.on_incomplete),
        };
        if let Some(earlier) = &self.earlier {
            since::compare(&mut self.review, earlier);
        }
        let decision = gate::decide(&self.review, policy);
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            review: &self.review,
            decision: &decision,
            tags: self.tags,
            origin: self.origin,
            provenance: self.provenance,
            style: output::style(args.color, args.funnel, args.quiet),
            sarif_suppressed: args.sarif_suppressed,
        };
        output::write(outputs, &report)?;
        // A log that only says "exit code 3" helps nobody.
        if decision.verdict != Verdict::Pass && !output::any_to_stdout(outputs) {
            output::say(&format!("{}: {}", decision.verdict.name(), decision.reason));
        }
        Ok(decision.verdict.into())
    }
}

/// The level that the arguments name.
fn fail_on(args: &ReportArgs) -> Option<FailOn> {
    args.fail_on.as_deref().and_then(FailOn::parse)
}

/// The review that `--since` names. Where there is none yet, every finding is new.
pub(super) fn earlier(args: &ReportArgs) -> Result<Option<Review>, Failure> {
    let Some(path) = &args.since else { return Ok(None) };
    if !path.exists() {
        output::say(&format!("there is no earlier report `{}`, so every finding is new", super::shown(path)));
        return Ok(Some(Review::default()));
    }
    let saved = setup::saved(path)?;
    Ok(Some(saved.review))
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
