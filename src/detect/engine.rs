//! Runs the detectors of the loaded packs over one file. Rules of a language share one walk over the tree; everything is
//! compiled at first use, so a small review pays only for the languages it meets.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::textual::Textual;
use super::{Builtin, DETECTORS, FileView, Hit, NodeFn, Run, before, cut, fix, text};
use crate::finding::{Claim, Line, Location, Source, Untrusted};
use crate::rules::{Detector, How, Place, Rules, Spec, Subject, TagLevel, Truth};
use crate::syntax::{Language, Parsed, RuleSet};

/// A claim with what only its detector knows.
#[derive(Debug, Clone)]
pub struct Raised {
    /// The claim.
    pub claim: Claim,
    /// Its bytes in the parsed source.
    pub bytes: Option<Range<usize>>,
    /// Captures.
    pub captures: BTreeMap<String, String>,
    /// What the message masks, so that the code around it has to be masked too.
    pub secrets: Vec<String>,
}

/// The detectors of the loaded packs, sorted by who they read.
pub struct Engine<'r> {
    rules: &'r Rules,
    textual: OnceLock<Textual<'r>>,
    parsed: BTreeMap<Language, OnceLock<ForLanguage<'r>>>,
}

struct ForLanguage<'r> {
    set: RuleSet,
    /// Whether a rule in `set` looks into comments.
    reads_comments: bool,
    /// The tag and detector of each rule in `set`.
    owners: Vec<(&'r str, &'r Detector)>,
    /// Built-ins that look at nodes.
    by_node: Vec<(&'r str, &'r Detector, NodeFn)>,
    /// Regular expressions that need a mask, and built-ins that look at the file.
    others: Vec<(&'r str, &'r Detector)>,
}

/// A tag, one of its detectors and what that matched.
pub(super) type Found<'r> = (&'r str, &'r Detector, Vec<Hit>);

impl<'r> ForLanguage<'r> {
    /// What the rules and the built-ins by node match on nodes that touch a wanted line: one entry for each of them,
    /// always in the same order.
    fn look(&self, view: &FileView<'_>, parsed: &Parsed, wanted: &dyn Fn(Line) -> bool) -> Vec<Found<'r>> {
        let of_rules = self.owners.iter().map(|(tag, detector)| (*tag, *detector, Vec::new()));
        let of_nodes = self.by_node.iter().map(|(tag, detector, _)| (*tag, *detector, Vec::new()));
        let mut found: Vec<Found<'r>> = of_rules.chain(of_nodes).collect();
        for (rule, matched) in self.set.scan(parsed, wanted) {
            let mut hit = Hit::in_source(parsed, matched.bytes);
            hit.captures.extend(matched.variables);
            found[rule].2.push(hit);
        }
        let by_node = &mut found[self.owners.len()..];
        parsed.visit(wanted, |node| {
            for ((.., look), (.., hits)) in self.by_node.iter().zip(by_node.iter_mut()) {
                look(view, parsed, node, hits);
            }
        });
        found
    }
}

impl<'r> Engine<'r> {
    /// An engine over the loaded packs.
    pub fn new(rules: &'r Rules) -> Self {
        let parsed = Language::all().map(|language| (language, OnceLock::new())).collect();
        Self { rules, textual: OnceLock::new(), parsed }
    }

    /// Makes ready what files of these languages need, so that the first of them does not wait for it.
    pub fn prepare(&self, languages: impl Iterator<Item = Language>) {
        self.textual.get_or_init(|| Textual::of(self.rules));
        for language in languages {
            if let Some(slot) = self.parsed.get(&language) {
                slot.get_or_init(|| self.for_language(language));
            }
        }
    }

    /// All claims about one file, in the order of the detectors.
    pub fn run(&self, view: &FileView<'_>) -> Vec<Raised> {
        let mut raised = Vec::new();
        if view.change.added().next().is_none() {
            return raised;
        }
        let textual = self.textual.get_or_init(|| Textual::of(self.rules));
        for (tag, detector) in textual.worth_running(view) {
            self.raise(view, tag, detector, hits(view, detector), &mut raised);
        }
        if let Some(language) = view.language.filter(|_| view.is_parsable())
            && let Some(slot) = self.parsed.get(&language)
        {
            self.run_parsed(view, slot.get_or_init(|| self.for_language(language)), &mut raised);
        }
        raised
    }

    /// What needs a parse, which is made only where something can come of it.
    fn run_parsed(&self, view: &FileView<'_>, detectors: &ForLanguage<'r>, raised: &mut Vec<Raised>) {
        let touches_code = view.touches_code();
        if let Some(parsed) = (touches_code || detectors.reads_comments).then(|| view.parsed()).flatten() {
            let mut found = detectors.look(view, parsed, &|line| view.is_added(line));
            before::place_introduced(view, &mut found, |before, parsed, wanted| detectors.look(before, parsed, wanted));
            for (tag, detector, hits) in found {
                self.raise(view, tag, detector, hits, raised);
            }
        }
        for (tag, detector) in detectors.others.iter().filter(|(_, other)| touches_code || reads_comments(other)) {
            self.raise(view, tag, detector, hits(view, detector), raised);
        }
    }

    fn for_language(&self, language: Language) -> ForLanguage<'r> {
        let (mut rules, mut owners, mut by_node, mut others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (name, tag) in &self.rules.tags {
            let spec: &'r Spec = tag.for_language(Some(language));
            if spec.level == TagLevel::Skip {
                continue;
            }
            for detector in spec.detect.iter().filter(|detector| detector.languages.contains(&language)) {
                match &detector.how {
                    How::Rule(_) => {
                        if let Some(rule) = detector.rule_for(language, &mut Vec::new()) {
                            rules.push(rule);
                            owners.push((name.as_str(), detector));
                        }
                    }
                    How::Builtin(builtin) => match find(builtin).map(|builtin| builtin.run) {
                        Some(Run::Node(look)) => by_node.push((name.as_str(), detector, look)),
                        Some(Run::File(_)) | None => others.push((name.as_str(), detector)),
                    },
                    How::Regex { .. } => others.push((name.as_str(), detector)),
                }
            }
        }
        let set = RuleSet::new(rules);
        ForLanguage { reads_comments: set.reads_comments(), set, owners, by_node, others }
    }

    fn raise(&self, view: &FileView<'_>, tag: &str, detector: &Detector, hits: Vec<Hit>, raised: &mut Vec<Raised>) {
        let Some((tag, spec)) = self.rules.spec(tag, view.language) else { return };
        // A language may switch off a tag, or one of its detectors that read all text.
        if spec.level == TagLevel::Skip || !spec.detect.iter().any(|other| other.id == detector.id) {
            return;
        }
        for hit in hits {
            let Some((line, end_line)) = added_part(view, &hit) else { continue };
            let message = detector.message.render(&hit.captures, false);
            let source = Source::Detector(detector.id.clone());
            let quote = quote(view, line, end_line);
            if let Some(unless) = &detector.unless {
                let facts = std::cell::RefCell::default();
                let subject = Subject {
                    path: &view.change.path,
                    classes: &self.rules.classes,
                    attributes: view.class(),
                    language: view.language,
                    text: view.text,
                    parsed: view.parsed(),
                    parsed_old: &|| view.parsed_old(),
                    lines: (line, end_line),
                    bytes: hit.bytes.clone(),
                    quote: &quote,
                    rationale: &message,
                    source: &source,
                    variables: &hit.captures,
                    is_added: &|line| view.is_added(line),
                    facts: &facts,
                };
                if unless.holds(&subject) == Truth::True {
                    continue;
                }
            }
            let columns = hit.columns.filter(|_| line == hit.line && end_line == hit.end_line && line == end_line);
            let location = Location { path: view.change.path.clone(), line, end_line, columns };
            let claim = Claim {
                tag: tag.name.clone(),
                location,
                quote: Untrusted::new(quote),
                rationale: Untrusted::new(message),
                suggestion: fix::suggestion(view, detector, &hit),
                level: detector.level,
                source,
            };
            let secrets = detector.message.masked(&hit.captures).into_iter().map(str::to_owned).collect();
            raised.push(Raised { claim, bytes: hit.bytes, captures: hit.captures, secrets });
        }
    }
}

fn hits(view: &FileView<'_>, detector: &Detector) -> Vec<Hit> {
    match &detector.how {
        How::Regex { pattern, place: Place::Any } => {
            pattern.get().map(|regex| text::in_text(view, regex)).unwrap_or_default()
        }
        How::Regex { pattern, place } => {
            pattern.get().map(|regex| text::in_region(view, regex, *place)).unwrap_or_default()
        }
        How::Builtin(name) => match find(name).map(|builtin| builtin.run) {
            Some(Run::File(look)) => look(view),
            Some(Run::Node(_)) | None => Vec::new(),
        },
        How::Rule(_) => Vec::new(),
    }
}

/// Whether a detector besides the rules may find something where only comments changed.
fn reads_comments(detector: &Detector) -> bool {
    match &detector.how {
        How::Builtin(name) => find(name).is_some_and(|builtin| builtin.reads_comments),
        // It looks at the text before it asks for a parse.
        How::Regex { .. } | How::Rule(_) => true,
    }
}

/// The built-in of this name.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    DETECTORS.iter().find(|builtin| builtin.name == name)
}

/// The added lines a hit is about: from its first line if that was added, or its rest if all of that was (the body was
/// rewritten under an unchanged head). Anything else is code that was there before.
pub(super) fn added_part(view: &FileView<'_>, hit: &Hit) -> Option<(Line, Line)> {
    let first = hit.line.get();
    let last = hit.end_line.get().max(first);
    let run_end = |from: u32| {
        (from..=last).take_while(|number| Line::new(*number).is_some_and(|line| view.is_added(line))).last()
    };
    if let Some(end) = run_end(first) {
        return Some((hit.line, Line::new(end)?));
    }
    (last > first && run_end(first + 1) == Some(last)).then_some((Line::new(first + 1)?, hit.end_line))
}

/// Most lines that a quote holds.
const MAX_QUOTE: u32 = 12;

fn quote(view: &FileView<'_>, line: Line, end_line: Line) -> String {
    let end = end_line.get().min(line.get() + MAX_QUOTE - 1);
    let lines = (line.get()..=end).filter_map(Line::new).filter_map(|line| view.text.line_text(line));
    lines.map(|text| cut(&text).to_owned()).collect::<Vec<_>>().join("\n")
}
