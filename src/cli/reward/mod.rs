//! `diffsieve reward`.

mod judge;
mod serve;

use std::io::{self, BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use diffsieve::escape;
use diffsieve::eval::reward::{Begun, Judge, Row, Settings, Told, Unit, Variant};
use diffsieve::eval::sphinx::Penalty;
use serde::Serialize;

use super::exit::Exit;
use super::{Failure, output};
use judge::{Bench, ModelJudgeArgs};

/// Longest line that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// Bytes that are read ahead; a model is asked about the rows in them side by side.
const AHEAD: usize = 1 << 20;

/// Most rows that are judged before the first of them is written.
const SIDE_BY_SIDE: usize = 256;

/// Most rows without a reward that are named on standard error; each says so itself.
const TOLD: usize = 10;

#[derive(Debug, Args)]
pub(super) struct RewardArgs {
    /// Reviews to reward, one JSON object a line; - or nothing reads standard input
    #[arg(conflicts_with = "serve")]
    file: Option<PathBuf>,
    /// What is rewarded
    #[arg(long, value_enum, value_name = "VARIANT", default_value = "checklist")]
    variant: VariantName,
    /// Who decides where a row carries no decision [default: nobody, and the row is an error]
    #[arg(long, value_enum, value_name = "JUDGE")]
    judge: Option<JudgeName>,
    /// What a long review pays. The paper publishes no constants, so every one is yours to give
    #[arg(long, value_enum, value_name = "READING", default_value = "off")]
    penalty: PenaltyName,
    /// Up to M times the length of the checklist a review pays nothing (ramp)
    #[arg(long, value_name = "M")]
    m: Option<f64>,
    /// Where the ramp ends, or where the fall begins (literal), in lengths of the checklist
    #[arg(long, value_name = "N")]
    n: Option<f64>,
    /// Most that is taken away, 0 to 1 (ramp)
    #[arg(long, value_name = "SHARE")]
    cap: Option<f64>,
    /// What is left at least, 0 to 1 (literal)
    #[arg(long, value_name = "SHARE")]
    least: Option<f64>,
    /// What length is counted in
    #[arg(long, value_enum, value_name = "UNIT", default_value = "chars")]
    unit: UnitName,
    /// Answer a trainer over HTTP on this loopback address, such as 127.0.0.1:0, whose port is then printed
    #[arg(long, value_name = "ADDRESS:PORT")]
    serve: Option<SocketAddr>,
    /// Answer only who sends `Authorization: Bearer TOKEN` [env: DIFFSIEVE_REWARD_TOKEN]
    #[arg(long, value_name = "TOKEN", requires = "serve")]
    token: Option<String>,
    /// Stop serving when standard input ends, so that no server outlives its trainer
    #[arg(long, requires = "serve")]
    until_stdin_ends: bool,
    #[command(flatten)]
    model: ModelJudgeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VariantName {
    /// The share of checklist items that the review addresses, times the factor for length
    Checklist,
    /// What a general judge scored, times the factor for length
    Judge,
    /// The share of checklist items, whatever the length
    NoLength,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JudgeName {
    /// Words of the item in the review: no model, no paraphrase; a lower bound that training would learn to recite
    Lexical,
    /// The model of --model, DIFFSIEVE_MODEL or the configuration, as it judges for `eval judge` by sphinx
    Model,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PenaltyName {
    /// Nothing
    Off,
    /// From M to N times the checklist the factor falls with the square of the excess, by --cap at most
    Ramp,
    /// From N times the checklist it falls with the square of the excess, to --least
    Literal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitName {
    /// Characters of Unicode
    Chars,
    /// What white space separates
    Words,
    /// Tokens, as estimated
    Tokens,
}

pub(super) fn run(args: &RewardArgs) -> Result<Exit, Failure> {
    let settings = settings(args)?;
    let bench = match args.judge {
        Some(JudgeName::Model) if settings.variant == Variant::Judge => {
            return Err(
                anyhow!("`--variant judge` rewards the score that stands in each row: leave out --judge").into()
            );
        }
        Some(JudgeName::Model) => Some(Bench::new(&args.model, args.serve.is_some())?),
        Some(JudgeName::Lexical) | None => {
            args.model.check_unused()?;
            None
        }
    };
    if let Some(address) = args.serve {
        return serve::run(address, token(args)?, args.until_stdin_ends, settings, bench);
    }
    let named = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let name = named.map_or_else(|| "standard input".to_owned(), |path| format!("`{}`", super::shown(path)));
    let input: Box<dyn Read> = match named {
        Some(path) => Box::new(std::fs::File::open(path).with_context(|| format!("{name} cannot be read"))?),
        None => Box::new(io::stdin().lock()),
    };
    let mut lines = Lines { input: BufReader::with_capacity(AHEAD, input), name, number: 0, settings };
    // Standard output is sent line by line, so that a trainer can wait for each.
    let mut out = io::stdout().lock();
    let (done, missing) = match bench {
        None => (lines.rewarded(&mut out), 0),
        Some(bench) => {
            let mut missing = 0;
            let (done, spent) = bench.sit(|decide| lines.judged(&bench.judge(decide), &mut out, &mut missing))?;
            spent.say();
            (done, missing)
        }
    };
    match done {
        Err(error) if error.root_cause().downcast_ref().is_some_and(is_closed_pipe) => Ok(Exit::Passed),
        Err(error) => Err(error.into()),
        Ok(()) if missing > 0 => {
            output::say(&format!(
                "{missing} rows have no reward; give the output to `diffsieve reward --judge model`, which asks only for those"
            ));
            Ok(Exit::Incomplete)
        }
        Ok(()) => Ok(Exit::Passed),
    }
}

fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// The rows of a file.
struct Lines<R> {
    input: BufReader<R>,
    name: String,
    number: usize,
    settings: Settings,
}

impl<R: Read> Lines<R> {
    /// A reward for each line, as soon as it is known.
    fn rewarded(&mut self, out: &mut dyn io::Write) -> anyhow::Result<()> {
        while let Some(row) = self.next()? {
            let reward = self.settings.reward(&row).with_context(|| self.at())?;
            write(out, &reward)?;
        }
        Ok(())
    }

    /// The same where a model decides: rows whose lines have arrived are judged side by side, and none waits for one that is
    /// still to come. Counts in `missing` what the judge did not decide about.
    fn judged(&mut self, judge: &Judge<'_>, out: &mut dyn io::Write, missing: &mut usize) -> anyhow::Result<()> {
        loop {
            let mut rows = Vec::new();
            let mut begun = Vec::new();
            let ended = loop {
                match self.begun() {
                    Ok(Some((row, one))) => {
                        rows.push((row, self.number));
                        begun.push(one);
                    }
                    Ok(None) => break Some(Ok(())),
                    // What stands before it is rewarded first.
                    Err(error) => break Some(Err(error)),
                }
                if rows.len() >= SIDE_BY_SIDE || !self.input.buffer().contains(&b'\n') {
                    break None;
                }
            };
            for ((row, line), outcome) in rows.into_iter().zip(judge.rewards(begun)) {
                if let Err(none) = &outcome {
                    *missing += 1;
                    if *missing <= TOLD {
                        let why = escape::visible(&none.message);
                        output::say(&format!("{}, line {line}: no reward: {}: {why}", self.name, none.why));
                    }
                }
                write(out, &Told::new(row, line, outcome))?;
            }
            if let Some(ended) = ended {
                return ended;
            }
        }
    }

    fn begun(&mut self) -> anyhow::Result<Option<(Row, Begun)>> {
        let Some(row) = self.next()? else { return Ok(None) };
        let begun = self.settings.begin(&row).with_context(|| self.at())?;
        Ok(Some((row, begun)))
    }

    /// The next row; `None` at the end.
    fn next(&mut self) -> anyhow::Result<Option<Row>> {
        loop {
            let mut line = Vec::new();
            self.number += 1;
            let read = (&mut self.input).take(LONGEST + 1).read_until(b'\n', &mut line);
            if read.with_context(|| format!("{} cannot be read", self.name))? == 0 {
                return Ok(None);
            }
            if line.len() as u64 > LONGEST {
                bail!("{}: it has more than {LONGEST} bytes", self.at());
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let row = serde_json::from_slice(&line).map_err(|error| anyhow!(escape::visible(&error.to_string())));
            return Ok(Some(row.with_context(|| self.at())?));
        }
    }

    fn at(&self) -> String {
        format!("{}, line {}", self.name, self.number)
    }
}

fn write(out: &mut dyn io::Write, what: &impl Serialize) -> anyhow::Result<()> {
    let mut text = escape::json(&serde_json::to_string(what)?);
    text.push('\n');
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Every constant that the penalty uses has to be given, and no other.
fn settings(args: &RewardArgs) -> anyhow::Result<Settings> {
    let variant = match args.variant {
        VariantName::Checklist => Variant::Checklist,
        VariantName::Judge => Variant::Judge,
        VariantName::NoLength => Variant::NoLength,
    };
    if variant == Variant::NoLength && args.penalty != PenaltyName::Off {
        bail!("`--variant no-length` pays for no length: leave out --penalty");
    }
    let uses: &[&str] = match args.penalty {
        PenaltyName::Off => &[],
        PenaltyName::Ramp => &["--m", "--n", "--cap"],
        PenaltyName::Literal => &["--n", "--least"],
    };
    let reading = args.penalty.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    for (name, value) in [("--m", args.m), ("--n", args.n), ("--cap", args.cap), ("--least", args.least)] {
        match (uses.contains(&name), value) {
            (true, None) => bail!("`--penalty {reading}` needs {}: the paper publishes no constants", uses.join(", ")),
            (false, Some(_)) => bail!("`--penalty {reading}` does not use {name}"),
            _ => {}
        }
    }
    let penalty = match (args.penalty, args.m, args.n, args.cap, args.least) {
        (PenaltyName::Ramp, Some(start), Some(end), Some(cap), _) => Some(Penalty::Ramp { start, end, cap }),
        (PenaltyName::Literal, _, Some(end), _, Some(least)) => Some(Penalty::Literal { end, least }),
        _ => None,
    };
    if let Some(penalty) = &penalty {
        penalty.check()?;
    }
    let unit = match args.unit {
        UnitName::Chars => Unit::Chars,
        UnitName::Words => Unit::Words,
        UnitName::Tokens => Unit::Tokens,
    };
    Ok(Settings { variant, penalty, unit, lexical: args.judge == Some(JudgeName::Lexical) })
}

/// The token that clients have to send. It stands in a header, so it has visible ASCII characters only.
fn token(args: &RewardArgs) -> anyhow::Result<Option<String>> {
    let from_env = super::env::var("DIFFSIEVE_REWARD_TOKEN").map(|value| value.to_string_lossy().into_owned());
    let token = args.token.clone().or_else(|| from_env.filter(|token| !token.is_empty()));
    match token {
        Some(token) if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            bail!("a token has visible ASCII characters, at least one, and no blanks")
        }
        token => Ok(token),
    }
}
