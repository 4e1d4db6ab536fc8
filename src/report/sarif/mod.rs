//! SARIF 2.1.0 (OASIS, errata 01) as GitHub code scanning, IDE viewers and the SARIF SDK's validator read it.
//!
//! What a schema cannot check is kept here by hand: all four corners in every region, `kind` and `level` that agree
//! (3.27.10), suppressions on all results or on none (3.27.23), doubled braces in messages (3.11.5), and rule ids that
//! equal the ids of the rules exactly, because GitHub binds them by string.

mod invocation;
mod place;
mod results;
mod rules;

use std::collections::BTreeMap;
use std::io;

use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, Message, PropertyBag, Run, RunAutomationDetails, Sarif, Tool, ToolComponent,
    VersionControlDetails,
};
use sha2::{Digest, Sha256};

use self::results::Selection;
use self::rules::Rules;
use super::{Format, Report};
use crate::escape::visible;
use crate::finding::Source;

/// The format.
pub(super) const FORMAT: Format = Format { name: "sarif", help: "SARIF 2.1.0 for code scanning and editors", write };

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The base that all locations are relative to: the root of the checkout.
const SOURCE_ROOT: &str = "%SRCROOT%";

fn write(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let log = Sarif::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![run(report, results::LIMIT)]).build();
    super::write_json(&log, out)
}

fn run(report: &Report<'_>, limit: usize) -> Run {
    let selection = Selection::new(report, limit);
    let rules = Rules::new(report.tags, &selection);
    let results = results::results(&selection, &rules);
    let mut run = Run::builder()
        .tool(Tool::builder().driver(driver(report, rules)).build())
        .results(results)
        .invocations(vec![invocation::invocation(report, &selection)])
        .column_kind(json!("utf16CodeUnits"))
        .automation_details(automation_details(report, &selection))
        .original_uri_base_ids(source_root())
        .properties(properties(report))
        .build();
    run.version_control_provenance = provenance(report).map(|details| vec![details]);
    run
}

fn driver(report: &Report<'_>, rules: Rules) -> ToolComponent {
    let mut driver = ToolComponent::builder()
        // Rulesets that require code scanning results pick a tool by this name, so it never changes.
        .name("diffsieve")
        .semantic_version(report.version)
        .rules(rules.into_descriptors())
        .notifications(invocation::descriptors())
        .build();
    let repository = env!("CARGO_PKG_REPOSITORY");
    driver.information_uri = (!repository.is_empty()).then(|| repository.to_owned());
    driver
}

/// An id is `category/run`, and GitHub takes what stands before the last slash for the category: without the closing
/// slash two categories of one commit would overwrite each other. Id and guid come together, because `upload-sarif` sets
/// the id only where the whole object is missing.
fn automation_details(report: &Report<'_>, selection: &Selection<'_>) -> RunAutomationDetails {
    let category: String = report
        .provenance
        .category
        .iter()
        .flat_map(|category| category.chars())
        .map(|character| if character.is_ascii_alphanumeric() || "._-".contains(character) { character } else { '-' })
        .collect();
    let id = if category.is_empty() { "diffsieve/".to_owned() } else { format!("diffsieve/{category}/") };
    RunAutomationDetails::builder().guid(guid(report, &id, selection)).id(id).build()
}

/// The same run of the same change has the same guid: a UUID of the name-based form (RFC 9562, 5.5) over SHA-256.
fn guid(report: &Report<'_>, id: &str, selection: &Selection<'_>) -> String {
    let change = &report.review.change;
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    };
    add(report.version);
    add(id);
    add(&change.description);
    for commit in [&change.base_tip, &change.merge_base, &change.head] {
        add(commit.as_deref().unwrap_or_default());
    }
    for finding in selection.findings() {
        add(finding.fingerprint.as_str());
    }
    let mut number = 0_u128;
    for byte in hash.finalize().into_iter().take(16) {
        number = number << 8 | u128::from(byte);
    }
    // Version 5 and the variant of RFC 9562.
    number = number & !(0xf << 76) | 0x5 << 76;
    number = number & !(0x3 << 62) | 0x2 << 62;
    let digits = format!("{number:032x}");
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digits.get(range).unwrap_or_default().to_owned()).join("-")
}

fn source_root() -> BTreeMap<String, ArtifactLocation> {
    let root =
        ArtifactLocation::builder().description(Message::builder().text("The root of the checkout.").build()).build();
    BTreeMap::from([(SOURCE_ROOT.to_owned(), root)])
}

fn provenance(report: &Report<'_>) -> Option<VersionControlDetails> {
    let provenance = &report.provenance;
    let repository = repository_uri(provenance.repository_uri.as_deref()?)?;
    let mut details = VersionControlDetails::builder()
        .repository_uri(repository)
        .mapped_to(ArtifactLocation::builder().uri_base_id(SOURCE_ROOT).build())
        .build();
    details.revision_id = provenance.revision.as_deref().map(visible);
    details.branch = provenance.branch.as_deref().map(visible);
    Some(details)
}

/// The address if it is an absolute URI, never with a password in it. The short form of ssh (`git@host:path`) is none.
fn repository_uri(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte);
    if !matches!(scheme, "https" | "http" | "ssh" | "git") || rest.is_empty() || !rest.bytes().all(plain) {
        return None;
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = match authority.rsplit_once('@') {
        // ssh needs its user to be an address at all; anywhere else the user is part of a credential.
        Some((user, host)) if scheme == "ssh" && !user.contains(':') => format!("{user}@{host}"),
        Some((_, host)) => host.to_owned(),
        None => authority.to_owned(),
    };
    (!host.is_empty()).then(|| format!("{scheme}://{host}{path}"))
}

/// What has no place of its own in SARIF. `ai/origin` (the SDK's AI profile, AI1006) marks runs that a model took part in
/// and no others.
fn properties(report: &Report<'_>) -> PropertyBag {
    let review = report.review;
    let mut bag = BTreeMap::from([
        (
            "diffsieve/coverage".to_owned(),
            json!({
                "addedLines": review.coverage.added_lines,
                "reviewedLines": review.coverage.reviewed_lines,
                "files": review.change.files.len(),
                "unread": review.coverage.skipped.iter().filter(|skip| skip.unread).count(),
                "notCode": review.coverage.skipped.iter().filter(|skip| !skip.unread).count(),
            }),
        ),
        (
            "diffsieve/funnel".to_owned(),
            json!({
                "raised": review.funnel.raised,
                "shown": review.funnel.shown,
                "removed": review.funnel.removed,
            }),
        ),
        (
            "diffsieve/gate".to_owned(),
            json!({ "verdict": report.decision.verdict.name(), "reason": report.decision.reason }),
        ),
        ("diffsieve/range".to_owned(), Value::from(review.change.description.as_str())),
    ]);
    if review.findings.iter().any(|finding| matches!(finding.claim.source, Source::Model { .. })) {
        bag.insert("ai/origin".to_owned(), Value::from("generated"));
    }
    PropertyBag::builder().additional_properties(bag).build()
}

#[cfg(test)]
mod tests;
