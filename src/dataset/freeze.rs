//! Makes a dataset of commits and patches one of whole files, which needs no repository any more.

use std::path::Path;

use super::{Files, Rejected};
use crate::diff::{Body, FileChange, Globs};
use crate::git::Env;
use crate::record::{Case, Dataset, Error, Source};
use crate::review::case;

/// What came of it.
#[derive(Debug)]
pub struct Frozen {
    /// The dataset that was written.
    pub dataset: Dataset,
    /// Cases that cannot be kept as whole files.
    pub rejected: Vec<Rejected>,
}

/// Writes a dataset in which each case has the files of its change with it. What is no text is left out of a change and
/// named in the fact `left_out`; a renamed file stands under its new name on both sides.
///
/// # Errors
/// A file cannot be written. A case that cannot be read is one that is rejected.
pub fn freeze(dataset: &Dataset, out: &Path, env: Env<'_>) -> Result<Frozen, Error> {
    let mut files = Files::new(out);
    let (mut cases, mut rejected) = (Vec::new(), Vec::new());
    for case in &dataset.cases {
        if matches!(case.source, Source::Files { .. }) {
            cases.push(files.bring(dataset, case)?);
            continue;
        }
        match case::load(dataset, case, &Globs::default(), env) {
            Err(error) => rejected.push(Rejected::new(&case.id, "unread", error.to_string())),
            Ok(changed) => match gaps(&changed) {
                Some(why) => rejected.push(Rejected::new(&case.id, "in-parts", why)),
                None => cases.push(written(case, &changed, &mut files)?),
            },
        }
    }
    let mut manifest = dataset.manifest.clone();
    manifest.built.insert("frozen_from".to_owned(), dataset.manifest.digest.clone().into());
    Ok(Frozen { dataset: Dataset::write(out, manifest, cases)?, rejected })
}

/// Why a change cannot be kept whole.
fn gaps(files: &[FileChange]) -> Option<String> {
    let mut texts = 0;
    for file in files {
        match &file.body {
            Body::Text { old, new, .. } if old.is_whole() && new.is_whole() => texts += 1,
            Body::Text { .. } => return Some(format!("only parts of {} are known", file.path.visible())),
            Body::Unread(_) => return Some(format!("{} cannot be read", file.path.visible())),
            Body::NotCode(_) => {}
        }
        if !file.path.is_inside() || std::str::from_utf8(file.path.bytes()).is_err() {
            return Some(format!("{} is no name for a file everywhere", file.path.visible()));
        }
    }
    (texts == 0).then(|| "no text changes in it".to_owned())
}

fn written(case: &Case, changed: &[FileChange], files: &mut Files) -> Result<Case, Error> {
    let folder = format!("files/{}", case.id);
    let mut left_out = Vec::new();
    for file in changed {
        let path = file.path.to_text().raw().to_owned();
        let Body::Text { old, new, .. } = &file.body else {
            left_out.push(path);
            continue;
        };
        for (side, text, is_there) in [("old", old, file.old_kind.is_some()), ("new", new, file.new_kind.is_some())] {
            if is_there {
                files.write(&format!("{folder}/{side}/{path}"), text.bytes())?;
            }
        }
    }
    let mut case = Case { source: Source::Files { folder }, ..case.clone() };
    if !left_out.is_empty() {
        case.facts.insert("left_out".to_owned(), left_out.into());
    }
    Ok(case)
}
