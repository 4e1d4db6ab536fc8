//! Merged changes of a clone that a dataset can be made of, by the filters of Sphinx (data filtering) and SWE-PRBench
//! (section 3.2). What only a forge knows comes from an export; without one the filters that need it are named as unknown
//! in each case, and nothing is guessed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::bots::{ai_review_share, is_bot_name, is_updater};
use super::changes::{Kind, Landed};
use super::export::{Export, Note, PullRequest};
use super::funnel::{Built, Funnel, No, Reason};
use super::joined::Joined;
use super::people::{self, Evidence};
use super::quality::RepositoryQuality;
use super::tokens::{self, Looked, Tokenizer};
use super::value::ReviewValue;
use super::{Error, Past, Sort, slug};
use crate::context::estimate_tokens;
use crate::dataset::Rejected;
use crate::diff::{Body, ChangeSet, FileChange, Text};
use crate::digest::Hash;
use crate::finding::RepoPath;
use crate::git::Oid;
use crate::record::{Case, Difficulty, HumanComment, Origin, Source};
use crate::review::pool;
use crate::syntax::Language;

/// Why a change gives no case, in the order in which it is looked at; a profile uses its own part.
pub(super) const REASONS: [Reason; 20] = [
    ("no-pull-request", "a commit that names no pull request"),
    ("no-parent", "the first commit of the history"),
    ("shallow", "the commit before it is not in this clone"),
    ("ambiguous", "its number is in the export, and nothing there tells that it is this change"),
    ("not-merged", "the export says that it was not merged"),
    ("dependency-update", "a program proposed new versions of dependencies"),
    ("bot", "its author is a program"),
    ("empty", "it changes nothing"),
    ("few-comments", "fewer than two substantive comments of people"),
    ("ai-reviews", "more than 30 % of the comments are of services or read like it"),
    ("docs-only", "it changes prose or examples alone"),
    ("tests-only", "it changes no file beside tests"),
    ("not-one-file", "it changes none or several files"),
    ("language", "it changes no file in a language that was asked for"),
    ("unreadable", "a file of it cannot be read as text"),
    ("incomplete", "description, old code, new code or linked issue is missing"),
    ("too-many-tokens", "description and old code have more tokens than asked for"),
    ("too-large", "it adds more lines than asked for"),
    ("low-value", "its review value is below the threshold"),
    ("duplicate", "an earlier change removes and adds the same lines of the same files"),
];

/// Share of comments of services above which reviews count as theirs (paper).
const AI_SHARE: f64 = 0.30;
/// Fewest substantive comments (paper).
const COMMENTS: usize = 2;

/// Whose filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// One file, complete, at most so many tokens.
    Sphinx,
    /// The ten stages, the last of them the review value.
    SwePrBench,
}

/// How changes are collected.
#[derive(Debug, Clone)]
pub struct CollectOptions {
    /// Whose filters.
    pub profile: Profile,
    /// The project, such as `owner/name`.
    pub name: String,
    /// The clone as cases name it.
    pub repository: String,
    /// The project's licence, as an SPDX expression.
    pub licence: Option<String>,
    /// Only changes to files of these; none means every language that can be parsed.
    pub languages: Vec<Language>,
    /// Also commits that name no pull request, each as a change of its own.
    pub plain: bool,
    /// Sphinx: a linked issue is part of what is complete.
    pub need_issue: bool,
    /// Sphinx: most tokens of title, description and old code, as somebody counts or estimates them.
    pub tokens: u32,
    /// SWE-PRBench: most added lines.
    pub added: u64,
    /// SWE-PRBench: least review value.
    pub value: f64,
    /// How many changes are looked at together.
    pub threads: usize,
}

impl CollectOptions {
    /// What decides which cases there are; `tokens` stand beside it, with who counts them.
    fn told(&self, export: Option<&Export>) -> Value {
        let names: Vec<&str> = self.languages.iter().map(|language| language.name()).collect();
        let export = export.map(|export| export.pull_requests.len());
        match self.profile {
            Profile::Sphinx => json!({
                "profile": "sphinx",
                "languages": names,
                "plain": self.plain,
                "exported_pull_requests": export,
                "need_issue": self.need_issue,
            }),
            Profile::SwePrBench => json!({
                "profile": "swe-prbench",
                "languages": names,
                "plain": self.plain,
                "exported_pull_requests": export,
                "added": self.added,
                "value": self.value,
            }),
        }
    }
}

/// Looks at the changes that landed after `from`, oldest first; `done` hears of each. For SWE-PRBench the repository's
/// quality comes with it. Without a tokenizer tokens are estimated.
///
/// # Errors
/// A commit is missing or damaged, or tokens cannot be counted.
pub fn collect(
    past: &Past<'_>,
    landed: &[Landed],
    export: Option<&Export>,
    tokenizer: Option<&Tokenizer<'_>>,
    options: &CollectOptions,
    done: &(dyn Fn() + Sync),
) -> Result<(Built, Option<RepositoryQuality>), Error> {
    let collector = Collector { past, joined: Joined::new(past, landed, export), counts: tokenizer.is_some(), options };
    let mut built = Built::default();
    let mut known: HashMap<String, Oid> = HashMap::new();
    for part in landed.chunks(tokens::AT_ONCE) {
        let look = |(): &mut (), index: usize| {
            let result = collector.look(&part[index]);
            done();
            result
        };
        let results = pool::map(part.len(), options.threads, || (), look);
        let mut results = results.into_iter().collect::<Result<Vec<_>, Error>>()?;
        if let Some(tokenizer) = tokenizer {
            tokenizer.look(&mut results, options.tokens)?;
        }
        for (landed, result) in part.iter().zip(results) {
            let outcome = result.and_then(|looked| match known.entry(looked.lines) {
                Entry::Occupied(first) => Err(No("duplicate", first.get().short())),
                Entry::Vacant(entry) => {
                    entry.insert(landed.head());
                    Ok(looked.case)
                }
            });
            match outcome {
                Ok(case) => built.cases.push(case),
                Err(No(reason, detail)) => {
                    built.rejected.push(Rejected::commit(&landed.head().hex(), landed.title(), reason, detail));
                }
            }
        }
    }
    built.funnel = Funnel::of(&REASONS, &built.rejected, built.cases.len());
    built.built.insert("options".to_owned(), options.told(export));
    let quality = match options.profile {
        Profile::Sphinx => {
            let by = tokenizer.map_or("estimate", |tokenizer| tokenizer.name.as_str());
            built.built.insert("tokens".to_owned(), json!({"by": by, "most": options.tokens}));
            None
        }
        Profile::SwePrBench => Some(RepositoryQuality::of(past, &past.landed_since(None)?, export)?),
    };
    if let Some(quality) = &quality {
        built.built.insert("repository_quality".to_owned(), quality.value());
    }
    Ok((built, quality))
}

struct Collector<'a> {
    past: &'a Past<'a>,
    joined: Joined<'a>,
    /// Somebody counts tokens, so that none are estimated.
    counts: bool,
    options: &'a CollectOptions,
}

static BUMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bbump \S+(?: and \S+)? from \S+ to \S+|\bfrom \S*/?(?:dependabot|renovate|pyup)[/-]|^(?:chore|fix|build)\(deps(?:-dev)?\)")
        .expect("the pattern is a constant that compiles")
});
static CLOSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:issue\s+)?#(\d{1,9})\b")
        .expect("the pattern is a constant that compiles")
});

impl Collector<'_> {
    fn look(&self, landed: &Landed) -> Result<Result<Looked, No>, Error> {
        let pull = self.joined.pull(landed);
        if let Err(no) = self.of_the_message(landed, pull) {
            return Ok(Err(no));
        }
        let Some(base) = landed.base else {
            let cut = self.past.is_cut(landed.head())?;
            return Ok(Err(No(if cut { "shallow" } else { "no-parent" }, String::new())));
        };
        let changes = self.past.diff(Some(base), landed.head())?;
        if changes.files.is_empty() {
            return Ok(Err(No("empty", String::new())));
        }
        let mut case = self.case(landed, pull, base);
        let kept = match self.options.profile {
            Profile::Sphinx => self.sphinx(landed, pull, &changes, &mut case),
            Profile::SwePrBench => self.swe_prbench(landed, pull, &changes, &mut case)?.map(|()| None),
        };
        Ok(kept.map(|text| Looked { case, text, lines: lines_of(&changes) }))
    }

    /// What needs no file: the pull request and its author.
    fn of_the_message(&self, landed: &Landed, pull: Option<&PullRequest>) -> Result<(), No> {
        let told = &landed.told;
        if landed.kind == Kind::Commit && !self.options.plain {
            return Err(No("no-pull-request", String::new()));
        }
        if self.joined.is_ambiguous(landed) {
            return Err(No("ambiguous", landed.number.map(|number| format!("#{number}")).unwrap_or_default()));
        }
        if pull.is_some_and(|pull| !pull.merged) {
            return Err(No("not-merged", String::new()));
        }
        let local = told.email.split('@').next().unwrap_or_default();
        let local = local.rsplit('+').next().unwrap_or(local);
        // The author of a merge is whoever merged it.
        let of_commit = [told.author.as_str(), local];
        let authors = pull.map(|pull| pull.author.as_str()).into_iter();
        let authors: Vec<&str> = authors.chain(of_commit.into_iter().filter(|_| landed.kind != Kind::Merge)).collect();
        if authors.iter().any(|author| is_updater(author))
            || BUMP.is_match(&told.subject)
            || BUMP.is_match(landed.title())
        {
            return Err(No("dependency-update", authors.first().copied().unwrap_or_default().to_owned()));
        }
        if let Some(author) = authors.iter().find(|author| is_bot_name(author)) {
            return Err(No("bot", (*author).to_owned()));
        }
        Ok(())
    }

    fn case(&self, landed: &Landed, pull: Option<&PullRequest>, base: Oid) -> Case {
        let head = landed.head();
        let name = match landed.number {
            Some(number) => format!("{}-{number}-{}", slug(&self.options.name), head.short()),
            None => format!("{}-{}", slug(&self.options.name), head.short()),
        };
        let mut case = Case {
            id: name,
            source: Source::Commits { repository: self.options.repository.clone(), base: base.hex(), head: head.hex() },
            title: pull.map_or_else(|| landed.title().to_owned(), |pull| pull.title.clone()),
            description: pull.map_or_else(|| landed.description().to_owned(), |pull| pull.body.clone()),
            ..Case::default()
        };
        case.origin = Some(Origin {
            repository: self.options.name.clone(),
            commit: Some(head.hex()),
            licence: self.options.licence.clone(),
            how: Some("history".to_owned()),
        });
        let issues = pull.map(|pull| pull.issues.clone()).filter(|issues| !issues.is_empty());
        let issues = issues.unwrap_or_else(|| linked(&landed.told.subject, &landed.told.body));
        set(&mut case, "pull_request", json!(landed.number));
        set(&mut case, "change", json!(landed.kind.name()));
        set(&mut case, "linked_issues", json!(issues));
        case
    }

    /// The language of the file, if it is one that was asked for.
    fn wanted(&self, file: &FileChange) -> Option<Language> {
        let Sort::Source(language) = self.past.sort(&file.path, file.class) else { return None };
        let wanted = &self.options.languages;
        (wanted.is_empty() || wanted.contains(&language)).then_some(language)
    }

    /// What is counted of a change that is kept, if somebody counts.
    fn sphinx(
        &self,
        landed: &Landed,
        pull: Option<&PullRequest>,
        changes: &ChangeSet,
        case: &mut Case,
    ) -> Result<Option<String>, No> {
        let [file] = changes.files.as_slice() else {
            return Err(No("not-one-file", format!("{} files", changes.files.len())));
        };
        let Some(language) = self.wanted(file) else { return Err(No("language", file.path.visible())) };
        let Body::Text { old, new, .. } = &file.body else { return Err(No("unreadable", file.path.visible())) };
        let lacks = |is: bool, what: &'static str| is.then_some(what);
        let has_issue =
            case.facts.get("linked_issues").and_then(Value::as_array).is_some_and(|issues| !issues.is_empty());
        let missing: Vec<&str> = [
            lacks(case.description.trim().is_empty(), "description"),
            lacks(old.is_empty(), "old code"),
            lacks(new.is_empty(), "new code"),
            lacks(self.options.need_issue && !has_issue, "linked issue"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !missing.is_empty() {
            return Err(No("incomplete", missing.join(", ")));
        }
        let words = format!("{}\n{}", case.title, case.description);
        let code = String::from_utf8_lossy(Text::bytes(old));
        let text = self.counts.then(|| format!("{words}\n{code}"));
        if !self.counts {
            let tokens = estimate_tokens(&words, None).saturating_add(estimate_tokens(&code, Some(language)));
            if tokens > self.options.tokens {
                return Err(No("too-many-tokens", format!("about {tokens}")));
            }
            set(case, "tokens_estimate", json!(tokens));
        }
        case.language = Some(language.name().to_owned());
        set(case, "profile", json!("sphinx"));
        // The paper asks a model; nobody was asked here.
        set(case, "safety", json!("unscreened"));
        let unknown: &[&str] =
            if pull.is_none() && landed.number.is_some() { &["description of the pull request"] } else { &[] };
        set(case, "unknown", json!(unknown));
        Ok(text)
    }

    fn swe_prbench(
        &self,
        landed: &Landed,
        pull: Option<&PullRequest>,
        changes: &ChangeSet,
        case: &mut Case,
    ) -> Result<Result<(), No>, Error> {
        let truth = pull.map(people::truth).unwrap_or_default();
        if let Err(no) = self.stages(pull, &truth, changes) {
            return Ok(Err(no));
        }
        let value = ReviewValue::of(self.past, changes, &case.title, pull);
        let (least, most) = value.bounds();
        if most < self.options.value {
            return Ok(Err(No("low-value", format!("{most:.3} at most"))));
        }
        let mut languages: BTreeMap<Language, u64> = BTreeMap::new();
        for file in &changes.files {
            if let Some(language) = self.wanted(file) {
                *languages.entry(language).or_default() += file.added_count() + file.removed_count();
            }
        }
        let language = languages.into_iter().max_by_key(|(language, lines)| (*lines, std::cmp::Reverse(*language)));
        case.language = language.map(|(language, _)| language.name().to_owned());
        set(case, "profile", json!("swe-prbench"));
        set(case, "rvs", json!(value.score()));
        set(case, "rvs_bounds", json!([least, most]));
        set(case, "rvs_parts", value.value());
        if let Some(pull) = pull {
            case.difficulty = Some(difficulty(truth.len()));
            case.comments = truth.iter().map(|note| comment(note, changes)).collect();
            set(case, "ai_share", json!(ai_review_share(&pull.notes)));
            set(case, "evidence", self.evidence(landed, &truth, changes)?);
        }
        let without: &[&str] = &["substantive comments", "AI reviews", "labels", "depth", "discussion"];
        set(case, "unknown", json!(if pull.is_some() { &["repository is public"] } else { without }));
        Ok(Ok(()))
    }

    /// The stages that are no score: two to eight of ten; the first is what a clone shows, the ninth what it cannot.
    fn stages(&self, pull: Option<&PullRequest>, truth: &[&Note], changes: &ChangeSet) -> Result<(), No> {
        if let Some(pull) = pull {
            if truth.len() < COMMENTS {
                return Err(No("few-comments", truth.len().to_string()));
            }
            let share = ai_review_share(&pull.notes);
            if share > AI_SHARE {
                return Err(No("ai-reviews", format!("{:.0} %", share * 100.0)));
            }
        }
        let sorts: Vec<Sort> = changes.files.iter().map(|file| self.past.sort(&file.path, file.class)).collect();
        if sorts.iter().all(|sort| *sort == Sort::Docs) {
            return Err(No("docs-only", format!("{} files", sorts.len())));
        }
        if sorts.iter().all(|sort| matches!(sort, Sort::Docs | Sort::Test)) {
            return Err(No("tests-only", format!("{} files", sorts.len())));
        }
        if !changes.files.iter().any(|file| self.wanted(file).is_some()) {
            return Err(No("language", String::new()));
        }
        if let Some(file) = changes.files.iter().find(|file| matches!(file.body, Body::Unread(_))) {
            return Err(No("unreadable", file.path.visible()));
        }
        let added: u64 = changes.files.iter().map(FileChange::added_count).sum();
        if added > self.options.added {
            return Err(No("too-large", format!("{added} added lines")));
        }
        Ok(())
    }

    /// How many comments speak of what is shown, of the file around it, of another file, and which of the last stand in a
    /// file that imports a changed one.
    fn evidence(&self, landed: &Landed, truth: &[&Note], changes: &ChangeSet) -> Result<Value, Error> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut importing = Vec::new();
        for note in truth {
            let Some(evidence) = people::evidence(note, changes) else { continue };
            *counts.entry(evidence.name()).or_default() += 1;
            let file = note.file.as_deref().unwrap_or_default();
            if evidence == Evidence::Latent && self.imports(landed, file, changes)? {
                importing.push(note.id.clone());
            }
        }
        Ok(json!({"counts": counts, "importing": importing}))
    }

    /// Whether a line of the file that imports something names a changed file.
    fn imports(&self, landed: &Landed, file: &str, changes: &ChangeSet) -> Result<bool, Error> {
        const LARGEST: u64 = 1 << 20;
        let content = self.past.repo.file_at(landed.told.commit.tree, &RepoPath::from(file), LARGEST);
        let Ok(Some(content)) = content else { return Ok(false) };
        let text = String::from_utf8_lossy(&content);
        let stems: Vec<String> =
            changes.files.iter().map(|file| stem(&file.path)).filter(|stem| stem.len() > 1).collect();
        let words = |line: &str| -> Vec<String> {
            line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).map(str::to_owned).collect()
        };
        Ok(text.lines().map(words).any(|words| {
            let is_import = |word: &String| {
                ["import", "from", "require", "require_relative", "include", "use", "using", "mod"]
                    .contains(&word.as_str())
            };
            words.iter().any(is_import) && words.iter().any(|word| stems.contains(word))
        }))
    }
}

/// What a change and its port to another branch have in common, under whatever title: the digest of names, removed and
/// added lines.
fn lines_of(changes: &ChangeSet) -> String {
    let mut hash = Hash::new();
    for file in &changes.files {
        hash.part(file.path.bytes());
        let Body::Text { hunks, old, new } = &file.body else { continue };
        for hunk in hunks {
            hash.part(old.bytes_of(hunk.old));
            hash.part(new.bytes_of(hunk.new));
        }
    }
    hash.digits()
}

fn stem(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn comment(note: &Note, changes: &ChangeSet) -> HumanComment {
    HumanComment {
        id: note.id.clone(),
        file: note.file.clone(),
        line: note.line,
        body: note.body.clone(),
        evidence: people::evidence(note, changes).map(|evidence| evidence.name().to_owned()),
    }
}

/// By the number of comments (SWE-PRBench).
const fn difficulty(comments: usize) -> Difficulty {
    match comments {
        0..=8 => Difficulty::Easy,
        9..=15 => Difficulty::Medium,
        _ => Difficulty::Hard,
    }
}

/// The issues that a message says it closes.
fn linked(subject: &str, body: &str) -> Vec<u64> {
    let text = format!("{subject}\n{body}");
    let mut issues: Vec<u64> =
        CLOSES.captures_iter(&text).filter_map(|found| found.get(1)?.as_str().parse().ok()).collect();
    issues.sort_unstable();
    issues.dedup();
    issues
}

fn set(case: &mut Case, name: &str, value: Value) {
    case.facts.insert(name.to_owned(), value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difficulty_by_comments() {
        let of = [2, 8, 9, 15, 16].map(difficulty);
        assert_eq!(of, [Difficulty::Easy, Difficulty::Easy, Difficulty::Medium, Difficulty::Medium, Difficulty::Hard]);
    }

    #[test]
    fn issues_that_are_closed() {
        assert_eq!(linked("Fix it, closes #4", "Fixes: #3\nSee #9. Resolved #3"), [3, 4]);
    }

    #[test]
    fn subjects_of_updaters() {
        for subject in ["Bump a from 1 to 2", "Merge pull request #3 from dependabot/npm/a", "chore(deps): bump b"] {
            assert!(BUMP.is_match(subject), "{subject}");
        }
        assert!(!BUMP.is_match("Bump the timeout to 30 s"));
    }
}
