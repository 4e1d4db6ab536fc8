//! `diffsieve dataset mutate`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use diffsieve::dataset::mutate::{self, Error, Funnel, Input, OPERATORS, Operator, Request};
use diffsieve::diff::Globs;
use diffsieve::document::nearest;
use diffsieve::escape::visible;
use diffsieve::git::{Oid, Repository};
use diffsieve::record::Dataset;
use diffsieve::rules::{Examples, Rules};
use diffsieve::syntax::Language;

use super::asking::made;
use crate::cli::exit::Exit;
use crate::cli::{Failure, env, print};

#[derive(Debug, Args)]
pub(in crate::cli) struct MutateArgs {
    /// List the operators; nothing is built
    #[arg(long, conflicts_with_all = ["range", "files", "out"])]
    list: bool,
    /// Put faults into the commits of A..B, each against its first parent
    #[arg(long, value_name = "A..B", required_unless_present_any = ["files", "list"], conflicts_with = "files")]
    range: Option<String>,
    /// Put faults into the files that match GLOB, each as a change that adds it; may be repeated
    #[arg(long, value_name = "GLOB")]
    files: Vec<String>,
    /// The commit whose files --files takes
    #[arg(long, value_name = "REV", default_value = "HEAD", requires = "files")]
    at: String,
    /// Leave out files that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// The folder of the dataset, empty or not there yet
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
    out: Option<PathBuf>,
    /// What draws the places: the same seed, the same dataset
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Most mutants of one operator
    #[arg(long, value_name = "N", default_value_t = 2)]
    per_operator: usize,
    /// Most mutants in all
    #[arg(long, value_name = "N", default_value_t = 200)]
    max: usize,
    /// Pass over changes that add more lines
    #[arg(long, value_name = "N", default_value_t = 500)]
    max_lines: u64,
    /// Only files of these languages, such as python,go
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    languages: Vec<String>,
    /// Only these operators, or only those `classic` or `targeted`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    operators: Vec<String>,
    /// The name of the project, such as owner/name [default: the name of its folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The project's licence, as an SPDX expression
    #[arg(long, value_name = "SPDX")]
    licence: Option<String>,
    /// Start in DIR instead of the current folder
    #[arg(short = 'C', long = "directory", value_name = "DIR")]
    directory: Option<PathBuf>,
}

pub(super) fn run(args: &MutateArgs) -> Result<Exit, Failure> {
    let Some(out) = args.out.as_ref().filter(|_| !args.list) else { return print(&list()) };
    let repository = Repository::open(crate::cli::start(args.directory.as_deref()), &env::var)?;
    let input = match &args.range {
        Some(range) => {
            let (from, to) = ends(&repository, range)?;
            Input::Range(from, to)
        }
        None => Input::Files(repository.resolve(&args.at)?, globs(&args.files)?),
    };
    let rules = Rules::load(Examples::Skip, &[], None, None)?;
    let request = Request {
        input,
        exclude: globs(&args.exclude)?,
        name: args.name.clone().unwrap_or_else(|| folder_name(&repository)),
        licence: args.licence.clone(),
        seed: args.seed,
        per_operator: args.per_operator,
        most: args.max,
        most_lines: args.max_lines,
        languages: languages(&args.languages)?,
        operators: operators(&args.operators)?,
        rules: &rules,
        repository: &repository,
    };
    let (dataset, funnel) = mutate::build(&request, out).map_err(|error| match error {
        Error::Git(error) => Failure::from(error),
        other => Failure::Usage(other.into()),
    })?;
    print(&summary(&dataset, &funnel))?;
    Ok(made(dataset.cases.len(), Exit::Passed))
}

/// The ends of `A..B`; one that is left out is HEAD.
fn ends(repository: &Repository, range: &str) -> Result<(Oid, Oid), Failure> {
    let two = range.split_once("..").filter(|(_, to)| !to.starts_with('.'));
    let (from, to) = two.ok_or_else(|| anyhow!("`{}` is not a range; write A..B", visible(range)))?;
    let end = |name: &str| repository.resolve(if name.is_empty() { "HEAD" } else { name });
    Ok((end(from)?, end(to)?))
}

fn globs(patterns: &[String]) -> Result<Globs, Failure> {
    let globs = Globs::new(patterns.iter().map(String::as_str)).map_err(anyhow::Error::from)?;
    globs.check().map_err(anyhow::Error::from)?;
    Ok(globs)
}

fn folder_name(repository: &Repository) -> String {
    let dir = std::path::absolute(repository.git_dir()).unwrap_or_else(|_| repository.git_dir().to_owned());
    let is_inner = dir.file_name().is_some_and(|name| name == ".git");
    let folder = if is_inner { dir.parent().map(PathBuf::from).unwrap_or_default() } else { dir };
    folder.file_name().map_or_else(|| "repository".to_owned(), |name| visible(&name.to_string_lossy()))
}

fn languages(names: &[String]) -> Result<Vec<Language>, Failure> {
    let known: Vec<Language> = Language::all().filter(|language| *language != Language::Yaml).collect();
    if names.is_empty() {
        return Ok(known);
    }
    let one = |name: &String| {
        let found = Language::parse_name(name).filter(|language| known.contains(language));
        let names: Vec<&str> = known.iter().map(|language| language.name()).collect();
        found
            .ok_or_else(|| anyhow!("`{}` is no language that can be mutated; {}", visible(name), nearest(name, &names)))
    };
    Ok(names.iter().map(one).collect::<Result<_, _>>()?)
}

fn operators(names: &[String]) -> Result<Vec<&'static Operator>, Failure> {
    if names.is_empty() {
        return Ok(OPERATORS.iter().collect());
    }
    let known: Vec<&str> = OPERATORS.iter().map(|operator| operator.name).collect();
    let wrong =
        names.iter().find(|name| !known.contains(&name.as_str()) && !matches!(name.as_str(), "classic" | "targeted"));
    if let Some(name) = wrong {
        return Err(anyhow!("`{}` is no operator; {}", visible(name), nearest(name, &known)).into());
    }
    let is_wanted = |operator: &&Operator| {
        let group = if operator.targeted { "targeted" } else { "classic" };
        names.iter().any(|name| name == operator.name || name == group)
    };
    Ok(OPERATORS.iter().filter(is_wanted).collect())
}

/// The operators as a table in Markdown, which the book takes over.
fn list() -> String {
    let mut text =
        "| operator | group | what it does | languages | tag | CWE | severity |\n|---|---|---|---|---|---|---|\n"
            .to_owned();
    let all = Language::all().filter(|language| *language != Language::Yaml).count();
    for operator in OPERATORS {
        let names: Vec<&str> = operator.languages.iter().map(|language| language.name()).collect();
        let names = if names.len() == all { "all".to_owned() } else { names.join(", ") };
        let cwe = operator.cwe.map(|number| format!("CWE-{number}")).unwrap_or_default();
        let group = if operator.targeted { "targeted" } else { "classic" };
        let _ = writeln!(
            text,
            "| `{}` | {group} | {} | {names} | {} | {cwe} | {} |",
            operator.name,
            operator.help.replace('|', "\\|"),
            operator.tag,
            operator.severity
        );
    }
    text
}

fn summary(dataset: &Dataset, funnel: &Funnel) -> String {
    let clean = dataset.cases.iter().filter(|case| case.clean).count();
    let mut text = format!(
        "{} mutants and {clean} twins from {} changes, {} files\n",
        dataset.cases.len() - clean,
        funnel.changes,
        funnel.files
    );
    for (name, tally) in &funnel.operators {
        let _ = writeln!(
            text,
            "  {name:<22} {:>4} made of {:>4} tried, {:>6} places",
            tally.made, tally.tried, tally.places
        );
    }
    for (reason, count) in &funnel.refused {
        let _ = writeln!(text, "  refused, {:<13} {count:>6}", reason.name());
    }
    let _ = writeln!(text, "digest {}", dataset.manifest.digest);
    text
}
