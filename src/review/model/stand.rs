//! Ground and evidence for what a model says: each claim is tied to the lines it was shown or dropped, its words are
//! checked against the file, and what several passes say of the same lines is one claim with so many votes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answer::Worded;
use super::collect::Job;
use super::locate::{Page, Spot};
use super::names::invented;
use super::question::is_offered;
use super::suggest::suggestion;
use crate::context::FilePart;
use crate::detect::{FileView, Raised};
use crate::finding::{Claim, Finding, Level, Line, Location, NOVEL, RepoPath, Source, Stage, Untrusted, is_novel};
use crate::review::ground::{self, Ground, Grounded};
use crate::review::{evidence, filter};
use crate::rules::Rules;
use crate::syntax::Language;

/// A claim of a model that stands.
pub(super) struct Held {
    pub(super) grounded: Grounded,
    /// Where it was made, as an index into the jobs.
    pub(super) job: usize,
    /// Which of the files.
    pub(super) file: usize,
    /// Its lines by the numbers of the chunk.
    pub(super) numbers: (u32, u32),
    /// The passes that make it.
    passes: BTreeSet<u32>,
    /// What the validator says: the score, and whether the line has the code that it speaks of.
    pub(super) line_matching: bool,
}

/// A claim on its way to the ground.
struct Placed {
    worded: Worded,
    spot: Spot,
    job: usize,
    tag: Arc<str>,
}

/// Most characters of a tag that a model makes up.
const TAG: usize = 40;

/// Ties claims to their files, `(job, claim)` each.
pub(super) fn stand(
    claims: Vec<(usize, Worded)>,
    jobs: &[Job<'_>],
    parts: &[FilePart],
    views: &[Option<FileView<'_>>],
    rules: &Rules,
    passes: u32,
    dropped: &mut Vec<Finding>,
) -> Vec<Held> {
    let mut by_file: BTreeMap<usize, Vec<Placed>> = BTreeMap::new();
    let mut pages: BTreeMap<usize, Page<'_>> = BTreeMap::new();
    for (job, worded) in claims {
        let page = pages.entry(job).or_insert_with(|| Page::of(jobs[job].chunk, parts));
        let language = |spot: &Spot| parts[spot.file].language;
        let guess = jobs[job].chunk.languages.first().copied();
        let tag = tag(&worded.tag, rules, guess);
        let deletions = rules.spec(&tag, guess).is_some_and(|(_, spec)| spec.anchor_deletion);
        let lost = |reason: &'static str, why: &str| Err((reason, why.to_owned()));
        let spot = match speaks_of_marker(&worded) {
            true => lost("about_marker", "it speaks of a value that was hidden from the model"),
            false => page.locate(&worded, deletions),
        };
        match spot {
            Ok(spot) => {
                let tag = self::tag(&worded.tag, rules, language(&spot));
                by_file.entry(spot.file).or_default().push(Placed { worded, spot, job, tag });
            }
            Err((reason, why)) => {
                let claim = claim(&worded, tag, nowhere(&worded), jobs[job].pass);
                dropped.push(ground::fallen(&claim, rules, dropped.len(), reason, why));
            }
        }
    }
    let mut held = Vec::new();
    for (file, placed) in by_file {
        if let Some(view) = &views[file] {
            held.extend(of_file(file, placed, jobs, view, rules, passes, dropped));
        }
    }
    held
}

fn of_file(
    file: usize,
    placed: Vec<Placed>,
    jobs: &[Job<'_>],
    view: &FileView<'_>,
    rules: &Rules,
    passes: u32,
    dropped: &mut Vec<Finding>,
) -> Vec<Held> {
    let mut ground = Ground::of(view, rules);
    let mut held: Vec<Held> = Vec::new();
    for Placed { worded, spot, job, tag } in placed {
        let location =
            Location { path: view.change.path.clone(), line: spot.lines.0, end_line: spot.lines.1, columns: None };
        let pass = jobs[job].pass;
        let mut claim = claim(&worded, tag, location, pass);
        claim.quote = Untrusted::new(quoted(view, spot.lines));
        claim.suggestion = suggestion(view, spot.lines, &worded.suggestion);
        let raised = Raised { claim, bytes: None, captures: BTreeMap::new(), secrets: Vec::new() };
        let mut grounded = ground.stand(raised, spot.anchored);
        if let Some(why) = spot.corrected {
            grounded.finding.step(Stage::Ground, "file", "corrected", why);
        }
        correct_function(&mut grounded.finding, worded.function.as_deref());
        held.push(Held {
            grounded,
            job,
            file,
            numbers: spot.numbers,
            passes: BTreeSet::from([pass]),
            line_matching: false,
        });
    }
    let held = if passes > 1 { vote(held, rules, dropped) } else { held };
    let mut findings: Vec<Grounded> = held.iter().map(|held| held.grounded.clone()).collect();
    ground::hash_lines(&mut findings, view.text);
    let (findings, refuted) = evidence::weigh(findings, view, rules);
    dropped.extend(refuted);
    let (mut findings, filtered) = filter::drops(findings, view, rules);
    dropped.extend(filtered);
    findings.iter_mut().for_each(|grounded| lower_invented(grounded, view));
    // Both stages keep the order.
    let mut left = findings.into_iter().peekable();
    let same = |one: &Grounded, other: &Grounded| {
        one.finding.fingerprint == other.finding.fingerprint && one.finding.claim.source == other.finding.claim.source
    };
    held.into_iter()
        .filter_map(|mut held| {
            held.grounded = left.next_if(|grounded| same(grounded, &held.grounded))?;
            Some(held)
        })
        .collect()
}

/// The tag that a model means: one that it was asked for, else one of its own.
fn tag(name: &str, rules: &Rules, language: Option<Language>) -> Arc<str> {
    let name = name.trim();
    let known = rules.tags.get(name).or_else(|| rules.tags.values().find(|tag| tag.name.eq_ignore_ascii_case(name)));
    if let Some(known) = known.filter(|tag| is_offered(tag, language)) {
        return known.name.clone();
    }
    let name = name.strip_prefix(NOVEL).unwrap_or(name);
    let plain =
        name.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '-' || *character == '_');
    let plain: String = plain.take(TAG).collect();
    let plain = if plain.is_empty() { "unnamed" } else { &plain };
    Arc::from(format!("{NOVEL}{plain}"))
}

fn claim(worded: &Worded, tag: Arc<str>, location: Location, pass: u32) -> Claim {
    Claim {
        tag,
        location,
        quote: Untrusted::new(worded.quote.clone()),
        rationale: Untrusted::new(worded.rationale.trim()),
        suggestion: None,
        level: None,
        source: Source::Model { pass },
    }
}

/// Where a claim that stands nowhere says it stands.
fn nowhere(worded: &Worded) -> Location {
    let line = u32::try_from(worded.line).ok().and_then(Line::new).unwrap_or(Line::from_index(0));
    Location { path: RepoPath::new(&worded.file), line, end_line: line, columns: None }
}

/// Whether a claim is about a value that was hidden before anybody read it.
fn speaks_of_marker(worded: &Worded) -> bool {
    [&worded.rationale, &worded.suggestion].into_iter().any(|text| text.contains("‹secret"))
}

fn quoted(view: &FileView<'_>, (first, last): (Line, Line)) -> String {
    let lines = (first.get()..=last.get()).filter_map(Line::new).filter_map(|line| view.text.line_text(line));
    lines.map(|line| line.into_owned()).collect::<Vec<_>>().join("\n")
}

/// The parser knows the function better.
fn correct_function(finding: &mut Finding, claimed: Option<&str>) {
    let (Some(claimed), Some(real)) = (claimed, finding.function.as_ref().map(|name| name.raw().to_owned())) else {
        return;
    };
    let last = |name: &str| {
        let end = name.find('(').unwrap_or(name.len());
        name[..end].rsplit(['.', ':', '#', ' ']).next().unwrap_or_default().to_owned()
    };
    if last(claimed) != last(&real) {
        let claimed: String = claimed.chars().take(200).collect();
        finding.step(Stage::Ground, "function", "corrected", format!("the claim names the function `{claimed}`"));
    }
}

/// Lowers a claim that speaks of a name which neither side of the file has.
fn lower_invented(grounded: &mut Grounded, view: &FileView<'_>) {
    let finding = &mut grounded.finding;
    let texts = [view.text, view.old_text].map(|text| String::from_utf8_lossy(text.bytes()));
    let Some(name) = invented(finding.claim.rationale.raw(), &[&texts[0], &texts[1]]) else { return };
    let why = format!("it speaks of `{name}`, which stands nowhere in the file");
    finding.level = match finding.level {
        Level::Error => Level::Warning,
        Level::Warning | Level::Note => Level::Note,
    };
    finding.step(Stage::Ground, "invented_name", "lowered", why);
}

/// Claims of different passes about the same lines and of one family are one claim with as many votes.
fn vote(held: Vec<Held>, rules: &Rules, dropped: &mut Vec<Finding>) -> Vec<Held> {
    let mut kept: Vec<Held> = Vec::new();
    for mut held in held {
        let pass = held.passes.first().copied().unwrap_or_default();
        let voted = kept.iter_mut().find(|other| {
            !other.passes.contains(&pass)
                && overlap(&other.grounded.finding, &held.grounded.finding)
                && are_related(&other.grounded.finding.claim.tag, &held.grounded.finding.claim.tag, rules)
        });
        match voted {
            None => kept.push(held),
            Some(other) => {
                other.passes.insert(pass);
                other.grounded.finding.votes = other.passes.len() as u32;
                let why = format!("pass {pass} says so too, as {}", held.grounded.finding.claim.tag);
                other.grounded.finding.step(Stage::Ground, "vote", "kept", why);
                let into = other.grounded.finding.fingerprint.as_str().to_owned();
                held.grounded.finding.drop_at(Stage::Ground, "vote", format!("a vote for {into}"));
                dropped.push(held.grounded.finding);
            }
        }
    }
    kept
}

fn overlap(one: &Finding, other: &Finding) -> bool {
    let (a, b) = (&one.claim.location, &other.claim.location);
    a.line <= b.end_line && b.line <= a.end_line
}

/// The same tag, or two of one category (CR-Bench): models name one fault in several ways.
fn are_related(one: &str, other: &str, rules: &Rules) -> bool {
    let category = |tag: &str| rules.tags.get(tag).and_then(|tag| tag.spec.category.as_deref());
    one == other || (is_novel(one) && is_novel(other)) || (category(one).is_some() && category(one) == category(other))
}
