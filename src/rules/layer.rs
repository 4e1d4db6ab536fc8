//! From packs as written to tags: later layers win, a language beats its tag within one layer, and every value keeps
//! the place it was written at.

use std::collections::{BTreeMap, BTreeSet};

use super::class::Classes;
use super::condition::Known;
use super::example::{Example, example};
use super::pack::RawPack;
use super::tag::{Tag, check_flat, check_name, lang_entries, spec};
use crate::document::{Node, Problem, Value, merge, nearest};
use crate::syntax::Language;

/// One layer of settings: a pack, or the `[tags]` of a configuration.
struct Layer<'a> {
    pack: &'a str,
    tags: Option<&'a Node>,
    defaults: Option<&'a Node>,
}

/// Lays packs and the configuration's tags over each other, in order. `shared` are classes that lie beneath those of
/// the packs.
pub(super) fn tags(
    packs: &[RawPack],
    shared: Vec<Node>,
    overrides: Option<&Node>,
    problems: &mut Vec<Problem>,
) -> (BTreeMap<String, Tag>, Classes) {
    let mut classes = None;
    for node in shared.into_iter().chain(packs.iter().filter_map(|pack| pack.classes.clone())) {
        classes = Some(match classes {
            Some(under) => merge(under, node, problems),
            None => node,
        });
    }
    let classes = Classes::parse(classes.as_ref(), problems);
    let mut layers: Vec<Layer<'_>> = packs
        .iter()
        .map(|pack| Layer { pack: &pack.name, tags: pack.tags.as_ref(), defaults: pack.defaults.as_ref() })
        .collect();
    layers.push(Layer { pack: "configuration", tags: overrides, defaults: None });

    let mut names = BTreeSet::new();
    for layer in &layers {
        let Some(tags) = layer.tags else { continue };
        let Value::Map(entries) = &tags.value else {
            problems.push(Problem::at(&tags.at, format!("`tags` is a map, not {}", tags.value.kind())));
            continue;
        };
        for entry in entries {
            check_name(&entry.key, &entry.at, problems);
            names.insert(entry.key.as_str());
        }
    }
    let class_names = classes.names();
    let known = Known { classes: &class_names, languages: &[] };
    // Defaults alone first: one that every tag overrides is a misfit nevertheless.
    for defaults in packs.iter().filter_map(|pack| pack.defaults.as_ref()) {
        spec(defaults, "defaults", &known, problems);
        check_flat(defaults, "`defaults`", problems);
    }
    let tags = names
        .into_iter()
        .filter_map(|name| tag(name, &layers, &known, problems).map(|tag| (name.to_owned(), tag)))
        .collect();
    (tags, classes)
}

fn tag(name: &str, layers: &[Layer<'_>], known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Tag> {
    let parts: Vec<(&Layer<'_>, &Node)> =
        layers.iter().filter_map(|layer| Some((layer, layer.tags?.get(name)?))).collect();
    let (first, _) = parts.first()?;
    if first.pack == "configuration" {
        let at = &parts[0].1.at;
        let packs = layers.iter().filter(|layer| layer.pack != "configuration");
        let tags = packs.filter_map(|layer| layer.tags).flat_map(Node::entries);
        let known: Vec<&str> = tags.map(|entry| entry.key.as_str()).collect();
        let near = nearest(name, &known);
        // All of them would be a page.
        let help = if near.starts_with("did") { near } else { "`diffsieve rules list` names them".to_owned() };
        problems.push(Problem::at(at, format!("no loaded pack has the tag `{name}`")).help(help));
        return None;
    }
    let languages: BTreeSet<Language> =
        parts.iter().flat_map(|(_, node)| lang_entries(node, problems)).map(|(language, _)| language).collect();
    let merged = settings(&parts, None, problems);
    let spec_all = spec(&merged, name, known, problems)?;
    let (mut by_language, mut merged_by_language) = (BTreeMap::new(), BTreeMap::new());
    for language in languages.into_iter().filter(|language| language.is_compiled_in()) {
        let node = settings(&parts, Some(language), problems);
        by_language.extend(spec(&node, name, known, problems).map(|spec| (language, spec)));
        merged_by_language.insert(language, node);
    }
    let examples = examples(&merged, problems);
    let shot = examples.iter().find_map(Example::shot);
    Some(Tag {
        name: name.into(),
        pack: first.pack.to_owned(),
        spec: spec_all,
        by_language,
        shot,
        examples,
        merged,
        merged_by_language,
    })
}

/// A pack's defaults count only where it introduces the tag: a pack that adjusts a tag does not reset it.
fn settings(parts: &[(&Layer<'_>, &Node)], language: Option<Language>, problems: &mut Vec<Problem>) -> Node {
    let mut settings: Option<Node> = parts.first().and_then(|(layer, _)| layer.defaults.cloned());
    for (_, node) in parts {
        settings = Some(match settings {
            Some(under) => merge(under, (*node).clone(), problems),
            None => (*node).clone(),
        });
        let own = language.and_then(|language| {
            lang_entries(node, &mut Vec::new()).into_iter().find(|(other, _)| *other == language).map(|(_, own)| own)
        });
        if let (Some(own), Some(under)) = (own, settings.take_if(|_| own.is_some())) {
            settings = Some(merge(under, own.clone(), problems));
        }
    }
    settings.unwrap_or_else(|| parts[0].1.clone())
}

fn examples(node: &Node, problems: &mut Vec<Problem>) -> Vec<Example> {
    let items = node.get("examples").map(Node::items).unwrap_or_default();
    items.iter().filter_map(|item| example(item, problems)).collect()
}
