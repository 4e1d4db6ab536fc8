//! What a language model reads, and nothing else leaves the machine: changed files become parts ([`Context::part`]) while
//! their text is in memory, and parts become chunks ([`chunks`]) that fit a budget. Values that look like credentials are
//! hidden before anything is cut or drawn; text that tries to be more than text is spelt out and counted. The same change
//! makes the same bytes, and a change of one hunk leaves the chunks of all others as they were.

mod base;
mod borders;
mod chunk;
mod hostile;
mod layers;
mod mask;
mod moves;
mod part;
mod reads;
mod redact;
mod render;
mod rows;
mod signatures;
mod split;
mod summary;
#[cfg(all(test, feature = "default"))]
mod tests;
mod tokens;
mod values;

pub use chunk::{Attempt, Chunk, Chunks, Covered, Place, Reason, Removed, Shown, Skipped, chunks};
pub use hostile::AttemptKind;
pub use part::FilePart;
pub(crate) use rows::lot;
pub use tokens::estimate_tokens;
pub use values::Values;

use crate::diff::{BadGlob, Globs};
use crate::rules::{Classes, Rules};

/// How much is told beside the diff, in the words of SWE-PRBench (section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Layers {
    /// The diff alone: nothing stands beside it, and no parser is needed.
    None,
    /// The task, what changed in each symbol, and the diff.
    #[default]
    A,
    /// The functions of the base that the hunks stand in, imports, and which settings are read.
    B,
    /// The names and assertions of the changed tests.
    C,
}

impl Form {
    /// The name as written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Marked => "marked",
            Self::Plain => "plain",
            Self::Cqs => "cqs",
        }
    }
}

impl Layers {
    /// All of them, least first.
    pub const ALL: [Self; 4] = [Self::None, Self::A, Self::B, Self::C];
    /// The values as written.
    pub const NAMES: [&'static str; 4] = ["none", "A", "B", "C"];

    /// The value as written.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// What is written so, in capitals or not.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layers| layers.name().eq_ignore_ascii_case(name))
    }
}

/// How the diff is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Form {
    /// Ours: fenced hunks, lines numbered within the chunk ([`Chunk::place`] tells where they are).
    #[default]
    Marked,
    /// The same page, its hunks as a plain diff: no fences, no numbers, `+`, `-` or a space in front of each line. What ours
    /// is to be compared with (SWE-PRBench, section 8, on markers between changed and unchanged lines).
    Plain,
    /// Code Quality Score's (paper, A.1): line number of the file, then `+`, `-` or a space. With
    /// [`Layers::None`] it stands alone, as in the paper.
    Cqs,
}

/// What is shown of a changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What is told beside the diff.
    pub layers: Layers,
    /// Whether the whole function around a hunk is shown, up to 200 lines of it.
    pub expand_function: bool,
    /// Unchanged lines around a hunk.
    pub around: u32,
    /// Globs of files whose content is never shown, beside [`DENIED`].
    pub deny: Vec<String>,
    /// Regular expressions of values that are hidden, beside those of the packs: their group `t`, else all they match.
    pub secrets: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { layers: Layers::A, expand_function: false, around: 3, deny: Vec::new(), secrets: Vec::new() }
    }
}

/// Files whose content is never shown, whatever it is, under their new name and under their old one.
pub const DENIED: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "*.{pem,key,p8,p12,pfx,jks,keystore,ppk,kdbx,asc,gpg,age,ovpn,tfstate,tfvars,mobileprovision}",
    "*.tfstate.*",
    "id_{rsa,dsa,ecdsa,ed25519}",
    "*_{rsa,dsa,ecdsa,ed25519}",
    ".{npmrc,pypirc,netrc,pgpass,my.cnf,htpasswd,dockercfg,git-credentials,s3cfg,vault-token}",
    "_netrc",
    "credentials",
    "{credentials,client_secret,client_secrets,service-account,service_account}*.json",
    "secrets.{yml,yaml,json,toml,properties}",
    "**/.{aws,ssh,gnupg,kube}/**",
    "**/.docker/config.json",
    "master.key",
];

/// How many tokens a chunk may have, and how many of them each layer beside the diff. What a layer leaves goes to the
/// layers after it, and a layer may use whatever is left by the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// All of it, by [`estimate_tokens`]; at least [`Budget::LEAST`].
    pub tokens: u32,
    /// Symbols added, removed and changed.
    pub summary: u32,
    /// Functions of the base.
    pub execution: u32,
    /// Settings that are read.
    pub behaviour: u32,
    /// Signatures of tests.
    pub tests: u32,
}

impl Budget {
    /// The smallest budget in which every line finds a place.
    pub const LEAST: u32 = 800;

    /// The paper's shares (SWE-PRBench, appendix B) of a budget.
    pub const fn of(tokens: u32) -> Self {
        Self { tokens, summary: 200, execution: 800, behaviour: 150, tests: 300 }
    }
}

/// Why a context cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A glob of [`Options::deny`].
    #[error(transparent)]
    Deny(#[from] BadGlob),
    /// An expression of [`Options::secrets`].
    #[error("a pattern of a secret cannot be used: {0}")]
    Secret(String),
}

/// What is the same for every file of a change.
#[derive(Debug)]
pub struct Context<'r> {
    options: Options,
    denied: Globs,
    redactor: redact::Redactor,
    classes: &'r Classes,
}

impl<'r> Context<'r> {
    /// With the patterns and path classes of the loaded packs.
    ///
    /// # Errors
    /// A glob or an expression of the options is none.
    pub fn new(rules: &'r Rules, options: Options) -> Result<Self, Error> {
        let denied = Globs::new(DENIED.iter().copied().chain(options.deny.iter().map(String::as_str)))?;
        denied.check()?;
        let redactor = redact::Redactor::new(rules, &options.secrets).map_err(Error::Secret)?;
        Ok(Self { options, denied, redactor, classes: &rules.classes })
    }

    /// What is told beside the diff.
    pub const fn layers(&self) -> Layers {
        self.options.layers
    }
}
