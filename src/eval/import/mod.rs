//! The answers of another reviewer as a run, so that it is measured by the same protocols as diffsieve's own: from the
//! SARIF files that a tool wrote case by case, or from answers as [`record::Answer`] has them.

mod sarif;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::Value;

use crate::diff::{FileChange, Globs};
use crate::finding::Line;
use crate::git::Env;
use crate::record::{self, Answer, Case, Comment, Dataset, Error, Removed, Status};
use crate::review::case;

/// What [`Removed::stage`] says of results that are no comments on the change.
pub const STAGE: &str = "import";

/// Why a result is taken back that stands in no file of the change.
pub const ELSEWHERE: &str = "it stands in no file of the change";

/// Lines around a change that forges show with it, and on which comments can stand.
const SHOWN: u32 = 3;

/// Which results of a tool that reads whole files count as comments on a change; names as reviewdog has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Those on lines that the change adds.
    Added,
    /// Those on lines that a forge shows with the change: added ones, and three around each hunk.
    DiffContext,
    /// Those in files of the change.
    File,
    /// All.
    NoFilter,
}

impl Filter {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Added, Self::DiffContext, Self::File, Self::NoFilter];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::DiffContext => "diff-context",
            Self::File => "file",
            Self::NoFilter => "nofilter",
        }
    }

    /// Why a comment does not pass; `file` is the one of the change that it is about.
    fn stops(self, comment: &Comment, file: Option<&FileChange>) -> Option<&'static str> {
        if self == Self::NoFilter {
            return None;
        }
        let Some(file) = file else { return Some(ELSEWHERE) };
        let (Some(first), Some(last)) = (comment.line, comment.end_line) else {
            return (self != Self::File).then_some("it names no line");
        };
        let is_near = match self {
            Self::Added => meets(file, first, last, 0),
            Self::DiffContext => meets(file, first, last, SHOWN),
            Self::File | Self::NoFilter => true,
        };
        (!is_near).then_some("it stands on no line of the change")
    }
}

/// Whether lines of the new side stand on a hunk or so many lines around it.
fn meets(file: &FileChange, first: u32, last: u32, around: u32) -> bool {
    file.hunks().iter().filter(|hunk| hunk.new.count > 0 || around > 0).any(|hunk| {
        let (begin, end) = (hunk.new.first.saturating_sub(around), hunk.new.end().saturating_add(around));
        first < end && last >= begin
    })
}

/// The answers that SARIF files hold, one `CASE.sarif` a case in a folder. A case without a file, or whose tool did not
/// succeed, has no review. A relative path starts at the root of
/// the repository; an absolute one lies in the folder that all of them have in front of a changed file's path.
///
/// # Errors
/// A file that is no SARIF 2.1.0, or a folder that is not there. A case that cannot be read is an answer that says so.
pub fn of_sarif(dataset: &Dataset, folder: &Path, filter: Filter, env: Env<'_>) -> Result<Vec<Answer>, Error> {
    std::fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
    dataset.cases.iter().map(|case| of_file(dataset, case, folder, filter, env)).collect()
}

fn of_file(dataset: &Dataset, case: &Case, folder: &Path, filter: Filter, env: Env<'_>) -> Result<Answer, Error> {
    let failed =
        |why: String| Answer { status: Status::Failed, why: Some(why), case: case.id.clone(), ..Answer::default() };
    let name = format!("{}.sarif", case.id);
    let path = folder.join(&name);
    if !path.exists() {
        return Ok(failed(format!("there is no `{name}`")));
    }
    let log: Value = record::read_json(&path)?;
    let log = sarif::read(&log).map_err(|why| Error::content(&path, &why))?;
    if let Some(why) = log.failed {
        return Ok(failed(why));
    }
    let files = match case::load(dataset, case, &Globs::default(), env) {
        Ok(files) => files,
        Err(error) => return Ok(failed(error.to_string())),
    };
    let mut answer = Answer { case: case.id.clone(), ..Answer::default() };
    let names: Vec<&str> = log.results.iter().filter_map(|result| result.comment.file.as_deref()).collect();
    let root = root(&files, &names).map(str::to_owned);
    for sarif::Outcome { mut comment, not_one } in log.results {
        let file = comment.file.as_deref().and_then(|name| of_change(&files, name, root.as_deref()));
        if let Some(file) = file {
            comment.file = Some(String::from_utf8_lossy(file.path.bytes()).into_owned());
        }
        match not_one.or_else(|| filter.stops(&comment, file).map(str::to_owned)) {
            None => answer.comments.push(comment),
            Some(reason) => answer.removed.push(Removed { comment, stage: STAGE.to_owned(), reason }),
        }
    }
    Ok(answer)
}

/// Where the repository of a tool that names absolute paths was, with its last slash: what stands in front of a changed
/// file's path and of most else that the tool names.
fn root<'n>(files: &[FileChange], names: &[&'n str]) -> Option<&'n str> {
    let absolute = || names.iter().copied().filter(|name| is_absolute(name));
    let before = |name: &'n str| {
        let ends = files.iter().filter_map(move |file| name.strip_suffix(std::str::from_utf8(file.path.bytes()).ok()?));
        ends.filter(|before| before.ends_with('/'))
    };
    let mut roots: Vec<&str> = absolute().flat_map(before).collect();
    roots.sort_unstable();
    roots.dedup();
    // Headers of the system may be named too, so it is what stands in front of most.
    let holds = |root: &str| absolute().filter(|name| name.starts_with(root)).count();
    roots.into_iter().max_by_key(|root| (holds(root), std::cmp::Reverse(root.len())))
}

/// `/a`, or `C:/a`, as `/C:/a` too.
fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.as_bytes().get(1) == Some(&b':')
}

/// The file of the change that a tool names.
fn of_change<'f>(files: &'f [FileChange], name: &str, root: Option<&str>) -> Option<&'f FileChange> {
    let path = if is_absolute(name) { name.strip_prefix(root?)? } else { name };
    files.iter().find(|file| file.path.bytes() == path.as_bytes())
}

/// The answers of a file of JSON Lines, in the order of the dataset. A case without one has no review.
///
/// # Errors
/// The file cannot be read, or an answer is about no case, stands twice, or has two comments of one id.
pub fn of_answers(dataset: &Dataset, path: &Path) -> Result<Vec<Answer>, Error> {
    let known: HashMap<&str, usize> =
        dataset.cases.iter().enumerate().map(|(index, case)| (case.id.as_str(), index)).collect();
    let mut answers = BTreeMap::new();
    for answer in record::read::<Answer>(path)? {
        let fault = |what: &str| Error::content(path, &format!("the answer about `{}`: {what}", answer.case));
        let Some(index) = known.get(answer.case.as_str()) else { return Err(fault("the dataset has no such case")) };
        let comments = || answer.comments.iter().chain(answer.removed.iter().map(|removed| &removed.comment));
        let mut ids: Vec<&str> = comments().map(|comment| comment.id.as_str()).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(fault("two of its comments have one id"));
        }
        let zero = |comment: &Comment| {
            [comment.line, comment.end_line].iter().flatten().any(|line| Line::new(*line).is_none())
        };
        if comments().any(zero) {
            return Err(fault("a comment stands on line 0; lines count from 1"));
        }
        let is_level = |level: &str| ["error", "warning", "note"].contains(&level);
        if comments().any(|comment| comment.level.as_deref().is_some_and(|level| !is_level(level))) {
            return Err(fault("a level is none of error, warning, note"));
        }
        let twice = fault("it stands twice with one `sample`");
        if answers.insert((*index, answer.sample), answer).is_some() {
            return Err(twice);
        }
    }
    for (index, case) in dataset.cases.iter().enumerate() {
        if answers.range((index, 0)..=(index, u32::MAX)).next().is_none() {
            let why = Some("nobody answered it".to_owned());
            answers
                .insert((index, 0), Answer { case: case.id.clone(), status: Status::Failed, why, ..Answer::default() });
        }
    }
    Ok(answers.into_values().collect())
}
