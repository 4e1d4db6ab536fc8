//! `diffsieve eval judge-study`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use diffsieve::escape::visible;
use diffsieve::eval::agreement::Table;
use diffsieve::eval::study::{self, Study};

use super::draws::{Form, between, level, shown};
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct StudyArgs {
    /// Votes: CSV or .jsonl with the columns score (-1 to 10) and thumb (up, down), and item, judge, tag where known
    file: PathBuf,
    /// Level of the intervals, between 0 and 1
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = level)]
    level: f64,
    /// How the result is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    format: Form,
}

pub(super) fn run(args: &StudyArgs) -> Result<Exit, Failure> {
    let table = Table::read(&args.file).map_err(anyhow::Error::from)?;
    let study = study::votes(&table).and_then(|votes| study::study(&votes, args.level)).map_err(anyhow::Error::from)?;
    match args.format {
        Form::Text => print(&text(&study)),
        Form::Json => super::print_json(&study),
    }
}

/// Writing to a string cannot fail.
fn text(study: &Study) -> String {
    let mut out = String::new();
    for (name, judge) in &study.judges {
        let foreseen = judge.true_positive + judge.true_negative;
        let _ = writeln!(out, "{}: foresees {foreseen} of {} votes", visible(name), judge.votes);
        let (wilson, exact) = (between(judge.accuracy_wilson), between(judge.accuracy_exact));
        let _ = writeln!(
            out,
            "  accuracy {} {wilson} by Wilson, {exact} exact; kappa {}",
            shown(judge.accuracy),
            shown(judge.kappa)
        );
        let _ = writeln!(
            out,
            "  called valid: {} thumbs up, {} down; not valid: {} up, {} down",
            judge.true_positive, judge.false_positive, judge.false_negative, judge.true_negative
        );
        let _ =
            writeln!(out, "  helpfulness {} {} by Wilson", shown(judge.helpfulness), between(judge.helpfulness_wilson));
        for (tag, scores) in &judge.tags {
            let (mean, deviation) = (shown(scores.mean), shown(scores.deviation));
            let tag = visible(tag);
            let _ = writeln!(
                out,
                "  {tag}: {} scores, mean {mean}, standard deviation {deviation}, {} up",
                scores.votes, scores.up
            );
        }
    }
    for pair in &study.pairs {
        let counts = pair.foreseen;
        let all = counts.both + counts.only_a + counts.only_b + counts.neither;
        let _ = writeln!(
            out,
            "{}, {}: of {all} votes on the same issues, {} alone foresees {} and {} alone {}; McNemar exact p {}, mid-p {}",
            visible(&pair.a),
            visible(&pair.b),
            visible(&pair.a),
            counts.only_a,
            visible(&pair.b),
            counts.only_b,
            shown(pair.exact),
            shown(pair.mid)
        );
    }
    let _ = writeln!(out, "intervals: level {}", study.level);
    out
}
