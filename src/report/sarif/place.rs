//! Locations: relative URIs, regions with all four corners, and the code they speak of.

use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Location, LogicalLocation, Message, PhysicalLocation,
    Region, Replacement,
};

use super::SOURCE_ROOT;
use crate::escape::{uri_path, visible};
use crate::finding::{Finding, Frame, RepoPath, Suggestion, Untrusted};
use crate::report::region;

/// Longer code is left out: a minified line would make the file too large for GitHub (10 MB compressed).
const SNIPPET_BYTES: usize = 8 * 1024;

/// The file, or `None` for a path that would leave the repository; GitHub refuses files with such URIs.
pub(super) fn artifact(path: &RepoPath) -> Option<ArtifactLocation> {
    path.is_inside().then(|| ArtifactLocation::builder().uri(uri_path(path.bytes())).uri_base_id(SOURCE_ROOT).build())
}

/// A whole file.
pub(super) fn of_file(path: &RepoPath) -> Option<Location> {
    let physical = PhysicalLocation::builder().artifact_location(artifact(path)?).build();
    Some(Location::builder().physical_location(physical).build())
}

/// Where the finding is.
pub(super) fn of_finding(finding: &Finding) -> Option<Location> {
    let region = region::of_finding(finding);
    let mut physical = PhysicalLocation::builder()
        .artifact_location(artifact(&finding.claim.location.path)?)
        .region(corners(&region))
        .build();
    physical.context_region = finding.frame.as_ref().and_then(|frame| context(&region, frame));
    let mut location = Location::builder().physical_location(physical).build();
    location.logical_locations = finding.function.as_ref().filter(|name| !name.raw().is_empty()).map(|name| {
        vec![LogicalLocation::builder().fully_qualified_name(visible(name.raw())).kind("function").build()]
    });
    Some(location)
}

/// A place merged into the finding, under the id that the message links to.
pub(super) fn related(place: &crate::finding::Location, finding: &Finding, id: i64) -> Option<Location> {
    let physical = PhysicalLocation::builder()
        .artifact_location(artifact(&place.path)?)
        .region(corners(&region::of_related(place, finding)))
        .build();
    let message = Message::builder().text("The same problem.").build();
    Some(Location::builder().id(id).message(message).physical_location(physical).build())
}

fn corners(region: &region::Region) -> Region {
    let mut corners = Region::builder()
        .start_line(region.start_line)
        .start_column(region.start_column)
        .end_line(region.end_line)
        .end_column(region.end_column)
        .build();
    corners.snippet = region.text.as_deref().filter(|text| text.len() <= SNIPPET_BYTES).map(content);
    corners
}

fn content(text: &str) -> ArtifactContent {
    ArtifactContent::builder().text(text).build()
}

/// The frame as the context region, which must hold the region and more (3.29.5).
fn context(region: &region::Region, frame: &Frame) -> Option<Region> {
    // A region's text is all of it.
    if !frame.cuts.is_empty() {
        return None;
    }
    let first = frame.first.get();
    let last = first.checked_add(u32::try_from(frame.lines.len()).ok()?.checked_sub(1)?)?;
    let mut lines: Vec<&str> = frame.lines.iter().map(Untrusted::raw).collect();
    if let (1, Some(line)) = (first, lines.first_mut()) {
        *line = line.trim_start_matches('\u{feff}');
    }
    let end_column = 1 + u32::try_from(lines.last()?.encode_utf16().count()).ok()?;
    let start = (region.start_line, region.start_column);
    let end = (region.end_line, region.end_column);
    let holds = (first, 1) <= start && (last, end_column) >= end;
    let text = lines.join("\n");
    if !holds || ((first, 1), (last, end_column)) == (start, end) || text.len() > SNIPPET_BYTES {
        return None;
    }
    Some(corners(&region::Region { start_line: first, start_column: 1, end_line: last, end_column, text: Some(text) }))
}

/// A suggestion as a fix.
pub(super) fn fix(finding: &Finding, suggestion: &Suggestion) -> Option<Fix> {
    let (first, last) = (suggestion.line.get(), suggestion.end_line.get().max(suggestion.line.get()));
    let replacement = replacement(finding, suggestion, first, last);
    let change = ArtifactChange::builder()
        .artifact_location(artifact(&finding.claim.location.path)?)
        .replacements(vec![replacement])
        .build();
    let what = match (suggestion.text.raw().is_empty(), first == last) {
        (true, true) => format!("Delete line {first}."),
        (true, false) => format!("Delete lines {first} to {last}."),
        (false, true) => format!("Replace line {first}."),
        (false, false) => format!("Replace lines {first} to {last}."),
    };
    let description = Message::builder().text(what).build();
    Some(Fix::builder().artifact_changes(vec![change]).description(description).build())
}

/// Whole lines. Deleted ones take their last line ending with them; replaced ones leave it where it is, because the file
/// may end without one.
fn replacement(finding: &Finding, suggestion: &Suggestion, first: u32, last: u32) -> Replacement {
    let text = suggestion.text.raw();
    let deleted = Region::builder().start_line(first).start_column(1);
    if text.is_empty() {
        let deleted = deleted.end_line(last.saturating_add(1)).end_column(1).build();
        return Replacement::builder().deleted_region(deleted).build();
    }
    let mut deleted = deleted.end_line(last).build();
    // Without an end column a region ends before its last line's ending (3.30.8).
    deleted.end_column = region::framed(finding, suggestion.line, suggestion.end_line)
        .and_then(|lines| lines.last().map(|line| line.encode_utf16().count()))
        .and_then(|units| i64::try_from(units).ok())
        .map(|units| units.saturating_add(1));
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Replacement::builder().deleted_region(deleted).inserted_content(content(text)).build()
}
