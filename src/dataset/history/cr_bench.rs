//! CR-Bench, Algorithm 1: from a fix, over the lines that it removes and whoever wrote them, to the one change that brought
//! the bug. What the paper asks a model (is the bug preventable, a paraphrase, the tags) is left to a later stage.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::changes::{Kind, Landed};
use super::export::Export;
use super::funnel::{Built, Funnel, No, Reason, Texts};
use super::joined::Joined;
use super::landing::{AsBlamed, Landing, longest_run};
use super::origin::{self, Traced};
use super::{Error, Past, Sort, code, files, slug};
use crate::dataset::Rejected;
use crate::dataset::blame::{self, Git};
use crate::diff::{Body, ChangeSet, FileChange, Status};
use crate::finding::{Line, RepoPath};
use crate::git::{Oid, Told};
use crate::record::{Bug, Case, Origin, Source};
use crate::review::pool;
use crate::syntax::Language;

/// Why a fix gives no case, in the order in which it is looked at.
pub(super) const REASONS: [Reason; 23] = [
    ("merge", "the fix is a merge commit"),
    ("no-parent", "the fix is the first commit of the history"),
    ("shallow", "the history that is needed is not in this clone"),
    ("revert", "the fix takes a whole change back, and says nothing of a bug"),
    ("generated", "the fix touches generated or vendored files"),
    ("tests-or-docs-only", "the fix changes tests, prose or examples alone"),
    ("no-source", "the fix changes no file in a language that can be parsed"),
    ("too-large", "the fix changes more files or lines than a bug has"),
    ("unreadable", "a file cannot be read as text, or cannot be blamed"),
    ("adds-only", "the fix removes nothing, so nobody can be blamed"),
    ("no-code", "the fix removes comments, imports, blank lines and brackets alone, or only indents"),
    ("only-blanks", "the fix differs from what it mends in blanks and quotes alone, which blame looks through"),
    ("several-introducers", "the removed lines come from more than one change"),
    ("introducer-is-root", "the line is as old as the history"),
    ("introducer-no-pull-request", "the lines came with a commit that is no merge and names no pull request"),
    ("introducer-reformats", "whoever wrote the line last only shaped it, by its own words or time and again"),
    ("fixed-before-merge", "bug and fix are of one change"),
    ("long-lived", "the line stood for years before it was mended"),
    ("introducer-is-import", "the line came with code that was written elsewhere"),
    ("introducer-too-large", "nobody reviews a change of this size"),
    ("line-lost", "the line is not among those that the change adds as it landed"),
    ("introducer-no-source", "the line came in a file that is no code of the product, such as a test"),
    ("duplicate-fix", "another fix mends the same lines under the same subject"),
];

/// A change of added files alone with so many lines was written elsewhere.
const IMPORTED: u64 = 1_000;

/// How a dataset of fixes is built.
#[derive(Debug, Clone)]
pub struct CrBenchOptions {
    /// The project, such as `owner/name`.
    pub name: String,
    /// The clone as cases name it.
    pub repository: String,
    /// The project's licence, as an SPDX expression.
    pub licence: Option<String>,
    /// Only bugs that came with a pull request: a merge, or a commit that names its number (Algorithm 1, steps 4 and 5).
    pub pull_requests: bool,
    /// Most files of a fix.
    pub fix_files: usize,
    /// Most removed lines of a fix that are blamed.
    pub fix_lines: usize,
    /// Most files of a change that brings a bug.
    pub change_files: usize,
    /// Most added lines of it.
    pub change_lines: u64,
    /// Most days from the change to its fix.
    pub most_days: Option<u32>,
    /// How many fixes are looked at together.
    pub threads: usize,
    /// Where the git program is looked for.
    pub path: Option<OsString>,
}

impl CrBenchOptions {
    /// What decides which cases there are.
    fn told(&self) -> Value {
        json!({
            "pull_requests": self.pull_requests,
            "fix_files": self.fix_files,
            "fix_lines": self.fix_lines,
            "change_files": self.change_files,
            "change_lines": self.change_lines,
            "most_days": self.most_days,
        })
    }
}

/// Whose words a case has.
const COMMIT: &str = "commit message";
const PULL: &str = "pull request";

/// Looks at each fix, in the order given; `done` hears of every one. Where the export has the pull request of a change or
/// of a fix, the case's texts are its own; else those of the commits.
///
/// # Errors
/// The git program cannot be started, or a commit is damaged. What cannot be read of one fix is a rejection of it.
pub fn cr_bench(
    past: &Past<'_>,
    fixes: &[Oid],
    export: Option<&Export>,
    options: &CrBenchOptions,
    done: &(dyn Fn() + Sync),
) -> Result<Built, Error> {
    let landed = if export.is_some() { past.landed_since(None)? } else { Vec::new() };
    let joined = Joined::new(past, &landed, export);
    let builder = Builder { past, joined, options, git: Git::new(past.repo.git_dir(), options.path.clone()) };
    let mut seen = HashSet::new();
    let fixes: Vec<Oid> = fixes.iter().copied().filter(|fix| seen.insert(*fix)).collect();
    let results = pool::map(
        fixes.len(),
        options.threads,
        || (),
        |(), index| {
            let result = builder.case(fixes[index]);
            done();
            result
        },
    );
    let mut built = Built::default();
    let mut known = HashSet::new();
    for result in results {
        let (told, outcome) = result?;
        let outcome = outcome.and_then(|found| {
            let twin = No("duplicate-fix", String::new());
            known.insert(found.key(&told)).then_some(found).ok_or(twin)
        });
        match outcome {
            Ok(found) => built.cases.push(found.case),
            Err(No(reason, detail)) => {
                built.rejected.push(Rejected::commit(&told.commit.id.hex(), &told.subject, reason, detail));
            }
        }
    }
    built.funnel = Funnel::of(&REASONS, &built.rejected, built.cases.len());
    built.texts = export.map(|export| texts(export, &built.cases));
    built.built.insert("options".to_owned(), options.told());
    Ok(built)
}

/// Whose words the cases have.
fn texts(export: &Export, cases: &[Case]) -> Texts {
    let (mut used, mut commits) = (BTreeSet::new(), BTreeMap::new());
    for case in cases {
        let fact = |name: &str| case.facts.get(name).and_then(Value::as_str);
        let change = case.origin.as_ref().and_then(|origin| origin.commit.as_deref());
        let sides = [("pull_request", "text_from", change), ("fix_pull_request", "description_from", fact("fix"))];
        for (number, from, commit) in sides {
            let is_pull = fact(from) == Some(PULL);
            used.extend(is_pull.then(|| case.facts.get(number)?.as_u64()).flatten());
            commits.insert((from, commit), is_pull);
        }
    }
    Texts {
        given: export.pull_requests.len(),
        used: used.len(),
        commits: commits.len(),
        without: commits.values().filter(|is_pull| !**is_pull).count(),
    }
}

struct Builder<'a> {
    past: &'a Past<'a>,
    joined: Joined<'a>,
    options: &'a CrBenchOptions,
    git: Git,
}

struct Found {
    case: Case,
    lines: BTreeSet<(Oid, RepoPath, u32)>,
}

impl Found {
    /// What two fixes of one bug have in common, such as one and its port to another branch.
    fn key(&self, fix: &Told) -> (String, BTreeSet<(Oid, RepoPath, u32)>) {
        (fix.subject.clone(), self.lines.clone())
    }
}

/// Ends this fix alone, or everything.
enum Stop {
    No(No),
    Error(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        match error.into() {
            Error::Blame(error @ (blame::Error::Failed { .. } | blame::Error::Name(_))) => {
                Self::No(No("unreadable", error.to_string()))
            }
            error => Self::Error(error),
        }
    }
}

fn no<T>(reason: &'static str, detail: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::No(No(reason, detail.into())))
}

impl Builder<'_> {
    fn case(&self, fix: Oid) -> Result<(Told, Result<Found, No>), Error> {
        let told = self.past.repo.told(fix)?;
        match self.follow(&told) {
            Ok(found) => Ok((told, Ok(found))),
            Err(Stop::No(no)) => Ok((told, Err(no))),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn follow(&self, fix: &Told) -> Result<Found, Stop> {
        let id = fix.commit.id;
        let parent = match fix.commit.parents.as_slice() {
            [] => return no("no-parent", ""),
            [parent] if self.past.is_cut(id)? => {
                return no("shallow", format!("its parent {} is not here", parent.short()));
            }
            [parent] => *parent,
            parents => return no("merge", format!("{} parents", parents.len())),
        };
        if REVERT.is_match(&fix.subject) {
            return no("revert", "");
        }
        let changes = self.past.diff(Some(parent), id)?;
        let removed = self.removed(&changes)?;
        let mut traced = Vec::new();
        for (path, lines) in &removed {
            match origin::trace(self.past, &self.git, parent, path, lines)? {
                Ok(found) => traced.extend(found),
                Err(stop) => return Err(Stop::No(stop)),
            }
        }
        let mending = self.past.landed(id)?;
        let change = self.one_change(&traced, mending.head())?;
        let days = days_between(&change, fix);
        if self.options.most_days.is_some_and(|most| days > i64::from(most)) {
            return no("long-lived", format!("{} is {days} days older", change.head().short()));
        }
        let landed = self.as_landed(&change, &traced)?;
        let lines = traced.iter().map(|t| (t.commit, t.origin.clone(), t.origin_line)).collect();
        let mut case = self.record(fix, &changes, &change, &traced, &landed)?;
        self.tell(&mut case, fix, &change, &mending);
        Ok(Found { case, lines })
    }

    /// The lines of code that the fix removes, by file.
    fn removed(&self, changes: &ChangeSet) -> Result<BTreeMap<RepoPath, Vec<u32>>, Stop> {
        let sorts: Vec<Sort> = changes.files.iter().map(|file| self.past.sort(&file.path, file.class)).collect();
        if let Some(at) = sorts.iter().position(|sort| *sort == Sort::Generated) {
            return no("generated", changes.files[at].path.visible());
        }
        let is_source = |sort: &Sort| matches!(sort, Sort::Source(_));
        if !sorts.iter().any(is_source) {
            let aside = sorts.iter().all(|sort| matches!(sort, Sort::Test | Sort::Docs));
            return no(
                if aside && !sorts.is_empty() { "tests-or-docs-only" } else { "no-source" },
                files(changes.files.len()),
            );
        }
        let sources = sorts.iter().filter(|sort| is_source(sort)).count();
        if sources > self.options.fix_files {
            return no("too-large", files(sources));
        }
        let mut removed = BTreeMap::new();
        let (mut any, mut alike) = (false, false);
        for (file, sort) in changes.files.iter().zip(&sorts) {
            let Sort::Source(language) = sort else { continue };
            match &file.body {
                Body::Unread(_) => return no("unreadable", file.path.visible()),
                Body::NotCode(_) => continue,
                Body::Text { hunks, old, new } => {
                    any |= file.removed_count() > 0;
                    let found = code::removed(hunks, (old, new), *language);
                    alike |= found.alike;
                    if !found.lines.is_empty() {
                        let name = file.old_path.as_ref().unwrap_or(&file.path).clone();
                        removed.insert(name, found.lines);
                    }
                }
            }
        }
        let count: usize = removed.values().map(Vec::len).sum();
        match count {
            0 if !any => no("adds-only", ""),
            0 => no(if alike { "only-blanks" } else { "no-code" }, ""),
            _ if count > self.options.fix_lines => no("too-large", format!("{count} removed lines of code")),
            _ => Ok(removed),
        }
    }

    /// The one change that all of these lines come from; `mending` is the change that brought the fix.
    fn one_change(&self, traced: &[Traced], mending: Oid) -> Result<Landed, Stop> {
        let commits: BTreeSet<Oid> = traced.iter().map(|traced| traced.commit).collect();
        let mut changes: BTreeMap<Oid, Landed> = BTreeMap::new();
        for commit in &commits {
            if self.past.is_cut(*commit)? {
                return no("shallow", format!("{} is where this clone ends", commit.short()));
            }
            let landed = self.past.landed(*commit)?;
            changes.insert(landed.head(), landed);
        }
        if changes.len() > 1 {
            let names: Vec<String> = changes.keys().map(Oid::short).collect();
            return no("several-introducers", names.join(", "));
        }
        let Some(change) = changes.into_values().next() else { return no("line-lost", "nobody wrote the lines") };
        if change.base.is_none() {
            return no("introducer-is-root", change.head().short());
        }
        if self.options.pull_requests && change.kind == Kind::Commit {
            return no("introducer-no-pull-request", format!("{}: {}", change.head().short(), change.title()));
        }
        let is_shaping = |told: &Told| SHAPING.is_match(&told.subject);
        if is_shaping(&change.told) || SHAPING.is_match(change.title()) {
            return no("introducer-reformats", format!("{}: {}", change.head().short(), change.title()));
        }
        for commit in &commits {
            let told = self.past.repo.told(*commit)?;
            if is_shaping(&told) {
                return no("introducer-reformats", format!("{}: {}", commit.short(), told.subject));
            }
        }
        if mending == change.head() {
            return no("fixed-before-merge", change.head().short());
        }
        Ok(change)
    }

    /// The lines as they stand on the new side of the change, by file. All of them are lines that it adds.
    fn as_landed(&self, change: &Landed, traced: &[Traced]) -> Result<Landing, Stop> {
        let head = change.head();
        let changes = self.past.diff(change.base, head)?;
        let added: u64 = changes.files.iter().map(FileChange::added_count).sum();
        let of_source = |file: &&FileChange| matches!(self.past.sort(&file.path, file.class), Sort::Source(_));
        if added >= IMPORTED && changes.files.iter().filter(of_source).all(|file| file.status == Status::Added) {
            return no("introducer-is-import", format!("{} adds {added} lines in new files", head.short()));
        }
        if changes.files.len() > self.options.change_files || added > self.options.change_lines {
            let what = format!("{} changes {} and adds {added} lines", head.short(), files(changes.files.len()));
            return no("introducer-too-large", what);
        }
        let mut landing = Landing::new();
        let mut blame = AsBlamed::new(&self.git, change, &changes);
        for traced in traced {
            let place = blame.find(traced)?;
            let file = place.as_ref().and_then(|(path, _)| changes.files.iter().find(|file| file.path == *path));
            let added = file.zip(place.as_ref().and_then(|(_, line)| Line::new(*line)));
            let Some((file, line)) = added.filter(|(file, line)| file.is_added(*line)) else {
                let what = format!("{}:{} of {}", traced.origin.visible(), traced.origin_line, traced.commit.short());
                return no("line-lost", what);
            };
            if !of_source(&file) {
                return no("introducer-no-source", format!("{} of {}", file.path.visible(), head.short()));
            }
            landing.entry(file.path.clone()).or_default().insert(line.get());
        }
        Ok(landing)
    }

    fn record(
        &self,
        fix: &Told,
        changes: &ChangeSet,
        change: &Landed,
        traced: &[Traced],
        landed: &Landing,
    ) -> Result<Case, Stop> {
        let Some(base) = change.base else { return no("introducer-is-root", change.head().short()) };
        let Some((file, first, last)) = longest_run(landed) else { return no("line-lost", "") };
        let head = change.head();
        let short: String = fix.commit.id.hex().chars().take(12).collect();
        let sources =
            changes.files.iter().filter(|file| matches!(self.past.sort(&file.path, file.class), Sort::Source(_)));
        let bug = Bug {
            id: "bug".to_owned(),
            file: Some(plain(file)),
            line: Some(first),
            end_line: Some(last),
            fixed_files: sources.map(|file| plain(&file.path)).collect(),
            ..Bug::default()
        };
        let mut case = Case {
            id: format!("{}-{short}", slug(&self.options.name)),
            source: Source::Commits { repository: self.options.repository.clone(), base: base.hex(), head: head.hex() },
            language: Language::of_path(file, None).map(|language| language.name().to_owned()),
            bugs: vec![bug],
            ..Case::default()
        };
        case.origin = Some(Origin {
            repository: self.options.name.clone(),
            commit: Some(head.hex()),
            licence: self.options.licence.clone(),
            how: Some("fix".to_owned()),
        });
        let lines: Vec<Value> = traced.iter().map(evidence).collect();
        let introducers: BTreeSet<String> = traced.iter().map(|traced| traced.commit.hex()).collect();
        case.facts = [
            ("fix", json!(fix.commit.id.hex())),
            ("fix_subject", json!(fix.subject)),
            ("introducers", json!(introducers)),
            ("change", json!(change.kind.name())),
            ("pull_request", json!(change.number)),
            ("days_to_fix", json!(days_between(change, fix))),
            ("lines", json!(lines)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        Ok(case)
    }

    /// What people said of the change and of the bug: as the export has their pull requests, else as the commits say it.
    fn tell(&self, case: &mut Case, fix: &Told, change: &Landed, mending: &Landed) {
        let pull = |landed: &Landed| self.joined.pull(landed);
        let says = |text: &str| !text.trim().is_empty();
        let written = pull(change).filter(|pull| says(&pull.title));
        case.title = written.map_or_else(|| change.title().to_owned(), |pull| pull.title.clone());
        let body = written.map(|pull| pull.body.as_str()).filter(|body| says(body));
        case.description = body.unwrap_or_else(|| change.description()).to_owned();
        // A title alone says less of the bug than the message of the commit that mended it.
        let about = pull(mending).filter(|pull| says(&pull.body));
        if let Some(bug) = case.bugs.first_mut() {
            bug.description = match about {
                Some(pull) => without_trailers(&pull.title, &pull.body),
                None => without_trailers(&fix.subject, &fix.body),
            };
        }
        let from = |is_pull: bool| json!(if is_pull { PULL } else { COMMIT });
        case.facts.insert("text_from".to_owned(), from(written.is_some()));
        case.facts.insert("description_from".to_owned(), from(about.is_some()));
        case.facts.insert("fix_pull_request".to_owned(), json!(mending.number));
    }
}

static REVERT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:\S+: )?(?:partially )?(?:revert|back ?out)").expect("the pattern is a constant that compiles")
});
/// Words of whoever changes how code looks, not what it does.
static SHAPING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:lint(?:er|ing|s)?|gofmt|goimports|clang-format|rustfmt|prettier|pep ?8|flake8|(?:re-?)?format(?:ted|ting)",
        r"|reformat|(?:code|coding) style|styling|whitespaces?|indent(?:ation)?|typos?|spelling|renam(?:e[ds]?|ing)|cosmetics?)\b"
    ))
    .expect("the pattern is a constant that compiles")
});
static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:[\w-]+-by|change-id|cc|pr-url|ref|refs|closes|reviewed-on): ")
        .expect("the pattern is a constant that compiles")
});

/// What the message says, without its trailers.
fn without_trailers(subject: &str, body: &str) -> String {
    let body: Vec<&str> = body.lines().filter(|line| !TRAILER.is_match(line)).collect();
    format!("{subject}\n\n{}", body.join("\n").trim()).trim().to_owned()
}

fn days_between(change: &Landed, fix: &Told) -> i64 {
    (fix.seconds - change.told.seconds).div_euclid(86_400)
}

/// A line of the fix and whoever wrote it, so that anybody can look again.
fn evidence(traced: &Traced) -> Value {
    let passed: Vec<String> = traced.passed.iter().map(|(commit, ..)| commit.hex()).collect();
    json!({
        "file": plain(&traced.file),
        "line": traced.line,
        "commit": traced.commit.hex(),
        "origin": plain(&traced.origin),
        "origin_line": traced.origin_line,
        "passed": passed,
    })
}

fn plain(path: &RepoPath) -> String {
    path.to_text().raw().to_owned()
}
