//! `diffsieve dataset check` and `seal`.

use std::collections::BTreeMap;
use std::path::Path;

use diffsieve::escape::visible;
use diffsieve::record::{Case, Dataset, Manifest};

use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

pub(super) fn check(folder: &Path) -> Result<Exit, Failure> {
    let dataset = Dataset::open(folder).map_err(anyhow::Error::from)?;
    print(&summary(&dataset))
}

pub(super) fn seal(folder: &Path) -> Result<Exit, Failure> {
    let sealed = Dataset::seal(folder).map_err(anyhow::Error::from)?;
    print(&summary(&sealed))
}

fn summary(dataset: &Dataset) -> String {
    let Dataset { manifest: Manifest { name, digest, .. }, cases, .. } = dataset;
    let count = |is: fn(&Case) -> bool| cases.iter().filter(|case| is(case)).count();
    let mut languages = BTreeMap::<&str, usize>::new();
    for case in cases {
        *languages.entry(case.language.as_deref().unwrap_or("unknown")).or_default() += 1;
    }
    let languages: Vec<String> = languages.iter().map(|(name, count)| format!("{} {count}", visible(name))).collect();
    format!(
        "{}: {} cases, {} with bugs, {} clean, {} with comments of people, {} with a checklist, {} with tagged issues\n\
         languages: {}\ndigest {digest}\n",
        visible(name),
        cases.len(),
        count(|case| !case.bugs.is_empty()),
        count(|case| case.clean),
        count(|case| !case.comments.is_empty()),
        count(|case| !case.checklist.is_empty()),
        count(|case| !case.issues.is_empty()),
        languages.join(", ")
    )
}
