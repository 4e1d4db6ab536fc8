//! ast-grep rules: compile, and find what they match.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Range;

use ast_grep_config::{DeserializeEnv, RuleCore, SerializableRuleCore};
use ast_grep_core::matcher::MatcherExt as _;
use ast_grep_core::meta_var::{MetaVarEnv, MetaVariable};
use ast_grep_core::tree_sitter::LanguageExt as _;
use ast_grep_core::{Matcher as _, NodeMatch};
use serde_json::Value;

use super::shapes::Raw;
use super::{Doc, Language, Node, Parsed};
use crate::finding::Line;

/// Deepest nesting of a rule object: it is read and matched by recursion.
const MAX_RULE_DEPTH: usize = 32;

/// The keys of a rule: the rule itself, tests on its variables, and rules it refers to by name.
const KEYS: [&str; 3] = ["rule", "constraints", "utils"];

/// Why a rule was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// A rule for a language that this build cannot parse.
    #[error("the language `{}` is not compiled in", .0.name())]
    NotCompiledIn(Language),
    /// Not one of `rule`, `constraints`, `utils`.
    #[error("unknown key `{0}`; a rule has `rule`, `constraints` and `utils`")]
    UnknownKey(String),
    /// Rule objects inside rule objects.
    #[error("nested more than {MAX_RULE_DEPTH} levels deep")]
    TooDeep,
    /// `$$$` is a list of nodes, and no node is one.
    #[error("the pattern `{0}` stands for any number of nodes and matches none by itself")]
    OnlyEllipsis(String),
    /// What ast-grep says, with all causes.
    #[error("{0}")]
    Invalid(String),
}

/// A compiled ast-grep rule of one language.
pub struct Rule {
    language: Language,
    core: RuleCore,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("language", &self.language).finish_non_exhaustive()
    }
}

/// A node that a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where, in [`Parsed::source`].
    pub bytes: Range<usize>,
    /// The text of each captured variable, without its `$`; one of several nodes from the first to the last.
    pub variables: BTreeMap<String, String>,
    /// Where each captured variable stands; none for a list that is empty.
    pub spans: BTreeMap<String, Range<usize>>,
}

impl Rule {
    /// Compiles `{"rule": {…}, "constraints": {…}?, "utils": {…}?}`.
    ///
    /// # Errors
    /// [`RuleError`], with every cause in its message. Keys inside the rule objects that ast-grep lets pass are the pack
    /// loader's to check.
    pub fn compile(language: Language, json: &Value) -> Result<Self, RuleError> {
        if !language.is_compiled_in() {
            return Err(RuleError::NotCompiledIn(language));
        }
        if let Some(unknown) = json.as_object().and_then(|map| map.keys().find(|key| !KEYS.contains(&key.as_str()))) {
            return Err(RuleError::UnknownKey(unknown.clone()));
        }
        check(json)?;
        let invalid = |error: &dyn Error| RuleError::Invalid(chain(error));
        let written: SerializableRuleCore = serde_json::from_value(json.clone()).map_err(|error| invalid(&error))?;
        let env = DeserializeEnv::new(language.row().grammar);
        let core = written.get_matcher(env).map_err(|error| invalid(&error))?;
        Ok(Self { language, core })
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether the rule says what kinds of nodes it is about. One that does not (`inside` or `regex` alone) is tried on
    /// every node and matches whole chains of parents: it is fit for a condition, not for a detector.
    pub fn has_kinds(&self) -> bool {
        self.core.potential_kinds().is_some()
    }

    /// Every match in the order in which they start, outer before inner. A node is matched once: of several nodes over
    /// the same bytes only the outermost counts. Nested matches over different bytes are each reported, as ast-grep does.
    pub fn find(&self, parsed: &Parsed) -> Vec<Match> {
        self.find_in(parsed, &|_| true)
    }

    /// [`Self::find`] among the nodes that touch a wanted line.
    pub fn find_in(&self, parsed: &Parsed, lines: &dyn Fn(Line) -> bool) -> Vec<Match> {
        let mut found: Vec<Match> = Vec::new();
        self.visit(parsed, lines, |node| {
            if let Some(matched) = self.match_at(parsed, node)
                && found.last().is_none_or(|last| last.bytes != matched.bytes)
            {
                found.push(matched);
            }
            true
        });
        found
    }

    /// Whether some node that starts on these lines matches.
    pub fn holds_at(&self, parsed: &Parsed, lines: (Line, Line)) -> bool {
        let mut holds = false;
        let wanted = |line: Line| lines.0 <= line && line <= lines.1;
        self.visit(parsed, &wanted, |node| {
            holds = wanted(Line::from_index(node.start_position().row as u32))
                && self.core.match_node(parsed.grep().adopt(node)).is_some();
            !holds
        });
        holds
    }

    /// Calls for each node of a kind that can match, until told to stop.
    fn visit<'p>(&self, parsed: &'p Parsed, lines: &dyn Fn(Line) -> bool, mut each: impl FnMut(Raw<'p>) -> bool) {
        if self.language != parsed.language() {
            return;
        }
        let kinds = self.core.potential_kinds();
        walk(parsed, lines, |node| {
            let possible = kinds.as_ref().is_none_or(|kinds| kinds.contains(node.kind_id().into()));
            !possible || each(node)
        });
    }

    fn match_at(&self, parsed: &Parsed, node: Raw<'_>) -> Option<Match> {
        let matched = self.core.match_node(parsed.grep().adopt(node))?;
        Some(Match::new(node.byte_range(), &matched))
    }
}

impl Match {
    fn new(bytes: Range<usize>, matched: &NodeMatch<'_, Doc>) -> Self {
        let env: &MetaVarEnv<'_, Doc> = matched.get_env();
        let (mut variables, mut spans) = (BTreeMap::new(), BTreeMap::new());
        for variable in env.get_matched_variables() {
            let (name, nodes) = match variable {
                MetaVariable::Capture(name, _) => {
                    let node = env.get_match(&name).cloned();
                    (name, node.into_iter().collect())
                }
                // ast-grep's own label for what a relation matched; variables are upper case.
                MetaVariable::MultiCapture(name) if name == "secondary" => continue,
                MetaVariable::MultiCapture(name) => {
                    let nodes = env.get_multiple_matches(&name);
                    (name, nodes)
                }
                MetaVariable::Dropped(_) | MetaVariable::Multiple => continue,
            };
            let span = span(&nodes);
            let text = span.clone().and_then(|span| matched.get_doc().src.get(span)).unwrap_or("");
            variables.insert(name.clone(), text.to_owned());
            if let Some(span) = span {
                spans.insert(name, span);
            }
        }
        Self { bytes, variables, spans }
    }
}

fn span(nodes: &[Node<'_>]) -> Option<Range<usize>> {
    Some(nodes.first()?.range().start..nodes.last()?.range().end)
}

/// Many rules of one language, matched in one walk over the tree.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// The rules that can match a kind, by kind id.
    by_kind: Vec<Vec<usize>>,
    /// The rules that say no kind.
    any: Vec<usize>,
}

impl RuleSet {
    /// Sorts the rules by the kinds they can match. Rules keep the index at which they stand here.
    pub fn new(rules: Vec<Rule>) -> Self {
        let mut set = Self { rules: Vec::new(), by_kind: Vec::new(), any: Vec::new() };
        for (index, rule) in rules.iter().enumerate() {
            let Some(kinds) = rule.core.potential_kinds() else {
                set.any.push(index);
                continue;
            };
            for kind in &kinds {
                if set.by_kind.len() <= kind {
                    set.by_kind.resize_with(kind + 1, Vec::new);
                }
                set.by_kind[kind].push(index);
            }
        }
        set.rules = rules;
        set
    }

    /// The rules, in the order given.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether some rule may match where only comments changed: a comment or a part of one, a piece of a literal that looks
    /// like one, or a whole file with the comments around its code.
    pub fn reads_comments(&self) -> bool {
        let Some(row) = self.rules.first().map(|rule| rule.language.row()) else { return false };
        let Some(roles) = row.roles() else { return false };
        let grammar = row.grammar.get_ts_language();
        let is_one = |kind: u16| {
            let name = grammar.node_kind_for_id(kind).unwrap_or_default();
            Some(kind) == roles.root
                || roles.of(kind).region.is_some()
                || ["comment", "doc", "string", "text", "content"].iter().any(|part| name.contains(part))
        };
        let kinds = self.by_kind.iter().enumerate().filter(|(_, rules)| !rules.is_empty());
        !self.any.is_empty() || kinds.into_iter().any(|(kind, _)| u16::try_from(kind).is_ok_and(is_one))
    }

    /// Every match of every rule of this language among the nodes that touch a wanted line, with the index of its rule;
    /// in document order, then by rule. What is reported of one rule is what [`Rule::find_in`] reports.
    pub fn scan(&self, parsed: &Parsed, wanted: &dyn Fn(Line) -> bool) -> Vec<(usize, Match)> {
        let mut found = Vec::new();
        if self.rules.iter().all(|rule| rule.language != parsed.language()) {
            return found;
        }
        let mut last: Vec<Option<Range<usize>>> = vec![None; self.rules.len()];
        walk(parsed, wanted, |node| {
            let by_kind = self.by_kind.get(usize::from(node.kind_id())).map_or(&[][..], Vec::as_slice);
            for index in by_kind.iter().chain(&self.any).copied() {
                let Some(rule) = self.rules.get(index).filter(|rule| rule.language == parsed.language()) else {
                    continue;
                };
                if let Some(matched) = rule.match_at(parsed, node)
                    && last[index].as_ref() != Some(&matched.bytes)
                {
                    last[index] = Some(matched.bytes.clone());
                    found.push((index, matched));
                }
            }
            true
        });
        found.sort_by_key(|(index, matched)| (matched.bytes.start, std::cmp::Reverse(matched.bytes.end), *index));
        found
    }
}

impl Parsed {
    /// Visits in document order, outer before inner, every node that touches a wanted line.
    pub fn visit<'p>(&'p self, wanted: &dyn Fn(Line) -> bool, mut each: impl FnMut(&Node<'p>)) {
        walk(self, wanted, |node| {
            each(&self.grep().adopt(node));
            true
        });
    }
}

/// Visits in document order every node that touches a wanted line, without recursion, until told to stop. What holds no
/// wanted line is skipped with everything inside it.
fn walk<'p>(parsed: &'p Parsed, wanted: &dyn Fn(Line) -> bool, mut each: impl FnMut(Raw<'p>) -> bool) {
    let lines: Vec<usize> = (0..parsed.line_count()).filter(|index| wanted(Line::from_index(*index as u32))).collect();
    let all = lines.len() == parsed.line_count();
    let touches = |node: Raw<'_>| {
        let (first, last) = (node.start_position().row, node.end_position().row);
        lines.get(lines.partition_point(|line| *line < first)).is_some_and(|line| *line <= last)
    };
    let mut cursor = parsed.grep().root().get_inner_node().walk();
    loop {
        let node = cursor.node();
        let inside = all || touches(node);
        if inside && !each(node) {
            return;
        }
        if inside && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Refuses what ast-grep would recurse into too deeply or assert about.
fn check(json: &Value) -> Result<(), RuleError> {
    let mut open = vec![(json, 0, false)];
    while let Some((value, depth, is_pattern)) = open.pop() {
        if depth > MAX_RULE_DEPTH * 2 {
            return Err(RuleError::TooDeep);
        }
        match value {
            Value::Object(map) => {
                open.extend(map.iter().map(|(key, value)| (value, depth + 1, key == "pattern" || key == "context")));
            }
            Value::Array(list) => open.extend(list.iter().map(|value| (value, depth + 1, false))),
            Value::String(text) if is_pattern && is_ellipsis(text) => {
                return Err(RuleError::OnlyEllipsis(text.trim().to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_ellipsis(pattern: &str) -> bool {
    let name = pattern.trim().trim_end_matches(';').strip_prefix("$$$");
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
}

/// An error and all its causes on one line.
fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |error: &&dyn Error| (*error).source());
    let mut out = String::new();
    for text in causes.map(ToString::to_string) {
        if !out.ends_with(&text) {
            if !out.is_empty() {
                out.push_str(": ");
            }
            out.push_str(text.trim_end_matches('.'));
        }
    }
    out
}
