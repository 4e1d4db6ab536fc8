//! Deterministic detectors as packs describe them: a regular expression over the text, an ast-grep rule over the parse,
//! or a built-in by name.

use std::sync::{Arc, OnceLock};

use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind};

use super::condition::languages;
use super::condition::{Expression, Known, MAX_REGEX};
use super::pattern;
use super::template::Template;
use crate::document::{At, Fields, Node, Problem};
use crate::finding::Level;
use crate::syntax::{Language, Rule};

/// Where in a file a regular expression looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Outside comments and strings.
    Code,
    /// In string literals.
    String,
    /// In comments.
    Comment,
    /// Everywhere; needs no parse.
    Any,
}

impl Place {
    const NAMES: [&'static str; 4] = ["code", "string", "comment", "any"];

    fn parse(name: &str) -> Option<Self> {
        match name {
            "code" => Some(Self::Code),
            "string" => Some(Self::String),
            "comment" => Some(Self::Comment),
            "any" => Some(Self::Any),
            _ => None,
        }
    }
}

/// How a detector finds.
#[derive(Debug)]
pub enum How {
    /// A regular expression.
    Regex {
        /// Compiled at first use.
        pattern: LazyRegex,
        /// Where it looks.
        place: Place,
    },
    /// An ast-grep rule, compiled for a language at first use by [`Detector::rule_for`].
    Rule(Node),
    /// A built-in of the floor above, by name.
    Builtin(String),
}

/// A detector of a tag.
#[derive(Debug)]
pub struct Detector {
    /// `Tag/id`.
    pub id: Arc<str>,
    /// The languages it reads; empty for all text.
    pub languages: Vec<Language>,
    /// How it finds.
    pub how: How,
    /// Where it stays silent.
    pub unless: Option<Expression>,
    /// A level of its own.
    pub level: Option<Level>,
    /// What it says.
    pub message: Template,
    /// What to put in place of the match.
    pub fix: Option<Template>,
    /// Where it stands.
    pub at: At,
}

impl Detector {
    pub(super) fn parse(node: &Node, tag: &str, known: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Self> {
        let mut fields = Fields::of(node, "a detector", problems)?;
        let id = fields.required("id").and_then(Node::text).unwrap_or_default().to_owned();
        let languages = match fields.node("lang") {
            Some(lang) => languages(lang, fields.problems),
            None => Vec::new(),
        };
        let place = fields.word("in", &Place::NAMES).and_then(|name| Place::parse(&name)).unwrap_or(Place::Code);
        let inner = Known { classes: known.classes, languages: &languages };
        let unless = match fields.node("unless") {
            Some(unless) => Expression::parse(unless, &inner, fields.problems),
            None => None,
        };
        let level = fields.word("level", &["error", "warning", "note"]);
        let level = level.and_then(|name| Level::ALL.into_iter().find(|level| level.name() == name));
        let message = fields.required("message").and_then(|node| Template::parse(node, fields.problems));
        let fix = fields.node("fix").and_then(|node| Template::parse(node, fields.problems));
        let how = how(&mut fields, place, &languages);
        let at = fields.at().clone();
        fields.finish();
        Some(Self { id: format!("{tag}/{id}").into(), languages, how: how?, unless, level, message: message?, fix, at })
    }

    /// Compiles its rule for a language it reads; problems say where it stands.
    pub fn rule_for(&self, language: Language, problems: &mut Vec<Problem>) -> Option<Rule> {
        match &self.how {
            How::Rule(node) => pattern::compile(language, node, None, problems),
            How::Regex { .. } | How::Builtin(_) => None,
        }
    }

    /// Whether it can read a file without a parse.
    pub fn is_textual(&self) -> bool {
        self.languages.is_empty() && matches!(&self.how, How::Regex { place: Place::Any, .. } | How::Builtin(_))
    }

    /// Compiles whatever is compiled at first use, to report what is wrong with it now.
    pub fn check(&self, problems: &mut Vec<Problem>) {
        for language in self.languages.iter().filter(|language| language.is_compiled_in()) {
            self.rule_for(*language, problems);
        }
        if let How::Regex { pattern, .. } = &self.how
            && let Err(error) = pattern.build()
        {
            problems.push(Problem::at(&pattern.at, error));
        }
    }
}

fn how(fields: &mut Fields<'_, '_>, place: Place, languages: &[Language]) -> Option<How> {
    let (regex, rule, builtin) = (fields.node("regex"), fields.node("rule"), fields.node("builtin"));
    let at = fields.at().clone();
    let words = fields.texts("words").unwrap_or_default();
    if !words.is_empty() && (regex.is_none() || place != Place::Any) {
        let problem = Problem::at(&at, "`words` are a first look at text, so they need `regex` and `in: any`");
        fields.problems.push(problem);
    }
    match (regex, rule, builtin) {
        (Some(regex), None, None) => {
            let Some(pattern) = regex.text() else {
                fields.problems.push(Problem::at(&regex.at, "a regular expression is a text"));
                return None;
            };
            if pattern.len() > MAX_REGEX {
                let problem = format!("this regular expression is longer than {MAX_REGEX} bytes");
                fields.problems.push(Problem::at(&regex.at, problem));
                return None;
            }
            if languages.is_empty() && place != Place::Any {
                let problem = Problem::at(&at, "a detector for every language needs `in: any`");
                fields
                    .problems
                    .push(problem.help("only a parse tells code, strings and comments apart; or name `lang`"));
            }
            let (source, at) = (pattern.to_owned(), regex.at.clone());
            let pattern = LazyRegex { source, at, words, compiled: OnceLock::new() };
            Some(How::Regex { pattern, place })
        }
        (None, Some(rule), None) => {
            if languages.is_empty() {
                fields.problems.push(Problem::at(&rule.at, "a rule needs `lang`: it is written for a grammar"));
                return None;
            }
            pattern::check(rule, fields.problems)?;
            Some(How::Rule(rule.clone()))
        }
        (None, None, Some(builtin)) => match builtin.text() {
            Some(name) => Some(How::Builtin(name.to_owned())),
            None => {
                fields.problems.push(Problem::at(&builtin.at, "a built-in is a name"));
                None
            }
        },
        _ => {
            fields.problems.push(Problem::at(&at, "a detector has exactly one of `regex`, `rule` and `builtin`"));
            None
        }
    }
}

/// Shortest text that tells anything of a file.
const MIN_NEEDLE: usize = 2;

fn shortest(texts: &[Vec<u8>]) -> usize {
    texts.iter().map(Vec::len).min().unwrap_or(0)
}

/// The most telling literals inside an expression.
fn inner(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(vec![literal.0.to_vec()]),
        HirKind::Capture(capture) => inner(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => inner(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(inner).max_by_key(|texts| shortest(texts)),
        HirKind::Alternation(parts) => {
            parts.iter().map(inner).collect::<Option<Vec<_>>>().map(|texts| texts.into_iter().flatten().collect())
        }
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

/// A regular expression over bytes, `^` and `$` at line borders, compiled at first use.
#[derive(Debug, Clone)]
pub struct LazyRegex {
    source: String,
    at: At,
    words: Vec<String>,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    /// An expression that no pack holds.
    ///
    /// # Errors
    /// Why it is none.
    pub fn compiled(source: &str) -> Result<Self, String> {
        let at = At { source: "configuration".into(), line: 1, column: 1 };
        let regex = Self { source: source.to_owned(), at, words: Vec::new(), compiled: OnceLock::new() };
        regex.build().map(|_| regex)
    }

    /// The expression as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The compiled expression; `None` where the text is none, which [`Detector::check`] reports.
    pub fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| self.build().ok()).as_ref()
    }

    /// Words of which one, in any case, must stand in a text that is searched; none where the pack names none.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Texts of which every match holds one, so that whoever finds none of them need not compile the expression. `None`
    /// where there are no such texts, or only some that stand everywhere.
    pub fn needles(&self) -> Option<Vec<Vec<u8>>> {
        let hir = ParserBuilder::new().utf8(false).multi_line(true).crlf(true).build().parse(&self.source).ok()?;
        let prefixes = Extractor::new().extract(&hir);
        let prefixes = prefixes.literals().map(|all| all.iter().map(|one| one.as_bytes().to_vec()).collect());
        let telling = [prefixes, inner(&hir)].into_iter().flatten().max_by_key(|texts: &Vec<_>| shortest(texts))?;
        (shortest(&telling) >= MIN_NEEDLE).then_some(telling)
    }

    fn build(&self) -> Result<Regex, String> {
        regex::bytes::RegexBuilder::new(&self.source).multi_line(true).crlf(true).size_limit(4 << 20).build().map_err(
            |error| {
                let text = error.to_string();
                let reason =
                    text.lines().last().unwrap_or("it cannot be read").trim_start_matches("error: ").to_owned();
                format!("this is no regular expression: {reason}")
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(source: &str) -> Option<Vec<String>> {
        let at = At { source: "t".into(), line: 1, column: 1 };
        let regex = LazyRegex { source: source.to_owned(), at, words: Vec::new(), compiled: OnceLock::new() };
        let texts = regex.needles()?;
        Some(texts.into_iter().map(|text| String::from_utf8_lossy(&text).into_owned()).collect())
    }

    #[test]
    fn every_match_holds_a_needle() {
        assert_eq!(needles(r"\bgh[ps]_(?P<t>[A-Za-z0-9]{36})\b"), Some(vec!["ghp_".to_owned(), "ghs_".to_owned()]));
        assert_eq!(needles(r"\b[0-9]{8,10}:(?P<t>AA[\w-]{33})"), Some(vec!["AA".to_owned()]));
        assert_eq!(needles(r"^\s*(?:export\s+)?NODE_TLS\s*="), Some(vec!["NODE_TLS".to_owned()]));
        assert_eq!(needles(r"(?:abc|xyz)?\d+"), None);
        assert_eq!(needles(r"(?:abc|\d)x"), None);
        assert_eq!(needles("a"), None);
    }
}
