//! `diffsieve rules`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::anyhow;
use diffsieve::detect::{self, DETECTORS};
use diffsieve::document::nearest;
use diffsieve::finding::Level;
use diffsieve::review::examples;
use diffsieve::rules::{self, COMBINATORS, CONDITIONS, Examples, Rules, Source, Spec, Tag, TagLevel};
use diffsieve::syntax::{FACTS, Language};

use super::args::{RulesCommand, SchemaName, TreeArgs};
use super::exit::Exit;
use super::{Failure, policy, print, schema};

pub(super) fn run(command: RulesCommand) -> Result<Exit, Failure> {
    match command {
        RulesCommand::List(place) => list(&place),
        RulesCommand::Show { tag, resolved, lang, place } => show(tag.as_deref(), resolved, lang.as_deref(), &place),
        RulesCommand::Test { files, verbose, place } => test(&files, verbose, &place),
        RulesCommand::Lint { files, place } => lint(&files, &place),
        RulesCommand::Facts => print(&facts()),
        RulesCommand::Schema => print(&schema::text(SchemaName::Pack)),
    }
}

fn list(place: &TreeArgs) -> Result<Exit, Failure> {
    let loadout = policy::of_work_tree(place, Examples::Read)?;
    let mut text = String::new();
    for pack in &loadout.rules.packs {
        let about = pack.about.as_deref().unwrap_or_default();
        let _ = writeln!(text, "{} {} ({}): {about}", pack.name, pack.version, pack.source);
        for tag in loadout.rules.tags.values().filter(|tag| tag.pack == pack.name) {
            let count = detectors(tag).len();
            let what = match (count, tag.spec.ask.is_some()) {
                (0, false) => "no detector".to_owned(),
                (0, true) => "asked of a model".to_owned(),
                (1, false) => "1 detector".to_owned(),
                (1, true) => "1 detector, asked of a model".to_owned(),
                (count, false) => format!("{count} detectors"),
                (count, true) => format!("{count} detectors, asked of a model"),
            };
            let kind: Vec<&str> = tag.spec.kind.known().map(|(_, name)| name).collect();
            let kind = if kind.is_empty() { String::new() } else { format!("; {}", kind.join(", ")) };
            let _ = writeln!(text, "  {:<15} {:<28} {} ({what}{kind})", levels(tag), tag.name, tag.spec.title);
        }
    }
    print(&diffsieve_visible(&text))
}

/// The levels that findings of a tag may have: detectors and languages have their own.
fn levels(tag: &Tag) -> String {
    let specs = || std::iter::once(&tag.spec).chain(tag.by_language.values());
    let of = |spec: &Spec| match (spec.level, spec.detect.is_empty()) {
        (TagLevel::Show(level), false) => {
            let levels = spec.detect.iter().map(|detector| detector.level.unwrap_or(level));
            levels.map(Level::name).collect::<Vec<_>>()
        }
        (level, _) => vec![level.name()],
    };
    let found: Vec<&str> = specs().flat_map(of).collect();
    let names: Vec<&str> = TagLevel::NAMES.into_iter().filter(|name| found.contains(name)).collect();
    match names.as_slice() {
        // A language that is left out says nothing about the others.
        [most @ .., "skip"] if !most.is_empty() => most.join("/"),
        names => names.join("/"),
    }
}

/// The ids of a tag's detectors, language variants included, each once.
fn detectors(tag: &Tag) -> Vec<&str> {
    let all = tag.spec.detect.iter().chain(tag.by_language.values().flat_map(|spec| spec.detect.iter()));
    let mut ids: Vec<&str> = all.map(|detector| &*detector.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Line by line, because packs are files of a repository that somebody else may have written.
fn diffsieve_visible(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => diffsieve::escape::visible(line) + "\n",
            None => diffsieve::escape::visible(line),
        })
        .collect()
}

fn show(name: Option<&str>, resolved: bool, lang: Option<&str>, place: &TreeArgs) -> Result<Exit, Failure> {
    let loadout = policy::of_work_tree(place, Examples::Read)?;
    let language = lang
        .map(|name| Language::parse_name(name).ok_or_else(|| anyhow!("there is no language `{name}`")))
        .transpose()?;
    let tags: Vec<&Tag> = match name {
        None => loadout.rules.tags.values().collect(),
        Some(name) => match loadout.rules.tags.get(name) {
            Some(tag) => vec![tag],
            None => {
                let names: Vec<_> = loadout.rules.tags.keys().map(String::as_str).collect();
                return Err(anyhow!("no loaded pack has the tag `{name}`; {}", nearest(name, &names)).into());
            }
        },
    };
    let text: String = tags.into_iter().map(|tag| rules::show(tag, language, resolved)).collect();
    print(&diffsieve_visible(&text))
}

/// The loaded packs with further files laid over them.
fn with_files(files: &[PathBuf], place: &TreeArgs) -> Result<Rules, Failure> {
    if files.is_empty() {
        return Ok(policy::of_work_tree(place, Examples::Read)?.rules);
    }
    let mut sources = Vec::new();
    for path in files {
        let name = super::shown(path);
        let text = policy::read_policy(path, &name)?.ok_or_else(|| anyhow!("there is no file `{name}`"))?;
        sources.push(Source { name, text });
    }
    let rules = Rules::load_files(&sources)?;
    let problems = detect::check(&rules);
    if problems.is_empty() { Ok(rules) } else { Err(Failure::Config(problems)) }
}

fn test(files: &[PathBuf], verbose: bool, place: &TreeArgs) -> Result<Exit, Failure> {
    let rules = with_files(files, place)?;
    let chosen: Vec<String> = files.iter().map(|path| super::shown(path)).collect();
    let mut outcomes = examples::run(&rules);
    outcomes.retain(|outcome| {
        chosen.is_empty()
            || chosen
                .iter()
                .any(|file| outcome.at.strip_prefix(file.as_str()).is_some_and(|rest| rest.starts_with(':')))
    });
    let mut text = String::new();
    let mut failed = 0;
    for outcome in &outcomes {
        if outcome.misfits.is_empty() {
            if verbose {
                let _ = writeln!(text, "ok      {} ({})", outcome.tag, outcome.at);
            }
            continue;
        }
        failed += 1;
        for misfit in &outcome.misfits {
            let _ = writeln!(text, "FAILED  {} ({}): {misfit}", outcome.tag, outcome.at);
        }
    }
    let _ = writeln!(text, "{} examples, {} ok, {failed} failed", outcomes.len(), outcomes.len() - failed);
    print(&diffsieve_visible(&text))?;
    Ok(if failed == 0 { Exit::Passed } else { Exit::Failed })
}

fn lint(files: &[PathBuf], place: &TreeArgs) -> Result<Exit, Failure> {
    let rules = with_files(files, place)?;
    let problems = detect::lint(&rules);
    let mut text: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
    let _ = writeln!(
        text,
        "{} packs, {} tags, {} detectors, {} problems",
        rules.packs.len(),
        rules.tags.len(),
        rules.tags.values().map(|tag| detectors(tag).len()).sum::<usize>(),
        problems.len()
    );
    print(&text)?;
    Ok(if problems.is_empty() { Exit::Passed } else { Exit::Failed })
}

fn facts() -> String {
    let mut text = String::from("Facts (in `fact:`), three-valued: a fact that cannot be decided is unknown\n");
    for fact in FACTS {
        let _ = writeln!(text, "  {:<24} {}", fact.name, fact.help);
    }
    text.push_str("\nConditions (keys of `when`, `unless`, `needs`)\n");
    for condition in CONDITIONS {
        let _ = writeln!(text, "  {:<24} {}", condition.key, condition.help);
    }
    for (key, help) in COMBINATORS {
        let _ = writeln!(text, "  {key:<24} {help}");
    }
    text.push_str("\nBuilt-in detectors (in `builtin:`)\n");
    for detector in DETECTORS {
        let _ = writeln!(text, "  {:<24} {}", detector.name, detector.help);
    }
    text
}
