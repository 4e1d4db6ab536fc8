//! Tables, as for the summary of a job.

use std::fmt::Write as _;
use std::io;

use super::figure::Figure;
use super::protocol::ProtocolReport;
use super::{Evaluation, RunReport, words};
use crate::escape::{self, neutral_line, visible};

/// Values of an axis, tags and names that are listed; the rest is counted. The page and the JSON have all.
const LISTED: usize = 25;

/// Characters of a name or a setting that are shown.
const CHARS: usize = 200;

/// A text from anywhere on one line, in a cell or outside of one.
fn markdown(text: &str) -> String {
    let cut: String = text.chars().take(CHARS).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", escape::markdown(&visible(&cut)))
}

/// Writes the tables.
pub(super) fn write(evaluation: &Evaluation, out: &mut dyn io::Write) -> io::Result<()> {
    let text = page(evaluation);
    // No line is a command to an agent that reads along.
    text.lines().try_for_each(|line| writeln!(out, "{}", neutral_line(line)))
}

fn page(evaluation: &Evaluation) -> String {
    let mut out = String::from("# Measurement of a reviewer\n\n");
    let _ = writeln!(
        out,
        "Intervals of {}: Wilson for shares of single answers, else {} bootstrap draws of whole cases with seed {}.\n",
        words::level(evaluation.intervals.level),
        words::thousands(u64::from(evaluation.intervals.resamples)),
        evaluation.intervals.seed
    );
    for warning in &evaluation.warnings {
        let _ = writeln!(out, "> ⚠ {}\n", markdown(warning));
    }
    overview(&mut out, evaluation);
    for run in &evaluation.runs {
        run_part(&mut out, run);
    }
    for table in &evaluation.published {
        let _ = writeln!(out, "Published by others on other data: {}\n", markdown(table.source));
        let columns: Vec<String> = table.columns.iter().map(|column| markdown(column)).collect();
        let _ = writeln!(out, "| {} |\n|---|{}", columns.join(" | "), "---:|".repeat(columns.len().saturating_sub(1)));
        for row in &table.rows {
            // All of it is written in this program.
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        out.push('\n');
    }
    out
}

fn overview(out: &mut String, evaluation: &Evaluation) {
    out.push_str(
        "| run | protocol | main number | interval | silent reviewer | false alarms | at the place | answers | ",
    );
    out.push_str("failed, missing | incomplete | unparsable | cost of a true finding |\n");
    out.push_str("|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for run in &evaluation.runs {
        for scored in &run.protocols {
            let (name, figure) = scored.headline().unzip();
            let (name, figure) = (name.unwrap_or_default(), figure.copied().unwrap_or_default());
            let silent = scored.silent.get(name).and_then(|measure| measure.value);
            let answers = &scored.answers;
            let _ = writeln!(
                out,
                "| {} | {} | {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                markdown(&run.name),
                markdown(&scored.protocol),
                words::value(figure.value),
                words::title(name),
                markdown(&words::interval(&figure)),
                words::value(silent),
                words::with_counts(&scored.alarms),
                words::with_counts(&scored.reached),
                answers.scored,
                answers.failed.len() + answers.missing.len(),
                answers.incomplete,
                answers.unparsable,
                markdown(&cost(run, scored)),
            );
        }
    }
    out.push('\n');
}

/// `$0.0123, 4500 tokens`, with what is not known.
fn cost(run: &RunReport, scored: &ProtocolReport) -> String {
    let Some(cost) = run.cost else { return "no answers at hand".to_owned() };
    let dollars = match (cost.dollars, scored.dollars_each) {
        (None, _) => "unknown price".to_owned(),
        (_, None) => "nothing found".to_owned(),
        (_, Some(each)) => words::dollars(each.get()),
    };
    format!("{dollars}, {} tokens", words::value(scored.tokens_each))
}

fn run_part(out: &mut String, run: &RunReport) {
    let _ = writeln!(
        out,
        "## {}\n\nDataset {}, digest {}.\n",
        markdown(&run.name),
        markdown(&run.dataset),
        markdown(&run.digest)
    );
    for (name, value) in &run.configuration {
        let _ = writeln!(out, "- {}: {}", markdown(name), markdown(value));
    }
    if let Some(funnel) = &run.funnel {
        let _ = writeln!(out, "\n| stage | comments |\n|---|---:|\n| raised | {} |", funnel.raised);
        for removal in &funnel.removed {
            let _ = writeln!(out, "| {} | −{} |", markdown(&removal.stage), removal.count);
        }
        let _ = writeln!(out, "| shown | {} |", funnel.shown);
    }
    out.push('\n');
    run.protocols.iter().for_each(|scored| protocol(out, scored));
}

fn protocol(out: &mut String, scored: &ProtocolReport) {
    let _ = writeln!(out, "### {}\n", markdown(&scored.protocol));
    let chosen = words::variants(&scored.variants);
    let chosen: Vec<String> = chosen.iter().map(|(name, value)| format!("{name} {value}")).collect();
    if !chosen.is_empty() {
        let _ = writeln!(out, "Chosen: {}.\n", markdown(&chosen.join(", ")));
    }
    if !scored.samples.is_empty() {
        // Samples of a case are no independent evidence.
        let count = scored.samples.len();
        let _ = writeln!(out, "{count} samples of a case: all its answers are drawn together, for shares too.\n");
    }
    for (what, names) in [("No review", &scored.answers.failed), ("No answer", &scored.answers.missing)] {
        if !names.is_empty() {
            let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| markdown(name)).collect();
            if names.len() > LISTED {
                listed.push(format!("{} more", names.len() - LISTED));
            }
            let _ = writeln!(out, "{what}: {}.\n", listed.join(", "));
        }
    }
    out.push_str("| measure | value | interval | counts | silent reviewer |\n|---|---:|---|---:|---:|\n");
    for (name, figure) in scored.ordered() {
        let silent = words::value(scored.silent.get(name).and_then(|measure| measure.value));
        row(out, words::title(name), figure, Some(&silent));
    }
    let besides = [
        ("false alarms", &scored.alarms),
        ("comments a clean case", &scored.alarm_comments),
        ("faults with a comment at their place", &scored.reached),
        ("matched pairs at one place", &scored.matched),
    ];
    besides.into_iter().for_each(|(name, figure)| row(out, name, figure, Some("")));
    out.push('\n');
    for (axis, values) in &scored.by {
        let _ = writeln!(out, "| {} | recall | interval | counts |\n|---|---:|---|---:|", markdown(axis));
        values.iter().take(LISTED).for_each(|(name, figure)| row(out, name, figure, None));
        more(out, values.len());
    }
    if !scored.tags.is_empty() {
        out.push_str("| tag | precision | interval | counts |\n|---|---:|---|---:|\n");
        scored.tags.iter().take(LISTED).for_each(|tag| row(out, &tag.tag, &tag.precision, None));
        more(out, scored.tags.len());
    }
    for (axis, found) in &scored.kinds {
        let _ = writeln!(out, "| {axis} of the comment | precision | interval | counts |\n|---|---:|---|---:|");
        found.iter().take(LISTED).for_each(|one| row(out, &one.tag, &one.precision, None));
        more(out, found.len());
    }
    if let Some(ablation) = &scored.ablation {
        for (at, line) in ablation.table().iter().enumerate() {
            // Below the titles, only the first cell is a name.
            let cell = |(column, cell): (usize, &String)| match at == 0 || column == 0 {
                true => markdown(cell),
                false => cell.clone(),
            };
            let cells: Vec<String> = line.iter().enumerate().map(cell).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
            if at == 0 {
                let _ = writeln!(out, "|---|{}", "---:|".repeat(line.len().saturating_sub(1)));
            }
        }
        out.push('\n');
    }
}

fn more(out: &mut String, all: usize) {
    if all > LISTED {
        let _ = writeln!(out, "\nand {} more", all - LISTED);
    }
    out.push('\n');
}

fn row(out: &mut String, name: &str, figure: &Figure, silent: Option<&str>) {
    let interval = markdown(&words::interval(figure));
    let _ =
        write!(out, "| {} | {} | {interval} | {} |", markdown(name), words::value(figure.value), words::counts(figure));
    if let Some(silent) = silent {
        let _ = write!(out, " {silent} |");
    }
    out.push('\n');
}
