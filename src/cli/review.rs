//! `diffsieve review`: the main job.

use std::{fs, io};

use anyhow::anyhow;
use diffsieve::gate::{self, Decision, FailOn, OnIncomplete, Policy, Verdict};
use diffsieve::report::{Origin, Provenance, Report, Style, TagInfo};
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
        let why = "a share without its JSON report is lost: add `--format json=PATH` for `diffsieve merge`";
        return Err(anyhow!(why).into());
    }
    let asking = Asking {
        model: &args.model,
        quiet: args.report.quiet,
        fail_on: fail_on(&args.report),
        deadline: None,
        shard: args.shard,
        keep_diff: output::shows_diff(&outputs),
    };
    let earlier = earlier(&args.report)?;
    let mut reviewed = setup::reviewed(&args.scope, &args.place, asking)?;
    reviewed.provenance.category.clone_from(&args.report.category);
    if let Some(share) = reviewed.review.share.as_ref().map(|share| &share.division) {
        let own = share.files.iter().filter(|(_, owner)| *owner == share.shard.index).count();
        let all = share.files.len();
        output::say(&format!("share {}: {own} of the {all} changed files; `diffsieve merge` decides", share.shard));
    }
    let policy = reviewed.loadout.config.gate;
    tell(Told::of(reviewed), policy, earlier.as_ref(), &args.report, &outputs)
}

/// A review with what a report says around it.
pub(super) struct Told {
    pub(super) review: Review,
    pub(super) tags: Vec<TagInfo>,
    pub(super) origin: Origin,
    pub(super) provenance: Provenance,
}

impl Told {
    pub(super) fn of(reviewed: Reviewed) -> Self {
        let Reviewed { review, loadout, provenance } = reviewed;
        Self { review, tags: tags(&loadout.rules), origin: loadout.origin, provenance }
    }

    /// Decides, and hands the report to `write`.
    pub(super) fn decided(
        self,
        policy: Policy,
        style: Style,
        write: impl FnOnce(Report<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Decision> {
        let decision = gate::decide(&self.review, policy);
        write(Report {
            version: env!("CARGO_PKG_VERSION"),
            review: &self.review,
            decision: &decision,
            tags: &self.tags,
            origin: &self.origin,
            provenance: self.provenance,
            style,
            sarif_suppressed: false,
        })?;
        Ok(decision)
    }
}

/// Decides and writes what the arguments ask for; `policy` counts where they say nothing.
pub(super) fn tell(
    mut told: Told,
    policy: Policy,
    earlier: Option<&Review>,
    args: &ReportArgs,
    outputs: &[Output],
) -> Result<Exit, Failure> {
    let on_incomplete = args.on_incomplete.as_deref().and_then(OnIncomplete::parse);
    let policy = Policy {
        fail_on: fail_on(args).unwrap_or(policy.fail_on),
        on_incomplete: on_incomplete.unwrap_or(policy.on_incomplete),
    };
    if let Some(earlier) = earlier {
        let tags = told.tags.iter().filter(|tag| tag.level.is_some()).map(|tag| tag.name.as_str()).collect();
        since::compare(&mut told.review, earlier, &tags);
    }
    let decision = told.decided(policy, output::style(args.color, args.funnel, args.quiet), |report| {
        output::write(outputs, &Report { sarif_suppressed: args.sarif_suppressed, ..report })
    })?;
    // A log that only says "exit code 3" helps nobody.
    if decision.verdict != Verdict::Pass && !output::any_to_stdout(outputs) {
        output::say(&format!("{}: {}", decision.verdict.name(), decision.reason));
    }
    Ok(decision.verdict.into())
}

/// The level that the arguments name.
fn fail_on(args: &ReportArgs) -> Option<FailOn> {
    args.fail_on.as_deref().and_then(FailOn::parse)
}

/// The review that `--since` names. Where there is none yet, every finding is new.
pub(super) fn earlier(args: &ReportArgs) -> Result<Option<Review>, Failure> {
    let Some(path) = &args.since else { return Ok(None) };
    if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        output::say(&format!("there is no earlier report `{}`, so every finding is new", super::shown(path)));
        return Ok(Some(Review::default()));
    }
    let review = setup::saved(path)?.review;
    if review.share.is_some() {
        let why = "is a share of a review; what `diffsieve merge` makes of all shares can be compared with";
        return Err(anyhow!("`{}` {why}", super::shown(path)).into());
    }
    Ok(Some(review))
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
            kind: tag.spec.kind,
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
