//! How intervals are computed and results are written, for every command that measures.

use clap::{Args, ValueEnum};
use diffsieve::eval::score::Number;
use diffsieve::stats::{Bootstrap, Interval, Spread};

/// How intervals are drawn.
#[derive(Debug, Args)]
pub(in crate::cli) struct DrawArgs {
    /// How often all items or cases are drawn again for an interval
    #[arg(long, value_name = "NUMBER", default_value_t = Bootstrap::default().resamples, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bootstrap: u32,
    /// What the draws begin with; the same seed gives the same intervals everywhere
    #[arg(long, value_name = "NUMBER", default_value_t = Bootstrap::default().seed)]
    seed: u64,
    /// Level of the intervals, between 0 and 1
    #[arg(long, value_name = "LEVEL", default_value_t = Bootstrap::default().level, value_parser = level)]
    level: f64,
}

impl Default for DrawArgs {
    fn default() -> Self {
        let Bootstrap { resamples, seed, level } = Bootstrap::default();
        Self { bootstrap: resamples, seed, level }
    }
}

impl DrawArgs {
    pub(in crate::cli) fn bootstrap(&self) -> Bootstrap {
        Bootstrap { resamples: self.bootstrap, seed: self.seed, level: self.level }
    }
}

pub(super) fn level(text: &str) -> Result<f64, String> {
    let level = text.parse::<f64>().ok().filter(|level| *level > 0.0 && *level < 1.0);
    level.ok_or_else(|| "it is a number between 0 and 1, such as 0.95".to_owned())
}

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(in crate::cli) enum Form {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// A number for people.
pub(super) fn shown(number: Option<Number>) -> String {
    number.map_or_else(|| "undefined".to_owned(), |number| format!("{:.4}", number.get()))
}

/// An interval for people.
pub(super) fn between(interval: Option<Interval>) -> String {
    interval.map_or_else(|| "[no interval]".to_owned(), |Interval { low, high }| format!("[{low:.4}, {high:.4}]"))
}

/// The interval of draws for people, with the draws that gave no score.
pub(super) fn drawn(spread: &Spread) -> String {
    let interval = between(spread.interval);
    if spread.undefined == 0 {
        interval
    } else {
        format!("{interval} ({} of {} draws undefined)", spread.undefined, spread.resamples)
    }
}
