//! The scores of a run by one protocol.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::case::{CaseReport, Worth};
use super::super::figure::Figure;
use super::super::plot::{Bar, Heap, Path, bars, scatter, signal};
use super::super::protocol::ProtocolReport;
use super::super::words;
use super::{cases, cells, plot};
use crate::eval::ablate::{Ablation, Step};
use crate::report::html::Page;

/// Values of an axis that are drawn; the table has all.
const DRAWN: usize = 20;

pub(super) fn scored(page: &mut Page, report: &ProtocolReport, (run, place): (u64, u64)) {
    let id = format!("plot-{run}-{place}");
    page.raw("<h3 class=name>").text(&report.protocol).raw("</h3>\n");
    chosen(page, report);
    measures(page, report);
    worth(page, report, &id);
    axes(page, report, &id);
    tags(page, report, &id);
    if let Some(ablation) = &report.ablation {
        stages(page, ablation, &id);
    }
    cases::cases(page, report, (run, place));
}

fn chosen(page: &mut Page, report: &ProtocolReport) {
    let chosen = words::variants(&report.variants);
    page.raw("<ul class=facts>");
    for (name, value) in &chosen {
        page.raw("<li>").text(name).raw(" <b>").text(value).raw("</b>");
    }
    if report.variants.judge.is_none() {
        page.raw("<li>no judge was needed");
    }
    page.raw("<li>").text(&words::plural(report.answers.scored, "answer")).raw(" in the numbers</ul>\n");
    let lists = [("No review at all", &report.answers.failed), ("No answer", &report.answers.missing)];
    for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        page.raw("<details class=unread><summary>").text(what).raw(": ");
        page.text(&words::plural(names.len() as u64, "case")).raw("</summary><p>").text(&names.join(", "));
        page.raw("</p></details>\n");
    }
}

fn measures(page: &mut Page, report: &ProtocolReport) {
    page.raw("<section class=panel><h4>Measures</h4>\n<div class=wide role=region tabindex=0 aria-label=Measures>");
    page.raw("<table class=\"grid figures\"><thead><tr><th scope=col>Measure<th scope=col>Value<th scope=col>Interval");
    page.raw("<th scope=col>Counts<th scope=col>Silent reviewer");
    let samples = !report.mean.is_empty();
    page.raw(if samples { "<th scope=col>Mean of the samples</thead>\n" } else { "</thead>\n" });
    for (name, figure) in report.ordered() {
        page.raw("<tr><th scope=row>").text(words::title(name));
        cells(page, figure);
        page.raw("<td class=\"num dim\">");
        page.text(&words::value(report.silent.get(name).and_then(|measure| measure.value)));
        if samples {
            page.raw("<td class=num>").text(&words::value(report.mean.get(name).and_then(|measure| measure.value)));
        }
        page.raw("\n");
    }
    let besides = [
        ("False alarms: clean cases with a comment", &report.alarms),
        ("Comments a clean case", &report.alarm_comments),
        ("Location: faults with a comment at their place", &report.reached),
        ("Location: matched pairs at one place", &report.matched),
    ];
    for (name, figure) in besides {
        page.raw("<tr class=beside><th scope=row>").text(name);
        cells(page, figure);
        page.raw(if samples { "<td><td>\n" } else { "<td>\n" });
    }
    page.raw("</table></div></section>\n");
}

/// Most worth reading first; ties by more hits, then by name.
fn heaps(cases: &[&CaseReport]) -> Vec<Heap> {
    let mut cases = cases.to_vec();
    let order = |worth: &Worth| {
        let signal = worth.hits + worth.sound;
        let noise = worth.open + worth.noise;
        // Of infinite ratios the one with more signal comes first, of equal ones the one with less noise.
        if signal + noise == 0.0 { (-1.0, 0.0) } else { (signal / (signal + noise), signal - noise) }
    };
    cases.sort_by(|one, other| {
        let (a, b) = (order(&one.worth), order(&other.worth));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| one.case.cmp(&other.case))
    });
    let heap = |case: &&CaseReport| {
        let Worth { hits, sound, open, noise } = case.worth;
        Heap { hits, sound, open, noise }
    };
    cases.iter().map(heap).collect()
}

fn worth(page: &mut Page, report: &ProtocolReport, id: &str) {
    if report.cases.is_empty() {
        return;
    }
    let (clean, faulty): (Vec<_>, Vec<_>) = report.cases.iter().partition(|case| case.clean);
    let (clean, faulty) = (heaps(&clean), heaps(&faulty));
    let silent = |heaps: &[Heap]| heaps.iter().filter(|heap| **heap == Heap::default()).count();
    let says = format!(
        "{} with known faults, {} of them without a comment; {}, {} of them without a comment.",
        words::plural(faulty.len() as u64, "case"),
        silent(&faulty),
        words::plural(clean.len() as u64, "clean case"),
        silent(&clean)
    );
    page.raw("<section class=panel><h4>Signal and noise by case</h4>\n<p>").text(&says).raw(" Best ratio first.</p>\n");
    let any = |of: fn(&Heap) -> f64| faulty.iter().chain(&clean).any(|heap| of(heap) > 0.0);
    let legend = [
        ("s0", "names a known fault", any(|heap| heap.hits)),
        ("fair", "sound, about something else", any(|heap| heap.sound)),
        ("open-fill", "not known whether it is right", any(|heap| heap.open)),
        ("bad", "wrong, or about a clean case", any(|heap| heap.noise)),
    ];
    let legend: Vec<_> = legend.into_iter().filter(|(.., there)| *there).map(|(key, name, _)| (key, name)).collect();
    plot(page, &legend, signal(&format!("{id}-signal"), ("Signal and noise by case", &says), &faulty, &clean));
    page.raw("</section>\n");
}

/// Single axes are drawn, in this order; joint ones are tables.
fn ordered(by: &BTreeMap<String, BTreeMap<String, Figure>>) -> Vec<(&String, &BTreeMap<String, Figure>)> {
    const FIRST: [&str; 6] = ["language", "severity", "category", "impact", "difficulty", "operator"];
    let place = |axis: &str| FIRST.iter().position(|name| *name == axis).unwrap_or(FIRST.len());
    let mut axes: Vec<_> = by.iter().filter(|(_, values)| !values.is_empty()).collect();
    axes.sort_by_key(|(axis, _)| (axis.contains(" x "), place(axis), axis.as_str()));
    axes
}

fn most_first<'a>(values: impl IntoIterator<Item = (&'a String, &'a Figure)>) -> Vec<(&'a String, &'a Figure)> {
    let mut values: Vec<_> = values.into_iter().collect();
    #[expect(clippy::cast_possible_truncation, reason = "a count")]
    values.sort_by_key(|(name, figure)| (Reverse(figure.under.map_or(0, |under| under.get() as i64)), name.as_str()));
    values
}

fn bar(name: &str, figure: &Figure, series: usize) -> Bar {
    Bar { name: name.to_owned(), value: figure.get(), spread: figure.interval, note: words::counts(figure), series }
}

fn axes(page: &mut Page, report: &ProtocolReport, id: &str) {
    let axes = ordered(&report.by);
    if axes.is_empty() {
        return;
    }
    page.raw(
        "<section class=panel><h4>Found, by kind of fault</h4>\n<p>Recall with its interval, and how many were found ",
    );
    page.raw("of how many. Without many cases the intervals overlap, and then the bars rank nothing.</p>\n");
    let single = axes.iter().filter(|(axis, _)| !axis.contains(" x "));
    let groups: Vec<(String, Vec<Bar>)> = single
        .map(|(axis, values)| {
            let values = most_first(values.iter());
            let name = match values.len().saturating_sub(DRAWN) {
                0 => (*axis).clone(),
                more => format!("{axis} ({more} more in the table)"),
            };
            (name, values.into_iter().take(DRAWN).map(|(name, figure)| bar(name, figure, 0)).collect())
        })
        .collect();
    if !groups.is_empty() {
        let says = "Recall by axis; the table below has the numbers";
        plot(page, &[], bars(&format!("{id}-by"), ("Recall by kind of fault", says), &groups, 1.0, words::tenths));
    }
    for (axis, values) in axes {
        page.raw("<details><summary>").text(axis).raw(" as a table (").number(values.len() as u64).raw(")</summary>");
        table(page, most_first(values.iter()));
        page.raw("</details>\n");
    }
    page.raw("</section>\n");
}

fn table<'a>(page: &mut Page, rows: impl IntoIterator<Item = (&'a String, &'a Figure)>) {
    page.raw("<div class=wide role=region tabindex=0 aria-label=Table><table class=\"grid figures\"><thead><tr>");
    page.raw("<th scope=col>Of<th scope=col>Share<th scope=col>Interval<th scope=col>Counts</thead>\n");
    for (name, figure) in rows {
        page.raw("<tr><th scope=row>").text(name);
        cells(page, figure);
        page.raw("\n");
    }
    page.raw("</table></div>");
}

fn tags(page: &mut Page, report: &ProtocolReport, id: &str) {
    if report.tags.is_empty() {
        return;
    }
    page.raw(
        "<section class=panel><h4>Right, by tag of the comment</h4>\n<p>Comments that name a known fault, of all with ",
    );
    page.raw("the tag. A sound comment about something that nobody wrote down counts against the tag here.</p>\n");
    let list = report.tags.iter().take(DRAWN).map(|tag| bar(&tag.tag, &tag.precision, 2)).collect();
    let name = match report.tags.len().saturating_sub(DRAWN) {
        0 => String::new(),
        more => format!("the most frequent ({more} more in the table)"),
    };
    let says = "Precision by tag; the table below has the numbers";
    let title = ("Precision by tag of the comment", says);
    plot(page, &[], bars(&format!("{id}-tags"), title, &[(name, list)], 1.0, words::tenths));
    page.raw("<details><summary>Tags as a table (").number(report.tags.len() as u64).raw(")</summary>");
    table(page, report.tags.iter().map(|tag| (&tag.tag, &tag.precision)));
    page.raw("</details>");
    for (axis, found) in &report.kinds {
        page.raw("<details><summary>By ").raw(axis).raw(" of the comment (").number(found.len() as u64);
        page.raw(")</summary>");
        table(page, found.iter().map(|one| (&one.tag, &one.precision)));
        page.raw("</details>");
    }
    page.raw("</section>\n");
}

fn stages(page: &mut Page, ablation: &Ablation, id: &str) {
    page.raw(
        "<section class=panel><h4>What each stage is worth</h4>\n<p>The same answers as they would be with the later ",
    );
    page.raw("stages off: from all that was raised (collect) to what was shown.</p>\n");
    let places = |steps: &[Step]| -> (Vec<(f64, f64)>, Vec<String>) {
        let of = |step: &Step, name: &str| step.measures.get(name)?.value.map(|value| value.get());
        let mut at: (Vec<(f64, f64)>, Vec<String>) = Default::default();
        for step in steps {
            let Some(place) = of(step, "recall").zip(of(step, "precision")) else { continue };
            // A stage that changes nothing shares the label of the one before it.
            if at.0.last() == Some(&place) {
                continue;
            }
            at.0.push(place);
            at.1.push(step.name.clone());
        }
        at
    };
    let (main, names) = places(&ablation.stages);
    let (swept, thresholds) = places(&ablation.thresholds);
    if !main.is_empty() {
        let says = "From the first stage to the last; the table below has the numbers";
        let mut legend = vec![("s0", "one stage more each")];
        let mut paths = Vec::new();
        if !swept.is_empty() {
            legend.push(("bad", "the validator’s threshold, 1 to 10, later stages off"));
            let names = thresholds.into_iter().map(|threshold| format!("≥ {threshold}")).collect();
            paths.push(Path { places: swept, names, main: false });
        }
        paths.insert(0, Path { places: main, names, main: true });
        let title = ("Precision and recall stage by stage", says);
        plot(page, &legend, scatter(&format!("{id}-stages"), title, &[], &[], &paths));
    }
    page.raw("<div class=wide role=region tabindex=0 aria-label=Stages><table class=\"grid figures\">");
    for (at, line) in ablation.table().iter().enumerate() {
        page.raw(if at == 0 { "<thead>" } else { "" });
        for (column, cell) in line.iter().enumerate() {
            page.raw(match (at, column) {
                (0, 0) => "<tr><th scope=col>",
                (0, _) => "<th scope=col>",
                (_, 0) => "<tr><th scope=row>",
                _ => "<td class=num>",
            });
            page.text(cell);
        }
        page.raw(if at == 0 { "</thead>\n" } else { "\n" });
    }
    page.raw("</table></div></section>\n");
}
