//! Rule packs: which tags exist, how they are asked, what proves or refutes them, per language. Packs are embedded from
//! `rules/`; a project adds its own.

mod class;
pub mod condition;
pub mod credential;
mod detector;
mod embedded;
mod example;
mod layer;
mod needles;
mod pack;
mod pattern;
mod schema;
mod show;
mod tag;
mod template;

use std::collections::BTreeMap;

use globset::Glob;

pub use class::{Classes, globs};
pub(crate) use condition::is_placeholder;
pub use condition::{COMBINATORS, CONDITIONS, Condition, Expression, Subject, Truth};
pub use detector::{Detector, How, LazyRegex, Place};
pub use embedded::{EMBEDDED, Pack};
pub use example::{Example, Kind};
pub use needles::Needles;
pub use pack::RawPack;
pub use schema::schema;
pub use show::show;
pub use tag::{Drop, SCORE, Spec, Tag, TagLevel};
pub use template::Template;

use crate::document::{Node, Problem, nearest};
use crate::syntax::Language;

/// A pack file: its name for messages and its text.
#[derive(Debug, Clone)]
pub struct Source {
    /// As a person would name it.
    pub name: String,
    /// YAML.
    pub text: String,
}

/// The loaded packs, merged and ready to use.
#[derive(Debug)]
pub struct Rules {
    /// Every tag by name.
    pub tags: BTreeMap<String, Tag>,
    /// Path classes.
    pub classes: Classes,
    /// The packs in the order of their layers.
    pub packs: Vec<PackInfo>,
}

/// What is known of a loaded pack.
#[derive(Debug, Clone)]
pub struct PackInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub about: Option<String>,
    /// The file it was read from.
    pub source: String,
}

/// Whether the examples inside embedded packs are wanted. A review does not look at them, and they are most of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Examples {
    /// For `rules test`, `rules lint`, `rules show`.
    Read,
    /// For reviews: of each tag only what a model is shown of it.
    Skip,
}

impl Rules {
    /// Loads the embedded packs and a project's own.
    ///
    /// `selected` names packs by glob, in layer order (`None`: all, the embedded ones first); `overrides` is the
    /// `[tags]` table of the configuration.
    ///
    /// # Errors
    /// Everything that is wrong in any of them, each with its place.
    pub fn load(
        examples: Examples,
        project: &[Source],
        selected: Option<&Node>,
        overrides: Option<&Node>,
    ) -> Result<Self, Vec<Problem>> {
        Self::load_with(EMBEDDED, examples, project, false, selected, overrides)
    }

    /// The embedded packs that have values to hide, as they are without any project.
    pub fn of_secrets() -> Self {
        // What they name of others are path classes.
        let is_needed = |pack: &&Pack| pack.text.contains("|mask}") || pack.text.contains("\nclasses:");
        let packs = EMBEDDED.iter().filter(is_needed);
        Self::load_with(packs, Examples::Skip, &[], false, None, None).expect("the embedded packs are sound")
    }

    /// Loads the embedded packs and these files; a file that has the name of an embedded pack takes its place, as its
    /// author needs to test it.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_files(files: &[Source]) -> Result<Self, Vec<Problem>> {
        Self::load_with(EMBEDDED, Examples::Read, files, true, None, None)
    }

    fn load_with(
        shipped: impl IntoIterator<Item = &'static Pack>,
        examples: Examples,
        project: &[Source],
        replace: bool,
        selected: Option<&Node>,
        overrides: Option<&Node>,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut embedded = |pack: &Pack| match examples {
            Examples::Read => RawPack::parse(pack.name, pack.text, &mut problems),
            Examples::Skip => RawPack::compiled(pack, &mut problems),
        };
        let mut packs: Vec<RawPack> = shipped.into_iter().filter_map(&mut embedded).collect();
        let mut own: Vec<String> = Vec::new();
        let mut all_read = true;
        for source in project {
            let Some(pack) = RawPack::parse(&source.name, &source.text, &mut problems) else {
                all_read = false;
                continue;
            };
            let is_embedded = |other: &RawPack| EMBEDDED.iter().any(|pack| pack.name == other.source);
            match packs.iter_mut().find(|other| other.name == pack.name) {
                Some(other) if replace && is_embedded(other) && !own.contains(&other.source) => *other = pack,
                Some(other) => {
                    let problem = format!("the pack name `{}` is taken by {}", pack.name, other.source);
                    problems.push(Problem::of(&source.name, problem).help("give it another name and use `extends`"));
                    continue;
                }
                None => packs.push(pack),
            }
            own.push(source.name.clone());
        }
        let packs = pack::extend(packs, &mut problems);
        let shared: Vec<(String, Node)> = packs
            .iter()
            .filter(|pack| !own.contains(&pack.source))
            .filter_map(|pack| Some((pack.name.clone(), pack.classes.clone()?)))
            .collect();
        let packs = select(packs, selected, all_read, &mut problems);
        // Path classes belong to all packs: one may be chosen without the pack that defines what it names.
        let chosen = |name: &str| packs.iter().any(|pack| pack.name == name);
        let shared = shared.into_iter().filter(|(name, _)| !chosen(name)).map(|(_, classes)| classes).collect();
        let (tags, classes) = layer::tags(&packs, shared, overrides, &mut problems);
        let rules = Self {
            tags,
            classes,
            packs: packs
                .into_iter()
                .map(|pack| PackInfo { name: pack.name, version: pack.version, about: pack.about, source: pack.source })
                .collect(),
        };
        // Embedded detectors are checked by the tests; checking them at every start would cost more than a small review.
        for detector in rules.detectors() {
            if own.iter().any(|source| **source == *detector.at.source)
                || overrides.is_some_and(|node| node.at.source == detector.at.source)
            {
                detector.check(&mut problems);
            }
        }
        if problems.is_empty() {
            Ok(rules)
        } else {
            problems.sort();
            problems.dedup();
            Err(problems)
        }
    }

    /// Every detector of every tag, language variants included.
    pub fn detectors(&self) -> impl Iterator<Item = &Detector> {
        self.tags
            .values()
            .flat_map(|tag| tag.spec.detect.iter().chain(tag.by_language.values().flat_map(|spec| spec.detect.iter())))
    }

    /// The tag of this name with its settings for a language.
    pub fn spec(&self, tag: &str, language: Option<Language>) -> Option<(&Tag, &Spec)> {
        let tag = self.tags.get(tag)?;
        Some((tag, tag.for_language(language)))
    }
}

/// Picks packs by glob in the order of the globs; each pack once. A name that no pack has may be that of a pack which could
/// not be read: then that is the problem to mend.
fn select(packs: Vec<RawPack>, selected: Option<&Node>, all_read: bool, problems: &mut Vec<Problem>) -> Vec<RawPack> {
    let Some(selected) = selected else { return packs };
    let mut rest: Vec<Option<RawPack>> = packs.into_iter().map(Some).collect();
    let mut picked = Vec::new();
    for item in selected.items() {
        let Some(text) = item.text() else {
            problems.push(Problem::at(&item.at, format!("a pack is a name or a glob, not {}", item.value.kind())));
            continue;
        };
        let Ok(glob) = Glob::new(text) else {
            problems.push(Problem::at(&item.at, format!("`{text}` is no glob")));
            continue;
        };
        let glob = glob.compile_matcher();
        let before = picked.len();
        for slot in &mut rest {
            if slot.as_ref().is_some_and(|pack| glob.is_match(&pack.name)) {
                picked.extend(slot.take());
            }
        }
        if all_read && picked.len() == before && !picked.iter().any(|pack: &RawPack| glob.is_match(&pack.name)) {
            let names: Vec<_> = rest.iter().flatten().map(|pack| pack.name.as_str()).collect();
            problems.push(Problem::at(&item.at, format!("no pack is named `{text}`")).help(nearest(text, &names)));
        }
    }
    picked
}

#[cfg(test)]
mod tests {
    use super::{EMBEDDED, Examples, RawPack, Rules};

    /// What the build script wrote is what the files say.
    #[test]
    fn embedded_packs_are_the_files_without_their_examples() {
        assert!(EMBEDDED.len() > 10);
        let mut problems = Vec::new();
        for pack in EMBEDDED {
            let read = RawPack::parse(pack.name, pack.text, &mut problems).expect("a pack");
            let compiled = RawPack::compiled(pack, &mut problems).expect("a pack");
            assert_eq!(
                (&read.name, &read.classes, &read.defaults),
                (&compiled.name, &compiled.classes, &compiled.defaults)
            );
            let tags = |pack: &RawPack| {
                let mut tags = pack.tags.clone().expect("a pack has tags");
                if let crate::document::Value::Map(entries) = &mut tags.value {
                    entries.iter_mut().for_each(|entry| drop(entry.node.take("examples")));
                }
                tags
            };
            assert_eq!(tags(&read), tags(&compiled), "{}", pack.name);
        }
        assert_eq!(problems, []);
    }

    /// A benchmark counts by these, so no shipped tag may leave one open.
    #[test]
    fn every_embedded_tag_says_what_kind_of_fault_it_is() {
        let rules = Rules::load(Examples::Skip, &[], None, None).expect("the embedded packs are sound");
        for (name, tag) in &rules.tags {
            let axes: Vec<_> = tag.spec.kind.known().map(|(axis, _)| axis).collect();
            assert_eq!(axes, ["category", "impact", "severity"], "{name}");
        }
        let known = |tag: &str| rules.tags[tag].spec.kind.known().map(|(_, name)| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(known("OffByOne"), ["structural", "functional-suitability", "high"]);
        assert_eq!(known("Typo"), ["coding", "maintainability", "low"]);
        assert_eq!(known("HardcodedSecret"), ["security", "security", "critical"]);
        assert_eq!(known("UnboundedInput"), ["memory", "security", "critical"]);
    }

    #[test]
    fn only_examples_differ() {
        let load = |examples| Rules::load(examples, &[], None, None).expect("the embedded packs are sound");
        let (read, skip) = (load(Examples::Read), load(Examples::Skip));
        assert_eq!(read.tags.keys().collect::<Vec<_>>(), skip.tags.keys().collect::<Vec<_>>());
        assert_eq!(read.detectors().count(), skip.detectors().count());
        for (name, tag) in &read.tags {
            assert_eq!(tag.shot, skip.tags[name].shot, "{name}");
        }
        assert!(read.tags.values().any(|tag| tag.shot.is_some()));
        assert!(read.tags.values().any(|tag| !tag.examples.is_empty()));
    }
}
