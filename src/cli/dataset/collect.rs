//! `diffsieve dataset collect`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use diffsieve::dataset::history::{CollectOptions, Export, Past, Profile, Tokenizer, collect, range};
use diffsieve::escape;
use diffsieve::syntax::Language;
use serde_json::Value;

use super::history::{PastArgs, Steps, failure};
use crate::cli::exit::Exit;
use crate::cli::{Failure, output, program, shown};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ProfileName {
    /// One file, complete, at most 32,000 tokens
    Sphinx,
    /// Ten stages, the last of them the review value
    SwePrbench,
}

#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct CollectArgs {
    #[command(flatten)]
    past: PastArgs,
    /// The changes that landed in A..B (or everything up to B)
    #[arg(long, value_name = "RANGE", default_value = "HEAD")]
    range: String,
    /// Whose filters
    #[arg(long, value_enum, value_name = "NAME")]
    profile: ProfileName,
    /// Pull requests as the forge's API exports them
    #[arg(long, value_name = "FILE")]
    meta: Option<PathBuf>,
    /// Only changes to files of this language; repeatable [default: every language that can be parsed]
    #[arg(long, value_name = "LANGUAGE")]
    language: Vec<String>,
    /// Also commits that name no pull request, each as a change of its own
    #[arg(long)]
    plain: bool,
    /// sphinx: leave out what links no issue
    #[arg(long)]
    need_issue: bool,
    /// sphinx: most tokens of title, description and old code
    #[arg(long, value_name = "NUMBER", default_value_t = 32_000)]
    tokens: u32,
    /// sphinx: count tokens with this program: it reads {"texts": [...]} and writes {"tokens": [...]} [default: an estimate]
    #[arg(long, value_name = "PROGRAM")]
    tokenizer: Option<PathBuf>,
    /// Most seconds for the tokenizer's whole work, which begins with the builder's
    #[arg(long, value_name = "NUMBER", default_value_t = 86_400, requires = "tokenizer")]
    seconds: u32,
    /// swe-prbench: most added lines
    #[arg(long, value_name = "NUMBER", default_value_t = 800)]
    added: u64,
    /// swe-prbench: least review value; the paper says both 0.35 and 0.3
    #[arg(long, value_name = "NUMBER", default_value_t = 0.35, value_parser = share)]
    value: f64,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("not from 0 to 1".to_owned()) }
}

pub(super) fn run(args: &CollectArgs) -> Result<Exit, Failure> {
    if args.tokenizer.is_some() && args.profile != ProfileName::Sphinx {
        return Err(anyhow::anyhow!("--tokenizer belongs to --profile sphinx, whose filter counts tokens").into());
    }
    let repo = args.past.open()?;
    let (from, tip) = range(&repo, &args.range).map_err(failure)?;
    let languages = args.language.iter().map(|name| language(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let export = args.meta.as_deref().map(Export::read).transpose().map_err(failure)?;
    let past = Past::read(&repo, tip).map_err(failure)?;
    let landed = past.landed_since(from).map_err(failure)?;
    let options = CollectOptions {
        profile: match args.profile {
            ProfileName::Sphinx => Profile::Sphinx,
            ProfileName::SwePrbench => Profile::SwePrBench,
        },
        name: args.past.name(&repo),
        repository: args.past.repository(&repo),
        licence: args.past.licence(),
        languages,
        plain: args.plain,
        need_issue: args.need_issue,
        tokens: args.tokens,
        added: args.added,
        value: args.value,
        threads: args.past.threads(),
    };
    let latest = Instant::now() + Duration::from_secs(args.seconds.into());
    let program = args.tokenizer.as_deref();
    let count = |texts: &[&str]| program.map_or_else(|| Ok(Vec::new()), |program| tokens(program, texts, latest));
    let tokenizer = program.map(|program| Tokenizer { name: format!("program {}", program.display()), count: &count });
    let steps = Steps::new("changes", landed.len());
    let (built, quality) =
        collect(&past, &landed, export.as_ref(), tokenizer.as_ref(), &options, &|| steps.step()).map_err(failure)?;
    drop(steps);
    if let Some(quality) = quality {
        output::say(&quality.line());
    }
    args.past.finish(&past, built, "collect", from)
}

/// How many tokens each text has, as a program says.
fn tokens(program: &Path, texts: &[&str], latest: Instant) -> Result<Vec<u64>, String> {
    let number = |number: &Value| {
        number.as_u64().ok_or_else(|| format!("`{}` wrote a number of tokens that is none", shown(program)))
    };
    program::ask(program, texts, "tokens", latest)?.iter().map(number).collect()
}

fn language(name: &str) -> anyhow::Result<Language> {
    let known = || Language::all().map(Language::name).collect::<Vec<_>>().join(", ");
    Language::parse_name(name)
        .ok_or_else(|| anyhow::anyhow!("`{}` is no language; known are {}", escape::visible(name), known()))
}
