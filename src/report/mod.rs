//! One file per format, each a pure function of a [`Report`]. A format never decides anything and knows no other format.

mod azure;
mod checkstyle;
mod entry;
#[cfg(test)]
pub(crate) mod fixture;
mod github;
mod gitlab;
pub(crate) mod html;
pub mod json;
mod junit;
pub mod markdown;
#[cfg(test)]
mod mutants;
mod rdjson;
mod region;
#[cfg(test)]
mod runner;
mod sarif;
pub(crate) mod sentence;
#[cfg(test)]
mod tests;
pub mod text;
#[cfg(test)]
mod xml;

use std::io;

use crate::finding::Level;
use crate::gate::Decision;
use crate::review::Review;
use crate::taxonomy::Kind;

/// Everything a format may print.
#[derive(Debug)]
pub struct Report<'a> {
    /// The version of diffsieve that made it.
    pub version: &'static str,
    /// What was found.
    pub review: &'a Review,
    /// What the gate says.
    pub decision: &'a Decision,
    /// Every tag of the loaded packs, in name order, whether it fired or not.
    pub tags: &'a [TagInfo],
    /// Where the configuration and the packs came from.
    pub origin: &'a Origin,
    /// The repository, for provenance.
    pub provenance: Provenance,
    /// How the text format looks.
    pub style: Style,
    /// Whether suppressed findings go into SARIF too, as suppressed results.
    pub sarif_suppressed: bool,
}

/// What a report says of a tag.
#[derive(Debug, Clone)]
pub struct TagInfo {
    /// Its id, such as `MutableDefault`.
    pub name: String,
    /// One line.
    pub title: String,
    /// What it is about and how to accept or fix it, in Markdown without HTML.
    pub help: String,
    /// The level it is shown with unless a detector or a language says otherwise; `None` for shadow and skip.
    pub level: Option<Level>,
    /// `CWE-772`, …
    pub cwe: Vec<String>,
    /// What kind of fault it is.
    pub kind: Kind,
    /// 0.1 to 10.0, for security tags only.
    pub security_severity: Option<f32>,
    /// The pack it comes from.
    pub pack: String,
}

/// Where what decided the review was read from.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// `built-in defaults`, or the file and the commit it was read from.
    pub config: String,
    /// Each pack as `name version (origin)`.
    pub packs: Vec<String>,
}

/// Facts about the repository for SARIF's `versionControlProvenance` and `automationDetails`.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// The remote's address without credentials.
    pub repository_uri: Option<String>,
    /// The reviewed commit.
    pub revision: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The name of the analysis; with several reviews of one commit each needs its own.
    pub category: Option<String>,
}

/// How text looks on a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Columns to wrap prose at.
    pub width: Option<u16>,
    /// Also print the funnel.
    pub funnel: bool,
    /// Print only the findings and the verdict.
    pub quiet: bool,
    /// The output is read by a GitHub or Azure log, which executes commands it finds in it.
    pub ci_log: bool,
}

/// A way to write a report.
#[derive(Debug)]
pub struct Format {
    /// As in `--format NAME`.
    pub name: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// Writes the whole report.
    pub write: fn(&Report<'_>, &mut dyn io::Write) -> io::Result<()>,
}

impl Format {
    /// Whether it shows the diff, which a review keeps only where it is asked to.
    pub fn shows_diff(&self) -> bool {
        self.name == html::FORMAT.name
    }
}

/// Every format there is, one line each.
#[rustfmt::skip]
pub static FORMATS: &[Format] = &[
    text::FORMAT,
    json::FORMAT,
    sarif::FORMAT,
    github::FORMAT,
    gitlab::FORMAT,
    azure::FORMAT,
    rdjson::FORMAT,
    rdjson::LINES,
    checkstyle::FORMAT,
    junit::FORMAT,
    markdown::FORMAT,
    html::FORMAT,
];

/// Writes a document of JSON that is inert in logs.
fn write_json(document: &impl serde::Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(document).map_err(io::Error::from)?;
    out.write_all(crate::escape::json(&text).as_bytes())?;
    out.write_all(b"\n")
}

/// The format of this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
