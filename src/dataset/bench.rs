//! A benchmark drawn from datasets: so many faulty and so many clean changes of each language (Sphinx, section "The Sphinx
//! Benchmark Construction": 450 and 50), spread over operators and difficulties as the sources are, in the order of a
//! seeded SHA-256. The same sources and seed give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::{Files, transfer};
use crate::digest::Hash;
use crate::record::{self, Case, Dataset, Difficulty, Error, Manifest, Source};

/// The file with the digests of every case and file.
pub const HASHES: &str = "hashes.json";

/// How many are wanted of each language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Changes with known faults.
    pub buggy: usize,
    /// Changes with none.
    pub clean: usize,
}

impl Quota {
    /// Reads `450:50`.
    pub fn parse(text: &str) -> Option<Self> {
        let (buggy, clean) = text.split_once(':')?;
        let number = |text: &str| text.parse().ok().filter(|number| *number <= 1_000_000);
        let quota = Self { buggy: number(buggy)?, clean: number(clean)? };
        (quota.buggy + quota.clean > 0).then_some(quota)
    }
}

/// How many of one language are there, and how many were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The language, or `unknown`.
    pub language: String,
    /// `buggy` or `clean`.
    pub kind: &'static str,
    /// Wanted.
    pub wanted: usize,
    /// In the sources.
    pub there: usize,
    /// Taken.
    pub taken: usize,
}

/// A benchmark as written.
#[derive(Debug)]
pub struct Bench {
    /// The dataset.
    pub dataset: Dataset,
    /// One row for each language and kind, sorted.
    pub rows: Vec<Row>,
    /// Cases of the sources of which neither a fault nor cleanness is known; they are never taken.
    pub unlabelled: usize,
}

impl Bench {
    /// Rows that have less than what was wanted.
    pub fn short(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.taken < row.wanted)
    }
}

/// Whether a fault of the case is known; `None` where nothing is.
fn is_buggy(case: &Case) -> Option<bool> {
    let has_truth =
        !case.bugs.is_empty() || !case.issues.is_empty() || !case.checklist.is_empty() || !case.comments.is_empty();
    if case.clean { Some(false) } else { has_truth.then_some(true) }
}

/// What cases are alike in: who put the fault in, and how hard it is.
fn stratum(case: &Case) -> String {
    let difficulty = case.difficulty.map(|difficulty| match difficulty {
        Difficulty::Easy => "easy",
        Difficulty::Medium => "medium",
        Difficulty::Hard => "hard",
    });
    format!("{}/{}", case.operator.as_deref().unwrap_or_default(), difficulty.unwrap_or_default())
}

fn order(seed: u64, case: &Case) -> String {
    let mut hash = Hash::new();
    hash.part(b"diffsieve/bench/v1");
    hash.part(&seed.to_le_bytes());
    hash.part(case.id.as_bytes());
    hash.digits()
}

/// Cases of one language and kind with their datasets, by what they are alike in.
type Strata<'s> = BTreeMap<String, Vec<(&'s Dataset, &'s Case)>>;

/// Takes so many from strata of these sizes, each by its share: whole parts first, then the largest remainders, of equal
/// ones the first.
fn shares(sizes: &[usize], wanted: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    let wanted = wanted.min(all);
    if all == 0 {
        return vec![0; sizes.len()];
    }
    let mut taken: Vec<usize> = sizes.iter().map(|size| size * wanted / all).collect();
    let mut by_rest: Vec<usize> = (0..sizes.len()).collect();
    by_rest.sort_by_key(|index| std::cmp::Reverse(sizes[*index] * wanted % all));
    let missing = wanted - taken.iter().sum::<usize>();
    for index in by_rest.into_iter().take(missing) {
        taken[index] += 1;
    }
    taken
}

/// Draws from the sources into a new folder. `languages` names those that are wanted, all where it is empty; one of them
/// that no source has is a row with nothing taken.
///
/// # Errors
/// Two sources have a case of the same id, or a file cannot be copied.
pub fn bench(sources: &[Dataset], languages: &[String], quota: Quota, seed: u64, out: &Path) -> Result<Bench, Error> {
    let mut seen: BTreeMap<&str, &Dataset> = BTreeMap::new();
    let mut groups: BTreeMap<(String, bool), Strata<'_>> = BTreeMap::new();
    let mut unlabelled = 0;
    for dataset in sources {
        for case in &dataset.cases {
            if let Some(other) = seen.insert(&case.id, dataset) {
                let what = format!("the case `{}` is in `{}` too", case.id, other.folder.display());
                return Err(Error::content(&dataset.folder, &what));
            }
            let language = case.language.clone().unwrap_or_else(|| "unknown".to_owned());
            match is_buggy(case) {
                None => unlabelled += 1,
                Some(_) if !languages.is_empty() && !languages.contains(&language) => {}
                Some(buggy) => {
                    let strata = groups.entry((language, !buggy)).or_default();
                    strata.entry(stratum(case)).or_default().push((dataset, case));
                }
            }
        }
    }
    let named: BTreeSet<String> = groups.keys().map(|(language, _)| language).chain(languages).cloned().collect();
    let (mut rows, mut drawn) = (Vec::new(), Vec::new());
    for language in named {
        for (kind, wanted) in [("buggy", quota.buggy), ("clean", quota.clean)] {
            let strata = groups.remove(&(language.clone(), kind == "clean")).unwrap_or_default();
            let sizes: Vec<usize> = strata.values().map(Vec::len).collect();
            let shares = shares(&sizes, wanted);
            let row =
                Row { language: language.clone(), kind, wanted, there: sizes.iter().sum(), taken: shares.iter().sum() };
            rows.push(row);
            for (mut cases, share) in strata.into_values().zip(shares) {
                cases.sort_by_cached_key(|(_, case)| order(seed, case));
                drawn.extend(cases.into_iter().take(share));
            }
        }
    }
    drawn.sort_by(|(_, one), (_, other)| one.id.cmp(&other.id));
    let dataset = write(sources, &drawn, &rows, quota, seed, out)?;
    Ok(Bench { dataset, rows, unlabelled })
}

fn write(
    sources: &[Dataset],
    drawn: &[(&Dataset, &Case)],
    rows: &[Row],
    quota: Quota,
    seed: u64,
    out: &Path,
) -> Result<Dataset, Error> {
    let mut files = Files::new(out);
    let ids: BTreeSet<&str> = drawn.iter().map(|(_, case)| case.id.as_str()).collect();
    let mut cases = Vec::new();
    for (dataset, case) in drawn {
        let mut case = files.bring(dataset, case)?;
        // A twin that was not drawn is nowhere to be found.
        case.twin = case.twin.filter(|twin| ids.contains(twin.as_str()));
        cases.push(case);
    }
    let licences: BTreeSet<String> =
        sources.iter().flat_map(|source| source.manifest.licences.iter().cloned()).collect();
    let from = sources.iter().map(|source| json!({"name": source.manifest.name, "digest": source.manifest.digest}));
    let outside = cases.iter().filter(|case| !matches!(case.source, Source::Files { .. })).count();
    let manifest = Manifest {
        name: "bench".to_owned(),
        description: format!("{}:{} of each language, seed {seed}", quota.buggy, quota.clean),
        licences: licences.into_iter().collect(),
        built: BTreeMap::from([
            ("command".to_owned(), json!("dataset bench")),
            ("per_language".to_owned(), json!({"buggy": quota.buggy, "clean": quota.clean})),
            ("seed".to_owned(), json!(seed)),
            ("sources".to_owned(), from.collect()),
            ("drawn".to_owned(), json!(rows)),
            ("not_whole_files".to_owned(), json!(outside)),
        ]),
        ..Manifest::default()
    };
    let mut digests = BTreeMap::new();
    for case in &cases {
        let line = serde_json::to_vec(case).map_err(|error| Error::content(out, &error.to_string()))?;
        digests.insert(case.id.clone(), transfer::sha256(&line));
    }
    let dataset = Dataset::write(out, manifest, cases)?;
    record::write_json(&out.join(HASHES), &json!({"cases": digests, "files": files.digests()}))?;
    Ok(dataset)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot set the stage fails")]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::Bug;

    fn source(folder: &Path, prefix: &str, count: usize) -> Dataset {
        let cases = (0..count)
            .map(|number| {
                let id = format!("{prefix}{number}");
                let file = format!("{id}.patch");
                std::fs::write(folder.join(&file), &id).unwrap();
                let clean = number % 4 == 0;
                Case {
                    bugs: if clean { vec![] } else { vec![Bug { id: "b".to_owned(), ..Bug::default() }] },
                    source: Source::Patch { file, repository: None },
                    language: Some(if number % 2 == 0 { "go" } else { "python" }.to_owned()),
                    operator: Some(format!("op{}", number % 3)),
                    clean,
                    id,
                    ..Case::default()
                }
            })
            .collect();
        Dataset::write(folder, Manifest { name: prefix.to_owned(), ..Manifest::default() }, cases).unwrap()
    }

    #[test]
    fn a_draw_is_the_same_again_and_another_for_another_seed() {
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let sources = [source(one.path(), "a", 60), source(two.path(), "b", 20)];
        let quota = Quota { buggy: 6, clean: 3 };
        let draw = |seed| {
            let out = tempfile::tempdir().unwrap();
            let bench = bench(&sources, &[], quota, seed, out.path()).unwrap();
            assert_eq!(Dataset::open(out.path()).unwrap().cases, bench.dataset.cases);
            let hashes: serde_json::Value = record::read_json(&out.path().join(HASHES)).unwrap();
            (bench, std::fs::read(out.path().join("cases.jsonl")).unwrap(), hashes)
        };
        let (bench, bytes, hashes) = draw(1);
        assert_eq!(bytes, draw(1).1);
        assert_ne!(bytes, draw(2).1);
        let taken: Vec<_> = bench.rows.iter().map(|row| (row.language.as_str(), row.kind, row.taken)).collect();
        let expected = [("go", "buggy", 6), ("go", "clean", 3), ("python", "buggy", 6), ("python", "clean", 0)];
        assert_eq!(taken, expected);
        assert_eq!(bench.short().count(), 1);
        // Each operator has a third of the faulty changes.
        for operator in ["op0", "op1", "op2"] {
            let is = |case: &&Case| case.operator.as_deref() == Some(operator) && !case.clean;
            assert_eq!(bench.dataset.cases.iter().filter(is).count(), 4, "{operator}");
        }
        let first = &bench.dataset.cases[0].id;
        let digest = transfer::sha256(first.as_bytes());
        assert_eq!(hashes["files"][format!("patches/{first}.patch")], json!(digest));
    }

    #[test]
    fn one_id_means_one_case() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), "a", 3);
        let out = tempfile::tempdir().unwrap();
        let quota = Quota { buggy: 1, clean: 1 };
        let error = bench(&[source.clone(), source], &[], quota, 1, out.path()).unwrap_err();
        assert!(error.to_string().contains("`a0`"), "{error}");
    }

    #[test]
    fn quotas_are_two_numbers() {
        assert_eq!(Quota::parse("450:50"), Some(Quota { buggy: 450, clean: 50 }));
        for text in ["", "5", "5:", ":5", "0:0", "-1:2", "a:b", "1:2:3", "9999999:1"] {
            assert_eq!(Quota::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn shares_take_what_is_wanted_and_no_more_than_is_there(
            sizes in prop::collection::vec(0_usize..50, 0..8),
            wanted in 0_usize..200,
        ) {
            let taken = shares(&sizes, wanted);
            prop_assert_eq!(taken.iter().sum::<usize>(), wanted.min(sizes.iter().sum()));
            prop_assert!(taken.iter().zip(&sizes).all(|(taken, size)| taken <= size));
        }
    }
}
