//! Labels that people give: every item of ground truth is looked at by two of them, and what they agree on is kept (CQS,
//! section 4, "Human annotation"; CR-Bench-verified).

mod csv;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Files, REJECTED, Rejected};
use crate::record::{self, Case, Dataset, Error, Manifest};

pub use csv::{from_csv, to_csv};

/// Where the labels of a dataset are kept, in its folder.
pub const LABELS: &str = "labels.jsonl";

/// What a label may be: the item holds, it does not, nobody can say.
pub const VALUES: [&str; 3] = ["valid", "invalid", "unsure"];

/// One row of a form: something to label, and in a filled form the label.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// `CASE/bug/ID`, `CASE/comment/ID`, `CASE/item/ID` or `CASE/issue/NUMBER`.
    pub item: String,
    /// Where it stands, as `file:line`, as far as it is known.
    pub place: String,
    /// What it says.
    pub text: String,
    /// One of [`VALUES`]; empty in a form.
    pub label: String,
    /// Who gives it; empty in a form.
    pub by: String,
}

/// One line of [`LABELS`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// As [`Row::item`].
    pub item: String,
    /// Who gave it.
    pub by: String,
    /// One of [`VALUES`].
    pub label: String,
}

/// Everything in a dataset that can be labelled, in the order of the cases.
pub fn items(dataset: &Dataset) -> Vec<Row> {
    let mut rows = Vec::new();
    for case in &dataset.cases {
        let mut row = |kind: &str, id: &str, file: Option<&String>, line: Option<u32>, text: &str| {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            let place = file.map(|file| format!("{file}{line}")).unwrap_or_default();
            let item = format!("{}/{kind}/{id}", case.id);
            rows.push(Row { item, place, text: text.to_owned(), ..Row::default() });
        };
        for bug in &case.bugs {
            row("bug", &bug.id, bug.file.as_ref(), bug.line, &bug.description);
        }
        for comment in &case.comments {
            row("comment", &comment.id, comment.file.as_ref(), comment.line, &comment.body);
        }
        for item in &case.checklist {
            row("item", &item.id, item.file.as_ref(), item.line, &item.text);
        }
        for (issue, number) in case.issues.iter().zip(1..) {
            let text = format!("{}: {}", issue.tag, issue.rationale);
            row("issue", &format!("{number}"), issue.file.as_ref(), issue.line, &text);
        }
    }
    rows
}

/// The labels that a dataset has, by item and person.
///
/// # Errors
/// The file has a line that is none.
pub fn read(dataset: &Dataset) -> Result<Vec<Label>, Error> {
    let path = dataset.path(LABELS);
    if path.exists() { record::read(&path) } else { Ok(Vec::new()) }
}

/// Adds the labels of a filled form to those of a dataset; a person's later label of an item takes the place of the
/// earlier. Rows without a label are passed over. Gives how many were taken.
///
/// # Errors
/// A row names no item of the dataset, nobody, or a label that is none: with its number, from 1. Nothing is then added.
pub fn import(dataset: &Dataset, form: &Path, rows: &[Row]) -> Result<usize, Error> {
    let known: BTreeSet<String> = items(dataset).into_iter().map(|row| row.item).collect();
    let key = |label: &Label| (label.item.clone(), label.by.clone());
    let mut labels: BTreeMap<_, Label> = read(dataset)?.into_iter().map(|label| (key(&label), label)).collect();
    let mut taken = 0;
    for (row, number) in rows.iter().zip(1..) {
        let value = row.label.trim().to_lowercase();
        if value.is_empty() {
            continue;
        }
        let fault = |what: String| Err(Error::content(form, &format!("row {number}: {what}")));
        if !VALUES.contains(&value.as_str()) {
            return fault(format!("the label `{value}` is none of {}", VALUES.join(", ")));
        }
        if row.by.trim().is_empty() {
            return fault("`by` does not say who gave the label".to_owned());
        }
        if !known.contains(&row.item) {
            return fault(format!("the dataset has no item `{}`", row.item));
        }
        let label = Label { item: row.item.clone(), by: row.by.trim().to_owned(), label: value };
        labels.insert(key(&label), label);
        taken += 1;
    }
    let labels: Vec<Label> = labels.into_values().collect();
    record::write(&dataset.path(LABELS), &labels)?;
    Ok(taken)
}

/// The next item that somebody has not labelled and that has fewer labels than are wanted: those with most labels first,
/// so that items get done.
pub fn next(dataset: &Dataset, labels: &[Label], by: &str, require: usize) -> Option<Row> {
    let given = by_item(labels);
    let mut open: Vec<(usize, Row)> = items(dataset)
        .into_iter()
        .filter_map(|row| {
            let people = given.get(row.item.as_str());
            let count = people.map_or(0, BTreeMap::len);
            (count < require && !people.is_some_and(|people| people.contains_key(by))).then_some((count, row))
        })
        .collect();
    open.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    open.into_iter().next().map(|(_, row)| row)
}

/// How the people agree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Items with too few labels.
    pub open: Vec<String>,
    /// Items of which all say [`VALUES`]`[0]`.
    pub valid: BTreeSet<String>,
    /// Items of which all say the same, something else.
    pub refused: Vec<String>,
    /// Items of which they say different things, with who says what.
    pub disputed: Vec<(String, Vec<(String, String)>)>,
    /// Of each item with at least two labels the first two, by the names of the people: what κ is computed from.
    pub pairs: Vec<(String, String)>,
}

/// Looks at every item of a dataset; `require` is at least 1.
pub fn agreement(dataset: &Dataset, labels: &[Label], require: usize) -> Agreement {
    let given = by_item(labels);
    let mut agreement = Agreement::default();
    for row in items(dataset) {
        let people: Vec<(&str, &str)> = given
            .get(row.item.as_str())
            .map(|people| people.iter().map(|(by, label)| (*by, *label)).collect())
            .unwrap_or_default();
        if let [(_, one), (_, other), ..] = people.as_slice() {
            agreement.pairs.push(((*one).to_owned(), (*other).to_owned()));
        }
        match people.first() {
            Some((_, first)) if people.len() >= require => {
                if people.iter().any(|(_, label)| label != first) {
                    let people = people.iter().map(|(by, label)| ((*by).to_owned(), (*label).to_owned())).collect();
                    agreement.disputed.push((row.item, people));
                } else if *first == VALUES[0] {
                    agreement.valid.insert(row.item);
                } else {
                    agreement.refused.push(row.item);
                }
            }
            _ => agreement.open.push(row.item),
        }
    }
    agreement
}

fn by_item(labels: &[Label]) -> BTreeMap<&str, BTreeMap<&str, &str>> {
    let mut given: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for label in labels {
        given.entry(&label.item).or_default().insert(&label.by, &label.label);
    }
    given
}

/// Writes the dataset with the agreed items alone. A case that loses all of its truth is left out; a clean case stays.
///
/// # Errors
/// The new dataset cannot be written.
pub fn keep(dataset: &Dataset, agreement: &Agreement, require: usize, out: &Path) -> Result<Dataset, Error> {
    let mut files = Files::new(out);
    let (mut cases, mut rejected) = (Vec::new(), Vec::new());
    for case in &dataset.cases {
        let mut kept = case.clone();
        let is = |kind: &str, id: &str| agreement.valid.contains(&format!("{}/{kind}/{id}", case.id));
        kept.bugs.retain(|bug| is("bug", &bug.id));
        kept.comments.retain(|comment| is("comment", &comment.id));
        kept.checklist.retain(|item| is("item", &item.id));
        let mut number = 0;
        kept.issues.retain(|_| {
            number += 1;
            is("issue", &number.to_string())
        });
        let truth = |case: &Case| case.bugs.len() + case.comments.len() + case.checklist.len() + case.issues.len();
        if truth(&kept) == 0 && truth(case) > 0 && !case.clean {
            rejected.push(Rejected::new(&case.id, "not-agreed", "no item of it is agreed to be valid"));
            continue;
        }
        // What the marker of a clean case says is its flag.
        if case.clean {
            kept.checklist.clone_from(&case.checklist);
        }
        cases.push(files.bring(dataset, &kept)?);
    }
    let mut manifest = Manifest { name: format!("{}-verified", dataset.manifest.name), ..dataset.manifest.clone() };
    manifest.built.insert("labels_required".to_owned(), serde_json::json!(require));
    manifest.built.insert("labelled".to_owned(), serde_json::json!(dataset.manifest.digest));
    let kept = Dataset::write(out, manifest, cases)?;
    record::write(&out.join(REJECTED), &rejected)?;
    Ok(kept)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use super::*;
    use crate::record::{Bug, Source};

    fn dataset(folder: &Path) -> Dataset {
        let bug = |id: &str| Bug { id: id.to_owned(), description: format!("=wrong, \"{id}\"\n"), ..Bug::default() };
        std::fs::write(folder.join("a.patch"), "").unwrap();
        let case = Case {
            id: "a".to_owned(),
            source: Source::Patch { file: "a.patch".to_owned(), repository: None },
            bugs: ["1", "2", "3"].map(bug).into(),
            ..Case::default()
        };
        Dataset::write(folder, Manifest { name: "d".to_owned(), ..Manifest::default() }, vec![case]).unwrap()
    }

    fn row(item: &str, by: &str, label: &str) -> Row {
        Row { item: item.to_owned(), by: by.to_owned(), label: label.to_owned(), ..Row::default() }
    }

    #[test]
    fn what_two_people_agree_on_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let dataset = dataset(folder.path());
        let form = Path::new("form.csv");
        let ann = [row("a/bug/1", "ann", "valid"), row("a/bug/2", "ann", "valid"), row("a/bug/3", "ann", "")];
        assert_eq!(import(&dataset, form, &ann).unwrap(), 2);
        // The same person twice is one label.
        assert_eq!(import(&dataset, form, &[row("a/bug/1", "ann", "valid")]).unwrap(), 1);
        let labels = read(&dataset).unwrap();
        assert!(agreement(&dataset, &labels, 2).valid.is_empty());
        assert_eq!(next(&dataset, &labels, "bob", 2).unwrap().item, "a/bug/1");
        assert_eq!(next(&dataset, &labels, "ann", 2).unwrap().item, "a/bug/3");
        import(&dataset, form, &[row("a/bug/1", "bob", "Valid"), row("a/bug/2", "bob", "invalid")]).unwrap();
        let labels = read(&dataset).unwrap();
        let agreement = agreement(&dataset, &labels, 2);
        assert_eq!(agreement.valid.iter().collect::<Vec<_>>(), ["a/bug/1"]);
        assert_eq!((agreement.disputed.len(), agreement.open.len(), agreement.pairs.len()), (1, 1, 2));
        assert_eq!(next(&dataset, &labels, "cy", 2).unwrap().item, "a/bug/3");
        let out = tempfile::tempdir().unwrap();
        let kept = keep(&dataset, &agreement, 2, out.path()).unwrap();
        assert_eq!(kept.cases[0].bugs.iter().map(|bug| bug.id.as_str()).collect::<Vec<_>>(), ["1"]);
        Dataset::open(out.path()).unwrap();
    }

    #[test]
    fn a_form_comes_back_as_it_went() {
        let folder = tempfile::tempdir().unwrap();
        let rows = items(&dataset(folder.path()));
        let csv = to_csv(&rows);
        assert!(csv.contains("\"'=wrong, \"\"1\"\"\n\""), "{csv}");
        let filled = csv.replace("\"\",\"\"\r\n", "\"valid\",\"ann\"\r\n");
        let back = from_csv(Path::new("f"), &filled).unwrap();
        assert_eq!(back.len(), 3);
        assert_eq!(back[1], row("a/bug/2", "ann", "valid"));
    }

    #[test]
    fn a_wrong_row_is_named_and_nothing_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let dataset = dataset(folder.path());
        for (wrong, what) in [
            (row("a/bug/9", "ann", "valid"), "no item"),
            (row("a/bug/1", " ", "valid"), "who"),
            (row("a/bug/1", "ann", "good"), "`good`"),
        ] {
            let error = import(&dataset, Path::new("f"), &[row("a/bug/1", "ann", "valid"), wrong]).unwrap_err();
            assert!(error.to_string().contains("row 2") && error.to_string().contains(what), "{error}");
            assert!(read(&dataset).unwrap().is_empty());
        }
        for (text, what) in [("a,b\n", "`item`"), ("item,label,by\nx,y\n", "line 2"), ("item,label,by\n\"x", "line 2")]
        {
            let error = from_csv(Path::new("f"), text).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
