//! Votes, validate and the bar: the second opinion on what stands, and what votes and scores make of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::collect::Job;
use super::stand::Held;
use super::talk::{Talk, Unanswered};
use super::validate::{self, BATCH, Judged, Score};
use super::{Health, MayBlock, Model, Progress};
use crate::context::{FilePart, Form};
use crate::detect::FileView;
use crate::finding::{Anchored, EvidenceStatus, Finding, Level, RepoPath, Source, Stage};
use crate::provider::Prompt;
use crate::review::ground::Grounded;
use crate::review::{filter, pool};
use crate::rules::Rules;

/// So many claims with one score among them are no judgement.
const CONSTANT: usize = 8;

/// How the second opinions went.
#[derive(Default)]
pub(super) struct Opinion {
    /// Claims that were to be scored, and those that were.
    pub(super) scored: (u64, u64),
    /// By file, how many claims have no score and why.
    pub(super) unscored: Vec<(usize, usize, String)>,
}

/// Asks for a score of every claim, a chunk at a time.
pub(super) fn judge(
    held: &mut [Held],
    jobs: &[Job<'_>],
    parts: &[FilePart],
    rules: &Rules,
    views: &[Option<FileView<'_>>],
    validator: Option<&Talk<'_>>,
    model: &Model<'_>,
) -> Opinion {
    let Some(talk) = validator else { return Opinion::default() };
    let batches = batches(held, jobs);
    let question = |batch: &Vec<usize>| {
        let claims: Vec<Judged<'_>> = batch.iter().map(|index| judged(&held[*index], jobs, rules, views)).collect();
        let chunk = jobs[held[batch[0]].job].chunk;
        let hunks = batch.iter().flat_map(|index| hunks(&held[*index], jobs)).collect();
        validate::question(&chunk.excerpt(&hunks, parts), chunk.form, &claims, model.answer_tokens)
    };
    let questions: Vec<Prompt> = batches.iter().map(question).collect();
    let done = AtomicUsize::new(0);
    let ask = |index: usize| {
        let answer = scores(&questions[index], batches[index].len(), talk);
        (model.tell)(Progress::Validated(done.fetch_add(1, Ordering::Relaxed) + 1, batches.len()));
        answer
    };
    let answers = pool::map(batches.len(), model.concurrency, || (), |(), index| ask(index));
    let mut opinion = Opinion { scored: (held.len() as u64, 0), ..Opinion::default() };
    let mut unscored: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for (batch, answer) in batches.iter().zip(answers) {
        let (mut scores, why) = match answer {
            Ok(scores) => (scores, "the validator left them out".to_owned()),
            Err(none) => (BTreeMap::new(), format!("{}: {}", none.why, none.message)),
        };
        for (index, place) in batch.iter().zip(0..) {
            let claim = &mut held[*index];
            match scores.remove(&place) {
                Some(score) => {
                    opinion.scored.1 += 1;
                    apply(claim, &score);
                }
                None => {
                    let said = "no score: it cannot stop a merge".to_owned();
                    claim.grounded.finding.step(Stage::Validate, "validator", "unscored", said);
                    *unscored.entry((claim.file, why.clone())).or_default() += 1;
                }
            }
        }
    }
    opinion.unscored = unscored.into_iter().map(|((file, why), count)| (file, count, why)).collect();
    opinion
}

/// Claims of one chunk together, so many that a reader keeps them apart, in an order that their words alone decide.
fn batches(held: &[Held], jobs: &[Job<'_>]) -> Vec<Vec<usize>> {
    let mut by_job: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, claim) in held.iter().enumerate() {
        by_job.entry(claim.job).or_default().push(index);
    }
    let order = |index: &usize| {
        let claim = &held[*index].grounded.finding.claim;
        crate::context::lot([jobs[held[*index].job].chunk.id.as_str(), &*claim.tag, claim.rationale.raw()])
    };
    let mut batches = Vec::new();
    for mut claims in by_job.into_values() {
        claims.sort_by_cached_key(order);
        let even = claims.len().div_ceil(claims.len().div_ceil(BATCH));
        batches.extend(claims.chunks(even).map(<[usize]>::to_vec));
    }
    batches
}

fn hunks(claim: &Held, jobs: &[Job<'_>]) -> BTreeSet<usize> {
    let chunk = jobs[claim.job].chunk;
    (claim.numbers.0..=claim.numbers.1).filter_map(|number| chunk.place(number)).map(|place| place.hunk).collect()
}

/// A claim in the words of the page: nothing of the file that the page hides.
fn judged<'c>(claim: &'c Held, jobs: &[Job<'c>], rules: &'c Rules, views: &[Option<FileView<'_>>]) -> Judged<'c> {
    let chunk = jobs[claim.job].chunk;
    let (first, last) = (claim.numbers.0 as usize - 1, claim.numbers.1 as usize);
    let finding = &claim.grounded.finding;
    let language = views[claim.file].as_ref().and_then(|view| view.language);
    let spec = rules.spec(&finding.claim.tag, language);
    Judged {
        tag: &finding.claim.tag,
        title: &finding.title,
        guidance: spec.and_then(|(_, spec)| spec.judge.as_deref()),
        line: match chunk.form {
            Form::Marked => claim.numbers.0,
            Form::Plain | Form::Cqs => chunk.place(claim.numbers.0).map_or(0, |place| place.line.get()),
        },
        code: chunk.lines[first..last].iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"),
        rationale: finding.claim.rationale.raw(),
    }
}

/// The scores of a batch. Claims that an answer leaves out are asked for once more.
fn scores(prompt: &Prompt, count: usize, talk: &Talk<'_>) -> Result<BTreeMap<usize, Score>, Unanswered> {
    let heard = talk.ask(prompt, |text| validate::read(text, count), |_, why| validate::repaired(prompt, why))?;
    let mut scores = heard.read;
    let missing: Vec<String> =
        (0..count).filter(|index| !scores.contains_key(index)).map(|index| format!("c{}", index + 1)).collect();
    if !missing.is_empty() {
        let again = validate::repaired(prompt, &format!("it has no usable score of {}", missing.join(", ")));
        if let Ok(heard) =
            talk.ask(&again, |text| validate::read(text, count), |_, why| validate::repaired(&again, why))
        {
            for (index, score) in heard.read {
                scores.entry(index).or_insert(score);
            }
        }
    }
    Ok(scores)
}

fn apply(claim: &mut Held, score: &Score) {
    let finding = &mut claim.grounded.finding;
    finding.score = Some(score.score);
    // Only what is said to match counts as matching.
    claim.line_matching = score.line_matching == Some(true);
    claim.unfit = score.unfit();
    let silent = score.line_matching.is_none().then_some("it does not say whether the line is the right one");
    let mut why = score.motivation.trim().to_owned();
    for more in score.lowered.into_iter().chain(silent) {
        why = if why.is_empty() { more.to_owned() } else { format!("{why} ({more})") };
    }
    finding.step(Stage::Validate, "validator", "scored", format!("{}: {why}", score.score));
}

/// Praise, wrong lines, score and level: what is left, by file. A missing score drops nothing and blocks nothing.
pub(super) fn bar(
    held: Vec<Held>,
    rules: &Rules,
    views: &[Option<FileView<'_>>],
    model: &Model<'_>,
    dropped: &mut Vec<Finding>,
) -> Vec<Vec<Grounded>> {
    let mut by_file: Vec<Vec<Grounded>> = views.iter().map(|_| Vec::new()).collect();
    for mut held in held {
        let Some(view) = &views[held.file] else { continue };
        if let Some((reason, why)) = held.unfit {
            held.grounded.finding.drop_at(Stage::Validate, reason, why);
            dropped.push(held.grounded.finding);
            continue;
        }
        let matching = held.line_matching;
        lower(&mut held.grounded.finding, matching, rules, view, model.may_block);
        by_file[held.file].push(held.grounded);
    }
    for (kept, view) in by_file.iter_mut().zip(views) {
        let Some(view) = view else { continue };
        let (left, under) = filter::part(std::mem::take(kept), |grounded| under(grounded, rules, view));
        let (left, watched) = filter::watchers(left, view, rules);
        dropped.extend(under.into_iter().chain(watched));
        *kept = left;
    }
    by_file
}

/// The claims that enough passes make. Nobody is asked about the others.
pub(super) fn voted(
    held: Vec<Held>,
    rules: &Rules,
    views: &[Option<FileView<'_>>],
    passes: u32,
    dropped: &mut Vec<Finding>,
) -> Vec<Held> {
    let mut kept = Vec::with_capacity(held.len());
    for mut held in held {
        let finding = &mut held.grounded.finding;
        let language = views[held.file].as_ref().and_then(|view| view.language);
        let own = rules.spec(&finding.claim.tag, language).map_or(1, |(_, spec)| spec.votes);
        let votes = own.clamp(passes / 2 + 1, passes.max(1));
        if finding.votes < votes {
            let why = format!("{} of {passes} passes say so, and {votes} must", finding.votes);
            finding.drop_at(Stage::Filter, "votes", why);
            dropped.push(held.grounded.finding);
        } else {
            kept.push(held);
        }
    }
    kept
}

/// What a claim falls short of.
fn under(grounded: &Grounded, rules: &Rules, view: &FileView<'_>) -> Option<(String, String)> {
    let finding = &grounded.finding;
    let spec = rules.spec(&finding.claim.tag, view.language).map(|(_, spec)| spec);
    let bar = spec.map_or(crate::rules::SCORE, |spec| spec.score);
    match finding.score {
        Some(score) if score < bar => Some(("score".to_owned(), format!("scored {score}, and {bar} is needed"))),
        _ => None,
    }
}

impl Health {
    /// How a validator worked that was to score so many claims and scored so many of them.
    pub(in crate::review) fn of((all, scored): (u64, u64), scores: impl Iterator<Item = f32>) -> Self {
        let scores: Vec<f32> = scores.collect();
        let is_constant = scores.len() >= CONSTANT && scores.windows(2).all(|pair| pair[0] == pair[1]);
        match (all, scored) {
            (0, _) => Self::Ok,
            (_, 0) => Self::Failed,
            _ if is_constant => Self::Constant,
            _ if scored < all => Self::Degraded,
            _ => Self::Ok,
        }
    }
}

/// Lowers the errors of a model that nobody who works has judged, and tells in which files they are.
pub(in crate::review) fn lower_unjudged(findings: &mut [Finding]) -> BTreeSet<RepoPath> {
    let is_models = |finding: &&mut Finding| matches!(finding.claim.source, Source::Model { .. });
    let errors = findings.iter_mut().filter(is_models).filter(|finding| finding.level == Level::Error);
    errors
        .map(|finding| {
            finding.level = Level::Warning;
            let why = format!("the validator's state is {}", Health::Constant.name());
            finding.step(Stage::Filter, "validator_health", "lowered", why);
            finding.claim.location.path.clone()
        })
        .collect()
}

/// Caps the level at a warning where a model may not stop a merge.
fn lower(finding: &mut Finding, line_matching: bool, rules: &Rules, view: &FileView<'_>, may_block: MayBlock) {
    if finding.level < Level::Error {
        return;
    }
    let bar = rules.spec(&finding.claim.tag, view.language).map_or(10.0, |(_, spec)| spec.block_score);
    let why = match (may_block, finding.score) {
        (MayBlock::Never, _) => "the policy lets no model stop a merge".to_owned(),
        _ if !matches!(finding.anchor, Some(Anchored::Exact | Anchored::BesideDeletion)) => {
            "the claimed line was not the right one".to_owned()
        }
        (_, None) => "it has no score".to_owned(),
        (_, Some(score)) if score < bar => format!("scored {score}, and {bar} is needed to stop a merge"),
        _ if !line_matching => "the validator does not say that the line is the right one".to_owned(),
        (MayBlock::Certified, _) if finding.evidence.status != EvidenceStatus::Proved => {
            "no fact proves it, and the policy asks for proof".to_owned()
        }
        (MayBlock::Certified | MayBlock::Validated, Some(_)) => return,
    };
    finding.level = Level::Warning;
    finding.step(Stage::Filter, "model_may_block", "lowered", why);
}
