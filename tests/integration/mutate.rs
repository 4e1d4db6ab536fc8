//! `diffsieve dataset mutate`: one fault in one place, labelled where it stands, and the same bytes every time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use diffsieve::git::line_changes;
use diffsieve::record::{Case, Dataset, Source};

use super::program::Place;

const OLD: &str = "def old(a):\n    return a\n";

const PYTHON: &str = "def old(a):
    return a


def mean(values, weights):
    if values is None:
        return 0
    total = 0
    for i in range(len(values)):
        if values[i] > 10 and weights[i] != 0:
            total += values[i] * weights[i]
    return total / combine(values, weights)
";

const GO: &str = "package p

func Take(from, to string) error {
\tif from == \"\" {
\t\treturn nil
\t}
\tmu.Lock()
\tdefer mu.Unlock()
\treturn move(from, to)
}
";

/// A repository whose last commit adds to one file, brings another, and changes what is no code.
fn repository() -> Place {
    let place = Place::repository();
    place.write("a.py", OLD);
    place.write("README.md", "one\n");
    place.commit("base");
    place.write("a.py", PYTHON);
    place.write("p/b.go", GO);
    place.write("tests/test_a.py", PYTHON);
    place.write("README.md", "two\n");
    place.commit("Add a mean\n\nAnd a move.");
    place
}

fn built(place: &Place, out: &str, options: &[&str]) -> Dataset {
    let ran = place.run([&["dataset", "mutate", "--out", out, "--name", "a/b", "--licence", "MIT"], options].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    Dataset::open(&place.path(out)).unwrap()
}

fn folder(dataset: &Dataset, case: &Case) -> PathBuf {
    let Source::Files { folder } = &case.source else { panic!("{} has no files", case.id) };
    dataset.path(folder)
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_mutant_differs_from_its_twin_in_one_hunk_and_is_labelled_there() {
    let place = repository();
    let dataset = built(&place, "ds", &["--range", "HEAD~1..HEAD", "--per-operator", "4"]);
    let by_id: BTreeMap<&str, &Case> = dataset.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let (twins, mutants): (Vec<&Case>, Vec<&Case>) = dataset.cases.iter().partition(|case| case.clean);
    assert_eq!(twins.len(), 1, "a change has one twin");
    assert!(mutants.len() >= 10, "{}", mutants.len());
    for case in mutants {
        let twin = by_id[case.twin.as_deref().unwrap()];
        let (own, clean) = (files(&folder(&dataset, case)), files(&folder(&dataset, twin)));
        let differing: Vec<_> = clean.keys().filter(|path| own.get(*path) != clean.get(*path)).collect();
        let bug = &case.bugs[0];
        let file = bug.file.as_deref().unwrap();
        assert_eq!(differing, [&Path::new("new").join(file)], "{}", case.id);
        assert_eq!(own.keys().collect::<Vec<_>>(), clean.keys().collect::<Vec<_>>());
        assert!(!file.starts_with("tests/"), "{file}");
        let new = &own[&Path::new("new").join(file)];
        let [hunk] = <[_; 1]>::try_from(line_changes(&clean[&Path::new("new").join(file)], new)).unwrap();
        let (first, last) = (bug.line.unwrap() - 1, bug.end_line.unwrap());
        let is_there = first <= hunk.new.start && hunk.new.end <= last;
        let is_beside = hunk.new.is_empty() && first <= hunk.new.start && hunk.new.start <= last;
        assert!(is_there || is_beside, "{first}..{last} does not hold {hunk:?} ({:?})", case.operator);
        let none = Vec::new();
        let old = own.get(&Path::new("old").join(file)).unwrap_or(&none);
        let added = line_changes(old, new);
        for line in first..last {
            assert!(added.iter().any(|change| change.new.contains(&line)), "line {line} is not added");
        }
    }
}

#[test]
fn a_case_serves_all_protocols_and_gives_nothing_away() {
    let place = repository();
    let dataset = built(&place, "ds", &["--range", "HEAD~1..HEAD", "--languages", "python", "--operators", "boundary"]);
    let [twin, mutant] = <[Case; 2]>::try_from(dataset.cases.clone()).unwrap();
    assert_eq!((twin.title.as_str(), twin.description.as_str()), ("Add a mean", "And a move."));
    assert_eq!((&mutant.title, &mutant.description), (&twin.title, &twin.description));
    assert!(twin.clean && twin.bugs.is_empty() && twin.checklist.is_empty());
    assert!(mutant.id.starts_with("python-") && twin.id.starts_with("python-"));
    assert_eq!(mutant.id.len(), twin.id.len());
    assert_eq!(mutant.operator.as_deref(), Some("boundary"));
    let bug = &mutant.bugs[0];
    assert_eq!((bug.line, bug.end_line), (Some(10), Some(10)));
    let said = "`values[i] >= 10` stands where `values[i] > 10` is right in `mean`: the case in which both sides are equal \
                goes the wrong way.";
    assert_eq!(bug.description, said);
    assert!(mutant.checklist[0].text.starts_with("Replace `values[i] >= 10` by `values[i] > 10` ("));
    assert_eq!(mutant.issues[0].tag, "OffByOne");
    assert!(mutant.comments[0].body.contains('?'));
    let origin = mutant.origin.unwrap();
    assert_eq!((origin.repository.as_str(), origin.licence.as_deref()), ("a/b", Some("MIT")));
    assert_eq!(dataset.manifest.licences, ["MIT"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_other_places() {
    let place = repository();
    let options = ["--files", "*.py", "--files", "**/*.go", "--per-operator", "1"];
    built(&place, "one", &options);
    built(&place, "two", &options);
    assert_eq!(files(&place.path("one")), files(&place.path("two")));
    let other = built(&place, "three", &[&options[..], &["--seed", "2"]].concat());
    let ids = |dataset: &Dataset| dataset.cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>();
    assert_ne!(ids(&Dataset::open(&place.path("one")).unwrap()), ids(&other));
    assert!(other.cases.iter().any(|case| case.title == "Add p/b.go"));
}

#[test]
fn limits_hold() {
    let place = repository();
    let dataset = built(&place, "ds", &["--range", "HEAD~1..HEAD", "--max", "3"]);
    assert_eq!(dataset.cases.iter().filter(|case| !case.clean).count(), 3);
    let few = place.run(["dataset", "mutate", "--range", "HEAD~1..HEAD", "--max-lines", "2", "--out", "none"]);
    few.fails(3, &["nothing is kept"]);
    assert!(few.text().contains("refused, too-large"), "{}", few.text());
    assert!(place.read("none/rejected.jsonl").contains("too-large"));
    fs::remove_dir_all(place.path("none")).unwrap();
    let again = place.run(["dataset", "mutate", "--range", "HEAD~1..HEAD", "--out", "ds"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("not empty"), "{}", again.stderr);
    let wrong = place.run(["dataset", "mutate", "--files", "*.py", "--operators", "bondary", "--out", "none"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("boundary"), "{}", wrong.stderr);
    let wrong = place.run(["dataset", "mutate", "--range", "HEAD", "--out", "none"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("write A..B"), "{}", wrong.stderr);
    let wrong = place.run(["dataset", "mutate", "--files", "*.py", "--languages", "yaml", "--out", "none"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("no language"), "{}", wrong.stderr);
}
