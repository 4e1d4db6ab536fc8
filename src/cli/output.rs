//! Where reports go and how they look: `--format`, colours, closed pipes, the log of a CI service.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use diffsieve::escape;
use diffsieve::report::{FORMATS, Format, Report, Style};

use super::args::{Color, ReportArgs};
use super::env::var;

/// A format and where it goes.
pub(super) struct Output {
    format: &'static Format,
    /// `None`: standard output.
    path: Option<PathBuf>,
}

/// The help of `--format`.
pub(super) fn format_help() -> String {
    let mut help = String::from("Write a report as FORMAT, to PATH or standard output; repeatable:");
    for format in FORMATS {
        help.push_str(&format!(" {} ({}),", format.name, format.help));
    }
    help.pop();
    help
}

/// The help of `--model`.
pub(super) fn model_help() -> String {
    let mut help = String::from("Review with this model too [env: DIFFSIEVE_MODEL]:");
    for kind in &diffsieve::provider::KINDS {
        help.push_str(&format!(" {} ({}),", kind.name, kind.help));
    }
    help.pop();
    help
}

/// What to write where. With no `--format`: text, plus the CI service's own format, said once on standard error.
pub(super) fn outputs(args: &ReportArgs) -> anyhow::Result<Vec<Output>> {
    if args.format.is_empty() {
        let mut outputs = vec![output(OsStr::new("text"))?];
        if let Some((service, own, what)) = service() {
            outputs.push(output(OsStr::new(own))?);
            if !args.quiet {
                say(&format!("running in {service}: writing text and {what} (--format chooses)"));
            }
        }
        return Ok(outputs);
    }
    let outputs = args.format.iter().map(|written| output(written)).collect::<anyhow::Result<Vec<_>>>()?;
    places_differ(outputs.iter().map(|output| output.path.as_deref()))?;
    Ok(outputs)
}

/// Whether each format has a place of its own; `None` is standard output.
pub(super) fn places_differ<'p>(places: impl Iterator<Item = Option<&'p Path>>) -> anyhow::Result<()> {
    let places: Vec<Option<&Path>> = places.collect();
    let to_stdout = places.iter().filter(|place| place.is_none()).count();
    if to_stdout > 1 {
        bail!(
            "{to_stdout} formats would go to standard output; give all but one a path, as in `--format sarif=out.sarif`"
        );
    }
    let paths = || places.iter().flatten();
    if let Some(path) = paths().find(|path| paths().filter(|other| other == path).count() > 1) {
        bail!("two reports would go to `{}`; give each a path of its own", super::shown(path));
    }
    Ok(())
}

/// Whether a report wants the diff, which a review does not keep unasked.
pub(super) fn shows_diff(outputs: &[Output]) -> bool {
    outputs.iter().any(|output| output.format.shows_diff())
}

fn output(written: &OsStr) -> anyhow::Result<Output> {
    let (format, path) = format_and_place(written, FORMATS.iter().map(|format| (format.name, format)))?;
    Ok(Output { format, path })
}

/// Takes `FORMAT` or `FORMAT=PATH` apart. No path, or `-`, is standard output.
pub(super) fn format_and_place<F>(
    written: &OsStr,
    formats: impl Iterator<Item = (&'static str, F)>,
) -> anyhow::Result<(F, Option<PathBuf>)> {
    let bytes = written.as_encoded_bytes();
    let (name, path) = match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => (&bytes[..at], Some(tail(written, at + 1))),
        None => (bytes, None),
    };
    let name = String::from_utf8_lossy(name);
    let (names, mut formats): (Vec<_>, Vec<F>) = formats.unzip();
    let Some(at) = names.iter().position(|known| *known == name) else {
        bail!("there is no format `{}`; {}", escape::visible(&name), diffsieve::document::nearest(&name, &names));
    };
    if path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        bail!("`--format {name}=` names no path");
    }
    Ok((formats.swap_remove(at), path.filter(|path| path.as_os_str() != "-")))
}

#[cfg(unix)]
fn tail(written: &OsStr, at: usize) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(&written.as_bytes()[at..]))
}

#[cfg(not(unix))]
fn tail(written: &OsStr, at: usize) -> PathBuf {
    PathBuf::from(written.to_string_lossy()[at..].to_owned())
}

/// Whether one of them is of this format.
pub(super) fn has(outputs: &[Output], format: &str) -> bool {
    outputs.iter().any(|output| output.format.name == format)
}

/// Whether one of them goes to standard output.
pub(super) fn any_to_stdout(outputs: &[Output]) -> bool {
    outputs.iter().any(|output| output.path.is_none())
}

/// Writes every report. A reader who closed the pipe has seen enough.
pub(super) fn write(outputs: &[Output], report: &Report<'_>) -> anyhow::Result<()> {
    for output in outputs {
        match &output.path {
            None => quiet_pipe(to_stdout(|out| (output.format.write)(report, out)))
                .context("standard output cannot be written")?,
            Some(path) => {
                let named =
                    || format!("the {} report cannot be written to `{}`", output.format.name, super::shown(path));
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder).with_context(named)?;
                }
                let mut file = BufWriter::new(File::create(path).with_context(named)?);
                (output.format.write)(report, &mut file).and_then(|()| file.flush()).with_context(named)?;
            }
        }
    }
    Ok(())
}

/// Writes to standard output in one piece.
pub(super) fn to_stdout(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// Writes the text of a report to standard error, where the hooks of git speak.
pub(super) fn text_to_stderr(report: &Report<'_>) -> anyhow::Result<()> {
    let text = output(OsStr::new("text"))?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stderr().lock());
    let written = (text.format.write)(report, &mut out).and_then(|()| out.flush());
    quiet_pipe(written).context("standard error cannot be written")
}

/// A closed pipe is no error.
pub(super) fn quiet_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// One line of prose on standard error, safe for terminals and logs.
pub(super) fn say(line: &str) {
    let mut out = io::stderr().lock();
    for line in line.lines() {
        // Nobody is left to tell where standard error itself is closed.
        let _ = writeln!(out, "diffsieve: {}", escape::log_line(line));
    }
}

/// How text looks on standard output.
pub(super) fn style(color: Color, funnel: bool, quiet: bool) -> Style {
    style_on(io::stdout().is_terminal(), color, funnel, quiet)
}

/// How text looks on standard error.
pub(super) fn style_of_stderr(color: Color, quiet: bool) -> Style {
    style_on(io::stderr().is_terminal(), color, false, quiet)
}

fn style_on(terminal: bool, color: Color, funnel: bool, quiet: bool) -> Style {
    Style {
        color: use_color(color, terminal),
        width: terminal.then(width).flatten(),
        funnel,
        quiet,
        // Agents read whatever is no terminal, also where a wrapper or a container hides that they do.
        ci_log: !terminal || is_agents_log(),
    }
}

/// Whether the agent of a CI service says that it reads along.
pub(super) fn is_agents_log() -> bool {
    in_github() || is_set("TF_BUILD")
}

/// Flag, then NO_COLOR, then FORCE_COLOR and CLICOLOR_FORCE, then the terminal.
fn use_color(color: Color, terminal: bool) -> bool {
    let set = |name: &str| var(name).is_some_and(|value| !value.is_empty() && value != "0");
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if var("NO_COLOR").is_some_and(|value| !value.is_empty()) => false,
        Color::Auto if set("FORCE_COLOR") || set("CLICOLOR_FORCE") => true,
        Color::Auto => terminal && var("TERM").is_none_or(|term| term != "dumb"),
    }
}

fn width() -> Option<u16> {
    var("COLUMNS").and_then(|columns| columns.into_string().ok()).and_then(|columns| columns.parse().ok())
}

/// The CI service that runs this, if it has a format of its own: its name, the format and where it goes, and that in words.
fn service() -> Option<(&'static str, &'static str, &'static str)> {
    if in_github() {
        Some(("GitHub Actions", "github", "annotations"))
    } else if is_set("GITLAB_CI") {
        let what = "gl-code-quality-report.json, a report for `artifacts: reports: codequality`,";
        Some(("GitLab CI", "gitlab=gl-code-quality-report.json", what))
    } else if is_set("TF_BUILD") {
        Some(("Azure Pipelines", "azure", "issues"))
    } else {
        None
    }
}

fn in_github() -> bool {
    var("GITHUB_ACTIONS") == Some(OsString::from("true"))
}

fn is_set(name: &str) -> bool {
    var(name).is_some_and(|value| !value.is_empty())
}
