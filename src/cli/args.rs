//! Arguments as written. Nothing here does anything.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use diffsieve::context::{Budget, Form, Layers};
use diffsieve::review::shard::Shard;

use super::dataset::DatasetCommand;
use super::eval::EvalCommand;
use super::exit;
use super::reward::RewardArgs;

/// A sieve for the diff: reviews the current branch and gates its merge.
#[derive(Debug, Parser)]
#[command(name = "diffsieve", version, about, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(after_help = exit::TABLE)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) review: ReviewArgs,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Review a change (what `diffsieve` alone does)
    #[command(after_help = exit::TABLE)]
    Review(Box<ReviewArgs>),
    /// Print what a model would read of a change, byte for byte; nothing is sent
    Context(ContextArgs),
    /// Join the JSON reports of all shares of a review into one report and one gate
    #[command(after_help = exit::TABLE)]
    Merge(MergeArgs),
    /// Tell one finding's story, from claim to verdict, shown or dropped
    Explain(ExplainArgs),
    /// Rule packs and their tags
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Findings a maintainer accepted
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Git hooks: what git calls, and how it gets there
    #[command(subcommand)]
    Hook(HookCommand),
    /// Put a saved report where people read it
    #[command(subcommand)]
    Publish(PublishCommand),
    /// Measure a reviewer over a dataset, by the protocols of four papers
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Build datasets to measure reviewers by
    #[command(subcommand)]
    Dataset(DatasetCommand),
    /// Reward reviews by their checklists, for training (after Sphinx)
    Reward(Box<RewardArgs>),
    /// Answers of models that are kept
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Write configuration, CI workflow and hook for this repository; nothing that is there is changed
    Init(InitArgs),
    /// Look at everything that keeps a review from its end, and say how to mend it
    #[command(
        after_help = "Exit codes:\n  0  a review can come to its end\n  3  it cannot: every line that says BROKEN"
    )]
    Doctor(DoctorArgs),
    /// Print a JSON schema
    Schema {
        /// Of what
        name: SchemaName,
    },
    /// Print a shell completion script
    Completions {
        /// For which shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// What to review; one of these.
#[derive(Debug, Args, Default)]
#[group(multiple = true)]
pub(super) struct ScopeArgs {
    /// Review what HEAD (or --head) adds since it parted from REV
    #[arg(long, value_name = "REV", conflicts_with_all = ["range", "commit", "staged", "worktree", "patch"])]
    pub(super) base: Option<String>,
    /// The other end of --base
    #[arg(long, value_name = "REV", requires = "base")]
    pub(super) head: Option<String>,
    /// Review A..B (two commits) or A...B (what B adds since they parted)
    #[arg(long, value_name = "RANGE", conflicts_with_all = ["commit", "staged", "worktree", "patch"])]
    pub(super) range: Option<String>,
    /// Review one commit against its first parent
    #[arg(long, value_name = "REV", conflicts_with_all = ["staged", "worktree", "patch"])]
    pub(super) commit: Option<String>,
    /// Review what is staged
    #[arg(long, conflicts_with_all = ["worktree", "patch"])]
    pub(super) staged: bool,
    /// Review the work tree, untracked files included
    #[arg(long, conflicts_with = "patch")]
    pub(super) worktree: bool,
    /// Review a unified diff from a file, or - for standard input; needs no repository
    #[arg(long, value_name = "FILE")]
    pub(super) patch: Option<PathBuf>,
}

/// Where the repository and its configuration are.
#[derive(Debug, Args, Default)]
pub(super) struct TreeArgs {
    /// Start in DIR instead of the current folder
    #[arg(short = 'C', long = "directory", value_name = "DIR")]
    pub(super) directory: Option<PathBuf>,
    /// Use this configuration file instead of the repository's
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(super) config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long)]
    pub(super) no_config: bool,
}

/// The same, and from which version of the repository the policy of a review comes.
#[derive(Debug, Args, Default)]
pub(super) struct PlaceArgs {
    #[command(flatten)]
    pub(super) tree: TreeArgs,
    /// Where configuration, packs and baseline are read from [default: base in CI jobs whose head is not merged yet, else worktree]
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(super) config_from: Option<ConfigFrom>,
}

/// Which language model reviews beside the detectors.
#[derive(Debug, Clone, Args, Default)]
pub(super) struct ModelArgs {
    /// Review with this model too, such as openai/NAME or claude [env: DIFFSIEVE_MODEL]
    #[arg(long, value_name = "PROVIDER/NAME", help = super::output::model_help())]
    pub(super) model: Option<String>,
    /// Who gives the second opinion; none leaves it out [default: the model itself] [env: DIFFSIEVE_VALIDATOR]
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(super) validator: Option<String>,
    /// Review with the detectors alone, whatever the configuration says
    #[arg(long, conflicts_with_all = ["model", "validator", "replay"])]
    pub(super) no_model: bool,
    /// Where answers are kept, or off [default: the user's cache folder] [env: DIFFSIEVE_CACHE]
    #[arg(long, value_name = "DIR|off")]
    pub(super) cache: Option<PathBuf>,
    /// Also write every answer into DIR, for --replay
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
    /// Take every answer from DIR and ask nobody
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "record"])]
    pub(super) replay: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ConfigFrom {
    /// The tip of the base branch
    Base,
    /// The reviewed commit
    Head,
    /// The files on disk
    Worktree,
}

#[derive(Debug, Args, Default)]
pub(super) struct ReviewArgs {
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Only say what the model would be asked and what that can cost; nothing is sent
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Review one of N shares of the change, as I/N; `diffsieve merge` joins their JSON reports
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "worktree")]
    pub(super) shard: Option<Shard>,
    #[command(flatten)]
    pub(super) report: ReportArgs,
}

fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).ok_or_else(|| format!("write I/N, such as 2/8: one of N shares, at most {}", Shard::MOST))
}

/// What is told, in which forms, and what decides.
#[derive(Debug, Args, Default)]
pub(super) struct ReportArgs {
    /// Write a report as FORMAT, to PATH or standard output; repeatable
    #[arg(long, value_name = "FORMAT[=PATH]", help = super::output::format_help())]
    pub(super) format: Vec<OsString>,
    /// Fail the gate on findings of this level or a higher one
    #[arg(long, value_name = "LEVEL", value_parser = clap::builder::PossibleValuesParser::new(diffsieve::gate::FailOn::NAMES))]
    pub(super) fail_on: Option<String>,
    /// What a review that could not finish means
    #[arg(long, value_name = "POLICY", value_parser = clap::builder::PossibleValuesParser::new(diffsieve::gate::OnIncomplete::NAMES))]
    pub(super) on_incomplete: Option<String>,
    /// Compare with this earlier JSON report: which findings are new, unchanged, fixed
    #[arg(long, value_name = "REPORT")]
    pub(super) since: Option<PathBuf>,
    /// Also print how many claims each stage removed
    #[arg(long)]
    pub(super) funnel: bool,
    /// Put suppressed findings into SARIF too, marked as suppressed
    #[arg(long)]
    pub(super) sarif_suppressed: bool,
    /// Name this analysis, for several reviews of one commit (SARIF automationDetails.id)
    #[arg(long, value_name = "NAME")]
    pub(super) category: Option<String>,
    /// Colours in text
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
    /// Print findings and verdict only
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR says otherwise
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// JSON reports of `review --shard`, or folders with them (*.json at any depth)
    #[arg(required = true, value_name = "REPORT")]
    pub(super) reports: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) report: ReportArgs,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The finding's fingerprint, or enough of its beginning
    pub(super) fingerprint: String,
    /// Look it up in a saved JSON report instead of reviewing again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["base", "range", "commit", "staged", "worktree", "patch"])]
    pub(super) report: Option<PathBuf>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
}

#[derive(Debug, Args)]
pub(super) struct ContextArgs {
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    /// What is told beside the diff
    #[arg(long, value_enum, value_name = "LAYERS", default_value = "A", ignore_case = true)]
    pub(super) context: LayersName,
    /// Show the whole function around each hunk
    #[arg(long)]
    pub(super) expand_function: bool,
    /// Most tokens of a chunk, as estimated
    #[arg(long, value_name = "NUMBER", default_value_t = 8_000,
          value_parser = clap::value_parser!(u32).range(i64::from(Budget::LEAST)..=1_000_000))]
    pub(super) tokens: u32,
    /// How the diff is written
    #[arg(long, value_enum, value_name = "FORM", default_value = "marked")]
    pub(super) format: FormName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LayersName {
    /// Nothing: the diff alone
    None,
    /// What changed in each symbol
    #[value(name = "A")]
    A,
    /// Also functions of the base around the hunks, imports, and which settings are read
    #[value(name = "B")]
    B,
    /// Also names and assertions of changed tests
    #[value(name = "C")]
    C,
}

impl LayersName {
    pub(super) const fn layers(self) -> Layers {
        match self {
            Self::None => Layers::None,
            Self::A => Layers::A,
            Self::B => Layers::B,
            Self::C => Layers::C,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormName {
    /// Fenced hunks with lines numbered within the chunk
    Marked,
    /// The same with hunks as a plain diff: no fences, no numbers
    Plain,
    /// The numbered diff of Code Quality Score; with context `none` as in the paper
    Cqs,
}

impl FormName {
    pub(super) const fn form(self) -> Form {
        match self {
            Self::Marked => Form::Marked,
            Self::Plain => Form::Plain,
            Self::Cqs => Form::Cqs,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// List all tags with level, pack and detectors
    List(TreeArgs),
    /// Show one tag, or all
    Show {
        /// The tag
        tag: Option<String>,
        /// Print every value with the place it comes from
        #[arg(long)]
        resolved: bool,
        /// As seen by files of this language
        #[arg(long, value_name = "LANGUAGE", requires = "resolved")]
        lang: Option<String>,
        #[command(flatten)]
        place: TreeArgs,
    },
    /// Run the examples inside the packs
    Test {
        /// Pack files; none means the embedded packs and the project's own
        files: Vec<PathBuf>,
        /// Also list the examples that hold
        #[arg(long, short)]
        verbose: bool,
        #[command(flatten)]
        place: TreeArgs,
    },
    /// Check packs: keys, values, patterns, rules, captures, missing examples
    Lint {
        /// Pack files; none means the embedded packs and the project's own
        files: Vec<PathBuf>,
        #[command(flatten)]
        place: TreeArgs,
    },
    /// List the facts, conditions and built-in detectors that packs may name
    Facts,
    /// Print the JSON schema of a pack
    Schema,
}

#[derive(Debug, Subcommand)]
pub(super) enum BaselineCommand {
    /// Accept the findings of a review in a new baseline
    Create(AcceptArgs),
    /// Accept further findings of a review
    Update(AcceptArgs),
    /// Remove entries that expired or whose file is gone
    Prune(TreeArgs),
}

#[derive(Debug, Subcommand)]
pub(super) enum PublishCommand {
    /// One review of a pull request with comments on lines, and one summary that each run rewrites
    ///
    /// Reads what earlier runs wrote: what is told already is not told again, and comments on what is fixed are hidden
    /// unless somebody answered. Pull request and head come from the job's event, never from the report.
    #[command(after_help = exit::PUBLISH_TABLE)]
    Github(GithubArgs),
}

#[derive(Debug, Args)]
pub(super) struct GithubArgs {
    /// The report, as --format json=FILE writes it
    #[arg(long, value_name = "FILE")]
    pub(super) report: PathBuf,
    /// The repository [env: GITHUB_REPOSITORY]
    #[arg(long, value_name = "OWNER/NAME")]
    pub(super) repo: Option<String>,
    /// The pull request [default: the event's]
    #[arg(long, value_name = "NUMBER")]
    pub(super) pr: Option<u64>,
    /// The event of the job [env: GITHUB_EVENT_PATH]
    #[arg(long, value_name = "FILE")]
    pub(super) event: Option<PathBuf>,
    /// Most comments on lines that stand at one time; the summary has the rest
    #[arg(long, value_name = "NUMBER", default_value_t = 30, value_parser = clap::value_parser!(u16).range(0..=200))]
    pub(super) max_comments: u16,
    /// Whose earlier comments are this program's [default: who the token belongs to]
    #[arg(long, value_name = "LOGIN")]
    pub(super) author: Option<String>,
    /// Most seconds for all of it, waits for the service's limits included
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=21_600))]
    pub(super) timeout: u32,
    /// Print what would be written as lines of JSON; only reads
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum HookCommand {
    /// Review what a push adds; git says on standard input which refs are pushed
    #[command(after_help = exit::HOOK_TABLE)]
    PrePush(PrePushArgs),
    /// Review what is staged, with the detectors alone unless --model names one
    #[command(after_help = exit::HOOK_TABLE)]
    PreCommit(HookArgs),
    /// Install hooks where git looks for them; nobody else's hook is ever changed
    Install {
        /// Which [default: pre-push]
        #[arg(value_enum)]
        hooks: Vec<HookName>,
        /// Only print the scripts
        #[arg(long)]
        print: bool,
        /// Write `hook.*` settings into the repository's own configuration instead of scripts; needs git 2.54
        #[arg(long, conflicts_with = "print")]
        config_based: bool,
        /// Start in DIR instead of the current folder
        #[arg(short = 'C', long = "directory", value_name = "DIR")]
        directory: Option<PathBuf>,
    },
    /// Remove hooks that `install` wrote
    Uninstall {
        /// Which [default: all]
        #[arg(value_enum)]
        hooks: Vec<HookName>,
        /// Start in DIR instead of the current folder
        #[arg(short = 'C', long = "directory", value_name = "DIR")]
        directory: Option<PathBuf>,
    },
    /// Say which hooks are there, whose they are, and whether git and hook managers call diffsieve
    Status {
        /// Start in DIR instead of the current folder
        #[arg(short = 'C', long = "directory", value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum HookName {
    /// Before a push
    PrePush,
    /// Before a commit
    PreCommit,
}

#[derive(Debug, Args)]
pub(super) struct PrePushArgs {
    /// The remote, as git calls it
    #[arg(default_value = "origin")]
    pub(super) remote: OsString,
    /// Its address, as git gives it
    pub(super) url: Option<OsString>,
    #[command(flatten)]
    pub(super) hook: HookArgs,
}

#[derive(Debug, Args)]
pub(super) struct HookArgs {
    /// Most time that models take, over all refs; what they did not answer is unread
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) seconds: u64,
    /// Fail the gate on findings of this level or a higher one
    #[arg(long, value_name = "LEVEL", value_parser = clap::builder::PossibleValuesParser::new(diffsieve::gate::FailOn::NAMES))]
    pub(super) fail_on: Option<String>,
    /// What a review that could not finish means [default: warn, or what the user's own configuration says]
    #[arg(long, value_name = "POLICY", value_parser = clap::builder::PossibleValuesParser::new(diffsieve::gate::OnIncomplete::NAMES))]
    pub(super) on_incomplete: Option<String>,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
    /// Print findings and verdict only
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// Say where they are, how many and how large
    Stats {
        /// Another folder than the user's own [env: DIFFSIEVE_CACHE]
        #[arg(long, value_name = "DIR")]
        cache: Option<PathBuf>,
    },
    /// Remove them
    Clear {
        /// Another folder than the user's own [env: DIFFSIEVE_CACHE]
        #[arg(long, value_name = "DIR")]
        cache: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    /// Why these findings are accepted
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
    /// The last day on which the acceptance counts
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(super) until: Option<String>,
    /// Accept only this finding; repeatable
    #[arg(long, value_name = "FINGERPRINT")]
    pub(super) only: Vec<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// For which CI service [default: the one whose files or remote are there, github where there is no remote]
    #[arg(long, value_enum, value_name = "SERVICE")]
    pub(super) ci: Option<CiName>,
    /// Print what would be written
    #[arg(long)]
    pub(super) print: bool,
    /// Install no git hook
    #[arg(long)]
    pub(super) no_hook: bool,
    /// Start in DIR instead of the current folder
    #[arg(short = 'C', long = "directory", value_name = "DIR")]
    pub(super) directory: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CiName {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// Azure Pipelines
    Azure,
    /// Bitbucket Pipelines
    Bitbucket,
    /// No CI file
    None,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Also ask the model one short question
    #[arg(long)]
    pub(super) online: bool,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaName {
    /// The report of `--format json`
    Report,
    /// A rule pack
    Pack,
    /// diffsieve.toml
    Config,
    /// .diffsieve/baseline.json
    Baseline,
    /// dataset.json, what says what a dataset is
    Dataset,
    /// A line of cases.jsonl
    Case,
    /// run.json, what says who answered
    Run,
    /// A line of answers.jsonl
    Answer,
    /// A line of judgements.jsonl
    Judgement,
    /// The scores of `eval score --format json`
    Scores,
}
