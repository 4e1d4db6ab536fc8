//! Ground: a claim is tied to an added line by its path, its quote and its line, or dropped. Nothing later can show code
//! that the change does not contain.

use std::collections::BTreeMap;

use super::{identity, mask};
use crate::detect::{FileView, Raised, cut};
use crate::diff::Text;
use crate::finding::{
    Anchored, Claim, Columns, Cut, Evidence, EvidenceStatus, Finding, Fingerprint, Frame, Level, Line, NOVEL, Stage,
    Untrusted,
};
use crate::line_hash::line_hashes;
use crate::rules::Rules;

/// A finding with what only its collector knows, for the stages that look at code.
#[derive(Clone)]
pub(super) struct Grounded {
    pub(super) finding: Finding,
    pub(super) raised: Raised,
}

/// Lines of code shown above and below a finding.
const FRAME: u32 = 2;
/// Most lines of a finding that its frame holds.
const MAX_FRAME: u32 = 40;

/// Characters in front of a finding that are kept of a line that is cut.
const LEAD: usize = 500;

/// Grounds the claims of detectors about one file.
pub(super) fn ground(claims: Vec<Raised>, view: &FileView<'_>, rules: &Rules) -> (Vec<Grounded>, Vec<Finding>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    if claims.is_empty() {
        return (kept, dropped);
    }
    let mut ground = Ground::of(view, rules);
    for mut raised in claims {
        let anchor_deletion =
            rules.spec(&raised.claim.tag, view.language).is_some_and(|(_, spec)| spec.anchor_deletion);
        match anchor(&raised.claim, view, anchor_deletion) {
            Ok((line, anchored)) => {
                let shift = i64::from(line.get()) - i64::from(raised.claim.location.line.get());
                if shift != 0 {
                    move_by(&mut raised.claim, shift);
                }
                kept.push(ground.stand(raised, anchored));
            }
            Err((reason, why)) => dropped.push(fallen(&raised.claim, rules, dropped.len(), reason, why)),
        }
    }
    hash_lines(&mut kept, view.text);
    mask::secrets(&mut kept, view);
    (kept, dropped)
}

/// The ground that a file's claims stand on, once it is known where.
pub(super) struct Ground<'v> {
    view: &'v FileView<'v>,
    rules: &'v Rules,
    lines: identity::Lines<'v>,
    ordinals: BTreeMap<(std::sync::Arc<str>, u32), u32>,
}

impl<'v> Ground<'v> {
    pub(super) fn of(view: &'v FileView<'v>, rules: &'v Rules) -> Self {
        Self { view, rules, lines: identity::Lines::of(view), ordinals: BTreeMap::new() }
    }

    /// Makes a finding of a claim that stands where it says.
    pub(super) fn stand(&mut self, raised: Raised, anchored: Anchored) -> Grounded {
        let location = &raised.claim.location;
        let line = location.line;
        let ordinal = self.ordinals.entry((raised.claim.tag.clone(), line.get())).or_default();
        let identity = self.lines.identify(&raised.claim.tag, (line, location.end_line), *ordinal);
        *ordinal += 1;
        let mut finding = found(&raised.claim, self.view, self.rules, identity);
        finding.anchor = Some(anchored);
        let why = match anchored {
            Anchored::Exact => format!("the quote stands on line {line}"),
            Anchored::Moved(by) => {
                format!("the quote stands on line {line}, {by:+} lines from where it was claimed")
            }
            Anchored::BesideDeletion => format!("line {line} touches a deletion"),
            Anchored::Quoted => format!("the quote stands on line {line} and nowhere else that was shown"),
        };
        finding.step(Stage::Ground, anchored.name(), "kept", why);
        Grounded { finding, raised }
    }
}

/// A claim that stands nowhere. `ordinal` tells the fallen ones of a file apart.
pub(super) fn fallen(claim: &Claim, rules: &Rules, ordinal: usize, reason: &str, why: String) -> Finding {
    let mut finding = unplaced(claim, rules, ordinal as u32);
    finding.drop_at(Stage::Ground, reason, why);
    finding
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

/// A line as quotes are compared: what they quote of it, white space folded.
fn fold(line: &str) -> String {
    cut(line).split_whitespace().collect::<Vec<_>>().join(" ")
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
    let kept = finding.frame.as_ref().filter(|frame| frame.cut(claim.location.line).is_some());
    let kept =
        kept.and_then(|frame| frame.lines.get(claim.location.line.get().checked_sub(frame.first.get())? as usize));
    let quote = claim.quote.raw().lines().enumerate().map(|(index, line)| match kept {
        Some(kept) if index == 0 => kept.raw(),
        _ => cut(line),
    });
    finding.claim.quote = Untrusted::new(quote.collect::<Vec<_>>().join("\n"));
    finding
}

/// A line as reports keep it, with what is left out: a minified bundle is one line of megabytes. A long one is kept
/// around the columns of the finding.
fn kept(text: &str, line: Line, columns: Option<Columns>) -> (&str, Option<Cut>) {
    if cut(text).len() == text.len() {
        return (text, None);
    }
    let byte = |column: u32| text.floor_char_boundary((column as usize).saturating_sub(1));
    let beyond = columns.filter(|columns| byte(columns.end) > cut(text).len()).map(|columns| byte(columns.start));
    let from = beyond.map_or(0, |start| text[..start].char_indices().rev().nth(LEAD - 1).map_or(0, |(index, _)| index));
    let units = |text: &str| {
        let marked = line.get() == 1 && text.starts_with('\u{feff}');
        (text.encode_utf16().count() - usize::from(marked)) as u32
    };
    let before = &text[..from];
    let left_out = Cut {
        line,
        bytes: from as u32,
        chars: before.chars().count() as u32,
        units: units(before),
        width: units(text),
    };
    (cut(&text[from..]), Some(left_out))
}

/// GitHub's hashes of all findings in one pass over the file; of a patch's parts they would be wrong.
pub(super) fn hash_lines(findings: &mut [Grounded], text: &Text) {
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

/// The title of a tag that no pack has.
fn unknown(tag: &std::sync::Arc<str>) -> std::sync::Arc<str> {
    tag.strip_prefix(NOVEL).map_or_else(|| tag.clone(), |name| format!("{name}, which no pack asks for").into())
}

fn bare(claim: &Claim, rules: &Rules, fingerprint: Fingerprint, window: Fingerprint) -> Finding {
    let tag = rules.tags.get(&*claim.tag);
    let title = tag.map_or_else(|| unknown(&claim.tag), |tag| tag.spec.title.clone());
    let mut finding = Finding {
        claim: claim.clone(),
        title,
        kind: tag.map(|tag| tag.spec.kind).unwrap_or_default(),
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
        since: None,
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
    let (mut lines, mut cuts) = (Vec::new(), Vec::new());
    let mut start = None;
    for line in (first.saturating_sub(FRAME).max(1)..=last).filter_map(Line::new) {
        match text.line_text(line) {
            Some(content) => {
                start.get_or_insert(line);
                let (text, left_out) = kept(&content, line, claim.location.columns.filter(|_| line.get() == first));
                lines.push(Untrusted::new(text));
                cuts.extend(left_out);
            }
            // Of a patch only some lines are known; the frame is what touches the finding.
            None if line.get() < first => {
                lines.clear();
                cuts.clear();
                start = None;
            }
            None => break,
        }
    }
    start.map(|first| Frame { first, lines, cuts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::MAX_LINE;

    #[test]
    fn a_long_line_is_kept_around_its_finding() {
        let first = Line::from_index(0);
        let short = "x".repeat(MAX_LINE);
        assert_eq!(kept(&short, first, None), (&*short, None));
        // A byte order mark, then characters of two bytes and one unit.
        let long = format!("\u{feff}{}HERE{}", "é".repeat(3_000), "é".repeat(4_000));
        let (text, cut) = kept(&long, first, Some(Columns { start: 6_004, end: 6_008 }));
        assert_eq!((text.find("HERE"), text.chars().count()), (Some(1_000), MAX_LINE));
        assert_eq!(cut, Some(Cut { line: first, bytes: 5_003, chars: 2_501, units: 2_500, width: 7_004 }));
        for columns in [None, Some(Columns { start: 1, end: 30 })] {
            let (text, cut) = kept(&long, first, columns);
            assert!(long.starts_with(text) && text.chars().count() == MAX_LINE);
            assert_eq!(cut, Some(Cut { line: first, bytes: 0, chars: 0, units: 0, width: 7_004 }));
        }
        let (text, _) = kept(&long, first, Some(Columns { start: 14_000, end: 99_000 }));
        assert!(long.ends_with(text), "the end is kept where the finding goes beyond it");
    }
}
