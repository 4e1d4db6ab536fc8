use super::{Condition, Known, Subject, Test, Truth};
use crate::document::{Node, Problem, Value, nearest};
use crate::syntax::Language;

pub(super) const CONDITION: Condition =
    Condition { key: "lang", help: "the file is written in one of these languages", parse };

#[derive(Debug)]
struct Lang(Vec<Language>);

fn parse(node: &Node, _: &Known<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Test>> {
    Some(Box::new(Lang(languages(node, problems))))
}

impl Test for Lang {
    fn holds(&self, subject: &Subject<'_>) -> Truth {
        subject.language.is_some_and(|language| self.0.contains(&language)).into()
    }
}

/// One language name or a list of them.
pub(in crate::rules) fn languages(node: &Node, problems: &mut Vec<Problem>) -> Vec<Language> {
    let mut found = Vec::new();
    for item in node.items() {
        match &item.value {
            Value::Text(name) => match language(name) {
                Ok(language) => found.push(language),
                Err((what, help)) => problems.push(Problem::at(&item.at, what).help(help)),
            },
            other => problems.push(Problem::at(&item.at, format!("a language is a name, not {}", other.kind()))),
        }
    }
    found
}

/// A language that is compiled in, by name; else what is wrong and what to do.
pub(in crate::rules) fn language(name: &str) -> Result<Language, (String, String)> {
    match Language::parse_name(name) {
        Some(language) if language.is_compiled_in() => Ok(language),
        Some(language) => Err((
            format!("this build has no grammar for `{}`", language.name()),
            format!("build with the feature `lang-{}`", language.name()),
        )),
        None => {
            let valid: Vec<_> = Language::all().map(Language::name).collect();
            Err((format!("there is no language `{name}`"), nearest(name, &valid)))
        }
    }
}
