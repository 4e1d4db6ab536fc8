//! `diffsieve eval agreement`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use diffsieve::escape::visible;
use diffsieve::eval::agreement::{self, Agreement, Measured, Options, Scale, Table};
use diffsieve::eval::score::Number;
use diffsieve::record::Dataset;

use super::draws::{DrawArgs, Form, between, drawn, shown};
use crate::cli::exit::Exit;
use crate::cli::{Failure, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct AgreementArgs {
    /// Ratings, a row an item and a column a rater: CSV whose first line names the columns, or objects in a .jsonl file
    #[arg(required_unless_present = "form", conflicts_with = "form")]
    file: Option<PathBuf>,
    /// Columns of raters [default: all but item, id, case, aspect, statement, text, tag and --by]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    raters: Vec<String>,
    /// Also compare within each value of this column
    #[arg(long, value_name = "COLUMN", conflicts_with = "form")]
    by: Option<String>,
    /// What ratings are [default: numeric where all are numbers]
    #[arg(long, value_enum, value_name = "SCALE", conflicts_with = "form")]
    scale: Option<ScaleName>,
    #[command(flatten)]
    draws: DrawArgs,
    /// How the result is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "text", conflicts_with = "form")]
    format: Form,
    /// Print an empty form instead: twelve statements about a review and its checklist, rated 1 to 5 (after Sphinx)
    #[arg(long)]
    form: bool,
    /// Ask the statements about every case of this dataset
    #[arg(long, value_name = "DIR", requires = "form")]
    dataset: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleName {
    /// Labels: agreement and kappa
    Nominal,
    /// Numbers: mean opinion score and intraclass correlation
    Numeric,
}

pub(super) fn run(args: &AgreementArgs) -> Result<Exit, Failure> {
    let Some(file) = &args.file else { return form(args) };
    let options = Options {
        raters: args.raters.clone(),
        by: args.by.clone(),
        scale: args.scale.map(|scale| match scale {
            ScaleName::Nominal => Scale::Nominal,
            ScaleName::Numeric => Scale::Numeric,
        }),
        bootstrap: args.draws.bootstrap(),
    };
    let table = Table::read(file).map_err(anyhow::Error::from)?;
    let agreement = agreement::measure(&table, &options).map_err(anyhow::Error::from)?;
    match args.format {
        Form::Text => print(&text(&agreement)),
        Form::Json => super::print_json(&agreement),
    }
}

fn form(args: &AgreementArgs) -> Result<Exit, Failure> {
    let dataset = args.dataset.as_deref().map(Dataset::open).transpose().map_err(anyhow::Error::from)?;
    let cases: Vec<&str> = dataset.iter().flat_map(|dataset| &dataset.cases).map(|case| case.id.as_str()).collect();
    let raters: Vec<&str> = args.raters.iter().map(String::as_str).collect();
    print(&agreement::form(&cases, &raters))
}

fn text(agreement: &Agreement) -> String {
    let mut out = String::new();
    section(&mut out, "all items", &agreement.all);
    for (name, measured) in &agreement.by {
        out.push('\n');
        section(&mut out, &visible(name), measured);
    }
    let Agreement { level, resamples, seed, .. } = agreement;
    let _ = write!(
        out,
        "\nintervals: level {level}; items drawn again {resamples} times from seed {seed} unless another way is named\n"
    );
    out
}

/// Writing to a string cannot fail.
fn section(out: &mut String, title: &str, measured: &Measured) {
    let Measured { items, complete, ratings, raters, pairs, fleiss, mos, icc, icc_average_spread } = measured;
    let _ = writeln!(
        out,
        "{title}: {items} items, {} raters, {ratings} ratings; {complete} items rated by all",
        raters.len()
    );
    if let Some(mos) = mos {
        let (value, deviation) = (shown(mos.value), shown(mos.deviation));
        let _ = writeln!(out, "  mean opinion score {value} {}, standard deviation {deviation}", drawn(&mos.spread));
    }
    match icc {
        Some(icc) => {
            let single = shown(icc.single.and_then(Number::new));
            let _ = writeln!(out, "  ICC(2,1) {single} {} by F", between(icc.single_interval));
            let average = shown(icc.average.and_then(Number::new));
            let spread = icc_average_spread.map(|spread| format!(", {} drawn", drawn(&spread))).unwrap_or_default();
            let _ = writeln!(out, "  ICC(2,{}) {average} {} by F{spread}", icc.raters, between(icc.average_interval));
        }
        None if mos.is_some() => {
            let _ = writeln!(out, "  ICC undefined: it needs two items that all rated, and ratings that differ");
        }
        None => {}
    }
    for pair in pairs {
        let (a, b) = (visible(&pair.a), visible(&pair.b));
        let spread = pair.kappa_spread.map(|spread| format!(" {}", drawn(&spread))).unwrap_or_default();
        let interval = between(pair.agreement_interval);
        let _ = writeln!(
            out,
            "  {a}, {b}: kappa {}{spread}; agree on {} of {} items, {} {interval} by Wilson",
            shown(pair.kappa),
            pair.agreed,
            pair.items,
            shown(pair.agreement)
        );
    }
    if let Some(fleiss) = fleiss.as_ref().filter(|_| raters.len() > 2) {
        let _ = writeln!(out, "  all raters: Fleiss' kappa {} {}", shown(fleiss.kappa), drawn(&fleiss.spread));
    }
    for rater in raters {
        let name = visible(&rater.name);
        if mos.is_some() {
            let (mean, deviation) = (shown(rater.mean), shown(rater.deviation));
            let _ = writeln!(out, "  {name}: {} ratings, mean {mean}, standard deviation {deviation}", rater.ratings);
        } else {
            let labels: Vec<String> =
                rater.labels.iter().map(|(label, count)| format!("{} {count}", visible(label))).collect();
            let _ = writeln!(out, "  {name}: {} ratings: {}", rater.ratings, labels.join(", "));
        }
    }
}
