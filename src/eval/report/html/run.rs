//! One run: what answered, what became of its comments, and its scores one by one.

use super::super::plot::{Step, funnel};
use super::super::words::plural;
use super::super::{Evaluation, RunReport};
use super::{plot, scored};
use crate::report::html::Page;

pub(super) fn run(page: &mut Page, evaluation: &Evaluation, run: &RunReport, at: u64) {
    page.raw("<section class=run id=run-").number(at).raw("><h2 class=name>").text(&run.name).raw("</h2>\n");
    if !run.configuration.is_empty() {
        page.raw("<details class=about><summary>Configuration</summary><dl>");
        for (name, value) in &run.configuration {
            page.raw("<dt>").text(name).raw("<dd>").text(value);
        }
        page.raw("<dt>digest of the cases<dd><code>").text(&run.digest).raw("</code></dl></details>\n");
    }
    stages(page, run, at);
    for (place, report) in run.protocols.iter().enumerate() {
        // The first run has the plain anchors, to which the tiles link.
        page.raw("<section class=protocol id=");
        if evaluation.runs.len() > 1 {
            page.raw("run-").number(at).raw("-");
        }
        page.raw(super::words::anchor(&report.protocol)).raw(">");
        scored::scored(page, report, (at, place as u64));
        page.raw("</section>\n");
    }
    page.raw("</section>\n");
}

fn stages(page: &mut Page, run: &RunReport, at: u64) {
    let Some(counts) = &run.funnel else { return };
    page.raw(
        "<section class=panel><h3>Funnel</h3>\n<p>Comments in all answers: what was raised is shown or removed by a ",
    );
    page.raw("stage, for a reason.</p>\n");
    let step = |name: &str, left: u64, removed: u64, note: String| Step { name: name.to_owned(), left, removed, note };
    let mut steps = vec![step("raised", counts.raised, 0, plural(counts.raised, "comment"))];
    let mut left = counts.raised;
    for removal in &counts.removed {
        left = left.saturating_sub(removal.count);
        let often = removal.reasons.iter().max_by_key(|(reason, count)| (**count, std::cmp::Reverse(*reason)));
        let note = match often {
            Some((reason, often)) if *often < removal.count => format!("−{}, mostly {reason}", removal.count),
            Some((reason, _)) if removal.count > 0 => format!("−{} {reason}", removal.count),
            _ => "nothing removed".to_owned(),
        };
        steps.push(step(&removal.stage, left, removal.count, note));
    }
    steps.push(step("shown", counts.shown, 0, plural(counts.shown, "comment")));
    let says: Vec<String> = steps.iter().map(|step| format!("{}: {}", step.name, step.note)).collect();
    let id = format!("plot-{at}-funnel");
    let legend = [("open-fill", "left"), ("bad", "removed"), ("s0", "shown")];
    plot(page, &legend, funnel(&id, ("Funnel", &says.join("; ")), &steps));
    page.raw(
        "<details><summary>The funnel as a table</summary><table class=\"grid figures\"><thead><tr><th scope=col>",
    );
    page.raw("Stage<th scope=col>Reason<th scope=col>Comments</thead>\n<tr><th scope=row>raised<td><td class=num>");
    page.number(counts.raised).raw("\n");
    for removal in &counts.removed {
        for (reason, count) in &removal.reasons {
            page.raw("<tr><th scope=row>").text(&removal.stage).raw("<td>").text(reason).raw("<td class=num>−");
            page.number(*count).raw("\n");
        }
    }
    page.raw("<tr><th scope=row>shown<td><td class=num>").number(counts.shown).raw("\n</table></details></section>\n");
}
