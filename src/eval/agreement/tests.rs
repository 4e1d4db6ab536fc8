//! Small tables whose figures are known.

use super::*;
use crate::record::{Judgement, Verdict};

fn table(text: &str) -> Table {
    let mut rows = text.lines().map(|line| line.split(' ').map(|cell| cell.replace('.', "")).collect::<Vec<_>>());
    Table { columns: rows.next().expect("the first line names the columns"), rows: rows.collect() }
}

fn few() -> Options {
    Options { bootstrap: Bootstrap { resamples: 200, ..Bootstrap::default() }, ..Options::default() }
}

/// Shrout and Fleiss 1979, table 2.
const JUDGED: &str = "item a b c d\n1 9 2 5 8\n2 6 1 3 2\n3 8 4 6 8\n4 7 1 2 6\n5 10 5 6 9\n6 6 2 4 7";

#[test]
fn numbers_have_a_mean_and_a_correlation() {
    let found = measure(&table(JUDGED), &few()).expect("it can be compared");
    assert_eq!(found.scale, Scale::Numeric);
    let Measured { items: 6, complete: 6, ratings: 24, mos: Some(mos), icc: Some(icc), .. } = &found.all else {
        panic!("{found:?}")
    };
    assert_eq!(mos.value.map(Number::rounded), Some(5.2916666667));
    assert_eq!(icc.average.map(crate::stats::rounded), Some(0.6200505476));
    assert_eq!(found.all.raters[1].mean.map(Number::rounded), Some(2.5));
    let spread = found.all.icc_average_spread.expect("it was drawn");
    assert!(spread.interval.is_some_and(|it| it.low < 0.62 && 0.62 < it.high), "{spread:?}");
}

#[test]
fn numbers_that_are_no_ratings_are_refused_with_their_cell() {
    for cell in ["1e308", "-1e16", "nan", "NaN", "inf", "-inf", "infinity", "1e999"] {
        let table = table(&format!("item a b\n1 1 2\n2 3 {cell}\n3 2 2"));
        for scale in [None, Some(Scale::Numeric)] {
            let error = measure(&table, &Options { scale, ..few() }).expect_err("it is no rating").to_string();
            assert!(error.starts_with(&format!("row 2, column `b`: `{cell}` is no rating")), "{error}");
        }
        let labels = measure(&table, &Options { scale: Some(Scale::Nominal), ..few() });
        assert_eq!(labels.map(|found| found.scale).ok(), Some(Scale::Nominal), "asked for, it is a label");
    }
    // Among labels it is one.
    let found = measure(&table("item a b\n1 yes nan\n2 no no"), &few()).expect("it can be compared");
    assert_eq!(found.scale, Scale::Nominal);
    let most = measure(&table("item a b\n1 1e15 -1e15\n2 3 4\n3 1e15 5"), &few()).expect("it can be compared");
    let mos = most.all.mos.and_then(|mos| mos.value).expect("it is defined");
    assert!(
        mos.get().is_finite()
            && most.all.raters.iter().all(|rater| rater.deviation.is_some_and(|it| it.get().is_finite()))
    );
}

#[test]
fn an_item_with_a_gap_counts_in_the_mean_alone() {
    let found = measure(&table(&format!("{JUDGED}\n7 1 . 1 1")), &few()).expect("it can be compared");
    assert_eq!((found.all.items, found.all.complete, found.all.ratings), (7, 6, 27));
    assert_eq!(found.all.icc.and_then(|icc| icc.average).map(crate::stats::rounded), Some(0.6200505476));
    assert_eq!(found.all.mos.and_then(|mos| mos.value).map(Number::rounded), Some(4.8148148148));
}

#[test]
fn labels_have_kappa_for_two_and_for_all() {
    let text = "item a b c\n1 x x x\n2 x x y\n3 y y y\n4 y x .\n5 z z z";
    let found = measure(&table(text), &few()).expect("it can be compared");
    assert_eq!(found.scale, Scale::Nominal);
    let pairs: Vec<_> =
        found.all.pairs.iter().map(|pair| (pair.items, pair.agreed, pair.kappa.map(Number::rounded))).collect();
    // By hand: 4 of 5, expected 9/25; 3 of 4 and 5/16, twice.
    let (two, both) = (Some(0.6875), Some(0.6363636364));
    assert_eq!(pairs, [(5, 4, two), (4, 3, both), (4, 3, both)]);
    let fleiss = found.all.fleiss.expect("there are labels");
    assert_eq!((fleiss.items, fleiss.kappa.map(Number::rounded)), (4, Some(0.7446808511)));
    assert_eq!(found.all.raters[2].labels, [("x".to_owned(), 1), ("y".to_owned(), 2), ("z".to_owned(), 1)].into());
}

#[test]
fn groups_are_measured_one_by_one() {
    let text = "item tag a b\n1 u x x\n2 v x y\n3 u y y";
    let options = Options { by: Some("tag".to_owned()), ..few() };
    let found = measure(&table(text), &options).expect("it can be compared");
    let kappas: Vec<_> =
        found.by.iter().map(|(name, it)| (name.as_str(), it.items, it.pairs[0].kappa.map(Number::get))).collect();
    assert_eq!(kappas, [("u", 2, Some(1.0)), ("v", 1, Some(0.0))]);
    let options = Options { by: Some("label".to_owned()), ..few() };
    let error = measure(&table(text), &options).expect_err("there is none").to_string();
    assert_eq!(error, "there is no column `label`; there are: item, tag, a, b");
}

#[test]
fn raters_are_the_columns_that_do_not_describe() {
    let names = |options: &Options| -> Result<Vec<String>, String> {
        let found =
            measure(&table("Item anna ben tag\nx 1 2 go\ny 2 2 c"), options).map_err(|error| error.to_string())?;
        Ok(found.all.raters.into_iter().map(|rater| rater.name).collect())
    };
    assert_eq!(names(&few()).expect("two raters"), ["anna", "ben"]);
    let named = |names: &[&str]| Options { raters: names.iter().map(|name| (*name).to_owned()).collect(), ..few() };
    assert_eq!(names(&named(&["tag", "anna"])).expect("two raters"), ["anna", "tag"]);
    assert!(names(&named(&["ben"])).expect_err("one is too few").starts_with("1 columns hold ratings, and 2 to 100"));
    assert!(names(&named(&["carl", "ben"])).expect_err("unknown").contains("no column `carl`"));
}

#[test]
fn words_are_no_numbers() {
    let numeric = Options { scale: Some(Scale::Numeric), ..few() };
    let error = measure(&table("a b\n1 x\u{1b}"), &numeric).expect_err("x is none").to_string();
    assert_eq!(error, "`x␛` of rater `b` is no number; with --scale nominal, ratings are labels");
    assert_eq!(measure(&table("a b\n1 x"), &few()).expect("labels").scale, Scale::Nominal);
}

#[test]
fn a_table_without_ratings_is_undefined_and_no_fault() {
    for text in ["a b\n. .", "a b\n1 1\n1 1", "a b\nx .\n. x"] {
        let found = measure(&table(text), &few()).expect("it can be compared");
        let written = serde_json::to_string(&found).expect("it is plain");
        assert!(!written.contains("NaN"), "{written}");
        assert_eq!(found.all.icc, None);
    }
}

/// What is filled in can be read again.
#[test]
fn the_form_is_a_table_of_ratings() {
    let text = form(&["one", "two"], &["anna", "b\"en, jr"]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("form.csv");
    std::fs::write(&path, text.replace(",,", ",4,")).expect("it can be written");
    let table = Table::read(&path).expect("it is a table");
    assert_eq!(table.columns, ["case", "aspect", "statement", "text", "anna", "b\"en, jr"]);
    assert_eq!(table.rows.len(), 24);
    assert_eq!(table.rows[12][..3], ["two", "consistency", "A1"]);
    let options = Options { by: Some("aspect".to_owned()), ..few() };
    let found = measure(&table, &options).expect("two columns are raters");
    assert_eq!((found.all.ratings, found.by.len()), (24, 3));
    assert_eq!(form(&[], &[]).lines().count(), 13);
}

#[test]
fn judges_of_a_run_are_raters() {
    let decided = |judge: &str, about: &str, verdict: Verdict| Judgement {
        protocol: "cqs".to_owned(),
        case: "one".to_owned(),
        about: vec![about.to_owned(), "g".to_owned()],
        judge: judge.to_owned(),
        verdict,
        ..Judgement::default()
    };
    let holds = |holds: bool| Verdict { holds: Some(holds), ..Verdict::default() };
    let other = Judgement { protocol: "sphinx".to_owned(), ..decided("other", "c1", holds(true)) };
    let all = [
        decided("lexical", "c1", holds(false)),
        decided("model", "c1", holds(true)),
        decided("lexical", "c1", holds(true)),
        decided("model", "c2", Verdict { unparsable: true, ..Verdict::default() }),
        decided("model", "c3", Verdict { label: Some("NOISE".to_owned()), ..Verdict::default() }),
        other,
    ];
    let table = Table::of_judgements(&all, "cqs");
    assert_eq!(table.columns, ["item", "lexical", "model"]);
    let rows = [["one 0 c1 g", "yes", "yes"], ["one 0 c2 g", "", "unparsable"], ["one 0 c3 g", "", "NOISE"]];
    assert_eq!(table.rows, rows);
    let found = measure(&table, &few()).expect("there are two judges");
    assert_eq!((found.all.pairs[0].items, found.all.pairs[0].agreed), (1, 1));
    assert!(measure(&Table::of_judgements(&[], "cqs"), &few()).is_err());
}
