//! Changes that stood the test of time: all lines that they added are still there, nothing was put between them, and no
//! later fix or reversal names them or changes a function or declaration that holds one. That is evidence, no proof, that nothing was
//! wrong: a fault that nobody met, and one that was mended elsewhere, leave no trace here.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::changes::{Kind, Landed};
use super::fixes::{has_fix_word, names_issue, reads_as_fix};
use super::funnel::{Built, Funnel, No, Reason};
use super::{Error, Past, Sort, code, files, mended, slug};
use crate::dataset::Rejected;
use crate::diff::{Body, ChangeSet, FileChange, Hunk, NotCode, Text};
use crate::finding::RepoPath;
use crate::git::Oid;
use crate::record::{Case, Origin, Source};
use crate::syntax::Language;

/// Why a change is no clean case, in the order in which it is looked at.
pub(super) const REASONS: [Reason; 15] = [
    ("too-young", "less time has passed since it landed than was asked for"),
    ("no-parent", "the first commit of the history, or of a shallow clone"),
    ("several-changes", "a merge of a branch that holds changes of its own"),
    ("mends-or-reverts", "it mends a bug or takes a change back, which is no usual change"),
    ("unreadable", "a file of it cannot be read as text"),
    ("generated", "it touches generated or vendored files"),
    ("no-source", "it adds no line to a file of code of the product"),
    ("too-large", "it adds more lines or touches more files than asked for"),
    ("no-code", "it adds comments, imports, blank lines and brackets alone, or only shapes lines"),
    ("few-lines", "it adds fewer lines of code than asked for"),
    ("named-later", "a later fix or reversal names it"),
    ("changed-later", "some of its lines were changed or removed"),
    ("changed-inside", "lines were put between its own"),
    ("mended-later", "a later fix changes a function or declaration that holds one of its lines"),
    ("file-lost", "a file of it is not readable at the end of history"),
];

/// How long lines are to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survive {
    /// So many changes of the first-parent line.
    Changes(usize),
    /// So many days.
    Days(i64),
}

impl Survive {
    /// Reads `200` (changes), `90d` (days), `6m` (months of 30 days).
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let bad = || Error::Survive(crate::escape::visible(text));
        let (digits, unit) = match text.strip_suffix('d') {
            Some(digits) => (digits, 1),
            None => text.strip_suffix('m').map_or((text, 0), |digits| (digits, 30)),
        };
        let number: u32 = digits.parse().map_err(|_| bad())?;
        Ok(if unit == 0 { Self::Changes(number as usize) } else { Self::Days(i64::from(number) * unit) })
    }
}

/// How clean cases are looked for.
#[derive(Debug, Clone)]
pub struct CleanOptions {
    /// The project, such as `owner/name`.
    pub name: String,
    /// The clone as cases name it.
    pub repository: String,
    /// The project's licence, as an SPDX expression.
    pub licence: Option<String>,
    /// How long lines are to survive.
    pub survive: Survive,
    /// Fewest added lines of code: comments, imports, lines without a letter or digit, and lines that were there before
    /// but for blanks and quotes, are none.
    pub least_lines: u64,
    /// Most added lines.
    pub most_lines: u64,
    /// Most files.
    pub most_files: usize,
}

impl CleanOptions {
    /// What decides which cases there are; `until` is where the changes that may be cases end.
    fn told(&self, until: Oid) -> Value {
        let survive = match self.survive {
            Survive::Changes(changes) => json!({"changes": changes}),
            Survive::Days(days) => json!({"days": days}),
        };
        json!({
            "changes_until": until.hex(),
            "survive": survive,
            "least_lines": self.least_lines,
            "most_lines": self.most_lines,
            "most_files": self.most_files,
        })
    }
}

/// Who added a line: the place of a change on the first-parent line; none for what is older than the range.
pub(super) type Owner = Option<usize>;

/// A change that is followed.
struct Followed {
    landed: Landed,
    case_language: Option<String>,
    lines: u64,
    code: u64,
    files: usize,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Alive,
    Changed(usize),
    Inside(usize),
    Mended(usize),
    Lost(usize),
}

/// Follows the lines of every change between `from` and `to` to the tip; `done` hears of every step of the history.
///
/// # Errors
/// A commit is missing or damaged.
pub fn clean(
    past: &Past<'_>,
    from: Option<Oid>,
    to: Oid,
    options: &CleanOptions,
    done: &dyn Fn(),
) -> Result<Built, Error> {
    let before = from.map(|from| past.repo.ancestry(from)).transpose()?.unwrap_or_default();
    let range = past.repo.ancestry(to)?;
    let chain = past.chain();
    let now = past.repo.told(past.tip)?.seconds;
    let mut walk = Walk { past, files: HashMap::new(), followed: BTreeMap::new() };
    let mut built = Built::default();
    let mut later: Vec<(usize, String)> = Vec::new();
    for (at, commit) in chain.iter().enumerate() {
        if before.contains(*commit) {
            continue;
        }
        done();
        let landed = past.alone(past.repo.told(*commit)?);
        let is_fix = is_fix(&landed);
        if is_fix || names_issue(&landed.told) {
            later.push((at, format!("{}\n{}", landed.told.subject, landed.told.body)));
        }
        let changes = past.diff(landed.base, *commit)?;
        if range.contains(*commit) {
            match accept(past, &landed, at, &changes, options, now)? {
                Ok(followed) => drop(walk.followed.insert(at, followed)),
                Err(No(reason, detail)) => {
                    built.rejected.push(Rejected::commit(&commit.hex(), landed.title(), reason, detail));
                }
            }
        }
        walk.step(at, &changes, is_fix);
    }
    for (at, followed) in walk.followed {
        match verdict(&followed, at, &later, chain) {
            Ok(()) => built.cases.push(case(&followed, at, chain, past.tip, now, options)),
            Err(No(reason, detail)) => {
                let landed = &followed.landed;
                built.rejected.push(Rejected::commit(&landed.head().hex(), landed.title(), reason, detail));
            }
        }
    }
    built.funnel = Funnel::of(&REASONS, &built.rejected, built.cases.len());
    built.built.insert("options".to_owned(), options.told(to));
    Ok(built)
}

static REVERTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\brevert").expect("the pattern is a constant that compiles"));

/// Whether a change says that it mends something of the product, or takes something back.
fn is_fix(landed: &Landed) -> bool {
    let reads = |subject: &str| reads_as_fix(subject) || REVERTS.is_match(subject);
    reads(&landed.told.subject) || reads(landed.title())
}

/// Whether a change may mend anything: more than a fix that later ones are measured by, since here a doubt costs a case.
fn may_mend(landed: &Landed) -> bool {
    let words = has_fix_word(&landed.told.subject) || has_fix_word(landed.title());
    words || is_fix(landed) || names_issue(&landed.told)
}

/// Whether a change is worth following, before anything is known of its fate.
fn accept(
    past: &Past<'_>,
    landed: &Landed,
    at: usize,
    changes: &ChangeSet,
    options: &CleanOptions,
    now: i64,
) -> Result<Result<Followed, No>, Error> {
    let changes_since = past.chain().len() - 1 - at;
    let days = (now - landed.told.seconds).div_euclid(86_400);
    let young = match options.survive {
        Survive::Changes(least) => changes_since < least,
        Survive::Days(least) => days < least,
    };
    let no = |reason, detail: String| Ok(Err(No(reason, detail)));
    if young {
        return no("too-young", format!("{changes_since} changes, {days} days"));
    }
    if landed.base.is_none() {
        return no("no-parent", String::new());
    }
    if landed.kind == Kind::Merge && !past.is_change(&landed.told, past.side_of(at))? {
        return no("several-changes", String::new());
    }
    if may_mend(landed) {
        return no("mends-or-reverts", String::new());
    }
    let mut sources = Vec::new();
    for file in &changes.files {
        match past.sort(&file.path, file.class) {
            Sort::Generated => return no("generated", file.path.visible()),
            Sort::Source(language) => sources.push((file, language)),
            Sort::Test | Sort::Docs | Sort::Other => {}
        }
        if matches!(file.body, Body::Unread(_)) {
            return no("unreadable", file.path.visible());
        }
    }
    if sources.iter().all(|(file, _)| file.added_count() == 0) {
        return no("no-source", files(changes.files.len()));
    }
    let added: u64 = changes.files.iter().map(FileChange::added_count).sum();
    if added > options.most_lines || changes.files.len() > options.most_files {
        return no("too-large", format!("{added} lines in {}", files(changes.files.len())));
    }
    let lines: Vec<(Language, u64)> =
        sources.into_iter().map(|(file, language)| (language, added_code(file, language))).collect();
    let code: u64 = lines.iter().map(|(_, count)| count).sum();
    if code == 0 {
        return no("no-code", String::new());
    }
    if code < options.least_lines {
        return no("few-lines", code.to_string());
    }
    Ok(Ok(Followed {
        landed: landed.clone(),
        case_language: Language::of_most(lines).map(|language| language.name().to_owned()),
        lines: added,
        code,
        files: changes.files.len(),
        fate: Fate::Alive,
    }))
}

/// How many lines of code a change adds to a file.
fn added_code(file: &FileChange, language: Language) -> u64 {
    let Body::Text { hunks, old, new } = &file.body else { return 0 };
    code::removed(&reversed(hunks), (new, old), language).lines.len() as u64
}

/// What a change adds is what its reversal removes.
fn reversed(hunks: &[Hunk]) -> Vec<Hunk> {
    hunks.iter().map(|hunk| Hunk { old: hunk.new, new: hunk.old }).collect()
}

/// The lines of all files that changes of the range touched, each with its owner.
struct Walk<'a> {
    past: &'a Past<'a>,
    files: HashMap<RepoPath, Vec<Owner>>,
    followed: BTreeMap<usize, Followed>,
}

impl Walk<'_> {
    fn step(&mut self, at: usize, changes: &ChangeSet, is_fix: bool) {
        // All old names leave before new ones come: names may be swapped.
        let mut owners: Vec<Option<Vec<Owner>>> = Vec::with_capacity(changes.files.len());
        for file in &changes.files {
            owners.push(self.files.remove(file.old_path.as_ref().unwrap_or(&file.path)));
        }
        for (file, owners) in changes.files.iter().zip(owners) {
            self.file(at, file, owners, is_fix);
        }
    }

    fn file(&mut self, at: usize, file: &FileChange, owners: Option<Vec<Owner>>, is_fix: bool) {
        let sort = self.past.sort(&file.path, file.class);
        match &file.body {
            // Prose and tests change for their own reasons.
            Body::Text { hunks, old, new } if matches!(sort, Sort::Source(_) | Sort::Other) => {
                let owners = owners.filter(|owners| owners.len() == old.len()).unwrap_or_else(|| vec![None; old.len()]);
                let after = self.hunks(at, hunks, (old, new), &owners);
                match sort {
                    Sort::Source(language) if is_fix => {
                        self.mended(at, hunks, language, (old, &owners), (new, &after));
                    }
                    Sort::Other if is_fix => self.beside(at, hunks, &owners),
                    _ => {}
                }
                // Who deletes a file changes every line of it, which the hunk has said.
                if file.new_kind.is_some() {
                    self.files.insert(file.path.clone(), after);
                }
            }
            Body::NotCode(NotCode::NoLines) if file.new_kind.is_some() => {
                // Renamed or of another mode, with the same lines.
                if let Some(owners) = owners {
                    self.files.insert(file.path.clone(), owners);
                }
            }
            _ => owners.into_iter().flatten().flatten().for_each(|owner| self.fate(owner, Fate::Lost(at))),
        }
    }

    fn hunks(&mut self, at: usize, hunks: &[Hunk], (old, new): (&Text, &Text), owners: &[Owner]) -> Vec<Owner> {
        let mut after: Vec<Owner> = Vec::with_capacity(new.len());
        let mut next = 0_usize;
        for hunk in hunks {
            let first = hunk.old.first.saturating_sub(1) as usize;
            after.extend(owners.get(next..first).unwrap_or_default());
            let removed = owners.get(first..first + hunk.old.count as usize).unwrap_or_default();
            next = first + removed.len();
            let blank = |text: &Text, lines| {
                text.bytes_of(lines).iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect::<Vec<u8>>()
            };
            if removed.len() == hunk.new.count as usize && blank(old, hunk.old) == blank(new, hunk.new) {
                // Indented: the lines are who they were.
                after.extend(removed);
                continue;
            }
            for owner in removed.iter().flatten() {
                self.fate(*owner, Fate::Changed(at));
            }
            let around = (
                first.checked_sub(1).and_then(|above| owners.get(above)).copied().flatten(),
                owners.get(next).copied().flatten(),
            );
            if let (Some(above), Some(below)) = around
                && above == below
                && removed.is_empty()
            {
                self.fate(above, Fate::Inside(at));
            }
            after.extend(std::iter::repeat_n(Some(at), hunk.new.count as usize));
        }
        after.extend(owners.get(next..).unwrap_or_default());
        after
    }

    /// Where nothing is parsed, what a fix puts directly above or below a line mends that.
    fn beside(&mut self, at: usize, hunks: &[Hunk], owners: &[Owner]) {
        for hunk in hunks.iter().filter(|hunk| hunk.old.count == 0) {
            let below = hunk.old.first.saturating_sub(1) as usize;
            let around = [below.checked_sub(1), Some(below)].map(|place| owners.get(place?).copied().flatten());
            for owner in around.into_iter().flatten() {
                self.fate(owner, Fate::Mended(at));
            }
        }
    }

    /// A fix of a function, or of what stands outside of them, is one of every line in it.
    fn mended(
        &mut self,
        at: usize,
        hunks: &[Hunk],
        language: Language,
        (old, before): (&Text, &[Owner]),
        (new, after): (&Text, &[Owner]),
    ) {
        let followed = |owners: &[Owner]| -> Vec<Owner> {
            let is_alive = |at: &usize| self.followed.get(at).is_some_and(|followed| followed.fate == Fate::Alive);
            owners.iter().map(|owner| owner.filter(|owner| *owner != at && is_alive(owner))).collect()
        };
        let mut found = mended::owners(language, (old, new), &followed(before), hunks);
        found.extend(mended::owners(language, (new, old), &followed(after), &reversed(hunks)));
        for owner in found {
            self.fate(owner, Fate::Mended(at));
        }
    }

    /// The first thing that happens to a change decides.
    fn fate(&mut self, owner: usize, fate: Fate) {
        if let Some(followed) = self.followed.get_mut(&owner)
            && followed.fate == Fate::Alive
        {
            followed.fate = fate;
        }
    }
}

/// A commit's name, as short as git and forges write it.
static COMMIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b[0-9a-f]{7,40}\b").expect("a constant pattern is valid"));

/// The number of a pull request, as forges and people write it.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)(?:[#!]|\bGH-|\bPR ?|/pull/|/merge_requests/)([0-9]+)\b";
    Regex::new(pattern).expect("a constant pattern is valid")
});

/// Whether nothing happened to it.
fn verdict(followed: &Followed, at: usize, later: &[(usize, String)], chain: &[Oid]) -> Result<(), No> {
    let by = |at: usize| chain.get(at).map(Oid::short).unwrap_or_default();
    let id = followed.landed.head().hex();
    let number = followed.landed.number.map(|number| number.to_string());
    let names = |text: &str| {
        let mut commits = COMMIT.find_iter(text).map(|found| found.as_str());
        let mut numbers = NUMBER.captures_iter(text).filter_map(|found| found.get(1)).map(|found| found.as_str());
        commits.any(|name| id.starts_with(name)) || numbers.any(|name| Some(name) == number.as_deref())
    };
    if let Some((mender, _)) = later.iter().find(|(mender, text)| *mender > at && names(text)) {
        return Err(No("named-later", by(*mender)));
    }
    match followed.fate {
        Fate::Alive => Ok(()),
        Fate::Changed(when) => Err(No("changed-later", by(when))),
        Fate::Inside(when) => Err(No("changed-inside", by(when))),
        Fate::Mended(when) => Err(No("mended-later", by(when))),
        Fate::Lost(when) => Err(No("file-lost", by(when))),
    }
}

fn case(followed: &Followed, at: usize, chain: &[Oid], tip: Oid, now: i64, options: &CleanOptions) -> Case {
    let Followed { landed, case_language, lines, code, files, .. } = followed;
    let head = landed.head();
    let mut case = Case {
        id: format!("{}-clean-{}", slug(&options.name), head.short()),
        source: Source::Commits {
            repository: options.repository.clone(),
            base: landed.base.map(|base| base.hex()).unwrap_or_default(),
            head: head.hex(),
        },
        title: landed.title().to_owned(),
        description: landed.description().to_owned(),
        language: case_language.clone(),
        clean: true,
        ..Case::default()
    };
    case.origin = Some(Origin {
        repository: options.name.clone(),
        commit: Some(head.hex()),
        licence: options.licence.clone(),
        how: Some("history".to_owned()),
    });
    case.facts = [
        ("survived_changes", json!(chain.len() - 1 - at)),
        ("survived_days", json!((now - landed.told.seconds).div_euclid(86_400))),
        ("until", json!(tip.hex())),
        ("added_lines", json!(lines)),
        ("added_code_lines", json!(code)),
        ("files", json!(files)),
        ("pull_request", json!(landed.number)),
        ("change", json!(landed.kind.name())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    case
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        assert_eq!(Survive::parse("200").unwrap(), Survive::Changes(200));
        assert_eq!(Survive::parse("90d").unwrap(), Survive::Days(90));
        assert_eq!(Survive::parse("6m").unwrap(), Survive::Days(180));
        for bad in ["", "d", "-1", "6y", "1.5m", "99999999999"] {
            assert!(Survive::parse(bad).is_err(), "{bad}");
        }
    }
}
