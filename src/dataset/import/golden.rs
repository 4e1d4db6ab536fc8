//! Golden comments (withmartian/code-review-benchmark, `offline/golden_comments/*.json`): what a review of a pull request
//! should find, with a severity and without a place.

use std::path::{Path, PathBuf};

use super::{Folders, Imported, Record, Refused, id_of, patch, pull_request, records};
use crate::dataset::{Files, Rejected};
use crate::record::{Bug, Case, Error, Origin};
use crate::taxonomy::{SEVERITIES, find};

pub(super) fn read(path: &Path, folders: &Folders, files: &mut Files) -> Result<Imported, Error> {
    let (mut cases, mut rejected) = (Vec::new(), Vec::new());
    for path in sources(path)? {
        for (value, number) in records(&path)?.iter().zip(1..) {
            let record = Record { path: &path, number, value };
            match one(record, folders, files) {
                Ok(case) => cases.push(case),
                Err(Refused::Case(why)) => rejected.push(why),
                Err(Refused::All(error)) => return Err(error),
            }
        }
    }
    Ok(Imported { cases, rejected, licence: "MIT", source: "withmartian/code-review-benchmark" })
}

/// The file, or all `*.json` of the folder.
fn sources(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let io = |error| Error::io(path, error);
    let entries: Result<Vec<_>, _> = std::fs::read_dir(path).map_err(io)?.collect();
    let mut found: Vec<PathBuf> = entries.map_err(io)?.into_iter().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "json"));
    found.sort();
    if found.is_empty() {
        return Err(Error::content(path, "there is no *.json in it"));
    }
    Ok(found)
}

fn one(record: Record<'_>, folders: &Folders, files: &mut Files) -> Result<Case, Refused> {
    let url = record.text("url").map_err(Refused::All)?;
    let (repository, number) =
        pull_request(url).ok_or_else(|| Refused::All(record.fault("`url` is no address of a pull request")))?;
    let id = id_of(&repository, number);
    let mut bugs = Vec::new();
    for (comment, number) in record.list("comments").map_err(Refused::All)?.zip(1..) {
        let severity = find(&SEVERITIES, comment.optional("severity"));
        bugs.push(Bug {
            id: format!("g{number}"),
            description: comment.text("comment").map_err(Refused::All)?.trim().to_owned(),
            severity: severity.map(|term| term.name.to_owned()),
            ..Bug::default()
        });
    }
    let content = folders.patch(&id).ok_or_else(|| {
        let detail = format!("save {url}.diff as {id}.diff in the folder of --patches");
        Refused::Case(Rejected::new(&id, "no-patch", detail))
    })?;
    let mut case = Case {
        id,
        title: record.optional("pr_title").to_owned(),
        clean: bugs.is_empty(),
        bugs,
        origin: Some(Origin {
            repository: repository.clone(),
            how: Some("golden-comments".to_owned()),
            ..Origin::default()
        }),
        ..Case::default()
    };
    case.facts.insert("url".to_owned(), serde_json::json!(url));
    patch(&mut case, folders.repository(&repository), &content, files)?;
    Ok(case)
}
