//! What others published under the protocols of a report, as tables.

use serde::Serialize;

use super::words::number;
use crate::eval::published::{self, Cqs, CrBench, Sphinx, SwePrBench};

/// A table that others published. Other data, judges and prompts: it ranks nothing here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// The protocol.
    pub protocol: &'static str,
    /// Where it is printed.
    pub source: &'static str,
    /// What the numbers are; the first column of each row is the reviewer.
    pub columns: Vec<&'static str>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}

/// The table of a protocol, where there is one.
pub(super) fn of(protocol: &str) -> Option<Elsewhere> {
    let row = |name: &str, numbers: &[f64]| -> Vec<String> {
        [name.to_owned()].into_iter().chain(numbers.iter().map(|value| number(*value, 3))).collect()
    };
    let table = |protocol, source, columns: &[&'static str], rows| {
        let columns = ["reviewer"].into_iter().chain(columns.iter().copied()).collect();
        Some(Elsewhere { protocol, source, columns, rows })
    };
    match protocol {
        "cr-bench" => {
            let of = |one: &CrBench| row(one.name, &[one.recall, one.precision, one.f1, one.usefulness, one.snr]);
            let columns = ["recall, %", "precision, %", "F1, %", "usefulness, %", "signal to noise"];
            table("cr-bench", published::CR_BENCH_SOURCE, &columns, published::CR_BENCH.iter().map(of).collect())
        }
        "swe-prbench" => {
            let of = |one: &SwePrBench| {
                let [a, b, c] = one.contexts;
                row(one.name, &[a, b, c, one.mean, one.detection, one.false_positives])
            };
            let columns = ["score, context A", "B", "C", "mean", "detection rate, A", "fabricated"];
            let rows = published::SWE_PRBENCH.iter().map(of).collect();
            table("swe-prbench", published::SWE_PRBENCH_SOURCE, &columns, rows)
        }
        "sphinx" => {
            let of = |one: &Sphinx| row(one.name, &[one.average, one.bleu_1, one.rouge_l]);
            let columns = ["coverage, mean over languages, %", "BLEU-1", "ROUGE-L"];
            table("sphinx", published::SPHINX_SOURCE, &columns, published::SPHINX.iter().map(of).collect())
        }
        "cqs" => {
            let of = |one: &Cqs| {
                let issues = one.issues.map_or("not published".to_owned(), |issues| issues.to_string());
                let mut row = row(one.name, &[one.precision, one.recall]);
                row.push(issues);
                row
            };
            let columns = ["precision, %", "recall, %", "issues"];
            table("cqs", published::CQS_SOURCE, &columns, published::CQS.iter().map(of).collect())
        }
        _ => None,
    }
}
