//! Tags as SARIF's rules. All of them, whether they fired or not: that is how GitHub tells "ran and found nothing" from
//! "does not know the rule", and closes alerts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use serde_sarif::sarif::{MultiformatMessageString, PropertyBag, ReportingConfiguration, ReportingDescriptor};

use super::results::Selection;
use crate::escape::{code_span, sarif_markdown, sarif_text, visible, visible_lines};
use crate::finding::Level;
use crate::report::TagInfo;
use crate::report::sentence::{cut, one_line, sentence};

/// GitHub takes descriptions up to this length.
const DESCRIPTION_CHARS: usize = 1024;

/// GitHub keeps this many tags of a rule.
const TAGS: usize = 10;

/// Every rule, and where each stands.
pub(super) struct Rules {
    descriptors: Vec<ReportingDescriptor>,
    index: BTreeMap<String, i64>,
}

impl Rules {
    /// The loaded tags in name order, then the tags that only a finding knows (`novel:…`).
    pub(super) fn new(tags: &[TagInfo], selection: &Selection<'_>) -> Self {
        let mut rules = Self { descriptors: Vec::new(), index: BTreeMap::new() };
        for tag in tags {
            rules.add(rule_id(&tag.name), || of_tag(tag));
        }
        let unknown: BTreeSet<(&str, &str)> =
            selection.findings().map(|finding| (&*finding.claim.tag, &*finding.title)).collect();
        for (tag, title) in unknown {
            rules.add(rule_id(tag), || descriptor(tag, title, "", Some(Level::Note)));
        }
        rules
    }

    fn add(&mut self, id: String, descriptor: impl FnOnce() -> ReportingDescriptor) {
        if let Ok(next) = i64::try_from(self.descriptors.len())
            && !self.index.contains_key(&id)
        {
            self.index.insert(id, next);
            self.descriptors.push(descriptor());
        }
    }

    /// The index of a rule by its id.
    pub(super) fn index(&self, id: &str) -> Option<i64> {
        self.index.get(id).copied()
    }

    pub(super) fn into_descriptors(self) -> Vec<ReportingDescriptor> {
        self.descriptors
    }
}

/// A tag's rule id. A slash would make it hierarchical, and GitHub then loses the rule's severity and tags; a required
/// string may not be empty.
pub(super) fn rule_id(tag: &str) -> String {
    let id = visible(tag).replace('/', "-");
    if id.trim().is_empty() { "unnamed".to_owned() } else { id }
}

fn of_tag(tag: &TagInfo) -> ReportingDescriptor {
    let mut rule = descriptor(&tag.name, &tag.title, &tag.help, tag.level);
    let severity = tag.security_severity.filter(|severity| severity.is_finite() && *severity > 0.0);
    let mut properties = BTreeMap::from([("precision".to_owned(), Value::from(precision(tag.level)))]);
    match severity {
        // A string, or GitHub rejects the file.
        Some(severity) => {
            properties.insert("security-severity".to_owned(), json!(format!("{:.1}", severity.clamp(0.1, 10.0))));
        }
        None => {
            properties.insert("problem.severity".to_owned(), Value::from(problem_severity(tag.level)));
        }
    }
    let bag = PropertyBag::builder().tags(property_tags(tag, severity.is_some())).additional_properties(properties);
    rule.properties = Some(bag.build());
    rule
}

fn descriptor(tag: &str, title: &str, help: &str, level: Option<Level>) -> ReportingDescriptor {
    let id = rule_id(tag);
    let title = one_line(if title.trim().is_empty() { &id } else { title });
    let help = if help.trim().is_empty() { title.as_str() } else { help };
    let help = visible_lines(help.trim());
    let ignore = format!("diffsieve: ignore[{tag}] reason");
    let accept = |quoted: &str| {
        format!("A baseline entry accepts a finding, or a comment {quoted} on its line where policy counts it.")
    };
    let full = help.split("\n\n").next().unwrap_or(&help);
    ReportingDescriptor::builder()
        .short_description(message(&sentence(&title)))
        .full_description(message(&sentence(&one_line(full))))
        .help(
            MultiformatMessageString::builder()
                .text(sarif_text(&format!("{}\n\n{}", sentence(&help), accept(&format!("'{ignore}'")))))
                .markdown(sarif_markdown(&format!("{}\n\n{}", sentence(&help), accept(&code_span(&ignore)))))
                .build(),
        )
        .default_configuration(configuration(level))
        .id(id)
        .build()
}

/// A tag without a level is only recorded, so as a rule it is not enabled.
fn configuration(level: Option<Level>) -> ReportingConfiguration {
    match level {
        Some(level) => ReportingConfiguration::builder().level(json!(level.name())).build(),
        None => ReportingConfiguration::builder().level(json!(Level::Note.name())).enabled(false).build(),
    }
}

/// Code scanning sorts by level, then by precision. Tags earn `error` by being right, so that is what can be said here.
const fn precision(level: Option<Level>) -> &'static str {
    match level {
        Some(Level::Error) => "high",
        Some(Level::Warning) => "medium",
        Some(Level::Note) | None => "low",
    }
}

const fn problem_severity(level: Option<Level>) -> &'static str {
    match level {
        Some(Level::Error) => "error",
        Some(Level::Warning) => "warning",
        Some(Level::Note) | None => "recommendation",
    }
}

/// `security` is what makes a `security-severity` count; weaknesses are named as CodeQL names them.
fn property_tags(tag: &TagInfo, security: bool) -> Vec<String> {
    let weaknesses = tag.cwe.iter().filter_map(|cwe| {
        let digits: String = cwe.chars().filter(char::is_ascii_digit).collect();
        (cwe.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("cwe-")) && !digits.is_empty())
            .then(|| format!("external/cwe/cwe-{digits}"))
    });
    let kind = tag.kind.known().map(|(axis, name)| match axis {
        // Bare, as CodeQL names what a rule is about. An impact `security` must not read as the mark of a security rule.
        "category" => name.to_owned(),
        axis => format!("{axis}/{name}"),
    });
    let pack = [format!("pack/{}", visible(&tag.pack))];
    let mut tags: Vec<String> = Vec::new();
    for name in security.then(|| "security".to_owned()).into_iter().chain(kind).chain(weaknesses).chain(pack) {
        if tags.len() < TAGS && !tags.contains(&name) {
            tags.push(name);
        }
    }
    tags
}

fn message(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(cut(&sarif_text(text), DESCRIPTION_CHARS)).build()
}
