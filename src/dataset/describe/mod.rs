//! What a known bug is: whether a review could have prevented it, what it is in less than 100 words, and its category,
//! impact and severity, after CR-Bench (section 4; appendix A, listings 1, 2, 3). Asked through any provider.
//!
//! Of each case the problem statement is the description of its first bug, else title and description of the change, and
//! the fix is the fact `fix`: a commit of the case's repository.

mod taxonomy;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::asking::{Asker, Log, Missing, Question, ask, object, parsed, text};
use super::{Files, REJECTED, Rejected, page};
use crate::context::Context;
use crate::diff::{self, ChangeSet, Globs};
use crate::git::{Env, Repository, Side};
use crate::provider::Schema;
use crate::record::{self, Bug, Case, Dataset, Error, Manifest, Source};

pub use taxonomy::{CATEGORIES, IMPACTS, SEVERITIES, Term, find};

/// A description has fewer words (listing 2).
pub const WORDS: usize = 100;

/// The fact of a case that names the commit that mended it.
pub const FIX: &str = "fix";

/// Most characters of a fix that are shown.
const MOST_FIX: usize = 60_000;

const PREVENTABLE: &str = "\
You read what was wrong with a program and the change that mended it. Decide whether the fault came in with an earlier \
change, so that whoever reviewed that change with care could have seen it.

PREVENTABLE: the change mends wrong behaviour, an error, a crash or an unexpected result that an earlier change brought in
UNPREVENTABLE: anything else, such as a new feature, a restructuring, documentation, a speed-up

confidence: 0 to 100
reasoning: one or two sentences
";

const DESCRIPTION: &str = "\
You read what was wrong with a program and the change that mended it. Describe the fault for an engineer who has to find it \
in the code before the mend.

Begin with what is wrong. Quote the faulty code, in backticks. Say why it is wrong and what follows when it runs. Give the \
cause, not the symptoms. Fewer than 100 words, plain text, no heading. Do not tell how it was mended.
";

/// The three tags are listed behind it.
const TAGS: &str = "\
You read what was wrong with a program and the change that mended it. Name the fault's category, impact and severity, one \
value each, exactly as written below, and give the reason in one or two sentences.
";

/// The stages, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Preventable,
    Description,
    Tags,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Preventable, Self::Description, Self::Tags];

    const fn key(self) -> &'static str {
        match self {
            Self::Preventable => "cr-bench.preventable",
            Self::Description => "cr-bench.description",
            Self::Tags => "cr-bench.tags",
        }
    }

    fn system(self) -> String {
        match self {
            Self::Preventable => PREVENTABLE.to_owned(),
            Self::Description => DESCRIPTION.to_owned(),
            Self::Tags => {
                let mut system = TAGS.to_owned();
                let lists: [(&str, &[Term]); 3] =
                    [("category", &CATEGORIES), ("impact", &IMPACTS), ("severity", &SEVERITIES)];
                for (name, terms) in lists {
                    let _ = writeln!(system, "\n{name}:");
                    for term in terms {
                        let _ = writeln!(system, "- {}: {}", term.name, term.about);
                    }
                }
                system
            }
        }
    }

    fn schema(self) -> Schema {
        let string = || json!({"type": "string"});
        let one_of = |terms: &[Term]| {
            let names: Vec<&str> = terms.iter().map(|term| term.name).collect();
            json!({"type": "string", "enum": names})
        };
        match self {
            Self::Preventable => object(
                "preventable",
                json!({
                    "category": {"type": "string", "enum": ["PREVENTABLE", "UNPREVENTABLE"]},
                    "confidence": {"type": "integer"},
                    "reasoning": string(),
                }),
            ),
            Self::Description => object("description", json!({"description": string()})),
            Self::Tags => object(
                "tags",
                json!({
                    "category": one_of(&CATEGORIES),
                    "impact": one_of(&IMPACTS),
                    "severity": one_of(&SEVERITIES),
                    "reasoning": string(),
                }),
            ),
        }
    }

    fn read(self, answer: &str) -> Result<Value, String> {
        let value = parsed(answer)?;
        match self {
            Self::Preventable => {
                let category = text(&value, "category", 40)?.to_uppercase();
                if !["PREVENTABLE", "UNPREVENTABLE"].contains(&category.as_str()) {
                    return Err("`category` is neither PREVENTABLE nor UNPREVENTABLE".to_owned());
                }
                let confidence = value.get("confidence").and_then(Value::as_f64).ok_or("`confidence` is no number")?;
                // The paper asks for 0.0 to 1.0; strict shapes have whole numbers.
                let share = if confidence > 1.0 { confidence / 100.0 } else { confidence };
                if !(0.0..=1.0).contains(&share) {
                    return Err("`confidence` is not between 0 and 100".to_owned());
                }
                Ok(json!({"category": category, "confidence": share, "reasoning": text(&value, "reasoning", 4_000)?}))
            }
            Self::Description => {
                let description = text(&value, "description", 4_000)?;
                let words = description.split_whitespace().count();
                if words >= WORDS {
                    return Err(format!("`description` has {words} words; fewer than {WORDS} are wanted"));
                }
                Ok(json!({"description": description}))
            }
            Self::Tags => {
                let term = |key: &str, terms: &'static [Term]| {
                    let name = text(&value, key, 100)?;
                    find(terms, name).map(|term| term.name).ok_or_else(|| format!("`{key}` is none of its values"))
                };
                Ok(json!({
                    "category": term("category", &CATEGORIES)?,
                    "impact": term("impact", &IMPACTS)?,
                    "severity": term("severity", &SEVERITIES)?,
                    "reasoning": text(&value, "reasoning", 4_000)?,
                }))
            }
        }
    }
}

/// What came of a dataset.
#[derive(Debug)]
pub struct Described {
    /// As written; `None` while answers are missing, so that no folder looks whole that is not.
    pub dataset: Option<Dataset>,
    /// Cases that are not in it: without a bug or a fix, or not preventable.
    pub rejected: Vec<Rejected>,
    /// Questions without an answer.
    pub missing: Vec<Missing>,
    /// Answers that are new.
    pub answered: usize,
}

/// Asks all three stages of all cases with bugs, and writes what is preventable into `out`, described.
///
/// # Errors
/// Answers or the new dataset cannot be written.
pub fn describe(
    dataset: &Dataset,
    context: &Context<'_>,
    env: Env<'_>,
    asker: &Asker<'_>,
    log: &mut Log,
    out: &Path,
) -> Result<Described, Error> {
    let (mut rejected, mut missing, mut answered) = (Vec::new(), Vec::new(), 0);
    let mut open: Vec<(&Case, String)> = Vec::new();
    for case in &dataset.cases {
        match material(dataset, case, context, env) {
            Ok(user) => open.push((case, user)),
            Err(why) => rejected.push(why),
        }
    }
    for stage in Stage::ALL {
        let question = |(case, user): &(&Case, String)| Question {
            case: case.id.clone(),
            system: stage.system(),
            user: user.clone(),
        };
        let questions: Vec<Question> = open.iter().map(question).collect();
        let outcome = ask(asker, log, stage.key(), &stage.schema(), &questions, &|_, answer, _| stage.read(answer))?;
        answered += outcome.answered;
        open.retain(|(case, _)| !outcome.missing.iter().any(|missing| missing.case == case.id));
        missing.extend(outcome.missing);
        if stage == Stage::Preventable {
            open.retain(|(case, _)| {
                let answer = log.answer(stage.key(), &case.id);
                let is = answer.and_then(|answer| answer.get("category")).is_some_and(|name| name == "PREVENTABLE");
                if !is {
                    let why = answer.and_then(|answer| answer.get("reasoning")).and_then(Value::as_str);
                    rejected.push(Rejected::new(&case.id, "unpreventable", why.unwrap_or_default()));
                }
                is
            });
        }
    }
    rejected.sort();
    if !missing.is_empty() {
        return Ok(Described { dataset: None, rejected, missing, answered });
    }
    let mut files = Files::new(out);
    let mut cases = Vec::new();
    for (case, _) in open {
        cases.push(described(files.bring(dataset, case)?, log));
    }
    let manifest = Manifest {
        name: format!("{}-described", dataset.manifest.name),
        built: BTreeMap::from([
            ("command".to_owned(), json!("dataset describe")),
            ("dataset".to_owned(), json!(dataset.manifest.name)),
            ("digest".to_owned(), json!(dataset.manifest.digest)),
        ]),
        ..dataset.manifest.clone()
    };
    let dataset = Dataset::write(out, manifest, cases)?;
    record::write(&out.join(REJECTED), &rejected)?;
    Ok(Described { dataset: Some(dataset), rejected, missing, answered })
}

fn described(mut case: Case, log: &Log) -> Case {
    let text = |stage: Stage, key: &str| Some(log.answer(stage.key(), &case.id)?.get(key)?.as_str()?.to_owned());
    let description = text(Stage::Description, "description");
    let tags = [text(Stage::Tags, "category"), text(Stage::Tags, "impact"), text(Stage::Tags, "severity")];
    if let Some(preventable) = log.answer(Stage::Preventable.key(), &case.id) {
        case.facts.insert("preventable".to_owned(), preventable.clone());
    }
    // The answers are about one bug: the one that the fix mends.
    if let Some(Bug { description: own, category, impact, severity, .. }) = case.bugs.first_mut() {
        if let Some(description) = description {
            let before = std::mem::replace(own, description);
            case.facts.insert("problem".to_owned(), Value::from(before));
            if let Some(from) = case.facts.insert("description_from".to_owned(), Value::from("model")) {
                case.facts.insert("problem_from".to_owned(), from);
            }
        }
        let [new_category, new_impact, new_severity] = tags;
        *category = new_category.or(category.take());
        *impact = new_impact.or(impact.take());
        *severity = new_severity.or(severity.take());
    }
    case
}

/// What is shown of a case at every stage: the problem and the fix.
fn material(dataset: &Dataset, case: &Case, context: &Context<'_>, env: Env<'_>) -> Result<String, Rejected> {
    let no = |reason: &str, detail: String| Rejected::new(&case.id, reason, detail);
    let bug = case.bugs.first().ok_or_else(|| no("no-bug", String::new()))?;
    let Source::Commits { repository, .. } = &case.source else {
        return Err(no("no-fix", "the case is no change between two commits".to_owned()));
    };
    let commit = case.facts.get(FIX).and_then(Value::as_str);
    let commit = commit.ok_or_else(|| no("no-fix", format!("the fact `{FIX}` names no commit")))?;
    let git = |error: crate::git::Error| no("unreadable", error.to_string());
    let repo = Repository::open(&dataset.path(repository), env).map_err(git)?;
    let commit = repo.resolve(commit).and_then(|id| repo.commit(id)).map_err(git)?;
    let parent = commit.parents.first().ok_or_else(|| no("no-fix", "the fix has no parent".to_owned()))?;
    let before = repo.tree_of(*parent).map_err(git)?;
    let (old, new) = (Side::Tree(before), Side::Tree(commit.tree));
    let limits = diff::Limits::default();
    let change = ChangeSet::between(&repo, &old, &new, Some(before), &limits, &Globs::default()).map_err(git)?;
    let (fix, skipped) = page::diff(context, &change.files);
    if fix.is_empty() {
        return Err(no("no-fix", format!("nothing of the fix can be shown: {}", skipped.join(", "))));
    }
    if fix.chars().count() > MOST_FIX {
        return Err(no("too-long", format!("the fix has more than {MOST_FIX} characters")));
    }
    let problem = if bug.description.trim().is_empty() {
        page::about(&case.title, &case.description)
    } else {
        bug.description.clone()
    };
    let place = match (&bug.file, bug.line) {
        (Some(file), Some(line)) => {
            let end = bug.end_line.unwrap_or(line);
            format!("The fault stood in {}, lines {line}-{end}.\n", crate::escape::visible(file))
        }
        _ => String::new(),
    };
    Ok(format!("{}\n{place}\n{}", page::fenced("PROBLEM", &problem), page::fenced("FIX", &fix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_faults_named() {
        let long = "word ".repeat(WORDS);
        for (stage, answer, fault) in [
            (Stage::Preventable, r#"{"category":"maybe","confidence":1,"reasoning":"r"}"#.to_owned(), "neither"),
            (
                Stage::Preventable,
                r#"{"category":"PREVENTABLE","confidence":101,"reasoning":"r"}"#.to_owned(),
                "between",
            ),
            (Stage::Preventable, r#"{"category":"PREVENTABLE","confidence":90}"#.to_owned(), "`reasoning`"),
            (Stage::Description, format!(r#"{{"description":"{long}"}}"#), "100 words"),
            (
                Stage::Tags,
                r#"{"category":"Odd","impact":"Security","severity":"low","reasoning":"r"}"#.to_owned(),
                "`category`",
            ),
        ] {
            let why = stage.read(&answer).expect_err(&answer);
            assert!(why.contains(fault), "{why}");
        }
        let tags = r#"{"category":"Concurrent Bugs","impact":"reliability","severity":"HIGH","reasoning":"r"}"#;
        let tags = Stage::Tags.read(tags).expect("aliases are known");
        assert_eq!((&tags["category"], &tags["severity"]), (&json!("concurrency"), &json!("high")));
        let sure = Stage::Preventable.read(r#"{"category":"preventable","confidence":0.9,"reasoning":"r"}"#);
        assert_eq!(sure.expect("the paper's scale")["confidence"], json!(0.9));
    }
}
