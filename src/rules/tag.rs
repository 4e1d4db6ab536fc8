//! A tag: what is looked for, how it is asked, what proves it, how serious it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::condition::{Expression, Known};
use super::detector::Detector;
use super::example::Example;
use crate::document::{At, Fields, Node, Problem, Value, nearest};
use crate::finding::Level;
use crate::syntax::Language;
use crate::taxonomy::{CATEGORIES, IMPACTS, Kind, SEVERITIES, Term, find, names};

/// A tag's level as written: the three levels of findings and two states of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagLevel {
    /// Shown with this level.
    Show(Level),
    /// Collected, judged and recorded, never shown or gated.
    Shadow,
    /// Not looked for.
    Skip,
}

impl TagLevel {
    /// The values as written.
    pub const NAMES: [&'static str; 5] = ["error", "warning", "note", "shadow", "skip"];

    /// Reads one of [`Self::NAMES`].
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "shadow" => Some(Self::Shadow),
            "skip" => Some(Self::Skip),
            _ => Level::ALL.into_iter().find(|level| level.name() == name).map(Self::Show),
        }
    }

    /// The value as written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Show(level) => level.name(),
            Self::Shadow => "shadow",
            Self::Skip => "skip",
        }
    }
}

/// A named filter of a tag.
#[derive(Debug)]
pub struct Drop {
    /// Its id, unique in the tag.
    pub id: String,
    /// Why such a claim is no finding.
    pub why: String,
    /// When it applies; [`Expression`].
    pub when: Expression,
}

/// A tag's settings, for one language or for all.
#[derive(Debug)]
pub struct Spec {
    /// One line.
    pub title: Arc<str>,
    /// More, in Markdown.
    pub about: Option<String>,
    /// The question put to a model; without one the tag is not offered to it.
    pub ask: Option<String>,
    /// Guidance for the validator.
    pub judge: Option<String>,
    /// How serious.
    pub level: TagLevel,
    /// Whether a finding may stand beside a deletion.
    pub anchor_deletion: bool,
    /// What kind of fault it is: as written, completed from category and security severity.
    pub kind: Kind,
    /// `CWE-772`, …
    pub cwe: Vec<String>,
    /// 0.1 to 10.0; marks a security tag.
    pub security_severity: Option<f32>,
    /// Lowest validator score that is shown.
    pub score: f32,
    /// Lowest validator score with which a model's finding may be an error.
    pub block_score: f32,
    /// Votes a model's claim needs.
    pub votes: u32,
    /// Most findings of this tag that are shown; errors do not count.
    pub cap: Option<u32>,
    /// Facts that must hold.
    pub needs: Vec<Expression>,
    /// Filters.
    pub drop: Vec<Drop>,
    /// Deterministic detectors.
    pub detect: Vec<Detector>,
}

/// Default of `score`.
pub const SCORE: f32 = 7.0;
/// Default of `block-score`.
const BLOCK_SCORE: f64 = 9.0;

/// Reads the merged settings of a tag. `known` names the classes; `language` is the one these settings are for.
pub(super) fn spec(node: &Node, name: &str, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Spec> {
    let mut fields = Fields::of(node, "a tag", problems)?;
    let title = fields.text("title").unwrap_or_else(|| name.to_owned());
    let security_severity = fields.number("security-severity", 0.1, 10.0).map(|number| number as f32);
    let spec = Spec {
        title: title.into(),
        about: fields.text("about"),
        ask: fields.text("ask"),
        judge: fields.text("judge"),
        level: level(&mut fields).unwrap_or(TagLevel::Show(Level::Warning)),
        anchor_deletion: fields.word("anchor", &["added", "deletion"]).is_some_and(|anchor| anchor == "deletion"),
        kind: kind(&mut fields).completed(security_severity),
        cwe: cwe(&mut fields),
        security_severity,
        score: fields.number("score", 0.0, 10.0).map_or(SCORE, |score| score as f32),
        block_score: fields.number("block-score", 0.0, 10.0).unwrap_or(BLOCK_SCORE) as f32,
        votes: fields.integer("votes", 1, 99).unwrap_or(1) as u32,
        cap: fields.integer("cap", 0, 10_000).map(|cap| cap as u32),
        needs: needs(&mut fields, known),
        drop: drops(&mut fields, known),
        detect: detectors(&mut fields, name, known),
    };
    // Read elsewhere: `lang` by the layers, `examples` by the example runner.
    fields.node("lang");
    fields.node("examples");
    fields.finish();
    Some(spec)
}

fn level(fields: &mut Fields<'_, '_>) -> Option<TagLevel> {
    fields.word("level", &TagLevel::NAMES).and_then(|name| TagLevel::parse(&name))
}

/// Keys that reports say of a tag once, whatever the language of a finding.
const KIND: [&str; 3] = ["category", "impact", "severity"];

fn kind(fields: &mut Fields<'_, '_>) -> Kind {
    let mut term = |key, terms: &'static [Term]| {
        let name = fields.word(key, &names(terms))?;
        find(terms, &name).map(|term| term.name)
    };
    Kind {
        category: term("category", &CATEGORIES),
        impact: term("impact", &IMPACTS),
        severity: term("severity", &SEVERITIES),
    }
}

fn cwe(fields: &mut Fields<'_, '_>) -> Vec<String> {
    let at = fields.at().clone();
    let ids = fields.texts("cwe").unwrap_or_default();
    for id in &ids {
        let digits = id.strip_prefix("CWE-").unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            fields.problems.push(Problem::at(&at, format!("`{id}` is no weakness id; write one such as `CWE-772`")));
        }
    }
    ids
}

fn needs(fields: &mut Fields<'_, '_>, known: &Known<'_>) -> Vec<Expression> {
    let Some(node) = fields.node("needs") else { return Vec::new() };
    node.items().iter().filter_map(|item| Expression::parse(item, known, fields.problems)).collect()
}

fn drops(fields: &mut Fields<'_, '_>, known: &Known<'_>) -> Vec<Drop> {
    let Some(node) = fields.node("drop") else { return Vec::new() };
    let mut drops: Vec<Drop> = Vec::new();
    for item in node.items() {
        let Some(mut drop) = Fields::of(item, "a drop", fields.problems) else { continue };
        let id = drop.required("id").and_then(Node::text).unwrap_or_default().to_owned();
        let why = drop.required("why").and_then(Node::text).unwrap_or_default().to_owned();
        let when = drop.required("when").and_then(|when| Expression::parse(when, known, drop.problems));
        unique(&id, drops.iter().map(|drop| drop.id.as_str()), &item.at, drop.problems);
        drop.finish();
        drops.extend(when.map(|when| Drop { id, why, when }));
    }
    drops
}

fn detectors(fields: &mut Fields<'_, '_>, tag: &str, known: &Known<'_>) -> Vec<Detector> {
    let Some(node) = fields.node("detect") else { return Vec::new() };
    let mut detectors: Vec<Detector> = Vec::new();
    for item in node.items() {
        if let Some(detector) = Detector::parse(item, tag, known, fields.problems) {
            unique(&detector.id, detectors.iter().map(|other| &*other.id), &item.at, fields.problems);
            detectors.push(detector);
        }
    }
    detectors
}

fn unique<'a>(id: &str, mut others: impl Iterator<Item = &'a str>, at: &At, problems: &mut Vec<Problem>) {
    if others.any(|other| other == id) {
        problems.push(Problem::at(at, format!("the id `{id}` is used twice")));
    }
}

/// A tag of the loaded packs.
#[derive(Debug)]
pub struct Tag {
    /// Its id.
    pub name: Arc<str>,
    /// The pack that introduced it.
    pub pack: String,
    /// Its settings where no language says otherwise.
    pub spec: Spec,
    /// Settings of the languages that do.
    pub by_language: BTreeMap<Language, Spec>,
    /// A line that its first example calls bad: what a model is shown of the tag.
    pub shot: Option<String>,
    /// Its examples.
    pub examples: Vec<Example>,
    /// Everything as merged, for `rules show --resolved`.
    pub merged: Node,
    /// The same for the languages that differ.
    pub merged_by_language: BTreeMap<Language, Node>,
}

impl Tag {
    /// The settings for a file.
    pub fn for_language(&self, language: Option<Language>) -> &Spec {
        language.and_then(|language| self.by_language.get(&language)).unwrap_or(&self.spec)
    }
}

/// Whether a name can be a tag: a letter, then letters, digits, `-` or `_`.
pub(super) fn check_name(name: &str, at: &At, problems: &mut Vec<Problem>) {
    let mut bytes = name.bytes();
    let good = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && name.len() <= 64;
    if !good {
        problems.push(Problem::at(at, format!("`{name}` is no tag name: a letter, then letters, digits, `-` or `_`")));
    }
}

/// Refuses what only a tag itself has, and what nobody would look at elsewhere.
pub(super) fn check_flat(node: &Node, what: &str, problems: &mut Vec<Problem>) {
    for entry in node.entries().iter().filter(|entry| ["lang", "examples"].contains(&entry.key.as_str())) {
        let problem = Problem::at(&entry.at, format!("{what} has no key `{}`", entry.key));
        problems.push(problem.help("it belongs to the tag"));
    }
}

/// The languages under a tag's `lang:`.
pub(super) fn lang_entries<'n>(node: &'n Node, problems: &mut Vec<Problem>) -> Vec<(Language, &'n Node)> {
    let Some(lang) = node.get("lang") else { return Vec::new() };
    let Value::Map(entries) = &lang.value else {
        problems.push(Problem::at(&lang.at, format!("`lang` is a map of languages, not {}", lang.value.kind())));
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries {
        match Language::parse_name(&entry.key) {
            Some(language) => {
                check_flat(&entry.node, "a language of a tag", problems);
                for own in entry.node.entries().iter().filter(|own| KIND.contains(&own.key.as_str())) {
                    let problem = Problem::at(&own.at, format!("`{}` is the same in all languages of a tag", own.key));
                    problems.push(problem.help("it belongs to the tag"));
                }
                found.push((language, &entry.node));
            }
            None => {
                let valid: Vec<_> = Language::all().map(Language::name).collect();
                let problem = Problem::at(&entry.at, format!("there is no language `{}`", entry.key));
                problems.push(problem.help(nearest(&entry.key, &valid)));
            }
        }
    }
    found
}
