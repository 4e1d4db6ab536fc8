//! Examples inside packs: they are the tests of a tag and, later, the shots of a prompt.

use crate::document::{At, Fields, Node, Problem};
use crate::syntax::Language;

/// One example.
#[derive(Debug, Clone)]
pub struct Example {
    /// Where it stands.
    pub at: At,
    /// The language of its code; `None` for text that no parser reads.
    pub language: Option<Language>,
    /// A file name, where the path matters.
    pub path: Option<String>,
    /// What it shows.
    pub kind: Kind,
}

/// What an example shows.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Code with findings on exactly the lines that end in a marker, and code without any.
    Detector {
        /// With findings.
        bad: Option<String>,
        /// Without.
        good: Option<String>,
        /// What `bad` becomes when every suggestion is applied.
        fixed: Option<String>,
    },
    /// A model's claim about `code` and what must become of it.
    Claim {
        /// The file.
        code: String,
        /// The line the claim names.
        line: u32,
        /// The code it quotes.
        quote: String,
        /// What it says.
        rationale: String,
        /// `keep`, `drop:<id>` or `refuted:<fact>`.
        expect: String,
    },
}

/// Longest line that a model is shown of a tag.
const SHOT: usize = 80;

impl Example {
    /// The first line that it calls bad, where it is short.
    pub fn shot(&self) -> Option<String> {
        let line = match &self.kind {
            Kind::Detector { bad: Some(bad), .. } => bad.lines().find_map(|line| {
                let line = line.trim_end();
                line.strip_suffix("//!").or_else(|| line.strip_suffix("#!"))
            })?,
            Kind::Claim { quote, expect, .. } if expect == "keep" => quote.lines().next()?,
            Kind::Detector { .. } | Kind::Claim { .. } => return None,
        };
        let line = line.trim();
        (!line.is_empty() && line.chars().count() <= SHOT && !line.contains('`')).then(|| line.to_owned())
    }
}

/// Reads one example.
pub(super) fn example(node: &Node, problems: &mut Vec<Problem>) -> Option<Example> {
    let mut fields = Fields::of(node, "an example", problems)?;
    let at = fields.at().clone();
    let language = fields.text("lang").and_then(|name| match super::condition::language(&name) {
        Ok(language) => Some(language),
        Err((what, help)) => {
            // `text` is written where no grammar is meant.
            if name != "text" && Language::parse_name(&name).is_none() {
                fields.problems.push(Problem::at(&at, what).help(help));
            }
            None
        }
    });
    let path = fields.text("path");
    let (bad, good, fixed) = (fields.text("bad"), fields.text("good"), fields.text("fixed"));
    let code = fields.text("code");
    let claim = fields.node("claim");
    let expect = fields.text("expect");
    let kind = match (claim, code, expect) {
        (None, None, None) if bad.is_some() || good.is_some() => Some(Kind::Detector { bad, good, fixed }),
        (Some(claim), Some(code), Some(expect)) if bad.is_none() && good.is_none() => {
            claim_kind(claim, code, expect, fields.problems)
        }
        _ => {
            let problem = Problem::at(&at, "an example has `bad` and `good`, or `code`, `claim` and `expect`");
            fields.problems.push(problem);
            None
        }
    };
    fields.finish();
    Some(Example { at, language, path, kind: kind? })
}

fn claim_kind(claim: &Node, code: String, expect: String, problems: &mut Vec<Problem>) -> Option<Kind> {
    let mut fields = Fields::of(claim, "a claim", problems)?;
    let line = fields.integer("line", 1, 1_000_000);
    let quote = fields.text("quote");
    let rationale = fields.text("rationale").unwrap_or_default();
    let good = expect == "keep" || expect.starts_with("drop:") || expect.starts_with("refuted:");
    if !good {
        let problem = Problem::at(&claim.at, format!("`{expect}` is no expectation"));
        fields.problems.push(problem.help("write `keep`, `drop:<id>` or `refuted:<fact>`"));
    }
    if line.is_none() || quote.is_none() {
        fields.problems.push(Problem::at(&claim.at, "a claim needs `line` and `quote`"));
    }
    fields.finish();
    Some(Kind::Claim { code, line: line? as u32, quote: quote?, rationale, expect })
}
