//! `diffsieve reward`.

mod serve;

use std::io::{self, BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use diffsieve::escape;
use diffsieve::eval::reward::{Row, Settings, Unit, Variant};
use diffsieve::eval::sphinx::Penalty;

use super::Failure;
use super::exit::Exit;

/// Longest line that is read, in bytes.
const LONGEST: u64 = 16 << 20;

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
    if let Some(address) = args.serve {
        return serve::run(address, token(args)?, args.until_stdin_ends, settings);
    }
    let named = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let name = named.map_or_else(|| "standard input".to_owned(), |path| format!("`{}`", super::shown(path)));
    let input: Box<dyn Read> = match named {
        Some(path) => Box::new(std::fs::File::open(path).with_context(|| format!("{name} cannot be read"))?),
        None => Box::new(io::stdin().lock()),
    };
    // Standard output is sent line by line, so that a trainer can wait for each.
    match lines(input, &name, &settings, &mut io::stdout().lock()) {
        Err(error) if error.root_cause().downcast_ref().is_some_and(is_closed_pipe) => Ok(Exit::Passed),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(Exit::Passed),
    }
}

fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// A reward for each line, as soon as it is known.
fn lines(input: impl Read, name: &str, settings: &Settings, out: &mut dyn io::Write) -> anyhow::Result<()> {
    let mut input = BufReader::new(input);
    let mut number = 0_usize;
    loop {
        let mut line = Vec::new();
        number += 1;
        let read = (&mut input).take(LONGEST + 1).read_until(b'\n', &mut line);
        if read.with_context(|| format!("{name} cannot be read"))? == 0 {
            return Ok(());
        }
        if line.len() as u64 > LONGEST {
            bail!("{name}, line {number}: it has more than {LONGEST} bytes");
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = || format!("{name}, line {number}");
        let row: Row = serde_json::from_slice(&line)
            .map_err(|error| anyhow!(escape::visible(&error.to_string())))
            .with_context(at)?;
        let reward = settings.reward(&row).with_context(at)?;
        let mut text = escape::json(&serde_json::to_string(&reward)?);
        text.push('\n');
        out.write_all(text.as_bytes())?;
    }
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
