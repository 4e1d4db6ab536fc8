//! Ground and evidence for what a model says: each claim is tied to the lines it was shown or dropped, its words are
//! checked against the file, and what several passes say of the same lines is one claim with so many votes.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::answer::Worded;
use super::collect::Job;
use super::hide;
use super::locate::{Page, Spot};
use super::names::{invented, words};
use super::question::is_offered;
use super::suggest::suggestion;
use crate::context::FilePart;
use crate::detect::{FileView, Raised};
use crate::finding::Stage as At;
use crate::finding::{Claim, Finding, Level, Line, Location, NOVEL, RepoPath, Source, Untrusted};
use crate::review::ground::{self, Ground, Grounded};
use crate::review::{evidence, filter};
use crate::rules::{Rules, TagLevel};

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
    /// Whether the validator says that the line has the code that the claim speaks of.
    pub(super) line_matching: bool,
    /// Why it says that this is no claim at all: the reason and a sentence.
    pub(super) unfit: Option<(&'static str, &'static str)>,
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

/// What claims are tied with.
pub(super) struct Stage<'a, 'f> {
    pub(super) jobs: &'a [Job<'a>],
    pub(super) parts: &'a [FilePart],
    pub(super) views: &'a [Option<FileView<'f>>],
    /// Findings of detectors, by file, that no report shows in the clear.
    pub(super) secrets: &'a [Vec<Grounded>],
    pub(super) rules: &'a Rules,
    pub(super) passes: u32,
}

/// Ties claims to their files, `(job, claim)` each.
pub(super) fn stand(claims: Vec<(usize, Worded)>, stage: &Stage<'_, '_>, dropped: &mut Vec<Finding>) -> Vec<Held> {
    let Stage { jobs, parts, views, rules, .. } = *stage;
    let mut by_file: BTreeMap<usize, Vec<Placed>> = BTreeMap::new();
    let mut pages: BTreeMap<usize, Page<'_>> = BTreeMap::new();
    let mut fallen: BTreeMap<(RepoPath, Arc<str>, String), usize> = BTreeMap::new();
    for (job, worded) in claims {
        let page = pages.entry(job).or_insert_with(|| Page::of(jobs[job].chunk, parts));
        let guess = jobs[job].chunk.languages.first().copied();
        let tag = tag(&worded.tag, rules);
        let deletions = rules.spec(&tag, guess).is_some_and(|(_, spec)| spec.anchor_deletion);
        let lost = |reason: &'static str, why: &str| Err((reason, why.to_owned()));
        let spot = match speaks_of_marker(&worded) {
            true => lost("about_marker", "it speaks of a value that was hidden from the model"),
            false => page.locate(&worded, deletions),
        };
        let spot = spot.and_then(|spot| match (&views[spot.file], rules.tags.get(&*tag)) {
            (None, _) => lost("ungrounded", "the file could not be analysed"),
            (Some(view), Some(known)) if !is_offered(known, view.language) => {
                lost("not_asked", "the packs do not ask a model for this tag here")
            }
            _ => Ok(spot),
        });
        match spot {
            Ok(spot) => by_file.entry(spot.file).or_default().push(Placed { worded, spot, job, tag }),
            Err((reason, why)) => {
                let claim = claim(&worded, tag, nowhere(&worded), jobs[job].pass);
                // Told apart by what they say, not by what else fell: a share has the same ones.
                let twins = fallen.entry((claim.location.path.clone(), claim.tag.clone(), worded.quote.clone()));
                let ordinal = twins.or_default();
                dropped.push(ground::fallen(&claim, rules, *ordinal, reason, why));
                *ordinal += 1;
            }
        }
    }
    let mut held = Vec::new();
    for (file, placed) in by_file {
        if let Some(view) = &views[file] {
            held.extend(of_file(file, placed, view, stage, dropped));
        }
    }
    held
}

fn of_file(
    file: usize,
    placed: Vec<Placed>,
    view: &FileView<'_>,
    stage: &Stage<'_, '_>,
    dropped: &mut Vec<Finding>,
) -> Vec<Held> {
    let Stage { jobs, rules, .. } = *stage;
    let mut ground = Ground::of(view, rules);
    let (mut findings, mut held) = (Vec::new(), Vec::new());
    let mut words = Words::of(view, jobs);
    for Placed { worded, spot, job, tag } in placed {
        let location =
            Location { path: view.change.path.clone(), line: spot.lines.0, end_line: spot.lines.1, columns: None };
        let pass = jobs[job].pass;
        let mut claim = claim(&worded, tag, location, pass);
        claim.quote = Untrusted::new(quoted(view, spot.lines));
        // It was made for all lines of the quote.
        claim.suggestion = spot.is_whole.then(|| suggestion(view, spot.lines, &worded.suggestion)).flatten();
        let raised = Raised { claim, bytes: None, captures: BTreeMap::new(), secrets: Vec::new() };
        let mut grounded = ground.stand(raised, spot.anchored);
        if let Some(why) = spot.corrected {
            grounded.finding.step(At::Ground, "file", "corrected", why);
        }
        correct_function(&mut grounded.finding, worded.function.as_deref());
        findings.push(grounded);
        held.push((job, spot.numbers, words.invented(&worded.rationale, job)));
    }
    ground::hash_lines(&mut findings, view.text);
    hide::conceal(&mut findings, &hide::hidden(file, jobs, view), &stage.secrets[file], view);
    let mut kept = Vec::new();
    for (grounded, (job, numbers, invented)) in findings.into_iter().zip(held) {
        let (standing, refuted) = evidence::weigh(vec![grounded], view, rules);
        let (standing, filtered) = filter::drops(standing, view, rules);
        dropped.extend(refuted.into_iter().chain(filtered));
        for mut grounded in standing {
            if let Some(name) = &invented {
                lower(&mut grounded.finding, name);
            }
            let passes = BTreeSet::from([jobs[job].pass]);
            kept.push(Held { grounded, job, file, numbers, passes, line_matching: false, unfit: None });
        }
    }
    if stage.passes > 1 { vote(kept, rules, dropped) } else { kept }
}

/// The tag that a model means: one of the packs, however it is spelt, else one of its own.
fn tag(name: &str, rules: &Rules) -> Arc<str> {
    let bare = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let name = name.trim();
    let name = name.strip_prefix(NOVEL).unwrap_or(name);
    let meant = bare(name);
    let known = rules.tags.get(name).or_else(|| rules.tags.values().find(|tag| bare(&tag.name) == meant));
    if let Some(known) = known {
        return known.name.clone();
    }
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let plain: String = name.chars().filter(is_plain).take(TAG).collect();
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
    worded.rationale.contains("‹secret")
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
        finding.step(At::Ground, "function", "corrected", format!("the claim names the function `{claimed}`"));
    }
}

/// The words of a file and of the pages that show it, each read once.
struct Words<'w> {
    file: HashSet<String>,
    jobs: &'w [Job<'w>],
    pages: BTreeMap<usize, HashSet<String>>,
}

impl<'w> Words<'w> {
    fn of(view: &FileView<'_>, jobs: &'w [Job<'w>]) -> Self {
        let sides = [view.text, view.old_text].map(|text| String::from_utf8_lossy(text.bytes()).into_owned());
        Self { file: sides.iter().flat_map(|side| words(side)).collect(), jobs, pages: BTreeMap::new() }
    }

    /// A name that a rationale says is there and that neither the file nor the page has.
    fn invented(&mut self, rationale: &str, job: usize) -> Option<String> {
        let chunk = self.jobs[job].chunk;
        let page = self.pages.entry(job).or_insert_with(|| words(&chunk.text).collect());
        invented(rationale, |name| self.file.contains(name) || page.contains(name)).map(str::to_owned)
    }
}

/// Lowers a claim that speaks of a name which stands nowhere.
fn lower(finding: &mut Finding, name: &str) {
    if finding.level == Level::Note {
        return;
    }
    finding.level = if finding.level == Level::Error { Level::Warning } else { Level::Note };
    let why = format!("it speaks of `{name}`, which stands neither in the file nor in what was shown");
    finding.step(At::Ground, "invented_name", "lowered", why);
}

/// Claims of different passes about the same lines and of one family are one claim with as many votes. It has the level
/// that speaks loudest: who calls a fault by a milder name takes nothing away.
fn vote(held: Vec<Held>, rules: &Rules, dropped: &mut Vec<Finding>) -> Vec<Held> {
    let mut kept: Vec<Held> = Vec::new();
    for mut held in held {
        let pass = held.passes.first().copied().unwrap_or_default();
        let voted = kept.iter_mut().find(|other| {
            !other.passes.contains(&pass)
                && other.grounded.finding.claim.location.shares_lines(&held.grounded.finding.claim.location)
                && are_related(&other.grounded.finding.claim.tag, &held.grounded.finding.claim.tag, rules)
        });
        let Some(other) = voted else {
            kept.push(held);
            continue;
        };
        let loudness = |held: &Held| (held.grounded.finding.level, !is_watched(&held.grounded.finding, rules));
        let all: BTreeSet<u32> = other.passes.union(&held.passes).copied().collect();
        if loudness(&held) > loudness(other) {
            std::mem::swap(other, &mut held);
        }
        other.passes = all;
        other.grounded.finding.votes = other.passes.len() as u32;
        let of = held.passes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let why = format!("pass {of} says so too, as {}", held.grounded.finding.claim.tag);
        other.grounded.finding.step(At::Ground, "vote", "kept", why);
        let into = other.grounded.finding.fingerprint.as_str().to_owned();
        held.grounded.finding.drop_at(At::Ground, "vote", format!("a vote for {into}, of pass {of}"));
        dropped.push(held.grounded.finding);
    }
    kept
}

fn is_watched(finding: &Finding, rules: &Rules) -> bool {
    rules.tags.get(&*finding.claim.tag).is_some_and(|tag| tag.spec.level == TagLevel::Shadow)
}

/// The same tag, or two of one category (CR-Bench): models name one fault in several ways.
fn are_related(one: &str, other: &str, rules: &Rules) -> bool {
    let category = |tag: &str| rules.tags.get(tag).and_then(|tag| tag.spec.kind.category);
    one == other || (category(one).is_some() && category(one) == category(other))
}
