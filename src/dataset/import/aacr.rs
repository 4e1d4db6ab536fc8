//! AACR-Bench: `positive_samples.json`, a list of pull requests with verified comments of people and of models.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Folders, Imported, Record, id_of, language, locate, pull_request, records};
use crate::dataset::{Files, Rejected};
use crate::record::{Case, Error, HumanComment, Origin, Source};

pub(super) fn read(path: &Path, folders: &Folders, _: &mut Files) -> Result<Imported, Error> {
    let path = locate(path, &["positive_samples.json", "dataset/positive_samples.json"])?;
    let (mut cases, mut rejected) = (Vec::new(), Vec::new());
    for (value, number) in records(&path)?.iter().zip(1..) {
        let record = Record { path: &path, number, value };
        let url = record.text("githubPrUrl")?;
        let (repository, number) =
            pull_request(url).ok_or_else(|| record.fault("`githubPrUrl` is no address of a pull request"))?;
        let id = id_of(&repository, number);
        // The target is the tip of the branch that the pull request goes to, the source that of the pull request.
        let (base, head) = (record.text("target_commit")?, record.text("source_commit")?);
        let (comments, facts) = comments(record)?;
        let Some(clone) = folders.repository(&repository) else {
            let detail = format!("clone {repository} below the folder of --repositories");
            rejected.push(Rejected::new(&id, "no-repository", detail));
            continue;
        };
        let mut case = Case {
            id,
            source: Source::Commits { repository: clone, base: base.to_owned(), head: head.to_owned() },
            language: language(record.optional("project_main_language")),
            comments,
            origin: Some(Origin {
                repository,
                commit: Some(head.to_owned()),
                how: Some("aacr-bench".to_owned()),
                ..Origin::default()
            }),
            ..Case::default()
        };
        case.facts.insert("url".to_owned(), json!(url));
        case.facts.insert("comments".to_owned(), Value::Object(facts));
        cases.push(case);
    }
    Ok(Imported { cases, rejected, licence: "Apache-2.0", source: "AACR-Bench" })
}

/// The comments, and what only this format says of each: its category, and whether a model wrote it first.
fn comments(record: Record<'_>) -> Result<(Vec<HumanComment>, Map<String, Value>), Error> {
    let (mut comments, mut facts) = (Vec::new(), Map::new());
    for (comment, number) in record.list("comments")?.zip(1..) {
        let body = comment.text("note")?;
        let id = format!("c{number}");
        // The two ends stand in either order; a line of the old side has no number on the new one.
        let line = comment.line("from_line").into_iter().chain(comment.line("to_line")).min();
        let is_new = !comment.optional("side").eq_ignore_ascii_case("left");
        let evidence = match comment.optional("context") {
            "Diff Level" => Some("type1"),
            "File Level" => Some("type2"),
            "Repo Level" => Some("type3"),
            _ => None,
        };
        let file = comment.optional("path").trim_start_matches('/').replace("\\/", "/");
        comments.push(HumanComment {
            id: id.clone(),
            file: Some(file).filter(|file| !file.is_empty()),
            line: line.filter(|_| is_new),
            body: body.trim().to_owned(),
            evidence: evidence.map(str::to_owned),
        });
        let by_model = comment.value.get("is_ai_comment").and_then(Value::as_bool).unwrap_or(false);
        facts.insert(id, json!({"category": comment.optional("category"), "by_model": by_model}));
    }
    Ok((comments, facts))
}
