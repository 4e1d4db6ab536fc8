//! Ground: a claim is tied to an added line by its path, its quote and its line, or dropped. Nothing later can show code
//! that the change does not contain.

use std::collections::BTreeMap;

use super::{identity, mask};
use crate::detect::{FileView, Raised};
use crate::diff::Text;
use crate::finding::{
    Anchored, Claim, Evidence, EvidenceStatus, Finding, Fingerprint, Frame, Level, Line, Stage, Untrusted,
};
use crate::line_hash::line_hashes;
use crate::rules::Rules;

/// A finding with what only its collector knows, for the stages that look at code.
pub(super) struct Grounded {
    pub(super) finding: Finding,
    pub(super) raised: Raised,
}

/// Lines of code shown above and below a finding.
const FRAME: u32 = 2;
/// Most lines of a finding that its frame holds.
const MAX_FRAME: u32 = 40;

/// Most characters of a line that reports keep.
const MAX_LINE: usize = 2_000;

/// Grounds the claims about one file.
pub(super) fn ground(claims: Vec<Raised>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    if claims.is_empty() {
        return (kept, dropped);
    }
    let mut lines = identity::Lines::of(view);
    let mut ordinals: BTreeMap<(std::sync::Arc<str>, u32), u32> = BTreeMap::new();
    for mut raised in claims {
        let anchor_deletion =
            rules.spec(&raised.claim.tag, view.language).is_some_and(|(_, spec)| spec.anchor_deletion);
        match anchor(&raised.claim, view, anchor_deletion) {
            Ok((line, anchored)) => {
                let shift = i64::from(line.get()) - i64::from(raised.claim.location.line.get());
                if shift != 0 {
                    move_by(&mut raised.claim, shift);
                }
                let ordinal = ordinals.entry((raised.claim.tag.clone(), line.get())).or_default();
                let end_line = raised.claim.location.end_line;
                let identity = lines.identify(&raised.claim.tag, (line, end_line), *ordinal);
                let mut finding = found(&raised.claim, view, rules, identity);
                *ordinal += 1;
                finding.anchor = Some(anchored);
                let why = match anchored {
                    Anchored::Exact => format!("the quote stands on line {line}"),
                    Anchored::Moved(by) => {
                        format!("the quote stands on line {line}, {by:+} lines from where it was claimed")
                    }
                    Anchored::BesideDeletion => format!("line {line} touches a deletion"),
                };
                finding.step(Stage::Ground, anchored.name(), "kept", why);
                kept.push(Grounded { finding, raised });
            }
            Err((reason, why)) => {
                let mut finding = unplaced(&raised.claim, rules, dropped.len() as u32);
                finding.drop_at(Stage::Ground, reason, why);
                dropped.push(finding);
            }
        }
    }
    hash_lines(&mut kept, view.text);
    mask::secrets(&mut kept, view.text);
    (kept, dropped)
}

/// Where the quote stands: the claimed line if it is there, else the nearest place; a tie is no answer.
fn anchor(claim: &Claim, view: &FileView<'_>, deletions: bool) -> Result<(Line, Anchored), (&'static str, String)> {
    let quoted: Vec<String> = claim.quote.raw().lines().map(fold).filter(|line| !line.is_empty()).collect();
    if quoted.is_empty() {
        return Err(("ungrounded", "the claim quotes no code".to_owned()));
    }
    let touches = |line: Line| {
        let last = line.get() + quoted.len() as u32 - 1;
        (line.get()..=last).filter_map(Line::new).any(|line| view.is_added(line))
            || (deletions && view.change.is_beside_deletion(line))
    };
    // Where line and quote agree, as they do for every detector, no other place can be nearer.
    if stands_at(&quoted, view.text, claim.location.line) && touches(claim.location.line) {
        let added = view.is_added(claim.location.line) || !deletions;
        return Ok((claim.location.line, if added { Anchored::Exact } else { Anchored::BesideDeletion }));
    }
    let places: Vec<Line> = places(&quoted, view.text);
    if places.is_empty() {
        return Err(("ungrounded", "the quoted code is not in the new side of the file".to_owned()));
    }
    let places: Vec<Line> = places.into_iter().filter(|line| touches(*line)).collect();
    let claimed = claim.location.line;
    let distance = |line: &Line| (i64::from(line.get()) - i64::from(claimed.get())).unsigned_abs();
    let Some(best) = places.iter().map(distance).min() else {
        return Err(("outside_change", "the quoted code is there, but this change did not add it".to_owned()));
    };
    let mut nearest = places.iter().filter(|line| distance(line) == best);
    let (first, second) = (nearest.next(), nearest.next());
    match (first, second) {
        (Some(line), None) if view.is_added(*line) || !deletions => {
            let by = i64::from(line.get()) - i64::from(claimed.get());
            Ok((*line, if by == 0 { Anchored::Exact } else { Anchored::Moved(by) }))
        }
        (Some(line), None) => Ok((*line, Anchored::BesideDeletion)),
        _ => Err(("ambiguous", format!("the quote stands {best} lines above and below line {claimed}"))),
    }
}

fn stands_at(quoted: &[String], text: &Text, line: Line) -> bool {
    let lines = (line.get()..).map_while(|number| text.line_text(Line::new(number)?)).map(|text| fold(&text));
    let mut lines = lines.filter(|text| !text.is_empty());
    text.line_text(line).is_some_and(|text| !text.trim().is_empty())
        && quoted.iter().all(|quoted| lines.next().as_ref() == Some(quoted))
}

/// Every line at which all quoted lines follow each other, blank lines between them not counted.
fn places(quoted: &[String], text: &Text) -> Vec<Line> {
    let lines: Vec<(Line, String)> = text
        .lines()
        .map(|(line, bytes)| (line, fold(&String::from_utf8_lossy(bytes))))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    lines
        .windows(quoted.len())
        .filter(|window| window.iter().zip(quoted).all(|((_, line), quoted)| line == quoted))
        .map(|window| window[0].0)
        .collect()
}

fn fold(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn move_by(claim: &mut Claim, shift: i64) {
    let moved = |line: Line| {
        let number = (i64::from(line.get()) + shift).clamp(1, i64::from(u32::MAX));
        Line::new(number as u32).unwrap_or(line)
    };
    claim.location.line = moved(claim.location.line);
    claim.location.end_line = moved(claim.location.end_line);
    claim.location.columns = None;
    claim.suggestion = None;
}

fn found(claim: &Claim, view: &FileView<'_>, rules: &Rules, identity: identity::Identity) -> Finding {
    let mut finding = bare(claim, rules, identity.key, identity.window);
    let function = view.parsed().and_then(|parsed| parsed.enclosing(claim.location.line));
    finding.function = function.map(|symbol| Untrusted::new(symbol.path.clone()));
    finding.frame = frame(claim, view.text);
    // The whole line has done its work; what is kept of it is for people.
    let quote: Vec<String> = claim.quote.raw().lines().map(cut).collect();
    finding.claim.quote = Untrusted::new(quote.join("\n"));
    finding
}

/// A line as reports keep it: a minified bundle is one line of megabytes.
fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// GitHub's hashes of all findings in one pass over the file; of a patch's parts they would be wrong.
fn hash_lines(findings: &mut [Grounded], text: &Text) {
    if findings.is_empty() || !text.is_whole() {
        return;
    }
    let wanted: Vec<u32> = findings.iter().map(|grounded| grounded.finding.claim.location.line.get()).collect();
    for (grounded, hash) in findings.iter_mut().zip(line_hashes(text.bytes(), &wanted)) {
        grounded.finding.line_hash = hash;
    }
}

fn unplaced(claim: &Claim, rules: &Rules, ordinal: u32) -> Finding {
    let identity = identity::of_claim(&claim.tag, &claim.location.path, claim.quote.raw(), ordinal);
    bare(claim, rules, identity.key, identity.window)
}

fn bare(claim: &Claim, rules: &Rules, fingerprint: Fingerprint, window: Fingerprint) -> Finding {
    let title = rules.tags.get(&*claim.tag).map_or_else(|| claim.tag.clone(), |tag| tag.spec.title.clone());
    let mut finding = Finding {
        claim: claim.clone(),
        title,
        level: claim.level.unwrap_or(Level::Note),
        fingerprint,
        window,
        function: None,
        anchor: None,
        evidence: Evidence { status: EvidenceStatus::NotNeeded, facts: Vec::new() },
        score: None,
        votes: 1,
        related: Vec::new(),
        frame: None,
        line_hash: None,
        trail: Vec::new(),
        dropped: None,
    };
    let who = match &claim.source {
        crate::finding::Source::Detector(id) => id.to_string(),
        crate::finding::Source::Model { pass } => format!("model pass {pass}"),
    };
    finding.step(Stage::Collect, who, "raised", claim.rationale.raw());
    finding
}

fn frame(claim: &Claim, text: &Text) -> Option<Frame> {
    let (first, last) = (claim.location.line.get(), claim.location.end_line.get());
    let last = last.min(first.saturating_add(MAX_FRAME)).saturating_add(FRAME);
    let mut lines = Vec::new();
    let mut start = None;
    for line in (first.saturating_sub(FRAME).max(1)..=last).filter_map(Line::new) {
        match text.line_text(line) {
            Some(content) => {
                start.get_or_insert(line);
                lines.push(Untrusted::new(cut(&content)));
            }
            // Of a patch only some lines are known; the frame is what touches the finding.
            None if line.get() < first => {
                lines.clear();
                start = None;
            }
            None => break,
        }
    }
    start.map(|first| Frame { first, lines })
}
